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
use crate::executor::parallel;
use crate::judge::case::{Entry, Pace, ReadyCase, Rules, judge_case};
use crate::judge::output::output;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::score::CaseScoring;
use crate::model::stop;
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;
use crate::stress::batch::{self, Batches};
use crate::stress::reference::{Chosen, contenders, fastest};

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
    /// How the submission is built, then how the reference is.
    prepared: [Prepared; 2],
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
        let most = candidates.len();
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
        let runnables: Vec<&Runnable> = built.iter().take(most).collect();
        let (place, why) = match &setting.reference {
            Some(_) => (0, "--reference".to_owned()),
            None => match measured(setting, host, rules, &runnables) {
                Ok(chosen) => (chosen.place, chosen.why),
                Err(stop::Stop::Interrupted) => return Err(interrupted(output)),
                Err(stop::Stop::Fault(error)) => return Err(error.into()),
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
            // The submission stands before those of which the reference was chosen.
            prepared: [0, place + 1].map(|at| sources[at].prepared.clone()),
        })
    }

    /// Both programs, for many inputs at once, where they can be built for that.
    pub(super) fn batches<'a>(
        &self,
        setting: &Setting,
        host: &Host,
        builder: &'a Builder<'a>,
        rules: &Rules<'_>,
    ) -> Option<Batches<'a>> {
        let [submission, reference] = &self.prepared;
        let limits = Limits::of_compiler(&setting.problem.limits);
        let reference = batch::Source {
            path: &self.path,
            prepared: reference,
        };
        let submission = batch::Source {
            path: &setting.submission.program.path,
            prepared: submission,
        };
        Batches::new(
            builder,
            limits,
            rules,
            host.executor.isolation(),
            &reference,
            &submission,
        )
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
    let build_limits = Limits::of_compiler(&setting.problem.limits);
    let results = parallel::map(&*host.executor, sources, |source| {
        let program = source.submission.program.name.clone();
        output.event(Event::BuildStarted {
            program: program.clone(),
        });
        let result = builder.build(&source.prepared, &build_limits, &rules.limits);
        output.event(Event::BuildFinished { program });
        match result {
            Err(BuildError::Interrupted) => Err(stop::Stop::Interrupted),
            Err(BuildError::Fault(error)) => Err(stop::Stop::Fault(error)),
            Err(BuildError::Rejected(report)) => Ok(Err(report)),
            Ok(runnable) => Ok(Ok(runnable)),
        }
    });
    let results = match results {
        Ok(results) => results,
        Err(stop::Stop::Interrupted) => return Err(interrupted(output)),
        Err(stop::Stop::Fault(error)) => return Err(error.into()),
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

/// The fastest of the references on the largest test case that is no burden.
fn measured(
    setting: &Setting,
    host: &Host,
    rules: &Rules<'_>,
    runnables: &[&Runnable],
) -> Result<Chosen, stop::Stop> {
    let executor = &*host.executor;
    let largest = largest_case(setting);
    if setting.is_judged() {
        return fastest(runnables, &|runnable| {
            let Some(test_case) = largest else {
                return Ok(None);
            };
            let case = ReadyCase {
                test_case,
                static_args: None,
                scoring: CaseScoring::Ignored,
                options: setting.options,
                texts: None,
            };
            let judged = judge_case(executor, rules, &Entry::unnamed(runnable, Pace::Any), &case)?;
            let is_right = judged.verdict == Verdict::Accepted;
            Ok(is_right.then_some(judged.outcome.wall_time))
        });
    }
    let input: Arc<[u8]> = match largest.map(|case| (fs::read(&case.input), &case.input)) {
        None => Arc::from([]),
        Some((Ok(input), _)) => input.into(),
        Some((Err(error), path)) => {
            return Err(JudgeError::new(format!("read {}", path.display()), error).into());
        }
    };
    fastest(runnables, &|runnable| {
        let ran = output(
            executor,
            rules,
            &Entry::unnamed(runnable, Pace::Any),
            &setting.test_case,
            &input,
        )?;
        Ok(ran.rejected.is_none().then_some(ran.outcome.wall_time))
    })
}

/// The test case with the largest input that is no burden, to measure programs on.
fn largest_case(setting: &Setting) -> Option<&TestCase> {
    const MOST: u64 = 1 << 20;
    let cases = setting.problem.test_data.cases.iter();
    let sizes = cases.filter_map(|case| Some((fs::metadata(&case.input).ok()?.len(), case)));
    sizes
        .filter(|(size, _)| *size <= MOST)
        .max_by_key(|(size, case)| (*size, &case.input))
        .map(|(_, case)| case)
}
