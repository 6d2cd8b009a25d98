//! Runs a program as it is, on any inputs: without a verdict by its output, and with all that it wrote.

use std::time::Duration;

use crate::grade::fault::LineFault;
use crate::grade::graded::{GradedLine, WholeRun};
use crate::grade::line::{SourceParts, StreamLine};
use crate::ops::grade::loaded::LineFailure;
use crate::ops::grade::one::{LineJudge, line_submission};
use juror_core::blob::Blob;
use juror_core::judgement::{CompilerReport, JudgeError};
use juror_core::limits::{BOX_ROOM, Limits, TIME_WITHOUT_PACKAGE};
use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_core::tree::TreeEntry;
use juror_core::verdict::Verdict;
use juror_core::work::RunMode;
use juror_judging::build::{BuildResult, Runnable};
use juror_judging::judge::classify::{VerdictWithCause, classify};

#[derive(Clone, Debug, Default)]
pub struct ProgramRequest {
    pub source: SourceParts,
    /// Also in the box of the build, if there is one.
    pub files: Vec<TreeEntry>,
    pub arguments: Vec<String>,
    /// What it reads, in each of its runs.
    pub inputs: Vec<Blob>,
    pub build_limits: Limits,
    pub limits: Limits,
    /// The names of the files that are returned.
    pub collect: Vec<String>,
    /// The most bytes of standard output that are returned, for all runs.
    pub most_output: u64,
}

#[derive(Clone, Debug, Default)]
pub struct WholeRuns {
    pub has_build: bool,
    /// Wall time; zero if nothing was built.
    pub build_time: Duration,
    /// Absent if the compiler has nothing to say.
    pub compiler: Option<CompilerReport>,
    /// None if it does not build.
    pub runs: Vec<WholeRun>,
    /// How the first run ended that did not end well.
    pub failure: Option<VerdictWithCause>,
}

/// For all runs of a line.
const MOST_OUTPUT: u64 = 16 << 20;

impl LineJudge<'_> {
    /// The verdict says how the runs of a line ended.
    pub(super) fn run_line(
        &self,
        line: StreamLine,
        time: Option<f64>,
        problem: &Problem,
    ) -> Result<GradedLine, LineFailure> {
        let time = time.map_or(TIME_WITHOUT_PACKAGE, Duration::from_secs_f64);
        let inputs = line.cases.into_iter().flatten().map(|case| case.input.into_bytes().into());
        let request = ProgramRequest {
            source: line.source.parts(),
            inputs: inputs.collect(),
            build_limits: Limits::of_compiler(&problem.limits),
            limits: Limits::of_submission(&problem.limits, time),
            most_output: MOST_OUTPUT,
            ..ProgramRequest::default()
        };
        let WholeRuns { compiler, runs, failure, .. } = self.run_program(&request, problem)?;
        let refusal = compiler.as_ref().and_then(|report| report.refusal.clone());
        let refusal = refusal.map(|cause| (Verdict::CompileError, Some(cause)));
        let failure = failure.map(|failure| (failure.verdict, Some(failure.cause)));
        let (verdict, cause) = refusal.or(failure).unwrap_or((Verdict::Accepted, None));
        let (verdict, ran, runs) = (Some(verdict), runs.len(), Some(runs));
        Ok(GradedLine { verdict, cause, ran, runs, compiler, ..GradedLine::default() })
    }

    pub(super) fn run_program(
        &self,
        request: &ProgramRequest,
        problem: &Problem,
    ) -> Result<WholeRuns, LineFailure> {
        let mut submission = line_submission(&request.source, problem)?;
        submission.program.arguments.clone_from(&request.arguments);
        let mut prepared = self.builder.prepare(&submission.program)?;
        let plan = &mut prepared.plan;
        // A check of the syntax makes nothing: the program itself shows what is wrong.
        plan.build.take_if(|step| step.produces.is_none());
        let meets = |file: &TreeEntry, own: &TreeEntry| {
            own.name.starts_with(&file.name) || file.name.starts_with(&own.name)
        };
        let is_own = |file: &&TreeEntry| plan.files.iter().any(|own| meets(file, own));
        if let Some(file) = request.files.iter().find(is_own) {
            let what = format!("the file `{}` has the name of the program", file.name.display());
            return Err(LineFault::of_line(what, "give it another name").into());
        }
        let mut runs = WholeRuns { has_build: plan.build.is_some(), ..WholeRuns::default() };
        if runs.has_build {
            plan.files.extend(request.files.iter().cloned());
        }
        match self.builder.build(&prepared, &request.build_limits, &request.limits)? {
            BuildResult::Rejected(report) => runs.compiler = Some(*report),
            BuildResult::Program(mut runnable) => {
                runs.build_time = runnable.build_time;
                runs.compiler = runnable.compiler.take();
                self.run_on_all(request, &runnable, &mut runs)?;
            }
        }
        Ok(runs)
    }

    fn run_on_all(
        &self,
        request: &ProgramRequest,
        runnable: &Runnable,
        runs: &mut WholeRuns,
    ) -> Result<(), Stop> {
        let read_error = |error| JudgeError::new("read what the program wrote", error);
        let mut job = runnable.job(&request.limits);
        runnable.add_case_files(&mut job, &request.files);
        job.box_size = job.box_size.saturating_add(BOX_ROOM);
        job.collect.clone_from(&request.collect);
        job.is_timed = true;
        let mut room = request.most_output;
        for input in &request.inputs {
            job.stdin = input.clone();
            let reply = match self.host.executor.run(&job.clone().into(), RunMode::FRESH) {
                Err(Stop::Fault(error)) => {
                    let why = runnable.start_failure(&error).ok_or(Stop::Fault(error))?;
                    runs.compiler = Some(CompilerReport::refused(why));
                    runs.runs.clear();
                    return Ok(());
                }
                reply => reply?.single()?,
            };
            let failure = classify(&reply.outcome, &runnable.limits(&request.limits));
            runs.failure = runs.failure.take().or(failure);
            let stdout = reply.stdout.prefix(room).map_err(read_error)?;
            room -= stdout.len() as u64;
            let left_out = reply.outcome.stdout_bytes.0.saturating_sub(stdout.len() as u64);
            runs.runs.push(WholeRun {
                outcome: reply.outcome,
                stdout,
                stdout_bytes_left_out: left_out,
                stderr: reply.stderr.prefix(u64::MAX).map_err(read_error)?,
                collected: reply.collected,
            });
        }
        Ok(())
    }
}
