//! Proves test data: every input passes every input validator, every invalid input is refused by one,
//! answers and outputs that are said to be valid or invalid are so, no case is there twice, and nothing
//! is looser than it looks.

mod answers;
mod coverage;
mod equal;
mod exchange;
mod grammars;
pub mod idle;
mod inputs;
pub mod mutations;
pub mod outputs;
mod programs;
pub mod single;
mod spread;
mod strictness;
pub mod trial;

use crate::build::Builder;
use crate::executor::Executor;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::validate::mutations::Mutation;
use crate::validator::OutputValidator;

/// What is proved, and with what.
pub struct Proving<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its own output validator; `None` where the format's default one decides.
    pub validator: Option<&'a OutputValidator>,
    /// Which test cases are selected, by name.
    pub selected: &'a (dyn Fn(&str) -> bool + Sync),
    /// How much of the data.
    pub extent: Extent,
    /// Faults that the input validators should find: [`mutations::generic`], and those that a grammar of
    /// the input knows.
    pub mutations: &'a [Mutation],
    /// Where validators run.
    pub executor: &'a dyn Executor,
    /// Makes programs of sources.
    pub builder: &'a Builder<'a>,
    /// Takes what happens.
    pub events: &'a (dyn Fn(Event) + Sync),
}

impl<'a> Proving<'a> {
    /// What input validators are built and asked with, where no data is proved.
    pub fn asking(
        problem: &'a Problem,
        executor: &'a dyn Executor,
        builder: &'a Builder<'a>,
        events: &'a (dyn Fn(Event) + Sync),
    ) -> Self {
        Self {
            problem,
            validator: None,
            selected: &|_| true,
            extent: Extent::Selected,
            mutations: &[],
            executor,
            builder,
            events,
        }
    }
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
    let mut proof = Proof::default();
    let validators = inputs::ready(proving, &mut proof)?;
    let problem = proving.problem;
    let is_whole =
        validators.len() == problem.input_validators.len() + problem.input_grammars.len();
    if !proof.interrupted {
        inputs::prove(proving, &validators, &mut proof)?;
    }
    if is_whole && !proof.interrupted && !proof.has_errors() {
        strictness::prove(proving, &validators, &mut proof)?;
    }
    if is_whole && !proof.interrupted && !proof.has_errors() {
        proof
            .diagnostics
            .extend(coverage::find(proving, &validators)?);
    }
    if !proof.interrupted {
        answers::prove(proving, &mut proof)?;
    }
    if !proof.interrupted {
        let found = outputs::prove(proving);
        proof.take(found)?;
    }
    if !proof.interrupted {
        proof.diagnostics.extend(equal::find(proving)?);
    }
    Ok(proof)
}

impl Proof {
    /// Takes what a step found, or that it was cut short.
    fn take(&mut self, found: Result<Vec<Diagnostic>, Stop>) -> Result<(), JudgeError> {
        match found {
            Ok(found) => self.diagnostics.extend(found),
            Err(Stop::Interrupted) => self.interrupted = true,
            Err(Stop::Fault(error)) => return Err(error),
        }
        Ok(())
    }

    /// The same where more than remarks comes of it: `None` where it was cut short.
    fn taken<T>(&mut self, found: Result<T, Stop>) -> Result<Option<T>, JudgeError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Interrupted) => {
                self.interrupted = true;
                Ok(None)
            }
            Err(Stop::Fault(error)) => Err(error),
        }
    }

    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

impl Proving<'_> {
    /// The cases whose inputs must be valid.
    fn valid(&self) -> impl Iterator<Item = &TestCase> {
        let data = &self.problem.test_data;
        let selected = data.cases.iter().filter(|case| (self.selected)(&case.name));
        let others = data.valid_outputs.iter().chain(&data.invalid_outputs);
        let others = others.chain(&data.invalid_answers);
        selected.chain(others.filter(|_| self.extent == Extent::Everything))
    }

    /// The cases whose inputs must be refused.
    fn invalid(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.problem.test_data.invalid_inputs.iter();
        cases.filter(|_| self.extent == Extent::Everything)
    }
}
