//! Which test case or which valid input distinguishes a slow submission from the accepted ones.

use std::collections::HashMap;
use std::time::Duration;

use crate::model::blob::Blob;
use crate::model::judgement::JudgeError;
use crate::model::probe::{Probes, SeparatedBy, Separation, SubmissionProbe};
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::units::seconds;
use crate::strength::probe::fit::{Point, reaches};
use crate::strength::probe::{Cost, FAST, Gauge, Probed, SLOW, time_floor};

/// The result of the test cases for a slow submission.
pub(super) enum OnData<'a> {
    /// It is too slow on this one. If an accepted submission is also slow there, a text says so.
    TooSlow {
        case: &'a TestCase,
        unkept: Option<String>,
        /// Whether it waited there.
        waited: bool,
    },
    /// It is too slow on no test case.
    Nowhere,
    /// The time ran out first.
    Cut,
}

/// The results of the test cases for each slow submission.
///
/// # Errors
/// If the judge failed or was interrupted.
pub(super) fn on_data<'a>(gauge: &Gauge<'a>) -> Result<Vec<(&'a Probed<'a>, OnData<'a>)>, Stop> {
    let Some(limit) = gauge.probing.rules.limits.cpu_time else { return Ok(Vec::new()) };
    let submissions = gauge.probing.submissions;
    let slow: Vec<&Probed<'_>> = submissions.iter().filter(|it| it.is_slow).collect();
    let cases = largest_first(gauge)?;
    let found =
        gauge.probing.bench.map("slow submissions", &slow, |it| first(gauge, it, &cases))?;
    // By test case, the accepted submission that takes more than half of the limit, if any.
    let mut kept: HashMap<&str, Option<String>> = HashMap::new();
    let mut all = Vec::new();
    for (submission, mut found) in slow.into_iter().zip(found) {
        if let OnData::TooSlow { case, unkept: slow, .. } = &mut found {
            if !kept.contains_key(case.name.as_str()) {
                kept.insert(&case.name, unkept(gauge, case, limit)?);
            }
            slow.clone_from(&kept[case.name.as_str()]);
        }
        all.push((submission, found));
    }
    Ok(all)
}

/// What separates a slow submission: a test case, otherwise an input by the probes.
pub(super) fn separation(
    name: &str,
    found: &OnData<'_>,
    probes: &Probes,
    limit: Duration,
) -> Separation {
    match found {
        OnData::TooSlow { case, waited: true, .. } => waiting(name, &case.name, ""),
        OnData::TooSlow { case, unkept, .. } => by_case(name, case, limit, unkept.as_deref()),
        OnData::Nowhere => {
            let unknown = if probes.is_cut {
                "time ran out before larger inputs were tried"
            } else {
                "no larger input could be tried"
            };
            let all = || probes.submissions.iter();
            let probe = all().find(|it| it.submission == name).ok_or(unknown);
            let accepted: Vec<&SubmissionProbe> = all().filter(|it| !it.declared_slow).collect();
            by_input(name, probe, &accepted, limit)
        }
        OnData::Cut => {
            let told = "time ran out before it was tried on all test cases";
            separated(name, SeparatedBy::Unknown, "", told.to_owned())
        }
    }
}

fn separated(name: &str, by: SeparatedBy, at: &str, told: String) -> Separation {
    Separation { submission: name.to_owned(), by, at: at.to_owned(), told }
}

fn largest_first<'a>(gauge: &Gauge<'a>) -> Result<Vec<&'a TestCase>, Stop> {
    let mut cases = Vec::new();
    for case in &gauge.probing.bench.problem.test_data.cases {
        let size = case.input.metadata().map_err(JudgeError::on("read", &case.input))?.len();
        cases.push((std::cmp::Reverse(size), case));
    }
    cases.sort_by_key(|(size, _)| *size);
    Ok(cases.into_iter().map(|(_, case)| case).collect())
}

/// The largest test case on which a submission exceeds the limit by the margin.
fn first<'a>(
    gauge: &Gauge<'_>,
    probed: &Probed<'_>,
    cases: &[&'a TestCase],
) -> Result<OnData<'a>, Stop> {
    for case in cases {
        let Some(cost) = on_case(gauge, probed, case)? else { return Ok(OnData::Cut) };
        if cost.is_over {
            return Ok(OnData::TooSlow { case, unkept: None, waited: cost.waited });
        }
    }
    Ok(OnData::Nowhere)
}

fn on_case(gauge: &Gauge<'_>, probed: &Probed<'_>, case: &TestCase) -> Result<Option<Cost>, Stop> {
    let input = Blob::file(&case.input).start(u64::MAX);
    let input = input.map_err(JudgeError::on("read", &case.input))?;
    // One run shows whether it is far above or far below the limit.
    gauge.cost(probed.runnable, &input.into(), Some(Duration::MAX))
}

