//! Whether test cases separate slow submissions from accepted ones.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::strength::separation::{Probes, Separation, SeparationKind};
use crate::strength::submissions::BuiltSubmission;
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::outcome::{Outcome, StopReason};
use juror_core::problem::{Interaction, Problem};
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::Rules;
use juror_judging::judge::output::{OutputRunner, ProgramOutput};

/// A slow submission must exceed the limit by this factor; accepted ones must stay below the other.
const SLOW_FACTOR: f64 = 1.5;
const FAST_FACTOR: f64 = 0.5;

pub struct SpeedProbe<'a> {
    pub bench: Bench<'a>,
    pub rules: &'a Rules<'a>,
    pub accepted: &'a [BuiltSubmission<'a>],
    /// Those whose authors say that they are too slow.
    pub slow: &'a [BuiltSubmission<'a>],
    /// No run begins after this.
    pub end: Instant,
}

enum SlowResult<'a> {
    TooSlow { case: &'a TestCase, waited: bool },
    NeverTooSlow,
    OutOfTime,
}

impl SpeedProbe<'_> {
    /// Runs each slow submission until a test case is found on which it is too slow, and the accepted ones there.
    pub fn measure(&self) -> Result<Probes, Stop> {
        let problem = self.bench.problem;
        if let Some(missing) = why_unmeasurable(problem) {
            return Ok(Probes { missing: Some(missing.to_owned()), ..Probes::default() });
        }
        let Some(limit) = self.rules.limits.cpu_time else { return Ok(Probes::default()) };
        let cases = largest_first(problem)?;
        let results = self
            .bench
            .map("slow submissions", self.slow, |slow| self.find_slow_case(slow, &cases))?;
        // Whether accepted submissions are fast on a test case.
        let mut known: HashMap<&str, Option<AcceptedPace>> = HashMap::new();
        let mut probes = Probes::default();
        for (submission, result) in self.slow.iter().zip(results) {
            let (by, at, description) = match result {
                SlowResult::TooSlow { case, waited: true } => {
                    let description =
                        format!("waits for ever on {}, so it counts as a wrong program", case.name);
                    (SeparationKind::Waits, case.name.as_str(), description)
                }
                SlowResult::TooSlow { case, waited: false } => {
                    if !known.contains_key(case.name.as_str()) {
                        known.insert(&case.name, self.accepted_pace(case, limit)?);
                    }
                    separation_by_case(case, limit, known[case.name.as_str()].as_ref())
                }
                SlowResult::NeverTooSlow => {
                    let description = format!(
                        "takes less than {} on every test case",
                        seconds(limit.mul_f64(SLOW_FACTOR))
                    );
                    (SeparationKind::Nothing, "", description)
                }
                SlowResult::OutOfTime => undecided_separation(),
            };
            let (submission, at) = (submission.name.to_owned(), at.to_owned());
            probes.separations.push(Separation { submission, by, at, description });
        }
        probes.is_cut = probes.separations.iter().any(|probe| probe.by == SeparationKind::Unknown);
        Ok(probes)
    }

    /// The largest test case on which a submission exceeds the limit by the margin.
    fn find_slow_case<'c>(
        &self,
        submission: &BuiltSubmission<'_>,
        cases: &[&'c TestCase],
    ) -> Result<SlowResult<'c>, Stop> {
        for case in cases {
            let Some(run) = self.run(submission, case)? else { return Ok(SlowResult::OutOfTime) };
            let verdict = run.rejected.as_ref().map(|rejection| rejection.verdict);
            if matches!(verdict, Some(Verdict::TimeLimitExceeded | Verdict::MemoryLimitExceeded)) {
                return Ok(SlowResult::TooSlow { case, waited: has_waited(&run.outcome) });
            }
        }
        Ok(SlowResult::NeverTooSlow)
    }

    /// How fast the accepted submissions are on a test case; `None` if the time ran out first.
    fn accepted_pace(
        &self,
        case: &TestCase,
        limit: Duration,
    ) -> Result<Option<AcceptedPace>, Stop> {
        let runs =
            self.bench.map("accepted submissions", self.accepted, |right| self.run(right, case))?;
        let Some(runs) = runs.into_iter().collect::<Option<Vec<ProgramOutput>>>() else {
            return Ok(None);
        };
        for (submission, run) in self.accepted.iter().zip(runs) {
            let time = run.outcome.cpu_time;
            if time > limit.mul_f64(FAST_FACTOR) {
                return Ok(Some(AcceptedPace::Slow { name: submission.name.to_owned(), time }));
            }
        }
        Ok(Some(AcceptedPace::Fast))
    }

    /// Runs under the limits of slow submissions: this shows whether it is far above or far below the limit. `None` if
    /// the time is over.
    fn run(
        &self,
        submission: &BuiltSubmission<'_>,
        case: &TestCase,
    ) -> Result<Option<ProgramOutput>, Stop> {
        if Instant::now() >= self.end {
            return Ok(None);
        }
        let input = case.input.read().map_err(JudgeError::on_file("read", &case.input))?.into();
        let run_within = |limits: Limits| {
            let rules = Rules { limits, ..self.rules.clone() };
            let runs =
                OutputRunner { executor: self.bench.executor, rules: &rules, test_case: case };
            runs.run(&submission.runnable, &input)
        };
        let slow = self.rules.limits.cpu_time.unwrap_or_default().mul_f64(SLOW_FACTOR);
        let whole = Limits::of_submission(&self.bench.problem.limits, slow);
        let short = Limits { wall_time: Some(slow.mul_f64(SLOW_FACTOR)), ..whole.clone() };
        let run = run_within(short)?;
        // Nothing is learned from a program that waits. One that computes on a busy machine gets its time.
        if run.outcome.stopped_by == Some(StopReason::WallTime) && !has_waited(&run.outcome) {
            return run_within(whole).map(Some);
        }
        Ok(Some(run))
    }
}

