//! `juror mutants`: right submissions with one mistake in each.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::mutants::{MutantListing, MutantsOptions, list_mutants};
use juror_core::stop::Stop;
use juror_data::faults::operator::Operator;
use juror_packages::package::format_names;

#[derive(Debug, Args)]
pub struct MutantsArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// A submission, by its path, or by its name in the package [default: each accepted one]
    pub submission: Option<PathBuf>,
    /// Only mutants of this operator; can be repeated
    #[arg(long, value_name = "OPERATOR", ignore_case = true,
          value_parser = PossibleValuesParser::new(Operator::RANKED.map(|(it, _)| it.name())))]
    pub operator: Vec<String>,
    /// Show the mutant with this name, with its lines
    #[arg(long, value_name = "ID")]
    pub show: Option<String>,
    /// Write the mutant with this name as a submission: a new file, or a directory
    #[arg(long, num_args = 2, value_names = ["ID", "FILE_OR_DIRECTORY"], requires = "submission",
          conflicts_with = "show")]
    pub export: Option<Vec<PathBuf>>,
    /// Seed that chooses the half of the operators to hold out
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for MutantsArguments {
    type Result = MutantListing;
    const NAME: &'static str = "mutants";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<MutantListing, Stop> {
        let [id, export] = match self.export.as_deref() {
            Some([id, to]) => [Some(id), Some(to)],
            _ => [None, None],
        };
        let options = MutantsOptions {
            package: self.package.clone(),
            format: self.format.clone(),
            submission: self.submission.clone(),
            operators: self.operator.iter().filter_map(|name| Operator::by_name(name)).collect(),
            id: self.show.clone().or_else(|| Some(id?.to_string_lossy().into_owned())),
            export: export.cloned(),
            seed: self.seed,
        };
        list_mutants(&options, context)
    }
}
