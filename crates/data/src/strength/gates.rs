//! What must hold before the strength of test data has a meaning.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::recipe::{GenerateMode, Generation, generate};
use crate::search::problem_inputs::ProblemInputs;
use crate::search::reference::is_accepted;
use crate::strength::result::{Gate, GateName, GateState, Strength};
use crate::validity::test_data;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::judgement::{Judgement, TimeLimit};
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_core::text::{count, joined};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_judging::build::bench::Bench;
use juror_judging::judge::judging::prepare_entries;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::score::RunPolicy;
use juror_sandbox::executor::parallel;

pub struct Gates<'a> {
    pub inputs: &'a ProblemInputs,
    pub ready: &'a ReadyProblem<'a>,
    pub matrix: bool,
    pub kept: Option<PathBuf>,
}

impl<'a> Gates<'a> {
    /// Judges accepted submissions on all test cases.
    ///
    /// The others are run on the test cases later, like mutants. They are judged here if there can be no mutants:
    /// without an accepted submission, or if a static validator checks sources.
    fn judge_submissions(
        &self,
        time_limit: &TimeLimit,
    ) -> Result<Vec<(&'a Submission, Judgement)>, Stop> {
        let problem = self.ready.bench.problem;
        let (right, wrong): (Vec<Submission>, Vec<Submission>) =
            problem.submissions.iter().cloned().partition(is_accepted);
        let mut all = self.run_session(&right, RunPolicy::AllAllowed, time_limit)?;
        if right.is_empty() || self.ready.rules.validators.static_validator.is_some() {
            let policy = if self.matrix { RunPolicy::AllAllowed } else { RunPolicy::Counting };
            all.extend(self.run_session(&wrong, policy, time_limit)?);
        }
        let find = |judgement: Judgement| {
            let mut all = problem.submissions.iter();
            let submission = all.find(|submission| submission.name == judgement.submission)?;
            Some((submission, judgement))
        };
        Ok(all.into_iter().filter_map(find).collect())
    }

