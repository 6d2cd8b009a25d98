//! Messages between the judge and its slot processes: one each way for a run, with descriptors.
//!
//! Both ends are the same program on the same machine, one forked from the other, so there is no version: the model's
//! types are written in the format postcard, unchanged. The bytes of blobs travel in files next to the message.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::sandbox::clock::timespec;
use crate::sandbox::control::StopCause;
use crate::sandbox::linux::sys;
use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::serial::PathBytes;

/// In bytes; a longer message is passed in a file in memory.
pub(super) const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// The kernel's upper bound on the descriptors in one message.
pub(super) const DESCRIPTORS_MAX: usize = 253;

/// Replaces a message that is too long; its text is in a file, the last of the descriptors.
const LONG_MESSAGE: &[u8] = b"L";

#[serde_as]
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SlotRequest<J = Box<Job>> {
    /// The descriptors are standard input, output and error, and the concatenated contents of the job's files, if
    /// there are any.
    Run {
        run: u64,
        job: J,
        /// On this machine, of what the job shows.
        #[serde_as(as = "Vec<PathBytes>")]
        places: Vec<PathBuf>,
        large: Vec<LargeFile>,
    },
    EndRun {
        run: u64,
        cause: StopCause,
    },
}

/// A file of this machine that the slot shows to the program, read-only, instead of a copy. In the job, it is empty.
#[serde_as]
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LargeFile {
    /// In the box; `None` for standard input.
    #[serde_as(as = "Option<PathBytes>")]
    pub(super) name: Option<PathBuf>,
    #[serde_as(as = "PathBytes")]
    pub(super) path: PathBuf,
    /// What the judge found there.
    pub(super) device: u64,
    pub(super) inode: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SlotAnswer {
    Ready,
    /// The reply, without standard output and error, and without the box, which the judge reads. The descriptors are
    /// the found files, then the box if the job keeps it.
    Done {
        reply: Box<JobReply>,
        /// Monotonic, in nanoseconds; 0 if the program did not start.
        started: u64,
        /// See [`Outcome::has_killed`](juror_core::outcome::Outcome::has_killed).
        has_killed: bool,
        /// In bytes; see [`Outcome::stack`](juror_core::outcome::Outcome::stack).
        stack: u64,
    },
    /// The run failed, or was ended at the judge's request.
    Failed(JudgeError),
}

pub(super) fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    fds: &[BorrowedFd<'_>],
) -> io::Result<()> {
    /// Number of waits of a millisecond each, if too many descriptors of this user are in flight.
    const PATIENCE: u32 = 60_000;
    let message = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let (mut text, mut fds) = (message.as_slice(), fds.to_vec());
    let mut file;
    if text.len() > MESSAGE_BYTES_MAX {
        file = memory_file(MemfdFlags::empty())?;
        file.write_all(text)?;
        file.seek(SeekFrom::Start(0))?;
        text = LONG_MESSAGE;
        fds.push(file.as_fd());
    }
    for _ in 0..PATIENCE {
        match send_now(&socket, text, &fds) {
            Err(Errno::TOOMANYREFS) => collect_sockets(),
            other => return Ok(other?),
        }
    }
    Err(Errno::TOOMANYREFS.into())
}

pub(super) fn memory_file(flags: MemfdFlags) -> io::Result<File> {
    let file = rustix::fs::memfd_create(c"juror", flags | MemfdFlags::CLOEXEC)?;
    Ok(file.into())
}

/// Opened once more, with a position of its own.
pub(super) fn reopen(file: &File, flags: OFlags) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())?)
}

/// For messages between two processes.
pub(super) fn socket_pair() -> Result<(OwnedFd, OwnedFd), Errno> {
    let kind = SocketType::SEQPACKET;
    rustix::net::socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)
}

/// Waits until a message or the end of the other side can be read; `false` if neither comes in this time.
pub(super) fn is_answered(socket: impl AsFd, patience: Duration) -> Result<bool, Errno> {
    let until = Instant::now() + patience;
    loop {
        let remaining = until.saturating_duration_since(Instant::now());
        let timeout = timespec(u64::try_from(remaining.as_nanos()).unwrap_or(u64::MAX));
        match poll(&mut [PollFd::new(&socket, PollFlags::IN)], Some(&timeout)) {
            Err(Errno::INTR) => {}
            other => return other.map(|ready| ready > 0),
        }
    }
}

