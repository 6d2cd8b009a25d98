//! The worker's side: takes units from a server, hands their jobs to a worker through its pipe, and writes the results.
//!
//! One task decides. Other tasks wait for the server: for blobs, and until a result is written. A unit is kept as long
//! as this program says so each second. Once the result is written, the server drops the unit.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use async_nats::Message;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::address::{Lane, NatsAddress};
use crate::bucket::{self, StoreFault};
use crate::layout::{self, JOBS, MOST_LOST};
use crate::link::{Link, NoReply, OutgoingMessage, status};
use crate::pipe;
use crate::presence::{self, Announcement, GOODBYE};
use crate::unit::{
    self, JOBS_MAX, JobId, MESSAGE_BYTES_MAX, ResultFault, ResultHead, ResultPart, UnitHead,
    job_id, job_of,
};
use juror_core::judgement::{JudgeError, Retry};
use juror_core::language::tool::TOOLS;
use juror_core::text::printable;
use juror_remote::frame::{Peer, encode_frame};
use juror_remote::message::{
    MessageFromWorker, MessageToWorker, RequestId, RunHead, SessionId, WorkerFacts,
};
use juror_remote::serve::EXTRA_JOBS;

/// How often the worker reports that it is there and works.
const BEAT: Duration = Duration::from_secs(1);

/// After how long the server answers a request for units if there is none.
const EXPIRES: Duration = Duration::from_secs(10);

/// How long to wait before asking again if nobody could answer, or the server is not there yet.
const RETRY: Duration = Duration::from_millis(200);

/// How long after a live unit a slot is kept free for the next.
const LIVELY: Duration = Duration::from_secs(5);

/// How long a worker may take to find its tools.
const START: Duration = Duration::from_secs(60);

enum Event {
    FromWorker(MessageFromWorker, Vec<u8>),
    WorkerEnded(Result<(), String>),
    /// A reply to a request for units of this lane.
    UnitArrived(Lane, Message),
    UnitOpened(String, OpenedUnit),
    /// A blob cannot be had, for this reason.
    BlobMissing(RequestId, StoreFault),
    /// The result of a unit was written, or the server refuses it for this reason.
    ResultWritten(String, Result<(), String>),
    /// Other workers that have announced themselves, if the server says so.
    WorkersSeen(Vec<presence::PresentWorker>),
    Reconnected,
    End,
}

/// The frames of a unit to run, or why it has no results. `None` if there is a result.
type OpenedUnit = Result<Option<Vec<u8>>, ResultFault>;

/// A unit that this worker has.
#[derive(Default)]
struct HeldUnit {
    head: UnitHead,
    /// The subject to report progress and completion on.
    ack: String,
    jobs: Vec<(JobId, RequestId)>,
    left: usize,
    frames: Vec<u8>,
    fault: Option<ResultFault>,
    /// Whether all its jobs have ended.
    is_over: bool,
}

