//! Recorded event streams: what a command would emit, with times and sizes from the script.

use std::path::Path;
use std::time::Duration;

use juror::model::event::{Event, GeneratedState, Stamped};
use juror::model::isolation::Isolation;
use juror::model::judgement::{CaseJudgement, CompilerReport, Evidence, Judgement, TimeLimit};
use juror::model::limits::Limits;
use juror::model::outcome::{Ending, Mechanism, Meter, Outcome};
use juror::model::units::Bytes;
use juror::model::verdict::Verdict;

use super::{compared, grammar, hunts, judged, packages, proposals, scores, validators};

/// Every stream there is.
pub(super) fn all() -> Vec<Vec<Stamped>> {
    vec![
        judged::accepted_and_wrong(),
        judged::differences(),
        compile_error(),
        judged::limits_and_crashes(),
        judged::judge_error(),
        judged::verify(),
        judged::verify_good(),
        judged::diagnostics(),
        generate(),
        generate_check(),
        proposals::added(),
        proposals::nothing(),
        judged::judge_interrupted(),
        interrupted_generate(),
        judged::packages(),
        judged::packages_interrupted(),
        packages::no_host(),
        packages::generated(),
        compared::right(),
        compared::wrong(),
        compared::number(),
        validators::judge(),
        scores::judge(),
        scores::verify(),
        validators::live(),
        grammar::checked(),
        grammar::listed(),
        grammar::dependent(),
        hunts::found(),
        hunts::live(),
        hunts::flaky(),
        hunts::nothing(),
        hunts::bound(),
    ]
}

const MECHANISM: Mechanism =
    Mechanism { cpu: Meter::Cgroup2, memory: Meter::Cgroup2, isolation: Isolation::Namespaces };

/// A run that ends well, by CPU milliseconds and peak KiB.
fn outcome(cpu_millis: u64, memory_kib: u64) -> Outcome {
    Outcome {
        ending: Ending::Exited(0),
        stopped_by: None,
        cpu_time: Duration::from_millis(cpu_millis),
        wall_time: Duration::from_millis(cpu_millis + 1),
        peak_memory: Bytes::kib(memory_kib),
        stdout_bytes: Bytes(38),
        stderr_bytes: Bytes(0),
        file_bytes: Bytes(0),
        refused_processes: 0,
        mechanism: MECHANISM,
    }
}

/// An accepted case.
pub(super) fn accepted(test_case: &str, cpu_millis: u64, memory_kib: u64) -> CaseJudgement {
    CaseJudgement {
        test_case: test_case.to_owned(),
        verdict: Verdict::Accepted,
        cause: "the output is right".to_owned(),
        message: String::new(),
        is_told: true,
        team_message: String::new(),
        score: None,
        difference: None,
        evidence: None,
        outcome: Some(outcome(cpu_millis, memory_kib)),
    }
}

/// A rejected case without evidence.
pub(super) fn rejected(test_case: &str, verdict: Verdict, cause: &str) -> CaseJudgement {
    CaseJudgement { verdict, cause: cause.to_owned(), ..accepted(test_case, 3, 1228) }
}

/// A judgement by its cases; the verdict is that of the first rejected one.
pub(super) fn judgement(submission: &str, cases: Vec<CaseJudgement>) -> Judgement {
    let verdict = cases
        .iter()
        .map(|case| case.verdict)
        .find(|&verdict| verdict != Verdict::Accepted)
        .unwrap_or(Verdict::Accepted);
    Judgement {
        submission: submission.to_owned(),
        verdict,
        cases,
        score: None,
        skipped: 0,
        compiler: None,
        broken: Vec::new(),
    }
}

pub(super) fn evidence(stderr: &[u8], repeat: &str) -> Evidence {
    Evidence { stderr: stderr.to_vec(), repeat: repeat.to_owned(), ..Evidence::default() }
}

/// The beginning of a command about one package.
pub(super) fn started(command: &'static str, submissions: usize) -> Vec<Event> {
    vec![begun(command, "problems/stairs"), package_read("stairs", "Climbing Stairs", submissions)]
}

/// The beginning of every command.
pub(super) fn begun(command: &'static str, arguments: &str) -> Event {
    Event::Started { command, command_line: format!("juror {command} {arguments}") }
}

pub(super) fn package_read(name: &str, title: &str, submissions: usize) -> Event {
    Event::PackageRead {
        package: name.to_owned(),
        path: Path::new("problems").join(name),
        title: title.to_owned(),
        format: "2025-09",
        format_reason: String::new(),
        submissions,
        test_cases: 6,
    }
}

