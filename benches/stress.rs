//! What a comparison costs: `juror stress` on game1, and a shell loop as people write it: a generator, the
//! reference, the submission, `cmp`.
//!
//! `cargo bench --bench stress` prints comparisons a second of both, in turns, so that whatever else the
//! machine does falls on both; with a number of seconds as argument if 5 are not right. Both use all cores.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

const ROUNDS: usize = 3;

/// Prints a board of the problem; its argument is the seed.
const GENERATOR: &str = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { srand(atoi(argv[1])); int n = 2 + rand() % 9; printf(\"%d\\n\", n);
  for (int i = 0; i < n; i++) printf(\"%d%c\", 1 + rand() % 200, i + 1 < n ? ' ' : '\\n'); return 0; }
";

/// Counts until it is stopped.
const LOOP: &str = "i=$1; end=$((SECONDS + $2)); runs=0
while [ $SECONDS -lt $end ]; do
  i=$((i + 1)); ../gen $i > game1.in
  ../ref; mv game1.out expected; ../my; cmp -s expected game1.out || { echo differs; exit 1; }
  runs=$((runs + 1))
done
echo $runs";

fn main() {
    let seconds = std::env::args()
        .find_map(|text| text.parse::<u64>().ok())
        .unwrap_or(5);
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/game1");
    let accepted = package.join("submissions/accepted");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let generator = dir.path().join("gen.c");
    fs::write(&generator, GENERATOR).expect("the generator");
    compile("cc", &generator, dir.path().join("gen"));
    compile("cc", &accepted.join("game1.c"), dir.path().join("ref"));
    compile("c++", &accepted.join("game1.cpp"), dir.path().join("my"));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (mut shell, mut juror, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let loops = shell_loops(dir.path(), cores, seconds);
        let stress = stress(&package, seconds);
        ratios.push(stress / loops);
        shell.push(loops);
        juror.push(stress);
    }
    println!("game1, C against C++, {cores} cores, medians of {ROUNDS} rounds of {seconds} s:");
    println!("shell loop    {:8.0} comparisons/s", median(&mut shell));
    println!("juror stress  {:8.0} comparisons/s", median(&mut juror));
    println!("ratio         {:8.1}", median(&mut ratios));
}

fn compile(compiler: &str, source: &Path, program: PathBuf) {
    let status = Command::new(compiler)
        .args(["-O2", "-o"])
        .arg(program)
        .arg(source)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "this needs {compiler}"
    );
}

/// One loop a core, all at the same time.
fn shell_loops(dir: &Path, cores: usize, seconds: u64) -> f64 {
    let loops: Vec<_> = (0..cores)
        .map(|number| {
            let own = dir.join(number.to_string());
            fs::create_dir_all(&own).expect("a directory");
            Command::new("bash")
                .args([
                    "-c",
                    LOOP,
                    "loop",
                    &(number * 1_000_000).to_string(),
                    &seconds.to_string(),
                ])
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

fn stress(package: &Path, seconds: u64) -> f64 {
    let output = Command::new(env!("CARGO_BIN_EXE_juror"))
        .args([
            "stress",
            "--json",
            "--seed",
            "1",
            "--reference",
            "accepted/game1.c",
        ])
        .args(["--time", &format!("{seconds}s")])
        .arg(package)
        .arg(package.join("submissions/accepted/game1.cpp"))
        .output()
        .expect("juror runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let figure = |key: &str| report[key].as_f64().expect("a figure");
    assert_eq!(report["found"], false, "{report:#}");
    figure("runs") / figure("seconds")
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
