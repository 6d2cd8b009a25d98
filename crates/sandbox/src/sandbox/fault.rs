//! A failed step on the slot's side, before it becomes a [`JudgeError`].

use std::fmt;

use crate::sandbox::errno::Errno;
use juror_core::judgement::{FaultKind, JudgeError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Such as `mount /proc in the sandbox`.
    pub(super) step: String,
    pub(super) errno: Option<i32>,
    pub(super) reason: String,
    pub(super) kind: FaultKind,
}

impl Fault {
    pub(super) fn new(step: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self { step: step.into(), errno: None, reason: reason.to_string(), kind: FaultKind::Other }
    }

    pub(super) fn from_errno(step: impl Into<String>, errno: Errno) -> Self {
        Self {
            step: step.into(),
            errno: Some(errno.0),
            reason: errno.to_string(),
            kind: FaultKind::Other,
        }
    }

    pub(super) fn for_start(mut self) -> Self {
        if self.errno.is_some_and(is_file_errno) {
            self.kind = FaultKind::Unstartable;
        }
        self
    }

    #[cfg(target_os = "linux")]
    pub(super) fn for_namespaces(mut self) -> Self {
        self.kind = match self.errno {
            Some(libc::EPERM | libc::EACCES) => FaultKind::NamespacesForbidden,
            Some(libc::ENOSPC) => FaultKind::NamespacesUsedUp,
            _ => self.kind,
        };
        self
    }

    /// Whether the job is at fault, so that each try fails: its program does not exist or is no program, or a path
    /// leads nowhere. Otherwise the machine is at fault.
    fn is_job_fault(&self) -> bool {
        self.errno.is_none_or(|errno| {
            is_file_errno(errno)
                || matches!(errno, libc::EISDIR | libc::EEXIST | libc::EXDEV | libc::E2BIG)
        })
    }
}

/// Whether the number means that a file cannot be started as a program. It says nothing about the machine.
fn is_file_errno(errno: i32) -> bool {
    #[cfg(target_os = "linux")]
    if errno == libc::ELIBBAD {
        return true;
    }
    matches!(
        errno,
        libc::ENOENT
            | libc::ENOTDIR
            | libc::ENAMETOOLONG
            | libc::ENOEXEC
            | libc::EACCES
            | libc::EINVAL
            | libc::ELOOP
    )
}

impl From<Fault> for JudgeError {
    fn from(fault: Fault) -> Self {
        let is_of_the_job = fault.is_job_fault();
        let mut error = Self { kind: fault.kind, ..Self::new(fault.step, fault.reason) };
        if !is_of_the_job {
            error = error.transient();
        }
        match fault.kind {
            FaultKind::NamespacesForbidden => error
                .help("`juror doctor` shows what forbids it here, and the command that allows it"),
            FaultKind::NamespacesUsedUp => {
                error.help("allow more: sudo sysctl -w user.max_user_namespaces=15000")
            }
            _ => error,
        }
    }
}

pub(super) trait FaultContext<T> {
    fn step(self, step: &str) -> Result<T, Fault>;
    fn step_on(self, step: &str, name: impl fmt::Display) -> Result<T, Fault>;
}

impl<T, E: Into<Errno>> FaultContext<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Fault> {
        self.map_err(|error| Fault::from_errno(step, error.into()))
    }

    fn step_on(self, step: &str, name: impl fmt::Display) -> Result<T, Fault> {
        self.map_err(|error| Fault::from_errno(format!("{step} {name}"), error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::judgement::Retry;

    #[test]
    fn faults_of_the_machine_are_transient_and_missing_files_are_not() {
        let check = |errno: i32, again: Retry| {
            let error = JudgeError::from(Fault::from_errno("a step", Errno(errno)));
            assert_eq!(error.again, again, "{errno}");
        };
        for errno in [
            libc::EBUSY,
            libc::EAGAIN,
            libc::ENOMEM,
            libc::ENOSPC,
            libc::EMFILE,
            libc::EIO,
            libc::EPERM,
        ] {
            check(errno, Retry::Possible);
        }
        for errno in [libc::ENOENT, libc::EACCES, libc::ENOEXEC, libc::ELOOP] {
            check(errno, Retry::Never);
        }
        let error = JudgeError::from(Fault::new("place a file", "not a relative path"));
        assert_eq!(error.again, Retry::Never);
    }
}
