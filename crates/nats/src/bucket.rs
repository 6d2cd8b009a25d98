//! Blobs by digest on a NATS server, in the layout of its object store.
//!
//! A blob has a head, which names its pieces and is written after them: a reader that finds the head finds all pieces.
//! Pieces are read one by one, so that a reader needs no right to create anything on the server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::layout::{self, BLOBS};
use crate::link::{Link, NoReply, OutgoingMessage, header, parse_time, sequence, status};
use juror_core::blob::Digest;
use juror_core::text::hex;

/// A blob older than this is stored again, so that it does not expire before it is read.
const FRESH: Duration = Duration::from_secs(3 * 24 * 3600);

/// The largest blob.
const BYTES_MAX: u64 = 64 << 30;

/// Why something could not be stored or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFault {
    /// The server does not answer.
    #[error(transparent)]
    NoReply(#[from] NoReply),
    /// The server refuses or holds something else, or the bytes are not what they should be.
    #[error("{0}")]
    Invalid(String),
}

/// Stores a message, or finds it stored.
///
/// # Errors
/// If the server refuses it for a while, or does not answer.
pub async fn store(link: &Link, call: &OutgoingMessage) -> Result<(), StoreFault> {
    match layout::store_patiently(link, call).await? {
        Err(refusal) if !refusal.is_there_already() => Err(StoreFault::Invalid(refusal.what)),
        _ => Ok(()),
    }
}

fn head_subject(digest: &Digest) -> String {
    format!("$O.CAS.M.{}", URL_SAFE.encode(hex(&digest.0)))
}

/// Whether the server has a blob, and will have it for some days.
///
/// # Errors
/// If the server does not answer.
pub async fn has(link: &Link, digest: &Digest) -> Result<bool, StoreFault> {
    Ok(head(link, digest, false).await?.is_some_and(|head| head.age < FRESH))
}

/// A blob on its way to the server.
pub struct BlobUpload {
    link: Link,
    digest: Digest,
    id: String,
    length: u64,
    count: u64,
    hasher: Sha256,
}

impl BlobUpload {
    /// # Errors
    /// If this system has no random numbers.
    pub fn new(link: Link, digest: Digest) -> Result<Self, StoreFault> {
        let id = crate::random().map_err(|error| StoreFault::Invalid(error.to_string()))?;
        Ok(Self { link, digest, id, length: 0, count: 0, hasher: Sha256::new() })
    }

    /// Stores the next piece.
    ///
    /// # Errors
    /// If the server does not store it.
    pub async fn push(&mut self, piece: Vec<u8>) -> Result<(), StoreFault> {
        self.length += piece.len() as u64;
        self.hasher.update(&piece);
        self.count += 1;
        // The server stores it once, however often it is sent.
        let call = OutgoingMessage::new(format!("$O.CAS.C.{}", self.id), piece)
            .with_header("Nats-Msg-Id", format!("{}.{}", self.id, self.count));
        store(&self.link, &call).await
    }

    /// Stores the head, if the pieces are those of the blob.
    ///
    /// # Errors
    /// If they are not, or the server does not store it.
    pub async fn finish(&mut self) -> Result<(), StoreFault> {
        let found: [u8; 32] = self.hasher.finalize_reset().into();
        if found != self.digest.0 {
            return Err(StoreFault::Invalid("a file changed while it was sent".to_owned()));
        }
        let head = json!({
            "name": hex(&self.digest.0), "bucket": "CAS", "nuid": self.id, "size": self.length, "chunks": self.count,
            "digest": format!("SHA-256={}", URL_SAFE.encode(found)), "mtime": "0001-01-01T00:00:00Z",
        });
        let call = OutgoingMessage::new(head_subject(&self.digest), head.to_string())
            .with_header("Nats-Rollup", "sub");
        store(&self.link, &call).await
    }

    /// Removes the pieces, which are useless without a head.
    pub async fn abandon(&self) {
        layout::purge(&self.link, BLOBS, &format!("$O.CAS.C.{}", self.id)).await;
    }
}

/// The head of a blob.
struct BlobHead {
    length: u64,
    id: String,
    age: Duration,
}

/// The head of a blob, if the server has it. One that was stored is waited for.
async fn head(
    link: &Link,
    digest: &Digest,
    was_stored: bool,
) -> Result<Option<BlobHead>, StoreFault> {
    let subject = format!("$JS.API.DIRECT.GET.{BLOBS}.{}", head_subject(digest));
    let call = OutgoingMessage::new(subject, b"");
    let message =
        if was_stored { link.request_stored(&call).await } else { link.request(&call).await }?;
    if status(&message).is_some() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
    let id = value["nuid"].as_str().unwrap_or_default();
    let is_name = !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric());
    let (Some(length), true) = (value["size"].as_u64().filter(|size| *size <= BYTES_MAX), is_name)
    else {
        return Ok(None);
    };
    let since = header(&message, "Nats-Time-Stamp").and_then(parse_time);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let passed = |since: f64| Duration::from_secs_f64((now - since).max(0.0));
    let age = since.map_or(Duration::MAX, passed);
    Ok(Some(BlobHead { length, id: id.to_owned(), age }))
}

/// Gives the pieces of a blob, one after the other; the last one has the flag.
///
/// # Errors
/// If the server does not have it, or has something else.
pub async fn get(
    link: &Link,
    digest: &Digest,
    mut take: impl FnMut(bool, &[u8]),
) -> Result<(), StoreFault> {
    let name = hex(&digest.0);
    let wrong = |what: &str| StoreFault::Invalid(format!("the server {what} {name}"));
    let head = head(link, digest, true).await?.ok_or_else(|| wrong("does not have the blob"))?;
    let (mut next, mut length) = (1, 0);
    if head.length == 0 {
        take(true, b"");
    }
    while length < head.length {
        let body = json!({ "seq": next, "next_by_subj": format!("$O.CAS.C.{}", head.id) });
        let call = OutgoingMessage::new(format!("$JS.API.DIRECT.GET.{BLOBS}"), body.to_string());
        let message = link.request_stored(&call).await?;
        let sequence = sequence(&message).filter(|sequence| *sequence >= next);
        next = 1 + sequence.ok_or_else(|| wrong("lacks a piece of the blob"))?;
        length += message.payload.len() as u64;
        if message.payload.is_empty() || length > head.length {
            return Err(wrong("sends wrong pieces of the blob"));
        }
        take(length == head.length, &message.payload);
    }
    Ok(())
}
