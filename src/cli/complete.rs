//! Shell completion: packages, and the cases, submissions and languages of the package on the command line.
//!
//! The script of `juror completions` runs juror at each press of the key, with the words of the line.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::cli::arguments::Arguments;
use juror_core::problem::Problem;
use juror_packages::package;
use juror_packages::package::archive::ENDINGS;
use juror_packages::package::statements::statements;

/// The script names the shell in this variable.
pub(super) const VARIABLE: &str = "JUROR_COMPLETE";

/// Some shells insert a candidate unquoted, and would run `$(...)` in a file name.
pub(super) const SHELLS: Shells<'static> = Shells(&[
    &QuotingShell { shell: &Bash, separator: '\u{b}', quote: quote_for_bash },
    &Elvish,
    &Fish,
    &QuotingShell { shell: &Powershell, separator: '\n', quote: quote_for_powershell },
    &Zsh,
]);

/// Returns `false` if the caller was not a shell.
pub(super) fn answer_shell() -> Result<bool, clap::Error> {
    let here = env::current_dir().ok();
    CompleteEnv::with_factory(definition)
        .shells(SHELLS)
        .var(VARIABLE)
        .try_complete(env::args_os(), here.as_deref())
}

struct QuotingShell {
    shell: &'static dyn EnvCompleter,
    separator: char,
    quote: fn(&str) -> String,
}

impl EnvCompleter for QuotingShell {
    fn name(&self) -> &'static str {
        self.shell.name()
    }

    fn is(&self, name: &str) -> bool {
        self.shell.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.shell.write_registration(variable, name, program, completer, out)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        here: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut plain = Vec::new();
        // Words that were completed before still have their quotes.
        let words = words.into_iter().map(|word| match word.into_string() {
            Ok(word) => word.replace('\\', "").into(),
            Err(word) => word,
        });
        self.shell.write_complete(command, words.collect(), here, &mut plain)?;
        let plain = String::from_utf8_lossy(&plain);
        let quoted = plain.split(self.separator).filter_map(|line| {
            // The text after a tab is an explanation. A name with a control character cannot be typed.
            let value = line.split('\t').next().filter(|text| !text.contains(char::is_control))?;
            Some((self.quote)(value))
        });
        let quoted: Vec<String> = quoted.collect();
        out.write_all(quoted.join(&self.separator.to_string()).as_bytes())
    }
}

/// Backslashes work even after a quotation mark that the user typed.
fn quote_for_bash(name: &str) -> String {
    let mut quoted = String::new();
    for letter in name.chars() {
        if letter.is_ascii() && !is_plain(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}

fn quote_for_powershell(name: &str) -> String {
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "''"))
    }
}

/// Whether the character has no special meaning in any shell.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/_-.,+=:@%~".contains(letter)
}

/// Completers are chosen by argument name, so that new commands get them, too.
fn definition() -> Command {
    Arguments::command().mut_subcommands(|command| {
        // A submission alone is judged on the tests beside it.
        let takes_submission = ["judge", "watch"].contains(&command.get_name());
        command.mut_args(|arg| {
            let completer = match arg.get_id().as_str() {
                "package" if takes_submission => ArgValueCompleter::new(PathCompleter::any()),
                "package" | "packages" => ArgValueCompleter::new(complete_packages),
                "submission" | "submissions" | "targets" => {
                    ArgValueCompleter::new(complete_submissions)
                }
                "case" => ArgValueCompleter::new(complete_cases),
                "language" => ArgValueCompleter::new(complete_languages),
                _ => return arg,
            };
            arg.add(completer)
        })
    })
}

fn complete_packages(typed: &OsStr) -> Vec<CompletionCandidate> {
    let is_package = |path: &Path| {
        let name = path.to_string_lossy();
        path.is_dir() || ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    PathCompleter::any().filter(is_package).complete(typed)
}

fn complete_submissions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = package_names(typed, |problem| {
        problem.submissions.iter().map(|entry| entry.program.path.display().to_string()).collect()
    });
    let mut found = PathCompleter::any().complete(typed);
    found.retain(|path| names.iter().all(|name| name.get_value() != path.get_value()));
    names.into_iter().chain(found).collect()
}

fn complete_cases(typed: &OsStr) -> Vec<CompletionCandidate> {
    package_names(typed, |problem| {
        problem.test_data.judged_cases().iter().map(|case| case.test_case().name.clone()).collect()
    })
}

fn complete_languages(typed: &OsStr) -> Vec<CompletionCandidate> {
    package_names(typed, |problem| statements(problem).into_iter().map(|it| it.language).collect())
}

fn package_names(typed: &OsStr, names: fn(&Problem) -> Vec<String>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let names = typed_problem().as_ref().map(names).unwrap_or_default().into_iter();
    names.filter(|name| name.starts_with(&*typed)).map(CompletionCandidate::new).collect()
}

/// The first word of the command line that is a package directory. Archives are not unpacked for completion.
fn typed_problem() -> Option<Problem> {
    let words = env::args_os().skip_while(|word| word != "--").skip(3);
    let mut directories = words.filter(|word| Path::new(word).is_dir());
    directories.find_map(|word| package::read(Path::new(&word)).problem)
}
