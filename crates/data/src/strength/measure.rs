//! The whole measurement in order: right programs on fresh inputs, suspects on test cases, searches, and the counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::search::problem_inputs::quote_input;
use crate::search::result::CounterexampleOrigin;
use crate::search::run::{Failure, PackageFault};
use crate::search::shrink::ShrunkInput;
use crate::strength::features::find_features;
use crate::strength::kill_search::{KillSearch, SINGLE_INPUTS};
use crate::strength::measured_subject::MeasuredSubject;
use crate::strength::pool::{AnsweredInput, FreshSource};
use crate::strength::result::{MissedInput, Strength, SubjectStatus};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::CaseJudgement;
use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_judging::judge::case::CaseTexts;
use juror_sandbox::executor::parallel;

pub struct Measurement<'a> {
    pub search: KillSearch<'a>,
    /// The most time that is kept for the search while subjects run on test cases.
    pub search_time: Duration,
    /// After how many rounds of the search a survivor is presumed equivalent.
    pub rounds: usize,
    pub matrix: bool,
}

pub enum MeasurementFault {
    Reference(PackageFault),
    /// Two right programs disagree on a valid input, made small: the other program's name, and its result.
    Disagreement(String, Box<ShrunkInput>),
}

/// The fresh inputs that measure how hard a subject is to catch.
const POOL_SIZE: usize = 96;
/// The fresh inputs of one round of the search. With the pool, one round is more than [`ENOUGH_INPUTS`].
pub(super) const ROUND_SIZE: usize = 224;
/// After how many rounds a survivor is presumed equivalent, if the user names no number.
pub const DEFAULT_ROUNDS: usize = 12;
/// After how many inputs a survivor is presumed equivalent even if the time ran out before all rounds.
const ENOUGH_INPUTS: u64 = 300;
/// The bound on survivors holds with a probability of 95 %: `ln 0.05` is about `-3`.
const RULE_OF_THREE: f64 = 3.0;
/// An input that rejects a survivor is tried on so many others.
const OTHER_SURVIVORS: usize = 64;

