//! Calls that ask the slot first: those whose effect nothing shows or limits later.
//!
//! - **Alarm clocks** (`alarm`, `setitimer`): no file of `/proc` tells that one is set. The judge must know, or it would think that a
//!   program stands still which only waits for its alarm.
//! - **Locks** (`fcntl`): what the kernel holds for them is on nobody's account. So a run has no more than [`MOST_LOCKS`], by what `/proc/locks`
//!   shows: others that come and go meanwhile may be taken for its own, or the other way round.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sandbox::linux::filter::seccomp::{self, Asks};
use crate::sandbox::linux::sys::notify::{self, SharedWord};
use crate::sandbox::linux::sys::{self, Errno};

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
        alarms: &Alarms,
        locks: Option<OwnedFd>,
    ) -> sys::Result<Option<Self>> {
        match notify::seccomp(&seccomp::filter(pass, Asks::AlarmsAndLocks)) {
            Ok(listener) => Ok(Some(Self {
                listener,
                alarms: alarms.clone(),
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
        self.locks = 0;
    }

    /// Answers the call that waits.
    pub(crate) fn answer(&mut self) {
        let Ok(question) = notify::question(self.listener.as_fd()) else {
            return;
        };
        let answer = match i64::from(question.number) {
            libc::SYS_fcntl => self.lock(),
            // This timer stands still while the program does.
            libc::SYS_setitimer if question.arguments[0] as i32 != libc::ITIMER_REAL => Ok(()),
            _ => {
                // Before it is set.
                self.alarms.say(true);
                Ok(())
            }
        };
        notify::answer(self.listener.as_fd(), &question, answer);
    }

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
