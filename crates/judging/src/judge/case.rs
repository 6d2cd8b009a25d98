//! What is judged: a submission and a test case, by which rules; and what is known after each pass.

use std::collections::HashMap;
use std::sync::Arc;

use crate::build::Runnable;
use crate::judge::classify::VerdictWithCause;
use crate::judge::grader::PackageGrader;
use crate::judge::judged_outputs::JudgedOutputs;
use crate::judge::repetition::{Repetition, SLACK};
use crate::judge::run_log::RunLog;
use crate::judge::visualizers::Visualizers;
use crate::output_validator::{OutputValidator, judge_answer};
use juror_core::blob::Blob;
use juror_core::check::options::Options;
use juror_core::difference::Difference;
use juror_core::file_name::{flat_name, flat_stem};
use juror_core::job::{BoxRetention, Job, JobReply};
use juror_core::joint::Transcript;
use juror_core::judgement::{JudgeError, ResultWithMargin, ShownImage};
use juror_core::limits::{BOX_ROOM, Limits};
use juror_core::problem::Problem;
use juror_core::repeats::Repeats;
use juror_core::root::FilePath;
use juror_core::score::{CaseScore, CaseScoring};
use juror_core::test_data::TestCase;
use juror_core::text::shell_word;
use juror_core::tree::TreeEntry;
use juror_sandbox::executor::{Executor, trees};

/// The package's own programs that judge submissions.
#[derive(Default)]
pub struct Validators {
    /// Its output validators; empty if the default one decides.
    pub output: Vec<OutputValidator>,
    /// Set if submissions talk with a program that is no output validator.
    pub interactor: Option<OutputValidator>,
    pub visualizers: Visualizers,
    pub static_validator: Option<OutputValidator>,
    pub grader: Option<PackageGrader>,
    /// Why verdicts of the output validator mean little, if trials found that, and other judges accept it.
    pub doubt: Option<String>,
}

impl Validators {
    /// Those that judge what submissions write.
    pub fn judging(&self) -> impl Iterator<Item = &OutputValidator> {
        self.interactor.iter().chain(&self.output)
    }
}

#[derive(Clone)]
pub struct Rules<'a> {
    /// How programs read, write and talk, and how many passes they have.
    pub problem: &'a Problem,
    pub validators: Arc<Validators>,
    pub limits: Limits,
    /// The limits for runs that are expected to be too slow. They may exceed the time limit, to measure by how much.
    pub stop_slow_at: Limits,
    pub repeat: RepeatLine,
    /// Whether an output is wrong if an output validator breaks down on it. Otherwise, the judge has failed.
    pub rejects_on_breakdown: bool,
    /// How much a person wants to see.
    pub detail: Detail,
    /// The directory for kept boxes.
    pub keep: Option<FilePath>,
    /// Set if somebody asks afterwards what outputs say about judge answers.
    pub judged_outputs: Option<Arc<JudgedOutputs>>,
    /// Set if runs are recorded, or known: of one submission only.
    pub run_log: Option<Arc<RunLog>>,
}

impl<'a> Rules<'a> {
    /// Without limits, and with little evidence.
    pub fn new(problem: &'a Problem, validators: Arc<Validators>) -> Self {
        Self {
            problem,
            validators,
            limits: Limits::default(),
            stop_slow_at: Limits::default(),
            repeat: RepeatLine::default(),
            rejects_on_breakdown: false,
            detail: Detail::Brief,
            keep: None,
            judged_outputs: None,
            run_log: None,
        }
    }

    /// The same, with these limits for every run.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { stop_slow_at: limits.clone(), limits, ..self }
    }

    /// Whether all runs are known.
    pub(super) fn is_replayed(&self) -> bool {
        self.run_log.as_ref().is_some_and(|log| log.known_build.is_some())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, its cause and the first difference.
    Brief,
    /// Also the diff, standard error, and the command line that repeats the run.
    Full,
    /// Also standard error of accepted runs.
    FullWithStderr,
}

/// The suffix of an output validator's box.
pub(super) const VALIDATOR_SUFFIX: &str = ".validator";

#[derive(Clone)]
pub struct RepeatLine {
    pub command: String,
    /// The option that names a test case.
    pub selects: &'static str,
    /// Precedes the names of submissions, such as `sum/submissions/`.
    pub directory: String,
    /// What to type for submissions that are not named by their paths.
    pub paths: HashMap<String, String>,
    /// The submission that the user typed after `--`. Its name is a command line.
    pub typed: Option<String>,
}

