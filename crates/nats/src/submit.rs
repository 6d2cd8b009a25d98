//! The judge's side: speaks the pipe as if it were one worker, and gives its jobs to the workers behind a server.
//!
//! One task decides. Other tasks wait for the server: they store blobs and units, and look for results. The side that
//! sends jobs may start this program once more with the same session: results that are on the server are used then.

mod class;
mod results;
mod units;

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::Message;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use self::class::find_class;
use self::units::{BlobPiece, Uploads, lock};
use crate::address::{Lane, NatsAddress};
use crate::bucket::StoreFault;
use crate::layout::{self, JOBS, RESULTS};
use crate::link::{Link, NoReply, OutgoingMessage};
use crate::pipe;
use crate::presence::{self, Announcement, GOODBYE};
use crate::queue::{GONE, JobQueue, QueuedJob};
use crate::server::calls;
use crate::unit::{JobId, JobResult, ResultHead, job_id};
use juror_core::blob::Digest;
use juror_core::judgement::JudgeError;
use juror_core::text::hex;
use juror_remote::frame::{Peer, encode_frame};
use juror_remote::message::{
    MessageFromWorker, MessageToWorker, RequestId, RunHead, WorkerFacts, encode_failure,
};

/// How many jobs wait here for each slot, so that short runs can share units.
const QUEUE_PER_SLOT: usize = 12;

/// How long to wait without a server or workers before giving up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often units without news are looked for.
const TICK: Duration = Duration::from_millis(500);

/// How long cleaning up may take: the side that sends jobs waits for it.
const TIDY: Duration = Duration::from_secs(2);

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
    /// The server does not have the blob.
    BlobMissing(Digest),
    BlobStored(Digest, Result<(), StoreFault>),
    UnitSent(String, Result<(), StoreFault>),
    /// Whether a unit without result waits on the server.
    UnitLooked {
        unit: String,
        is_waiting: bool,
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
        let sum = members.iter().map(|(_, announcement)| announcement.facts.slots).sum();
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
        let is_free = |name: &String| self.names.values().all(|used| used != name);
        let numbered = (2..).map(|number| format!("{machine} ({number})"));
        let name =
            std::iter::once(machine.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
        self.names.insert(id.to_owned(), name.clone());
        name
    }

    fn handle(&mut self, event: Event) -> Result<(), JudgeError> {
        match event {
            Event::FromJuror(MessageToWorker::Cancel { number }, _) => self.cancel(number),
            Event::FromJuror(message, rest) => self.accept(message, &rest)?,
            Event::JurorEnded(_) => {}
            Event::Announced(message) => self.hear_of(&message),
            Event::ResultArrived(message) => self.receive(&message),
            Event::ResultRead { subject, head, frames } => self.settle(&subject, &head, frames),
            Event::BlobMissing(digest) => self.request_blob(digest),
            Event::BlobStored(digest, stored) => self.note_blob(digest, stored)?,
            Event::UnitSent(unit, sent) => self.note_unit(&unit, sent)?,
            Event::UnitLooked { unit, is_waiting } => self.note_missing(&unit, is_waiting),
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
        let head = match message {
            MessageToWorker::Run(head) => head,
            MessageToWorker::FindTool { number, .. } => {
                RunHead { number, is_exclusive: true, ..RunHead::default() }
            }
            // Pieces went to those who store them.
            _ => return Ok(()),
        };
        let lane = if head.is_long { Lane::Batch } else { self.lane };
        self.open.insert(id, head.number);
        if let Some((result, name)) = self.results.remove(&id) {
            self.deliver(id, result, &name);
            return Ok(());
        }
        self.enqueue(QueuedJob { head, id, bytes, posted: Instant::now(), lane, lost: 0 });
        Ok(())
    }

    /// Drops a job, or the result of one that was sent already.
    fn cancel(&mut self, number: RequestId) {
        // It may have a result already.
        if self.open.extract_if(|_, open| *open == number).next().is_none() {
            return;
        }
        self.queue.waiting.retain(|job| job.head.number != number);
        self.incomplete.retain(|(job, _)| job.head.number != number);
        self.say(&MessageFromWorker::RunInterrupted { number });
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
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
            _ = encode_failure(job.head.number, error).map(|bytes| self.out.send(bytes));
        }
    }

    fn deliver(&mut self, id: JobId, result: JobResult, name: &str) {
        if let Some(number) = self.open.remove(&id) {
            _ = self.out.send(result.for_sender(number, name));
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

    /// Removes from the server what nobody waits for any more. A worker that still runs a unit finds an empty result
    /// when it writes its own, which the server then refuses.
    async fn tidy(&self) {
        if self.link.away().is_none() {
            layout::purge(&self.link, JOBS, &format!("job.*.*.{}.>", self.batch)).await;
            layout::purge(&self.link, RESULTS, &format!("res.{}.>", self.batch)).await;
            for unit in self.units.keys() {
                let subject = layout::result(&self.batch, unit);
                let empty = OutgoingMessage::new(subject.clone(), b"");
                if layout::store(&self.link, &empty).await.is_ok_and(|stored| stored.is_err()) {
                    // It was written meanwhile.
                    layout::purge(&self.link, RESULTS, &format!("{subject}.>")).await;
                    layout::purge(&self.link, RESULTS, &subject).await;
                }
            }
        }
        self.link.flush().await;
    }
}
