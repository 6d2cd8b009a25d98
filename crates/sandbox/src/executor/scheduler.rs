//! Decides for one user of an executor whether its jobs run, and when: how many slots it has, its turn among several
//! users, its deadline, and whether results of earlier runs count.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::executor::{Executor, ManualPipes};
use juror_core::job::{Job, JobReply};
use juror_core::outcome::StopReason;
use juror_core::stop::{Stop, check_interrupted, is_interrupted, wake_on_stop};
use juror_core::work::{RunMode, Work, WorkReply};

/// The executor for one of its users. Clones are for the same user, with the same deadline.
#[derive(Clone)]
pub struct Scheduler {
    inner: Arc<dyn Executor>,
    slots: usize,
    is_fresh: bool,
    /// The queue of all users, and the number of this user in it; lower numbers go first.
    queue: Option<(Arc<SlotQueue>, usize)>,
    state: Arc<Mutex<SchedulerState>>,
}

#[derive(Default)]
struct SchedulerState {
    deadline: Option<Instant>,
    ran_out: bool,
}

impl Scheduler {
    /// Behaves like the executor until other methods are called.
    pub fn new(inner: Arc<dyn Executor>) -> Self {
        Self { slots: inner.slots(), inner, is_fresh: false, queue: None, state: Arc::default() }
    }

    /// Has only a part of the executor's slots, since others use the rest.
    #[must_use]
    pub fn with_slots(self, slots: usize) -> Self {
        Self { slots, ..self }
    }

    /// Every job runs anew.
    #[must_use]
    pub fn with_fresh_runs(self) -> Self {
        Self { is_fresh: true, ..self }
    }

    /// Several users share the queue; lower numbers go first. A known answer needs no slot, so a cache must wrap this
    /// executor.
    #[must_use]
    pub fn with_queue(self, queue: &Arc<SlotQueue>, user: usize) -> Self {
        Self { queue: Some((Arc::clone(queue), user)), ..self }
    }

    /// Sets the deadline for all jobs that start from now on. If the deadline cuts a job short, the job returns
    /// [`Stop::Interrupted`], so that it gets no verdict.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        let mut state = self.state.lock();
        state.deadline = deadline;
        state.ran_out = false;
    }

    /// Has no effect if the deadline is later than this.
    pub fn extend_deadline(&self, deadline: Instant) {
        let mut state = self.state.lock();
        state.deadline = state.deadline.map(|known| known.max(deadline));
    }

    /// A job was cut short or refused since the deadline was set.
    pub fn has_run_out(&self) -> bool {
        self.state.lock().ran_out
    }

    pub fn is_past_deadline(&self) -> bool {
        self.state.lock().deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Waits for this user's turn, if it shares the executor. A run that must be alone waits for all slots in the
    /// inner executor, and takes none from others meanwhile.
    fn take_turn(&self, is_alone: bool) -> Result<Option<QueueTurn<'_>>, Stop> {
        match &self.queue {
            Some((queue, user)) if !is_alone => queue.wait_for_slot(*user).map(Some),
            _ => Ok(None),
        }
    }

    fn time_left(&self) -> Result<Option<(Duration, Instant)>, Stop> {
        let Some(deadline) = self.state.lock().deadline else { return Ok(None) };
        match deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(self.mark_run_out()),
            remaining => Ok(Some((remaining, deadline))),
        }
    }

    fn mark_run_out(&self) -> Stop {
        self.state.lock().ran_out = true;
        Stop::Interrupted
    }

    fn run_in_time(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let Some((remaining, deadline)) = self.time_left()? else {
            return self.inner.run(work, mode);
        };
        let mut work = work.clone();
        for job in work.jobs_mut() {
            // The job's own limit on the clock is longer on a busy machine.
            job.limits.deadline = Some(remaining);
        }
        let reply = self.inner.run(&work, mode)?;
        // The deadline never ends a run too early, whatever the clock of the machine that it ran on.
        let is_cut = |reply: &&JobReply| reply.outcome.stopped_by == Some(StopReason::WallTime);
        if reply.replies().iter().any(is_cut) && Instant::now() >= deadline {
            return Err(self.mark_run_out());
        }
        Ok(reply)
    }
}

impl Executor for Scheduler {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(&*self.inner)
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let _turn = self.take_turn(mode.is_alone())?;
        let is_fresh = self.is_fresh || mode.is_fresh;
        self.run_in_time(work, RunMode { is_fresh, ..mode })
    }

    fn run_manually(&self, job: &Job, pipes: ManualPipes) -> Result<JobReply, Stop> {
        let _turn = self.take_turn(false)?;
        self.inner.run_manually(job, pipes)
    }
}

/// The slots of an executor that several users share, such as packages that are verified side by side. The waiting
/// user with the lowest number gets the next slot.
#[derive(Debug)]
pub struct SlotQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug)]
struct QueueState {
    free: usize,
    waiting: BTreeMap<usize, usize>,
}

impl SlotQueue {
    pub fn new(slots: usize) -> Arc<Self> {
        let state = QueueState { free: slots, waiting: BTreeMap::new() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Does nothing if nobody waits: notifying is a system call.
    fn wake(&self, state: &QueueState) {
        if !state.waiting.is_empty() {
            self.changed.notify_all();
        }
    }

    /// Waits until a slot is free and no user with a lower number waits. Fails if the current work is to end.
    fn wait_for_slot(self: &Arc<Self>, user: usize) -> Result<QueueTurn<'_>, Stop> {
        let queue = Arc::clone(self);
        // With the lock, since a thread may be about to wait.
        let _guard = wake_on_stop(move || queue.wake(&queue.state.lock()));
        let mut state = self.state.lock();
        *state.waiting.entry(user).or_default() += 1;
        while !is_interrupted() && !state.may_begin(user) {
            self.changed.wait(&mut state);
        }
        state.stop_waiting(user);
        // Another slot may be free, so the next user may begin.
        self.wake(&state);
        check_interrupted()?;
        state.free -= 1;
        Ok(QueueTurn(self))
    }
}

impl QueueState {
    fn may_begin(&self, user: usize) -> bool {
        self.free > 0 && self.waiting.first_key_value().is_none_or(|(first, _)| *first >= user)
    }

    fn stop_waiting(&mut self, user: usize) {
        if let Some(number) = self.waiting.get_mut(&user) {
            *number -= 1;
            if *number == 0 {
                self.waiting.remove(&user);
            }
        }
    }
}

struct QueueTurn<'a>(&'a SlotQueue);

impl Drop for QueueTurn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.free += 1;
        self.0.wake(&state);
    }
}

#[cfg(test)]
mod tests;
