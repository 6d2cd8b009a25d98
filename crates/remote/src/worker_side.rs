//! A worker's view of the pipe, without threads: bytes in; work, and messages to send, out.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::frame::{FrameReader, Peer, ProtocolError, decode_body};
use crate::incoming::{IncomingBlob, LargeBlobs, STORED_BYTES_MAX, WorkerStore};
use crate::message::{MessageFromWorker, MessageToWorker, RequestId, RunHead, RunOrder};
use crate::packing::{BlobRoute, job_stays_inside, unpack};
use juror_core::blob::{Blob, Digest};
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::JudgeError;
use juror_core::work::{RunMode, Work};

#[derive(Debug)]
pub(super) enum Effect {
    Send(MessageFromWorker),
    /// The job with this number cannot be run.
    Fail(RequestId, JudgeError),
    Execute(ProgramOrder),
    /// The job with this number should end. It may have ended already.
    Cancel(RequestId),
}

#[derive(Debug)]
pub(super) enum ProgramOrder {
    Run(WorkerTask),
    FindTool { number: RequestId, word: String },
}

/// Work that is ready to run: all its blobs are here.
#[derive(Debug)]
pub(super) struct WorkerTask {
    pub(super) number: RequestId,
    pub(super) mode: RunMode,
    pub(super) work: Work,
}

impl WorkerTask {
    pub(super) fn installed_tools(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let shown = self.work.jobs().into_iter().flat_map(|job| &job.command.visible);
        shown.filter_map(|shown| match &shown.what {
            VisibleContent::Installed { identity, .. } => {
                Some((shown.inside.clone(), identity.clone()))
            }
            VisibleContent::Tree(_) => None,
        })
    }
}

struct WaitingTask {
    task: WorkerTask,
    missing: Vec<RequestId>,
}

struct IncomingStream {
    digest: Digest,
    length: u64,
    incoming: IncomingBlob,
    wanted_by: Vec<Blob>,
}

const WAITING_TASKS_MAX: usize = 10_000;

pub(super) struct WorkerSide {
    frames: FrameReader,
    large: LargeBlobs,
    store: WorkerStore,
    incoming: HashMap<RequestId, IncomingStream>,
    waiting: Vec<WaitingTask>,
    last_stream: RequestId,
    /// Of the messages that are read now.
    effects: Vec<Effect>,
}

impl WorkerSide {
    pub(super) fn new() -> Self {
        Self {
            frames: FrameReader::new(Peer::Sender),
            large: LargeBlobs::default(),
            store: WorkerStore::new(STORED_BYTES_MAX),
            incoming: HashMap::new(),
            waiting: Vec::new(),
            last_stream: 0,
            effects: Vec::new(),
        }
    }

    pub(super) fn read_messages(&mut self, bytes: &[u8]) -> Result<Vec<Effect>, ProtocolError> {
        self.frames.push(bytes);
        while let Some((message, behind)) = self.frames.next_frame::<MessageToWorker>()? {
            self.handle_message(message, &behind)?;
        }
        Ok(std::mem::take(&mut self.effects))
    }

    fn handle_message(
        &mut self,
        message: MessageToWorker,
        behind: &[u8],
    ) -> Result<(), ProtocolError> {
        match message {
            // Of use only to who forwards jobs.
            MessageToWorker::Session(_) => {}
            MessageToWorker::Run(RunHead { number, .. }) => {
                let (RunOrder { mode, ways, work }, behind) = decode_body(behind)?;
                self.accept_task(WorkerTask { number, mode, work }, &ways, behind)?;
            }
            MessageToWorker::Piece { stream, is_last } => {
                self.add_piece(stream, is_last, behind)?
            }
            MessageToWorker::BlobUnreadable { stream, reason } => {
                if self.incoming.remove(&stream).is_none() {
                    return Err(ProtocolError::new("it sends what nobody asked for"));
                }
                self.fail_tasks(stream, &reason);
            }
            MessageToWorker::FindTool { number, word } => {
                self.effects.push(Effect::Execute(ProgramOrder::FindTool { number, word }));
            }
            MessageToWorker::Cancel { number } => {
                let is_it = |waiting: &mut WaitingTask| waiting.task.number == number;
                self.effects.push(match self.waiting.extract_if(.., is_it).next() {
                    Some(_) => Effect::Send(MessageFromWorker::RunInterrupted { number }),
                    None => Effect::Cancel(number),
                });
            }
        }
        Ok(())
    }

