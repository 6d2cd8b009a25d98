//! Blobs by digest on a NATS server, in the layout of its object store.
//!
//! A blob has a head, which names its pieces and is written after them: a reader that finds the head finds all pieces.
//! Pieces are read one by one, so that a reader needs no right to create anything on the server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::{Value, json};

use crate::incoming::{IncomingBlob, LargeBlobs};
use crate::nats::layout::{self, BLOBS};
use crate::nats::link::{NatsLink, NoReply, OutgoingMessage, header, seconds_of, status};
use crate::nats::random;
use crate::serve::send_pieces;
use juror_core::blob::{Blob, Digest};

/// A blob older than this is stored again, so that it does not expire before it is read.
const FRESH: Duration = Duration::from_secs(3 * 24 * 3600);

/// The largest blob.
const LARGEST: u64 = 64 << 30;

/// Why a blob could not be put or got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobFault {
    /// The server does not answer.
    NoReply(NoReply),
    /// The server refuses or holds something else, or the blob cannot be read or written here.
    Invalid(String),
}

impl std::fmt::Display for BlobFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoReply(silence) => write!(f, "{silence}"),
            Self::Invalid(reason) => write!(f, "{reason}"),
        }
    }
}

impl From<NoReply> for BlobFault {
    fn from(silence: NoReply) -> Self {
        Self::NoReply(silence)
    }
}

fn head_subject(digest: &Digest) -> String {
    format!("$O.CAS.M.{}", URL_SAFE.encode(layout::blob(digest)))
}

/// Stores a blob, unless the server has it.
///
/// # Errors
/// If it cannot be stored.
pub fn put(link: &NatsLink, blob: &Blob) -> Result<(), BlobFault> {
    let unread = |error: std::io::Error| BlobFault::Invalid(error.to_string());
    let digest = blob.digest().map_err(unread)?;
    let length = blob.len().map_err(unread)?;
    if head(link, &digest, false)?.is_some_and(|head| head.length == length && head.age < FRESH) {
        return Ok(());
    }
    let id = random();
    let subject = format!("$O.CAS.C.{id}");
    let count = std::cell::Cell::new(0u64);
    let failure = std::cell::Cell::new(None);
    let sent = send_pieces(blob, |_, bytes| {
        count.set(count.get() + 1);
        let mut call = OutgoingMessage::new(subject.clone(), bytes);
        // The server stores it once, however often it is sent.
        call.headers.push(("Nats-Msg-Id", format!("{id}.{}", count.get())));
        match layout::store_patiently(link, &call) {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(refusal)) => failure.set(Some(BlobFault::Invalid(refusal.what))),
            Err(silence) => failure.set(Some(BlobFault::NoReply(silence))),
        }
        Err(juror_core::judgement::JudgeError::new("put a blob", "the server did not accept it"))
    });
    // Without a head, the stored pieces are useless.
    let useless = |fault| {
        let filter = json!({ "filter": subject });
        let _ = layout::ask(link, &format!("STREAM.PURGE.{BLOBS}"), &filter);
        fault
    };
    if let Some(failure) = failure.take() {
        return Err(useless(failure));
    }
    sent.map_err(|error| useless(BlobFault::Invalid(error.to_string())))?;
    let head = json!({
        "name": layout::blob(&digest), "bucket": "CAS", "nuid": id, "size": length, "chunks": count.get(),
        "digest": format!("SHA-256={}", URL_SAFE.encode(digest.0)), "mtime": "0001-01-01T00:00:00Z",
    });
    let head = head.to_string();
    let mut call = OutgoingMessage::new(head_subject(&digest), head.as_bytes());
    call.headers.push(("Nats-Rollup", "sub".to_owned()));
    let stored = layout::store_patiently(link, &call)?;
    stored.map(|_| ()).map_err(|refusal| useless(BlobFault::Invalid(refusal.what)))
}

/// The head of a blob.
struct BlobHead {
    length: u64,
    id: String,
    age: Duration,
}

/// The head of a blob, if the server has it. One that was stored is waited for.
fn head(link: &NatsLink, digest: &Digest, was_stored: bool) -> Result<Option<BlobHead>, BlobFault> {
    let subject = format!("$JS.API.DIRECT.GET.{BLOBS}.{}", head_subject(digest));
    let call = OutgoingMessage::new(subject, b"");
    let message = if was_stored { link.request_stored(&call) } else { link.request(&call) }?;
    if status(&message).is_some() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
    let id = value["nuid"].as_str().unwrap_or_default();
    let is_name = !id.is_empty() && id.chars().all(|it| it.is_ascii_alphanumeric());
    let (Some(length), true) = (value["size"].as_u64().filter(|it| *it <= LARGEST), is_name) else {
        return Ok(None);
    };
    let since = header(&message, "Nats-Time-Stamp").and_then(seconds_of);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let passed = |since: f64| Duration::from_secs_f64((now - since).max(0.0));
    let age = since.map_or(Duration::MAX, passed);
    Ok(Some(BlobHead { length, id: id.to_owned(), age }))
}

/// Gets the blob with this digest and length.
///
/// # Errors
/// If the server does not have it, or has something else.
pub(crate) fn get(
    link: &NatsLink,
    digest: &Digest,
    length: u64,
    large: &mut LargeBlobs,
) -> Result<Blob, BlobFault> {
    let name = layout::blob(digest);
    let wrong = |what: &str| BlobFault::Invalid(format!("the server {what} {name}"));
    let head = head(link, digest, true)?.ok_or_else(|| wrong("does not have the blob"))?;
    if head.length != length {
        return Err(wrong("reports a wrong length for the blob"));
    }
    let mut incoming = IncomingBlob::default();
    let mut next = 1;
    while incoming.length() < length {
        let body =
            json!({ "seq": next, "next_by_subj": format!("$O.CAS.C.{}", head.id) }).to_string();
        let subject = format!("$JS.API.DIRECT.GET.{BLOBS}");
        let message = link.request_stored(&OutgoingMessage::new(subject, body.as_bytes()))?;
        let sequence = header(&message, "Nats-Sequence").and_then(|text| text.parse::<u64>().ok());
        let Some(sequence) = sequence.filter(|it| status(&message).is_none() && *it >= next) else {
            return Err(wrong("lacks a piece of the blob"));
        };
        next = sequence + 1;
        if message.payload.is_empty() || incoming.length() + message.payload.len() as u64 > length {
            return Err(wrong("sends wrong pieces of the blob"));
        }
        incoming.push(&message.payload, large);
    }
    let blob = incoming.finish().map_err(BlobFault::Invalid)?;
    if blob.known_digest() == Some(*digest) {
        Ok(blob)
    } else {
        Err(wrong("sends wrong bytes for the blob"))
    }
}
