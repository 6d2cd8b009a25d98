//! What a worker asks the server about a unit, and how it writes the result.

use crate::frame::encode_frame;
use crate::incoming::LargeBlobs;
use crate::nats::link::{NatsLink, NoReply, OutgoingMessage};
use crate::nats::unit::{MOST, ResultFault, ResultHead, ResultPart, UnitHead};
use crate::nats::{bucket, layout, random};
use juror_core::blob::Digest;

/// How often a unit was handed out, from the subject for its acknowledgement.
pub(super) fn delivered(ack: &str) -> Option<u64> {
    let parts: Vec<&str> = ack.strip_prefix("$JS.ACK.")?.split('.').collect();
    // Newer servers name domain and account first.
    let place = if parts.len() > 7 { 4 } else { 2 };
    parts.get(place)?.parse().ok()
}

/// Whether a unit has a result. Reads nothing: sends a message that the server refuses, and reads the refusal.
pub(super) fn has_result(link: &NatsLink, head: &UnitHead) -> bool {
    let mut call = OutgoingMessage::new(layout::result(&head.batch, &head.unit), b"");
    call.headers.push(("Nats-Expected-Last-Subject-Sequence", i64::MAX.to_string()));
    match layout::store(link, &call) {
        Ok(Err(refusal)) => {
            refusal.is_there_already() || refusal.last().is_some_and(|last| last > 0)
        }
        _ => false,
    }
}

/// The jobs of a unit that are stored in a blob.
pub(super) fn stored(link: &NatsLink, digest: Digest, length: u64) -> Option<Vec<u8>> {
    let blob = bucket::get(link, &digest, length, &mut LargeBlobs::default()).ok()?;
    blob.prefix(length).ok()
}

/// Why a result was not written.
pub(super) enum WriteFault {
    Closed,
    Refused(String),
}

/// Writes a result, its long parts first. If the server refuses that for a while, writes the reason in its place.
pub(super) fn write(
    link: &NatsLink,
    of: &UnitHead,
    head: ResultHead,
    frames: &[u8],
) -> Result<(), WriteFault> {
    // The parts of a long result would be useless.
    if frames.len() > MOST && has_result(link, of) {
        return Ok(());
    }
    match write_whole(link, of, head.clone(), frames) {
        Err(WriteFault::Refused(reason)) => {
            let fault = Some(ResultFault::Refused(reason));
            write_whole(link, of, ResultHead { fault, ..head }, &[])
        }
        other => other,
    }
}

fn write_whole(
    link: &NatsLink,
    of: &UnitHead,
    mut head: ResultHead,
    frames: &[u8],
) -> Result<(), WriteFault> {
    let subject = layout::result(&of.batch, &of.unit);
    let id = random();
    let pieces: Vec<&[u8]> = frames.chunks(MOST).collect();
    let (last, parts) = pieces.split_last().map_or((&[][..], &[][..]), |(last, it)| (*last, it));
    for (count, part) in parts.iter().enumerate() {
        store(link, format!("{subject}.{id}.{count}"), part)?;
    }
    // Each part has half a mebibyte, so that their number fits.
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    head.part = (count > 0).then_some(ResultPart { id, count });
    let bytes = encode_frame(&head, &[last]);
    let bytes = bytes.map_err(|error| WriteFault::Refused(error.reason))?;
    store(link, subject, &bytes)
}

/// Stores a message, or finds it stored.
fn store(link: &NatsLink, subject: String, bytes: &[u8]) -> Result<(), WriteFault> {
    match layout::store_patiently(link, &OutgoingMessage::new(subject, bytes)) {
        Ok(Err(refusal)) if !refusal.is_there_already() => Err(WriteFault::Refused(refusal.what)),
        Ok(_) => Ok(()),
        // A server whose disk is full says nothing.
        Err(silence @ NoReply::NoService) => Err(WriteFault::Refused(silence.to_string())),
        Err(NoReply::Closed | NoReply::Unreachable(_)) => Err(WriteFault::Closed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_often_a_unit_was_handed_out_is_read() {
        let check = |ack, expected| assert_eq!(delivered(ack), expected, "{ack}");
        check("$JS.ACK.JOBS.live-a.3.100.7.1700000000.0", Some(3));
        check("$JS.ACK._.hash.JOBS.live-a.2.100.7.1700000000.0.x", Some(2));
        check("$JS.ACK.JOBS", None);
        check("other", None);
    }
}
