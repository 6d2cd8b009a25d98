//! The judge's side: speaks the pipe as if it were one worker, and gives its jobs to the workers behind a server.
//!
//! One task decides. Other tasks wait for the server: they store blobs and units, and look for results. The side that
//! sends jobs may start this program once more with the same session: results that are on the server are used then.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Message;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::address::{Lane, NatsAddress};
use crate::bucket::{self, BlobUpload, StoreFault};
use crate::layout::{self, JOBS, MOST_LOST, RESULTS};
use crate::link::{Link, NoReply, OutgoingMessage, header, sequence, status};
use crate::pipe;
use crate::presence::{self, Announcement, GOODBYE, PresentWorker};
use crate::queue::{GONE, JobQueue, QueuedJob};
use crate::server::calls;
use crate::unit::{
    self, JobId, JobResult, MESSAGE_BYTES_MAX, ResultFault, ResultHead, UnitHead, job_id,
};
use juror_core::blob::Digest;
use juror_core::judgement::JudgeError;
use juror_core::text::{hex, printable};
use juror_remote::frame::{Peer, encode_frame};
use juror_remote::message::{
    MessageFromWorker, MessageToWorker, RequestId, WorkerFacts, encode_failure,
};

/// How many units may be on their way to the server: more make a server that syncs slower.
const SENDING_MAX: usize = 32;

/// How many jobs wait here for each slot, so that short runs can share units.
const QUEUE_PER_SLOT: usize = 12;

/// How long a worker may take to announce itself.
const ANNOUNCED: Duration = Duration::from_secs(5);

/// A bit more than the interval between a worker's announcements.
const ROUND: Duration = Duration::from_millis(1200);

/// How long to wait without a server or workers before giving up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often units without news are looked for.
const TICK: Duration = Duration::from_millis(500);

/// After how long without news a unit is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// A unit that was not found this many times is lost.
const MISSING_MAX: u32 = 3;

/// How long cleaning up may take: the side that sends jobs waits for it.
const TIDY: Duration = Duration::from_secs(2);

/// How many pieces of a blob wait for the server.
const PIECES_MAX: usize = 8;

/// The blobs that juror sends, by stream.
type Uploads = Arc<Mutex<HashMap<RequestId, mpsc::Sender<BlobPiece>>>>;

enum BlobPiece {
    Bytes { bytes: Vec<u8>, is_last: bool },
    Unreadable(String),
}

enum Event {
    FromJuror(MessageToWorker, Vec<u8>),
    JurorEnded(Result<(), String>),
    Announced(Message),
    ResultArrived(Message),
    /// A result with all its parts, or why it cannot be used.
    ResultRead {
        subject: String,
        head: ResultHead,
        frames: Result<Vec<u8>, &'static str>,
    },
    /// Whether the server has the blob.
    BlobLooked(Digest, Result<bool, StoreFault>),
    BlobStored(Digest, Result<(), StoreFault>),
    UnitSent(String, Result<(), StoreFault>),
    /// Whether a unit waits on the server, and its result.
    UnitLooked {
        unit: String,
        is_waiting: bool,
        result: Option<Message>,
    },
    Reconnected,
}

/// A unit that was sent.
struct UnitInFlight {
    lane: Lane,
    jobs: Vec<QueuedJob>,
    /// When it was last looked for. `None` until it is sent.
    looked: Option<Instant>,
    /// How often it was not found.
    missing: u32,
}

