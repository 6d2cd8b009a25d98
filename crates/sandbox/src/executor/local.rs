//! The pool of sandboxes on this machine: one slot per physical core, each with one run at a time.

use std::path::PathBuf;
use std::slice::from_ref;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use crate::executor::cores::{self, CoreClaim};
use crate::executor::pool::SlotPool;
use crate::executor::scratch::{self, ScratchDirectory, ScratchPurpose};
use crate::executor::{Executor, ManualPipes, trees};
use crate::sandbox::{CoreId, Host, Slot, is_unexplained_kill};
use juror_core::isolation::RequiredIsolation;
use juror_core::job::{BoxRetention, Job, JobReply};
use juror_core::joint::{JointJob, JointReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::{Stop, StopFlag, check_interrupted, with_stop_flags};
use juror_core::work::{RunMode, Work, WorkReply};

pub struct LocalExecutor {
    host: Host,
    pool: Arc<SlotPool<SlotPair>>,
    /// Ends all runs.
    stopped: StopFlag,
    /// The directory for kept boxes and shown trees, as soon as one is needed. Every run must be able to read its
    /// contents, so only the owner can enter it: that hides them from other users.
    directory: Mutex<Option<ScratchDirectory>>,
    _claims: Vec<CoreClaim>,
}

/// One run at a time, and the core on which its slots start.
struct SlotPair {
    slot: Option<Slot>,
    /// The slot of the partner in joint jobs, on the same core. Starts with the first joint job.
    partner: Option<Slot>,
    core: Option<CoreId>,
}

impl LocalExecutor {
    /// Finds the isolation method, which a first slot tries out. Other slots start when there is work, up to `jobs` or
    /// one per physical core. There are fewer if simultaneous runs would disturb each other.
    ///
    /// # Errors
    /// If this machine cannot isolate programs as demanded.
    pub fn start(jobs: Option<usize>, demand: RequiredIsolation) -> Result<Self, JudgeError> {
        let machine = Host::examine()?;
        let cores = machine.physical_cores();
        // Two judges on one machine should not both choose the first core.
        let start = std::process::id() as usize;
        let jobs = jobs.unwrap_or(cores.len()).max(1);
        let (cores, claims) = cores::assign_cores(&cores, start, jobs, cores::claim_core);
        let (host, slot) = machine.first_slot(demand, cores[0])?;
        let jobs = host.max_simultaneous_runs().map_or(jobs, |most| jobs.min(most));
        let mut first = Some(slot);
        let new_pair =
            |core: &Option<CoreId>| SlotPair { slot: first.take(), partner: None, core: *core };
        let mut slots: Vec<SlotPair> = cores[..jobs].iter().map(new_pair).collect();
        // The last one is taken first.
        slots.reverse();
        Ok(Self {
            host,
            pool: Arc::new(SlotPool::new(slots)),
            stopped: StopFlag::default(),
            directory: Mutex::new(None),
            _claims: claims,
        })
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The state of a failed slot is unknown.
    fn renew(&self, pair: &mut SlotPair) {
        // If no slot starts, the old one fails again, and that error is reported.
        if let Ok(slot) = Slot::start(&self.host, pair.core) {
            pair.slot = Some(slot);
        }
    }

    fn slot_of<'a>(&self, pair: &'a mut SlotPair) -> Result<&'a mut Slot, JudgeError> {
        match &mut pair.slot {
            Some(slot) => Ok(slot),
            none => Ok(none.insert(Slot::start(&self.host, pair.core)?)),
        }
    }

    /// Waits for a free slot, or until no other slot is in use if the run must be alone. After a fault of the machine,
    /// the run is repeated once while nothing else runs. A run that was stopped has no result, whatever it reports.
    fn run_in_slot<R>(
        &self,
        is_alone: bool,
        run: impl Fn(&mut SlotPair) -> Result<R, JudgeError>,
    ) -> Result<R, Stop> {
        let mend = |pair: &mut SlotPair| self.renew(pair);
        with_stop_flags(from_ref(&self.stopped), || {
            let result = if is_alone {
                self.pool.run_exclusive(run, mend)
            } else {
                self.pool.run(run, mend)
            };
            check_interrupted().and(result)
        })
    }

    fn run_work(&self, pair: &mut SlotPair, work: &Work) -> Result<WorkReply, JudgeError> {
        match work {
            Work::Single(job) => {
                let slot = self.slot_of(pair)?;
                self.prepare(job, slot)?;
                Ok(slot.run(job)?.into())
            }
            Work::Joint(job) => Ok(self.run_joint(pair, job)?.into()),
        }
    }

    fn run_joint(&self, pair: &mut SlotPair, job: &JointJob) -> Result<JointReply, JudgeError> {
        let mut partner = match pair.partner.take() {
            Some(slot) => slot,
            None => Slot::start(&self.host, pair.core)?,
        };
        let slot = self.slot_of(pair)?;
        self.prepare(&job.program, slot)?;
        self.prepare(&job.partner, &mut partner)?;
        let reply = slot.run_joint(&mut partner, job);
        // A slot that failed is not used again.
        pair.partner = reply.is_ok().then_some(partner);
        reply
    }

    fn programs_directory(&self) -> Result<PathBuf, JudgeError> {
        let mut home = self.directory.lock();
        let home = match &mut *home {
            // Somebody may have cleaned the temporary directory.
            Some(home) if home.path().is_dir() => home,
            home => home.insert(scratch::make_scratch(ScratchPurpose::Programs)?),
        };
        Ok(home.path().to_path_buf())
    }

    /// Writes the trees of a job to disk if they are not there yet, and sets where its box is kept.
    fn prepare(&self, job: &Job, slot: &mut Slot) -> Result<(), JudgeError> {
        trees::write_shown_trees(job, || self.programs_directory())?;
        if job.keep != BoxRetention::Nothing {
            slot.set_keep_directory(&self.programs_directory()?);
        }
        Ok(())
    }
}

