//! The whole measurement in order: right programs on fresh inputs, suspects on test cases, searches, and the counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::executor::parallel;
use crate::judge::case::Texts;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, WorkProgress};
use crate::model::judgement::CaseJudgement;
use crate::model::problem::{Equivalent, Problem};
use crate::model::report::ProgressStep;
use crate::model::stop::Stop;
use crate::model::strength::{MissedBy, Strength, Subject, SubjectStatus};
use crate::model::stress::Origin;
use crate::model::submission::Submission;
use crate::search::comparison::{Unusable, shown};
use crate::search::run::{Failure, Fault};
use crate::search::shrink::Shrunk;
use crate::strength::kill_search::{ALONE, KillSearch};
use crate::strength::mutants::WrongProgram;
use crate::strength::pool::{AnsweredInput, FreshSource};
use crate::strength::reach::Looking;
use crate::strength::test_bed::Suspect;

pub struct MeasuredSubject {
    pub subject: Subject,
    /// `None` before the build. If `source` is `None`, too, it is not run here.
    pub suspect: Option<Suspect>,
    /// What it is still to be built from. A submission without it was judged before.
    pub source: Option<WrongProgram>,
    /// A hash of its outputs on fresh inputs and one on test cases, if batches gave them all.
    pub signature: Option<(u64, u64)>,
}

pub struct Measuring<'a> {
    pub search: KillSearch<'a>,
    /// The most time that is kept for the search while subjects run on test cases.
    pub for_search: Duration,
    /// After how many rounds of the search a survivor is presumed equivalent.
    pub rounds: usize,
    pub matrix: bool,
    /// The mutants that the author declares to be right.
    pub equivalents: &'a [Equivalent],
}

pub enum Unmeasured {
    Reference(Fault),
    /// Two right programs disagree on a valid input, made small: the other program's name, and its result.
    Disagreement(String, Box<Shrunk>),
}

/// The fresh inputs that measure how hard a subject is to catch.
const POOL: usize = 96;
/// The fresh inputs of one round of the search. With the pool, one round is more than [`ENOUGH_INPUTS`].
pub(super) const ROUND: usize = 224;
/// After how many rounds a survivor is presumed equivalent, if the user names no number.
pub const ROUNDS: usize = 12;
/// After how many inputs a survivor is presumed equivalent even if the time ran out before all rounds.
const ENOUGH: u64 = 300;
/// The bound on survivors holds with a probability of 95 %: `ln 0.05` is about `-3`.
const RULE_OF_THREE: f64 = 3.0;
/// An input that rejects a survivor is tried on so many others.
const OTHERS: usize = 64;

