//! The output of a program for an input, without a verdict: for judge answers, and to show it. Also for many inputs at
//! once, and the verdict on such an output.

use std::sync::Arc;

use crate::build::Runnable;
use crate::build::batch::{Way, inputs as framed};
use crate::executor::Executor;
use crate::judge::case::{Entry, Pass, ReadyCase, Rules, TimeLimitMode, Trial, job};
use crate::judge::classify::{Classified, classify};
use crate::judge::compared::written;
use crate::model::blob::Blob;
use crate::model::job::{Collected, Job, Reply};
use crate::model::judgement::JudgeError;
use crate::model::outcome::Outcome;
use crate::model::problem::ProgramIo;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;

/// What a program in a batch wrote, as frames.
pub struct BatchOutput {
    pub bytes: Vec<u8>,
    pub ran: Ran,
}

#[derive(Debug)]
pub struct Ran {
    pub outcome: Outcome,
    /// Empty if there is none.
    pub output: Blob,
    pub stderr: Blob,
    /// Set if it cannot be accepted, whatever its output is.
    pub rejected: Option<Classified>,
}

impl Ran {
    /// At most `most` bytes of its output.
    pub fn bytes(&self, most: u64) -> Result<Vec<u8>, JudgeError> {
        self.output.start(most).map_err(|error| JudgeError::new("read the output", error))
    }
}

/// Runs programs on inputs in memory.
#[derive(Clone, Copy)]
pub struct OutputRuns<'a> {
    pub executor: &'a dyn Executor,
    pub rules: &'a Rules<'a>,
    pub test_case: &'a TestCase,
}

impl OutputRuns<'_> {
    pub fn run(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Result<Ran, Stop> {
        Ok(self.ran(runnable, self.executor.run_job(&self.job(runnable, input))?))
    }

    /// Runs a program that was built for batches, under the limits of one run. `None` without inputs.
    pub fn many(
        &self,
        runnable: &Runnable,
        way: Way,
        inputs: &[Arc<[u8]>],
    ) -> Result<Option<BatchOutput>, Stop> {
        let Some(first) = inputs.first() else { return Ok(None) };
        let texts = inputs.iter().map(|input| &**input);
        let all: Arc<[u8]> = framed(&self.rules.problem.io, 0, way.shared, texts).into();
        // The first input is also where an input usually is.
        let mut job = self.job(runnable, first);
        job.stdin = all.into();
        job.collect.clear();
        // One process waits for the others.
        job.limits.processes = job.limits.processes.map(|processes| processes + 1);
        let Reply { outcome, stdout: output, stderr, .. } = self.executor.run_job(&job)?;
        let rejected = classify(&outcome, &runnable.limits(&self.rules.limits));
        let ran = Ran { outcome, output, stderr, rejected };
        Ok(Some(BatchOutput { bytes: ran.bytes(u64::MAX)?, ran }))
    }

    fn job(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Job {
        let entry = Entry::unnamed(runnable, TimeLimitMode::Any);
        job(self.rules, &entry, self.test_case, &Pass::first(Arc::clone(input).into()))
    }

    fn ran(&self, runnable: &Runnable, reply: Reply) -> Ran {
        let mut rejected = classify(&reply.outcome, &runnable.limits(&self.rules.limits));
        let output = match written(&self.rules.problem.io, &reply) {
            Ok(output) => output.clone(),
            Err(cause) => {
                rejected = rejected.or(Some(Classified { verdict: Verdict::WrongAnswer, cause }));
                Blob::default()
            }
        };
        Ran { outcome: reply.outcome, output, stderr: reply.stderr, rejected }
    }
}

/// Judges the output of a run that kept its limits and ended with exit code 0.
pub fn judge_output(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    case: &ReadyCase<'_>,
    outcome: &Outcome,
    output: Vec<u8>,
) -> Result<Verdict, Stop> {
    let trial = Trial { executor, rules, entry, case };
    let output = Blob::from(output);
    let (stdout, collected) = match rules.problem.io {
        ProgramIo::Standard => (output, Vec::new()),
        ProgramIo::Files { .. } => (Blob::default(), vec![Collected::File(output)]),
    };
    let reply =
        Reply { outcome: outcome.clone(), stdout, stderr: Blob::default(), collected, kept: None };
    let pass = Pass::first(case.input.clone());
    let judged = trial.judge_output(&pass, &reply)?;
    Ok(judged.classified.verdict)
}
