//! Cost and errors of the rule near the time limit. A program that needs 0.9, then 1.1 of its limit is judged many
//! times, while two noisy neighbours copy memory.
//!
//! `cargo bench --bench near [-- JUDGEMENTS]` (default 100) prints the verdicts with and without repetitions.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command};

/// Works for about 0.05 s, half of it in memory that does not fit in a near cache.
const PROGRAM: &str = "#include <stdio.h>
static unsigned next[1 << 21];
int main(void) {
    unsigned x = 1, at = 0;
    for (unsigned i = 0; i < 1u << 21; i++) next[i] = (i * 2654435761u + 12345) & ((1 << 21) - 1);
    for (long i = 0; i < 5000000; i++) x = x * 1664525u + 1013904223u;
    for (long i = 0; i < 1000000; i++) at = next[at ^ (x & 1)];
    return printf(\"%s\\n\", at == 3000000000u && x == 7 ? \"no\" : \"yes\") < 0;
}
";

/// With this argument, this program is a neighbour.
const NEIGHBOUR: &str = "--neighbour";
const NEIGHBOURS: usize = 2;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == NEIGHBOUR) {
        copy_memory_forever();
    }
    let number = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (program, tests) = (dir.path().join("work"), dir.path().join("tests"));
    fs::create_dir(&tests).expect("a directory");
    fs::write(dir.path().join("work.c"), PROGRAM).expect("the source");
    fs::write(tests.join("1.in"), "").expect("an input");
    fs::write(tests.join("1.ans"), "yes\n").expect("a judge answer");
    let source = dir.path().join("work.c");
    let built = Command::new("cc").args(["-O1", "-o"]).args([&program, &source]).status();
    assert!(built.is_ok_and(|status| status.success()), "this needs a C compiler, cc");
    let alone = (0..15)
        .map(|_| judge(&tests, &program, 60.0, RepeatMode::Once).cpu)
        .fold(f64::MAX, f64::min);
    println!("it needs {alone:.3} s; {number} judgements of each kind, {NEIGHBOURS} neighbours");
    let neighbours: Vec<Neighbour> = (0..NEIGHBOURS).map(|_| Neighbour::start()).collect();
    for (part, expected) in [(0.9, "AC"), (1.1, "TLE")] {
        for mode in [RepeatMode::Once, RepeatMode::Repeat] {
            let judge = || judge(&tests, &program, alone / part, mode);
            let all: Vec<JudgedRun> = (0..number).map(|_| judge()).collect();
            let count =
                |what: &dyn Fn(&JudgedRun) -> bool| all.iter().filter(|run| what(run)).count();
            let is_wrong = |run: &JudgedRun| run.verdict != expected && !run.is_sensitive;
            let mean = |what: &dyn Fn(&JudgedRun) -> f64| {
                all.iter().map(what).sum::<f64>() / all.len().max(1) as f64
            };
            println!(
                "at {part} of the limit, {mode:?}: {} {expected}, {} sensitive; {} wrong without a mark, \
                 of which {} were stopped while nobody else wanted a processor; \
                 {:.2} runs each, {:.2} limits of CPU time each",
                count(&|run| run.verdict == expected),
                count(&|run| run.is_sensitive),
                count(&is_wrong),
                count(&|run| is_wrong(run) && run.is_stopped_undisturbed),
                mean(&|run| run.runs as f64),
                mean(&|run| run.cpu) * part / alone,
            );
            let firsts = all.iter().map(|it| it.first / alone);
            let (least, most) = firsts.fold((f64::MAX, 0.0), |(low, high): (f64, f64), time| {
                (low.min(time), high.max(time))
            });
            println!("    first runs took {least:.2} to {most:.2} times what it needs");
        }
    }
    drop(neighbours);
}

/// Runs until it is killed.
fn copy_memory_forever() -> ! {
    let mut place = vec![1u8; 64 << 20];
    loop {
        let (low, high) = place.split_at_mut(32 << 20);
        high.copy_from_slice(black_box(low));
        low.copy_from_slice(black_box(high));
    }
}

struct Neighbour(Child);

impl Neighbour {
    fn start() -> Self {
        let own = env::current_exe().expect("this program");
        Self(Command::new(own).arg(NEIGHBOUR).spawn().expect("a neighbour"))
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum RepeatMode {
    Once,
    Repeat,
}

struct JudgedRun {
    verdict: String,
    is_sensitive: bool,
    /// Whether every run that counts was stopped while no other process wanted a processor.
    is_stopped_undisturbed: bool,
    runs: usize,
    /// CPU time of all runs.
    cpu: f64,
    /// CPU time of the first run.
    first: f64,
}

fn judge(tests: &Path, program: &Path, limit: f64, mode: RepeatMode) -> JudgedRun {
    let output = Command::new(env!("CARGO_BIN_EXE_juror"))
        .arg("judge")
        .arg(tests)
        .args((mode == RepeatMode::Repeat).then_some("--repeat"))
        .args(["--json", "--time-limit", &format!("{limit:.4}"), "--"])
        .arg(program)
        .env("JUROR_CACHE", "off")
        .output()
        .expect("juror");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let case = &report["submissions"][0]["judgement"]["test_cases"][0];
    let seconds = |run: &serde_json::Value| run["cpu_seconds"].as_f64().expect("a run");
    let is_quiet_stop = |run: &serde_json::Value| {
        // A case without a list of runs has no such key.
        run["stopped_by"] == "cpu_time" && run["disturbed"] != true
    };
    let own = std::slice::from_ref(&case["outcome"]);
    let runs = case["repeats"]["runs"].as_array().map_or(own, Vec::as_slice);
    let counted = if runs.len() > 1 { &runs[1..] } else { runs };
    JudgedRun {
        verdict: case["verdict"].as_str().unwrap_or_default().to_owned(),
        is_sensitive: case["repeats"]["sensitive"] == true,
        is_stopped_undisturbed: counted.iter().all(is_quiet_stop),
        runs: runs.len(),
        cpu: runs.iter().map(seconds).sum(),
        first: runs.first().map(seconds).unwrap_or_default(),
    }
}
