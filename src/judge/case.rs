//! One submission on one test case: the job, its verdict, and what a person is shown.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::build::Runnable;
use crate::check::compare::compare;
use crate::check::diff;
use crate::check::options::Options;
use crate::check::show::cause;
use crate::executor::{Executor, place};
use crate::judge::classify::{Classified, classify};
use crate::judge::grader::PackageGrader;
use crate::judge::keep::{beside, save_run};
use crate::judge::said::{ends, said};
use crate::judge::score;
use crate::model::blob::{Blob, Reader};
use crate::model::difference::Difference;
use crate::model::job::{Collected, Job, Keep, Reply};
use crate::model::joint::Transcript;
use crate::model::judgement::{CaseJudgement, Evidence, Extended, JudgeError, Picture};
use crate::model::limits::{Limits, ROOM};
use crate::model::outcome::Outcome;
use crate::model::problem::{Interaction, Problem, ProgramIo};
use crate::model::score::{CaseScore, CaseScoring};
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::text::shell_word;
use crate::model::tree::TreeEntry;
use crate::model::units::Bytes;
use crate::model::verdict::Verdict;
use crate::validator::visualizer::OutputVisualizer;
use crate::validator::{OutputValidator, answer_of, feedback_dir};

/// What a package's submissions are judged by, beside the default output validator.
#[derive(Default)]
pub struct Validators {
    /// Its own output validators; none if the format's default one decides.
    pub output: Vec<OutputValidator>,
    /// Its interactor, if submissions do not talk with the output validator.
    pub interactor: Option<OutputValidator>,
    /// Its output visualizer, if images are kept.
    pub visualizer: Option<OutputVisualizer>,
    /// Its static validator.
    pub static_validator: Option<OutputValidator>,
    /// Its grader.
    pub grader: Option<PackageGrader>,
}

/// What is the same for all runs of a session.
#[derive(Clone)]
pub struct Rules<'a> {
    /// The problem: how programs read and write, whether they talk, and how often they are run on a case.
    pub problem: &'a Problem,
    /// The package's own validators.
    pub validators: &'a Validators,
    /// What a submission may use; verdicts are by these.
    pub limits: Limits,
    /// Where a run is stopped that should be too slow: beyond the limits, to see by how much.
    pub stop_slow_at: Limits,
    /// The command line that repeats a run, with [`SUBMISSION`] and [`CASE`] in their places.
    pub repeat: String,
    /// How much a person wants to see.
    pub detail: Detail,
}

impl Rules<'_> {
    /// The command line that repeats one run.
    pub(super) fn repeat(&self, submission: &str, test_case: &str) -> String {
        self.repeat
            .replace(SUBMISSION, &shell_word(submission.as_bytes()))
            .replace(CASE, &shell_word(test_case.as_bytes()))
    }

    /// Where boxes are kept, if they are.
    pub(super) fn keep(&self) -> Option<&Path> {
        match &self.detail {
            Detail::Full { keep } => keep.as_deref(),
            Detail::Brief => None,
        }
    }
}

/// How much is gathered about a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, its cause and the first difference.
    Brief,
    /// The diff, the standard error and the line that repeats the run as well.
    Full {
        /// Where boxes are kept, if they are.
        keep: Option<PathBuf>,
    },
}

/// Names the box of an output validator.
pub(super) const VALIDATOR: &str = ".validator";

/// Stands for the submission in the command line of [`Rules`].
pub const SUBMISSION: &str = "{submission}";
/// Stands for the test case in the command line of [`Rules`].
pub const CASE: &str = "{case}";

/// A test case, ready to be judged.
pub struct ReadyCase<'a> {
    /// The case, or what stands for a static validation.
    pub test_case: &'a TestCase,
    /// The arguments for the static validator, if it judges here; then the submission is not run.
    pub static_args: Option<&'a [String]>,
    /// What may be said about its score.
    pub scoring: CaseScoring,
    /// How its output is compared, if the format's default output validator does it.
    pub options: Options,
    /// Input and judge answer, if they are in memory and not in files.
    pub texts: Option<Texts>,
}

/// A test case's texts in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The input.
    pub input: Arc<[u8]>,
    /// The judge answer.
    pub answer: Arc<[u8]>,
}

