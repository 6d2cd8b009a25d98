//! Several workers as one executor.
//!
//! A job goes to the worker with the most room. If that worker is lost, the job goes to another, a few times. Each
//! worker has a thread that reads from it. A second one sends it the blobs it requests, since the reading thread must
//! never block on a write. The threads that wait for results send the jobs. A last thread checks regularly whether all
//! workers send something.

use parking_lot::{Condvar, Mutex};
use std::fs::{self, File};
use std::io::Read as _;
use std::iter;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::frame::{encode_body, encode_frame};
use crate::judge_side::Response;
use crate::link::{WorkerConnection, WorkerPipes, WorkerProcess, WorkerSender};
use crate::message::{MessageToWorker, RequestId, RunHead, RunOrder, WorkerFacts};
use crate::packing::{BlobRoute, pack};
use crate::state::{LOSS_DELAY, OpenRequest, SharedWorkers, WorkerState};
use crate::tools::RemoteTools;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::language::probe::{Probe, Toolchain};
use juror_core::limits::Limits;
use juror_core::outcome::Outcome;
use juror_core::stop::{Stop, check_interrupted, is_interrupted, wake_on_stop};
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::{WorkerId, WorkerKind, WorkerReport};
use juror_sandbox::executor::Executor;

const LOST_WORKERS_MAX: usize = 5;

/// Jobs that may compute for longer than this are not urgent.
const LONG_JOB: Duration = Duration::from_secs(120);

pub struct Workers {
    pub(super) shared: Arc<SharedWorkers>,
    slots: usize,
    mechanism: String,
}

impl Workers {
    /// Greets all workers at once, and waits until each is ready or lost. `at_once` limits how many
    /// programs run at the same time. `accepts` tells whether a worker can be used.
    ///
    /// # Errors
    /// If no worker is ready.
    pub fn connect(
        workers: Vec<(String, WorkerPipes)>,
        at_once: Option<usize>,
        accepts: impl Fn(&WorkerFacts) -> Result<(), String>,
    ) -> Result<Self, JudgeError> {
        let shared = Arc::new(SharedWorkers {
            state: Mutex::default(),
            changed: Condvar::new(),
            session: random_bytes()?,
        });
        let mut outputs = Vec::new();
        for (worker, (name, pipes)) in workers.into_iter().enumerate() {
            let WorkerPipes { output, input, process, again } = pipes;
            let sender = Arc::new(WorkerSender::new(input));
            // A pipe has room for these few bytes. If nobody reads them, the thread that reads from the worker finds
            // out.
            let _ = sender.send(&shared.opening());
            outputs.push((worker, output));
            let sender = Some(sender);
            let command = identify_command(&name, again.as_ref());
            let entry = WorkerState { command, process, again, sender, ..WorkerState::new(name) };
            shared.lock().workers.push(entry);
        }
        let mut workers = Self { shared: Arc::clone(&shared), slots: 0, mechanism: String::new() };
        for (worker, output) in outputs {
            let shared = Arc::clone(&shared);
            start_thread(move || shared.read_output(worker, output))?;
        }
        let looking = Arc::clone(&shared);
        start_thread(move || looking.check_silence())?;
        shared.wait_for_all();
        shared.admit(accepts);
        let state = shared.lock();
        let mut mechanisms: Vec<&str> = Vec::new();
        let available = || state.workers.iter().filter(|worker| worker.is_available());
        workers.slots = available().map(WorkerState::max_jobs).sum();
        for facts in available().flat_map(|worker| &worker.facts) {
            if !mechanisms.contains(&&*facts.mechanism) {
                mechanisms.push(&facts.mechanism);
            }
        }
        workers.mechanism = mechanisms.join("; elsewhere ");
        workers.slots = at_once.map_or(workers.slots, |most| most.min(workers.slots));
        if workers.slots == 0 {
            return Err(state.no_worker_fault());
        }
        drop(state);
        Ok(workers)
    }