/// Takes units until `end` gets a message. `input` and `output` are those of a worker. Waits for an unreachable server,
/// also at first. `tell` gets what an operator should know.
///
/// # Errors
/// If the worker ends, the server cannot be used, or other workers there are not like this one.
pub async fn work(
    address: &NatsAddress,
    input: impl Write + Send + 'static,
    output: impl Read + Send + 'static,
    end: oneshot::Receiver<()>,
    tell: impl Fn(&str),
) -> Result<(), JudgeError> {
    let (events, mut heard) = mpsc::unbounded_channel();
    let (frames, ended, stop) = (events.clone(), events.clone(), events.clone());
    pipe::read_frames(
        output,
        Peer::Worker,
        move |message, rest| frames.send(Event::FromWorker(message, rest)).is_ok(),
        // This program may have ended.
        move |end| _ = ended.send(Event::WorkerEnded(end)),
    )?;
    tokio::spawn(async move {
        // Without the sender there is no signal.
        if end.await.is_ok() {
            _ = stop.send(Event::End);
        }
    });
    let out = pipe::write_bytes(input)?;
    let asked = timeout(START, find_out(&out, &mut heard)).await;
    let silent = || JudgeError::new("start the worker", "it does not answer");
    let Some(announcement) = asked.map_err(|_| silent())?? else { return Ok(()) };
    let Some(link) = reach(address, &mut heard, &tell).await? else { return Ok(()) };
    let class = announcement.class();
    let id = crate::random()?[..16].to_owned();
    let mut units = UnitWorker {
        subject: presence::subject(&class, address.user(), &id),
        server: address.name.clone(),
        announcement,
        class,
        id,
        is_admitted: false,
        is_asking: false,
        units: HashMap::new(),
        unit_of: HashMap::new(),
        last_number: 0,
        out,
        events,
        asked: [0; 2],
        asked_at: [Instant::now(); 2],
        not_before: [Instant::now(); 2],
        last_live: None,
        link,
        tell: &tell,
    };
    units.subscribe().await?;
    let result = units.work(&mut heard).await;
    units.give_back().await;
    result
}

/// Connects; `None` if this program is asked to end before.
async fn reach(
    address: &NatsAddress,
    heard: &mut mpsc::UnboundedReceiver<Event>,
    tell: &impl Fn(&str),
) -> Result<Option<Link>, JudgeError> {
    let mut has_told = false;
    loop {
        match Link::open(address, None).await {
            Ok(link) => return Ok(Some(link)),
            Err(error) if error.again == Retry::Never => return Err(error),
            Err(error) => {
                if !std::mem::replace(&mut has_told, true) {
                    tell(&format!("{error}; tries until it can"));
                }
            }
        }
        let begun = Instant::now();
        while let Some(left) = RETRY.checked_sub(begun.elapsed()) {
            match timeout(left, heard.recv()).await {
                Ok(Some(Event::End)) => return Ok(None),
                Ok(Some(Event::WorkerEnded(end))) => return Err(ended_fault(end)),
                _ => {}
            }
        }
    }
}

fn ended_fault(end: Result<(), String>) -> JudgeError {
    let reason = end.err().unwrap_or_else(|| "it ended".to_owned());
    JudgeError::new("use the worker", reason)
        .help("start its command by hand: it prints `juror worker`, and waits")
}

fn send(out: &Sender<Vec<u8>>, message: &MessageToWorker) {
    // If nobody reads, the output ends, too.
    _ = encode_frame(message, &[]).map(|bytes| out.send(bytes));
}

/// Greets the worker, and asks for all tools that juror knows. `None` if this program is asked to end.
async fn find_out(
    out: &Sender<Vec<u8>>,
    heard: &mut mpsc::UnboundedReceiver<Event>,
) -> Result<Option<Announcement>, JudgeError> {
    _ = out.send(Peer::Sender.greeting().into_bytes());
    send(out, &MessageToWorker::Session(SessionId::default()));
    let words: Vec<String> = TOOLS.iter().map(|tool| tool.placeholder()).collect();
    for (number, word) in words.iter().enumerate() {
        let number = number as RequestId;
        send(out, &MessageToWorker::FindTool { number, word: word.clone() });
    }
    let mut facts: Option<WorkerFacts> = None;
    let mut tools = HashMap::new();
    loop {
        match heard.recv().await {
            Some(Event::FromWorker(MessageFromWorker::Ready(mut found), _)) => {
                found.clamp_numbers();
                facts = Some(found);
            }
            Some(Event::FromWorker(MessageFromWorker::ToolFound { number, answer }, _)) => {
                if let Some(word) = words.get(number as usize) {
                    tools.insert(word.clone(), answer);
                }
            }
            Some(Event::FromWorker(..)) => {}
            Some(Event::WorkerEnded(end)) => return Err(ended_fault(end)),
            _ => return Ok(None),
        }
        if let (Some(facts), true) = (&facts, tools.len() == words.len()) {
            if facts.slots == 0 {
                return Err(JudgeError::new("use the worker", "it runs no programs"));
            }
            let tools = tools.into_iter().collect();
            return Ok(Some(Announcement { facts: facts.clone(), tools }));
        }
    }
}

