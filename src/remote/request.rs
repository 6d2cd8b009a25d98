//! What a worker is asked to run, one job or two joined ones, and what comes back.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::executor::Executor;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply, Part};
use crate::model::outcome::{Ending, Outcome, Signal};
use crate::model::stop::Stop;
use crate::model::units::Bytes;

/// One program, or two that talk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum AnyJob {
    Single(Box<Job>),
    Joint(Box<JointJob>),
}

/// The reply to such a job.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum AnyReply {
    Single(Box<Reply>),
    Joint(Box<JointReply>),
}

impl AnyJob {
    pub(super) fn jobs(&self) -> Vec<&Job> {
        match self {
            Self::Single(job) => vec![job],
            Self::Joint(job) => vec![&job.program, &job.partner],
        }
    }

    pub(super) fn jobs_mut(&mut self) -> Vec<&mut Job> {
        match self {
            Self::Single(job) => vec![job],
            Self::Joint(job) => vec![&mut job.program, &mut job.partner],
        }
    }

    pub(super) fn run(
        &self,
        executor: &dyn Executor,
        repeat: Option<Repeat>,
    ) -> Result<AnyReply, Stop> {
        Ok(match self {
            Self::Single(job) => AnyReply::Single(executor.run_one(job, repeat)?.into()),
            Self::Joint(job) => AnyReply::Joint(executor.run_two(job, repeat)?.into()),
        })
    }
}

impl AnyReply {
    /// The replies of all programs, that of the observed one first.
    pub(super) fn replies(&self) -> Vec<&Reply> {
        match self {
            Self::Single(reply) => vec![reply],
            Self::Joint(reply) => vec![&reply.program.reply, &reply.partner.reply],
        }
    }

    pub(super) fn replies_mut(&mut self) -> Vec<&mut Reply> {
        match self {
            Self::Single(reply) => vec![reply],
            Self::Joint(reply) => vec![&mut reply.program.reply, &mut reply.partner.reply],
        }
    }

    pub(super) fn single(self) -> Option<Reply> {
        match self {
            Self::Single(reply) => Some(*reply),
            Self::Joint(_) => None,
        }
    }

    pub(super) fn joint(self) -> Option<JointReply> {
        match self {
            Self::Single(_) => None,
            Self::Joint(reply) => Some(*reply),
        }
    }
}

/// Upper bound on a time that a worker reports: far above any limit, and far below what overflows.
const TIME_MAX: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// Upper bound on a size that a worker reports.
const SIZE_MAX: Bytes = Bytes(1 << 50);

impl AnyReply {
    /// Whether all its numbers are possible. Later code computes with them.
    pub(super) fn is_possible(&self) -> bool {
        let is_sound = |reply: &&Reply| is_possible(&reply.outcome);
        let of_joint = match self {
            Self::Single(_) => true,
            Self::Joint(reply) => {
                let JointReply { program, partner, told, deadlock, debt, transcript } = &**reply;
                let of_part = |part: &Part| {
                    let times = [part.started, part.ended, part.closed];
                    times.iter().all(|time| *time <= TIME_MAX) && part.unread <= SIZE_MAX
                };
                let said = transcript.first.iter().chain(&transcript.last).map(|said| said.at);
                let rare = deadlock.iter().map(|it| it.at).chain([debt.longest]);
                let mut more = told.iter().copied().chain(rare).chain(said);
                of_part(program)
                    && of_part(partner)
                    && more.all(|time| time <= TIME_MAX)
                    && transcript.left_out <= SIZE_MAX
            }
        };
        of_joint && self.replies().iter().all(is_sound)
    }
}

fn is_possible(outcome: &Outcome) -> bool {
    let Outcome { cpu_time, wall_time, queued, .. } = outcome;
    let mut times = [*cpu_time, *wall_time, *queued].into_iter();
    let Outcome { peak_memory, stdout_bytes, stderr_bytes, file_bytes, .. } = outcome;
    let mut sizes = [peak_memory, stdout_bytes, stderr_bytes, file_bytes].into_iter();
    let is_code = match outcome.ending {
        Ending::Exited(code) => (0..=255).contains(&code),
        Ending::Signalled(signal) => (1..2 * Signal::ELSEWHERE).contains(&signal.0),
    };
    is_code && times.all(|time| time <= TIME_MAX) && sizes.all(|size| *size <= SIZE_MAX)
}
