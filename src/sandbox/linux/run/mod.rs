//! The processes of a run: PID 1, and PID 2 until it becomes the program. Nothing here allocates.

pub(super) mod bare_init;
pub(super) mod first;
pub(super) mod init;
