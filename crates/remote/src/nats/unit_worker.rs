//! Takes units: asks the server for as many as the worker can run, runs their jobs, writes their results.
//!
//! One thread decides. Other threads run programs, or wait for the server: for blobs, and until a result is written.
//! The worker keeps a unit as long as it says so each second. Once the result is written, the server drops the unit.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::Message;
use serde_json::json;

use crate::frame::{FrameReader, Peer, encode_frame};
use crate::incoming::LargeBlobs;
use crate::message::{MessageFromWorker, MessageToWorker, RequestId, WorkerFacts};
use crate::nats::address::{Lane, NatsAddress};
use crate::nats::bucket;
use crate::nats::layout::{self, JOBS, MOST_LOST};
use crate::nats::link::{ConnectFault, NatsLink, OutgoingMessage, status};
use crate::nats::outcome::{WriteFault, delivered, has_result, stored, write};
use crate::nats::presence::{Announcement, GOODBYE, subject};
use crate::nats::random;
use crate::nats::unit::{self, MOST_JOBS, ResultFault, ResultHead, UnitHead};
use crate::serve::{EXTRA_JOBS, Worker};
use crate::worker_side::{Effect, ProgramOrder, WorkerSide};
use juror_core::blob::Blob;
use juror_core::judgement::JudgeError;
use juror_core::language::toolchain::Toolchains;
use juror_sandbox::executor::Executor;

/// How often the worker reports that it is there and works.
const BEAT: Duration = Duration::from_secs(1);

/// After how long the server answers a request for units if there is none.
const EXPIRES: Duration = Duration::from_secs(10);

/// How long to wait before asking again if nobody could answer, or the server is not there yet.
const RETRY: Duration = Duration::from_millis(200);

/// How long after a live unit a slot is kept free for the next.
const LIVELY: Duration = Duration::from_secs(5);

/// How many threads wait for the server.
const HELPERS: usize = 8;

/// Takes units until `ends` gets a message. Waits for an unreachable server, also at first. Reports when it waits and
/// when it takes units.
///
/// # Errors
/// If the server cannot be used.
pub fn work(
    address: &NatsAddress,
    facts: WorkerFacts,
    executor: &dyn Executor,
    tools: &Toolchains,
    ends: Receiver<()>,
    tell: impl Fn(&str),
) -> Result<(), JudgeError> {
    let Some(link) = reach(address, &ends, &tell)? else { return Ok(()) };
    let link = Arc::new(link);
    // The frames of each job's result.
    let basket = Mutex::new(HashMap::<RequestId, Vec<u8>>::new());
    let put = |number: Option<RequestId>, bytes: &[u8]| {
        if let Some(number) = number {
            basket.lock().entry(number).or_default().extend(bytes);
        }
    };
    let worker = Worker::new(executor, tools, &put);
    let said = Announcement::new(facts, |word| worker.find_tool(word));
    let class = said.class();
    let (news, heard) = channel();
    for lane in Lane::ALL {
        let news = news.clone();
        let inbox = link.own_inbox(lane.name());
        link.subscribe(inbox, move |message| {
            news.send(UnitEvent::UnitArrived(lane, message)).is_ok()
        })?;
    }
    forward(ends, &news, || UnitEvent::End)?;
    forward(link.when_connected(), &news, || UnitEvent::Connected)?;
    let (tasks, to_run) = channel();
    let (calls, to_do) = channel::<ServerCall>();
    let (to_run, to_do) = (Mutex::new(to_run), Mutex::new(to_do));
    let id = random()[..16].to_owned();
    tell(&format!("takes jobs from {}, as one of class {class}", address.name));
    if !link.has_jetstream() {
        tell(
            "JetStream is off on this server; no jobs arrive unless another server of the cluster has it",
        );
    }
    let mut units = UnitWorker {
        link: Arc::clone(&link),
        subject: subject(&class, address.user(), &id),
        announced: said.bytes(),
        facts: said.facts,
        class,
        id,
        side: WorkerSide::new(),
        units: HashMap::new(),
        of_job: HashMap::new(),
        numbers: 0,
        tasks,
        calls,
        news: news.clone(),
        asked: [0; 2],
        asked_at: [Instant::now(); 2],
        not_before: [Instant::now(); 2],
        last_live: None,
        tell: &tell,
    };
    thread::scope(|scope| {
        let slots = units.facts.slots;
        let mut started = 0;
        for _ in 0..slots + EXTRA_JOBS {
            let news = news.clone();
            let basket = &basket;
            let done = move |number| {
                let frames = basket.lock().remove(&number).unwrap_or_default();
                news.send(UnitEvent::RunFinished { number, frames }).is_ok()
            };
            let run = || worker.carry_out_orders(&to_run, done);
            started += usize::from(thread::Builder::new().spawn_scoped(scope, run).is_ok());
        }
        for _ in 0..HELPERS {
            let help = || {
                loop {
                    let call = to_do.lock().recv();
                    match call {
                        Ok(call) => call(),
                        Err(_) => return,
                    }
                }
            };
            started += usize::from(thread::Builder::new().spawn_scoped(scope, help).is_ok());
        }
        if started < slots + EXTRA_JOBS + HELPERS {
            link.close();
            executor.stop();
            return Err(JudgeError::new("start the threads of a worker", "the system refuses"));
        }
        units.work(&heard);
        // Give the units back now, so that other workers need not wait until this worker counts as gone.
        units.give_back();
        executor.stop();
        link.close();
        drop(units);
        Ok(())
    })
}

