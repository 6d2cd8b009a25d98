//! Hunts what no test case rejects: on fresh inputs, and then makes small what rejects it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::executor::until::Until;
use crate::generate::fresh::FreshInputs;
use crate::judge::case::{Texts, TimeLimitMode};
use crate::model::judgement::CaseJudgement;
use crate::model::stop::Stop;
use crate::model::stress::{Origin, REPEATS};
use crate::model::verdict::Verdict;
use crate::strength::pool::Fresh;
use crate::strength::test_bed::{Suspect, TestBed};
use crate::stress::batch::Batches;
use crate::stress::comparison::Compared;
use crate::stress::search::Failure;
use crate::stress::shrink::{Shrinking, Shrunk, shrink};
use crate::stress::validity::Validity;

/// What searches need.
pub struct KillSearch<'a> {
    /// The right programs beside the reference, with their names: all must agree with it.
    pub others: Vec<(String, Suspect)>,
    /// Where suspects are run.
    pub test_bed: &'a TestBed<'a>,
    /// Which inputs count.
    pub validity: &'a Validity<'a>,
    /// The package's generators, if it has some.
    pub generators: Option<&'a FreshInputs<'a>>,
    /// Ends what runs when the time is over.
    pub until: &'a Until<'a>,
    /// When all is to be over.
    pub end: Instant,
}

/// What some fresh inputs say of a suspect.
pub struct KillSearchResult {
    /// The first of them that rejects it, each time it is run.
    pub found: Option<Failure>,
    /// On how many it was run.
    pub tried: usize,
}

/// Of inputs that need a start each, so many are tried at once: in all rounds enough to presume that it is right.
const ALONE: usize = 25;
/// An input is made small for so long.
const SHRINKING: Duration = Duration::from_secs(3);

impl KillSearch<'_> {
    /// What came of something, or nothing if the time was over before.
    ///
    /// # Errors
    /// As it was, unless the time was over.
    pub fn in_time<R>(&self, result: Result<R, Stop>) -> Result<Option<R>, Stop> {
        match result {
            Err(Stop::Interrupted) if self.until.ran_out() => Ok(None),
            result => result.map(Some),
        }
    }

    /// Runs a suspect on fresh inputs until one rejects it.
    ///
    /// # Errors
    /// When the judge failed, or it was interrupted or the time was over.
    pub fn first(&self, suspect: &Suspect, fresh: &[Fresh]) -> Result<KillSearchResult, Stop> {
        let takes = |fresh: &&Fresh| Batches::takes(&fresh.item.input);
        let small: Vec<&Fresh> = fresh.iter().filter(takes).collect();
        let items: Vec<&Texts> = small.iter().map(|fresh| &fresh.item).collect();
        let (doubtful, tried): (Vec<&Fresh>, usize) =
            match self.test_bed.in_batch(suspect, &items)? {
                Some(batch) => {
                    let (doubtful, tried) = batch.doubtful();
                    (doubtful.into_iter().map(|place| small[place]).collect(), tried)
                }
                None => {
                    let few = &fresh[..fresh.len().min(ALONE)];
                    (few.iter().collect(), few.len())
                }
            };
        for fresh in doubtful {
            if let Some(found) = self.failure(suspect, fresh)? {
                return Ok(KillSearchResult { found: Some(found), tried });
            }
        }
        Ok(KillSearchResult { found: None, tried })
    }

    /// How a suspect fails on an input, if it does each time, and the input is valid.
    fn failure(&self, suspect: &Suspect, fresh: &Fresh) -> Result<Option<Failure>, Stop> {
        let Some(judged) = self.rejected(suspect, &fresh.item.input)? else { return Ok(None) };
        let input = &fresh.item.input;
        if !self.validity.allows(input)? || !self.is_certain(suspect, &fresh.origin, input)? {
            return Ok(None);
        }
        for _ in 1..REPEATS {
            match self.rejected(suspect, &fresh.item.input)? {
                Some(again) if again.verdict == judged.verdict => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Failure {
            number: fresh.number,
            input: Arc::clone(&fresh.item.input),
            origin: fresh.origin.clone(),
            call: fresh.call.clone(),
            judged,
            failing: REPEATS,
            repeats: REPEATS,
        }))
    }

    /// Whether a valid input is beyond doubt. If only input validators say that it is, they may be lax: then all right
    /// programs must agree.
    fn is_certain(
        &self,
        suspect: &Suspect,
        origin: &Origin,
        input: &Arc<[u8]>,
    ) -> Result<bool, Stop> {
        if matches!(origin, Origin::TestCase { .. }) {
            for (_, other) in self.others.iter().filter(|(_, it)| !std::ptr::eq(it, suspect)) {
                if self.rejected(other, input)?.is_some() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What a suspect earns on an input, if that is not accepted.
    fn rejected(
        &self,
        suspect: &Suspect,
        input: &Arc<[u8]>,
    ) -> Result<Option<CaseJudgement>, Stop> {
        let compared = self.test_bed.with(suspect, |it| it.compare(input, TimeLimitMode::Any))?;
        Ok(match compared {
            Compared::Differs(judged) => Some(*judged),
            Compared::Same | Compared::NoAnswer(_) => None,
        })
    }

    /// The verdict of a suspect on an input that another one fails on.
    ///
    /// # Errors
    /// As [`Self::first`].
    pub fn fails(&self, suspect: &Suspect, input: &Arc<[u8]>) -> Result<Option<Verdict>, Stop> {
        Ok(self.rejected(suspect, input)?.map(|judged| judged.verdict))
    }

    /// Makes a failing input small.
    ///
    /// # Errors
    /// When the judge failed.
    pub fn shrunk(&self, suspect: &Suspect, failure: &Failure) -> Result<Shrunk, Stop> {
        self.until.set(Some(self.end.min(Instant::now() + SHRINKING)));
        let shrunk = self.test_bed.with(suspect, |comparison| {
            let shrinking = Shrinking {
                comparison,
                validity: self.validity,
                grammar: self.test_bed.grammar,
                generators: self.generators,
                until: self.until,
                before: (0, Instant::now()),
                progress: &|_| {},
            };
            shrink(&shrinking, failure)
        });
        self.until.set(Some(self.end));
        let mut shrunk = shrunk?;
        // What is smaller may be what lax validators accept.
        if !self.is_certain(suspect, &failure.origin, &shrunk.input)? {
            shrunk.input = Arc::clone(&failure.input);
            shrunk.judged = failure.judged.clone();
        }
        Ok(shrunk)
    }
}
