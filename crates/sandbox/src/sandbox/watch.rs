//! Observes a running program: is it blocked, and is it about to end?

use std::fmt;

use juror_core::joint::WaitReason;

pub(super) trait ProgramWatch: fmt::Debug + Send {
    fn observe(&self) -> ProgramState;

    /// The program itself is ending. Only then does it close its descriptors, a moment before it can be waited for. So
    /// when its pipe is closed, this tells at once why.
    fn is_ending(&self) -> bool;
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "other systems do not show what a program waits for")
)]
pub(super) enum ProgramState {
    Blocked(BlockedProgram),
    Running,
    /// None of its threads runs, but a clock or something else may wake one. Has what it waits for, if one of its
    /// threads waits for the other program.
    Wakeable(Option<WaitReason>),
    /// It is just ending, or the system does not show it.
    Unknown,
}

impl ProgramState {
    pub(super) fn waits_for(&self) -> Option<WaitReason> {
        match self {
            Self::Blocked(blocked) => Some(blocked.waits_for),
            Self::Wakeable(waits) => *waits,
            Self::Running | Self::Unknown => None,
        }
    }

    pub(super) fn into_blocked(self) -> Option<BlockedProgram> {
        if let Self::Blocked(blocked) = self { Some(blocked) } else { None }
    }
}

/// No thread runs, and no clock can wake one. Two equal values in a row mean that no thread ran in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockedProgram {
    pub(super) waits_for: WaitReason,
    pub(super) threads: Vec<ThreadState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadState {
    pub(super) number: i32,
    pub(super) switches: u64,
}
