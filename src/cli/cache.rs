//! `juror cache`: the results that are kept for later commands.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::Path;
use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};

use crate::cache::store::{CAP, FACTS, Pruned, Stat, Store, Verified, is_private};
use crate::cli::options::CacheOptions;
use crate::cli::output::{Operation, print};
use crate::model::diagnostic::Diagnostic;
use crate::model::stop::{Mend, Stop};
use crate::model::units::Bytes;
use crate::ops::context::Context;

/// Arguments of `juror cache`.
#[derive(Args, Debug)]
pub struct CacheArguments {
    /// What to do
    #[arg(value_enum, default_value_t)]
    pub action: Action,
    /// Size to prune to, in MiB; the least recently used results go first [default: 2048]
    #[arg(long, value_name = "MIB")]
    pub to: Option<u64>,
    /// Where it is.
    #[command(flatten)]
    pub cache: CacheOptions,
}

/// What to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Action {
    /// Show its directory, size and age
    #[default]
    Stat,
    /// Remove the least recently used results
    Prune,
    /// Read all of it, and remove what is damaged
    Verify,
}

impl Operation for CacheArguments {
    type Result = ();
    const NAME: &'static str = "cache";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        act(self)
    }
}

fn act(arguments: &CacheArguments) -> Result<(), Stop> {
    if arguments.to.is_some() && arguments.action != Action::Prune {
        return Err(Stop::usage("--to is only for `juror cache prune`; leave it out"));
    }
    let Some(dir) = arguments.cache.place() else {
        return Err(Stop::usage("the cache is off; give a directory with --cache or JUROR_CACHE"));
    };
    // A command that only looks must not create files.
    let lacks = |dir: &Path| fs::symlink_metadata(dir).is_err_and(|it| it.kind() == NotFound);
    let nothing = if lacks(&dir) {
        Some("does not exist: nothing is kept yet")
    } else if is_private(&dir) && lacks(&dir.join(FACTS)) {
        Some("has no results: nothing is kept yet")
    } else {
        None
    };
    if let Some(nothing) = nothing {
        let dir = dir.display();
        return print("what is kept", |out| writeln!(out, "{dir} {nothing}"));
    }
    let store = Store::open(&dir, CAP).map_err(|refused| Stop::usage(*refused))?;
    let to = arguments.to.map_or(CAP, Bytes::mib);
    let said = match arguments.action {
        Action::Stat => store.stat().map(|stat| of_stat(&dir, &stat, SystemTime::now())),
        Action::Prune => store.prune(to).map(of_pruned),
        Action::Verify => store.verify().map(of_verified),
    };
    let said = said.map_err(|error| {
        let help = "make it a directory that you can read and write, or remove it";
        let unusable = Diagnostic::error(&dir, format!("cannot be used: {error}")).help(help);
        Stop::Refused(Mend::CommandLine, vec![unusable.into()])
    })?;
    print("what is kept", |out| out.write_all(said.as_bytes()))
}

fn of_stat(dir: &Path, stat: &Stat, now: SystemTime) -> String {
    let Stat { records, blobs, bytes, oldest } = stat;
    let oldest = match oldest {
        None => "nothing".to_owned(),
        Some(oldest) => age(now.duration_since(*oldest).unwrap_or_default()),
    };
    let dir = dir.display();
    format!(
        "directory    {dir}\nresults      {records}\nlarge files  {blobs}\nsize         {bytes} of {CAP}\noldest use   {oldest}\n"
    )
}

fn age(age: Duration) -> String {
    match age.as_secs() / (24 * 3600) {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    }
}

fn of_pruned(Pruned { removed, left }: Pruned) -> String {
    format!("removed {removed}, {left} left\n")
}

fn of_verified(Verified { whole, damaged }: Verified) -> String {
    match damaged {
        0 => format!("{whole} entries, all intact\n"),
        _ => format!("{whole} entries are intact, {damaged} were damaged and have been removed\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_days() {
        for (hours, expected) in [(1, "today"), (30, "yesterday"), (48, "2 days ago")] {
            assert_eq!(age(Duration::from_secs(hours * 3600)), expected);
        }
    }
}
