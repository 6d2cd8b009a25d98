//! The processes of a run: PID 1, and PID 2 until it becomes the program. Nothing here allocates.

pub(super) mod child;
pub(super) mod pid1;
pub(super) mod pid1_landlock;
