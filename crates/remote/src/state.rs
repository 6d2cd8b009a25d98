//! The state of each worker: its open requests, and whether it is still there. Also the threads that serve workers.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::frame::{Peer, encode_frame, read_some};
use crate::judge_side::{JudgeSide, ReceivedMessage, Response};
use crate::link::{WorkerConnection, WorkerPipes, WorkerProcess, WorkerSender};
use crate::message::{MessageToWorker, RequestId, SessionId, ToolAnswer, WorkerFacts};
use crate::serve::send_pieces;
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::language::probe::{Lookup, Toolchain};
use juror_core::stop::{WakeGuard, wake_on_stop};
use juror_core::text::printable;
use juror_core::worker::{WorkerId, WorkerKind};

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
    pub(super) session: SessionId,
}

/// The tool for each word on a machine.
pub type MachineTools = BTreeMap<String, ToolAnswer>;

/// How many warnings and names of one connection are used.
const NEWS_MAX: usize = 1000;

#[derive(Default)]
pub(super) struct WorkersState {
    pub(super) workers: Vec<WorkerState>,
    pub(super) last_number: RequestId,
    pub(super) is_stopped: bool,
    pub(super) tools: HashMap<String, Lookup>,
    /// Diagnostics for the user, and when each was found.
    pub(super) diagnostics: Vec<(Instant, Diagnostic)>,
}

#[derive(Default)]
pub(super) struct WorkerState {
    pub(super) name: String,
    /// What connects to it.
    pub(super) command: String,
    pub(super) facts: Option<WorkerFacts>,
    pub(super) lost: Option<String>,
    pub(super) process: WorkerProcess,
    /// What starts its command once more.
    pub(super) again: Option<WorkerConnection>,
    /// `None` while its command is started once more.
    pub(super) sender: Option<Arc<WorkerSender>>,
    /// The workers behind its connection, if it says that there are several.
    pub(super) members: Vec<Member>,
    pub(super) warnings: usize,
    pub(super) has_pace_warning: bool,
    pub(super) open_requests: HashMap<RequestId, OpenRequest>,
    pub(super) tools: MachineTools,
    pub(super) programs: BTreeMap<String, usize>,
    pub(super) silent_checks: u32,
}

/// One of several workers behind a connection.
#[derive(Clone)]
pub(super) struct Member {
    /// The connection's name for it.
    pub(super) reported: String,
    /// With a name that no worker of another connection has.
    pub(super) facts: WorkerFacts,
}

pub(super) struct OpenRequest {
    /// Upper bound on the reply's size in bytes.
    pub(super) room: u64,
    pub(super) blobs: Vec<Blob>,
    /// `None` if nobody waits for it any more.
    pub(super) answer: Option<SyncSender<Response>>,
    /// What was sent, and is sent again if the command is started once more.
    pub(super) frame: Option<Arc<[u8]>>,
}

impl OpenRequest {
    pub(super) fn new(answer: SyncSender<Response>) -> Self {
        Self { room: 0, blobs: Vec::new(), answer: Some(answer), frame: None }
    }
}

impl WorkerState {
    /// Only its command is known, which is its first name.
    pub(super) fn new(command: String) -> Self {
        Self { name: command.clone(), command, ..Self::default() }
    }

    /// It was ready and is not lost, but its command may be about to start once more.
    pub(super) fn is_present(&self) -> bool {
        self.lost.is_none() && self.facts.is_some()
    }

    pub(super) fn is_available(&self) -> bool {
        self.is_present() && self.sender.is_some()
    }

    pub(super) fn is_restarting(&self) -> bool {
        self.is_present() && self.sender.is_none()
    }

    /// The machines that run its jobs, with their names in results.
    fn machines(&self) -> Vec<(&str, &WorkerFacts)> {
        match &self.members[..] {
            [] => self.facts.iter().map(|facts| (&*self.name, facts)).collect(),
            members => members.iter().map(|member| (&*member.facts.name, &member.facts)).collect(),
        }
    }

