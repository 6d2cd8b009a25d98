//! Shows, prunes or checks the cache of results for later commands.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::ops::amounts::parse_size;
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::ops::options::CacheOptions;
use crate::report::result::CommandResult;
use crate::report::terminal::page::Page;
use juror_core::diagnostic::Diagnostic;
use juror_core::serial::Location;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::units::Bytes;
use juror_judging::cache::store::{
    CAP, CacheStatistics, FACTS, PruneResult, Store, VerifyResult, is_private,
};

#[derive(Args, Debug)]
pub struct ManageOptions {
    /// What to do
    #[arg(value_enum, default_value_t)]
    pub action: CacheAction,
    /// Size to prune to, such as 500M; the least recently used results go first [default: 2G]
    ///
    /// A number alone is in MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub to: Option<Bytes>,
    #[command(flatten)]
    pub cache: CacheOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CacheAction {
    /// Show its directory, size and age
    #[default]
    Stat,
    /// Remove the least recently used results
    Prune,
    /// Read all entries, and remove damaged ones
    Verify,
}

impl Operation for ManageOptions {
    type Result = CacheReport;
    const NAME: &'static str = "cache";

    fn run(&self, _: &Context) -> Result<CacheReport, Stop> {
        if self.to.is_some() && self.action != CacheAction::Prune {
            return Err(Stop::usage("--to is only for `juror cache prune`; leave it out"));
        }
        let directory = self.cache.directory().ok_or_else(|| {
            Stop::usage("the cache is off; give a directory with --cache or JUROR_CACHE")
        })?;
        let mut report = CacheReport { directory: directory.clone(), ..CacheReport::default() };
        // A command that only looks must not create files.
        let lacks =
            |dir: &Path| fs::symlink_metadata(dir).is_err_and(|error| error.kind() == NotFound);
        if lacks(&directory) || is_private(&directory) && lacks(&directory.join(FACTS)) {
            return Ok(report);
        }
        let store = Store::open(&directory, CAP).map_err(|refused| Stop::usage(*refused))?;
        let done = match self.action {
            CacheAction::Stat => store.stat().map(|kept| report.kept = Some(kept)),
            CacheAction::Prune => {
                store.prune(self.to.unwrap_or(CAP)).map(|pruned| report.pruned = Some(pruned))
            }
            CacheAction::Verify => store.verify().map(|verified| report.verified = Some(verified)),
        };
        done.map_err(|error| {
            let help = "make it a directory that you can read and write, or remove it";
            let unusable = format!("cannot use this directory: {error}");
            let unusable = Diagnostic::error(&*directory, unusable).help(help);
            Stop::Refused(RefusalSubject::CommandLine, vec![unusable.into()])
        })?;
        Ok(report)
    }
}

/// The result of `juror cache`. At most one of the three is set; none if nothing is cached yet.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheReport {
    /// The directory.
    #[serde_as(as = "Location")]
    pub directory: PathBuf,
    pub kept: Option<CacheStatistics>,
    pub pruned: Option<PruneResult>,
    pub verified: Option<VerifyResult>,
}

impl CommandResult for CacheReport {
    fn render(&self, page: &mut Page<'_>) {
        let directory = self.directory.display();
        match (&self.kept, &self.pruned, &self.verified) {
            (Some(statistics), ..) => {
                page.line(0, &format!("directory    {directory}"));
                page.line(0, &format!("results      {}", statistics.results));
                page.line(0, &format!("large files  {}", statistics.large_files));
                page.line(0, &format!("size         {} of {}", statistics.size, statistics.limit));
                let oldest = match statistics.oldest_use_days {
                    None => "nothing".to_owned(),
                    Some(0) => "today".to_owned(),
                    Some(1) => "yesterday".to_owned(),
                    Some(days) => format!("{days} days ago"),
                };
                page.line(0, &format!("oldest use   {oldest}"));
            }
            (_, Some(PruneResult { removed, left }), _) => {
                page.line(0, &format!("removed {removed}, {left} left"));
            }
            (_, _, Some(VerifyResult { whole, damaged: 0 })) => {
                page.line(0, &format!("{whole} entries, all intact"));
            }
            (_, _, Some(VerifyResult { whole, damaged })) => page.line(
                0,
                &format!(
                    "{whole} entries are intact, {damaged} were damaged and have been removed"
                ),
            ),
            (None, None, None) => page.line(0, &format!("{directory}: nothing is kept yet")),
        }
    }
}
