//! What submissions earned, and why.

use serde::Serialize;

use crate::model::judgement::{
    BrokenExpectation, CaseJudgement, CompilerReport, JudgeError, Judgement,
};
use crate::model::outcome::{Ending, Outcome, Stop};
use crate::model::score::{GroupScore, Score, Standing};
use crate::report::json::difference::{WireDifference, WireEvidence, WireText};
use crate::report::json::path_text;

#[derive(Serialize)]
pub(super) struct WireSubmission {
    package: Option<String>,
    name: String,
    verdict: Option<&'static str>,
    score: Option<f64>,
    max_score: Option<f64>,
    groups: Vec<WireGroup>,
    error: Option<WireJudgeError>,
    test_cases: Vec<WireCase>,
    skipped: usize,
    compiler: Option<WireCompiler>,
    broken_expectations: Vec<WireBroken>,
}

impl WireSubmission {
    /// A submission without a verdict.
    pub(super) fn failed(submission: &str, error: WireJudgeError) -> Self {
        Self {
            package: error.package.clone(),
            name: submission.to_owned(),
            verdict: None,
            score: None,
            max_score: None,
            groups: Vec::new(),
            error: Some(error),
            test_cases: Vec::new(),
            skipped: 0,
            compiler: None,
            broken_expectations: Vec::new(),
        }
    }

    /// A submission with its verdict.
    pub(super) fn judged(package: Option<String>, judgement: &Judgement) -> Self {
        let score = judgement.score.as_ref();
        Self {
            package,
            name: judgement.submission.clone(),
            verdict: Some(judgement.verdict.short()),
            score: score.and_then(|total| points(total.score)),
            max_score: score.and_then(|total| points(total.max_score)),
            groups: score
                .map(|total| total.groups.iter().map(WireGroup::from).collect())
                .unwrap_or_default(),
            error: None,
            test_cases: judgement.cases.iter().map(WireCase::from).collect(),
            skipped: judgement.skipped,
            compiler: judgement.compiler.as_ref().map(WireCompiler::from),
            broken_expectations: judgement.broken.iter().map(WireBroken::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct WireGroup {
    name: String,
    score: Option<f64>,
    max_score: Option<f64>,
    run: &'static str,
    barred_by: Option<String>,
}

impl From<&GroupScore> for WireGroup {
    fn from(group: &GroupScore) -> Self {
        let (run, barred_by) = match &group.standing {
            Standing::Complete => ("all", None),
            Standing::Partial => ("part", None),
            Standing::Barred { by } => ("barred", Some(by.clone())),
        };
        Self {
            name: group.name.clone(),
            score: points(group.score),
            max_score: points(group.max_score),
            run,
            barred_by,
        }
    }
}

fn points(score: Option<Score>) -> Option<f64> {
    score.map(Score::points)
}

#[derive(Clone, Serialize)]
pub(super) struct WireJudgeError {
    package: Option<String>,
    submission: Option<String>,
    step: String,
    reason: String,
    help: Option<String>,
    program: Option<WireFaultyProgram>,
}

#[derive(Clone, Serialize)]
struct WireFaultyProgram {
    stderr: WireText,
    repeat: String,
    kept: Option<String>,
}

impl WireJudgeError {
    pub(super) fn new(
        package: Option<String>,
        submission: Option<&str>,
        error: &JudgeError,
    ) -> Self {
        Self {
            package,
            submission: submission.map(str::to_owned),
            step: error.step.clone(),
            reason: error.reason.clone(),
            help: error.help.clone(),
            program: error.program.as_deref().map(|program| WireFaultyProgram {
                stderr: WireText::new(&program.stderr),
                repeat: program.repeat.clone(),
                kept: program.kept.as_deref().map(path_text),
            }),
        }
    }
}

#[derive(Serialize)]
struct WireCase {
    name: String,
    verdict: &'static str,
    cause: String,
    message: String,
    team_message: String,
    score: Option<f64>,
    #[serde(flatten)]
    outcome: WireOutcome,
    difference: Option<WireDifference>,
    evidence: Option<WireEvidence>,
}

impl From<&CaseJudgement> for WireCase {
    fn from(case: &CaseJudgement) -> Self {
        Self {
            name: case.test_case.clone(),
            verdict: case.verdict.short(),
            cause: case.cause.clone(),
            message: case.message.clone(),
            team_message: case.team_message.clone(),
            score: points(case.score.map(|score| score.score)),
            outcome: (&case.outcome).into(),
            difference: case.difference.as_deref().map(WireDifference::from),
            evidence: case.evidence.as_deref().map(WireEvidence::from),
        }
    }
}

#[derive(Serialize)]
struct WireOutcome {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stopped_by: Option<&'static str>,
    cpu_seconds: f64,
    wall_seconds: f64,
    memory_bytes: u64,
    stdout_bytes: u64,
    stderr_bytes: u64,
    file_bytes: u64,
    refused_processes: u32,
    cpu_meter: String,
    memory_meter: String,
}

impl From<&Outcome> for WireOutcome {
    fn from(outcome: &Outcome) -> Self {
        let (exit_code, signal) = match outcome.ending {
            Ending::Exited(code) => (Some(code), None),
            Ending::Signalled(signal) => (None, Some(signal.0)),
        };
        Self {
            exit_code,
            signal,
            stopped_by: outcome.stop.map(|stop| match stop {
                Stop::CpuTime => "cpu_time",
                Stop::WallTime => "wall_time",
                Stop::Memory => "memory",
                Stop::Output => "output",
                Stop::Deadlock => "deadlock",
                Stop::Dismissed => "dismissed",
            }),
            cpu_seconds: outcome.cpu_time.as_secs_f64(),
            wall_seconds: outcome.wall_time.as_secs_f64(),
            memory_bytes: outcome.peak_memory.0,
            stdout_bytes: outcome.stdout_bytes.0,
            stderr_bytes: outcome.stderr_bytes.0,
            file_bytes: outcome.file_bytes.0,
            refused_processes: outcome.refused_processes,
            cpu_meter: outcome.mechanism.cpu.to_string(),
            memory_meter: outcome.mechanism.memory.to_string(),
        }
    }
}

#[derive(Serialize)]
struct WireCompiler {
    cause: String,
    messages: WireText,
    outcome: Option<WireOutcome>,
}

impl From<&CompilerReport> for WireCompiler {
    fn from(report: &CompilerReport) -> Self {
        Self {
            cause: report.cause.clone(),
            messages: WireText::new(&report.messages),
            outcome: report.outcome.as_ref().map(WireOutcome::from),
        }
    }
}

#[derive(Serialize)]
struct WireBroken {
    rule: String,
    reason: String,
    test_case: Option<String>,
}

impl From<&BrokenExpectation> for WireBroken {
    fn from(broken: &BrokenExpectation) -> Self {
        Self {
            rule: broken.rule.clone(),
            reason: broken.reason.clone(),
            test_case: broken.test_case.clone(),
        }
    }
}
