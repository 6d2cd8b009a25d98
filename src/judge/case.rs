//! One submission on one test case: its job and its verdict.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::build::Runnable;
use crate::check::options::Options;
use crate::executor::{Executor, place};
use crate::judge::classify::{Classified, classify};
use crate::judge::draw::Visualizers;
use crate::judge::evidence::{add_answered, add_input, add_run};
use crate::judge::grader::PackageGrader;
use crate::judge::keep::{save_run, save_transcript};
use crate::judge::said::said;
use crate::judge::score;
use crate::judge::settle::{Repetition, SLACK, Settled, settle};
use crate::model::blob::Blob;
use crate::model::difference::Difference;
use crate::model::file_name::{flat_name, flat_stem};
use crate::model::job::{Job, Keep, Reply};
use crate::model::joint::Transcript;
use crate::model::judgement::{CaseJudgement, Evidence, Extended, JudgeError, Picture};
use crate::model::limits::{Limits, ROOM};
use crate::model::outcome::Outcome;
use crate::model::problem::{Interaction, Problem};
use crate::model::repeats::{Repeats, TimedRun};
use crate::model::root::FilePath;
use crate::model::score::{CaseScore, CaseScoring};
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::text::shell_word;
use crate::model::tree::TreeEntry;
use crate::model::verdict::Verdict;
use crate::model::work::{RunMode, Work};
use crate::validator::{OutputValidator, answer_of};

/// The programs by which a package judges submissions, besides the default output validator.
#[derive(Default)]
pub struct Validators {
    /// Its own output validators; empty if the format's default one decides.
    pub output: Vec<OutputValidator>,
    /// Its interactor, if submissions do not talk with the output validator.
    pub interactor: Option<OutputValidator>,
    pub visualizers: Visualizers,
    pub static_validator: Option<OutputValidator>,
    pub grader: Option<PackageGrader>,
}

/// The rules that all runs of a session share.
#[derive(Clone)]
pub struct Rules<'a> {
    /// The problem: how programs read and write, whether they talk, and how many passes a test case has.
    pub problem: &'a Problem,
    pub validators: &'a Validators,
    pub limits: Limits,
    /// The limits for runs that are expected to be too slow: beyond the normal limits, to measure by how much.
    pub stop_slow_at: Limits,
    pub repeat: RepeatLine,
    /// How much a person wants to see.
    pub detail: Detail,
}

impl Rules<'_> {
    /// The directory for kept boxes, if any.
    pub(super) fn keep(&self) -> Option<&FilePath> {
        match &self.detail {
            Detail::Full { keep } => keep.as_ref(),
            Detail::Brief => None,
        }
    }
}

/// How much evidence about a rejection is collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, its cause and the first difference.
    Brief,
    /// Also the diff, standard error and the command line that repeats the run.
    Full {
        /// The directory for kept boxes, if any.
        keep: Option<FilePath>,
    },
}

/// Marks the box of an output validator.
pub(super) const VALIDATOR: &str = ".validator";

/// The command line that repeats a run; by default none.
#[derive(Clone, Default)]
pub struct RepeatLine {
    /// The command with its package and options; empty if there is none.
    pub command: String,
    /// What comes before the names of submissions, such as `sum/submissions/`.
    pub directory: String,
    /// The submission that is typed after `--`, if there is one: its name is a command line.
    pub typed: Option<String>,
}

impl RepeatLine {
    /// The line for one run.
    pub(super) fn of(&self, submission: &str, test_case: &str) -> String {
        let Self { command, directory, typed } = self;
        let case = shell_word(test_case.as_bytes());
        if command.is_empty() {
            String::new()
        } else if typed.as_deref() == Some(submission) {
            format!("{command} --case {case} -- {submission}")
        } else {
            let submission = shell_word(submission.as_bytes());
            format!("{command} {directory}{submission} --case {case}")
        }
    }
}

/// A test case, ready to be judged.
#[derive(Clone)]
pub struct ReadyCase<'a> {
    /// The test case, or the stand-in for a static validation.
    pub test_case: &'a TestCase,
    /// The arguments of the static validator, if it judges; then the submission is not run.
    pub static_args: Option<&'a [String]>,
    /// What may be said about its score by a validator.
    pub scoring: CaseScoring,
    /// How the default output validator compares its output.
    pub options: Options,
    pub input: Blob,
    /// The judge answer, if there is one.
    pub answer: Option<Blob>,
}

/// A test case's files in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    pub input: Arc<[u8]>,
    pub answer: Arc<[u8]>,
}

