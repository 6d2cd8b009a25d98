//! The state of each worker: its open requests, and whether it is still there. Also the threads that serve workers.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::frame::encode_frame;
use crate::group::{Envelope, MachineTools, WorkerGroup};
use crate::judge_side::{JudgeSide, ReceivedMessage, Response};
use crate::link::{OpenRoute, WorkerProcess};
use crate::message::{MessageToWorker, RequestId, WorkerFacts};
use crate::serve::{EXTRA_JOBS, send_pieces};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::language::toolchain::{Lookup, Toolchain};

/// How long a worker may take to get ready: somebody may have to type a password.
const START_TIMEOUT: Duration = Duration::from_secs(60);

const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// A worker that was silent at this many checks is lost; it sends something each second.
const SILENT_CHECKS_MAX: u32 = 20;

/// How long to wait before reporting a lost worker: Ctrl-C also ends the commands that connect, and may be the cause.
pub(super) const LOSS_DELAY: Duration = Duration::from_millis(300);

/// If the paces of workers differ by more than this factor, there is a warning.
const PACE_FACTOR_MAX: f64 = 1.1;

pub(super) struct SharedWorkers {
    pub(super) state: Mutex<WorkersState>,
    pub(super) changed: Condvar,
    /// In the order of the workers.
    pub(super) routes: Vec<OpenRoute>,
}

#[derive(Default)]
pub(super) struct WorkersState {
    pub(super) workers: Vec<WorkerState>,
    pub(super) last_number: RequestId,
    pub(super) is_stopped: bool,
    pub(super) is_over: bool,
    pub(super) tools: HashMap<String, Lookup>,
    /// Diagnostics for the user, and when each was found.
    pub(super) diagnostics: Vec<(Instant, Diagnostic)>,
}

#[derive(Default)]
pub(super) struct WorkerState {
    pub(super) name: String,
    pub(super) facts: Option<WorkerFacts>,
    pub(super) lost: Option<String>,
    pub(super) process: WorkerProcess,
    pub(super) open_requests: HashMap<RequestId, OpenRequest>,
    pub(super) tools: MachineTools,
    /// How many jobs it may have at once, if its facts do not tell.
    pub(super) job_limit: Option<usize>,
    pub(super) programs: BTreeMap<String, usize>,
    pub(super) silent_checks: u32,
}

pub(super) struct OpenRequest {
    /// Upper bound on the reply's size in bytes.
    pub(super) room: u64,
    pub(super) blobs: Vec<Blob>,
    pub(super) answer: SyncSender<Response>,
}

impl WorkerState {
    /// Only the name is known.
    pub(super) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn is_available(&self) -> bool {
        self.lost.is_none() && self.facts.is_some()
    }

    pub(super) fn max_jobs(&self) -> usize {
        let of_facts = || self.facts.as_ref().map_or(0, |facts| facts.slots + EXTRA_JOBS);
        self.job_limit.unwrap_or_else(of_facts)
    }

    /// It has these tools, the same as on the first worker that has them.
    pub(super) fn has_tools(&self, tools: &[(String, Arc<Toolchain>)]) -> bool {
        let same = |(word, tool): &(String, Arc<Toolchain>)| {
            self.tools.get(word).is_some_and(|found| found.as_ref().ok() == Some(&**tool))
        };
        tools.iter().all(same)
    }
}

