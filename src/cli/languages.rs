//! `juror languages`: the languages that juror supports, and their tools on this machine.

use clap::Args;

use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::languages::{LanguageListing, list_languages};
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct LanguagesArguments {
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for LanguagesArguments {
    type Result = LanguageListing;
    const NAME: &'static str = "languages";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, _: &Context) -> Result<LanguageListing, Stop> {
        Ok(list_languages())
    }
}
