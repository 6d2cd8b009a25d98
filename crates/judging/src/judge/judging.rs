//! Judges submissions of a problem: finds the time limit, then runs a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::build::bench::Bench;
use crate::build::{Builder, PreparedProgram};
use crate::judge::case::Rules;
use crate::judge::ready_problem::ReadyProblem;
use crate::judge::score::{self, RunPolicy, ScoringScheme};
use crate::judge::session::{PreparedSubmission, Session, SubmissionResult};
use crate::judge::time_limit;
use crate::output_validator::TrialCase;
use crate::plan::schedule::{EndCondition, Schedule};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::judgement::{Judgement, TimeLimit};
use juror_core::limits::{DEBUG_TIME_FACTOR, Limits, TIME_TO_FIND_LIMIT, TIME_WITHOUT_PACKAGE};
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::progress::LimitsReport;
use juror_core::stop::{RefusalSubject, Remark, Stop, collect_diagnostics};
use juror_core::submission::{Expectation, Submission};
use juror_core::text::exact_seconds;
use juror_core::units::seconds;
use juror_sandbox::executor::parallel;

pub struct JudgingResult {
    pub results: Vec<SubmissionResult>,
    pub time_limit: TimeLimit,
}

impl JudgingResult {
    pub fn judgements<'a>(
        &'a self,
        entries: &'a [PreparedSubmission<'a>],
    ) -> impl Iterator<Item = (&'a Submission, &'a Judgement)> {
        let results = entries.iter().zip(&self.results);
        results.filter_map(|(entry, judged)| Some((entry.submission, judged.as_deref().ok()?)))
    }
}

impl<'a> ReadyProblem<'a> {
    /// Judges submissions with the time limit from the command line, the package or its submissions.
    ///
    /// # Errors
    /// If the package has no time limit, and none can be inferred.
    pub fn judge(
        &self,
        entries: &[PreparedSubmission<'_>],
        policy: RunPolicy,
    ) -> Result<JudgingResult, Stop> {
        let time_limit = self.time_limit()?;
        let problem = self.bench.problem;
        let scheme = ScoringScheme::of(problem);
        let names: Vec<&str> = self.cases.iter().map(|case| &*case.test_case.name).collect();
        let session = Session {
            ready: &Self { rules: self.announce_limits(&time_limit), ..self.clone() },
            entries,
            schedule: score::schedule(scheme.as_ref(), &names, policy),
            omits_unproving_runs: policy == RunPolicy::Proving
                && scheme.as_ref().is_none_or(|scheme| scheme.all_or_nothing_groups().is_some())
                && self.cases.len() == problem.test_data.judged_cases().len(),
            scheme: scheme.as_ref(),
        };
        Ok(JudgingResult { results: session.run()?, time_limit })
    }

    /// Tries the programs of the command line on the first test case whose answer says something, or on the first.
    pub fn find_protocols(&self) -> Result<(), Stop> {
        let mut cases = self.cases.iter().map(|case| TrialCase {
            name: &case.test_case.name,
            test_case: case.test_case,
            input: case.input.clone(),
            answer: case.answer.clone().unwrap_or_default(),
        });
        let first = cases.clone().find(TrialCase::is_telling).or_else(|| cases.next());
        let Some(case) = first else { return Ok(()) };
        for validator in self.rules.validators.judging() {
            validator.find_protocol(self.bench.executor, &case)?;
            validator.announce_call(&self.bench);
        }
        Ok(())
    }

    /// Sends the limits as an event, and returns the rules for all runs.
    pub fn announce_limits(&self, time_limit: &TimeLimit) -> Rules<'a> {
        let rules = self.rules_at(time_limit);
        (self.bench.events)(Event::LimitsSet {
            limits: LimitsReport {
                run: rules.limits.clone(),
                cpu_origin: self.limit_origin(time_limit),
            },
            mechanism: self.bench.executor.mechanism(),
        });
        rules
    }

