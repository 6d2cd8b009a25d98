//! Recorded event streams of commands about several packages, or about none.

use juror::model::diagnostic::Diagnostic;
use juror::model::event::{Event, GeneratedState, Stamped};
use juror::model::judgement::{BrokenExpectation, JudgeError};
use juror::model::verdict::Verdict;

use super::streams::{
    accepted, begun, finished, generated as made, greedy, judged, judgement, limits_set,
    package_read, rejected, remarks, sorted,
};

/// `verify` on three packages, of which the second cannot be read and the third has faults.
pub(super) fn verified() -> Vec<Stamped> {
    let mut events = vec![begun(
        "verify",
        "problems/stairs problems/torn problems/sum",
    )];
    events.push(package_read("stairs", "Climbing Stairs", 2));
    checked(&mut events);
    events.push(limits_set());
    judged(&mut events, sorted());
    judged(&mut events, greedy());
    events.push(Event::Diagnosed(
        Diagnostic::warning(
            "problems/stairs/problem.yaml",
            "the time limit of 1 s is less than 2 times the 0.600 s of accepted/sorted.cpp",
        )
        .help("change limits.time_limit"),
    ));
    events.push(Event::Diagnosed(Diagnostic::error(
        "problems/torn",
        "there is no problem.yaml",
    )));
    events.push(Event::Diagnosed(Diagnostic::warning(
        "problems/sum/problem.yaml",
        "the credits name nobody as author",
    )));
    events.push(package_read("sum", "Two Numbers", 2));
    checked(&mut events);
    events.push(Event::Diagnosed(Diagnostic::error(
        "problems/sum/data/secret/2.in",
        "input validator `validate` refuses it: expected two numbers",
    )));
    events.push(limits_set());
    let mut wrong = judgement(
        "accepted/sum.py",
        vec![
            accepted("sample/1", 15, 9000),
            rejected("secret/1", Verdict::WrongAnswer, "token 1 differs"),
        ],
    );
    wrong.broken.push(BrokenExpectation {
        rule: "accepted".to_owned(),
        reason: "permitted AC; got WA on secret/1".to_owned(),
        test_case: Some("secret/1".to_owned()),
    });
    judged(&mut events, wrong);
    events.push(Event::SubmissionFailed {
        submission: "accepted/Sum.java".to_owned(),
        error: JudgeError::new("find a compiler for java", "no `javac` on this machine"),
    });
    finished(events, 4310)
}

/// The input validators have seen all cases.
fn checked(events: &mut Vec<Event>) {
    events.push(Event::Progress {
        what: "input validators".to_owned(),
        done: 6,
        total: 6,
    });
}

/// `verify` ended by Ctrl-C in its second package.
pub(super) fn interrupted() -> Vec<Stamped> {
    let mut events = vec![begun("verify", "problems/stairs problems/sum")];
    events.push(package_read("stairs", "Climbing Stairs", 2));
    events.push(limits_set());
    judged(&mut events, sorted());
    judged(&mut events, greedy());
    events.push(package_read("sum", "Two Numbers", 3));
    events.push(limits_set());
    judged(
        &mut events,
        judgement("accepted/sum.py", vec![accepted("sample/1", 15, 9000)]),
    );
    events.push(Event::SubmissionStarted {
        submission: "accepted/slow.py".to_owned(),
        test_cases: 6,
    });
    events.push(Event::Interrupted);
    finished(events, 1800)
}

/// `verify` on a package that cannot be read.
pub(super) fn unreadable() -> Vec<Stamped> {
    let mut events = vec![begun("verify", "problems/stairs")];
    events.extend(remarks());
    finished(events, 3)
}

/// `verify` on a host that cannot run anything.
pub(super) fn no_host() -> Vec<Stamped> {
    let mut events = vec![begun("verify", "problems/stairs")];
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
