//! What the judge's side does: it holds a slot, packs a job, reads what programs write, and looks whether they wait.

pub(super) mod beside;
pub(super) mod pack;
pub(super) mod slot;
pub(super) mod user;
pub(super) mod waiting;