    /// Which of its machines has this name in the connection's words. Facts that came later count.
    pub(super) fn member(&self, reported: Option<&str>) -> Option<usize> {
        match reported {
            None => self.members.is_empty().then_some(0),
            Some(name) => self.members.iter().rposition(|member| member.reported == name),
        }
    }

    /// Digests of its tools' files, by the paths that jobs name; `None` if it does not tell one.
    fn tool_files(&self) -> Option<BTreeMap<PathBuf, Digest>> {
        let mut all = BTreeMap::new();
        for answer in self.tools.values() {
            if let Ok(tool) = &answer.found {
                let (files, paths) = (answer.files?, tool.visible.iter().chain([&tool.program]));
                all.extend(paths.map(|path| (path.clone(), files)));
            }
        }
        Some(all)
    }

    pub(super) fn max_jobs(&self) -> usize {
        self.facts.as_ref().map_or(0, |facts| facts.slots + facts.queue)
    }

    /// It has these tools, the same as on the first worker that has them.
    pub(super) fn has_tools(&self, tools: &[(String, Arc<Toolchain>)]) -> bool {
        let same = |(word, tool): &(String, Arc<Toolchain>)| {
            self.tools.get(word).is_some_and(|answer| answer.found.as_ref().ok() == Some(&**tool))
        };
        tools.iter().all(same)
    }
}

