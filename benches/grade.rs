//! The cost of a stream: the rate of `juror grade` and of `juror judge` on the same runs, in turns; the time for lines
//! in Python beside a bare loop of the same interpreter, in turns; and the memory for 1,000 and for 100,000 lines.
//!
//! `cargo bench --bench grade` prints all; `-- rate 5`, `-- python 5` and `-- memory 100000` print one, with so many
//! turns or lines.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const JUROR: &str = env!("CARGO_BIN_EXE_juror");

/// Each line gets another short program, which needs no compiler.
const PROGRAM: &str = "read -r a b; echo $((a + b)) # ";

const SUBMISSIONS: usize = 200;
const CASES: usize = 10;

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = words.iter().find_map(|word| word.parse().ok());
    let is_asked = |part: &str| {
        let parts = words.iter().filter(|word| word.parse::<usize>().is_err());
        parts.clone().count() == 0 || parts.clone().any(|word| word == part)
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    if is_asked("rate") {
        measure_rate(dir.path(), number.unwrap_or(7));
    }
    if is_asked("python") {
        for cases in [1, 5, 20] {
            measure_python(dir.path(), cases, number.unwrap_or(7));
        }
    }
    if is_asked("memory") {
        measure_memory(dir.path(), number.unwrap_or(100_000));
    }
}

