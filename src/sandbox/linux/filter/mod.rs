//! Which system calls programs may make.

pub(super) mod bare_filter;
pub(super) mod seccomp;
