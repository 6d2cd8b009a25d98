//! The system calls that programs may make.

pub(super) mod landlock_filter;
pub(super) mod seccomp;
