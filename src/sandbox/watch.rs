//! Observes a running program: is it blocked, and is it about to end?

use std::fmt;

use crate::model::joint::Waits;

pub(super) trait Watch: fmt::Debug + Send {
    fn look(&self) -> Seen;

    /// The program itself is ending. Only then does it close its descriptors, a moment before it can be waited for. So
    /// when its pipe is closed, this tells at once why.
    fn is_ending(&self) -> bool;
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "other systems do not show what a program waits for")
)]
pub(super) enum Seen {
    Still(Still),
    Running,
    /// None of its threads runs, but a clock or something else may wake one. Has what it waits for, if one of its
    /// threads waits for the other program.
    Moving(Option<Waits>),
    /// It is just ending, or the system does not show it.
    Nothing,
}

impl Seen {
    pub(super) fn waits(&self) -> Option<Waits> {
        match self {
            Self::Still(still) => Some(still.waits),
            Self::Moving(waits) => *waits,
            Self::Running | Self::Nothing => None,
        }
    }
}

/// No thread runs, and no clock can wake one. Two equal values in a row mean that no thread ran in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Still {
    pub(super) waits: Waits,
    pub(super) threads: Vec<Thread>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) number: i32,
    pub(super) switches: u64,
}