impl SharedWorkers {
    pub(super) fn lock(&self) -> MutexGuard<'_, WorkersState> {
        self.state.lock()
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, &Arc<dyn WorkerGroup>)> {
        let groups = self.routes.iter().map(OpenRoute::group).enumerate();
        groups.filter_map(|(worker, group)| Some((worker, group?)))
    }

    pub(super) fn wait_for_all(&self) {
        let end = Instant::now() + START_TIMEOUT;
        let mut state = self.lock();
        let is_open = |worker: &WorkerState| worker.facts.is_none() && worker.lost.is_none();
        while state.workers.iter().any(is_open) && !state.is_stopped {
            let remaining = end.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                break;
            }
            self.changed.wait_for(&mut state, remaining);
        }
        let late = state.workers.iter().enumerate().filter(|(_, worker)| is_open(worker));
        let late: Vec<usize> = late.map(|(index, _)| index).collect();
        drop(state);
        for worker in late {
            self.lose_worker(
                worker,
                &format!("it was not ready within {} s", START_TIMEOUT.as_secs()),
            );
        }
    }

    /// Drops workers that cannot be used, names the others, and compares their paces.
    pub(super) fn admit(&self, accepts: impl Fn(&WorkerFacts) -> Result<(), String>) {
        let refusal = |(index, worker): (usize, &WorkerState)| {
            let facts = worker.facts.as_ref().filter(|_| worker.lost.is_none())?;
            if facts.slots == 0 {
                return Some((index, "it runs no programs".to_owned()));
            }
            accepts(facts).err().map(|reason| (index, reason))
        };
        let refused: Vec<_> = self.lock().workers.iter().enumerate().filter_map(refusal).collect();
        for (worker, reason) in refused {
            self.lose_worker(worker, &reason);
        }
        let mut state = self.lock();
        let available = state.workers.iter().filter(|worker| worker.is_available());
        let all: Vec<WorkerFacts> = available.filter_map(|worker| worker.facts.clone()).collect();
        let mut names: Vec<String> = Vec::new();
        let mut remarks = Vec::new();
        let available = state.workers.iter_mut().filter(|worker| worker.is_available());
        for (worker, facts) in available.zip(&all) {
            // The second worker called `lab` is shown as `lab (2)`.
            let namesakes = names.iter().filter(|name| **name == facts.name).count();
            names.push(facts.name.clone());
            worker.name = match namesakes {
                0 => facts.name.clone(),
                namesakes => format!("{} ({})", facts.name, namesakes + 1),
            };
            // A group compares its members itself.
            if let (Some(first), None) = (all.first(), worker.job_limit) {
                remarks.extend(pace_warning(&worker.name, facts, first));
            }
        }
        state.diagnostics.extend(remarks.into_iter().map(|remark| (Instant::now(), remark)));
    }

    /// Checks regularly whether all workers have sent something.
    pub(super) fn check_silence(&self) {
        let mut state = self.lock();
        while !state.is_over {
            self.wait_for_check(&mut state);
            let mut silent = Vec::new();
            for (index, worker) in state.workers.iter_mut().enumerate() {
                // Counted in checks, not in time: this process may itself have been suspended. A server has its own
                // timeout.
                worker.silent_checks +=
                    u32::from(worker.is_available() && worker.job_limit.is_none());
                if worker.silent_checks >= SILENT_CHECKS_MAX && worker.lost.is_none() {
                    silent.push(index);
                }
            }
            drop(state);
            for worker in silent {
                let seconds = CHECK_INTERVAL.as_secs_f64() * f64::from(SILENT_CHECKS_MAX);
                self.lose_worker(worker, &format!("it has sent nothing for {seconds:.0} s"));
            }
            state = self.lock();
        }
    }

    fn wait_for_check(&self, state: &mut MutexGuard<'_, WorkersState>) {
        self.changed.wait_while_for(state, |state| !state.is_over, CHECK_INTERVAL);
    }

    /// Reads a worker's output to its end.
    pub(super) fn read_output(self: &Arc<Self>, worker: usize, mut output: Box<dyn Read + Send>) {
        let (feed, hungry) = mpsc::channel();
        let shared = Arc::clone(self);
        let feeder = thread::Builder::new().spawn(move || {
            for (stream, blob) in hungry {
                shared.send_blob(worker, stream, blob);
            }
        });
        if feeder.is_err() {
            return self.lose_worker(worker, "no thread can be started for it");
        }
        let mut line = JudgeSide::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = match output.read(&mut buffer) {
                Ok(0) => return self.handle_end(worker),
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return self.lose_worker(worker, &error.to_string()),
            };
            let room = |number| Some(self.lock().workers[worker].open_requests.get(&number)?.room);
            let messages = match line.read_messages(&buffer[..length], &room) {
                Ok(messages) => messages,
                Err(broken) => return self.lose_worker(worker, &broken.0),
            };
            let mut state = self.lock();
            let entry = &mut state.workers[worker];
            entry.silent_checks = 0;
            let mut is_news = false;
            for message in messages {
                match message {
                    ReceivedMessage::Ready(facts) => {
                        entry.facts.get_or_insert(facts);
                        is_news = true;
                    }
                    ReceivedMessage::BlobNeeded { stream, digest } => {
                        let mut blobs = entry.open_requests.values().flat_map(|asked| &asked.blobs);
                        let blob = blobs.find(|blob| blob.known_digest() == Some(digest));
                        // The sending thread ends only after this.
                        let _ = feed.send((stream, blob.cloned()));
                    }
                    ReceivedMessage::Answer { number, answer } => {
                        is_news = true;
                        if let Some(asked) = entry.open_requests.remove(&number) {
                            // The caller may have given up.
                            let _ = asked.answer.try_send(answer);
                        }
                    }
                }
            }
            drop(state);
            if is_news {
                self.changed.notify_all();
            }
        }
    }

    fn send_blob(&self, worker: usize, stream: RequestId, blob: Option<Blob>) {
        let put = |bytes: &[u8]| {
            let envelope =
                Envelope { number: 0, bytes, is_exclusive: true, program: 0, is_long: false };
            // If the worker is lost, the thread that reads from it reports so.
            let _ = self.routes[worker].send(&envelope);
        };
        let send = |is_last, bytes: &[u8]| {
            put(&encode_frame(&MessageToWorker::Piece { stream, is_last }, &[bytes])?);
            Ok(())
        };
        let sent = match blob {
            Some(blob) => send_pieces(&blob, send),
            None => Err(JudgeError::new("send a file", "no job needs it")),
        };
        if let Err(error) = sent {
            let message = MessageToWorker::BlobUnreadable { stream, reason: error.to_string() };
            if let Ok(bytes) = encode_frame(&message, &[]) {
                put(&bytes);
            }
        }
    }

    fn handle_end(&self, worker: usize) {
        let mut process = {
            let mut state = self.lock();
            if state.workers[worker].lost.is_some() || state.is_stopped {
                state.workers[worker].open_requests.clear();
                drop(state);
                self.changed.notify_all();
                return;
            }
            std::mem::take(&mut state.workers[worker].process)
        };
        let reason = process.describe_end();
        self.lock().workers[worker].process = process;
        self.lose_worker(worker, &reason);
    }

    /// Stops using a worker; its jobs go elsewhere.
    pub(super) fn lose_worker(&self, worker: usize, reason: &str) {
        let mut state = self.lock();
        let entry = &mut state.workers[worker];
        if entry.lost.is_some() {
            return;
        }
        entry.lost = Some(reason.to_owned());
        entry.open_requests.clear();
        entry.process.kill();
        self.changed.notify_all();
        if !state.is_stopped {
            let name = state.workers[worker].name.clone();
            let message = format!("this worker is lost: {reason}");
            let help = "its runs go to other workers, if there are any; `juror help scale` lists possible causes";
            state.diagnostics.push((Instant::now(), Diagnostic::warning(name, message).help(help)));
        }
        drop(state);
        self.routes[worker].close();
    }
}

