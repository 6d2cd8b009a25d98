//! Looking at a program while it runs: whether it stands still, and whether it is at its end.

use std::fmt;

use crate::model::joint::Waits;

/// Looks at the program of a slot.
pub(super) trait Watch: fmt::Debug + Send {
    /// Looks at the program.
    fn look(&self) -> Seen;

    /// Whether the program itself is at its end. It closes what it has open only then, a moment before
    /// anybody can wait for it; so whoever sees its pipe closed can tell at once why.
    fn is_ending(&self) -> bool;
}

/// What a look at a program gives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "other systems do not show what a program waits for")
)]
pub(super) enum Seen {
    /// It certainly stands still.
    Still(Still),
    /// One of its threads runs, or waits for a processor.
    Running,
    /// It may move by itself.
    Moving,
    /// It cannot be seen: it is just ending, or the system does not show it.
    Nothing,
}

/// A program that stands still. Two that are equal, one after the other, mean that no thread ran in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Still {
    /// What for.
    pub(super) waits: Waits,
    pub(super) threads: Vec<Thread>,
}

/// A thread and how often it stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) number: i32,
    pub(super) switches: u64,
}