    pub fn facts(&self) -> Vec<WorkerFacts> {
        let state = self.shared.lock();
        let available = state.workers.iter().filter(|worker| worker.is_available());
        available.filter_map(|worker| worker.facts.clone()).collect()
    }

    pub fn report(&self) -> Vec<WorkerReport> {
        let state = self.shared.lock();
        state.workers.iter().flat_map(build_reports).collect()
    }

    /// Diagnostics since the last call, such as that a worker is lost. The newest wait for the next call: the cause
    /// may be Ctrl-C.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics_older_than(LOSS_DELAY)
    }

    pub fn all_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics_older_than(Duration::ZERO)
    }

    fn diagnostics_older_than(&self, time: Duration) -> Vec<Diagnostic> {
        let mut state = self.shared.lock();
        if state.is_stopped {
            state.diagnostics.retain(|(since, _)| since.elapsed() >= LOSS_DELAY);
        }
        let old = state.diagnostics.extract_if(.., |(since, _)| since.elapsed() >= time);
        old.map(|(_, remark)| remark).collect()
    }

    pub fn is_stopped(&self) -> bool {
        self.shared.lock().is_stopped
    }

    pub fn probe(&self) -> Box<dyn Probe> {
        Box::new(RemoteTools(Arc::clone(&self.shared)))
    }
}

/// The worker itself, or each one behind its connection. A worker that was killed before it was known may have run
/// programs.
pub(super) fn build_reports(worker: &WorkerState) -> Vec<WorkerReport> {
    let mut programs = worker.programs.clone();
    let facts = worker.members.iter().map(|member| member.facts.clone());
    let mut members: Vec<_> = facts.map(|facts| (facts.name.clone(), Some(facts))).collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    members.dedup_by(|a, b| a.0 == b.0);
    if members.is_empty() {
        members.push((worker.name.clone(), worker.facts.clone()));
    }
    let unannounced =
        programs.keys().filter(|name| members.iter().all(|member| member.0 != **name));
    let isolation = worker.facts.as_ref().map(|facts| facts.isolation);
    let unannounced: Vec<_> = unannounced.map(|name| (name.clone(), None)).collect();
    let all = members.into_iter().chain(unannounced);
    let reports = all.map(|(name, facts)| WorkerReport {
        isolation: facts.as_ref().map(|facts| facts.isolation).or(isolation),
        slots: facts.map_or(0, |facts| facts.slots),
        programs: programs.remove(&name).unwrap_or_default(),
        lost: worker.lost.clone(),
        name,
    });
    reports.collect()
}

impl Drop for Workers {
    /// Each worker ends when its pipe is closed.
    fn drop(&mut self) {
        self.stop();
        let mut processes: Vec<WorkerProcess> = Vec::new();
        for worker in &mut self.shared.lock().workers {
            processes.push(std::mem::take(&mut worker.process));
        }
        drop(processes);
    }
}

/// The thread is not joined: what a command has started may hold a pipe open for ever.
fn start_thread(work: impl FnOnce() + Send + 'static) -> Result<(), JudgeError> {
    let started = thread::Builder::new().spawn(work);
    let fault = |error| JudgeError::new("start a thread for a worker", error);
    started.map(|_| ()).map_err(fault)
}

impl Workers {
    fn drop_request(&self, worker: usize, number: RequestId) {
        self.shared.lock().workers[worker].open_requests.remove(&number);
        self.shared.changed.notify_all();
    }

    /// Counts a program that a worker ran, and notes which one: the one that the connection reports, if any.
    fn count_program(&self, worker: usize, outcome: &mut Outcome) {
        let mut state = self.shared.lock();
        let reported = outcome.worker.take();
        let member = state.workers[worker].member(reported.as_deref());
        outcome.worker_id = member.map(|member| WorkerId { connection: worker, member });
        let name = match reported {
            Some(name) => state.distinct_name(worker, name),
            None => state.workers[worker].name.clone(),
        };
        *state.workers[worker].programs.entry(name.clone()).or_default() += 1;
        outcome.worker = Some(name);
    }

