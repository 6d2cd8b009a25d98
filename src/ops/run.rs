//! `juror run`: runs a submission once, without a verdict.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::door::cases::{case_input, find_case};
use crate::door::submissions::{command_submission, local_submission, prepare_command};
use crate::ops::amounts::{parse_memory_limit, parse_time_limit};
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::options::{BuildOptions, CheckerOptions, HostOptions, RUNS};
use crate::ops::problem;
use crate::ops::stdin::{self, InterruptibleStdin};
use crate::ops::tests_beside::{self, TestsBeside};
use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::interaction;
use crate::report::terminal::listing::quote_lines;
use crate::report::terminal::page::{Label, Page};
use juror_core::blob::Blob;
use juror_core::check::options::Options;
use juror_core::exit_code::ExitCode;
use juror_core::judgement::JudgeError;
use juror_core::limits::{Limits, TIME_WITHOUT_PACKAGE};
use juror_core::problem::{Interaction, Problem};
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::submission::Submission;
use juror_core::test_data::TestCase;
use juror_core::text::{message_line, printable, visible};
use juror_core::units::Bytes;
use juror_judging::build::Runnable;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{Detail, ReadyCase, ReadySubmission, Rules, TimeLimitMode};
use juror_judging::judge::case_run::judge_case;
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::single_run::{SingleRun, SingleRunner, play_by_hand};
use juror_judging::output_validator::OutputValidator;
use juror_judging::output_validator::response::Contract;
use juror_packages::package::format_names;
use juror_sandbox::executor::ManualPipes;
use juror_sandbox::sandbox::spool;

#[derive(Clone, Debug, Args)]
pub struct RunOnceOptions {
    /// The problem package: a directory or an archive
    ///
    /// A submission that is named alone runs under the limits of the tests beside it, else under those of bare tests.
    #[arg(required_unless_present = "program")]
    pub package: Option<PathBuf>,
    /// The submission: a source file, a directory or an executable
    #[arg(conflicts_with = "play")]
    pub submission: Option<PathBuf>,
    /// After `--`: a program that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM", conflicts_with_all = ["play", "submission"])]
    pub program: Vec<OsString>,
    /// Run on this file, or on standard input with `-`, the default
    #[arg(long, value_name = "FILE", conflicts_with_all = ["case", "play"], help_heading = RUNS)]
    pub input: Option<PathBuf>,
    /// Run on the input of this test case, with its arguments and files
    #[arg(long, value_name = "CASE", help_heading = RUNS)]
    pub case: Option<String>,
    /// Play the submission yourself, against the interactor of an interactive problem [default case: the first]
    ///
    /// Without it, `juror run` of an interactive problem connects the submission with you: you play the interactor.
    #[arg(long, help_heading = RUNS)]
    pub play: bool,
    /// The program that talks with the submission, as in `juror judge` [default case: the first]
    #[arg(long, value_name = "PROGRAM", help_heading = RUNS)]
    pub interactor: Option<OsString>,
    /// CPU time limit of the run, such as 1.5s or 500ms, instead of the package's; a number alone is in seconds
    #[arg(long, short_alias = 't', aliases = ["timeout", "tle"], value_name = "TIME", value_parser = parse_time_limit, help_heading = RUNS)]
    pub time_limit: Option<Duration>,
    /// Memory limit of the run, such as 256M or 1G, instead of the package's; a number alone is in MiB
    #[arg(long, short_alias = 'm', value_name = "SIZE", value_parser = parse_memory_limit, help_heading = RUNS)]
    pub memory_limit: Option<Bytes>,
    #[command(flatten)]
    pub build: BuildOptions,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()), help_heading = RUNS)]
    pub format: Option<String>,
    #[command(flatten)]
    pub host: HostOptions,
    /// Set if the user named no package.
    #[arg(skip)]
    pub tests_beside: Option<TestsBeside>,
}

impl RunOnceOptions {
    /// If a submission is named first, its package is what is beside it, and a file after it is its input.
    fn with_package(mut self) -> Result<Self, Stop> {
        let Some(named) = self.package.clone().filter(|_| !self.play) else {
            if self.package.is_none() {
                self.tests_beside = Some(TestsBeside::without_tests(Path::new(".")));
            }
            return Ok(self);
        };
        if let Some(second) = &self.submission {
            if !tests_beside::names_inputs(&named, slice::from_ref(second)) {
                self.tests_beside = TestsBeside::in_directory(&named, second);
                return Ok(self);
            }
            if self.input.is_some() || self.case.is_some() {
                return Err(Stop::usage(format!(
                    "{} is a second input; give one",
                    second.display()
                )));
            }
            self.input = self.submission.take();
        }
        if self.program.is_empty() {
            let found = TestsBeside::find(&named)?.ok_or_else(|| {
                let package = named.display();
                let what = format!("{package} is a package without a submission");
                Stop::usage(Remark::with_help(
                    what,
                    format!("give one: juror run {package} SUBMISSION"),
                ))
            })?;
            self.package = Some(found.package.clone());
            self.submission = Some(named);
            self.tests_beside = Some(found);
        }
        Ok(self)
    }
}