    fn accept_task(
        &mut self,
        mut task: WorkerTask,
        ways: &[BlobRoute],
        behind: &[u8],
    ) -> Result<(), ProtocolError> {
        if !task.work.jobs().into_iter().all(job_stays_inside) {
            let fault = JudgeError::new("take a job", "a path in it leads out of its directory");
            self.effects.push(Effect::Fail(task.number, fault));
            return Ok(());
        }
        let blobs = task.work.jobs_mut().into_iter().flat_map(Job::blobs_mut);
        let mut missing = Vec::new();
        for (blob, way) in unpack(blobs.collect(), ways, behind)? {
            let (BlobRoute::OnRequest, Some(digest), Ok(length)) =
                (way, blob.known_digest(), blob.len())
            else {
                return Err(ProtocolError::new("it sends a job with a blob that has no name"));
            };
            if let Some(known) = self.store.blob(&digest) {
                if known.len().ok() != Some(length) {
                    return Err(ProtocolError::new("it gives two lengths for the same bytes"));
                }
                *blob = known;
                continue;
            }
            let stream = self.request_blob(digest, length, blob.clone())?;
            missing.push(stream);
        }
        if missing.is_empty() {
            return self.start_task(task);
        }
        if self.waiting.len() >= WAITING_TASKS_MAX {
            return Err(ProtocolError::new("it sends too many jobs"));
        }
        self.waiting.push(WaitingTask { task, missing });
        Ok(())
    }

    /// The number of the stream with this blob. Each blob is requested once.
    fn request_blob(
        &mut self,
        digest: Digest,
        length: u64,
        blob: Blob,
    ) -> Result<RequestId, ProtocolError> {
        if let Some((stream, coming)) =
            self.incoming.iter_mut().find(|(_, blob)| blob.digest == digest)
        {
            if coming.length != length {
                return Err(ProtocolError::new("it gives two lengths for the same bytes"));
            }
            coming.wanted_by.push(blob);
            return Ok(*stream);
        }
        self.last_stream += 1;
        let stream = self.last_stream;
        let coming = IncomingStream {
            digest,
            length,
            incoming: IncomingBlob::default(),
            wanted_by: vec![blob],
        };
        self.incoming.insert(stream, coming);
        self.effects.push(Effect::Send(MessageFromWorker::BlobNeeded { stream, digest }));
        Ok(stream)
    }

    fn add_piece(
        &mut self,
        stream: RequestId,
        is_last: bool,
        bytes: &[u8],
    ) -> Result<(), ProtocolError> {
        let Some(coming) = self.incoming.get_mut(&stream) else {
            return Err(ProtocolError::new("it sends what nobody asked for"));
        };
        coming.incoming.push(bytes, &mut self.large);
        let (length, expected) = (coming.incoming.length, coming.length);
        if length > expected || is_last && length != expected {
            return Err(ProtocolError::new(format!(
                "it sends {length} bytes in place of {expected}"
            )));
        }
        if !is_last {
            return Ok(());
        }
        let Some(coming) = self.incoming.remove(&stream) else { return Ok(()) };
        let IncomingStream { digest, incoming, wanted_by, .. } = coming;
        match incoming.finish() {
            Ok(blob) if blob.known_digest() == Some(digest) => {
                self.finish_blob(stream, &wanted_by, &blob)
            }
            Ok(_) => Err(ProtocolError::new("it sends bytes that do not match their digest")),
            Err(reason) => {
                self.fail_tasks(stream, &reason);
                Ok(())
            }
        }
    }

    fn finish_blob(
        &mut self,
        stream: RequestId,
        wanted_by: &[Blob],
        blob: &Blob,
    ) -> Result<(), ProtocolError> {
        wanted_by.iter().for_each(|job| job.receive(blob.clone()));
        self.store.store_blob(blob);
        for waiting in &mut self.waiting {
            waiting.missing.retain(|other| *other != stream);
        }
        while let Some(index) = self.waiting.iter().position(|waiting| waiting.missing.is_empty()) {
            let waiting = self.waiting.remove(index);
            self.start_task(waiting.task)?;
        }
        Ok(())
    }

    fn fail_tasks(&mut self, stream: RequestId, reason: &str) {
        let (failed, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.missing.contains(&stream));
        self.waiting = waiting;
        for WaitingTask { task, .. } in failed {
            let fault = JudgeError::new("get a file of a job", reason);
            self.effects.push(Effect::Fail(task.number, fault));
        }
    }

    fn start_task(&mut self, mut task: WorkerTask) -> Result<(), ProtocolError> {
        let jobs = task.work.jobs_mut().into_iter();
        for shown in jobs.flat_map(|job| &mut job.command.visible) {
            if let VisibleContent::Tree(tree) = &mut shown.what {
                *tree = self.store.known_tree(Arc::clone(tree))?;
            }
        }
        self.effects.push(Effect::Execute(ProgramOrder::Run(task)));
        Ok(())
    }
}
