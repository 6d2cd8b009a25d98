//! Checks test data:
//! - every input passes every input validator, and every invalid input is refused by one;
//! - example answers and outputs are as valid or invalid as the package says;
//! - no case occurs twice;
//! - neither validators nor bounds are looser than they look.

mod answers;
pub mod coverage;
mod duplicates;
mod exchange;
mod inputs;
pub mod judge_answers;
pub mod mutations;
pub mod outputs;
mod strictness;
pub mod undiscriminating;

use std::collections::HashSet;
use std::sync::Arc;

use crate::validity::test_data::mutations::Mutation;
use crate::validity::test_data::strictness::StrictnessCheck;
use crate::validity::{Validity, grammars};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_grammar::program::Grammar;
use juror_judging::build::bench::Bench;
use juror_judging::output_validator::OutputValidator;

pub struct DataCheck<'a> {
    pub bench: Bench<'a>,
    /// Empty if the format's default one decides.
    pub validators: &'a [OutputValidator],
    /// The names of the only judged cases to be checked. `None` for everything below `data/`.
    pub selected: Option<&'a HashSet<String>>,
    /// Faults that the input validators should find, such as [`mutations::GENERIC`].
    pub mutations: &'a [Mutation],
}

/// Adds faults to `found`, by test case, even if the check is interrupted.
pub fn check_data(check: &DataCheck<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stop> {
    let problem = check.bench.problem;
    let grammars = usable_grammars(problem, diagnostics)?;
    let validity = Validity::of_grammars(grammars.iter().collect());
    let validity = &validity.with_programs(check.bench, diagnostics)?;
    let is_whole =
        validity.count() == problem.input_validators.len() + problem.input_grammars.len();
    inputs::check_inputs(check, validity, diagnostics)?;
    if is_whole && !has_errors(diagnostics) {
        StrictnessCheck { data_check: check, validity }.check(diagnostics)?;
        if problem.input_validators.len() == 1 && !grammars.is_empty() {
            diagnostics.extend(remarks_on_program(check)?);
        }
    }
    if is_whole && !has_errors(diagnostics) {
        diagnostics.extend(coverage::find_missed_bounds(check, &grammars)?);
    }
    answers::check_answers(check, diagnostics)?;
    diagnostics.extend(outputs::check_outputs(check)?);
    diagnostics.extend(duplicates::find_duplicates(check)?);
    Ok(())
}

/// What the only program among the validators accepts, and a grammar refuses.
fn remarks_on_program(check: &DataCheck<'_>) -> Result<Vec<Diagnostic>, Stop> {
    let mut found = Vec::new();
    let program = Validity::of_grammars(Vec::new()).with_programs(check.bench, &mut found)?;
    StrictnessCheck { data_check: check, validity: &program }.check(&mut found)?;
    let remark = |warning: Diagnostic| Diagnostic {
        severity: Severity::Remark,
        message: format!("{}; the grammar refuses them", warning.message),
        ..warning
    };
    Ok(found.into_iter().map(remark).collect())
}

/// Only that each case is valid. Adds faults to `diagnostics`.
pub fn check_cases(check: &DataCheck<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stop> {
    let grammars = usable_grammars(check.bench.problem, diagnostics)?;
    let validity = Validity::of_grammars(grammars.iter().collect());
    let validity = validity.with_programs(check.bench, diagnostics)?;
    inputs::check_inputs(check, &validity, diagnostics)?;
    answers::check_answers(check, diagnostics)
}

/// The problem's grammars without faults.
fn usable_grammars(problem: &Problem, found: &mut Vec<Diagnostic>) -> Result<Vec<Grammar>, Stop> {
    let mut usable = Vec::new();
    for reading in grammars::read_grammars(None, problem)? {
        found.extend(reading.diagnostics);
        usable.extend(reading.grammar);
    }
    Ok(usable)
}

/// An input or output with a fault that validators should refuse.
pub struct TriedFault {
    /// For example `a tab between words`.
    pub fault: &'static str,
    /// The test case that it was made from.
    pub test_case: String,
    /// The input or output, if it is accepted.
    pub accepted: Option<Arc<[u8]>>,
}

/// Gives inputs with small faults to the problem's input validators. `None` if there are no validators, or none can
/// run.
pub fn try_faulty_inputs(bench: Bench<'_>) -> Result<Option<Vec<TriedFault>>, Stop> {
    let check =
        DataCheck { bench, validators: &[], selected: None, mutations: &mutations::GENERIC };
    let mut diagnostics = Vec::new();
    let grammars = usable_grammars(bench.problem, &mut diagnostics)?;
    let validity = Validity::of_grammars(grammars.iter().collect());
    let validity = &validity.with_programs(bench, &mut diagnostics)?;
    if validity.count() == 0 || has_errors(&diagnostics) {
        return Ok(None);
    }
    let tried = StrictnessCheck { data_check: &check, validity }.try_mutations()?.into_iter();
    let faulty = tried.map(|task| {
        Ok(TriedFault {
            accepted: if task.is_refused { None } else { task.text()? },
            test_case: task.test_case.name.clone(),
            fault: task.mutation.name,
        })
    });
    faulty.collect::<Result<_, Stop>>().map(Some)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

impl DataCheck<'_> {
    fn judged_cases(&self) -> impl Iterator<Item = &TestCase> {
        let is_selected =
            |case: &&TestCase| self.selected.is_none_or(|all| all.contains(&case.name));
        self.bench.problem.test_data.cases.iter().filter(is_selected)
    }

    fn valid_cases(&self) -> impl Iterator<Item = &TestCase> {
        let data = &self.bench.problem.test_data;
        let others = data.valid_outputs.iter().chain(&data.invalid_outputs);
        let others = others.chain(&data.invalid_answers).chain(&data.valid_inputs);
        self.judged_cases().chain(others.filter(|_| self.selected.is_none()))
    }

    fn invalid_cases(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.bench.problem.test_data.invalid_inputs.iter();
        cases.filter(|_| self.selected.is_none())
    }
}
