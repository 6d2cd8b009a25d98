//! The solution that a recipe names: the program that makes judge answers.

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::recipe::programs::{
    ProgramFailure, build, failed_ending, failure_reason, solution_program,
};
use juror_core::blob::Blob;
use juror_core::job::CollectedEntry;
use juror_core::limits::Limits;
use juror_core::problem::{Interaction, Problem, ProgramIo};
use juror_core::recipe::{AnswerSource, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;

/// Whether a run of a single program makes a right answer: it neither talks with the output validator nor runs several
/// times.
pub fn is_single_run(problem: &Problem) -> bool {
    problem.kind.interaction == Interaction::None && problem.kind.passes == 1
}

/// The program that makes the answer, unless it is a submission. Such a program serves only this purpose. Its output
/// is an answer even if submissions talk or run several times.
pub fn dedicated_solution<'a>(problem: &Problem, case: &'a RecipeCase) -> Option<&'a FilePath> {
    let AnswerSource::Solution(path) = &case.answer else { return None };
    let is_submission = path.starts_with(&*problem.dir.join(problem.layout.submissions))
        || problem.submissions.iter().any(|submission| submission.program.path == *path);
    (!is_submission).then_some(path)
}

pub struct Solution<'a> {
    bench: Bench<'a>,
    runnable: Runnable,
}

impl<'a> Solution<'a> {
    pub fn build(bench: &Bench<'a>, path: &FilePath) -> Result<Self, Stop> {
        let runnable = build(bench, &solution_program(bench.problem, path))?;
        Ok(Self { bench: *bench, runnable })
    }

    pub fn answer(&self, input: Blob) -> Result<Result<Blob, ProgramFailure>, Stop> {
        let problem = self.bench.problem;
        let mut job = self.runnable.job(&Limits::of_generator());
        job.writable = problem.allow_file_writing;
        job.connect_io(&problem.io, input);
        let mut reply = self.bench.executor.run_job(&job)?;
        if let Some(ending) = failed_ending(&reply.outcome, &job.limits) {
            let reason = failure_reason(&reply.stderr);
            return Ok(Err(ProgramFailure {
                message: format!("the solution {ending}{reason}"),
                help: "fix the solution, or the input if it is not valid",
            }));
        }
        Ok(match (&problem.io, reply.collected.pop()) {
            (ProgramIo::Standard, _) => Ok(reply.stdout),
            (ProgramIo::Files { .. }, Some(CollectedEntry::File(file))) => Ok(file),
            (ProgramIo::Files { output, .. }, _) => Err(ProgramFailure {
                message: format!("the solution does not write `{output}`"),
                help: "fix the solution, or `[io]` in juror.toml",
            }),
        })
    }
}
