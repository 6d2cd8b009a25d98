//! Two runs that talk with each other, each in its own slot.
//!
//! # Theory of operation
//!
//! Each program runs in its own slot, under its own limits, exactly as if it ran alone; a thread of the judge serves
//! each slot as always. A third thread holds the other ends of both programs' standard streams and carries the data
//! (see [`relay`](crate::sandbox::relay)).
//!
//! | event | consequence |
//! |---|---|
//! | the partner closes its output, or ends | the program reads to the end of its input |
//! | the program ends, or closes its output | the partner learns it once it has read all and waits for more |
//! | one closes its input, or ends | what the other writes is counted as unread, without harm to the writer |
//! | the partner ends with success | the program goes on, within its limits, to its own end |
//! | the partner fails, not knowing of the program's end | it is [`Dismissed`](juror_core::outcome::StopReason) |
//! | the program ends | the partner goes on, within its limits; see [`GracePeriod`] |
//! | one writes more than it may | it is ended: [`StopReason::Output`](juror_core::outcome::StopReason) |
//! | both stand still, no data in between | both end: [`StopReason::Deadlock`](juror_core::outcome::StopReason) |
//! | a slot fails | the other run is ended, and the failure is reported |
//!
//! The kernel's clock tells which program ended first, not the order in which the judge learns of it. Each run's first
//! process notes when its program ended, maybe slightly late. Meanwhile the other program could see the end of its
//! input and end because of that. Only the judge can pass on that end, so it notes the time before it does.

use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::sandbox::capture::apply_output_limit;
use crate::sandbox::clock;
use crate::sandbox::control::{StopCause, is_interrupted};
use crate::sandbox::fault::FaultContext;
use crate::sandbox::relay::{GracePeriod, Relay, RelayedProgram, RunResult};
use crate::sandbox::slot::{FinishedRun, Slot, StreamEnds, end_on_stop};
use crate::sandbox::system;
use crate::sandbox::transcript::TranscriptRecorder;
use crate::sandbox::wait_meter::WaitMeter;
use juror_core::job::Job;
use juror_core::joint::{JointJob, JointReply, ProgramReply, TalkSide};
use juror_core::judgement::JudgeError;
use juror_core::units::Bytes;

const STEP: &str = "connect two programs";

impl Slot {
    /// Runs the program of a joint job in this slot and its partner in another. Returns after all processes of both
    /// are gone.
    ///
    /// # Errors
    /// As [`run`](Self::run), for either of the two.
    pub fn run_joint(
        &mut self,
        partner: &mut Self,
        job: &JointJob,
    ) -> Result<JointReply, JudgeError> {
        let _guard = end_on_stop([self.next_stop_handle(), partner.next_stop_handle()])?;
        let start = clock::now();
        let (program_reads, to_program) = pipe()?;
        let (partner_reads, to_partner) = pipe()?;
        let (from_program, program_writes) = pipe()?;
        let (from_partner, partner_writes) = pipe()?;
        let (wake_pipe, bell) = io::pipe().step(STEP)?;
        let wake_pipe = OwnedFd::from(wake_pipe);
        for ours in [&to_program, &to_partner, &from_program, &from_partner, &wake_pipe] {
            rustix::io::ioctl_fionbio(ours, true).step(STEP)?;
        }
        let (tell, over) = mpsc::channel();
        let watch = self.backend.watch(to_program.as_fd(), from_program.as_fd());
        let program_watch = watch.step(STEP)?;
        let watch = partner.backend.watch(to_partner.as_fd(), from_partner.as_fd());
        let partner_watch = watch.step(STEP)?;
        let most = |job: &Job| job.limits.output.map(|limit| limit.0);
        let mut patient = job.partner.clone();
        let grace = GracePeriod::of(job, start);
        if let Some(grace) = &grace {
            patient.limits.wall_time = Some(grace.wall_time_max);
        }
        let mut relay = Relay {
            program: RelayedProgram::new(
                from_program,
                to_partner,
                most(&job.program),
                self.next_stop_handle(),
                program_watch,
            ),
            partner: RelayedProgram::new(
                from_partner,
                to_program,
                most(&job.partner),
                partner.next_stop_handle(),
                partner_watch,
            ),
            limits: job.program.limits.clone(),
            accept_exit_code: job.accept_exit_code,
            wake_pipe,
            results: over,
            recorder: job.transcript.map(TranscriptRecorder::new),
            start,
            hidden_end: None,
            end_seen_at: None,
            deadlock: None,
            wait_meter: WaitMeter::new(start),
            grace,
        };
        let process = self.backend.core_process();
        let stop_handles = [relay.program.stop_handle.clone(), relay.partner.stop_handle.clone()];
        let end_both =
            || stop_handles.iter().for_each(|stop_handle| stop_handle.end(StopCause::Interrupt));
        let runs = [
            JointRun {
                slot: partner,
                job: &patient,
                ends: StreamEnds { stdin: Some(partner_reads), stdout: Some(partner_writes) },
                side: TalkSide::Partner,
            },
            JointRun {
                slot: self,
                job: &job.program,
                ends: StreamEnds { stdin: Some(program_reads), stdout: Some(program_writes) },
                side: TalkSide::Program,
            },
        ];
        thread::scope(|scope| {
            for run in runs {
                let (tell, bell) = (tell.clone(), &bell);
                let work = move || run.run(&tell, bell);
                let spawned = thread::Builder::new().spawn_scoped(scope, work);
                spawned.step(STEP).inspect_err(|_| end_both())?;
            }
            let _beside = process.and_then(system::pin_to_core_of);
            relay.run().step(STEP).inspect_err(|_| end_both())
        })?;
        build_reply(job, relay)
    }
}