enum AcceptedPace {
    Fast,
    Slow { name: String, time: Duration },
}

fn separation_by_case<'a>(
    case: &'a TestCase,
    limit: Duration,
    accepted: Option<&AcceptedPace>,
) -> (SeparationKind, &'a str, String) {
    let (name, slow) = (case.name.as_str(), seconds(limit.mul_f64(SLOW_FACTOR)));
    let fast = seconds(limit.mul_f64(FAST_FACTOR));
    match accepted {
        None => undecided_separation(),
        Some(AcceptedPace::Fast) => {
            let text = format!("exceeds {slow} on {name}, the accepted ones stay below {fast}");
            (SeparationKind::TestCase, name, text)
        }
        Some(AcceptedPace::Slow { name: other, time }) => {
            let but = format!("{other} takes {} there, more than {fast}", seconds(*time));
            let text = format!("exceeds {slow} on {name}, but {but}: the limit is too low");
            (SeparationKind::Nothing, name, text)
        }
    }
}

fn undecided_separation() -> (SeparationKind, &'static str, String) {
    (SeparationKind::Unknown, "", "time ran out before the test cases decided".to_owned())
}

fn why_unmeasurable(problem: &Problem) -> Option<&'static str> {
    match (problem.kind.interaction, problem.kind.passes) {
        (Interaction::Interactive, _) => Some(
            "submissions talk while they run: only those that read a file and write one are measured",
        ),
        (_, 2..) => Some("submissions run more than once: only those that run once are measured"),
        _ => None,
    }
}

fn largest_first(problem: &Problem) -> Result<Vec<&TestCase>, Stop> {
    let mut cases = Vec::new();
    for case in &problem.test_data.cases {
        let size = case.input.metadata().map_err(JudgeError::on_file("read", &case.input))?.len();
        cases.push((Reverse(size), case));
    }
    cases.sort_by_key(|(size, _)| *size);
    Ok(cases.into_iter().map(|(_, case)| case).collect())
}

