//! Input validators on inputs in memory, as often as needed.

use std::sync::Arc;

use crate::build::bench::Bench;
use crate::build::{Built, Prepared};
use crate::model::job::Job;
use crate::model::limits::{Limits, PROCESSES};
use crate::model::program::Program;
use crate::model::stop::Stop;
use crate::model::test_data::ValidatorArgs;
use crate::validate::programs::{Opinion, Question, Validator, ask, build};

/// Input validators that can run as long as this value lives.
pub struct InputValidators<'a> {
    pub bench: Bench<'a>,
    all: Vec<Validator<'a>>,
    args: ValidatorArgs,
}

/// An input validator that is built to read many inputs at once. `stress::batch` defines what it then reads and writes.
pub struct ManyInputs {
    /// A run of it, without inputs.
    pub job: Job,
    /// The exit code with which it accepts an input.
    pub accept: u8,
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
        if all.len() == programs.len() {
            Ok(Self { bench, all, args })
        } else {
            Err(Stop::Diagnosed(found))
        }
    }

    /// Builds them anew, to read many inputs at once. `None` if not all can.
    pub fn for_batches(&self) -> Result<Option<Vec<ManyInputs>>, Stop> {
        let (limits, builder) = (Limits::of_validator(), self.bench.builder);
        let prepare = |it: &Validator<'_>| Ok(builder.prepare(it.program)?.for_batches());
        let prepared: Option<Vec<Prepared>> =
            self.all.iter().map(prepare).collect::<Result<_, Stop>>()?;
        let mut all = Vec::new();
        for (validator, prepared) in self.all.iter().zip(prepared.unwrap_or_default()) {
            let Built::Program(runnable) = builder.build(&prepared, &limits, &limits)? else {
                return Ok(None);
            };
            // One more process waits for the others.
            let mut job = runnable.job(&limits.with_processes(PROCESSES + 1));
            job.command.argv.extend_from_slice(self.args.for_validator(&validator.program.name));
            job.writable = false;
            let accept = self.bench.problem.input_protocol.accept();
            all.push(ManyInputs { job, accept: accept.try_into().unwrap_or_default() });
        }
        // None has no batches if one has none.
        Ok((all.len() == self.all.len()).then_some(all))
    }

    /// Runs them in order; returns the first that does not accept the input.
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
