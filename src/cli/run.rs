//! `juror run`: runs a submission once and shows all of its output, without a verdict.

use std::collections::HashSet;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::build::bench::Bench;
use crate::build::{Built, Runnable, unbuildable};
use crate::cli::by_hand;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, RUNS, time_limit};
use crate::cli::output::{Output, command};
use crate::cli::problem::{self, Remarks};
use crate::cli::stdin::{self, Patient};
use crate::cli::streams;
use crate::judge::case::{Detail, Entry, RepeatLine, Rules, TimeLimitMode, Validators};
use crate::judge::once::{Once, Playing};
use crate::model::blob::Blob;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::limits::{Limits, TIME_WITHOUT_PACKAGE};
use crate::model::once::RunOnce;
use crate::model::problem::{Interaction, Problem, Submitted};
use crate::model::stop::{Mend, Stop};
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::units::Bytes;
use crate::ops::cases::find_case;
use crate::ops::submissions::named;
use crate::package::formats;
use crate::validator::OutputValidator;
use crate::validator::response::Contract;

/// Arguments of `juror run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// The submission: a source file, a directory or an executable
    #[arg(required_unless_present = "play", conflicts_with = "play")]
    pub submission: Option<PathBuf>,
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
    /// CPU time limit of the run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = RUNS)]
    pub time_limit: Option<Duration>,
    /// Memory limit of the run in MiB, instead of the package's
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20), help_heading = RUNS)]
    pub memory_limit: Option<u64>,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(formats()), help_heading = RUNS)]
    pub format: Option<String>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Runs a submission once.
pub fn run(arguments: &RunArguments) -> ExitCode {
    let options = OutputOptions {
        // What people type and the program writes stands there.
        is_still: io::stdin().is_terminal() || io::stdout().is_terminal(),
        ..arguments.output.clone()
    };
    command(&options, "run", |output| run_on(arguments, output))
}

fn run_on(arguments: &RunArguments, output: &Output) -> Result<(), Stop> {
    let format = arguments.format.as_deref();
    let mut problem = problem::read(&arguments.package, format, Remarks::Errors, output)?;
    problem.limits.memory = arguments.memory_limit.map(Bytes::mib).or(problem.limits.memory);
    if problem.kind.submitted == Submitted::Answers {
        let what =
            "submissions to this problem are answers, which cannot be run; use `juror judge`";
        return Err(Stop::usage(what));
    }
    let is_interactive = problem.kind.interaction == Interaction::Interactive;
    if arguments.play && !is_interactive {
        return Err(Stop::usage("--play is only for interactive problems; leave it out"));
    }
    let submission = arguments.submission.as_ref().map(|path| named(path, &problem));
    let submission = submission.transpose().map_err(Stop::usage)?;
    let name = case_name(arguments, &problem)?;
    output.event(Event::package_read(&problem, 0, 0));
    let host = Host::start(&arguments.host, output)?;
    let builder = host.builder();
    let names: HashSet<String> = name.iter().cloned().collect();
    let _made = problem::complete(&mut problem, Some(&names), &host, &builder, output)?;
    let events = output.sink();
    let bench = host.bench(&problem, &builder, &events);
    let case = name.map(|name| find_case(&problem, &name)).transpose()?;
    let Some(submission) = submission else {
        let case = case.ok_or_else(|| no_case(&problem))?;
        return play(bench, case, output);
    };
    let limits = Limits::of_submission(&problem.limits, limit(arguments, &problem));
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
    let ran = if is_interactive && arguments.input.is_none() {
        let (ran, written) = by_hand::talk("> ", limits.output, |hand| once.by_hand(hand))?;
        once.wrote(ran, written)
    } else {
        let (input, name) = input(arguments, case, &host)?;
        once.on(input, &name)?
    };
    tell(ran, output);
    Ok(())
}

/// Shows a run.
fn tell(ran: RunOnce, output: &Output) {
    let is_raw = !io::stdout().is_terminal() && !output.is_recorded;
    output.event(Event::RanOnce(Box::new(RunOnce { is_raw, ..ran })));
}

/// Lets the user take the part of the submission.
fn play(bench: Bench<'_>, case: &TestCase, output: &Output) -> Result<(), Stop> {
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
    let (mut ran, written) = by_hand::talk("< ", most, |hand| playing.by_hand(hand))?;
    ran.outcome.stdout_bytes = written;
    tell(ran, output);
    Ok(())
}

/// The name of the test case for input, arguments and files, if there is one.
fn case_name(arguments: &RunArguments, problem: &Problem) -> Result<Option<String>, Stop> {
    match (&arguments.case, arguments.play) {
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

/// The time limit from the command line or the package.
fn limit(arguments: &RunArguments, problem: &Problem) -> Duration {
    let given = arguments.time_limit.or(problem.limits.time_limit);
    given.unwrap_or(TIME_WITHOUT_PACKAGE)
}

/// Builds the submission. A failure is the submission's fault, not the package's.
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

/// The submission's input, and a name for it.
fn input(
    arguments: &RunArguments,
    case: Option<&TestCase>,
    host: &Host,
) -> Result<(Blob, String), Stop> {
    match (case, &arguments.input) {
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
            if io::stdin().is_terminal() {
                streams::remark("type the input; Ctrl-D ends it");
            }
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