impl SharedWorkers {
    pub(super) fn lock(&self) -> MutexGuard<'_, WorkersState> {
        self.state.lock()
    }

    /// The first bytes of each connection.
    pub(super) fn opening(&self) -> Vec<u8> {
        let session = encode_frame(&MessageToWorker::Session(self.session), &[]);
        [Peer::Sender.greeting().into_bytes(), session.unwrap_or_default()].concat()
    }

    /// Sends a request that is open, and keeps it until it is answered.
    pub(super) fn send_request(&self, worker: usize, number: RequestId, frame: Vec<u8>) {
        let frame: Arc<[u8]> = frame.into();
        let sender = {
            let mut state = self.lock();
            let entry = &mut state.workers[worker];
            let Some(request) = entry.open_requests.get_mut(&number) else { return };
            request.frame = Some(Arc::clone(&frame));
            // If it is started once more, it gets all open requests then.
            let Some(sender) = entry.sender.clone() else { return };
            sender
        };
        self.send(worker, &sender, &frame);
    }

    /// Wakes the thread that waits for this answer.
    pub(super) fn give_up(&self, worker: usize, number: RequestId) {
        if let Some(request) = self.lock().workers[worker].open_requests.get_mut(&number) {
            request.answer = None;
        }
    }

    /// Tells the worker that nobody waits for this request any more. It stays open until the worker answers.
    pub(super) fn cancel(&self, worker: usize, number: RequestId) {
        self.give_up(worker, number);
        let state = self.lock();
        let entry = &state.workers[worker];
        let sender = entry.sender.clone().filter(|_| entry.open_requests.contains_key(&number));
        drop(state);
        let frame = encode_frame(&MessageToWorker::Cancel { number }, &[]);
        if let (Some(sender), Ok(frame)) = (sender, frame) {
            self.send(worker, &sender, &frame);
        }
    }

    /// While it exists, a stop of the current work wakes all that wait for a change.
    pub(super) fn wake_on_stop(self: &Arc<Self>) -> WakeGuard {
        let shared = Arc::clone(self);
        wake_on_stop(move || {
            // With the lock, since a thread may be about to wait.
            let _state = shared.lock();
            shared.changed.notify_all();
        })
    }

    /// If nothing can be sent, ends the connection. The thread that reads from it finds out why.
    fn send(&self, worker: usize, sender: &Arc<WorkerSender>, bytes: &[u8]) {
        if sender.send(bytes).is_ok() {
            return;
        }
        let mut state = self.lock();
        let entry = &mut state.workers[worker];
        if entry.sender.as_ref().is_some_and(|current| Arc::ptr_eq(current, sender)) {
            entry.process.kill();
        }
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
            if let Some(first) = all.first() {
                remarks.extend(pace_warning(&worker.name, facts, first));
            }
        }
        state.diagnostics.extend(remarks.into_iter().map(|remark| (Instant::now(), remark)));
    }

    /// Checks regularly whether all workers have sent something.
    pub(super) fn check_silence(&self) {
        let mut state = self.lock();
        while !state.is_stopped {
            self.changed.wait_while_for(&mut state, |state| !state.is_stopped, CHECK_INTERVAL);
            let mut silent = Vec::new();
            for (index, worker) in state.workers.iter_mut().enumerate() {
                // Counted in checks, not in time: this process may itself have been suspended.
                worker.silent_checks += u32::from(worker.is_present());
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

    /// Reads a worker's output to its end, and that of its command's second start.
    pub(super) fn read_output(self: &Arc<Self>, worker: usize, mut output: Box<dyn Read + Send>) {
        let (feed, hungry) = mpsc::channel();
        let shared = Arc::clone(self);
        let feeder = thread::Builder::new().spawn(move || {
            for (sender, stream, blob) in hungry {
                shared.send_blob(worker, &sender, stream, blob);
            }
        });
        if feeder.is_err() {
            return self.lose_worker(worker, "no thread can be started for it");
        }
        let mut side = JudgeSide::new();
        loop {
            let room = |number| Some(self.lock().workers[worker].open_requests.get(&number)?.room);
            let read = self.read_messages(worker, &mut side, &mut *output, &room);
            let messages = match read {
                Ok(Some(messages)) => messages,
                Ok(None) => match self.restart(worker) {
                    Some(next) => {
                        (side, output) = next;
                        continue;
                    }
                    None => return,
                },
                Err(reason) => return self.lose_worker(worker, &reason),
            };
            let mut state = self.lock();
            let mut is_news = false;
            for message in messages {
                let entry = &mut state.workers[worker];
                match message {
                    ReceivedMessage::Ready(facts) => {
                        entry.facts.get_or_insert(facts);
                        is_news = true;
                    }
                    ReceivedMessage::BlobNeeded { stream, digest } => {
                        let mut blobs = entry.open_requests.values().flat_map(|asked| &asked.blobs);
                        let blob = blobs.find(|blob| blob.known_digest() == Some(digest)).cloned();
                        if let Some(sender) = &entry.sender {
                            // The sending thread ends only after this.
                            let _ = feed.send((Arc::clone(sender), stream, blob));
                        }
                    }
                    ReceivedMessage::Answer { number, answer } => {
                        is_news = true;
                        if let Some(asked) = entry.open_requests.remove(&number) {
                            // The caller may have given up.
                            _ = asked.answer.map(|caller| caller.try_send(answer).is_ok());
                        }
                    }
                    other => state.note(worker, other),
                }
            }
            drop(state);
            if is_news {
                self.changed.notify_all();
            }
        }
    }

    /// The next messages; `None` at the end of the output.
    fn read_messages(
        &self,
        worker: usize,
        side: &mut JudgeSide,
        output: &mut dyn Read,
        room: &dyn Fn(RequestId) -> Option<u64>,
    ) -> Result<Option<Vec<ReceivedMessage>>, String> {
        let mut buffer = vec![0; 64 << 10];
        let length = read_some(output, &mut buffer).map_err(|error| error.to_string())?;
        if length == 0 {
            return Ok(None);
        }
        let messages = side.read_messages(&buffer[..length], room).map_err(|broken| broken.0)?;
        self.lock().workers[worker].silent_checks = 0;
        Ok(Some(messages))
    }

    fn send_blob(
        &self,
        worker: usize,
        sender: &Arc<WorkerSender>,
        stream: RequestId,
        blob: Option<Blob>,
    ) {
        let send = |is_last, bytes: &[u8]| {
            let frame = encode_frame(&MessageToWorker::Piece { stream, is_last }, &[bytes])?;
            self.send(worker, sender, &frame);
            Ok(())
        };
        let sent = match blob {
            Some(blob) => send_pieces(&blob, send),
            None => Err(JudgeError::new("send a file", "no job needs it")),
        };
        if let Err(error) = sent {
            let message = MessageToWorker::BlobUnreadable { stream, reason: error.to_string() };
            if let Ok(bytes) = encode_frame(&message, &[]) {
                self.send(worker, sender, &bytes);
            }
        }
    }

    /// Starts a command once more that ended after it was ready, and sends it what is open. `None` if the worker is
    /// lost, or if nobody needs it any more.
    fn restart(&self, worker: usize) -> Option<(JudgeSide, Box<dyn Read + Send>)> {
        let (mut process, again) = {
            let mut state = self.lock();
            let is_stopped = state.is_stopped;
            let entry = &mut state.workers[worker];
            if entry.lost.is_some() || is_stopped {
                entry.open_requests.clear();
                drop(state);
                self.changed.notify_all();
                return None;
            }
            let again = entry.again.take().filter(|_| entry.facts.is_some());
            if again.is_some() {
                entry.sender = None;
            }
            (std::mem::take(&mut entry.process), again)
        };
        let reason = process.describe_end();
        process.kill();
        drop(process);
        let Some(again) = again else {
            self.lose_worker(worker, &reason);
            return None;
        };
        match self.open_again(worker, again) {
            Ok(next) => {
                let mut state = self.lock();
                let name = state.workers[worker].name.clone();
                let message = format!("this worker was started once more: {reason}");
                state.diagnostics.push((Instant::now(), Diagnostic::warning(name, message)));
                drop(state);
                self.changed.notify_all();
                Some(next)
            }
            Err(second) => {
                self.lose_worker(worker, &format!("{reason}; started once more, {second}"));
                None
            }
        }
    }

    /// Opens a connection to the worker that was there before: with the same isolation and the same tools.
    fn open_again(
        &self,
        worker: usize,
        again: WorkerConnection,
    ) -> Result<(JudgeSide, Box<dyn Read + Send>), String> {
        let pipes = again.open().map_err(|error| error.to_string())?;
        let WorkerPipes { mut output, input, process, .. } = pipes;
        let sender = Arc::new(WorkerSender::new(input));
        let (facts, tools, has_members) = {
            let mut state = self.lock();
            let is_stopped = state.is_stopped;
            let entry = &mut state.workers[worker];
            entry.process = process;
            if entry.lost.is_some() || is_stopped {
                entry.process.kill();
            }
            (entry.facts.clone(), entry.tools.clone(), !entry.members.is_empty())
        };
        // A worker shows only tools that it was asked for.
        let questions = tools.keys().zip(0..).map(|(word, number)| {
            encode_frame(&MessageToWorker::FindTool { number, word: word.clone() }, &[])
        });
        let questions: Vec<Vec<u8>> =
            questions.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let mut expected: HashMap<RequestId, ToolAnswer> = (0..).zip(tools.into_values()).collect();
        // A pipe has room for these few bytes. If nobody reads them, the output ends.
        let _ = sender.send(&[self.opening(), questions.concat()].concat());
        let mut side = JudgeSide::new();
        let mut is_ready = false;
        while !is_ready || !expected.is_empty() {
            let read = self.read_messages(worker, &mut side, &mut *output, &|_| Some(0))?;
            let Some(messages) = read else {
                let mut process = std::mem::take(&mut self.lock().workers[worker].process);
                return Err(process.describe_end());
            };
            for message in messages {
                match message {
                    ReceivedMessage::Ready(found) => {
                        let known = facts.as_ref().map(|facts| (facts.isolation, &facts.mechanism));
                        if Some((found.isolation, &found.mechanism)) != known {
                            return Err(format!(
                                "it isolates or measures programs otherwise: {}",
                                printable(&found.mechanism)
                            ));
                        }
                        let identity = facts.as_ref().map(|facts| facts.identity);
                        if !has_members && Some(found.identity) != identity {
                            return Err("it is another machine".to_owned());
                        }
                        is_ready = true;
                    }
                    ReceivedMessage::Answer { number, answer: Response::ToolFound(found) } => {
                        if expected.remove(&number) != Some(found) {
                            return Err("it has other tools".to_owned());
                        }
                    }
                    other => self.lock().note(worker, other),
                }
            }
        }
        let frames: Vec<Arc<[u8]>> = {
            let mut state = self.lock();
            let entry = &mut state.workers[worker];
            entry.sender = Some(Arc::clone(&sender));
            entry.open_requests.retain(|_, request| request.answer.is_some());
            entry.open_requests.values().filter_map(|request| request.frame.clone()).collect()
        };
        // Another thread, since this one must read meanwhile.
        let send_all = move || {
            // If it fails, the thread that reads finds out.
            let _ = frames.iter().try_for_each(|frame| sender.send(frame));
        };
        thread::Builder::new().spawn(send_all).map_err(|error| error.to_string())?;
        Ok((side, output))
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
        let sender = state.workers[worker].sender.clone();
        drop(state);
        sender.iter().for_each(|sender| sender.close());
    }
}

impl WorkersState {
    /// Notes what a connection says about the workers behind it.
    pub(super) fn note(&mut self, worker: usize, message: ReceivedMessage) {
        let first = self.workers.iter().find_map(|worker| worker.facts.clone());
        let warning = match message {
            ReceivedMessage::Member(facts) => {
                let reported = facts.name.clone();
                let name = self.distinct_name(worker, facts.name);
                let facts = WorkerFacts { name, ..facts };
                let entry = &mut self.workers[worker];
                let known = entry.member(Some(&reported)).map(|index| &entry.members[index].facts);
                let is_known = known.is_some_and(|known| {
                    (known.identity, &known.mechanism) == (facts.identity, &facts.mechanism)
                });
                if is_known || entry.members.len() >= NEWS_MAX {
                    return;
                }
                let warning = first.and_then(|first| pace_warning(&facts.name, &facts, &first));
                entry.members.push(Member { reported, facts });
                // One is enough: the same help holds for all of them.
                warning.filter(|_| !std::mem::replace(&mut entry.has_pace_warning, true))
            }
            ReceivedMessage::Warning { worker: name, message } => {
                let entry = &mut self.workers[worker];
                entry.warnings += 1;
                let help = "its runs go to other workers, if there are any; `juror help scale` lists possible causes";
                (entry.warnings <= NEWS_MAX).then(|| Diagnostic::warning(name, message).help(help))
            }
            _ => None,
        };
        let now = Instant::now();
        self.diagnostics.extend(warning.filter(|_| !self.is_stopped).map(|warning| (now, warning)));
    }

    /// The name of a worker behind a connection in reports: no worker of another connection has it.
    pub(super) fn distinct_name(&self, connection: usize, name: String) -> String {
        let others = self.workers.iter().enumerate().filter(|(index, _)| *index != connection);
        let mut others = others.flat_map(|(_, worker)| worker.machines());
        if others.any(|(other, _)| other == name) {
            return format!("{name} ({})", self.workers[connection].name);
        }
        name
    }

    pub(super) fn worker_kinds(&self) -> Vec<WorkerKind> {
        let mut kinds: Vec<WorkerKind> = Vec::new();
        let workers = self.workers.iter().enumerate().filter(|(_, worker)| worker.is_present());
        for (connection, worker) in workers {
            let Some(tools) = worker.tool_files() else { continue };
            for (member, (_, facts)) in worker.machines().into_iter().enumerate() {
                let Some(identity) = facts.identity else { continue };
                let id = WorkerId { connection, member };
                let kind = WorkerKind {
                    command: worker.command.clone(),
                    mechanism: facts.mechanism.clone(),
                    identity,
                    tools: tools.clone(),
                    workers: vec![id],
                };
                match kinds.iter_mut().find(|other| other.has_same_results_as(&kind)) {
                    Some(known) => known.workers.push(id),
                    None => kinds.push(kind),
                }
            }
        }
        kinds
    }

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
    facts: &WorkerFacts,
    first: &WorkerFacts,
) -> Option<Diagnostic> {
    let pace = facts.pace.as_secs_f64() / first.pace.as_secs_f64();
    let is_known = pace.is_finite() && pace > 0.0;
    if facts.boot == first.boot
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
