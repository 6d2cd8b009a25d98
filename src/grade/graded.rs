//! The result of a line: one JSON object.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map as Object, Value};
use serde_with::serde_as;

use crate::grade::extract::ExtractedProgram;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::kept_line::KeptRuns;
use crate::grade::line::{LineEcho, ResultDetail, id_schema};
use juror_core::exit_code::ExitCode;
use juror_core::job::CollectedEntry;
use juror_core::judgement::{CaseJudgement, CompilerReport, Judgement};
use juror_core::outcome::Outcome;
use juror_core::score::TotalScore;
use juror_core::serial::{Seconds, Text};
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;

/// The version of lines and results; raised when a key is removed or changes its meaning.
pub const FORMAT_VERSION: u32 = 2;

/// The result of a line.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GradedLine {
    /// The version of this format.
    #[schemars(extend("const" = FORMAT_VERSION))]
    pub version: u32,
    /// The number of the line, from 1.
    pub line: u64,
    /// Its `id`, if it has one.
    #[schemars(schema_with = "id_schema")]
    pub id: Option<Value>,
    /// Its `problem`, or its package.
    #[schemars(schema_with = "id_schema")]
    pub problem: Option<Value>,
    /// Its `sample`, if it has one.
    #[schemars(schema_with = "id_schema")]
    pub sample: Option<Value>,
    /// The keys that `--copy` names, and their values.
    pub copied: Option<Object<String, Value>>,
    /// The number of an earlier line that differs at most in `id`, `problem` and `sample`. This is its result.
    pub same_as: Option<u64>,
    /// Digest of the line and of the settings by which it was read: 16 hexadecimal digits.
    pub digest: String,
    /// What was judged in place of the whole source text.
    pub extracted: Option<ExtractedProgram>,
    /// What the submission earned; `null` if there is an `error`.
    pub verdict: Option<Verdict>,
    /// Its score, in a scoring problem.
    pub score: Option<TotalScore>,
    /// The first test case that it fails, or `build`.
    pub test_case: Option<String>,
    /// Why it fails there.
    pub cause: Option<String>,
    /// How many test cases it passes.
    pub passed: usize,
    /// How many it was run on.
    pub ran: usize,
    /// How many test cases were skipped because of the verdicts of earlier ones.
    pub skipped: usize,
    /// CPU time of its slowest run.
    #[serde_as(as = "Option<Seconds>")]
    #[serde(rename = "cpu_seconds")]
    pub cpu_time: Option<Duration>,
    /// CPU time of all its runs.
    #[serde_as(as = "Option<Seconds>")]
    #[serde(rename = "total_cpu_seconds")]
    pub total_cpu_time: Option<Duration>,
    /// The most memory that one of its runs held, if that was measured.
    #[serde(rename = "memory_bytes")]
    pub memory: Option<Bytes>,
    /// Whether another run may get another verdict, because the time limit is near.
    pub sensitive: bool,
    /// Whether the program could accept itself, because a test runs in its interpreter.
    pub forgeable: bool,
    /// Why there is no verdict.
    pub error: Option<LineFault>,
    /// Each test case that it was run on, if the line asks for them.
    pub test_cases: Option<Arc<Vec<CaseJudgement>>>,
    /// Each run with its output, if the line asks for it.
    pub runs: Option<Vec<WholeRun>>,
    /// The compiler's report, if the line asks for test cases and there is something to report.
    pub compiler: Option<CompilerReport>,
    /// Set if outputs are kept.
    #[serde(skip)]
    pub kept: Option<Arc<KeptRuns>>,
}

/// A run of a program, and what it wrote.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeRun {
    /// The facts of the run.
    pub outcome: Outcome,
    /// What it wrote to standard output, up to a bound.
    #[serde_as(as = "Text")]
    pub stdout: Vec<u8>,
    /// How many bytes of it were left out at its end.
    pub stdout_bytes_left_out: u64,
    /// What it wrote to standard error; the middle is missing if that is long.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// The requested files.
    #[serde(skip)]
    pub collected: Vec<CollectedEntry>,
}

impl GradedLine {
    pub fn with_fault(error: LineFault) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    pub fn with_judgement(
        mut judgement: Judgement,
        extracted: Option<ExtractedProgram>,
        returned: ResultDetail,
    ) -> Self {
        let (test_case, cause) = judgement.failure();
        let test_case = test_case.map(str::to_owned);
        let cause = judgement.explained_cause().or_else(|| cause.map(str::to_owned));
        let is_asked = returned != ResultDetail::Verdict;
        if returned == ResultDetail::Cases {
            Arc::make_mut(&mut judgement.cases).iter_mut().for_each(|case| case.evidence = None);
        }
        Self {
            extracted,
            verdict: Some(judgement.verdict),
            test_case,
            cause,
            passed: judgement.passed_cases(),
            ran: judgement.cases.len(),
            skipped: judgement.skipped,
            cpu_time: judgement.slowest_cpu_time(),
            total_cpu_time: judgement.total_cpu_time(),
            memory: judgement.peak_memory(),
            sensitive: judgement.cases.iter().any(CaseJudgement::is_sensitive),
            score: judgement.score,
            test_cases: is_asked.then_some(judgement.cases),
            compiler: judgement.compiler.filter(|_| is_asked),
            ..Self::default()
        }
    }

    /// The result of this line.
    pub fn of_line(self, line: u64, digest: String, echo: LineEcho) -> Self {
        let LineEcho { id, problem, sample, copied } = echo;
        Self { version: FORMAT_VERSION, line, id, problem, sample, copied, digest, ..self }
    }
}

/// How many lines there were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GradeTally {
    /// Lines with the verdict AC.
    pub accepted: u64,
    /// Lines with another verdict.
    pub rejected: u64,
    /// Lines whose completion has no code.
    pub no_code: u64,
    /// Lines that are not valid, or whose sources are not.
    pub broken: u64,
    /// Lines whose package cannot be used.
    pub without_package: u64,
    /// Lines whose compiler this machine lacks.
    pub skipped: u64,
    /// Lines on which a checker or the judge failed.
    pub failed: u64,
}

impl GradeTally {
    pub fn count(&mut self, verdict: Option<Verdict>, fault: Option<FaultyPart>) {
        *match (verdict, fault) {
            (Some(Verdict::Accepted), _) => &mut self.accepted,
            (Some(_), _) => &mut self.rejected,
            (None, Some(FaultyPart::NoCode)) => &mut self.no_code,
            (None, Some(FaultyPart::Line | FaultyPart::Source)) => &mut self.broken,
            (None, Some(FaultyPart::Package)) => &mut self.without_package,
            (None, Some(FaultyPart::Skipped)) => &mut self.skipped,
            (None, Some(FaultyPart::Checker | FaultyPart::Judge) | None) => &mut self.failed,
        } += 1;
    }

    /// The number of lines of each kind, its name, and the exit code of a stream that has such a line.
    pub fn kinds(self) -> [(u64, &'static str, ExitCode); 7] {
        let Self { accepted, rejected, no_code, broken, without_package, skipped, failed } = self;
        [
            (accepted, "accepted", ExitCode::Success),
            (rejected, "rejected", ExitCode::Rejected),
            (no_code, "without code", ExitCode::Rejected),
            (broken, "broken", ExitCode::Usage),
            (without_package, "without a usable package", ExitCode::InvalidPackage),
            (skipped, "skipped", ExitCode::JudgeError),
            (failed, "with judge errors", ExitCode::JudgeError),
        ]
    }

    pub fn lines(self) -> u64 {
        self.kinds().iter().map(|(lines, ..)| lines).sum()
    }
}
