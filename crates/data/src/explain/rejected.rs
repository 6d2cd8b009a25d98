//! Explains submissions that were rejected, and inputs on which a submission fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::explain::study::study;
use crate::explain::subject::InputResult;
use crate::search::arena::Arena;
use crate::search::cross_check::CrossCheck;
use crate::search::problem_inputs::ProblemInputs;
use crate::search::programs::{SearchPrograms, SearchSubject};
use crate::search::run::{SearchParameters, search};
use juror_core::event::{Event, Note};
use juror_core::judgement::{CaseJudgement, Judgement};
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_core::verdict::Verdict;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::Rules;
use juror_sandbox::executor::scheduler::Scheduler;

/// If few test cases fail, a search takes the time divided by this.
const SEARCH_SHARE: u32 = 3;
/// With so many failing test cases, no search is needed.
const ENOUGH_FAILING: usize = 5;
/// In bytes. Larger inputs of test cases are ignored.
const LARGEST_CASE: u64 = 1 << 20;
/// A constant, so that the result is always the same.
const SEED: u64 = 1;

pub struct Explainer<'a> {
    /// Its executor and builder stop when the scheduler says so.
    pub bench: Bench<'a>,
    /// Ends the runs for a submission when its time is over.
    pub scheduler: &'a Scheduler,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    pub rules: Rules<'a>,
    pub time: Duration,
}

impl Explainer<'_> {
    /// Explains a submission that was rejected, if the problem has a grammar.
    ///
    /// # Errors
    /// If the problem has no reference, the judge fails, or the user interrupts it.
    pub fn explain(&self, submission: &Submission, judgement: &Judgement) -> Result<(), Stop> {
        let bench = self.bench;
        let subject = SearchSubject {
            inputs: ProblemInputs::read(bench.problem.clone(), None, bench.events)?,
            submission: submission.clone(),
            reference: None,
            promotes: false,
        };
        let inputs = &subject.inputs;
        let Some(grammar) = inputs.grammars.first() else { return Ok(()) };
        self.scheduler.set_deadline(None);
        let rules = &self.rules;
        let programs = SearchPrograms::build(&subject, &bench, rules)?;
        let arena = Arena::open(bench, inputs, rules, self.scheduler, None)?;
        let cross_check = CrossCheck::new(&arena, &programs.reference, &programs.submission);
        let end = Instant::now() + self.time;
        let mut known = self.judged_cases(&judgement.cases);
        if known.iter().filter(|result| result.fails).count() < ENOUGH_FAILING {
            known.extend(self.search_failure(&cross_check)?);
        }
        self.scheduler.set_deadline(Some(end));
        let explanation = study(&judgement.submission, grammar, &cross_check, known, SEED)?;
        (bench.events)(Event::Noted(Note::Explanation(Box::new(explanation))));
        Ok(())
    }

    fn judged_cases(&self, cases: &[CaseJudgement]) -> Vec<InputResult> {
        let by_name: BTreeMap<&str, _> =
            self.bench.problem.test_data.cases.iter().map(|case| (&*case.name, case)).collect();
        let read = |judgement: &CaseJudgement| {
            let case = by_name.get(&*judgement.test_case)?;
            let input = case.input.read_prefix(LARGEST_CASE + 1).ok()?;
            if input.len() as u64 > LARGEST_CASE {
                return None;
            }
            let input = input.into();
            let answer = case.answer.as_ref().and_then(|path| path.read().ok());
            let fails = judgement.verdict != Verdict::Accepted;
            Some(InputResult { input, answer: answer.map(Into::into), fails })
        };
        cases.iter().filter_map(read).collect()
    }

    fn search_failure(&self, cross_check: &CrossCheck<'_>) -> Result<Option<InputResult>, Stop> {
        let mix = cross_check.arena.candidates(false, SEED, None);
        let time = self.time / SEARCH_SHARE;
        self.scheduler.set_deadline(Some(Instant::now() + time));
        let parameters = SearchParameters {
            cross_check,
            batches: None,
            time,
            is_stopped: self.is_stopped,
            shrink_time: Duration::from_secs(1),
            runs_max: None,
            seed: SEED,
            progress: &|_| {},
        };
        let failure = search(&parameters, mix)?.found;
        Ok(failure.and_then(|failure| failing_input(cross_check, &failure.fresh.input)))
    }
}

pub fn failing_input(cross_check: &CrossCheck<'_>, input: &Arc<[u8]>) -> Option<InputResult> {
    let answer =
        if cross_check.is_judged() { None } else { Some(cross_check.answer(input).ok()?.ok()?) };
    Some(InputResult { input: Arc::clone(input), answer, fails: true })
}
