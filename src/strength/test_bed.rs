//! Runs a suspect on test cases and on other inputs.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::build::batch::{self, Way};
use crate::build::bench::Bench;
use crate::build::{Prepared, Runnable};
use crate::executor::Executor;
use crate::judge::case::{Entry, ReadyCase, Texts, TimeLimitMode, judge_case};
use crate::judge::output::{BatchOutput, OutputRuns, Ran};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::{CaseJudgement, JudgeError};
use crate::model::stop::Stop;
use crate::model::verdict::Verdict;
use crate::mutate::wrapper::Wrapper;
use crate::search::arena::Arena;
use crate::search::batch::Batches;
use crate::search::comparison::{Compared, Comparison, Unusable};
use crate::strength::wrapped::{Wrapped, Wrapping};

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
        prepared: &Prepared,
        runnable: Arc<Runnable>,
        batched: Option<Arc<Runnable>>,
    ) -> Self {
        Self { runnable, batched, starts_slowly: starts_slowly(prepared), wrapper: None }
    }

    /// The program may be built for many inputs.
    pub fn of_one(prepared: &Prepared, program: Arc<Runnable>, is_for_many: bool) -> Self {
        if is_for_many {
            Self::new(prepared, Arc::new(program.for_one()), Some(program))
        } else {
            Self::new(prepared, program, None)
        }
    }
}

/// Whether starting the runtime of a program's language takes longer than most inputs: one with threads of its own sets
/// them up first.
pub fn starts_slowly(prepared: &Prepared) -> bool {
    prepared.plan.start.processes > 1
}

#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub most: usize,
    pub is_patient: bool,
}

pub struct TestBed<'a> {
    pub arena: &'a Arena<'a>,
    /// The right program and the rules of judging. Its submission is the right program, too.
    pub comparison: Comparison<'a>,
    pub cases: &'a [ReadyCase<'a>],
    /// `None` if the texts are too long for a batch.
    pub texts: Vec<Option<Texts>>,
    /// The indexes of test cases that share a batch, by [`batch_groups`].
    pub groups: Vec<Vec<usize>>,
    pub way: Option<Way>,
    /// The key is a hash of input and output.
    pub accepted: Mutex<HashMap<u64, bool>>,
    pub doubted: Once,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnPool {
    pub rejecting: usize,
    pub tried: usize,
    /// A hash of its outputs, if one start gave them all.
    pub signature: Option<u64>,
}

/// The result of an input in a batch, in the order in which running it alone is worth the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatchAnswers {
    Accepted,
    Doubtful,
    /// No result: inputs before it broke limits.
    Nothing,
    Broken,
}

pub struct InBatch {
    pub told: Vec<BatchAnswers>,
    /// A hash of its outputs, if it wrote one for each input.
    pub signature: Option<u64>,
}

impl InBatch {
    /// The inputs that need a run alone, and the number of inputs with a result.
    pub fn doubtful(&self) -> (Vec<usize>, usize) {
        let of = |kind| (0..self.told.len()).filter(move |place| self.told[*place] == kind);
        let places = of(BatchAnswers::Doubtful).chain(of(BatchAnswers::Broken)).collect();
        (places, self.told.len() - of(BatchAnswers::Nothing).count())
    }
}

/// A start for many inputs may take the time limit divided by this. If it takes longer, the next start continues after
/// the input on which it ended.
const PART: u32 = 8;
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);
/// After so many inputs that broke a limit, the others are skipped.
const BROKEN_MOST: usize = 2;

