//! `juror stress`: searches for an input on which a submission fails, and makes it small.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::amounts::{parse_span, parse_span_or_zero, parse_time_limit};
use crate::cli::given::GivenOptions;
use crate::cli::options::{BuildArguments, HostArguments, OutputOptions, ReportOptions};
use crate::cli::output::Operation;
use crate::door::comparison::ComparisonMode;
use crate::ops::context::Context;
use crate::ops::stress::{StressOptions, StressedSubmission, stress};
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_data::search::result::StressResult;

#[derive(Debug, Args)]
pub struct StressArguments {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// The problem package, then the submission; with --reference and --generator or
    /// --input-grammar the submission alone
    #[arg(required_unless_present = "program", num_args = 1..=2, value_name = "PACKAGE> <SUBMISSION")]
    pub targets: Vec<PathBuf>,
    /// After `--`: a submission that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The program whose output counts as right [default: an accepted submission of the package]
    ///
    /// A file, a command in quotes, or the name of one of the package's submissions, such as accepted/slow.py.
    #[arg(long, visible_alias = "against", value_name = "PROGRAM")]
    pub reference: Option<OsString>,
    /// The program that prints inputs, such as gen.py or 'gen.py {n} {seed}'
    ///
    /// A source, a directory, an executable, or a command in quotes, split into words as in a shell, but no shell runs
    /// it. It gets the seed, a number from 0 to 2147483647, as its last argument unless `{seed}` stands in the words.
    /// `{n}` starts at 1 and grows with the number of inputs. All inputs come from it.
    #[arg(long, value_name = "PROGRAM")]
    pub generator: Option<OsString>,
    /// The largest `{n}` of the generator [default: 1000]
    #[arg(long, value_name = "N", requires = "generator", value_parser = clap::value_parser!(u32).range(1..))]
    pub n_max: Option<u32>,
    /// The program that judges outputs, or a comparison as for --compare
    ///
    /// It is called as `CHECKER INPUT OUTPUT ANSWER`, and exits with 0 or 42 if the output is right, with 1 or 43 if it
    /// is wrong. If it includes testlib.h, it is called as testlib demands. ANSWER is the reference's output.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "compare")]
    pub checker: Option<OsString>,
    /// The program that accepts valid inputs, on standard input, by exit code 0 or 42
    ///
    /// With it, inputs are also made smaller as text.
    #[arg(long, value_name = "PROGRAM")]
    pub validator: Option<OsString>,
    /// The program that talks with the submission, and judges it as a checker does
    ///
    /// It is called as `INTERACTOR INPUT OUTPUT ANSWER`; OUTPUT is a file that it may write for the checker.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "compare")]
    pub interactor: Option<OsString>,
    /// How to compare outputs, as in `juror judge` [default: as the package says]
    #[arg(long, value_name = "HOW", value_parser = ComparisonMode::parse)]
    pub compare: Option<ComparisonMode>,
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
    /// Write the whole input that is found to PATH: a new file, or a directory
    ///
    /// In a directory, it becomes the bare test with the next free number, such as 4.in and 4.ans. Nothing is
    /// overwritten.
    #[arg(long, value_name = "PATH")]
    pub save: Option<PathBuf>,
    /// If nothing is found, write the input on which the submission is slowest to PATH, like --save
    #[arg(long, value_name = "PATH")]
    pub save_slowest: Option<PathBuf>,
    /// Write an HTML page: the input that is found, and the outputs of both programs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostArguments,
    /// CPU time limit of a run, such as 1.5s or 500ms, instead of the package's; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub build: BuildArguments,
    #[command(flatten)]
    pub output: OutputOptions,
}

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
    let has_inputs = arguments.input_grammar.is_some() || arguments.generator.is_some();
    let stands_alone = has_inputs && arguments.reference.is_some();
    let file = |path: &PathBuf| StressedSubmission::File(path.clone());
    let command = || StressedSubmission::Command(arguments.program.clone());
    let (package, submission) = match (arguments.targets.as_slice(), arguments.program.is_empty()) {
        ([package, submission], true) => (Some(package), file(submission)),
        ([package], false) => (Some(package), command()),
        ([submission], true) if stands_alone => (None, file(submission)),
        ([], false) if stands_alone => (None, command()),
        ([_, _], false) => {
            return Err(Stop::usage("give one submission: as a file, or as a command after `--`"));
        }
        _ if arguments.generator.is_some() => {
            return Err(Stop::usage(
                "give a package and a submission; or, without a package, --reference, a correct program, and a submission",
            ));
        }
        _ => {
            return Err(Stop::usage(
                "give a package and a submission; or, without a package, --reference, --generator or --input-grammar, and \
                 a submission",
            ));
        }
    };
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    Ok(StressOptions {
        package: package.cloned(),
        submission,
        reference: arguments.reference.clone(),
        generator: arguments.generator.clone(),
        size_max: arguments.n_max,
        checker: arguments.checker.clone(),
        validator: arguments.validator.clone(),
        interactor: arguments.interactor.clone(),
        compare: arguments.compare.clone(),
        input_grammar: arguments.input_grammar.clone(),
        time: arguments.time,
        shrink_time: arguments.shrink_time,
        explain: arguments.explain,
        runs: arguments.runs,
        seed,
        promote: arguments.promote.clone(),
        save: arguments.save.clone(),
        save_slowest: arguments.save_slowest.clone(),
        time_limit: arguments.time_limit,
        variant: arguments.build.variant(),
        host: arguments.host.options(),
        repeat: repeat_line(arguments, seed),
    })
}

fn repeat_line(arguments: &StressArguments, seed: u64) -> String {
    let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
    words.extend(arguments.given.words.iter().cloned());
    words.extend(["--seed".into(), seed.to_string().into()]);
    words.extend(arguments.targets.iter().map(OsString::from));
    if !arguments.program.is_empty() {
        words.push("--".into());
        words.extend(arguments.program.iter().cloned());
    }
    command_line(words)
}

/// A random seed, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}
