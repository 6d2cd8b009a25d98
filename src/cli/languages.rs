//! `juror languages`: the languages that juror supports, and their tools on this machine.

use crate::cli::output::{Operation, print};
use crate::language::table::Language;
use crate::language::tool::Tool;
use crate::language::toolchain::Toolchains;
use crate::model::stop::Stop;
use crate::model::text::joined;
use crate::ops::context::Context;
use crate::sandbox::Machine;

/// `juror languages`.
pub struct Languages;

impl Operation for Languages {
    type Result = ();

    fn name(&self) -> &'static str {
        "languages"
    }

    fn run(&self, _: &Context) -> Result<(), Stop> {
        let toolchains = Toolchains::new(Box::new(Machine));
        print("the table", |out| {
            Language::ready().try_for_each(|language| {
                let Language { code, name, .. } = language;
                let found = tools(language, &toolchains);
                writeln!(out, "{code:<13} {name:<20} {found}")
            })
        })
    }
}

/// The versions of its tools, or what to install.
fn tools(language: &Language, toolchains: &Toolchains) -> String {
    let mut versions = Vec::new();
    let mut missing = Vec::new();
    for tool in language.tools() {
        match toolchains.tool(tool, "list languages") {
            Ok(found) => versions.push(found.version.clone()),
            Err(_) => missing.push(tool),
        }
    }
    if missing.is_empty() {
        return versions.join(", ");
    }
    let names = joined(missing.iter().map(|tool| tool.name()), ", no ");
    format!("no {names}; {}", joined(missing.into_iter().map(Tool::help), "; "))
}
