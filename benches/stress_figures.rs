//! How soon `juror stress` finds each wrong submission of each package, and how small the input is: the figures of
//! `docs/design/stress.md`.
//!
//! `cargo bench --bench stress_figures` prints its tables. `PACKAGES=game1live,gridlive` measures only those.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const OPTIONS: [&str; 7] = ["--json", "--seed", "1", "--explain", "0", "--time", "30s"];

fn main() {
    let mut summary = Vec::new();
    let mut missed = Vec::new();
    println!(
        "| submission | verdict | inputs tried | seconds | numbers of the row | smallest input |"
    );
    println!("|---|---|---|---|---|---|");
    for package in packages() {
        let submissions = wrong_submissions(&package);
        let (mut tried_before, mut rows) = (Vec::new(), Vec::new());
        for submission in &submissions {
            let report = run_juror("stress", &package, submission, &OPTIONS);
            let stress = &report;
            let shrinking = stress["shrinking_runs"].as_u64().unwrap_or(0);
            let tried = stress["runs"].as_u64().unwrap_or(0) - shrinking;
            let seconds = stress["hunting_seconds"].as_f64().unwrap_or(0.0);
            let start = format!("| {package}: `{submission}`");
            let Some(input) = stress["counterexample"]["input"]["text"].as_str() else {
                println!("{start} | - | {tried} | {seconds:.1} | - | - |");
                let exposed = exposing_test_case(&package, submission);
                missed.push(format!("{package}: `{submission}`, {tried} inputs tried: {exposed}"));
                continue;
            };
            let verdict = stress["counterexample"]["verdict"].as_str().unwrap_or("-");
            let row = row_length(&package, input);
            let shown: String = input.trim_end().replace('\n', " / ");
            let shown: String = shown.chars().take(36).collect();
            println!("{start} | {verdict} | {tried} | {seconds:.1} | {row} | `{shown}` |");
            tried_before.push(tried);
            rows.push(row);
        }
        summary.push(format!(
            "| {package} | {} wrong submissions | {} | {} | {} |",
            submissions.len(),
            rows.len(),
            median(tried_before),
            median(rows),
        ));
    }
    println!(
        "\n| package | tried | found | inputs tried before, median | numbers of the row, median |"
    );
    println!("|---|---|---|---|---|");
    summary.iter().for_each(|line| println!("{line}"));
    println!("\nnot found within 30 s: {}", missed.len());
    missed.iter().for_each(|line| println!("- {line}"));
}

fn run_juror(command: &str, package: &str, submission: &str, options: &[&str]) -> Value {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems").join(package);
    let mut juror = Command::new(env!("CARGO_BIN_EXE_juror"));
    juror.env("JUROR_CACHE", "off").arg(command).args(options).arg(&package);
    let output = juror.arg(package.join("submissions").join(submission)).output();
    let output = output.expect("juror runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The first test case of the package that a submission fails on.
fn exposing_test_case(package: &str, submission: &str) -> String {
    let report = run_juror("judge", package, submission, &["--json"]);
    let judged = &report["submissions"][0]["judgement"];
    let cases = judged["test_cases"].as_array();
    let rejected = cases.and_then(|cases| cases.iter().find(|case| case["verdict"] != "AC"));
    match rejected {
        Some(case) => {
            let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
            format!("{} on {}", text("verdict"), text("name"))
        }
        None => "no valid input of the package exposes it either".to_owned(),
    }
}

/// The shipped packages, or those in `PACKAGES`.
fn packages() -> Vec<String> {
    if let Ok(names) = env::var("PACKAGES") {
        return names.split(',').map(str::to_owned).collect();
    }
    let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
    let entries = fs::read_dir(problems).expect("the packages").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn wrong_submissions(package: &str) -> Vec<String> {
    let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
    let dir = problems.join(package).join("submissions");
    let list = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).expect("a directory");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let folders = list(&dir).into_iter();
    let wrong = folders.filter(|folder| folder.is_dir() && !folder.ends_with("accepted"));
    let mut names: Vec<String> = wrong
        .flat_map(|folder| list(&folder))
        .map(|path| {
            let below = path.strip_prefix(&dir).expect("below");
            below.display().to_string()
        })
        .collect();
    names.sort();
    names
}

/// The number of values in the rows or grids of all test cases, without the counts before them.
fn row_length(package: &str, input: &str) -> usize {
    let is_grid = package.starts_with("grid");
    let has_cases = ["coinrow", "gridgame", "optimalcoins"].contains(&package);
    let mut words = input.split_ascii_whitespace().skip(usize::from(has_cases));
    let mut numbers = 0;
    while let Some(n) = words.next().and_then(|word| word.parse::<usize>().ok()) {
        let size = if is_grid { n * n } else { n };
        numbers += size;
        if !has_cases {
            break;
        }
        words.by_ref().take(size).for_each(drop);
    }
    numbers
}

/// The upper median; 0 if empty.
fn median<T: Ord + Copy + Default>(mut numbers: Vec<T>) -> T {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
