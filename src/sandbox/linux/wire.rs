//! What the judge and its slot processes say to each other: one message each way a run, with
//! descriptors beside it.
//!
//! Both ends are the same program on the same machine, one forked from the other, so there is no
//! version: the types below are written in the format postcard as they are.

use std::ffi::OsString;
use std::fs::File;
use std::io::{IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::{Deserialize, Serialize};

use crate::model::job::FileKind;
use crate::model::outcome::StoppedBy;
use crate::sandbox::control::Cause;
use crate::sandbox::fault::Fault;
use crate::sandbox::linux::view::mounts::Shown;
use crate::sandbox::translate::Translation;

/// The longest message; longer requests are passed in a file in memory.
pub(super) const LONGEST: usize = 64 << 10;

/// The most descriptors that one message can carry, by the kernel.
pub(super) const MOST_FDS: usize = 253;

/// Stands for a request that is too long for a message.
pub(super) const LONG: &[u8] = b"L";

/// What the judge asks for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// Run this.
    Run(Box<RunRequest>),
    /// End the run of this number, because of [`Cause`].
    End { run: u64, cause: Cause },
}

/// A job, as the slot needs it. The descriptors beside it are standard input, output and error, and
/// the contents of the files, one after the other, if there are any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunRequest {
    pub(super) run: u64,
    pub(super) argv: Vec<Vec<u8>>,
    /// Lines `NAME=value`.
    pub(super) env: Vec<Vec<u8>>,
    pub(super) visible: Vec<Shown>,
    pub(super) files: Vec<Placed>,
    pub(super) writable: bool,
    pub(super) box_size: u64,
    /// In nanoseconds.
    pub(super) cpu_time: Option<u64>,
    /// In nanoseconds.
    pub(super) wall_time: Option<u64>,
    /// In bytes.
    pub(super) memory: Option<u64>,
    /// In bytes.
    pub(super) output: Option<u64>,
    pub(super) processes: Option<u32>,
    pub(super) collect: Vec<Vec<u8>>,
    /// Whether the judge wants the box itself.
    pub(super) keep: bool,
}

/// A file to place in the box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Placed {
    #[serde(with = "path_bytes")]
    pub(super) name: PathBuf,
    pub(super) what: PlacedWhat,
}

/// What to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PlacedWhat {
    /// The next so many bytes of the contents.
    File { length: u64, mode: u32 },
    /// A symbolic link.
    Link {
        #[serde(with = "path_bytes")]
        target: PathBuf,
    },
    /// An empty directory.
    Directory,
}

/// What the slot answers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// It is ready for its first run.
    Ready,
    /// What the run did. Beside it are the files that were found, then the box if asked for.
    Done(Facts),
    /// The run was ended on the judge's demand.
    Interrupted,
    /// It failed.
    Failed(Fault),
}

/// What a run did, in plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// As `wait4` gives it.
    pub(super) status: i32,
    /// Why the sandbox ended it, if it did.
    pub(super) stopped_by: Option<StoppedBy>,
    /// In nanoseconds.
    pub(super) cpu: u64,
    /// When the program started, monotonic, in nanoseconds; 0 if it did not.
    pub(super) started: u64,
    /// In nanoseconds.
    pub(super) wall: u64,
    /// In bytes.
    pub(super) memory: u64,
    /// In bytes.
    pub(super) files: u64,
    pub(super) refused_processes: u64,
    /// What was found for each name to collect.
    pub(super) found: Vec<Found>,
}

/// What was found under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Found {
    /// A regular file; its descriptor is beside the message.
    File,
    /// Nothing.
    Missing,
    /// Something else.
    Other(FileKind),
}

impl Request {
    /// The message.
    pub(super) fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    /// The request in a message; of a long one the message is only a note, and its text is in a file, the
    /// last of the descriptors.
    pub(super) fn read(message: &[u8], fds: &mut Vec<OwnedFd>) -> Option<Self> {
        if message != LONG {
            return Self::decode(message);
        }
        let mut text = Vec::new();
        File::from(fds.pop()?).read_to_end(&mut text).ok()?;
        Self::decode(&text)
    }

    /// The request in a message, if it is one.
    pub(super) fn decode(message: &[u8]) -> Option<Self> {
        postcard::from_bytes(message).ok()
    }
}

impl RunRequest {
    /// The job with arguments, environment and links translated.
    pub(super) fn translated(&self, translation: &Translation) -> Self {
        let all = |texts: &[Vec<u8>]| texts.iter().map(|text| translation.text(text)).collect();
        let placed = |file: &Placed| match &file.what {
            PlacedWhat::Link { target } => {
                let target = translation.text(target.as_os_str().as_bytes());
                Placed {
                    name: file.name.clone(),
                    what: PlacedWhat::Link { target: PathBuf::from(OsString::from_vec(target)) },
                }
            }
            PlacedWhat::File { .. } | PlacedWhat::Directory => file.clone(),
        };
        Self {
            argv: all(&self.argv),
            env: all(&self.env),
            files: self.files.iter().map(placed).collect(),
            ..self.clone()
        }
    }
}

