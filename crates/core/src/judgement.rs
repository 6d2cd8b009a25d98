//! Verdicts with their details. The same values are the JSON reports, so that a field is described once.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{NoneAsEmptyString, serde_as};

use crate::blob::Blob;
use crate::difference::Difference;
use crate::joint::Transcript;
use crate::messages::{compiler_error_line, program_error_line, source_line};
use crate::outcome::{Outcome, StopReason};
use crate::repeats::Repeats;
use crate::score::{CaseScore, TotalScore};
use crate::serial::{Base64, Location, Text};
use crate::units::Bytes;
use crate::verdict::Verdict;

/// A failure of the judge, never of a submission: it gives no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{step}: {reason}")]
pub struct JudgeError {
    /// The step that failed, such as `mount /proc in the sandbox`.
    pub step: String,
    /// The reason, with the system's own message.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether it may work the next time.
    pub again: Retry,
    /// The kind of failure, if code depends on it.
    pub kind: FaultKind,
    /// The compiler or interpreter that this machine lacks, if that is the only problem, or the program that a student
    /// did not submit. Then the submission is skipped.
    pub lacks: Option<String>,
    /// The package's program at fault, if any.
    pub program: Option<Box<FaultyProgram>>,
}

/// Facts about a failed run of one of the package's programs.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultyProgram {
    /// What it wrote on standard error, cut.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// The command line that repeats it; empty if there is none.
    pub repeat: String,
    /// Where its files were kept.
    #[serde_as(as = "Option<Location>")]
    pub kept: Option<PathBuf>,
}

/// Whether it may work the next time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// It may: the machine lacked resources or refused something.
    #[serde(rename = "perhaps")]
    Possible,
    /// It will not: the request is impossible.
    #[default]
    Never,
}

/// The kind of a failure, if code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    #[default]
    Other,
    /// A run was ended because its result is not needed any more.
    Interrupted,
    /// The program to start does not exist, or cannot be started here.
    Unstartable,
    /// The system does not allow this user to make namespaces.
    NamespacesForbidden,
    /// This user has used up its namespaces.
    NamespacesUsedUp,
    /// No worker is left that could run anything.
    NoWorker,
}

/// The value of `lacks` if a student submitted no program.
const NO_PROGRAM: &str = "program";

impl JudgeError {
    pub fn new(step: impl Into<String>, reason: impl ToString) -> Self {
        Self {
            step: step.into(),
            reason: reason.to_string(),
            help: None,
            again: Retry::Never,
            kind: FaultKind::Other,
            lacks: None,
            program: None,
        }
    }

    /// The reason, with what the program at fault wrote about it.
    pub fn explained_reason(&self) -> String {
        let program = self.program.as_ref();
        let line = program.and_then(|program| program_error_line(&program.stderr));
        match line.filter(|line| !self.reason.contains(line.as_str())) {
            Some(line) => format!("{}: {line}", self.reason),
            None => self.reason.clone(),
        }
    }

    /// There is no program to judge. Students may submit anything.
    pub fn no_program(reason: impl ToString) -> Self {
        Self { lacks: Some(NO_PROGRAM.to_owned()), ..Self::new("find a program", reason) }
    }

    /// Whether the only problem is a missing program.
    pub fn is_no_program(&self) -> bool {
        self.lacks.as_deref() == Some(NO_PROGRAM)
    }

    /// For steps that work on a file: `read 1.in`.
    pub fn on_file<E: ToString>(step: &str, path: &Path) -> impl Fn(E) -> Self + Copy {
        move |reason| Self::new(format!("{step} {}", path.display()), reason)
    }