impl<'a> TestBed<'a> {
    /// A right program and these test cases, whose inputs may be in batches if there is a way.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(
        arena: &'a Arena<'a>,
        right: &'a Runnable,
        cases: &'a [ReadyCase<'a>],
        way: Option<Way>,
    ) -> Result<Self, JudgeError> {
        // Longer ones do not fit into a batch.
        let text = |case: &ReadyCase<'_>| match case.size() {
            size if size > Batches::LONGEST => Ok(None),
            _ => case.read(),
        };
        let texts: Vec<Option<Texts>> = cases.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Self {
            arena,
            comparison: arena.comparison(right, right),
            cases,
            groups: groups(&texts),
            texts,
            way: way.filter(|_| !arena.inputs.is_judged()),
            accepted: Mutex::default(),
            doubted: Once::new(),
        })
    }

    pub fn with<R>(&self, suspect: &Suspect, work: impl FnOnce(&Comparison<'_>) -> R) -> R {
        let wrapped = suspect.wrapper.map(|wrapper| Wrapped {
            inner: self.comparison.bench.executor,
            wrapping: Wrapping { wrapper, grammar: self.arena.grammar() },
            io: &self.comparison.rules.problem.io,
        });
        let elsewhere = wrapped.as_ref().map(|wrapped| wrapped as &dyn Executor);
        let submission = &suspect.runnable;
        work(&Comparison { submission, elsewhere, ..self.comparison.clone() })
    }

    /// The results of starting a suspect for many of these inputs; None if there are none.
    pub fn in_batch(&self, suspect: &Suspect, items: &[&Texts]) -> Result<Option<InBatch>, Stop> {
        let (Some(way), Some(batched)) = (&self.way, &suspect.batched) else { return Ok(None) };
        let grammar = self.arena.grammar();
        let wrapping = suspect.wrapper.map(|wrapper| Wrapping { wrapper, grammar });
        let read = |item: &&Texts| match wrapping.and_then(|it| it.input(&item.input)) {
            Some(changed) => changed.into(),
            None => Arc::clone(&item.input),
        };
        let inputs: Vec<Arc<[u8]>> = items.iter().map(read).collect();
        let mut rules = self.comparison.rules.clone();
        let part = |limit: Duration| (limit / PART).clamp(SHORTEST, LONGEST).min(limit);
        if !suspect.starts_slowly {
            rules.limits.cpu_time = rules.limits.cpu_time.map(part);
        }
        let runs = OutputRuns { rules: &rules, ..self.comparison.runs() };
        let comparison = Comparison {
            submission: &suspect.runnable,
            elsewhere: None,
            ..self.comparison.clone()
        };
        let mut told = vec![BatchAnswers::Nothing; items.len()];
        let mut hasher = DefaultHasher::new();
        suspect.wrapper.map(|it| it.name).hash(&mut hasher);
        let (mut from, mut broken) = (0, 0);
        while from < items.len() && broken < BROKEN_MOST {
            let said = runs.many(batched, *way, &inputs[from..])?;
            let Some(BatchOutput { bytes, ran }) = said else { break };
            let outputs = batch::said(&bytes, items.len() - from).unwrap_or_default();
            for output in &outputs {
                output.hash(&mut hasher);
                let is_accepted = match output {
                    None => false,
                    Some(output) => {
                        let changed = wrapping.and_then(|it| it.output(output));
                        let output = changed.as_deref().unwrap_or(output);
                        self.accepts(&comparison, items[from], &ran, output)?
                    }
                };
                told[from] =
                    if is_accepted { BatchAnswers::Accepted } else { BatchAnswers::Doubtful };
                from += 1;
            }
            if outputs.is_empty() {
                told[from] = BatchAnswers::Broken;
                from += 1;
                broken += 1;
            }
        }
        let signature = (broken == 0).then(|| hasher.finish());
        Ok(Some(InBatch { told, signature }))
    }

    /// Whether an output is accepted; the validator runs once for each output.
    fn accepts(
        &self,
        comparison: &Comparison<'_>,
        item: &Texts,
        ran: &Ran,
        output: &[u8],
    ) -> Result<bool, Stop> {
        let all = || self.accepted.lock();
        let key = hash((&*item.input, output));
        let known = all().get(&key).copied();
        if let Some(accepted) = known {
            return Ok(accepted);
        }
        let accepted = comparison.accepts(&item.input, &item.answer, ran, output)?;
        all().insert(key, accepted);
        Ok(accepted)
    }

    /// Runs a suspect on test cases until enough of them reject it: group by group in batches, then those in no batch.
    /// In a group, doubtful inputs come before those that broke a limit; otherwise, `order` decides. `None` if it
    /// broke a limit in a batch, and `goal` is not patient.
    pub fn hold(
        &self,
        suspect: &Suspect,
        order: &[usize],
        goal: Goal,
    ) -> Result<Option<OnCases>, Stop> {
        let mut held = OnCases::default();
        let (mut signatures, mut has_all) = (Vec::new(), true);
        let mut left: Vec<bool> = vec![true; self.cases.len()];
        for group in &self.groups {
            if held.is_enough(goal.most) {
                break;
            }
            let items: Vec<&Texts> =
                group.iter().filter_map(|place| self.texts[*place].as_ref()).collect();
            let Some(batch) = self.in_batch(suspect, &items)? else { break };
            signatures.extend(batch.signature);
            has_all &= batch.signature.is_some();
            let told: HashMap<usize, BatchAnswers> =
                group.iter().copied().zip(batch.told.iter().copied()).collect();
            group.iter().for_each(|place| left[*place] = false);
            let mut doubtful: Vec<usize> = order
                .iter()
                .copied()
                .filter(|place| told.get(place).is_some_and(|it| *it != BatchAnswers::Accepted))
                .collect();
            doubtful.sort_by_key(|place| told[place]);
            let quick = doubtful.partition_point(|place| told[place] == BatchAnswers::Doubtful);
            let (quick, slow) = doubtful.split_at(quick);
            self.hold_alone(suspect, quick, goal.most, &mut held)?;
            if !slow.is_empty() && !goal.is_patient && !held.is_enough(goal.most) {
                return Ok(None);
            }
            self.hold_alone(suspect, slow, goal.most, &mut held)?;
        }
        let rest: Vec<usize> = order.iter().copied().filter(|place| left[*place]).collect();
        self.hold_alone(suspect, &rest, goal.most, &mut held)?;
        held.signature = (has_all && !signatures.is_empty()).then(|| hash(signatures));
        Ok(Some(held))
    }

    fn hold_alone(
        &self,
        suspect: &Suspect,
        places: &[usize],
        most: usize,
        held: &mut OnCases,
    ) -> Result<(), Stop> {
        for &place in places {
            if held.is_enough(most) {
                break;
            }
            let judged = self.judge(suspect, &self.cases[place])?;
            if judged.verdict != Verdict::Accepted {
                held.rejected.push((place, judged.verdict));
            }
        }
        Ok(())
    }

    fn judge(&self, suspect: &Suspect, case: &ReadyCase<'_>) -> Result<CaseJudgement, Stop> {
        let entry = Entry::unnamed(&suspect.runnable, TimeLimitMode::Any);
        self.with(suspect, |comparison| {
            judge_case(comparison.at_submission(), comparison.rules, &entry, case)
        })
    }

    /// How many of these inputs reject a suspect: all in one start, or a few run alone.
    pub fn rejecting(&self, suspect: &Suspect, items: &[Texts]) -> Result<OnPool, Stop> {
        let small: Vec<&Texts> = items.iter().filter(|item| Batches::takes(&item.input)).collect();
        if let Some(batch) = self.in_batch(suspect, &small)? {
            let (doubtful, tried) = batch.doubtful();
            return Ok(OnPool { rejecting: doubtful.len(), tried, signature: batch.signature });
        }
        let (mut rejecting, mut tried) = (0, 0);
        // Inputs of the same kind are adjacent.
        for item in items.iter().step_by(items.len().div_ceil(FEW).max(1)) {
            tried += 1;
            rejecting += usize::from(self.rejected(suspect, &item.input)?.is_some());
        }
        Ok(OnPool { rejecting, tried, signature: None })
    }

    /// `None` if the input is accepted. Without a grammar, input validators may be lax: then an input on which the
    /// output validator breaks down is left out.
    pub fn rejected(
        &self,
        suspect: &Suspect,
        input: &Arc<[u8]>,
    ) -> Result<Option<CaseJudgement>, Stop> {
        match self.with(suspect, |it| it.compare(input, TimeLimitMode::Any))? {
            Compared::Differs(judged) => Ok(Some(*judged)),
            Compared::NoAnswer(Unusable::Validator(error)) if self.arena.grammar().is_some() => {
                Err(Stop::Fault(*error))
            }
            Compared::NoAnswer(Unusable::Validator(error)) => {
                self.doubted.call_once(|| self.doubt(&error));
                Ok(None)
            }
            Compared::Same | Compared::NoAnswer(_) => Ok(None),
        }
    }

    /// Warns that the output validator breaks down on an input that only input validators accept. The reason names it.
    fn doubt(&self, error: &JudgeError) {
        let Bench { problem, events, .. } = self.comparison.bench;
        let path = problem.dir.join(problem.layout.input_validators);
        let reason = &error.reason;
        let what = format!("accept an input on which the output validator breaks down: {reason}");
        let help = "make them stricter, or fix the output validator; such inputs are left out";
        events(Event::Diagnosed(Diagnostic::warning(path, what).help(help)));
    }
}