impl WorkersState {
    pub(super) fn no_worker_fault(&self) -> JudgeError {
        let lost = self.workers.iter().filter_map(|worker| {
            let reason = worker.lost.as_ref()?;
            Some(format!("{}: {reason}", worker.name))
        });
        let lost: Vec<String> = lost.collect();
        let reason = format!("there is none; {}", lost.join("; "));
        let fault = JudgeError::new("run programs on workers", reason)
            .help("start the command of a worker by hand: it prints `juror worker`, and waits");
        JudgeError { kind: FaultKind::NoWorker, ..fault }
    }

    pub(super) fn needed_tools(&self, jobs: &[&Job]) -> Vec<(String, Arc<Toolchain>)> {
        let needs = |tool: &Toolchain| {
            jobs.iter().any(|job| {
                let starts = job.command.argv.first().map(Path::new) == Some(&*tool.program);
                let shows = job.command.visible.iter().any(|shown| match &shown.what {
                    VisibleContent::Installed { identity, .. } => {
                        *identity == tool.version && tool.visible.contains(&shown.inside)
                    }
                    VisibleContent::Tree(_) => false,
                });
                starts || shows
            })
        };
        let found = self.tools.iter().filter_map(|(word, found)| {
            let tool = found.as_ref().ok().filter(|tool| needs(tool))?;
            Some((word.clone(), Arc::clone(tool)))
        });
        found.collect()
    }
}

/// `None` if the worker's pace is near that of the first one.
pub(super) fn pace_warning(
    name: &str,
    it: &WorkerFacts,
    first: &WorkerFacts,
) -> Option<Diagnostic> {
    let pace = it.pace.as_secs_f64() / first.pace.as_secs_f64();
    let is_known = pace.is_finite() && pace > 0.0;
    if it.boot == first.boot
        || !is_known
        || (1.0 / PACE_FACTOR_MAX..=PACE_FACTOR_MAX).contains(&pace)
    {
        return None;
    }
    let first = &first.name;
    let message = format!("it takes {pace:.2} times as long as {first} for the same work");
    let help = "use workers that are alike: the same time limit holds on all of them";
    Some(Diagnostic::warning(name, message).help(help))
}
