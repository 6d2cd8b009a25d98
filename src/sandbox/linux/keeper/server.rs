//! The slot's process: one run after the other until the judge is gone.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::Resource;

use crate::model::blob::Blob;
use crate::model::job::{Job, Keep, Reply};
use crate::model::judgement::FaultKind;
use crate::model::outcome::{Ending, Outcome, Signal, StoppedBy};
use crate::model::tree::TreeEntry;
use crate::model::units::Bytes;
use crate::sandbox::boxes::BoxEntry;
use crate::sandbox::control::{Cause, RUN};
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::image::Image;
use crate::sandbox::linux::cgroup::{Baseline, CgroupFiles, Peak};
use crate::sandbox::linux::keeper::environment::{Environment, Pid1};
use crate::sandbox::linux::keeper::outputs::OutputFiles;
use crate::sandbox::linux::keeper::prepare::{self, Ready, Setup, View};
use crate::sandbox::linux::keeper::procfs::Tree;
use crate::sandbox::linux::keeper::resources;
use crate::sandbox::linux::keeper::supervise::{KillScope, LOOK, Stopped, Supervisor};
use crate::sandbox::linux::run::child::{Change, Plan};
use crate::sandbox::linux::run::pid1::Attach;
use crate::sandbox::linux::sys;
use crate::sandbox::linux::view::boxes::{self, Boxes, Size};
use crate::sandbox::linux::view::mounts::{Bind, Picked, c_path};
use crate::sandbox::linux::wire::{self, Answer, Request};
use crate::sandbox::shortage::check_room;
use crate::sandbox::strings::Strings;
use crate::sandbox::translate::Translation;

struct Server {
    setup: Setup,
    socket: OwnedFd,
    _user: Option<OwnedFd>,
    ready: Ready,
    last: Option<Environment>,
    leaving: Option<Pid1>,
    next: Option<Pid1>,
}

/// A job, with data that only its slot knows.
struct Task {
    run: u64,
    job: Box<Job>,
    binds: Vec<Bind>,
    /// Translates its paths to those of the machine, if it has no view of its own.
    names: Translation,
}

/// The descriptors are sent with the answer.
struct Finished {
    answer: Answer,
    fds: Vec<OwnedFd>,
}

/// Serves until the judge is gone. Runs in a fork of the judge, and never returns into its code.
pub(crate) fn serve(setup: Setup, kept: [Option<RawFd>; 2]) -> ! {
    let [Some(socket), _user] = prepare::keep_only(kept) else { sys::exit(1) };
    match prepare::get_ready(&setup) {
        Ok(ready) => {
            let mut server =
                Server { setup, socket, _user, ready, last: None, leaving: None, next: None };
            server.answer_all();
            (server.last, server.leaving, server.next) = (None, None, None);
            server.ready.group.remove();
            // With the directory of its runs.
            drop(server);
        }
        Err(fault) => {
            let _ = wire::send(&socket, &Answer::Failed(fault.into()), &[]);
        }
    }
    sys::exit(0)
}

