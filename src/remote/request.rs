//! What a worker is asked to run, one job or two joined ones, and what comes back.

use serde::{Deserialize, Serialize};

use crate::executor::Executor;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::stop::Stop;

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
