//! The subject of a search: a package, or a grammar with a reference.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::bench::Bench;
use crate::cli::options::typed;
use crate::cli::output::{Output, command_line};
use crate::cli::problem::{self, Remarks};
use crate::cli::problem_inputs::ProblemInputs;
use crate::cli::stress::{EXPLAINING, StressArguments};
use crate::judge::case::Validators;
use crate::judge::judging::Judging;
use crate::model::event::Event;
use crate::model::problem::{Problem, Submitted};
use crate::model::root::FilePath;
use crate::model::stop::{Remark, Stop};
use crate::model::stress::SearchPlan;
use crate::model::submission::Submission;
use crate::ops::cases;
use crate::ops::submissions::named;

/// The subject of a search.
pub(super) struct Setting {
    /// The package's directory, as given by the user.
    pub(super) package: Option<PathBuf>,
    /// The sources of inputs; without a package the problem has only defaults.
    pub(super) inputs: ProblemInputs,
    /// The submission under test.
    pub(super) submission: Submission,
    /// The reference that the user named.
    pub(super) reference: Option<Submission>,
    /// Whether the result is added to the package.
    pub(super) promotes: bool,
}

impl Setting {
    /// Reads what the command line names.
    ///
    /// # Errors
    /// If something cannot be used.
    pub(super) fn read(arguments: &StressArguments, output: &Output) -> Result<Self, Stop> {
        let (package, submission) = match arguments.targets.as_slice() {
            [package, submission] => (Some(package), submission),
            [submission] if arguments.input_grammar.is_some() && arguments.reference.is_some() => {
                (None, submission)
            }
            _ => {
                return Err(Stop::usage(
                    "give a package and a submission; or, without a package, --input-grammar, --reference and a submission",
                ));
            }
        };
        let problem = match package {
            Some(dir) => {
                let problem = problem::read(dir, None, Remarks::Errors, output)?;
                if arguments.promote.is_some() {
                    output.writable()?;
                }
                problem
            }
            None => Problem { dir: FilePath::root("."), ..Problem::default() },
        };
        if problem.kind.submitted == Submitted::Answers {
            let what = "submissions to this problem are answers, not programs; use `juror judge`";
            return Err(Stop::usage(what));
        }
        let submission = named(submission, &problem).map_err(Stop::usage)?;
        let reference = arguments.reference.as_ref();
        let reference = reference.map(|path| reference_at(path, &problem));
        let reference = reference.transpose().map_err(Stop::usage)?;
        let inputs = ProblemInputs::read(problem, arguments.input_grammar.as_deref(), output)?;
        if package.is_some() {
            output.event(Event::package_read(&inputs.problem, 1, 0));
        }
        Ok(Self {
            package: package.cloned(),
            submission,
            reference,
            promotes: arguments.promote.is_some(),
            inputs,
        })
    }

    /// The session for the runs, as in `juror judge`.
    ///
    /// # Errors
    /// If the package has no test cases to find a time limit on.
    pub(super) fn judging<'a>(
        &self,
        arguments: &StressArguments,
        bench: Bench<'a>,
        validators: &'a Validators,
    ) -> Result<Judging<'a>, Stop> {
        let is_given = self.package.is_none()
            || arguments.time_limit.or(self.inputs.problem.limits.time_limit).is_some();
        let cases = if is_given { Vec::new() } else { cases::select(bench.problem, &[])? };
        Ok(Judging { given: arguments.time_limit, ..Judging::new(bench, validators, cases) })
    }

    /// The command line that repeats the search.
    pub(super) fn repeat(&self, arguments: &StressArguments, plan: &SearchPlan) -> String {
        let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
        let number = |time: Duration| OsString::from(time.as_secs_f64().to_string());
        let span = |time: Duration| OsString::from(format!("{}s", time.as_secs_f64()));
        words.extend(typed([
            ("--input-grammar", arguments.input_grammar.clone().map(OsString::from)),
            ("--reference", arguments.reference.clone().map(OsString::from)),
            ("--time-limit", arguments.time_limit.map(number)),
            ("--runs", arguments.runs.map(|runs| runs.to_string().into())),
            ("--time", Some(span(arguments.time))),
            ("--shrink-time", arguments.shrink_time.map(span)),
            ("--explain", Some(arguments.explain).filter(|it| *it != EXPLAINING).map(number)),
            ("--seed", Some(plan.seed.to_string().into())),
        ]));
        words.extend(arguments.host.fresh.then(|| "--fresh".into()));
        words.extend(arguments.host.again());
        words.extend(arguments.targets.iter().map(OsString::from));
        command_line(words)
    }
}

/// A file, or one of the package's submissions by its name.
fn reference_at(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let name = path.to_string_lossy();
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => Ok(own.clone()),
        _ => named(path, problem),
    }
}
