//! Runs a suspect on test cases and on other inputs.
//!
//! Hundreds of suspects run on the same inputs. So inputs share batches, and a verdict on an output is kept: most
//! suspects write the same outputs. Only a run alone rejects; a batch says which inputs are worth one.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::faults::wrapper::Wrapper;
use crate::search::arena::Arena;
use crate::search::batch::Batches;
use crate::search::cross_check::{CrossCheck, CrossCheckResult, UnusableReason};
use crate::search::output_batches::WrittenOutput;
use crate::strength::wrapping_executor::{ProblemWrapper, WrappingExecutor};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;
use juror_judging::build::batch::{self, BatchMode};
use juror_judging::build::{PreparedProgram, Runnable};
use juror_judging::judge::case::{CaseTexts, ReadyCase, ReadySubmission, TimeLimitMode};
use juror_judging::judge::case_run::judge_case;
use juror_judging::judge::output::{BatchOutput, OutputRunner, ProgramOutput};
use juror_sandbox::executor::Executor;

/// A program that should be wrong, ready to run.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub runnable: Arc<Runnable>,
    /// For many inputs, if its language allows it.
    pub batched: Option<Arc<Runnable>>,
    /// Whether starting its language's runtime takes longer than most inputs.
    pub starts_slowly: bool,
    pub wrapper: Option<&'static Wrapper>,
}

impl Suspect {
    pub fn new(
        prepared: &PreparedProgram,
        runnable: Arc<Runnable>,
        batched: Option<Arc<Runnable>>,
    ) -> Self {
        Self { runnable, batched, starts_slowly: starts_slowly(prepared), wrapper: None }
    }

    /// The program may be built for many inputs.
    pub fn from_program(
        prepared: &PreparedProgram,
        program: Arc<Runnable>,
        is_for_many: bool,
    ) -> Self {
        if is_for_many {
            Self::new(prepared, Arc::new(program.for_one()), Some(program))
        } else {
            Self::new(prepared, program, None)
        }
    }
}

/// Whether starting the runtime of a program's language takes longer than most inputs: one with threads of its own sets
/// them up first.
pub fn starts_slowly(prepared: &PreparedProgram) -> bool {
    prepared.plan.start.processes > 1
}

#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub rejections: usize,
    pub is_patient: bool,
}

pub struct TestBed<'a> {
    /// The right program and the rules of judging. Its submission is the right program, too.
    pub cross_check: CrossCheck<'a>,
    pub cases: &'a [ReadyCase<'a>],
    /// `None` if the texts are too long for a batch.
    pub texts: Vec<Option<CaseTexts>>,
    /// The indexes of test cases that share a batch, by [`batch_groups`].
    pub groups: Vec<Vec<usize>>,
    pub batch_mode: Option<BatchMode>,
    /// The key is a hash of input and output.
    pub accepted: Mutex<HashMap<u64, bool>>,
    pub warned: Once,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolResult {
    pub rejecting: usize,
    pub tried: usize,
    /// A hash of its outputs, if one start gave them all.
    pub signature: Option<u64>,
}

/// The result of an input in a batch, in the order in which running it alone is worth the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatchResult {
    Accepted,
    Doubtful,
    /// No result: inputs before it broke limits.
    Skipped,
    Broken,
}

pub struct BatchResults {
    pub results: Vec<BatchResult>,
    /// A hash of its outputs, if it wrote one for each input.
    pub signature: Option<u64>,
}

impl BatchResults {
    /// The inputs that need a run alone, and the number of inputs with a result.
    pub fn doubtful_inputs(&self) -> (Vec<usize>, usize) {
        let of = |kind| (0..self.results.len()).filter(move |index| self.results[*index] == kind);
        let indexes = of(BatchResult::Doubtful).chain(of(BatchResult::Broken)).collect();
        (indexes, self.results.len() - of(BatchResult::Skipped).count())
    }
}

/// A start for many inputs may take the time limit divided by this. If it takes longer, the next start continues after
/// the input on which it ended.
const TIME_DIVISOR: u32 = 8;
const SHORTEST_TIME: Duration = Duration::from_millis(100);
const LONGEST_TIME: Duration = Duration::from_secs(1);
/// After so many inputs that broke a limit, the others are skipped.
const MOST_BROKEN: usize = 2;
/// About so many test cases share a batch. With the first group, they reject most wrong programs twice.
const GROUP_SIZE: usize = 16;
/// The first group is smaller by this power of two.
const FIRST_GROUP_BITS: u32 = 2;
/// A suspect runs on so many fresh inputs if it needs a start for each.
const SINGLE_INPUTS: usize = 12;