pub(super) fn limits_set() -> Event {
    Event::LimitsSet {
        time: TimeLimit { limit: Duration::from_secs(1), origin: "problem.yaml".to_owned() },
        limits: Limits {
            cpu_time: Some(Duration::from_millis(1500)),
            wall_time: Some(Duration::from_secs(5)),
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        },
        mechanism: MECHANISM.to_string(),
    }
}

/// A submission from its start over its cases to its judgement.
pub(super) fn judged(events: &mut Vec<Event>, judgement: Judgement) {
    events.push(Event::BuildStarted { program: judgement.submission.clone() });
    events.push(Event::BuildFinished { program: judgement.submission.clone() });
    events.push(Event::SubmissionStarted {
        submission: judgement.submission.clone(),
        test_cases: judgement.cases.len() + judgement.skipped,
    });
    for case in &judgement.cases {
        events.push(Event::CaseJudged {
            submission: judgement.submission.clone(),
            test_case: case.test_case.clone(),
            verdict: case.verdict,
            cpu_time: case.outcome.as_ref().map_or(Duration::ZERO, |it| it.cpu_time),
        });
    }
    events.push(Event::SubmissionJudged(Box::new(judgement)));
}

/// The end of every command.
pub(super) fn finished(mut events: Vec<Event>, elapsed_millis: u64) -> Vec<Stamped> {
    events.push(Event::Finished);
    let mut package = None;
    let stamped = events.into_iter().map(|event| {
        if let Event::PackageRead { package: name, .. } = &event {
            package = Some(name.as_str().into());
        }
        Stamped { at: Duration::from_millis(elapsed_millis), package: package.clone(), event }
    });
    stamped.collect()
}

/// `judge` with two submissions that do not build.
pub(super) fn compile_error() -> Vec<Stamped> {
    let mut events = started("judge", 2);
    events.push(limits_set());
    let mut messages = String::new();
    for line in 1..=20 {
        messages.push_str(&format!("stairs.cpp:{line}:5: warning: unused variable 'x{line}'\n"));
    }
    messages.push_str("stairs.cpp: In function 'int main()':\n");
    for line in 31..=60 {
        messages.push_str(&format!(
            "stairs.cpp:{line}:13: error: 'y{line}' was not declared in this scope; did you mean 'yn' or 'y0'?\n"
        ));
    }
    let does_not_build = |submission: &str, cause: &str, messages: &str| Judgement {
        verdict: Verdict::CompileError,
        compiler: Some(CompilerReport {
            refusal: Some(cause.to_owned()),
            messages: messages.as_bytes().to_vec(),
            outcome: Some(Outcome { ending: Ending::Exited(1), ..outcome(640, 88_000) }),
        }),
        skipped: 6,
        ..judgement(submission, Vec::new())
    };
    judged(&mut events, does_not_build("stairs.cpp", "g++ exited with code 1", &messages));
    judged(
        &mut events,
        does_not_build(
            "stairs.py",
            "python3 exited with code 1",
            "  File \"stairs.py\", line 1\n    def main(:\n             ^\nSyntaxError: invalid syntax\n",
        ),
    );
    finished(events, 1290)
}

/// `generate` that writes.
pub(super) fn generate() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Unchanged),
        generated("sample/2", GeneratedState::Unchanged),
        generated("secret/big/01-random", GeneratedState::Changed),
        generated("secret/big/02-descending", GeneratedState::Created),
        generated("secret/edges/01-one-step", GeneratedState::Created),
        generated("secret/old", GeneratedState::Unknown),
    ]);
    finished(events, 2210)
}

/// `generate --check`, which writes nothing.
pub(super) fn generate_check() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Unchanged),
        generated("secret/big/01-random", GeneratedState::Differs),
        generated("secret/big/02-descending", GeneratedState::Missing),
        generated("secret/old", GeneratedState::Unknown),
    ]);
    finished(events, 2210)
}

/// `generate` ended by Ctrl-C.
pub(super) fn interrupted_generate() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Created),
        Event::Progress { what: "test cases".to_owned(), done: 1, total: 6 },
        Event::Interrupted,
    ]);
    finished(events, 300)
}

pub(super) fn generated(test_case: &str, state: GeneratedState) -> Event {
    Event::CaseGenerated { test_case: test_case.to_owned(), state }
}