impl ReadyCase<'_> {
    /// The input, as it lies in a box.
    pub(super) fn input(&self) -> Blob {
        match &self.texts {
            Some(texts) => Arc::clone(&texts.input).into(),
            None => Blob::file(&self.test_case.input),
        }
    }

    /// The judge answer, as it lies in a box.
    pub(super) fn answer(&self) -> Result<Blob, JudgeError> {
        match &self.texts {
            Some(texts) => Ok(Arc::clone(&texts.answer).into()),
            None => answer_of(self.test_case),
        }
    }
}

/// A submission, ready to be run.
pub struct Entry<'a> {
    /// Its name.
    pub submission: &'a str,
    /// The program.
    pub runnable: &'a Runnable,
    /// The code of its language.
    pub language: &'a str,
    /// The file or class that starts; empty where the language has none.
    pub entry_point: &'a str,
    /// What is to be learnt about its speed.
    pub time_limit_mode: TimeLimitMode,
}

impl<'a> Entry<'a> {
    /// A program that no report names, and of which no static validator wants to know more.
    pub fn unnamed(runnable: &'a Runnable, time_limit_mode: TimeLimitMode) -> Self {
        Self { submission: "", runnable, language: "", entry_point: "", time_limit_mode }
    }
}

/// What is to be learnt about a submission's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimitMode {
    /// Whether it keeps the limit.
    Any,
    /// By how much it exceeds the limit: its author says that it is too slow.
    TooSlow,
    /// Whether it keeps the limit, and what it would be with the margin as well.
    WithMargin,
}

/// One run of a submission on a test case; with a further one where a multi-pass problem asks for it.
pub(super) struct Pass {
    /// From 1.
    pub(super) number: u32,
    /// What the submission reads.
    pub(super) input: Blob,
    /// What earlier passes left in the feedback directory.
    pub(super) earlier: Vec<TreeEntry>,
}

/// Runs a submission on a test case and judges what it did.
///
/// # Errors
/// When the judge failed or was interrupted.
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
    let mut pass = Pass { number: 1, input: case.input(), earlier: Vec::new() };
    let mut most: Option<Outcome> = None;
    loop {
        let Ran { reply, mut judged, kept } = trial.run(&pass)?;
        let outcome = at_most(most.take(), &reply.outcome);
        if let Some(next) = judged.next {
            most = Some(outcome);
            pass = next;
            continue;
        }
        if pass.number > 1 && judged.classified.verdict != Verdict::Accepted {
            let cause = &mut judged.classified.cause;
            *cause = format!("in pass {}: {cause}", pass.number);
        }
        return trial.finished(judged, Some(outcome), |judged, evidence| {
            add_run(evidence, rules, case, judged, &reply)?;
            add_input(evidence, case, &pass, kept.as_deref())?;
            evidence.kept = kept;
            Ok(())
        });
    }
}

/// The facts of the last pass, with the most time and memory of all: each pass has the limits for itself.
fn at_most(earlier: Option<Outcome>, last: &Outcome) -> Outcome {
    let mut outcome = last.clone();
    if let Some(earlier) = earlier {
        outcome.cpu_time = outcome.cpu_time.max(earlier.cpu_time);
        outcome.wall_time = outcome.wall_time.max(earlier.wall_time);
        outcome.peak_memory = outcome.peak_memory.max(earlier.peak_memory);
    }
    outcome
}

/// A submission before a test case.
pub(super) struct Trial<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) rules: &'a Rules<'a>,
    pub(super) entry: &'a Entry<'a>,
    pub(super) case: &'a ReadyCase<'a>,
}

/// A run that was judged.
pub(super) struct Ran {
    pub(super) reply: Reply,
    pub(super) judged: Judged,
    pub(super) kept: Option<PathBuf>,
}

