//! Probes of scripted programs: their costs are given, so the clock has no influence.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use super::*;
use crate::build::{Builder, Built, Runnable};
use crate::executor::scripted::Scripted;
use crate::judge::case::{Detail, RepeatLine, Rules, Validators};
use crate::model::blob::Blob;
use crate::model::job::{Job, Reply};
use crate::model::limits::Limits;
use crate::model::outcome::quiet_outcome;
use crate::model::outcome::{Ending, Outcome, Signal, StoppedBy};
use crate::model::probe::{Probes, SeparatedBy};
use crate::model::problem::Problem;
use crate::model::root::FilePath;
use crate::model::test_data::TestCase;
use crate::model::units::Bytes;

/// Inputs of t test cases with n values each. Only the first value is written: 1 or, if all are zero, 0.
struct Rows;

impl Inputs for Rows {
    fn manners(&self) -> Vec<String> {
        vec!["random".to_owned(), "zeros".to_owned()]
    }

    fn variables(&self, _manner: usize) -> Vec<Variable> {
        [("t", 10), ("n", 4000)]
            .map(|(name, most)| Variable { name: name.to_owned(), least: 1, most })
            .into()
    }

    fn make(&self, wanted: &Wanted) -> Result<Option<SizedInput>, Stop> {
        let others = |most: u64| if wanted.others_at_most { most } else { 1 };
        let mut sizes = [others(10), others(4000)];
        if let Some((variable, size)) = wanted.sized {
            sizes[variable] = size;
        }
        let [t, n] = sizes;
        let value = if wanted.manner == 0 { 1 } else { 0 };
        let input = format!("{t}\n{n}\n{value}\n").into_bytes().into();
        let size = wanted.sized.map_or(0, |(_, size)| size);
        Ok(Some(SizedInput { input, size }))
    }
}

/// Inputs that are not made, since the time is over.
struct TooLate;

impl Inputs for TooLate {
    fn manners(&self) -> Vec<String> {
        Rows.manners()
    }

    fn variables(&self, manner: usize) -> Vec<Variable> {
        Rows.variables(manner)
    }

    fn make(&self, wanted: &Wanted) -> Result<Option<SizedInput>, Stop> {
        panic!("{wanted:?} after the time");
    }
}

/// The time of the program with this name, in milliseconds, for these t and n. `zeros` says whether all values are
/// zero.
fn milliseconds(name: &str, t: f64, n: f64, zeros: bool) -> f64 {
    match name {
        "linear" => t * n * 1e-3,
        "square" => t * n * n * 2e-6,
        "cubic" => t * n.powi(3) * 1e-6,
        "cubic-cheap" => t * n.powi(3) * 1e-10,
        "doubling" => t * 2_f64.powf(n - 20.0),
        "doubling-on-zeros" if zeros => 2_f64.powf((n - 20.0).min(60.0)),
        "stuck" => 1e9,
        "crowded" if n > 3000.0 => 1200.0,
        _ => 0.0,
    }
}

/// Two milliseconds for a start, plus the program's time, up to the limit.
fn reply(job: &Job) -> Reply {
    let text = job.stdin.start(u64::MAX).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut words = text.split_ascii_whitespace();
    let t: f64 = words.next().unwrap().parse().unwrap();
    let n: f64 = words.next().unwrap().parse().unwrap();
    let zeros = words.next() == Some("0");
    let name = job.command.argv.last().unwrap().as_str();
    let limit = job.limits.cpu_time.unwrap();
    let cost = Duration::from_secs_f64((2.0 + milliseconds(name, t, n, zeros).min(1e5)) / 1e3);
    let mut outcome = Outcome {
        cpu_time: cost,
        peak_memory: Bytes(3 << 20).saturating_add(Bytes((t * n * 640.0) as u64)),
        ..quiet_outcome()
    };
    if name == "deep" && n > 3000.0 {
        outcome.ending = Ending::Signalled(Signal(11));
    }
    if name == "waits" && n > 3000.0 {
        outcome.ending = Ending::Signalled(Signal(9));
        outcome.stopped_by = Some(StoppedBy::WallTime);
        outcome.wall_time = Duration::from_secs(2);
    }
    // Others take half of the processor.
    outcome.wall_time += cost * if name == "crowded" { 2 } else { 1 };
    if let Some(most) = job.limits.wall_time.filter(|most| outcome.wall_time > *most) {
        outcome.ending = Ending::Signalled(Signal(9));
        outcome.stopped_by = Some(StoppedBy::WallTime);
        outcome.cpu_time = cost.mul_f64(most.as_secs_f64() / outcome.wall_time.as_secs_f64());
        outcome.wall_time = most;
    }
    if cost > limit {
        let killed = Ending::Signalled(Signal(9));
        let stopped_by = Some(StoppedBy::CpuTime);
        outcome = Outcome { cpu_time: limit * 2, ending: killed, stopped_by, ..outcome };
    }
    Reply {
        outcome,
        stdout: Blob::default(),
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    }
}

