//! `juror doctor`: what this machine can do, and what would improve it.

use clap::Args;

use crate::cli::advice::{chosen, findings};
use crate::cli::cluster::survey;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::command;
use crate::executor::parallel;
use crate::language::tool::{TOOLS, Tool};
use crate::language::toolchain::Toolchains;
use crate::model::event::Event;
use crate::model::host::{Diagnosis, ToolFact, ToolFound};
use crate::model::stop::Stop;
use crate::sandbox::{Host, Machine};

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
        // Tests fork processes, so the threads that ask tools start afterwards.
        let facts = Host::facts()?;
        let tools = tools()?;
        output.event(Event::HostExamined(Box::new(Diagnosis {
            chosen: chosen(&facts),
            findings: findings(&facts, &tools),
            facts,
            tools,
        })));
        Ok(())
    })
}

/// Asks all tools for their versions at the same time: some take seconds.
fn tools() -> Result<Vec<ToolFact>, Stop> {
    let toolchains = Toolchains::new(Box::new(Machine));
    let ask = |tool: &Tool| {
        let found = match toolchains.tool(tool, "look for tools") {
            Ok(found) => {
                Ok(ToolFound { path: found.program.clone(), version: found.version.clone() })
            }
            Err(missing) => Err(missing.help),
        };
        // Rare languages are shown only if they are installed; `juror languages` shows all.
        let is_told = found.is_ok() || tool.is_usual();
        Ok(is_told.then(|| ToolFact { name: tool.name().to_owned(), found }))
    };
    Ok(parallel::map_on(TOOLS.len(), &TOOLS, ask)?.into_iter().flatten().collect())
}
