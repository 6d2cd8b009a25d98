//! `juror doctor`: what this machine can do, and what would improve it.

use clap::Args;

use crate::cli::cluster::survey;
use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::doctor::examine;
use crate::ops::context::Context;
use juror_core::cluster::ServerDiagnosis;
use juror_core::host::Diagnosis;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Check a NATS server for workers instead, such as nats://host?key=FILE&ca=FILE
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
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

pub struct ServerCheck<'a> {
    pub url: &'a str,
    pub output: &'a OutputOptions,
}

impl Operation for ServerCheck<'_> {
    type Result = ServerDiagnosis;
    const NAME: &'static str = "doctor";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, _: &Context) -> Result<ServerDiagnosis, Stop> {
        survey(self.url).map(ServerDiagnosis)
    }
}
