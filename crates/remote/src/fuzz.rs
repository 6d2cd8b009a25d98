//! Entry points for fuzzing both sides of the pipe.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frame::{FrameReader, Peer, encode_frame};
use crate::judge_side::JudgeSide;
use crate::message::{MessageFromWorker, MessageToWorker};
use crate::packing::job_stays_inside;
use crate::worker_side::{Effect, ProgramOrder, WorkerSide};

/// What a worker does with bytes that come in pieces of a size.
///
/// # Panics
/// If a path of a job that it would run leads out of its directory.
pub fn take_as_worker(bytes: &[u8], size: usize) -> Result<Vec<String>, String> {
    check_frames::<MessageToWorker>(Peer::Sender, bytes);
    let mut side = WorkerSide::new();
    take(Peer::Sender, bytes, size, |piece| {
        let effects = side.read_messages(piece).map_err(|error| error.0)?;
        for effect in &effects {
            if let Effect::Execute(ProgramOrder::Run(task)) = effect {
                assert!(task.work.jobs().into_iter().all(job_stays_inside), "{task:?}");
            }
        }
        Ok(effects)
    })
}

/// What the judge receives by bytes that come in pieces of a size, if request 1 is under way.
pub fn take_as_judge(bytes: &[u8], size: usize) -> Result<Vec<String>, String> {
    check_frames::<MessageFromWorker>(Peer::Worker, bytes);
    let mut side = JudgeSide::new();
    let room = |number| (number == 1).then_some(1000);
    take(Peer::Worker, bytes, size, |piece| {
        side.read_messages(piece, &room).map_err(|error| error.0)
    })
}

fn take<E: Debug>(
    peer: Peer,
    bytes: &[u8],
    size: usize,
    mut side: impl FnMut(&[u8]) -> Result<Vec<E>, String>,
) -> Result<Vec<String>, String> {
    side(peer.greeting().as_bytes())?;
    let mut effects = Vec::new();
    for piece in bytes.chunks(size) {
        effects.extend(side(piece)?.iter().map(|effect| format!("{effect:?}")));
    }
    Ok(effects)
}

/// Checks that frames that were read and are written again are the same.
fn check_frames<M: Serialize + DeserializeOwned + Debug>(peer: Peer, bytes: &[u8]) {
    let mut sent = FrameReader::new(peer);
    sent.push(peer.greeting().as_bytes());
    sent.push(bytes);
    while let Ok(Some((message, behind))) = sent.next_frame::<M>() {
        let mut again = FrameReader::new(peer);
        again.push(peer.greeting().as_bytes());
        again.push(&encode_frame(&message, &[&behind]).expect("it is no longer than it was"));
        let (same, rest) = again.next_frame::<M>().expect("it is valid").expect("it is whole");
        assert_eq!((format!("{same:?}"), rest), (format!("{message:?}"), behind));
    }
}
