//! Keeps the writing of programs apart from the starting of processes.
//!
//! A new process has all files of its parent open until it becomes another program or closes them. The kernel starts
//! no program that some process has open for writing: `ETXTBSY`, execve(2). So if a program is written while another
//! thread starts a process, the program may not start.

use std::io;
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_process_is_started_after_a_program_is_written() {
        let (sender, receiver) = mpsc::channel();
        let writing = block_forks();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let started = spawn(&mut Command::new("true")).and_then(|mut it| it.wait());
                sender.send(started.is_ok()).unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(200)).is_err());
            drop(writing);
            assert_eq!(receiver.recv(), Ok(true));
        });
    }
}
