//! For programs: all that happened as one JSON document at the end. `docs/json.md` tells each key.
//!
//! The types here are the wire: they change only together with [`VERSION`], except that keys are
//! added. They carry data, no sentences put together for a reader.

mod hunt;
mod proposal;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::difference::{
    Difference, DifferenceKind, Excerpt, NumberGap, OnlyDifference, Side,
};
use crate::model::event::{Event, GeneratedState, Shortfall, Summary};
use crate::model::grammar::{Bound, ValueBounds};
use crate::model::isolation::Isolation;
use crate::model::judgement::{
    BrokenExpectation, CaseJudgement, CompilerReport, DiffLine, DiffTag, Evidence, JudgeError,
    Judgement, TimeLimit,
};
use crate::model::limits::Limits;
use crate::model::outcome::{Ending, Outcome, Stop};
use crate::model::score::{GroupScore, Score, Standing};
use crate::report::Reporter;
use crate::report::exchange::WireTranscript;
use crate::report::json::hunt::WireHunt;
use crate::report::json::proposal::WireProposal;

/// The version of the document; raised when a key goes or changes its meaning.
pub const VERSION: u32 = 1;

/// Gathers all events and writes one document when the command is at its end.
pub struct Json<W> {
    out: W,
    document: Document,
}

impl<W: Write> Json<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            document: Document {
                format: "juror-report",
                version: VERSION,
                juror: env!("CARGO_PKG_VERSION"),
                ..Document::default()
            },
        }
    }
}

impl<W: Write> Reporter for Json<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.document.see(event);
        if !matches!(event, Event::Finished(_)) {
            return Ok(());
        }
        serde_json::to_writer_pretty(&mut self.out, &self.document)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

#[derive(Default, Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    juror: &'static str,
    command: &'static str,
    command_line: String,
    #[serde(flatten)]
    hunt: Option<WireHunt>,
    packages: Vec<WirePackage>,
    mechanism: Option<String>,
    isolation: Option<WireIsolation>,
    boxes: Option<String>,
    diagnostics: Vec<WireDiagnostic>,
    complaints: Vec<String>,
    submissions: Vec<WireSubmission>,
    judge_errors: Vec<WireJudgeError>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proposals: Vec<WireProposal>,
    generated: Vec<WireGenerated>,
    comparison: Option<WireComparison>,
    grammar: Option<WireGrammar>,
    summary: Option<WireSummary>,
    interrupted: bool,
}

