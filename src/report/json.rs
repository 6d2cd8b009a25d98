//! For programs: all that happened as one JSON document at the end. `docs/json.md` tells each key.
//!
//! The types here are the wire: they change only together with [`VERSION`], except that keys are
//! added. They carry data, no sentences put together for a reader.

pub(super) mod difference;
mod grammar;
mod hunt;
mod judgement;
mod proposal;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::{Event, GeneratedState, Shortfall, Summary};
use crate::model::isolation::Isolation;
use crate::model::judgement::TimeLimit;
use crate::model::limits::Limits;
use crate::report::Reporter;
use crate::report::json::difference::{WireDifference, WireEvidence};
use crate::report::json::grammar::{WireBounds, WireGrammar, WireInput};
use crate::report::json::hunt::WireHunt;
use crate::report::json::judgement::{WireJudgeError, WireSubmission};
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
