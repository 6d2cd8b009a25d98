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

    /// The time left, and its end, if there is a deadline.
    fn left(&self) -> Result<Option<(Duration, Instant)>, Stop> {
        let Some(end) = self.lock().end else { return Ok(None) };
        match end.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(self.over()),
            left => Ok(Some((left, end))),
        }
    }

    /// Whether the deadline, which was then, ended a run, rather than its own limit. It never does sooner, whatever the
    /// clock of the machine that it ran on.
    fn ended(&self, reply: &Reply, end: Instant) -> bool {
        reply.outcome.stopped_by == Some(StoppedBy::WallTime) && Instant::now() >= end
    }

    fn over(&self) -> Stop {
        self.lock().ran_out = true;
        Stop::Interrupted
    }
}

/// The job with this deadline. Its own limit on the clock is longer on a busy machine.
fn cut(job: &Job, left: Duration) -> Job {
    let mut job = job.clone();
    job.limits.deadline = Some(left);
    job
}

impl Executor for Until<'_> {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        let Some((left, end)) = self.left()? else { return self.inner.run_one(job, repeat) };
        let reply = self.inner.run_one(&cut(job, left), repeat)?;
        if self.ended(&reply, end) { Err(self.over()) } else { Ok(reply) }
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        let Some((left, end)) = self.left()? else { return self.inner.run_two(job, repeat) };
        let [program, partner] = [&job.program, &job.partner].map(|job| cut(job, left));
        let job = JointJob { program, partner, ..job.clone() };
        let reply = self.inner.run_two(&job, repeat)?;
        match [&reply.program, &reply.partner].iter().any(|it| self.ended(&it.reply, end)) {
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
    use std::thread;

    /// Checks a program that waits for a processor and sleeps; times in milliseconds.
    fn check_busy(
        [waits, sleeps]: [u64; 2],
        own: u64,
        left: Option<u64>,
        expected: Result<Option<StoppedBy>, Stop>,
    ) {
        let [waits, sleeps] = [waits, sleeps].map(Duration::from_millis);
        let scripted = Scripted::new(1, |job: &Job| {
            // Waiting does not count against its own limit.
            let own = job.limits.wall_time.map_or(Duration::MAX, |own| own + waits);
            let limit = own.min(job.limits.deadline.unwrap_or(Duration::MAX));
            if job.limits.deadline == Some(limit) {
                thread::sleep(limit);
            }
            let mut outcome = quiet_outcome();
            outcome.wall_time = limit.min(waits + sleeps);
            outcome.stopped_by = (waits + sleeps > limit).then_some(StoppedBy::WallTime);
            Ok(Reply {
                outcome,
                stdout: Blob::default(),
                stderr: Blob::default(),
                collected: Vec::new(),
                kept: None,
            })
        });
        let until = Until::new(&scripted);
        until.set(left.map(|left| Instant::now() + Duration::from_millis(left)));
        let job = Job {
            command: Command::default(),
            stdin: Blob::default(),
            files: Vec::new(),
            writable: true,
            box_size: Bytes::mib(1),
            limits: Limits { wall_time: Some(Duration::from_millis(own)), ..Limits::of_trial() },
            collect: Vec::new(),
            keep: Keep::Nothing,
            is_timed: false,
        };
        let stopped = until.run(&job).map(|reply| reply.outcome.stopped_by);
        assert_eq!(until.ran_out(), expected.is_err());
        assert_eq!(stopped, expected);
    }

    fn check(sleeps: u64, own: u64, left: Option<u64>, expected: Result<Option<StoppedBy>, Stop>) {
        check_busy([0, sleeps], own, left, expected);
    }

    #[test]
    fn what_the_end_of_the_time_cuts_short_has_no_outcome() {
        let by_its_limit = Ok(Some(StoppedBy::WallTime));
        check(1, 5000, None, Ok(None));
        check(1, 5000, Some(100_000), Ok(None));
        check(6000, 5000, None, by_its_limit.clone());
        check(6000, 5000, Some(100_000), by_its_limit);
        check(6000, 5000, Some(40), Err(Stop::Interrupted));
        check(1, 5000, Some(0), Err(Stop::Interrupted));
    }

    #[test]
    fn a_busy_machine_extends_no_deadline() {
        check_busy([9000, 10], 100, None, Ok(None));
        check_busy([9000, 10], 100, Some(100_000), Ok(None));
        check_busy([9000, 10], 100, Some(40), Err(Stop::Interrupted));
        check_busy([9000, 10], 5000, Some(40), Err(Stop::Interrupted));
    }
}
