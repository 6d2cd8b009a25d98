//! The runs of a submission on a test case near the time limit: the first one, and its repetitions alone.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::outcome::{Outcome, StopReason};
use crate::serial::Seconds;
use crate::text::count;
use crate::units::seconds;

/// All runs on a test case near the time limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repeats {
    /// Whether another run may get another verdict.
    #[serde(rename = "sensitive")]
    pub is_sensitive: bool,
    /// The first run was as all others; the later ones ran alone.
    pub runs: Vec<TimedRun>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimedRun {
    #[serde_as(as = "Seconds")]
    pub cpu_seconds: Duration,
    #[serde_as(as = "Seconds")]
    pub wall_seconds: Duration,
    /// Why the sandbox stopped it, if it did.
    pub stopped_by: Option<StopReason>,
    /// Whether others wanted the processor: the wall time exceeds the CPU time by more than 10 %.
    #[serde(rename = "disturbed")]
    pub is_disturbed: bool,
}

impl TimedRun {
    /// `partner` is the CPU time of the program that it talked with, on the same core.
    pub fn new(outcome: &Outcome, partner: Duration) -> Self {
        let Outcome { cpu_time, wall_time, stopped_by, .. } = *outcome;
        Self {
            cpu_seconds: cpu_time,
            wall_seconds: wall_time,
            stopped_by,
            is_disturbed: wall_time.saturating_sub(partner) > cpu_time.mul_f64(1.1),
        }
    }
}

impl Repeats {
    /// The runs that count: those alone, if there are any.
    fn counted_runs(&self) -> &[TimedRun] {
        if self.runs.len() > 1 { &self.runs[1..] } else { &self.runs }
    }

    /// The least and the most CPU time of the runs that count.
    pub fn spread(&self) -> (Duration, Duration) {
        let times = || self.counted_runs().iter().map(|run| run.cpu_seconds);
        (times().min().unwrap_or_default(), times().max().unwrap_or_default())
    }

    /// Such as `0.980 s to 1.03 s of CPU time in 3 runs alone`.
    pub fn summary(&self) -> String {
        let (least, most) = self.spread();
        let times = if least == most {
            seconds(least)
        } else {
            format!("{} to {}", seconds(least), seconds(most))
        };
        match self.runs.len().saturating_sub(1) {
            0 => format!("{times} of CPU time, not repeated"),
            alone => format!("{times} of CPU time in {} alone", count(alone, "run")),
        }
    }

    pub fn summary_with_meaning(&self) -> String {
        let meaning =
            if self.is_sensitive { ": sensitive, another run may get another verdict" } else { "" };
        self.summary() + meaning
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::quiet_outcome;

    #[test]
    fn the_summary_shows_the_spread_and_what_it_means() {
        let check = |millis: &[u64], is_sensitive: bool, expected: &str| {
            let run = |millis: &u64| {
                let cpu_time = Duration::from_millis(*millis);
                TimedRun::new(&Outcome { cpu_time, ..quiet_outcome() }, Duration::ZERO)
            };
            let repeats = Repeats { is_sensitive, runs: millis.iter().map(run).collect() };
            assert_eq!(repeats.summary_with_meaning(), expected);
        };
        check(&[1200, 1190], false, "1.19 s of CPU time in 1 run alone");
        check(&[1200, 1190, 1190], false, "1.19 s of CPU time in 2 runs alone");
        check(&[900, 1100, 1200, 1150], false, "1.10 s to 1.20 s of CPU time in 3 runs alone");
        let meaning = "sensitive, another run may get another verdict";
        check(&[990], true, &format!("0.990 s of CPU time, not repeated: {meaning}"));
        check(
            &[1300, 990, 1010],
            true,
            &format!("0.990 s to 1.01 s of CPU time in 2 runs alone: {meaning}"),
        );
    }

    #[test]
    fn a_run_that_waits_for_the_processor_is_disturbed() {
        let check = |cpu: u64, wall: u64, partner: u64, expected: bool| {
            let [cpu_time, wall_time, partner] = [cpu, wall, partner].map(Duration::from_millis);
            let run = TimedRun::new(&Outcome { cpu_time, wall_time, ..quiet_outcome() }, partner);
            assert_eq!(run.is_disturbed, expected, "{cpu} {wall} {partner:?}");
        };
        check(1000, 1000, 0, false);
        check(1000, 1100, 0, false);
        check(1000, 1101, 0, true);
        check(1000, 1300, 200, false);
        check(1000, 1301, 200, true);
        // Two threads.
        check(2000, 1000, 0, false);
    }
}
