//! The judge's side of a slot with isolation: starts the slot's process, gives it jobs, reads the programs' outputs.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use rustix::fs::Mode;
use rustix::net::Shutdown;

use crate::sandbox::capture::{Outputs, copy_file};
use crate::sandbox::control::{Control, RUN_STEP, RunEnder, StopCause};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::keep_box;
use crate::sandbox::linux::cgroup::{Placement, stale};
use crate::sandbox::linux::detect::host::Host;
use crate::sandbox::linux::judge::blocked::ProcessWatch;
use crate::sandbox::linux::judge::pack::{self, LargeFiles, PackedJob};
use crate::sandbox::linux::judge::user::{self, UserReservation};
use crate::sandbox::linux::keeper::notifications::AlarmFlag;
use crate::sandbox::linux::keeper::server;
use crate::sandbox::linux::setup::{SlotSetup, UserChange};
use crate::sandbox::linux::sys;
use crate::sandbox::linux::wire::{self, SlotAnswer, SlotRequest};
use crate::sandbox::slot::{Backend, CoreId, FinishedRun, StreamEnds};
use crate::sandbox::watch::ProgramWatch;
use juror_core::isolation::Isolation;
use juror_core::job::{BoxRetention, CollectedEntry, Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::units::Bytes;

/// One process that waits for jobs, as the judge sees it.
///
/// Dropping it ends its run and its process, and removes its control groups.
#[derive(Debug)]
pub(crate) struct LinuxSlot {
    socket: Arc<OwnedFd>,
    control: Arc<Control>,
    process: i32,
    /// Released after the slot's process is gone.
    user: Option<UserReservation>,
    alarms: AlarmFlag,
    groups: Option<GroupCleanup>,
    large_files: LargeFiles,
    buffer: Vec<u8>,
}

/// The judge removes them if the slot's process cannot.
#[derive(Debug)]
struct GroupCleanup {
    placement: Placement,
    name: String,
}

#[derive(Debug)]
struct SlotSocket(Arc<OwnedFd>);

impl RunEnder for SlotSocket {
    /// If the slot is gone, so is the run.
    fn end_run(&self, run: u64, cause: StopCause) {
        let _ = wire::send(&self.0, &SlotRequest::<Job>::EndRun { run, cause }, &[]);
    }
}

const START_STEP: &str = "start the sandbox";

/// A slot's process that does not answer in this time is ended, and another one is started. A start takes
/// milliseconds, and seconds on a machine that is very busy.
const START_PATIENCES: [Duration; 3] =
    [Duration::from_secs(5), Duration::from_secs(20), Duration::from_secs(80)];

impl LinuxSlot {
    pub(crate) fn start(host: &Host, core: Option<CoreId>) -> Result<Self, JudgeError> {
        start_until_answered(|patience| Self::start_once(host, core, patience))
    }

    /// `None` if its process did not answer in time.
    fn start_once(
        host: &Host,
        core: Option<CoreId>,
        patience: Duration,
    ) -> Result<Option<Self>, JudgeError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let reserved = match host.user_change() {
            // It is the user inside the program's own namespace, where every judge may have the same.
            UserChange::Unchanged => None,
            UserChange::Switch => match UserReservation::reserve(patience)? {
                None => return Ok(None),
                reserved => reserved,
            },
        };
        let (user, lease) = reserved.unzip();
        let number_of_user = user.as_ref().map_or(user::FIRST_USER, |user| user.user);
        let alarms = AlarmFlag::make().step("share memory with the sandbox")?;
        let setup = host.setup(number, number_of_user, alarms.clone(), core);
        let large_files = match (host.isolation(), host.user_change()) {
            (Isolation::Landlock | Isolation::Plain, _) => LargeFiles::None,
            (_, UserChange::Switch) => LargeFiles::ReadableByAll,
            (_, UserChange::Unchanged) => LargeFiles::All,
        };
        let (ours, theirs) = wire::socket_pair().step("connect the judge with its sandbox")?;
        let groups = setup
            .placement
            .clone()
            .map(|placement| GroupCleanup { placement, name: setup.name.clone() });
        static SWEPT: Once = Once::new();
        if let Some(groups) = &groups {
            SWEPT.call_once(|| stale::remove_stale_groups(&groups.placement));
        }
        let process = start_process(setup, [Some(&theirs), lease.as_ref()])?;
        drop((theirs, lease));
        let socket = Arc::new(ours);
        let mut slot = Self {
            control: Control::new(SlotSocket(Arc::clone(&socket))),
            socket,
            process,
            user,
            alarms,
            groups,
            large_files,
            buffer: vec![0; wire::MESSAGE_BYTES_MAX],
        };
        if !wire::is_answered_or_killed(&slot.socket, slot.process, patience).step(START_STEP)? {
            return Ok(None);
        }
        let received = wire::receive(&slot.socket, &mut slot.buffer);
        match received.step(START_STEP)? {
            Some((SlotAnswer::Ready, _)) => Ok(Some(slot)),
            Some((SlotAnswer::Failed(error), _)) => Err(error),
            _ => Err(gone_fault(START_STEP)),
        }
    }

    fn send_job(&self, job: &Job, run: u64, ends: StreamEnds) -> Result<Outputs, JudgeError> {
        /// The box.
        const OTHER: usize = 1;
        if job.collect.len() + OTHER > wire::DESCRIPTORS_MAX {
            let reason = format!("more than {} files", wire::DESCRIPTORS_MAX - OTHER);
            return Err(JudgeError::new("collect files from the box", reason));
        }
        let PackedJob { job, large, contents } = pack::pack_job(job, self.large_files)?;
        let job = &*job;
        let request = SlotRequest::Run { run, job, places: pack::shown_paths(job)?, large };
        for (end, mode) in [(&ends.stdin, 0o444), (&ends.stdout, 0o222)] {
            // Lets a program of another user open them as `/dev/stdin` and `/dev/stdout`.
            if let Some(end) = end {
                rustix::fs::fchmod(end, Mode::from_raw_mode(mode)).step("connect two programs")?;
            }
        }
        let input = match ends.stdin {
            Some(end) => end,
            None => pack::pack_input(&job.stdin)?,
        };
        let (outputs, ends) = Outputs::make(ends.stdout)?;
        let mut fds = vec![input.as_fd(), ends.stdout.as_fd(), ends.stderr.as_fd()];
        fds.extend(contents.as_ref().map(AsFd::as_fd));
        wire::send(&self.socket, &request, &fds).step("send the job to the sandbox")?;
        Ok(outputs)
    }

    /// Completes the reply with what the slot does not know.
    fn complete_reply(
        job: &Job,
        reply: JobReply,
        outputs: Outputs,
        fds: Vec<OwnedFd>,
        keep_in: &Path,
    ) -> Result<JobReply, JudgeError> {
        let mut reply = reply;
        let mut fds = fds.into_iter();
        // No process is left to write.
        let written = outputs.written()?;
        written.record_in(&mut reply.outcome, &job.limits);
        let most = job.limits.output.unwrap_or(job.box_size).0;
        for found in &mut reply.collected {
            if let CollectedEntry::File(blob) = found {
                let file = fds.next().ok_or_else(|| gone_fault("collect a file"))?;
                *blob = copy_file(file, most).step("copy a file out of the box")?;
            }
        }
        if job.keep != BoxRetention::Nothing {
            let from = fds.next().ok_or_else(|| gone_fault("keep the box"))?;
            let rights = match reply.outcome.mechanism.isolation {
                // In this mode, `chmod` may have done nothing.
                Isolation::Landlock => keep_box::CopyRights::AllExecutable,
                Isolation::Namespaces | Isolation::UserNamespaces | Isolation::Plain => {
                    keep_box::CopyRights::Unchanged
                }
            };
            reply.kept = keep_box::keep_box(from, keep_in, job, &reply.outcome, rights)?;
        }
        (reply.stdout, reply.stderr) = outputs.read(written, &job.limits)?;
        Ok(reply)
    }
}

