//! Jobs and results as messages: a head, then the same frames as in a pipe.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::frame::{FrameReader, Peer};
use crate::message::RequestId;
use juror_core::blob::Digest;

/// The longest message. What is longer is stored beside it.
pub const MOST: usize = 512 << 10;

/// The most jobs in a unit.
pub const MOST_JOBS: usize = 24;

/// The head of a unit, before its jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitHead {
    pub batch: String,
    /// Its name, which nobody can guess.
    pub unit: String,
    /// Digest and length of the blob with the jobs, if they are in a blob.
    pub stored: Option<(Digest, u64)>,
}

/// The head of a result, before the results of the jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultHead {
    pub worker: String,
    pub name: String,
    /// The worker's number of the first job; the other jobs' numbers follow.
    pub base: RequestId,
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

/// The head of a message and the bytes after it. None if the bytes are not a message.
pub fn read<H: DeserializeOwned>(bytes: &[u8]) -> Option<(H, Vec<u8>)> {
    let mut frames = FrameReader::after_greeting(Peer::Sender, bytes.to_vec());
    let found = frames.next().ok()??;
    frames.unread_bytes().is_empty().then_some(found)
}

/// Whether a word has 32 digits, like the names that nobody can guess.
pub fn is_name(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|it| it.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::encode_frame;

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
        assert!(is_name(&crate::nats::random()));
        assert!(!is_name("a"));
        assert!(!is_name("0123456789abcdef0123456789abcde."));
    }
}