impl ReadyCase<'_> {
    /// The size of its input; 0 if unknown.
    pub fn size(&self) -> u64 {
        self.input.len().unwrap_or_default()
    }

    /// Input and judge answer in memory; None if there is no answer.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(&self) -> Result<Option<Texts>, JudgeError> {
        let whole = |blob: &Blob| {
            let text =
                blob.start(u64::MAX).map_err(|error| JudgeError::new("read a test case", error))?;
            Ok::<Arc<[u8]>, JudgeError>(text.into())
        };
        let Ok(answer) = self.answer() else { return Ok(None) };
        Ok(Some(Texts { input: whole(&self.input)?, answer: whole(&answer)? }))
    }

    /// The judge answer as a file for a box.
    pub(super) fn answer(&self) -> Result<Blob, JudgeError> {
        self.answer.clone().map_or_else(|| answer_of(self.test_case), Ok)
    }
}

/// A submission, ready to be run.
pub struct Entry<'a> {
    pub submission: &'a str,
    pub runnable: &'a Runnable,
    pub language: &'a str,
    /// The file or class that starts; empty if the language has none.
    pub entry_point: &'a str,
    pub time_limit_mode: TimeLimitMode,
    /// How runs near the time limit are repeated; `None` if nobody needs to know how near a run is.
    pub repetition: Option<Repetition<'a>>,
}

impl<'a> Entry<'a> {
    /// A program that is not named in reports, needs no static validation, and whose runs are not repeated for their
    /// times.
    pub fn unnamed(runnable: &'a Runnable, time_limit_mode: TimeLimitMode) -> Self {
        Self {
            submission: "",
            runnable,
            language: "",
            entry_point: "",
            time_limit_mode,
            repetition: None,
        }
    }

    /// The limits that decide its verdict.
    pub(super) fn limits(&self, rules: &Rules<'_>) -> Limits {
        self.runnable.limits(&rules.limits)
    }

    /// The limits under which it is run.
    fn cut(&self, rules: &Rules<'_>) -> Limits {
        let mut limits = match self.time_limit_mode {
            TimeLimitMode::Any => self.limits(rules),
            TimeLimitMode::TooSlow | TimeLimitMode::WithMargin => self.margin(rules),
        };
        if let (Some(own), Some(limit), Some(_)) =
            (&mut limits.cpu_time, rules.limits.cpu_time, self.repetition)
        {
            *own = limit.mul_f64(SLACK).max(*own);
        }
        limits
    }

    fn margin(&self, rules: &Rules<'_>) -> Limits {
        self.runnable.limits(&rules.stop_slow_at)
    }
}

/// What to learn about a submission's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimitMode {
    /// Whether it keeps the limit.
    Any,
    /// By how much it exceeds the limit: it is expected to be too slow.
    TooSlow,
    /// Whether it keeps the limit, and its verdict at the limit times the margin.
    WithMargin,
}

/// A run of a submission on a test case; multi-pass problems may have several.
pub(super) struct Pass {
    /// Its number, from 1.
    pub(super) number: u32,
    pub(super) input: Blob,
    /// The files of earlier passes in the feedback directory.
    pub(super) earlier: Vec<TreeEntry>,
    /// What the output validator said in earlier passes.
    pub(super) said: ValidatorMessages,
}

impl Pass {
    /// The first one.
    pub(super) fn first(input: Blob) -> Self {
        Self { number: 1, input, earlier: Vec::new(), said: ValidatorMessages::default() }
    }
}

/// Messages of an output validator, of all passes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValidatorMessages {
    pub(super) judge: Vec<u8>,
    pub(super) team: Vec<u8>,
}

/// Runs a submission on a test case and judges the result.
pub fn judge_case(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    case: &ReadyCase<'_>,
) -> Result<CaseJudgement, Stop> {
    let trial = Trial { executor, rules, entry, case };
    if let Some(args) = case.static_args {
        return trial.look(args);
    }
    if let Some(files) = entry.runnable.answers() {
        return trial.read(files);
    }
    let mut pass = Pass::first(case.input.clone());
    let mut most: Option<Outcome> = None;
    let mut repeats: Option<Box<Repeats>> = None;
    loop {
        let Ran { reply, mut judged, kept, repeats: new } = trial.run(&pass)?;
        if repeats.as_ref().is_none_or(|known| !known.is_sensitive) {
            repeats = new.or(repeats);
        }
        let outcome = at_most(most.take(), &reply.outcome);
        if let Some(next) = judged.next {
            most = Some(outcome);
            pass = next;
            continue;
        }
        if judged.answered.is_none() && pass.said != ValidatorMessages::default() {
            // The last pass ended without the validator.
            judged.answered = Some(Answered::saying(&pass.said.judge, &pass.said.team));
        }
        if pass.number > 1 && judged.classified.verdict != Verdict::Accepted {
            let cause = &mut judged.classified.cause;
            *cause = format!("in pass {}: {cause}", pass.number);
        }
        let judged = trial.finished(judged, Some(outcome), |judged, evidence| {
            add_run(evidence, rules, case, judged, &reply)?;
            add_input(evidence, case, &pass, kept.as_ref())?;
            evidence.kept = kept.map(PathBuf::from);
            Ok(())
        })?;
        return Ok(trial.repeated(judged, repeats));
    }
}

