//! The life of a unit: it is sent, its result is read, and if need be it is sent again.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::frame::encode_frame;
use crate::group::ReplyHandle;
use crate::judge_side::{JudgeSide, ReceivedMessage, Response};
use crate::message::JobEnd;
use crate::nats::bucket::{self, BlobFault};
use crate::nats::class::QueuedJob;
use crate::nats::layout::{self, JOBS, MOST_LOST, RESULTS};
use crate::nats::link::{NoReply, OutgoingMessage, status};
use crate::nats::submitter::{Submitter, UnitInFlight};
use crate::nats::unit::{self, MOST, ResultFault, ResultHead, ResultPart, UnitHead};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::JobReply;
use juror_core::judgement::JudgeError;
use juror_core::text::{hex, printable};

/// After how long without news a unit is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// A unit that was not found this many times is lost.
const MOST_MISSING: u32 = 3;

impl Submitter {
    /// The name of a unit: unique, and impossible to guess.
    pub(super) fn name(&self, sequence: u64, envelopes: &[QueuedJob]) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.secret);
        hasher.update(sequence.to_le_bytes());
        envelopes.iter().for_each(|envelope| hasher.update(&envelope.bytes));
        hex(&hasher.finalize()[..16])
    }

    fn under_way(&self, unit: &str) -> Option<(UnitInFlight, ReplyHandle)> {
        let state = self.lock();
        let in_flight = state.in_flight.get(unit)?.clone();
        let reply_to = state.classes[in_flight.class].reply_to.clone()?;
        Some((in_flight, reply_to))
    }

    /// Sends a unit, after the blobs that the server lacks.
    pub(super) fn send(self: &Arc<Self>, unit: &str) {
        let Some((in_flight, reply_to)) = self.under_way(unit) else {
            self.land(unit, None);
            return;
        };
        match self.try_to_send(unit, &in_flight, &reply_to) {
            Ok(()) => {
                if let Some(in_flight) = self.lock().in_flight.get_mut(unit) {
                    in_flight.looked = Some(Instant::now());
                }
            }
            Err(BlobFault::NoReply(NoReply::Closed)) => {}
            Err(BlobFault::NoReply(silence @ NoReply::Unreachable(_))) => {
                self.land(unit, None);
                reply_to.report_lost(&silence.to_string());
            }
            // A server whose disk is full says nothing. Other jobs may still be small enough.
            Err(fault) => {
                self.land(unit, None);
                for envelope in &in_flight.envelopes {
                    let error = JudgeError::new("send a job to the server", &fault);
                    reply_to.fail(
                        envelope.number,
                        error.help("check its disk and the limits of JetStream"),
                    );
                }
            }
        }
    }

    fn try_to_send(
        &self,
        unit: &str,
        in_flight: &UnitInFlight,
        reply_to: &ReplyHandle,
    ) -> Result<(), BlobFault> {
        for envelope in &in_flight.envelopes {
            // If nobody waits for it any more, its run is useless but harmless.
            for blob in
                reply_to.open_envelope(envelope.number).into_iter().flat_map(|open| open.blobs)
            {
                self.bring(&blob)?;
            }
        }
        let frames: Vec<&[u8]> =
            in_flight.envelopes.iter().map(|envelope| &*envelope.bytes).collect();
        let length: usize = frames.iter().map(|it| it.len()).sum();
        let mut head = UnitHead { batch: self.batch.clone(), unit: unit.to_owned(), stored: None };
        let fault = |error: JudgeError| BlobFault::Invalid(error.to_string());
        let bytes = if length > MOST {
            let blob = Blob::from(frames.concat());
            let digest = blob.digest().map_err(|error| BlobFault::Invalid(error.to_string()))?;
            self.bring(&blob)?;
            head.stored = Some((digest, length as u64));
            encode_frame(&head, &[]).map_err(fault)?
        } else {
            encode_frame(&head, &frames).map_err(fault)?
        };
        let class = self.class_name(in_flight.class);
        let mut call =
            OutgoingMessage::new(layout::job(in_flight.lane, &class, &self.batch, unit), &bytes);
        // The server stores it once, however often it is sent.
        call.headers.push(("Nats-Msg-Id", unit.to_owned()));
        let stored = layout::store_patiently(&self.link, &call)?;
        stored.map(|_| ()).map_err(|refusal| BlobFault::Invalid(refusal.what))
    }

    /// Stores a blob unless it was stored. Waits if another thread is storing it.
    fn bring(&self, blob: &Blob) -> Result<(), BlobFault> {
        let Some(digest) = blob.known_digest() else { return Ok(()) };
        loop {
            let mut state = self.lock();
            match state.blobs.get(&digest) {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => {
                    state.blobs.insert(digest, false);
                    break;
                }
            }
            drop(state);
            if self.is_over() {
                return Err(BlobFault::NoReply(NoReply::Closed));
            }
            thread::sleep(Duration::from_millis(1));
        }
        let put = bucket::put(&self.link, blob);
        let mut state = self.lock();
        match put {
            Ok(()) => state.blobs.insert(digest, true),
            Err(_) => state.blobs.remove(&digest),
        };
        put
    }

    /// Handles a result that has come.
    pub(super) fn came(self: &Arc<Self>, unit: &str, bytes: &[u8]) {
        // A message without content only asks whether there is a result.
        if bytes.is_empty() {
            return;
        }
        let Some((in_flight, reply_to)) = self.under_way(unit) else { return };
        let Some((head, frames)) = unit::read::<ResultHead>(bytes) else {
            return self.again(unit, "", "it sends something that is not a result");
        };
        let has_parts = head.part.is_some();
        let unit = unit.to_owned();
        let settle = move |submitter: &Arc<Self>| {
            match submitter.read_result(&unit, &in_flight, &reply_to, &head, frames) {
                Ok(Some(answers)) => submitter.settle(&unit, &reply_to, answers),
                // The connection is gone; the result is looked for later.
                Ok(None) => {}
                Err(reason) => {
                    let worker = submitter.lock().name_of(&head.worker, &machine(&head.name));
                    submitter.again(&unit, &worker, &reason);
                }
            }
        };
        if has_parts {
            // Getting the parts takes a while.
            _ = self.thread(settle)
        } else {
            settle(self)
        }
    }

    fn settle(&self, unit: &str, reply_to: &ReplyHandle, answers: Vec<Response>) {
        let took: Vec<f64> = answers.iter().filter_map(took).collect();
        let mean = (!took.is_empty()).then(|| took.iter().sum::<f64>() / took.len() as f64);
        let Some(in_flight) = self.land(unit, mean) else { return };
        for (envelope, answer) in in_flight.envelopes.iter().zip(answers) {
            reply_to.answer(envelope.number, answer);
        }
    }

    /// The result of each job of a unit. None if it cannot be known now.
    fn read_result(
        &self,
        unit: &str,
        in_flight: &UnitInFlight,
        reply_to: &ReplyHandle,
        head: &ResultHead,
        frames: Vec<u8>,
    ) -> Result<Option<Vec<Response>>, String> {
        if let Some(ResultFault::Refused(reason)) = &head.fault {
            // Its stored parts take up room that others need.
            self.purge(RESULTS, &format!("{}.>", layout::result(&self.batch, unit)));
            return Err(format!("the server did not store it: {}", printable(reason)));
        }
        if head.fault.is_some() {
            let known =
                in_flight.envelopes.iter().filter_map(|it| reply_to.open_envelope(it.number));
            let blobs: Vec<_> = known.flat_map(|open| open.blobs).collect();
            let mut state = self.lock();
            for digest in blobs.iter().filter_map(Blob::known_digest) {
                state.blobs.remove(&digest);
            }
            drop(state);
            return Err("it could not get a file from the server".to_owned());
        }
        if head.worker.len() != 16 {
            return Err("it reports impossible facts about itself".to_owned());
        }
        let rooms: Vec<_> = in_flight
            .envelopes
            .iter()
            .map(|it| reply_to.open_envelope(it.number).map_or(u64::MAX >> 1, |open| open.room))
            .collect();
        let index = |number: u64| usize::try_from(number.checked_sub(head.base)?).ok();
        let room = |number| rooms.get(index(number)?).copied();
        let mut hearing = JudgeSide::after_greeting(Vec::new());
        let mut answers: Vec<Option<Response>> = rooms.iter().map(|_| None).collect();
        let mut hear = |bytes: &[u8]| {
            for heard in hearing.read_messages(bytes, &room).map_err(|broken| broken.0)? {
                let ReceivedMessage::Answer { number, answer } = heard else {
                    return Err("it sends something that is not a result".to_owned());
                };
                match index(number).and_then(|index| answers.get_mut(index)) {
                    Some(place @ None) => *place = Some(answer),
                    _ => return Err("it answers a question that was not asked".to_owned()),
                }
            }
            Ok(())
        };
        for number in 0..head.part.as_ref().map_or(0, |part| part.count) {
            let ResultPart { id, .. } = head
                .part
                .as_ref()
                .filter(|part| unit::is_name(&part.id))
                .ok_or("it names no parts")?;
            let subject = layout::result(&self.batch, unit);
            let subject = format!("$JS.API.DIRECT.GET.{RESULTS}.{subject}.{id}.{number}");
            let Ok(message) = self.link.request_stored(&OutgoingMessage::new(subject, b"")) else {
                return Ok(None);
            };
            if status(&message).is_some() {
                return Err("it did not write all of its result".to_owned());
            }
            hear(&message.payload)?;
        }
        hear(&frames)?;
        if !hearing.is_whole() {
            return Err("it sends a part of a result".to_owned());
        }
        let name = self.lock().name_of(&head.worker, &machine(&head.name));
        let answers = answers.into_iter().map(|answer| {
            let mut answer = answer.ok_or("it does not answer all")?;
            for reply in replies(&mut answer)? {
                reply.outcome.worker = Some(name.clone());
            }
            Ok(answer)
        });
        answers.collect::<Result<_, &str>>().map(Some).map_err(str::to_owned)
    }

    /// Sends the jobs of a unit again whose result from this worker cannot be used; those that were sent too often fail.
    fn again(&self, unit: &str, worker: &str, reason: &str) {
        let Some(in_flight) = self.land(unit, None) else { return };
        let reply_to = self.lock().classes[in_flight.class].reply_to.clone();
        let Some(reply_to) = reply_to else { return };
        let worker = if worker.is_empty() { "a worker" } else { worker };
        let message = format!("its result was not used: {reason}");
        let help = "its runs go to other workers, if there are any; `juror help scale` lists possible causes";
        reply_to.add_diagnostic(Diagnostic::warning(worker, message).help(help));
        let mut envelopes = Vec::new();
        for mut envelope in in_flight.envelopes {
            envelope.lost += 1;
            if u64::from(envelope.lost) < MOST_LOST {
                envelopes.push(envelope);
                continue;
            }
            let what = format!("it failed {MOST_LOST} times; the last time: {reason}");
            let help = "check what the workers say on their machines, and whether the server has room: `juror cluster status`";
            reply_to.fail(
                envelope.number,
                JudgeError::new("run a program on a worker", what).help(help),
            );
        }
        self.post_again(in_flight.class, envelopes);
    }

    /// Looks for the results of units without recent news.
    pub(super) fn look_for_units(self: &Arc<Self>, is_new: bool) {
        let mut late = Vec::new();
        for (unit, in_flight) in &mut self.lock().in_flight {
            if in_flight.looked.is_some_and(|looked| is_new || looked.elapsed() > LOOK) {
                in_flight.looked = Some(Instant::now());
                late.push((unit.clone(), in_flight.class, in_flight.lane));
            }
        }
        for (unit, class, lane) in late {
            let get = |stream: &str, subject: &str| {
                let subject = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
                self.link
                    .request(&OutgoingMessage::new(subject, b""))
                    .ok()
                    .map(|message| (status(&message), message.payload))
            };
            let job = layout::job(lane, &self.class_name(class), &self.batch, &unit);
            let is_waiting = match get(JOBS, &job) {
                Some((status, _)) => status.is_none(),
                None => return,
            };
            match get(RESULTS, &layout::result(&self.batch, &unit)) {
                Some((None, bytes)) => self.came(&unit, &bytes),
                Some(_) => self.missing(&unit, is_waiting),
                None => return,
            }
        }
    }

    /// Handles a unit without result. If the unit is not on the server either, it is lost, unless a server lags
    /// behind.
    fn missing(&self, unit: &str, is_waiting: bool) {
        let is_lost = {
            let mut state = self.lock();
            let Some(in_flight) = state.in_flight.get_mut(unit) else { return };
            in_flight.missing = if is_waiting { 0 } else { in_flight.missing + 1 };
            in_flight.missing >= MOST_MISSING
        };
        if is_lost {
            self.again(unit, "", "it took a job away and wrote no result");
        }
    }
}

fn machine(name: &str) -> String {
    printable(name).to_string().chars().take(100).collect()
}

/// How long the programs of an answer took.
fn took(answer: &Response) -> Option<f64> {
    let Response::RunEnded(JobEnd::Finished(reply)) = answer else { return None };
    Some(reply.replies().first()?.outcome.wall_time.as_secs_f64())
}

fn replies(answer: &mut Response) -> Result<Vec<&mut JobReply>, &'static str> {
    match answer {
        Response::RunEnded(JobEnd::Finished(reply)) => Ok(reply.replies_mut()),
        Response::RunEnded(JobEnd::Interrupted) => Err("it was asked to end"),
        Response::RunEnded(JobEnd::Failed(_)) | Response::ToolFound(_) => Ok(Vec::new()),
    }
}