struct JointRun<'a> {
    slot: &'a mut Slot,
    job: &'a Job,
    ends: StreamEnds,
    side: TalkSide,
}

impl JointRun<'_> {
    fn run(self, tell: &mpsc::Sender<RunResult>, bell: &PipeWriter) {
        let Self { slot, job, ends, side } = self;
        let run = || slot.run_joined(job, ends);
        let result = catch_unwind(AssertUnwindSafe(run));
        let result = result.unwrap_or_else(|_| Err(JudgeError::new(STEP, "a thread panicked")));
        // The relay receives both. If it failed, nobody does.
        let _ = tell.send(RunResult { side, result });
        let _ = (&*bell).write_all(&[1]);
    }
}

fn pipe() -> Result<(OwnedFd, OwnedFd), JudgeError> {
    let (read, write) = io::pipe().step(STEP)?;
    let read = OwnedFd::from(read);
    if system::is_small_pipe(&read) {
        // A program that writes much before it reads would wait forever, and be blamed for it.
        let error = JudgeError::new(
            STEP,
            "the kernel gives only small pipes: this user's programs have too many open",
        );
        let help =
            "end programs with many open pipes, or: sudo sysctl fs.pipe-user-pages-soft=65536";
        return Err(error.help(help).transient());
    }
    Ok((read, write.into()))
}

fn build_reply(job: &JointJob, relay: Relay) -> Result<JointReply, JudgeError> {
    let start = relay.start;
    let deadlock = relay.deadlock;
    let reported = relay.end_seen_at.map(|time| Duration::from_nanos(time.saturating_sub(start)));
    let missing = || Err(JudgeError::new(STEP, "a run reported nothing"));
    let mut program = relay.program;
    let mut partner = relay.partner;
    let results = (
        program.result.take().unwrap_or_else(missing),
        partner.result.take().unwrap_or_else(missing),
    );
    let (program_ran, partner_ran) = match results {
        (Ok(program), Ok(partner)) => (program, partner),
        // An interrupted run was ended because the other failed.
        (Err(error), Err(other)) if is_interrupted(&error) => return Err(other),
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    Ok(JointReply {
        program: ProgramReply {
            waits: (deadlock.map(|both| both.program)).or(program.waits_for),
            ..build_part(program, program_ran, &job.program, start)?
        },
        partner: ProgramReply {
            waits: (deadlock.map(|both| both.partner)).or(partner.waits_for),
            ..build_part(partner, partner_ran, &job.partner, start)?
        },
        output_end_reported: reported,
        deadlock,
        debt: relay.wait_meter.debt(),
        transcript: relay.recorder.map(TranscriptRecorder::finish).unwrap_or_default(),
    })
}

fn build_part(
    speaker: RelayedProgram,
    finished: FinishedRun,
    job: &Job,
    start: u64,
) -> Result<ProgramReply, JudgeError> {
    let since = |time: u64| Duration::from_nanos(time.saturating_sub(start));
    let mut reply = finished.reply;
    let open = || JudgeError::new(STEP, "an output was never closed");
    let closed = since(speaker.closed_at.ok_or_else(open)?);
    let (started, ended) = match finished.started {
        // It was ended before it began.
        0 => (closed, closed),
        time => {
            let noted = since(time) + reply.outcome.wall_time;
            let observed = speaker.ended_at.map_or(noted, since);
            (since(time), noted.min(observed))
        }
    };
    reply.outcome.stdout_bytes = Bytes(speaker.written);
    apply_output_limit(&mut reply.outcome, &job.limits);
    Ok(ProgramReply {
        waits: None,
        started,
        ended,
        closed: closed.min(ended),
        unread: Bytes(speaker.unread),
        reply,
    })
}
