//! Jobs and results as messages: a head, then the same frames as in a pipe.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use juror_core::blob::Digest;
use juror_remote::frame::{FrameReader, Peer, encode_frame};
use juror_remote::message::{MessageFromWorker, RequestId};

/// The longest message. What is longer is stored beside it.
pub const MESSAGE_BYTES_MAX: usize = 512 << 10;

/// The most jobs in a unit.
pub const JOBS_MAX: usize = 24;

/// Names a job: a digest of all its bytes and of the session that sent it.
pub type JobId = [u8; 16];

pub fn job_id(batch: &str, frame: &[u8]) -> JobId {
    let mut hasher = Sha256::new();
    hasher.update(batch);
    hasher.update(frame);
    let digest: [u8; 32] = hasher.finalize().into();
    *digest.first_chunk().expect("a digest is longer")
}

/// The head of a unit, before its jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitHead {
    /// The session that sent it.
    pub batch: String,
    /// Its name, which nobody can guess.
    pub unit: String,
    /// The blob with the jobs, if they are in a blob.
    pub stored: Option<Digest>,
}

/// The head of a result, before the results of the jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultHead {
    pub worker: String,
    /// The jobs, and the worker's number of each.
    pub jobs: Vec<(JobId, RequestId)>,
    /// The reason if the message has no results.
    pub fault: Option<ResultFault>,
    /// Where the rest is, if most of the result is in other messages.
    pub part: Option<ResultPart>,
}

/// Why the server has no results from a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultFault {
    /// The worker could not get a blob from the server.
    MissingBlob,
    /// The worker was asked to end.
    Interrupted,
    /// Too many workers were lost with it.
    GivenUp,
    /// The server did not store the results, for this reason.
    Refused(String),
}

/// The messages that have the beginning of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPart {
    /// Their name, which no other result has.
    pub id: String,
    pub count: u32,
}

/// The head of a message and the bytes after it. `None` if the bytes are not a message.
pub fn read<H: DeserializeOwned>(bytes: &[u8]) -> Option<(H, Vec<u8>)> {
    let mut frames = FrameReader::after_greeting(Peer::Sender, bytes.to_vec());
    let found = frames.next_frame().ok()??;
    frames.unread_bytes().is_empty().then_some(found)
}

/// All frames of a message; `None` if the bytes are something else.
pub fn read_frames<M: DeserializeOwned>(bytes: Vec<u8>) -> Option<Vec<(M, Vec<u8>)>> {
    let mut frames = FrameReader::after_greeting(Peer::Sender, bytes);
    let mut all = Vec::new();
    while let Some(frame) = frames.next_frame().ok()? {
        all.push(frame);
    }
    frames.unread_bytes().is_empty().then_some(all)
}

/// The job that a message from a worker is about.
pub fn job_of(message: &MessageFromWorker) -> Option<RequestId> {
    match message {
        MessageFromWorker::Piece { stream, .. } => {
            Some(stream >> juror_remote::serve::BLOB_NUMBER_BITS)
        }
        MessageFromWorker::RunEnded { number, .. }
        | MessageFromWorker::RunInterrupted { number }
        | MessageFromWorker::ToolFound { number, .. } => Some(*number),
        MessageFromWorker::Ready(_)
        | MessageFromWorker::Member(_)
        | MessageFromWorker::Warning { .. }
        | MessageFromWorker::BlobNeeded { .. }
        | MessageFromWorker::Heartbeat => None,
    }
}

/// The results of a unit's jobs, checked to be complete.
#[derive(Debug, Default)]
pub struct JobResult {
    frames: Vec<(MessageFromWorker, Vec<u8>)>,
    is_whole: bool,
}

