//! Decides whether an input fails. For a submission, the cross-check with a reference decides.

use std::sync::Arc;

use crate::search::cross_check::{CrossCheck, CrossCheckResult};
use juror_core::stop::Stop;
use juror_judging::judge::case::TimeLimitMode;
use juror_sandbox::executor::parallel;

#[derive(Clone, Debug)]
pub struct InputResult {
    pub input: Arc<[u8]>,
    pub answer: Option<Arc<[u8]>>,
    pub fails: bool,
}

pub trait InputJudge {
    /// Inputs that show nothing are left out of the result.
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop>;

    fn is_over(&self) -> bool;
}

impl InputJudge for CrossCheck<'_> {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop> {
        let executor = self.arena.bench.executor;
        // Inputs without a result at the deadline are left out.
        let results =
            parallel::map(executor, &inputs, |input| self.arena.in_time(judge_one(self, input)));
        let results = self.arena.in_time(results)?.into_iter().flatten();
        Ok(results.flatten().flatten().collect())
    }

    fn is_over(&self) -> bool {
        self.arena.is_over()
    }
}

fn judge_one(cross_check: &CrossCheck<'_>, input: &Arc<[u8]>) -> Result<Option<InputResult>, Stop> {
    if !cross_check.arena.validity.grammars_accept(input) {
        return Ok(None);
    }
    let fails = match cross_check.check(input, TimeLimitMode::Any)? {
        CrossCheckResult::NoAnswer(_) => return Ok(None),
        CrossCheckResult::Same(_) => false,
        CrossCheckResult::Differs(_) => true,
    };
    if cross_check.arena.validity.program_objection(input)?.is_some() {
        return Ok(None);
    }
    let answer = if cross_check.is_judged() {
        None
    } else {
        // The cross-check knows it, unless it is long.
        cross_check.answer(input)?.ok()
    };
    Ok(Some(InputResult { input: Arc::clone(input), answer, fails }))
}
