//! Bytes ⇄ frames: the length of a frame, the length of its head, the head in the format postcard, and the bytes after
//! it.

use std::fmt;
use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use juror_core::judgement::JudgeError;
use juror_core::text::printable;
use juror_core::words::words;
use juror_sandbox::sandbox::RULES;

/// In bytes. A job contains a program's arguments and the names of its files.
const FRAME_BYTES_MAX: usize = 16 << 20;

/// How many bytes of a blob are in one frame. Other messages may be sent between two frames.
pub const PIECE_BYTES: usize = 256 << 10;

/// Bytes that the other side of this protocol cannot have sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError(pub String);

impl ProtocolError {
    pub(super) fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

const PROTOCOL: u32 = 11;

/// In bytes, of the first line.
const GREETING_BYTES_MAX: usize = 200;

words! {
    /// A side of the pipe.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Peer {
        Worker = "juror worker",
        Sender = "juror sender",
    }
}

impl Peer {
    /// The first line that this side sends. Both sides run programs and read messages alike only if these lines agree.
    pub fn greeting(self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!("{}, protocol {PROTOCOL}, version {version}, rules {RULES}\n", self.name())
    }
}

/// A frame with this head; all pieces of bytes follow it.
///
/// # Errors
/// If the frame would be too long.
pub fn encode_frame(head: &impl Serialize, behind: &[&[u8]]) -> Result<Vec<u8>, JudgeError> {
    let head = encode_body(head)?;
    let length = 4 + head.len() + behind.iter().map(|bytes| bytes.len()).sum::<usize>();
    if length > FRAME_BYTES_MAX {
        let reason = format!("it has {length} bytes, {FRAME_BYTES_MAX} are allowed");
        return Err(JudgeError::new(SENDING, reason));
    }
    let mut bytes = Vec::with_capacity(4 + length);
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    behind.iter().for_each(|piece| bytes.extend(*piece));
    Ok(bytes)
}

const SENDING: &str = "send a message to another machine";

pub(super) fn encode_body(body: &impl Serialize) -> Result<Vec<u8>, JudgeError> {
    postcard::to_allocvec(body).map_err(|error| JudgeError::new(SENDING, error))
}

/// What follows a head, and the bytes after it.
pub(super) fn decode_body<B: DeserializeOwned>(bytes: &[u8]) -> Result<(B, &[u8]), ProtocolError> {
    postcard::take_from_bytes(bytes).map_err(|_| ProtocolError::new("it sends an invalid message"))
}

