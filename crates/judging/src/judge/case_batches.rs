//! The test cases of a submission with one start of its interpreter.
//!
//! A batch can only accept. A test case runs alone; if it is accepted, those after it run as a batch. Of these, one
//! counts if its run ended well and its output is right; every other runs alone, and that counts. A batch has a quarter
//! of the time of one run, so whatever ended in it was far below the limit, and slow programs lose little.

use parking_lot::Mutex;

use crate::build::batch::{BatchMode, BatchedRun, run_with_facts};
use crate::build::{BuildResult, PreparedProgram, Runnable};
use crate::judge::case::{Pass, ReadySubmission, pass_job};
use crate::judge::case_run::judge_case;
use crate::judge::ready_problem::ReadyProblem;
use juror_core::blob::Blob;
use juror_core::job::JobReply;
use juror_core::judgement::CaseJudgement;
use juror_core::limits::VALIDATOR_OUTPUT;
use juror_core::outcome::{Ending, Outcome};
use juror_core::problem::{Interaction, ProgramIo, SubmittedContent};
use juror_core::stop::Stop;
use juror_core::tree::TreeEntry;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_sandbox::executor::Executor;

/// The most test cases of a batch, and bytes of their inputs.
const CASES_MAX: usize = 64;
const BYTES_MAX: u64 = 8 << 20;
/// The share of a run's time that a batch has.
const TIME_SHARE: u32 = 4;

/// For one submission.
pub(super) struct CaseBatches {
    program: Box<Runnable>,
    mode: BatchMode,
    progress: Mutex<BatchProgress>,
}

struct BatchProgress {
    is_started: Vec<bool>,
    /// Runs that nobody has judged yet.
    replies: Vec<Option<JobReply>>,
    /// Whether the last run alone was accepted.
    is_promising: bool,
    /// Whether batches have failed to help.
    is_over: bool,
}

/// The program without the check before its start, if every run with exit code 0 proves that the check finds nothing:
/// the interpreter compiles all of the program before it runs. Another run needs the check: it may be CE.
pub(super) fn without_check(
    ready: &ReadyProblem<'_>,
    prepared: &PreparedProgram,
) -> Option<PreparedProgram> {
    let plan = &prepared.plan;
    let is_check = plan.build.as_ref().is_some_and(|step| step.produces.is_none());
    // The caller of a function is a file, too.
    let files = match ready.bench.problem.kind.submitted {
        SubmittedContent::Function => 2,
        _ => 1,
    };
    // Some versions start a file with zero bytes, which the check refuses.
    let is_text = |file: &TreeEntry| {
        file.blob().is_some_and(|blob| blob.read().is_ok_and(|text| !text.contains(&0)))
    };
    let can_wait = ready.batches.is_some()
        && plan.batch.is_some()
        && plan.files.len() == files
        && plan.files.iter().all(is_text);
    let mut prepared = prepared.clone();
    prepared.plan.build = None;
    (can_wait && is_check).then_some(prepared)
}

impl CaseBatches {
    /// `None` if every test case needs a start of its own.
    pub(super) fn new(
        ready: &ReadyProblem<'_>,
        prepared: &PreparedProgram,
    ) -> Result<Option<Self>, Stop> {
        let kind = &ready.bench.problem.kind;
        let is_simple = kind.passes == 1
            && kind.interaction == Interaction::None
            && ready.bench.problem.io == ProgramIo::Standard
            && ready.rules.keep.is_none();
        let is_check = prepared.plan.build.as_ref().is_none_or(|step| step.produces.is_none());
        let prepared = prepared.for_batches().filter(|_| is_simple && is_check);
        let (Some(mode), Some(mut prepared)) = (ready.batches, prepared) else { return Ok(None) };
        prepared.plan.build = None;
        let BuildResult::Program(program) =
            ready.bench.build_quietly(&prepared, &ready.rules.limits)?
        else {
            return Ok(None);
        };
        let progress = Mutex::new(BatchProgress {
            is_started: vec![false; ready.cases.len()],
            replies: ready.cases.iter().map(|_| None).collect(),
            is_promising: false,
            is_over: false,
        });
        Ok(Some(Self { program, mode, progress }))
    }

