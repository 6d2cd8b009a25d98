//! Batches: many cross-checks for the price of two program starts.
//!
//! # Theory of operation
//!
//! A cross-check of small programs spends most of its time on their start. So both programs are built a second time,
//! with `crates/core/src/language/batch.c` before their `main`. Such a program starts once for many inputs, in the
//! sandbox like any other, under the limits of one run. Just before `main` it forks for each input. The child runs the
//! program's own `main`, with all startup code already done.
//!
//! **A batch can only accept.** An input counts as accepted under three conditions: both batches as a whole kept the
//! limits of a single run and ended with exit code 0; both report that their program ended normally on this input; and
//! the output is accepted like that of any run. In all other cases (another exit code or output, no valid frame, a
//! limit) the input is cross-checked anew, with each program in a process of its own. So every reported failure comes
//! from single runs. Batches may overlook what a program does only in a fresh process.
//!
//! Batches begin after the first inputs, which find most faults, so that quick searches do not wait for a compiler.
//! Programs in C and C++ also tell which inputs are the first in a batch to go along an edge between two basic blocks
//! (`-fsanitize-coverage=trace-pc,trace-cmp`). [`by_coverage`](crate::inputs::by_coverage) changes those that are the
//! first in the search. This decides nothing, and a program that lies about it only wastes its own search.
//!
//! Workers build while others go on. `build/batch.rs` has the bytes that batches read and write, [`size`] their number
//! of inputs.

pub mod size;

use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::recipe::seeded_generator::SeededCall;
use crate::search::arena::Arena;
use crate::search::batch::size::BatchSize;
use crate::search::cross_check::CrossCheck;
use crate::search::output_batches::WrittenOutput;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::isolation::Isolation;
use juror_core::stop::Stop;
use juror_judging::build::batch::{self, BatchMode, InvalidFrames};
use juror_judging::build::{BuildResult, PreparedProgram, Runnable};
use juror_judging::judge::case::Rules;
use juror_judging::judge::output::BatchOutput;

/// Number of inputs that are tried before anything is built for batches.
const INPUTS_BEFORE_BATCHES: u64 = 64;
/// Number of inputs that must be left for batches to pay off.
const INPUTS_WORTH_BATCHES: u64 = 500;
/// The program that does not build, and the consequence.
const FOR_BATCHES: &str = "the program for batches, without which every run has a fresh process,";
/// Building both programs must take at most the time left, divided by this.
const BUILD_TIME_DIVISOR: u32 = 2;

pub struct Batches {
    mode: BatchMode,
    reference: BatchProgram,
    submission: BatchProgram,
    /// The generator of the command line, if its language has batches.
    generator: Option<BatchProgram>,
    size: Mutex<BatchSize>,
}

/// What a batch says about an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchedInput {
    /// `false` also if the batch cannot decide.
    pub is_accepted: bool,
    /// Whether it is the first to reach an edge in one of the programs.
    pub is_new: bool,
}

/// One of the programs.
struct BatchProgram {
    path: PathBuf,
    prepared: PreparedProgram,
    /// Also tells which edges an input reaches. A compiler that cannot do this builds `prepared` instead.
    with_coverage: Option<PreparedProgram>,
    is_claimed: AtomicBool,
    built: OnceLock<Result<Runnable, Diagnostic>>,
    /// The edges that inputs reached.
    edges: Mutex<HashSet<u32>>,
}

impl BatchProgram {
    fn new((path, prepared): (&Path, &PreparedProgram)) -> Option<Self> {
        Some(Self {
            path: path.to_owned(),
            prepared: prepared.for_batches()?,
            with_coverage: None,
            is_claimed: AtomicBool::new(false),
            built: OnceLock::new(),
            edges: Mutex::default(),
        })
    }

    fn with_coverage(program: (&Path, &PreparedProgram)) -> Option<Self> {
        Some(Self { with_coverage: program.1.for_batches_with_coverage(), ..Self::new(program)? })
    }

    fn runnable(&self) -> Option<&Runnable> {
        self.built.get()?.as_ref().ok()
    }

    /// Calls `note_new` for an input that is the first to reach some edge.
    fn decode<'b>(
        &self,
        output: &'b BatchOutput,
        count: usize,
        mut note_new: impl FnMut(usize),
    ) -> Result<Vec<Option<&'b [u8]>>, InvalidFrames> {
        let mut edges = self.edges.lock();
        let mut note = |input, edge| {
            if edges.insert(edge) {
                note_new(input);
            }
        };
        let mut outputs = batch::decode_with_edges(&output.bytes, count, &mut note)?;
        outputs.resize(count, None);
        Ok(outputs)
    }
}

/// The progress of a search decides whether batches pay off.
#[derive(Clone, Copy, Debug)]
pub struct RemainingSearch {
    pub tried: u64,
    /// Number of inputs that may still be tried.
    pub inputs: Option<u64>,
    pub time: Duration,
}

impl Batches {
    /// In bytes. On longer inputs, the work of programs outweighs their start.
    pub const INPUT_BYTES_MAX: u64 = 16 << 10;

    /// `None` if a language lacks batches, or there is no mode for it ([`BatchMode`]).
    pub fn new(
        rules: &Rules<'_>,
        isolation: Isolation,
        reference: (&Path, &PreparedProgram),
        submission: (&Path, &PreparedProgram),
        generator: Option<(&Path, &PreparedProgram)>,
    ) -> Option<Self> {
        Some(Self {
            mode: BatchMode::new(rules.problem, isolation)?,
            reference: BatchProgram::with_coverage(reference)?,
            submission: BatchProgram::with_coverage(submission)?,
            generator: generator.and_then(BatchProgram::new),
            size: Mutex::default(),
        })
    }

