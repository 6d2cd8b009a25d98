//! Jobs on their way to the server: their blobs first, then units of them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;

use super::{Event, Submitter, UnitInFlight};
use crate::bucket::{self, BlobUpload, StoreFault};
use crate::layout::{self, MOST_LOST};
use crate::link::{Link, NoReply, OutgoingMessage};
use crate::queue::QueuedJob;
use crate::unit::{MESSAGE_BYTES_MAX, UnitHead};
use juror_core::blob::Digest;
use juror_core::judgement::JudgeError;
use juror_core::text::hex;
use juror_remote::frame::encode_frame;
use juror_remote::message::{MessageFromWorker, RequestId};

/// How many units may be on their way to the server: more make a server that syncs slower.
const SENDING_MAX: usize = 32;

/// How many pieces of a blob wait for the server.
const PIECES_MAX: usize = 8;

/// The blobs that juror sends, by stream.
pub(super) type Uploads = Arc<Mutex<HashMap<RequestId, mpsc::Sender<BlobPiece>>>>;

pub(super) enum BlobPiece {
    Bytes { bytes: Vec<u8>, is_last: bool },
    Unreadable(String),
}

impl Submitter {
    /// Queues a job as soon as the server has its blobs.
    pub(super) fn enqueue(&mut self, job: QueuedJob) {
        let mut missing = HashSet::new();
        for digest in &job.head.blobs {
            if self.blobs.get(digest) == Some(&true) {
                continue;
            }
            missing.insert(*digest);
            if self.blobs.insert(*digest, false).is_none() {
                let (link, digest) = (self.link.clone(), *digest);
                self.aside(async move {
                    match bucket::has(&link, &digest).await {
                        Ok(false) => Event::BlobMissing(digest),
                        found => Event::BlobStored(digest, found.map(drop)),
                    }
                });
            }
        }
        if missing.is_empty() {
            self.queue.waiting.push_back(job);
        } else {
            self.incomplete.push((job, missing));
        }
    }

    /// Gets a blob from juror, and stores it.
    pub(super) fn request_blob(&mut self, digest: Digest) {
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

    pub(super) fn note_blob(
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
    pub(super) fn send_units(&mut self) -> Option<Duration> {
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

    pub(super) fn note_unit(
        &mut self,
        unit: &str,
        sent: Result<(), StoreFault>,
    ) -> Result<(), JudgeError> {
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

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    let bytes = if pieces.iter().map(|piece| piece.len()).sum::<usize>() > MESSAGE_BYTES_MAX {
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
