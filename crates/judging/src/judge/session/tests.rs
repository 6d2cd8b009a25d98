//! Sessions with scripted runs.

use super::*;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::judge::case::{ReadyCase, Rules};
use crate::judge::score::RunPolicy;
use crate::plan::schedule::EndCondition;
use juror_core::blob::Blob;
use juror_core::check::options::Options;
use juror_core::grader::{GradedGroup, Graders, GradingKeys, OnReject, PossibleScores};
use juror_core::job::{Job, JobReply};
use juror_core::limits::Limits;
use juror_core::outcome::quiet_outcome;
use juror_core::outcome::{Ending, Outcome, Signal};
use juror_core::problem::{Grading, ProblemKind};
use juror_core::program::{Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::score::{CaseScoring, Score};
use juror_core::submission::OverallExpectation;
use juror_core::test_data::TestCase;
use juror_sandbox::executor::scripted::ScriptedExecutor;

const LIMIT: Duration = Duration::from_secs(1);

/// The result of a scripted submission on a case, by one letter.
///
/// `a` is right, `w` is wrong, `s` crashes, `j` is a failure of the judge, `i` an interruption. `b` and `x` are like
/// `a` and `w`, but take 1.5 times the time limit; `t` takes longer. `d` is right, and disturbed in its first run; `v`
/// is right, and exceeds the limit in some runs. `run` counts its runs on a case.
fn answer(letter: char, job: &Job, run: usize) -> Result<JobReply, Stop> {
    let input = job.stdin.path().expect("a case has its input in a file");
    let right = input.with_extension("ans").read().unwrap();
    let reply = |outcome: Outcome, stdout: Vec<u8>| {
        Ok(JobReply {
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
        'b' => reply(outcome_with_cpu_time(LIMIT.mul_f64(1.5)), right),
        'x' => reply(outcome_with_cpu_time(LIMIT.mul_f64(1.5)), b"nonsense\n".to_vec()),
        'd' => reply(outcome_with_cpu_time(LIMIT.mul_f64([1.05, 0.9, 0.91][run])), right),
        'v' => reply(outcome_with_cpu_time(LIMIT.mul_f64([1.05, 0.93, 1.02, 0.97][run])), right),
        't' => reply(outcome_with_cpu_time(LIMIT * 3), right),
        's' => {
            reply(Outcome { ending: Ending::Signalled(Signal(11)), ..quiet_outcome() }, Vec::new())
        }
        'j' => Err(JudgeError::new("mount the box", "no memory").into()),
        _ => Err(Stop::Interrupted),
    }
}

fn outcome_with_cpu_time(cpu_time: Duration) -> Outcome {
    Outcome { cpu_time, ..quiet_outcome() }
}

fn test_case(dir: &Path, index: usize) -> TestCase {
    let file = |ending: &str, text: String| {
        let file = FilePath::root(dir).join(format!("{index}.{ending}"));
        fs::write(file.as_path(), text).unwrap();
        file
    };
    let (input, answer) = (file("in", String::new()), Some(file("ans", format!("{index}\n"))));
    TestCase { name: format!("secret/{index}"), input, answer, ..TestCase::default() }
}

fn submission(name: &str, rules: &[Expectation]) -> Submission {
    Submission {
        name: name.to_owned(),
        program: Program {
            name: name.to_owned(),
            path: FilePath::root(name),
            kind: ProgramKind::Submission,
            ..Program::default()
        },
        expectations: rules.to_vec(),
    }
}

fn shown(judged: &SubmissionResult) -> String {
    match judged {
        Err(error) => format!("judge error: {error}"),
        Ok(judgement) => {
            let cases: Vec<&str> =
                judgement.cases.iter().map(|case| case.verdict.short()).collect();
            let cases = cases.join(" ");
            let score = judgement.score.as_ref().and_then(|score| score.score);
            let score = score.map_or(String::new(), |score| format!(", score {score}"));
            let broken = judgement.broken.iter();
            let broken: String =
                broken.map(|broken| format!("; {}: {}", broken.rule, broken.reason)).collect();
            let skipped = judgement.skipped;
            format!("{}: {cases}, {skipped} skipped{score}{broken}", judgement.verdict)
        }
    }
}

/// Judges submissions with one letter per case as their result. The name of a submission is its script; so is an
/// argument of its command line.
fn check(until: EndCondition, scripts: &[&str], expected: &[&str]) {
    check_with(&Problem::default(), until, None, scripts, expected);
}

/// On a problem that may have graders, with expectations of the submissions.
fn check_with(
    problem: &Problem,
    until: EndCondition,
    overall: Option<&OverallExpectation>,
    scripts: &[&str],
    expected: &[&str],
) {
    let rules = overall.map(|overall| Expectation {
        pattern: "rule".to_owned(),
        overall: Some(overall.clone()),
        ..Expectation::default()
    });
    check_of(problem, until, rules.as_slice(), false, scripts, expected);
}

/// With rules for the submissions. `omits` says whether runs are omitted.
fn check_of(
    problem: &Problem,
    until: EndCondition,
    rules: &[Expectation],
    omits: bool,
    scripts: &[&str],
    expected: &[&str],
) {
    for slots in 1..4 {
        let dir = tempfile::tempdir().unwrap();
        let run_counts = Mutex::new(HashMap::new());
        let executor = ScriptedExecutor::new(slots, |job: &Job| {
            let input = job.stdin.path().expect("a case has its input in a file");
            let index = input.file_stem().unwrap().to_str().unwrap();
            let script = job.command.argv.last().unwrap();
            let run = {
                let mut run_counts = run_counts.lock();
                let runs = run_counts.entry((script.clone(), index.to_owned())).or_insert(0);
                std::mem::replace(runs, *runs + 1)
            };
            answer(script.as_bytes()[index.parse::<usize>().unwrap()].into(), job, run)
        });
        let builder = Builder::new(&executor);
        let submissions: Vec<Submission> =
            scripts.iter().map(|name| submission(name, rules)).collect();
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
        let mut problem = problem.clone();
        problem.test_data.cases.clone_from(&cases);
        let scheme = ScoringScheme::of(&problem);
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        let ready: Vec<ReadyCase<'_>> = cases
            .iter()
            .map(|test_case| ReadyCase {
                test_case,
                static_args: None,
                scoring: scheme
                    .as_ref()
                    .map_or(CaseScoring::Ignored, |scheme| scheme.case_scoring(test_case)),
                options: Options::default(),
                input: Blob::file(&test_case.input),
                answer: test_case.answer.as_ref().map(Blob::file),
            })
            .collect();
        let lines_of_events = Mutex::new(Vec::new());
        let messages = Mutex::new(Vec::new());
        let tell = |event| match event {
            Event::SubmissionJudged(judgement) => {
                lines_of_events.lock().push(shown(&Ok(judgement)));
            }
            Event::Failed { error, .. } => {
                lines_of_events.lock().push(shown(&Err(error)));
            }
            Event::Diagnosed(remark) => messages.lock().push(remark.message),
            _ => {}
        };
        let bench =
            Bench { problem: &problem, executor: &executor, builder: &builder, events: &tell };
        let ready = ReadyProblem {
            rules: Rules {
                limits: Limits { cpu_time: Some(LIMIT), ..Limits::default() },
                stop_slow_at: Limits { cpu_time: Some(LIMIT * 2), ..Limits::default() },
                ..Rules::new(&problem, Arc::default())
            },
            ..ReadyProblem::new(bench, Arc::default(), ready)
        };
        let session = Session {
            ready: &ready,
            entries: &entries,
            schedule: match &scheme {
                None => Schedule::single(cases.len(), until),
                Some(_) => score::schedule(scheme.as_ref(), &names, RunPolicy::AllAllowed),
            },
            omits_unproving_runs: omits,
            scheme: scheme.as_ref(),
        };
        let results = session.run();
        let mut lines = lines_of_events.into_inner();
        match results {
            Ok(results) => {
                assert_eq!(results.iter().map(shown).collect::<Vec<_>>(), lines);
                for ((script, index), runs) in &*run_counts.lock() {
                    let mut judged = results.iter().flatten();
                    let judged = judged.find(|judged| judged.submission == *script);
                    let name = format!("secret/{index}");
                    let cases = judged.map(|judged| &judged.cases);
                    let counts =
                        cases.is_none_or(|cases| cases.iter().any(|case| case.test_case == name));
                    assert!(*runs == 1 || counts, "{script} ran {runs} times on {name} in vain");
                }
                // A failure occurs in the first run.
                let runs = |result: &SubmissionResult| {
                    result.as_ref().map_or(1, |judged| judged.cases.len())
                };
                let runs = results.iter().map(runs);
                if slots == 1 && omits {
                    assert_eq!(run_counts.lock().len(), runs.sum::<usize>());
                }
            }
            Err(stop) => {
                assert_eq!(stop, Stop::Interrupted);
                lines.push("interrupted".to_owned());
            }
        }
        lines.extend(messages.into_inner());
        assert_eq!(lines, expected, "{slots} slots");
    }
}

#[test]
fn results_are_the_same_on_any_number_of_slots() {
    check(
        EndCondition::Never,
        &["aaaa", "awsa", "ssss"],
        &[
            "AC: AC AC AC AC, 0 skipped",
            "WA: AC WA RTE AC, 0 skipped",
            "RTE: RTE RTE RTE RTE, 0 skipped",
        ],
    );
    check(
        EndCondition::Rejection,
        &["aaaa", "awsa", "ssss"],
        &["AC: AC AC AC AC, 0 skipped", "WA: AC WA, 2 skipped", "RTE: RTE, 3 skipped"],
    );
}

#[test]
fn a_judge_error_replaces_the_verdict() {
    check(
        EndCondition::Never,
        &["aja", "aaa"],
        &["judge error: mount the box: no memory", "AC: AC AC AC, 0 skipped"],
    );
}

#[test]
fn a_judge_error_after_the_first_rejection_does_not_count() {
    check(EndCondition::Rejection, &["awjj"], &["WA: AC WA, 2 skipped"]);
    check(EndCondition::Rejection, &["ajww"], &["judge error: mount the box: no memory"]);
}

#[test]
fn an_interruption_ends_the_session_without_a_verdict() {
    check(EndCondition::Never, &["iii", "iii"], &["interrupted"]);
}

/// A problem with one group, of which all cases or none run.
fn graded(on_reject: OnReject, grading: Grading) -> Problem {
    let keys = GradingKeys {
        on_reject: Some(on_reject),
        range: Some(PossibleScores { from: Some(Score::ZERO), to: Score::new(3.0) }),
        ..GradingKeys::default()
    };
    let group = GradedGroup { name: String::new(), grading: keys.with_defaults() };
    Problem {
        kind: ProblemKind { grading, ..ProblemKind::default() },
        graders: Some(Graders { groups: vec![group], ..Graders::default() }),
        ..Problem::default()
    }
}

fn overall(verdicts: &[Verdict], is_partial: bool) -> OverallExpectation {
    OverallExpectation { verdicts: verdicts.to_vec(), is_partial }
}

#[test]
fn graders_give_the_verdict_and_the_score() {
    let check = |on_reject, grading, scripts: &[&str], expected: &[&str]| {
        check_with(&graded(on_reject, grading), EndCondition::Never, None, scripts, expected);
    };
    check(
        OnReject::Break,
        Grading::PassFail,
        &["aaa", "asw"],
        &["AC: AC AC AC, 0 skipped", "RTE: AC RTE, 1 skipped"],
    );
    check(
        OnReject::Continue,
        Grading::PassFail,
        &["aws", "atw"],
        &["RTE: AC WA RTE, 0 skipped", "TLE: AC TLE WA, 0 skipped"],
    );
    check(
        OnReject::Continue,
        Grading::Scoring,
        &["aaa", "aws"],
        &["AC: AC AC AC, 0 skipped, score 3", "RTE: AC WA RTE, 0 skipped, score 0"],
    );
}

#[test]
fn an_expectation_holds_at_the_time_limit_or_with_its_margin() {
    use Verdict::{Accepted, TimeLimitExceeded, WrongAnswer};
    let check = |on_reject, verdict, scripts: &[&str], expected: &[&str]| {
        let problem = graded(on_reject, Grading::PassFail);
        let overall = overall(&[verdict], false);
        check_with(&problem, EndCondition::Never, Some(&overall), scripts, expected);
    };
    let near = |verdict: &str, other: &str| {
        format!(
            "is {verdict} at the time limit of 1.00 s, and {other} as expected at 2.00 s: it is near the limit"
        )
    };
    check(OnReject::Break, Accepted, &["aba"], &["TLE: AC TLE, 1 skipped", &near("TLE", "AC")]);
    check(
        OnReject::Break,
        Accepted,
        &["abt"],
        &["TLE: AC TLE, 1 skipped; rule: expected AC; got TLE on secret/1"],
    );
    check(
        OnReject::Break,
        WrongAnswer,
        &["baw", "axa"],
        &["TLE: TLE, 2 skipped", "TLE: AC TLE, 1 skipped", &near("TLE", "WA"), &near("TLE", "WA")],
    );
    check(
        OnReject::Continue,
        WrongAnswer,
        &["bww", "wtw"],
        &[
            "TLE: TLE WA WA, 0 skipped",
            "TLE: WA TLE WA, 0 skipped; rule: expected WA; got TLE on secret/1",
            &near("TLE", "WA"),
        ],
    );
    // Too slow at the limit suffices.
    check(
        OnReject::Break,
        TimeLimitExceeded,
        &["aba", "att", "aaa"],
        &[
            "TLE: AC TLE, 1 skipped",
            "TLE: AC TLE, 1 skipped",
            "AC: AC AC AC, 0 skipped; rule: expected TLE; got AC",
        ],
    );
}

#[test]
fn a_partial_solution_is_accepted_and_not_the_best() {
    let problem = graded(OnReject::Continue, Grading::Scoring);
    let check = |flags: &str, scripts: &[&str], expected: &[&str]| {
        let mut problem = problem.clone();
        let keys = GradingKeys {
            grader_flags: Some(vec![flags.to_owned()]),
            on_reject: Some(OnReject::Continue),
            range: Some(PossibleScores { from: Some(Score::ZERO), to: Score::new(3.0) }),
            ..GradingKeys::default()
        };
        let graders = problem.graders.as_mut().unwrap();
        graders.groups[0].grading = keys.with_defaults();
        let overall = overall(&[Verdict::Accepted], true);
        check_with(&problem, EndCondition::Never, Some(&overall), scripts, expected);
    };
    check(
        "always_accept",
        &["aaw", "aaa"],
        &[
            "AC: AC AC WA, 0 skipped, score 2",
            "AC: AC AC AC, 0 skipped, score 3; rule: expected less than the best score; got 3",
        ],
    );
    check(
        "worst_error",
        &["aaw"],
        &["WA: AC AC WA, 0 skipped, score 0; rule: expected AC; got WA on secret/2"],
    );
}

#[test]
fn a_disturbed_submission_is_judged_by_a_run_alone() {
    let check = |verdict: Verdict, scripts: &[&str], expected: &[&str]| {
        let overall = OverallExpectation { verdicts: vec![verdict], is_partial: false };
        check_with(&Problem::default(), EndCondition::Never, Some(&overall), scripts, expected);
    };
    let near = "0.930 s to 1.02 s of CPU time in 3 runs alone, 1.00 s allowed, on secret/1";
    let accepted = "AC: AC AC AC, 0 skipped";
    let remark = format!("may get another verdict in another run: {near}");
    check(Verdict::Accepted, &["ada"], &[accepted]);
    check(Verdict::Accepted, &["ava"], &[accepted, &remark]);
    // A result that may change in another run breaks no expectation.
    let remark = format!("is AC, but could also be TLE as expected: {near}");
    check(Verdict::TimeLimitExceeded, &["ava"], &[accepted, &remark]);
    let remark = format!("{remark}; and 1 more test case");
    check(Verdict::TimeLimitExceeded, &["avv"], &[accepted, &remark]);
}

#[test]
fn a_run_that_no_longer_counts_is_not_repeated() {
    check(
        EndCondition::Rejection,
        &["wddd", "sdvd"],
        &["WA: WA, 3 skipped", "RTE: RTE, 3 skipped"],
    );
}

#[test]
fn runs_that_prove_nothing_more_are_left_out() {
    use Verdict::{Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer};
    let rule = |permitted: &[Verdict], required: &[Verdict]| Expectation {
        pattern: "rule".to_owned(),
        permitted: (!permitted.is_empty()).then(|| permitted.to_vec()),
        required: Some(required.to_vec()),
        ..Expectation::default()
    };
    let check = |rule: Expectation, omits: bool, scripts: &[&str], expected: &[&str]| {
        check_of(&Problem::default(), EndCondition::Never, &[rule], omits, scripts, expected);
    };
    let rejected = || rule(&[], &[WrongAnswer, TimeLimitExceeded, RunTimeError]);
    let scripts = ["awsa", "saaa", "aaaa", "jwaa", "wjaa"];
    let broken = "AC: AC AC AC AC, 0 skipped; rule: required WA, TLE or RTE on at least one case; got only AC on 4 cases";
    check(
        rejected(),
        true,
        &scripts,
        &[
            "WA: AC WA, 2 skipped",
            "RTE: RTE, 3 skipped",
            broken,
            "judge error: mount the box: no memory",
            "WA: WA, 3 skipped",
        ],
    );
    check(
        rejected(),
        false,
        &scripts[..2],
        &["WA: AC WA RTE AC, 0 skipped", "RTE: RTE AC AC AC, 0 skipped"],
    );
    // Too slow by the margin, not only at the limit.
    check(
        rule(&[], &[TimeLimitExceeded]),
        true,
        &["atwa", "abta"],
        &["TLE: AC TLE, 2 skipped", "TLE: AC TLE TLE, 1 skipped"],
    );
    check(
        rule(&[Accepted, TimeLimitExceeded], &[TimeLimitExceeded]),
        true,
        &["atta"],
        &["TLE: AC TLE TLE AC, 0 skipped"],
    );
}