impl Default for RepeatLine {
    fn default() -> Self {
        let [command, directory] = [String::new(), String::new()];
        Self { command, selects: "--case", directory, paths: HashMap::new(), typed: None }
    }
}

impl RepeatLine {
    pub(super) fn for_run(&self, submission: &str, test_case: &str) -> String {
        let Self { command, selects, directory, paths, typed } = self;
        let case = shell_word(test_case.as_bytes());
        if command.is_empty() {
            String::new()
        } else if typed.as_deref() == Some(submission) {
            format!("{command} {selects} {case} -- {submission}")
        } else {
            let path = paths.get(submission).map_or(submission, String::as_str);
            let submission = shell_word(path.as_bytes());
            format!("{command} {directory}{submission} {selects} {case}")
        }
    }
}

#[derive(Clone)]
pub struct ReadyCase<'a> {
    /// The test case, or the stand-in of a static validation.
    pub test_case: &'a TestCase,
    /// Arguments of the static validator, if it judges this case. Then the submission does not run.
    pub static_args: Option<&'a [String]>,
    /// Which scores a validator may give.
    pub scoring: CaseScoring,
    /// For the default output validator.
    pub options: Options,
    pub input: Blob,
    /// The judge answer, if there is one.
    pub answer: Option<Blob>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseTexts {
    pub input: Arc<[u8]>,
    pub answer: Arc<[u8]>,
}

impl<'a> ReadyCase<'a> {
    /// A case that gives no points.
    pub fn without_score(
        test_case: &'a TestCase,
        options: Options,
        input: Blob,
        answer: Blob,
    ) -> Self {
        let (static_args, scoring, answer) = (None, CaseScoring::Ignored, Some(answer));
        Self { test_case, static_args, scoring, options, input, answer }
    }

    /// 0 if unknown.
    pub fn input_size(&self) -> u64 {
        self.input.len().unwrap_or_default()
    }

    /// `None` without judge answer.
    pub fn read_texts(&self) -> Result<Option<CaseTexts>, JudgeError> {
        let whole = |blob: &Blob| {
            let text = blob.read().map_err(|error| JudgeError::new("read a test case", error))?;
            Ok::<Arc<[u8]>, JudgeError>(text.into())
        };
        let Ok(answer) = self.answer() else { return Ok(None) };
        Ok(Some(CaseTexts { input: whole(&self.input)?, answer: whole(&answer)? }))
    }

    pub(super) fn answer(&self) -> Result<Blob, JudgeError> {
        self.answer.clone().map_or_else(|| judge_answer(self.test_case), Ok)
    }
}

pub struct ReadySubmission<'a> {
    pub submission: &'a str,
    pub runnable: &'a Runnable,
    pub language: &'a str,
    /// The file or class to start; empty if the language has none.
    pub entry_point: &'a str,
    pub time_limit_mode: TimeLimitMode,
    /// `None` if nobody needs to know how near the time limit a run is.
    pub repetition: Option<Repetition<'a>>,
}

impl<'a> ReadySubmission<'a> {
    /// A program without name in reports and without static validation. No run is repeated for its time.
    pub fn without_name(runnable: &'a Runnable, time_limit_mode: TimeLimitMode) -> Self {
        Self {
            submission: "",
            runnable,
            language: "",
            entry_point: "",
            time_limit_mode,
            repetition: None,
        }
    }

    /// The limits by which its verdict is decided.
    pub(super) fn limits(&self, rules: &Rules<'_>) -> Limits {
        self.runnable.limits(&rules.limits)
    }

    /// The limits under which it is run.
    fn run_limits(&self, rules: &Rules<'_>) -> Limits {
        let mut limits = match self.time_limit_mode {
            TimeLimitMode::Any => self.limits(rules),
            TimeLimitMode::TooSlow | TimeLimitMode::WithMargin => self.margin_limits(rules),
        };
        if let (Some(own), Some(limit), Some(_)) =
            (&mut limits.cpu_time, rules.limits.cpu_time, self.repetition)
        {
            *own = limit.mul_f64(SLACK).max(*own);
        }
        limits
    }

    pub(super) fn margin_limits(&self, rules: &Rules<'_>) -> Limits {
        self.runnable.limits(&rules.stop_slow_at)
    }
}

