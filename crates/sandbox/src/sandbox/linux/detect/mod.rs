//! What this machine offers, and which isolation method works on it.

pub(super) mod enclosing_groups;
pub(super) mod facts;
pub(super) mod fallback;
pub(super) mod host;
