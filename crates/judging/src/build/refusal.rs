//! Whether a build succeeded and, if not, why.

use std::time::Duration;

use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, Signal, StopReason};

/// `None` if the build succeeded. `who` names what ran: the compiler or the syntax check.
pub(super) fn build_refusal(who: &str, outcome: &Outcome, limits: &Limits) -> Option<String> {
    let passed = match (outcome.stopped_by, outcome.ending) {
        (Some(stop), _) => stop,
        (None, Ending::Exited(0)) => return None,
        (None, _) if limits.exceeded(outcome) == Some(StopReason::Output) => StopReason::Output,
        (None, _) if is_near_cpu_limit(outcome, limits) => StopReason::CpuTime,
        (None, Ending::Exited(code)) => {
            return Some(format!("the {who} ended with exit code {code}"));
        }
        (None, Ending::Signalled(signal)) => {
            return Some(format!("the {who} was killed by {signal}"));
        }
    };
    let passed = limits.describe_exceeded(passed, outcome);
    Some(format!("the {who} exceeded a limit: {passed}"))
}

/// Signals that a compiler causes itself, or that come from its limits: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
/// SIGSEGV, SIGPIPE, SIGXCPU, SIGXFSZ, SIGSYS. All others come from outside.
const OWN_SIGNALS: [i32; 10] = [4, 5, 6, 7, 8, 11, 13, 24, 25, 31];

/// `None` unless a signal from outside killed the compiler.
pub(super) fn killing_signal(outcome: &Outcome) -> Option<Signal> {
    match (outcome.stopped_by, outcome.ending) {
        (None, Ending::Signalled(signal)) if !OWN_SIGNALS.contains(&signal.0) => Some(signal),
        _ => None,
    }
}

/// Whether something else may have killed the build or one of its processes. Then the failure says nothing about the
/// source.
///
/// The signal shows in the exit code of the shell or driver that started the process, which is 128 plus the signal's
/// number, or in the driver's messages. Source: POSIX, "Shell Command Language", 2.8.2. Messages also contain source
/// code, and compilers say "compilation terminated.", so a word alone proves nothing.
pub(super) fn is_doubtful(outcome: &Outcome, messages: &[u8]) -> bool {
    const SHELL: i32 = 128;
    let says = || String::from_utf8_lossy(messages).lines().any(reports_signal);
    match (outcome.stopped_by, outcome.ending) {
        (Some(_), _) | (None, Ending::Exited(0)) => false,
        (None, Ending::Signalled(_)) => killing_signal(outcome).is_some(),
        (None, Ending::Exited(code)) => {
            let of_a_part = Ending::Signalled(Signal(code - SHELL));
            let part = Outcome { ending: of_a_part, ..outcome.clone() };
            (code > SHELL && killing_signal(&part).is_some()) || says()
        }
    }
}

/// Whether a driver or a shell says in this line that a signal ended a process that it started.
fn reports_signal(line: &str) -> bool {
    /// Of GCC, Clang, Go, Rust and linkers, in lower case.
    const PHRASES: [&str; 8] = [
        "signal terminated program",
        "internal compiler error: killed",
        "internal compiler error: terminated",
        "unable to execute command: killed",
        "unable to execute command: terminated",
        "signal: killed",
        "sigkill",
        "terminated with signal",
    ];
    let line = line.trim().to_lowercase();
    // Shells write only the name of the signal.
    let is_of_shell = ["killed", "terminated"].contains(&&*line);
    is_of_shell || PHRASES.iter().any(|phrase| line.contains(phrase))
}

/// Whether it failed with its CPU time almost used up. Just before the limit, the system kills the compiler's working
/// process, and the driver only reports a crash.
fn is_near_cpu_limit(outcome: &Outcome, limits: &Limits) -> bool {
    let limit = limits.cpu_time.unwrap_or(Duration::MAX);
    outcome.cpu_time >= limit.saturating_sub(limit / 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::units::Bytes;

    #[test]
    fn a_build_that_something_else_may_have_killed_is_doubtful() {
        let check = |stop, ending, messages: &str, expected: bool| {
            let outcome = Outcome { stopped_by: stop, ending, ..quiet_outcome() };
            let found = is_doubtful(&outcome, messages.as_bytes());
            assert_eq!(found, expected, "{stop:?} {ending:?} {messages}");
        };
        let killed = Ending::Signalled(Signal(9));
        check(None, killed, "", true);
        check(None, Ending::Signalled(Signal(15)), "", true);
        check(None, Ending::Signalled(Signal(11)), "", false);
        check(Some(StopReason::Memory), killed, "", false);
        check(None, Ending::Exited(137), "", true);
        check(None, Ending::Exited(139), "", false);
        let gcc = "g++: fatal error: Killed signal terminated program cc1plus";
        check(None, Ending::Exited(1), gcc, true);
        check(None, Ending::Exited(1), "go: signal: killed", true);
        check(None, Ending::Exited(1), "gcc: internal compiler error: Killed (program cc1)", true);
        check(None, Ending::Exited(1), "clang: error: unable to execute command: Killed", true);
        check(None, Ending::Exited(101), "(signal: 9, SIGKILL: kill)", true);
        check(None, Ending::Exited(1), "collect2: fatal error: ld terminated with signal 9", true);
        check(None, Ending::Exited(1), "a\nKilled\n", true);
        check(None, Ending::Exited(1), "error: expected `;`", false);
        check(
            None,
            Ending::Exited(1),
            "fatal error: x.h: No such file\ncompilation terminated.",
            false,
        );
        check(None, Ending::Exited(1), "a.c:1:2: error: #error killed", false);
        check(None, Ending::Exited(1), "error: `terminated` undeclared", false);
        check(None, Ending::Exited(0), "warning: killed is not used", false);
    }

    /// 2025-09, "Resource guarantees": a submission that exceeds a limit of the compilation gets CE
    #[test]
    fn a_stopped_compiler_is_distinguished_from_a_refusal() {
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
            let refusal = build_refusal("compiler", &outcome, &limits);
            assert_eq!(refusal.is_some(), piece.is_some(), "{refusal:?}");
            let refusal = refusal.unwrap_or_default();
            assert!(refusal.contains(piece.unwrap_or_default()), "{refusal}");
        };
        check(None, Ending::Exited(0), 1, None);
        check(None, Ending::Exited(0), 59, None);
        check(None, Ending::Exited(1), 1, Some("exit code 1"));
        check(None, Ending::Exited(4), 59, Some("CPU time, 60 s allowed"));
        check(None, Ending::Signalled(Signal(24)), 60, Some("CPU time, 60 s allowed"));
        check(None, Ending::Signalled(Signal(11)), 1, Some("SIGSEGV"));
        check(None, Ending::Signalled(Signal(25)), 1, Some("SIGXFSZ"));
        check(Some(StopReason::CpuTime), Ending::Signalled(Signal(9)), 60, Some("CPU time"));
        check(Some(StopReason::Memory), Ending::Signalled(Signal(9)), 1, Some("2 GiB"));
    }
}
