//! What the judge and its slot processes say to each other: one message each way a run, with
//! descriptors beside it.
//!
//! Both ends are the same program on the same machine, one forked from the other, so there is no
//! version; numbers are in the machine's order, texts have their length before them.

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

use crate::model::judgement::FaultKind;
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
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Run this.
    Run(Box<RunRequest>),
    /// End the run of this number, because of [`Cause`].
    End { run: u64, cause: Cause },
}

/// A job, as the slot needs it. The descriptors beside it are standard input, output and error, and
/// the contents of the files, one after the other, if there are any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) name: PathBuf,
    pub(super) what: PlacedWhat,
}

/// What to place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlacedWhat {
    /// The next so many bytes of the contents.
    File { length: u64, mode: u32 },
    /// A symbolic link.
    Link { target: PathBuf },
    /// An empty directory.
    Directory,
}

/// What the slot answers.
#[derive(Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A regular file; its descriptor is beside the message.
    File,
    /// Nothing.
    Missing,
    /// Something else, by its number in [`FileKind`](crate::model::job::FileKind).
    Other(u8),
}

impl Request {
    /// The message.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        match self {
            Self::Run(run) => {
                to.push(b'R');
                run.encode(&mut to);
            }
            Self::End { run, cause } => {
                to.push(b'E');
                put(&mut to, *run);
                let by = match cause {
                    Cause::Limit(by) => Some(*by),
                    Cause::Interrupt => None,
                };
                put_option(&mut to, by.map(|by| by as u64));
            }
        }
        to
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
        let (tag, rest) = message.split_first()?;
        let mut from = Reader(rest);
        match tag {
            b'R' => Some(Self::Run(Box::new(RunRequest::decode(&mut from)?))),
            b'E' => Some(Self::End {
                run: from.number()?,
                cause: from.stopped_by()?.map_or(Cause::Interrupt, Cause::Limit),
            }),
            _ => None,
        }
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
                    what: PlacedWhat::Link {
                        target: PathBuf::from(OsString::from_vec(target)),
                    },
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

    fn encode(&self, to: &mut Vec<u8>) {
        put(to, self.run);
        put_list(to, &self.argv, |to, text| put_bytes(to, text));
        put_list(to, &self.env, |to, text| put_bytes(to, text));
        put_list(to, &self.visible, |to, shown| {
            put_path(to, &shown.host);
            put_path(to, &shown.inside);
            put(to, shown.device);
            put(to, shown.inode);
        });
        put_list(to, &self.files, |to, placed| {
            put_path(to, &placed.name);
            match &placed.what {
                PlacedWhat::File { length, mode } => {
                    put(to, 0);
                    put(to, *length);
                    put(to, u64::from(*mode));
                }
                PlacedWhat::Link { target } => {
                    put(to, 1);
                    put_path(to, target);
                }
                PlacedWhat::Directory => put(to, 2),
            }
        });
        put(to, u64::from(self.writable));
        put(to, self.box_size);
        put_option(to, self.cpu_time);
        put_option(to, self.wall_time);
        put_option(to, self.memory);
        put_option(to, self.output);
        put_option(to, self.processes.map(u64::from));
        put_list(to, &self.collect, |to, text| put_bytes(to, text));
        put(to, u64::from(self.keep));
    }

    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            run: from.number()?,
            argv: from.list(Reader::bytes)?,
            env: from.list(Reader::bytes)?,
            visible: from.list(|from| {
                Some(Shown {
                    host: from.path()?,
                    inside: from.path()?,
                    device: from.number()?,
                    inode: from.number()?,
                })
            })?,
            files: from.list(|from| {
                Some(Placed {
                    name: from.path()?,
                    what: match from.number()? {
                        0 => PlacedWhat::File {
                            length: from.number()?,
                            mode: u32::try_from(from.number()?).ok()?,
                        },
                        1 => PlacedWhat::Link {
                            target: from.path()?,
                        },
                        2 => PlacedWhat::Directory,
                        _ => return None,
                    },
                })
            })?,
            writable: from.number()? != 0,
            box_size: from.number()?,
            cpu_time: from.option()?,
            wall_time: from.option()?,
            memory: from.option()?,
            output: from.option()?,
            processes: from.option()?.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            collect: from.list(Reader::bytes)?,
            keep: from.number()? != 0,
        })
    }
}

