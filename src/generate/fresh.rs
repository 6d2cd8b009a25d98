//! A package's generators, built once and started with any seed.

use crate::build::bench::Bench;
use crate::generate::inputs::{Generators, generators};
use crate::generate::run::start;
use crate::generate::seed::substituted;
use crate::model::blob::Blob;
use crate::model::recipe::{GeneratorCommand, Recipe, RecipeCase};
use crate::model::stop::Stop;
use crate::model::work::RunMode;

/// Generators that can be started as long as this value lives.
pub struct FreshInputs<'a> {
    bench: Bench<'a>,
    generators: Generators<'a>,
}

/// An input that a generator made, or why there is none.
pub type FreshInput = Result<Blob, String>;

impl<'a> FreshInputs<'a> {
    /// Builds the generators of the recipe.
    ///
    /// # Errors
    /// If some do not build, the judge failed, or it was cut short.
    pub fn build(bench: Bench<'a>, recipe: &'a Recipe) -> Result<Self, Stop> {
        let cases: Vec<&RecipeCase> = recipe.cases.iter().collect();
        let generators = generators(&bench, &cases)?;
        Ok(Self { bench, generators })
    }

    /// Starts a generator with its own seed for a case `name`.
    pub fn make(
        &self,
        command: &GeneratorCommand,
        name: &str,
        seed: u64,
    ) -> Result<FreshInput, Stop> {
        let Some(generator) = self.generators.get(&command.program) else {
            return Ok(Err(format!("`{}` is not built", command.program.name)));
        };
        let args = substituted(command, name, seed);
        let output =
            start(self.bench.executor, generator, command, args, name, RunMode::default())?;
        Ok(match output {
            Err(refusal) => Err(refusal.message),
            Ok(files) => {
                let input = files.into_iter().find(|made| made.extension == "in");
                input.map(|made| made.contents).ok_or_else(|| "made no input".to_owned())
            }
        })
    }
}
