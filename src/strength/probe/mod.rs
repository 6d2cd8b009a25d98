//! How the time and memory of submissions grow with the input, and whether test data and bounds separate slow
//! submissions from fast ones.

pub mod fit;
pub mod inputs;
mod separate;
mod sizes;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::judge::case::Rules;
use crate::judge::output::{OutputRuns, Ran};
use crate::model::limits::Limits;
use crate::model::outcome::{Outcome, StoppedBy};
use crate::model::probe::{Growth, Law, ProbePoint, Probes, SubmissionProbe, VariableProbe};
use crate::model::problem::{Interaction, Problem};
use crate::model::stop::Stop;
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::units::Bytes;
use crate::model::verdict::Verdict;
use crate::strength::probe::fit::{Floor, Point, growth};
use crate::strength::probe::inputs::{Inputs, SizedInput, Variable, Wanted};
use crate::strength::probe::separate::OnData;
use crate::strength::probe::sizes::{SizeCost, measure_sizes};
use crate::stress::reference::is_accepted;

/// The factor by which a slow submission must exceed the limit.
pub const SLOW: f64 = 1.5;
/// The part of the limit that an accepted submission may take.
pub const FAST: f64 = 0.5;

/// A submission to measure.
pub struct Probed<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether its author says that it is too slow; otherwise it is accepted everywhere.
    pub is_slow: bool,
    /// The program.
    pub runnable: &'a Runnable,
}

/// What to measure, and with what.
pub struct Probing<'a> {
    /// The problem, and where programs run.
    pub bench: Bench<'a>,
    /// The rules of judging.
    pub rules: &'a Rules<'a>,
    /// Gives arguments and further files for inputs that are not in a file.
    pub test_case: &'a TestCase,
    /// The submissions.
    pub submissions: &'a [Probed<'a>],
    /// The source of inputs of growing size, if there is one.
    pub inputs: Option<&'a dyn Inputs>,
    /// Whether there is time for another run.
    pub has_time: &'a (dyn Fn() -> bool + Sync),
}

/// None if a submission is not measured; otherwise whether its author says that it is too slow.
pub fn class(submission: &Submission) -> Option<bool> {
    let only = |verdicts: &Option<Vec<Verdict>>| {
        verdicts.as_deref() == Some(&[Verdict::TimeLimitExceeded])
    };
    let is_slow = submission.expectations.iter().any(|rule| {
        let overall = rule.overall.as_ref().map(|overall| overall.verdicts.clone());
        only(&rule.required) || only(&rule.permitted) || only(&overall)
    });
    (is_slow || is_accepted(submission)).then_some(is_slow)
}

/// Why submissions to a problem cannot be measured. None if they can.
pub fn unmeasurable(problem: &Problem) -> Option<&'static str> {
    match (problem.kind.interaction, problem.kind.passes) {
        (Interaction::Interactive, _) => Some(
            "submissions talk while they run: only those that read a file and write one are measured",
        ),
        (_, 2..) => Some("submissions run more than once: only those that run once are measured"),
        _ => None,
    }
}

