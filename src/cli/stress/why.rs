//! Why a submission fails, for `juror stress` and `juror judge --explain`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::build::bench::Bench;
use crate::cli::host::Host;
use crate::cli::output::Output;
use crate::cli::problem_inputs::ProblemInputs;
use crate::cli::stress::programs::Programs;
use crate::cli::stress::setting::Setting;
use crate::executor::scheduler::Scheduler;
use crate::explain::compared::ByComparison;
use crate::explain::study::study;
use crate::explain::subject::Judged;
use crate::grammar::program::Grammar;
use crate::judge::case::Validators;
use crate::judge::judging::Judging;
use crate::model::event::Event;
use crate::model::explanation::Explained;
use crate::model::judgement::{CaseJudgement, Judgement, TimeLimit};
use crate::model::problem::Problem;
use crate::model::stop::Stop;
use crate::model::submission::Submission;
use crate::model::verdict::Verdict;
use crate::stress::by_grammar;
use crate::stress::candidates::Mix;
use crate::stress::comparison::{Answers, Comparison};
use crate::stress::search::{Searching, search};
use crate::stress::validity::Validity;

/// The part of the time for a search, if few test cases fail.
const SEARCH_SHARE: u32 = 3;
/// The number of failing test cases from which on there is no search.
const FEW: usize = 5;
/// Larger inputs of test cases are ignored.
const LARGEST: u64 = 1 << 20;
/// The seed of all random choices of `judge --explain`, so that the result is always the same.
const SEED: u64 = 1;

/// Determines why a submission fails.
///
/// # Errors
/// If the judge failed or was interrupted.
pub(super) fn explained(
    submission: &str,
    grammar: &Grammar,
    subject: &ByComparison<'_>,
    known: Vec<Judged>,
    seed: u64,
) -> Result<Explained, Stop> {
    let studied = study(grammar, subject, known, seed)?;
    Ok(Explained {
        package: None,
        submission: submission.to_owned(),
        explanation: studied.explanation,
        runs: studied.runs,
        cut: studied.is_cut,
    })
}

/// A finished session whose rejected submissions are explained.
pub(in crate::cli) struct Why<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The machine.
    pub host: &'a Host,
    /// The problem's own validators.
    pub validators: &'a Validators,
    /// The time for each submission.
    pub time: Duration,
    /// The time limit that was used.
    pub time_limit: &'a TimeLimit,
    /// The output of the command.
    pub output: &'a Output,
}

impl Why<'_> {
    /// Explains a submission that was rejected.
    ///
    /// # Errors
    /// If there is no reference, the judge failed, or it was interrupted.
    pub(in crate::cli) fn tell(
        &self,
        submission: &Submission,
        judgement: &Judgement,
    ) -> Result<(), Stop> {
        let setting = Setting {
            package: None,
            inputs: ProblemInputs::read(self.problem.clone(), None, self.output)?,
            submission: submission.clone(),
            reference: None,
            promotes: false,
        };
        let inputs = &setting.inputs;
        let Some(grammar) = inputs.grammars.first() else { return Ok(()) };
        let scheduler = &Scheduler::new(Arc::clone(&self.host.executor));
        let fresh = scheduler.clone().fresh();
        let builder = self.host.builder_on(scheduler);
        let bench = Bench {
            problem: self.problem,
            executor: &fresh,
            builder: &builder,
            events: &|event| self.output.event(event),
        };
        let judging = Judging::new(bench, self.validators, Vec::new());
        let rules = judging.rules_at(self.time_limit);
        let programs = Programs::build(&setting, &bench, &rules)?;
        let solution = inputs.answering(&bench)?;
        let validity = inputs.validity(bench)?;
        let answers = Answers::default();
        let comparison = Comparison {
            bench,
            rules: &rules,
            reference: &programs.reference,
            submission: &programs.submission,
            elsewhere: None,
            options: inputs.options,
            test_case: inputs.test_case.clone(),
            answers: inputs.answers(solution.as_ref()),
            known: &answers,
        };
        let end = Instant::now() + self.time;
        let mut known = self.known(&judgement.cases);
        if known.iter().filter(|it| it.fails).count() < FEW {
            known.extend(searched(
                &comparison,
                &validity,
                self.host,
                scheduler,
                grammar,
                self.time / SEARCH_SHARE,
            )?);
        }
        scheduler.set_deadline(Some(end));
        let subject = ByComparison { comparison: &comparison, validity: &validity, scheduler };
        let explained = explained(&judgement.submission, grammar, &subject, known, SEED)?;
        self.output.event(Event::Explained(Box::new(explained)));
        Ok(())
    }

    /// The test cases with the submission's results.
    fn known(&self, cases: &[CaseJudgement]) -> Vec<Judged> {
        let by_name: BTreeMap<&str, _> =
            self.problem.test_data.cases.iter().map(|it| (&*it.name, it)).collect();
        let read = |judged: &CaseJudgement| {
            let case = by_name.get(&*judged.test_case)?;
            let input = case.input.start(LARGEST + 1).ok()?;
            if input.len() as u64 > LARGEST {
                return None;
            }
            let input = input.into();
            let answer = case.answer.as_ref().and_then(|path| path.read().ok());
            let fails = judged.verdict != Verdict::Accepted;
            Some(Judged { input, answer: answer.map(Into::into), fails })
        };
        cases.iter().filter_map(read).collect()
    }
}

/// Searches for an input on which the submission fails.
fn searched(
    comparison: &Comparison<'_>,
    validity: &Validity<'_>,
    host: &Host,
    scheduler: &Scheduler,
    grammar: &Grammar,
    time: Duration,
) -> Result<Option<Judged>, Stop> {
    let mut mix = Mix::default();
    by_grammar::add(&mut mix, grammar, SEED, None);
    scheduler.set_deadline(Some(Instant::now() + time));
    let searching = Searching {
        comparison,
        validity,
        generators: None,
        batches: None,
        time,
        is_stopped: &|| host.is_stopped(),
        scheduler,
        shrink_time: Duration::from_secs(1),
        most: None,
        progress: &|_| {},
    };
    let found = search(&searching, &mut mix)?.found;
    Ok(found.and_then(|found| failing(comparison, &found.input)))
}

/// An input on which the submission fails, with its answer.
pub(super) fn failing(comparison: &Comparison<'_>, input: &Arc<[u8]>) -> Option<Judged> {
    let answer =
        if comparison.is_judged() { None } else { Some(comparison.answer(input).ok()?.ok()?) };
    Some(Judged { input: Arc::clone(input), answer, fails: true })
}
