//! Whether verdicts near the time limit stay the same beside noisy neighbours: a program is judged many times at a limit of
//! which it needs 0.9, and at one of which it needs 1.1, while two others fill the memory all the time.
//!
//! `cargo bench --bench near` prints how often each verdict came and was marked sensitive; `-- 1000` says how many
//! judgements of each kind, 100 if nothing does.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command};

/// Works for about 0.05 s, half of it in memory that no near cache holds.
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

/// The argument that makes this program a neighbour.
const NEIGHBOUR: &str = "--neighbour";
const NEIGHBOURS: usize = 2;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|it| it == NEIGHBOUR) {
        disturb();
    }
    let number = arguments.iter().find_map(|it| it.parse().ok()).unwrap_or(100);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (program, tests) = (dir.path().join("work"), dir.path().join("tests"));
    fs::create_dir(&tests).expect("a directory");
    fs::write(dir.path().join("work.c"), PROGRAM).expect("the source");
    fs::write(tests.join("1.in"), "").expect("an input");
    fs::write(tests.join("1.ans"), "yes\n").expect("a judge answer");
    let source = dir.path().join("work.c");
    let built = Command::new("cc").args(["-O1", "-o"]).args([&program, &source]).status();
    assert!(built.is_ok_and(|status| status.success()), "this needs a C compiler, cc");
    let alone = (0..15).map(|_| judge(&tests, &program, 60.0).cpu).fold(f64::MAX, f64::min);
    println!("it needs {alone:.3} s; {number} judgements of each kind, {NEIGHBOURS} neighbours");
    let neighbours: Vec<Neighbour> = (0..NEIGHBOURS).map(|_| Neighbour::start()).collect();
    for (part, expected) in [(0.9, "AC"), (1.1, "TLE")] {
        let all: Vec<Judged> = (0..number).map(|_| judge(&tests, &program, alone / part)).collect();
        let count = |what: &dyn Fn(&Judged) -> bool| all.iter().filter(|it| what(it)).count();
        println!(
            "at {part} of the limit: {} {expected}, {} sensitive; {} flipped unmarked; {} repeated, {:.2} runs each",
            count(&|it| it.verdict == expected),
            count(&|it| it.is_sensitive),
            count(&|it| it.verdict != expected && !it.is_sensitive),
            count(&|it| it.runs > 1),
            all.iter().map(|it| it.runs).sum::<usize>() as f64 / all.len().max(1) as f64,
        );
        let firsts = all.iter().map(|it| it.first / alone);
        let (least, most) = firsts
            .fold((f64::MAX, 0.0), |(least, most): (f64, f64), it| (least.min(it), most.max(it)));
        println!("    first runs took {least:.2} to {most:.2} times what it needs");
    }
    drop(neighbours);
}

/// Fills memory until it is killed.
fn disturb() -> ! {
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

/// What came of a judgement.
struct Judged {
    verdict: String,
    is_sensitive: bool,
    runs: usize,
    /// CPU time of the run that counts.
    cpu: f64,
    /// That of the first run.
    first: f64,
}

fn judge(tests: &Path, program: &Path, limit: f64) -> Judged {
    let told = Command::new(env!("CARGO_BIN_EXE_juror"))
        .arg("judge")
        .arg(tests)
        .args(["--json", "--time-limit", &format!("{limit:.4}"), "--"])
        .arg(program)
        .env("JUROR_CACHE", "off")
        .output()
        .expect("juror");
    let report: serde_json::Value = serde_json::from_slice(&told.stdout).expect("a report");
    let case = &report["submissions"][0]["test_cases"][0];
    let cpu = case["cpu_seconds"].as_f64().expect("a run");
    let repeats = &case["repeats"];
    Judged {
        verdict: case["verdict"].as_str().unwrap_or_default().to_owned(),
        is_sensitive: repeats["sensitive"] == true,
        runs: repeats["runs"].as_array().map_or(1, Vec::len),
        cpu,
        first: repeats["runs"][0]["cpu_seconds"].as_f64().unwrap_or(cpu),
    }
}
