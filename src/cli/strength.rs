//! `juror strength`: how strong a package's test data is, and what it misses.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::amounts::parse_span;
use crate::cli::options::{HostArguments, OutputOptions, ReportOptions};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::strength::{StrengthOptions, strength};
use juror_core::stop::Stop;
use juror_data::strength::measure::DEFAULT_ROUNDS;
use juror_data::strength::result::Strength;

#[derive(Debug, Args)]
pub struct StrengthArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// How long it may take, such as 60s or 5m; what is not done by then is reported as cut off
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_span)]
    pub time: Duration,
    /// Rounds of up to 224 fresh inputs that a program must survive to be presumed equivalent
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS)]
    pub rounds: usize,
    /// Random seed of fresh inputs; the same seed gives the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run everything on all test cases, to see which one catches what
    ///
    /// Without it, a program is run until two test cases reject it.
    #[arg(long)]
    pub matrix: bool,
    /// Add inputs that catch what is missed to the package and its recipe, one for each kind of fault
    ///
    /// They become data/secret/strength/NAME, with their judge answers. Run the command again to see the gain.
    #[arg(long)]
    pub promote: bool,
    /// Write an HTML page: what passes, and which test case rejects which program
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostArguments,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for StrengthArguments {
    type Result = Strength;
    const NAME: &'static str = "strength";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn reports(&self) -> ReportOptions {
        ReportOptions { html: self.html.clone(), ..ReportOptions::default() }
    }

    fn run(&self, context: &Context) -> Result<Strength, Stop> {
        let options = StrengthOptions {
            package: self.package.clone(),
            time: self.time,
            rounds: self.rounds,
            seed: self.seed,
            matrix: self.matrix,
            promote: self.promote,
            host: self.host.options(),
        };
        strength(&options, context)
    }
}
