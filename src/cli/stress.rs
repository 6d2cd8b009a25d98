//! `juror stress`: searches for an input on which a submission fails, and makes it small.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::build::bench::Bench;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, ReportOptions, time_limit, typed};
use crate::cli::output::{Output, command_line, command_with};
use crate::cli::problem::{self, Remarks};
use crate::executor::scheduler::Scheduler;
use crate::model::event::Event;
use crate::model::problem::{Problem, Submitted};
use crate::model::root::FilePath;
use crate::model::stop::{Remark, Stop};
use crate::model::submission::Submission;
use crate::ops::stress::{Stress, StressOptions, promotion};
use crate::ops::submissions::named;
use crate::stress::problem_inputs::ProblemInputs;
use crate::stress::programs::Setting;

/// Arguments of `juror stress`.
#[derive(Debug, Args)]
pub struct StressArguments {
    /// The problem package, then the submission; with --input-grammar and --reference the
    /// submission alone
    #[arg(required = true, num_args = 1..=2, value_name = "PACKAGE> <SUBMISSION")]
    pub targets: Vec<PathBuf>,
    /// The program whose output counts as right [default: an accepted submission of the package]
    ///
    /// A file, or the name of one of the package's submissions, such as accepted/slow.py.
    #[arg(long, visible_alias = "against", value_name = "PROGRAM")]
    pub reference: Option<PathBuf>,
    /// The grammar of the input, in the language checktestdata [default: the package's .ctd files]
    #[arg(long, value_name = "GRAMMAR")]
    pub input_grammar: Option<PathBuf>,
    /// How long to search, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = span)]
    pub time: Duration,
    /// How long to shrink the input that is found [default: as long as --time, at most 20s]
    ///
    /// Time left over from --time is added. A run in progress at the end is stopped.
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub shrink_time: Option<Duration>,
    /// How long to search for what failing inputs have in common; 0 skips this
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = span_or_none)]
    pub explain: Duration,
    /// Maximum number of inputs to try
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Random seed [default: new each run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Add the input that is found to the package as data/secret/NAME, with its judge answer and recipe entry
    #[arg(long, value_name = "NAME")]
    pub promote: Option<String>,
    /// Write the whole input that is found to FILE
    ///
    /// An existing FILE is replaced in one step, and left alone if nothing is found.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write an HTML page: the input that is found, and the outputs of both programs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time limit of a run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Parses a time span, or 0.
fn span_or_none(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { span(text) }
}

/// Parses a time span: a number, followed by `ms`, `s`, `m` or `h`; without unit it is in seconds.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
    };
    let number: f64 =
        number.parse().map_err(|_| "expected a span of time, such as 30s or 5m".to_owned())?;
    let seconds = number * factor;
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if !span.is_zero() && seconds <= 366.0 * 86_400.0 => Ok(span),
        _ => Err("expected more than 0, and at most a year".to_owned()),
    }
}

/// The default of `--explain`.
const EXPLAINING: Duration = Duration::from_secs(5);

/// Searches.
pub fn run(arguments: &StressArguments) -> ExitCode {
    let reports = ReportOptions { html: arguments.html.clone(), ..ReportOptions::default() };
    command_with(&arguments.output, &reports, "stress", |output| {
        stress(&options(arguments)?, &arguments.host, output)
    })
}

/// What the arguments ask for.
fn options(arguments: &StressArguments) -> Result<StressOptions, Stop> {
    let (package, submission) = match arguments.targets.as_slice() {
        [package, submission] => (Some(package), submission),
        [submission] if arguments.input_grammar.is_some() && arguments.reference.is_some() => {
            (None, submission)
        }
        _ => {
            return Err(Stop::usage(
                "give a package and a submission; or, without a package, --input-grammar, --reference and a submission",
            ));
        }
    };
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    Ok(StressOptions {
        package: package.cloned(),
        submission: submission.clone(),
        reference: arguments.reference.clone(),
        input_grammar: arguments.input_grammar.clone(),
        time: arguments.time,
        shrink_time: arguments.shrink_time,
        explain: arguments.explain,
        runs: arguments.runs,
        seed,
        promote: arguments.promote.clone(),
        save: arguments.save.clone(),
        time_limit: arguments.time_limit,
        fresh: arguments.host.fresh,
        repeat: repeat(arguments, seed),
    })
}