impl Measurement<'_> {
    /// Runs the entries on test cases and fresh inputs, and adds the results to the report.
    pub fn measure(
        &self,
        mut entries: Vec<MeasuredSubject>,
        mut source: Option<FreshSource<'_>>,
        report: &mut Strength,
    ) -> Result<Result<(), MeasurementFault>, Stop> {
        let mut pool = Vec::new();
        let search = &self.search;
        search.arena().scheduler.set_deadline(Some(search.end - self.search_time));
        if let Some(source) = &mut source {
            match search.arena().in_time(source.make_inputs(
                &search.test_bed.cross_check,
                POOL_SIZE,
                POOL_SIZE,
            ))? {
                Some(Ok(fresh)) => pool = fresh,
                Some(Err(fault)) => return Ok(Err(MeasurementFault::Reference(fault))),
                None => report.cut = true,
            }
            match search.arena().in_time(self.find_disagreement(&pool))? {
                Some(Some((name, shrunk, CounterexampleOrigin::TestCase { .. }))) => {
                    self.warn_about_validators(name, &shrunk)
                }
                Some(Some((name, shrunk, _))) => {
                    return Ok(Err(MeasurementFault::Disagreement(name, Box::new(shrunk))));
                }
                Some(None) => {}
                None => report.cut = true,
            }
        }
        report.pool = pool.len();
        report.matrix = self.matrix;
        let items: Vec<CaseTexts> = pool.iter().map(|answered| answered.texts.clone()).collect();
        self.run_suspects(&mut entries, &items, report)?;
        self.find_features(&items, report)?;
        mark_duplicates(&mut entries);
        for known in &search.arena().bench.problem.equivalents {
            let all = entries.iter_mut().map(|entry| &mut entry.subject);
            // A subject that a test case rejects is not equivalent.
            let mut open = all.filter(|subject| subject.killers.is_empty());
            if let Some(subject) = open.find(|subject| subject.id == known.subject) {
                subject.status = SubjectStatus::ConfirmedEquivalent;
                subject.reason = Some(known.reason.clone());
            }
        }
        if let Some(source) = &mut source
            && let Err(fault) = self.search_survivors(&mut entries, pool, source, report)?
        {
            return Ok(Err(MeasurementFault::Reference(fault)));
        }
        report.subjects = entries.into_iter().map(|entry| entry.subject).collect();
        Ok(Ok(()))
    }

    fn find_features(&self, pool: &[CaseTexts], report: &mut Strength) -> Result<(), Stop> {
        let KillSearch { test_bed, end, .. } = self.search;
        let arena = self.search.arena();
        arena.scheduler.set_deadline(Some(end));
        let texts = test_bed
            .cases
            .iter()
            .map(|case| Ok(case.read_texts()?.map(|texts| (case.test_case.name.clone(), texts))));
        let is_over = || arena.is_over();
        let features = find_features(&arena.validity, report.seed, &is_over, texts, pool);
        match arena.in_time(features)?.flatten() {
            Some(features) => report.features = features,
            None => report.cut = true,
        }
        Ok(())
    }

    /// The first right program that disagrees with the reference on one of these inputs, made small.
    fn find_disagreement(
        &self,
        pool: &[AnsweredInput],
    ) -> Result<Option<(String, ShrunkInput, CounterexampleOrigin)>, Stop> {
        let searched = self.run_in_parallel(&self.search.others, |(name, suspect)| {
            Ok(self.search.find_failure(suspect, pool)?.0.map(|failure| (name, suspect, failure)))
        })?;
        let Some((name, suspect, failure)) = searched.into_iter().flatten().next() else {
            return Ok(None);
        };
        Ok(Some((name.clone(), self.search.shrink(suspect, &failure)?, failure.fresh.origin)))
    }

    /// Warns that two right programs differ on an input that only input validators accept.
    fn warn_about_validators(&self, name: String, shrunk: &ShrunkInput) {
        let bench = &self.search.arena().bench;
        let what = format!(
            "accept an input on which {name} differs from the reference: {}: {}",
            shrunk.judgement.cause,
            quote_input(&shrunk.input)
        );
        let path = bench.problem.dir.join(bench.problem.layout.input_validators);
        let help = "make them stricter, or fix the one that is wrong; such inputs are left out";
        bench.send_diagnostics([Diagnostic::warning(path, what).help(help)]);
    }

    pub(super) fn run_in_parallel<'t, T: Sync, R: Send>(
        &self,
        items: &'t [T],
        work: impl Fn(&'t T) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let indexes: Vec<usize> = (0..items.len()).collect();
        let executor = self.search.arena().bench.executor;
        parallel::map(executor, &indexes, |&index| work(&items[index]))
    }

    /// Searches for inputs that reject survivors: first in the pool, then among more fresh inputs, as long as there is
    /// time.
    fn search_survivors(
        &self,
        entries: &mut [MeasuredSubject],
        pool: Vec<AnsweredInput>,
        source: &mut FreshSource<'_>,
        report: &mut Strength,
    ) -> Result<Result<(), PackageFault>, Stop> {
        let search = &self.search;
        search.arena().scheduler.set_deadline(Some(search.end));
        let kept = if search.test_bed.batch_mode.is_some() { ROUND_SIZE } else { SINGLE_INPUTS };
        // Without a grammar, each input costs starts of input validators.
        let most = if search.arena().grammar().is_some() { ROUND_SIZE } else { kept };
        let mut fresh = pool;
        for round in 0.. {
            // Survivors that need a start for each input take more rounds.
            let is_open = |entry: &MeasuredSubject| {
                entry.is_survivor() && (round <= self.rounds || entry.subject.tried < ENOUGH_INPUTS)
            };
            let alive: Vec<usize> =
                (0..entries.len()).filter(|&index| is_open(&entries[index])).collect();
            if alive.is_empty() || fresh.is_empty() {
                break;
            }
            if search.arena().scheduler.is_past_deadline() {
                report.cut = true;
                break;
            }
            let done = round.min(self.rounds);
            search.arena().bench.report_step("rounds of the search", done, self.rounds);
            let searched =
                self.run_in_parallel(&alive, |&index| match &entries[index].suspect {
                    Some(suspect) => search.arena().in_time(search.find_failure(suspect, &fresh)),
                    None => Ok(None),
                })?;
            let mut failures: Vec<(usize, Failure)> = Vec::new();
            for (index, searched) in alive.into_iter().zip(searched) {
                let Some((failure, tried)) = searched else { continue };
                let subject = &mut entries[index].subject;
                // The pool was tried before.
                subject.tried += if round == 0 { 0 } else { tried as u64 };
                failures.extend(failure.map(|failure| (index, failure)));
            }
            for (index, failure) in failures {
                self.record_missed(entries, index, &failure)?;
            }
            let next = source.make_inputs(&search.test_bed.cross_check, most, kept);
            fresh = match search.arena().in_time(next)? {
                Some(Ok(fresh)) => fresh,
                Some(Err(fault)) => return Ok(Err(fault)),
                None => continue,
            };
        }
        search.arena().scheduler.set_deadline(None);
        for entry in entries.iter_mut().filter(|entry| entry.is_survivor()) {
            let subject = &mut entry.subject;
            if subject.tried >= ENOUGH_INPUTS {
                subject.status = SubjectStatus::PresumedEquivalent;
                subject.bound = Some(RULE_OF_THREE / subject.tried as f64);
            }
        }
        Ok(Ok(()))
    }

    /// Makes an input that rejects a survivor small, and finds out which other survivors it rejects.
    fn record_missed(
        &self,
        entries: &mut [MeasuredSubject],
        index: usize,
        failure: &Failure,
    ) -> Result<(), Stop> {
        let Some(suspect) = entries[index].suspect.clone() else { return Ok(()) };
        // An input that was found for another survivor suffices.
        let known = entries.iter().find_map(|entry| {
            let missed = entry.subject.missed.as_ref()?;
            missed.also.contains(&entries[index].subject.id).then(|| missed.clone())
        });
        let judgement = match &known {
            Some(known) => {
                let rejected =
                    self.search.test_bed.rejection(&suspect, &Arc::from(known.input.as_slice()));
                self.search.arena().in_time(rejected)?.flatten()
            }
            None => None,
        };
        let missed = match known.zip(judgement) {
            Some((known, CaseJudgement { verdict, cause, .. })) => {
                MissedInput { verdict, cause, also: Vec::new(), ..known }
            }
            None => {
                let shrunk = self.search.shrink(&suspect, failure)?;
                let others = entries[..index].iter().chain(&entries[index + 1..]);
                let is_open = |entry: &&MeasuredSubject| {
                    entry.is_survivor() || entry.subject.status == SubjectStatus::Missed
                };
                let others: Vec<&MeasuredSubject> =
                    others.filter(is_open).take(OTHER_SURVIVORS).collect();
                let also = self.run_in_parallel(&others, |entry| {
                    let Some(suspect) = &entry.suspect else { return Ok(None) };
                    let rejected = self.search.test_bed.rejection(suspect, &shrunk.input);
                    let rejected = self.search.arena().in_time(rejected)?.flatten();
                    Ok(rejected.map(|_| entry.subject.id.clone()))
                })?;
                MissedInput {
                    input: shrunk.input.to_vec(),
                    verdict: shrunk.judgement.verdict,
                    cause: shrunk.judgement.cause,
                    origin: failure.fresh.origin.to_string(),
                    gain: 0.0,
                    also: also.into_iter().flatten().collect(),
                    promoted: None,
                }
            }
        };
        let subject = &mut entries[index].subject;
        subject.status = SubjectStatus::Missed;
        subject.missed = Some(missed);
        Ok(())
    }
}

impl MeasurementFault {
    /// The error that a right program fails, or that two cannot both be right.
    pub fn to_stop(&self, problem: &Problem, reference: &Submission) -> Stop {
        let path = |name: &str| {
            let mut all = problem.submissions.iter();
            let submission = all.find(|submission| submission.name == name).unwrap_or(reference);
            submission.program.path.clone()
        };
        let help = "fix it, or the input validators if the input should be invalid; nothing is measured until then";
        match self {
            MeasurementFault::Reference(fault) => {
                let (why, input) = (&fault.reason, quote_input(&fault.input));
                let message = format!("fails on a valid input: {why}: {input}");
                Diagnostic::error(path(&reference.name), message).help(help).into()
            }
            MeasurementFault::Disagreement(name, small) => {
                let message = format!(
                    "{} and {name} should both be accepted, but differ on a valid input: {}: {}",
                    reference.name,
                    small.judgement.cause,
                    quote_input(&small.input)
                );
                Diagnostic::error(path(name), message).help(help).into()
            }
        }
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
