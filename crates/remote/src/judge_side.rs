//! Decodes what a worker sends, without threads: bytes in, results out.

use std::collections::HashMap;
use std::time::Duration;

use crate::frame::{FrameReader, Peer, ProtocolError, decode_body};
use crate::incoming::{IncomingBlob, LargeBlobs};
use crate::message::{MessageFromWorker, RequestId, RunResult, ToolAnswer, WorkerFacts};
use crate::packing::{BlobRoute, all_stay, unpack};
use crate::serve::BLOB_NUMBER_BITS;
use juror_core::blob::{Blob, Digest};
use juror_core::job::JobReply;
use juror_core::joint::{JointReply, ProgramReply};
use juror_core::judgement::JudgeError;
use juror_core::outcome::{Ending, Outcome, Signal};
use juror_core::text::printable;
use juror_core::units::Bytes;
use juror_core::work::WorkReply;

#[derive(Debug)]
pub(super) enum ReceivedMessage {
    Ready(WorkerFacts),
    Member(WorkerFacts),
    Warning { worker: String, message: String },
    BlobNeeded { stream: RequestId, digest: Digest },
    Answer { number: RequestId, answer: Response },
}

#[derive(Debug)]
pub(super) enum Response {
    RunEnded(Result<WorkReply, JudgeError>),
    RunInterrupted,
    ToolFound(ToolAnswer),
}

pub(super) struct JudgeSide {
    frames: FrameReader,
    large: LargeBlobs,
    results: HashMap<RequestId, IncomingResult>,
}

/// The parts of a result that arrived before its message.
#[derive(Default)]
struct IncomingResult {
    bytes: u64,
    incoming_blobs: HashMap<RequestId, IncomingBlob>,
    blobs: HashMap<RequestId, Blob>,
}

impl JudgeSide {
    pub(super) fn new() -> Self {
        let frames = FrameReader::new(Peer::Worker);
        Self { frames, large: LargeBlobs::default(), results: HashMap::new() }
    }

    /// `room` gives how many bytes the result of a job may have; `None` if the job is not under way.
    pub(super) fn read_messages(
        &mut self,
        bytes: &[u8],
        room: &dyn Fn(RequestId) -> Option<u64>,
    ) -> Result<Vec<ReceivedMessage>, ProtocolError> {
        let mut messages = Vec::new();
        self.frames.push(bytes);
        while let Some((message, behind)) = self.frames.next_frame::<MessageFromWorker>()? {
            messages.push(match message {
                MessageFromWorker::Heartbeat => continue,
                MessageFromWorker::Ready(facts) => ReceivedMessage::Ready(bounded(facts)),
                MessageFromWorker::Member(facts) => ReceivedMessage::Member(bounded(facts)),
                MessageFromWorker::Warning { worker, message } => {
                    let (worker, message) = (short(&worker), short(&message));
                    ReceivedMessage::Warning { worker, message }
                }
                MessageFromWorker::BlobNeeded { stream, digest } => {
                    ReceivedMessage::BlobNeeded { stream, digest }
                }
                MessageFromWorker::Piece { stream, is_last } => {
                    self.add_piece(stream, is_last, &behind, room)?;
                    continue;
                }
                MessageFromWorker::ToolFound { number, answer } => {
                    check_request(number, Response::ToolFound(answer), room)?
                }
                MessageFromWorker::RunEnded { number, worker, .. } => {
                    let mut reply = self.complete_result(number, &behind)?;
                    for reply in reply.iter_mut().flat_map(WorkReply::replies_mut) {
                        reply.outcome.worker = worker.as_deref().map(short);
                    }
                    check_request(number, Response::RunEnded(reply), room)?
                }
                MessageFromWorker::RunInterrupted { number } => {
                    self.results.remove(&number);
                    check_request(number, Response::RunInterrupted, room)?
                }
            });
        }
        Ok(messages)
    }

    fn add_piece(
        &mut self,
        stream: RequestId,
        is_last: bool,
        bytes: &[u8],
        room: &dyn Fn(RequestId) -> Option<u64>,
    ) -> Result<(), ProtocolError> {
        let number = stream >> BLOB_NUMBER_BITS;
        let most = room(number).ok_or_else(unrequested_answer)?;
        let coming = self.results.entry(number).or_default();
        coming.bytes += bytes.len() as u64;
        if coming.bytes > most {
            return Err(ProtocolError::new(format!("it sends a result of more than {most} bytes")));
        }
        let incoming = coming.incoming_blobs.entry(stream).or_default();
        incoming.push(bytes, &mut self.large);
        if is_last && let Some(incoming) = coming.incoming_blobs.remove(&stream) {
            let blob = incoming.finish().map_err(ProtocolError)?;
            coming.blobs.insert(stream, blob);
        }
        Ok(())
    }

