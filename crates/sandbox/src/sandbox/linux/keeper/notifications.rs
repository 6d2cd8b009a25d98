//! Calls that ask the slot first: their effects can neither be seen nor limited later.
//!
//! - **Shrinking a file**: it may be an output. Its size so far counts, so the slot looks at it before.
//! - **SIGKILL**: at the end, nobody can see who sent it. If the run's own processes did, it is the program's end; if
//!   another process did, the run is repeated.
//! - **Alarm clocks** (`alarm`, `setitimer`): no file of `/proc` shows that one is set. The judge must know, or it
//!   would mistake a program that waits for its alarm for one that is blocked.
//! - **Locks** (`fcntl`): no control group is charged for the kernel's memory behind them. So the processes of a run
//!   have at most [`MOST_LOCKS`] together, counted in `/proc/locks`.
//!
//! Source: `seccomp_unotify(2)`, `proc_locks(5)`.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sandbox::linux::filter::seccomp::{self, AskingCalls};
use crate::sandbox::linux::keeper::outputs::OutputFiles;
use crate::sandbox::linux::keeper::procfs::{MachineProc, stat_fields};
use crate::sandbox::linux::sys::notify::{self, SharedWord};
use crate::sandbox::linux::sys::{self, Errno};

/// Of all processes of a run together.
const MOST_LOCKS: usize = 10_000;

/// Number of refused calls for a lock before the locks are counted again, which takes some time.
const RECOUNT_AFTER: usize = 1000;

#[derive(Clone, Debug)]
pub(crate) struct AlarmFlag(Arc<SharedWord>);

impl AlarmFlag {
    pub(crate) fn make() -> sys::Result<Self> {
        SharedWord::make().map(|word| Self(Arc::new(word)))
    }

    pub(crate) fn may_be_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    fn set(&self, may_be_set: bool) {
        self.0.store(may_be_set.into(), Ordering::SeqCst);
    }
}

pub(crate) struct Notifications {
    listener: OwnedFd,
    alarms: AlarmFlag,
    /// An upper bound: the locks of the last count, and one for each call since then.
    locks: usize,
    /// A process of the run may have sent SIGKILL, or had the kernel send it.
    has_killed: bool,
    proc: Arc<MachineProc>,
}

impl Notifications {
    /// Installs the filter of calls. If another process already listens to calls, no call asks. Then alarms may be set
    /// at any time.
    pub(crate) fn install(
        pass: u64,
        alarms: &AlarmFlag,
        proc: Arc<MachineProc>,
    ) -> sys::Result<Option<Self>> {
        match notify::seccomp(&seccomp::filter(pass, AskingCalls::All)) {
            Ok(listener) => {
                let alarms = alarms.clone();
                Ok(Some(Self { listener, alarms, locks: 0, has_killed: false, proc }))
            }
            Err(Errno(libc::EBUSY | libc::EINVAL)) => {
                alarms.set(true);
                sys::seccomp(&seccomp::filter(pass, AskingCalls::NoCalls)).map(|_| None)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Becomes readable if a call waits.
    pub(crate) fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Call it before a new run, when no process of the last one is left.
    pub(crate) fn begin(&mut self) {
        self.alarms.set(false);
        (self.locks, self.has_killed) = (0, false);
    }

    /// The end of this run is the program's own doing.
    pub(super) fn note_kill(&mut self) {
        self.has_killed = true;
    }

    pub(crate) fn has_killed(&self) -> bool {
        self.has_killed
    }

    /// What matters is noted before it happens. Returns whether outputs may now hold less memory.
    pub(crate) fn answer_call(&mut self, outputs: &OutputFiles) -> bool {
        let Ok(question) = notify::receive_call(self.listener.as_fd()) else { return false };
        let mut may_shrink = false;
        let argument = |number: usize| question.arguments[number] as i32;
        let answer = match i64::from(question.number) {
            libc::SYS_fcntl if argument(1) != seccomp::F_SETSIG => self.permit_lock(),
            number => {
                may_shrink = self.note_call(number, &argument, outputs);
                Ok(())
            }
        };
        notify::answer_call(self.listener.as_fd(), &question, answer);
        may_shrink
    }

    fn note_call(
        &mut self,
        number: i64,
        argument: &dyn Fn(usize) -> i32,
        outputs: &OutputFiles,
    ) -> bool {
        match number {
            // This timer stands still while the program does.
            libc::SYS_setitimer if argument(0) != libc::ITIMER_REAL => {}
            libc::SYS_setitimer => self.alarms.set(true),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_alarm => self.alarms.set(true),
            libc::SYS_fcntl => self.has_killed |= argument(2) == libc::SIGKILL,
            libc::SYS_kill
            | libc::SYS_tkill
            | libc::SYS_tgkill
            | libc::SYS_rt_sigqueueinfo
            | libc::SYS_rt_tgsigqueueinfo
            | libc::SYS_pidfd_send_signal
            | libc::SYS_timer_create
            | libc::SYS_setrlimit
            | libc::SYS_prlimit64 => self.note_kill(),
            // It may shrink an output.
            _ => return outputs.size().memory > 0,
        }
        false
    }

    /// Fails if no more locks are permitted.
    fn permit_lock(&mut self) -> Result<(), Errno> {
        self.locks += 1;
        if self.locks == MOST_LOCKS || self.locks >= MOST_LOCKS + RECOUNT_AFTER {
            self.locks = self.count_locks().clamp(1, MOST_LOCKS);
        }
        if self.locks < MOST_LOCKS { Ok(()) } else { Err(Errno(libc::ENOLCK)) }
    }

    /// Number of locks of the slot's processes; [`MOST_LOCKS`] if the machine does not show them.
    fn count_locks(&self) -> usize {
        let text = self.proc.read("locks").unwrap_or_default();
        let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
        for owner in text.lines().filter_map(lock_owner) {
            *owners.entry(owner).or_default() += 1;
        }
        let own = std::process::id().to_string();
        let ours = owners.iter().filter(|(owner, _)| self.descends(owner, &own));
        if text.is_empty() { MOST_LOCKS } else { ours.map(|(_, count)| count).sum() }
    }

    fn descends(&self, process: &str, from: &str) -> bool {
        let mut process = process.to_owned();
        while process != from {
            match self.proc.read(&format!("{process}/stat")).as_deref().and_then(parent_process) {
                Some(parent) => parent.clone_into(&mut process),
                None => return false,
            }
        }
        true
    }
}

/// The owner of the lock in a line of `/proc/locks`. A waiting lock has `->` after its number. Source:
/// `proc_locks(5)`.
fn lock_owner(line: &str) -> Option<&str> {
    line.split_whitespace().filter(|word| *word != "->").nth(4)
}

/// The parent's number in `/proc/PID/stat`.
fn parent_process(stat: &str) -> Option<&str> {
    stat_fields(stat).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_belongs_to_the_process_in_its_line() {
        let check =
            |line: &str, expected: &str| assert_eq!(lock_owner(line), Some(expected), "{line}");
        check("1: POSIX  ADVISORY  READ  77 00:1f:5 0 EOF", "77");
        check("1: -> POSIX  ADVISORY  WRITE 78 00:1f:5 0 EOF", "78");
        check("2: OFDLCK ADVISORY  WRITE -1 00:1f:5 0 0", "-1");
        assert_eq!(parent_process("12 (a) b) S 7 12 12 0"), Some("7"));
        assert_eq!([lock_owner(""), parent_process("")], [None, None]);
    }
}
