//! Inputs from the package's own generators: the commands of its recipe that have a `{seed}`, with fresh seeds.

use crate::inputs::candidates::{Candidate, CandidateContent, CandidateSource};
use crate::recipe::built_generators::GeneratorCall;
use crate::search::result::CounterexampleOrigin;
use juror_core::placeholder::{ArgumentPiece, occurrences};
use juror_core::recipe::{GeneratorCommand, InputSource, Recipe};
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;

/// The commands of a recipe whose input depends on the seed, without duplicates.
pub fn seeded_commands(recipe: &Recipe) -> Vec<GeneratorCommand> {
    let mut lines: Vec<GeneratorCommand> = Vec::new();
    for case in &recipe.cases {
        if let InputSource::Command(command) = &case.input
            && !case.name.starts_with("invalid")
            && occurrences(&command.args, ArgumentPiece::Seed) > 0
            && lines
                .iter()
                .all(|other| other.args != command.args || other.program != command.program)
        {
            lines.push(command.clone());
        }
    }
    lines
}

/// The commands take turns, each time with a fresh seed.
pub struct RecipeInputs {
    commands: Vec<GeneratorCommand>,
    chance: Chance,
    made_count: usize,
}

impl RecipeInputs {
    pub fn new(commands: Vec<GeneratorCommand>, seed: u64) -> Self {
        Self { commands, chance: Chance::new(seed, "generators"), made_count: 0 }
    }
}

impl CandidateSource for RecipeInputs {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let command = self.commands.get(self.made_count % self.commands.len().max(1)).cloned();
        let Some(command) = command else { return Ok(None) };
        self.made_count += 1;
        let call = GeneratorCall {
            command,
            // The range of the recipe's own seeds.
            seed: self.chance.below(1 << 31),
        };
        let origin = CounterexampleOrigin::Generator { line: call.line() };
        Ok(Some(Candidate::new(CandidateContent::Call(call), origin)))
    }
}

/// The same command with one of its numbers lowered: number by number, the smallest value first.
pub fn lower_numbers(command: &GeneratorCommand) -> Vec<GeneratorCommand> {
    let numbers = command_numbers(command).into_iter();
    let lower = |number: CommandNumber| {
        let values = smaller_numbers(number.value).into_iter();
        values.map(move |value| number.replace_in(command, value))
    };
    numbers.flat_map(lower).collect()
}

/// A number in a command: a word of digits, or digits after `=`.
struct CommandNumber {
    word: usize,
    /// The text before it, such as `--n=`.
    prefix: String,
    value: u64,
}

impl CommandNumber {
    fn replace_in(&self, command: &GeneratorCommand, value: u64) -> GeneratorCommand {
        let mut command = command.clone();
        command.args[self.word] = format!("{}{value}", self.prefix);
        command
    }
}

fn command_numbers(command: &GeneratorCommand) -> Vec<CommandNumber> {
    let words = command.args.iter().enumerate();
    let numbers = words.filter_map(|(index, word)| {
        let (prefix, digits) = match word.rsplit_once('=') {
            Some((name, value)) => (format!("{name}="), value),
            None => (String::new(), word.as_str()),
        };
        Some(CommandNumber { word: index, prefix, value: parse_number(digits)? })
    });
    numbers.collect()
}

fn parse_number(digits: &str) -> Option<u64> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// The smallest number comes first, then numbers in growing steps.
fn smaller_numbers(number: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut next = 0;
    while next < number && numbers.len() < 40 {
        numbers.push(next);
        next += 1 + next / 4;
    }
    if number > 0 && numbers.last() != Some(&(number - 1)) {
        numbers.push(number - 1);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::recipe::GeneratorProgram;
    use juror_core::root::FilePath;

    fn command(args: &str) -> GeneratorCommand {
        GeneratorCommand {
            program: GeneratorProgram {
                name: "gen.py".to_owned(),
                path: FilePath::root("gen.py"),
                included: Vec::new(),
                language: None,
            },
            args: args.split_whitespace().map(str::to_owned).collect(),
            line: format!("gen.py {args}"),
            random_salt: String::new(),
            tries: 1,
        }
    }

    #[test]
    fn numbers_are_lowered_and_seeds_are_not() {
        let check = |args: &str, expected: &[&str]| {
            let lowered: Vec<String> =
                lower_numbers(&command(args)).iter().map(|lower| lower.args.join(" ")).collect();
            assert_eq!(lowered, expected);
        };
        check(
            "--n 3 --max=2 {seed}",
            &[
                "--n 0 --max=2 {seed}",
                "--n 1 --max=2 {seed}",
                "--n 2 --max=2 {seed}",
                "--n 3 --max=0 {seed}",
                "--n 3 --max=1 {seed}",
            ],
        );
        check("random --seed {seed}", &[]);
        assert_eq!(smaller_numbers(20), [0, 1, 2, 3, 4, 6, 8, 11, 14, 18, 19]);
    }

    #[test]
    fn a_call_shows_its_seed() {
        let call = GeneratorCall { command: command("--n 3 {seed} {name}"), seed: 17 };
        assert_eq!(call.line(), "gen.py --n 3 17 stress");
    }

    #[test]
    fn fresh_seeds_are_those_of_the_seed() {
        let lines = || vec![command("a {seed}"), command("b {seed}")];
        let origins = |seed| {
            let mut source = RecipeInputs::new(lines(), seed);
            let calls = (0..4).map_while(|_| source.next(&|| false).unwrap());
            calls.map(|call| call.origin.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(origins(7), origins(7));
        assert_ne!(origins(7), origins(8));
        assert!(RecipeInputs::new(Vec::new(), 7).next(&|| false).unwrap().is_none());
    }
}
