//! The command line: one file per subcommand. The only module that knows arguments and the terminal.

pub mod arguments;
pub mod cache;
pub mod compare;
mod complete;
pub mod convert;
pub mod doctor;
pub mod generate;
pub mod grade;
pub mod grammar;
mod help;
mod interactive;
pub mod judge;
pub mod languages;
pub mod merge;
pub mod mutants;
pub mod new;
pub mod options;
pub mod output;
pub mod run;
pub mod schema;
pub mod shell;
pub mod show;
pub mod statement;
mod streams;
pub mod strength;
pub mod stress;
mod topics;
pub mod verify;
pub mod watch;
pub mod worker;

use std::env;
use std::io::{self, Write as _};
use std::panic;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use crate::cli::arguments::{Arguments, Command};
use crate::cli::output::run_command;
use crate::report::log::{LogFormat, obeys_log};
use juror_core::exit_code::ExitCode;
use juror_packages::package::suggest::nearest;
use juror_sandbox::sandbox::output_was_closed;

/// A panic in any thread ends the process with a judge error. Otherwise other threads could wait forever for a lock.
/// Reports that are written at the end are lost; no file is half-written.
pub fn exit_on_panic() {
    let (process, usual) = (std::process::id(), panic::take_hook());
    panic::set_hook(Box::new(move |fault| {
        usual(fault);
        // A slot is a forked process. The judge notices its end.
        if std::process::id() == process {
            _ = writeln!(io::stderr(), "error: juror has a fault, and ends; please report it");
            std::process::exit(ExitCode::JudgeError.number().into());
        }
    }));
}

pub fn run() -> ExitCode {
    exit_on_panic();
    if output_was_closed() {
        return output::report_write_error("standard output is closed");
    }
    match complete::answer_shell() {
        Ok(false) => {}
        Ok(true) => return ExitCode::Success,
        Err(error) => return output::report_write_error(error),
    }
    let words: Vec<String> = env::args_os().skip(1).map(|it| it.to_string_lossy().into()).collect();
    if let Some(code) = topics::show_topic(&words) {
        return code;
    }
    match Arguments::try_parse() {
        Ok(arguments) => dispatch(&arguments),
        Err(error) => {
            let error = with_subcommand_hint(with_dash_hint(error));
            // File names on the command line may come from other people, so the text must not control a CI log.
            let printed = match (obeys_log(), error.use_stderr()) {
                (false, _) => error.print(),
                (true, true) => write!(streams::err(), "{}", error.render()),
                (true, false) => write!(streams::out(LogFormat::Text), "{}", error.render()),
            };
            match (printed, error.exit_code()) {
                (Err(fault), _) if fault.kind() != io::ErrorKind::BrokenPipe => {
                    output::report_write_error(fault)
                }
                (_, 0) => ExitCode::Success,
                _ => ExitCode::Usage,
            }
        }
    }
}

pub fn dispatch(arguments: &Arguments) -> ExitCode {
    match &arguments.command {
        Command::Watch(arguments) => watch::run(arguments),
        Command::Worker(arguments) => worker::run(arguments),
        command => command.with_operation(run_command),
    }
}

/// Also works after `help`.
fn with_subcommand_hint(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand)
        && error.get(ContextKind::SuggestedSubcommand).is_none()
    {
        let command = Arguments::command();
        let mut names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        if env::args_os().nth(1).is_some_and(|word| word == "help") {
            topics::names().for_each(|name| names.push(name));
        }
        if let Some(meant) = nearest(typed, names) {
            let meant = ContextValue::Strings(vec![meant.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, meant);
        }
    }
    error
}

/// Replaces clap's hint to use `--`: the words after it are a program, not a file. A negative number is neither.
fn with_dash_hint(mut error: clap::Error) -> clap::Error {
    if error.remove(ContextKind::Suggested).is_some()
        && error.get(ContextKind::SuggestedArg).is_none()
        && error.kind() == ErrorKind::UnknownArgument
    {
        let is_number = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(typed)) => typed.parse::<f64>().is_ok(),
            _ => false,
        };
        let hint = if is_number {
            "no option takes a negative number; write a file name that begins with a dash as './-name'"
        } else {
            "write a file name that begins with a dash as './-name'"
        };
        let hint = ContextValue::StyledStrs(vec![hint.into()]);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}