/// Takes jobs from the pipe until it ends or `end` gets a message. `slots` is how many programs run at once, as far as
/// juror is told; by default those of the workers that are there.
///
/// # Errors
/// If the server cannot be used, no worker is there, or either is away for too long.
pub async fn submit(
    address: &NatsAddress,
    slots: Option<usize>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    end: oneshot::Receiver<()>,
) -> Result<(), JudgeError> {
    let link = Link::open(address, Some(PATIENCE)).await?;
    if calls::is_workers_link(&link).await {
        let what = format!("send jobs to {}", address.name);
        return Err(JudgeError::new(what, "this is a worker's key, and workers cannot send jobs")
            .help("use a submitter's key; `juror-nats init` writes it to `submitter/nats.key`"));
    }
    layout::prepare(&link, address.copies()).await?;
    let (class, members, others) = find_class(&link, &address.name).await?;
    layout::prepare_class(&link, &class).await?;
    let (events, mut heard) = mpsc::unbounded_channel();
    let uploads = Uploads::default();
    listen(input, &events, &uploads)?;
    let ended = events.clone();
    tokio::spawn(async move {
        // Without the sender there is no signal.
        if end.await.is_ok() {
            _ = ended.send(Event::JurorEnded(Ok(())));
        }
    });
    let Some(Event::FromJuror(MessageToWorker::Session(session), _)) = heard.recv().await else {
        return Err(JudgeError::new("read jobs", "no session is named at their beginning")
            .help("let `juror judge --executor 'juror-nats submit ADDRESS'` start this"));
    };
    let mut submitter = Submitter {
        lane: address.lane,
        class,
        batch: hex(&session),
        secret: crate::random()?,
        copies: address.copies(),
        out: pipe::write_bytes(output)?,
        events,
        uploads,
        queue: JobQueue::default(),
        units: HashMap::new(),
        open: HashMap::new(),
        results: HashMap::new(),
        blobs: HashMap::new(),
        incomplete: Vec::new(),
        names: HashMap::new(),
        last_number: 0,
        sending: 0,
        seen: Instant::now(),
        link,
    };
    submitter.subscribe().await?;
    submitter.recover().await?;
    submitter.announce(&address.name, slots, members, others)?;
    let result = submitter.work(&mut heard).await;
    // What remains on the server expires.
    let _ = timeout(TIDY, submitter.tidy()).await;
    result
}

/// Reads what juror sends. Pieces of blobs go to those who store them: the pipe waits for them.
fn listen(
    input: impl Read + Send + 'static,
    events: &mpsc::UnboundedSender<Event>,
    uploads: &Uploads,
) -> Result<(), JudgeError> {
    let (events, ended) = (events.clone(), events.clone());
    let uploads = Arc::clone(uploads);
    let take = move |message, rest| {
        let (stream, piece) = match message {
            MessageToWorker::Piece { stream, is_last } => {
                (stream, BlobPiece::Bytes { bytes: rest, is_last })
            }
            MessageToWorker::BlobUnreadable { stream, reason } => {
                (stream, BlobPiece::Unreadable(reason))
            }
            message => return events.send(Event::FromJuror(message, rest)).is_ok(),
        };
        let upload = lock(&uploads).get(&stream).cloned();
        // One that was given up needs no more pieces.
        _ = upload.map(|upload| upload.blocking_send(piece));
        true
    };
    // The program may have ended.
    pipe::read_frames(input, Peer::Sender, take, move |end| _ = ended.send(Event::JurorEnded(end)))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The workers that are alike: their class, its members by their unique names, and workers that are not alike.
type WorkerClass = (String, Vec<(String, Announcement)>, Vec<Announcement>);

/// Waits for the first worker, and a moment for the others. All are alike, unless two that are not started at once:
/// then those with more slots are used.
async fn find_class(link: &Link, name: &str) -> Result<WorkerClass, JudgeError> {
    let fault = |reason: String| JudgeError::new(format!("find workers at {name}"), reason);
    let end = Instant::now() + ANNOUNCED;
    let mut has_waited = false;
    let mut present = Vec::new();
    loop {
        let found = presence::present_workers(link).await;
        let found = found.map_err(|silence| fault(silence.to_string()))?;
        let is_usable = found.iter().any(|it| it.announcement.is_some());
        if is_usable && (!has_waited || !present.is_empty()) {
            present = found;
            break;
        }
        if !is_usable && Instant::now() >= end {
            let reason = match found.len() {
                0 => "no worker has announced itself".to_owned(),
                others => format!("{others} are there, and all are another juror"),
            };
            let help = format!("start some with `juror-nats work {name} -- juror worker --stdio`");
            return Err(fault(reason).help(help));
        }
        has_waited = true;
        sleep(if is_usable { ROUND } else { Duration::from_millis(100) }).await;
        present = if is_usable { found } else { Vec::new() };
    }
    let mut classes: BTreeMap<String, Vec<(String, Announcement)>> = BTreeMap::new();
    for PresentWorker { class, id, announcement, .. } in present {
        let members = announcement.map(|it| (id, it));
        classes.entry(class).or_default().extend(members);
    }
    let slots = |members: &[(String, Announcement)]| -> usize {
        members.iter().map(|(_, it)| it.facts.slots).sum()
    };
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, members)| slots(members));
    let (class, members) = classes.pop().unwrap_or_default();
    let others = classes.into_iter().flat_map(|(_, members)| members).map(|(_, it)| it);
    Ok((class, members, others.collect()))
}