/// An accepted submission that takes more than half of the limit on a test case, in words.
fn unkept(gauge: &Gauge<'_>, case: &TestCase, limit: Duration) -> Result<Option<String>, Stop> {
    let accepted = gauge.probing.submissions.iter().filter(|it| !it.is_slow).collect::<Vec<_>>();
    let costs = gauge
        .probing
        .bench
        .map("accepted submissions", &accepted, |it| on_case(gauge, it, case))?;
    let slow = accepted.iter().zip(costs).find_map(|(submission, cost)| {
        let time = cost.filter(|cost| cost.time > limit.mul_f64(FAST))?.time;
        Some(format!("{} takes {}", submission.name, seconds(time)))
    });
    Ok(slow)
}

/// One whose time does not grow, however large the input is.
fn waiting(name: &str, at: &str, nowhere: &str) -> Separation {
    let told = format!("{nowhere}waits for ever on {at}, so it counts as a wrong program");
    separated(name, SeparatedBy::Waits, at, told)
}

fn by_case(name: &str, case: &TestCase, limit: Duration, unkept: Option<&str>) -> Separation {
    let (slow, fast) = (seconds(limit.mul_f64(SLOW)), seconds(limit.mul_f64(FAST)));
    let told = match unkept {
        None => format!("exceeds {slow} on {}, the accepted ones stay below {fast}", case.name),
        Some(other) => format!(
            "exceeds {slow} on {}, but {other} there, more than {fast}: the limit is too low",
            case.name
        ),
    };
    let by = if unkept.is_none() { SeparatedBy::TestCase } else { SeparatedBy::Nothing };
    separated(name, by, &case.name, told)
}

/// The separation by the probes of a slow submission for which no test case suffices.
fn by_input(
    name: &str,
    probe: Result<&SubmissionProbe, &str>,
    accepted: &[&SubmissionProbe],
    limit: Duration,
) -> Separation {
    let slow = limit.mul_f64(SLOW);
    let separation = |by, at: &str, told: String| {
        separated(name, by, at, format!("no test case takes it {}: {told}", seconds(slow)))
    };
    let probe = match probe {
        Ok(probe) => probe,
        Err(why) => return separation(SeparatedBy::Unknown, "", why.to_owned()),
    };
    if probe.waits {
        return waiting(name, "the largest input", "on no test case; ");
    }
    let is_over = probe.largest.failed.is_some();
    let growth = probe.growth();
    let found = probe.variables.iter().filter_map(|it| Some((it, it.too_slow_at?)));
    let driving = |variable: &str| probe.driver.as_deref() == Some(variable);
    let found = found.max_by_key(|(it, _)| driving(&it.variable));
    match found {
        Some((variable, size)) => {
            let at = format!("{} = {size}", variable.variable);
            let is_kept = |it: &&&SubmissionProbe| it.largest.cpu_seconds <= limit.mul_f64(FAST);
            let (by, but) = match accepted.iter().find(|it| !is_kept(it)) {
                None => (SeparatedBy::Input, format!("with values {}", probe.values)),
                Some(SubmissionProbe { submission, largest, .. }) => {
                    let took = seconds(largest.cpu_seconds);
                    let but = format!("but {submission} takes {took} on the largest input");
                    (SeparatedBy::Nothing, but)
                }
            };
            separation(by, &at, format!("{at} would, {but}"))
        }
        None if is_over => {
            let told = format!("the largest input would, with values {}", probe.values);
            separation(SeparatedBy::Input, "the largest input", told)
        }
        None => {
            let largest = seconds(probe.largest.cpu_seconds);
            let enough = growth.and_then(|it| {
                let last = it.points.iter().rev().find(|point| point.failed.is_none())?;
                let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
                let from = Point { size: last.size as f64, cost: milliseconds(last.cpu_seconds) };
                let floor = it.points.iter().map(|point| point.cpu_seconds).min()?;
                let size = reaches(&it.time, from, time_floor(floor), milliseconds(slow))?;
                Some(format!("; {} = {} would be enough", it.variable, rounded(size)))
            });
            let told = format!(
                "it cannot be separated by these bounds: the largest input takes it {largest}{}",
                enough.unwrap_or_default()
            );
            separation(SeparatedBy::Nothing, "", told)
        }
    }
}

/// A size rounded up to two significant digits, since it is an estimate.
fn rounded(size: f64) -> String {
    let unit = 10_f64.powf((size.log10().floor() - 1.0).max(0.0));
    let up = (size / unit).ceil() * unit;
    format!("{up:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_have_two_digits() {
        let check = |size: f64, expected: &str| assert_eq!(rounded(size), expected);
        check(3.2, "4");
        check(27.0, "27");
        check(1234.0, "1300");
        check(98_765.0, "99000");
    }
}