    pub(super) fn judge(
        &self,
        ready: &ReadyProblem<'_>,
        entry: &ReadySubmission<'_>,
        index: usize,
    ) -> Result<CaseJudgement, Stop> {
        let case = &ready.cases[index];
        let executor = ready.bench.executor;
        if let Some(reply) = self.reply(ready, entry, index)? {
            let known = KnownReply { reply: Mutex::new(Some(reply)), inner: executor };
            let judged = judge_case(&known, &ready.rules, entry, case);
            if judged.as_ref().is_ok_and(|judged| judged.verdict == Verdict::Accepted) {
                return judged;
            }
        }
        let judged = judge_case(executor, &ready.rules, entry, case)?;
        self.progress.lock().is_promising = judged.verdict == Verdict::Accepted;
        Ok(judged)
    }

    /// What a batch says about a test case. Others wait while a batch runs: it may be theirs.
    fn reply(
        &self,
        ready: &ReadyProblem<'_>,
        entry: &ReadySubmission<'_>,
        index: usize,
    ) -> Result<Option<JobReply>, Stop> {
        let mut progress = self.progress.lock();
        progress.is_started[index] = true;
        if progress.replies[index].is_none() && progress.is_promising && !progress.is_over {
            let (mut cases, mut inputs, mut bytes) = (Vec::new(), Vec::new(), 0);
            for later in index..ready.cases.len() {
                let case = &ready.cases[later];
                let is_open = later == index || !progress.is_started[later];
                let is_plain = case.static_args.is_none()
                    && case.test_case.args.is_empty()
                    && case.test_case.files.is_empty();
                bytes += case.input_size();
                if cases.len() == CASES_MAX || bytes > BYTES_MAX {
                    break;
                }
                if is_open && is_plain && progress.replies[later].is_none() {
                    let Ok(input) = case.input.read() else { break };
                    cases.push(later);
                    inputs.push(input);
                }
            }
            // For one, a start is exact and as quick.
            if cases.len() > 1 {
                let replies = self.run(ready, entry, &inputs)?;
                progress.is_promising = false;
                progress.is_over = replies.iter().flatten().count() * 2 < cases.len().min(4);
                for (case, reply) in cases.into_iter().zip(replies) {
                    progress.replies[case] = reply;
                }
            }
        }
        Ok(progress.replies[index].take())
    }

    fn run(
        &self,
        ready: &ReadyProblem<'_>,
        entry: &ReadySubmission<'_>,
        inputs: &[Vec<u8>],
    ) -> Result<Vec<Option<JobReply>>, Stop> {
        let batched = ReadySubmission { runnable: &self.program, repetition: None, ..*entry };
        let first = Pass::first(Blob::default());
        let mut job = pass_job(&ready.rules, &batched, ready.cases[0].test_case, &first);
        let share = |time| time / TIME_SHARE;
        job.limits.cpu_time = job.limits.cpu_time.map(share);
        job.limits.wall_time = job.limits.wall_time.map(share);
        // Of all outputs; each is compared with the limit on its own.
        job.limits.output = job.limits.output.map(|most| most.max(VALIDATOR_OUTPUT));
        let (runs, batch) = match run_with_facts(ready.bench.executor, job, self.mode, inputs) {
            Err(Stop::Fault(_)) => return Ok(inputs.iter().map(|_| None).collect()),
            result => result?,
        };
        // It is unknown to which of them the kernel refused a process.
        let is_clear = batch.refused_processes == 0;
        let reply = |run: BatchedRun| JobReply {
            outcome: Outcome {
                ending: Ending::Exited(0),
                stopped_by: None,
                cpu_time: run.cpu_time,
                wall_time: run.wall_time,
                peak_memory: run.peak_memory,
                stdout_bytes: Bytes(run.output.len() as u64),
                stderr_bytes: run.stderr_bytes,
                // If a run leaves a file, its test case runs alone.
                file_bytes: Bytes(0),
                ..batch.clone()
            },
            stdout: run.output.into(),
            stderr: Blob::default(),
            collected: Vec::new(),
            kept: None,
        };
        Ok(runs.into_iter().map(|run| run.filter(|_| is_clear).map(reply)).collect())
    }
}

/// Answers the first run, which is the program's. All others run.
struct KnownReply<'a> {
    reply: Mutex<Option<JobReply>>,
    inner: &'a dyn Executor,
}

impl Executor for KnownReply<'_> {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(self.inner)
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        match self.reply.lock().take() {
            Some(reply) => Ok(WorkReply::Single(Box::new(reply))),
            None => self.inner.run(work, mode),
        }
    }
}
