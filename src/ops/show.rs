//! `juror show`: the contents of a package, or the files of one test case.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::door::cases::find_case;
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::ops::problem::{self, ShownDiagnostics};
use juror_core::event::Event;
use juror_core::stop::Stop;
use juror_packages::package::contents::PackageListing;
use juror_packages::package::format_names;
use juror_packages::package::listing::{case_files, listing};

#[derive(Debug, Args)]
pub struct ShowOptions {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// A test case, to see its files
    pub case: Option<String>,
    /// Show long files in full
    #[arg(long, requires = "case")]
    pub all: bool,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
}

impl Operation for ShowOptions {
    type Result = PackageListing;
    const NAME: &'static str = "show";

    fn run(&self, context: &Context) -> Result<PackageListing, Stop> {
        let format = self.format.as_deref();
        let problem =
            problem::read_problem(&self.package, format, ShownDiagnostics::Errors, context)?;
        let case = match &self.case {
            Some(typed) => Some(case_files(find_case(&problem, typed)?, self.all)?),
            None => None,
        };
        context.send_event(Event::package_read(
            &problem,
            problem.submissions.len(),
            problem.test_data.cases.len(),
        ));
        Ok(listing(&problem, case))
    }
}
