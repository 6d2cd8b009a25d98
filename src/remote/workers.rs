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

use crate::executor::Executor;
use crate::language::probe::Probe;
use crate::language::toolchain::Toolchain;
use crate::model::diagnostic::Diagnostic;
use crate::model::job::{Job, What};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::stop::Stop;
use crate::model::work::{RunMode, Work, WorkReply};
use crate::model::worker::WorkerReport;
use crate::remote::frame::{Peer, frame};
use crate::remote::group::{Envelope, Member, ReplyTo};
use crate::remote::judge_side::Response;
use crate::remote::link::{OpenRoute, Pipes, Process, Route, Sender};
use crate::remote::message::{Ended, Facts, RequestId, ToWorker};
use crate::remote::packing::pack;
use crate::remote::state::{Awaited, MOMENT, Shared, State, WorkerState};
use crate::remote::tools::RemoteTools;

const MOST_LOST: usize = 5;

/// Jobs that may compute for longer than this are not urgent.
const LONG: Duration = Duration::from_secs(120);

pub struct Workers {
    shared: Arc<Shared>,
    slots: usize,
    mechanism: String,
}

impl Workers {
    /// Greets the workers behind all routes at once, and waits until each is ready or lost. `at_once` limits how many
    /// programs run at the same time. `accepts` tells whether a worker can be used.
    ///
    /// # Errors
    /// If no worker is ready.
    pub fn of(
        workers: Vec<(String, Route)>,
        at_once: Option<usize>,
        accepts: impl Fn(&Facts) -> Result<(), String>,
    ) -> Result<Self, JudgeError> {
        let mut state = State::default();
        let (mut lines, mut outputs) = (Vec::new(), Vec::new());
        for (worker, (name, route)) in workers.into_iter().enumerate() {
            let mut here = WorkerState::new(name);
            match route {
                Route::Pipes(Pipes { output, input, process }) => {
                    here.process = process;
                    let sender = Sender::new(input);
                    // A pipe has room for the greeting. If nobody reads it, the thread that reads from the worker
                    // finds out.
                    let _ = sender.send(Peer::Sender.greeting().as_bytes());
                    lines.push(OpenRoute::Pipe(sender));
                    outputs.push((worker, output));
                }
                Route::WorkerGroup { facts, places, tools, group } => {
                    here.facts = Some(facts);
                    here.tools = tools;
                    here.places = Some(places);
                    lines.push(OpenRoute::WorkerGroup(group));
                }
            }
            state.workers.push(here);
        }
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), lines });
        let mut workers = Self { shared: Arc::clone(&shared), slots: 0, mechanism: String::new() };
        for (worker, output) in outputs {
            let shared = Arc::clone(&shared);
            start(move || shared.hear(worker, output))?;
        }
        let looking = Arc::clone(&shared);
        start(move || looking.look())?;
        shared.wait_for_all();
        shared.admit(accepts);
        let state = shared.lock();
        let mut mechanisms: Vec<&str> = Vec::new();
        let there = || state.workers.iter().filter(|worker| worker.is_there());
        workers.slots = there().map(WorkerState::places).sum();
        let first = there().find_map(|worker| worker.facts.clone());
        for facts in there().flat_map(|it| &it.facts) {
            if !mechanisms.contains(&&*facts.mechanism) {
                mechanisms.push(&facts.mechanism);
            }
        }
        workers.mechanism = mechanisms.join("; elsewhere ");
        workers.slots = at_once.map_or(workers.slots, |most| most.min(workers.slots));
        if workers.slots == 0 {
            return Err(state.nobody());
        }
        drop(state);
        for (worker, group) in shared.groups() {
            if let Some(first) = &first {
                let shared = Arc::clone(&shared);
                group.open(ReplyTo { shared, worker, first: first.clone() });
            }
        }
        Ok(workers)
    }

    pub fn facts(&self) -> Vec<Facts> {
        let state = self.shared.lock();
        let there = state.workers.iter().filter(|worker| worker.is_there());
        there.filter_map(|worker| worker.facts.clone()).collect()
    }

    pub fn report(&self) -> Vec<WorkerReport> {
        let state = self.shared.lock();
        let mut reports = Vec::new();
        for (worker, line) in state.workers.iter().zip(&self.shared.lines) {
            let members = line.group().map(|group| group.members()).unwrap_or_default();
            reports.extend(reported(worker, members));
        }
        reports
    }

    /// Diagnostics since the last call, such as that a worker is lost. The newest wait for the next call: the cause
    /// may be Ctrl-C.
    pub fn remarks(&self) -> Vec<Diagnostic> {
        self.remarks_known_for(MOMENT)
    }

    pub fn last_remarks(&self) -> Vec<Diagnostic> {
        self.remarks_known_for(Duration::ZERO)
    }

    fn remarks_known_for(&self, time: Duration) -> Vec<Diagnostic> {
        let mut state = self.shared.lock();
        if state.is_stopped {
            state.remarks.retain(|(since, _)| since.elapsed() >= MOMENT);
        }
        let told = state.remarks.extract_if(.., |(since, _)| since.elapsed() >= time);
        told.map(|(_, remark)| remark).collect()
    }

    pub fn is_stopped(&self) -> bool {
        self.shared.lock().is_stopped
    }

    pub fn probe(&self) -> Box<dyn Probe> {
        Box::new(RemoteTools(Arc::clone(&self.shared)))
    }
}