    fn complete_result(
        &mut self,
        number: RequestId,
        bytes: &[u8],
    ) -> Result<Result<WorkReply, JudgeError>, ProtocolError> {
        let mut coming = self.results.remove(&number).unwrap_or_default();
        let (RunResult { ways, reply: mut ended }, behind) = decode_body(bytes)?;
        let Ok(reply) = &mut ended else { return Ok(ended) };
        if !is_possible(reply) {
            return Err(ProtocolError::new("it reports an impossible time or size"));
        }
        let mut boxes = reply.replies().into_iter().flat_map(|reply| &reply.kept);
        if !boxes.all(|tree| all_stay(&tree.entries)) {
            return Err(ProtocolError::new(
                "it sends a file whose path leads out of its directory",
            ));
        }
        let blobs = reply.replies_mut().into_iter().flat_map(JobReply::blobs_mut);
        for (blob, way) in unpack(blobs.collect(), &ways, behind)? {
            let arrived = match way {
                BlobRoute::BeforeMessage(index) => {
                    let stream = (number << BLOB_NUMBER_BITS).checked_add(index);
                    stream.and_then(|stream| coming.blobs.remove(&stream))
                }
                BlobRoute::AfterMessage(_) | BlobRoute::OnRequest => None,
            };
            let is_it = |arrived: &Blob| {
                arrived.len().ok() == blob.len().ok()
                    && blob.known_digest().is_none_or(|known| arrived.known_digest() == Some(known))
            };
            let arrived = arrived.filter(is_it);
            *blob = arrived.ok_or_else(|| {
                ProtocolError::new("it sends bytes that do not match their digest")
            })?;
        }
        Ok(ended)
    }
}

/// In characters.
const NAME_MAX: usize = 300;

fn short(text: &str) -> String {
    printable(text).to_string().chars().take(NAME_MAX).collect()
}

fn bounded(mut facts: WorkerFacts) -> WorkerFacts {
    facts.clamp_numbers();
    WorkerFacts { name: short(&facts.name), ..facts }
}

/// Fails if the request with this number is not under way.
fn check_request(
    number: RequestId,
    answer: Response,
    room: &dyn Fn(RequestId) -> Option<u64>,
) -> Result<ReceivedMessage, ProtocolError> {
    match room(number) {
        Some(_) => Ok(ReceivedMessage::Answer { number, answer }),
        None => Err(unrequested_answer()),
    }
}

fn unrequested_answer() -> ProtocolError {
    ProtocolError::new("it answers a question that was not asked")
}

/// Upper bound on a time that a worker reports: far above any limit, and far below what overflows.
const TIME_MAX: Duration = Duration::from_secs(366 * 24 * 60 * 60);
const SIZE_MAX: Bytes = Bytes(1 << 50);

/// All numbers of a reply are possible. Later code computes with them.
fn is_possible(reply: &WorkReply) -> bool {
    let is_whole = match reply {
        WorkReply::Single(_) => true,
        WorkReply::Joint(reply) => is_joint_possible(reply),
    };
    is_whole && reply.replies().iter().all(|reply| is_outcome_possible(&reply.outcome))
}

fn is_joint_possible(reply: &JointReply) -> bool {
    let JointReply { program, partner, output_end_reported: reported, deadlock, debt, transcript } =
        reply;
    let of_part = |part: &ProgramReply| {
        let times = [part.started, part.ended, part.closed];
        times.iter().all(|time| *time <= TIME_MAX) && part.unread <= SIZE_MAX
    };
    let written = transcript.first.iter().chain(&transcript.last).map(|piece| piece.at);
    let rare = deadlock.iter().map(|deadlock| deadlock.at).chain([debt.longest]);
    let mut more = reported.iter().copied().chain(rare).chain(written);
    of_part(program)
        && of_part(partner)
        && more.all(|time| time <= TIME_MAX)
        && transcript.left_out <= SIZE_MAX
}

fn is_outcome_possible(outcome: &Outcome) -> bool {
    let Outcome { cpu_time, wall_time, queued, .. } = outcome;
    let mut times = [*cpu_time, *wall_time, *queued].into_iter();
    let Outcome { peak_memory, stdout_bytes, stderr_bytes, file_bytes, .. } = outcome;
    let mut sizes = [peak_memory, stdout_bytes, stderr_bytes, file_bytes].into_iter();
    let is_code = match outcome.ending {
        Ending::Exited(code) => (0..=255).contains(&code),
        Ending::Signalled(signal) => (1..2 * Signal::FOREIGN_OFFSET).contains(&signal.0),
    };
    is_code && times.all(|time| time <= TIME_MAX) && sizes.all(|size| *size <= SIZE_MAX)
}
