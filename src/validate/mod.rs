//! Proves test data: every input passes every input validator, every invalid input is refused by one,
//! outputs that are said to be valid or invalid are so, and nothing is looser than it looks.

mod grammars;
pub mod inputs;
pub mod outputs;

use crate::build::Builder;
use crate::executor::Executor;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::model::test_data::TestCase;

/// What is proved, and with what.
pub struct Proving<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Which test cases are selected, by name.
    pub selected: &'a (dyn Fn(&str) -> bool + Sync),
    /// How much of the data.
    pub extent: Extent,
    /// Where validators run.
    pub executor: &'a dyn Executor,
    /// Makes programs of sources.
    pub builder: &'a Builder<'a>,
    /// Takes what happens.
    pub events: &'a (dyn Fn(Event) + Sync),
}

/// How much of the data is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything below `data/`.
    Everything,
    /// The selected test cases only.
    Selected,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Proof {
    /// What is wrong, by test case.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it was cut short.
    pub interrupted: bool,
}

/// Proves the test data of a problem.
///
/// # Errors
/// When the judge failed, for example because a validator's compiler is missing.
pub fn data(proving: &Proving<'_>) -> Result<Proof, JudgeError> {
    let mut proof = inputs::prove(proving)?;
    if !proof.interrupted {
        proof.diagnostics.extend(outputs::prove(proving)?);
    }
    Ok(proof)
}

impl Proving<'_> {
    /// The cases whose inputs must be valid.
    fn valid(&self) -> impl Iterator<Item = &TestCase> {
        let data = &self.problem.test_data;
        let selected = data.cases.iter().filter(|case| (self.selected)(&case.name));
        let others = data.valid_outputs.iter().chain(&data.invalid_outputs);
        selected.chain(others.filter(|_| self.extent == Extent::Everything))
    }

    /// The cases whose inputs must be refused.
    fn invalid(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.problem.test_data.invalid_inputs.iter();
        cases.filter(|_| self.extent == Extent::Everything)
    }
}