/// What to learn about a submission's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimitMode {
    Any,
    /// By how much it exceeds the limit: it should be too slow.
    TooSlow,
    /// Whether it keeps the limit, and its verdict with the margin.
    WithMargin,
}

pub(super) struct Pass {
    /// Counts from 1.
    pub(super) number: u32,
    pub(super) input: Blob,
    /// The files that earlier passes left in the feedback directory.
    pub(super) earlier: Vec<TreeEntry>,
    /// The output validator's messages from earlier passes.
    pub(super) messages: ValidatorMessages,
}

impl Pass {
    pub(super) fn first(input: Blob) -> Self {
        Self { number: 1, input, earlier: Vec::new(), messages: ValidatorMessages::default() }
    }
}

/// Messages of an output validator from all passes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValidatorMessages {
    pub(super) judge: Vec<u8>,
    pub(super) team: Vec<u8>,
}

pub(super) struct CaseJudge<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) rules: &'a Rules<'a>,
    pub(super) entry: &'a ReadySubmission<'a>,
    pub(super) case: &'a ReadyCase<'a>,
}

pub(super) struct PassRun {
    pub(super) reply: JobReply,
    pub(super) judged: PassResult,
    pub(super) box_path: Option<FilePath>,
    /// All runs, if there were several.
    pub(super) repeats: Option<Box<Repeats>>,
}

impl CaseJudge<'_> {
    /// Gives what is remembered and the name of the test case to `add`, if somebody asks for it afterwards.
    pub(super) fn remember(&self, add: impl FnOnce(&JudgedOutputs, String)) {
        if let Some(outputs) = &self.rules.judged_outputs {
            add(outputs, self.case.test_case.name.clone());
        }
    }

    /// Where a box is kept, if anywhere. The submission's has no suffix.
    pub(super) fn box_path(&self, pass: u32, suffix: &str) -> Option<FilePath> {
        let pass = match pass {
            1 => String::new(),
            number => format!(".pass{number}"),
        };
        let name = format!("{}{suffix}{pass}", flat_stem(&self.case.test_case.name));
        Some(self.rules.keep.as_ref()?.join(flat_name(self.entry.submission)).join(name))
    }
}

pub(super) struct PassResult {
    pub(super) classified: VerdictWithCause,
    pub(super) difference: Option<Box<Difference>>,
    /// What is to be said about an accepted output.
    pub(super) remark: Option<String>,
    /// Set if the package's own validator decides it.
    pub(super) score: Option<CaseScore>,
    /// Set if the package's own validator was asked.
    pub(super) feedback: Option<ValidatorFeedback>,
    pub(super) with_margin: Option<ResultWithMargin>,
    pub(super) transcript: Option<Transcript>,
    pub(super) next: Option<Pass>,
}

#[derive(Default)]
pub(super) struct ValidatorFeedback {
    pub(super) message: String,
    /// Whether the cause includes the whole message.
    pub(super) cause_includes_message: bool,
    pub(super) team_message: String,
    pub(super) stderr: Vec<u8>,
    pub(super) images: Vec<ShownImage>,
    pub(super) box_path: Option<FilePath>,
}

impl ValidatorFeedback {
    /// For messages without further feedback.
    pub(super) fn with_messages(judge: &[u8], team: &[u8]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { message: text(judge), team_message: text(team), ..Self::default() }
    }
}

impl From<VerdictWithCause> for PassResult {
    fn from(classified: VerdictWithCause) -> Self {
        Self {
            classified,
            difference: None,
            remark: None,
            score: None,
            feedback: None,
            with_margin: None,
            transcript: None,
            next: None,
        }
    }
}

pub(super) fn pass_job(
    rules: &Rules<'_>,
    entry: &ReadySubmission<'_>,
    test_case: &TestCase,
    pass: &Pass,
) -> Job {
    let mut job = entry.runnable.job(&entry.run_limits(rules));
    job.command.argv.extend(test_case.args.iter().cloned());
    let files: Vec<TreeEntry> = test_case.files.iter().map(trees::case_entry).collect();
    entry.runnable.add_case_files(&mut job, &files);
    job.connect_io(&rules.problem.io, pass.input.clone());
    job.writable = rules.problem.allow_file_writing;
    job.box_size = job.box_size.saturating_add(BOX_ROOM);
    job.keep = BoxRetention::all_or_nothing(rules.keep.is_some());
    job.is_timed = true;
    job
}
