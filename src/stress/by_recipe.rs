//! Inputs by the package's own generators: the lines of its recipe that have a `{seed}`, with fresh seeds.

use crate::grammar::chance::Chance;
use crate::model::placeholder::{Piece, occurrences};
use crate::model::recipe::{GeneratorCommand, InputSource, Recipe};
use crate::model::stress::Origin;
use crate::stress::candidates::{Candidate, Candidates, Content};

/// A start of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The command, with the placeholders still in place.
    pub command: GeneratorCommand,
    /// What replaces `{seed}`.
    pub seed: u64,
}

impl Call {
    /// The command line, with its seed.
    pub fn line(&self) -> String {
        let args = crate::generate::seed::substituted(&self.command, NAME, self.seed);
        let words = std::iter::once(self.command.program.name.clone()).chain(args);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What replaces `{name}`.
pub const NAME: &str = "stress";

/// The lines of a recipe that a fresh seed makes another input of, each once.
pub fn lines(recipe: &Recipe) -> Vec<GeneratorCommand> {
    let mut lines: Vec<GeneratorCommand> = Vec::new();
    for case in &recipe.cases {
        if let InputSource::Command(command) = &case.input
            && !case.name.starts_with("invalid")
            && occurrences(&command.args, Piece::Seed) > 0
            && lines.iter().all(|other| other.args != command.args || other.program != command.program)
        {
            lines.push(command.clone());
        }
    }
    lines
}

/// The lines one after the other, each time with a fresh seed.
pub struct ByRecipe {
    lines: Vec<GeneratorCommand>,
    chance: Chance,
    made: usize,
}

impl ByRecipe {
    /// These lines.
    pub fn new(lines: Vec<GeneratorCommand>, seed: u64) -> Self {
        Self {
            lines,
            chance: Chance::new(seed, "generators"),
            made: 0,
        }
    }
}

impl Candidates for ByRecipe {
    fn next(&mut self) -> Option<Candidate> {
        let command = self.lines.get(self.made % self.lines.len().max(1))?.clone();
        self.made += 1;
        let call = Call {
            command,
            // As many as the recipe's own seeds can be.
            seed: self.chance.below(1 << 31),
        };
        let origin = Origin::Generator { line: call.line() };
        Some(Candidate {
            content: Content::Call(call),
            origin,
        })
    }
}
