//! Searches for inputs that reject what no test case rejects, and makes them small.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::judge::case::Texts;
use crate::model::stop::Stop;
use crate::model::stress::{Origin, REPEATS};
use crate::search::arena::{Arena, Fresh};
use crate::search::batch::Batches;
use crate::search::run::Failure;
use crate::search::shrink::{Shrinking, Shrunk, shrink};
use crate::strength::pool::AnsweredInput;
use crate::strength::test_bed::{Suspect, TestBed};

pub struct KillSearch<'a> {
    /// The right programs other than the reference, with their names: all must agree with it.
    pub others: Vec<(String, Suspect)>,
    pub test_bed: &'a TestBed<'a>,
    pub end: Instant,
}

/// The inputs of a round, if each needs a start. Over all rounds, they suffice to presume that a suspect is right.
pub(super) const ALONE: usize = 25;
const SHRINKING: Duration = Duration::from_secs(3);

impl KillSearch<'_> {
    pub(super) fn arena(&self) -> &Arena<'_> {
        self.test_bed.arena
    }

    /// Runs a suspect on fresh inputs until one rejects it. Returns the first that does in each run, and on how many
    /// inputs it was run.
    ///
    /// # Errors
    /// If the judge failed, was interrupted, or the time ran out.
    pub fn first(
        &self,
        suspect: &Suspect,
        pool: &[AnsweredInput],
    ) -> Result<(Option<Failure>, usize), Stop> {
        let takes = |it: &&AnsweredInput| Batches::takes(&it.texts.input);
        let small: Vec<&AnsweredInput> = pool.iter().filter(takes).collect();
        let items: Vec<&Texts> = small.iter().map(|it| &it.texts).collect();
        let (doubtful, tried): (Vec<&AnsweredInput>, usize) =
            match self.test_bed.in_batch(suspect, &items)? {
                Some(batch) => {
                    let (doubtful, tried) = batch.doubtful();
                    (doubtful.into_iter().map(|place| small[place]).collect(), tried)
                }
                None => {
                    let few = &pool[..pool.len().min(ALONE)];
                    (few.iter().collect(), few.len())
                }
            };
        for answered in doubtful {
            if let Some(found) = self.failure(suspect, answered)? {
                return Ok((Some(found), tried));
            }
        }
        Ok((None, tried))
    }

    /// A failure counts if the input is valid and the suspect fails each time.
    fn failure(
        &self,
        suspect: &Suspect,
        answered: &AnsweredInput,
    ) -> Result<Option<Failure>, Stop> {
        let Fresh { input, origin, .. } = &answered.fresh;
        let Some(judged) = self.test_bed.rejected(suspect, input)? else {
            return Ok(None);
        };
        if !self.arena().validity.allows(input)? || !self.is_certain(suspect, origin, input)? {
            return Ok(None);
        }
        for _ in 1..REPEATS {
            match self.test_bed.rejected(suspect, input)? {
                Some(again) if again.verdict == judged.verdict => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Failure {
            fresh: answered.fresh.clone(),
            judged,
            failing: REPEATS,
            repeats: REPEATS,
        }))
    }

    /// Whether the validity of an input is beyond doubt. If only input validators accept it, they may be lax: then all
    /// right programs must agree.
    fn is_certain(
        &self,
        suspect: &Suspect,
        origin: &Origin,
        input: &Arc<[u8]>,
    ) -> Result<bool, Stop> {
        let is_guess = matches!(origin, Origin::TestCase { .. });
        let others = self.others.iter().filter(|(_, it)| is_guess && !std::ptr::eq(it, suspect));
        for (_, other) in others {
            if self.test_bed.rejected(other, input)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn shrunk(&self, suspect: &Suspect, failure: &Failure) -> Result<Shrunk, Stop> {
        self.arena().scheduler.set_deadline(Some(self.end.min(Instant::now() + SHRINKING)));
        let shrunk = self.test_bed.with(suspect, |comparison| {
            let shrinking = Shrinking {
                arena: self.arena(),
                comparison,
                before: (0, Instant::now()),
                progress: &|_| {},
            };
            shrink(&shrinking, failure)
        });
        self.arena().scheduler.set_deadline(Some(self.end));
        let mut shrunk = shrunk?;
        // The smaller input may be valid only for lax validators.
        if !self.is_certain(suspect, &failure.fresh.origin, &shrunk.input)? {
            shrunk.input = Arc::clone(&failure.fresh.input);
            shrunk.judged = failure.judged.clone();
        }
        Ok(shrunk)
    }
}
