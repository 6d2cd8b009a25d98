//! Jobs and results as messages: a head, and behind it the frames that go through a pipe otherwise.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::model::blob::Digest;
use crate::model::judgement::JudgeError;
use crate::remote::frame::{Frames, Peer, frame};
use crate::remote::message::{Facts, RequestId};
use crate::remote::state::relative_pace;

/// A message is at most as long; what is longer goes beside it.
pub const MOST: usize = 512 << 10;

/// No unit has more jobs.
pub const MOST_JOBS: usize = 16;

/// What a unit says of itself, before its jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitHead {
    /// Who sent it.
    pub batch: String,
    /// Its name, which nobody can guess.
    pub unit: String,
    /// The machine whose times count.
    pub first: Origin,
    /// The jobs are in a blob, of this digest and length.
    pub stored: Option<(Digest, u64)>,
}

/// What must be known of a machine to convert times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// As in what it says of itself.
    pub boot: String,
    /// The same.
    pub pace: Duration,
}

impl Origin {
    /// That of a worker.
    pub fn of(facts: &Facts) -> Self {
        Self { boot: facts.boot.clone(), pace: facts.pace }
    }

    /// How much longer a worker takes.
    pub fn pace_of(&self, facts: &Facts) -> f64 {
        if self.boot == facts.boot { 1.0 } else { relative_pace(facts.pace, self.pace) }
    }
}

/// What a result says of itself, before the results of the jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultHead {
    /// The worker.
    pub worker: String,
    /// Its machine.
    pub name: String,
    /// How much longer it takes than the machine whose times count.
    pub pace: f64,
    /// The number of the first job there; those of the others follow.
    pub base: RequestId,
    /// The worker could not get a blob from the server.
    pub lacks: bool,
    /// Most of it is in other messages.
    pub part: Option<ResultPart>,
}

/// Messages that have the beginning of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPart {
    /// Their name, which no other result has.
    pub id: String,
    /// How many.
    pub count: u32,
}

/// A message: a head, and bytes behind it.
///
/// # Errors
/// If it would be too long.
pub fn message(head: &impl Serialize, behind: &[&[u8]]) -> Result<Vec<u8>, JudgeError> {
    frame(head, behind)
}

/// The head of a message, and what is behind it. None if it is not one.
pub fn read<H: DeserializeOwned>(bytes: &[u8]) -> Option<(H, Vec<u8>)> {
    let mut frames = Frames::within(Peer::Sender, bytes.to_vec());
    let found = frames.next().ok()??;
    frames.rest().is_empty().then_some(found)
}

/// Whether a word is 32 digits, as names are that nobody can guess.
pub fn is_name(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|it| it.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_one_head_and_nothing_after_it() {
        let part = ResultPart { id: "a".to_owned(), count: 7 };
        let bytes = message(&part, &[b"ab", b"c"]).unwrap();
        assert_eq!(read::<ResultPart>(&bytes), Some((part, b"abc".to_vec())));
        assert_eq!(read::<ResultPart>(&[&bytes[..], b"d"].concat()), None);
        assert_eq!(read::<ResultPart>(&bytes[..bytes.len() - 1]), None);
        assert_eq!(read::<UnitHead>(&bytes), None);
        assert_eq!(read::<ResultPart>(b""), None);
    }

    #[test]
    fn names_are_32_digits() {
        assert!(is_name(&crate::remote::nats::random()));
        assert!(!is_name("a"));
        assert!(!is_name("0123456789abcdef0123456789abcde."));
    }
}
