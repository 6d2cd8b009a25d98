//! Sessions with scripted runs.

use super::*;
use crate::model::problem::Interaction;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::build::Builder;
use crate::check::options::Options;
use crate::executor::scripted::{Scripted, quiet_outcome};
use crate::judge::case::Detail;
use crate::model::blob::Blob;
use crate::model::job::{Job, Reply};
use crate::model::outcome::{Ending, Outcome, Signal};
use crate::model::problem::ProgramIo;
use crate::model::program::{Program, ProgramKind};
use crate::model::score::CaseScoring;
use crate::model::test_data::{TestCase, ValidatorArgs};
use crate::plan::schedule::Until;

/// What a scripted submission does on a case, by one letter.
///
/// `a` is right, `w` is wrong, `s` crashes, `j` is a fault of the judge, `i` an interruption.
fn answer(letter: char, job: &Job) -> Result<Reply, Stop> {
    let input = job.stdin.path().expect("a case has its input in a file");
    let right = fs::read(input.with_extension("ans")).unwrap();
    let reply = |outcome: Outcome, stdout: Vec<u8>| {
        Ok(Reply {
            outcome,
            stdout: stdout.into(),
            stderr: Blob::default(),
            collected: Vec::new(),
            kept: None,
        })
    };
    match letter {
        'a' => reply(quiet_outcome(), right),
        'w' => reply(quiet_outcome(), b"nonsense\n".to_vec()),
        's' => {
            reply(Outcome { ending: Ending::Signalled(Signal(11)), ..quiet_outcome() }, Vec::new())
        }
        'j' => Err(JudgeError::new("mount the box", "no memory").into()),
        _ => Err(Stop::Interrupted),
    }
}

fn test_case(dir: &Path, index: usize) -> TestCase {
    let input = dir.join(format!("{index}.in"));
    let answer = dir.join(format!("{index}.ans"));
    fs::write(&input, "").unwrap();
    fs::write(&answer, format!("{index}\n")).unwrap();
    TestCase {
        name: format!("secret/{index}"),
        input,
        answer: Some(answer),
        output: None,
        interaction: None,
        files: Vec::new(),
        args: Vec::new(),
        input_validator_args: ValidatorArgs::default(),
        output_validator_args: Vec::new(),
        points: None,
    }
}

fn submission(name: &str) -> Submission {
    Submission {
        name: name.to_owned(),
        program: Program {
            name: name.to_owned(),
            path: PathBuf::from(name),
            kind: ProgramKind::Submission,
            language: None,
            entry_point: None,
            include: Vec::new(),
            constants: Vec::new(),
        },
        expectations: Vec::new(),
    }
}

fn shown(judged: &Judged) -> String {
    match judged {
        Judged::Failed(error) => format!("judge error: {error}"),
        Judged::Judgement(judgement) => {
            let cases: Vec<&str> =
                judgement.cases.iter().map(|case| case.verdict.short()).collect();
            let cases = cases.join(" ");
            format!("{}: {cases}, {} skipped", judgement.verdict, judgement.skipped)
        }
    }
}

/// Judges submissions whose behaviour is written as a letter a case; the name of each is its
/// behaviour, which its command line carries as an argument.
fn check(until: Until, scripts: &[&str], expected: &[&str]) {
    for slots in 1..4 {
        let dir = tempfile::tempdir().unwrap();
        let executor = Scripted::new(slots, |job: &Job| {
            let input = job.stdin.path().expect("a case has its input in a file");
            let index = input.file_stem().unwrap().to_str().unwrap();
            let script = job.command.argv.last().unwrap();
            answer(script.as_bytes()[index.parse::<usize>().unwrap()].into(), job)
        });
        let builder = Builder::new(&executor);
        let submissions: Vec<Submission> = scripts.iter().map(|name| submission(name)).collect();
        let entries: Vec<PreparedSubmission<'_>> = submissions
            .iter()
            .map(|submission| {
                let argv = ["/bin/sh".into(), OsString::from(&submission.name)];
                PreparedSubmission {
                    submission,
                    prepared: Ok(builder.prepare_command(&argv, dir.path()).unwrap()),
                }
            })
            .collect();
        let cases: Vec<TestCase> =
            (0..scripts[0].len()).map(|index| test_case(dir.path(), index)).collect();
        let ready: Vec<ReadyCase<'_>> = cases
            .iter()
            .map(|test_case| ReadyCase {
                test_case,
                static_args: None,
                scoring: CaseScoring::Ignored,
                options: Options::default(),
                texts: None,
            })
            .collect();
        let problem = Problem::default();
        let told = Mutex::new(Vec::new());
        let tell = |event| match event {
            Event::SubmissionJudged(judgement) => {
                told.lock().unwrap().push(shown(&Judged::Judgement(judgement)));
            }
            Event::SubmissionFailed { error, .. } => {
                told.lock().unwrap().push(shown(&Judged::Failed(error)));
            }
            _ => {}
        };
        let session = Session {
            bench: Bench {
                problem: &problem,
                executor: &executor,
                builder: &builder,
                events: &tell,
            },
            rules: Rules {
                interactor: None,
                io: &ProgramIo::Standard,
                allow_file_writing: false,
                limits: Limits::default(),
                stop_slow_at: Limits::default(),
                validators: &[],
                static_validator: None,
                interaction: Interaction::None,
                passes: 1,
                repeat: String::new(),
                detail: Detail::Brief,
            },
            entries: &entries,
            cases: &ready,
            schedule: Schedule::single(cases.len(), until),
            scheme: None,
            grader: None,
        };
        let results = session.run();
        let mut lines = told.into_inner().unwrap();
        match results {
            Ok(results) => {
                assert_eq!(results.iter().map(shown).collect::<Vec<_>>(), lines);
            }
            Err(stop) => {
                assert_eq!(stop, Stop::Interrupted);
                lines.push("interrupted".to_owned());
            }
        }
        assert_eq!(lines, expected, "{slots} slots");
    }
}

#[test]
fn results_are_the_same_on_any_number_of_slots() {
    check(
        Until::Never,
        &["aaaa", "awsa", "ssss"],
        &[
            "AC: AC AC AC AC, 0 skipped",
            "WA: AC WA RTE AC, 0 skipped",
            "RTE: RTE RTE RTE RTE, 0 skipped",
        ],
    );
    check(
        Until::Rejection,
        &["aaaa", "awsa", "ssss"],
        &["AC: AC AC AC AC, 0 skipped", "WA: AC WA, 2 skipped", "RTE: RTE, 3 skipped"],
    );
}

#[test]
fn a_fault_of_the_judge_takes_the_verdict_away() {
    check(
        Until::Never,
        &["aja", "aaa"],
        &["judge error: mount the box: no memory", "AC: AC AC AC, 0 skipped"],
    );
}

#[test]
fn a_fault_behind_the_first_rejection_is_not_looked_at() {
    check(Until::Rejection, &["awjj"], &["WA: AC WA, 2 skipped"]);
    check(Until::Rejection, &["ajww"], &["judge error: mount the box: no memory"]);
}

#[test]
fn an_interruption_ends_it_without_a_verdict() {
    check(Until::Never, &["iii", "iii"], &["interrupted"]);
}
