//! A judging session from the command line's point of view: limits, runs, and what they come to.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::build::{Builder, PrepareError};
use crate::cli::arguments::RunOptions;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop};
use crate::cli::problem::Validators;
use crate::executor::Executor;
use crate::judge::case::{Detail, ReadyCase, Rules};
use crate::judge::score::{self, Scheme, Thrift};
use crate::judge::session::{CodeRules, Entrant, Judged, Results, Session};
use crate::judge::time_limit::{self, Bounds};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::TimeLimit;
use crate::model::limits::{Limits, TIME_TO_FIND_LIMIT};
use crate::model::problem::Problem;
use crate::model::submission::Submission;
use crate::model::units::seconds;
use crate::plan::outline::{Outline, Until};

/// What is judged, and how.
pub struct Judging<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its own validators.
    pub validators: &'a Validators,
    /// The command line that repeats a run, with places for submission and test case.
    pub repeat: String,
    /// The submissions.
    pub entrants: &'a [Entrant<'a>],
    /// The selected cases.
    pub cases: Vec<ReadyCase<'a>>,
    /// Options about runs.
    pub runs: &'a RunOptions,
    /// How far a submission is run.
    pub thrift: Thrift,
    /// How much is gathered about a rejection.
    pub detail: Detail,
    /// This machine.
    pub host: &'a Host,
    /// Makes programs of sources.
    pub builder: &'a Builder<'a>,
    /// Takes what happens.
    pub output: &'a Output,
}

/// What came of a session.
pub struct Finished {
    /// By submission.
    pub results: Results,
    /// What they were judged by.
    pub time_limit: TimeLimit,
}

