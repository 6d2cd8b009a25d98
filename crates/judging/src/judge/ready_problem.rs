//! What is known of a problem before submissions are judged.

use std::sync::Arc;
use std::time::Duration;

use crate::build::batch::BatchMode;
use crate::build::bench::Bench;
use crate::judge::case::{ReadyCase, Rules, Validators};
use crate::judge::images::ImageUse;
use crate::judge::validators::build_validators;
use juror_core::judgement::TimeLimit;
use juror_core::limits::Limits;
use juror_core::stop::Stop;

/// A problem that is ready to judge: its test data exists, its validators are built, and something runs programs.
#[derive(Clone)]
pub struct ReadyProblem<'a> {
    pub bench: Bench<'a>,
    /// Those of every run. They have no limits as long as the time limit is unknown.
    pub rules: Rules<'a>,
    pub cases: Vec<ReadyCase<'a>>,
    pub given_time_limit: Option<Duration>,
    /// Whether runs near the time limit are repeated. Otherwise their verdicts are sensitive.
    pub repeats: bool,
    /// Whether test cases may share one start of an interpreter, if its language has such batches.
    pub batches: Option<BatchMode>,
}

impl<'a> ReadyProblem<'a> {
    pub fn new(bench: Bench<'a>, validators: Arc<Validators>, cases: Vec<ReadyCase<'a>>) -> Self {
        let rules = Rules::new(bench.problem, validators);
        Self { bench, rules, cases, given_time_limit: None, repeats: true, batches: None }
    }

    /// Builds and tests the validators.
    ///
    /// # Errors
    /// Those of [`build_validators`].
    pub fn build(
        bench: Bench<'a>,
        images: ImageUse,
        cases: Vec<ReadyCase<'a>>,
    ) -> Result<Self, Stop> {
        Ok(Self::new(bench, Arc::new(build_validators(&bench, images)?), cases))
    }

    pub fn rules_at(&self, time_limit: &TimeLimit) -> Rules<'a> {
        let problem_limits = &self.bench.problem.limits;
        let limits = Limits::of_submission(problem_limits, time_limit.limit);
        let slow = time_limit.limit.mul_f64(problem_limits.time_limit_to_tle);
        let stop_slow_at = Limits::of_submission(problem_limits, slow);
        Rules { limits, stop_slow_at, ..self.rules.clone() }
    }
}
