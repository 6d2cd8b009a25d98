//! Several workers as one executor.
//!
//! A job goes to the worker with the most room. If that worker is lost, the job goes to another, a few times. Each
//! worker has a thread that reads from it. A second one sends it the blobs it requests, since the reading thread must
//! never block on a write. The threads that wait for results send the jobs. A last thread checks regularly whether all
//! workers send something.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::frame::{Peer, encode_frame};
use crate::group::{Envelope, GroupMember, ReplyHandle};
use crate::judge_side::Response;
use crate::link::{OpenRoute, WorkerPipes, WorkerProcess, WorkerRoute, WorkerSender};
use crate::message::{JobEnd, MessageToWorker, RequestId, WorkerFacts};
use crate::packing::pack;
use crate::state::{LOSS_DELAY, OpenRequest, SharedWorkers, WorkerState, WorkersState};
use crate::tools::RemoteTools;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::JudgeError;
use juror_core::language::probe::Probe;
use juror_core::language::toolchain::Toolchain;
use juror_core::limits::Limits;
use juror_core::stop::Stop;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::WorkerReport;
use juror_sandbox::executor::Executor;

const LOST_WORKERS_MAX: usize = 5;

/// Jobs that may compute for longer than this are not urgent.
const LONG_JOB: Duration = Duration::from_secs(120);

pub struct Workers {
    shared: Arc<SharedWorkers>,
    slots: usize,
    mechanism: String,
}