impl Trial<'_> {
    /// The judgement; `gather` adds evidence, if that is shown.
    pub(super) fn finished(
        &self,
        judged: Judged,
        outcome: Option<Outcome>,
        gather: impl FnOnce(&Judged, &mut Evidence) -> Result<(), JudgeError>,
    ) -> Result<CaseJudgement, Stop> {
        let is_shown = self.rules.detail != Detail::Brief;
        let mut evidence = None;
        if is_shown && judged.classified.verdict != Verdict::Accepted {
            let repeat = self.rules.repeat(self.entry.submission, &self.case.test_case.name);
            let mut all = Evidence { repeat, ..Evidence::default() };
            add_answered(&mut all, &judged);
            gather(&judged, &mut all)?;
            evidence = Some(Box::new(all));
        }
        Ok(case_judgement(self.case, judged, evidence, outcome))
    }

    /// Runs and judges one pass. The facts of the run come first; only if they decide nothing does the
    /// output decide.
    fn run(&self, pass: &Pass) -> Result<Ran, Stop> {
        let Rules { problem, validators, .. } = self.rules;
        let partner = validators.interactor.as_ref().or(validators.output.first());
        if let (Interaction::Interactive, Some(partner)) = (problem.kind.interaction, partner) {
            return self.talk(partner, pass);
        }
        let job = job(self.rules, self.entry, self.case.test_case, pass);
        let kept = self.kept(pass);
        let reply = self.executor.run(&job)?;
        if let Some(kept) = &kept {
            save_run(kept, &pass.input, &reply)?;
        }
        let is_shown = problem.kind.passes > 1 && self.rules.detail != Detail::Brief;
        let transcript = if is_shown { Some(said(&problem.io, pass, &reply)?) } else { None };
        let judged = self.within_margin(|limits| match classify(&reply.outcome, limits) {
            Some(classified) => Ok(Judged::from(classified)),
            None => self.judge_output(pass, &reply),
        })?;
        Ok(Ran { reply, judged: Judged { transcript, ..judged }, kept })
    }

    /// What a run is by its limits; and by those with the margin, if it was too slow and this is asked for.
    pub(super) fn within_margin(
        &self,
        judge: impl Fn(&Limits) -> Result<Judged, Stop>,
    ) -> Result<Judged, Stop> {
        let mut judged = judge(&self.rules.limits)?;
        let is_slow = judged.classified.verdict == Verdict::TimeLimitExceeded;
        if is_slow && self.entry.time_limit_mode == TimeLimitMode::WithMargin {
            let other = judge(&self.rules.stop_slow_at)?;
            let verdict = other.classified.verdict;
            let score = other.score.or_else(|| score::by_rules(self.case.scoring, verdict));
            judged.with_margin =
                (verdict != Verdict::TimeLimitExceeded).then_some(Extended { verdict, score });
        }
        Ok(judged)
    }

    /// Where the submission's box is kept for the user, if boxes are.
    pub(super) fn kept(&self, pass: &Pass) -> Option<PathBuf> {
        self.kept_of(pass, "")
    }

    /// The same for another program, which these letters name.
    pub(super) fn kept_of(&self, pass: &Pass, of: &str) -> Option<PathBuf> {
        let test_case = &self.case.test_case.name;
        box_dir(self.rules, self.entry.submission, test_case, pass.number, of)
    }
}

/// What is known of a pass.
pub(super) struct Judged {
    pub(super) classified: Classified,
    pub(super) difference: Option<Box<Difference>>,
    /// Its score, if the package's own validator gives one.
    pub(super) score: Option<CaseScore>,
    /// What the package's own validator said beyond that, if it was asked.
    pub(super) answered: Option<Answered>,
    /// What it would be with the margin.
    pub(super) with_margin: Option<Extended>,
    /// What submission and validator said to each other, if they talked.
    pub(super) transcript: Option<Transcript>,
    /// The next pass, if there is one.
    pub(super) next: Option<Pass>,
}

