//! The programs of a search: the submission, and the reference that is chosen for it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::build::bench::Bench;
use crate::build::{Built, Prepared, Runnable, unbuildable};
use crate::cli::stress::setting::Setting;
use crate::executor::{Executor, parallel};
use crate::judge::case::{Entry, ReadyCase, Rules, TimeLimitMode, judge_case};
use crate::judge::output::output;
use crate::model::isolation::Isolation;
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::score::CaseScoring;
use crate::model::stop::{Mend, Stop};
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;
use crate::stress::batch::Batches;
use crate::stress::reference::{Chosen, contenders, fastest};

/// The programs of a search.
pub(super) struct Programs {
    /// The submission that is searched.
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
    /// Who must mend it if it does not build.
    mend: Mend,
    submission: &'a Submission,
    prepared: Prepared,
}

impl Programs {
    /// Builds the submission, and the reference or those of which it is chosen.
    ///
    /// # Errors
    /// When one of them does not build, the judge failed, or it was cut short.
    pub(super) fn build(
        setting: &Setting,
        bench: &Bench<'_>,
        rules: &Rules<'_>,
    ) -> Result<Self, Stop> {
        let solution = setting.solution.as_deref();
        let mut candidates: Vec<&Submission> = match &setting.reference {
            Some(reference) => vec![reference],
            None => contenders(&setting.problem, solution),
        };
        if candidates.is_empty() {
            let what = "the package has no accepted submission to compare with; name a correct program with --reference";
            return Err(Stop::Refused(Mend::Selection, vec![what.into()]));
        }
        let most = candidates.len();
        let is_solution = |it: &&Submission| solution == Some(it.program.path.as_path());
        if setting.promotes && !candidates.iter().any(is_solution) {
            candidates.extend(setting.problem.submissions.iter().find(is_solution));
        }
        let mut sources = vec![source(Mend::Submission, &setting.submission, bench)?];
        for candidate in &candidates {
            sources.push(source(Mend::Package, candidate, bench)?);
        }
        let mut built = built(&sources, bench, rules)?;
        let submission = built.remove(0);
        let runnables: Vec<&Runnable> = built.iter().take(most).collect();
        let (place, why) = match &setting.reference {
            Some(_) => (0, "--reference".to_owned()),
            None => {
                let chosen = measured(setting, bench.executor, rules, &runnables)?;
                (chosen.place, chosen.why)
            }
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

    /// Both programs, for many inputs at once; `None` if they cannot be built for that.
    pub(super) fn batches(
        &self,
        setting: &Setting,
        isolation: Isolation,
        rules: &Rules<'_>,
    ) -> Option<Batches> {
        let [submission, reference] = &self.prepared;
        let path = setting.submission.program.path.as_path();
        Batches::new(rules, isolation, (&self.path, reference), (path, submission))
    }

    /// The program that makes the package's judge answers; the reference if there is none.
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
    mend: Mend,
    submission: &'a Submission,
    bench: &Bench<'_>,
) -> Result<Source<'a>, Stop> {
    let prepared = bench.builder.prepare(&submission.program);
    Ok(Source {
        mend,
        submission,
        // It is the command line that names them.
        prepared: prepared.map_err(|stop| stop.blame(Mend::CommandLine))?,
    })
}

/// Builds all of them, as many at a time as there are slots.
fn built(
    sources: &[Source<'_>],
    bench: &Bench<'_>,
    rules: &Rules<'_>,
) -> Result<Vec<Runnable>, Stop> {
    let build_limits = Limits::of_compiler(&bench.problem.limits);
    let results = parallel::map(bench.executor, sources, |source| {
        let name = &source.submission.program.name;
        bench.build(name, &source.prepared, &build_limits, &rules.limits)
    })?;
    let mut runnables = Vec::new();
    let mut remarks = Vec::new();
    let mut mend = Mend::Submission;
    for (source, result) in sources.iter().zip(results) {
        match result {
            Built::Program(runnable) => runnables.push(*runnable),
            Built::Rejected(report) => {
                let what = match source.mend {
                    Mend::Submission => "CE: the submission",
                    _ => "the reference",
                };
                let path = &source.submission.program.path;
                remarks.push(unbuildable(what, path, &report).into());
                mend = source.mend;
            }
        }
    }
    match remarks.is_empty() {
        true => Ok(runnables),
        false => Err(Stop::Refused(mend, remarks)),
    }
}

/// The fastest of the references on the largest test case that is small enough.
fn measured(
    setting: &Setting,
    executor: &dyn Executor,
    rules: &Rules<'_>,
    runnables: &[&Runnable],
) -> Result<Chosen, Stop> {
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
            let judged =
                judge_case(executor, rules, &Entry::unnamed(runnable, TimeLimitMode::Any), &case)?;
            let outcome = judged.outcome.filter(|_| judged.verdict == Verdict::Accepted);
            Ok(outcome.map(|outcome| outcome.wall_time))
        });
    }
    let input: Arc<[u8]> = match largest.map(|case| (fs::read(&case.input), &case.input)) {
        None => Arc::from([]),
        Some((Ok(input), _)) => input.into(),
        Some((Err(error), path)) => {
            return Err(JudgeError::on("read", path)(error).into());
        }
    };
    fastest(runnables, &|runnable| {
        let ran = output(
            executor,
            rules,
            &Entry::unnamed(runnable, TimeLimitMode::Any),
            &setting.test_case,
            &input,
        )?;
        Ok(ran.rejected.is_none().then_some(ran.outcome.wall_time))
    })
}

/// The test case with the largest input that is small enough, to measure programs on.
fn largest_case(setting: &Setting) -> Option<&TestCase> {
    const MOST: u64 = 1 << 20;
    let cases = setting.problem.test_data.cases.iter();
    let sizes = cases.filter_map(|case| Some((fs::metadata(&case.input).ok()?.len(), case)));
    sizes
        .filter(|(size, _)| *size <= MOST)
        .max_by_key(|(size, case)| (*size, &case.input))
        .map(|(_, case)| case)
}
