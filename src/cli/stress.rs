//! `juror stress`: searches for an input on which a submission fails, and makes it small.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::options::{HostArguments, OutputOptions, ReportOptions, parse_time_limit};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::options::option_words;
use crate::ops::stress::{StressOptions, stress};
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_data::search::result::StressResult;

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
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_span)]
    pub time: Duration,
    /// How long to shrink the input that is found [default: as long as --time, at most 20s]
    ///
    /// Time left over from --time is added. A run in progress at the end is stopped.
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub shrink_time: Option<Duration>,
    /// How long to search for what failing inputs have in common; 0 skips this
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_span_or_zero)]
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
    /// An existing FILE is replaced in one step, and stays unchanged if nothing is found.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write an HTML page: the input that is found, and the outputs of both programs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostArguments,
    /// CPU time limit of a run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub output: OutputOptions,
}

fn parse_span_or_zero(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { parse_span(text) }
}

/// Parses a time span: a number, followed by `ms`, `s`, `m` or `h`; without unit it is in seconds.
pub(super) fn parse_span(text: &str) -> Result<Duration, String> {
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

const DEFAULT_EXPLAIN_TIME: Duration = Duration::from_secs(5);

impl Operation for StressArguments {
    type Result = StressResult;
    const NAME: &'static str = "stress";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn reports(&self) -> ReportOptions {
        ReportOptions { html: self.html.clone(), ..ReportOptions::default() }
    }

    fn run(&self, context: &Context) -> Result<StressResult, Stop> {
        stress(&parse_options(self)?, context)
    }
}

fn parse_options(arguments: &StressArguments) -> Result<StressOptions, Stop> {
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
        host: arguments.host.options(),
        repeat: repeat_line(arguments, seed),
    })
}

fn repeat_line(arguments: &StressArguments, seed: u64) -> String {
    let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
    let number = |time: Duration| OsString::from(time.as_secs_f64().to_string());
    let span = |time: Duration| OsString::from(format!("{}s", time.as_secs_f64()));
    words.extend(option_words([
        ("--input-grammar", arguments.input_grammar.clone().map(OsString::from)),
        ("--reference", arguments.reference.clone().map(OsString::from)),
        ("--time-limit", arguments.time_limit.map(number)),
        ("--runs", arguments.runs.map(|runs| runs.to_string().into())),
        ("--time", Some(span(arguments.time))),
        ("--shrink-time", arguments.shrink_time.map(span)),
        ("--explain", Some(arguments.explain).filter(|it| *it != DEFAULT_EXPLAIN_TIME).map(number)),
        ("--seed", Some(seed.to_string().into())),
    ]));
    words.extend(arguments.host.fresh.then(|| "--fresh".into()));
    words.extend(arguments.host.options().repeat_arguments());
    words.extend(arguments.targets.iter().map(OsString::from));
    command_line(words)
}

/// A random seed, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_time_has_a_unit() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let span = parse_span(text).ok().map(|span| span.as_millis());
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