impl Answer {
    /// The message.
    pub(super) fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    /// The answer in a message, if it is one.
    pub(super) fn decode(message: &[u8]) -> Option<Self> {
        postcard::from_bytes(message).ok()
    }
}

/// The bytes of a message. Numbers and bytes can always be written; what cannot would be a message without bytes, which
/// ends the talk.
fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// A path as its bytes, which need be no text.
pub(super) mod path_bytes {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::sandbox) fn serialize<S: Serializer>(
        path: &Path,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(in crate::sandbox) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

/// Sends a message with descriptors.
pub(super) fn send(socket: impl AsFd, message: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    /// So often, a millisecond apart, there may be too many descriptors of this user on their way.
    const PATIENCE: u32 = 60_000;
    for _ in 0..PATIENCE {
        match send_now(&socket, message, fds) {
            Err(Errno::TOOMANYREFS) => collect_sockets(),
            other => return other,
        }
    }
    Err(Errno::TOOMANYREFS)
}

/// Gives the kernel time to collect sockets that nobody has any more; it looks for those when one is closed.
pub(super) fn collect_sockets() {
    let flags = SocketFlags::CLOEXEC;
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    drop(rustix::net::socket_with(family, kind, flags, None));
    sleep(Duration::from_millis(1));
}

fn send_now(socket: impl AsFd, message: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::TOOBIG);
    }
    let message = [IoSlice::new(message)];
    loop {
        match rustix::net::sendmsg(&socket, &message, &mut ancillary, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return other.map(|_| ()),
        }
    }
}

/// A message with descriptors; one without bytes says that the other end is gone.
#[derive(Debug)]
pub(super) struct Received<'a> {
    pub(super) message: &'a [u8],
    pub(super) fds: Vec<OwnedFd>,
}

/// Receives a message into a buffer.
pub(super) fn receive(socket: impl AsFd, buffer: &mut [u8]) -> Result<Received<'_>, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length = loop {
        let mut place = [IoSliceMut::new(buffer)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        match rustix::net::recvmsg(&socket, &mut place, &mut ancillary, flags) {
            Err(Errno::INTR) => {}
            other => break other?.bytes,
        }
    };
    let fds = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => Some(fds),
            _ => None,
        })
        .flatten()
        .collect();
    Ok(Received { message: buffer.get(..length).unwrap_or(&[]), fds })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::judgement::FaultKind;

    #[test]
    fn what_is_sent_is_what_arrives() {
        let request = RunRequest {
            run: 7,
            argv: vec![b"/bin/true".to_vec(), b"a\n;b".to_vec(), Vec::new()],
            env: vec![b"A=1".to_vec()],
            visible: vec![Shown {
                host: OsString::from_vec(b"/\xff".to_vec()).into(),
                inside: "/b".into(),
                device: 1,
                inode: 2,
            }],
            files: vec![
                Placed { name: "x/y".into(), what: PlacedWhat::File { length: 5, mode: 0o755 } },
                Placed { name: "z".into(), what: PlacedWhat::Link { target: "/usr".into() } },
                Placed { name: "d".into(), what: PlacedWhat::Directory },
            ],
            writable: true,
            box_size: 4096,
            cpu_time: Some(1),
            wall_time: None,
            memory: Some(u64::MAX),
            output: None,
            processes: Some(3),
            collect: vec![b"out".to_vec()],
            keep: true,
        };
        let sent = Request::Run(Box::new(request));
        assert_eq!(Request::decode(&sent.encode()).as_ref(), Some(&sent));
        for cause in [Cause::Limit(StoppedBy::Dismissed), Cause::Interrupt] {
            let end = Request::End { run: 9, cause };
            assert_eq!(Request::decode(&end.encode()), Some(end));
        }
    }

    #[test]
    fn answers_arrive_as_they_were_given() {
        let check = |answer: Answer| {
            let message = answer.encode();
            assert_eq!(Answer::decode(&message), Some(answer));
        };
        check(Answer::Ready);
        check(Answer::Interrupted);
        check(Answer::Failed(Fault::new("mount /proc", "EPERM")));
        for kind in [FaultKind::Other, FaultKind::NamespacesUsedUp] {
            check(Answer::Failed(Fault { kind, ..Fault::new("a step", "a reason") }));
        }
        check(Answer::Done(Facts {
            status: 9,
            stopped_by: Some(StoppedBy::WallTime),
            started: 1,
            cpu: 1,
            wall: 2,
            memory: 3,
            files: 4,
            refused_processes: 5,
            found: vec![Found::File, Found::Missing, Found::Other(FileKind::Socket)],
        }));
    }

    #[test]
    fn a_message_cut_short_is_no_message() {
        let message = Request::Run(Box::default()).encode();
        for length in 0..message.len() {
            assert_eq!(Request::decode(&message[..length]), None, "{length} bytes");
        }
    }
}
