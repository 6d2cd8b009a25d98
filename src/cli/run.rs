//! `juror run`: runs a submission once and shows all of its output, without a verdict.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::interactive;
use crate::cli::options::{HostArguments, OutputOptions, RUNS, parse_time_limit};
use crate::cli::output::Operation;
use crate::cli::streams;
use crate::ops::context::Context;
use crate::ops::run::{Person, RunOnceOptions, run_once};
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_judging::judge::single_run::SingleRun;
use juror_packages::package::format_names;

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
    #[arg(long, value_name = "SECONDS", value_parser = parse_time_limit, help_heading = RUNS)]
    pub time_limit: Option<Duration>,
    /// Memory limit of the run in MiB, instead of the package's
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20), help_heading = RUNS)]
    pub memory_limit: Option<u64>,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()), help_heading = RUNS)]
    pub format: Option<String>,
    #[command(flatten)]
    pub host: HostArguments,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for RunArguments {
    type Result = SingleRun;
    const NAME: &'static str = "run";

    fn output(&self) -> OutputOptions {
        OutputOptions {
            // The terminal shows what the person types and what the program writes.
            hides_progress: io::stdin().is_terminal() || io::stdout().is_terminal(),
            ..self.output.clone()
        }
    }

    fn run(&self, context: &Context) -> Result<SingleRun, Stop> {
        let options = RunOnceOptions {
            package: self.package.clone(),
            submission: self.submission.clone(),
            input: self.input.clone(),
            case: self.case.clone(),
            time_limit: self.time_limit,
            memory_limit: self.memory_limit.map(Bytes::mib),
            format: self.format.clone(),
            host: self.host.options(),
        };
        let person = Person {
            talk: &|mark, most, run| interactive::connect_terminal(mark, most, run),
            ask: &|| {
                if io::stdin().is_terminal() {
                    streams::print_remark("type the input; Ctrl-D ends it");
                }
            },
        };
        let is_raw = !io::stdout().is_terminal();
        run_once(&options, &person, context).map(|run| SingleRun { is_raw, ..run })
    }
}
