//! `juror completions` and `juror man`: generated from the definition of the command line.

use std::fs;

use clap::CommandFactory;

use crate::cli::arguments::{Arguments, CompletionsOptions, ManOptions};
use crate::cli::complete::{SHELLS, VARIABLE};
use crate::cli::output::print;
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;

impl Operation for CompletionsOptions {
    type Result = ();
    const NAME: &'static str = "completions";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        let name = self.shell.to_string();
        let mut script = Vec::new();
        if let Some(shell) = SHELLS.completer(&name) {
            shell
                .write_registration(VARIABLE, "juror", "juror", "juror", &mut script)
                .map_err(|error| JudgeError::new("write the script", error))?;
        }
        Ok(print("the script", |out| out.write_all(&script))?)
    }
}

/// Replaces existing pages.
impl Operation for ManOptions {
    type Result = ();
    const NAME: &'static str = "man";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        let directory = &self.directory;
        let made = fs::create_dir_all(directory);
        made.and_then(|()| clap_mangen::generate_to(Arguments::command(), directory)).map_err(
            |error| {
                let shown = directory.display();
                Stop::usage(format!(
                    "cannot write man pages to {shown}: {error}; choose a writable directory"
                ))
            },
        )
    }
}
