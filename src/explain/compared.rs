//! A submission that is judged by comparison with a reference.

use std::sync::Arc;

use crate::executor::parallel;
use crate::explain::subject::{InputJudge, InputResult};
use crate::judge::case::TimeLimitMode;
use crate::model::stop::Stop;
use crate::search::arena::Arena;
use crate::search::comparison::{Comparison, ComparisonResult};

pub struct ComparedSubmission<'a> {
    pub arena: &'a Arena<'a>,
    pub comparison: &'a Comparison<'a>,
}

impl InputJudge for ComparedSubmission<'_> {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop> {
        let executor = self.comparison.bench.executor;
        // Inputs without a result at the deadline are left out.
        let judged =
            parallel::map(executor, &inputs, |input| self.arena.in_time(self.judge_one(input)));
        let judged = self.arena.in_time(judged)?.into_iter().flatten();
        Ok(judged.flatten().flatten().collect())
    }

    fn is_over(&self) -> bool {
        self.arena.is_over()
    }
}

impl ComparedSubmission<'_> {
    fn judge_one(&self, input: &Arc<[u8]>) -> Result<Option<InputResult>, Stop> {
        if !self.arena.validity.grammars_accept(input) {
            return Ok(None);
        }
        let fails = match self.comparison.compare(input, TimeLimitMode::Any)? {
            ComparisonResult::NoAnswer(_) => return Ok(None),
            ComparisonResult::Same => false,
            ComparisonResult::Differs(_) => true,
        };
        if self.arena.validity.program_objection(input)?.is_some() {
            return Ok(None);
        }
        let answer = if self.comparison.is_judged() {
            None
        } else {
            // The comparison knows it, unless it is long.
            self.comparison.answer(input)?.ok()
        };
        Ok(Some(InputResult { input: Arc::clone(input), answer, fails }))
    }
}
