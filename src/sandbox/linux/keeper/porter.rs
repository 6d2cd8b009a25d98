//! Calls that ask the slot first: those whose effect nothing shows later.
//!
//! - **Alarm clocks** (`alarm`, `setitimer`): no file of `/proc` tells that one is set. The judge must know, or it would think that a
//!   program stands still which only waits for its alarm.
//! - **Pipes**, where programs are of the judge's own user: the kernel counts the pages of all pipes of a user together, and gives to
//!   one beyond a limit (`pipe-user-pages-soft`, of 16384 pages, 16 to a pipe) pipes of two pages. A run with a thousand
//!   pipes would make other programs wait for ever. So no run has more than [`MOST_PIPES`] open; besides, all runs of a user
//!   together may have [`OPEN_FILES_OF_THE_USER`](super::resources::OPEN_FILES_OF_THE_USER) and some 250 more on their way through sockets. For four runs at
//!   once these are 16384 pages.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sandbox::linux::filter::seccomp::{self, Asks};
use crate::sandbox::linux::keeper::tree;
use crate::sandbox::linux::sys::notify::{self, SharedWord};
use crate::sandbox::linux::sys::{self, Errno};

/// How many pipes the processes of a run may have open together.
const MOST_PIPES: usize = 64;

/// Whether an alarm clock may be set in the run.
#[derive(Clone, Debug)]
pub(in crate::sandbox::linux) struct Alarms(Arc<SharedWord>);

impl Alarms {
    /// None is known to be set.
    pub(in crate::sandbox::linux) fn make() -> sys::Result<Self> {
        SharedWord::make().map(|word| Self(Arc::new(word)))
    }

    pub(in crate::sandbox::linux) fn may_be_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    fn say(&self, may_be_set: bool) {
        self.0.store(may_be_set.into(), Ordering::SeqCst);
    }
}

/// Answers the calls that ask.
pub(in crate::sandbox::linux) struct Porter {
    listener: OwnedFd,
    alarms: Alarms,
    /// How many pipes may be open, by those that were made since they were counted.
    pipes: usize,
}

impl Porter {
    /// Installs the filter of calls. Where somebody else hears of calls already, nothing is asked, and alarms may be set at any
    /// time.
    pub(in crate::sandbox::linux) fn install(
        pass: u64,
        asks: Asks,
        alarms: &Alarms,
    ) -> sys::Result<Option<Self>> {
        match notify::seccomp(&seccomp::filter(pass, asks)) {
            Ok(listener) => Ok(Some(Self { listener, alarms: alarms.clone(), pipes: 0 })),
            Err(Errno(libc::EBUSY | libc::EINVAL)) => {
                alarms.say(true);
                sys::seccomp(&seccomp::filter(pass, Asks::Nothing)).map(|_| None)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Becomes readable when a call waits.
    pub(in crate::sandbox::linux) fn bell(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// A new run is to begin, and nobody is left of the last.
    pub(in crate::sandbox::linux) fn begin(&mut self) {
        self.alarms.say(false);
        self.pipes = 0;
    }

    /// Answers the call that waits. The first process of the run is given.
    pub(in crate::sandbox::linux) fn answer(&mut self, first: i32) {
        let Ok(question) = notify::question(self.listener.as_fd()) else {
            return;
        };
        let is_timer = question.number == libc::SYS_setitimer as i32
            && question.arguments[0] as i32 != libc::ITIMER_REAL;
        let answer = match Asks::is_pipe(question.number.into()) {
            true => self.pipe(first),
            false => {
                // Before it is set. Other timers stand still while the program does.
                if !is_timer {
                    self.alarms.say(true);
                }
                Ok(())
            }
        };
        notify::answer(self.listener.as_fd(), &question, answer);
    }

    /// Whether there may be one more.
    fn pipe(&mut self, first: i32) -> Result<(), Errno> {
        if self.pipes >= MOST_PIPES {
            self.pipes = open_pipes(first);
        }
        if self.pipes >= MOST_PIPES {
            return Err(Errno(libc::EMFILE));
        }
        self.pipes += 1;
        Ok(())
    }
}

/// How many pipes the processes below this one have open, by what `/proc` shows.
fn open_pipes(first: i32) -> usize {
    let mut waiting = tree::children(first);
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
        waiting.extend(tree::children(process));
        index += 1;
    }
    pipes.len()
}