    fn programs(&self) -> impl Iterator<Item = &BatchProgram> {
        [&self.submission, &self.reference].into_iter().chain(&self.generator)
    }

    /// Builds one of the programs, if it is time and no other worker builds it. Returns whether there was a program to
    /// build. If a program does not build, there are no batches.
    pub fn build(&self, cross_check: &CrossCheck<'_>, left: RemainingSearch) -> Result<bool, Stop> {
        let build_times =
            [cross_check.submission, cross_check.reference].map(|runnable| runnable.build_time);
        let is_worth_it = left.tried >= INPUTS_BEFORE_BATCHES
            && left.inputs.is_none_or(|inputs| inputs >= INPUTS_WORTH_BATCHES)
            && build_times.iter().sum::<Duration>() <= left.time / BUILD_TIME_DIVISOR;
        if !is_worth_it || self.build_failure().is_some() {
            return Ok(false);
        }
        let is_free = |program: &&BatchProgram| !program.is_claimed.swap(true, Ordering::SeqCst);
        let Some(program) = self.programs().find(is_free) else { return Ok(false) };
        let Arena { bench, rules, .. } = cross_check.arena;
        if let Some(prepared) = &program.with_coverage
            && let BuildResult::Program(runnable) = bench.build_quietly(prepared, &rules.limits)?
        {
            let _ = program.built.set(Ok(*runnable));
            return Ok(true);
        }
        let built = bench.build_quietly(&program.prepared, &rules.limits)?;
        let built = built.program(FOR_BATCHES, &program.path);
        // No other worker builds this program.
        let _ = program
            .built
            .set(built.map_err(|fault| Diagnostic { severity: Severity::Warning, ..fault }));
        Ok(true)
    }

    /// Why there are no batches, if a program did not build for them.
    pub fn build_failure(&self) -> Option<Diagnostic> {
        let failure = |program: &BatchProgram| Some(program.built.get()?.as_ref().err()?.clone());
        self.programs().find_map(failure)
    }

    /// Number of inputs to try at once: one as long as there are no batches.
    pub fn size(&self) -> usize {
        if [&self.submission, &self.reference].iter().all(|program| program.runnable().is_some()) {
            self.with_size(|size| size.next())
        } else {
            1
        }
    }

    /// Adjusts the size by the result of a batch or of a single input.
    pub fn adjust_size(&self, count: usize, accepted: usize, elapsed: Duration) {
        self.with_size(|size| size.adjust(count, accepted, elapsed));
    }

    fn with_size<R>(&self, with: impl FnOnce(&mut BatchSize) -> R) -> R {
        with(&mut self.size.lock())
    }

    pub fn fits(input: &[u8]) -> bool {
        input.len() as u64 <= Self::INPUT_BYTES_MAX
    }

    /// Whether a program tells which edges an input reaches.
    pub fn has_coverage(&self) -> bool {
        [&self.submission, &self.reference].iter().any(|program| program.with_coverage.is_some())
    }

    pub fn accepts_each(
        &self,
        cross_check: &CrossCheck<'_>,
        inputs: &[Arc<[u8]>],
    ) -> Result<Vec<BatchedInput>, Stop> {
        let mut batched = vec![BatchedInput::default(); inputs.len()];
        let (Some(reference), Some(submission)) =
            (self.reference.runnable(), self.submission.runnable())
        else {
            return Ok(batched);
        };
        let Some(output) = self.run(cross_check, reference, inputs)? else { return Ok(batched) };
        let note_new = |index: usize| batched[index].is_new = true;
        let Ok(answers) = self.reference.decode(&output, inputs.len(), note_new) else {
            return Ok(batched);
        };
        let answered: Vec<usize> =
            (0..inputs.len()).filter(|index| answers[*index].is_some()).collect();
        let asked: Vec<Arc<[u8]>> =
            answered.iter().map(|index| Arc::clone(&inputs[*index])).collect();
        let Some(output) = self.run(cross_check, submission, &asked)? else { return Ok(batched) };
        let note_new = |index: usize| batched[answered[index]].is_new = true;
        let Ok(written) = self.submission.decode(&output, asked.len(), note_new) else {
            return Ok(batched);
        };
        let outputs = answered.iter().zip(written).filter_map(|(index, output)| {
            let (input, answer) = (&inputs[*index], answers[*index]?);
            Some((*index, WrittenOutput { input, answer, output: output? }))
        });
        let (indexes, outputs): (Vec<usize>, Vec<WrittenOutput<'_>>) = outputs.unzip();
        let accepted = cross_check.accepts_each(&output.run, &outputs)?;
        for (index, is_accepted) in indexes.into_iter().zip(accepted) {
            batched[index].is_accepted = is_accepted;
        }
        Ok(batched)
    }

    /// The inputs that the generator prints; `None` for those that it must print alone.
    pub fn print_inputs(
        &self,
        arena: &Arena<'_>,
        calls: &[SeededCall],
    ) -> Result<Vec<Option<Arc<[u8]>>>, Stop> {
        let runnable = self.generator.as_ref().and_then(BatchProgram::runnable);
        match (&arena.seeded, runnable) {
            (Some(generator), Some(runnable)) => generator.make_batch(runnable, self.mode, calls),
            _ => Ok(vec![None; calls.len()]),
        }
    }

    fn run(
        &self,
        cross_check: &CrossCheck<'_>,
        runnable: &Runnable,
        inputs: &[Arc<[u8]>],
    ) -> Result<Option<BatchOutput>, Stop> {
        let output = cross_check.output_runs().run_batch(runnable, self.mode, inputs)?;
        Ok(output.filter(|output| output.run.rejected.is_none()))
    }
}
