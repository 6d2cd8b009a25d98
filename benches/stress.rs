//! The cost of a comparison: `juror stress` on game1, a usual shell loop (a generator, the reference, the submission,
//! `cmp`), and the bare start of both programs. All programs are linked statically, as juror does. `juror stress`
//! runs with batches and without (`--fresh`), and with the generator of the loop instead of the grammar.
//!
//! `cargo bench --bench stress [-- SECONDS]` (default 5) prints comparisons per second. All run in turns, so that
//! other load affects all, and use all cores.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

/// Prints a random board; the argument is the seed.
const GENERATOR: &str = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { srand(atoi(argv[1])); int n = 2 + rand() % 9; printf(\"%d\\n\", n);
  for (int i = 0; i < n; i++) printf(\"%d%c\", 1 + rand() % 200, i + 1 < n ? ' ' : '\\n'); return 0; }
";

/// Counts comparisons until the time is over.
const LOOP: &str = "i=$1; end=$((SECONDS + $2)); runs=0
while [ $SECONDS -lt $end ]; do
  i=$((i + 1)); ../gen $i > game1.in
  ../ref; mv game1.out expected; ../my; cmp -s expected game1.out || { echo differs; exit 1; }
  runs=$((runs + 1))
done
echo $runs";

fn main() {
    let seconds = std::env::args().find_map(|text| text.parse::<u64>().ok()).unwrap_or(5);
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/game1");
    let accepted = package.join("submissions/accepted");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let generator = dir.path().join("gen.c");
    fs::write(&generator, GENERATOR).expect("the generator");
    compile("cc", &generator, dir.path().join("gen"));
    compile("cc", &accepted.join("game1.c"), dir.path().join("ref"));
    compile("c++", &accepted.join("game1.cpp"), dir.path().join("my"));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let [mut shell, mut bare, mut juror, mut fresh, mut printed] = [const { Vec::new() }; 5];
    let [mut to_shell, mut to_bare, mut fresh_to_bare, mut printed_to_juror] =
        [const { Vec::new() }; 4];
    let generator = generator.to_string_lossy().into_owned();
    for _ in 0..ROUNDS {
        let loops = shell_loops(dir.path(), cores, seconds);
        let processes = bare_processes(dir.path(), cores, seconds);
        let batches = stress(&package, seconds, &[]);
        let single = stress(&package, seconds, &["--fresh"]);
        let generated = stress(&package, seconds, &["--generator", &*generator]);
        printed.push(generated);
        printed_to_juror.push(generated / batches);
        to_shell.push(batches / loops);
        to_bare.push(batches / processes);
        fresh_to_bare.push(single / processes);
        shell.push(loops);
        bare.push(processes);
        juror.push(batches);
        fresh.push(single);
    }
    println!("game1, C against C++, {cores} cores, medians of {ROUNDS} rounds of {seconds} s:");
    println!("shell loop       {:8.0} comparisons/s", median(&mut shell));
    println!("bare processes   {:8.0} comparisons/s", median(&mut bare));
    println!("juror stress     {:8.0} comparisons/s", median(&mut juror));
    println!("       --fresh   {:8.0} comparisons/s", median(&mut fresh));
    println!("   --generator   {:8.0} comparisons/s", median(&mut printed));
    println!("juror to shell   {:8.2}", median(&mut to_shell));
    println!("juror to bare    {:8.2}", median(&mut to_bare));
    println!("--fresh to bare  {:8.2}", median(&mut fresh_to_bare));
    println!("--generator to grammar {:8.2}", median(&mut printed_to_juror));
}

fn compile(compiler: &str, source: &Path, program: PathBuf) {
    let status =
        Command::new(compiler).args(["-O2", "-static", "-o"]).arg(program).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "this needs {compiler}");
}

/// One loop on each core, at the same time.
fn shell_loops(dir: &Path, cores: usize, seconds: u64) -> f64 {
    let loops: Vec<_> = (0..cores)
        .map(|number| {
            let own = dir.join(number.to_string());
            fs::create_dir_all(&own).expect("a directory");
            Command::new("bash")
                .args(["-c", LOOP, "loop", &(number * 1_000_000).to_string(), &seconds.to_string()])
                .current_dir(own)
                .stdout(Stdio::piped())
                .spawn()
                .expect("bash")
        })
        .collect();
    let runs = loops.into_iter().map(|running| {
        let output = running.wait_with_output().expect("the loop ends");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.trim().parse::<f64>().expect("a number of runs")
    });
    runs.sum::<f64>() / seconds as f64
}

/// The least possible work: starts both programs on the same input and compares their outputs. No generator, no
/// sandbox, no limits; one loop on each core.
fn bare_processes(dir: &Path, cores: usize, seconds: u64) -> f64 {
    let end = Instant::now() + Duration::from_secs(seconds);
    let count = |number: usize| {
        let own = dir.join(number.to_string());
        let (input, output) = (own.join("game1.in"), own.join("game1.out"));
        let start = |program: &str| {
            let status = Command::new(dir.join(program)).current_dir(&own).status();
            assert!(status.is_ok_and(|status| status.success()), "{program}");
            fs::read(&output).expect("an output")
        };
        let mut runs = 0.0;
        while Instant::now() < end {
            fs::write(&input, format!("4\n{} 7 3 1\n", 1 + runs as u64 % 200)).expect("an input");
            assert_eq!(start("ref"), start("my"));
            runs += 1.0;
        }
        runs
    };
    let runs: f64 = thread::scope(|scope| {
        let loops: Vec<_> = (0..cores).map(|number| scope.spawn(move || count(number))).collect();
        let runs = loops.into_iter().map(|counting| counting.join());
        runs.map(|runs| runs.expect("a loop ends")).sum()
    });
    runs / seconds as f64
}

fn stress(package: &Path, seconds: u64, options: &[&str]) -> f64 {
    let output = Command::new(env!("CARGO_BIN_EXE_juror"))
        .args(["stress", "--json", "--seed", "1", "--reference", "accepted/game1.c"])
        .args(["--time", &format!("{seconds}s")])
        .args(options)
        .arg(package)
        .arg(package.join("submissions/accepted/game1.cpp"))
        .output()
        .expect("juror runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let figure = |key: &str| report[key].as_f64().expect("a figure");
    assert_eq!(report["end"], "time", "{report:#}");
    figure("runs") / figure("seconds")
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