/// Measures all submissions.
///
/// # Errors
/// If the judge failed or was interrupted.
pub fn probes(probing: &Probing<'_>) -> Result<Probes, Stop> {
    if let Some(missing) = unmeasurable(probing.bench.problem) {
        return Ok(Probes { missing: Some(missing.to_owned()), ..Probes::default() });
    }
    let slow = probing.rules.limits.cpu_time.map(|limit| limit.mul_f64(SLOW));
    let limits = match slow {
        Some(slow) => Limits::of_submission(&probing.bench.problem.limits, slow),
        None => probing.rules.limits.clone(),
    };
    let short = Limits { wall_time: slow.map(|it| it.mul_f64(SLOW)), ..limits.clone() };
    let gauge = Gauge {
        probing,
        rules: [short, limits].map(|limits| Rules { limits, ..probing.rules.clone() }),
        runs: AtomicU64::new(0),
        is_cut: AtomicBool::new(false),
    };
    let mut probes = Probes::default();
    // Test cases come first, in case there is not enough time for everything.
    let on_data = separate::on_data(&gauge)?;
    if let Some(inputs) = probing.inputs {
        // The time of a program that waits says nothing, and to wait for it takes long.
        let waits = |name: &str| {
            let found = on_data.iter().find(|(it, _)| it.name == name);
            matches!(found, Some((_, OnData::TooSlow { waited: true, .. })))
        };
        let all = probing.submissions.iter().filter(|it| !waits(it.name));
        let measured =
            probing.bench.map("speed probes", &all.collect::<Vec<_>>(), |submission| {
                gauge.submission(inputs, submission)
            })?;
        probes.submissions = measured.into_iter().flatten().collect();
    } else {
        let missing = "no inputs of other sizes: add a grammar of the input (.ctd), or generators with numbers in their lines";
        probes.missing = Some(missing.to_owned());
    }
    probes.is_cut = gauge.is_cut.load(Ordering::Relaxed);
    if let Some(limit) = probing.rules.limits.cpu_time {
        let told =
            |(it, found): &(&Probed<'_>, _)| separate::separation(it.name, found, &probes, limit);
        probes.separations = on_data.iter().map(told).collect();
    }
    probes.runs = gauge.runs.load(Ordering::Relaxed);
    Ok(probes)
}

/// Measures the costs of runs.
struct Gauge<'a> {
    probing: &'a Probing<'a>,
    /// The rules with the limits for slow submissions: with little time for one that waits, and with all of it.
    rules: [Rules<'a>; 2],
    runs: AtomicU64,
    is_cut: AtomicBool,
}

/// The cost of a run.
#[derive(Clone, Debug, PartialEq)]
struct Cost {
    time: Duration,
    memory: Bytes,
    runs: u32,
    /// Whether it exceeded the time limit for slow submissions, or the memory limit.
    is_over: bool,
    /// Whether the clock ended it, and it hardly computed.
    waited: bool,
    failed: Option<String>,
}

impl Cost {
    fn at(&self, size: u64) -> ProbePoint {
        ProbePoint {
            size,
            cpu_seconds: self.time,
            memory_bytes: self.memory,
            runs: self.runs,
            failed: self.failed.clone(),
        }
    }
}

/// Programs up to this time run three times, up to the next one twice.
const SHORT: Duration = Duration::from_millis(50);
const MIDDLE: Duration = Duration::from_millis(300);

impl Gauge<'_> {
    /// The wanted input; None if there is none, or the time is over: to make a large one can take seconds.
    fn make(&self, inputs: &dyn Inputs, wanted: &Wanted) -> Result<Option<SizedInput>, Stop> {
        if self.is_late() { Ok(None) } else { inputs.make(wanted) }
    }

    /// Whether the time is over; the probes are cut short then.
    fn is_late(&self) -> bool {
        let is_late = !(self.probing.has_time)();
        self.is_cut.fetch_or(is_late, Ordering::Relaxed);
        is_late
    }

    fn ran(&self, runnable: &Runnable, input: &Arc<[u8]>, number: u32) -> Result<Ran, Stop> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let Probing { bench, test_case, .. } = self.probing;
        let run = |rules| {
            let runs = OutputRuns { executor: bench.executor, rules, test_case };
            match number {
                0 => runs.run(runnable, input),
                _ => runs.again(runnable, input, number),
            }
        };
        let [short, whole] = &self.rules;
        let ran = run(short)?;
        // Nothing is learned from a program that waits. One that computes on a busy machine gets its time.
        if ran.outcome.stopped_by == Some(StoppedBy::WallTime) && !has_waited(&ran.outcome) {
            run(whole)
        } else {
            Ok(ran)
        }
    }

    /// The least cost of a few runs. One run if more would show nothing: if it took less than `floor`, failed, or was
    /// long. `None` if the time is over.
    fn cost(
        &self,
        runnable: &Runnable,
        input: &Arc<[u8]>,
        floor: Option<Duration>,
    ) -> Result<Option<Cost>, Stop> {
        if self.is_late() {
            return Ok(None);
        }
        let first = self.ran(runnable, input, 0)?;
        let mut cost = Cost {
            time: first.outcome.cpu_time,
            memory: first.outcome.peak_memory,
            runs: 1,
            is_over: first.rejected.as_ref().is_some_and(|it| {
                matches!(it.verdict, Verdict::TimeLimitExceeded | Verdict::MemoryLimitExceeded)
            }),
            waited: has_waited(&first.outcome),
            failed: first.rejected.map(|it| it.cause),
        };
        let repeats = match cost.time {
            _ if cost.failed.is_some() || floor.is_some_and(|floor| cost.time < floor) => 0,
            time if time < SHORT => 2,
            time if time < MIDDLE => 1,
            _ => 0,
        };
        for number in 1..=repeats {
            let outcome = self.ran(runnable, input, number)?.outcome;
            cost.time = cost.time.min(outcome.cpu_time);
            cost.memory = cost.memory.min(outcome.peak_memory);
            cost.runs += 1;
        }
        Ok(Some(cost))
    }

    /// The growth of a submission's costs; `None` if no input could be made, or the time is over.
    fn submission(
        &self,
        inputs: &dyn Inputs,
        probed: &Probed<'_>,
    ) -> Result<Option<SubmissionProbe>, Stop> {
        let runnable = probed.runnable;
        let Some(floor) = self.floor(inputs, runnable)? else { return Ok(None) };
        // The manner whose values cost it most.
        let mut worst: Option<(usize, Cost)> = None;
        for manner in 0..inputs.manners().len() {
            let wanted = Wanted { manner, sized: None, others_at_most: true };
            let Some(made) = self.make(inputs, &wanted)? else { continue };
            let Some(cost) = self.cost(runnable, &made.input, Some(telling_from(floor)))? else {
                return Ok(None);
            };
            let is_over = cost.failed.is_some();
            if is_over || worst.as_ref().is_none_or(|(_, known)| cost.time > known.time) {
                worst = Some((manner, cost));
            }
            if is_over {
                break;
            }
        }
        let Some((manner, largest)) = worst else { return Ok(None) };
        // The time of a program that waits says nothing, and to wait for it takes long.
        let is_telling =
            !largest.waited && (largest.failed.is_some() || largest.time > telling_from(floor));
        let mut variables = Vec::new();
        if is_telling {
            for (at, variable) in inputs.variables(manner).iter().enumerate() {
                let mut probe = self.variable(inputs, runnable, floor, (manner, at, true))?;
                // It takes too long even if this variable is small: the others hide its effect.
                if probe.points.len() < 2 {
                    let alone = self.variable(inputs, runnable, floor, (manner, at, false))?;
                    probe = if alone.points.len() > probe.points.len() { alone } else { probe };
                }
                // Half a measurement would mislead.
                if self.is_cut.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                variables.push((variable.clone(), probe));
            }
        }
        let leverage = |(variable, probe): &(Variable, VariableProbe)| leverage(variable, probe);
        let driver = variables.iter().filter(|it| leverage(it) > 0.0);
        let driver = driver.max_by(|a, b| leverage(a).total_cmp(&leverage(b)));
        Ok(Some(SubmissionProbe {
            submission: probed.name.to_owned(),
            declared_slow: probed.is_slow,
            values: inputs.manners()[manner].clone(),
            largest: largest.at(0),
            waits: largest.waited,
            driver: driver.map(|(variable, _)| variable.name.clone()),
            variables: variables.into_iter().map(|(_, probe)| probe).collect(),
        }))
    }

    /// The cost of the smallest input: the cost of a start.
    fn floor(&self, inputs: &dyn Inputs, runnable: &Runnable) -> Result<Option<Duration>, Stop> {
        let small = Wanted { manner: 0, sized: None, others_at_most: false };
        let mut made = self.make(inputs, &small)?;
        let variables = inputs.variables(0);
        for (at, variable) in variables.iter().enumerate() {
            if made.is_some() {
                break;
            }
            let sized = Some((at, variable.least.max(variable.most / 64)));
            made = self.make(inputs, &Wanted { manner: 0, sized, others_at_most: true })?;
        }
        let Some(made) = made else { return Ok(None) };
        let cost = self.cost(runnable, &made.input, None)?;
        // A program that is too slow even then counts as without floor: the floor is small beside its costs.
        Ok(cost.map(|cost| if cost.failed.is_some() { Duration::ZERO } else { cost.time }))
    }

    fn variable(
        &self,
        inputs: &dyn Inputs,
        runnable: &Runnable,
        floor: Duration,
        (manner, at, others_at_most): (usize, usize, bool),
    ) -> Result<VariableProbe, Stop> {
        let variable = &inputs.variables(manner)[at];
        let mut costs: Vec<(u64, Cost)> = Vec::new();
        let mut too_slow_at: Option<u64> = None;
        measure_sizes(variable.least, variable.most, |size| {
            let wanted = Wanted { manner, sized: Some((at, size)), others_at_most };
            let Some(made) = self.make(inputs, &wanted)? else { return Ok(SizeCost::Missing) };
            let Some(cost) = self.cost(runnable, &made.input, Some(telling_from(floor)))? else {
                return Ok(SizeCost::Missing);
            };
            let told = match &cost.failed {
                Some(_) => SizeCost::Over,
                None if cost.time > telling_from(floor) => SizeCost::Telling,
                None => SizeCost::Cheap,
            };
            if cost.is_over {
                too_slow_at = Some(too_slow_at.map_or(made.size, |known| known.min(made.size)));
            }
            costs.push((made.size, cost));
            Ok::<SizeCost, Stop>(told)
        })?;
        // Sizes that the problem forbids give inputs of the nearest size, maybe the same.
        costs.sort_by_key(|(size, _)| *size);
        costs.dedup_by_key(|(size, _)| *size);
        let slow = self.rules[1].limits.cpu_time.unwrap_or(Duration::MAX).as_secs_f64() * 1e3;
        let ended = || costs.iter().filter(|(_, cost)| cost.failed.is_none());
        let points = |of: fn(&Cost) -> f64| -> Vec<Point> {
            ended().map(|(size, cost)| Point { size: *size as f64, cost: of(cost) }).collect()
        };
        let (times, memories) = (points(milliseconds), points(kibibytes));
        let time_floor = time_floor(floor);
        let time = growth(&times, time_floor);
        // Between the largest size that ended and the first that was too slow, the law locates the limit more exactly.
        if let (Some(known), Some(last)) = (too_slow_at, times.last()) {
            let there = fit::reaches(&time, *last, time_floor, slow).map(|size| size.ceil() as u64);
            too_slow_at =
                Some(there.map_or(known, |size| size.max(last.size as u64 + 1).min(known)));
        }
        Ok(VariableProbe {
            variable: variable.name.clone(),
            memory: growth(&memories, memory_floor(&memories)),
            time,
            points: costs.iter().map(|(size, cost)| cost.at(*size)).collect(),
            too_slow_at,
        })
    }
}