    /// It may work the next time.
    #[must_use]
    pub fn transient(mut self) -> Self {
        self.again = Retry::Possible;
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What a submission earned on one test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseJudgement {
    /// The test case's name.
    #[serde(rename = "name")]
    pub test_case: String,
    /// What it earned.
    pub verdict: Verdict,
    /// Why, such as `token 1 differs`, `killed by SIGSEGV`, `1.02 s of CPU time, 1 s allowed`.
    pub cause: String,
    /// The output validator's message to the judge; of the default one, the cause. Expectations search it.
    pub message: String,
    /// Whether the cause includes the whole message.
    #[serde(rename = "told")]
    pub cause_includes_message: bool,
    /// The output validator's message to the contestant; empty if there is none.
    pub team_message: String,
    /// Its score; `None` if test cases have no scores.
    pub score: Option<CaseScore>,
    /// The result with the time limit times its margin, if it was judged with that and has another verdict. Or the
    /// result of another run, if the limit lies within the spread of several runs.
    pub with_margin: Option<ResultWithMargin>,
    /// All runs; absent if there was only one because it was not near a limit.
    pub repeats: Option<Box<Repeats>>,
    /// The facts of the run; `None` if only a static validator checked the submission.
    pub outcome: Option<Outcome>,
    /// Where the output differs, for a wrong answer by comparison.
    pub difference: Option<Box<Difference>>,
    /// `false` if the comparison is `none`, or if there is no answer. AC then means only that the program ended well.
    #[serde(rename = "compared")]
    pub is_compared: bool,
    /// What else is to be said about it, such as that the lines of an accepted output differ, or what usually causes
    /// a signal.
    pub remark: Option<String>,
    /// What a person sees besides the difference; absent if it was not asked for.
    pub evidence: Option<Box<Evidence>>,
}

const RAN: &str = "ran";

fn short_verdict(verdict: Verdict, is_compared: bool) -> &'static str {
    if verdict == Verdict::Accepted && !is_compared { RAN } else { verdict.short() }
}

/// `accepted`, or `ran` if outputs were not compared.
pub fn accepted_word(is_compared: bool) -> &'static str {
    if is_compared { Verdict::Accepted.name() } else { RAN }
}

/// The result with more time, or in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultWithMargin {
    pub verdict: Verdict,
    /// The score; `None` if test cases have no scores.
    pub score: Option<CaseScore>,
}

impl CaseJudgement {
    /// For tests: without a cause, and without facts.
    pub fn new(test_case: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            test_case: test_case.into(),
            verdict,
            cause: String::new(),
            message: String::new(),
            cause_includes_message: true,
            team_message: String::new(),
            score: None,
            with_margin: None,
            repeats: None,
            outcome: None,
            difference: None,
            is_compared: true,
            remark: None,
            evidence: None,
        }
    }

    /// Whether another run may get a different verdict.
    pub fn is_sensitive(&self) -> bool {
        self.repeats.as_ref().is_some_and(|repeats| repeats.is_sensitive)
    }

    /// Whether its difference has a hint.
    pub fn is_near_miss(&self) -> bool {
        self.difference.as_ref().is_some_and(|difference| difference.hint().is_some())
    }

    /// The verdict's abbreviation, or `ran` if the output was not compared.
    pub fn short_verdict(&self) -> &'static str {
        short_verdict(self.verdict, self.is_compared)
    }

    /// The cause in one line. If the program crashed: what it wrote about that, and the line of its source if it says so.
    pub fn explained_cause(&self) -> String {
        let evidence = self.evidence.as_ref().filter(|_| self.verdict == Verdict::RunTimeError);
        match evidence.and_then(|evidence| program_error_line(&evidence.stderr)) {
            Some(reason) => {
                let line = evidence.and_then(|evidence| source_line(&evidence.stderr));
                let place = line.map_or(self.cause.clone(), |line| format!("line {line}"));
                format!("{reason} ({place})")
            }
            None => self.cause.clone(),
        }
    }

    /// Whether it and the output validator waited for each other.
    pub fn is_deadlocked(&self) -> bool {
        let stop = self.outcome.as_ref().and_then(|outcome| outcome.stopped_by);
        stop == Some(StopReason::Deadlock)
    }
}

