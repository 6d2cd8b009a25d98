//! `juror doctor`: what this machine can do, and what would improve it.

use clap::Args;

use crate::cli::cluster::survey;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::command;
use crate::doctor::examine;
use crate::model::event::Event;

/// Arguments of `juror doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Check a NATS server for workers instead, such as nats://host?key=FILE&ca=FILE
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Tests this machine.
pub fn run(arguments: &DoctorArguments) -> ExitCode {
    command(&arguments.output, "doctor", |output| {
        if let Some(url) = &arguments.nats {
            return survey(url, output);
        }
        output.event(Event::HostExamined(Box::new(examine()?)));
        Ok(())
    })
}
