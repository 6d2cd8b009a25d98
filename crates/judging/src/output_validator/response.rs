//! The response of an output validator: accepted, rejected, or no valid opinion.

use std::time::Duration;

use crate::output_validator::feedback::Feedback;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, StopReason};
use juror_core::score::Score;
use juror_core::tree::Tree;
use juror_core::units::seconds;

/// In bytes. Longer texts are cut.
pub(super) const STDERR_MAX: u64 = 64 << 10;

#[derive(Debug)]
pub struct Response {
    pub opinion: Opinion,
    pub feedback: Feedback,
    pub stderr: Vec<u8>,
    pub outcome: Outcome,
    pub box_tree: Option<Tree>,
}

impl Response {
    /// Whether the output is accepted, or worth more than 0 points.
    pub fn has_worth(&self) -> bool {
        let Feedback { score, score_multiplier, .. } = &self.feedback;
        let is_zero = |text: &Vec<u8>| {
            let number = std::str::from_utf8(text).ok().and_then(|it| it.trim().parse().ok());
            number == Some(0.0)
        };
        match &self.opinion {
            Opinion::Accepted => !score.iter().chain(score_multiplier).any(is_zero),
            Opinion::Partial(worth) => worth.is_positive(),
            Opinion::Rejected | Opinion::Broken(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    Accepted,
    Rejected,
    /// The output has this worth, which may be the maximum.
    Partial(Worth),
    /// A clause about what the validator did wrong. The output is not at fault.
    Broken(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// These points; the output is right if they are the maximum.
    Points(Score),
    /// This fraction of all points; the output is right if it is 1.
    Fraction(Score),
    /// This fraction of all points, rounded up to a whole number; the output is right in any case.
    CorrectFraction(Score),
}

impl Worth {
    pub fn is_positive(self) -> bool {
        let (Self::Points(worth) | Self::Fraction(worth) | Self::CorrectFraction(worth)) = self;
        worth.exceeds(Score::ZERO)
    }
}

/// The type of the problem decides whether a validator may ask for another pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contract {
    OnePass,
    /// Another pass, and at most this many more after it.
    MorePasses(u32),
}

impl Contract {
    /// `number` is that of the pass, from 1; the problem allows so many `passes`.
    pub fn of_pass(number: u32, passes: u32) -> Self {
        match passes {
            1 => Self::OnePass,
            most => Self::MorePasses(most.saturating_sub(number)),
        }
    }
}

/// Limits are guarantees: time and memory only count if the program was stopped; output is counted at the end.
pub(super) fn exceeded_limit(outcome: &Outcome, limits: &Limits) -> Option<StopReason> {
    let is_too_much = limits.output.is_some_and(|limit| outcome.written() > limit);
    outcome.stopped_by.or(is_too_much.then_some(StopReason::Output))
}

/// A limit that a validator exceeded. Times differ from run to run, so that they would make one fault look like many.
pub fn describe_stop(exceeded: StopReason, limits: &Limits, outcome: &Outcome) -> String {
    let time = |limit: Option<Duration>| seconds(limit.unwrap_or_default());
    match exceeded {
        StopReason::CpuTime => format!("more than {} of CPU time", time(limits.cpu_time)),
        StopReason::WallTime => format!("more than {} on the wall clock", time(limits.wall_time)),
        other => limits.describe_exceeded(other, outcome),
    }
}

/// # Errors
/// If it exceeded a limit or was killed, with a clause about `it`.
pub fn exit_code(outcome: &Outcome, limits: &Limits) -> Result<i32, String> {
    match (exceeded_limit(outcome, limits), outcome.ending) {
        (Some(limit), _) => {
            Err(format!("it exceeded a limit: {}", describe_stop(limit, limits, outcome)))
        }
        (None, Ending::Exited(code)) => Ok(code),
        (None, Ending::Signalled(signal)) => Err(format!("it was killed by {signal}")),
    }
}
