//! Decides whether an input fails. For a submission, the comparison with a reference decides.

use std::sync::Arc;

use crate::search::comparison::{Comparison, ComparisonResult};
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

impl InputJudge for Comparison<'_> {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop> {
        let executor = self.arena.bench.executor;
        // Inputs without a result at the deadline are left out.
        let judged =
            parallel::map(executor, &inputs, |input| self.arena.in_time(judge_one(self, input)));
        let judged = self.arena.in_time(judged)?.into_iter().flatten();
        Ok(judged.flatten().flatten().collect())
    }

    fn is_over(&self) -> bool {
        self.arena.is_over()
    }
}

fn judge_one(comparison: &Comparison<'_>, input: &Arc<[u8]>) -> Result<Option<InputResult>, Stop> {
    if !comparison.arena.validity.grammars_accept(input) {
        return Ok(None);
    }
    let fails = match comparison.compare(input, TimeLimitMode::Any)? {
        ComparisonResult::NoAnswer(_) => return Ok(None),
        ComparisonResult::Same(_) => false,
        ComparisonResult::Differs(_) => true,
    };
    if comparison.arena.validity.program_objection(input)?.is_some() {
        return Ok(None);
    }
    let answer = if comparison.is_judged() {
        None
    } else {
        // The comparison knows it, unless it is long.
        comparison.answer(input)?.ok()
    };
    Ok(Some(InputResult { input: Arc::clone(input), answer, fails }))
}
