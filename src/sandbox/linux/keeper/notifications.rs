//! Calls that ask the slot first: those whose effect nothing shows or limits later.
//!
//! - **Alarm clocks** (`alarm`, `setitimer`): no file of `/proc` tells that one is set. The judge must know, or it would think that a
//!   program stands still which only waits for its alarm.
//! - **Locks** (`fcntl`): what the kernel holds for them is on nobody's account. So a run has no more than [`MOST_LOCKS`], by what `/proc/locks`
//!   shows: others that come and go meanwhile may be taken for its own, or the other way round.
//! - **Pipes**, where programs are of the judge's own user: the kernel counts the pages of all pipes of a user together, and gives to
//!   one beyond a limit (`pipe-user-pages-soft`, of 16384 pages, 16 to a pipe) pipes of two pages. A run with a thousand
//!   pipes would make other programs wait for ever. So no run has more than [`MOST_PIPES`] open; besides, all runs of a user
//!   together may have [`OPEN_FILES_OF_THE_USER`](super::resources::OPEN_FILES_OF_THE_USER) and some 250 more on their way through sockets. For four runs at
//!   once these are 16384 pages.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sandbox::linux::filter::seccomp::{self, Asks};
use crate::sandbox::linux::keeper::procfs;
use crate::sandbox::linux::sys::notify::{self, SharedWord};
use crate::sandbox::linux::sys::{self, Errno};

/// How many pipes the processes of a run may have open together.
const MOST_PIPES: usize = 64;

/// How many locks the processes of a run may have together.
const MOST_LOCKS: usize = 10_000;

/// How many calls for a lock are refused before it is counted again, which takes some time.
const UNCOUNTED: usize = 1000;

/// Whether an alarm clock may be set in the run.
#[derive(Clone, Debug)]
pub(crate) struct Alarms(Arc<SharedWord>);

impl Alarms {
    /// None is known to be set.
    pub(crate) fn make() -> sys::Result<Self> {
        SharedWord::make().map(|word| Self(Arc::new(word)))
    }

    pub(crate) fn may_be_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    fn say(&self, may_be_set: bool) {
        self.0.store(may_be_set.into(), Ordering::SeqCst);
    }
}

/// Answers the calls that ask.
pub(crate) struct Notifications {
    listener: OwnedFd,
    alarms: Alarms,
    /// How many pipes may be open, by those that were made since they were counted.
    pipes: usize,
    /// How many calls for locks there were since locks were counted, and as many locks as there were then.
    locks: usize,
    /// How many locks the machine had when the run asked for its first.
    locks_before: usize,
    /// `/proc/locks`.
    all_locks: Option<File>,
}

impl Notifications {
    /// Installs the filter of calls. Where somebody else hears of calls already, nothing is asked, and alarms may be set at any
    /// time.
    pub(crate) fn install(
        pass: u64,
        asks: Asks,
        alarms: &Alarms,
        locks: Option<OwnedFd>,
    ) -> sys::Result<Option<Self>> {
        match notify::seccomp(&seccomp::filter(pass, asks)) {
            Ok(listener) => Ok(Some(Self {
                listener,
                alarms: alarms.clone(),
                pipes: 0,
                locks: 0,
                locks_before: 0,
                all_locks: locks.map(File::from),
            })),
            Err(Errno(libc::EBUSY | libc::EINVAL)) => {
                alarms.say(true);
                sys::seccomp(&seccomp::filter(pass, Asks::Nothing)).map(|_| None)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Becomes readable when a call waits.
    pub(crate) fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// A new run is to begin, and nobody is left of the last.
    pub(crate) fn begin(&mut self) {
        self.alarms.say(false);
        (self.pipes, self.locks) = (0, 0);
    }

    /// Answers the call that waits. Takes PID 1 of the run.
    pub(crate) fn answer(&mut self, pid1: i32) {
        let Ok(question) = notify::question(self.listener.as_fd()) else {
            return;
        };
        let answer = match i64::from(question.number) {
            libc::SYS_fcntl => self.lock(),
            // This timer stands still while the program does.
            libc::SYS_setitimer if question.arguments[0] as i32 != libc::ITIMER_REAL => Ok(()),
            number if Asks::is_pipe(number) => self.pipe(pid1),
            _ => {
                // Before it is set.
                self.alarms.say(true);
                Ok(())
            }
        };
        notify::answer(self.listener.as_fd(), &question, answer);
    }

    /// Whether there may be one more.
    fn pipe(&mut self, pid1: i32) -> Result<(), Errno> {
        if self.pipes >= MOST_PIPES {
            self.pipes = open_pipes(pid1);
        }
        if self.pipes >= MOST_PIPES {
            return Err(Errno(libc::EMFILE));
        }
        self.pipes += 1;
        Ok(())
    }
}

impl Notifications {
    /// Whether there may be one more lock.
    fn lock(&mut self) -> Result<(), Errno> {
        if self.locks == 0 {
            self.locks_before = self.locks_of_all().unwrap_or(0);
        }
        self.locks += 1;
        if self.locks == MOST_LOCKS || self.locks >= MOST_LOCKS + UNCOUNTED {
            let all = self.locks_of_all().unwrap_or(usize::MAX);
            self.locks = all.saturating_sub(self.locks_before).clamp(1, MOST_LOCKS);
        }
        match self.locks < MOST_LOCKS {
            true => Ok(()),
            false => Err(Errno(libc::ENOLCK)),
        }
    }

    /// How many locks there are on the machine, if it tells.
    fn locks_of_all(&mut self) -> Option<usize> {
        let file = self.all_locks.as_mut()?;
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).ok()?;
        Some(text.iter().filter(|byte| **byte == b'\n').count())
    }
}

/// How many pipes the processes below this one have open, by what `/proc` shows.
fn open_pipes(pid1: i32) -> usize {
    let mut waiting = procfs::children(pid1);
    let mut pipes: BTreeSet<PathBuf> = BTreeSet::new();
    let mut index = 0;
    while let Some(process) = waiting.get(index).copied() {
        let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        let names = open.filter_map(|it| fs::read_link(it.path()).ok());
        pipes
            .extend(names.filter(|name| name.as_os_str().as_encoded_bytes().starts_with(b"pipe:")));
        if pipes.len() >= MOST_PIPES {
            break;
        }
        waiting.extend(procfs::children(process));
        index += 1;
    }
    pipes.len()
}
