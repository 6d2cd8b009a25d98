//! Results: read from the server, brought to juror, or their jobs sent again.

use std::time::{Duration, Instant};

use async_nats::Message;
use serde_json::json;

use super::{Event, Submitter};
use crate::layout::{self, JOBS, MOST_LOST, RESULTS};
use crate::link::{Link, NoReply, OutgoingMessage, header, sequence, status};
use crate::queue::QueuedJob;
use crate::unit::{self, JobResult, ResultFault, ResultHead};
use juror_core::judgement::JudgeError;
use juror_core::text::printable;
use juror_remote::message::MessageFromWorker;

/// After how long without news a unit is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// A unit that was not found this many times is lost.
const MISSING_MAX: u32 = 3;

impl Submitter {
    /// Reads the results that are already there, and removes units that nobody has taken: their jobs are sent again.
    pub(super) async fn recover(&mut self) -> Result<(), JudgeError> {
        let fault = |silence: NoReply| JudgeError::new("look for results on the server", silence);
        layout::purge(&self.link, JOBS, &format!("job.*.*.{}.>", self.batch)).await;
        let mut next = 1;
        loop {
            let subject = layout::result(&self.batch, "*");
            let body = json!({ "seq": next, "next_by_subj": subject }).to_string();
            let call = OutgoingMessage::new(format!("$JS.API.DIRECT.GET.{RESULTS}"), body);
            let message = self.link.request(&call).await.map_err(fault)?;
            let Some(sequence) = sequence(&message).filter(|sequence| *sequence >= next) else {
                return Ok(());
            };
            next = sequence + 1;
            let subject = header(&message, "Nats-Subject").unwrap_or_default().to_owned();
            let Some((head, frames)) = unit::read::<ResultHead>(&message.payload) else { continue };
            let frames = read_parts(&self.link, &subject, &head, frames).await.map_err(fault)?;
            self.settle(&subject, &head, frames);
        }
    }

    /// Handles a result as it is written.
    pub(super) fn receive(&mut self, message: &Message) {
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
    pub(super) fn settle(
        &mut self,
        subject: &str,
        head: &ResultHead,
        frames: Result<Vec<u8>, &'static str>,
    ) {
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
        let times: Vec<f64> = results.iter().filter_map(|(_, result)| result.run_time()).collect();
        let jobs = self.land(unit);
        if let (Some(first), false) = (jobs.first(), times.is_empty()) {
            self.queue.learn(first.head.program, times.iter().sum::<f64>() / times.len() as f64);
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
                let jobs = self.units.get(unit).into_iter().flat_map(|unit| &unit.jobs);
                for digest in jobs.flat_map(|job| &job.head.blobs) {
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

    /// Looks for the results of units without recent news.
    pub(super) fn look_for_units(&mut self, is_new: bool) {
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
                _ = events.send(match status(&result) {
                    None => Event::ResultArrived(result),
                    Some(_) => Event::UnitLooked { unit, is_waiting },
                });
            });
        }
    }

    /// Handles a unit without result. If the unit is not on the server either, it is lost, unless a server lags
    /// behind.
    pub(super) fn note_missing(&mut self, unit: &str, is_waiting: bool) {
        let Some(in_flight) = self.units.get_mut(unit) else { return };
        in_flight.missing = if is_waiting { 0 } else { in_flight.missing + 1 };
        if in_flight.missing >= MISSING_MAX {
            self.again(unit, "", "it took a job away and wrote no result");
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
            job.head.is_exclusive = true;
            if job.lost < MOST_LOST {
                self.enqueue(job);
                continue;
            }
            let what = format!("it failed {MOST_LOST} times; the last time: {reason}");
            let help = "check what the workers say on their machines, and whether the server has room: `juror-nats status`";
            self.fail(&job, JudgeError::new("run a program on a worker", what).help(help));
        }
    }
}

/// The unit of a result's subject.
fn unit_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
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
