//! Holds contenders against test cases and the pool. While some are held, the next ones are built.

use std::ops::Range;

use crate::judge::case::Texts;
use crate::model::stop::Stop;
use crate::model::strength::{Kill, Strength, SubjectKind, SubjectStatus};
use crate::model::verdict::Verdict;
use crate::strength::arena::{Contender, OnCases, OnPool};
use crate::strength::measure::{Entrant, Measuring};
use crate::strength::mutants::{self, WrongProgram};
use crate::strength::{matrix, score};

/// So many subjects are run before test cases are sorted anew by what they reject.
const CHUNK: usize = 64;

/// Something to do, for the entrants at these places.
enum Step {
    Build(Vec<usize>),
    Hold(usize),
}

/// What came of it; nothing if the time was over.
enum Done {
    Built(Option<Vec<Option<Contender>>>),
    Held(Option<Held>),
}

/// What runs said of an entrant.
struct Held {
    /// On the test cases, unless that was known.
    on_cases: Option<OnCases>,
    /// On the pool, if there is one and it was asked.
    on_pool: Option<OnPool>,
}

impl Measuring<'_> {
    /// Runs contenders on the test cases and on the pool, as long as there is time.
    pub(super) fn hold(
        &self,
        entrants: &mut [Entrant],
        pool: &[Texts],
        report: &mut Strength,
    ) -> Result<(), Stop> {
        let arena = self.hunting.arena;
        let sizes: Vec<u64> = arena.cases.iter().map(|case| case.size()).collect();
        let mut kills = vec![0; arena.cases.len()];
        for kill in entrants.iter().flat_map(|entrant| &entrant.subject.killers) {
            let place = arena.cases.iter().position(|it| it.test_case.name == kill.test_case);
            place.into_iter().for_each(|place| kills[place] += 1);
        }
        let mut queue: Vec<usize> = (0..entrants.len()).collect();
        queue.sort_by_key(|&place| entrants[place].turn());
        let total = queue.len();
        let chunk = |number: usize| -> Range<usize> {
            (number * CHUNK).min(total)..((number + 1) * CHUNK).min(total)
        };
        self.hunting.until.set(Some(self.hold_until));
        for number in 0..=total.div_ceil(CHUNK) {
            let held = number.checked_sub(1).map_or(0..0, chunk);
            self.tell("subjects", held.start, total);
            let order = matrix::cheapest_first(&kills, &sizes);
            let steps: Vec<Step> = self
                .to_build(entrants, &queue[chunk(number)])
                .into_iter()
                .map(Step::Build)
                .chain(queue[held].iter().copied().map(Step::Hold))
                .collect();
            let done = self.side_by_side(&steps, |step| match step {
                Step::Build(places) => self.built(entrants, places).map(Done::Built),
                Step::Hold(place) => self.held(&entrants[*place], &order, pool).map(Done::Held),
            })?;
            for (step, done) in steps.into_iter().zip(done) {
                match (step, done) {
                    (Step::Build(places), Done::Built(Some(built))) => {
                        for (place, contender) in places.into_iter().zip(built) {
                            entrants[place].take_built(contender);
                        }
                    }
                    (Step::Hold(place), Done::Held(held)) => {
                        let rejected = held.iter().filter_map(|held| held.on_cases.as_ref());
                        for (case, _) in rejected.flat_map(|it| &it.rejected) {
                            kills[*case] += 1;
                        }
                        report.cut |= self.take_held(&mut entrants[place], held);
                    }
                    (Step::Build(_), _) | (Step::Hold(_), Done::Built(_)) => {}
                }
            }
        }
        self.hunting.until.set(None);
        self.tell("subjects", total, total);
        Ok(())
    }

    /// What is built at once, of the entrants at these places.
    fn to_build(&self, entrants: &[Entrant], places: &[usize]) -> Vec<Vec<usize>> {
        let all = places.iter().filter_map(|&it| Some((it, entrants[it].source.as_ref()?)));
        let slots = self.hunting.arena.comparison.bench.executor.slots();
        mutants::groups(&all.collect::<Vec<_>>(), slots)
    }

    fn built(
        &self,
        entrants: &[Entrant],
        places: &[usize],
    ) -> Result<Option<Vec<Option<Contender>>>, Stop> {
        let sources = places.iter().filter_map(|&place| entrants[place].source.as_ref());
        let sources: Vec<&WrongProgram> = sources.collect();
        self.hunting.in_time(mutants::build(&self.hunting.arena.comparison, &sources))
    }

    fn held(
        &self,
        entrant: &Entrant,
        order: &[usize],
        pool: &[Texts],
    ) -> Result<Option<Held>, Stop> {
        let Some(contender) = &entrant.contender else { return Ok(None) };
        self.hunting.in_time(self.on_all(entrant, contender, order, pool))
    }

    fn on_all(
        &self,
        entrant: &Entrant,
        contender: &Contender,
        order: &[usize],
        pool: &[Texts],
    ) -> Result<Held, Stop> {
        let arena = self.hunting.arena;
        let is_submission = entrant.subject.kind == SubjectKind::Submission;
        let most = match (self.matrix, is_submission) {
            (true, _) => usize::MAX,
            (false, true) => 1,
            (false, false) => 2,
        };
        let on_cases = match entrant.is_judged() {
            true => None,
            false => Some(arena.hold(contender, order, most)?),
        };
        let mut verdicts = on_cases.iter().flat_map(|it| &it.rejected).map(|(_, verdict)| *verdict);
        // What is slow here is slow there, too.
        let is_slow = is_submission && verdicts.any(|it| it == Verdict::TimeLimitExceeded);
        let on_pool = match pool.is_empty() || is_slow {
            true => None,
            false => Some(arena.rejecting(contender, pool)?),
        };
        Ok(Held { on_cases, on_pool })
    }

    /// Notes the result of an entrant; returns whether the time was over before.
    fn take_held(&self, entrant: &mut Entrant, held: Option<Held>) -> bool {
        let is_judged = entrant.is_judged();
        let subject = &mut entrant.subject;
        let Some(Held { on_cases, on_pool }) = held else {
            let is_late = !is_judged && subject.status != SubjectStatus::Unviable;
            if is_late {
                subject.status = SubjectStatus::NotRun;
            }
            return is_late;
        };
        if let Some(on_pool) = on_pool {
            subject.hardness = score::hardness(on_pool.rejecting, on_pool.tried);
            subject.tried = on_pool.tried as u64;
        }
        let Some(on_cases) = on_cases else { return false };
        let cases = self.hunting.arena.cases;
        let kill = |&(place, verdict): &(usize, Verdict)| Kill {
            test_case: cases[place].test_case.name.clone(),
            verdict,
        };
        subject.killers = on_cases.rejected.iter().map(kill).collect();
        subject.status = match subject.killers.is_empty() {
            true => SubjectStatus::Undecided,
            false => SubjectStatus::Caught,
        };
        // By the test cases alone more programs would be the same, the weaker they are.
        entrant.signature = match on_pool {
            Some(on_pool) => on_pool.signature.zip(on_cases.signature),
            None => on_cases.signature.map(|signature| (0, signature)),
        };
        if entrant.source.is_some() && !on_cases.rejected.is_empty() {
            // What is caught is not needed any more.
            entrant.contender = None;
        }
        false
    }
}

impl Entrant {
    /// Whether test cases were held against it before.
    fn is_judged(&self) -> bool {
        self.subject.kind == SubjectKind::Submission && self.source.is_none()
    }

    /// When it is held: first what takes the least time for each, so that much is done if the time is short.
    fn turn(&self) -> u8 {
        match &self.source {
            None => 0,
            Some(WrongProgram::Mutant(mutant)) if mutant.is_bundled() => 1,
            Some(WrongProgram::Submission(_)) => 2,
            Some(WrongProgram::Mutant(_)) => 3,
        }
    }

    fn take_built(&mut self, contender: Option<Contender>) {
        if contender.is_none() {
            self.subject.status = SubjectStatus::Unviable;
        }
        self.contender = contender;
    }
}
