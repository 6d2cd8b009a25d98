//! One worker, from the side that sends it jobs: the command that connects to it, the pipes, and their threads.

use parking_lot::Mutex;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::group::{Envelope, MachineTools, WorkerGroup};
use crate::message::WorkerFacts;
use juror_core::judgement::JudgeError;
use juror_core::text::printable;
use juror_sandbox::sandbox::forks;

#[derive(Debug)]
pub struct WorkerConnection {
    pub name: String,
    pub command: Command,
}

pub enum WorkerRoute {
    Pipes(WorkerPipes),
    WorkerGroup {
        /// Facts about their machines, as if they were one.
        facts: WorkerFacts,
        /// How many jobs they may have at once.
        job_limit: usize,
        tools: MachineTools,
        group: Arc<dyn WorkerGroup>,
    },
}

pub struct WorkerPipes {
    pub output: Box<dyn Read + Send>,
    pub input: OwnedFd,
    /// Empty if its process was not started here.
    pub process: WorkerProcess,
}

#[derive(Debug, Default)]
pub struct WorkerProcess {
    child: Option<Child>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// In bytes: what is stored of the end of standard error.
const STDERR_BYTES: usize = 2000;

impl WorkerConnection {
    /// Starts the command.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn open(mut self) -> Result<WorkerPipes, JudgeError> {
        let fault = |error: &dyn fmt::Display| {
            JudgeError::new(format!("start the worker `{}`", printable(&self.name)), error)
                .help("give a program that exists here, such as ssh, and its arguments")
        };
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            forks::spawn(piped.stderr(Stdio::piped())).map_err(|error| fault(&error))?;
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let (Some(output), Some(input), Some(errors)) = pipes else {
            return Err(fault(&"it has no pipes"));
        };
        let stderr = Arc::default();
        let collected = Arc::clone(&stderr);
        let listen = thread::Builder::new().spawn(move || read_stderr(errors, &collected));
        listen.map_err(|error| fault(&error))?;
        let process = WorkerProcess { child: Some(child), stderr };
        Ok(WorkerPipes { output: Box::new(output), input: input.into(), process })
    }
}

fn read_stderr(mut errors: ChildStderr, text: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = errors.read(&mut buffer) {
        let mut text = text.lock();
        text.extend(&buffer[..length]);
        let before = text.len().saturating_sub(STDERR_BYTES);
        text.drain(..before);
    }
}

impl WorkerProcess {
    /// How it ended, and its last line on standard error. Waits briefly for it to end.
    pub(super) fn describe_end(&mut self) -> String {
        let ended = match self.wait_for_end(Duration::from_millis(500)) {
            Some(status) => format!("it ended with {status}"),
            None => "it closed its pipe".to_owned(),
        };
        let end = Instant::now() + Duration::from_millis(500);
        // Wait until the thread has read all of standard error.
        while Arc::strong_count(&self.stderr) > 1 && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        let stderr = self.stderr.lock();
        let stderr = String::from_utf8_lossy(&stderr);
        let mut lines = stderr.lines().filter(|line| !line.trim().is_empty());
        match lines.next_back() {
            Some(line) => format!("{ended}; it wrote `{}`", printable(line.trim())),
            None => ended,
        }
    }

    fn wait_for_end(&mut self, time: Duration) -> Option<String> {
        let child = self.child.as_mut()?;
        let end = Instant::now() + time;
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status.to_string());
            }
            if Instant::now() >= end {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub(super) fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended already.
            let _ = child.kill();
        }
    }
}

impl Drop for WorkerProcess {
    /// Its input is closed, so it should end. If it does not, it is killed.
    fn drop(&mut self) {
        if self.wait_for_end(Duration::from_secs(3)).is_none() {
            self.kill();
        }
        if let Some(child) = &mut self.child {
            let _ = child.wait();
        }
    }
}

pub(super) enum OpenRoute {
    Pipe(WorkerSender),
    WorkerGroup(Arc<dyn WorkerGroup>),
}

impl OpenRoute {
    pub(super) fn send(&self, envelope: &Envelope<'_>) -> io::Result<()> {
        match self {
            Self::Pipe(sender) => sender.send(envelope.bytes),
            Self::WorkerGroup(group) => {
                group.send(envelope);
                Ok(())
            }
        }
    }

    pub(super) fn close(&self) {
        match self {
            Self::Pipe(sender) => sender.close(),
            Self::WorkerGroup(group) => group.close(),
        }
    }

    pub(super) fn group(&self) -> Option<&Arc<dyn WorkerGroup>> {
        match self {
            Self::Pipe(_) => None,
            Self::WorkerGroup(group) => Some(group),
        }
    }
}

pub(super) struct WorkerSender {
    input: Mutex<Option<File>>,
    is_closed: AtomicBool,
}

/// How long a thread that cannot write waits before it checks whether the pipe is to be closed.
const WRITE_TIMEOUT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl WorkerSender {
    pub(super) fn new(input: OwnedFd) -> Self {
        // If this fails, a worker that does not read blocks the sender.
        let _ = rustix::io::ioctl_fionbio(&input, true);
        Self { input: Mutex::new(Some(input.into())), is_closed: AtomicBool::new(false) }
    }

    pub(super) fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut guard = self.input.lock();
        while !bytes.is_empty() {
            if self.is_closed.load(Ordering::SeqCst) {
                *guard = None;
            }
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let input = guard.as_mut().ok_or_else(closed)?;
            match input.write(bytes) {
                Ok(length) => bytes = &bytes[length..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(input, PollFlags::OUT)], Some(&WRITE_TIMEOUT))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Closes the pipe: now, or as soon as a thread that waits to write checks.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        if let Some(mut input) = self.input.try_lock() {
            *input = None;
        }
    }
}