struct Submitter {
    link: Link,
    lane: Lane,
    class: String,
    batch: String,
    secret: String,
    copies: usize,
    out: std::sync::mpsc::Sender<Vec<u8>>,
    events: mpsc::UnboundedSender<Event>,
    uploads: Uploads,
    queue: JobQueue,
    /// Units without result, by name.
    units: HashMap<String, UnitInFlight>,
    /// Jobs without result, and their numbers.
    open: HashMap<JobId, RequestId>,
    /// Results of jobs that were not sent again yet.
    results: HashMap<JobId, (JobResult, String)>,
    /// Blobs that the server has; false for those on their way.
    blobs: HashMap<Digest, bool>,
    /// Jobs that wait for these blobs.
    incomplete: Vec<(QueuedJob, HashSet<Digest>)>,
    /// The display names of workers, by their unique names.
    names: HashMap<String, String>,
    /// Numbers streams and units.
    last_number: u64,
    sending: usize,
    /// When a worker last announced itself.
    seen: Instant,
}

impl Submitter {
    async fn work(&mut self, heard: &mut mpsc::UnboundedReceiver<Event>) -> Result<(), JudgeError> {
        let mut tick = Instant::now();
        loop {
            let now = Instant::now();
            if now >= tick {
                tick = now + TICK;
                self.look_after()?;
            }
            let held = self.send_units().unwrap_or(TICK);
            match timeout(held.min(tick - now), heard.recv()).await {
                Ok(Some(Event::JurorEnded(end))) => {
                    let fault = |reason| JudgeError::new("read jobs", reason);
                    return end.map_err(fault);
                }
                Ok(Some(event)) => self.handle(event)?,
                Ok(None) => return Ok(()),
                Err(_) => {}
            }
        }
    }

    /// Does something that waits for the server, and reports it.
    fn aside(&self, work: impl Future<Output = Event> + Send + 'static) {
        let events = self.events.clone();
        // The program may have ended.
        tokio::spawn(async move { _ = events.send(work.await) });
    }

    fn say(&self, message: &MessageFromWorker) {
        // If nobody reads, the input ends, too.
        _ = encode_frame(message, &[]).map(|bytes| self.out.send(bytes));
    }

    async fn subscribe(&self) -> Result<(), JudgeError> {
        let sender = |event: fn(Message) -> Event| {
            let events = self.events.clone();
            move |message| events.send(event(message)).is_ok()
        };
        let results = layout::result(&self.batch, "*");
        self.link.subscribe(results, sender(Event::ResultArrived)).await?;
        let announced = format!("worker.{}.>", self.class);
        self.link.subscribe(announced, sender(Event::Announced)).await?;
        let events = self.events.clone();
        self.link.report_reconnections(move || events.send(Event::Reconnected).is_ok());
        Ok(())
    }

    /// Reads the results that are already there, and removes units that nobody has taken: their jobs are sent again.
    async fn recover(&mut self) -> Result<(), JudgeError> {
        let fault = |silence: NoReply| JudgeError::new("look for results on the server", silence);
        layout::purge(&self.link, JOBS, &format!("job.*.*.{}.>", self.batch)).await;
        let mut next = 1;
        loop {
            let subject = layout::result(&self.batch, "*");
            let body = json!({ "seq": next, "next_by_subj": subject }).to_string();
            let call = OutgoingMessage::new(format!("$JS.API.DIRECT.GET.{RESULTS}"), body);
            let message = self.link.request(&call).await.map_err(fault)?;
            let Some(sequence) = sequence(&message).filter(|it| *it >= next) else {
                return Ok(());
            };
            next = sequence + 1;
            let subject = header(&message, "Nats-Subject").unwrap_or_default().to_owned();
            let Some((head, frames)) = unit::read::<ResultHead>(&message.payload) else { continue };
            let frames = read_parts(&self.link, &subject, &head, frames).await.map_err(fault)?;
            self.settle(&subject, &head, frames);
        }
    }