    fn limit_origin(&self, time_limit: &TimeLimit) -> String {
        if !self.bench.problem.limits.debug {
            return time_limit.origin.clone();
        }
        let limit = exact_seconds(time_limit.limit);
        format!("--debug: {DEBUG_TIME_FACTOR} times {limit}; {}", time_limit.origin)
    }

    /// From the command line, the package or the submissions.
    ///
    /// Fails if there is none.
    pub fn time_limit(&self) -> Result<TimeLimit, Stop> {
        self.find_protocols()?;
        if let Some(limit) = self.given_time_limit {
            return Ok(TimeLimit::new(limit, "--time-limit"));
        }
        let problem = self.bench.problem;
        if problem.kind.submitted == SubmittedContent::Answers {
            let origin = "not used: submissions are answers";
            return Ok(TimeLimit::new(TIME_WITHOUT_PACKAGE, origin));
        }
        match problem.limits.time_limit {
            Some(limit) => Ok(TimeLimit::new(limit, problem.layout.time_limit)),
            None => self.infer_time_limit(),
        }
    }

    /// Runs the submissions that must not be too slow. The slowest one gets its margin.
    fn infer_time_limit(&self) -> Result<TimeLimit, Stop> {
        let problem = self.bench.problem;
        let bounds = |submission: &&Submission| {
            submission.expectations.iter().any(Expectation::is_lower_bound)
        };
        let bounding: Vec<Submission> =
            problem.submissions.iter().filter(bounds).cloned().collect();
        if bounding.is_empty() {
            let origin = format!("the default: {}", problem.layout.no_time_limit);
            return Ok(TimeLimit::new(TIME_WITHOUT_PACKAGE, origin));
        }
        let mut faults = Vec::new();
        let mut entries = prepare_entries(problem, &bounding, self.bench.builder, &mut faults)?;
        entries.retain(|entry| {
            let Some(tool) = entry.missing_tool() else { return true };
            let what = format!("there is no {tool}");
            faults.push(Diagnostic::error(&entry.submission.program.path, what));
            false
        });
        for diagnostic in faults.into_iter().filter(Diagnostic::is_error) {
            let what = format!("is not used to find the time limit: {}", diagnostic.message);
            self.bench.send_diagnostics([Diagnostic::warning(diagnostic.place.path, what)]);
        }
        if entries.is_empty() {
            let origin = "the default: no submission that bounds it can be built here";
            return Ok(TimeLimit::new(TIME_WITHOUT_PACKAGE, origin));
        }
        let limits = Limits::of_submission(&problem.limits, TIME_TO_FIND_LIMIT);
        // Most of them are about all cases, so they are judged together.
        let mut groups: BTreeMap<Vec<usize>, Vec<PreparedSubmission<'_>>> = BTreeMap::new();
        for entry in entries {
            let about = time_limit::bounding_cases(entry.submission);
            let names = self.cases.iter().map(|case| case.test_case.name.as_str());
            let cases = names.enumerate().filter(|(_, name)| about(name)).map(|(index, _)| index);
            groups.entry(cases.collect()).or_default().push(entry);
        }
        let runs = groups.iter().map(|(cases, entries)| cases.len() * entries.len()).sum();
        let done = AtomicUsize::new(0);
        let timed = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.bench.report_step("runs to find the time limit", done, runs);
        };
        // These runs only measure times. Verdicts come from the next session.
        let events = |event| match event {
            Event::Progress(WorkProgress::Build(_)) => (self.bench.events)(event),
            Event::CaseJudged { .. } => timed(),
            _ => {}
        };
        let (mut bounding, mut results) = (Vec::new(), Vec::new());
        for (cases, entries) in groups.iter().filter(|(cases, _)| !cases.is_empty()) {
            let ready = ReadyProblem {
                bench: Bench { events: &events, ..self.bench },
                rules: Rules::new(problem, Arc::clone(&self.rules.validators))
                    .with_limits(limits.clone()),
                cases: cases.iter().map(|index| self.cases[*index].clone()).collect(),
                given_time_limit: None,
                repeats: false,
                batches: None,
            };
            let session = Session {
                ready: &ready,
                entries,
                schedule: Schedule::single(cases.len(), EndCondition::Never),
                omits_unproving_runs: false,
                scheme: None,
            };
            for judged in session.run()? {
                results.push(judged?);
            }
            bounding.extend(entries.iter().map(|entry| entry.submission.clone()));
        }
        let bounds = time_limit::bounds(bounding.iter().zip(results.iter().map(|it| &**it)));
        // The time of a run that was stopped is unknown.
        let Some(slowest) = bounds.slowest.filter(|slowest| slowest.cpu_time < TIME_TO_FIND_LIMIT)
        else {
            let what = format!(
                "{}, but no submission that bounds it ends within {}",
                problem.layout.no_time_limit,
                seconds(TIME_TO_FIND_LIMIT)
            );
            let remark = Remark::with_help(what, "set the limit or give --time-limit");
            return Err(Stop::Refused(RefusalSubject::Package, vec![remark]));
        };
        let limit = time_limit::inferred_limit(slowest.cpu_time, &problem.limits);
        let (submission, time) = (&slowest.submission, seconds(slowest.cpu_time));
        Ok(TimeLimit::new(limit, format!("from {submission}: {time} on {}", slowest.test_case)))
    }
}

