//! `juror doctor`: what this machine can do, and what would make it better.

use std::io::{self, Write};
use std::thread;

use crate::cli::advice::{chosen, findings};
use crate::cli::arguments::DoctorArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::output::style;
use crate::language::tool::Tool;
use crate::language::toolchain::Toolchains;
use crate::model::host::{ToolFact, ToolFound};
use crate::report::doctor::{self, Diagnosis};
use crate::sandbox::Host;

/// Tests this machine.
pub fn run(arguments: &DoctorArguments) -> ExitCode {
    // Each try is a process; tools are asked afterwards, by threads.
    let facts = match Host::facts() {
        Ok(facts) => facts,
        Err(error) => {
            // A closed standard error leaves nobody to tell.
            let _ = writeln!(io::stderr(), "error: {error}");
            return ExitCode::JudgeError;
        }
    };
    let tools = tools();
    let diagnosis = Diagnosis {
        chosen: chosen(&facts),
        findings: findings(&facts, &tools),
        facts: &facts,
        tools: &tools,
    };
    let text = match arguments.output.json {
        true => doctor::json(&diagnosis),
        false => doctor::text(&diagnosis, &style(&arguments.output)),
    };
    let written = io::stdout().write_all(text.as_bytes());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(io::stderr(), "error: cannot write the report: {error}");
        return ExitCode::JudgeError;
    }
    match diagnosis.chosen {
        Some(isolation) if isolation.is_full() => ExitCode::Success,
        _ => ExitCode::JudgeError,
    }
}

/// Asks every tool for its version, all at the same time: some take seconds.
fn tools() -> Vec<ToolFact> {
    let toolchains = Toolchains::default();
    let ask = |tool: Tool| ToolFact {
        name: tool.names().first().copied().unwrap_or_default().to_owned(),
        found: match toolchains.tool(tool, "look for tools") {
            Ok(found) => Ok(ToolFound {
                path: found.program.clone(),
                version: found.version.clone(),
            }),
            Err(missing) => Err(missing.help),
        },
    };
    thread::scope(|scope| {
        let asked = Tool::ALL.map(|tool| {
            let asking = thread::Builder::new().spawn_scoped(scope, move || ask(tool));
            asking.map_err(|_| tool)
        });
        let answers = asked.into_iter().filter_map(|asked| match asked {
            Ok(asking) => asking.join().ok(),
            // No more threads can be started.
            Err(tool) => Some(ask(tool)),
        });
        answers.collect()
    })
}