impl Document {
    /// Takes in what an event tells.
    fn see(&mut self, event: &Event) {
        match event {
            Event::Started {
                command,
                command_line,
            } => {
                self.command = command;
                self.command_line.clone_from(command_line);
            }
            Event::HostReady {
                isolation,
                shortfall,
            } => self.isolation = Some(WireIsolation::new(*isolation, shortfall.as_ref())),
            Event::PackageRead {
                package,
                path,
                title,
                submissions,
                test_cases,
            } => self.packages.push(WirePackage {
                name: package.clone(),
                path: path_text(path),
                title: title.clone(),
                submissions: *submissions,
                test_cases: *test_cases,
                limits: None,
            }),
            Event::Diagnosed(diagnostic) => self.diagnostics.push(diagnostic.into()),
            Event::BoxesKept { dir } => self.boxes = Some(path_text(dir)),
            Event::Complained { message } => self.complaints.push(message.clone()),
            Event::LimitsSet {
                time,
                limits,
                mechanism,
            } => {
                if let Some(package) = self.packages.last_mut() {
                    package.limits = Some(WireLimits::new(time, limits));
                }
                self.mechanism = Some(mechanism.clone());
            }
            Event::SubmissionJudged(judgement) => {
                let judged = WireSubmission::judged(self.package(), judgement);
                self.submissions.push(judged);
            }
            Event::SubmissionFailed { submission, error } => {
                let error = WireJudgeError::new(self.package(), Some(submission), error);
                self.submissions
                    .push(WireSubmission::failed(submission, error.clone()));
                self.judge_errors.push(error);
            }
            Event::Failed(error) => {
                let error = WireJudgeError::new(self.package(), None, error);
                self.judge_errors.push(error);
            }
            Event::CaseGenerated { test_case, state } => self.generated.push(WireGenerated {
                package: self.package(),
                test_case: test_case.clone(),
                state: (*state).into(),
            }),
            Event::Proposed(proposal) => {
                let package = self.package();
                self.proposals.push(WireProposal::new(package, proposal));
            }
            Event::Compared {
                output,
                difference,
                evidence,
            } => {
                self.comparison = Some(WireComparison {
                    output: output.clone(),
                    equal: difference.is_none(),
                    difference: difference.as_deref().map(WireDifference::from),
                    evidence: evidence.as_deref().map(WireEvidence::from),
                });
            }
            Event::Hunted(hunt) => self.hunt = Some((&**hunt).into()),
            Event::InputChecked { input, valid } => {
                self.grammar().inputs.push(WireInput {
                    path: path_text(input),
                    valid: *valid,
                });
            }
            Event::BoundsListed(bounds) => {
                self.grammar().bounds = bounds.iter().map(WireBounds::from).collect();
            }
            Event::Interrupted => self.interrupted = true,
            Event::Finished(summary) => {
                self.interrupted |= summary.interrupted;
                self.summary = Some(summary.into());
            }
            Event::BuildStarted { .. }
            | Event::BuildFinished { .. }
            | Event::PackageRefused
            | Event::SubmissionStarted { .. }
            | Event::CaseJudged { .. }
            | Event::HuntStarted(_)
            | Event::Hunting(_)
            | Event::Progress { .. } => {}
        }
    }

    /// What is said of a grammar, from now on.
    fn grammar(&mut self) -> &mut WireGrammar {
        self.grammar.get_or_insert_default()
    }

    /// The name of the package that is at work on.
    fn package(&self) -> Option<String> {
        self.packages.last().map(|package| package.name.clone())
    }
}

#[derive(Default, Serialize)]
struct WireGrammar {
    inputs: Vec<WireInput>,
    bounds: Vec<WireBounds>,
}

#[derive(Serialize)]
struct WireInput {
    path: String,
    valid: bool,
}

#[derive(Serialize)]
struct WireBounds {
    name: String,
    command: String,
    line: u32,
    column: u32,
    min: WireBound,
    max: WireBound,
    reached: Option<WireReached>,
}

#[derive(Serialize)]
struct WireBound {
    written: String,
    value: Option<String>,
}

#[derive(Serialize)]
struct WireReached {
    values: u64,
    least: Option<String>,
    greatest: Option<String>,
    min: bool,
    max: bool,
}

impl From<&ValueBounds> for WireBounds {
    fn from(bounds: &ValueBounds) -> Self {
        let bound = |bound: &Bound| WireBound {
            written: bound.written.clone(),
            value: bound.value.clone(),
        };
        Self {
            name: bounds.name.clone(),
            command: bounds.command.clone(),
            line: bounds.line,
            column: bounds.column,
            min: bound(&bounds.min),
            max: bound(&bounds.max),
            reached: bounds.reached.as_ref().map(|reached| WireReached {
                values: reached.values,
                least: reached.least.clone(),
                greatest: reached.greatest.clone(),
                min: reached.min,
                max: reached.max,
            }),
        }
    }
}

#[derive(Serialize)]
struct WireIsolation {
    by: &'static str,
    full: bool,
    warning: Option<WireShortfall>,
}

#[derive(Serialize)]
struct WireShortfall {
    message: String,
    reasons: Vec<String>,
    help: String,
}

impl WireIsolation {
    fn new(isolation: Isolation, shortfall: Option<&Shortfall>) -> Self {
        Self {
            by: isolation.key(),
            full: isolation.is_full(),
            warning: shortfall.map(|shortfall| WireShortfall {
                message: shortfall.message.clone(),
                reasons: shortfall.reasons.clone(),
                help: shortfall.help.clone(),
            }),
        }
    }
}