/// The facts of the last pass, with the maximum of times and memory over all passes: the limits apply to each pass.
fn at_most(earlier: Option<Outcome>, last: &Outcome) -> Outcome {
    let mut outcome = last.clone();
    if let Some(earlier) = earlier {
        outcome.cpu_time = outcome.cpu_time.max(earlier.cpu_time);
        outcome.wall_time = outcome.wall_time.max(earlier.wall_time);
        outcome.peak_memory = outcome.peak_memory.max(earlier.peak_memory);
    }
    outcome
}

/// A submission and a test case.
pub(super) struct Trial<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) rules: &'a Rules<'a>,
    pub(super) entry: &'a Entry<'a>,
    pub(super) case: &'a ReadyCase<'a>,
}

/// A judged run.
pub(super) struct Ran {
    pub(super) reply: Reply,
    pub(super) judged: Judged,
    pub(super) kept: Option<FilePath>,
    /// All runs, if there was more than one.
    pub(super) repeats: Option<Box<Repeats>>,
}

impl Trial<'_> {
    /// The judgement with all runs that it is based on.
    fn repeated(&self, judged: CaseJudgement, repeats: Option<Box<Repeats>>) -> CaseJudgement {
        let mut judged = CaseJudgement { repeats, ..judged };
        let verdict = Verdict::TimeLimitExceeded;
        if judged.is_sensitive() && judged.verdict != verdict {
            let score = score::by_rules(self.case.scoring, verdict);
            judged.with_margin = Some(Extended { verdict, score });
        }
        judged
    }

    /// Completes the judgement; `gather` adds evidence, if it is shown.
    pub(super) fn finished(
        &self,
        judged: Judged,
        outcome: Option<Outcome>,
        gather: impl FnOnce(&Judged, &mut Evidence) -> Result<(), JudgeError>,
    ) -> Result<CaseJudgement, Stop> {
        let is_shown = self.rules.detail != Detail::Brief;
        let mut evidence = None;
        if is_shown && judged.classified.verdict != Verdict::Accepted {
            let repeat = self.rules.repeat.of(self.entry.submission, &self.case.test_case.name);
            let mut all = Evidence { repeat, ..Evidence::default() };
            let visualizers = &self.rules.validators.visualizers;
            visualizers.add_input(self, &mut all)?;
            add_answered(&mut all, &judged, visualizers);
            gather(&judged, &mut all)?;
            evidence = Some(Box::new(all));
        }
        let Classified { verdict, cause } = judged.classified;
        let (message, is_told, team_message) = match judged.answered {
            Some(answered) => (answered.message, answered.is_told, answered.team_message),
            // The default output validator says what it finds. If the program failed, no validator was asked.
            None if matches!(verdict, Verdict::Accepted | Verdict::WrongAnswer) => {
                (cause.clone(), true, String::new())
            }
            None => (String::new(), true, String::new()),
        };
        Ok(CaseJudgement {
            test_case: self.case.test_case.name.clone(),
            verdict,
            message,
            is_told,
            team_message,
            score: judged.score.or_else(|| score::by_rules(self.case.scoring, verdict)),
            with_margin: judged.with_margin,
            repeats: None,
            cause,
            difference: judged.difference,
            evidence,
            outcome,
        })
    }

    /// Runs and judges one pass. The facts of the run come first; only if they decide nothing does the output count.
    fn run(&self, pass: &Pass) -> Result<Ran, Stop> {
        let Rules { problem, validators, .. } = self.rules;
        let partner = validators.interactor.as_ref().or(validators.output.first());
        if let (Interaction::Interactive, Some(partner)) = (problem.kind.interaction, partner) {
            return self.talk(partner, pass);
        }
        let work = Work::from(job(self.rules, self.entry, self.case.test_case, pass));
        let run = |mode| self.executor.run(&work, mode)?.single();
        let kept = self.kept(pass);
        let limits = self.entry.limits(self.rules);
        let Settled { reply, repeats } = settle(
            self.entry.repetition,
            &limits,
            run(RunMode::default())?,
            |reply| &reply.outcome,
            |reply| TimedRun::new(&reply.outcome, Duration::ZERO),
            |number| run(RunMode::alone(number)),
        )?;
        if let Some(kept) = &kept {
            save_run(kept, &pass.input, &reply)?;
        }
        let is_shown = problem.kind.passes > 1 && self.rules.detail != Detail::Brief;
        let transcript = if is_shown { Some(said(&problem.io, pass, &reply)?) } else { None };
        transcript.iter().try_for_each(|transcript| self.keep_transcript(pass, transcript))?;
        let is_sensitive = repeats.as_ref().is_some_and(|it| it.is_sensitive);
        let judged =
            self.within_margin(is_sensitive, |limits| match classify(&reply.outcome, limits) {
                Some(classified) => Ok(Judged::from(classified)),
                None => self.judge_output(pass, &reply),
            })?;
        Ok(Ran { reply, judged: Judged { transcript, ..judged }, kept, repeats })
    }

    /// Judges a run by its limits. If it was too slow, also by the limits with the margin if wanted, and without a
    /// time limit if another run might keep it.
    pub(super) fn within_margin(
        &self,
        is_sensitive: bool,
        judge: impl Fn(&Limits) -> Result<Judged, Stop>,
    ) -> Result<Judged, Stop> {
        let limits = self.entry.limits(self.rules);
        let mut judged = judge(&limits)?;
        let is_slow = judged.classified.verdict == Verdict::TimeLimitExceeded;
        let wider = match self.entry.time_limit_mode {
            // The next pass would be unknown.
            _ if is_sensitive && self.rules.problem.kind.passes == 1 => {
                Some(Limits { cpu_time: None, ..limits })
            }
            TimeLimitMode::WithMargin => Some(self.entry.margin(self.rules)),
            TimeLimitMode::Any | TimeLimitMode::TooSlow => None,
        };
        if let Some(wider) = wider.filter(|_| is_slow) {
            let other = judge(&wider)?;
            let verdict = other.classified.verdict;
            let score = other.score.or_else(|| score::by_rules(self.case.scoring, verdict));
            judged.with_margin =
                (verdict != Verdict::TimeLimitExceeded).then_some(Extended { verdict, score });
        }
        Ok(judged)
    }

    /// Adds the transcript of a pass to that of the run, if boxes are kept.
    pub(super) fn keep_transcript(
        &self,
        pass: &Pass,
        transcript: &Transcript,
    ) -> Result<(), JudgeError> {
        match self.kept_of(1, "") {
            Some(kept) => save_transcript(&kept, pass.number, transcript),
            None => Ok(()),
        }
    }

    /// Where the submission's box is kept, if wanted.
    pub(super) fn kept(&self, pass: &Pass) -> Option<FilePath> {
        self.kept_of(pass.number, "")
    }

    /// The same for another program; `of` is the suffix for its box.
    pub(super) fn kept_of(&self, pass: u32, of: &str) -> Option<FilePath> {
        let pass = match pass {
            1 => String::new(),
            number => format!(".pass{number}"),
        };
        let name = format!("{}{of}{pass}", flat_stem(&self.case.test_case.name));
        Some(self.rules.keep()?.join(flat_name(self.entry.submission)).join(name))
    }
}