/// Probes of programs with these names; a star declares one too slow. The test data has rows of these lengths.
fn probed(names: &[&str], lengths: &[usize], has_inputs: bool, most: u64) -> Probes {
    let dir = tempfile::tempdir().unwrap();
    let case = |length: &usize| {
        let input = dir.path().join(format!("{length}.in"));
        fs::write(&input, format!("1\n{length}\n1\n")).unwrap();
        let input = FilePath::root(input);
        TestCase { name: format!("secret/{length}"), input, ..TestCase::default() }
    };
    let mut problem = Problem::default();
    problem.test_data.cases = lengths.iter().map(case).collect();
    let executor = Scripted::new(2, |job: &Job| Ok(reply(job)));
    let builder = Builder::new(&executor);
    let limits = Limits::of_submission(&problem.limits, Duration::from_secs(1));
    let runnable = |name: &&str| -> Runnable {
        let argv: [OsString; 2] = ["/bin/sh".into(), name.trim_end_matches('*').into()];
        let prepared = builder.prepare_command(&argv, dir.path()).unwrap();
        match builder.build(&prepared, &limits, &limits).unwrap() {
            Built::Program(runnable) => *runnable,
            Built::Rejected(_) => panic!("nothing is built"),
        }
    };
    let runnables: Vec<Runnable> = names.iter().map(runnable).collect();
    let submissions: Vec<Probed<'_>> = names
        .iter()
        .zip(&runnables)
        .map(|(name, runnable)| Probed {
            name: name.trim_end_matches('*'),
            is_slow: name.ends_with('*'),
            runnable,
        })
        .collect();
    let validators = Validators::default();
    let asked = AtomicU64::new(0);
    let rules = Rules {
        problem: &problem,
        validators: &validators,
        limits: limits.clone(),
        stop_slow_at: limits,
        repeat: RepeatLine::default(),
        detail: Detail::Brief,
    };
    probes(&Probing {
        bench: Bench { problem: &problem, executor: &executor, builder: &builder, events: &|_| {} },
        rules: &rules,
        test_case: &TestCase::default(),
        submissions: &submissions,
        inputs: has_inputs.then_some(if most == 0 { &TooLate as &dyn Inputs } else { &Rows }),
        has_time: &|| asked.fetch_add(1, Ordering::Relaxed) < most,
    })
    .unwrap()
}

/// Checks the driving variable of a program and the law of its time.
fn check_law(name: &str, expected: &str) {
    let probes = probed(&[name], &[5], true, u64::MAX);
    let probe = &probes.submissions[0];
    let told = probe.growth().map_or("no driver".to_owned(), |it| it.time.words(&it.variable));
    assert!(told.starts_with(expected), "{name}: {told}\n{probe:#?}");
    assert!(!probes.is_cut);
}

#[test]
fn the_law_of_each_program_is_found() {
    check_law("linear", "grows as n^1.0, ");
    check_law("square", "grows as n^2.0, ");
    check_law("cubic", "grows as n^3.0, ");
    check_law("doubling", "grows as 2.00^n, ");
    check_law("flat", "no driver");
}

#[test]
fn no_input_is_made_after_the_time() {
    let probes = probed(&["square", "cubic*"], &[5], true, 0);
    assert!(probes.is_cut && probes.submissions.is_empty(), "{probes:#?}");
}

#[test]
fn values_that_cost_most_are_chosen() {
    let probes = probed(&["doubling-on-zeros", "square"], &[5], true, u64::MAX);
    let values: Vec<&str> = probes.submissions.iter().map(|it| it.values.as_str()).collect();
    assert_eq!(values, ["zeros", "random"]);
    let memory = &probes.submissions[1].growth().unwrap().memory;
    assert_eq!(memory.law, Law::Power);
    assert!((memory.estimate.unwrap().value - 1.0).abs() < 0.1, "{memory:?}");
}

