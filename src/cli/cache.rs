//! `juror cache`: the results of earlier commands.

use clap::{Args, ValueEnum};

use crate::cli::amounts::parse_size;
use crate::cli::options::{CacheOptions, OutputOptions};
use crate::cli::output::Operation;
use crate::ops::cache::{CacheAction, CacheReport, manage_cache};
use crate::ops::context::Context;
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_judging::cache::store::CAP;

#[derive(Args, Debug)]
pub struct CacheArguments {
    /// What to do
    #[arg(value_enum, default_value_t)]
    pub action: Action,
    /// Size to prune to, such as 500M; the least recently used results go first [default: 2G]
    ///
    /// A number alone is in MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub to: Option<Bytes>,
    #[command(flatten)]
    pub cache: CacheOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Action {
    /// Show its directory, size and age
    #[default]
    Stat,
    /// Remove the least recently used results
    Prune,
    /// Read all entries, and remove damaged ones
    Verify,
}

impl Operation for CacheArguments {
    type Result = CacheReport;
    const NAME: &'static str = "cache";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, _: &Context) -> Result<CacheReport, Stop> {
        if self.to.is_some() && self.action != Action::Prune {
            return Err(Stop::usage("--to is only for `juror cache prune`; leave it out"));
        }
        let Some(directory) = self.cache.directory() else {
            let off = "the cache is off; give a directory with --cache or JUROR_CACHE";
            return Err(Stop::usage(off));
        };
        let action = match self.action {
            Action::Stat => CacheAction::Stat,
            Action::Prune => CacheAction::Prune(self.to.unwrap_or(CAP)),
            Action::Verify => CacheAction::Verify,
        };
        manage_cache(&directory, action)
    }
}
