//! What a program writes for an input, without a judgement: judge answers by a reference, and what to show.

use std::sync::Arc;

use crate::executor::{Executor, RunError};
use crate::judge::case::{Entry, Pass, Rules, job, written};
use crate::judge::classify::{Classified, classify};
use crate::model::job::{BoxContent, Captured};
use crate::model::outcome::Outcome;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;

/// What a program did with an input.
#[derive(Debug)]
pub struct Ran {
    /// The facts.
    pub outcome: Outcome,
    /// What it wrote where its output belongs; nothing where there is no such output.
    pub output: Captured,
    /// What it wrote on standard error.
    pub stderr: Captured,
    /// Why it cannot be accepted, whatever is in its output.
    pub rejected: Option<Classified>,
}

/// Runs a program on an input that is in no file. `test_case` gives arguments and further files.
///
/// # Errors
/// When the judge failed or was interrupted.
pub fn output(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    test_case: &TestCase,
    input: &Arc<[u8]>,
) -> Result<Ran, RunError> {
    let pass = Pass {
        number: 1,
        input: BoxContent::Bytes(Arc::clone(input)),
        earlier: Vec::new(),
        _dir: None,
    };
    let mut reply = executor.run(&job(rules, entry, test_case, &pass))?;
    let mut rejected = classify(&reply.outcome, &rules.limits);
    let output = match written(rules.io, &mut reply) {
        Ok(output) => std::mem::take(output),
        Err(cause) => {
            rejected = rejected.or(Some(Classified {
                verdict: Verdict::WrongAnswer,
                cause,
            }));
            Captured::default()
        }
    };
    Ok(Ran {
        outcome: reply.outcome,
        output,
        stderr: reply.stderr,
        rejected,
    })
}