#[test]
fn a_program_that_waits_is_not_measured_at_other_sizes() {
    let probes = probed(&["waits"], &[5], true, u64::MAX);
    let probe = &probes.submissions[0];
    assert!(probe.largest.failed.is_some() && probe.variables.is_empty(), "{probe:#?}");
    // Nor at all, if it waits on a test case.
    let probes = probed(&["waits*", "square"], &[5, 3500], true, u64::MAX);
    let names: Vec<&str> = probes.submissions.iter().map(|it| it.submission.as_str()).collect();
    assert_eq!(names, ["square"]);
}

#[test]
fn a_program_that_computes_on_a_busy_machine_gets_its_time() {
    let probes = probed(&["crowded"], &[5], true, u64::MAX);
    let largest = &probes.submissions[0].largest;
    assert!(largest.failed.is_none() && largest.cpu_seconds.as_millis() == 1202, "{largest:#?}");
}

#[test]
fn a_crash_at_large_sizes_is_told_with_its_size() {
    let probes = probed(&["deep"], &[5], true, u64::MAX);
    let probe = &probes.submissions[0];
    assert_eq!(probe.largest.failed.as_deref(), Some("killed by SIGSEGV"));
    let failing = probe.variables.iter().find(|it| it.variable == "n").unwrap();
    let least = failing.points.iter().filter(|it| it.failed.is_some()).map(|it| it.size).min();
    let ended = failing.points.iter().filter(|it| it.failed.is_none()).map(|it| it.size).max();
    assert!(ended.unwrap() <= 3000 && (3001..=3500).contains(&least.unwrap()), "{probe:#?}");
}

/// Checks what separates a slow program from an accepted one, and the text about it.
fn check_separation(
    names: [&str; 2],
    lengths: &[usize],
    has_inputs: bool,
    by: SeparatedBy,
    told: &str,
) {
    let probes = probed(&names, lengths, has_inputs, u64::MAX);
    let found = &probes.separations[0];
    assert_eq!(found.by, by, "{found:?}");
    assert!(found.told.contains(told), "{found:?}");
    let separated = usize::from(by == SeparatedBy::TestCase);
    let separable = separated + usize::from(by == SeparatedBy::Input);
    assert_eq!(probes.separated(), (separated, separable));
    assert_eq!(probes.waits(names[1].trim_end_matches('*')), by == SeparatedBy::Waits);
}

#[test]
fn slow_submissions_are_told_from_accepted_ones() {
    use SeparatedBy::{Input, Nothing, TestCase, Unknown, Waits};
    let check = check_separation;
    let at_case = "exceeds 1.50 s on secret/2000, the accepted ones stay below 0.500 s";
    check(["square", "cubic*"], &[10, 2000], true, TestCase, at_case);
    check(["square", "stuck*"], &[10], true, TestCase, "secret/10");
    // 10 (n/1000)^3 s exceed 1.5 s from n = 531.3 on.
    let needed = "no test case takes it 1.50 s: n = 532 would";
    check(["square", "cubic*"], &[10, 300], true, Input, needed);
    let zeros = "would, with values zeros";
    check(["square", "doubling-on-zeros*"], &[3000], true, Input, zeros);
    // 0.064 s at the largest size; 1.5 s need (1500 / 64)^(1/3) times that size.
    let never = "it cannot be separated by these bounds: the largest input takes it 0.066 s; n = 12000 would be enough";
    check(["square", "cubic-cheap*"], &[4000], true, Nothing, never);
    let too_low = "but cubic takes 3.00 s there, more than 0.500 s: the limit is too low";
    check(["cubic", "cubic*"], &[2000], true, Nothing, too_low);
    check(["square", "cubic*"], &[10], false, Unknown, "no larger input could be tried");
    check(["square", "waits*"], &[5, 3500], true, Waits, "waits for ever on secret/3500");
    check(["square", "waits*"], &[5], true, Waits, "waits for ever on the largest input");
}

#[test]
fn time_that_is_over_is_told() {
    let probes = probed(&["square", "cubic*"], &[10, 300], true, 20);
    assert!(probes.is_cut);
    // Without a run nothing is known, and nothing is claimed.
    let probes = probed(&["square", "cubic*"], &[10, 2000], true, 0);
    assert!(probes.is_cut && probes.submissions.is_empty());
    assert_eq!(probes.separations[0].by, SeparatedBy::Unknown);
    assert_eq!(probes.separated(), (0, 0));
    assert!(!probed(&["square"], &[10], true, u64::MAX).is_cut);
}

#[test]
fn without_inputs_something_is_missing() {
    let probes = probed(&["square", "cubic*"], &[10, 2000], false, u64::MAX);
    assert!(probes.missing.unwrap().contains("add a grammar"));
    assert_eq!(probes.separations[0].by, SeparatedBy::TestCase);
}
