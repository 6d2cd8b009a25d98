//! Searches for inputs that reject what no test case rejects, and makes them small.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::search::arena::{Arena, SearchInput};
use crate::search::batch::Batches;
use crate::search::result::{CounterexampleOrigin, REPEATS};
use crate::search::run::Failure;
use crate::search::shrink::{ShrinkParameters, ShrunkInput, shrink};
use crate::strength::pool::AnsweredInput;
use crate::strength::test_bed::{Suspect, TestBed};
use juror_core::stop::Stop;
use juror_judging::judge::case::CaseTexts;

pub struct KillSearch<'a> {
    /// The right programs other than the reference, with their names: all must agree with it.
    pub others: Vec<(String, Suspect)>,
    pub test_bed: &'a TestBed<'a>,
    pub end: Instant,
}

/// The inputs of a round, if each needs a start. Over all rounds, they suffice to presume that a suspect is right.
pub(super) const SINGLE_INPUTS: usize = 25;
const SHRINK_TIME: Duration = Duration::from_secs(3);
/// Number of random inputs that are tried in vain to make an input smaller.
const VAIN_TRIES_MAX: u64 = 400;

impl KillSearch<'_> {
    pub(super) fn arena(&self) -> &Arena<'_> {
        self.test_bed.cross_check.arena
    }

    /// Runs a suspect on fresh inputs until one rejects it. Returns the first that does in each run, and on how many
    /// inputs it was run.
    ///
    /// # Errors
    /// If the judge failed, was interrupted, or the time ran out.
    pub fn find_failure(
        &self,
        suspect: &Suspect,
        pool: &[AnsweredInput],
    ) -> Result<(Option<Failure>, usize), Stop> {
        let fits = |answered: &&AnsweredInput| Batches::fits(&answered.texts.input);
        let small: Vec<&AnsweredInput> = pool.iter().filter(fits).collect();
        let items: Vec<&CaseTexts> = small.iter().map(|answered| &answered.texts).collect();
        let (doubtful, tried): (Vec<&AnsweredInput>, usize) =
            match self.test_bed.run_batches(suspect, &items)? {
                Some(batch) => {
                    let (doubtful, tried) = batch.doubtful_inputs();
                    (doubtful.into_iter().map(|index| small[index]).collect(), tried)
                }
                None => {
                    let few = &pool[..pool.len().min(SINGLE_INPUTS)];
                    (few.iter().collect(), few.len())
                }
            };
        for answered in doubtful {
            if let Some(failure) = self.confirm_failure(suspect, answered)? {
                return Ok((Some(failure), tried));
            }
        }
        Ok((None, tried))
    }

    /// A failure counts if the input is valid and the suspect fails each time.
    fn confirm_failure(
        &self,
        suspect: &Suspect,
        answered: &AnsweredInput,
    ) -> Result<Option<Failure>, Stop> {
        let SearchInput { input, origin, .. } = &answered.fresh;
        let Some(judgement) = self.test_bed.rejection(suspect, input)? else {
            return Ok(None);
        };
        if !self.arena().validity.accepts(input)?
            || !self.is_surely_valid(suspect, origin, input)?
        {
            return Ok(None);
        }
        for _ in 1..REPEATS {
            match self.test_bed.rejection(suspect, input)? {
                Some(again) if again.verdict == judgement.verdict => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Failure {
            fresh: answered.fresh.clone(),
            judgement,
            failing: REPEATS,
            repeats: REPEATS,
        }))
    }

    /// Whether the validity of an input is beyond doubt. If only input validators accept it, they may be lax: then all
    /// right programs must agree.
    fn is_surely_valid(
        &self,
        suspect: &Suspect,
        origin: &CounterexampleOrigin,
        input: &Arc<[u8]>,
    ) -> Result<bool, Stop> {
        let is_guess = matches!(origin, CounterexampleOrigin::TestCase { .. });
        let others = self.others.iter().map(|(_, other)| other).filter(|_| is_guess);
        for other in others.filter(|other| !std::ptr::eq(*other, suspect)) {
            if self.test_bed.rejection(other, input)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn shrink(&self, suspect: &Suspect, failure: &Failure) -> Result<ShrunkInput, Stop> {
        self.arena().scheduler.set_deadline(Some(self.end.min(Instant::now() + SHRINK_TIME)));
        let shrunk = self.test_bed.with_cross_check(suspect, |cross_check| {
            let parameters = ShrinkParameters {
                cross_check,
                batches: None,
                vain_tries_max: VAIN_TRIES_MAX,
                before: (0, Instant::now()),
                end: self.end,
                progress: &|_| {},
            };
            shrink(&parameters, failure)
        });
        self.arena().scheduler.set_deadline(Some(self.end));
        let mut shrunk = shrunk?;
        // The smaller input may be valid only for lax validators.
        if !self.is_surely_valid(suspect, &failure.fresh.origin, &shrunk.input)? {
            shrunk.input = Arc::clone(&failure.fresh.input);
            shrunk.judgement = failure.judgement.clone();
        }
        Ok(shrunk)
    }
}