/// The texts behind a verdict, cut to what a person reads.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The lines around the differences, as a unified diff, or why there is none.
    pub diff: Vec<DiffLine>,
    /// How many lines of the diff were left out.
    pub diff_lines_left_out: u64,
    /// What submission and output validator wrote to each other, if they did.
    pub transcript: Option<Transcript>,
    /// The beginning of the input.
    #[serde_as(as = "Text")]
    pub input: Vec<u8>,
    /// How many bytes of the input were left out.
    pub input_bytes_left_out: u64,
    /// Where the whole input is, if that file stays.
    #[serde_as(as = "Option<Location>")]
    pub input_path: Option<PathBuf>,
    /// The beginning of the judge answer, if the output was judged by it.
    #[serde_as(as = "Text")]
    pub answer: Vec<u8>,
    /// How many bytes of the judge answer were left out.
    pub answer_bytes_left_out: u64,
    /// The beginning of the output that was judged.
    #[serde_as(as = "Text")]
    pub output: Vec<u8>,
    /// How many bytes of it were left out.
    pub output_bytes_left_out: u64,
    /// What the program wrote on standard output, cut, if that did not decide the verdict.
    #[serde_as(as = "Text")]
    pub stdout: Vec<u8>,
    /// How many bytes of it were left out between its beginning and its end.
    pub stdout_bytes_left_out: u64,
    /// What the program wrote on standard error, cut.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// What the output validator wrote on standard error, cut.
    #[serde_as(as = "Text")]
    pub validator_stderr: Vec<u8>,
    /// The images that the output validator made, such as `judgeimage.svg`.
    pub images: Vec<String>,
    /// Images of the input and of the output for the page, if they are not too large.
    pub pictures: Vec<ShownImage>,
    /// The line that repeats this run.
    pub repeat: String,
    /// Where the box was kept.
    #[serde_as(as = "Option<Location>")]
    pub kept: Option<PathBuf>,
    /// Where the output validator's feedback was kept.
    #[serde_as(as = "Option<Location>")]
    pub feedback: Option<PathBuf>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownImage {
    /// What it shows, such as `output`.
    pub of: Cow<'static, str>,
    /// Its file name, whose extension is its type.
    pub name: String,
    #[serde_as(as = "Base64")]
    #[serde(rename = "base64")]
    pub blob: Blob,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffLine {
    /// Which side it is on.
    #[serde(rename = "side")]
    pub tag: DiffTag,
    /// Line number in the judge answer, from 1, if it is there.
    pub answer_line: Option<u64>,
    /// Line number in the output, from 1, if it is there.
    pub output_line: Option<u64>,
    /// The text, cut if it is long, without its line end.
    #[serde_as(as = "Text")]
    #[serde(flatten)]
    pub text: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiffTag {
    /// Both.
    #[serde(rename = "both")]
    Equal,
    /// Only the judge answer.
    Answer,
    /// Only the output.
    Output,
}

/// The verdict of a submission, with its details.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// The submission's name.
    #[serde(rename = "name")]
    pub submission: String,
    /// The submission's file or directory.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// AC if all test cases that were run are accepted; otherwise the first other verdict, in order.
    pub verdict: Verdict,
    /// The cases that were run, in order.
    #[serde(rename = "test_cases")]
    pub cases: Arc<Vec<CaseJudgement>>,
    /// The score, in a scoring problem, if the submission builds.
    pub score: Option<TotalScore>,
    /// How many selected test cases were skipped because of earlier verdicts.
    pub skipped: usize,
    /// How many of the skipped ones could prove nothing more about the expectations.
    pub spared: usize,
    /// The compiler's messages, shortened, if there were any or it failed.
    pub compiler: Option<CompilerReport>,
    /// What the compiler warns about if it is asked because a submission fails; the build has no part in it.
    pub warnings: Vec<String>,
    /// Expectations that do not hold.
    #[serde(rename = "broken_expectations")]
    pub broken: Vec<BrokenExpectation>,
}

impl Judgement {
    pub fn rejected(&self) -> impl Iterator<Item = &CaseJudgement> {
        self.cases.iter().filter(|case| case.verdict != Verdict::Accepted)
    }

    /// Whether an output was compared: not with the comparison `none`, and not without answers.
    pub fn is_compared(&self) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|case| case.is_compared)
    }

    /// The verdict's abbreviation, or `ran` if outputs were not compared.
    pub fn short_verdict(&self) -> &'static str {
        short_verdict(self.verdict, self.is_compared())
    }

    /// `accepted`, or `ran` if outputs were not compared.
    pub fn accepted_word(&self) -> &'static str {
        accepted_word(self.is_compared())
    }

    /// The verdict's name, or `ran` if outputs were not compared.
    pub fn verdict_name(&self) -> &'static str {
        match self.verdict {
            Verdict::Accepted => self.accepted_word(),
            verdict => verdict.name(),
        }
    }

    /// Why it may fail, beside the hint of its first difference: so much that both are at most two lines.
    pub fn hints(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let case = self.rejected().next();
        let remark = case.and_then(|case| case.remark.as_deref()).map(|text| ("Hint: ", text));
        let warnings = self.warnings.iter().map(|line| ("Compiler: ", &**line));
        let room = 2 - usize::from(case.is_some_and(CaseJudgement::is_near_miss));
        remark.into_iter().chain(warnings).take(room)
    }

    /// The number of test cases that it passes; if nothing was compared, of those that it ran on.
    pub fn passed_cases(&self) -> usize {
        self.cases.len() - self.rejected().count() - self.unjudged_cases()
    }

    /// The number of test cases without an answer that it ran on, if others were judged.
    pub fn unjudged_cases(&self) -> usize {
        let ran = |case: &&CaseJudgement| case.verdict == Verdict::Accepted && !case.is_compared;
        if self.is_compared() { self.cases.iter().filter(ran).count() } else { 0 }
    }

    /// Such as `; 1 more ran: it has no answer`.
    pub fn unjudged_note(&self) -> Option<String> {
        match self.unjudged_cases() {
            0 => None,
            1 => Some("; 1 more ran: it has no answer".to_owned()),
            number => Some(format!("; {number} more ran: they have no answers")),
        }
    }

    /// Why selected test cases did not run, and what runs them, as clauses. For a submission that runs.
    pub fn skip_reason(&self) -> (&'static str, &'static str) {
        const HELP: &str = "; --all runs them";
        if self.spared > 0 {
            ("they could prove nothing more", HELP)
        } else if self.score.is_some() {
            ("no effect on the score", "")
        } else if self.rejected().nth(1).is_some() {
            ("stopped at the third that is too slow", HELP)
        } else {
            ("stopped at the first rejection", HELP)
        }
    }

    pub fn slowest_cpu_time(&self) -> Option<Duration> {
        self.outcomes().map(|outcome| outcome.cpu_time).max()
    }

    /// `None` if nothing ran.
    pub fn total_cpu_time(&self) -> Option<Duration> {
        self.outcomes().map(|outcome| outcome.cpu_time).reduce(|sum, time| sum + time)
    }

    /// `None` if memory was not measured.
    pub fn peak_memory(&self) -> Option<Bytes> {
        self.outcomes().filter_map(Outcome::memory).max()
    }

    /// The first test case that is not accepted, or `build`, and the cause.
    pub fn failure(&self) -> (Option<&str>, Option<&str>) {
        match (self.rejected().next(), self.refusal()) {
            (Some(case), _) => (Some(&case.test_case), Some(&case.cause)),
            (None, Some((refusal, _))) => (Some("build"), Some(refusal)),
            (None, None) => (None, None),
        }
    }

    /// What the program or the compiler wrote about the first failure, in one line.
    pub fn explained_cause(&self) -> Option<String> {
        match self.rejected().next() {
            Some(case) => Some(case.explained_cause()),
            None => compiler_error_line(self.refusal()?.1),
        }
    }

    /// Why it does not build, and the compiler's messages. A compiler may also warn about programs that it accepts.
    pub fn refusal(&self) -> Option<(&str, &[u8])> {
        let compiler = self.compiler.as_ref()?;
        Some((compiler.refusal.as_deref()?, &compiler.messages))
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.cases.iter().filter_map(|case| case.outcome.as_ref())
    }
}