impl Answer {
    /// The message.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        match self {
            Self::Ready => to.push(b'r'),
            Self::Interrupted => to.push(b'i'),
            Self::Failed(fault) => {
                to.push(b'f');
                put_bytes(&mut to, fault.step.as_bytes());
                put_option(&mut to, fault.errno.map(|errno| errno as u64));
                put_bytes(&mut to, fault.reason.as_bytes());
                put(&mut to, fault.kind as u64);
            }
            Self::Done(facts) => {
                to.push(b'd');
                put(&mut to, facts.status as u64);
                put_option(&mut to, facts.stopped_by.map(|by| by as u64));
                for number in [
                    facts.cpu,
                    facts.started,
                    facts.wall,
                    facts.memory,
                    facts.files,
                    facts.refused_processes,
                ] {
                    put(&mut to, number);
                }
                put_list(&mut to, &facts.found, |to, found| {
                    put(
                        to,
                        match found {
                            Found::File => 0,
                            Found::Missing => 1,
                            Found::Other(kind) => 2 + u64::from(*kind),
                        },
                    );
                });
            }
        }
        to
    }

    /// The answer in a message, if it is one.
    pub(super) fn decode(message: &[u8]) -> Option<Self> {
        let (tag, rest) = message.split_first()?;
        let mut from = Reader(rest);
        match tag {
            b'r' => Some(Self::Ready),
            b'i' => Some(Self::Interrupted),
            b'f' => Some(Self::Failed(Fault {
                step: String::from_utf8_lossy(&from.bytes()?).into_owned(),
                errno: from.option()?.map(|errno| errno as i32),
                reason: String::from_utf8_lossy(&from.bytes()?).into_owned(),
                kind: *KINDS.get(usize::try_from(from.number()?).ok()?)?,
            })),
            b'd' => Some(Self::Done(Facts {
                status: from.number()? as i32,
                stopped_by: from.stopped_by()?,
                cpu: from.number()?,
                started: from.number()?,
                wall: from.number()?,
                memory: from.number()?,
                files: from.number()?,
                refused_processes: from.number()?,
                found: from.list(|from| {
                    Some(match from.number()? {
                        0 => Found::File,
                        1 => Found::Missing,
                        kind => Found::Other(u8::try_from(kind - 2).ok()?),
                    })
                })?,
            })),
            _ => None,
        }
    }
}

/// Every kind of fault, by its number.
const KINDS: [FaultKind; 5] = [
    FaultKind::Other,
    FaultKind::Interrupted,
    FaultKind::Unstartable,
    FaultKind::NamespacesForbidden,
    FaultKind::NamespacesUsedUp,
];

/// Everything that can end a run, by its number.
const STOPPED_BY: [StoppedBy; 6] = [
    StoppedBy::CpuTime,
    StoppedBy::WallTime,
    StoppedBy::Memory,
    StoppedBy::Output,
    StoppedBy::Deadlock,
    StoppedBy::Dismissed,
];

fn put(to: &mut Vec<u8>, number: u64) {
    to.extend(number.to_ne_bytes());
}

fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    put(to, bytes.len() as u64);
    to.extend(bytes);
}

fn put_path(to: &mut Vec<u8>, path: &std::path::Path) {
    put_bytes(to, std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
}

fn put_option(to: &mut Vec<u8>, number: Option<u64>) {
    put(to, u64::from(number.is_some()));
    put(to, number.unwrap_or(0));
}

fn put_list<T>(to: &mut Vec<u8>, list: &[T], mut each: impl FnMut(&mut Vec<u8>, &T)) {
    put(to, list.len() as u64);
    for item in list {
        each(to, item);
    }
}

/// The rest of a message.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*number))
    }

    fn option(&mut self) -> Option<Option<u64>> {
        let is_some = self.number()? != 0;
        let number = self.number()?;
        Some(is_some.then_some(number))
    }

    fn stopped_by(&mut self) -> Option<Option<StoppedBy>> {
        match self.option()? {
            None => Some(None),
            Some(number) => STOPPED_BY
                .get(usize::try_from(number).ok()?)
                .copied()
                .map(Some),
        }
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn path(&mut self) -> Option<PathBuf> {
        let bytes = self.bytes()?;
        Some(PathBuf::from(
            <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes),
        ))
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| each(self)).collect()
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
    Ok(Received {
        message: buffer.get(..length).unwrap_or(&[]),
        fds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_arrives() {
        let request = RunRequest {
            run: 7,
            argv: vec![b"/bin/true".to_vec(), b"a\n;b".to_vec(), Vec::new()],
            env: vec![b"A=1".to_vec()],
            visible: vec![Shown {
                host: "/a".into(),
                inside: "/b".into(),
                device: 1,
                inode: 2,
            }],
            files: vec![
                Placed {
                    name: "x/y".into(),
                    what: PlacedWhat::File {
                        length: 5,
                        mode: 0o755,
                    },
                },
                Placed {
                    name: "z".into(),
                    what: PlacedWhat::Link {
                        target: "/usr".into(),
                    },
                },
                Placed {
                    name: "d".into(),
                    what: PlacedWhat::Directory,
                },
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
        for cause in STOPPED_BY
            .map(Cause::Limit)
            .into_iter()
            .chain([Cause::Interrupt])
        {
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
        for kind in KINDS {
            check(Answer::Failed(Fault {
                kind,
                ..Fault::new("a step", "a reason")
            }));
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
            found: vec![Found::File, Found::Missing, Found::Other(3)],
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
