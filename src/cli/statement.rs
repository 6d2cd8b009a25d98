//! `juror statement`: a problem's statement as a self-contained page.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::statement::{StatementOptions, StatementPages, write_pages};
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct StatementArguments {
    /// The problem package: a directory, or an archive such as .zip or .tar.gz
    pub package: PathBuf,
    /// Only the statement in this language, such as en; can be given several times [default: all]
    #[arg(long, value_name = "CODE")]
    pub language: Vec<String>,
    /// Where to write: a file, `-` for standard output, or a directory for one file in each language
    /// [default: NAME.html]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for StatementArguments {
    type Result = StatementPages;
    const NAME: &'static str = "statement";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<StatementPages, Stop> {
        let is_to_stdout = self.out.as_ref().is_some_and(|out| out.as_os_str() == "-");
        if is_to_stdout && self.output.json {
            let what = "--out - and --json both write to standard output; choose a file with --out";
            return Err(Stop::usage(what));
        }
        let options = StatementOptions {
            package: self.package.clone(),
            languages: self.language.clone(),
            out: self.out.clone(),
        };
        write_pages(&options, context)
    }
}