    fn choose_worker(
        &self,
        jobs: &[&Job],
        answer: SyncSender<Response>,
    ) -> Result<(usize, RequestId), Stop> {
        let _guard = self.shared.wake_on_stop();
        let mut state = self.shared.lock();
        let mut is_patient = true;
        loop {
            check_interrupted()?;
            if state.is_stopped {
                return Err(Stop::Interrupted);
            }
            let tools = state.needed_tools(jobs);
            let workers =
                || state.workers.iter().enumerate().filter(|(_, worker)| worker.is_present());
            if workers().next().is_none() {
                if is_patient {
                    is_patient = false;
                    _ = self.shared.changed.wait_for(&mut state, LOSS_DELAY);
                    continue;
                }
                return Err(state.no_worker_fault().into());
            }
            let able = || workers().filter(|(_, worker)| worker.has_tools(&tools));
            if able().next().is_none() {
                return Err(missing_tools_fault(&tools).into());
            }
            let is_free = |worker: &WorkerState| {
                worker.is_available() && worker.open_requests.len() < worker.max_jobs()
            };
            let free = able().filter(|(_, worker)| is_free(worker));
            let load = |worker: &WorkerState| worker.open_requests.len() * 1000 / worker.max_jobs();
            match free.min_by_key(|(_, worker)| load(worker)).map(|(index, _)| index) {
                None => self.shared.changed.wait(&mut state),
                Some(worker) => {
                    state.last_number += 1;
                    let number = state.last_number;
                    let blobs = jobs.iter().flat_map(|job| job.blobs());
                    let named = blobs.filter(|blob| blob.known_digest().is_some()).cloned();
                    let asked = OpenRequest {
                        room: result_bytes_max(jobs),
                        blobs: named.collect(),
                        ..OpenRequest::new(answer)
                    };
                    state.workers[worker].open_requests.insert(number, asked);
                    return Ok((worker, number));
                }
            }
        }
    }
}

/// A word that names a file names another one in another directory.
pub(super) fn identify_command(name: &str, connection: Option<&WorkerConnection>) -> String {
    let command = connection.iter().map(|connection| &connection.command);
    let words = command.flat_map(|call| iter::once(call.get_program()).chain(call.get_args()));
    let relative = words.map(Path::new).filter(|word| word.is_relative());
    let files = relative.filter_map(|word| fs::canonicalize(word).ok());
    files.fold(name.to_owned(), |all, file| format!("{all} {}", file.display()))
}

/// Bytes that nobody can guess.
///
/// # Errors
/// If the system has none.
pub fn random_bytes() -> Result<[u8; 16], JudgeError> {
    let mut bytes = [0; 16];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| JudgeError::new("get random numbers", error))?;
    Ok(bytes)
}

fn result_bytes_max(jobs: &[&Job]) -> u64 {
    /// Room for file names and standard error.
    const MORE: u64 = 64 << 20;
    let of = |job: &&Job| {
        let output = job.limits.output.map_or(4 << 30, |output| output.0);
        output.saturating_mul(2).saturating_add(job.box_size.0)
    };
    jobs.iter().map(of).fold(MORE, u64::saturating_add)
}

/// Urgent jobs should not wait behind these.
pub(super) fn may_take_long(jobs: &[&Job]) -> bool {
    // The wall time limit is far above what a job needs, since a program may wait.
    let time = |limits: &Limits| limits.cpu_time.or(limits.wall_time).unwrap_or(Duration::MAX);
    jobs.iter().any(|job| time(&job.limits) > LONG_JOB)
}

/// A number for the program of a job, valid while the program exists; 0 for an installed tool.
fn program_number(jobs: &[&Job]) -> u64 {
    let mut shown = jobs.iter().flat_map(|job| &job.command.visible);
    let tree = shown.find_map(|shown| match &shown.what {
        VisibleContent::Tree(tree) => Some(Arc::as_ptr(tree) as u64),
        VisibleContent::Installed { .. } => None,
    });
    tree.unwrap_or_default()
}