    fn run_session(
        &self,
        submissions: &[Submission],
        policy: RunPolicy,
        time_limit: &TimeLimit,
    ) -> Result<Vec<Judgement>, Stop> {
        let mut diagnostics = Vec::new();
        let bench = self.ready.bench;
        let entries = prepare_entries(bench.problem, submissions, bench.builder, &mut diagnostics)?;
        let done = AtomicUsize::new(0);
        let step = |done| bench.report_step("submissions of the package", done, entries.len());
        let events = |event| match event {
            Event::Progress(WorkProgress::Build(_)) => (bench.events)(event),
            Event::SubmissionJudged(_) => step(done.fetch_add(1, Ordering::Relaxed) + 1),
            _ => {}
        };
        let bench = Bench { events: &events, ..bench };
        let ready =
            ReadyProblem { bench, given_time_limit: Some(time_limit.limit), ..self.ready.clone() };
        let session = ready.judge(&entries, policy)?;
        let mut judgements = Vec::new();
        for result in session.results {
            match result {
                Ok(judgement) => judgements.push(*judgement),
                // Submissions that this machine cannot build do not take part.
                Err(error) if error.lacks.is_some() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(judgements)
    }

    /// Checks the data while submissions are judged: both are mostly builds and program starts, which leave processors
    /// idle.
    pub fn check(
        &self,
        time_limit: &TimeLimit,
        report: &mut Strength,
    ) -> Result<Vec<(&'a Submission, Judgement)>, Stop> {
        let of_data = || Ok((self.check_data()?, self.check_recipe()?));
        let (judged, (data, reproducible)) =
            parallel::both(|| self.judge_submissions(time_limit), of_data)?;
        report.gates.push(data);
        let right = judged.iter().filter(|(submission, _)| is_accepted(submission));
        let right: Vec<&Judgement> = right.map(|(_, judgement)| judgement).collect();
        report.gates.push(check_accepted(&right));
        report.gates.push(reproducible);
        let validators = &self.ready.rules.validators;
        // It was tested when it was built.
        let (state, detail) = match (&validators.doubt, validators.output.len()) {
            (Some(doubt), _) => (GateState::Shut, doubt.clone()),
            (None, 0) => (GateState::Open, "the default one".to_owned()),
            (None, _) => (GateState::Open, "accepts judge answers, refuses junk".to_owned()),
        };
        let gate = Gate { name: GateName::OutputValidator, state, detail };
        report.gates.push(gate);
        report.gates.push(check_time_limit(&right, time_limit.limit));
        Ok(judged)
    }

    fn check_data(&self) -> Result<Gate, Stop> {
        let mut diagnostics = Vec::new();
        let data_check = test_data::DataCheck {
            bench: self.ready.bench,
            validators: &self.ready.rules.validators.output,
            selected: None,
            mutations: &[],
        };
        test_data::check_data(&data_check, &mut diagnostics)?;
        diagnostics.retain(Diagnostic::is_error);
        let cases = count(self.ready.bench.problem.test_data.judged_cases().len(), "test case");
        let (state, detail) = match diagnostics.len() {
            0 => (GateState::Open, cases),
            errors => (GateState::Shut, count(errors, "error")),
        };
        self.ready.bench.send_diagnostics(diagnostics);
        Ok(Gate { name: GateName::ValidData, state, detail })
    }

    fn check_recipe(&self) -> Result<Gate, Stop> {
        let name = GateName::Reproducible;
        let Some(recipe) = &self.inputs.recipe else {
            let (state, detail) = match self.ready.bench.problem.recipe {
                None => (GateState::Unknown, "no recipe"),
                Some(_) => (GateState::Shut, "the recipe has faults; see `juror generate --check`"),
            };
            return Ok(Gate { name, state, detail: detail.to_owned() });
        };
        let events = |event| {
            if matches!(event, Event::Progress(_)) {
                (self.ready.bench.events)(event);
            }
        };
        let mut generated = generate(&Generation {
            bench: Bench { events: &events, ..self.ready.bench },
            recipe,
            mode: GenerateMode::Check,
            ignores_memory: false,
            removes_leftovers: false,
            validates: false,
            overwrites_edits: false,
            memory_dir: self.kept.clone(),
        })?;
        generated.diagnostics.retain(Diagnostic::is_error);
        let (state, detail) = match (generated.differing, generated.diagnostics.len()) {
            (0, 0) => (GateState::Open, count(recipe.cases.len(), "case")),
            (0, errors) => (GateState::Shut, count(errors, "error")),
            (differing, _) => {
                let detail =
                    format!("{} not as the recipe makes them", count(differing, "test case"));
                (GateState::Shut, detail)
            }
        };
        self.ready.bench.send_diagnostics(generated.diagnostics);
        Ok(Gate { name, state, detail })
    }
}

fn check_accepted(right: &[&Judgement]) -> Gate {
    let name = GateName::AcceptedSubmissions;
    let rejected = right.iter().filter(|judgement| judgement.verdict != Verdict::Accepted);
    let rejected = joined(rejected.map(|judgement| &judgement.submission), ", ");
    let (state, detail) = match right.len() {
        0 => (GateState::Unknown, "there is none".to_owned()),
        all if rejected.is_empty() => (GateState::Open, count(all, "submission")),
        _ => (GateState::Shut, format!("rejected: {rejected}")),
    };
    Gate { name, state, detail }
}

fn check_time_limit(right: &[&Judgement], limit: Duration) -> Gate {
    let name = GateName::TimeLimit;
    let times = right.iter().flat_map(|judgement| {
        let runs = judgement.cases.iter().filter_map(|case| Some(case.outcome.as_ref()?.cpu_time));
        Some((runs.max()?, &judgement.submission))
    });
    let Some((slowest, submission)) = times.max() else {
        return Gate { name, state: GateState::Unknown, detail: "nothing was timed".to_owned() };
    };
    let state = if slowest * 2 <= limit { GateState::Open } else { GateState::Shut };
    let detail = format!("{submission} takes {} of {}", seconds(slowest), seconds(limit));
    Gate { name, state, detail }
}
