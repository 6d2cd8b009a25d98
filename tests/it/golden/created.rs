//! Results of `new`, `run`, `show` and others, written by hand, so that they do not depend on compilers.

use std::time::Duration;

use juror::ops::cache::CacheReport;
use juror::ops::languages::{LanguageListing, ListedLanguage, ListedTool};
use juror::ops::mutants::{ListedMutant, MutantListing};
use juror_core::event::{Event, StampedEvent};
use juror_core::exit_code::ExitCode;
use juror_core::outcome::{Ending, Outcome};
use juror_core::progress::NextStep;
use juror_core::progress::PackageReport;
use juror_core::units::Bytes;
use juror_judging::cache::store::{CacheStatistics, PruneResult, VerifyResult};
use juror_judging::judge::single_run::{OutputFileText, SingleRun};
use juror_packages::new::created_package::CreatedPackage;
use juror_packages::new::{ProgramLanguage, Template};
use juror_packages::package::contents::{
    CaseFiles, ListedCase, ListedFile, ListedGroup, ListedProgram, ListedSubmission, PackageListing,
};

use super::record::{Recording, finished_event, started_event, with_end};

use juror_core::outcome::quiet_outcome;

pub(super) fn new_game() -> Recording<CreatedPackage> {
    let files = Template::Game.files(
        "hello",
        ProgramLanguage::Rust,
        "9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10",
    );
    let step = |what: &str, command: Option<&str>| NextStep {
        what: what.to_owned(),
        command: command.map(str::to_owned),
    };
    let created = CreatedPackage {
        name: "hello".to_owned(),
        kind: Template::Game.name(),
        language: ProgramLanguage::Rust.name(),
        path: "contest/hello".into(),
        files: files.into_iter().map(|file| file.created).collect(),
        test_cases: 3,
        next: vec![
            step("check all of it:", Some("juror verify contest/hello")),
            step("replace this problem with your own, file by file", None),
        ],
    };
    let events = with_end(vec![started_event("new", "contest/hello --type game")], 200);
    Recording { events, result: created }
}

pub(super) fn crashed_run(is_raw: bool) -> Recording<SingleRun> {
    let outcome = Outcome {
        ending: Ending::Exited(3),
        stdout_bytes: Bytes(15),
        stderr_bytes: Bytes(9),
        ..quiet_outcome()
    };
    let file = OutputFileText {
        name: "hello.out".to_owned(),
        contents: Some(b"7\n".to_vec()),
        missing: None,
    };
    let run = SingleRun {
        submission: "my.py".to_owned(),
        input: "secret/1-small".to_owned(),
        ended: "exit code 3".to_owned(),
        failed: true,
        message: String::new(),
        outcome,
        stdout: b"one\n\x1b[31mtwo\tx".to_vec(),
        stderr: b"oops\n\n\xff\n".to_vec(),
        transcript: None,
        file: Some(file),
        is_raw,
        is_shown: false,
    };
    let events = with_end(vec![started_event("run", "hello my.py --case secret/1-small")], 200);
    Recording { events, result: run }
}

/// The user plays against the interactor.
pub(super) fn played_run() -> Recording<SingleRun> {
    let run = SingleRun {
        submission: "judge.py".to_owned(),
        input: "sample/1".to_owned(),
        ended: "the output validator rejects what you did".to_owned(),
        failed: true,
        message: "7 was not among 20 guesses\n".to_owned(),
        outcome: quiet_outcome(),
        stdout: Vec::new(),
        stderr: Vec::new(),
        transcript: None,
        file: None,
        is_raw: false,
        is_shown: true,
    };
    Recording { events: with_end(vec![started_event("run", "--play hello")], 200), result: run }
}

pub(super) fn package_listing(case: bool) -> Recording<PackageListing> {
    let listed = |name: &str, bytes: u64, description: &str| ListedCase {
        name: name.to_owned(),
        input_bytes: Some(Bytes(bytes)),
        answer_bytes: (bytes > 10).then_some(Bytes(3)),
        description: (!description.is_empty()).then(|| description.to_owned()),
    };
    let group = |name: &str, max_score: Option<&str>, cases: Vec<ListedCase>| ListedGroup {
        name: name.to_owned(),
        max_score: max_score.map(str::to_owned),
        cases,
    };
    let submission = |name: &str, expected: &[&str]| ListedSubmission {
        name: name.to_owned(),
        expected: expected.iter().map(|it| (*it).to_owned()).collect(),
    };
    let files = CaseFiles {
        name: "sample/1".to_owned(),
        description: Some("The board of the statement".to_owned()),
        hint: Some("Look at both ends".to_owned()),
        args: vec!["--fast".to_owned()],
        files: vec![ListedFile {
            what: "input",
            path: "contest/hello/data/sample/1.in".into(),
            bytes: Bytes(5000),
            contents: b"4\n4 9\x07 2 1".to_vec(),
            left_out_bytes: Bytes(4990),
        }],
    };
    let long = "A description that is much too long for a line of eighty cells is cut";
    let listing = PackageListing {
        kind: "scoring".to_owned(),
        time_limit: Some(Duration::from_millis(1500)),
        memory_bytes: Some(Bytes::mib(256)),
        output_bytes: Some(Bytes::mib(8)),
        groups: vec![
            group("sample", None, vec![listed("sample/1", 5000, "The board of the statement")]),
            group(
                "secret/1-small",
                Some("30"),
                vec![
                    listed("secret/1-small/01-one", 4, ""),
                    listed("secret/1-small/02-long", 70_000, long),
                ],
            ),
        ],
        submissions: vec![
            submission("accepted/best.rs", &["permitted AC", "score 100"]),
            submission("wrong_answer/x\u{202e}.py", &["permitted AC, WA; required WA"]),
            submission("other/slow.py", &[]),
        ],
        programs: vec![ListedProgram {
            what: "input grammar",
            path: "input_validators/input.ctd".into(),
        }],
        case: case.then_some(files),
    };
    Recording { events: package_events("show", "contest/hello"), result: listing }
}

