//! The parts of a package's strength that are not about wrong answers: the speed of its submissions, and the
//! strictness of its validators.

use std::time::{Duration, Instant};

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::cli::strength::{prepared, runnable};
use crate::executor::parallel;
use crate::generate::fresh::FreshInputs;
use crate::judge::case::Rules;
use crate::model::probe::Probes;
use crate::model::stop::Stop;
use crate::model::strength::Strength;
use crate::model::strictness::Strictness;
use crate::model::submission::Submission;
use crate::strength::checkers::rejected_outputs;
use crate::strength::probe::inputs::{ByGenerators, ByGrammar, Inputs};
use crate::strength::probe::{Probed, Probing, class, probes};
use crate::strength::validators::{noticed_changes, refused_inputs};
use crate::stress::problem_inputs::ProblemInputs;

/// Measures these parts.
pub(super) struct Tools<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) rules: &'a Rules<'a>,
    pub(super) inputs: &'a ProblemInputs,
    pub(super) seed: u64,
    /// The time for measuring speed.
    pub(super) time: Duration,
}

/// The measured parts.
pub(super) struct Tooled {
    input_validators: Strictness,
    grammar_changes: Strictness,
    output_validator: Strictness,
    probes: Probes,
}

impl Tooled {
    /// Adds them to the report.
    pub(super) fn put(self, report: &mut Strength) {
        report.input_validators = Some(self.input_validators);
        report.grammar_changes = Some(self.grammar_changes);
        report.output_validator = Some(self.output_validator);
        report.probes = Some(self.probes);
    }
}

impl Tools<'_> {
    /// Measures these parts.
    ///
    /// # Errors
    /// If the judge failed or was interrupted.
    pub(super) fn measure(&self) -> Result<Tooled, Stop> {
        let input_validators = refused_inputs(self.bench)?;
        let grammar_changes = noticed_changes(self.bench, self.seed)?;
        let built = self.built()?;
        let submissions: Vec<Probed<'_>> = built
            .iter()
            .map(|(submission, is_slow, runnable)| Probed {
                name: &submission.name,
                is_slow: *is_slow,
                runnable,
            })
            .collect();
        let output_validator = rejected_outputs(self.bench, self.rules, &submissions)?;
        let probes = self.probes(&submissions)?;
        Ok(Tooled { input_validators, grammar_changes, output_validator, probes })
    }

    /// The submissions that are accepted everywhere or declared too slow, if this machine can build them.
    fn built(&self) -> Result<Vec<(&Submission, bool, Runnable)>, Stop> {
        let submissions = self.bench.problem.submissions.iter();
        let wanted: Vec<(&Submission, bool)> =
            submissions.filter_map(|it| Some((it, class(it)?))).collect();
        let built = parallel::map(self.bench.executor, &wanted, |(submission, is_slow)| {
            let Some(prepared) = prepared(self.bench, submission)? else { return Ok(None) };
            let runnable = runnable(self.bench, self.rules, submission, &prepared)?;
            Ok(runnable.map(|runnable| (*submission, *is_slow, *runnable)))
        })?;
        Ok(built.into_iter().flatten().collect())
    }

    fn probes(&self, submissions: &[Probed<'_>]) -> Result<Probes, Stop> {
        let Self { bench, inputs, .. } = *self;
        let validity = inputs.validity(bench)?;
        let recipe = inputs.recipe.as_ref().filter(|_| inputs.grammars.is_empty());
        let generators = recipe.map(|it| FreshInputs::build(bench, it)).transpose()?;
        let by_grammar = inputs.grammars.first().map(|it| ByGrammar::new(it, &validity, self.seed));
        let by_generators = recipe.zip(generators.as_ref()).map(|(recipe, generators)| {
            ByGenerators::new(recipe, generators, &validity, self.seed)
        });
        let inputs = by_grammar.as_ref().map(|it| it as &dyn Inputs);
        let inputs = inputs.or(by_generators.as_ref().map(|it| it as &dyn Inputs));
        let end = Instant::now() + self.time;
        probes(&Probing {
            bench,
            rules: self.rules,
            test_case: &self.inputs.test_case,
            submissions,
            inputs,
            has_time: &|| Instant::now() < end,
        })
    }
}
