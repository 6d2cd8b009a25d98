//! `juror convert`: writes a package in another format to a new directory, and reports what had no equivalent.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::amounts::parse_time_limit;
use crate::cli::options::{HostArguments, OutputOptions};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::convert::{Conversion, ConvertOptions, convert};
use juror_core::stop::Stop;
use juror_packages::package::convert::TargetFormat;
use juror_packages::package::format_names;

#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// The new package, which must not exist yet
    pub out: PathBuf,
    /// Format of the new package: 2025-09, legacy or domjudge-zip
    ///
    /// `domjudge-zip` is a zip archive in the legacy format, with domjudge-problem.ini.
    #[arg(long, value_name = "FORMAT", value_parser = parse_target)]
    pub to: TargetFormat,
    /// Format of the old package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
    /// Time limit for DOMjudge, such as 2s, instead of the package's; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub host: HostArguments,
    #[command(flatten)]
    pub output: OutputOptions,
}

fn parse_target(text: &str) -> Result<TargetFormat, String> {
    let named = TargetFormat::ALL.into_iter().find(|target| target.name() == text);
    named.ok_or_else(|| "expected 2025-09, legacy or domjudge-zip".to_owned())
}

impl Operation for ConvertArguments {
    type Result = Conversion;
    const NAME: &'static str = "convert";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<Conversion, Stop> {
        let options = ConvertOptions {
            package: self.package.clone(),
            out: self.out.clone(),
            to: self.to,
            format: self.format.clone(),
            time_limit: self.time_limit,
            host: self.host.options(),
        };
        convert(&options, context)
    }
}
