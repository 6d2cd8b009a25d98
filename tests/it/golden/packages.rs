//! Event streams of commands about several packages, of hosts and data that no test can have.

use juror::model::diagnostic::Diagnostic;
use juror::model::event::{Event, GeneratedState, Shortfall, Stamped};
use juror::model::isolation::Isolation;
use juror::model::judgement::JudgeError;

use super::streams::{begun, finished, generated as made, package_read};

/// `verify` on a host that cannot run anything.
pub(super) fn no_host() -> Vec<Stamped> {
    let mut events = vec![begun("verify", "problems/stairs")];
    events.push(Event::HostReady {
        isolation: Isolation::Landlock,
        shortfall: Some(Shortfall {
            message: "programs are not fully isolated from this machine".to_owned(),
            reasons: vec!["user namespaces: make namespaces (user): ENOSPC".to_owned()],
            help: "`juror doctor` says what would give more".to_owned(),
        }),
        most_at_once: None,
    });
    events.push(Event::Failed(JudgeError::new(
        "mount /proc in the sandbox",
        "Operation not permitted (os error 1)",
    )));
    finished(events, 2)
}

/// `generate --check` on two packages.
pub(super) fn generated() -> Vec<Stamped> {
    let mut events = vec![begun("generate", "--check problems/stairs problems/sum")];
    events.push(package_read("stairs", "Climbing Stairs", 0));
    events.push(made("sample/1", GeneratedState::Unchanged));
    events.push(made("secret/1", GeneratedState::Differs));
    events.push(Event::Diagnosed(Diagnostic::warning(
        "problems/sum/problem.yaml",
        "the credits name nobody as author",
    )));
    events.push(package_read("sum", "Two Numbers", 0));
    events.push(made("sample/1", GeneratedState::Unchanged));
    events.push(made("secret/1", GeneratedState::Missing));
    events.push(made("secret/old", GeneratedState::Unknown));
    finished(events, 2210)
}
