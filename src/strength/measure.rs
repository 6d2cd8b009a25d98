//! All of it in order: right programs against fresh inputs, contenders against test cases, hunts, and the counts.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::executor::parallel;
use crate::judge::case::Texts;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Equivalent;
use crate::model::report::ProgressStep;
use crate::model::stop::Stop;
use crate::model::strength::{MissedBy, PartName, Strength, Subject, SubjectStatus};
use crate::model::stress::Origin;
use crate::mutate::operator::Operator;
use crate::strength::arena::Contender;
use crate::strength::hunt::Hunting;
use crate::strength::mutants::WrongProgram;
use crate::strength::pool::{Fresh, FreshSource};
use crate::strength::reach::Looking;
use crate::strength::{matrix, score};
use crate::stress::comparison::shown;
use crate::stress::search::{Failure, Fault};
use crate::stress::shrink::Shrunk;

/// A subject with what runs of it.
pub struct Entrant {
    /// What is known of it.
    pub subject: Subject,
    /// Its program, if it is built. Without one, and nothing to build, nothing of it is run here.
    pub contender: Option<Contender>,
    /// What it is yet to be built of. A submission without it was judged before.
    pub source: Option<WrongProgram>,
    /// Its outputs on fresh inputs and on test cases, in short, if one start told them all.
    pub signature: Option<(u64, u64)>,
}

/// What is measured, and how far.
pub struct Measuring<'a> {
    /// Where contenders are run, and what is hunted with.
    pub hunting: Hunting<'a>,
    /// When subjects are no more run on the test cases.
    pub hold_until: Instant,
    /// Whether all test cases are tried on all subjects.
    pub matrix: bool,
    /// What its author calls right.
    pub equivalents: &'a [Equivalent],
}

/// Why there is no measure.
pub enum Unmeasured {
    /// A right program fails on a valid input.
    Reference(Fault),
    /// Two right programs disagree on a valid input, made small: the other one's name, and what it earns.
    Disagreement(String, Box<Shrunk>),
}

/// So many fresh inputs tell how hard a subject is to catch.
const POOL: usize = 96;
/// So many fresh inputs are tried at once in a hunt.
const ROUND: usize = 192;
/// After so many rounds what survived is presumed equivalent.
const ROUNDS: usize = 12;
/// After so many inputs a survivor is presumed equivalent, also if the time was over before all rounds.
const ENOUGH: u64 = 300;
/// The probability of the bound on what survived is 95 %: `ln 0.05` is about `-3`.
const RULE_OF_THREE: f64 = 3.0;
/// One input is tried on so many other survivors.
const OTHERS: usize = 64;

