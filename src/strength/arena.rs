//! Holds a contender against test cases and other inputs.

use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use crate::build::Runnable;
use crate::executor::Executor;
use crate::grammar::program::Grammar;
use crate::judge::case::{Entry, ReadyCase, Texts, TimeLimitMode, judge_case};
use crate::judge::output::Ran;
use crate::model::judgement::CaseJudgement;
use crate::model::stop::Stop;
use crate::model::verdict::Verdict;
use crate::mutate::wrapper::Wrapper;
use crate::strength::wrapped::{Wrapped, Wrapping};
use crate::stress::batch::{Batches, Said, Way, frames};
use crate::stress::comparison::{Compared, Comparison};

/// A program that should be wrong, ready to run.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Runs on one input.
    pub runnable: Arc<Runnable>,
    /// Runs on many inputs, if its language allows it.
    pub batched: Option<Arc<Runnable>>,
    /// What changes what it reads or writes.
    pub wrapper: Option<&'static Wrapper>,
}

/// What contenders are held against.
pub struct Arena<'a> {
    /// The right program, and by what is judged. The submission in it is the right program, too.
    pub comparison: Comparison<'a>,
    /// The test cases.
    pub cases: &'a [ReadyCase<'a>],
    /// Their texts, of those that are small enough for a batch.
    pub texts: Vec<Option<Texts>>,
    /// The grammar of inputs, if there is one.
    pub grammar: Option<&'a Grammar>,
    /// How batches run, if they can.
    pub way: Option<Way>,
    /// Whether outputs of batches were accepted before, by input and output.
    pub accepted: Mutex<HashMap<u64, bool>>,
}

/// What a batch says of a contender.
pub struct InBatch {
    /// On which inputs it is accepted; with all others only a run alone tells.
    pub accepted: Vec<bool>,
    /// Its outputs, in short.
    pub signature: u64,
}