/// The result of building a submission.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompilerReport {
    /// Why the build failed; empty if it succeeded.
    #[serde_as(as = "NoneAsEmptyString")]
    #[serde(rename = "cause")]
    pub refusal: Option<String>,
    /// Its messages, cut.
    #[serde_as(as = "Text")]
    pub messages: Vec<u8>,
    /// The facts of the compiler's run; absent if nothing was started.
    pub outcome: Option<Outcome>,
}

impl CompilerReport {
    /// For a submission that is refused before its compiler runs.
    pub fn refused(cause: String) -> Self {
        Self { refusal: Some(cause), messages: Vec::new(), outcome: None }
    }
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BrokenExpectation {
    /// Which rule: pattern and cases, such as `wrong_answer, secret/edges`.
    pub rule: String,
    /// What was expected and what came: `required one of WA; got AC on all 12 cases`.
    pub reason: String,
    /// The test case that shows it, if a single one does.
    pub test_case: Option<String>,
}

impl fmt::Display for BrokenExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.reason)
    }
}

/// The time limit of submissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    pub limit: Duration,
    /// Where it comes from: a file, `--time-limit`, `from accepted/a.cpp: 0.31 s`.
    pub origin: String,
}

impl TimeLimit {
    pub fn new(limit: Duration, origin: impl Into<String>) -> Self {
        Self { limit, origin: origin.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_quoted_only_if_it_refuses() {
        let check = |refusal: Option<&str>, path: Option<&str>, explained: Option<&str>| {
            let judgement = Judgement {
                submission: "a.cpp".to_owned(),
                path: "a.cpp".into(),
                verdict: Verdict::CompileError,
                cases: Arc::default(),
                score: None,
                skipped: 0,
                spared: 0,
                compiler: Some(CompilerReport {
                    refusal: refusal.map(str::to_owned),
                    messages: b"a.cpp:1:1: error: x\n".to_vec(),
                    outcome: None,
                }),
                warnings: Vec::new(),
                broken: Vec::new(),
            };
            assert_eq!(judgement.failure(), (path, refusal));
            assert_eq!(judgement.explained_cause().as_deref(), explained);
        };
        check(None, None, None);
        check(Some("exit code 1"), Some("build"), Some("a.cpp:1:1: error: x"));
    }
}