/// Returns the time and the peak memory in KiB.
fn run(dir: &Path, arguments: &[&str], input: Option<&Path>) -> (Duration, u64) {
    let mut command = Command::new(JUROR);
    command.args(arguments).current_dir(dir).env("JUROR_CACHE", "off").env("CI", "true");
    command.stdout(File::create(dir.join("out")).expect("a file")).stderr(Stdio::null());
    if let Some(input) = input {
        command.stdin(File::open(input).expect("the lines"));
    }
    let begun = Instant::now();
    let mut child = command.spawn().expect("juror runs");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let memory = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(memory.unwrap_or(0));
        if let Some(ended) = child.try_wait().expect("a child") {
            // Broken lines are no failure here.
            assert!(matches!(ended.code(), Some(0..=2)), "juror {}: {ended}", arguments.join(" "));
            return (begun.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn measure_rate(dir: &Path, turns: usize) {
    let (tests, sources) = (dir.join("tests"), dir.join("sources"));
    fs::create_dir(&tests).expect("a directory");
    fs::create_dir(&sources).expect("a directory");
    let mut cases = Vec::new();
    for case in 0..CASES {
        let (input, answer) = (format!("{case} 1\n"), format!("{}\n", case + 1));
        fs::write(tests.join(format!("{case}.in")), &input).expect("an input");
        fs::write(tests.join(format!("{case}.ans")), &answer).expect("an answer");
        cases.push(serde_json::json!({ "input": input, "answer": answer }));
    }
    let files = ["inline", "package"].map(|name| dir.join(name));
    let mut lines = files.clone().map(|file| BufWriter::new(File::create(file).expect("a file")));
    let mut judge = vec!["judge".to_owned(), "tests".to_owned(), "--all".to_owned()];
    for number in 0..SUBMISSIONS {
        let source = format!("{PROGRAM}{number}\n");
        let name = format!("sources/{number}.sh");
        fs::write(dir.join(&name), &source).expect("a source");
        judge.push(name);
        let source = serde_json::json!({ "text": source, "language": "bash" });
        let inline = serde_json::json!({ "source": source, "cases": cases, "all": true });
        let package = serde_json::json!({ "source": source, "package": "tests", "all": true });
        for (to, line) in lines.iter_mut().zip([inline, package]) {
            writeln!(to, "{line}").expect("a line");
        }
    }
    drop(lines);
    let judge: Vec<&str> = judge.iter().map(String::as_str).collect();
    let runs = (SUBMISSIONS * CASES) as f64;
    let mut ratios = [Vec::new(), Vec::new()];
    let mut rates = Vec::new();
    for _ in 0..turns {
        let (judged, _) = run(dir, &judge, None);
        rates.push(runs / judged.as_secs_f64());
        for (file, ratios) in files.iter().zip(&mut ratios) {
            let (graded, _) = run(dir, &["grade"], Some(file));
            ratios.push(judged.as_secs_f64() / graded.as_secs_f64());
        }
    }
    println!(
        "{runs} runs in each of {turns} turns; judge: {:.0} runs a second",
        median(&mut rates)
    );
    for (name, ratios) in ["test cases in the line", "a package"].iter().zip(&mut ratios) {
        println!("grade, {name}: {:.2} of the rate of judge", median(ratios));
    }
}

/// One program at a time, in juror as in the loop.
fn measure_python(dir: &Path, cases: usize, turns: usize) {
    const RUNS: usize = 80;
    let asked = ["-c", "import sys; print(sys.executable)"];
    let found = Command::new("python3").args(asked).output().expect("python3");
    let python = String::from_utf8(found.stdout).expect("a path").trim().to_owned();
    let inputs: Vec<String> = (0..cases).map(|case| format!("{case} 1\n")).collect();
    let answer = |case: usize| format!("{}\n", case + 1);
    // A right program, one that is wrong on the last test case, and one with an error of syntax.
    let kinds = [
        ("right", "print(sum(map(int, input().split())))"),
        ("wrong at the end", "a = int(input().split()[0]); print(a + 1 if a < LAST else a)"),
        ("wrong at once", "print(0)"),
        ("no Python", "print("),
    ];
    for (kind, program) in kinds {
        let path = dir.join("python.jsonl");
        let mut to = BufWriter::new(File::create(&path).expect("a file"));
        let mut sources = Vec::new();
        for number in 0..RUNS / cases {
            let text = program.replace("LAST", &(cases - 1).to_string());
            let text = format!("{text} # {number}\n");
            let all = inputs
                .iter()
                .enumerate()
                .map(|(case, input)| serde_json::json!({ "input": input, "answer": answer(case) }));
            let source = serde_json::json!({ "text": text, "language": "python3" });
            let line = serde_json::json!({ "source": source, "cases": all.collect::<Vec<_>>() });
            writeln!(to, "{line}").expect("a line");
            let source = dir.join(format!("{number}.py"));
            fs::write(&source, text).expect("a source");
            sources.push(source);
        }
        drop(to);
        let for_each = || {
            let begun = Instant::now();
            for source in &sources {
                for (case, input) in inputs.iter().enumerate() {
                    fs::write(dir.join("in"), input).expect("an input");
                    let [from, to] = ["in", "printed"].map(|name| dir.join(name));
                    let ended = Command::new(&python)
                        .arg(source)
                        .stdin(File::open(from).expect("an input"))
                        .stdout(File::create(&to).expect("a file"))
                        .stderr(Stdio::null())
                        .status();
                    let is_well = ended.is_ok_and(|ended| ended.success());
                    if !is_well || fs::read_to_string(to).is_ok_and(|text| text != answer(case)) {
                        break;
                    }
                }
            }
            begun.elapsed()
        };
        let (mut batched, mut fresh) = (Vec::new(), Vec::new());
        for _ in 0..turns {
            let bare = for_each().as_secs_f64();
            for (options, ratios) in [(&[][..], &mut batched), (&["--fresh"][..], &mut fresh)] {
                let words = [&["grade", "--jobs", "1"][..], options].concat();
                let (graded, _) = run(dir, &words, Some(&path));
                ratios.push(bare / graded.as_secs_f64());
            }
        }
        println!(
            "{cases} test cases in Python, {kind}: {:.2} of the rate of a bare loop; {:.2} with --fresh",
            median(&mut batched),
            median(&mut fresh)
        );
    }
}

fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Most lines are broken, so that this takes minutes instead of hours.
fn measure_memory(dir: &Path, most: usize) {
    for lines in [1000, most] {
        let path = dir.join("lines");
        let mut to = BufWriter::new(File::create(&path).expect("a file"));
        for number in 0..lines {
            let text = match number % 20 {
                0 => format!("{PROGRAM}{number}\n"),
                _ => String::new(),
            };
            let source = serde_json::json!({ "text": text, "language": "bash" });
            let cases = [serde_json::json!({ "input": "1 2\n", "answer": "3\n" })];
            writeln!(
                to,
                "{}",
                serde_json::json!({ "id": number, "source": source, "cases": cases })
            )
            .expect("a line");
        }
        drop(to);
        for options in [&["grade"][..], &["grade", "--ordered", "--output", "results", "--resume"]]
        {
            let (time, peak) = run(dir, options, Some(&path));
            let options = options.join(" ");
            println!(
                "{options}, {lines} lines: {:.1} MiB at most, {time:.0?}",
                peak as f64 / 1024.0
            );
        }
        fs::remove_file(dir.join("results")).expect("results");
    }
}