#[derive(Serialize)]
struct WirePackage {
    name: String,
    path: String,
    title: String,
    submissions: usize,
    test_cases: usize,
    limits: Option<WireLimits>,
}

#[derive(Serialize)]
struct WireLimits {
    cpu_seconds: f64,
    cpu_origin: String,
    wall_seconds: Option<f64>,
    memory_bytes: Option<u64>,
    output_bytes: Option<u64>,
    processes: Option<u32>,
}

impl WireLimits {
    fn new(time: &TimeLimit, limits: &Limits) -> Self {
        Self {
            cpu_seconds: time.limit.as_secs_f64(),
            cpu_origin: time.origin.clone(),
            wall_seconds: limits.wall_time.as_ref().map(Duration::as_secs_f64),
            memory_bytes: limits.memory.map(|bytes| bytes.0),
            output_bytes: limits.output.map(|bytes| bytes.0),
            processes: limits.processes,
        }
    }
}

#[derive(Serialize)]
struct WireDiagnostic {
    severity: &'static str,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    width: Option<u32>,
    message: String,
    help: Option<String>,
}

impl From<&Diagnostic> for WireDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        let spot = diagnostic.place.spot.as_ref();
        Self {
            severity: match diagnostic.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            },
            path: path_text(&diagnostic.place.path),
            line: spot.map(|spot| spot.line),
            column: spot.map(|spot| spot.column),
            width: spot.map(|spot| spot.width),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

