//! Bytes that no juror sends.

use std::time::Duration;

use proptest::prelude::*;

use super::job;
use crate::frame::{Peer, encode_body, encode_frame};
use crate::judge_side::{JudgeSide, ReceivedMessage};
use crate::message::{
    MessageFromWorker, MessageToWorker, RunHead, RunOrder, RunResult, WorkerFacts, encode_result,
};
use crate::packing::{BlobRoute, pack};
use crate::worker_side::{Effect, ProgramOrder, WorkerSide};
use juror_core::blob::Blob;
use juror_core::job::{Job, VisiblePath};
use juror_core::joint::{
    JointReply, PartnerDelay, ProgramReply, TalkSide, Transcript, TranscriptPiece,
};
use juror_core::outcome::{Ending, Outcome};
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work, WorkReply};

fn sent(message: &MessageToWorker, behind: &[u8]) -> Vec<u8> {
    encode_frame(message, &[behind]).unwrap()
}

/// What a worker does with these frames; an error if it stops reading.
fn worker_effects(frames: &[Vec<u8>]) -> Result<Vec<String>, String> {
    let mut side = WorkerSide::new();
    let mut acts = Vec::new();
    let greeting = Peer::Sender.greeting().into_bytes();
    for bytes in [greeting].iter().chain(frames) {
        acts.extend(side.read_messages(bytes).map_err(|broken| broken.0)?);
    }
    let words = |act: Effect| match act {
        Effect::Send(MessageFromWorker::BlobNeeded { stream, .. }) => format!("need {stream}"),
        Effect::Fail(number, error) => format!("failed {number}: {error}"),
        Effect::Send(other) => format!("{other:?}"),
        Effect::Execute(ProgramOrder::Run(task)) => format!("run {}", task.number),
        Effect::Execute(ProgramOrder::FindTool { word, .. }) => format!("find {word}"),
        Effect::Cancel(number) => format!("cancel {number}"),
    };
    Ok(acts.into_iter().map(words).collect())
}

fn run(number: u64, job: &Job) -> Vec<u8> {
    let work = Work::from(job.clone());
    let (ways, behind) = pack(&work).unwrap();
    let order = encode_body(&RunOrder { mode: RunMode::default(), ways, work }).unwrap();
    let head = MessageToWorker::Run(RunHead { number, ..RunHead::default() });
    encode_frame(&head, &[&order, &behind]).unwrap()
}

fn piece(stream: u64, is_last: bool, bytes: &[u8]) -> Vec<u8> {
    sent(&MessageToWorker::Piece { stream, is_last }, bytes)
}