impl<'a> TestBed<'a> {
    /// A right program and these test cases, whose inputs may be in batches if there is a way.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(
        arena: &'a Arena<'a>,
        right: &'a Runnable,
        cases: &'a [ReadyCase<'a>],
        batch_mode: Option<BatchMode>,
    ) -> Result<Self, JudgeError> {
        // Longer ones do not fit into a batch.
        let text = |case: &ReadyCase<'_>| match case.input_size() {
            size if size > Batches::INPUT_BYTES_MAX => Ok(None),
            _ => case.read_texts(),
        };
        let texts: Vec<Option<CaseTexts>> = cases.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Self {
            cross_check: CrossCheck::new(arena, right, right),
            cases,
            groups: batch_groups(&texts),
            texts,
            batch_mode: batch_mode.filter(|_| !arena.inputs.is_judged()),
            accepted: Mutex::default(),
            warned: Once::new(),
        })
    }

    pub fn with_cross_check<R>(
        &self,
        suspect: &Suspect,
        work: impl FnOnce(&CrossCheck<'_>) -> R,
    ) -> R {
        let wrapped = suspect.wrapper.map(|wrapper| WrappingExecutor {
            inner: self.cross_check.arena.bench.executor,
            wrapper: ProblemWrapper { wrapper, grammar: self.cross_check.arena.grammar() },
            io: &self.cross_check.arena.rules.problem.io,
        });
        let submission_executor = wrapped.as_ref().map(|wrapped| wrapped as &dyn Executor);
        let submission = &suspect.runnable;
        work(&CrossCheck { submission, submission_executor, ..self.cross_check })
    }

    /// The results of starting a suspect for many of these inputs; None if there are none.
    pub fn run_batches(
        &self,
        suspect: &Suspect,
        items: &[&CaseTexts],
    ) -> Result<Option<BatchResults>, Stop> {
        let (Some(batch_mode), Some(batched)) = (&self.batch_mode, &suspect.batched) else {
            return Ok(None);
        };
        let grammar = self.cross_check.arena.grammar();
        let wrapping = suspect.wrapper.map(|wrapper| ProblemWrapper { wrapper, grammar });
        let read = |item: &&CaseTexts| {
            let changed = wrapping.and_then(|wrapper| wrapper.change_input(&item.input));
            changed.map_or_else(|| Arc::clone(&item.input), Arc::from)
        };
        let inputs: Vec<Arc<[u8]>> = items.iter().map(read).collect();
        let mut rules = self.cross_check.arena.rules.clone();
        let part =
            |limit: Duration| (limit / TIME_DIVISOR).clamp(SHORTEST_TIME, LONGEST_TIME).min(limit);
        if !suspect.starts_slowly {
            rules.limits.cpu_time = rules.limits.cpu_time.map(part);
        }
        let runs = OutputRunner { rules: &rules, ..self.cross_check.output_runs() };
        let cross_check = CrossCheck {
            submission: &suspect.runnable,
            submission_executor: None,
            ..self.cross_check
        };
        let mut results = vec![BatchResult::Skipped; items.len()];
        let mut hasher = DefaultHasher::new();
        suspect.wrapper.map(|wrapper| wrapper.name).hash(&mut hasher);
        let (mut from, mut broken) = (0, 0);
        while from < items.len() && broken < MOST_BROKEN {
            let batch = runs.run_batch(batched, *batch_mode, &inputs[from..])?;
            let Some(BatchOutput { bytes, run }) = batch else { break };
            let outputs =
                batch::decode_first_outputs(&bytes, items.len() - from).unwrap_or_default();
            outputs.iter().for_each(|output| output.hash(&mut hasher));
            let changed = outputs.iter().map(|output| {
                let output = (*output)?;
                let changed = wrapping.and_then(|wrapper| wrapper.change_output(output));
                Some(changed.map_or(Cow::Borrowed(output), Cow::Owned))
            });
            let changed: Vec<Option<Cow<'_, [u8]>>> = changed.collect();
            for is_accepted in self.accepts_each(&cross_check, &items[from..], &run, &changed)? {
                results[from] =
                    if is_accepted { BatchResult::Accepted } else { BatchResult::Doubtful };
                from += 1;
            }
            if outputs.is_empty() {
                results[from] = BatchResult::Broken;
                from += 1;
                broken += 1;
            }
        }
        let signature = (broken == 0).then(|| hasher.finish());
        Ok(Some(BatchResults { results, signature }))
    }

    /// Which outputs are accepted; none of them is judged twice.
    fn accepts_each(
        &self,
        cross_check: &CrossCheck<'_>,
        items: &[&CaseTexts],
        run: &ProgramOutput,
        outputs: &[Option<Cow<'_, [u8]>>],
    ) -> Result<Vec<bool>, Stop> {
        let mut keys = Vec::new();
        let mut open = Vec::new();
        let mut known_outputs = self.accepted.lock();
        for (item, output) in items.iter().zip(outputs) {
            let Some(output) = output else { continue };
            let key = hash((&*item.input, &**output));
            if !known_outputs.contains_key(&key) && !keys.contains(&key) {
                keys.push(key);
                open.push(WrittenOutput { input: &item.input, answer: &item.answer, output });
            }
        }
        drop(known_outputs);
        let accepted = cross_check.accepts_each(run, &open)?;
        known_outputs = self.accepted.lock();
        known_outputs.extend(keys.into_iter().zip(accepted));
        let is_accepted = |(item, output): (&&CaseTexts, &Option<Cow<'_, [u8]>>)| {
            let output = output.as_deref()?;
            known_outputs.get(&hash((&*item.input, output))).copied()
        };
        Ok(items.iter().zip(outputs).map(|both| is_accepted(both).unwrap_or(false)).collect())
    }

    /// Runs a suspect on test cases until enough of them reject it: group by group in batches, then those in no batch.
    /// In a group, doubtful inputs come before those that broke a limit; otherwise, `order` decides. `None` if it
    /// broke a limit in a batch, and `goal` is not patient.
    pub fn run_on_cases(
        &self,
        suspect: &Suspect,
        order: &[usize],
        goal: Goal,
    ) -> Result<Option<CaseResults>, Stop> {
        let mut results = CaseResults::default();
        let (mut signatures, mut has_all) = (Vec::new(), true);
        let mut left: Vec<bool> = vec![true; self.cases.len()];
        for group in &self.groups {
            if results.is_enough(goal.rejections) {
                break;
            }
            let items: Vec<&CaseTexts> =
                group.iter().filter_map(|index| self.texts[*index].as_ref()).collect();
            let Some(batch) = self.run_batches(suspect, &items)? else { break };
            signatures.extend(batch.signature);
            has_all &= batch.signature.is_some();
            let in_batch: HashMap<usize, BatchResult> =
                group.iter().copied().zip(batch.results.iter().copied()).collect();
            group.iter().for_each(|index| left[*index] = false);
            let doubtful = order.iter().copied().filter(|index| {
                in_batch.get(index).is_some_and(|result| *result != BatchResult::Accepted)
            });
            let mut doubtful: Vec<usize> = doubtful.collect();
            doubtful.sort_by_key(|index| in_batch[index]);
            let quick = doubtful.partition_point(|index| in_batch[index] == BatchResult::Doubtful);
            let (quick, slow) = doubtful.split_at(quick);
            self.run_each(suspect, quick, goal.rejections, &mut results)?;
            if !slow.is_empty() && !goal.is_patient && !results.is_enough(goal.rejections) {
                return Ok(None);
            }
            self.run_each(suspect, slow, goal.rejections, &mut results)?;
        }
        let rest: Vec<usize> = order.iter().copied().filter(|index| left[*index]).collect();
        self.run_each(suspect, &rest, goal.rejections, &mut results)?;
        results.signature = (has_all && !signatures.is_empty()).then(|| hash(signatures));
        Ok(Some(results))
    }

    fn run_each(
        &self,
        suspect: &Suspect,
        indexes: &[usize],
        most: usize,
        results: &mut CaseResults,
    ) -> Result<(), Stop> {
        for &index in indexes {
            if results.is_enough(most) {
                break;
            }
            let judgement = self.judge_on_case(suspect, &self.cases[index])?;
            if judgement.verdict != Verdict::Accepted {
                results.rejected.push((index, judgement.verdict));
            }
        }
        Ok(())
    }

    fn judge_on_case(
        &self,
        suspect: &Suspect,
        case: &ReadyCase<'_>,
    ) -> Result<CaseJudgement, Stop> {
        let entry = ReadySubmission::without_name(&suspect.runnable, TimeLimitMode::Any);
        self.with_cross_check(suspect, |cross_check| {
            judge_case(cross_check.executor_of_submission(), cross_check.arena.rules, &entry, case)
        })
    }

    /// How many of these inputs reject a suspect: all in one start, or a few run alone.
    pub fn run_on_pool(&self, suspect: &Suspect, items: &[CaseTexts]) -> Result<PoolResult, Stop> {
        let small: Vec<&CaseTexts> =
            items.iter().filter(|item| Batches::fits(&item.input)).collect();
        if let Some(batch) = self.run_batches(suspect, &small)? {
            let (doubtful, tried) = batch.doubtful_inputs();
            return Ok(PoolResult { rejecting: doubtful.len(), tried, signature: batch.signature });
        }
        let (mut rejecting, mut tried) = (0, 0);
        // Inputs of the same kind are adjacent.
        for item in items.iter().step_by(items.len().div_ceil(SINGLE_INPUTS).max(1)) {
            tried += 1;
            rejecting += usize::from(self.rejection(suspect, &item.input)?.is_some());
        }
        Ok(PoolResult { rejecting, tried, signature: None })
    }

    /// `None` if the input is accepted. Without a grammar, input validators may be lax: then an input on which the
    /// output validator breaks down is left out.
    pub fn rejection(
        &self,
        suspect: &Suspect,
        input: &Arc<[u8]>,
    ) -> Result<Option<CaseJudgement>, Stop> {
        match self.with_cross_check(suspect, |both| both.check(input, TimeLimitMode::Any))? {
            CrossCheckResult::Differs(judgement) => Ok(Some(*judgement)),
            CrossCheckResult::NoAnswer(UnusableReason::Validator(error))
                if self.cross_check.arena.grammar().is_some() =>
            {
                Err(Stop::Fault(*error))
            }
            CrossCheckResult::NoAnswer(UnusableReason::Validator(error)) => {
                self.warned.call_once(|| self.warn_about_validators(&error));
                Ok(None)
            }
            CrossCheckResult::Same(_) | CrossCheckResult::NoAnswer(_) => Ok(None),
        }
    }

    /// Warns that the output validator breaks down on an input that only input validators accept. The reason names it.
    fn warn_about_validators(&self, error: &JudgeError) {
        let bench = self.cross_check.arena.bench;
        let path = bench.problem.dir.join(bench.problem.layout.input_validators);
        let reason = &error.reason;
        let what = format!("accept an input on which the output validator breaks down: {reason}");
        let help = "make them stricter, or fix the output validator; such inputs are left out";
        bench.send_diagnostics([Diagnostic::warning(path, what).help(help)]);
    }
}

/// The indexes of texts that share a batch. A group depends on its inputs alone: after another test case is added,
/// most groups stay the same, and so do their known results. The first group is small: it rejects many wrong programs
/// by itself, and it changes rarely.
pub fn batch_groups(texts: &[Option<CaseTexts>]) -> Vec<Vec<usize>> {
    let count = (texts.len() / GROUP_SIZE).next_power_of_two();
    let mut groups = vec![Vec::new(); 1 + count];
    for (index, item) in (0..).zip(texts) {
        let Some(item) = item else { continue };
        let hash = hash(&*item.input);
        let number = (hash % count as u64) as usize;
        let is_first = number == 0 && hash.leading_zeros() >= FIRST_GROUP_BITS;
        groups[if is_first { 0 } else { 1 + number }].push(index);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The same in each run of juror.
fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseResults {
    /// The indexes of those that reject it, in the order in which they were tried, with its verdict.
    pub rejected: Vec<(usize, Verdict)>,
    /// A hash of its outputs on the test cases that it was run on, if batches gave them all.
    pub signature: Option<u64>,
}

impl CaseResults {
    /// One rejection for time is enough, unless all are wanted: another would take as long as the time limit.
    fn is_enough(&self, most: usize) -> bool {
        let is_slow = || self.rejected.iter().any(|kill| kill.1 == Verdict::TimeLimitExceeded);
        self.rejected.len() >= most || (most < usize::MAX && is_slow())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of inputs that are numbers below `count`; a long one is in no group.
    fn check(count: usize, number: usize) -> Vec<Vec<usize>> {
        let text = |number: usize| CaseTexts {
            input: number.to_string().into_bytes().into(),
            answer: Vec::new().into(),
        };
        let mut texts: Vec<Option<CaseTexts>> =
            (0..count).map(|number| Some(text(number))).collect();
        texts.push(None);
        let groups = batch_groups(&texts);
        assert_eq!(groups.len(), number, "{groups:?}");
        let mut all = groups.concat();
        all.sort_unstable();
        assert_eq!(all, (0..count).collect::<Vec<_>>());
        groups
    }

    #[test]
    fn one_rejection_for_time_is_enough() {
        let (wrong, slow) = (Verdict::WrongAnswer, Verdict::TimeLimitExceeded);
        for (verdicts, most, expected) in [
            (&[][..], 1, false),
            (&[wrong], 1, true),
            (&[wrong], 2, false),
            (&[wrong, wrong], 2, true),
            (&[slow], 2, true),
            (&[slow], usize::MAX, false),
        ] {
            let rejected = verdicts.iter().copied().enumerate().collect();
            let results = CaseResults { rejected, signature: None };
            assert_eq!(results.is_enough(most), expected, "{verdicts:?} {most}");
        }
    }

    #[test]
    fn another_test_case_changes_one_group() {
        check(0, 0);
        check(1, 1);
        check(15, 2);
        let (before, after) = (check(60, 5), check(61, 5));
        let same = before.iter().filter(|group| after.contains(group)).count();
        assert_eq!(same, 4, "{before:?} {after:?}");
    }
}