impl Backend for LinuxSlot {
    fn control(&self) -> &Arc<Control> {
        &self.control
    }

    fn run_joined(
        &mut self,
        job: &Job,
        ends: StreamEnds,
        keep_in: &Path,
    ) -> Result<FinishedRun, JudgeError> {
        let run = self.control.begin_run();
        let outputs = self.send_job(job, run, ends)?;
        self.control.repeat_stop_request(run);
        let received = wire::receive(&self.socket, &mut self.buffer);
        match received.step("read from the sandbox")? {
            Some((SlotAnswer::Done { reply, started, has_killed, stack }, fds)) => {
                let mut reply = Self::complete_reply(job, *reply, outputs, fds, keep_in)?;
                reply.outcome.has_killed = has_killed;
                reply.outcome.stack = Bytes(stack);
                Ok(FinishedRun { reply, started })
            }
            Some((SlotAnswer::Failed(error), _)) => Err(error),
            Some((SlotAnswer::Ready, _)) => {
                Err(JudgeError::new(RUN_STEP, "the sandbox sent an unexpected answer"))
            }
            None => Err(gone_fault("run the program")),
        }
    }

    fn watch(
        &self,
        input: BorrowedFd<'_>,
        output: BorrowedFd<'_>,
    ) -> io::Result<Box<dyn ProgramWatch>> {
        Ok(Box::new(ProcessWatch::new(self.process, self.alarms.clone(), input, output)?))
    }