fn check(frames: &[Vec<u8>], expected: Result<&[&str], &str>) {
    let found = worker_effects(frames);
    let expected = expected.map(|acts| acts.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(found, expected.map_err(str::to_owned));
}

#[test]
fn blobs_are_requested_once_and_checked_by_digest() {
    let text = vec![7; 10_000];
    let long = |number| run(number, &job("/bin/cat", &text));
    let (start, end) = text.split_at(4000);
    check(
        &[long(1), long(2), piece(1, false, start), piece(1, true, end), long(3)],
        Ok(&["need 1", "run 1", "run 2", "run 3"]),
    );
    check(&[long(1), piece(2, true, &text)], Err("it sends what nobody asked for"));
    check(&[piece(1, true, &text)], Err("it sends what nobody asked for"));
    check(
        &[long(1), piece(1, true, &vec![8; 10_000])],
        Err("it sends bytes that do not match their digest"),
    );
    check(&[long(1), piece(1, true, start)], Err("it sends 4000 bytes in place of 10000"));
    check(
        &[long(1), piece(1, false, &text), piece(1, false, &text)],
        Err("it sends 20000 bytes in place of 10000"),
    );
    let lost = sent(&MessageToWorker::BlobUnreadable { stream: 1, reason: "EIO".to_owned() }, b"");
    check(
        &[long(1), run(2, &job("/x", b"")), lost.clone()],
        Ok(&["need 1", "run 2", "failed 1: get a file of a job: EIO"]),
    );
    check(&[lost], Err("it sends what nobody asked for"));
}

#[test]
fn a_cancelled_job_does_not_begin() {
    let text = vec![7; 10_000];
    let long = |number| run(number, &job("/x", &text));
    let cancel = |number| sent(&MessageToWorker::Cancel { number }, b"");
    let ended = "RunInterrupted { number: 1 }";
    check(&[run(1, &job("/x", b"")), cancel(1)], Ok(&["run 1", "cancel 1"]));
    check(&[long(1), cancel(1), piece(1, true, &text)], Ok(&["need 1", ended]));
    check(&[long(1), long(2), cancel(1), piece(1, true, &text)], Ok(&["need 1", ended, "run 2"]));
    // It may have ended, and it need not have begun.
    check(&[cancel(3), cancel(3)], Ok(&["cancel 3", "cancel 3"]));
}

#[test]
fn blobs_must_be_what_their_message_says() {
    let plain = job("/x", b"text");
    let with = |ways: Vec<BlobRoute>, behind: &[u8]| {
        let work = plain.clone().into();
        let order = encode_body(&RunOrder { mode: RunMode::default(), ways, work }).unwrap();
        let head = MessageToWorker::Run(RunHead { number: 1, ..RunHead::default() });
        encode_frame(&head, &[&order, behind]).unwrap()
    };
    let wrong = Err("its contents do not match their digest");
    check(&[with(vec![BlobRoute::AfterMessage(4)], b"text")], Ok(&["run 1"]));
    check(&[with(vec![BlobRoute::AfterMessage(4)], b"tex")], wrong);
    check(&[with(vec![BlobRoute::AfterMessage(3)], b"tex")], wrong);
    check(&[with(vec![BlobRoute::AfterMessage(4)], b"text and more")], wrong);
    check(&[with(Vec::new(), b"")], wrong);
    let nameless = Err("it sends a job with a blob that has no name");
    check(&[with(vec![BlobRoute::OnRequest], b"")], nameless);
    check(&[with(vec![BlobRoute::BeforeMessage(1)], b"")], nameless);
}

#[test]
fn only_the_job_whose_paths_lead_out_fails() {
    let tree = |name: &str| Tree::from(vec![TreeEntry::new(name, Node::Directory)]);
    let check_job = |job: Job| {
        let refused = "failed 1: take a job: a path in it leads out of its directory";
        check(&[run(1, &job), run(2, &self::job("/x", b""))], Ok(&[refused, "run 2"]));
    };
    for name in ["../x", "/x", "a/../../x", "", "..", "."] {
        let file = TreeEntry::new(name, Node::plain(Blob::default()));
        check_job(Job { files: vec![file], ..job("/x", b"") });
        check_job(Job { collect: vec![name.to_owned()], ..job("/x", b"") });
        let mut shows = job("/x", b"");
        shows.command.visible.push(VisiblePath::tree("/program", &tree(name).into()));
        check_job(shows);
    }
    for inside in ["program", "/a/../etc", "../x", ""] {
        let mut shows = job("/x", b"");
        shows.command.visible.push(VisiblePath::tree(inside, &tree("a").into()));
        check_job(shows);
        check_job(job(inside, b""));
    }
}

/// How many messages the judge accepts from a worker that sends these frames. Job 1 is under way and has room for 1000
/// bytes.
fn judge_messages(frames: &[Vec<u8>]) -> Result<usize, String> {
    let mut line = JudgeSide::new();
    let room = |number| (number == 1).then_some(1000);
    let mut all = 0;
    let greeting = Peer::Worker.greeting().into_bytes();
    for bytes in [greeting].iter().chain(frames) {
        all += line.read_messages(bytes, &room).map_err(|broken| broken.0)?.len();
    }
    Ok(all)
}

#[test]
fn an_invalid_result_ends_the_connection() {
    let frame =
        |message: MessageFromWorker, behind: &[u8]| encode_frame(&message, &[behind]).unwrap();
    let piece = |stream: u64, bytes: &[u8]| {
        frame(MessageFromWorker::Piece { stream, is_last: true }, bytes)
    };
    let done = |number, stdout: &[u8], ways: Vec<BlobRoute>, behind: &[u8]| {
        let result = RunResult { ways, reply: Ok(super::reply(stdout.to_vec()).into()) };
        encode_result(number, Duration::ZERO, &result, behind).unwrap()
    };
    let stream = 1 << 20;
    let before = || vec![BlobRoute::BeforeMessage(0), BlobRoute::AfterMessage(0)];
    let check = |frames: &[Vec<u8>], expected: Result<usize, &str>| {
        assert_eq!(judge_messages(frames), expected.map_err(str::to_owned));
    };
    check(
        &[done(1, b"text", vec![BlobRoute::AfterMessage(4), BlobRoute::AfterMessage(0)], b"text")],
        Ok(1),
    );
    check(&[piece(stream, b"text"), done(1, b"text", before(), b"")], Ok(1));
    check(&[frame(MessageFromWorker::Heartbeat, b"")], Ok(0));
    let other = Err("it sends bytes that do not match their digest");
    check(&[done(1, b"text", before(), b"")], other);
    check(&[piece(stream + 1, b"text"), done(1, b"text", before(), b"")], other);
    check(&[piece(stream, b"texts"), done(1, b"text", before(), b"")], other);
    check(&[done(1, b"text", vec![BlobRoute::OnRequest, BlobRoute::AfterMessage(0)], b"")], other);
    let unasked = Err("it answers a question that was not asked");
    check(&[piece(2 << 20, b"text")], unasked);
    check(
        &[done(2, b"", vec![BlobRoute::AfterMessage(0), BlobRoute::AfterMessage(0)], b"")],
        unasked,
    );
    check(&[piece(stream, &[0; 1001])], Err("it sends a result of more than 1000 bytes"));
    let mut reply = super::reply(Vec::new());
    reply.kept = Some(Tree::from(vec![TreeEntry::new("../x", Node::Directory)]));
    let ways = vec![BlobRoute::AfterMessage(0), BlobRoute::AfterMessage(0)];
    let result = RunResult { ways, reply: Ok(reply.into()) };
    let leads_out = "it sends a file whose path leads out of its directory";
    check(&[encode_result(1, Duration::ZERO, &result, b"").unwrap()], Err(leads_out));
}

/// Numbers that would overflow where juror computes with them, or make it wait for ever.
#[test]
fn impossible_numbers_end_the_connection() {
    let single = |change: &dyn Fn(&mut Outcome)| {
        let mut reply = super::reply(Vec::new());
        change(&mut reply.outcome);
        WorkReply::from(reply)
    };
    let part = || ProgramReply {
        reply: super::reply(Vec::new()),
        started: Duration::ZERO,
        ended: Duration::ZERO,
        closed: Duration::ZERO,
        unread: Bytes(0),
        waits: None,
    };
    let joint = |change: &dyn Fn(&mut JointReply)| {
        let (reported, deadlock, debt) = (None, None, PartnerDelay::default());
        let transcript = Transcript::default();
        let (program, partner) = (part(), part());
        let mut reply = JointReply {
            program,
            partner,
            output_end_reported: reported,
            deadlock,
            debt,
            transcript,
        };
        change(&mut reply);
        WorkReply::from(reply)
    };
    let check = |reply: WorkReply, expected: Result<usize, &str>| {
        let ways = reply
            .replies()
            .into_iter()
            .flat_map(|job| job.blobs())
            .map(|_| BlobRoute::AfterMessage(0));
        let result = RunResult { ways: ways.collect(), reply: Ok(reply) };
        let bytes = encode_result(1, Duration::ZERO, &result, &[]).unwrap();
        assert_eq!(judge_messages(&[bytes]), expected.map_err(str::to_owned));
    };
    let impossible = Err("it reports an impossible time or size");
    const MOST: Duration = Duration::MAX;
    check(single(&|_| ()), Ok(1));
    check(joint(&|_| ()), Ok(1));
    check(single(&|outcome| outcome.cpu_time = MOST), impossible);
    check(single(&|outcome| outcome.wall_time = MOST), impossible);
    check(single(&|outcome| outcome.queued = MOST), impossible);
    check(single(&|outcome| outcome.peak_memory = Bytes(u64::MAX)), impossible);
    check(single(&|outcome| outcome.stdout_bytes = Bytes(u64::MAX)), impossible);
    check(single(&|outcome| outcome.ending = Ending::Exited(i32::MIN)), impossible);
    check(joint(&|reply| reply.partner.reply.outcome.cpu_time = MOST), impossible);
    check(joint(&|reply| reply.debt.longest = MOST), impossible);
    check(joint(&|reply| reply.partner.ended = MOST), impossible);
    check(joint(&|reply| reply.output_end_reported = Some(MOST)), impossible);
    let piece = |at| TranscriptPiece { at, by: TalkSide::Program, text: Vec::new() };
    check(
        joint(&|reply| reply.transcript.last = vec![piece(Duration::ZERO), piece(MOST)]),
        impossible,
    );
}

/// A worker cannot make juror start that many threads, or count beyond its numbers.
#[test]
fn claims_of_a_worker_are_bounded() {
    let mut line = JudgeSide::new();
    let claim =
        WorkerFacts { pace: Duration::MAX, queue: usize::MAX, ..super::facts("w", usize::MAX) };
    let mut bytes = Peer::Worker.greeting().into_bytes();
    bytes.extend(encode_frame(&MessageFromWorker::Ready(claim), &[]).unwrap());
    let heard = line.read_messages(&bytes, &|_| None).map_err(|broken| broken.0);
    let Ok([ReceivedMessage::Ready(facts)]) = heard.as_deref() else { panic!("{heard:?}") };
    assert_eq!((facts.slots, facts.queue, facts.pace), (4096, 65_536, Duration::from_secs(3600)));
}

proptest! {
    /// Bytes after a correct beginning are tried, too.
    #[test]
    fn no_bytes_make_a_side_panic(
        bytes: Vec<u8>,
        head in prop::collection::vec(any::<u8>(), 0..40),
        size in 1..80usize,
    ) {
        for speaker in [Peer::Sender, Peer::Worker] {
            let mut all = speaker.greeting().into_bytes();
            all.extend(((4 + head.len() + bytes.len()) as u32).to_le_bytes());
            all.extend((head.len() as u32).to_le_bytes());
            all.extend(&head);
            all.extend(&bytes);
            all.extend(&bytes);
            let (mut side, mut line) = (WorkerSide::new(), JudgeSide::new());
            for piece in all.chunks(size) {
                match speaker {
                    Peer::Sender => drop(side.read_messages(piece)),
                    Peer::Worker => drop(line.read_messages(piece, &|number| Some(number % 1000))),
                }
            }
        }
    }

    #[test]
    fn a_job_that_is_changed_on_its_way_does_not_panic(
        at in 0..400usize,
        byte: u8,
        text in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let mut shows = job("/program/x", &text);
        let entries = vec![TreeEntry::new("x", Node::plain(text))];
        shows.command.visible.push(VisiblePath::tree("/program", &Tree::from(entries).into()));
        let mut bytes = run(1, &shows);
        let index = at % bytes.len();
        bytes[index] = byte;
        let _ = worker_effects(&[bytes]);
    }
}
