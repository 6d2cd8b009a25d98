//! `juror run`: runs a submission once, without a verdict.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::bench::Bench;
use crate::build::{Built, Runnable, unbuildable};
use crate::executor::Hand;
use crate::judge::case::{Detail, Entry, RepeatLine, Rules, TimeLimitMode, Validators};
use crate::judge::once::{Once, Playing};
use crate::model::blob::Blob;
use crate::model::exit_code::ExitCode;
use crate::model::judgement::JudgeError;
use crate::model::limits::{Limits, TIME_WITHOUT_PACKAGE};
use crate::model::once::RunOnce;
use crate::model::problem::{Interaction, Problem, Submitted};
use crate::model::stop::{Mend, Stop};
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::text::printable;
use crate::model::units::Bytes;
use crate::ops::cases::find_case;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::options::HostOptions;
use crate::ops::problem::{self, Remarks};
use crate::ops::stdin::{self, Patient};
use crate::ops::submissions::named;
use crate::report::result::CommandResult;
use crate::report::style::Look;
use crate::report::terminal::listing::quoted;
use crate::report::terminal::page::{Label, Page};
use crate::validator::OutputValidator;
use crate::validator::response::Contract;

#[derive(Clone, Debug, Default)]
pub struct OnceOptions {
    pub package: PathBuf,
    /// `None` if the user plays the submission against the interactor.
    pub submission: Option<PathBuf>,
    /// The input; instead of standard input.
    pub input: Option<PathBuf>,
    /// The test case with input, arguments and files.
    pub case: Option<String>,
    /// CPU time; instead of the package's limit.
    pub time_limit: Option<Duration>,
    pub memory_limit: Option<Bytes>,
    /// The format of the package; `None` if it is to be detected.
    pub format: Option<String>,
    pub host: HostOptions,
}

impl OnceOptions {
    fn is_played(&self) -> bool {
        self.submission.is_none()
    }
}

/// The user at the terminal.
pub struct Person<'a> {
    pub talk: &'a Talk,
    pub ask: &'a dyn Fn(),
}