    /// Greets juror.
    fn announce(
        &mut self,
        name: &str,
        slots: Option<usize>,
        members: Vec<(String, Announcement)>,
        others: Vec<Announcement>,
    ) -> Result<(), JudgeError> {
        let Some((_, first)) = members.first().cloned() else {
            return Err(JudgeError::new("find workers", "there is none"));
        };
        let sum = members.iter().map(|(_, it)| it.facts.slots).sum();
        let slots = slots.unwrap_or(sum);
        let queue = slots * QUEUE_PER_SLOT;
        let facts = WorkerFacts { name: name.to_owned(), slots, queue, ..first.facts.clone() };
        let greeting = Peer::Worker.greeting().into_bytes();
        _ = self.out.send(greeting);
        self.say(&MessageFromWorker::Ready(facts));
        for (id, member) in members {
            self.add_member(id, member.facts);
        }
        for other in others {
            let difference = first.difference(&other).unwrap_or_default();
            let message = format!("this worker is not used: {difference}");
            self.say(&MessageFromWorker::Warning { worker: other.facts.name, message });
        }
        Ok(())
    }

    fn add_member(&mut self, id: String, facts: WorkerFacts) {
        let name = self.name_of(&id, &facts.name);
        self.say(&MessageFromWorker::Member(WorkerFacts { name, ..facts.clone() }));
        self.queue.members.insert(id, (facts, Instant::now()));
    }

    /// A worker's name in reports: that of its machine, with a number if it is not the only one there.
    fn name_of(&mut self, id: &str, machine: &str) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let is_free = |name: &String| self.names.values().all(|it| it != name);
        let numbered = (2..).map(|number| format!("{machine} ({number})"));
        let name =
            std::iter::once(machine.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
        self.names.insert(id.to_owned(), name.clone());
        name
    }

    fn handle(&mut self, event: Event) -> Result<(), JudgeError> {
        match event {
            Event::FromJuror(message, rest) => self.accept(message, &rest)?,
            Event::JurorEnded(_) => {}
            Event::Announced(message) => self.hear_of(&message),
            Event::ResultArrived(message) => self.receive(&message),
            Event::ResultRead { subject, head, frames } => self.settle(&subject, &head, frames),
            Event::BlobLooked(digest, Ok(true)) => self.note_blob(digest, Ok(()))?,
            Event::BlobLooked(digest, Ok(false)) => self.request_blob(digest),
            Event::BlobLooked(digest, Err(fault)) => self.note_blob(digest, Err(fault))?,
            Event::BlobStored(digest, stored) => self.note_blob(digest, stored)?,
            Event::UnitSent(unit, sent) => self.note_unit(&unit, sent)?,
            Event::UnitLooked { result: Some(message), .. } => self.receive(&message),
            Event::UnitLooked { unit, is_waiting, result: None } => {
                self.note_missing(&unit, is_waiting)
            }
            Event::Reconnected => {
                self.seen = Instant::now();
                self.look_for_units(true);
                let (link, copies) = (self.link.clone(), self.copies);
                // A server that was started anew has forgotten where workers announce themselves.
                tokio::spawn(async move { _ = layout::prepare(&link, copies).await });
            }
        }
        Ok(())
    }

    /// Takes a job.
    fn accept(&mut self, message: MessageToWorker, rest: &[u8]) -> Result<(), JudgeError> {
        let bytes: Arc<[u8]> = encode_frame(&message, &[rest])?.into();
        let id = job_id(&self.batch, &bytes);
        let mut job = QueuedJob {
            number: 0,
            id,
            bytes,
            blobs: Vec::new(),
            posted: Instant::now(),
            is_lone: true,
            program: 0,
            lane: self.lane,
            lost: 0,
        };
        match message {
            MessageToWorker::Run(head) => {
                job.number = head.number;
                job.is_lone = head.is_exclusive;
                job.program = head.program;
                job.blobs = head.blobs;
                if head.is_long {
                    job.lane = Lane::Batch;
                }
            }
            MessageToWorker::FindTool { number, .. } => job.number = number,
            // Pieces went to those who store them.
            _ => return Ok(()),
        }
        self.open.insert(id, job.number);
        if let Some((result, name)) = self.results.remove(&id) {
            self.deliver(id, result, &name);
            return Ok(());
        }
        self.enqueue(job);
        Ok(())
    }

