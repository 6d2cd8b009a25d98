//! Lists the languages that juror supports, and their tools on this machine.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::report::result::CommandResult;
use crate::report::terminal::page::Page;
use juror_core::language::table::Language;
use juror_core::language::tool::Tool;
use juror_core::language::toolchain::Toolchains;
use juror_core::stop::Stop;
use juror_core::text::joined;
use juror_sandbox::sandbox::Machine;

/// The result of `juror languages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageListing {
    pub languages: Vec<ListedLanguage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedLanguage {
    /// Its code in the problem package format.
    pub code: String,
    pub name: String,
    /// Its compilers and interpreters.
    pub tools: Vec<ListedTool>,
}

/// A compiler or interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedTool {
    pub name: String,
    /// The version that the tool reports; `None` if this machine lacks it.
    pub version: Option<String>,
    /// What to install, if this machine lacks it.
    pub help: Option<String>,
}

#[derive(Debug, Args)]
pub struct LanguagesOptions {}

impl Operation for LanguagesOptions {
    type Result = LanguageListing;
    const NAME: &'static str = "languages";

    /// Asks each tool for its version.
    fn run(&self, _: &Context) -> Result<LanguageListing, Stop> {
        Ok(LanguageListing::of(&Toolchains::new(Box::new(Machine))))
    }
}

impl LanguageListing {
    pub fn of(toolchains: &Toolchains) -> Self {
        let tool = |tool: &'static Tool| {
            let found = toolchains.find(tool, "list languages").ok();
            ListedTool {
                name: tool.name().to_owned(),
                version: found.as_ref().map(|tool| tool.version.clone()),
                help: found.is_none().then(|| tool.help()),
            }
        };
        let languages = Language::supported().map(|language| ListedLanguage {
            code: language.code.to_owned(),
            name: language.name.to_owned(),
            tools: language.tools().map(tool).collect(),
        });
        Self { languages: languages.collect() }
    }
}

impl CommandResult for LanguageListing {
    /// A line for each language: the versions of its tools, or what to install.
    fn render(&self, page: &mut Page<'_>) {
        for ListedLanguage { code, name, tools } in &self.languages {
            let mut found = joined(tools.iter().filter_map(|tool| tool.version.as_ref()), ", ");
            let missing = || tools.iter().filter(|tool| tool.version.is_none());
            if missing().next().is_some() {
                let names = joined(missing().map(|tool| &tool.name), ", no ");
                found = format!(
                    "no {names}; {}",
                    joined(missing().filter_map(|tool| tool.help.as_ref()), "; ")
                );
            }
            page.line(0, &format!("{code:<13} {name:<20} {found}"));
        }
    }
}
