//! Input validators on inputs in memory, as often as needed.

use std::sync::Arc;

use crate::build::bench::Bench;
use crate::model::program::Program;
use crate::model::stop::Stop;
use crate::model::test_data::ValidatorArgs;
use crate::validate::programs::{Opinion, Question, Validator, ask, build};

/// Input validators that can run as long as this value lives.
pub struct InputValidators<'a> {
    bench: Bench<'a>,
    all: Vec<Validator<'a>>,
    args: ValidatorArgs,
}

/// Why an input is not valid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refused {
    /// The input validator that refuses it, or that ends in an unexpected way.
    pub validator: String,
    /// How it ends, if neither by accepting nor by refusing.
    pub ending: Option<String>,
    /// Its output, after a colon.
    pub said: String,
}

impl Refused {
    /// What the validator does with the input, in words.
    pub fn what(&self) -> String {
        let said = &self.said;
        match &self.ending {
            None => format!("refuses it{said}"),
            Some(ending) => format!("ends with {ending}{said}"),
        }
    }
}

impl<'a> InputValidators<'a> {
    /// Builds these validators, to run with these arguments.
    ///
    /// # Errors
    /// If some do not build, the judge failed, or it was cut short.
    pub fn build(
        bench: Bench<'a>,
        programs: &'a [Program],
        args: ValidatorArgs,
    ) -> Result<Self, Stop> {
        let mut found = Vec::new();
        let all = build(&bench, "the input validator", programs, &mut found)?;
        match all.len() == programs.len() {
            true => Ok(Self { bench, all, args }),
            false => Err(Stop::Diagnosed(found)),
        }
    }

    /// Runs them in order; returns the first that does not accept the input.
    ///
    /// # Errors
    /// If the judge failed or was interrupted.
    pub fn refusal(&self, input: &Arc<[u8]>) -> Result<Option<Refused>, Stop> {
        for validator in &self.all {
            let question = Question {
                stdin: Arc::clone(input).into(),
                args: self.args.for_validator(&validator.program.name).iter().collect(),
                files: Vec::new(),
            };
            let (ending, said) = match ask(&self.bench, validator, question)? {
                Opinion::Valid => continue,
                Opinion::Refused(said) => (None, said),
                Opinion::Broken { ending, said } => (Some(ending), said),
            };
            return Ok(Some(Refused { validator: validator.program.name.clone(), ending, said }));
        }
        Ok(None)
    }
}
