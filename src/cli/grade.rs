//! `juror grade`: a stream of submissions, a line for each, and a line for each result.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use crate::cli::options::{Color, HostArguments, OutputOptions};
use crate::cli::output::Operation;
use crate::cli::streams;
use crate::ops::context::Context;
use crate::ops::grade::{GradeOptions, StreamSummary, grade};
use crate::report::log::LogFormat;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct GradeArguments {
    /// Read lines of another form: a JSON object like a line, with a JSON pointer in place of each value
    ///
    /// Example: {"source": "/solution", "cases": "/test_cases"}. A pointer can lead into text that is JSON. Test cases
    /// may be lists side by side: {"cases": {"input": "/inputs", "answer": "/outputs"}}; a list of other objects:
    /// {"cases": {"each": "/tests", "input": "/in", "answer": "/out"}}; or a list of these.
    #[arg(long, value_name = "JSON")]
    pub map: Option<String>,
    /// Defaults for what a line leaves out: a JSON object like a line
    ///
    /// Example: {"source": {"language": "python3"}, "limits": {"time": 5}}.
    #[arg(long, value_name = "JSON")]
    pub defaults: Option<String>,
    /// Write results in the order of the lines, instead of completion
    #[arg(long)]
    pub ordered: bool,
    /// Repeat runs near the time limit, one at a time
    ///
    /// Otherwise their verdicts are marked `sensitive`; `juror help time` explains how.
    #[arg(long)]
    pub repeat: bool,
    /// Write results to FILE, which must be empty or new, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Go on after the results that FILE already has, and judge only the other lines
    ///
    /// FILE may be new: the same command starts and resumes. A FILE with anything but results is refused, and not
    /// changed.
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colour: auto, always or never
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, hide_possible_values = true)]
    pub color: Color,
    #[command(flatten)]
    pub host: HostArguments,
}

impl Operation for GradeArguments {
    type Result = StreamSummary;
    const NAME: &'static str = "grade";

    fn output(&self) -> OutputOptions {
        OutputOptions {
            quiet: self.quiet,
            color: self.color,
            uses_stderr: true,
            hides_progress: self.output.is_none() && io::stdout().is_terminal(),
            ..OutputOptions::default()
        }
    }

    fn run(&self, context: &Context) -> Result<StreamSummary, Stop> {
        let options = GradeOptions {
            map: self.map.clone(),
            defaults: self.defaults.clone(),
            ordered: self.ordered,
            repeat: self.repeat,
            output: self.output.clone(),
            resume: self.resume,
            host: self.host.options(),
        };
        Ok(grade(&options, Box::new(streams::out(LogFormat::Json)), context))
    }
}
