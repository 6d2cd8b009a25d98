//! Whether a build went well, and in words why not.

use std::time::Duration;

use crate::model::limits::Limits;
use crate::model::outcome::{Ending, Outcome, Signal, Stop};
use crate::model::units::seconds;

/// Why a build counts as refused; `None` where it went well.
pub(super) fn refusal(outcome: &Outcome, limits: &Limits) -> Option<String> {
    let time = seconds(limits.cpu_time.unwrap_or_default());
    Some(match (outcome.stop, outcome.ending) {
        (Some(Stop::CpuTime), _) => {
            format!("the compiler used more than the {time} of CPU time allowed")
        }
        (Some(Stop::WallTime), _) => "the compiler took too long on the wall clock".to_owned(),
        (Some(Stop::Memory), _) => format!(
            "the compiler wanted more than the {} of memory allowed",
            limits.memory.unwrap_or_default()
        ),
        (Some(Stop::Output), _) => format!(
            "the compiler wrote more than the {} allowed",
            limits.output.unwrap_or_default()
        ),
        (Some(Stop::Deadlock | Stop::Dismissed), _) => "the compiler was ended".to_owned(),
        (None, Ending::Exited(0)) => return None,
        (None, _) if is_at_its_end(outcome, limits) => {
            format!("the compiler used up the {time} of CPU time allowed")
        }
        (None, Ending::Exited(code)) => format!("the compiler ended with exit code {code}"),
        (None, Ending::Signalled(Signal(25))) => format!(
            "the compiler wrote more than the {} allowed",
            limits.output.unwrap_or_default()
        ),
        (None, Ending::Signalled(signal)) => format!("the compiler was killed by {signal}"),
    })
}

/// Whether it failed with its CPU time all but gone. The system then ends the part of a compiler that
/// works, just before the limit is reached, and its driver says no more than that it crashed.
fn is_at_its_end(outcome: &Outcome, limits: &Limits) -> bool {
    let limit = limits.cpu_time.unwrap_or(Duration::MAX);
    outcome.cpu_time >= limit.saturating_sub(limit / 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::scripted::quiet_outcome;
    use crate::model::units::Bytes;

    #[test]
    fn a_compiler_that_is_stopped_is_told_from_one_that_refuses() {
        let limits = Limits {
            cpu_time: Some(Duration::from_secs(60)),
            memory: Some(Bytes::mib(2048)),
            ..Limits::default()
        };
        let check = |stop, ending, seconds, piece: Option<&str>| {
            let outcome = Outcome {
                stop,
                ending,
                cpu_time: Duration::from_secs(seconds),
                ..quiet_outcome()
            };
            let said = refusal(&outcome, &limits);
            assert_eq!(said.is_some(), piece.is_some(), "{said:?}");
            let said = said.unwrap_or_default();
            assert!(said.contains(piece.unwrap_or_default()), "{said}");
        };
        check(None, Ending::Exited(0), 1, None);
        check(None, Ending::Exited(0), 59, None);
        check(None, Ending::Exited(1), 1, Some("exit code 1"));
        check(None, Ending::Exited(4), 59, Some("CPU time allowed"));
        check(
            None,
            Ending::Signalled(Signal(24)),
            60,
            Some("CPU time allowed"),
        );
        check(None, Ending::Signalled(Signal(11)), 1, Some("SIGSEGV"));
        check(
            Some(Stop::CpuTime),
            Ending::Signalled(Signal(9)),
            60,
            Some("CPU time"),
        );
        check(
            Some(Stop::Memory),
            Ending::Signalled(Signal(9)),
            1,
            Some("2 GiB"),
        );
    }
}
