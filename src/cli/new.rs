//! `juror new`: makes a package from a template that can be verified at once.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::{HostArguments, OutputOptions, one_of};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::new::{NewOptions, create_package};
use juror_core::stop::Stop;
use juror_packages::new::Template;
use juror_packages::new::created_package::CreatedPackage;

#[derive(Debug, Args)]
pub struct NewArguments {
    /// The new package, such as hello: lower-case letters and digits; its directory must not exist yet
    #[arg(value_name = "NAME")]
    pub package: PathBuf,
    /// What kind of problem: pass-fail, interactive, scoring, file-io or game
    ///
    /// `interactive`: submissions talk with the judge. `scoring`: points by test group. `file-io`: input and output
    /// are files such as hello.in and hello.out. `game`: two players, both of whom play as well as possible.
    #[arg(
        long = "type", value_name = "TYPE", default_value = "pass-fail",
        value_parser = one_of(Template::ALL, Template::name), hide_possible_values = true
    )]
    pub template: Template,
    #[command(flatten)]
    pub host: HostArguments,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for NewArguments {
    type Result = CreatedPackage;
    const NAME: &'static str = "new";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<CreatedPackage, Stop> {
        let (package, template) = (self.package.clone(), self.template);
        create_package(&NewOptions { package, template, host: self.host.options() }, context)
    }
}