/// What the package's own output validator said beyond its opinion.
pub(super) struct Answered {
    pub(super) message: String,
    /// Whether the cause has all of the message.
    pub(super) is_told: bool,
    pub(super) team_message: String,
    pub(super) stderr: Vec<u8>,
    pub(super) images: Vec<String>,
    pub(super) kept: Option<PathBuf>,
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

fn case_judgement(
    case: &ReadyCase<'_>,
    judged: Judged,
    evidence: Option<Box<Evidence>>,
    outcome: Option<Outcome>,
) -> CaseJudgement {
    let Classified { verdict, cause } = judged.classified;
    let (message, is_told, team_message) = match judged.answered {
        Some(answered) => (answered.message, answered.is_told, answered.team_message),
        None => (cause.clone(), true, String::new()),
    };
    let by_rules = || score::by_rules(case.scoring, verdict);
    CaseJudgement {
        test_case: case.test_case.name.clone(),
        verdict,
        message,
        is_told,
        team_message,
        score: judged.score.or_else(by_rules),
        with_margin: judged.with_margin,
        cause,
        difference: judged.difference,
        evidence,
        outcome,
    }
}

pub(super) fn job(rules: &Rules<'_>, entry: &Entry<'_>, test_case: &TestCase, pass: &Pass) -> Job {
    let mut job = entry.runnable.job(match entry.time_limit_mode {
        TimeLimitMode::Any => &rules.limits,
        TimeLimitMode::TooSlow | TimeLimitMode::WithMargin => &rules.stop_slow_at,
    });
    job.command.argv.extend(test_case.args.iter().cloned());
    test_case.files.iter().map(place::file).for_each(|file| job.put(file));
    job.feed(&rules.problem.io, pass.input.clone());
    job.writable = rules.problem.allow_file_writing;
    job.box_size = job.box_size.saturating_add(ROOM);
    job.keep = Keep::all_if(rules.keep().is_some());
    job
}

/// Where a box is kept, if boxes are. `of` says whose it is: empty for the submission's.
pub(super) fn box_dir(
    rules: &Rules<'_>,
    submission: &str,
    test_case: &str,
    pass: u32,
    of: &str,
) -> Option<PathBuf> {
    let pass = match pass {
        1 => String::new(),
        number => format!(".pass{number}"),
    };
    let name = format!("{}{of}{pass}", box_name(test_case));
    Some(rules.keep()?.join(box_name(submission)).join(name))
}

/// The name of a submission or a test case as that of one directory, never of one above.
#[must_use]
pub fn box_name(name: &str) -> String {
    /// File systems allow 255 bytes.
    const LONGEST: usize = 200;
    let name = name.replace('/', "-");
    // The end tells more of a long path than its beginning.
    let start = (name.len().saturating_sub(LONGEST)..name.len())
        .find(|at| name.is_char_boundary(*at))
        .unwrap_or(0);
    match &name[start..] {
        "" | "." | ".." => "-".to_owned(),
        name => name.to_owned(),
    }
}

impl Trial<'_> {
    /// Judges the output of a run that stayed within its limits and ended with exit code 0.
    pub(super) fn judge_output(&self, pass: &Pass, reply: &Reply) -> Result<Judged, Stop> {
        let output = match written(&self.rules.problem.io, reply) {
            Ok(output) => output,
            Err(missing) => return Ok(wrong(missing)),
        };
        let judged = self.judge_written(pass, output)?;
        Ok(match (&judged.difference, &self.rules.problem.io) {
            (Some(difference), ProgramIo::Files { output, .. })
                if difference.output.length == 0 =>
            {
                wrong(format!("`{output}` is empty{}", instead(reply.outcome.stdout_bytes)))
            }
            _ => judged,
        })
    }

    /// Judges what stands where the output belongs.
    pub(super) fn judge_written(&self, pass: &Pass, output: &Blob) -> Result<Judged, Stop> {
        if !self.rules.validators.output.is_empty() {
            return self.ask(pass, output);
        }
        let answer = self.case.answer()?;
        let difference = match answer == *output {
            true => None,
            false => {
                let reading = |error| fault("read the output", error);
                let output = output.open().map_err(reading)?;
                compare(open(&answer)?, output, &self.case.options).map_err(reading)?
            }
        };
        let judged = match difference {
            None => Judged::from(Classified {
                verdict: Verdict::Accepted,
                cause: "the output is right".to_owned(),
            }),
            Some(difference) => Judged {
                difference: Some(Box::new(difference.clone())),
                ..wrong(cause(&difference))
            },
        };
        self.with_images(pass, output, judged)
    }
}

/// What a program wrote where its output belongs, or why there is nothing.
pub(super) fn written<'r>(io: &ProgramIo, reply: &'r Reply) -> Result<&'r Blob, String> {
    let stdout = reply.outcome.stdout_bytes;
    match (io, reply.collected.first()) {
        (ProgramIo::Standard, _) => Ok(&reply.stdout),
        (ProgramIo::Files { output, .. }, None | Some(Collected::Missing)) => {
            Err(format!("`{output}` is missing{}", instead(stdout)))
        }
        (ProgramIo::Files { output, .. }, Some(Collected::NotAFile(what))) => {
            Err(format!("`{output}` is {what}, not a file"))
        }
        (ProgramIo::Files { .. }, Some(Collected::File(blob))) => Ok(blob),
    }
}

/// A wrong answer, and why.
pub(super) fn wrong(cause: String) -> Judged {
    Judged::from(Classified { verdict: Verdict::WrongAnswer, cause })
}

fn instead(stdout: Bytes) -> String {
    if stdout.0 == 0 {
        String::new()
    } else {
        format!("; {stdout} on standard output, which is not looked at")
    }
}