struct UnitWorker<'a> {
    link: Link,
    server: String,
    subject: String,
    announcement: Announcement,
    class: String,
    id: String,
    /// Whether all workers there are known to be like this one.
    is_admitted: bool,
    is_asking: bool,
    units: HashMap<String, HeldUnit>,
    /// The unit of each job that has not ended.
    unit_of: HashMap<RequestId, String>,
    last_number: RequestId,
    out: Sender<Vec<u8>>,
    events: mpsc::UnboundedSender<Event>,
    /// How many requests for units are open, by lane.
    asked: [usize; 2],
    asked_at: [Instant; 2],
    not_before: [Instant; 2],
    last_live: Option<Instant>,
    tell: &'a dyn Fn(&str),
}

impl UnitWorker<'_> {
    async fn subscribe(&self) -> Result<(), JudgeError> {
        for lane in Lane::ALL {
            let events = self.events.clone();
            let take = move |message| events.send(Event::UnitArrived(lane, message)).is_ok();
            self.link.subscribe(self.link.own_inbox(lane.name()), take).await?;
        }
        let events = self.events.clone();
        self.link.report_reconnections(move || events.send(Event::Reconnected).is_ok());
        Ok(())
    }

    async fn work(&mut self, heard: &mut mpsc::UnboundedReceiver<Event>) -> Result<(), JudgeError> {
        let mut next = Instant::now();
        loop {
            let now = Instant::now();
            if now >= next {
                next = now + BEAT;
                self.beat().await;
            }
            self.ask().await;
            let later = self.not_before.into_iter().filter(|time| *time > now).min();
            let wait = next.min(later.unwrap_or(next)).saturating_duration_since(now);
            match timeout(wait, heard.recv()).await {
                Ok(Some(Event::End) | None) => return Ok(()),
                Ok(Some(Event::WorkerEnded(end))) => return Err(ended_fault(end)),
                Ok(Some(Event::WorkersSeen(others))) => self.join(&others)?,
                Ok(Some(event)) => self.handle(event).await,
                Err(_) => {}
            }
        }
    }

    async fn publish(&self, subject: &str, body: &[u8]) {
        self.link.publish(&OutgoingMessage::new(subject, body), None).await;
    }

    /// Does something that waits for the server, and reports it.
    fn aside(&self, work: impl Future<Output = Event> + Send + 'static) {
        let events = self.events.clone();
        // This program may have ended.
        tokio::spawn(async move { _ = events.send(work.await) });
    }

    /// Reports that the worker is there, and which units it has.
    async fn beat(&mut self) {
        self.publish(&self.subject, &self.announcement.bytes()).await;
        if !self.is_admitted && !self.is_asking {
            self.is_asking = true;
            let link = self.link.clone();
            self.aside(async move {
                Event::WorkersSeen(presence::present_workers(&link).await.unwrap_or_default())
            });
        }
        for unit in self.units.values() {
            self.publish(&unit.ack, b"+WPI").await;
        }
        for lane in 0..2 {
            // The server has forgotten the requests.
            if self.asked_at[lane].elapsed() > EXPIRES + BEAT + BEAT {
                self.asked[lane] = 0;
            }
        }
    }

    /// Begins to take units if all others are like this worker. Each one announces itself before it looks, so of two
    /// that are not alike, at least one sees the other.
    fn join(&mut self, present: &[presence::PresentWorker]) -> Result<(), JudgeError> {
        self.is_asking = false;
        if let Some(other) = present.iter().find(|worker| worker.class != self.class) {
            let (name, difference) = match &other.announcement {
                None => ("a worker".to_owned(), None),
                Some(theirs) => (theirs.facts.name.clone(), self.announcement.difference(theirs)),
            };
            let difference =
                difference.unwrap_or_else(|| "its juror is another version".to_owned());
            let reason = format!("{name} is there, and not like this worker: {difference}");
            return Err(JudgeError::new(format!("join the workers at {}", self.server), reason)
                .help("use one image for all workers of a server; a worker that was stopped is forgotten after 10 s"));
        }
        if present.iter().any(|worker| worker.id == self.id) {
            self.is_admitted = true;
            let slots = self.announcement.facts.slots;
            let (server, class) = (&self.server, &self.class);
            (self.tell)(&format!(
                "takes jobs from {server}, with {slots} slots, as one of class {class}"
            ));
            if !self.link.has_jetstream() {
                (self.tell)(
                    "JetStream is off on this server; no jobs arrive unless another server of the cluster has it",
                );
            }
        }
        Ok(())
    }

    /// Requests as many units as there are free places.
    async fn ask(&mut self) {
        if !self.is_admitted {
            return;
        }
        let held = self.units.values().filter(|unit| !unit.is_over).count();
        let slots = self.announcement.facts.slots;
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
                self.link.publish(&OutgoingMessage::new(subject, body), Some(inbox)).await;
            }
        }
    }

    async fn handle(&mut self, event: Event) {
        match event {
            Event::FromWorker(message, rest) => self.hear_worker(message, &rest),
            Event::UnitArrived(lane, message) => self.receive(lane, message).await,
            Event::UnitOpened(unit, opened) => self.open(&unit, opened).await,
            Event::BlobMissing(stream, fault) => {
                // Its jobs fail now; their sender stores it again, and sends them again.
                for unit in self.units.values_mut().filter(|unit| !unit.is_over) {
                    unit.fault = Some(ResultFault::MissingBlob);
                }
                let reason = fault.to_string();
                send(&self.out, &MessageToWorker::BlobUnreadable { stream, reason });
            }
            Event::ResultWritten(unit, written) => {
                let Some(unit) = self.units.remove(&unit) else { return };
                if let Err(reason) = &written {
                    (self.tell)(&format!("cannot write a result: {reason}; it is lost"));
                }
                // The sender of a unit that is terminated finds out that it is gone.
                let body: &[u8] = if written.is_ok() { b"+ACK" } else { b"+TERM" };
                self.publish(&unit.ack, body).await;
            }
            Event::Reconnected => {
                // The server has forgotten the requests.
                self.asked = [0; 2];
                self.not_before = [Instant::now(); 2];
                self.beat().await;
            }
            Event::WorkersSeen(_) | Event::WorkerEnded(_) | Event::End => {}
        }
    }

    /// Handles a unit, or a status in place of one.
    async fn receive(&mut self, lane: Lane, message: Message) {
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
        let is_sound = |head: &UnitHead| unit::is_name(&head.unit) && unit::is_name(&head.batch);
        let Some((head, frames)) = read.filter(|(head, _)| is_sound(head)) else {
            // The sender finds out that the unit is gone.
            return self.publish(&ack, b"+TERM").await;
        };
        if lane == Lane::Live {
            self.last_live = Some(Instant::now());
        }
        if let Some(known) = self.units.get_mut(&head.unit) {
            known.ack = ack;
            return;
        }
        let delivered = count_deliveries(&ack).unwrap_or(1);
        let name = head.unit.clone();
        let unit = HeldUnit { head: head.clone(), ack, ..HeldUnit::default() };
        self.units.insert(name.clone(), unit);
        if delivered <= 1 && head.stored.is_none() {
            return self.open(&name, Ok(Some(frames))).await;
        }
        let link = self.link.clone();
        self.aside(async move {
            Event::UnitOpened(name, open_unit(&link, &head, frames, delivered).await)
        });
    }

    /// Begins a unit.
    async fn open(&mut self, name: &str, opened: OpenedUnit) {
        let Some(unit) = self.units.get_mut(name) else { return };
        let frames = match opened {
            Ok(Some(frames)) => frames,
            Ok(None) => {
                let ack = std::mem::take(&mut unit.ack);
                self.units.remove(name);
                return self.publish(&ack, b"+ACK").await;
            }
            Err(fault) => {
                unit.fault = Some(fault);
                return self.write(name);
            }
        };
        let jobs = unit::read_frames::<MessageToWorker>(frames).unwrap_or_default();
        let batch = unit.head.batch.clone();
        let mut orders = Vec::new();
        for (message, rest) in jobs.into_iter().take(JOBS_MAX) {
            // The frame as its sender named it.
            let Ok(sent) = encode_frame(&message, &[&rest]) else { continue };
            self.last_number += 1;
            let number = self.last_number;
            let message = match message {
                MessageToWorker::Run(head) => MessageToWorker::Run(RunHead { number, ..head }),
                MessageToWorker::FindTool { word, .. } => {
                    MessageToWorker::FindTool { number, word }
                }
                _ => continue,
            };
            unit.jobs.push((job_id(&batch, &sent), number));
            self.unit_of.insert(number, name.to_owned());
            orders.extend(encode_frame(&message, &[&rest]).unwrap_or_default());
        }
        unit.left = unit.jobs.len();
        if unit.left == 0 {
            return self.write(name);
        }
        // If nobody reads, the output ends, too.
        _ = self.out.send(orders);
    }

    fn hear_worker(&mut self, message: MessageFromWorker, rest: &[u8]) {
        if let MessageFromWorker::BlobNeeded { stream, digest } = message {
            let (link, out, events) = (self.link.clone(), self.out.clone(), self.events.clone());
            tokio::spawn(async move {
                let got = bucket::get(&link, &digest, |is_last, piece| {
                    let head = MessageToWorker::Piece { stream, is_last };
                    _ = encode_frame(&head, &[piece]).map(|bytes| out.send(bytes));
                });
                if let Err(fault) = got.await {
                    _ = events.send(Event::BlobMissing(stream, fault));
                }
            });
            return;
        }
        let Some(number) = job_of(&message) else { return };
        let Some(name) = self.unit_of.get(&number).cloned() else { return };
        let Some(unit) = self.units.get_mut(&name) else { return };
        unit.frames.extend(encode_frame(&message, &[rest]).unwrap_or_default());
        match message {
            MessageFromWorker::Piece { .. } => return,
            MessageFromWorker::RunInterrupted { .. } => {
                unit.fault.get_or_insert(ResultFault::Interrupted);
            }
            _ => {}
        }
        self.unit_of.remove(&number);
        unit.left -= 1;
        if unit.left == 0 {
            self.write(&name);
        }
    }

    /// Writes the result of a unit.
    fn write(&mut self, name: &str) {
        let Some(unit) = self.units.get_mut(name) else { return };
        unit.is_over = true;
        let mut frames = std::mem::take(&mut unit.frames);
        if unit.fault.is_some() {
            frames.clear();
        }
        let head = ResultHead {
            worker: self.id.clone(),
            jobs: std::mem::take(&mut unit.jobs),
            fault: unit.fault.take(),
            part: None,
        };
        let (link, of) = (self.link.clone(), unit.head.clone());
        self.aside(async move {
            let written = write(&link, &of, head, &frames).await;
            Event::ResultWritten(of.unit, written.map_err(|fault| fault.to_string()))
        });
    }

    /// Gives unfinished units back to the server, and announces the end.
    async fn give_back(&self) {
        self.publish(&self.subject, GOODBYE).await;
        for unit in self.units.values().filter(|unit| !unit.is_over) {
            self.publish(&unit.ack, b"-NAK").await;
        }
        self.link.flush().await;
    }
}