    /// Queues a job as soon as the server has its blobs.
    fn enqueue(&mut self, job: QueuedJob) {
        let mut missing = HashSet::new();
        for digest in &job.blobs {
            if self.blobs.get(digest) == Some(&true) {
                continue;
            }
            missing.insert(*digest);
            if self.blobs.insert(*digest, false).is_none() {
                let (link, digest) = (self.link.clone(), *digest);
                self.aside(
                    async move { Event::BlobLooked(digest, bucket::has(&link, &digest).await) },
                );
            }
        }
        if missing.is_empty() {
            self.queue.waiting.push_back(job);
        } else {
            self.incomplete.push((job, missing));
        }
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Gets a blob from juror, and stores it.
    fn request_blob(&mut self, digest: Digest) {
        let stream = self.next_number();
        let (sender, mut pieces) = mpsc::channel(PIECES_MAX);
        lock(&self.uploads).insert(stream, sender);
        self.say(&MessageFromWorker::BlobNeeded { stream, digest });
        let (link, uploads) = (self.link.clone(), Arc::clone(&self.uploads));
        self.aside(async move {
            let stored = store_blob(link, digest, &mut pieces).await;
            lock(&uploads).remove(&stream);
            Event::BlobStored(digest, stored)
        });
    }

    fn note_blob(
        &mut self,
        digest: Digest,
        stored: Result<(), StoreFault>,
    ) -> Result<(), JudgeError> {
        let fault = match stored {
            Ok(()) => None,
            Err(fault) => Some(send_fault(fault)?),
        };
        match fault {
            None => self.blobs.insert(digest, true),
            Some(_) => self.blobs.remove(&digest),
        };
        for (job, missing) in &mut self.incomplete {
            if missing.remove(&digest) && fault.is_some() {
                // Other jobs may still be small enough.
                missing.clear();
                job.lost = MOST_LOST;
            }
        }
        let ready = self.incomplete.extract_if(.., |(_, missing)| missing.is_empty());
        for (job, _) in ready.collect::<Vec<_>>() {
            match &fault {
                Some(fault) if job.lost >= MOST_LOST => self.fail(&job, fault.clone()),
                _ => self.queue.waiting.push_back(job),
            }
        }
        Ok(())
    }

    /// Sends what must be sent now. Returns how long the next unit may wait for more jobs.
    fn send_units(&mut self) -> Option<Duration> {
        while self.sending < SENDING_MAX && self.queue.must_send() {
            let jobs = self.queue.take();
            let lane = jobs.first()?.lane;
            let mut hasher = Sha256::new();
            hasher.update(&self.secret);
            hasher.update(self.next_number().to_le_bytes());
            jobs.iter().for_each(|job| hasher.update(&job.bytes));
            let name = hex(&hasher.finalize()[..16]);
            let head = UnitHead { batch: self.batch.clone(), unit: name.clone(), stored: None };
            let subject = layout::job(lane, &self.class, &self.batch, &name);
            let frames: Vec<_> = jobs.iter().map(|job| Arc::clone(&job.bytes)).collect();
            let (link, unit) = (self.link.clone(), name.clone());
            self.aside(async move {
                Event::UnitSent(unit, send_unit(&link, subject, head, frames).await)
            });
            self.sending += 1;
            self.queue.in_flight += 1;
            self.units.insert(name, UnitInFlight { lane, jobs, looked: None, missing: 0 });
        }
        self.queue.held_for().filter(|_| self.sending < SENDING_MAX)
    }

    fn note_unit(&mut self, unit: &str, sent: Result<(), StoreFault>) -> Result<(), JudgeError> {
        self.sending -= 1;
        match sent {
            Ok(()) => {
                if let Some(in_flight) = self.units.get_mut(unit) {
                    in_flight.looked = Some(Instant::now());
                }
            }
            Err(fault) => {
                let fault = send_fault(fault)?;
                for job in self.land(unit) {
                    self.fail(&job, fault.clone());
                }
            }
        }
        Ok(())
    }

    /// Removes a unit that is no longer under way.
    fn land(&mut self, unit: &str) -> Vec<QueuedJob> {
        let Some(in_flight) = self.units.remove(unit) else { return Vec::new() };
        self.queue.in_flight -= 1;
        in_flight.jobs
    }

    fn fail(&mut self, job: &QueuedJob, error: JudgeError) {
        if self.open.remove(&job.id).is_some() {
            // If nobody reads, the input ends, too.
            _ = encode_failure(job.number, error).map(|bytes| self.out.send(bytes));
        }
    }

    fn deliver(&mut self, id: JobId, result: JobResult, name: &str) {
        if let Some(number) = self.open.remove(&id) {
            _ = self.out.send(result.for_sender(number, name));
        }
    }

    /// Handles a result as it is written.
    fn receive(&mut self, message: &Message) {
        let subject = header(message, "Nats-Subject").unwrap_or(message.subject.as_str());
        let subject = subject.to_owned();
        // A message without content only asks whether there is a result.
        if message.payload.is_empty() {
            return;
        }
        let Some((head, frames)) = unit::read::<ResultHead>(&message.payload) else {
            return self.again(unit_of(&subject), "", "it sends something that is not a result");
        };
        if head.part.is_none() {
            return self.settle(&subject, &head, Ok(frames));
        }
        let link = self.link.clone();
        let events = self.events.clone();
        tokio::spawn(async move {
            // Without a connection, the result is looked for later.
            if let Ok(frames) = read_parts(&link, &subject, &head, frames).await {
                _ = events.send(Event::ResultRead { subject, head, frames });
            }
        });
    }

    /// Brings the results of a unit to juror. The unit may be of this program's earlier start.
    fn settle(&mut self, subject: &str, head: &ResultHead, frames: Result<Vec<u8>, &'static str>) {
        let unit = unit_of(subject);
        let member = self.queue.members.get(&head.worker).map(|(facts, _)| facts.name.clone());
        let name = member.unwrap_or_else(|| "a worker".to_owned());
        let name = self.name_of(&head.worker, &name);
        if let Some(fault) = &head.fault {
            return self.handle_fault(subject, &name, fault);
        }
        let results = frames.and_then(|frames| JobResult::split(head, frames));
        let results = match results {
            Ok(results) => results,
            Err(reason) => return self.again(unit, &name, reason),
        };
        let times: Vec<f64> = results.iter().filter_map(|(_, it)| it.run_time()).collect();
        let jobs = self.land(unit);
        if let (Some(first), false) = (jobs.first(), times.is_empty()) {
            self.queue.learn(first.program, times.iter().sum::<f64>() / times.len() as f64);
        }
        let is_ours = !jobs.is_empty();
        for (id, result) in results {
            if !is_ours && !self.open.contains_key(&id) {
                self.results.insert(id, (result, name.clone()));
                continue;
            }
            self.deliver(id, result, &name);
            if !is_ours {
                self.queue.waiting.retain(|job| job.id != id);
            }
        }
        let unanswered = jobs.into_iter().filter(|job| self.open.contains_key(&job.id));
        let unanswered: Vec<_> = unanswered.collect();
        if !unanswered.is_empty() {
            self.send_again(unanswered, &name, "it does not answer all");
        }
    }

    fn handle_fault(&mut self, subject: &str, name: &str, fault: &ResultFault) {
        let unit = unit_of(subject);
        match fault {
            ResultFault::MissingBlob => {
                let jobs = self.units.get(unit).into_iter().flat_map(|it| &it.jobs);
                for digest in jobs.flat_map(|job| &job.blobs) {
                    self.blobs.remove(digest);
                }
                self.again(unit, name, "it could not get a file from the server");
            }
            ResultFault::Interrupted => self.again(unit, name, "it was asked to end"),
            ResultFault::GivenUp => {
                let what = format!("{MOST_LOST} workers were lost while they ran it");
                let help = "check those machines' messages; they may lack memory";
                let error = JudgeError::new("run a program on a worker", what).help(help);
                for job in self.land(unit) {
                    self.fail(&job, error.clone());
                }
            }
            ResultFault::Refused(reason) => {
                // Its stored parts take up room that others need.
                let (link, parts) = (self.link.clone(), format!("{subject}.>"));
                tokio::spawn(async move { layout::purge(&link, RESULTS, &parts).await });
                let reason = format!("the server did not store it: {}", printable(reason));
                self.again(unit, name, &reason);
            }
        }
    }

    /// Sends the jobs of a unit again whose result from this worker cannot be used.
    fn again(&mut self, unit: &str, worker: &str, reason: &str) {
        let jobs = self.land(unit);
        if !jobs.is_empty() {
            self.send_again(jobs, worker, reason);
        }
    }

    /// Those that were sent too often fail; the others get a unit of their own.
    fn send_again(&mut self, jobs: Vec<QueuedJob>, worker: &str, reason: &str) {
        let worker = if worker.is_empty() { "a worker" } else { worker }.to_owned();
        let message = format!("its result was not used: {reason}");
        self.say(&MessageFromWorker::Warning { worker, message });
        for mut job in jobs {
            job.lost += 1;
            job.is_lone = true;
            if job.lost < MOST_LOST {
                self.enqueue(job);
                continue;
            }
            let what = format!("it failed {MOST_LOST} times; the last time: {reason}");
            let help = "check what the workers say on their machines, and whether the server has room: `juror-nats status`";
            self.fail(&job, JudgeError::new("run a program on a worker", what).help(help));
        }
    }

    fn hear_of(&mut self, message: &Message) {
        self.seen = Instant::now();
        let Some(present) = presence::read(&message.subject, &message.payload) else { return };
        if message.payload == GOODBYE {
            self.queue.members.remove(&present.id);
            return;
        }
        match self.queue.members.get_mut(&present.id) {
            Some(member) => member.1 = self.seen,
            None => {
                if let Some(announcement) = present.announcement {
                    self.add_member(present.id, announcement.facts);
                }
            }
        }
    }

    /// Reports that this program is there, and gives up if the server or all workers are not.
    fn look_after(&mut self) -> Result<(), JudgeError> {
        let away = self.link.away();
        if away.is_some() {
            self.seen = Instant::now();
        }
        let silent = self.seen.elapsed();
        let lost = match away {
            Some(away) if away > PATIENCE => Some(NoReply::Unreachable(away).to_string()),
            _ if silent > PATIENCE => {
                Some(format!("no worker has announced itself for {} s", silent.as_secs()))
            }
            _ => None,
        };
        if let Some(reason) = lost {
            return Err(JudgeError::new("run programs on workers", reason));
        }
        self.say(&MessageFromWorker::Heartbeat);
        self.queue
            .members
            .retain(|_, (_, seen)| away.is_some() || seen.elapsed() < GONE + PATIENCE);
        if away.is_none() {
            self.look_for_units(false);
        }
        Ok(())
    }

    /// Looks for the results of units without recent news.
    fn look_for_units(&mut self, is_new: bool) {
        let mut late = Vec::new();
        for (unit, in_flight) in &mut self.units {
            if in_flight.looked.is_some_and(|looked| is_new || looked.elapsed() > LOOK) {
                in_flight.looked = Some(Instant::now());
                let job = layout::job(in_flight.lane, &self.class, &self.batch, unit);
                late.push((unit.clone(), job, layout::result(&self.batch, unit)));
            }
        }
        for (unit, job, result) in late {
            let (link, events) = (self.link.clone(), self.events.clone());
            tokio::spawn(async move {
                let get = |stream: &str, subject: &str| {
                    OutgoingMessage::new(format!("$JS.API.DIRECT.GET.{stream}.{subject}"), b"")
                };
                // Without an answer, it is looked for later.
                let Ok(waiting) = link.request(&get(JOBS, &job)).await else { return };
                let Ok(result) = link.request(&get(RESULTS, &result)).await else { return };
                let is_waiting = status(&waiting).is_none();
                let result = Some(result).filter(|it| status(it).is_none());
                _ = events.send(Event::UnitLooked { unit, is_waiting, result });
            });
        }
    }

    /// Handles a unit without result. If the unit is not on the server either, it is lost, unless a server lags
    /// behind.
    fn note_missing(&mut self, unit: &str, is_waiting: bool) {
        let Some(in_flight) = self.units.get_mut(unit) else { return };
        in_flight.missing = if is_waiting { 0 } else { in_flight.missing + 1 };
        if in_flight.missing >= MISSING_MAX {
            self.again(unit, "", "it took a job away and wrote no result");
        }
    }

    /// Removes from the server what nobody waits for any more. A worker that still runs a unit finds an empty result
    /// when it writes its own, which the server then refuses.
    async fn tidy(&self) {
        if self.link.away().is_none() {
            layout::purge(&self.link, JOBS, &format!("job.*.*.{}.>", self.batch)).await;
            layout::purge(&self.link, RESULTS, &format!("res.{}.>", self.batch)).await;
            for unit in self.units.keys() {
                let subject = layout::result(&self.batch, unit);
                let empty = OutgoingMessage::new(subject.clone(), b"");
                if layout::store(&self.link, &empty).await.is_ok_and(|it| it.is_err()) {
                    // It was written meanwhile.
                    layout::purge(&self.link, RESULTS, &format!("{subject}.>")).await;
                    layout::purge(&self.link, RESULTS, &subject).await;
                }
            }
        }
        self.link.flush().await;
    }
}

/// The unit of a result's subject.
fn unit_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// The fault of jobs that could not be sent. Fails if no job can be sent.
fn send_fault(fault: StoreFault) -> Result<JudgeError, JudgeError> {
    let error = JudgeError::new("send a job to the server", &fault);
    match fault {
        StoreFault::NoReply(NoReply::Unreachable(_)) => Err(error),
        // A server whose disk is full says nothing.
        _ => Ok(error.help("check its disk and the limits of JetStream")),
    }
}

/// Stores a unit, after the blob with its jobs if they are long.
async fn send_unit(
    link: &Link,
    subject: String,
    mut head: UnitHead,
    frames: Vec<Arc<[u8]>>,
) -> Result<(), StoreFault> {
    let invalid = |error: JudgeError| StoreFault::Invalid(error.to_string());
    let pieces: Vec<&[u8]> = frames.iter().map(|frame| &**frame).collect();
    let unit = head.unit.clone();
    let bytes = if pieces.iter().map(|it| it.len()).sum::<usize>() > MESSAGE_BYTES_MAX {
        let whole = pieces.concat();
        let digest = Digest(Sha256::digest(&whole).into());
        let mut upload = BlobUpload::new(link.clone(), digest)?;
        for piece in whole.chunks(MESSAGE_BYTES_MAX) {
            upload.push(piece.to_vec()).await?;
        }
        upload.finish().await?;
        head.stored = Some(digest);
        encode_frame(&head, &[]).map_err(invalid)?
    } else {
        encode_frame(&head, &pieces).map_err(invalid)?
    };
    // The server stores it once, however often it is sent.
    let call = OutgoingMessage::new(subject, bytes).with_header("Nats-Msg-Id", unit);
    bucket::store(link, &call).await
}

/// Stores a blob whose pieces arrive.
async fn store_blob(
    link: Link,
    digest: Digest,
    pieces: &mut mpsc::Receiver<BlobPiece>,
) -> Result<(), StoreFault> {
    let mut upload = BlobUpload::new(link, digest)?;
    let stored = loop {
        let stored = match pieces.recv().await {
            Some(BlobPiece::Bytes { bytes, is_last }) => match upload.push(bytes).await {
                Ok(()) if !is_last => continue,
                Ok(()) => upload.finish().await,
                Err(fault) => Err(fault),
            },
            Some(BlobPiece::Unreadable(reason)) => Err(StoreFault::Invalid(reason)),
            None => Err(StoreFault::Invalid("a file was not sent".to_owned())),
        };
        break stored;
    };
    if stored.is_err() {
        upload.abandon().await;
    }
    stored
}

/// The frames of a result, with its parts.
async fn read_parts(
    link: &Link,
    subject: &str,
    head: &ResultHead,
    last: Vec<u8>,
) -> Result<Result<Vec<u8>, &'static str>, NoReply> {
    let Some(part) = &head.part else { return Ok(Ok(last)) };
    if !unit::is_name(&part.id) {
        return Ok(Err("it names no parts"));
    }
    let mut frames = Vec::new();
    for number in 0..part.count {
        let subject = format!("$JS.API.DIRECT.GET.{RESULTS}.{subject}.{}.{number}", part.id);
        let message = link.request_stored(&OutgoingMessage::new(subject, b"")).await?;
        if status(&message).is_some() {
            return Ok(Err("it did not write all of its result"));
        }
        frames.extend(&message.payload);
    }
    frames.extend(last);
    Ok(Ok(frames))
}