/// The worker itself, or each member of a group. A worker that was killed before it was known may have run programs.
pub(super) fn reported(worker: &WorkerState, members: Vec<Member>) -> Vec<WorkerReport> {
    let mut programs = worker.programs.clone();
    let members = members.into_iter().map(|it| (it.name, Some(it.facts)));
    let mut members: Vec<_> = members.collect();
    if members.is_empty() {
        members.push((worker.name.clone(), worker.facts.clone()));
    }
    let unheard = programs.keys().filter(|name| members.iter().all(|it| it.0 != **name));
    let isolation = worker.facts.as_ref().map(|facts| facts.isolation);
    let unheard: Vec<_> = unheard.map(|name| (name.clone(), None)).collect();
    let all = members.into_iter().chain(unheard);
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
        let mut processes: Vec<Process> = Vec::new();
        for worker in &mut self.shared.lock().workers {
            processes.push(std::mem::take(&mut worker.process));
        }
        drop(processes);
        self.shared.groups().for_each(|(_, group)| group.finish());
    }
}

/// The thread is not joined: what a command has started may hold a pipe open for ever.
fn start(work: impl FnOnce() + Send + 'static) -> Result<(), JudgeError> {
    let started = thread::Builder::new().spawn(work);
    let fault = |error| JudgeError::new("start a thread for a worker", error);
    started.map(|_| ()).map_err(fault)
}

impl Workers {
    fn forget(&self, worker: usize, number: RequestId) {
        self.shared.lock().workers[worker].asked.remove(&number);
        self.shared.changed.notify_all();
    }

    /// Counts a program that a worker ran. Returns the worker's name; in a group, the one it reports.
    fn count(&self, worker: usize, said: Option<String>) -> String {
        let mut state = self.shared.lock();
        let here = &mut state.workers[worker];
        let said = said.filter(|_| here.places.is_some());
        let name = said.unwrap_or_else(|| here.name.clone());
        *here.programs.entry(name.clone()).or_default() += 1;
        name
    }