/// How often a unit was handed out, from the subject for its acknowledgement.
fn count_deliveries(ack: &str) -> Option<u64> {
    let parts: Vec<&str> = ack.strip_prefix("$JS.ACK.")?.split('.').collect();
    // Newer servers name domain and account first.
    let place = if parts.len() > 7 { 4 } else { 2 };
    parts.get(place)?.parse().ok()
}

/// Reads a unit that was handed out this many times, or whose jobs are in a blob.
async fn open_unit(link: &Link, head: &UnitHead, frames: Vec<u8>, delivered: u64) -> OpenedUnit {
    if delivered > 1 && has_result(link, head).await {
        return Ok(None);
    }
    if delivered > MOST_LOST {
        return Err(ResultFault::GivenUp);
    }
    let Some(digest) = head.stored else { return Ok(Some(frames)) };
    let mut frames = Vec::new();
    let got = bucket::get(link, &digest, |_, piece| frames.extend(piece)).await;
    got.map_err(|_| ResultFault::MissingBlob)?;
    Ok(Some(frames))
}

/// Whether a unit has a result. Reads nothing: sends a message that the server refuses, and reads the refusal.
async fn has_result(link: &Link, head: &UnitHead) -> bool {
    let call = OutgoingMessage::new(layout::result(&head.batch, &head.unit), b"")
        .with_header("Nats-Expected-Last-Subject-Sequence", i64::MAX);
    match layout::store(link, &call).await {
        Ok(Err(refusal)) => {
            refusal.is_there_already() || refusal.last().is_some_and(|last| last > 0)
        }
        _ => false,
    }
}

