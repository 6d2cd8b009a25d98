//! Starts processes apart from the writing of programs.
//!
//! A new process has all files of its parent open until it becomes another program or closes them. The kernel starts
//! no program that some process has open for writing: `ETXTBSY`, execve(2). So if a program is written while another
//! thread starts a process, the program may not start.

use std::io;
use std::mem;
use std::process::{Child, Command};

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use juror_core::blob::Blob;
use juror_core::tree::FileMode;

static PROGRAM_WRITES: RwLock<()> = RwLock::new(());

/// While the result lives, no process starts, so that a program can be written. Waits for a process that is starting.
pub fn block_forks() -> RwLockReadGuard<'static, ()> {
    PROGRAM_WRITES.read()
}

/// As [`block_forks`] while this file is written, if it is a program.
pub fn block_forks_for(blob: &Blob, mode: FileMode) -> Option<RwLockReadGuard<'static, ()>> {
    // To fetch its bytes may need a process.
    let is_program = mode == FileMode::Executable && blob.is_available();
    is_program.then(block_forks)
}

/// While the result lives, no program is written, so that a process can start. Waits until all are written.
pub fn block_program_writes() -> RwLockWriteGuard<'static, ()> {
    PROGRAM_WRITES.write()
}

/// Starts a command while no program is written. Returns when the new process has become another program.
///
/// # Errors
/// Those of [`Command::spawn`].
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let _alone = block_program_writes();
    command.spawn()
}

/// Copies this process, with one thread; `None` in the copy.
///
/// # Safety
/// The copy must leave alone whatever another thread may have held at this moment, such as a lock. Source: fork(2),
/// "async-signal-safe"; its allocator works, since the system's library repairs that.
pub(super) unsafe fn fork() -> io::Result<Option<i32>> {
    let alone = block_program_writes();
    // SAFETY: the caller's guarantee.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        // Its release would wake the threads that wait for it, by a table that another thread may have locked.
        mem::forget(alone);
        return Ok(None);
    }
    drop(alone);
    if forked < 0 { Err(io::Error::last_os_error()) } else { Ok(Some(forked)) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::{Condvar, Mutex, mpsc};
    use std::time::{Duration, Instant};

    use parking_lot_core::{DEFAULT_UNPARK_TOKEN, FilterOp, unpark_filter};

    use super::*;

    #[test]
    fn a_process_is_started_after_a_program_is_written() {
        let (sender, receiver) = mpsc::channel();
        let writing = block_forks();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let started = spawn(&mut Command::new("true")).and_then(|mut child| child.wait());
                sender.send(started.is_ok()).unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(200)).is_err());
            drop(writing);
            assert_eq!(receiver.recv(), Ok(true));
        });
    }

    /// What a thread does with the lock's table of waiting threads while another one forks, in this order.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum TableState {
        Free,
        /// Set by the thread that forks, which holds the lock.
        Wanted,
        Held,
        FreeAgain,
    }

    static TABLE: Mutex<TableState> = Mutex::new(TableState::Free);
    static TABLE_CHANGED: Condvar = Condvar::new();

    fn set_table(state: TableState) {
        *TABLE.lock().unwrap() = state;
        TABLE_CHANGED.notify_all();
    }

    fn wait_for_table(state: TableState) {
        let table = TABLE.lock().unwrap();
        drop(TABLE_CHANGED.wait_while(table, |now| *now < state).unwrap());
    }

    thread_local! {
        static FORKS: Cell<bool> = const { Cell::new(false) };
    }

    extern "C" fn before_fork() {
        if FORKS.get() {
            set_table(TableState::Wanted);
            wait_for_table(TableState::Held);
        }
    }

    extern "C" fn after_fork() {
        if FORKS.get() {
            set_table(TableState::FreeAgain);
        }
    }

    /// Holds the table from the moment that a thread waits for the lock until the fork is over.
    fn hold_table() {
        // SAFETY: only its address is used.
        let lock = std::ptr::from_ref(unsafe { PROGRAM_WRITES.raw() }) as usize;
        let is_awaited = Cell::new(false);
        let skip = |_| {
            is_awaited.set(true);
            FilterOp::Skip
        };
        let hold = |_| {
            if is_awaited.get() {
                set_table(TableState::Held);
                wait_for_table(TableState::FreeAgain);
            }
            DEFAULT_UNPARK_TOKEN
        };
        while !is_awaited.get() {
            // SAFETY: it wakes no thread, and does not panic.
            unsafe { unpark_filter(lock, skip, hold) };
        }
    }

    /// Whether this child ends within a minute. If not, it is ended.
    fn ends(process: i32) -> bool {
        let until = Instant::now() + Duration::from_secs(60);
        // SAFETY: no place for the status is given.
        while unsafe { libc::waitpid(process, std::ptr::null_mut(), libc::WNOHANG) } == 0 {
            if Instant::now() > until {
                // SAFETY: it was not waited for, so it is this process's child.
                unsafe { libc::kill(process, libc::SIGKILL) };
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    #[test]
    fn a_copy_needs_no_lock_that_another_thread_holds() {
        // SAFETY: both only use locks of this test, and only in its thread.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), None) };
        let wanted = || wait_for_table(TableState::Wanted);
        std::thread::scope(|scope| {
            let holder = scope.spawn(move || (wanted(), hold_table()));
            let waiter = scope.spawn(move || (wanted(), drop(block_forks())));
            FORKS.set(true);
            // SAFETY: the copy ends at once.
            let forked = unsafe { fork() }.unwrap();
            let Some(process) = forked else {
                // SAFETY: takes no pointer.
                unsafe { libc::_exit(0) }
            };
            FORKS.set(false);
            assert!(ends(process), "the copy waits for a lock");
            assert!(holder.join().is_ok() && waiter.join().is_ok());
        });
    }
}
