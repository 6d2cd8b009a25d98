//! Repeated runs of a submission on a test case, because a measurement was near its limit.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::outcome::Outcome;
use crate::model::serial::{As, Seconds};
use crate::model::units::{Bytes, seconds};

/// All runs, and whether they settled the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Whether the limit lies within the spread: another run may get another verdict.
    #[serde(rename = "sensitive")]
    pub is_sensitive: bool,
    /// Whether it is the memory limit.
    #[serde(skip)]
    pub is_about_memory: bool,
    /// The first one ran as all do, the others alone.
    pub runs: Vec<TimedRun>,
}

/// What was measured in one of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimedRun {
    /// CPU time.
    #[serde(with = "As::<Seconds>")]
    pub cpu_seconds: Duration,
    /// Whether it was stopped for its time, so that it would have taken longer.
    #[serde(rename = "stopped")]
    pub is_stopped: bool,
    /// By the clock.
    #[serde(with = "As::<Seconds>")]
    pub wall_seconds: Duration,
    /// The most memory; `None` if nothing measured it.
    pub memory_bytes: Option<Bytes>,
    /// How often a process lost its processor to another.
    pub involuntary_switches: u64,
    /// How many threads of other programs wanted a processor at its end, if that was measured.
    pub others_running: u32,
    /// Time of all processors that the machine's host took away meanwhile.
    #[serde(with = "As::<Seconds>")]
    pub stolen_seconds: Duration,
    /// How long a fixed piece of work took beside it; `None` if it was not done.
    #[serde(with = "As::<Option<Seconds>>")]
    pub pace_seconds: Option<Duration>,
    /// How long a step of a walk through memory took beside it; `None` if there was none.
    #[serde(with = "As::<Option<Seconds>>")]
    pub step_seconds: Option<Duration>,
}

impl From<&Outcome> for TimedRun {
    fn from(outcome: &Outcome) -> Self {
        let contention = outcome.contention;
        Self {
            cpu_seconds: outcome.cpu_time,
            is_stopped: outcome.is_cut_off(),
            wall_seconds: outcome.wall_time,
            memory_bytes: outcome.memory(),
            involuntary_switches: contention.switches,
            others_running: contention.others,
            stolen_seconds: contention.stolen,
            pace_seconds: contention.pace,
            step_seconds: contention.step,
        }
    }
}

impl Repeats {
    /// The least and the most CPU time, over runs that were not stopped if there are any.
    pub fn spread(&self) -> (Duration, Duration) {
        let is_known = self.runs.iter().any(|run| !run.is_stopped);
        let runs = || self.runs.iter().filter(|run| !run.is_stopped || !is_known);
        let times = || runs().map(|run| run.cpu_seconds);
        (times().min().unwrap_or_default(), times().max().unwrap_or_default())
    }

    /// A summary, such as `0.98 s to 1.03 s of CPU time in 4 runs`.
    pub fn told(&self) -> String {
        let ((least, most), of) = match self.is_about_memory {
            true => {
                let memory = || self.runs.iter().filter_map(|run| run.memory_bytes);
                let [least, most] = [memory().min(), memory().max()];
                let told = |it: Option<Bytes>| it.unwrap_or_default().to_string();
                ((told(least), told(most)), "memory")
            }
            false => {
                let (least, most) = self.spread();
                ((seconds(least), seconds(most)), "CPU time")
            }
        };
        let runs = self.runs.len();
        match least == most {
            true => format!("{least} of {of} in each of {runs} runs"),
            false => format!("{least} to {most} of {of} in {runs} runs"),
        }
    }

    /// The summary with its meaning.
    pub fn said(&self) -> String {
        let meaning = match self.is_sensitive {
            true => ": sensitive, another run may get another verdict",
            false => "",
        };
        self.told() + meaning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_told_with_what_it_means() {
        let check = |millis: &[u64], is_sensitive: bool, expected: &str| {
            let is_about_memory = expected.contains("memory");
            let run = |millis: &u64| TimedRun {
                cpu_seconds: Duration::from_millis(*millis),
                is_stopped: *millis == 1250,
                wall_seconds: Duration::ZERO,
                memory_bytes: Some(Bytes::mib(*millis)),
                involuntary_switches: 0,
                others_running: 0,
                stolen_seconds: Duration::ZERO,
                pace_seconds: None,
                step_seconds: None,
            };
            let repeats =
                Repeats { is_sensitive, is_about_memory, runs: millis.iter().map(run).collect() };
            assert_eq!(repeats.said(), expected);
        };
        check(&[1200, 1190], false, "1.19 s to 1.20 s of CPU time in 2 runs");
        check(&[1200, 1200], false, "1.20 s of CPU time in each of 2 runs");
        check(&[1250, 1400, 1500], false, "1.40 s to 1.50 s of CPU time in 3 runs");
        check(&[64, 46], false, "46 MiB to 64 MiB of memory in 2 runs");
        let meaning = "sensitive, another run may get another verdict";
        check(
            &[990, 1010, 1000],
            true,
            &format!("0.990 s to 1.01 s of CPU time in 3 runs: {meaning}"),
        );
    }
}
