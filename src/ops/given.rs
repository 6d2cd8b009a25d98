//! The options that the user gave, as words for the line that repeats a run.

use std::ffi::OsString;
use std::marker::PhantomData;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

/// Options that write files, and those that the line itself replaces.
const LEFT_OUT: &str = "case changed class class_form html input keep names promote save save_slowest seed shard strict";

/// Those of the options `T` that a line repeats, in the order in which they were given.
///
/// It must be the first field of `T`: parsers of other fields take values away.
#[derive(Clone, Debug)]
pub struct GivenOptions<T> {
    pub words: Vec<OsString>,
    options: PhantomData<fn() -> T>,
}

impl<T: Args> FromArgMatches for GivenOptions<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let command = T::augment_args(Command::default());
        let mut given: Vec<_> =
            command.get_arguments().flat_map(|option| given_words(option, matches)).collect();
        given.sort();
        let words = given.into_iter().flat_map(|option| option.words).collect();
        Ok(Self { words, options: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<T: Args> Args for GivenOptions<T> {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct GivenOption {
    /// Its place on the command line.
    index: usize,
    words: Vec<OsString>,
}

/// An option may be given several times.
fn given_words(option: &Arg, matches: &ArgMatches) -> Vec<GivenOption> {
    let id = option.get_id().as_str();
    let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(name) = option
        .get_long()
        .filter(|_| is_given && !LEFT_OUT.split(' ').any(|left_out| left_out == id))
    else {
        return Vec::new();
    };
    let name = OsString::from(format!("--{name}"));
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_raw(id).into_iter().flatten();
    let given = indices.zip(values).map(|(index, value)| {
        let is_joined =
            option.is_require_equals_set() || value.as_encoded_bytes().starts_with(b"-");
        let words = match (option.get_action().takes_values(), is_joined) {
            (false, _) => vec![name.clone()],
            (true, false) => vec![name.clone(), value.to_owned()],
            (true, true) => vec![[name.as_os_str(), "=".as_ref(), value].into_iter().collect()],
        };
        GivenOption { index, words }
    });
    given.collect()
}

#[cfg(test)]
mod tests {
    use crate::cli::arguments::{Arguments, Command};
    use clap::Parser;
    use juror_core::text::command_line;

    #[test]
    fn options_are_repeated_as_they_were_given_and_those_for_reports_are_not() {
        let check = |line: &str, expected: &str| {
            let words = ["juror"].into_iter().chain(line.split(' '));
            let arguments = Arguments::try_parse_from(words).expect("arguments");
            let given = match &arguments.command {
                Command::Judge(arguments) | Command::Watch(arguments) => {
                    &arguments.options.given.words
                }
                Command::Verify(arguments) => &arguments.options.given.words,
                Command::Stress(arguments) => &arguments.options.given.words,
                _ => panic!("{line} has no line that repeats it"),
            };
            assert_eq!(command_line(given), expected, "{line}");
        };
        check("judge p a.py", "");
        check("judge --start sum.py p a.py --points cases", "--start sum.py --points cases");
        check("watch p --jobs=2 a.py --time-limit 1500ms", "--jobs 2 --time-limit 1500ms");
        check("judge p a.py -v --html o.html --case 1 --case 2 --keep", "");
        check("judge p --explain a.py --repeat", "--explain=20s --repeat");
        check("judge p a.c --flags=-O0 --debug", "--flags=-O0 --debug");
        check("judge p a.c --executor local --executor b", "--executor local --executor b");
        check("verify p q --all --shard 1/2 --format bare", "--all --format bare");
        check("stress p a.c --against b.c --seed 7 --save x", "--reference b.c");
        check("stress p a.c --generator=-x --reference b.c", "--generator=-x --reference b.c");
    }
}
