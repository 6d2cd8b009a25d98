//! `juror doctor`: what this machine can do, and what would improve it.

use clap::Args;

use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::doctor::examine;
use crate::ops::context::Context;
use juror_core::host::Diagnosis;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct DoctorArguments {
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for DoctorArguments {
    type Result = Diagnosis;
    const NAME: &'static str = "doctor";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, _: &Context) -> Result<Diagnosis, Stop> {
        examine()
    }
}
