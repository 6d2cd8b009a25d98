//! What a worker asks the server about a unit, and how it writes the result.

use std::thread;
use std::time::Duration;

use crate::model::blob::Digest;
use crate::remote::incoming::LargeBlobs;
use crate::remote::nats::link::{Link, NoReply, Outgoing};
use crate::remote::nats::unit::{self, MOST, ResultHead, ResultPart, UnitHead};
use crate::remote::nats::{bucket, layout, random};

/// How long to wait before a full server is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// How often a unit was handed out, from the subject for its acknowledgement.
pub(super) fn delivered(ack: &str) -> Option<u64> {
    let parts: Vec<&str> = ack.strip_prefix("$JS.ACK.")?.split('.').collect();
    // Newer servers name domain and account first.
    let place = if parts.len() > 7 { 4 } else { 2 };
    parts.get(place)?.parse().ok()
}

/// Whether a unit has a result. Reads nothing: sends a message that the server refuses, and reads the refusal.
pub(super) fn has_result(link: &Link, head: &UnitHead) -> bool {
    let mut call = Outgoing::new(layout::result(&head.batch, &head.unit), b"");
    call.headers.push(("Nats-Expected-Last-Subject-Sequence", i64::MAX.to_string()));
    match layout::store(link, &call) {
        Ok(Err(refusal)) => {
            refusal.is_there_already() || refusal.last().is_some_and(|last| last > 0)
        }
        _ => false,
    }
}

/// The jobs of a unit that are stored in a blob.
pub(super) fn stored(link: &Link, digest: Digest, length: u64) -> Option<Vec<u8>> {
    let blob = bucket::get(link, &digest, length, &mut LargeBlobs::default()).ok()?;
    blob.start(length).ok()
}

/// Writes a result, its long parts first. False if that is no longer possible.
pub(super) fn write(link: &Link, of: &UnitHead, mut head: ResultHead, frames: &[u8]) -> bool {
    let subject = layout::result(&of.batch, &of.unit);
    let store = |subject: String, bytes: &[u8]| {
        loop {
            match layout::store(link, &Outgoing::new(subject.clone(), bytes)) {
                Ok(Ok(_)) => return true,
                Ok(Err(refusal)) if refusal.is_there_already() => return true,
                // The server may have room later.
                Ok(Err(_)) => thread::sleep(PAUSE),
                Err(NoReply::Nobody) => {}
                Err(_) => return false,
            }
        }
    };
    let mut rest = frames;
    let id = random();
    let mut count = 0;
    while rest.len() > MOST {
        let (piece, others) = rest.split_at(MOST);
        if !store(format!("{subject}.{id}.{count}"), piece) {
            return false;
        }
        rest = others;
        count += 1;
    }
    head.part = (count > 0).then_some(ResultPart { id, count });
    unit::message(&head, &[rest]).is_ok_and(|bytes| store(subject, &bytes))
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