fn sample_package() -> PackageReport {
    PackageReport {
        name: "hello".to_owned(),
        path: "contest/hello".into(),
        title: "Hello".to_owned(),
        ..PackageReport::default()
    }
}

/// Each event takes a tenth of a second.
pub(super) fn package_events(command: &str, arguments: &str) -> Vec<StampedEvent> {
    let read = Event::PackageRead(Box::new(sample_package()));
    let events = [started_event(command, arguments), read, finished_event(ExitCode::Success)];
    let stamp = |(index, event)| StampedEvent {
        at: Duration::from_millis(100) * index,
        package: Some("hello".into()),
        event,
    };
    (0..).zip(events).map(stamp).collect()
}

/// Two mutants of one submission and one of another; or one mutant that is written to a file.
pub(super) fn mutant_listing(one: bool) -> Recording<MutantListing> {
    let mutant = |id: &str, mistake: &str, line: usize, before: &str, after: &str| ListedMutant {
        submission: "accepted/best.cpp".to_owned(),
        id: id.to_owned(),
        operator: id.split('-').next().unwrap_or_default().to_owned(),
        mistake: mistake.to_owned(),
        file: "best.cpp".to_owned(),
        line,
        column: 9,
        before: before.to_owned(),
        after: after.to_owned(),
        lines_before: vec![format!("        {before} \x07")],
        lines_after: vec![format!("        {after}"), "}".to_owned()],
        held_out: id.starts_with("off1"),
    };
    let second = mutant("swaparg-0f3d-1", "swaps two values", 120, "a,\n b", "b,\n a");
    let mut list = vec![
        mutant("off1-90c1-1", "is off by one", 7, "i < n", "i < n - 1"),
        mutant("reset-c41a-1", "keeps what a loop should reset", 9, "", "static "),
        ListedMutant { submission: "accepted/other.cpp".to_owned(), ..second },
    ];
    if one {
        list.truncate(1);
    }
    let saved = one.then(|| "wrong.cpp".to_owned());
    let listing = MutantListing { list, in_full: one, saved };
    Recording { events: with_end(vec![started_event("mutants", "hello")], 20), result: listing }
}

/// One language has its tool; the other lacks one of two.
pub(super) fn language_listing() -> Recording<LanguageListing> {
    let tool = |name: &str, version: Option<&str>, help: Option<&str>| ListedTool {
        name: name.to_owned(),
        version: version.map(str::to_owned),
        help: help.map(str::to_owned),
    };
    let language = |code: &str, name: &str, tools| ListedLanguage {
        code: code.to_owned(),
        name: name.to_owned(),
        tools,
    };
    let install = "install the package `kotlin`";
    let languages = vec![
        language("c", "C", vec![tool("gcc", Some("gcc 14.2.0"), None)]),
        language(
            "kotlin",
            "Kotlin",
            vec![tool("kotlinc", None, Some(install)), tool("java", Some("openjdk 21"), None)],
        ),
    ];
    let events = with_end(vec![started_event("languages", "")], 20);
    Recording { events, result: LanguageListing { languages } }
}

pub(super) fn cache_report(action: &str) -> Recording<CacheReport> {
    let statistics = CacheStatistics {
        results: 1200,
        large_files: 7,
        size: Bytes::mib(90),
        limit: Bytes::mib(2048),
        oldest_use_days: Some(12),
    };
    let result = CacheReport {
        directory: "kept".into(),
        kept: (action == "stat").then_some(statistics),
        pruned: (action == "prune")
            .then_some(PruneResult { removed: Bytes::mib(40), left: Bytes::mib(50) }),
        verified: (action == "verify").then_some(VerifyResult { whole: 1206, damaged: 1 }),
    };
    let events = with_end(vec![started_event("cache", &format!("{action} --cache kept"))], 20);
    Recording { events, result }
}
