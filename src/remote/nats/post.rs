//! What becomes of units: they are sent, their results are read, and they are sent again if need be.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::text::printable;
use crate::remote::line::{Heard, Hearing, Response};
use crate::remote::message::Ended;
use crate::remote::nats::bucket::{self, BlobFault};
use crate::remote::nats::class::Posted;
use crate::remote::nats::digits;
use crate::remote::nats::layout::{self, JOBS, MOST_LOST, RESULTS};
use crate::remote::nats::link::{Inquiry, Silence, status};
use crate::remote::nats::office::{Flying, Office};
use crate::remote::nats::unit::{self, MOST, Origin, ResultHead, ResultPart, UnitHead};
use crate::remote::request::convert_outcome;
use crate::remote::station::Reception;

/// How often it is looked for a unit of which nothing is heard.
const LOOK: Duration = Duration::from_secs(2);

/// A unit of which nothing is found so often is lost.
const MOST_MISSING: u32 = 3;

/// A server that has no room may have some again so many seconds later.
const FULL: u32 = 3;

/// Why a result is not one.
struct Bad {
    worker: String,
    reason: String,
}

impl Office {
    /// The name of a unit: nobody can guess it, and no other has it.
    pub(super) fn name(&self, sequence: u64, letters: &[Posted]) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.secret);
        hasher.update(sequence.to_le_bytes());
        letters.iter().for_each(|letter| hasher.update(&letter.bytes));
        digits(&hasher.finalize(), 16)
    }

    fn under_way(&self, unit: &str) -> Option<(Flying, Reception)> {
        let ledger = self.lock();
        let flying = ledger.flying.get(unit)?.clone();
        let reception = ledger.classes[flying.class].reception.clone()?;
        Some((flying, reception))
    }

    /// Sends a unit, and before it the blobs that the server does not have.
    pub(super) fn send(self: &Arc<Self>, unit: &str) {
        let Some((flying, reception)) = self.under_way(unit) else {
            self.land(unit, None);
            return;
        };
        match self.try_to_send(unit, &flying, &reception) {
            Ok(()) => {
                if let Some(flying) = self.lock().flying.get_mut(unit) {
                    flying.looked = Some(Instant::now());
                }
            }
            Err(BlobFault::Silent(Silence::Closed)) => {}
            Err(BlobFault::Silent(silence)) => {
                self.land(unit, None);
                reception.lose(&silence.to_string());
            }
            Err(BlobFault::Wrong(reason)) => {
                self.land(unit, None);
                for letter in &flying.letters {
                    let error = JudgeError::new("send a job to the server", &reason);
                    reception.fail(
                        letter.number,
                        error.help("look at its disk and at the limits of JetStream"),
                    );
                }
            }
        }
    }

    fn try_to_send(
        &self,
        unit: &str,
        flying: &Flying,
        reception: &Reception,
    ) -> Result<(), BlobFault> {
        for letter in &flying.letters {
            // If nobody waits for it any more, it is run in vain.
            for blob in reception.known(letter.number).into_iter().flat_map(|open| open.blobs) {
                self.bring(&blob)?;
            }
        }
        let frames: Vec<&[u8]> = flying.letters.iter().map(|letter| &*letter.bytes).collect();
        let length: usize = frames.iter().map(|it| it.len()).sum();
        let mut head = UnitHead {
            batch: self.batch.clone(),
            unit: unit.to_owned(),
            first: Origin::of(&reception.first),
            stored: None,
        };
        let fault = |error: JudgeError| BlobFault::Wrong(error.to_string());
        let bytes = match length > MOST {
            false => unit::message(&head, &frames).map_err(fault)?,
            true => {
                let blob = Blob::from(frames.concat());
                let digest = blob.digest().map_err(|error| BlobFault::Wrong(error.to_string()))?;
                self.bring(&blob)?;
                head.stored = Some((digest, length as u64));
                unit::message(&head, &[]).map_err(fault)?
            }
        };
        let class = self.class_name(flying.class);
        let mut call = Inquiry::new(layout::job(flying.lane, &class, &self.batch, unit), &bytes);
        // However often it is sent, it is there once.
        call.headers.push(("Nats-Msg-Id", unit.to_owned()));
        let mut tries = 0;
        loop {
            match layout::store(&self.link, &call)? {
                Ok(_) => return Ok(()),
                Err(refusal) if refusal.is_full() && tries < FULL && !self.is_over() => {
                    tries += 1;
                    thread::sleep(Duration::from_secs(1));
                }
                Err(refusal) => return Err(BlobFault::Wrong(refusal.what)),
            }
        }
    }

    /// Puts a blob if nobody did. If somebody does so now, that is waited for.
    fn bring(&self, blob: &Blob) -> Result<(), BlobFault> {
        let Some(digest) = blob.known_digest() else { return Ok(()) };
        loop {
            let mut ledger = self.lock();
            match ledger.blobs.get(&digest) {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => {
                    ledger.blobs.insert(digest, false);
                    break;
                }
            }
            drop(ledger);
            if self.is_over() {
                return Err(BlobFault::Silent(Silence::Closed));
            }
            thread::sleep(Duration::from_millis(1));
        }
        let put = bucket::put(&self.link, blob);
        let mut ledger = self.lock();
        match put {
            Ok(()) => ledger.blobs.insert(digest, true),
            Err(_) => ledger.blobs.remove(&digest),
        };
        put
    }

    /// A result has come.
    pub(super) fn came(self: &Arc<Self>, unit: &str, bytes: &[u8]) {
        // Nothing is in what only asks whether there is one.
        if bytes.is_empty() {
            return;
        }
        let Some((flying, reception)) = self.under_way(unit) else { return };
        let Some((head, frames)) = unit::read::<ResultHead>(bytes) else {
            let bad = Bad {
                worker: String::new(),
                reason: "it sends something that is not a result".to_owned(),
            };
            return self.again(unit, &bad);
        };
        let (office, unit) = (Arc::clone(self), unit.to_owned());
        let settle = move |office: &Arc<Self>| {
            match office.read_result(&unit, &flying, &reception, &head, frames) {
                Ok(Some(answers)) => office.settle(&unit, &reception, answers),
                // The connection is gone; it is looked for later.
                Ok(None) => {}
                Err(reason) => {
                    let worker = office.lock().name_of(&head.worker, &machine(&head.name));
                    office.again(&unit, &Bad { worker, reason });
                }
            }
        };
        match head_has_parts(bytes) {
            false => settle(&office),
            // Getting them takes a while.
            true => _ = office.thread(settle),
        }
    }

    fn settle(&self, unit: &str, reception: &Reception, answers: Vec<Response>) {
        let took: Vec<f64> = answers.iter().filter_map(took).collect();
        let mean = (!took.is_empty()).then(|| took.iter().sum::<f64>() / took.len() as f64);
        let Some(flying) = self.land(unit, mean) else { return };
        for (letter, answer) in flying.letters.iter().zip(answers) {
            reception.answer(letter.number, answer);
        }
    }

    /// What came of each job of a unit. None if that cannot be known now.
    fn read_result(
        &self,
        unit: &str,
        flying: &Flying,
        reception: &Reception,
        head: &ResultHead,
        frames: Vec<u8>,
    ) -> Result<Option<Vec<Response>>, String> {
        if head.lacks {
            let known = flying.letters.iter().filter_map(|it| reception.known(it.number));
            let blobs: Vec<_> = known.flat_map(|open| open.blobs).collect();
            let mut ledger = self.lock();
            for digest in blobs.iter().filter_map(Blob::known_digest) {
                ledger.blobs.remove(&digest);
            }
            drop(ledger);
            return Err("it could not get a file from the server".to_owned());
        }
        if !(0.01..=100.0).contains(&head.pace) || head.worker.len() != 16 {
            return Err("it says what cannot be of itself".to_owned());
        }
        let rooms: Vec<_> = flying
            .letters
            .iter()
            .map(|it| reception.known(it.number).map_or(u64::MAX >> 1, |open| open.room))
            .collect();
        let index = |number: u64| usize::try_from(number.checked_sub(head.base)?).ok();
        let room = |number| rooms.get(index(number)?).copied();
        let mut hearing = Hearing::within(Vec::new());
        let mut answers: Vec<Option<Response>> = rooms.iter().map(|_| None).collect();
        let mut hear = |bytes: &[u8]| {
            for heard in hearing.take(bytes, &room).map_err(|broken| broken.0)? {
                let Heard::Answered { number, answer } = heard else {
                    return Err("it sends something that is not a result".to_owned());
                };
                match index(number).and_then(|index| answers.get_mut(index)) {
                    Some(place @ None) => *place = Some(answer),
                    _ => return Err("it answers what nobody asked".to_owned()),
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
            let Ok(message) = self.link.request(&Inquiry::new(subject, b"")) else {
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
            for outcome in outcomes(&mut answer)? {
                convert_outcome(outcome, head.pace);
                outcome.worker = Some(name.clone());
            }
            Ok(answer)
        });
        answers.collect::<Result<_, &str>>().map(Some).map_err(str::to_owned)
    }

    /// Nothing came of a unit, so its jobs go once more, if they did not do so too often.
    fn again(&self, unit: &str, bad: &Bad) {
        let Some(flying) = self.land(unit, None) else { return };
        let reception = self.lock().classes[flying.class].reception.clone();
        let Some(reception) = reception else { return };
        let Bad { worker, reason } = bad;
        let worker = if worker.is_empty() { "a worker".to_owned() } else { worker.clone() };
        let message = format!("its result was not used: {reason}");
        let help = "its runs go to other workers, if there are any; `juror help scale` tells what can be wrong";
        reception.remark(Diagnostic::warning(worker, message).help(help));
        let mut letters = Vec::new();
        for mut letter in flying.letters {
            letter.lost += 1;
            if u64::from(letter.lost) < MOST_LOST {
                letters.push(letter);
                continue;
            }
            let what = format!("nothing came of it {MOST_LOST} times; the last time: {reason}");
            let help = "look at what the workers say on their machines";
            reception
                .fail(letter.number, JudgeError::new("run a program on a worker", what).help(help));
        }
        self.post_again(flying.class, letters);
    }

    /// Looks for the results of units of which nothing was heard for a while.
    pub(super) fn look_for_units(self: &Arc<Self>, is_new: bool) {
        let mut late = Vec::new();
        for (unit, flying) in &mut self.lock().flying {
            if flying.looked.is_some_and(|looked| is_new || looked.elapsed() > LOOK) {
                flying.looked = Some(Instant::now());
                late.push((unit.clone(), flying.class, flying.lane));
            }
        }
        for (unit, class, lane) in late {
            let get = |stream: &str, subject: &str| {
                let subject = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
                self.link
                    .request(&Inquiry::new(subject, b""))
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

    /// There is no result yet. If the unit is not there either, it is lost, unless a server is behind.
    fn missing(&self, unit: &str, is_waiting: bool) {
        let is_lost = {
            let mut ledger = self.lock();
            let Some(flying) = ledger.flying.get_mut(unit) else { return };
            flying.missing = if is_waiting { 0 } else { flying.missing + 1 };
            flying.missing >= MOST_MISSING
        };
        if is_lost {
            self.again(
                unit,
                &Bad {
                    worker: String::new(),
                    reason: "it took a job away and wrote no result".to_owned(),
                },
            );
        }
    }
}

/// Whether a result has parts that must be got.
fn head_has_parts(bytes: &[u8]) -> bool {
    unit::read::<ResultHead>(bytes).is_some_and(|(head, _)| head.part.is_some())
}

fn machine(name: &str) -> String {
    printable(name).to_string().chars().take(100).collect()
}

/// How long the programs of an answer took.
fn took(answer: &Response) -> Option<f64> {
    match answer {
        Response::Single(Ended::Came(reply)) => Some(reply.outcome.wall_time.as_secs_f64()),
        Response::Joint(Ended::Came(reply)) => {
            Some(reply.program.reply.outcome.wall_time.as_secs_f64())
        }
        _ => None,
    }
}

fn outcomes(
    answer: &mut Response,
) -> Result<Vec<&mut crate::model::outcome::Outcome>, &'static str> {
    match answer {
        Response::Single(Ended::Came(reply)) => Ok(vec![&mut reply.outcome]),
        Response::Joint(Ended::Came(reply)) => {
            Ok(vec![&mut reply.program.reply.outcome, &mut reply.partner.reply.outcome])
        }
        Response::Single(Ended::Interrupted) | Response::Joint(Ended::Interrupted) => {
            Err("it was asked to end")
        }
        Response::Single(Ended::Failed(_))
        | Response::Joint(Ended::Failed(_))
        | Response::Found(_) => Ok(Vec::new()),
    }
}
