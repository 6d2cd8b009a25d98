//! The problems of lines: packages, each read once, or the settings for test cases in a line.

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::door::cases;
use crate::door::comparison::{ComparisonMode, missing_checker, set_comparison};
use crate::grade::checker::LineChecker;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::line::LineComparison;
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::problem::{self, ShownDiagnostics};
use juror_core::event::Event;
use juror_core::judgement::TimeLimit;
use juror_core::limits::MEMORY_OF_BARE_TESTS;
use juror_core::messages::compiler_error_line;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::recent::RecentValues;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_judging::judge::case::Validators;
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::validators::build_validators;
use juror_judging::recipe::complete::CompletedFiles;

const CACHED_PACKAGES: usize = 64;
/// How messages name it.
const COMPARE: &str = "`/compare`";

pub(super) struct LoadedProblem {
    pub(super) problem: Problem,
    pub(super) validators: Arc<Validators>,
    time_limit: Mutex<Option<TimeLimit>>,
    /// Owns the generated files of the package.
    _made_files: Option<CompletedFiles>,
    /// Nobody hears its events.
    context: Context,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProblemKey {
    /// `None` if the test cases are in the line.
    pub(super) package: Option<PathBuf>,
    pub(super) compare: Option<LineComparison>,
}

pub(super) struct LoadedProblems<'a> {
    pub(super) host: &'a Host,
    pub(super) context: &'a Context,
    /// The text of testlib.h, for checkers of lines.
    testlib: Option<String>,
    recent: RecentValues<ProblemKey, Result<Arc<LoadedProblem>, LineFault>>,
}

impl<'a> LoadedProblems<'a> {
    pub(super) fn new(host: &'a Host, context: &'a Context, testlib: Option<String>) -> Self {
        Self { host, context, testlib, recent: RecentValues::new(CACHED_PACKAGES) }
    }

    /// # Errors
    /// If the judge failed or was interrupted; the next line tries again.
    pub(super) fn get(
        &self,
        which: ProblemKey,
    ) -> Result<Result<Arc<LoadedProblem>, LineFault>, Stop> {
        self.recent.get(which.clone(), || match self.load(&which) {
            Ok(problem) => Ok(Ok(Arc::new(problem))),
            Err(LineFailure::Stop(stop)) => Err(stop),
            Err(LineFailure::Fault(fault)) => Ok(Err(fault)),
        })
    }

    fn load(&self, which: &ProblemKey) -> Result<LoadedProblem, LineFailure> {
        let (sender, heard) = channel();
        let aside = self.context.for_concurrent_work(sender);
        let opened = self.read(which, &aside).map_err(|stop| (FaultyPart::Package, stop));
        let opened = opened.and_then(|(problem, made_files)| {
            let is_given = problem.output_validators.iter().any(|program| program.is_given);
            let kind = if is_given { FaultyPart::Checker } else { FaultyPart::Package };
            let assembly = Assembly::new(self.host, &aside);
            let validators = build_validators(&assembly.bench(&problem), ImageUse::Never);
            let validators = validators.map_err(|stop| (kind, stop))?;
            Ok((problem, Arc::new(validators), made_files))
        });
        match opened {
            Ok((problem, validators, made_files)) => Ok(LoadedProblem {
                problem,
                validators,
                time_limit: Mutex::default(),
                _made_files: made_files,
                context: aside,
            }),
            Err((_, stop @ (Stop::Interrupted | Stop::Fault(_)))) => Err(stop.into()),
            Err((kind, stop)) => {
                let kind = match stop {
                    Stop::Refused(RefusalSubject::CommandLine, _) => FaultyPart::Line,
                    _ => kind,
                };
                // Drops earlier events: `stop` repeats them, with paths that the user knows.
                heard.try_iter().for_each(drop);
                aside.report_stop(stop);
                let mut fault = line_fault(kind, heard.try_iter().map(|stamped| stamped.event));
                let checker = which.compare.as_ref().and_then(LineComparison::checker);
                let lacks_header = checker.is_some_and(LineChecker::lacks_header);
                if kind == FaultyPart::Checker && lacks_header && self.testlib.is_none() {
                    let help = "give testlib.h with --testlib FILE, or its text in `/compare/checker/files`";
                    fault.help = Some(help.to_owned());
                }
                Err(fault.into())
            }
        }
    }