/// Kills the process on the other side if it does not answer in time. It is waited for elsewhere.
pub(super) fn is_answered_or_killed(
    socket: &OwnedFd,
    process: i32,
    patience: Duration,
) -> Result<bool, Errno> {
    let is_answered = is_answered(socket, patience)?;
    if !is_answered {
        let _ = sys::kill(process, libc::SIGKILL);
    }
    Ok(is_answered)
}

/// Gives the kernel time to collect unreachable sockets; it looks for them when one is closed.
pub(super) fn collect_sockets() {
    let flags = SocketFlags::CLOEXEC;
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    drop(rustix::net::socket_with(family, kind, flags, None));
    sleep(Duration::from_millis(1));
}

fn send_now(socket: impl AsFd, message: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
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

/// `None` if the other end is gone, or if the message is invalid.
pub(super) fn receive<M: DeserializeOwned>(
    socket: impl AsFd,
    buffer: &mut [u8],
) -> Result<Option<(M, Vec<OwnedFd>)>, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length = loop {
        let mut buffers = [IoSliceMut::new(buffer)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        match rustix::net::recvmsg(&socket, &mut buffers, &mut ancillary, flags) {
            Err(Errno::INTR) => {}
            other => break other?.bytes,
        }
    };
    let fds = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    let mut fds: Vec<OwnedFd> = fds.flatten().collect();
    Ok(parse_message(&buffer[..length], &mut fds).map(|message| (message, fds)))
}

fn parse_message<M: DeserializeOwned>(bytes: &[u8], fds: &mut Vec<OwnedFd>) -> Option<M> {
    if bytes != LONG_MESSAGE {
        return postcard::from_bytes(bytes).ok();
    }
    let mut text = Vec::new();
    File::from(fds.pop()?).read_to_end(&mut text).ok()?;
    postcard::from_bytes(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::job::{BoxRetention, Command};
    use juror_core::limits::Limits;
    use juror_core::units::Bytes;

    /// The received form of a request with this many arguments.
    fn arrived(arguments: usize) -> (SlotRequest, Vec<OwnedFd>) {
        let flags = SocketFlags::CLOEXEC;
        let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
        let (ours, theirs) = rustix::net::socketpair(family, kind, flags, None).unwrap();
        let argv = vec!["x".to_owned(); arguments];
        let job = Job {
            command: Command { argv, ..Command::default() },
            stdin: b"text".as_slice().into(),
            files: Vec::new(),
            writable: true,
            box_size: Bytes(4096),
            limits: Limits::default(),
            collect: Vec::new(),
            keep: BoxRetention::Nothing,
            is_timed: false,
        };
        let (places, large) = (vec!["/a".into()], Vec::new());
        let request = SlotRequest::Run { run: 7, job: &job, places, large };
        send(&ours, &request, &[ours.as_fd()]).unwrap();
        receive(&theirs, &mut vec![0; MESSAGE_BYTES_MAX]).unwrap().unwrap()
    }

    #[test]
    fn a_request_arrives_however_long_it_is() {
        for arguments in [1, MESSAGE_BYTES_MAX] {
            let (request, fds) = arrived(arguments);
            let SlotRequest::Run { run: 7, job, places, .. } = request else {
                panic!("{request:?}")
            };
            assert_eq!(job.command.argv.len(), arguments);
            assert_eq!(job.stdin.len().unwrap(), 4);
            assert_eq!(places, [PathBuf::from("/a")]);
            assert_eq!(fds.len(), 1);
        }
    }

    #[test]
    fn a_message_cut_short_is_no_message() {
        let fault = JudgeError::new("mount /proc", "EPERM");
        let message = postcard::to_allocvec(&SlotAnswer::Failed(fault)).unwrap();
        for length in 0..message.len() {
            assert!(
                parse_message::<SlotAnswer>(&message[..length], &mut Vec::new()).is_none(),
                "{length} bytes"
            );
        }
        assert!(parse_message::<SlotAnswer>(&message, &mut Vec::new()).is_some());
    }
}
