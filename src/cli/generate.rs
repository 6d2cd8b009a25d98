//! `juror generate`: test data from its recipe.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::{HostArguments, OutputOptions, ReportOptions};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::generate::{GenerateOptions, generate_all};
use juror_core::event::CommandTask;
use juror_core::stop::Stop;

#[derive(Clone, Debug, Default, Args)]
pub struct GenerateArguments {
    /// Problem packages: directories or archives
    #[arg(required_unless_present = "from_grammar", value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Write nothing; fail if anything differs from what the recipe makes
    ///
    /// Makes everything again, and starts every generator twice, a second apart. A generator whose outputs differ is
    /// reported.
    #[arg(long, conflicts_with_all = ["fresh", "prune", "from_grammar"])]
    pub check: bool,
    /// Add a first set of test cases, made from the grammar of the input, to the recipe and the data
    ///
    /// The grammar is the package's first, or the one given here.
    /// Existing test cases stay as they are, and existing inputs are not added again.
    #[arg(long, value_name = "GRAMMAR", num_args = 0..=1, conflicts_with = "prune")]
    pub from_grammar: Option<Option<PathBuf>>,
    /// Directory for test cases from the grammar, below the secret ones [default: from-grammar]
    #[arg(long, value_name = "DIRECTORY", requires = "from_grammar")]
    pub into: Option<String>,
    /// Random seed of the test cases from the grammar [default: 1]
    #[arg(long, value_name = "N", requires = "from_grammar")]
    pub seed: Option<u64>,
    /// Remove the files of test cases and groups that the recipe does not make
    ///
    /// Other files stay, such as your settings for a test case of the recipe. Unchanged files that juror made earlier
    /// are removed, too. Without --prune, such files are only listed.
    #[arg(long)]
    pub prune: bool,
    #[command(flatten)]
    pub host: HostArguments,
    #[command(flatten)]
    pub reports: ReportOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for GenerateArguments {
    type Result = ();
    const NAME: &'static str = "generate";
    const TASK: CommandTask = CommandTask::Generate;

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn reports(&self) -> ReportOptions {
        self.reports.clone()
    }

    fn run(&self, context: &Context) -> Result<(), Stop> {
        generate_all(&self.options()?, context)
    }
}

impl GenerateArguments {
    /// In `--from-grammar DIRECTORY`, the directory is the package.
    fn options(&self) -> Result<GenerateOptions, Stop> {
        let (mut packages, mut grammar) =
            (self.packages.clone(), self.from_grammar.clone().flatten());
        if packages.is_empty() {
            let Some(package) = grammar.take_if(|it| it.is_dir()) else {
                let what = "give a package: juror generate PACKAGE --from-grammar [GRAMMAR]";
                return Err(Stop::usage(what));
            };
            packages.push(package);
        }
        Ok(GenerateOptions {
            packages,
            check: self.check,
            from_grammar: self.from_grammar.is_some(),
            grammar,
            into: self.into.clone(),
            seed: self.seed.unwrap_or(1),
            prune: self.prune,
            host: self.host.options(),
        })
    }
}
