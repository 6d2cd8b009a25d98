//! Examines this machine: what it can do for judging, and what would improve it.

pub mod advice;
mod evenness;

use clap::Args;

use crate::doctor::advice::{all_findings, chosen_isolation};
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use juror_core::host::{Advice, Diagnosis, Finding, FindingRating, InstalledTool, ToolFact};
use juror_core::language::tool::{TOOLS, Tool};
use juror_core::language::toolchain::Toolchains;
use juror_core::stop::Stop;
use juror_sandbox::executor::parallel;
use juror_sandbox::sandbox::{Host, Machine};

#[derive(Debug, Args)]
pub struct DoctorOptions {}

impl Operation for DoctorOptions {
    type Result = Diagnosis;
    const NAME: &'static str = "doctor";

    fn run(&self, _: &Context) -> Result<Diagnosis, Stop> {
        // `Host::facts` forks processes, so the threads that query tools start afterwards.
        let facts = Host::facts()?;
        let tools = query_tools()?;
        let (chosen, findings) = (chosen_isolation(&facts), all_findings(&facts, &tools));
        Ok(Diagnosis { chosen, findings, facts, tools })
    }
}

/// Queries all tools at the same time: some take seconds.
fn query_tools() -> Result<Vec<ToolFact>, Stop> {
    let toolchains = Toolchains::new(Box::new(Machine));
    let ask = |tool: &Tool| {
        let (found, help) = match toolchains.find(tool, "look for tools") {
            Ok(found) => {
                let (path, version) = (found.program.clone(), found.version.clone());
                (Some(InstalledTool { path, version }), None)
            }
            Err(missing) => (None, Some(missing.help)),
        };
        // Rare languages are shown only if they are installed; `juror languages` shows all.
        let is_shown = found.is_some() || tool.is_expected();
        Ok(is_shown.then(|| ToolFact { name: tool.name().to_owned(), found, help }))
    };
    Ok(parallel::map_on(TOOLS.len(), &TOOLS, ask)?.into_iter().flatten().collect())
}

fn new_finding(grade: FindingRating, subject: &'static str, text: impl Into<String>) -> Finding {
    Finding { grade, subject, text: text.into(), advice: None, command: None }
}

fn advice_with_command(text: &str, command: &str) -> Option<Advice> {
    Some((text.to_owned(), Some(command.to_owned())))
}

fn advice_text(text: &str) -> Option<Advice> {
    Some((text.to_owned(), None))
}
