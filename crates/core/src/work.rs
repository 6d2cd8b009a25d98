//! What an executor runs: one job, or two that are joined; how it runs; and the result.

use serde::{Deserialize, Serialize};

use crate::job::{Job, JobReply, Repeat};
use crate::joint::{JointJob, JointReply};
use crate::judgement::JudgeError;
use crate::stop::Stop;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Work {
    Single(Box<Job>),
    Joint(Box<JointJob>),
}

#[derive(Debug, Serialize, Deserialize)]
pub enum WorkReply {
    Single(Box<JobReply>),
    Joint(Box<JointReply>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunMode {
    /// Set for a repeated run, which measures times.
    pub repeat: Option<Repeat>,
    /// Whether it must run now, so that a cache may not answer with an earlier result.
    pub is_fresh: bool,
}

impl RunMode {
    /// Beside other runs, and never from a cache.
    pub const FRESH: Self = Self { repeat: None, is_fresh: true };

    /// A repeated run, alone on its machine. `number` counts the runs of this work from 1.
    pub const fn repeat_alone(number: u32) -> Self {
        Self { repeat: Some(Repeat { number, is_alone: true }), is_fresh: false }
    }

    pub const fn repeat_beside_others(number: u32) -> Self {
        Self { repeat: Some(Repeat { number, is_alone: false }), is_fresh: false }
    }

    pub fn is_alone(self) -> bool {
        self.repeat.is_some_and(|repeat| repeat.is_alone)
    }
}

impl Work {
    /// The job of the observed program is first.
    pub fn jobs(&self) -> Vec<&Job> {
        match self {
            Self::Single(job) => vec![job],
            Self::Joint(job) => vec![&job.program, &job.partner],
        }
    }

    pub fn jobs_mut(&mut self) -> Vec<&mut Job> {
        match self {
            Self::Single(job) => vec![job],
            Self::Joint(job) => vec![&mut job.program, &mut job.partner],
        }
    }
}

impl WorkReply {
    /// The reply of the observed program is first.
    pub fn replies(&self) -> Vec<&JobReply> {
        match self {
            Self::Single(reply) => vec![reply],
            Self::Joint(reply) => vec![&reply.program.reply, &reply.partner.reply],
        }
    }

    pub fn replies_mut(&mut self) -> Vec<&mut JobReply> {
        match self {
            Self::Single(reply) => vec![reply],
            Self::Joint(reply) => vec![&mut reply.program.reply, &mut reply.partner.reply],
        }
    }

    /// Fails if two joined jobs were run.
    pub fn single(self) -> Result<JobReply, Stop> {
        match self {
            Self::Single(reply) => Ok(*reply),
            Self::Joint(_) => Err(JudgeError::new("run a program", "two were run").into()),
        }
    }

    /// Fails if a single job was run.
    pub fn joint(self) -> Result<JointReply, Stop> {
        match self {
            Self::Single(_) => Err(JudgeError::new("run two programs", "one was run").into()),
            Self::Joint(reply) => Ok(*reply),
        }
    }
}

impl From<Job> for Work {
    fn from(job: Job) -> Self {
        Self::Single(job.into())
    }
}

impl From<JointJob> for Work {
    fn from(job: JointJob) -> Self {
        Self::Joint(job.into())
    }
}

impl From<JobReply> for WorkReply {
    fn from(reply: JobReply) -> Self {
        Self::Single(reply.into())
    }
}

impl From<JointReply> for WorkReply {
    fn from(reply: JointReply) -> Self {
        Self::Joint(reply.into())
    }
}
