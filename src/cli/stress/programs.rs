//! The programs of a hunt: the submission, and the reference that is chosen for it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::build::{BuildError, Builder, PrepareError, Prepared, Runnable, unbuildable};
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop};
use crate::cli::problem::interrupted;
use crate::cli::stress::setting::Setting;
use crate::executor::{RunError, parallel};
use crate::judge::case::Rules;
use crate::judge::limits;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::submission::Submission;
use crate::stress::reference::{contenders, fastest};

/// The programs of a hunt.
pub(super) struct Programs {
    /// The submission that is hunted.
    pub(super) submission: Runnable,
    /// Those of which the reference was chosen.
    references: Vec<Runnable>,
    place: usize,
    /// The place among them of the one that makes the package's judge answers.
    solution: Option<usize>,
    /// The reference's name.
    pub(super) name: String,
    /// Where it is.
    pub(super) path: PathBuf,
    /// Why it was chosen.
    pub(super) chosen: String,
}

/// A program to be built.
struct Source<'a> {
    what: &'static str,
    submission: &'a Submission,
    prepared: Prepared,
}

impl Programs {
    /// Builds the submission, and the reference or those of which it is chosen.
    ///
    /// # Errors
    /// When one of them does not build, or the judge failed; the reason has been shown.
    pub(super) fn build(
        setting: &Setting,
        host: &Host,
        builder: &Builder<'_>,
        rules: &Rules<'_>,
        output: &Output,
    ) -> Result<Self, Stop> {
        let solution = setting.solution.as_deref();
        let mut candidates: Vec<&Submission> = match &setting.reference {
            Some(reference) => vec![reference],
            None => contenders(&setting.problem, solution),
        };
        if candidates.is_empty() {
            output.complain(
                "the package has no submission that is accepted on every case; name a program that is right with --reference",
            );
            return Err(Stop::Shown(ExitCode::NothingSelected));
        }
        let measured = candidates.len();
        let is_solution = |it: &&Submission| solution == Some(it.program.path.as_path());
        if setting.promotes && !candidates.iter().any(is_solution) {
            candidates.extend(setting.problem.submissions.iter().find(is_solution));
        }
        let mut sources = vec![source(
            "the submission",
            &setting.submission,
            builder,
            output,
        )?];
        for candidate in &candidates {
            sources.push(source("the reference", candidate, builder, output)?);
        }
        let mut built = built(&sources, setting, host, builder, rules, output)?;
        let submission = built.remove(0);
        let runnables: Vec<&Runnable> = built.iter().take(measured).collect();
        let input = largest_input(setting)?;
        let executor = &*host.executor;
        let (place, why) = match &setting.reference {
            Some(_) => (0, "--reference".to_owned()),
            None => match fastest(executor, rules, &setting.test_case, &runnables, &input) {
                Ok(chosen) => (chosen.place, chosen.why),
                Err(RunError::Interrupted) => return Err(interrupted(output)),
                Err(RunError::Fault(error)) => return Err(error.into()),
            },
        };
        Ok(Self {
            submission,
            references: built,
            place,
            solution: candidates.iter().position(is_solution),
            name: candidates[place].name.clone(),
            path: candidates[place].program.path.clone(),
            chosen: why,
        })
    }

    /// The program that makes the package's judge answers; where there is none, the reference.
    pub(super) fn solution(&self) -> &Runnable {
        &self.references[self.solution.unwrap_or(self.place)]
    }

    /// The reference.
    pub(super) fn reference(&self) -> &Runnable {
        &self.references[self.place]
    }
}

/// Finds out how to build a program.
fn source<'a>(
    what: &'static str,
    submission: &'a Submission,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Source<'a>, Stop> {
    match builder.prepare(&submission.program) {
        Ok(prepared) => Ok(Source {
            what,
            submission,
            prepared,
        }),
        Err(PrepareError::Fault(error)) => Err(error.into()),
        Err(PrepareError::Program(diagnostic)) => {
            output.event(Event::Diagnosed(diagnostic));
            Err(Stop::Shown(ExitCode::Usage))
        }
    }
}

/// Builds all of them, at the same time where there are slots.
fn built(
    sources: &[Source<'_>],
    setting: &Setting,
    host: &Host,
    builder: &Builder<'_>,
    rules: &Rules<'_>,
    output: &Output,
) -> Result<Vec<Runnable>, Stop> {
    let build_limits = limits::of_compiler(&setting.problem.limits);
    let results = parallel::map(&*host.executor, sources, |source| {
        let program = source.submission.program.name.clone();
        output.event(Event::BuildStarted {
            program: program.clone(),
        });
        let result = builder.build(&source.prepared, &build_limits, &rules.limits);
        output.event(Event::BuildFinished { program });
        match result {
            Err(BuildError::Interrupted) => Err(RunError::Interrupted),
            Err(BuildError::Fault(error)) => Err(RunError::Fault(error)),
            Err(BuildError::Rejected(report)) => Ok(Err(report)),
            Ok(runnable) => Ok(Ok(runnable)),
        }
    });
    let results = match results {
        Ok(results) => results,
        Err(RunError::Interrupted) => return Err(interrupted(output)),
        Err(RunError::Fault(error)) => return Err(error.into()),
    };
    let mut runnables = Vec::new();
    let mut code = ExitCode::Success;
    for (source, result) in sources.iter().zip(results) {
        match result {
            Ok(runnable) => runnables.push(runnable),
            Err(report) => {
                let path = &source.submission.program.path;
                output.event(Event::Diagnosed(unbuildable(source.what, path, &report)));
                code = code.and(match source.what {
                    "the submission" => ExitCode::Rejected,
                    _ => ExitCode::InvalidPackage,
                });
            }
        }
    }
    match code {
        ExitCode::Success => Ok(runnables),
        code => Err(Stop::Shown(code)),
    }
}

/// The largest input of the package's data that is no burden, to measure programs on.
fn largest_input(setting: &Setting) -> Result<Arc<[u8]>, JudgeError> {
    const MOST: u64 = 1 << 20;
    let cases = setting.problem.test_data.cases.iter();
    let sizes = cases.filter_map(|case| Some((fs::metadata(&case.input).ok()?.len(), &case.input)));
    let largest = sizes.filter(|(size, _)| *size <= MOST).max();
    match largest {
        None => Ok(Arc::from([])),
        Some((_, path)) => match fs::read(path) {
            Ok(input) => Ok(input.into()),
            Err(error) => Err(JudgeError::new(format!("read {}", path.display()), error)),
        },
    }
}