impl Measuring<'_> {
    /// Runs the entries on test cases and fresh inputs, and adds the results to the report.
    pub fn measure(
        &self,
        mut entries: Vec<MeasuredSubject>,
        mut source: Option<FreshSource<'_>>,
        report: &mut Strength,
    ) -> Result<Result<(), Unmeasured>, Stop> {
        let mut pool = Vec::new();
        let search = &self.search;
        search.arena().scheduler.set_deadline(Some(search.end - self.for_search));
        if let Some(source) = &mut source {
            match search.arena().in_time(source.next(&search.test_bed.comparison, POOL, POOL))? {
                Some(Ok(fresh)) => pool = fresh,
                Some(Err(fault)) => return Ok(Err(Unmeasured::Reference(fault))),
                None => report.cut = true,
            }
            match search.arena().in_time(self.disagreement(&pool))? {
                Some(Some((name, shrunk, Origin::TestCase { .. }))) => self.doubt(name, &shrunk),
                Some(Some((name, shrunk, _))) => {
                    return Ok(Err(Unmeasured::Disagreement(name, Box::new(shrunk))));
                }
                Some(None) => {}
                None => report.cut = true,
            }
        }
        report.pool = pool.len();
        report.matrix = self.matrix;
        let items: Vec<Texts> = pool.iter().map(|it| it.texts.clone()).collect();
        self.hold(&mut entries, &items, report)?;
        self.look_for_features(&items, report)?;
        mark_duplicates(&mut entries);
        for known in self.equivalents {
            let mut all = entries.iter_mut().map(|entry| &mut entry.subject);
            // A subject that a test case rejects is not equivalent.
            if let Some(subject) = all.find(|it| it.id == known.subject && it.killers.is_empty()) {
                subject.status = SubjectStatus::ConfirmedEquivalent;
                subject.reason = Some(known.reason.clone());
            }
        }
        if let Some(source) = &mut source
            && let Err(fault) = self.search(&mut entries, pool, source, report)?
        {
            return Ok(Err(Unmeasured::Reference(fault)));
        }
        report.subjects = entries.into_iter().map(|entry| entry.subject).collect();
        Ok(Ok(()))
    }

    fn look_for_features(&self, pool: &[Texts], report: &mut Strength) -> Result<(), Stop> {
        let KillSearch { test_bed, end, .. } = self.search;
        let arena = self.search.arena();
        let Some(grammar) = arena.grammar() else { return Ok(()) };
        arena.scheduler.set_deadline(Some(end));
        let (validity, is_over) = (&arena.validity, || arena.is_over());
        let looking = Looking { grammar, validity, seed: report.seed, is_over: &is_over };
        let texts = test_bed
            .cases
            .iter()
            .map(|case| Ok(case.read()?.map(|texts| (case.test_case.name.clone(), texts))));
        match self.search.arena().in_time(looking.features(texts, pool))?.flatten() {
            Some(features) => report.features = features,
            None => report.cut = true,
        }
        Ok(())
    }

    /// The first right program that disagrees with the reference on one of these inputs, made small.
    fn disagreement(
        &self,
        pool: &[AnsweredInput],
    ) -> Result<Option<(String, Shrunk, Origin)>, Stop> {
        let searched = self.side_by_side(&self.search.others, |(name, suspect)| {
            Ok(self.search.first(suspect, pool)?.0.map(|found| (name, suspect, found)))
        })?;
        let Some((name, suspect, found)) = searched.into_iter().flatten().next() else {
            return Ok(None);
        };
        Ok(Some((name.clone(), self.search.shrunk(suspect, &found)?, found.fresh.origin)))
    }

    /// Warns that two right programs differ on an input that only input validators accept.
    fn doubt(&self, name: String, shrunk: &Shrunk) {
        let bench = &self.search.test_bed.comparison.bench;
        let what = format!(
            "accept an input on which {name} differs from the reference: {}: {}",
            shrunk.judged.cause,
            shown(&shrunk.input)
        );
        let path = bench.problem.dir.join(bench.problem.layout.input_validators);
        let help = "make them stricter, or fix the one that is wrong; such inputs are left out";
        (bench.events)(Event::Diagnosed(Diagnostic::warning(path, what).help(help)));
    }

    pub(super) fn side_by_side<'t, T: Sync, R: Send>(
        &self,
        items: &'t [T],
        work: impl Fn(&'t T) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let places: Vec<usize> = (0..items.len()).collect();
        let executor = self.search.test_bed.comparison.bench.executor;
        parallel::map(executor, &places, |&place| work(&items[place]))
    }

    pub(super) fn tell(&self, what: &str, done: usize, total: usize) {
        let step = ProgressStep { what: what.to_owned(), done, total };
        (self.search.test_bed.comparison.bench.events)(Event::Progress(WorkProgress::Step(step)));
    }

    /// Searches for inputs that reject survivors: first in the pool, then among more fresh inputs, as long as there is
    /// time.
    fn search(
        &self,
        entries: &mut [MeasuredSubject],
        pool: Vec<AnsweredInput>,
        source: &mut FreshSource<'_>,
        report: &mut Strength,
    ) -> Result<Result<(), Fault>, Stop> {
        let search = &self.search;
        search.arena().scheduler.set_deadline(Some(search.end));
        let kept = if search.test_bed.way.is_some() { ROUND } else { ALONE };
        // Without a grammar, each input costs starts of input validators.
        let most = if search.arena().grammar().is_some() { ROUND } else { kept };
        let mut fresh = pool;
        for round in 0.. {
            // Survivors that need a start for each input take more rounds.
            let is_open = |it: &MeasuredSubject| {
                it.is_searched() && (round <= self.rounds || it.subject.tried < ENOUGH)
            };
            let alive: Vec<usize> =
                (0..entries.len()).filter(|&place| is_open(&entries[place])).collect();
            if alive.is_empty() || fresh.is_empty() {
                break;
            }
            if search.arena().scheduler.is_over() {
                report.cut = true;
                break;
            }
            self.tell("rounds of the search", round.min(self.rounds), self.rounds);
            let searched = self.side_by_side(&alive, |&place| match &entries[place].suspect {
                Some(suspect) => search.arena().in_time(search.first(suspect, &fresh)),
                None => Ok(None),
            })?;
            let mut found: Vec<(usize, Failure)> = Vec::new();
            for (place, searched) in alive.into_iter().zip(searched) {
                let Some((failure, tried)) = searched else { continue };
                let subject = &mut entries[place].subject;
                // The pool was tried before.
                subject.tried += if round == 0 { 0 } else { tried as u64 };
                found.extend(failure.map(|failure| (place, failure)));
            }
            for (place, failure) in found {
                self.missed(entries, place, &failure)?;
            }
            let next = source.next(&search.test_bed.comparison, most, kept);
            fresh = match search.arena().in_time(next)? {
                Some(Ok(fresh)) => fresh,
                Some(Err(fault)) => return Ok(Err(fault)),
                None => continue,
            };
        }
        search.arena().scheduler.set_deadline(None);
        for entry in entries.iter_mut().filter(|entry| entry.is_searched()) {
            let subject = &mut entry.subject;
            if subject.tried >= ENOUGH {
                subject.status = SubjectStatus::PresumedEquivalent;
                subject.bound = Some(RULE_OF_THREE / subject.tried as f64);
            }
        }
        Ok(Ok(()))
    }

    /// Makes an input that rejects a survivor small, and finds out which other survivors it rejects.
    fn missed(
        &self,
        entries: &mut [MeasuredSubject],
        place: usize,
        failure: &Failure,
    ) -> Result<(), Stop> {
        let Some(suspect) = entries[place].suspect.clone() else { return Ok(()) };
        // An input that was found for another survivor suffices.
        let known = entries.iter().find_map(|it| {
            let missed = it.subject.missed.as_ref()?;
            missed.also.contains(&entries[place].subject.id).then(|| missed.clone())
        });
        let judged = match &known {
            Some(known) => {
                let rejected =
                    self.search.test_bed.rejected(&suspect, &Arc::from(known.input.as_slice()));
                self.search.arena().in_time(rejected)?.flatten()
            }
            None => None,
        };
        let missed = match known.zip(judged) {
            Some((known, CaseJudgement { verdict, cause, .. })) => {
                MissedBy { verdict, cause, also: Vec::new(), ..known }
            }
            None => {
                let shrunk = self.search.shrunk(&suspect, failure)?;
                let others = entries[..place].iter().chain(&entries[place + 1..]);
                let is_open = |it: &&MeasuredSubject| {
                    it.is_searched() || it.subject.status == SubjectStatus::Missed
                };
                let others: Vec<&MeasuredSubject> = others.filter(is_open).take(OTHERS).collect();
                let also = self.side_by_side(&others, |entry| {
                    let Some(suspect) = &entry.suspect else { return Ok(None) };
                    let rejected = self.search.test_bed.rejected(suspect, &shrunk.input);
                    let rejected = self.search.arena().in_time(rejected)?.flatten();
                    Ok(rejected.map(|_| entry.subject.id.clone()))
                })?;
                MissedBy {
                    input: shrunk.input.to_vec(),
                    verdict: shrunk.judged.verdict,
                    cause: shrunk.judged.cause,
                    origin: failure.fresh.origin.to_string(),
                    gain: 0.0,
                    also: also.into_iter().flatten().collect(),
                    promoted: None,
                }
            }
        };
        let subject = &mut entries[place].subject;
        subject.status = SubjectStatus::Missed;
        subject.missed = Some(missed);
        Ok(())
    }
}

