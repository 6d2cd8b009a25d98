//! An executor with a deadline: jobs that still run then are ended, and none starts after it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::executor::Executor;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::outcome::StoppedBy;
use crate::model::stop::Stop;

/// Wraps an executor. A job that the deadline cuts short returns [`Stop::Interrupted`], so that it gets no verdict.
pub struct Until<'a> {
    inner: &'a dyn Executor,
    time: Arc<Mutex<Time>>,
    /// The same without memory; None if this is that executor.
    anew: Option<Box<Self>>,
}

#[derive(Default)]
struct Time {
    end: Option<Instant>,
    ran_out: bool,
}

impl<'a> Until<'a> {
    /// An executor without deadline.
    pub fn new(inner: &'a dyn Executor) -> Self {
        let time = Arc::default();
        let anew = Self { inner: inner.anew(), time: Arc::clone(&time), anew: None };
        Self { inner, time, anew: Some(Box::new(anew)) }
    }

    /// Sets the deadline for all jobs that start from now on.
    pub fn set(&self, end: Option<Instant>) {
        *self.lock() = Time { end, ran_out: false };
    }

    /// Extends the deadline, if it is earlier than this.
    pub fn extend(&self, end: Instant) {
        let mut time = self.lock();
        time.end = time.end.map(|known| known.max(end));
    }

    /// Whether a job was cut short or refused since the deadline was set.
    pub fn ran_out(&self) -> bool {
        self.lock().ran_out
    }

    /// Whether the deadline has passed.
    pub fn is_over(&self) -> bool {
        self.lock().end.is_some_and(|end| end <= Instant::now())
    }

    fn lock(&self) -> MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time left, if there is a deadline.
    fn left(&self) -> Result<Option<Duration>, Stop> {
        let left = self.lock().end.map(|end| end.saturating_duration_since(Instant::now()));
        match left {
            Some(Duration::ZERO) => Err(self.over()),
            left => Ok(left),
        }
    }

    fn over(&self) -> Stop {
        self.lock().ran_out = true;
        Stop::Interrupted
    }
}

/// The job with its wall time cut to the time left, if its own limit is longer.
fn cut(job: &Job, left: Option<Duration>) -> Option<Job> {
    let left = left.filter(|left| job.limits.wall_time.is_none_or(|own| own > *left))?;
    let mut job = job.clone();
    job.limits.wall_time = Some(left);
    Some(job)
}

fn ran_into_it(reply: &Reply) -> bool {
    reply.outcome.stopped_by == Some(StoppedBy::WallTime)
}

impl Executor for Until<'_> {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        let Some(job) = cut(job, self.left()?) else { return self.inner.run_one(job, repeat) };
        let reply = self.inner.run_one(&job, repeat)?;
        if ran_into_it(&reply) { Err(self.over()) } else { Ok(reply) }
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        let left = self.left()?;
        let (program, partner) = (cut(&job.program, left), cut(&job.partner, left));
        if program.is_none() && partner.is_none() {
            return self.inner.run_two(job, repeat);
        }
        let is_cut = [program.is_some(), partner.is_some()];
        let mut job = job.clone();
        job.program = program.unwrap_or(job.program);
        job.partner = partner.unwrap_or(job.partner);
        let reply = self.inner.run_two(&job, repeat)?;
        let ran = [&reply.program, &reply.partner].map(|part| ran_into_it(&part.reply));
        match ran.into_iter().zip(is_cut).any(|(ran, is_cut)| ran && is_cut) {
            true => Err(self.over()),
            false => Ok(reply),
        }
    }

    fn anew(&self) -> &dyn Executor {
        self.anew.as_deref().unwrap_or(self)
    }

    fn stop(&self) {
        self.inner.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::scripted::Scripted;
    use crate::model::blob::Blob;
    use crate::model::job::{Command, Keep};
    use crate::model::limits::Limits;
    use crate::model::outcome::quiet_outcome;
    use crate::model::units::Bytes;

    /// Checks a program that sleeps; times in seconds.
    fn check(sleeps: u64, own: u64, left: Option<u64>, expected: Result<Option<StoppedBy>, Stop>) {
        let sleeps = Duration::from_secs(sleeps);
        let scripted = Scripted::new(1, |job: &Job| {
            let limit = job.limits.wall_time.unwrap_or(Duration::MAX);
            let mut outcome = quiet_outcome();
            outcome.stopped_by = (sleeps > limit).then_some(StoppedBy::WallTime);
            Ok(Reply {
                outcome,
                stdout: Blob::default(),
                stderr: Blob::default(),
                collected: Vec::new(),
                kept: None,
            })
        });
        let until = Until::new(&scripted);
        until.set(left.map(|left| Instant::now() + Duration::from_secs(left)));
        let job = Job {
            command: Command::default(),
            stdin: Blob::default(),
            files: Vec::new(),
            writable: true,
            box_size: Bytes::mib(1),
            limits: Limits { wall_time: Some(Duration::from_secs(own)), ..Limits::of_trial() },
            collect: Vec::new(),
            keep: Keep::Nothing,
            is_timed: false,
        };
        let stopped = until.run(&job).map(|reply| reply.outcome.stopped_by);
        assert_eq!(until.ran_out(), expected.is_err());
        assert_eq!(stopped, expected);
    }

    #[test]
    fn what_the_end_of_the_time_cuts_short_has_no_outcome() {
        let by_its_limit = Ok(Some(StoppedBy::WallTime));
        check(1, 5000, None, Ok(None));
        check(1, 5000, Some(1000), Ok(None));
        check(6000, 5000, None, by_its_limit.clone());
        check(6000, 5000, Some(10_000), by_its_limit);
        check(6000, 5000, Some(4000), Err(Stop::Interrupted));
        check(1, 5000, Some(0), Err(Stop::Interrupted));
    }
}
