//! The judge's side: holds a slot, packs a job, reads the program's outputs, and finds out whether programs wait.

pub(super) mod blocked;
pub(super) mod core_pin;
pub(super) mod pack;
pub(super) mod slot;
pub(super) mod user;
