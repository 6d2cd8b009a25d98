//! A submission that is judged by comparison with a reference.

use std::sync::Arc;

use crate::executor::parallel;
use crate::executor::scheduler::Scheduler;
use crate::explain::subject::{Judged, Subject};
use crate::judge::case::TimeLimitMode;
use crate::model::stop::Stop;
use crate::stress::comparison::{Compared, Comparison};
use crate::validity::Validity;

/// A submission with its reference.
pub struct ByComparison<'a> {
    pub comparison: &'a Comparison<'a>,
    pub validity: &'a Validity<'a>,
    /// Ends the runs when the time is over.
    pub scheduler: &'a Scheduler,
}

impl Subject for ByComparison<'_> {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<Judged>, Stop> {
        let executor = self.comparison.bench.executor;
        let judged = parallel::map(executor, &inputs, |input| match self.one(input) {
            // Inputs without result when the time runs out are left out.
            Err(Stop::Interrupted) if self.scheduler.ran_out() => Ok(None),
            judged => judged,
        });
        match judged {
            Err(Stop::Interrupted) if self.scheduler.ran_out() => Ok(Vec::new()),
            judged => Ok(judged?.into_iter().flatten().collect()),
        }
    }

    fn is_over(&self) -> bool {
        self.scheduler.is_over()
    }
}

impl ByComparison<'_> {
    fn one(&self, input: &Arc<[u8]>) -> Result<Option<Judged>, Stop> {
        if !self.validity.by_grammar(input) {
            return Ok(None);
        }
        let fails = match self.comparison.compare(input, TimeLimitMode::Any)? {
            Compared::NoAnswer(_) => return Ok(None),
            Compared::Same => false,
            Compared::Differs(_) => true,
        };
        if self.validity.refusal(input)?.is_some() {
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