impl Workers {
    /// Greets the workers behind all routes at once, and waits until each is ready or lost. `at_once` limits how many
    /// programs run at the same time. `accepts` tells whether a worker can be used.
    ///
    /// # Errors
    /// If no worker is ready.
    pub fn connect(
        workers: Vec<(String, WorkerRoute)>,
        at_once: Option<usize>,
        accepts: impl Fn(&WorkerFacts) -> Result<(), String>,
    ) -> Result<Self, JudgeError> {
        let mut state = WorkersState::default();
        let (mut lines, mut outputs) = (Vec::new(), Vec::new());
        for (worker, (name, route)) in workers.into_iter().enumerate() {
            let mut worker_state = WorkerState::new(name);
            match route {
                WorkerRoute::Pipes(WorkerPipes { output, input, process }) => {
                    worker_state.process = process;
                    let sender = WorkerSender::new(input);
                    // A pipe has room for the greeting. If nobody reads it, the thread that reads from the worker
                    // finds out.
                    let _ = sender.send(Peer::Sender.greeting().as_bytes());
                    lines.push(OpenRoute::Pipe(sender));
                    outputs.push((worker, output));
                }
                WorkerRoute::WorkerGroup { facts, job_limit: places, tools, group } => {
                    worker_state.facts = Some(facts);
                    worker_state.tools = tools;
                    worker_state.job_limit = Some(places);
                    lines.push(OpenRoute::WorkerGroup(group));
                }
            }
            state.workers.push(worker_state);
        }
        let shared = Arc::new(SharedWorkers {
            state: Mutex::new(state),
            changed: Condvar::new(),
            routes: lines,
        });
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
        let first = available().find_map(|worker| worker.facts.clone());
        for facts in available().flat_map(|it| &it.facts) {
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
        for (worker, group) in shared.groups() {
            if let Some(first) = &first {
                let shared = Arc::clone(&shared);
                group.open(ReplyHandle { shared, worker, first: first.clone() });
            }
        }
        Ok(workers)
    }

    pub fn facts(&self) -> Vec<WorkerFacts> {
        let state = self.shared.lock();
        let available = state.workers.iter().filter(|worker| worker.is_available());
        available.filter_map(|worker| worker.facts.clone()).collect()
    }

    pub fn report(&self) -> Vec<WorkerReport> {
        let state = self.shared.lock();
        let mut reports = Vec::new();
        for (worker, line) in state.workers.iter().zip(&self.shared.routes) {
            let members = line.group().map(|group| group.members()).unwrap_or_default();
            reports.extend(build_reports(worker, members));
        }
        reports
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

/// The worker itself, or each member of a group. A worker that was killed before it was known may have run programs.
pub(super) fn build_reports(worker: &WorkerState, members: Vec<GroupMember>) -> Vec<WorkerReport> {
    let mut programs = worker.programs.clone();
    let members = members.into_iter().map(|it| (it.name, Some(it.facts)));
    let mut members: Vec<_> = members.collect();
    if members.is_empty() {
        members.push((worker.name.clone(), worker.facts.clone()));
    }
    let unannounced = programs.keys().filter(|name| members.iter().all(|it| it.0 != **name));
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
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        let mut processes: Vec<WorkerProcess> = Vec::new();
        for worker in &mut self.shared.lock().workers {
            processes.push(std::mem::take(&mut worker.process));
        }
        drop(processes);
        self.shared.groups().for_each(|(_, group)| group.finish());
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

    /// Counts a program that a worker ran. Returns the worker's name; in a group, the one it reports.
    fn count_program(&self, worker: usize, reported: Option<String>) -> String {
        let mut state = self.shared.lock();
        let entry = &mut state.workers[worker];
        let reported = reported.filter(|_| entry.job_limit.is_some());
        let name = reported.unwrap_or_else(|| entry.name.clone());
        *entry.programs.entry(name.clone()).or_default() += 1;
        name
    }

    fn choose_worker(
        &self,
        jobs: &[&Job],
        answer: SyncSender<Response>,
    ) -> Result<(usize, RequestId), Stop> {
        let mut state = self.shared.lock();
        let mut is_patient = true;
        loop {
            if state.is_stopped {
                return Err(Stop::Interrupted);
            }
            let tools = state.needed_tools(jobs);
            let workers =
                || state.workers.iter().enumerate().filter(|(_, worker)| worker.is_available());
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
            let free = able().filter(|(_, worker)| worker.open_requests.len() < worker.max_jobs());
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
                        answer,
                    };
                    state.workers[worker].open_requests.insert(number, asked);
                    return Ok((worker, number));
                }
            }
        }
    }
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
fn program_number(jobs: &[&Job]) -> usize {
    let mut shown = jobs.iter().flat_map(|job| &job.command.visible);
    let tree = shown.find_map(|shown| match &shown.what {
        VisibleContent::Tree(tree) => Some(Arc::as_ptr(tree) as usize),
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
        for _ in 0..LOST_WORKERS_MAX {
            let (sender, receiver) = sync_channel(1);
            let (worker, number) = self.choose_worker(&jobs, sender)?;
            let (work, ways) = (work.clone(), ways.clone());
            let bytes =
                encode_frame(&MessageToWorker::Run { number, mode, ways, work }, &[&behind]);
            let bytes = bytes.inspect_err(|_| self.drop_request(worker, number))?;
            let envelope = Envelope {
                number,
                bytes: &bytes,
                is_exclusive: mode.is_alone(),
                program: program_number(&jobs),
                is_long: may_take_long(&jobs),
            };
            if self.shared.routes[worker].send(&envelope).is_err() {
                // The thread that reads from the worker finds out why.
                self.shared.lock().workers[worker].process.kill();
            }
            match receiver.recv() {
                Ok(Response::RunEnded(JobEnd::Finished(mut reply)))
                    if reply.replies().len() == jobs.len() =>
                {
                    for outcome in reply.replies_mut().into_iter().map(|it| &mut it.outcome) {
                        outcome.worker = Some(self.count_program(worker, outcome.worker.take()));
                    }
                    return Ok(reply);
                }
                Ok(Response::RunEnded(JobEnd::Failed(error))) => return Err(error.into()),
                Ok(Response::RunEnded(JobEnd::Interrupted)) => {
                    self.shared.lose_worker(worker, "it was asked to end")
                }
                // It answers something else, or is lost.
                Ok(_) | Err(_) => {}
            }
            if self.shared.lock().is_stopped {
                return Err(Stop::Interrupted);
            }
        }
        let what = format!("{LOST_WORKERS_MAX} workers were lost while they ran it");
        let help = "check those machines' messages; they may lack memory";
        Err(JudgeError::new("run a program on a worker", what).help(help).into())
    }

    fn stop(&self) {
        let mut state = self.shared.lock();
        state.is_stopped = true;
        self.shared.routes.iter().for_each(OpenRoute::close);
        state.workers.iter_mut().for_each(|worker| worker.open_requests.clear());
        drop(state);
        self.shared.changed.notify_all();
    }
}