impl Arena<'_> {
    /// Does something with the comparison of the right program with this one.
    pub fn with<R>(&self, contender: &Contender, work: impl FnOnce(&Comparison<'_>) -> R) -> R {
        let wrapped = contender.wrapper.map(|wrapper| Wrapped {
            inner: self.comparison.bench.executor,
            wrapping: Wrapping { wrapper, grammar: self.grammar },
            io: &self.comparison.rules.problem.io,
        });
        let elsewhere = wrapped.as_ref().map(|wrapped| wrapped as &dyn Executor);
        work(&self.against(contender, elsewhere))
    }

    /// The comparison of the right program with this one.
    fn against<'c>(
        &'c self,
        contender: &'c Contender,
        elsewhere: Option<&'c dyn Executor>,
    ) -> Comparison<'c> {
        let Comparison { bench, rules, reference, options, test_case, answers, known, .. } =
            &self.comparison;
        Comparison {
            bench: *bench,
            rules,
            reference,
            submission: &contender.runnable,
            elsewhere,
            options: *options,
            test_case: test_case.clone(),
            answers: *answers,
            known,
        }
    }

    /// What one start of a contender for all these inputs says; nothing if there is none, or if it broke a limit.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn in_batch(
        &self,
        contender: &Contender,
        items: &[&Texts],
    ) -> Result<Option<InBatch>, Stop> {
        let (Some(way), Some(batched)) = (&self.way, &contender.batched) else { return Ok(None) };
        let Comparison { bench, rules, test_case, .. } = &self.comparison;
        let grammar = self.grammar;
        let wrapping = contender.wrapper.map(|wrapper| Wrapping { wrapper, grammar });
        let read = |item: &&Texts| match wrapping.and_then(|it| it.input(&item.input)) {
            Some(changed) => changed.into(),
            None => Arc::clone(&item.input),
        };
        let inputs: Vec<Arc<[u8]>> = items.iter().map(read).collect();
        let said = way.run(bench.executor, rules, test_case, batched, &inputs)?;
        let Some(Said { bytes, ran }) = said else { return Ok(None) };
        let Ok(outputs) = frames::outputs(&bytes, inputs.len()) else { return Ok(None) };
        let mut hasher = DefaultHasher::new();
        (&outputs, contender.wrapper.map(|it| it.name)).hash(&mut hasher);
        let comparison = self.against(contender, None);
        let mut accepted = Vec::with_capacity(items.len());
        for (item, output) in items.iter().zip(outputs) {
            accepted.push(match output {
                None => false,
                Some(output) => {
                    let changed = wrapping.and_then(|it| it.output(output));
                    let output = changed.as_deref().unwrap_or(output);
                    self.accepts(&comparison, item, &ran, output)?
                }
            });
        }
        Ok(Some(InBatch { accepted, signature: hasher.finish() }))
    }

    /// Whether an output is accepted; each is asked about once.
    fn accepts(
        &self,
        comparison: &Comparison<'_>,
        item: &Texts,
        ran: &Ran,
        output: &[u8],
    ) -> Result<bool, Stop> {
        let known = |all: &Self| {
            let hasher = std::hash::BuildHasherDefault::<DefaultHasher>::default();
            let key = hasher.hash_one((&*item.input, output));
            let known =
                all.accepted.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
            (key, known)
        };
        let (key, before) = known(self);
        if let Some(accepted) = before {
            return Ok(accepted);
        }
        let accepted = comparison.accepts(&item.input, &item.answer, ran, output)?;
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).insert(key, accepted);
        Ok(accepted)
    }

    /// On which test cases one start accepts a contender, and its outputs in short.
    fn cases_in_batch(&self, contender: &Contender) -> Result<Option<InBatch>, Stop> {
        let small: Vec<(usize, &Texts)> = (0..)
            .zip(&self.texts)
            .filter_map(|(place, item)| Some((place, item.as_ref()?)))
            .collect();
        let items: Vec<&Texts> = small.iter().map(|(_, item)| *item).collect();
        let Some(batch) = self.in_batch(contender, &items)? else { return Ok(None) };
        let mut accepted = vec![false; self.cases.len()];
        for ((place, _), is_accepted) in small.into_iter().zip(&batch.accepted) {
            accepted[place] = *is_accepted;
        }
        Ok(Some(InBatch { accepted, ..batch }))
    }

    /// Runs a contender on test cases in this order until so many reject it.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn hold(
        &self,
        contender: &Contender,
        order: &[usize],
        most: usize,
    ) -> Result<OnCases, Stop> {
        let batch = self.cases_in_batch(contender)?;
        let mut held =
            OnCases { rejected: Vec::new(), signature: batch.as_ref().map(|it| it.signature) };
        for &place in order {
            if held.rejected.len() >= most {
                break;
            }
            if batch.as_ref().is_some_and(|batch| batch.accepted[place]) {
                continue;
            }
            let judged = self.judge(contender, &self.cases[place])?;
            if judged.verdict != Verdict::Accepted {
                held.rejected.push((place, judged.verdict));
            }
        }
        Ok(held)
    }

    fn judge(&self, contender: &Contender, case: &ReadyCase<'_>) -> Result<CaseJudgement, Stop> {
        let entry = Entry::unnamed(&contender.runnable, TimeLimitMode::Any);
        self.with(contender, |comparison| {
            judge_case(comparison.at_submission(), comparison.rules, &entry, case)
        })
    }

    /// How many of these inputs reject a contender, and how many it was run on: all in one start, or a few by themselves.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn rejecting(
        &self,
        contender: &Contender,
        items: &[Texts],
    ) -> Result<(usize, usize), Stop> {
        let small: Vec<&Texts> = items.iter().filter(|item| Batches::takes(&item.input)).collect();
        if let Some(batch) = self.in_batch(contender, &small)? {
            let rejected = batch.accepted.iter().filter(|accepted| !**accepted).count();
            return Ok((rejected, small.len()));
        }
        let mut rejected = 0;
        // One that broke a limit for all of them takes long on each.
        let most = if contender.batched.is_some() { FEW_SLOW } else { FEW };
        let few = &items[..items.len().min(most)];
        for item in few {
            let mode = TimeLimitMode::Any;
            let compared = self.with(contender, |it| it.compare(&item.input, mode))?;
            rejected += usize::from(matches!(compared, Compared::Differs(_)));
        }
        Ok((rejected, few.len()))
    }
}

/// On so many fresh inputs a contender is run that needs a start for each.
const FEW: usize = 12;
/// On so many one that could not do all of them in one start.
const FEW_SLOW: usize = 4;

/// What test cases said of a contender.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnCases {
    /// The places of those that reject it, in the order in which they were tried, with its verdict.
    pub rejected: Vec<(usize, Verdict)>,
    /// Its outputs, in short, if one start told them all.
    pub signature: Option<u64>,
}