/// Connects the user with the program that the third argument runs, and counts its bytes. The first argument marks
/// its lines; reading stops after as many bytes as the second.
pub type Talk = dyn Fn(&str, Option<Bytes>, RunWithHand<'_>) -> Result<(RunOnce, Bytes), Stop>;

/// Runs a program with these pipes as standard input and output.
pub type RunWithHand<'a> = &'a mut dyn FnMut(Hand) -> Result<RunOnce, Stop>;

pub fn run_once(
    options: &OnceOptions,
    person: &Person<'_>,
    context: &Context,
) -> Result<RunOnce, Stop> {
    let format = options.format.as_deref();
    let mut problem = problem::read(&options.package, format, Remarks::Errors, context)?;
    problem.limits.memory = options.memory_limit.or(problem.limits.memory);
    if problem.kind.submitted == Submitted::Answers {
        let what =
            "submissions to this problem are answers, which cannot be run; use `juror judge`";
        return Err(Stop::usage(what));
    }
    let is_interactive = problem.kind.interaction == Interaction::Interactive;
    if options.is_played() && !is_interactive {
        return Err(Stop::usage("--play is only for interactive problems; leave it out"));
    }
    let submission = options.submission.as_ref().map(|path| named(path, &problem));
    let submission = submission.transpose().map_err(Stop::usage)?;
    let name = case_name(options, &problem)?;
    let host = Host::start(&options.host, context)?;
    let builder = host.builder();
    let names: HashSet<String> = name.iter().cloned().collect();
    let _made = problem::complete(&mut problem, Some(&names), &host, &builder, context)?;
    let events = context.sink();
    let bench = host.bench(&problem, &builder, &events);
    let case = name.map(|name| find_case(&problem, &name)).transpose()?;
    let Some(submission) = submission else {
        let case = case.ok_or_else(|| no_case(&problem))?;
        return play(bench, case, person);
    };
    let limits = Limits::of_submission(&problem.limits, limit(options, &problem));
    let runnable = built(bench, &submission, &limits)?;
    let validators = Validators::default();
    let rules = Rules {
        problem: &problem,
        validators: &validators,
        limits: limits.clone(),
        stop_slow_at: limits.clone(),
        repeat: RepeatLine::default(),
        detail: Detail::Brief,
    };
    let none = TestCase::default();
    let once = Once {
        executor: bench.executor,
        rules: &rules,
        entry: &Entry {
            submission: &submission.name,
            ..Entry::unnamed(&runnable, TimeLimitMode::Any)
        },
        test_case: case.unwrap_or(&none),
    };
    let ran = if is_interactive && options.input.is_none() {
        let (ran, written) = (person.talk)("> ", limits.output, &mut |hand| once.by_hand(hand))?;
        once.wrote(ran, written)
    } else {
        let (input, name) = input(options, person, case, &host)?;
        once.on(input, &name)?
    };
    Ok(ran)
}

/// The user plays the submission.
fn play(bench: Bench<'_>, case: &TestCase, person: &Person<'_>) -> Result<RunOnce, Stop> {
    let limits = Limits::of_compiler(&bench.problem.limits);
    let interactor = match OutputValidator::interactor(&bench, &limits)? {
        Some(interactor) => interactor,
        None => OutputValidator::build(&bench, &limits)?.pop().ok_or_else(|| {
            Stop::usage(
                "the package has no interactor to play with; `juror verify` shows what is missing",
            )
        })?,
    };
    let contract = match bench.problem.kind.passes {
        1 => Contract::OnePass,
        most => Contract::MorePasses(most - 1),
    };
    let playing =
        Playing { executor: bench.executor, interactor: &interactor, test_case: case, contract };
    let most = interactor.limits.output;
    let (mut ran, written) = (person.talk)("< ", most, &mut |hand| playing.by_hand(hand))?;
    ran.outcome.stdout_bytes = written;
    Ok(ran)
}

fn case_name(options: &OnceOptions, problem: &Problem) -> Result<Option<String>, Stop> {
    match (&options.case, options.is_played()) {
        (Some(typed), _) => Ok(Some(find_case(problem, typed)?.name.clone())),
        (None, true) => {
            Ok(Some(problem.test_data.cases.first().ok_or_else(|| no_case(problem))?.name.clone()))
        }
        (None, false) => Ok(None),
    }
}

fn no_case(problem: &Problem) -> Stop {
    let what =
        format!("{} has no test cases; `juror verify` shows what is missing", problem.short_name);
    Stop::Refused(Mend::Selection, vec![what.into()])
}

fn limit(options: &OnceOptions, problem: &Problem) -> Duration {
    let given = options.time_limit.or(problem.limits.time_limit);
    given.unwrap_or(TIME_WITHOUT_PACKAGE)
}

/// A failed build is the submission's fault, not the package's.
fn built(bench: Bench<'_>, submission: &Submission, limits: &Limits) -> Result<Runnable, Stop> {
    let prepared = bench.builder.prepare(&submission.program);
    let prepared = prepared.map_err(|stop| stop.blame(Mend::CommandLine))?;
    let build_limits = Limits::of_compiler(&bench.problem.limits);
    match bench.build(&submission.name, &prepared, &build_limits, limits)? {
        Built::Program(runnable) => Ok(*runnable),
        Built::Rejected(report) => {
            let what = unbuildable("the submission", &submission.program.path, &report);
            Err(Stop::Diagnosed(vec![what]).blame(Mend::Submission))
        }
    }
}

/// Also returns a name for the input.
fn input(
    options: &OnceOptions,
    person: &Person<'_>,
    case: Option<&TestCase>,
    host: &Host,
) -> Result<(Blob, String), Stop> {
    match (case, &options.input) {
        (Some(case), _) => Ok((Blob::file(&case.input), case.name.clone())),
        (None, Some(path)) if path != Path::new("-") => {
            let name = path.display().to_string();
            let text = fs::read(path).map_err(|error| {
                Stop::usage(format!(
                    "--input: cannot read {name}: {error}; give a file, or - for standard input"
                ))
            })?;
            Ok((text.into(), name))
        }
        (None, _) => {
            (person.ask)();
            let mut text = Vec::new();
            let stdin = Patient::stdin(host.stop_handle.clone());
            match stdin.and_then(|mut stdin| stdin.read_to_end(&mut text)) {
                Ok(_) => Ok((text.into(), "standard input".to_owned())),
                Err(error) if stdin::is_end(&error) => Err(Stop::Interrupted),
                Err(error) => Err(JudgeError::new("read standard input", error).into()),
            }
        }
    }
}

impl CommandResult for RunOnce {
    fn render(&self, page: &mut Page<'_>) {
        let look = if self.failed { Look::Bad } else { Look::Good };
        let name = printable(&self.submission);
        let label = format!("{name} on {}: ", printable(&self.input));
        page.labelled(0, Label::new(look, &label), &printable(&self.ended));
        page.wrapped(2, &self.outcome.used());
        let mut part = |name: &str, text: &[u8]| {
            if text.is_empty() {
                return page.line(0, &format!("{name}: empty"));
            }
            page.line(0, &format!("{name}:"));
            quoted(page, text, true);
        };
        if !self.message.is_empty() {
            part("judge message", self.message.as_bytes());
        }
        if !self.is_raw && !self.is_shown {
            part("standard output", &self.stdout);
        }
        if !self.is_shown || !self.stderr.is_empty() {
            part("standard error", &self.stderr);
        }
        if let Some(file) = &self.file {
            match (&file.contents, &file.missing) {
                (Some(contents), _) => part(&printable(&file.name), contents),
                (None, missing) => {
                    page.wrapped(0, &printable(missing.as_deref().unwrap_or_default()))
                }
            }
        }
    }

    fn exit_code(&self) -> ExitCode {
        if self.failed { ExitCode::Rejected } else { ExitCode::Success }
    }

    fn raw(&self) -> Option<&[u8]> {
        self.is_raw.then_some(&self.stdout)
    }
}