/// The result of a pass.
pub(super) struct Judged {
    pub(super) classified: Classified,
    pub(super) difference: Option<Box<Difference>>,
    /// Its score, if the package's own validator decides it.
    pub(super) score: Option<CaseScore>,
    /// Further feedback of the package's own validator, if it was asked.
    pub(super) answered: Option<Answered>,
    pub(super) with_margin: Option<Extended>,
    /// The transcript of submission and validator, if they talked.
    pub(super) transcript: Option<Transcript>,
    /// The next pass, if there is one.
    pub(super) next: Option<Pass>,
}

/// Feedback of the package's own output validator besides its opinion.
#[derive(Default)]
pub(super) struct Answered {
    pub(super) message: String,
    /// Whether the cause contains the whole message.
    pub(super) is_told: bool,
    pub(super) team_message: String,
    pub(super) stderr: Vec<u8>,
    pub(super) images: Vec<Picture>,
    pub(super) kept: Option<FilePath>,
}

impl Answered {
    /// Only these messages.
    pub(super) fn saying(judge: &[u8], team: &[u8]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { message: text(judge), team_message: text(team), ..Self::default() }
    }
}

impl From<Classified> for Judged {
    fn from(classified: Classified) -> Self {
        Self {
            classified,
            difference: None,
            score: None,
            answered: None,
            with_margin: None,
            transcript: None,
            next: None,
        }
    }
}

pub(super) fn job(rules: &Rules<'_>, entry: &Entry<'_>, test_case: &TestCase, pass: &Pass) -> Job {
    let mut job = entry.runnable.job(&entry.cut(rules));
    job.command.argv.extend(test_case.args.iter().cloned());
    let files: Vec<TreeEntry> = test_case.files.iter().map(place::file).collect();
    entry.runnable.add_files(&mut job, &files);
    job.feed(&rules.problem.io, pass.input.clone());
    job.writable = rules.problem.allow_file_writing;
    job.box_size = job.box_size.saturating_add(ROOM);
    job.keep = Keep::all_if(rules.keep().is_some());
    job.is_timed = true;
    job
}