/// Connects once the server is there. None if the worker is told to end before.
fn reach(
    address: &NatsAddress,
    ends: &Receiver<()>,
    tell: &impl Fn(&str),
) -> Result<Option<NatsLink>, JudgeError> {
    let mut told = None;
    loop {
        match NatsLink::open(address, None) {
            Ok(link) => return Ok(Some(link)),
            Err(ConnectFault::Refused(error)) => return Err(error),
            Err(ConnectFault::Unreachable(error)) => {
                if told.replace(error.to_string()) != Some(error.to_string()) {
                    tell(&format!("cannot {error}; tries until it can"));
                }
            }
        }
        if ends.recv_timeout(RETRY) != Err(RecvTimeoutError::Timeout) {
            return Ok(None);
        }
    }
}

/// A call that waits for the server.
type ServerCall = Box<dyn FnOnce() + Send>;

/// A message to the thread that decides.
enum UnitEvent {
    /// A reply to a request for units of this lane.
    UnitArrived(Lane, Message),
    /// It is decided whether a unit is run.
    UnitOpened {
        unit: String,
        frames: Option<Vec<u8>>,
        fate: UnitDecision,
    },
    /// A needed blob, or why it cannot be had.
    BlobFetched {
        stream: RequestId,
        blob: Result<Blob, String>,
    },
    RunFinished {
        number: RequestId,
        frames: Vec<u8>,
    },
    /// The result of a unit was written.
    ResultWritten {
        unit: String,
    },
    /// The server refuses the result of a unit, for this reason.
    ResultRefused {
        unit: String,
        reason: String,
    },
    Connected,
    End,
}

/// What to do with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitDecision {
    Run,
    /// Give up: too many workers were lost with it.
    GiveUp,
    /// Nothing: there is a result.
    AlreadyDone,
}

/// Forwards the messages of a channel as news.
fn forward(
    from: Receiver<()>,
    news: &Sender<UnitEvent>,
    what: impl Fn() -> UnitEvent + Send + 'static,
) -> Result<(), JudgeError> {
    let news = news.clone();
    let hand_on = move || {
        for () in from {
            if news.send(what()).is_err() {
                return;
            }
        }
    };
    let started = thread::Builder::new().spawn(hand_on);
    started.map(|_| ()).map_err(|error| JudgeError::new("start a thread of a worker", error))
}

/// A unit that this worker has.
struct Unit {
    head: UnitHead,
    /// The subject to report progress and completion on.
    ack: String,
    base: RequestId,
    left: usize,
    frames: Vec<u8>,
    lacks: bool,
    /// Whether all its jobs have ended.
    is_over: bool,
}