impl Server {
    fn answer_all(&mut self) {
        let mut buffer = vec![0; wire::LONGEST];
        let mut sent = wire::send(&self.socket, &Answer::Ready, &[]);
        while sent.is_ok() {
            match wire::receive(&self.socket, &mut buffer) {
                Ok(Some((Request::Run { run, job, places }, fds))) => {
                    let finished = self.run(self.task(run, job, places), fds);
                    let finished = finished.unwrap_or_else(|fault| Finished {
                        answer: Answer::Failed(fault.into()),
                        fds: Vec::new(),
                    });
                    let fds: Vec<BorrowedFd<'_>> = finished.fds.iter().map(AsFd::as_fd).collect();
                    sent = wire::send(&self.socket, &finished.answer, &fds);
                    drop(finished);
                    self.turn_over();
                }
                // The request is about a run that is over.
                Ok(Some((Request::End { .. }, _))) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn task(&self, run: u64, job: Box<Job>, places: Vec<PathBuf>) -> Task {
        let shown = job.command.visible.iter().zip(places);
        let binds: Vec<Bind> = shown.map(|(shown, place)| Bind::new(shown, place)).collect();
        let names = match &self.ready.view {
            View::Template(_) => Translation::default(),
            View::Landlock(view) => view.names(&binds),
        };
        Task { run, job, binds, names }
    }

    fn run(&mut self, task: Task, mut fds: Vec<OwnedFd>) -> Result<Finished, Fault> {
        let job = &*task.job;
        let contents = (fds.len() > 3).then(|| fds.pop()).flatten();
        let placed = length(&job.files)?;
        if self.next.is_none() {
            self.leaving = None;
        }
        // This must come before mounts are shown: from the order of mounts, a run could tell whether it is the first.
        self.make_next()?;
        let mut shown = self.show(&task.binds)?;
        // Waits for its end, which would otherwise be charged to this run.
        self.leaving = None;
        self.ready.group.settle()?;
        if self.ready.group.is_littered() {
            // The waiting PID 1 would be charged to the group that is replaced.
            self.next = None;
            self.ready.group.let_go()?;
            self.make_next()?;
            shown = self.show(&task.binds)?;
        }
        self.ready.group.make_room(placed + SPARE)?;
        let boxes = self.boxes(&task, contents)?;
        let rules = self.rules(&boxes, &task)?;
        let cgroup_files = self.ready.group.prepare(&job.limits)?;
        let mut plan = self.plan(&task, cgroup_files)?;
        plan.landlock = rules.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        plan.memory = boxes.mount();
        plan.stdio = stdio(&fds)?;
        let outputs = OutputFiles::of(&fds)?;
        for mount in &shown {
            plan.shown
                .push(Attach { mount: mount.tree.as_raw_fd(), target: c_path(&mount.inside)? });
        }
        if let View::Landlock(view) = &self.ready.view {
            let landlock = view.plan()?;
            plan.directory.clone_from(&landlock.directory);
            plan.landlock_plan = Some(landlock);
        }
        if let Some(notifications) = &mut self.ready.notifications {
            notifications.begin();
        }
        let pid1 = match self.next.take() {
            Some(pid1) => {
                pid1.ask(&mut plan);
                pid1
            }
            None => {
                let start = || Pid1::start_landlock(&plan, self.ready.pid1_stacks[0]);
                again_if_busy(start)?
            }
        };
        let is_kept = job.keep != Keep::Nothing;
        let mut environment = Environment { pid1, boxes, is_kept };
        let stopped = self.watch(&task, &plan, &environment, &outputs, fds);
        if !stopped.as_ref().is_ok_and(|stopped| stopped.pid1_stays) {
            environment.pid1.is_gone();
        }
        let finished = self.finish(job, &plan, stopped?, &environment.boxes, &shown);
        self.last = Some(environment);
        finished
    }

    fn watch(
        &mut self,
        task: &Task,
        plan: &Plan,
        environment: &Environment,
        outputs: &OutputFiles,
        fds: Vec<OwnedFd>,
    ) -> Result<Stopped, Fault> {
        let running = environment.pid1.running();
        let sweep = match plan.landlock_plan {
            Some(_) => KillScope::Domain { boxes: &environment.boxes, size: task.job.box_size.0 },
            None => KillScope::Pid1,
        };
        // The reader of a pipe sees its end only if no process here holds it open. With namespaces, PID 1 shares the
        // slot's descriptors, and closes them.
        match plan.landlock_plan {
            Some(_) => drop(fds),
            None => fds.into_iter().for_each(|fd| _ = fd.into_raw_fd()),
        }
        let first_look = sys::clock(libc::CLOCK_MONOTONIC) + LOOK;
        let shares_user = self.setup.identity.change == Change::Already;
        let stopped = Supervisor {
            socket: &self.socket,
            group: &*self.ready.group,
            report: &plan.report,
            run: task.run,
            sweep,
            outputs,
            peak: Peak::default(),
            next_outputs: first_look,
            next_search: 0,
            first_look,
            next_pipes: shares_user.then_some(first_look),
            limits: &task.job.limits,
            proc: &self.ready.proc,
            queued: 0,
            cores: self.ready.cores,
            notifications: self.ready.notifications.as_mut(),
            tree: self.ready.looks_at_processes.then(Tree::new),
        }
        .watch(&running);
        let pid1_stays = stopped.as_ref().is_ok_and(|stopped| stopped.pid1_stays);
        if plan.landlock_plan.is_none() && !pid1_stays {
            // PID 1 may have been killed before it closed them. No descriptor opened since then is open now.
            plan.stdio.iter().for_each(|fd| _ = sys::close(*fd));
        }
        stopped
    }

    /// Copies the mounts that the job shows; without namespaces, checks that they can be reached.
    fn show(&mut self, binds: &[Bind]) -> Result<Vec<Picked>, Fault> {
        match &mut self.ready.view {
            View::Template(template) => template.show(binds),
            View::Landlock(view) => view.show(binds).map(|()| Vec::new()),
        }
    }

    /// Does nothing without namespaces.
    fn make_next(&mut self) -> Result<(), Fault> {
        if matches!(self.ready.view, View::Template(_)) && self.next.is_none() {
            let ready = &mut self.ready;
            // This stack is free: only PID 1 of the last run may still use the other one.
            ready.pid1_stacks.reverse();
            let start = || Pid1::start(&ready.process, ready.pid1_stacks[0]);
            self.next = Some(again_if_busy(start)?);
        }
        Ok(())
    }

    /// Removes the environment of the last run, and prepares the next as far as possible before the job is known. The
    /// judge already has its answer.
    fn turn_over(&mut self) {
        self.leaving = None;
        if let Some(last) = self.last.take() {
            last.pid1.dismiss();
            self.leaving = Some(last.pid1);
            if let View::Landlock(view) = &mut self.ready.view
                && !last.is_kept
            {
                view.remove_now();
            }
        }
        // After a failure, the next run tries it again, and can report it.
        let _ = self.make_next();
    }

    fn boxes(
        &mut self,
        Task { job, binds, names, .. }: &Task,
        contents: Option<OwnedFd>,
    ) -> Result<Boxes, Fault> {
        let owner = self.setup.identity;
        match &mut self.ready.view {
            View::Landlock(view) => view.boxes(&job.files, contents, names),
            View::Template(_) => {
                let size = Size::new(job.box_size.0, job.files.len());
                let boxes = Boxes::in_memory(size, owner, &job.files, contents)?;
                boxes.link(binds, owner)?;
                Ok(boxes)
            }
        }
    }

    /// `None` if landlock is not used.
    fn rules(&self, boxes: &Boxes, task: &Task) -> Result<Option<OwnedFd>, Fault> {
        match (&self.ready.view, self.ready.landlock, &self.ready.devices) {
            (View::Landlock(view), _, _) => {
                view.rules(boxes, task.job.writable, &task.binds).map(Some)
            }
            (View::Template(_), Some(version), Some(devices)) => {
                boxes::landlock(version, boxes, devices).map(Some)
            }
            (View::Template(_), _, _) => Ok(None),
        }
    }

    fn plan(
        &self,
        Task { job, names, .. }: &Task,
        cgroup_files: CgroupFiles,
    ) -> Result<Plan, Fault> {
        let argv = job.command.argv.iter().map(|text| names.text(text.as_bytes()));
        let env = environment::with(&job.command.env)
            .into_iter()
            .map(|(name, value)| [name.as_bytes(), b"=", &names.value(&name, &value)].concat());
        let (argv, env) = (Strings::new(argv)?, Strings::new(env)?);
        let program = argv.first().cloned();
        let program = program.ok_or_else(|| Fault::new("start the program", "no program given"))?;
        Ok(Plan {
            program,
            argv,
            env,
            directory: c"/box".to_owned(),
            writable: job.writable,
            shown: Vec::new(),
            landlock_plan: None,
            memory: -1,
            stdio: [-1; 3],
            identity: self.setup.identity,
            resources: resources::list(&job.limits, &self.setup)?,
            nice: self.ready.nice,
            landlock: -1,
            cgroup_files,
            stack: self.ready.child_stack,
            report: Arc::default(),
        })
    }

    fn finish(
        &mut self,
        job: &Job,
        plan: &Plan,
        stopped: Stopped,
        boxes: &Boxes,
        shown: &[Picked],
    ) -> Result<Finished, Fault> {
        let baseline: Baseline = stopped.baseline;
        // The program's files may fill the group up to its limit, and the kernel cannot kill any of the processes
        // still in it.
        self.ready.group.look()?;
        self.ready.group.make_room(SPARE)?;
        if stopped.cause == Some(Cause::Interrupt) {
            // The counters are not needed, but must be reset.
            self.ready.group.finish(&baseline, stopped.peak)?;
            return Err(Fault { kind: FaultKind::Interrupted, ..Fault::new(RUN, "interrupted") });
        }
        let file_bytes = if job.writable { boxes.new_bytes()? } else { 0 };
        if matches!(self.ready.view, View::Landlock(_))
            && stopped.cause.is_none()
            && stopped.status != 0
        {
            check_room(&boxes.filled.directory)?;
        }
        let is_killed = stopped.cause.is_none() && stopped.status & 0x7f != 0;
        let refused = if is_killed { refused_memory(plan, boxes, shown) } else { None };
        let mut collected = Vec::new();
        let mut fds = Vec::new();
        for name in &job.collect {
            let (found, file) = boxes.find(name)?;
            collected.push(found);
            fds.extend(file);
        }
        if job.keep != Keep::Nothing {
            fds.push(boxes.filled.open()?);
        }
        let used = self.ready.group.finish(&baseline, stopped.peak)?;
        let (cpu, memory) = if stopped.never_started {
            // The meters still show earlier usage.
            (0, 0)
        } else {
            (stopped.usage.cpu, used.memory.unwrap_or(stopped.usage.memory))
        };
        let mut outcome = Outcome {
            ending: ending(stopped.status),
            stopped_by: match stopped.cause {
                Some(Cause::Limit(by)) => Some(by),
                Some(Cause::Interrupt) | None => None,
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
        let is_beyond =
            used.memory.is_some() && limit.is_some_and(|limit| outcome.peak_memory > limit);
        outcome.stopped_by = match outcome.stopped_by {
            decided @ Some(StoppedBy::CpuTime | StoppedBy::Output) => decided,
            // Too much output may also have been too much for the kernel.
            None if stopped.is_output_beyond && !is_beyond => Some(StoppedBy::Output),
            None if is_beyond => Some(StoppedBy::Memory),
            _ if used.killed_for_memory > 0 => Some(StoppedBy::Memory),
            other => other,
        };
        let decided = matches!(outcome.stopped_by, Some(StoppedBy::CpuTime | StoppedBy::Output));
        match (refused, limit) {
            (Some(asked), Some(limit)) if Bytes(asked) > limit => {
                outcome.stopped_by = Some(StoppedBy::Memory)
            }
            (Some(asked), _) => return Err(short_of_memory("refuses it", Bytes(asked), limit)),
            (None, _) => {}
        }
        if used.within_limit && !decided {
            return Err(short_of_memory("killed it with", outcome.peak_memory, limit));
        }
        explain(plan, &stopped, outcome.stopped_by)?;
        let (stdout, stderr) = (Blob::default(), Blob::default());
        let reply = Box::new(Reply { outcome, stdout, stderr, collected, kept: None });
        let started = plan.report.started.load(Ordering::Relaxed);
        Ok(Finished { answer: Answer::Done { reply, started }, fds })
    }
}

/// Upper bound on the memory that the slot may need itself, in bytes: to search the box, and to prepare the next run.
const SPARE: u64 = 4 << 20;

fn length(files: &[TreeEntry]) -> Result<u64, Fault> {
    let lengths = files.iter().filter_map(TreeEntry::blob).map(Blob::len);
    lengths.sum::<io::Result<u64>>().step("measure the files of the job")
}

/// Tries once more if the machine was only busy.
fn again_if_busy<T>(mut act: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    match act() {
        Err(fault) if is_transient(&fault) => act(),
        done => done,
    }
}

/// The memory that a program requested by its file, if the kernel refused it, so that the program never began.
fn refused_memory(plan: &Plan, boxes: &Boxes, shown: &[Picked]) -> Option<u64> {
    let path = Path::new(OsStr::from_bytes(plan.program.to_bytes()));
    // For the slot, the box and the shown files have other paths than for a program.
    let below = |place: &Path| path.strip_prefix(place).ok();
    let shown = shown.iter().rev().find_map(|it| Some((it, below(&it.inside)?)));
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match (below(Path::new("/box")), shown) {
        (Some(name), _) if plan.landlock_plan.is_none() => match boxes.filled.find(name) {
            Ok(BoxEntry::File(file)) => file,
            _ => return None,
        },
        (_, Some((mount, name))) => {
            rustix::fs::openat(&mount.tree, name, flags, Mode::empty()).ok()?
        }
        _ => rustix::fs::open(&plan.program, flags, Mode::empty()).ok()?,
    };
    let file = File::from(file);
    let image =
        Image::read(&file).filter(|_| file.metadata().is_ok_and(|found| found.is_file()))?;
    let data = plan.resources.iter().find(|limit| limit.resource == Resource::Data);
    let is_too_much = data.is_some_and(|limit| image.writable > limit.soft);
    let is_refused = is_too_much || image.zeros > 0 && sys::refuses_memory(image.zeros);
    is_refused.then_some(image.writable)
}

/// The kernel does not give a program the memory that it may have.
fn short_of_memory(what: &str, amount: Bytes, limit: Option<Bytes>) -> Fault {
    let allowed = limit.map_or("any amount".to_owned(), |limit| limit.to_string());
    Fault {
        reason: format!(
            "ENOMEM: the kernel {what} {}, although {allowed} is allowed: the machine has no more, or the \
             control group that juror is in",
            amount
        ),
        ..Fault::system("run the program", sys::Errno(libc::ENOMEM))
    }
}

/// Fails for runs that ended before the program started.
fn explain(plan: &Plan, stopped: &Stopped, stopped_by: Option<StoppedBy>) -> Result<(), Fault> {
    if let Some((step, errno)) = plan.report.failure() {
        if !step.is_last() {
            return Err(Fault::system(step.0, errno));
        }
        let program = plan.program.to_string_lossy();
        return Err(errno).step_on(step.0, program).map_err(Fault::of_start);
    }
    if stopped_by.is_none() && !stopped.ended_by_itself {
        let step = "run the program";
        let reason = "PID 1 was killed by another process";
        return Err(Fault::new(step, reason));
    }
    if stopped_by.is_none() && stopped.wall == 0 && stopped.never_started {
        let step = "run the program";
        return Err(Fault::new(step, "it was killed before it started"));
    }
    Ok(())
}

fn stdio(fds: &[OwnedFd]) -> Result<[RawFd; 3], Fault> {
    match fds {
        [input, output, error] => Ok([input.as_raw_fd(), output.as_raw_fd(), error.as_raw_fd()]),
        _ => Err(Fault::new("connect the standard streams", "the judge did not send them")),
    }
}

/// A retry may succeed a moment later.
fn is_transient(fault: &Fault) -> bool {
    matches!(fault.errno, Some(libc::EAGAIN | libc::EBUSY))
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
