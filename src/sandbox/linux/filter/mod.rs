//! Which system calls programs may make.

pub(super) mod landlock_filter;
pub(super) mod seccomp;