impl Judging<'_> {
    /// Judges, at the time limit that the command line, the package or the submissions give.
    ///
    /// # Errors
    /// When there is no time limit to be had.
    pub fn run(self) -> Result<Finished, Stop> {
        let time_limit = self.time_limit()?;
        let limits = Limits::of_submission(&self.problem.limits, time_limit.limit);
        self.output.event(Event::LimitsSet {
            time: time_limit.clone(),
            limits: limits.clone(),
            mechanism: self.host.executor.mechanism(),
        });
        let margin = self.problem.limits.time_limit_to_tle;
        let slow = time_limit.limit.mul_f64(margin);
        let stop_slow_at = Limits::of_submission(&self.problem.limits, slow);
        let rules = self.rules(limits, stop_slow_at, self.detail.clone());
        let events = |event| self.output.event(event);
        let scheme = Scheme::of(self.problem);
        let session = self.session(rules, scheme.as_ref(), self.entrants, &events);
        let results = session.run();
        if results.interrupted {
            self.output.event(Event::Interrupted);
        }
        Ok(Finished {
            results,
            time_limit,
        })
    }

    fn rules(&self, limits: Limits, stop_slow_at: Limits, detail: Detail) -> Rules<'_> {
        Rules {
            io: &self.problem.io,
            allow_file_writing: self.problem.allow_file_writing,
            limits,
            stop_slow_at,
            validator: self.validators.output.as_ref(),
            static_validator: self.validators.looks.as_ref(),
            dialogue: self.problem.kind.dialogue,
            passes: self.problem.kind.passes,
            repeat: self.repeat.clone(),
            detail,
        }
    }

    fn session<'s>(
        &'s self,
        rules: Rules<'s>,
        scheme: Option<&'s Scheme<'s>>,
        entrants: &'s [Entrant<'s>],
        events: &'s (dyn Fn(Event) + Sync),
    ) -> Session<'s> {
        let names: Vec<&str> = self
            .cases
            .iter()
            .map(|case| case.test_case.name.as_str())
            .collect();
        Session {
            executor: &*self.host.executor,
            builder: self.builder,
            build_limits: Limits::of_compiler(&self.problem.limits),
            rules,
            entrants,
            code: CodeRules {
                size: self.problem.limits.code,
                languages: self.problem.languages.as_deref(),
            },
            cases: &self.cases,
            all_cases: self
                .problem
                .test_data
                .judged()
                .into_iter()
                .map(|case| case.test_case().name.as_str())
                .collect(),
            outline: score::outline(scheme, &names, self.thrift),
            scheme,
            events,
        }
    }

    /// The time limit that the command line, the package or the submissions give.
    ///
    /// # Errors
    /// When there is none to be had.
    pub fn time_limit(&self) -> Result<TimeLimit, Stop> {
        if let Some(limit) = self.runs.time_limit {
            return Ok(TimeLimit {
                limit,
                origin: "--time-limit".to_owned(),
            });
        }
        match self.problem.limits.time_limit {
            Some(limit) => Ok(TimeLimit {
                limit,
                origin: "problem.yaml".to_owned(),
            }),
            None => self.infer_time_limit(),
        }
    }

    /// Runs the submissions that must not be too slow, and leaves the slowest its margin.
    fn infer_time_limit(&self) -> Result<TimeLimit, Stop> {
        let bounding: Vec<Submission> = self
            .problem
            .submissions
            .iter()
            .filter(|submission| submission.expectations.iter().any(time_limit::is_lower))
            .cloned()
            .collect();
        let entrants = entrants(&bounding, self.builder, |diagnostic| {
            if !diagnostic.is_error() {
                return;
            }
            let (path, message) = (diagnostic.place.path, diagnostic.message);
            let message = format!("is not timed for the time limit: {message}");
            self.output
                .event(Event::Diagnosed(Diagnostic::warning(path, message)));
        });
        let limits = Limits::of_submission(&self.problem.limits, TIME_TO_FIND_LIMIT);
        let rules = self.rules(limits.clone(), limits, Detail::Brief);
        let runs = entrants.len() * self.cases.len();
        let done = AtomicUsize::new(0);
        let timed = || {
            self.output.event(Event::Progress {
                what: "runs to find the time limit".to_owned(),
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: runs,
            });
        };
        // These runs are for the clock only; their verdicts come in the session that follows.
        let events = |event| match event {
            Event::BuildStarted { .. } | Event::BuildFinished { .. } => self.output.event(event),
            Event::CaseJudged { .. } => timed(),
            _ => {}
        };
        let mut session = self.session(rules, None, &entrants, &events);
        session.outline = Outline::single(self.cases.len(), Until::Never);
        let results = session.run();
        if results.interrupted {
            self.output.event(Event::Interrupted);
            return Err(Stop::Shown(ExitCode::Interrupted));
        }
        let failed = results.submissions.iter().find_map(|judged| match judged {
            Judged::Failed(error) => Some(error.clone()),
            Judged::Judgement(_) => None,
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let bounds = bounds(&bounding, &results);
        // One that was stopped only shows that it takes longer.
        let Some(slowest) = bounds
            .slowest
            .filter(|slowest| slowest.cpu_time < TIME_TO_FIND_LIMIT)
        else {
            self.output.complain(&format!(
                "problem.yaml has no limits.time_limit, and no submission that bounds it ends within {}; \
                 set the limit or give --time-limit",
                seconds(TIME_TO_FIND_LIMIT)
            ));
            return Err(Stop::Shown(ExitCode::InvalidPackage));
        };
        Ok(TimeLimit {
            limit: time_limit::inferred(slowest.cpu_time, &self.problem.limits),
            origin: format!(
                "from {}: {} on {}",
                slowest.submission,
                seconds(slowest.cpu_time),
                slowest.test_case
            ),
        })
    }
}

/// Finds out how to build each submission; shows every one for which that cannot be told, and leaves it out.
pub fn entrants<'a>(
    submissions: &'a [Submission],
    builder: &Builder<'_>,
    show: impl Fn(Diagnostic),
) -> Vec<Entrant<'a>> {
    let mut entrants = Vec::new();
    for submission in submissions {
        let prepared = match builder.prepare(&submission.program) {
            Ok(prepared) => {
                prepared.plan.remarks.iter().cloned().for_each(&show);
                Ok(prepared)
            }
            Err(PrepareError::Fault(error)) => Err(error),
            Err(PrepareError::Program(diagnostic)) => {
                show(diagnostic);
                continue;
            }
        };
        entrants.push(Entrant {
            submission,
            prepared,
        });
    }
    entrants
}

/// What these results say about the time limit.
pub fn bounds(submissions: &[Submission], results: &Results) -> Bounds {
    let judged = submissions
        .iter()
        .zip(&results.submissions)
        .filter_map(|(submission, judged)| match judged {
            Judged::Judgement(judgement) => Some((submission, &**judgement)),
            Judged::Failed(_) => None,
        });
    time_limit::bounds(judged)
}
