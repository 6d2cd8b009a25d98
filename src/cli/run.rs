//! `juror run`: runs a submission once and shows all of its output, without a verdict.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::amounts::{parse_memory_limit, parse_time_limit};
use crate::cli::interactive;
use crate::cli::options::{HostArguments, OutputOptions, RUNS};
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
    #[arg(required_unless_present_any = ["play", "program"], conflicts_with = "play")]
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
    /// CPU time limit of the run, such as 1.5s or 500ms, instead of the package's; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit, help_heading = RUNS)]
    pub time_limit: Option<Duration>,
    /// Memory limit of the run, such as 256M or 1G, instead of the package's; a number alone is in MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory_limit, help_heading = RUNS)]
    pub memory_limit: Option<Bytes>,
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
            program: self.program.clone(),
            input: self.input.clone(),
            case: self.case.clone(),
            time_limit: self.time_limit,
            memory_limit: self.memory_limit,
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