/// The indexes of texts that share a batch. A group depends on its inputs alone: after another test case is added,
/// most groups stay the same, and so do their known results. The first group is small: it rejects many wrong programs
/// by itself, and it changes rarely.
pub fn groups(texts: &[Option<Texts>]) -> Vec<Vec<usize>> {
    let count = (texts.len() / IN_GROUP).next_power_of_two();
    let mut groups = vec![Vec::new(); 1 + count];
    for (place, item) in (0..).zip(texts) {
        let Some(item) = item else { continue };
        let hash = hash(&*item.input);
        let number = (hash % count as u64) as usize;
        let is_first = number == 0 && hash.leading_zeros() >= FIRST;
        groups[if is_first { 0 } else { 1 + number }].push(place);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The same in each run of juror.
fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// About so many test cases share a batch. With the first group, they reject most wrong programs twice.
const IN_GROUP: usize = 16;
/// The first group is smaller by this power of two.
const FIRST: u32 = 2;

/// A suspect runs on so many fresh inputs if it needs a start for each.
const FEW: usize = 12;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnCases {
    /// The indexes of those that reject it, in the order in which they were tried, with its verdict.
    pub rejected: Vec<(usize, Verdict)>,
    /// A hash of its outputs on the test cases that it was run on, if batches gave them all.
    pub signature: Option<u64>,
}

impl OnCases {
    /// One rejection for time is enough, unless all are wanted: another would take as long as the time limit.
    fn is_enough(&self, most: usize) -> bool {
        let is_slow = || self.rejected.iter().any(|(_, it)| *it == Verdict::TimeLimitExceeded);
        self.rejected.len() >= most || most < usize::MAX && is_slow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of inputs that are numbers below `count`; a long one is in no group.
    fn check(count: usize, number: usize) -> Vec<Vec<usize>> {
        let text = |number: usize| Texts {
            input: number.to_string().into_bytes().into(),
            answer: Vec::new().into(),
        };
        let mut texts: Vec<Option<Texts>> = (0..count).map(|it| Some(text(it))).collect();
        texts.push(None);
        let groups = groups(&texts);
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
            let held = OnCases { rejected, signature: None };
            assert_eq!(held.is_enough(most), expected, "{verdicts:?} {most}");
        }
    }

    #[test]
    fn a_test_case_more_changes_one_group() {
        check(0, 0);
        check(1, 1);
        check(15, 2);
        let (before, after) = (check(60, 5), check(61, 5));
        let same = before.iter().filter(|group| after.contains(group)).count();
        assert_eq!(same, 4, "{before:?} {after:?}");
    }
}