/// Finds out how to build each submission. Submissions for which this fails are left out. `diagnostics` gets the
/// reasons, and the diagnostics about the others.
pub fn prepare_entries<'a>(
    problem: &Problem,
    submissions: &'a [Submission],
    builder: &Builder<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<PreparedSubmission<'a>>, Stop> {
    // The first one in each language waits for its tools, so several are prepared at once.
    const AT_ONCE: usize = 8;
    let builder = builder.with_languages(problem.languages.as_deref());
    let prepare = |submission: &Submission| Ok(builder.prepare(&submission.program));
    let prepared = parallel::map_on(AT_ONCE, submissions, prepare)?;
    let mut entries = Vec::new();
    for (submission, prepared) in submissions.iter().zip(prepared) {
        entries.extend(prepared_entry(submission, prepared, diagnostics)?);
    }
    Ok(entries)
}

/// Prepares one submission; see `prepare_entries`.
pub fn prepared_entry<'a>(
    submission: &'a Submission,
    prepared: Result<PreparedProgram, Stop>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Option<PreparedSubmission<'a>>, Stop> {
    let prepared = match prepared {
        Err(Stop::Fault(error)) => Some(Err(error)),
        prepared => collect_diagnostics(prepared, diagnostics)?.map(Ok),
    };
    Ok(prepared.map(|prepared| PreparedSubmission { submission, prepared }))
}

/// One warning for each missing tool, with the submissions that are skipped because of it.
pub fn skip_warnings(entries: &[PreparedSubmission<'_>]) -> Vec<Diagnostic> {
    let mut lacking: BTreeMap<String, Vec<&PreparedSubmission<'_>>> = BTreeMap::new();
    for entry in entries {
        let why = match (&entry.prepared, entry.missing_tool()) {
            (Err(error), Some(_)) if error.is_no_program() => error.reason.clone(),
            (_, Some(tool)) => format!("no {tool}"),
            (_, None) => continue,
        };
        lacking.entry(why).or_default().push(entry);
    }
    let skipped = |(why, entries): (String, Vec<&PreparedSubmission<'_>>)| {
        let (first, more) = entries.split_first()?;
        let others = match more.len() {
            0 => String::new(),
            1 => "; so is 1 other submission".to_owned(),
            number => format!("; so are {number} other submissions"),
        };
        let what = format!("is skipped: {why}{others}");
        let warning = Diagnostic::warning(&first.submission.program.path, what);
        let help = first.prepared.as_ref().err().and_then(|error| error.help.clone());
        Some(Diagnostic { help, ..warning })
    };
    lacking.into_iter().filter_map(skipped).collect()
}
