//! A submission that is judged by comparison with a reference.

use std::sync::Arc;

use crate::executor::parallel;
use crate::explain::subject::{Judged, Subject};
use crate::judge::case::TimeLimitMode;
use crate::model::stop::Stop;
use crate::search::arena::Arena;
use crate::search::comparison::{Compared, Comparison};

pub struct ByComparison<'a> {
    pub arena: &'a Arena<'a>,
    pub comparison: &'a Comparison<'a>,
}

impl Subject for ByComparison<'_> {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<Judged>, Stop> {
        let executor = self.comparison.bench.executor;
        // Inputs without a result at the deadline are left out.
        let judged = parallel::map(executor, &inputs, |input| self.arena.in_time(self.one(input)));
        let judged = self.arena.in_time(judged)?.into_iter().flatten();
        Ok(judged.flatten().flatten().collect())
    }

    fn is_over(&self) -> bool {
        self.arena.is_over()
    }
}

impl ByComparison<'_> {
    fn one(&self, input: &Arc<[u8]>) -> Result<Option<Judged>, Stop> {
        if !self.arena.validity.by_grammar(input) {
            return Ok(None);
        }
        let fails = match self.comparison.compare(input, TimeLimitMode::Any)? {
            Compared::NoAnswer(_) => return Ok(None),
            Compared::Same => false,
            Compared::Differs(_) => true,
        };
        if self.arena.validity.refusal(input)?.is_some() {
            return Ok(None);
        }
        let answer = if self.comparison.is_judged() {
            None
        } else {
            // The comparison knows it, unless it is long.
            self.comparison.answer(input)?.ok()
        };
        Ok(Some(Judged { input: Arc::clone(input), answer, fails }))
    }
}