impl Measuring<'_> {
    /// Holds the entrants against test cases and fresh inputs, and adds what is found to the report.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn measure(
        &self,
        mut entrants: Vec<Entrant>,
        mut source: Option<FreshSource<'_>>,
        report: &mut Strength,
    ) -> Result<Result<(), Unmeasured>, Stop> {
        let mut pool = Vec::new();
        if let Some(source) = &mut source {
            match source.next(&self.hunting.arena.comparison, POOL)? {
                Ok(fresh) => pool = fresh,
                Err(fault) => return Ok(Err(Unmeasured::Reference(fault))),
            }
            match self.disagreement(&pool)? {
                Some((name, shrunk, Origin::TestCase { .. })) => self.doubt(name, &shrunk),
                Some((name, shrunk, _)) => {
                    return Ok(Err(Unmeasured::Disagreement(name, Box::new(shrunk))));
                }
                None => {}
            }
        }
        report.pool = pool.len();
        if let Some(grammar) = self.hunting.arena.grammar {
            let Hunting { arena, validity, .. } = self.hunting;
            let looking = Looking { grammar, validity, seed: report.seed };
            let texts = arena
                .cases
                .iter()
                .map(|case| Ok(case.read()?.map(|texts| (case.test_case.name.clone(), texts))));
            report.features = looking.features(texts, &pool)?;
        }
        report.matrix = self.matrix;
        let items: Vec<Texts> = pool.iter().map(|fresh| fresh.item.clone()).collect();
        self.hold(&mut entrants, &items, report)?;
        mark_duplicates(&mut entrants);
        for known in self.equivalents {
            let mut all = entrants.iter_mut().map(|entrant| &mut entrant.subject);
            // A test case that rejects one shows that it is not.
            if let Some(subject) = all.find(|it| it.id == known.subject && it.killers.is_empty()) {
                subject.status = SubjectStatus::ConfirmedEquivalent;
                subject.reason = Some(known.reason.clone());
            }
        }
        if let Some(source) = &mut source
            && let Err(fault) = self.hunt(&mut entrants, pool, source, report)?
        {
            return Ok(Err(Unmeasured::Reference(fault)));
        }
        report.subjects = entrants.into_iter().map(|entrant| entrant.subject).collect();
        Ok(Ok(()))
    }

    /// The first right program that disagrees with the reference on one of these inputs, made small.
    fn disagreement(&self, pool: &[Fresh]) -> Result<Option<(String, Shrunk, Origin)>, Stop> {
        let hunted = self.side_by_side(&self.hunting.others, |(name, contender)| {
            Ok(self.hunting.first(contender, pool)?.found.map(|found| (name, contender, found)))
        })?;
        let Some((name, contender, found)) = hunted.into_iter().flatten().next() else {
            return Ok(None);
        };
        Ok(Some((name.clone(), self.hunting.shrunk(contender, &found)?, found.origin)))
    }

    /// Tells that two right programs differ on an input that only input validators accept.
    fn doubt(&self, name: String, shrunk: &Shrunk) {
        let bench = &self.hunting.arena.comparison.bench;
        let what = format!(
            "accept an input on which {name} differs from the reference: {}: {}",
            shrunk.judged.cause,
            shown(&shrunk.input)
        );
        let path = bench.problem.dir.join(bench.problem.layout.input_validators);
        let help = "make them stricter, or mend the one that is wrong; such inputs are left out";
        (bench.events)(Event::Diagnosed(Diagnostic::warning(path, what).help(help)));
    }

    pub(super) fn side_by_side<'t, T: Sync, R: Send>(
        &self,
        items: &'t [T],
        work: impl Fn(&'t T) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let places: Vec<usize> = (0..items.len()).collect();
        let executor = self.hunting.arena.comparison.bench.executor;
        parallel::map(executor, &places, |&place| work(&items[place]))
    }

    pub(super) fn tell(&self, what: &str, done: usize, total: usize) {
        let step = ProgressStep { what: what.to_owned(), done, total };
        (self.hunting.arena.comparison.bench.events)(Event::Progress(step));
    }

    /// Hunts what no test case rejects: first on the pool, then on more fresh inputs, as long as there is time.
    fn hunt(
        &self,
        entrants: &mut [Entrant],
        pool: Vec<Fresh>,
        source: &mut FreshSource<'_>,
        report: &mut Strength,
    ) -> Result<Result<(), Fault>, Stop> {
        let hunting = &self.hunting;
        hunting.until.set(Some(hunting.end));
        let mut fresh = pool;
        for round in 0.. {
            // What needs a start for each input takes more rounds.
            let is_open =
                |it: &Entrant| it.is_hunted() && (round <= ROUNDS || it.subject.tried < ENOUGH);
            let alive: Vec<usize> =
                (0..entrants.len()).filter(|&place| is_open(&entrants[place])).collect();
            if alive.is_empty() || fresh.is_empty() {
                break;
            }
            if hunting.until.is_over() {
                report.cut = true;
                break;
            }
            self.tell("rounds of the hunt", round.min(ROUNDS), ROUNDS);
            let hunted = self.side_by_side(&alive, |&place| match &entrants[place].contender {
                Some(contender) => hunting.in_time(hunting.first(contender, &fresh)),
                None => Ok(None),
            })?;
            let mut found: Vec<(usize, Failure)> = Vec::new();
            for (place, hunted) in alive.into_iter().zip(hunted) {
                let Some(hunted) = hunted else { continue };
                let subject = &mut entrants[place].subject;
                // The pool was tried before.
                subject.tried += if round == 0 { 0 } else { hunted.tried as u64 };
                found.extend(hunted.found.map(|failure| (place, failure)));
            }
            for (place, failure) in found {
                self.missed(entrants, place, &failure)?;
            }
            fresh = match hunting.in_time(source.next(&hunting.arena.comparison, ROUND))? {
                Some(Ok(fresh)) => fresh,
                Some(Err(fault)) => return Ok(Err(fault)),
                None => continue,
            };
        }
        hunting.until.set(None);
        for entrant in entrants.iter_mut().filter(|entrant| entrant.is_hunted()) {
            let subject = &mut entrant.subject;
            if subject.tried >= ENOUGH {
                subject.status = SubjectStatus::PresumedEquivalent;
                subject.bound = Some(RULE_OF_THREE / subject.tried as f64);
            }
        }
        Ok(Ok(()))
    }

    /// Makes small what rejects a survivor, and sees which others it rejects.
    fn missed(
        &self,
        entrants: &mut [Entrant],
        place: usize,
        failure: &Failure,
    ) -> Result<(), Stop> {
        let Some(contender) = entrants[place].contender.clone() else { return Ok(()) };
        // One that is known for another survivor does.
        let known = entrants.iter().find_map(|it| {
            let missed = it.subject.missed.as_ref()?;
            missed.also.contains(&entrants[place].subject.id).then(|| missed.clone())
        });
        let missed = match known {
            Some(known) => MissedBy { also: Vec::new(), ..known },
            None => {
                let shrunk = self.hunting.shrunk(&contender, failure)?;
                let others: Vec<&Entrant> = entrants
                    .iter()
                    .enumerate()
                    .filter(|(other, it)| {
                        *other != place
                            && (it.is_hunted() || it.subject.status == SubjectStatus::Missed)
                    })
                    .map(|(_, it)| it)
                    .take(OTHERS)
                    .collect();
                let also = self.side_by_side(&others, |entrant| {
                    let Some(contender) = &entrant.contender else { return Ok(None) };
                    let fails = self.hunting.fails(contender, &shrunk.input);
                    let fails = self.hunting.in_time(fails)?.flatten();
                    Ok(fails.map(|_| entrant.subject.id.clone()))
                })?;
                MissedBy {
                    input: shrunk.input.to_vec(),
                    verdict: shrunk.judged.verdict,
                    cause: shrunk.judged.cause,
                    origin: failure.origin.to_string(),
                    gain: 0.0,
                    also: also.into_iter().flatten().collect(),
                    promoted: None,
                }
            }
        };
        let subject = &mut entrants[place].subject;
        subject.status = SubjectStatus::Missed;
        subject.missed = Some(missed);
        Ok(())
    }

    /// Counts: what each test case catches, parts, score, grade, and what each missing test case would gain. Others
    /// measured what some parts come to.
    pub fn count(&self, report: &mut Strength, measured: &dyn Fn(PartName) -> Option<f64>) {
        let names: Vec<&str> =
            self.hunting.arena.cases.iter().map(|case| &*case.test_case.name).collect();
        report.cases = matrix::cases(&names, &report.subjects, self.matrix);
        report.minimal = matrix::minimal(&names, &report.subjects);
        let held_out = Operator::held_out(report.seed);
        let operators = held_out.iter().map(|operator| operator.name().to_owned()).collect();
        report.hold_out = report.held_out(operators);
        let features = report.features();
        let parts = |subjects: &[Subject]| {
            score::parts(|name| match name {
                PartName::Kills => score::kills(subjects),
                PartName::Twice => score::twice(subjects),
                PartName::Features => features,
                other => measured(other),
            })
        };
        report.parts = parts(&report.subjects);
        report.score = score::score(&report.parts);
        let told = report.score.filter(|_| report.open() * 10 <= report.subjects.len());
        report.grade = told.map(|score| score::grade(&report.parts, score));
        let Some(before) = report.score else { return };
        for place in 0..report.subjects.len() {
            let Some(missed) = &report.subjects[place].missed else { continue };
            let caught: HashSet<&str> = missed
                .also
                .iter()
                .map(String::as_str)
                .chain([report.subjects[place].id.as_str()])
                .collect();
            let mut with = report.subjects.clone();
            for subject in with.iter_mut().filter(|it| caught.contains(it.id.as_str())) {
                subject.status = SubjectStatus::Caught;
            }
            let gain = score::score(&parts(&with)).unwrap_or(before) - before;
            if let Some(missed) = &mut report.subjects[place].missed {
                missed.gain = gain.max(0.0);
            }
        }
    }
}

impl Entrant {
    /// Whether no input is known that rejects it.
    fn is_hunted(&self) -> bool {
        self.contender.is_some() && self.subject.status == SubjectStatus::Undecided
    }
}

/// Marks what writes the same as another one, on all test cases and all fresh inputs.
fn mark_duplicates(entrants: &mut [Entrant]) {
    let mut first: HashMap<(u64, u64), String> = HashMap::new();
    for entrant in entrants {
        let Some(signature) = entrant.signature else { continue };
        if entrant.subject.status != SubjectStatus::Caught {
            continue;
        }
        match first.get(&signature) {
            Some(same) => {
                entrant.subject.status = SubjectStatus::Duplicate;
                entrant.subject.same_as = Some(same.clone());
            }
            None => drop(first.insert(signature, entrant.subject.id.clone())),
        }
    }
}