/// Reads what is there, at most as much as the buffer holds; 0 at the end.
///
/// # Errors
/// If it cannot be read. An interruption by a signal is not an error.
pub fn read_some(input: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Cuts arriving bytes into frames.
pub struct FrameReader {
    /// The side that must send the greeting.
    peer: Peer,
    bytes: Vec<u8>,
    /// Bytes before this index were returned.
    position: usize,
    is_greeted: bool,
}

impl FrameReader {
    pub const fn new(of: Peer) -> Self {
        Self { peer: of, bytes: Vec::new(), position: 0, is_greeted: false }
    }

    /// Reads stored frames, which no greeting precedes.
    pub fn after_greeting(of: Peer, bytes: Vec<u8>) -> Self {
        Self { peer: of, bytes, position: 0, is_greeted: true }
    }

    pub fn unread_bytes(&self) -> &[u8] {
        &self.bytes[self.position..]
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.position));
        self.bytes.extend(bytes);
    }

    /// The head of the next frame and the bytes after it; `None` if it has not arrived in full.
    ///
    /// # Errors
    /// If these bytes are not from that peer of the same juror.
    pub fn next_frame<M: DeserializeOwned>(
        &mut self,
    ) -> Result<Option<(M, Vec<u8>)>, ProtocolError> {
        if !self.is_greeted && !self.read_greeting()? {
            return Ok(None);
        }
        let rest = &self.bytes[self.position..];
        let Some((length, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let Some((head, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let [length, head] = [length, head].map(|bytes| u32::from_le_bytes(*bytes) as usize);
        if !(4..=FRAME_BYTES_MAX).contains(&length) || head > length - 4 {
            return Err(ProtocolError::new(format!("it sends a message of {length} bytes")));
        }
        let Some(whole) = rest.get(..length - 4) else { return Ok(None) };
        let (head, behind) = whole.split_at(head);
        let message = match postcard::take_from_bytes(head) {
            Ok((message, [])) => message,
            _ => return Err(ProtocolError::new("it sends an invalid message")),
        };
        let behind = behind.to_vec();
        self.position += 4 + length;
        Ok(Some((message, behind)))
    }

    fn read_greeting(&mut self) -> Result<bool, ProtocolError> {
        let (ours, name) = (self.peer.greeting(), self.peer.name().as_bytes());
        let end = self.bytes.iter().position(|byte| *byte == b'\n');
        let greeting = &self.bytes[..end.unwrap_or(self.bytes.len()).min(GREETING_BYTES_MAX)];
        let is_possible = greeting.starts_with(name) || name.starts_with(greeting);
        if !is_possible || end.is_none() && greeting.len() == GREETING_BYTES_MAX {
            let greeting = printable(&String::from_utf8_lossy(greeting)).to_string();
            let name = self.peer.name();
            return Err(ProtocolError::new(format!(
                "it does not begin with `{name}`, but with `{greeting}`"
            )));
        }
        let Some(end) = end else { return Ok(false) };
        if greeting != ours.trim_end().as_bytes() {
            let greeting = printable(&String::from_utf8_lossy(greeting)).to_string();
            let ours = ours.trim_end();
            return Err(ProtocolError::new(format!(
                "it is another juror: `{greeting}`; this is `{ours}`"
            )));
        }
        self.position = end + 1;
        self.is_greeted = true;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use juror_core::blob::Blob;
    use juror_core::job::{
        BoxRetention, CollectedEntry, Command, Job, JobReply, VisibleContent, VisiblePath,
    };
    use juror_core::joint::{
        JointJob, JointReply, PartnerDelay, ProgramReply, TalkSide, Transcript, TranscriptPiece,
        WaitReason,
    };
    use juror_core::judgement::{FaultyProgram, JudgeError};
    use juror_core::limits::Limits;
    use juror_core::outcome::{Ending, Outcome, Signal, quiet_outcome};
    use juror_core::text::hex;
    use juror_core::tree::{Node, TreeEntry};
    use juror_core::units::Bytes;
    use juror_core::work::Work;

    type FramesRead = Result<Vec<(String, Vec<u8>)>, ProtocolError>;

    /// `size` is the size of the pieces in which the bytes arrive.
    fn read(bytes: &[u8], size: usize) -> FramesRead {
        let mut frames = FrameReader::new(Peer::Worker);
        let mut all = Vec::new();
        for piece in bytes.chunks(size.max(1)) {
            frames.push(piece);
            while let Some(found) = frames.next_frame()? {
                all.push(found);
            }
        }
        Ok(all)
    }

    fn refused(bytes: &[u8]) -> String {
        read(bytes, 100).expect_err("it is refused").0
    }

    #[test]
    fn a_different_greeting_is_refused() {
        let greeting = Peer::Worker.greeting();
        assert_eq!(read(greeting.as_bytes(), 1), Ok(Vec::new()));
        let check = |greeting: &str, piece: &str| {
            let fault = refused(greeting.as_bytes());
            assert!(fault.contains(piece), "{greeting}: {fault}");
        };
        check(
            "Welcome to host!\n",
            "does not begin with `juror worker`, but with `Welcome to host!`",
        );
        check("juror worker-like thing\n", "it is another juror");
        check(&Peer::Sender.greeting(), "does not begin with");
        check(&greeting.replace("rules ", "rules 0"), "it is another juror");
        check(&greeting.replace("protocol ", "protocol 1"), "it is another juror");
        check(&format!("juror worker {}", "x".repeat(1000)), "does not begin with");
        check("\u{1b}[2J", "but with `\\x1b[2J`");
    }

    /// If the bytes change without [`PROTOCOL`], a worker of the same version reads another job.
    #[test]
    fn recorded_jobs_have_their_recorded_bytes() {
        let file = |name: &str, node| TreeEntry::new(name, node);
        let job = Job {
            command: Command {
                argv: vec!["/program/run".to_owned(), "1".to_owned()],
                env: vec![("A".to_owned(), "b".to_owned())],
                visible: vec![VisiblePath {
                    inside: "/tools/tool".into(),
                    what: VisibleContent::Installed {
                        name: "tool".to_owned(),
                        identity: "1".to_owned(),
                    },
                }],
            },
            files: vec![
                file("sources", Node::Directory),
                file("sources/b", Node::Link("a".into())),
            ],
            writable: true,
            limits: Limits { cpu_time: Some(Duration::from_secs(2)), ..Limits::default() },
            collect: vec!["out".to_owned()],
            keep: BoxRetention::ALL,
            ..Job::default()
        };
        let joint = JointJob {
            program: job.clone(),
            partner: Job::default(),
            accept_exit_code: 42,
            transcript: Some(Bytes(9)),
        };
        let digest = |work: Work| {
            let bytes = postcard::to_allocvec(&work).unwrap();
            hex(&Blob::from(bytes).digest().unwrap().0[..16])
        };
        let found = [digest(Job::default().into()), digest(job.into()), digest(joint.into())];
        let recorded = [
            "60daa3a5f7dbfa200f8c82840ecf5b42",
            "16573e48b38cbcae937dc6f27d95afc8",
            "9eae1dc7ec6af524d90356bc80582950",
        ];
        assert_eq!(found, recorded, "raise PROTOCOL, then record these bytes");
    }

    /// Answers have the same problem; caches store many of them, too.
    #[test]
    fn recorded_answers_have_their_recorded_bytes() {
        let reply = |ending| JobReply {
            outcome: Outcome { ending, worker: Some("w".to_owned()), ..quiet_outcome() },
            stdout: Blob::from(b"out".to_vec()),
            stderr: Blob::default(),
            collected: vec![CollectedEntry::Missing],
            kept: None,
        };
        let part = || ProgramReply {
            reply: reply(Ending::Signalled(Signal(11))),
            started: Duration::from_millis(1),
            ended: Duration::from_millis(2),
            closed: Duration::from_millis(3),
            unread: Bytes(4),
            waits: Some(WaitReason::Itself),
        };
        let piece =
            |by| TranscriptPiece { at: Duration::from_nanos(5), by, text: b"a\xff\n".to_vec() };
        let joint = JointReply {
            program: part(),
            partner: part(),
            output_end_reported: Some(Duration::from_millis(6)),
            deadlock: None,
            debt: PartnerDelay::default(),
            transcript: Transcript {
                first: vec![piece(TalkSide::Program), piece(TalkSide::Partner)],
                left_out: Bytes(7),
                last: vec![piece(TalkSide::Partner)],
            },
        };
        let program = FaultyProgram {
            stderr: b"a\xff".to_vec(),
            repeat: "juror judge".to_owned(),
            kept: Some("kept".into()),
        };
        let fault = JudgeError {
            lacks: Some("go".to_owned()),
            program: Some(Box::new(program)),
            ..JudgeError::new("a step", "a reason").transient().help("help")
        };
        let digest = |bytes: postcard::Result<Vec<u8>>| {
            hex(&Blob::from(bytes.unwrap()).digest().unwrap().0[..16])
        };
        let found = [
            digest(postcard::to_allocvec(&reply(Ending::Exited(3)))),
            digest(postcard::to_allocvec(&joint)),
            digest(postcard::to_allocvec(&fault)),
        ];
        let recorded = [
            "d4b990fae66fcda26c43038c1c904cdb",
            "2d99097a2c0f737e0542ab0ea6e8ad28",
            "2d2c309b66c5ecd1433caca1e5bc7e9b",
        ];
        assert_eq!(found, recorded, "raise PROTOCOL, then record these bytes");
    }

    #[test]
    fn a_length_that_cannot_be_is_refused() {
        let check = |length: u32, head: u32, is_refused: bool| {
            let mut bytes = Peer::Worker.greeting().into_bytes();
            bytes.extend(length.to_le_bytes());
            bytes.extend(head.to_le_bytes());
            assert_eq!(read(&bytes, 5).is_err(), is_refused, "{length} {head}");
        };
        check(u32::MAX, 0, true);
        check(FRAME_BYTES_MAX as u32 + 1, 0, true);
        check(0, 0, true);
        check(3, 0, true);
        check(4, 1, true);
        check(1000, 997, true);
        check(1000, 996, false);
    }

    #[test]
    fn a_frame_that_is_too_long_is_not_sent() {
        assert!(encode_frame(&0u8, &[&vec![0; FRAME_BYTES_MAX]]).is_err());
        assert!(encode_frame(&0u8, &[&vec![0; FRAME_BYTES_MAX - 5]]).is_ok());
    }

    proptest! {
        #[test]
        fn frames_come_as_they_were_sent(
            sent in prop::collection::vec(("[a-z]{0,9}", prop::collection::vec(any::<u8>(), 0..50)), 0..6),
            size in 1..80usize,
        ) {
            let mut bytes = Peer::Worker.greeting().into_bytes();
            for (head, behind) in &sent {
                bytes.extend(encode_frame(head, &[behind]).unwrap());
            }
            prop_assert_eq!(read(&bytes, size), Ok(sent));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, size in 1..80usize) {
            let mut greeted = Peer::Worker.greeting().into_bytes();
            greeted.extend(&bytes);
            let _ = read(&greeted, size);
            let _ = read(&bytes, size);
        }
    }
}
