//! `juror serve`: starts `juror-serve`, a program of its own.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::Args;

use crate::cli::streams;
use juror_core::exit_code::ExitCode;
use juror_sandbox::sandbox::host_tool::on_path;

const PROGRAM: &str = "juror-serve";

#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Options of juror-serve, such as --listen 127.0.0.1:8080; `juror-serve --help` lists them
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub options: Vec<OsString>,
}

/// Becomes the program beside this one, or the first one on the search path.
pub fn run(arguments: &ServeArguments) -> ExitCode {
    let beside = env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let beside = beside.filter(|program| program.is_file());
    let Some(program) = beside.or_else(|| on_path(PROGRAM).into_iter().next()) else {
        streams::print_remark(
            "error: juror-serve is not installed: it is neither beside juror nor on the search path; \
             in juror's sources: cargo install --locked --path crates/serve",
        );
        return ExitCode::Usage;
    };
    let error = Command::new(&program).args(&arguments.options).exec();
    streams::print_remark(&format!("error: cannot start {}: {error}", program.display()));
    ExitCode::JudgeError
}