/// Whether the clock ended a run that hardly computed.
fn has_waited(outcome: &Outcome) -> bool {
    outcome.stopped_by == Some(StoppedBy::WallTime) && outcome.cpu_time * 4 < outcome.wall_time
}

fn milliseconds(cost: &Cost) -> f64 {
    cost.time.as_secs_f64() * 1e3
}

fn kibibytes(cost: &Cost) -> f64 {
    cost.memory.0 as f64 / 1024.0
}

/// In milliseconds: the cost of a start varies from run to run.
fn time_floor(start: Duration) -> Floor {
    let cost = start.as_secs_f64() * 1e3;
    Floor { cost, noise: (cost * 0.1).max(0.25) }
}

/// In KiB.
fn memory_floor(memories: &[Point]) -> Floor {
    let cost = memories.iter().map(|it| it.cost).fold(f64::INFINITY, f64::min);
    let cost = if cost.is_finite() { cost } else { 0.0 };
    Floor { cost, noise: (cost * 0.05).max(128.0) }
}

/// From which time on a run is informative, if a start takes this long.
fn telling_from(start: Duration) -> Duration {
    let floor = time_floor(start);
    Duration::from_secs_f64((floor.cost + 4.0 * floor.noise) / 1e3)
}

/// How much of the time depends on a variable: the logarithm of the factor from its least to its greatest value.
fn leverage(variable: &Variable, probe: &VariableProbe) -> f64 {
    let Growth { law, estimate } = probe.time;
    let value = estimate.map_or(0.0, |it| it.value);
    let (least, most) = (variable.least.max(1) as f64, variable.most as f64);
    match law {
        Law::Power => value * (most / least).ln(),
        Law::Exponential => value.ln() * (most - least),
        // Of its law only this is known: it exceeds the limit.
        Law::Unclear if probe.too_slow_at.is_some() => f64::MIN_POSITIVE,
        Law::Flat | Law::Unclear => 0.0,
    }
}