    fn read(
        &self,
        which: &ProblemKey,
        aside: &Context,
    ) -> Result<(Problem, Option<CompletedFiles>), Stop> {
        let mut problem = match &which.package {
            Some(package) => problem::read_problem(package, None, ShownDiagnostics::Errors, aside)?,
            None => cases::problem_without_package(),
        };
        // A line that gives no limit has the same memory, wherever its tests are.
        if problem.layout.is_guessed && problem.limits.memory == Some(MEMORY_OF_BARE_TESTS) {
            problem.limits.memory = None;
        }
        if let Some(how) = &which.compare {
            let help = "see `juror help streams`";
            let how = match how {
                LineComparison::Text(how) => {
                    ComparisonMode::parse(how).map_err(|what| Remark::with_help(what, help))
                }
                LineComparison::Parts(parts) => {
                    problem.limits.validation_time = Some(parts.checker.time());
                    let program = parts.checker.program(self.testlib.as_ref());
                    Ok(ComparisonMode::Program(program.into()))
                }
            };
            let how = how.map_err(|remark| Stop::usage(remark.about_option(COMPARE)))?;
            // A line names no command.
            if let ComparisonMode::Checker(path) = &how
                && !path.exists()
            {
                return Err(Stop::usage(missing_checker(path).about_option(COMPARE)));
            }
            set_comparison(COMPARE, &how, None, &mut problem)?;
        }
        if problem.kind.submitted == SubmittedContent::Answers {
            let what = "submissions to this problem are answers, not programs";
            return Err(Stop::usage(Remark::with_help(what, "use `juror judge`")));
        }
        let assembly = Assembly::new(self.host, aside);
        let made_files = assembly.complete(&mut problem, None)?;
        Ok((problem, made_files))
    }

    /// Determined at the first call.
    pub(super) fn time_limit(&self, problem: &LoadedProblem) -> Result<TimeLimit, Stop> {
        let mut known = problem.time_limit.lock();
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let cases = match problem.problem.limits.time_limit {
            Some(_) => Vec::new(),
            None => cases::all_cases(&problem.problem)?,
        };
        let assembly = Assembly::new(self.host, &problem.context);
        let bench = assembly.bench(&problem.problem);
        let ready = ReadyProblem::new(bench, Arc::clone(&problem.validators), cases);
        let found = ready.time_limit()?;
        *known = Some(found.clone());
        Ok(found)
    }
}

/// Why a line or a program has no result.
pub enum LineFailure {
    Fault(LineFault),
    Stop(Stop),
}

impl From<LineFault> for LineFailure {
    fn from(fault: LineFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Stop> for LineFailure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// Has the first message, and the number of others.
fn line_fault(kind: FaultyPart, events: impl Iterator<Item = Event>) -> LineFault {
    let remarks = events.filter_map(|event| match event {
        Event::Diagnosed(it) if it.is_error() => {
            let path = it.place.path.display().to_string();
            let is_named = it.message.starts_with(&path);
            let prefix = if is_named { String::new() } else { format!("{path}: ") };
            let message = format!("{prefix}{}", it.message);
            let quote = it.help.as_ref().filter(|_| it.quotes);
            match quote.and_then(|text| compiler_error_line(text.as_bytes())) {
                Some(line) => Some((format!("{message}: {line}"), None)),
                None => Some((message, it.help)),
            }
        }
        Event::Complained { message, help } => Some((message, help)),
        _ => None,
    });
    let mut remarks: Vec<(String, Option<String>)> = remarks.collect();
    let more = remarks.len().saturating_sub(1);
    let (message, help) = remarks.drain(..).next().unwrap_or_default();
    match more {
        0 => LineFault::new(kind, message, help),
        more => {
            let all = "`juror verify` shows all of them".to_owned();
            LineFault::new(kind, format!("{message}; and {more} more"), Some(all))
        }
    }
}