impl Executor for LocalExecutor {
    fn slots(&self) -> usize {
        self.pool.size()
    }

    fn mechanism(&self) -> String {
        self.host.mechanism().to_string()
    }

    fn stop(&self) {
        self.stopped.set();
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let run = |pair: &mut SlotPair| self.run_work(pair, work);
        let reply = self.run_in_slot(mode.is_alone(), run)?;
        let mut runs = reply.replies().into_iter().zip(work.jobs());
        if runs.any(|(reply, job)| is_unexplained_kill(&reply.outcome, &job.limits)) {
            return self.run_in_slot(true, run);
        }
        Ok(reply)
    }

    fn run_manually(&self, job: &Job, pipes: ManualPipes) -> Result<JobReply, Stop> {
        let pipes = Mutex::new(Some(pipes));
        self.run_in_slot(false, |pair| {
            let slot = self.slot_of(pair)?;
            self.prepare(job, slot)?;
            let pipes = pipes.lock().take();
            let again = || {
                JudgeError::new("run the program once more", "a person has already seen its output")
            };
            let ManualPipes { input: reads, output: writes } = pipes.ok_or_else(again)?;
            slot.run_with_pipes(job, reads, writes)
        })
    }
}

impl Drop for LocalExecutor {
    /// Ends all slots at once, since each takes a moment.
    fn drop(&mut self) {
        thread::scope(|scope| {
            for pair in self.pool.take_free_slots().into_iter().filter(|pair| pair.slot.is_some()) {
                // If no thread can be started, this one does it.
                let _ = thread::Builder::new().spawn_scoped(scope, || drop(pair));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use juror_core::job::Command;
    use juror_core::limits::Limits;
    use juror_core::units::Bytes;

    fn check(at_once: usize, expected: usize) {
        let local = LocalExecutor::start(Some(3), RequiredIsolation::Any).unwrap();
        let barrier = Barrier::new(at_once);
        let run = || {
            local.run_in_slot(false, |pair| {
                let slot = local.slot_of(pair)?;
                barrier.wait();
                let argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), "exit 0".to_owned()];
                slot.run(&Job {
                    command: Command { argv, ..Command::default() },
                    box_size: Bytes::mib(1),
                    limits: Limits::of_machine_check(),
                    ..Job::default()
                })
            })
        };
        thread::scope(|scope| (0..at_once).for_each(|_| _ = scope.spawn(|| run().unwrap())));
        if at_once == 1 {
            // One run after the other uses the same slot.
            run().unwrap();
        }
        let pairs = local.pool.take_free_slots();
        assert_eq!(pairs.iter().filter(|pair| pair.slot.is_some()).count(), expected);
    }

    #[test]
    fn a_slot_starts_when_there_is_work_for_it() {
        check(0, 1);
        check(1, 1);
        if Host::find(RequiredIsolation::Any).unwrap().max_simultaneous_runs().is_none() {
            check(2, 2);
            check(3, 3);
        }
    }
}
