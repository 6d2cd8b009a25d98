//! `juror completions` and `juror man`: generated from the definition of the command line.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;
use tempfile::NamedTempFile;

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
        let mut juror = Arguments::command().disable_help_subcommand(true);
        juror.build();
        write_man_pages(juror, directory).map_err(|error| {
            let shown = directory.display();
            Stop::usage(format!(
                "cannot write man pages to {shown}: {error}; choose a writable directory"
            ))
        })
    }
}

fn write_man_pages(command: clap::Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_man_pages(subcommand.clone(), directory)?;
    }
    let page = Man::new(command);
    let mut file = NamedTempFile::new_in(directory)?;
    page.render(&mut file)?;
    file.flush()?;
    file.as_file().set_permissions(Permissions::from_mode(0o644))?;
    file.persist(directory.join(page.get_filename()))?;
    Ok(())
}