/// The user at the terminal.
pub struct Person<'a> {
    pub talk: &'a UserDialogue,
    /// Whether output is shown as it comes.
    pub sees_output: bool,
    pub ask: &'a dyn Fn(),
}

/// Connects the user with the program that the third argument runs, and counts its bytes. The first argument marks
/// its lines, or is `None` if the user types nothing; reading stops after as many bytes as the second.
pub type UserDialogue =
    dyn Fn(Option<&str>, Option<Bytes>, RunWithPipes<'_>) -> Result<(SingleRun, Bytes), Stop>;

/// Runs a program with these pipes as standard input and output.
pub type RunWithPipes<'a> = &'a mut dyn FnMut(ManualPipes) -> Result<SingleRun, Stop>;

pub fn run_once(
    options: &RunOnceOptions,
    person: &Person<'_>,
    context: &Context,
) -> Result<SingleRun, Stop> {
    let options = &options.clone().with_package()?;
    let (format, package) = (options.format.as_deref(), options.package.as_deref());
    let package = package.unwrap_or(Path::new("."));
    let tests = options.tests_beside.as_ref();
    let mut problem = problem::read_runnable_problem(package, format, tests, context)?;
    CheckerOptions { interactor: options.interactor.clone(), ..CheckerOptions::default() }
        .apply(&mut problem)?;
    problem.limits.memory = options.memory_limit.or(problem.limits.memory);
    let variant = options.build.variant();
    problem::set_variant(&mut problem, &variant, options.memory_limit)?;
    problem::require_programs(&problem, "which cannot be run; use `juror judge`")?;
    let is_interactive = problem.kind.interaction == Interaction::Interactive;
    if options.play && !is_interactive {
        return Err(Stop::usage("--play is only for interactive problems; leave it out"));
    }
    let submission = match &options.submission {
        None if options.play => None,
        None => Some(command_submission(&options.program, &variant)),
        Some(path) => {
            Some(local_submission("submission", path, &problem, &variant).map_err(Stop::usage)?)
        }
    };
    let name = case_name(options, &problem)?;
    let host = Host::start(&options.host, context)?;
    let assembly = Assembly::new(&host, context);
    let names: HashSet<String> = name.iter().cloned().collect();
    let _made = assembly.complete(&mut problem, Some(&names))?;
    let bench = assembly.bench(&problem);
    let case = name.map(|name| find_case(&problem, &name)).transpose()?;
    let Some(submission) = submission else {
        let case = case.ok_or_else(|| no_case_error(&problem))?;
        return play_submission(bench, case, person);
    };
    let time_limit = options.time_limit.or(problem.limits.time_limit);
    let time_limit = time_limit.unwrap_or(TIME_WITHOUT_PACKAGE);
    let limits = Limits::of_submission(&problem.limits, time_limit);
    let runnable = build_submission(bench, &submission, &options.program, &limits)?;
    let rules = Rules::new(&problem, Arc::default()).with_limits(limits.clone());
    let none = TestCase::default();
    let once = SingleRunner {
        executor: bench.executor,
        rules: &rules,
        entry: &ReadySubmission {
            submission: &submission.name,
            ..ReadySubmission::without_name(&runnable, TimeLimitMode::Any)
        },
        test_case: case.unwrap_or(&none),
    };
    if options.interactor.is_some() {
        let (input, name) = read_input(options, person, case, &host)?;
        let answer = case.and_then(|case| case.answer.as_ref()).map(Blob::file).unwrap_or_default();
        let options = Options::of_name("none").unwrap_or_default();
        let case = ReadyCase::without_score(once.test_case, options, input, answer);
        let ready = ReadyProblem::build(bench, ImageUse::Never, vec![case])?;
        ready.find_protocols()?;
        let rules = ready.rules.with_limits(limits);
        let rules = Rules { detail: Detail::Full, ..rules };
        let judged = judge_case(bench.executor, &rules, once.entry, &ready.cases[0])?;
        return Ok(SingleRun::of_talk(judged, &submission.name, name));
    }
    if is_interactive && options.input.is_none() {
        let mut talk = |pipes| once.by_hand(pipes);
        let (run, written) = (person.talk)(Some("> "), limits.output, &mut talk)?;
        return Ok(once.with_stdout_size(run, written));
    }
    let (input, name) = read_input(options, person, case, &host)?;
    if !person.sees_output || bench.executor.worker_kinds().is_some() {
        return once.run(input, &name);
    }
    let mut show = |pipes| once.stream(input.clone(), &name, pipes);
    let (run, written) = (person.talk)(None, limits.output, &mut show)?;
    Ok(once.with_stdout_size(run, written))
}

/// The user plays the submission.
fn play_submission(
    bench: Bench<'_>,
    case: &TestCase,
    person: &Person<'_>,
) -> Result<SingleRun, Stop> {
    let interactor = match OutputValidator::build_interactor(&bench)? {
        Some(interactor) => interactor,
        None => OutputValidator::build(&bench)?.pop().ok_or_else(|| {
            Stop::usage(
                "the package has no interactor to play with; `juror verify` shows what is missing",
            )
        })?,
    };
    let contract = Contract::of_pass(1, bench.problem.kind.passes);
    let mut play = |hand| play_by_hand(bench.executor, &interactor, case, contract, hand);
    let most = interactor.limits.output;
    let (mut run, written) = (person.talk)(Some("< "), most, &mut play)?;
    run.outcome.stdout_bytes = written;
    Ok(run)
}

fn case_name(options: &RunOnceOptions, problem: &Problem) -> Result<Option<String>, Stop> {
    let needs_one = options.play || options.interactor.is_some() && options.input.is_none();
    let case = match &options.case {
        Some(typed) => find_case(problem, typed)?,
        None if !needs_one => return Ok(None),
        None => problem.test_data.cases.first().ok_or_else(|| no_case_error(problem))?,
    };
    Ok(Some(case.name.clone()))
}

fn no_case_error(problem: &Problem) -> Stop {
    let what =
        format!("{} has no test cases; `juror verify` shows what is missing", problem.short_name);
    Stop::Refused(RefusalSubject::Selection, vec![what.into()])
}

/// A failed build is the submission's fault, not the package's.
fn build_submission(
    bench: Bench<'_>,
    submission: &Submission,
    program: &[OsString],
    limits: &Limits,
) -> Result<Runnable, Stop> {
    let prepared = match program {
        [] => bench.builder.prepare(&submission.program),
        words => prepare_command(words, bench.builder),
    };
    let prepared = prepared.map_err(|stop| stop.refused_for(RefusalSubject::CommandLine))?;
    let built = bench.build(&submission.name, &prepared, limits)?;
    let runnable = built.program("the submission", &submission.program.path);
    runnable.map_err(|fault| Stop::from(fault).refused_for(RefusalSubject::Submission))
}

/// Also returns a name for the input.
fn read_input(
    options: &RunOnceOptions,
    person: &Person<'_>,
    case: Option<&TestCase>,
    host: &Host,
) -> Result<(Blob, String), Stop> {
    match (case, &options.input) {
        (Some(case), _) => Ok((case_input(case), case.name.clone())),
        (None, Some(path)) if path != Path::new("-") => {
            let name = path.display().to_string();
            let file = FilePath::root(path);
            if file.is_file() && file.open().is_ok() {
                return Ok((Blob::file(&file), name));
            }
            let text = File::open(path).and_then(|from| spool(from, 0)).map_err(|error| {
                Stop::usage(format!(
                    "--input: cannot read {name}: {error}; give a file, or - for standard input"
                ))
            })?;
            Ok((text, name))
        }
        (None, _) => {
            (person.ask)();
            let stdin = InterruptibleStdin::open(host.stop_handle.clone());
            match stdin.and_then(|stdin| spool(stdin, 0)) {
                Ok(text) => Ok((text, "standard input".to_owned())),
                Err(error) if stdin::is_interruption(&error) => Err(Stop::Interrupted),
                Err(error) => Err(JudgeError::new("read standard input", error).into()),
            }
        }
    }
}

impl CommandResult for SingleRun {
    fn render(&self, page: &mut Page<'_>) {
        let role = if self.failed { TextRole::Bad } else { TextRole::Good };
        let name = printable(&self.submission);
        let label = format!("{name} on {}: ", printable(&self.input));
        page.labelled(0, Label::new(role, &label), &printable(&self.ended));
        page.wrapped(2, &self.outcome.describe_use());
        if let Some(transcript) = &self.transcript {
            interaction::write(page, transcript);
        }
        let mut part = |name: &str, text: &[u8], show: fn(&[u8]) -> String| {
            if text.is_empty() {
                return page.line(0, &format!("{name}: empty"));
            }
            page.line(0, &format!("{name}:"));
            quote_lines(page, text, true, show);
        };
        if !self.message.is_empty() {
            part("judge message", self.message.as_bytes(), message_line);
        }
        if !self.is_raw && !self.is_shown {
            part("standard output", &self.stdout, visible);
        }
        if !self.is_shown || !self.stderr.is_empty() {
            part("standard error", &self.stderr, message_line);
        }
        if let Some(file) = &self.file {
            match (&file.contents, &file.missing) {
                (Some(contents), _) => part(&printable(&file.name), contents, visible),
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