#[derive(Serialize)]
struct WireSubmission {
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
    fn failed(submission: &str, error: WireJudgeError) -> Self {
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
    fn judged(package: Option<String>, judgement: &Judgement) -> Self {
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
struct WireJudgeError {
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
    fn new(package: Option<String>, submission: Option<&str>, error: &JudgeError) -> Self {
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
struct WireDifference {
    kind: &'static str,
    only: Option<&'static str>,
    differing_tokens: u64,
    gap: Option<WireGap>,
    answer: WireSide,
    output: WireSide,
}

impl From<&Difference> for WireDifference {
    fn from(difference: &Difference) -> Self {
        Self {
            kind: match difference.kind {
                DifferenceKind::Token => "token",
                DifferenceKind::Number => "number",
                DifferenceKind::NotANumber => "not_a_number",
                DifferenceKind::OutputEnds => "output_ends",
                DifferenceKind::OutputGoesOn => "output_goes_on",
                DifferenceKind::Blanks => "blanks",
            },
            only: difference.only.map(|only| match only {
                OnlyDifference::Blanks => "blanks",
                OnlyDifference::LetterCase => "letter_case",
                OnlyDifference::BlanksAndLetterCase => "blanks_and_letter_case",
                OnlyDifference::LastNewline => "last_newline",
            }),
            differing_tokens: difference.differing_tokens,
            gap: difference.gap.as_ref().map(WireGap::from),
            answer: (&difference.answer).into(),
            output: (&difference.output).into(),
        }
    }
}

/// JSON has no infinity: what is infinite is written as `null`.
#[derive(Serialize)]
struct WireGap {
    absolute: f64,
    relative: f64,
}

impl From<&NumberGap> for WireGap {
    fn from(gap: &NumberGap) -> Self {
        Self {
            absolute: gap.absolute,
            relative: gap.relative,
        }
    }
}

#[derive(Serialize)]
struct WireSide {
    token_number: u64,
    line: u64,
    column: u64,
    offset_bytes: u64,
    differs_at_bytes: u64,
    length_bytes: u64,
    tokens: u64,
    token: WireExcerpt,
    window: WireExcerpt,
}

impl From<&Side> for WireSide {
    fn from(side: &Side) -> Self {
        Self {
            token_number: side.token_number,
            line: side.line,
            column: side.column,
            offset_bytes: side.offset,
            differs_at_bytes: side.differs_at,
            length_bytes: side.length,
            tokens: side.tokens,
            token: (&side.token).into(),
            window: (&side.window).into(),
        }
    }
}

#[derive(Serialize)]
struct WireExcerpt {
    text: String,
    lossy: bool,
    cut_before_bytes: u64,
    cut_after_bytes: u64,
}

impl From<&Excerpt> for WireExcerpt {
    fn from(excerpt: &Excerpt) -> Self {
        let WireText { text, lossy } = WireText::new(&excerpt.bytes);
        Self {
            text,
            lossy,
            cut_before_bytes: excerpt.cut_before,
            cut_after_bytes: excerpt.cut_after,
        }
    }
}

/// Bytes as text. `lossy` says that some were not UTF-8 and are replaced by U+FFFD.
#[derive(Clone, Serialize)]
pub(super) struct WireText {
    text: String,
    lossy: bool,
}

impl WireText {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self {
            lossy: matches!(text, std::borrow::Cow::Owned(_)),
            text: text.into_owned(),
        }
    }
}

#[derive(Serialize)]
struct WireEvidence {
    diff: Vec<WireDiffLine>,
    diff_lines_left_out: u64,
    transcript: Option<WireTranscript>,
    stderr: WireText,
    validator_stderr: WireText,
    images: Vec<String>,
    repeat: String,
    kept: Option<String>,
    feedback: Option<String>,
}

impl From<&Evidence> for WireEvidence {
    fn from(evidence: &Evidence) -> Self {
        Self {
            diff: evidence.diff.iter().map(WireDiffLine::from).collect(),
            diff_lines_left_out: evidence.diff_lines_left_out,
            transcript: evidence.transcript.as_ref().map(WireTranscript::from),
            stderr: WireText::new(&evidence.stderr),
            validator_stderr: WireText::new(&evidence.validator_stderr),
            images: evidence.images.clone(),
            repeat: evidence.repeat.clone(),
            kept: evidence.kept.as_deref().map(path_text),
            feedback: evidence.feedback.as_deref().map(path_text),
        }
    }
}

#[derive(Serialize)]
struct WireDiffLine {
    side: &'static str,
    answer_line: Option<u64>,
    output_line: Option<u64>,
    text: String,
    lossy: bool,
}

impl From<&DiffLine> for WireDiffLine {
    fn from(line: &DiffLine) -> Self {
        let WireText { text, lossy } = WireText::new(&line.text);
        Self {
            side: match line.tag {
                DiffTag::Equal => "both",
                DiffTag::Answer => "answer",
                DiffTag::Output => "output",
            },
            answer_line: line.answer_line,
            output_line: line.output_line,
            text,
            lossy,
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

#[derive(Serialize)]
struct WireGenerated {
    package: Option<String>,
    test_case: String,
    state: WireState,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum WireState {
    Created,
    Changed,
    Unchanged,
    Unknown,
    Removed,
    Missing,
    Differs,
}

impl From<GeneratedState> for WireState {
    fn from(state: GeneratedState) -> Self {
        match state {
            GeneratedState::Created => Self::Created,
            GeneratedState::Changed => Self::Changed,
            GeneratedState::Unchanged => Self::Unchanged,
            GeneratedState::Unknown => Self::Unknown,
            GeneratedState::Removed => Self::Removed,
            GeneratedState::Missing => Self::Missing,
            GeneratedState::Differs => Self::Differs,
        }
    }
}

#[derive(Serialize)]
struct WireComparison {
    output: String,
    equal: bool,
    difference: Option<WireDifference>,
    evidence: Option<WireEvidence>,
}

#[derive(Serialize)]
struct WireSummary {
    elapsed_seconds: f64,
    runs: usize,
    accepted: usize,
    rejected: usize,
    broken_expectations: usize,
    errors: usize,
    warnings: usize,
    judge_errors: usize,
}

impl From<&Summary> for WireSummary {
    fn from(summary: &Summary) -> Self {
        Self {
            elapsed_seconds: summary.elapsed.as_secs_f64(),
            runs: summary.runs,
            accepted: summary.accepted,
            rejected: summary.rejected,
            broken_expectations: summary.broken,
            errors: summary.errors,
            warnings: summary.warnings,
            judge_errors: summary.judge_errors,
        }
    }
}

/// A path as text, lossily where it is not UTF-8.
fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
