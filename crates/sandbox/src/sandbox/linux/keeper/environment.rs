//! The environment of one run: a PID 1, a box, a temporary directory, and with namespaces also those of its processes
//! and mounts. Every run has a new one. With namespaces, the expensive parts are made ahead, while the judge reads the
//! outcome of the previous run: the namespaces, and PID 1, which waits in them. Everything that could reveal this
//! earlier time, above all a date, is made when the run begins.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32};

use rustix::event::EventfdFlags;

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::keeper::supervise::RunningPid1;
use crate::sandbox::linux::run::child::{ProcessStack, RunSpec};
use crate::sandbox::linux::run::pid1::{self, Pid1Channel};
use crate::sandbox::linux::run::pid1_landlock;
use crate::sandbox::linux::sys::{self, CloneArguments};
use crate::sandbox::linux::view::boxes::RunBoxes;

pub(crate) struct Pid1 {
    pid: i32,
    pidfd: OwnedFd,
    /// `None` without namespaces. PID 1 may read it until it is gone.
    channel: Option<Box<Pid1Channel>>,
    is_gone: bool,
}

pub(crate) struct RunEnvironment {
    pub(crate) pid1: Pid1,
    pub(crate) boxes: RunBoxes,
    pub(crate) is_kept: bool,
}

impl Pid1 {
    /// Starts a PID 1 in new namespaces, which waits for a run. The stack must stay unused until that process is gone.
    pub(crate) fn start(slot: &OwnedFd, stack: ProcessStack) -> Result<Self, Fault> {
        let flags = EventfdFlags::CLOEXEC;
        let over = rustix::event::eventfd(0, flags).step("make an event for the run")?;
        let channel = Box::new(Pid1Channel {
            slot: slot.as_raw_fd(),
            spec: AtomicPtr::new(ptr::null_mut()),
            is_started: AtomicU32::new(0),
            over_event: over,
            report: Arc::default(),
        });
        let own = libc::CLONE_FILES | libc::CLONE_NEWPID | libc::CLONE_NEWNS;
        // SAFETY: only PID 1 uses the stack. It shares our memory, and only uses the channel, which outlives it.
        let (pid, pidfd) = unsafe { clone_pid1(own, stack, pid1::pid1, &*channel) }?;
        Ok(Self { pid, pidfd, channel: Some(channel), is_gone: false })
    }

    /// Starts PID 1 of a run without namespaces, and thereby the run. The spec must stay until that process is gone.
    pub(crate) fn start_landlock(spec: &RunSpec, stack: ProcessStack) -> Result<Self, Fault> {
        // SAFETY: only PID 1 uses the stack. It shares our memory, and only uses the spec, which outlives it.
        let (pid, pidfd) = unsafe { clone_pid1(0, stack, pid1_landlock::pid1, spec) }?;
        Ok(Self { pid, pidfd, channel: None, is_gone: false })
    }

    /// Starts the run for which the process waits. The spec must stay until the run is over.
    pub(crate) fn start_run(&self, spec: &mut RunSpec) {
        if let Some(channel) = &self.channel {
            spec.report = Arc::clone(&channel.report);
            channel.start_run(spec);
        }
    }

    /// Call it just after the start of the run.
    pub(crate) fn running(&self) -> RunningPid1<'_> {
        RunningPid1 {
            pid: self.pid,
            pidfd: self.pidfd.as_fd(),
            over_event: self.channel.as_ref().map(|channel| channel.over_event.as_fd()),
            slot_cpu: sys::clock(libc::CLOCK_PROCESS_CPUTIME_ID),
        }
    }

    /// Other code has waited for the process.
    pub(crate) fn mark_gone(&mut self) {
        self.is_gone = true;
    }

    /// Kills it, and with it everything in its namespace. It is gone when this is dropped.
    pub(crate) fn kill(&self) {
        if !self.is_gone {
            let _ = sys::pidfd_kill(self.pidfd.as_fd(), libc::SIGKILL);
        }
    }
}

impl Drop for Pid1 {
    fn drop(&mut self) {
        self.kill();
        if !self.is_gone {
            let _ = sys::wait(self.pid);
        }
    }
}

/// Starts a PID 1.
///
/// # Safety
/// As [`sys::start`] with `CLONE_VM`.
unsafe fn clone_pid1<T>(
    flags: i32,
    stack: ProcessStack,
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<(i32, OwnedFd), Fault> {
    let mut pidfd: RawFd = -1;
    let arguments = CloneArguments {
        flags: (libc::CLONE_VM | libc::CLONE_PIDFD | flags) as u64,
        pidfd: ptr::from_mut(&mut pidfd) as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: stack.bottom,
        stack_size: stack.length,
        ..CloneArguments::default()
    };
    // SAFETY: the caller's promise.
    let started = unsafe { sys::start(&arguments, function, argument) };
    let pid = started.step("start PID 1")?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}
