//! The slot's process: one run after the other until the judge is gone.
//!
//! The order of its steps matters: a run must not be charged for what belongs to another, and must not be able to tell
//! whether it is the first.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::Resource;

use crate::sandbox::boxes::{BoxEntry, total_length};
use crate::sandbox::control::{RUN_STEP, StopCause};
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::image::ProgramImage;
use crate::sandbox::linux::cgroup::{CgroupFiles, MemoryPeak, OUTPUT_WINDOW, SLACK, UsageBaseline};
use crate::sandbox::linux::keeper::environment::{Pid1, RunEnvironment};
use crate::sandbox::linux::keeper::notifications::Notifications;
use crate::sandbox::linux::keeper::outputs::OutputFiles;
use crate::sandbox::linux::keeper::prepare::{self, PreparedSlot, ProgramView};
use crate::sandbox::linux::keeper::procfs::ProcessTreeUsage;
use crate::sandbox::linux::keeper::resources;
use crate::sandbox::linux::keeper::supervise::{
    CHECK_INTERVAL, KillScope, OUTPUT_GROWTH_MAX, StoppedRun, Supervisor,
};
use crate::sandbox::linux::run::child::{MountToAttach, RunSpec};
use crate::sandbox::linux::setup::{SlotSetup, UserChange};
use crate::sandbox::linux::sys;
use crate::sandbox::linux::view::boxes::{self, BoxSize, RunBoxes};
use crate::sandbox::linux::view::mounts::{MountCopy, ShownMount, c_path};
use crate::sandbox::linux::wire::{self, LargeFile, SlotAnswer, SlotRequest};
use crate::sandbox::shortage::check_room;
use crate::sandbox::strings::ExecStrings;
use crate::sandbox::translate::PathTranslation;
use juror_core::blob::Blob;
use juror_core::job::{BoxRetention, Job, JobReply};
use juror_core::judgement::FaultKind;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, Signal, StopReason};
use juror_core::units::Bytes;

/// Upper bound on the memory that the slot may need itself, in bytes: to search the box, and to prepare the next run.
const SLOT_MEMORY: u64 = 4 << 20;

struct SlotServer {
    setup: SlotSetup,
    socket: OwnedFd,
    _user: Option<OwnedFd>,
    prepared: PreparedSlot,
    last_environment: Option<RunEnvironment>,
    ending_pid1: Option<Pid1>,
    next_pid1: Option<Pid1>,
}

/// A job, with data that only its slot knows.
struct SlotTask {
    run: u64,
    job: Box<Job>,
    mounts: Vec<ShownMount>,
    large: Vec<LargeFile>,
    /// Translates its paths to those of the machine, if it has no view of its own.
    translation: PathTranslation,
}

/// With the descriptors that are sent with it.
type RunAnswer = (SlotAnswer, Vec<OwnedFd>);

/// Serves until the judge is gone. Runs in a fork of the judge, and never returns into its code.
pub(crate) fn serve(setup: SlotSetup, inherited: [Option<RawFd>; 2]) -> ! {
    let [Some(socket), _user] = prepare::close_other_descriptors(inherited) else { sys::exit(1) };
    match prepare::prepare_slot(&setup) {
        Ok(ready) => {
            let mut server = SlotServer {
                setup,
                socket,
                _user,
                prepared: ready,
                last_environment: None,
                ending_pid1: None,
                next_pid1: None,
            };
            server.serve_requests();
            (server.last_environment, server.ending_pid1, server.next_pid1) = (None, None, None);
            server.prepared.group.remove();
            // With the directory of its runs.
            drop(server);
        }
        Err(fault) => {
            let _ = wire::send(&socket, &SlotAnswer::Failed(fault.into()), &[]);
        }
    }
    sys::exit(0)
}

