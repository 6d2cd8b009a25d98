//! The output of a program for an input, without a judgement: judge answers from a reference, and outputs to show.
//! Also for many inputs at once, and the verdict on such an output.

use std::sync::Arc;

use crate::executor::Executor;
use crate::judge::case::{Entry, Pass, ReadyCase, Rules, Trial, job};
use crate::judge::classify::{Classified, classify};
use crate::judge::compared::written;
use crate::model::blob::Blob;
use crate::model::job::{Collected, Repeat, Reply};
use crate::model::outcome::Outcome;
use crate::model::problem::ProgramIo;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;

/// The result of a program on an input.
#[derive(Debug)]
pub struct Ran {
    /// The facts.
    pub outcome: Outcome,
    /// Its output; empty if there is none.
    pub output: Blob,
    /// Its standard error.
    pub stderr: Blob,
    /// Why it cannot be accepted, whatever its output is.
    pub rejected: Option<Classified>,
}

/// Runs a program on an input in memory. `test_case` gives arguments and further files.
///
/// # Errors
/// If the judge failed or was interrupted.
pub fn output(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    test_case: &TestCase,
    input: &Arc<[u8]>,
) -> Result<Ran, Stop> {
    ran(rules, entry, executor.run(&job(rules, entry, test_case, &only_pass(input)))?)
}

/// Runs it again beside others, for its times. `number` counts these runs, from 1.
///
/// # Errors
/// If the judge failed or was interrupted.
pub fn output_again(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    test_case: &TestCase,
    input: &Arc<[u8]>,
    number: u32,
) -> Result<Ran, Stop> {
    let job = job(rules, entry, test_case, &only_pass(input));
    ran(rules, entry, executor.run_one(&job, Some(Repeat::beside(number)))?)
}

fn ran(rules: &Rules<'_>, entry: &Entry<'_>, reply: Reply) -> Result<Ran, Stop> {
    let mut rejected = classify(&reply.outcome, &entry.limits(rules));
    let output = match written(&rules.problem.io, &reply) {
        Ok(output) => output.clone(),
        Err(cause) => {
            rejected = rejected.or(Some(Classified { verdict: Verdict::WrongAnswer, cause }));
            Blob::default()
        }
    };
    Ok(Ran { outcome: reply.outcome, output, stderr: reply.stderr, rejected })
}

/// The only pass.
fn only_pass(input: &Arc<[u8]>) -> Pass {
    Pass::first(Arc::clone(input).into())
}

/// Runs a program that was built for many inputs at once, under the limits of one run. `all` is what it reads, `first`
/// the first input, which is where an input normally is.
///
/// Its results are on its standard output.
///
/// # Errors
/// If the judge failed or was interrupted.
pub fn outputs(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    test_case: &TestCase,
    first: &Arc<[u8]>,
    all: Arc<[u8]>,
) -> Result<Ran, Stop> {
    let mut job = job(rules, entry, test_case, &only_pass(first));
    job.stdin = all.into();
    job.collect.clear();
    // One more process waits for the others.
    job.limits.processes = job.limits.processes.map(|processes| processes + 1);
    let reply = executor.run(&job)?;
    let rejected = classify(&reply.outcome, &entry.limits(rules));
    Ok(Ran { outcome: reply.outcome, output: reply.stdout, stderr: reply.stderr, rejected })
}

/// The verdict on an output of a run with this outcome, which kept its limits and ended with exit code 0.
///
/// # Errors
/// If the judge failed or was interrupted.
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
