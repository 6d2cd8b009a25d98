//! A package's generators, built once and called with any seed.

use std::sync::Arc;

use juror_core::judgement::JudgeError;
use juror_core::recipe::{GeneratorCommand, Recipe, RecipeCase};
use juror_core::stop::Stop;
use juror_core::work::RunMode;
use juror_judging::build::bench::Bench;
use juror_judging::recipe::inputs::{Generators, build_generators};
use juror_judging::recipe::run::run_once;
use juror_judging::recipe::seed::substitute_placeholders;

/// The value of `{name}`.
pub const CASE_NAME: &str = "stress";

pub struct BuiltGenerators<'a> {
    bench: Bench<'a>,
    generators: Generators<'a>,
}

impl<'a> BuiltGenerators<'a> {
    pub fn build(bench: Bench<'a>, recipe: &'a Recipe) -> Result<Self, Stop> {
        let cases: Vec<&RecipeCase> = recipe.cases.iter().collect();
        let generators = build_generators(&bench, &cases)?;
        Ok(Self { bench, generators })
    }

    /// The inner error is the reason why there is no input.
    pub fn make(&self, call: &GeneratorCall) -> Result<Result<Arc<[u8]>, String>, Stop> {
        let GeneratorCall { command, .. } = call;
        let Some(generator) = self.generators.get(&command.program) else {
            return Ok(Err(format!("`{}` is not built", command.program.name)));
        };
        let (executor, mode) = (self.bench.executor, RunMode::default());
        let files = match run_once(executor, generator, command, call.args(), CASE_NAME, mode)? {
            Ok(files) => files,
            Err(refusal) => return Ok(Err(refusal.message)),
        };
        let Some(input) = files.into_iter().find(|file| file.extension == "in") else {
            return Ok(Err("made no input".to_owned()));
        };
        let text = input.contents.read();
        let text = text.map_err(|error| JudgeError::new("read what a generator printed", error))?;
        Ok(Ok(text.into()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorCall {
    pub command: GeneratorCommand,
    /// The value of `{seed}`.
    pub seed: u64,
}

impl GeneratorCall {
    fn args(&self) -> Vec<String> {
        substitute_placeholders(&self.command, CASE_NAME, self.seed)
    }

    pub fn line(&self) -> String {
        let words = std::iter::once(self.command.program.name.clone()).chain(self.args());
        words.collect::<Vec<_>>().join(" ")
    }
}