impl SlotServer {
    fn serve_requests(&mut self) {
        let mut buffer = vec![0; wire::MESSAGE_BYTES_MAX];
        let mut sent = wire::send(&self.socket, &SlotAnswer::Ready, &[]);
        while sent.is_ok() {
            match wire::receive(&self.socket, &mut buffer) {
                Ok(Some((SlotRequest::Run { run, job, places, large }, fds))) => {
                    let task = SlotTask { large, ..self.task(run, job, places) };
                    let failed = |fault: Fault| (SlotAnswer::Failed(fault.into()), Vec::new());
                    let (answer, fds) = self.run(task, fds).unwrap_or_else(failed);
                    let borrowed: Vec<BorrowedFd<'_>> = fds.iter().map(AsFd::as_fd).collect();
                    sent = wire::send(&self.socket, &answer, &borrowed);
                    drop((answer, fds));
                    self.prepare_next();
                }
                // The request is about a run that is over.
                Ok(Some((SlotRequest::EndRun { .. }, _))) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn task(&self, run: u64, job: Box<Job>, places: Vec<PathBuf>) -> SlotTask {
        let shown = job.command.visible.iter().zip(places);
        let mounts: Vec<ShownMount> =
            shown.map(|(shown, path)| ShownMount::new(shown, path)).collect();
        let translation = match &self.prepared.view {
            ProgramView::Template(_) => PathTranslation::default(),
            ProgramView::Landlock(view) => view.path_translation(&mounts),
        };
        SlotTask { run, job, mounts, large: Vec::new(), translation }
    }

    fn run(&mut self, task: SlotTask, mut fds: Vec<OwnedFd>) -> Result<RunAnswer, Fault> {
        let job = &*task.job;
        let contents = (fds.len() > 3).then(|| fds.pop()).flatten();
        let placed = total_length(&job.files)?;
        if self.next_pid1.is_none() {
            self.ending_pid1 = None;
        }
        // This must come before mounts are shown: from the order of mounts, a run could tell whether it is the first.
        self.start_next_pid1()?;
        let mut shown = self.copy_mounts(&task.mounts)?;
        // Waits for its end, which would otherwise be charged to this run.
        self.ending_pid1 = None;
        self.prepared.group.wait_until_freed()?;
        if self.prepared.group.has_leftovers() {
            // The waiting PID 1 would be charged to the group that is replaced.
            self.next_pid1 = None;
            self.prepared.group.drop_leftovers()?;
            self.start_next_pid1()?;
            shown = self.copy_mounts(&task.mounts)?;
        }
        self.prepared.group.make_room(placed + SLOT_MEMORY)?;
        let boxes = self.make_boxes(&task, contents)?;
        if let ProgramView::Template(template) = &self.prepared.view {
            let large = template.copy_large(&task.large, &self.prepared.proc)?;
            shown.extend(large.in_box);
            if let (Some(input), Some(given)) = (large.input, fds.first_mut()) {
                *given = input;
            }
        }
        let rules = self.landlock_rules(&boxes, &task, fds.first())?;
        let cgroup_files = self.prepared.group.prepare(&job.limits)?;
        let mut spec = self.run_spec(&task, cgroup_files)?;
        spec.landlock = rules.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        spec.memory = boxes.mount();
        spec.stdio = stdio(&fds)?;
        let outputs = OutputFiles::of(&fds)?;
        for mount in &shown {
            spec.shown.push(MountToAttach {
                mount: mount.tree.as_raw_fd(),
                target: c_path(&mount.point.path)?,
            });
        }
        if let ProgramView::Landlock(view) = &self.prepared.view {
            let landlock = view.landlock_spec()?;
            spec.directory.clone_from(&landlock.directory);
            spec.landlock_spec = Some(landlock);
        }
        if let Some(notifications) = &mut self.prepared.notifications {
            notifications.begin();
        }
        let pid1 = match self.next_pid1.take() {
            Some(pid1) => {
                pid1.start_run(&mut spec);
                pid1
            }
            None => {
                let start = || Pid1::start_landlock(&spec, self.prepared.pid1_stacks[0]);
                retry_if_busy(start)?
            }
        };
        let is_kept = job.keep != BoxRetention::Nothing;
        let mut environment = RunEnvironment { pid1, boxes, is_kept };
        let stopped = self.supervise(&task, &spec, &environment, &outputs, fds);
        if !stopped.as_ref().is_ok_and(|stopped| stopped.pid1_stays) {
            environment.pid1.mark_gone();
        }
        let finished = self.measure_run(job, &spec, stopped?, &environment.boxes, &shown);
        self.last_environment = Some(environment);
        finished
    }

    fn supervise(
        &mut self,
        task: &SlotTask,
        spec: &RunSpec,
        environment: &RunEnvironment,
        outputs: &OutputFiles,
        fds: Vec<OwnedFd>,
    ) -> Result<StoppedRun, Fault> {
        let running = environment.pid1.running();
        let kill_scope = match spec.landlock_spec {
            Some(_) => KillScope::Domain { boxes: &environment.boxes, size: task.job.box_size.0 },
            None => KillScope::Pid1,
        };
        // The reader of a pipe sees its end only if no process here holds it open. With namespaces, PID 1 shares the
        // slot's descriptors, and closes them.
        match spec.landlock_spec {
            Some(_) => drop(fds),
            None => fds.into_iter().for_each(|fd| _ = fd.into_raw_fd()),
        }
        let now = sys::clock(libc::CLOCK_MONOTONIC);
        let first_look = now + CHECK_INTERVAL;
        let memory = task.job.limits.memory.map_or(u64::MAX, |limit| limit.0);
        let shares_user = self.setup.identity.change == UserChange::Unchanged;
        let stopped = Supervisor {
            socket: &self.socket,
            group: &*self.prepared.group,
            report: &spec.report,
            run: task.run,
            kill_scope,
            outputs,
            peak: MemoryPeak::default(),
            stack: 0,
            room_at_last_look: memory,
            next_output_check: now + CHECK_INTERVAL.min(memory / OUTPUT_GROWTH_MAX),
            next_search: 0,
            first_measurement: first_look,
            next_pipe_check: shares_user.then_some(first_look),
            limits: &task.job.limits,
            proc: &self.prepared.proc,
            queued: 0,
            cores: self.prepared.cores,
            notifications: self.prepared.notifications.as_mut(),
            process_tree: self.prepared.measures_processes.then(ProcessTreeUsage::new),
        }
        .supervise(&running);
        let pid1_stays = stopped.as_ref().is_ok_and(|stopped| stopped.pid1_stays);
        if spec.landlock_spec.is_none() && !pid1_stays {
            // PID 1 may have been killed before it closed them. No descriptor opened since then is open now.
            spec.stdio.iter().for_each(|fd| _ = sys::close(*fd));
        }
        stopped
    }

    /// Copies the mounts that the job shows; without namespaces, checks that they can be reached.
    fn copy_mounts(&mut self, mounts: &[ShownMount]) -> Result<Vec<MountCopy>, Fault> {
        match &mut self.prepared.view {
            ProgramView::Template(template) => template.copy_shown(mounts),
            ProgramView::Landlock(view) => view.check_shown(mounts).map(|()| Vec::new()),
        }
    }

    /// Does nothing without namespaces.
    fn start_next_pid1(&mut self) -> Result<(), Fault> {
        if matches!(self.prepared.view, ProgramView::Template(_)) && self.next_pid1.is_none() {
            let ready = &mut self.prepared;
            // This stack is free: only PID 1 of the last run may still use the other one.
            ready.pid1_stacks.reverse();
            let start = || Pid1::start(&ready.process, ready.pid1_stacks[0]);
            self.next_pid1 = Some(retry_if_busy(start)?);
        }
        Ok(())
    }

    /// Removes the environment of the last run, and prepares the next as far as possible before the job is known. The
    /// judge already has its answer.
    fn prepare_next(&mut self) {
        self.ending_pid1 = None;
        if let Some(last) = self.last_environment.take() {
            last.pid1.kill();
            self.ending_pid1 = Some(last.pid1);
            if let ProgramView::Landlock(view) = &mut self.prepared.view
                && !last.is_kept
            {
                view.remove_run();
            }
        }
        // After a failure, the next run tries it again, and can report it.
        let _ = self.start_next_pid1();
    }

    fn make_boxes(
        &mut self,
        SlotTask { job, mounts, translation, .. }: &SlotTask,
        contents: Option<OwnedFd>,
    ) -> Result<RunBoxes, Fault> {
        let owner = self.setup.identity;
        match &mut self.prepared.view {
            ProgramView::Landlock(view) => view.boxes(&job.files, contents, translation),
            ProgramView::Template(_) => {
                let size = BoxSize::new(job.box_size.0, job.files.len());
                let boxes = RunBoxes::in_memory(size, owner, &job.files, contents)?;
                boxes.link_shown(mounts, owner)?;
                Ok(boxes)
            }
        }
    }

    /// `None` if landlock is not used.
    fn landlock_rules(
        &self,
        boxes: &RunBoxes,
        task: &SlotTask,
        input: Option<&OwnedFd>,
    ) -> Result<Option<OwnedFd>, Fault> {
        match (&self.prepared.view, self.prepared.landlock, &self.prepared.devices) {
            (ProgramView::Landlock(view), _, _) => {
                view.rules(boxes, task.job.writable, &task.mounts, input).map(Some)
            }
            (ProgramView::Template(_), Some(version), Some(devices)) => {
                boxes::landlock_rules(version, boxes, devices).map(Some)
            }
            (ProgramView::Template(_), _, _) => Ok(None),
        }
    }

    fn run_spec(
        &self,
        SlotTask { job, translation, .. }: &SlotTask,
        cgroup_files: CgroupFiles,
    ) -> Result<RunSpec, Fault> {
        let argv = job.command.argv.iter().map(|text| translation.translate_text(text.as_bytes()));
        let env =
            environment::program_environment(&job.command.env).into_iter().map(|(name, value)| {
                [name.as_bytes(), b"=", &translation.translate_variable(&name, &value)].concat()
            });
        let (argv, env) = (ExecStrings::new(argv)?, ExecStrings::new(env)?);
        let no_program = || Fault::new("start the program", "no program given");
        let program = argv.first().cloned().ok_or_else(no_program)?;
        Ok(RunSpec {
            program,
            argv,
            env,
            directory: c"/box".to_owned(),
            writable: job.writable,
            shown: Vec::new(),
            landlock_spec: None,
            memory: -1,
            stdio: [-1; 3],
            identity: self.setup.identity,
            resources: resources::run_limits(&job.limits, &self.setup)?,
            nice: self.prepared.nice,
            landlock: -1,
            cgroup_files,
            stack: self.prepared.child_stack,
            report: Arc::default(),
        })
    }

    fn measure_run(
        &mut self,
        job: &Job,
        spec: &RunSpec,
        stopped: StoppedRun,
        boxes: &RunBoxes,
        shown: &[MountCopy],
    ) -> Result<RunAnswer, Fault> {
        let baseline: UsageBaseline = stopped.baseline;
        // The program's files may fill the group up to its limit, and the kernel cannot kill any of the processes
        // still in it.
        self.prepared.group.measure()?;
        self.prepared.group.make_room(SLOT_MEMORY)?;
        if stopped.cause == Some(StopCause::Interrupt) {
            // The counters are not needed, but must be reset.
            self.prepared.group.finish(&baseline, stopped.peak)?;
            return Err(Fault {
                kind: FaultKind::Interrupted,
                ..Fault::new(RUN_STEP, "interrupted")
            });
        }
        let file_bytes = if job.writable { boxes.new_bytes()? } else { 0 };
        if matches!(self.prepared.view, ProgramView::Landlock(_))
            && stopped.cause.is_none()
            && stopped.status != 0
        {
            check_room(&boxes.filled.directory)?;
        }
        let is_killed = stopped.cause.is_none() && stopped.status & 0x7f != 0;
        let refused = if is_killed { refused_memory(spec, boxes, shown) } else { None };
        let mut collected = Vec::new();
        let mut fds = Vec::new();
        for name in &job.collect {
            let (found, file) = boxes.find(name)?;
            collected.push(found);
            fds.extend(file);
        }
        if job.keep != BoxRetention::Nothing {
            fds.push(boxes.filled.reopen()?);
        }
        let used = self.prepared.group.finish(&baseline, stopped.peak)?;
        let (cpu, memory) = if stopped.never_started {
            // The meters still show earlier usage.
            (0, 0)
        } else {
            (stopped.usage.cpu, used.memory.unwrap_or(stopped.usage.memory))
        };
        let mut outcome = Outcome {
            ending: ending(stopped.status),
            stopped_by: match stopped.cause {
                Some(StopCause::Limit(by)) => Some(by),
                Some(StopCause::Interrupt) | None => None,
            },
            cpu_time: Duration::from_nanos(cpu),
            wall_time: Duration::from_nanos(stopped.wall),
            queued: Duration::from_nanos(stopped.queued),
            peak_memory: Bytes(memory),
            file_bytes: Bytes(file_bytes),
            refused_processes: u32::try_from(used.refused_processes).unwrap_or(u32::MAX),
            ..Outcome::unmeasured(self.setup.mechanism)
        };
        let limit = job.limits.memory;
        if used.killed_for_memory > 0
            && is_kill_for_outputs(used.kernel_limit, stopped.output_memory, &job.limits)
        {
            let what = "followed the outputs too late, and killed it with";
            return Err(memory_fault(what, outcome.peak_memory, limit));
        }
        if let Some(limit) = limit.filter(|_| used.has_dropped_caches) {
            outcome.peak_memory = outcome.peak_memory.min(limit);
        }
        let is_beyond =
            used.memory.is_some() && limit.is_some_and(|limit| outcome.peak_memory > limit);
        outcome.stopped_by = match outcome.stopped_by {
            decided @ Some(StopReason::CpuTime | StopReason::Output) => decided,
            // Too much output may also have been too much for the kernel.
            None if stopped.is_output_beyond && !is_beyond => Some(StopReason::Output),
            None if is_beyond => Some(StopReason::Memory),
            _ if used.killed_for_memory > 0 => Some(StopReason::Memory),
            other => other,
        };
        let decided = matches!(outcome.stopped_by, Some(StopReason::CpuTime | StopReason::Output));
        match (refused, limit) {
            (Some(asked), Some(limit)) if Bytes(asked) > limit => {
                outcome.stopped_by = Some(StopReason::Memory)
            }
            (Some(asked), _) => return Err(memory_fault("refuses it", Bytes(asked), limit)),
            (None, _) => {}
        }
        if used.was_within_limit && !decided {
            return Err(memory_fault("killed it with", outcome.peak_memory, limit));
        }
        check_start(spec, &stopped, outcome.stopped_by)?;
        let (stdout, stderr) = (Blob::default(), Blob::default());
        let reply = Box::new(JobReply { outcome, stdout, stderr, collected, kept: None });
        let started = spec.report.started.load(Ordering::Relaxed);
        let has_killed =
            self.prepared.notifications.as_ref().is_some_and(Notifications::has_killed);
        Ok((SlotAnswer::Done { reply, started, has_killed, stack: stopped.stack }, fds))
    }
}

/// Tries once more if the machine was only busy.
fn retry_if_busy<T>(mut act: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    match act() {
        // A retry may succeed a moment later.
        Err(Fault { errno: Some(libc::EAGAIN | libc::EBUSY), .. }) => act(),
        done => done,
    }
}

/// The memory that a program requested by its file, if the kernel refused it, so that the program never began.
fn refused_memory(spec: &RunSpec, boxes: &RunBoxes, shown: &[MountCopy]) -> Option<u64> {
    let path = Path::new(OsStr::from_bytes(spec.program.to_bytes()));
    // For the slot, the box and the shown files have other paths than for a program.
    let below = |group: &Path| path.strip_prefix(group).ok();
    let shown = shown.iter().rev().find_map(|mount| Some((mount, below(&mount.point.path)?)));
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match (below(Path::new("/box")), shown) {
        (Some(name), _) if spec.landlock_spec.is_none() => match boxes.filled.find(name) {
            Ok(BoxEntry::File(file)) => file,
            _ => return None,
        },
        (_, Some((mount, name))) => {
            rustix::fs::openat(&mount.tree, name, flags, Mode::empty()).ok()?
        }
        _ => rustix::fs::open(&spec.program, flags, Mode::empty()).ok()?,
    };
    let file = File::from(file);
    let image =
        ProgramImage::read(&file).filter(|_| file.metadata().is_ok_and(|found| found.is_file()))?;
    let data = spec.resources.iter().find(|limit| limit.resource == Resource::Data);
    let is_too_much = data.is_some_and(|limit| image.writable > limit.soft);
    let is_refused = is_too_much || (image.zeros > 0 && sys::refuses_memory(image.zeros));
    is_refused.then_some(image.writable)
}

/// The outputs grew faster than the kernel's limit followed. Without them, the run had no more than its limit.
fn is_kill_for_outputs(kernel_limit: Option<u64>, outputs: u64, limits: &Limits) -> bool {
    let (Some(most), Some(memory)) = (kernel_limit, limits.memory) else { return false };
    let outputs = outputs.min(limits.file_size().unwrap_or(0));
    let program = most.saturating_sub(outputs);
    outputs >= OUTPUT_WINDOW && program <= memory.0.saturating_add(2 * SLACK)
}

/// The kernel does not give a program the memory that it may have.
fn memory_fault(what: &str, amount: Bytes, limit: Option<Bytes>) -> Fault {
    let allowed = limit.map_or("any amount".to_owned(), |limit| limit.to_string());
    Fault {
        reason: format!(
            "ENOMEM: the kernel {what} {amount}, although {allowed} is allowed: the machine has no more, or the \
             control group that juror is in"
        ),
        ..Fault::from_errno("run the program", sys::Errno(libc::ENOMEM))
    }
}

/// Fails for runs that ended before the program started.
fn check_start(
    spec: &RunSpec,
    stopped: &StoppedRun,
    stopped_by: Option<StopReason>,
) -> Result<(), Fault> {
    if let Some((step, errno)) = spec.report.failure() {
        if !step.is_last() {
            return Err(Fault::from_errno(step.0, errno));
        }
        let program = spec.program.to_string_lossy();
        return Err(errno).step_on(step.0, program).map_err(Fault::for_start);
    }
    let reason = match stopped_by {
        None if !stopped.ended_by_itself => "PID 1 was killed by another process",
        None if stopped.wall == 0 && stopped.never_started => "it was killed before it started",
        _ => return Ok(()),
    };
    Err(Fault::new("run the program", reason))
}

fn stdio(fds: &[OwnedFd]) -> Result<[RawFd; 3], Fault> {
    match fds {
        [input, output, error] => Ok([input.as_raw_fd(), output.as_raw_fd(), error.as_raw_fd()]),
        _ => Err(Fault::new("connect the standard streams", "the judge did not send them")),
    }
}

/// Source: the manual page `wait(2)`.
fn ending(status: i32) -> Ending {
    let signal = status & 0x7f;
    if signal == 0 {
        Ending::Exited((status >> 8) & 0xff)
    } else {
        Ending::Signalled(Signal(signal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_is_the_programs_fault_unless_outputs_explain_it() {
        let check = |kernel_limit: u64, outputs: u64, expected: bool| {
            let (memory, output) = (Some(Bytes::mib(64)), Some(Bytes::mib(80)));
            let limits = Limits { memory, output, ..Limits::default() };
            let found = is_kill_for_outputs(Some(kernel_limit << 20), outputs << 20, &limits);
            assert_eq!(found, expected, "{kernel_limit} {outputs}");
        };
        check(72, 0, false);
        check(72, 5, false);
        check(72, 8, true);
        check(72, 70, true);
        check(120, 48, false);
        check(120, 56, true);
        // More than its outputs may have.
        check(152, 152, false);
    }
}