/// The command line that repeats the search.
fn repeat(arguments: &StressArguments, seed: u64) -> String {
    let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
    let number = |time: Duration| OsString::from(time.as_secs_f64().to_string());
    let span = |time: Duration| OsString::from(format!("{}s", time.as_secs_f64()));
    words.extend(typed([
        ("--input-grammar", arguments.input_grammar.clone().map(OsString::from)),
        ("--reference", arguments.reference.clone().map(OsString::from)),
        ("--time-limit", arguments.time_limit.map(number)),
        ("--runs", arguments.runs.map(|runs| runs.to_string().into())),
        ("--time", Some(span(arguments.time))),
        ("--shrink-time", arguments.shrink_time.map(span)),
        ("--explain", Some(arguments.explain).filter(|it| *it != EXPLAINING).map(number)),
        ("--seed", Some(seed.to_string().into())),
    ]));
    words.extend(arguments.host.fresh.then(|| "--fresh".into()));
    words.extend(arguments.host.again());
    words.extend(arguments.targets.iter().map(OsString::from));
    command_line(words)
}

/// A random seed, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

fn stress(options: &StressOptions, host: &HostOptions, output: &Output) -> Result<(), Stop> {
    let mut setting = setting(options, output)?;
    // An impossible name is refused before anything starts.
    promotion(options, &setting)?;
    if let Some(file) = options.save.as_deref().filter(|file| file.exists() && !file.is_file()) {
        let what = format!("--save: {} is not a file; give the path of a file", file.display());
        return Err(Stop::usage(what));
    }
    let host = Host::start(host, output)?;
    let scheduler = &Scheduler::new(Arc::clone(&host.executor));
    let fresh = scheduler.clone().fresh();
    let builder = host.builder_on(scheduler);
    let _made = problem::complete(&mut setting.inputs.problem, None, &host, &builder, output)?;
    let promotion = promotion(options, &setting)?;
    let bench = Bench {
        problem: &setting.inputs.problem,
        // Comparisons are random and never the same, so only builds are cached.
        executor: &fresh,
        builder: &builder,
        events: &output.sink(),
    };
    let search = Stress {
        options,
        setting: &setting,
        promotion: promotion.as_ref(),
        bench,
        scheduler,
        isolation: host.isolation,
        is_stopped: &|| host.is_stopped(),
        part: &|part| output.part(part),
    };
    search.run()
}

/// Reads what the options name.
fn setting(options: &StressOptions, output: &Output) -> Result<Setting, Stop> {
    let problem = match &options.package {
        Some(dir) => {
            let problem = problem::read(dir, None, Remarks::Errors, output)?;
            if options.promote.is_some() {
                output.writable()?;
            }
            problem
        }
        None => Problem { dir: FilePath::root("."), ..Problem::default() },
    };
    if problem.kind.submitted == Submitted::Answers {
        let what = "submissions to this problem are answers, not programs; use `juror judge`";
        return Err(Stop::usage(what));
    }
    let submission = named(&options.submission, &problem).map_err(Stop::usage)?;
    let reference = options.reference.as_ref();
    let reference = reference.map(|path| reference_at(path, &problem));
    let reference = reference.transpose().map_err(Stop::usage)?;
    let grammar = options.input_grammar.as_deref();
    let inputs = ProblemInputs::read(problem, grammar, &output.sink())?;
    let has_package = options.package.is_some();
    if has_package {
        output.event(Event::package_read(&inputs.problem, 1, 0));
    }
    let promotes = options.promote.is_some();
    Ok(Setting { has_package, inputs, submission, reference, promotes })
}

/// A file, or one of the package's submissions by its name.
fn reference_at(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let name = path.to_string_lossy();
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => Ok(own.clone()),
        _ => named(path, problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_time_has_a_unit() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let span = span(text).ok().map(|span| span.as_millis());
            assert_eq!(span, milliseconds, "{text}");
        };
        check("30s", Some(30_000));
        check("30", Some(30_000));
        check("0.5m", Some(30_000));
        check("250ms", Some(250));
        check("1h", Some(3_600_000));
        for text in ["", "s", "0", "0s", "-1s", "1d", "nan", "1e99s", "inf"] {
            check(text, None);
        }
    }
}
