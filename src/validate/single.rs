//! Input validators on inputs that are in no file, as often as somebody asks.

use std::sync::Arc;

use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::program::Program;
use crate::model::stop::Stop;
use crate::model::test_data::ValidatorArgs;
use crate::validate::programs::{Opinion, Question, Validator, ask, build};
use crate::validate::{Proof, Proving};

/// Input validators that can be asked, as long as this lives.
pub struct InputValidators<'a> {
    proving: &'a Proving<'a>,
    all: Vec<Validator<'a>>,
    args: ValidatorArgs,
}

/// Why an input is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The input validator that refuses it, or does not end as it should.
    pub validator: String,
    /// What it does, and what it says.
    pub what: String,
}

/// Why there are no validators that can be asked.
#[derive(Debug)]
pub enum Unbuilt {
    /// Some do not build.
    Diagnosed(Vec<Diagnostic>),
    /// It was cut short.
    Interrupted,
}

impl<'a> InputValidators<'a> {
    /// Builds these validators, to be asked with these arguments.
    ///
    /// # Errors
    /// When the judge failed.
    pub fn build(
        proving: &'a Proving<'a>,
        programs: &'a [Program],
        args: ValidatorArgs,
    ) -> Result<Result<Self, Unbuilt>, JudgeError> {
        let mut proof = Proof::default();
        let all = build(proving, "the input validator", programs, &mut proof)?;
        Ok(match (proof.interrupted, all.len() == programs.len()) {
            (true, _) => Err(Unbuilt::Interrupted),
            (false, false) => Err(Unbuilt::Diagnosed(proof.diagnostics)),
            (false, true) => Ok(Self { proving, all, args }),
        })
    }

    /// Asks them one after the other: the first that does not take the input for valid.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn refusal(&self, input: &Arc<[u8]>) -> Result<Option<Refused>, Stop> {
        for validator in &self.all {
            let question = Question {
                stdin: Arc::clone(input).into(),
                args: self
                    .args
                    .for_validator(&validator.program.name)
                    .iter()
                    .collect(),
                files: Vec::new(),
            };
            let what = match ask(self.proving, validator, question)? {
                Opinion::Valid => continue,
                Opinion::Refused(said) => format!("refuses it{said}"),
                Opinion::Broken { ending, said } => format!("ends with {ending}{said}"),
            };
            return Ok(Some(Refused {
                validator: validator.program.name.clone(),
                what,
            }));
        }
        Ok(None)
    }
}
