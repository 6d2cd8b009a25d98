//! A worker's view of the pipe, without threads: bytes in; work, and messages to send, out.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::blob::{Blob, Digest};
use crate::model::job::{Job, What};
use crate::model::judgement::JudgeError;
use crate::model::work::{RunMode, Work};
use crate::remote::frame::{Frames, Peer, ProtocolError};
use crate::remote::incoming::{IncomingBlob, Kept, LargeBlobs, MOST_BYTES};
use crate::remote::message::{FromWorker, RequestId, ToWorker};
use crate::remote::packing::{Way, is_inside, unpack};

#[derive(Debug)]
pub(super) enum Effect {
    Say(FromWorker),
    Do(ProgramOrder),
}

#[derive(Debug)]
pub(super) enum ProgramOrder {
    Run(Task),
    Find { number: RequestId, word: String },
}

/// Work that is ready to run: all its blobs are here.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) number: RequestId,
    pub(super) mode: RunMode,
    pub(super) work: Work,
}

impl Task {
    pub(super) fn installed(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let shown = self.work.jobs().into_iter().flat_map(|job| &job.command.visible);
        shown.filter_map(|shown| match &shown.what {
            What::Installed { identity, .. } => Some((shown.inside.clone(), identity.clone())),
            What::Tree(_) => None,
        })
    }
}

struct Waiting {
    task: Task,
    missing: Vec<RequestId>,
}

struct Coming {
    digest: Digest,
    length: u64,
    incoming: IncomingBlob,
    wanted_by: Vec<Blob>,
}

const MOST_WAITING: usize = 10_000;

pub(super) struct WorkerSide {
    frames: Frames,
    large: LargeBlobs,
    kept: Kept,
    coming: HashMap<RequestId, Coming>,
    waiting: Vec<Waiting>,
    streams: RequestId,
}

