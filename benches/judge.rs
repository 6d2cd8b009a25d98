//! What judging costs: 200 tiny cases of a trivial C++ program, against a bare loop that forks, executes
//! the same program with redirected files, and compares in process.
//!
//! `cargo bench --bench judge` prints the median over interleaved rounds, all on one core. Linux only.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::ffi::CString;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CASES: usize = 200;
const ROUNDS: usize = 25;

const PROGRAM: &str = "#include <iostream>
int main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }
";

const PROBLEM: &str = "problem_format_version: 2025-09
name: Sum
uuid: 00000000-0000-4000-8000-000000000000
limits:
  time_limit: 1
";

fn main() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let package = dir.path().join("sum");
    write_package(&package);
    let program = dir.path().join("sum.out");
    let source = dir.path().join("sum.cpp");
    fs::write(&source, PROGRAM).expect("the source");
    let built = Command::new("c++").args(["-O2", "-o"]).args([&program, &source]).status();
    assert!(built.is_ok_and(|status| status.success()), "this needs a C++ compiler, c++");
    pin_to_one_core();
    let mut bare = Vec::new();
    let mut juror = Vec::new();
    let mut ratios = Vec::new();
    for round in 0..ROUNDS + 2 {
        let baseline = timed(|| bare_loop(&package, &program, dir.path()));
        let judged = timed(|| judge(&package, &program));
        if round >= 2 {
            ratios.push(judged.as_secs_f64() / baseline.as_secs_f64());
            bare.push(baseline.as_secs_f64());
            juror.push(judged.as_secs_f64());
        }
    }
    println!("{CASES} cases, {ROUNDS} interleaved rounds, one core, medians:");
    println!("bare loop    {:8.1} ms", median(&mut bare) * 1e3);
    println!("juror judge  {:8.1} ms", median(&mut juror) * 1e3);
    println!("ratio        {:8.2}", median(&mut ratios));
}

fn write_package(package: &Path) {
    for dir in ["data/secret", "submissions/accepted", "input_validators", "statement"] {
        fs::create_dir_all(package.join(dir)).expect("a package");
    }
    let write = |name: &str, text: &str| fs::write(package.join(name), text).expect("a package");
    write("problem.yaml", PROBLEM);
    write("statement/problem.en.md", "Add two numbers.\n");
    write("submissions/accepted/sum.cpp", PROGRAM);
    write("input_validators/any.py", "import sys\nsys.exit(42)\n");
    for case in 0..CASES {
        write(&format!("data/secret/{case:03}.in"), &format!("{case} {}\n", case * 7));
        write(&format!("data/secret/{case:03}.ans"), &format!("{}\n", case * 8));
    }
}

fn pin_to_one_core() {
    // SAFETY: `set` is a plain bit set, valid when zeroed, and outlives the calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of_val(&set), &mut set);
        let first = (0..libc::CPU_SETSIZE as usize).find(|core| libc::CPU_ISSET(*core, &set));
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(first.unwrap_or(0), &mut one);
        libc::sched_setaffinity(0, size_of_val(&one), &one);
    }
}

/// Forks, executes with redirected files, waits, compares; nothing else.
fn bare_loop(package: &Path, program: &Path, dir: &Path) {
    let path = CString::new(program.as_os_str().as_encoded_bytes()).expect("a path");
    let argv = [path.as_ptr(), std::ptr::null()];
    let environment = [std::ptr::null()];
    let out = dir.join("out");
    for case in 0..CASES {
        let input = File::open(package.join(format!("data/secret/{case:03}.in"))).expect("input");
        let output = File::create(&out).expect("output");
        let mut status = 0;
        // SAFETY: between fork and execve the child only calls async-signal-safe functions, on
        // descriptors and strings made before; this process has one thread.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::dup2(input.as_raw_fd(), 0);
                libc::dup2(output.as_raw_fd(), 1);
                libc::execve(path.as_ptr(), argv.as_ptr(), environment.as_ptr());
                libc::_exit(127);
            }
            libc::waitpid(child, &mut status, 0);
        }
        assert_eq!(status, 0, "the program failed");
        let got = fs::read(&out).expect("output");
        let answer = fs::read(package.join(format!("data/secret/{case:03}.ans"))).expect("answer");
        let tokens = |bytes: &[u8]| -> Vec<Vec<u8>> {
            let words = bytes.split(u8::is_ascii_whitespace);
            words.filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
        };
        assert_eq!(tokens(&got), tokens(&answer));
    }
}

fn judge(package: &Path, program: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_juror"))
        .arg("judge")
        .arg(package)
        .args(["--jobs", "1", "--all", "--quiet", "--"])
        .arg(program)
        .stdout(Stdio::null())
        .status()
        .expect("juror");
    assert!(status.success(), "juror ended with {status}");
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
