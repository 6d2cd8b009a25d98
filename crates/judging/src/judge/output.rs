//! The output of a program for an input, without a verdict: for judge answers, and to show it. Also for many inputs at
//! once, and the verdict on such an output.

use std::sync::Arc;

use crate::build::Runnable;
use crate::build::batch::{BatchMode, encode_inputs as framed};
use crate::judge::case::{
    CaseJudge, Pass, ReadyCase, ReadySubmission, Rules, TimeLimitMode, pass_job,
};
use crate::judge::classify::{VerdictWithCause, classify};
use crate::judge::default_validator::output_of;
use juror_core::blob::Blob;
use juror_core::job::{CollectedEntry, Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::outcome::Outcome;
use juror_core::problem::ProgramIo;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::verdict::Verdict;
use juror_sandbox::executor::Executor;

/// What a program in a batch wrote, as frames.
pub struct BatchOutput {
    pub bytes: Vec<u8>,
    pub run: ProgramOutput,
}

#[derive(Debug)]
pub struct ProgramOutput {
    pub outcome: Outcome,
    /// Empty if there is none.
    pub output: Blob,
    pub stderr: Blob,
    /// Set if it cannot be accepted, whatever its output is.
    pub rejected: Option<VerdictWithCause>,
}

impl ProgramOutput {
    /// At most `most` bytes of its output.
    pub fn bytes(&self, most: u64) -> Result<Vec<u8>, JudgeError> {
        self.output.prefix(most).map_err(|error| JudgeError::new("read the output", error))
    }
}

/// The verdict on an output that was not written to a file.
#[derive(Clone, Debug)]
pub struct KnownOutputVerdict {
    pub verdict: Verdict,
    /// What the output validator wrote on standard error, if one was asked.
    pub validator_stderr: Vec<u8>,
}

/// Runs programs on inputs in memory.
#[derive(Clone, Copy)]
pub struct OutputRunner<'a> {
    pub executor: &'a dyn Executor,
    pub rules: &'a Rules<'a>,
    pub test_case: &'a TestCase,
}

impl OutputRunner<'_> {
    pub fn run(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Result<ProgramOutput, Stop> {
        Ok(self.output_of_reply(runnable, self.executor.run_job(&self.job(runnable, input))?))
    }

    /// Runs a program that was built for batches, under the limits of one run. `None` without inputs.
    pub fn run_batch(
        &self,
        runnable: &Runnable,
        mode: BatchMode,
        inputs: &[Arc<[u8]>],
    ) -> Result<Option<BatchOutput>, Stop> {
        let Some(first) = inputs.first() else { return Ok(None) };
        let texts = inputs.iter().map(|input| &**input);
        // The first input is also where an input usually is.
        let mut job = self.job(runnable, first);
        job.stdin = framed(&self.rules.problem.io, 0, mode.shared, texts).into();
        job.collect.clear();
        // One process waits for the others.
        job.limits.processes = job.limits.processes.map(|processes| processes + 1);
        let JobReply { outcome, stdout: output, stderr, .. } = self.executor.run_job(&job)?;
        let rejected = classify(&outcome, &runnable.limits(&self.rules.limits));
        let output_of_run = ProgramOutput { outcome, output, stderr, rejected };
        Ok(Some(BatchOutput { bytes: output_of_run.bytes(u64::MAX)?, run: output_of_run }))
    }

    fn job(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Job {
        let entry = ReadySubmission::without_name(runnable, TimeLimitMode::Any);
        pass_job(self.rules, &entry, self.test_case, &Pass::first(Arc::clone(input).into()))
    }

    fn output_of_reply(&self, runnable: &Runnable, reply: JobReply) -> ProgramOutput {
        let mut rejected = classify(&reply.outcome, &runnable.limits(&self.rules.limits));
        let output = match output_of(&self.rules.problem.io, &reply) {
            Ok(output) => output.clone(),
            Err(cause) => {
                rejected =
                    rejected.or(Some(VerdictWithCause { verdict: Verdict::WrongAnswer, cause }));
                Blob::default()
            }
        };
        ProgramOutput { outcome: reply.outcome, output, stderr: reply.stderr, rejected }
    }
}

/// Judges the output of a run that kept its limits and ended with exit code 0.
pub fn judge_known_output(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &ReadySubmission<'_>,
    case: &ReadyCase<'_>,
    outcome: &Outcome,
    output: Vec<u8>,
) -> Result<KnownOutputVerdict, Stop> {
    let judge = CaseJudge { executor, rules, entry, case };
    let output = Blob::from(output);
    let (stdout, collected) = match rules.problem.io {
        ProgramIo::Standard => (output, Vec::new()),
        ProgramIo::Files { .. } => (Blob::default(), vec![CollectedEntry::File(output)]),
    };
    let reply = JobReply {
        outcome: outcome.clone(),
        stdout,
        stderr: Blob::default(),
        collected,
        kept: None,
    };
    let pass = Pass::first(case.input.clone());
    let judged = judge.judge_output(&pass, &reply)?;
    let validator_stderr = judged.feedback.map(|feedback| feedback.stderr).unwrap_or_default();
    Ok(KnownOutputVerdict { verdict: judged.classified.verdict, validator_stderr })
}