fn missing_tools_fault(tools: &[(String, Arc<Toolchain>)]) -> JudgeError {
    let versions: Vec<&str> = tools.iter().map(|(_, tool)| &*tool.version).collect();
    let versions = versions.join(", ");
    let error =
        JudgeError::new("run a program on a worker", format!("no remaining worker has {versions}"));
    JudgeError { lacks: Some(versions), ..error.help("install it on another worker") }
}

impl Executor for Workers {
    fn slots(&self) -> usize {
        self.slots
    }

    fn mechanism(&self) -> String {
        self.mechanism.clone()
    }

    fn worker_kinds(&self) -> Option<Vec<WorkerKind>> {
        Some(self.shared.lock().worker_kinds())
    }

    fn stop(&self) {
        let mut state = self.shared.lock();
        state.is_stopped = true;
        for worker in &mut state.workers {
            worker.sender.iter().for_each(|sender| sender.close());
            worker.open_requests.clear();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let is_nowhere = |job: &&Job| {
            job.command.visible.iter().any(|shown| match &shown.what {
                VisibleContent::Tree(tree) => tree.entries.is_empty() && tree.directory().is_some(),
                VisibleContent::Installed { .. } => false,
            })
        };
        let jobs = work.jobs();
        if jobs.iter().any(is_nowhere) {
            let what = "a directory of this machine is shown to it";
            return Err(JudgeError::new("run a program on another machine", what).into());
        }
        let (ways, behind) = pack(work)?;
        let requested = jobs.iter().flat_map(|job| job.blobs()).zip(&ways);
        let requested = requested.filter(|(_, way)| **way == BlobRoute::OnRequest);
        let mut head = RunHead {
            number: 0,
            is_exclusive: mode.is_alone(),
            is_long: may_take_long(&jobs),
            program: program_number(&jobs),
            blobs: requested.filter_map(|(blob, _)| blob.known_digest()).collect(),
        };
        let order = encode_body(&RunOrder { mode, ways, work: work.clone() })?;
        for _ in 0..LOST_WORKERS_MAX {
            let (sender, receiver) = sync_channel(1);
            let (worker, number) = self.choose_worker(&jobs, sender)?;
            head.number = number;
            let bytes = encode_frame(&MessageToWorker::Run(head.clone()), &[&order, &behind]);
            let bytes = bytes.inspect_err(|_| self.drop_request(worker, number))?;
            let shared = Arc::clone(&self.shared);
            let _guard = wake_on_stop(move || shared.give_up(worker, number));
            if is_interrupted() {
                self.drop_request(worker, number);
                return Err(Stop::Interrupted);
            }
            self.shared.send_request(worker, number, bytes);
            match receiver.recv() {
                Ok(Response::RunEnded(Ok(mut reply))) if reply.replies().len() == jobs.len() => {
                    for outcome in reply.replies_mut().into_iter().map(|reply| &mut reply.outcome) {
                        self.count_program(worker, outcome);
                    }
                    return Ok(reply);
                }
                // Whether another worker is left, it cannot know.
                Ok(Response::RunEnded(Err(error))) if error.kind != FaultKind::NoWorker => {
                    return Err(error.into());
                }
                Ok(Response::RunInterrupted) => {
                    self.shared.lose_worker(worker, "it was asked to end")
                }
                // It answers something else, or is lost.
                Ok(_) | Err(_) => {}
            }
            if is_interrupted() {
                self.shared.cancel(worker, number);
                return Err(Stop::Interrupted);
            }
            if self.shared.lock().is_stopped {
                return Err(Stop::Interrupted);
            }
        }
        let what = format!("{LOST_WORKERS_MAX} workers were lost while they ran it");
        let help = "check those machines' messages; they may lack memory";
        Err(JudgeError::new("run a program on a worker", what).help(help).into())
    }
}
