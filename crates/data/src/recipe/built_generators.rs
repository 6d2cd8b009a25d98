//! A package's generators, built once and run with any seed.

use juror_core::blob::Blob;
use juror_core::recipe::{GeneratorCommand, Recipe, RecipeCase};
use juror_core::stop::Stop;
use juror_core::work::RunMode;
use juror_judging::build::bench::Bench;
use juror_judging::recipe::inputs::{Generators, build_generators};
use juror_judging::recipe::run::run_once;
use juror_judging::recipe::seed::substitute_placeholders;

pub struct BuiltGenerators<'a> {
    bench: Bench<'a>,
    generators: Generators<'a>,
}

/// The error says why there is no input.
pub type FreshInput = Result<Blob, String>;

impl<'a> BuiltGenerators<'a> {
    pub fn build(bench: Bench<'a>, recipe: &'a Recipe) -> Result<Self, Stop> {
        let cases: Vec<&RecipeCase> = recipe.cases.iter().collect();
        let generators = build_generators(&bench, &cases)?;
        Ok(Self { bench, generators })
    }

    /// Runs a generator with its own seed for the case `name`.
    pub fn make(
        &self,
        command: &GeneratorCommand,
        name: &str,
        seed: u64,
    ) -> Result<FreshInput, Stop> {
        let Some(generator) = self.generators.get(&command.program) else {
            return Ok(Err(format!("`{}` is not built", command.program.name)));
        };
        let args = substitute_placeholders(command, name, seed);
        let output =
            run_once(self.bench.executor, generator, command, args, name, RunMode::default())?;
        Ok(match output {
            Err(refusal) => Err(refusal.message),
            Ok(files) => {
                let input = files.into_iter().find(|file| file.extension == "in");
                input.map(|file| file.contents).ok_or_else(|| "made no input".to_owned())
            }
        })
    }
}
