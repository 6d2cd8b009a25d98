//! Input validators on inputs in memory, as often as needed.

use std::sync::Arc;

use crate::build::bench::Bench;
use crate::model::program::Program;
use crate::model::stop::Stop;
use crate::model::test_data::ValidatorArgs;
use crate::validate::programs::{Opinion, Question, Validator, ask, build};

/// Input validators that can be asked, as long as this lives.
pub struct InputValidators<'a> {
    bench: Bench<'a>,
    all: Vec<Validator<'a>>,
    args: ValidatorArgs,
}

/// Why an input is not valid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refused {
    /// The input validator that refuses it, or does not end as it should.
    pub validator: String,
    /// How it ends, where that is neither of the two ways in which it should.
    pub ending: Option<String>,
    /// What it writes, behind a colon.
    pub said: String,
}

impl Refused {
    /// What the validator does.
    pub fn what(&self) -> String {
        let said = &self.said;
        match &self.ending {
            None => format!("refuses it{said}"),
            Some(ending) => format!("ends with {ending}{said}"),
        }
    }
}

impl<'a> InputValidators<'a> {
    /// Builds these validators, to be asked with these arguments.
    ///
    /// # Errors
    /// When some do not build, the judge failed, or it was cut short.
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

    /// Asks them one after the other: the first that does not take the input for valid.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
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