impl Unmeasured {
    /// The error that a right program fails, or that two cannot both be right.
    pub fn stop(&self, problem: &Problem, reference: &Submission) -> Stop {
        let path = |name: &str| {
            let mut all = problem.submissions.iter();
            let found = all.find(|it| it.name == name).unwrap_or(reference);
            found.program.path.clone()
        };
        let help = "fix it, or the input validators if the input should be invalid; nothing is measured until then";
        match self {
            Unmeasured::Reference(fault) => {
                let why = match &fault.why {
                    Unusable::TooSlow => "too slow".to_owned(),
                    Unusable::Reference(verdict, cause) => format!("{verdict}, {cause}"),
                    Unusable::Solution(what) => what.clone(),
                    Unusable::Validator(error) => error.to_string(),
                };
                let message = format!("fails on a valid input: {why}: {}", shown(&fault.input));
                Diagnostic::error(path(&reference.name), message).help(help).into()
            }
            Unmeasured::Disagreement(name, small) => {
                let message = format!(
                    "{} and {name} should both be accepted, but differ on a valid input: {}: {}",
                    reference.name,
                    small.judged.cause,
                    shown(&small.input)
                );
                Diagnostic::error(path(name), message).help(help).into()
            }
        }
    }
}

impl MeasuredSubject {
    fn is_searched(&self) -> bool {
        self.suspect.is_some() && self.subject.status == SubjectStatus::Undecided
    }
}

/// Marks subjects that write the same as another one on all test cases and all fresh inputs.
fn mark_duplicates(entries: &mut [MeasuredSubject]) {
    let mut first: HashMap<(u64, u64), String> = HashMap::new();
    for entry in entries {
        let Some(signature) = entry.signature else { continue };
        if entry.subject.status != SubjectStatus::Caught {
            continue;
        }
        match first.get(&signature) {
            Some(same) => {
                entry.subject.status = SubjectStatus::Duplicate;
                entry.subject.same_as = Some(same.clone());
            }
            None => drop(first.insert(signature, entry.subject.id.clone())),
        }
    }
}