    fn core_process(&self) -> Option<i32> {
        Some(self.process)
    }
}

impl Drop for LinuxSlot {
    fn drop(&mut self) {
        // Hangs up even if a stopper still holds the socket.
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Both);
        let ended = sys::wait(self.process);
        drop(self.user.take());
        let is_killed = ended.is_ok_and(|ended| ended.status != 0);
        if let Some(groups) = self.groups.as_ref().filter(|_| is_killed) {
            stale::remove_groups(&groups.placement, &groups.name);
        }
    }
}

fn start_until_answered<T>(
    mut start_once: impl FnMut(Duration) -> Result<Option<T>, JudgeError>,
) -> Result<T, JudgeError> {
    for patience in START_PATIENCES {
        if let Some(started) = start_once(patience)? {
            return Ok(started);
        }
    }
    let reason = format!("no process of {} answered in time", START_PATIENCES.len());
    Err(JudgeError::new(START_STEP, reason).transient())
}

fn gone_fault(step: &str) -> JudgeError {
    JudgeError::new(step, "the sandbox's process ended unexpectedly").transient()
}

fn start_process(setup: SlotSetup, inherited: [Option<&OwnedFd>; 2]) -> Result<i32, Fault> {
    let inherited = inherited.map(|fd| fd.map(AsRawFd::as_raw_fd));
    // SAFETY: the child takes no lock of this library or of the judge, and allocates with the system's allocator, which
    // is usable after a fork.
    unsafe { sys::fork(|| server::serve(setup, inherited)) }.step("fork the sandbox's process")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries to start a slot whose first processes do nothing; returns how many were started.
    fn starts(silent: usize) -> (usize, Result<(), String>) {
        let mut count = 0;
        let started = start_until_answered(|_| {
            count += 1;
            let (ours, theirs) = wire::socket_pair().unwrap();
            let is_silent = count <= silent;
            let work = || {
                let answer = SlotAnswer::Ready;
                let _ = is_silent || wire::send(&theirs, &answer, &[]).is_ok();
                let _ = wire::is_answered(&theirs, Duration::MAX);
            };
            // SAFETY: it only sends and waits.
            let process = unsafe { sys::fork(work) }.unwrap();
            let patience = Duration::from_millis(if is_silent { 20 } else { 60_000 });
            let is_answered = wire::is_answered_or_killed(&ours, process, patience).unwrap();
            drop((ours, theirs));
            sys::wait(process).unwrap();
            Ok(is_answered.then_some(()))
        });
        (count, started.map_err(|error| error.to_string()))
    }

    #[test]
    fn a_slot_that_does_not_answer_is_started_again() {
        assert_eq!(starts(0), (1, Ok(())));
        assert_eq!(starts(1), (2, Ok(())));
        assert_eq!(starts(2), (3, Ok(())));
        let error = "start the sandbox: no process of 3 answered in time";
        assert_eq!(starts(3), (3, Err(error.to_owned())));
    }
}