/// Writes a result, its long parts first. If the server refuses that for a while, writes the reason in its place.
async fn write(
    link: &Link,
    of: &UnitHead,
    head: ResultHead,
    frames: &[u8],
) -> Result<(), StoreFault> {
    // The parts of a long result would be useless.
    if frames.len() > MESSAGE_BYTES_MAX && has_result(link, of).await {
        return Ok(());
    }
    let refusal = match write_whole(link, of, head.clone(), frames).await {
        Err(StoreFault::Invalid(reason)) => reason,
        // A server whose disk is full says nothing.
        Err(StoreFault::NoReply(NoReply::NoService)) => NoReply::NoService.to_string(),
        other => return other,
    };
    sleep(BEAT).await;
    let fault = Some(ResultFault::Refused(printable(&refusal)));
    write_whole(link, of, ResultHead { fault, ..head }, &[]).await
}

async fn write_whole(
    link: &Link,
    of: &UnitHead,
    mut head: ResultHead,
    frames: &[u8],
) -> Result<(), StoreFault> {
    let invalid = |error: JudgeError| StoreFault::Invalid(error.to_string());
    let subject = layout::result(&of.batch, &of.unit);
    let id = crate::random().map_err(invalid)?;
    let pieces: Vec<&[u8]> = frames.chunks(MESSAGE_BYTES_MAX).collect();
    let (last, parts) =
        pieces.split_last().map_or((&[][..], &[][..]), |(last, rest)| (*last, rest));
    for (count, part) in parts.iter().enumerate() {
        let call = OutgoingMessage::new(format!("{subject}.{id}.{count}"), *part);
        bucket::store(link, &call).await?;
    }
    // Each part has half a mebibyte, so that their number fits.
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    head.part = (count > 0).then_some(ResultPart { id, count });
    let bytes = encode_frame(&head, &[last]).map_err(invalid)?;
    bucket::store(link, &OutgoingMessage::new(subject, bytes)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_are_counted_by_the_subject_of_an_acknowledgement() {
        let check = |ack, expected| assert_eq!(count_deliveries(ack), expected, "{ack}");
        check("$JS.ACK.JOBS.live-a.3.100.7.1700000000.0", Some(3));
        check("$JS.ACK._.hash.JOBS.live-a.2.100.7.1700000000.0.x", Some(2));
        check("$JS.ACK.JOBS", None);
        check("other", None);
    }
}