/// What a run left, as far as a report shows it.
fn add_run(
    evidence: &mut Evidence,
    rules: &Rules<'_>,
    case: &ReadyCase<'_>,
    judged: &Judged,
    reply: &Reply,
) -> Result<(), JudgeError> {
    const MOST: u64 = 64 << 10;
    evidence.stderr =
        reply.stderr.start(MOST).map_err(|error| fault("read standard error", error))?;
    evidence.transcript.clone_from(&judged.transcript);
    if judged.transcript.is_none() && judged.classified.verdict != Verdict::WrongAnswer {
        let ends = ends(&reply.stdout).map_err(|error| fault("read standard output", error))?;
        (evidence.stdout, evidence.stdout_bytes_left_out) = ends;
    }
    if let Ok(output) = written(&rules.problem.io, reply) {
        add_diff(evidence, case, judged, output)?;
    }
    Ok(())
}

/// How much of a text is shown, from its beginning, in bytes.
const BEGINNING: u64 = 4 << 10;

/// Adds judge answer and output, if the output is what is wrong, and the diff between them.
pub(super) fn add_diff(
    evidence: &mut Evidence,
    case: &ReadyCase<'_>,
    judged: &Judged,
    output: &Blob,
) -> Result<(), JudgeError> {
    if judged.classified.verdict != Verdict::WrongAnswer {
        return Ok(());
    }
    let reading = |error| fault("read the output for its diff", error);
    let answer = case.answer()?;
    if judged.transcript.is_none() {
        (evidence.answer, evidence.answer_bytes_left_out) = beginning(&answer).map_err(reading)?;
        (evidence.output, evidence.output_bytes_left_out) = beginning(output).map_err(reading)?;
    }
    if let Some(difference) = &judged.difference {
        let mut answer = open(&answer)?;
        let mut output = output.open().map_err(reading)?;
        let diff =
            diff::diff(&mut answer, &mut output, difference, &case.options).map_err(reading)?;
        evidence.diff = diff.lines;
        evidence.diff_lines_left_out = diff.left_out;
    }
    Ok(())
}

/// Adds what the submission had to read, or the validator for it.
pub(super) fn add_input(
    evidence: &mut Evidence,
    case: &ReadyCase<'_>,
    pass: &Pass,
    kept: Option<&Path>,
) -> Result<(), JudgeError> {
    let reading = |error| fault("read the input", error);
    (evidence.input, evidence.input_bytes_left_out) = beginning(&pass.input).map_err(reading)?;
    evidence.input_path = match (pass.number, &case.texts) {
        (1, None) => Some(case.test_case.input.clone()),
        _ => kept.map(|kept| beside(kept, "input")),
    };
    Ok(())
}

/// The beginning of a text, and how many bytes are left out after it.
fn beginning(text: &Blob) -> io::Result<(Vec<u8>, u64)> {
    Ok((text.start(BEGINNING)?, text.len()?.saturating_sub(BEGINNING)))
}

/// Adds what the package's own validator left.
fn add_answered(evidence: &mut Evidence, judged: &Judged) {
    if let Some(answered) = &judged.answered {
        evidence.validator_stderr.clone_from(&answered.stderr);
        evidence.images.clone_from(&answered.images);
        evidence.feedback = answered.kept.as_deref().map(feedback_dir);
        if let Some(dir) = &evidence.feedback {
            let images = answered.images.iter();
            evidence.pictures =
                images.filter_map(|name| picture(dir, name)).take(PICTURES).collect();
        }
    }
}

/// The most images of a run that a report shows.
const PICTURES: usize = 4;

/// An image that was kept. One that is a link, or large, is left alone.
fn picture(dir: &Path, name: &str) -> Option<Picture> {
    const LARGEST: u64 = 512 << 10;
    let path = dir.join(name);
    let facts = fs::symlink_metadata(&path).ok()?;
    (facts.is_file() && facts.len() <= LARGEST)
        .then(|| Picture { name: name.to_owned(), blob: Blob::file(path) })
}

fn open(answer: &Blob) -> Result<Reader<'_>, JudgeError> {
    answer.open().map_err(|error| fault(&format!("open {answer}"), error))
}

pub(super) fn fault(step: &str, error: io::Error) -> JudgeError {
    JudgeError::new(step, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_box_never_leads_out() {
        let check = |name: &str, expected: &str| assert_eq!(box_name(name), expected);
        check("a.cpp", "a.cpp");
        check("secret/edges/1", "secret-edges-1");
        check("../a.cpp", "..-a.cpp");
        check("..", "-");
        check(".", "-");
        check("/", "-");
        check("", "-");
        check(&"ä".repeat(300), &"ä".repeat(100));
    }
}
