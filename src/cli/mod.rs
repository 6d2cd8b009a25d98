//! The command line: its commands, and what they print. The only module that knows arguments and the terminal.

pub mod arguments;
mod complete;
pub mod grade;
pub mod grammar;
mod help;
mod interactive;
pub mod listen;
pub mod options;
pub mod output;
pub mod run;
pub mod schema;
pub mod serve;
pub mod shell;
mod streams;
mod topics;
pub mod watch;
pub mod worker;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{MAIN_SEPARATOR, Path};
use std::{env, panic};

use crate::cli::output::run_command;
use crate::ops::judge::JudgeOptions;
use crate::ops::operation::Operation;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, Parser};
use juror_core::language::table::Language;

use crate::cli::arguments::{Arguments, Command};
use crate::door::submissions::{sources_of, suggest_program};
use crate::report::log::{LogFormat, obeys_log};
use crate::report::style::fill_lines;
use juror_core::exit_code::ExitCode;
use juror_core::text::{printable, with_help};
use juror_packages::package::suggest::meant;
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
    let typed: Vec<OsString> = env::args_os().collect();
    if let Some(code) = topics::show_topic(&arguments_text(&typed)) {
        return code;
    }
    let words = with_default_command(typed);
    match Arguments::try_parse_from(&words) {
        Ok(arguments) => dispatch(&arguments),
        Err(error) => {
            let error = with_tips(error, &arguments_text(&words));
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

/// Without the program's name.
fn arguments_text(words: &[OsString]) -> Vec<String> {
    words.iter().skip(1).map(|word| word.to_string_lossy().into()).collect()
}

/// `juror my.cpp` means `juror judge my.cpp`, and so does `juror my` if no other source has that name. A name with an
/// ending, such as `a.out`, stands for itself.
fn with_default_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(word) = words.get(1) else { return words };
    let (path, text) = (Path::new(word), word.to_string_lossy());
    if text.starts_with('-') || is_command(&text) {
        return words;
    }
    let looks_like_path =
        path.exists() || Language::of_file(path).is_some() || text.contains(MAIN_SEPARATOR);
    match &sources_of(path)[..] {
        [source] if path.extension().is_none() => words[1] = source.into(),
        _ if looks_like_path => {}
        _ => return words,
    }
    words.insert(1, JudgeOptions::NAME.into());
    words
}

fn is_command(word: &str) -> bool {
    word == "help" || Arguments::command().find_subcommand(word).is_some()
}

pub fn dispatch(arguments: &Arguments) -> ExitCode {
    match &arguments.command {
        Command::Watch(arguments) => watch::run(arguments),
        Command::Worker(arguments) => worker::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        command => command.with_command(run_command),
    }
}

/// Replaces clap's tips, which are often far from what was typed.
fn with_tips(mut error: clap::Error, words: &[String]) -> clap::Error {
    let kind = error.kind();
    let typed = match kind {
        ErrorKind::InvalidSubcommand => error.get(ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg),
        _ => None,
    };
    let Some(ContextValue::String(typed)) = typed.cloned() else { return error };
    for tip in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::Suggested]
    {
        error.remove(tip);
    }
    if kind == ErrorKind::UnknownArgument {
        if let Some((kind, tip)) = option_tip(&typed, words) {
            error.insert(kind, tip);
        }
        return error;
    }
    let is_help = words.first().is_some_and(|word| word == "help");
    if is_help && words.get(1) == Some(&typed) {
        return unknown_topic(&typed);
    }
    let command = command_of(words);
    let names = command.get_subcommands().map(clap::Command::get_name);
    if let Some(near) = meant(&typed, names) {
        let near = ContextValue::Strings(vec![near.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, near);
    } else if typed.contains('.') && words.first() == Some(&typed) {
        let what = format!("no command or file has the name '{}'", printable(&typed));
        let help = suggest_program(Path::new(&typed));
        let text = format!("{}\n", with_help(&what, help.as_deref()));
        return clap::Error::raw(ErrorKind::InvalidSubcommand, text);
    }
    error
}

/// The error for a name that is neither a command nor a topic. It lists both.
fn unknown_topic(name: &str) -> clap::Error {
    let arguments = Arguments::command();
    let shown = arguments.get_subcommands().filter(|command| !command.is_hide_set());
    let commands: Vec<&str> = shown.map(clap::Command::get_name).collect();
    let near = meant(name, commands.iter().copied().chain(topics::topic_names()));
    let tip = near.map_or(String::new(), |near| format!("\n\n  tip: did you mean '{near}'?"));
    let commands = fill_lines(commands.into_iter(), 78).join("\n  ");
    let text = format!(
        "no command or topic has the name '{}'{tip}\n\n\
         Commands, for `juror help COMMAND`:\n  {commands}\n\n{}\n",
        printable(name),
        topics::list_topics()
    );
    clap::Error::raw(ErrorKind::InvalidSubcommand, text)
}

/// Options of other tools that juror says otherwise, or that could mean several of its own.
const FOREIGN_OPTIONS: [(&str, &str); 7] = [
    ("--std", "words for the compiler are in --flags, such as '--flags=-std=c++20'"),
    ("-O", "words for the compiler are in --flags, such as '--flags=-O2'"),
    (
        "--tests",
        "tests are named first, such as 'juror judge tests/ my.cpp'; --case selects some of them",
    ),
    ("-t", "--time-limit limits a run, and --time a search"),
    ("--timeout", "--time-limit limits a run, and --time a search"),
    ("-e", "'juror judge' takes a tolerance with --compare float=1e-6"),
    ("--eps", "'juror judge' takes a tolerance with --compare float=1e-6"),
];

fn option_tip(typed: &str, words: &[String]) -> Option<(ContextKind, ContextValue)> {
    let tip = |text: &str| {
        let text = ContextValue::StyledStrs(vec![text.to_owned().into()]);
        Some((ContextKind::Suggested, text))
    };
    if typed.parse::<f64>().is_ok() {
        return tip("no option takes a negative number");
    }
    // Of `-x.sh`, clap names only the `-x`.
    let is_file = |word: &&String| word.starts_with(typed) && Path::new(word).exists();
    if let Some(file) = words.iter().find(is_file) {
        let file = printable(file);
        return tip(&format!("for the file {file}, write './{file}'"));
    }
    if words.first().is_some_and(|word| word.starts_with('-')) {
        return tip("options follow the command or the file, such as 'juror my.cpp -v'");
    }
    let known = FOREIGN_OPTIONS.iter().find(|(option, _)| typed.split('=').next() == Some(option));
    if let Some((_, known)) = known {
        return tip(known);
    }
    let name = typed.strip_prefix("--")?;
    let command = command_of(words);
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    if let Some(near) = meant(name, shown.filter_map(Arg::get_long)) {
        return Some((ContextKind::SuggestedArg, ContextValue::String(format!("--{near}"))));
    }
    Arguments::command().find_subcommand(name)?;
    tip(&format!("'juror {name}' is a command of its own"))
}

/// The command to which the words belong, with all of its arguments.
fn command_of(words: &[String]) -> clap::Command {
    let mut command = Arguments::command();
    command.build();
    for word in words {
        match command.find_subcommand(word) {
            Some(next) => command = next.clone(),
            None => break,
        }
    }
    command
}