struct UnitWorker<'a> {
    link: Arc<NatsLink>,
    subject: String,
    announced: Vec<u8>,
    facts: WorkerFacts,
    class: String,
    id: String,
    side: WorkerSide,
    units: HashMap<String, Unit>,
    /// The unit of each job that is not done.
    of_job: HashMap<RequestId, String>,
    numbers: RequestId,
    tasks: Sender<ProgramOrder>,
    calls: Sender<ServerCall>,
    news: Sender<UnitEvent>,
    /// How many requests for units are open, by lane.
    asked: [usize; 2],
    asked_at: [Instant; 2],
    not_before: [Instant; 2],
    last_live: Option<Instant>,
    tell: &'a dyn Fn(&str),
}

impl UnitWorker<'_> {
    fn work(&mut self, heard: &Receiver<UnitEvent>) {
        let mut next = Instant::now();
        loop {
            let now = Instant::now();
            if now >= next {
                next = now + BEAT;
                self.beat();
            }
            self.ask();
            let wait =
                next.min(self.not_before.into_iter().filter(|it| *it > now).min().unwrap_or(next));
            match heard.recv_timeout(wait.saturating_duration_since(now)) {
                Ok(UnitEvent::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(news) => self.hear(news),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Reports that the worker is there, and which units it has.
    fn beat(&mut self) {
        self.link.publish(&OutgoingMessage::new(self.subject.clone(), &self.announced), None);
        for unit in self.units.values() {
            self.link.publish(&OutgoingMessage::new(unit.ack.clone(), b"+WPI"), None);
        }
        for lane in 0..2 {
            // The server has forgotten the requests.
            if self.asked_at[lane].elapsed() > EXPIRES + BEAT + BEAT {
                self.asked[lane] = 0;
            }
        }
    }

    /// Requests as many units as there are free places.
    fn ask(&mut self) {
        let held = self.units.values().filter(|unit| !unit.is_over).count();
        let slots = self.facts.slots;
        let is_lively = self.last_live.is_some_and(|last| last.elapsed() < LIVELY);
        for lane in Lane::ALL {
            let most = match lane {
                Lane::Live => slots + EXTRA_JOBS,
                Lane::Batch if is_lively => (slots - 1).max(1),
                Lane::Batch => slots,
            };
            let index = lane as usize;
            if self.not_before[index] > Instant::now() {
                continue;
            }
            while held + self.asked[index] < most {
                let body = json!({ "batch": 1, "expires": EXPIRES.as_nanos() as u64 }).to_string();
                let consumer = layout::consumer(lane, &self.class);
                let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{JOBS}.{consumer}");
                self.asked[index] += 1;
                self.asked_at[index] = Instant::now();
                let inbox = self.link.own_inbox(lane.name());
                self.link.publish(&OutgoingMessage::new(subject, body.as_bytes()), Some(inbox));
            }
        }
    }

    fn hear(&mut self, news: UnitEvent) {
        match news {
            UnitEvent::UnitArrived(lane, message) => self.came(lane, message),
            UnitEvent::UnitOpened { unit, frames, fate } => self.open(&unit, frames, fate),
            UnitEvent::BlobFetched { stream, blob } => {
                let mut acts = Vec::new();
                let is_here = blob.is_ok();
                // A stream that was given up meanwhile is not needed.
                let _ = match blob {
                    Ok(blob) => self.side.add_blob(stream, &blob, &mut acts),
                    Err(reason) => self.side.handle_message(
                        MessageToWorker::BlobUnreadable { stream, reason },
                        &[],
                        &mut acts,
                    ),
                };
                self.act(acts, !is_here);
            }
            UnitEvent::RunFinished { number, frames } => self.done(number, &frames, false),
            UnitEvent::ResultWritten { unit } => {
                if let Some(unit) = self.units.remove(&unit) {
                    self.link.publish(&OutgoingMessage::new(unit.ack, b"+ACK"), None);
                }
            }
            UnitEvent::ResultRefused { unit, reason } => {
                if let Some(unit) = self.units.remove(&unit) {
                    (self.tell)(&format!("cannot write a result: {reason}; it is lost"));
                    // The sender finds out that the unit is gone.
                    self.link.publish(&OutgoingMessage::new(unit.ack, b"+TERM"), None);
                }
            }
            UnitEvent::Connected => {
                // The server has forgotten the requests.
                self.asked = [0; 2];
                self.not_before = [Instant::now(); 2];
                self.beat();
            }
            UnitEvent::End => {}
        }
    }

    /// Handles a unit, or a status in place of one.
    fn came(&mut self, lane: Lane, message: Message) {
        let index = lane as usize;
        self.asked[index] = self.asked[index].saturating_sub(1);
        if let Some(status) = status(&message) {
            // 404 and 408: there is no unit. Any other status: nobody can answer.
            if !matches!(status, 404 | 408) {
                self.not_before[index] = Instant::now() + RETRY;
            }
            return;
        }
        let Some(ack) = message.reply.map(|reply| reply.to_string()) else { return };
        let read = unit::read::<UnitHead>(&message.payload);
        let Some((head, frames)) =
            read.filter(|(head, _)| unit::is_name(&head.unit) && unit::is_name(&head.batch))
        else {
            // The sender finds out that the unit is gone.
            return self.link.publish(&OutgoingMessage::new(ack, b"+TERM"), None);
        };
        if lane == Lane::Live {
            self.last_live = Some(Instant::now());
        }
        if let Some(known) = self.units.get_mut(&head.unit) {
            known.ack = ack;
            return;
        }
        let delivered = delivered(&ack).unwrap_or(1);
        let name = head.unit.clone();
        let unit =
            Unit { head, ack, base: 0, left: 0, frames: Vec::new(), lacks: false, is_over: false };
        let (head, link, news) = (unit.head.clone(), Arc::clone(&self.link), self.news.clone());
        self.units.insert(name.clone(), unit);
        if delivered <= 1 && head.stored.is_none() {
            return self.open(&name, Some(frames), UnitDecision::Run);
        }
        self.aside(move || {
            let fate = match delivered {
                0 | 1 => UnitDecision::Run,
                _ if has_result(&link, &head) => UnitDecision::AlreadyDone,
                delivered if delivered > MOST_LOST => UnitDecision::GiveUp,
                _ => UnitDecision::Run,
            };
            let frames = match head.stored {
                Some((digest, length)) if fate != UnitDecision::AlreadyDone => {
                    stored(&link, digest, length)
                }
                _ => Some(frames),
            };
            // The worker may have ended.
            let _ = news.send(UnitEvent::UnitOpened { unit: name, frames, fate });
        });
    }

    /// Runs a call that waits for the server on another thread.
    fn aside(&self, call: impl FnOnce() + Send + 'static) {
        // Those threads end only with the worker.
        let _ = self.calls.send(Box::new(call));
    }

    /// Begins a unit.
    fn open(&mut self, name: &str, frames: Option<Vec<u8>>, fate: UnitDecision) {
        let Some(unit) = self.units.get_mut(name) else { return };
        let Some(frames) = frames else {
            unit.lacks = true;
            return self.write(name);
        };
        if fate == UnitDecision::AlreadyDone {
            return self.hear(UnitEvent::ResultWritten { unit: name.to_owned() });
        }
        unit.base = self.numbers;
        let mut frames = FrameReader::after_greeting(Peer::Sender, frames);
        let mut acts = Vec::new();
        let mut jobs = Vec::new();
        loop {
            let (message, behind) = match frames.next::<MessageToWorker>() {
                Ok(Some(found)) if jobs.len() < MOST_JOBS => found,
                _ => break,
            };
            let number = self.numbers;
            let Some(message) = renumbered(message, number) else { break };
            self.numbers += 1;
            jobs.push(number);
            let taken = match fate {
                UnitDecision::GiveUp => {
                    let what = format!("{MOST_LOST} workers were lost while they ran it");
                    let help = "check those machines' messages; they may lack memory";
                    let error = JudgeError::new("run a program on a worker", what).help(help);
                    acts.push(Effect::Send(MessageFromWorker::failed(number, error)));
                    continue;
                }
                _ => self.side.handle_message(message, &behind, &mut acts),
            };
            if let Err(broken) = taken {
                let error = JudgeError::new("read a job", broken.0);
                acts.push(Effect::Send(MessageFromWorker::failed(number, error)));
            }
        }
        unit.left = jobs.len();
        for number in &jobs {
            self.of_job.insert(*number, name.to_owned());
        }
        if jobs.is_empty() {
            return self.write(name);
        }
        self.act(acts, false);
    }

    fn act(&mut self, acts: Vec<Effect>, lacks: bool) {
        for act in acts {
            match act {
                Effect::Send(MessageFromWorker::BlobNeeded { stream, digest }) => {
                    let Some(length) = self.side.requested_length(stream) else { continue };
                    let (link, news) = (Arc::clone(&self.link), self.news.clone());
                    self.aside(move || {
                        let got = bucket::get(&link, &digest, length, &mut LargeBlobs::default());
                        let blob = got.map_err(|failure| failure.to_string());
                        let _ = news.send(UnitEvent::BlobFetched { stream, blob });
                    });
                }
                Effect::Send(message) => {
                    let MessageFromWorker::RunEnded { number, .. } = message else { continue };
                    let frames = encode_frame(&message, &[]).unwrap_or_default();
                    self.done(number, &frames, lacks);
                }
                // Those threads end only with the worker.
                Effect::Execute(order) => _ = self.tasks.send(order),
            }
        }
    }

    /// Handles the end of a job.
    fn done(&mut self, number: RequestId, frames: &[u8], lacks: bool) {
        let Some(name) = self.of_job.remove(&number) else { return };
        let Some(unit) = self.units.get_mut(&name) else { return };
        unit.frames.extend(frames);
        unit.lacks |= lacks;
        unit.left -= 1;
        if unit.left == 0 {
            self.write(&name);
        }
    }

    /// Writes the result of a unit.
    fn write(&mut self, name: &str) {
        let Some(unit) = self.units.get_mut(name) else { return };
        unit.is_over = true;
        let frames = std::mem::take(&mut unit.frames);
        let head = ResultHead {
            worker: self.id.clone(),
            name: self.facts.name.clone(),
            base: unit.base,
            fault: unit.lacks.then_some(ResultFault::MissingBlob),
            part: None,
        };
        let of = unit.head.clone();
        let (link, news) = (Arc::clone(&self.link), self.news.clone());
        self.aside(move || {
            let unit = of.unit.clone();
            // The worker may have ended.
            let _ = match write(&link, &of, head, &frames) {
                Ok(()) => news.send(UnitEvent::ResultWritten { unit }),
                Err(WriteFault::Refused(reason)) => {
                    news.send(UnitEvent::ResultRefused { unit, reason })
                }
                Err(WriteFault::Closed) => Ok(()),
            };
        });
    }

    /// Gives unfinished units back to the server, and announces the end.
    fn give_back(&self) {
        self.link.publish(&OutgoingMessage::new(self.subject.clone(), GOODBYE), None);
        for unit in self.units.values().filter(|unit| !unit.is_over) {
            self.link.publish(&OutgoingMessage::new(unit.ack.clone(), b"-NAK"), None);
        }
    }
}

/// The same job with this worker's number.
fn renumbered(message: MessageToWorker, number: RequestId) -> Option<MessageToWorker> {
    match message {
        MessageToWorker::Run { mode, ways, work, .. } => {
            Some(MessageToWorker::Run { number, mode, ways, work })
        }
        MessageToWorker::FindTool { word, .. } => Some(MessageToWorker::FindTool { number, word }),
        MessageToWorker::Piece { .. } | MessageToWorker::BlobUnreadable { .. } => None,
    }
}
