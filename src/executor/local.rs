//! The pool of sandboxes on this machine: one slot per physical core, each with one run at a time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::executor::cores::{self, Claim};
use crate::executor::pool::Pool;
use crate::executor::scratch::{self, Scratch, Use};
use crate::executor::{Executor, Hand, place};
use crate::model::isolation::Demand;
use crate::model::job::{Job, Keep, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::stop::{Stop, hear};
use crate::model::work::{RunMode, Work, WorkReply};
use crate::sandbox::{CoreId, Host, Slot, Stopper, is_killed_by_nobody};

pub struct Local {
    host: Host,
    pool: Pool<Place>,
    stoppers: Mutex<Vec<Stopper>>,
    stopped: AtomicBool,
    /// The directory for kept boxes and shown trees, as soon as one is needed. Every run must be able to read its
    /// contents, so only the owner can enter it: that hides them from other users.
    home: Mutex<Option<Scratch>>,
    _claims: Vec<Claim>,
}

/// One run at a time, and the core on which its slots start.
struct Place {
    slot: Option<Slot>,
    /// The slot of the partner in joint jobs, on the same core. Starts with the first joint job.
    partner: Option<Slot>,
    core: Option<CoreId>,
}

impl Local {
    /// Finds the isolation method, which a first slot tries out. Other slots start when there is work, up to `jobs` or
    /// one per physical core. There are fewer if simultaneous runs would disturb each other.
    ///
    /// # Errors
    /// If this machine cannot isolate programs as demanded.
    pub fn start(jobs: Option<usize>, demand: Demand) -> Result<Self, JudgeError> {
        let found = Host::look()?;
        let cores = found.physical_cores();
        // Two judges on one machine should not both choose the first core.
        let start = std::process::id() as usize;
        let jobs = jobs.unwrap_or(cores.len()).max(1);
        let (cores, claims) = cores::take(&cores, start, jobs, cores::claim);
        let (host, slot) = found.first_slot(demand, cores[0])?;
        let jobs = host.most_at_once().map_or(jobs, |most| jobs.min(most));
        let stoppers = Mutex::new(vec![slot.stopper()]);
        let mut first = Some(slot);
        let place =
            |core: &Option<CoreId>| Place { slot: first.take(), partner: None, core: *core };
        let mut places: Vec<Place> = cores[..jobs].iter().map(place).collect();
        // The last one is taken first.
        places.reverse();
        Ok(Self {
            host,
            pool: Pool::new(places),
            stoppers,
            stopped: AtomicBool::new(false),
            home: Mutex::new(None),
            _claims: claims,
        })
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The state of a failed slot is unknown.
    fn renew(&self, place: &mut Place) {
        // If no slot starts, the old one fails again, and that error is reported.
        if let Ok(slot) = self.start_slot(place.core) {
            place.slot = Some(slot);
        }
    }

    fn slot<'a>(&self, place: &'a mut Place) -> Result<&'a mut Slot, JudgeError> {
        match &mut place.slot {
            Some(slot) => Ok(slot),
            none => Ok(none.insert(self.start_slot(place.core)?)),
        }
    }

    fn start_slot(&self, core: Option<CoreId>) -> Result<Slot, JudgeError> {
        let slot = Slot::start(&self.host, core)?;
        let stopper = slot.stopper();
        let mut stoppers = self.stoppers.lock();
        if self.is_stopped() {
            stopper.close();
        }
        // Slots that failed are gone.
        stoppers.retain(Stopper::has_slot);
        stoppers.push(stopper);
        Ok(slot)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Waits for a free slot. After a fault of the machine, the run is repeated once while nothing else runs.
    fn in_a_place<R>(&self, run: impl Fn(&mut Place) -> Result<R, JudgeError>) -> Result<R, Stop> {
        let run = |place: &mut Place| self.unless_stopped(place, &run);
        self.told(self.pool.run(run, |place| self.renew(place)))
    }

    /// Waits for a free slot, or until no other slot is in use if the run must be alone.
    fn at_place<R>(
        &self,
        is_alone: bool,
        run: impl Fn(&mut Place) -> Result<R, JudgeError>,
    ) -> Result<R, Stop> {
        if !is_alone {
            return self.in_a_place(run);
        }
        let run = |place: &mut Place| self.unless_stopped(place, &run);
        self.told(self.pool.run_alone(run, |place| self.renew(place)))
    }

    fn unless_stopped<R>(
        &self,
        place: &mut Place,
        run: impl Fn(&mut Place) -> Result<R, JudgeError>,
    ) -> Result<R, JudgeError> {
        if self.is_stopped() { Err(JudgeError::new("run", "interrupted")) } else { run(place) }
    }

    fn told<R>(&self, reply: Result<R, JudgeError>) -> Result<R, Stop> {
        reply.map_err(|error| {
            if self.is_stopped() {
                hear();
                Stop::Interrupted
            } else {
                Stop::Fault(error)
            }
        })
    }

    fn run_in(&self, place: &mut Place, work: &Work) -> Result<WorkReply, JudgeError> {
        match work {
            Work::Single(job) => {
                let slot = self.slot(place)?;
                self.prepare(job, slot)?;
                Ok(slot.run(job)?.into())
            }
            Work::Joint(job) => Ok(self.run_joint_in(place, job)?.into()),
        }
    }

    fn run_joint_in(&self, place: &mut Place, job: &JointJob) -> Result<JointReply, JudgeError> {
        let mut partner = match place.partner.take() {
            Some(slot) => slot,
            None => self.start_slot(place.core)?,
        };
        let slot = self.slot(place)?;
        self.prepare(&job.program, slot)?;
        self.prepare(&job.partner, &mut partner)?;
        let reply = slot.run_joint(&mut partner, job);
        // A slot that failed is not used again.
        place.partner = reply.is_ok().then_some(partner);
        reply
    }

    fn home(&self) -> Result<PathBuf, JudgeError> {
        let mut home = self.home.lock();
        let home = match &mut *home {
            // Somebody may have cleaned the temporary directory.
            Some(home) if home.path().is_dir() => home,
            home => home.insert(scratch::directory(Use::Programs)?),
        };
        Ok(home.path().to_path_buf())
    }

    /// Writes the trees of a job to disk if they are not there yet, and sets where its box is kept.
    fn prepare(&self, job: &Job, slot: &mut Slot) -> Result<(), JudgeError> {
        place::put(job, || self.home())?;
        if job.keep != Keep::Nothing {
            slot.keep_in(&self.home()?);
        }
        Ok(())
    }
}

impl Executor for Local {
    fn slots(&self) -> usize {
        self.pool.size()
    }

    fn mechanism(&self) -> String {
        self.host.mechanism().to_string()
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let run = |place: &mut Place| self.run_in(place, work);
        let reply = self.at_place(mode.is_alone(), run)?;
        let mut runs = reply.replies().into_iter().zip(work.jobs());
        if runs.any(|(reply, job)| is_killed_by_nobody(&reply.outcome, &job.limits)) {
            return self.at_place(true, run);
        }
        Ok(reply)
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        let hand = Mutex::new(Some(hand));
        self.in_a_place(|place| {
            let slot = self.slot(place)?;
            self.prepare(job, slot)?;
            let hand = hand.lock().take();
            let again = || {
                JudgeError::new(
                    "run the program once more",
                    "its standard input has already been read",
                )
            };
            let Hand { reads, writes } = hand.ok_or_else(again)?;
            slot.run_between(job, reads, writes)
        })
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        let stoppers = self.stoppers.lock();
        for stopper in stoppers.iter() {
            stopper.close();
        }
    }
}

impl Drop for Local {
    /// Ends all slots at once, since each takes a moment.
    fn drop(&mut self) {
        thread::scope(|scope| {
            for place in self.pool.take_out().into_iter().filter(|place| place.slot.is_some()) {
                // If no thread can be started, this one does it.
                let _ = thread::Builder::new().spawn_scoped(scope, || drop(place));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::model::job::Command;
    use crate::model::limits::Limits;
    use crate::model::units::Bytes;

    fn check(at_once: usize, expected: usize) {
        let local = Local::start(Some(3), Demand::Any).unwrap();
        let barrier = Barrier::new(at_once);
        let run = || {
            local.in_a_place(|place| {
                let slot = local.slot(place)?;
                barrier.wait();
                let argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), "exit 0".to_owned()];
                slot.run(&Job {
                    command: Command { argv, ..Command::default() },
                    box_size: Bytes::mib(1),
                    limits: Limits::of_trial(),
                    ..Job::default()
                })
            })
        };
        thread::scope(|scope| (0..at_once).for_each(|_| _ = scope.spawn(|| run().unwrap())));
        if at_once == 1 {
            // One run after the other uses the same slot.
            run().unwrap();
        }
        assert_eq!(local.stoppers.lock().len(), expected);
    }

    /// A worker or `juror grade` may run for weeks on a machine where a slot fails now and then.
    #[test]
    fn nothing_is_kept_of_slots_that_are_gone() {
        let local = Local::start(Some(1), Demand::Plain).unwrap();
        for _ in 0..5 {
            drop(local.start_slot(None).unwrap());
        }
        let kept = local.start_slot(None).unwrap();
        let count = local.stoppers.lock().iter().filter(|it| it.has_slot()).count();
        assert_eq!(count, local.stoppers.lock().len());
        local.stop();
        drop(kept);
    }

    #[test]
    fn a_slot_starts_when_there_is_work_for_it() {
        check(0, 1);
        check(1, 1);
        if Host::find(Demand::Any).unwrap().most_at_once().is_none() {
            check(2, 2);
            check(3, 3);
        }
    }
}
