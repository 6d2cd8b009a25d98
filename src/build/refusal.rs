//! Whether a build went well, and in words why not.

use std::time::Duration;

use crate::model::limits::Limits;
use crate::model::outcome::{Ending, Outcome, Signal, StoppedBy};

/// Why a build counts as refused; `None` where it went well.
pub(super) fn refusal(outcome: &Outcome, limits: &Limits) -> Option<String> {
    let passed = match (outcome.stopped_by, outcome.ending) {
        (Some(stop), _) => stop,
        (None, Ending::Exited(0)) => return None,
        (None, Ending::Signalled(Signal(25))) => StoppedBy::Output,
        (None, _) if is_at_its_end(outcome, limits) => StoppedBy::CpuTime,
        (None, Ending::Exited(code)) => {
            return Some(format!("the compiler ended with exit code {code}"));
        }
        (None, Ending::Signalled(signal)) => {
            return Some(format!("the compiler was killed by {signal}"));
        }
    };
    let passed = limits.passed(passed, outcome);
    Some(format!("the compiler passed a limit: {passed}"))
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
                stopped_by: stop,
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
        check(None, Ending::Exited(4), 59, Some("CPU time, 60 s allowed"));
        check(None, Ending::Signalled(Signal(24)), 60, Some("CPU time, 60 s allowed"));
        check(None, Ending::Signalled(Signal(11)), 1, Some("SIGSEGV"));
        check(Some(StoppedBy::CpuTime), Ending::Signalled(Signal(9)), 60, Some("CPU time"));
        check(Some(StoppedBy::Memory), Ending::Signalled(Signal(9)), 1, Some("2 GiB"));
    }
}
