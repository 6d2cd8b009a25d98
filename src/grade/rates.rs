//! Rates of a stream: how probably one of k samples for a problem passes, and what share of the tests passes.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_with::serde_as;

use crate::grade::fault::FaultyPart;
use juror_core::serial::Seconds;
use juror_core::verdict::Verdict;

#[derive(Clone, Debug, Default)]
pub struct RateTally {
    problems: BTreeMap<String, ProblemRates>,
    /// Of each sample without a problem: whether it passes, and its share of the tests.
    others: Vec<(bool, f32)>,
    errors: BTreeMap<FaultyPart, u64>,
    cpu_time: Duration,
}

/// The rates of all problems, and of each.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rates {
    /// The number of problems. A sample without `problem` and package counts as a problem of its own.
    pub problems: usize,
    /// The number of samples that are in the rates: with a verdict, or without code.
    pub samples: u64,
    /// The number of lines that are left out of the rates, by the kind of their error.
    pub errors: BTreeMap<FaultyPart, u64>,
    /// By k: how probably at least one of k samples for a problem passes.
    pub pass_at: BTreeMap<u64, Rate>,
    /// The share of tests that a sample passes.
    pub tests_passed: Rate,
    /// CPU time of all runs of these samples.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "cpu_seconds")]
    pub cpu_time: Duration,
    /// The same for each problem.
    pub by_problem: BTreeMap<String, ProblemRates>,
}

/// The mean of all problems that have this rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// From 0 to 1; `null` if no problem has it.
    pub mean: Option<f64>,
    /// The interval that has the mean of 95 % of random selections of as many problems; `null` for less than two.
    pub interval: Option<[f64; 2]>,
    /// The number of these problems.
    pub problems: usize,
}

/// The rates of one problem.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProblemRates {
    /// Those with a verdict, and those without code.
    pub samples: u64,
    /// Those with the verdict AC.
    pub accepted: u64,
    /// Those without code.
    pub no_code: u64,
    /// The number of lines that are left out, by the kind of their error.
    pub errors: BTreeMap<FaultyPart, u64>,
    /// By k; `null` if it has fewer than k samples.
    pub pass_at: BTreeMap<u64, Option<f64>>,
    /// The share of tests that a sample passes.
    pub tests_passed: Option<f64>,
    /// CPU time of all runs.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "cpu_seconds")]
    pub cpu_time: Duration,
    /// The sum of these shares.
    #[serde(skip)]
    shares: f64,
}

impl RateTally {
    /// `tests` also has those that were skipped.
    pub fn count(
        &mut self,
        problem: Option<&Value>,
        result: (Option<Verdict>, Option<FaultyPart>),
        (passed, tests): (usize, usize),
        cpu_time: Duration,
    ) {
        let name = problem.map(|name| name.as_str().map_or(name.to_string(), str::to_owned));
        let problem = name.map(|name| self.problems.entry(name).or_default());
        let kind = match result {
            (None, fault) => fault.unwrap_or(FaultyPart::Judge),
            // No error.
            (Some(_), _) => FaultyPart::NoCode,
        };
        if kind != FaultyPart::NoCode {
            *self.errors.entry(kind).or_default() += 1;
            problem.into_iter().for_each(|problem| *problem.errors.entry(kind).or_default() += 1);
            return;
        }
        self.cpu_time += cpu_time;
        let is_accepted = result.0 == Some(Verdict::Accepted);
        let share = match tests {
            0 => f64::from(u8::from(is_accepted)),
            tests => passed as f64 / tests as f64,
        };
        let Some(problem) = problem else {
            self.others.push((is_accepted, share as f32));
            return;
        };
        problem.samples += 1;
        problem.accepted += u64::from(is_accepted);
        problem.no_code += u64::from(result.0.is_none());
        problem.cpu_time += cpu_time;
        problem.shares += share;
    }

    /// For each of these k. The order in which the results came does not matter.
    pub fn rates(&self, all_k: &[u64]) -> Rates {
        let mut by_problem = self.problems.clone();
        for problem in by_problem.values_mut() {
            let (samples, accepted) = (problem.samples, problem.accepted);
            let estimate = |k: &u64| (*k, estimate_pass_at(*k, samples, accepted));
            problem.pass_at = all_k.iter().map(estimate).collect();
            problem.tests_passed = (samples > 0).then(|| problem.shares / samples as f64);
        }
        let mut others = self.others.clone();
        others.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let of_problems = by_problem.values();
        let pass_at = |k: u64| {
            let known = of_problems.clone().filter_map(|problem| problem.pass_at[&k]);
            let alone = others.iter().filter(|_| k == 1).map(|other| f64::from(u8::from(other.0)));
            (k, Rate::of(&known.chain(alone).collect::<Vec<f64>>()))
        };
        let shares = of_problems.clone().filter_map(|problem| problem.tests_passed);
        let shares = shares.chain(others.iter().map(|other| f64::from(other.1)));
        Rates {
            problems: by_problem.len() + others.len(),
            samples: of_problems.clone().map(|problem| problem.samples).sum::<u64>()
                + others.len() as u64,
            errors: self.errors.clone(),
            pass_at: all_k.iter().copied().map(pass_at).collect(),
            tests_passed: Rate::of(&shares.collect::<Vec<f64>>()),
            cpu_time: self.cpu_time,
            by_problem,
        }
    }
}