    fn take(
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
            let tools = state.needs(jobs);
            let workers =
                || state.workers.iter().enumerate().filter(|(_, worker)| worker.is_there());
            if workers().next().is_none() {
                if is_patient {
                    is_patient = false;
                    _ = self.shared.changed.wait_for(&mut state, MOMENT);
                    continue;
                }
                return Err(state.nobody().into());
            }
            let able = || workers().filter(|(_, worker)| worker.has(&tools));
            if able().next().is_none() {
                return Err(lacking(&tools).into());
            }
            let free = able().filter(|(_, worker)| worker.asked.len() < worker.places());
            let load = |worker: &WorkerState| worker.asked.len() * 1000 / worker.places();
            match free.min_by_key(|(_, worker)| load(worker)).map(|(index, _)| index) {
                None => self.shared.changed.wait(&mut state),
                Some(worker) => {
                    state.numbers += 1;
                    let number = state.numbers;
                    let blobs = jobs.iter().flat_map(|job| job.blobs());
                    let named = blobs.filter(|blob| blob.known_digest().is_some()).cloned();
                    let asked = Awaited { room: room(jobs), blobs: named.collect(), answer };
                    state.workers[worker].asked.insert(number, asked);
                    return Ok((worker, number));
                }
            }
        }
    }
}

fn room(jobs: &[&Job]) -> u64 {
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
    jobs.iter().any(|job| time(&job.limits) > LONG)
}

/// A number for the program of a job, valid while the program exists; 0 for an installed tool.
fn program(jobs: &[&Job]) -> usize {
    let mut shown = jobs.iter().flat_map(|job| &job.command.visible);
    let tree = shown.find_map(|shown| match &shown.what {
        What::Tree(tree) => Some(Arc::as_ptr(tree) as usize),
        What::Installed { .. } => None,
    });
    tree.unwrap_or_default()
}

fn lacking(tools: &[(String, Arc<Toolchain>)]) -> JudgeError {
    let versions: Vec<&str> = tools.iter().map(|(_, tool)| &*tool.version).collect();
    let versions = versions.join(", ");
    let error = JudgeError::new(
        "run a program on a worker",
        format!("no worker that is left has {versions}"),
    );
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
                What::Tree(tree) => tree.entries.is_empty() && tree.place().is_some(),
                What::Installed { .. } => false,
            })
        };
        let jobs = work.jobs();
        if jobs.iter().any(is_nowhere) {
            let what = "a directory of this machine is shown to it";
            return Err(JudgeError::new("run a program on another machine", what).into());
        }
        let (ways, behind) = pack(work)?;
        for _ in 0..MOST_LOST {
            let (sender, receiver) = sync_channel(1);
            let (worker, number) = self.take(&jobs, sender)?;
            let (work, ways) = (work.clone(), ways.clone());
            let bytes = frame(&ToWorker::Run { number, mode, ways, work }, &[&behind]);
            let bytes = bytes.inspect_err(|_| self.forget(worker, number))?;
            let envelope = Envelope {
                number,
                bytes: &bytes,
                is_lone: mode.is_alone(),
                program: program(&jobs),
                is_long: may_take_long(&jobs),
            };
            if self.shared.lines[worker].send(&envelope).is_err() {
                // The thread that reads from the worker finds out why.
                self.shared.lock().workers[worker].process.kill();
            }
            match receiver.recv() {
                Ok(Response::Ran(Ended::Came(mut reply)))
                    if reply.replies().len() == jobs.len() =>
                {
                    for outcome in reply.replies_mut().into_iter().map(|it| &mut it.outcome) {
                        outcome.worker = Some(self.count(worker, outcome.worker.take()));
                    }
                    return Ok(reply);
                }
                Ok(Response::Ran(Ended::Failed(error))) => return Err(error.into()),
                Ok(Response::Ran(Ended::Interrupted)) => {
                    self.shared.lose(worker, "it was asked to end")
                }
                // It answers something else, or is lost.
                Ok(_) | Err(_) => {}
            }
            if self.shared.lock().is_stopped {
                return Err(Stop::Interrupted);
            }
        }
        let what = format!("{MOST_LOST} workers were lost while they ran it");
        let help = "check those machines' messages; they may lack memory";
        Err(JudgeError::new("run a program on a worker", what).help(help).into())
    }

    fn stop(&self) {
        let mut state = self.shared.lock();
        state.is_stopped = true;
        self.shared.lines.iter().for_each(OpenRoute::close);
        state.workers.iter_mut().for_each(|worker| worker.asked.clear());
        drop(state);
        self.shared.changed.notify_all();
    }
}
