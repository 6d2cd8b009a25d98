//! Inputs from the package's own generators: the commands of its recipe that have a `{seed}`, with fresh seeds.

use std::sync::Arc;

use crate::generate::fresh::FreshInputs;
use crate::generate::seed::substituted;
use crate::grammar::chance::Chance;
use crate::inputs::candidates::{Candidate, Candidates, Content};
use crate::model::judgement::JudgeError;
use crate::model::placeholder::{Piece, occurrences};
use crate::model::recipe::{GeneratorCommand, InputSource, Recipe};
use crate::model::stop::Stop;
use crate::model::stress::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub command: GeneratorCommand,
    /// The value of `{seed}`.
    pub seed: u64,
}

impl Call {
    pub fn line(&self) -> String {
        let args = substituted(&self.command, NAME, self.seed);
        let words = std::iter::once(self.command.program.name.clone()).chain(args);
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn input(&self, generators: &FreshInputs<'_>) -> Result<Result<Arc<[u8]>, String>, Stop> {
        match generators.make(&self.command, NAME, self.seed)? {
            Err(why) => Ok(Err(why)),
            Ok(printed) => {
                let printed = printed.start(u64::MAX);
                let printed = printed
                    .map_err(|error| JudgeError::new("read what a generator printed", error))?;
                Ok(Ok(printed.into()))
            }
        }
    }
}

/// The value of `{name}`.
pub const NAME: &str = "stress";

/// The commands of a recipe whose input depends on the seed, without duplicates.
pub fn lines(recipe: &Recipe) -> Vec<GeneratorCommand> {
    let mut lines: Vec<GeneratorCommand> = Vec::new();
    for case in &recipe.cases {
        if let InputSource::Command(command) = &case.input
            && !case.name.starts_with("invalid")
            && occurrences(&command.args, Piece::Seed) > 0
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
pub struct ByRecipe {
    lines: Vec<GeneratorCommand>,
    chance: Chance,
    made: usize,
}

impl ByRecipe {
    pub fn new(lines: Vec<GeneratorCommand>, seed: u64) -> Self {
        Self { lines, chance: Chance::new(seed, "generators"), made: 0 }
    }
}

impl Candidates for ByRecipe {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let command = self.lines.get(self.made % self.lines.len().max(1)).cloned();
        let Some(command) = command else { return Ok(None) };
        self.made += 1;
        let call = Call {
            command,
            // The range of the recipe's own seeds.
            seed: self.chance.below(1 << 31),
        };
        let origin = Origin::Generator { line: call.line() };
        Ok(Some(Candidate { content: Content::Call(call), origin }))
    }
}

/// The same command with one of its numbers lowered: number by number, the smallest value first.
pub fn lowered(command: &GeneratorCommand) -> Vec<GeneratorCommand> {
    let numbers = numbers(command).into_iter();
    let lower = |it: Number| smaller(it.value).into_iter().map(move |value| it.set(command, value));
    numbers.flat_map(lower).collect()
}

/// A number in a command: a word of digits, or digits after `=`.
struct Number {
    place: usize,
    /// The text before it, such as `--n=`.
    before: String,
    value: u64,
}

impl Number {
    fn set(&self, command: &GeneratorCommand, value: u64) -> GeneratorCommand {
        let mut command = command.clone();
        command.args[self.place] = format!("{}{value}", self.before);
        command
    }
}

fn numbers(command: &GeneratorCommand) -> Vec<Number> {
    let words = command.args.iter().enumerate();
    let found = words.filter_map(|(place, word)| {
        let (before, digits) = match word.rsplit_once('=') {
            Some((name, value)) => (format!("{name}="), value),
            None => (String::new(), word.as_str()),
        };
        Some(Number { place, before, value: number(digits)? })
    });
    found.collect()
}

fn number(digits: &str) -> Option<u64> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// The smallest number comes first, then numbers in growing steps.
fn smaller(number: u64) -> Vec<u64> {
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
    use crate::model::recipe::GeneratorProgram;
    use crate::model::root::FilePath;

    fn command(args: &str) -> GeneratorCommand {
        GeneratorCommand {
            program: GeneratorProgram {
                name: "gen.py".to_owned(),
                path: FilePath::root("gen.py"),
                beside: Vec::new(),
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
                lowered(&command(args)).iter().map(|it| it.args.join(" ")).collect();
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
        assert_eq!(smaller(20), [0, 1, 2, 3, 4, 6, 8, 11, 14, 18, 19]);
    }

    #[test]
    fn a_call_shows_its_seed() {
        let call = Call { command: command("--n 3 {seed} {name}"), seed: 17 };
        assert_eq!(call.line(), "gen.py --n 3 17 stress");
    }

    #[test]
    fn fresh_seeds_are_those_of_the_seed() {
        let lines = || vec![command("a {seed}"), command("b {seed}")];
        let origins = |seed| {
            let mut source = ByRecipe::new(lines(), seed);
            let calls = (0..4).map_while(|_| source.next(&|| false).unwrap());
            calls.map(|it| it.origin.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(origins(7), origins(7));
        assert_ne!(origins(7), origins(8));
        assert!(ByRecipe::new(Vec::new(), 7).next(&|| false).unwrap().is_none());
    }
}