/// 1 - C(samples - accepted, k) / C(samples, k), which has no bias.
///
/// Source: Chen et al., Evaluating Large Language Models Trained on Code, 2021, section 2.1.
fn estimate_pass_at(k: u64, samples: u64, accepted: u64) -> Option<f64> {
    let wrong = samples - accepted;
    match samples {
        _ if samples < k => None,
        _ if wrong < k => Some(1.0),
        _ => {
            let factors = (wrong + 1..=samples).map(|at| 1.0 - k as f64 / at as f64);
            Some(1.0 - factors.product::<f64>())
        }
    }
}

impl Rate {
    fn of(values: &[f64]) -> Self {
        let problems = values.len();
        let mean = |sum: f64| sum / problems as f64;
        Self {
            mean: (problems > 0).then(|| mean(values.iter().sum())),
            interval: (problems > 1).then(|| {
                // Each selection of a great many problems has nearly the same mean.
                let selections = (50_000_000 / problems).clamp(200, 1000);
                let mut numbers = RandomNumbers(0);
                let mut select = |_| {
                    let one = |_| values[numbers.below(problems)];
                    mean((0..problems).map(one).sum())
                };
                let mut means: Vec<f64> = (0..selections).map(&mut select).collect();
                means.sort_by(f64::total_cmp);
                let cut = selections / 40;
                [means[cut], means[selections - 1 - cut]]
            }),
            problems,
        }
    }
}

/// The same numbers on every machine (splitmix64).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_the_share_of_selections_with_an_accepted_sample() {
        for samples in 1..=8_u64 {
            for accepted in 0..=samples {
                for k in 1..=samples {
                    let selections =
                        (0..1_u64 << samples).filter(|set| set.count_ones() as u64 == k);
                    let passes = |set: &u64| set & ((1 << accepted) - 1) != 0;
                    let all = selections.clone().count() as f64;
                    let expected = selections.filter(passes).count() as f64 / all;
                    let found = estimate_pass_at(k, samples, accepted).expect("enough samples");
                    assert!((found - expected).abs() < 1e-12, "{k} {samples} {accepted}: {found}");
                }
                assert_eq!(estimate_pass_at(samples + 1, samples, accepted), None);
            }
        }
    }

    #[test]
    fn rates_do_not_depend_on_order_and_leave_errors_out() {
        let line = |problem: Option<&str>, verdict, fault, passed| {
            (problem.map(Value::from), verdict, fault, passed)
        };
        let (right, wrong) = (Some(Verdict::Accepted), Some(Verdict::WrongAnswer));
        let mut all = vec![
            line(Some("a"), right, None, 4),
            line(Some("a"), wrong, None, 1),
            line(Some("a"), None, Some(FaultyPart::NoCode), 0),
            line(Some("a"), None, Some(FaultyPart::Judge), 0),
            line(Some("b"), right, None, 4),
            line(Some("c"), None, Some(FaultyPart::Line), 0),
            line(None, wrong, None, 2),
        ];
        type Line = (Option<Value>, Option<Verdict>, Option<FaultyPart>, usize);
        let rates = |all: &[Line]| {
            let mut tally = RateTally::default();
            let time = Duration::from_secs(1);
            for (problem, verdict, fault, passed) in all {
                tally.count(problem.as_ref(), (*verdict, *fault), (*passed, 4), time);
            }
            tally.rates(&[1, 3])
        };
        let found = rates(&all);
        all.reverse();
        assert_eq!(rates(&all), found);
        assert_eq!((found.problems, found.samples), (4, 5));
        // Lines with errors have no runs that count.
        assert_eq!(found.cpu_time, Duration::from_secs(5));
        assert_eq!(found.by_problem["a"].cpu_time, Duration::from_secs(3));
        let errors = [(FaultyPart::Line, 1), (FaultyPart::Judge, 1)];
        assert_eq!(found.errors, BTreeMap::from(errors));
        let third = 1.0 / 3.0;
        let first = found.pass_at[&1];
        assert_eq!(first.problems, 3);
        assert!((first.mean.expect("a mean") - (third + 1.0) * third).abs() < 1e-12, "{first:?}");
        let [low, high] = first.interval.expect("an interval");
        assert!((0.0..0.45).contains(&low) && (0.45..=1.0).contains(&high), "{low} {high}");
        let of_three = Rate { mean: Some(1.0), interval: None, problems: 1 };
        assert_eq!(found.pass_at[&3], of_three);
        let tests = found.tests_passed.mean.expect("a mean");
        assert!((tests - (1.25 * third + 1.0 + 0.5) * third).abs() < 1e-12, "{tests}");
        assert_eq!(found.by_problem["b"].pass_at, BTreeMap::from([(1, Some(1.0)), (3, None)]));
        assert_eq!(found.by_problem["c"].tests_passed, None);
        assert_eq!(RateTally::default().rates(&[1]).pass_at[&1], Rate::default());
    }
}
