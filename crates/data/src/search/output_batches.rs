//! Output validators in batches: many outputs with one start of the validator.
//!
//! As [batches of programs](crate::search::batch), they can only accept: what they do not accept, a run of its own
//! decides. The first batch is repeated output by output. If the decisions differ, no more batches run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use juror_core::blob::Blob;
use juror_core::problem::Grading;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::build::{BuildResult, Runnable};
use juror_judging::output_validator::{OutputValidator, TrialCase};

/// Number of outputs that are judged before anything is built for batches.
const OUTPUTS_BEFORE_BATCHES: usize = 64;

#[derive(Clone, Debug)]
pub struct WrittenOutput<'a> {
    pub input: &'a Arc<[u8]>,
    pub answer: &'a [u8],
    pub output: &'a [u8],
}

pub(super) struct OutputBatches<'a> {
    bench: Bench<'a>,
    test_case: &'a TestCase,
    validators: &'a [OutputValidator],
    /// `None` for no batches.
    mode: Option<BatchMode>,
    judged: AtomicUsize,
    is_claimed: AtomicBool,
    /// Empty until the decision; then the program, or `None` if each output has a run of its own.
    built: OnceLock<Option<Box<Runnable>>>,
}

impl<'a> OutputBatches<'a> {
    /// `None` for no batches.
    pub(super) fn new(
        bench: Bench<'a>,
        test_case: &'a TestCase,
        validators: &'a [OutputValidator],
        mode: Option<BatchMode>,
    ) -> Self {
        Self {
            bench,
            test_case,
            validators,
            mode,
            judged: AtomicUsize::new(0),
            is_claimed: AtomicBool::new(false),
            built: OnceLock::new(),
        }
    }

    /// Which outputs are accepted. `alone` asks for each in a run of its own.
    pub(super) fn accepts_each(
        &self,
        outputs: &[WrittenOutput<'_>],
        alone: impl Fn() -> Result<Vec<bool>, Stop>,
    ) -> Result<Vec<bool>, Stop> {
        let ([validator], Some(mode)) = (self.validators, self.mode) else { return alone() };
        if outputs.len() < 2 {
            return alone();
        }
        let batched = |runnable: &Runnable| self.accept_batch(validator, (runnable, mode), outputs);
        if let Some(built) = self.built.get() {
            return built.as_deref().map_or_else(alone, batched);
        }
        let accepted = alone()?;
        let judged = self.judged.fetch_add(outputs.len(), Ordering::SeqCst) + outputs.len();
        // If all are rejected, equal decisions prove little.
        let is_time = judged >= OUTPUTS_BEFORE_BATCHES && accepted.contains(&true);
        if is_time && !self.is_claimed.swap(true, Ordering::SeqCst) {
            let built = match self.build(validator)? {
                Some(runnable) if batched(&runnable)? == accepted => Some(runnable),
                _ => None,
            };
            // No other worker builds it.
            let _ = self.built.set(built);
        }
        Ok(accepted)
    }

    fn accept_batch(
        &self,
        validator: &OutputValidator,
        program: (&Runnable, BatchMode),
        outputs: &[WrittenOutput<'_>],
    ) -> Result<Vec<bool>, Stop> {
        let calls = outputs.iter().map(|WrittenOutput { input, answer, output }| {
            let [answer, output] = [*answer, *output].map(Blob::from);
            let input = Arc::clone(input).into();
            (TrialCase { name: "", test_case: self.test_case, input, answer }, output)
        });
        match validator.accept_batch(self.bench.executor, program, &Vec::from_iter(calls)) {
            Err(Stop::Fault(_)) => Ok(vec![false; outputs.len()]),
            accepted => accepted,
        }
    }

    /// `None` if more than its exit code counts, or its language has no batches.
    fn build(&self, validator: &OutputValidator) -> Result<Option<Box<Runnable>>, Stop> {
        let Bench { problem, builder, .. } = self.bench;
        let prints =
            matches!(validator.protocol(), Protocol::Cms | Protocol::Sinol | Protocol::OpenR1);
        let [program] = &problem.output_validators[..] else { return Ok(None) };
        if prints || problem.kind.grading != Grading::PassFail {
            return Ok(None);
        }
        let Some(prepared) = builder.prepare(program)?.for_batches() else { return Ok(None) };
        Ok(match self.bench.build_quietly(&prepared, &validator.limits)? {
            BuildResult::Program(runnable) => Some(runnable),
            BuildResult::Rejected(_) => None,
        })
    }
}
