//! Input validators in batches: many inputs with one run of each validator.
//!
//! Without a grammar, a search asks input validators about thousands of changed test cases, and they refuse most.
//!
//! A batch's refusal is final, unlike for [programs that are cross-checked](juror_judging::build::batch): at worst, an
//! input is not tried. To be sure, the first batch is repeated input by input. If the decisions differ, there are no
//! batches. The same inputs are tried with and without batches, so the result does not depend on when batches begin.

use parking_lot::Mutex;
use std::sync::Arc;

use crate::validity::{Validity, validator_args};
use juror_core::job::Job;
use juror_core::limits::{Limits, MOST_PROCESSES};
use juror_core::outcome::Ending;
use juror_core::problem::ProgramIo;
use juror_core::stop::Stop;
use juror_judging::build::BuildResult;
use juror_judging::build::batch::{BatchMode, decode_first_outputs, encode_inputs as framed};
use juror_sandbox::executor::{Executor, parallel};

/// Number of inputs that are checked before anything is built for batches: a compiler takes a second, a program starts
/// in milliseconds.
pub const INPUTS_BEFORE_BATCHES: usize = 256;

pub(super) struct ValidatorBatches {
    state: Mutex<BatchState>,
}

struct BatchValidator {
    /// A run without inputs.
    job: Job,
    /// The exit code with which it accepts an input.
    accept_code: u8,
}

enum BatchState {
    /// One input at a time. The number is that of the inputs until now.
    Single(BatchMode, usize),
    Batched(BatchMode, Vec<BatchValidator>),
    Disabled,
}

impl ValidatorBatches {
    /// `None` for no batches.
    pub(super) fn new(mode: Option<BatchMode>) -> Self {
        let state = mode.map_or(BatchState::Disabled, |mode| BatchState::Single(mode, 0));
        Self { state: Mutex::new(state) }
    }

    pub(super) fn accepts_each(
        &self,
        validity: &Validity<'_>,
        inputs: &[Arc<[u8]>],
    ) -> Result<Vec<bool>, Stop> {
        let Some(first) = validity.programs.first() else { return Ok(vec![true; inputs.len()]) };
        let executor = first.bench.executor;
        let mut state = self.state.lock();
        let alone = |inputs: &[Arc<[u8]>]| {
            let is_accepted = |input: &_| Ok(validity.program_objection(input)?.is_none());
            parallel::map(executor, inputs, is_accepted)
        };
        match &mut *state {
            BatchState::Disabled => alone(inputs),
            BatchState::Single(mode, asked) => {
                let accepted = alone(inputs)?;
                *asked += inputs.len();
                // If all are refused, equal decisions prove little.
                if *asked >= INPUTS_BEFORE_BATCHES && accepted.contains(&true) {
                    *state = match build_for_batches(validity)? {
                        Some(validators) => {
                            let known = run_batches(executor, *mode, &validators, inputs)?;
                            let same = known.into_iter().eq(accepted.iter().copied().map(Some));
                            if same {
                                BatchState::Batched(*mode, validators)
                            } else {
                                BatchState::Disabled
                            }
                        }
                        None => BatchState::Disabled,
                    };
                }
                Ok(accepted)
            }
            BatchState::Batched(mode, validators) => {
                let known = run_batches(executor, *mode, validators, inputs)?;
                let open = inputs.iter().zip(&known).filter(|(_, known)| known.is_none());
                let open: Vec<Arc<[u8]>> = open.map(|(input, _)| Arc::clone(input)).collect();
                let mut asked = alone(&open)?.into_iter();
                Ok(known.into_iter().filter_map(|known| known.or_else(|| asked.next())).collect())
            }
        }
    }
}

/// Builds the validators to read many inputs at once. `None` if one of them cannot.
fn build_for_batches(validity: &Validity<'_>) -> Result<Option<Vec<BatchValidator>>, Stop> {
    let limits = Limits::of_validator();
    let mut all = Vec::new();
    for validator in &validity.programs {
        let builder = validator.bench.builder;
        let Some(prepared) = builder.prepare(validator.program)?.for_batches() else {
            return Ok(None);
        };
        all.push((validator, prepared));
    }
    let mut validators = Vec::new();
    for (validator, prepared) in all {
        let BuildResult::Program(runnable) =
            validator.bench.builder.build(&prepared, &limits, &limits)?
        else {
            return Ok(None);
        };
        // One more process waits for the others.
        let mut job = runnable.job(&limits.with_processes(MOST_PROCESSES + 1));
        job.command.argv.extend(validator_args(validator, &validity.test_case));
        job.writable = false;
        let accept = validator.protocol().accept_exit_code();
        validators.push(BatchValidator { job, accept_code: accept.try_into().unwrap_or_default() });
    }
    Ok(Some(validators))
}

/// Runs a batch in each slot. `None` if it is unknown whether an input is accepted.
fn run_batches(
    executor: &dyn Executor,
    mode: BatchMode,
    validators: &[BatchValidator],
    inputs: &[Arc<[u8]>],
) -> Result<Vec<Option<bool>>, Stop> {
    let size = inputs.len().div_ceil(executor.slots().max(1)).max(1);
    let batches: Vec<&[Arc<[u8]>]> = inputs.chunks(size).collect();
    let known = parallel::map(executor, &batches, |batch| {
        let mut known = vec![Some(true); batch.len()];
        for BatchValidator { job, accept_code } in validators {
            // An input that an earlier validator refused needs no other.
            let places: Vec<usize> =
                (0..batch.len()).filter(|index| known[*index] == Some(true)).collect();
            if places.is_empty() {
                break;
            }
            let texts = places.iter().map(|index| &*batch[*index]);
            let mut job = job.clone();
            job.stdin = framed(&ProgramIo::Standard, *accept_code, mode.shared, texts).into();
            let reply = executor.run_job(&job)?;
            let is_whole =
                reply.outcome.stopped_by.is_none() && reply.outcome.ending == Ending::Exited(0);
            let bytes = reply.stdout.read().unwrap_or_default();
            let answers = decode_first_outputs(&bytes, places.len()).ok().filter(|_| is_whole);
            let answers = answers.unwrap_or_default();
            for (number, index) in places.into_iter().enumerate() {
                known[index] = answers.get(number).map(Option::is_some);
            }
        }
        Ok(known)
    })?;
    Ok(known.concat())
}