impl JobResult {
    /// Splits the frames of a result by job, in the order of the head.
    ///
    /// # Errors
    /// If there is not one whole result for each job.
    pub fn split(head: &ResultHead, frames: Vec<u8>) -> Result<Vec<(JobId, Self)>, &'static str> {
        let frames = read_frames::<MessageFromWorker>(frames);
        let frames = frames.ok_or("it sends something that is not a result")?;
        let mut results: Vec<(JobId, Self)> =
            head.jobs.iter().map(|(id, _)| (*id, Self::default())).collect();
        for (message, rest) in frames {
            let number = job_of(&message).ok_or("it sends something that is not a result")?;
            let index = head.jobs.iter().position(|(_, known)| *known == number);
            let result = index.and_then(|index| results.get_mut(index));
            let (_, result) = result.ok_or("it answers a question that was not asked")?;
            if result.is_whole {
                return Err("it answers a question twice");
            }
            result.is_whole = !matches!(message, MessageFromWorker::Piece { .. });
            result.frames.push((message, rest));
        }
        let is_whole = results.iter().all(|(_, result)| result.is_whole);
        if is_whole { Ok(results) } else { Err("it sends a part of a result") }
    }

    /// How long its program ran, in seconds.
    pub fn run_time(&self) -> Option<f64> {
        match self.frames.last()? {
            (MessageFromWorker::RunEnded { run_time, .. }, _) => Some(run_time.as_secs_f64()),
            _ => None,
        }
    }

    /// The bytes for the side that sent the job with this number. `name` is the worker that ran it.
    pub fn for_sender(self, number: RequestId, name: &str) -> Vec<u8> {
        let low = (1 << juror_remote::serve::BLOB_NUMBER_BITS) - 1;
        let base = number << juror_remote::serve::BLOB_NUMBER_BITS;
        let frames = self.frames.into_iter().flat_map(|(message, rest)| {
            let message = match message {
                MessageFromWorker::Piece { stream, is_last } => {
                    MessageFromWorker::Piece { stream: base | stream & low, is_last }
                }
                MessageFromWorker::RunEnded { run_time, .. } => {
                    let worker = Some(name.to_owned());
                    MessageFromWorker::RunEnded { number, run_time, worker }
                }
                MessageFromWorker::ToolFound { answer, .. } => {
                    MessageFromWorker::ToolFound { number, answer }
                }
                _ => MessageFromWorker::RunInterrupted { number },
            };
            // The frame had about this length before.
            encode_frame(&message, &[&rest]).unwrap_or_default()
        });
        frames.collect()
    }
}

/// Whether a word has 32 digits, like the names that nobody can guess.
pub fn is_name(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_message_has_one_head_and_nothing_after_it() {
        let part = ResultPart { id: "a".to_owned(), count: 7 };
        let bytes = encode_frame(&part, &[b"ab", b"c"]).unwrap();
        assert_eq!(read::<ResultPart>(&bytes), Some((part, b"abc".to_vec())));
        assert_eq!(read::<ResultPart>(&[&bytes[..], b"d"].concat()), None);
        assert_eq!(read::<ResultPart>(&bytes[..bytes.len() - 1]), None);
        assert_eq!(read::<UnitHead>(&bytes), None);
        assert_eq!(read::<ResultPart>(b""), None);
    }

    #[test]
    fn names_are_32_digits() {
        assert!(is_name(&crate::random().unwrap()));
        assert!(!is_name("a"));
        assert!(!is_name("0123456789abcdef0123456789abcde."));
    }

    #[test]
    fn each_job_has_one_whole_result() {
        let head = ResultHead { jobs: vec![([1; 16], 7), ([2; 16], 8)], ..ResultHead::default() };
        let piece = |number: u64| MessageFromWorker::Piece { stream: number << 20, is_last: true };
        let run_time = Duration::from_millis(2);
        let end = |number| MessageFromWorker::RunEnded { number, run_time, worker: None };
        let split = |messages: &[MessageFromWorker]| {
            let frames = messages.iter().map(|message| encode_frame(message, &[b"x"]).unwrap());
            JobResult::split(&head, frames.flatten().collect())
        };
        let refused = |messages: &[MessageFromWorker], reason: &str| {
            assert_eq!(split(messages).map(|_| ()), Err(reason), "{messages:?}");
        };
        refused(&[], "it sends a part of a result");
        refused(&[end(7)], "it sends a part of a result");
        refused(&[end(7), piece(8)], "it sends a part of a result");
        refused(&[end(7), end(8), end(7)], "it answers a question twice");
        refused(&[end(7), end(8), piece(8)], "it answers a question twice");
        refused(&[end(7), end(8), end(9)], "it answers a question that was not asked");
        refused(&[MessageFromWorker::Heartbeat], "it sends something that is not a result");
        let results = split(&[piece(8), end(7), end(8)]).unwrap();
        let sizes: Vec<_> =
            results.iter().map(|(id, result)| (id[0], result.frames.len())).collect();
        assert_eq!(sizes, [(1, 1), (2, 2)]);
        let (_, last) = results.into_iter().next_back().unwrap();
        assert_eq!(last.run_time(), Some(0.002));
        let sent = read_frames::<MessageFromWorker>(last.for_sender(3, "a")).unwrap();
        let worker = Some("a".to_owned());
        let expected = [
            MessageFromWorker::Piece { stream: 3 << 20, is_last: true },
            MessageFromWorker::RunEnded { number: 3, run_time, worker },
        ];
        assert_eq!(sent, expected.map(|message| (message, b"x".to_vec())));
    }
}