fn has_waited(outcome: &Outcome) -> bool {
    outcome.stopped_by == Some(StopReason::WallTime) && outcome.cpu_time * 4 < outcome.wall_time
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;
    use juror_core::blob::Blob;
    use juror_core::job::{Job, JobReply};
    use juror_core::outcome::{Ending, Signal, quiet_outcome};
    use juror_core::root::FilePath;
    use juror_judging::build::{BuildResult, Builder};
    use juror_sandbox::executor::scripted::ScriptedExecutor;
    use std::sync::Arc;

    /// The time of the program with this name for an input of this size, in milliseconds.
    fn milliseconds(name: &str, n: f64) -> f64 {
        match name {
            "square" => n * n * 2e-5,
            "cubic" => n.powi(3) * 1e-6,
            "crowded" if n > 3000.0 => 1200.0,
            _ => 0.0,
        }
    }

    /// Costs are given, so the clock has no influence.
    fn reply(job: &Job) -> JobReply {
        let text = String::from_utf8(job.stdin.prefix(u64::MAX).unwrap()).unwrap();
        let n: f64 = text.trim().parse().unwrap();
        let name = job.command.argv.last().unwrap().as_str();
        let cost = Duration::from_secs_f64((2.0 + milliseconds(name, n)) / 1e3);
        let mut outcome = Outcome { cpu_time: cost, ..quiet_outcome() };
        let killed = Ending::Signalled(Signal(9));
        // Others take half of the processor.
        outcome.wall_time = cost * if name == "crowded" { 2 } else { 1 };
        if name == "waits" && n > 3000.0 {
            outcome.wall_time = Duration::from_secs(100);
        }
        if let Some(most) = job.limits.wall_time.filter(|most| outcome.wall_time > *most) {
            outcome.ending = killed;
            outcome.stopped_by = Some(StopReason::WallTime);
            outcome.cpu_time = cost.mul_f64(most.as_secs_f64() / outcome.wall_time.as_secs_f64());
            outcome.wall_time = most;
        }
        let limit = job.limits.cpu_time.unwrap();
        if cost > limit {
            let stopped_by = Some(StopReason::CpuTime);
            outcome = Outcome { cpu_time: limit * 2, ending: killed, stopped_by, ..outcome };
        }
        let (stdout, stderr) = (Blob::default(), Blob::default());
        JobReply { outcome, stdout, stderr, collected: Vec::new(), kept: None }
    }

    /// Checks what separates a slow program from an accepted one on test data of these sizes, with a limit of a second.
    fn check(accepted: &str, slow: &str, sizes: &[u64], time: u64, by: SeparationKind, told: &str) {
        let dir = tempfile::tempdir().unwrap();
        let case = |size: &u64| {
            let input = dir.path().join(format!("{size}.in"));
            // Longer files are larger inputs.
            fs::write(&input, format!("{size:>width$}\n", width = *size as usize)).unwrap();
            let input = FilePath::root(input);
            TestCase { name: format!("secret/{size}"), input, ..TestCase::default() }
        };
        let mut problem = Problem::default();
        problem.test_data.cases = sizes.iter().map(case).collect();
        let executor = ScriptedExecutor::new(1, |job: &Job| Ok(reply(job)));
        let builder = Builder::new(&executor);
        let limits = Limits::of_submission(&problem.limits, Duration::from_secs(1));
        let built = |name| {
            let argv: [OsString; 2] = ["/bin/sh".into(), OsString::from(name)];
            let prepared = builder.prepare_command(&argv, dir.path()).unwrap();
            match builder.build(&prepared, &limits, &limits).unwrap() {
                BuildResult::Program(runnable) => [BuiltSubmission { name, runnable: *runnable }],
                BuildResult::Rejected(_) => panic!("nothing is built"),
            }
        };
        let rules = Rules::new(&problem, Arc::default()).with_limits(limits.clone());
        let (executor, builder) = (&executor, &builder);
        let probe = SpeedProbe {
            bench: Bench { problem: &problem, executor, builder, events: &|_| {} },
            rules: &rules,
            accepted: &built(accepted),
            slow: &built(slow),
            end: Instant::now() + Duration::from_secs(time),
        };
        let probes = probe.measure().unwrap();
        let found = &probes.separations[0];
        assert!(found.by == by && found.description.contains(told), "{slow} {sizes:?}: {found:?}");
        let separated = usize::from(by == SeparationKind::TestCase);
        let decided = separated + usize::from(by == SeparationKind::Nothing);
        assert_eq!(probes.separated_counts(), (separated, decided), "{slow}");
        assert_eq!(probes.waits_for_ever(slow), by == SeparationKind::Waits, "{slow}");
        assert_eq!(probes.is_cut, by == SeparationKind::Unknown, "{slow}");
    }

    #[test]
    fn a_slow_submission_is_separated_by_the_largest_test_case_that_shows_it() {
        use SeparationKind::{Nothing, TestCase, Unknown, Waits};
        let long = 3600;
        let at_case = "exceeds 1.50 s on secret/2000, the accepted ones stay below 0.500 s";
        check("square", "cubic", &[10, 1200, 2000], long, TestCase, at_case);
        check(
            "square",
            "cubic",
            &[10, 1100],
            long,
            Nothing,
            "takes less than 1.50 s on every test case",
        );
        let too_low = "but cubic takes 3.00 s there, more than 0.500 s: the limit is too low";
        check("cubic", "cubic", &[2000], long, Nothing, too_low);
        check("square", "waits", &[5, 3500], long, Waits, "waits for ever on secret/3500");
        // On a busy machine the clock ends its first run, but it computes.
        check("square", "crowded", &[3500], long, Nothing, "takes less than");
        check("square", "cubic", &[10, 2000], 0, Unknown, "time ran out");
    }
}