impl WorkerSide {
    pub(super) fn new() -> Self {
        Self {
            frames: Frames::new(Peer::Sender),
            large: LargeBlobs::default(),
            kept: Kept::new(MOST_BYTES),
            coming: HashMap::new(),
            waiting: Vec::new(),
            streams: 0,
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Effect>, ProtocolError> {
        let mut acts = Vec::new();
        self.frames.push(bytes);
        while let Some((message, behind)) = self.frames.next::<ToWorker>()? {
            self.hear(message, &behind, &mut acts)?;
        }
        Ok(acts)
    }

    pub(super) fn hear(
        &mut self,
        message: ToWorker,
        behind: &[u8],
        acts: &mut Vec<Effect>,
    ) -> Result<(), ProtocolError> {
        match message {
            ToWorker::Run { number, mode, ways, work } => {
                self.accept(Task { number, mode, work }, &ways, behind, acts)
            }
            ToWorker::Piece { stream, is_last } => self.piece(stream, is_last, behind, acts),
            ToWorker::Unreadable { stream, reason } => {
                if self.coming.remove(&stream).is_none() {
                    return Err(ProtocolError::new("it sends what nobody asked for"));
                }
                self.give_up(stream, &reason, acts);
                Ok(())
            }
            ToWorker::Find { number, word } => {
                acts.push(Effect::Do(ProgramOrder::Find { number, word }));
                Ok(())
            }
        }
    }

    fn accept(
        &mut self,
        mut task: Task,
        ways: &[Way],
        behind: &[u8],
        acts: &mut Vec<Effect>,
    ) -> Result<(), ProtocolError> {
        if !task.work.jobs().into_iter().all(is_inside) {
            let fault = JudgeError::new("take a job", "a path in it leads out of its directory");
            acts.push(Effect::Say(FromWorker::failed(task.number, fault)));
            return Ok(());
        }
        let blobs = task.work.jobs_mut().into_iter().flat_map(Job::blobs_mut);
        let mut missing = Vec::new();
        for (blob, way) in unpack(blobs.collect(), ways, behind)? {
            let (Way::Asked, Some(digest), Ok(length)) = (way, blob.known_digest(), blob.len())
            else {
                return Err(ProtocolError::new("it sends a job with a blob that has no name"));
            };
            if let Some(known) = self.kept.blob(&digest) {
                if known.len().ok() != Some(length) {
                    return Err(ProtocolError::new("it gives two lengths for the same bytes"));
                }
                *blob = known;
                continue;
            }
            let stream = self.ask(digest, length, blob.clone(), acts)?;
            missing.push(stream);
        }
        if missing.is_empty() {
            return self.ready(task, acts);
        }
        if self.waiting.len() >= MOST_WAITING {
            return Err(ProtocolError::new("it sends too many jobs"));
        }
        self.waiting.push(Waiting { task, missing });
        Ok(())
    }

    /// The number of the stream with this blob. Each blob is requested once.
    fn ask(
        &mut self,
        digest: Digest,
        length: u64,
        blob: Blob,
        acts: &mut Vec<Effect>,
    ) -> Result<RequestId, ProtocolError> {
        if let Some((stream, coming)) = self.coming.iter_mut().find(|(_, it)| it.digest == digest) {
            if coming.length != length {
                return Err(ProtocolError::new("it gives two lengths for the same bytes"));
            }
            coming.wanted_by.push(blob);
            return Ok(*stream);
        }
        self.streams += 1;
        let stream = self.streams;
        let coming =
            Coming { digest, length, incoming: IncomingBlob::default(), wanted_by: vec![blob] };
        self.coming.insert(stream, coming);
        acts.push(Effect::Say(FromWorker::Need { stream, digest }));
        Ok(stream)
    }

    fn piece(
        &mut self,
        stream: RequestId,
        is_last: bool,
        bytes: &[u8],
        acts: &mut Vec<Effect>,
    ) -> Result<(), ProtocolError> {
        let Some(coming) = self.coming.get_mut(&stream) else {
            return Err(ProtocolError::new("it sends what nobody asked for"));
        };
        coming.incoming.push(bytes, &mut self.large);
        let (length, expected) = (coming.incoming.length(), coming.length);
        if length > expected || is_last && length != expected {
            return Err(ProtocolError::new(format!(
                "it sends {length} bytes in place of {expected}"
            )));
        }
        if !is_last {
            return Ok(());
        }
        let Some(coming) = self.coming.remove(&stream) else { return Ok(()) };
        let Coming { digest, incoming, wanted_by, .. } = coming;
        match incoming.finish() {
            Ok(blob) if blob.known_digest() == Some(digest) => {
                self.arrived(stream, &wanted_by, &blob, acts)
            }
            Ok(_) => Err(ProtocolError::new("it sends bytes that do not match their digest")),
            Err(reason) => {
                self.give_up(stream, &reason, acts);
                Ok(())
            }
        }
    }

    #[cfg(feature = "nats")]
    pub(super) fn length(&self, stream: RequestId) -> Option<u64> {
        self.coming.get(&stream).map(|coming| coming.length)
    }

    #[cfg(feature = "nats")]
    pub(super) fn bring(
        &mut self,
        stream: RequestId,
        blob: &Blob,
        acts: &mut Vec<Effect>,
    ) -> Result<(), ProtocolError> {
        let Some(coming) = self.coming.remove(&stream) else { return Ok(()) };
        self.arrived(stream, &coming.wanted_by, blob, acts)
    }

    fn arrived(
        &mut self,
        stream: RequestId,
        wanted_by: &[Blob],
        blob: &Blob,
        acts: &mut Vec<Effect>,
    ) -> Result<(), ProtocolError> {
        wanted_by.iter().for_each(|wanted| wanted.arrive(blob.clone()));
        self.kept.keep(blob);
        for waiting in &mut self.waiting {
            waiting.missing.retain(|it| *it != stream);
        }
        while let Some(place) = self.waiting.iter().position(|it| it.missing.is_empty()) {
            let waiting = self.waiting.remove(place);
            self.ready(waiting.task, acts)?;
        }
        Ok(())
    }

    fn give_up(&mut self, stream: RequestId, reason: &str, acts: &mut Vec<Effect>) {
        let (failed, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.missing.contains(&stream));
        self.waiting = waiting;
        for Waiting { task, .. } in failed {
            let fault = JudgeError::new("get a file of a job", reason);
            acts.push(Effect::Say(FromWorker::failed(task.number, fault)));
        }
    }

    fn ready(&mut self, mut task: Task, acts: &mut Vec<Effect>) -> Result<(), ProtocolError> {
        let jobs = task.work.jobs_mut().into_iter();
        for shown in jobs.flat_map(|job| &mut job.command.visible) {
            if let What::Tree(tree) = &mut shown.what {
                *tree = self.kept.tree(Arc::clone(tree))?;
            }
        }
        acts.push(Effect::Do(ProgramOrder::Run(task)));
        Ok(())
    }
}
