//! The shipped packages: each meets its expectations, and its data matches its recipe.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

/// Tools that the packages need in addition to Rust.
const TOOLS: [&str; 5] = ["cc", "c++", "python3", "javac", "java"];

/// Part of the remark about validators in Rust, which other judges do not build.
const RUST_VALIDATOR_REMARK: &str = "Python 3";

/// Expected warnings: the end of the path, and a part of the message.
const KNOWN_WARNINGS: [(&str, &str); 6] = [
    // In Rust because juror's tests use a file of it.
    ("coinmoves/output_validator/validate", RUST_VALIDATOR_REMARK),
    // The interactive players are in Rust like the reference solutions.
    ("game1live/output_validator/validate.rs", RUST_VALIDATOR_REMARK),
    ("gridlive/output_validator/validate.rs", RUST_VALIDATOR_REMARK),
    // Depends on the speed and load of this machine.
    ("/problem.yaml", "the time limit of"),
    ("", "may get another verdict in another run"),
    // The seed of a random opponent has no special values.
    ("game1live/input_validators/input.ctd", "seed is never"),
];

/// Expected only for a sample: it has expectations for missing submissions, and may lack the submission that makes
/// judge answers, and the validator in Python.
const SAMPLE_WARNINGS: [(&str, &str); 3] = [
    ("input_validators/validate.rs", RUST_VALIDATOR_REMARK),
    ("submissions/submissions.yaml", "matches no submission"),
    ("generators/generators.yaml", "there is no `submissions/accepted/"),
];

/// Wrong submissions that only one test case can catch.
const KNOWN_RARE_FAULTS: [(&str, &str); 1] = [
    // Slow only with the most grids of the largest size.
    ("gridgame", "time_limit_exceeded/permutations.py"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// In the order of their names.
fn packages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("problems")).expect("problems/");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut packages: Vec<PathBuf> =
        paths.filter(|path| path.join("problem.yaml").is_file()).collect();
    packages.sort();
    packages
}

fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(tool).is_file())
}

fn juror() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("juror"));
    command.env("JUROR_CACHE", "off");
    command
}

#[expect(clippy::print_stderr, reason = "a skipped part of a test must be seen")]
fn announce(what: &str) {
    eprintln!("{what}");
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Runs `juror verify --all` with an empty cache.
fn verify_packages(packages: &[PathBuf]) -> (Option<i32>, Value) {
    let cache = tempfile::tempdir().expect("a directory");
    let mut command = juror();
    // Twice as many slots as cores: while one program sleeps or is set up, another uses the core. Times are CPU time.
    let jobs = 2 * thread::available_parallelism().map_or(1, usize::from);
    command.args(["verify", "--all", "--json", "--jobs", &jobs.to_string()]);
    command.args(packages).env("JUROR_CACHE", cache.path());
    let output = command.output().expect("juror runs");
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    (output.status.code(), report)
}

mod quiet {
    use super::*;

    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn every_package_matches_its_recipe_and_expectations() {
        let packages = packages();
        packages.iter().for_each(|package| check_data(package));
        check(&packages, &KNOWN_WARNINGS);
    }
}

/// The first package of each type: all its data, its validators except a slow redundant one, and few of its
/// submissions.
#[test]
fn a_sample_of_each_type_meets_its_expectations() {
    let directory = tempfile::tempdir().expect("a directory");
    let samples = first_of_each_type().into_iter().map(|package| {
        let sample = directory.path().join(package.file_name().expect("a name"));
        copy_sample(&package, &sample);
        sample
    });
    let known = [&KNOWN_WARNINGS[..], &SAMPLE_WARNINGS].concat();
    check(&samples.collect::<Vec<_>>(), &known);
}

/// A sample has one submission of each of these folders. Slow and memory-hungry submissions run only in the full
/// test.
const SAMPLED_FOLDERS: [&str; 4] = ["accepted", "brute_force", "run_time_error", "wrong_answer"];

/// In the order of their names.
fn first_of_each_type() -> Vec<PathBuf> {
    let mut types = HashSet::new();
    packages().into_iter().filter(|package| types.insert(problem_type(package))).collect()
}

/// The line of `problem.yaml`; none means pass-fail.
fn problem_type(package: &Path) -> Option<String> {
    let text = fs::read_to_string(package.join("problem.yaml")).expect("problem.yaml");
    text.lines().find(|line| line.starts_with("type:")).map(str::to_owned)
}

/// The redundant input validator in packages with one in Rust and a grammar.
const SLOW_VALIDATOR: &str = "validate.py";

/// Copies the first submission of each sampled folder, and leaves out the slow validator.
fn copy_sample(package: &Path, sample: &Path) {
    let submissions = package.join("submissions");
    let firsts = SAMPLED_FOLDERS.map(|folder| {
        let entries = fs::read_dir(submissions.join(folder)).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path()).min()
    });
    let is_part = |entry: &walkdir::DirEntry| {
        let is_submission = entry.path().ancestors().nth(2) == Some(&submissions);
        let is_first = firsts.iter().flatten().any(|first| first == entry.path());
        entry.file_name() != SLOW_VALIDATOR && (is_first || !is_submission)
    };
    let entries = walkdir::WalkDir::new(package).into_iter();
    for entry in entries.filter_entry(is_part) {
        let entry = entry.expect("an entry");
        let below = entry.path().strip_prefix(package).expect("below");
        if entry.file_type().is_dir() {
            fs::create_dir(sample.join(below)).expect("a directory");
        } else {
            fs::copy(entry.path(), sample.join(below)).expect("a copy");
        }
    }
}

/// Panics with all faults that are not known.
fn check(packages: &[PathBuf], known: &[(&str, &str)]) {
    assert!(!packages.is_empty());
    let missing: Vec<&str> = TOOLS.into_iter().filter(|tool| !is_installed(tool)).collect();
    let (code, report) = verify_packages(packages);
    let names = packages.iter().map(|path| path.file_name().expect("a name").to_string_lossy());
    let faults = verification_faults(&names.collect::<Vec<_>>(), code, &report, known, &missing);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if !missing.is_empty() {
        announce(&format!("skipped what needs {}", missing.join(", ")));
    }
}

/// `missing` lists tools that this machine lacks.
fn verification_faults(
    packages: &[Cow<'_, str>],
    code: Option<i32>,
    report: &Value,
    known: &[(&str, &str)],
    missing: &[&str],
) -> Vec<String> {
    let submissions = list(&report["submissions"]);
    let is_judged =
        |name: &str| submissions.iter().any(|submission| text(submission, "package") == name);
    let unjudged = packages.iter().filter(|name| !is_judged(name));
    let mut faults: Vec<String> =
        unjudged.map(|name| format!("{name}: none of its submissions was judged")).collect();
    let is_broken = |submission: &&Value| {
        let error = !submission["error"].is_null();
        let excused = error && !missing.is_empty();
        (error || !list(&submission["judgement"]["broken_expectations"]).is_empty()) && !excused
    };
    let broken = submissions.iter().filter(is_broken);
    faults.extend(
        broken.map(|submission| format!("not as expected: {}", describe_broken(submission))),
    );
    let is_known = |diagnostic: &&Value| {
        let (path, message) = (text(diagnostic, "path"), text(diagnostic, "message"));
        known.iter().any(|(end, part)| path.ends_with(end) && message.contains(part))
    };
    let diagnostics =
        list(&report["diagnostics"]).iter().filter(|diagnostic| !is_known(diagnostic));
    faults
        .extend(diagnostics.chain(list(&report["judge_errors"])).map(|error| format!("{error:#}")));
    faults.extend(submissions.iter().filter_map(rarely_caught));
    if missing.is_empty() && code != Some(0) {
        faults.push(format!("exit code {code:?}: {}", report["summary"]));
    }
    faults
}

/// Broken expectations, and the test cases that they name.
fn describe_broken(submission: &Value) -> String {
    let broken = list(&submission["judgement"]["broken_expectations"]);
    let is_named = |case: &&Value| {
        let is_it = |other: &Value| other["test_case"] == case["name"];
        broken.iter().any(is_it)
    };
    let cases = list(&submission["judgement"]["test_cases"]).iter().filter(is_named);
    let parts = broken.iter().chain(cases).map(|part| format!("\n{part:#}"));
    let parts: String = parts.collect();
    let error = &submission["error"];
    format!("{}: {}: {error}{parts}", text(submission, "package"), text(submission, "name"))
}

/// Returns a wrong submission that fewer than two test cases catch, unless it is known.
fn rarely_caught(submission: &Value) -> Option<String> {
    let (package, name) = (text(submission, "package"), text(submission, "name"));
    if name.starts_with("accepted/") || !submission["error"].is_null() {
        return None;
    }
    let cases = list(&submission["judgement"]["test_cases"]).iter();
    let caught = cases.filter(|case| text(case, "verdict") != "AC").count();
    let enough = if KNOWN_RARE_FAULTS.contains(&(package, name)) { 1 } else { 2 };
    (caught < enough).then(|| format!("{package}: {name} is caught by {caught}"))
}

#[test]
fn the_data_of_a_sample_of_each_type_matches_its_recipe() {
    first_of_each_type().iter().for_each(|package| check_data(package));
}

fn check_data(package: &Path) {
    let output = juror().arg("generate").arg(package).arg("--check").output().expect("juror runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", package.display());
}

#[test]
fn every_test_case_has_a_description() {
    for package in packages() {
        let files = walkdir::WalkDir::new(package.join("data")).sort_by_file_name();
        let inputs = files
            .into_iter()
            .map(|entry| entry.expect("an entry").into_path())
            .filter(|path| path.extension() == Some(OsStr::new("in")));
        for input in inputs {
            let yaml = input.with_extension("yaml");
            let text = fs::read_to_string(&yaml).unwrap_or_default();
            assert!(text.contains("description: "), "{}", yaml.display());
        }
    }
}

/// The built output validator, and a directory for its files.
struct CoinmovesValidator {
    directory: tempfile::TempDir,
}

impl CoinmovesValidator {
    fn build() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let source = root().join("problems/coinmoves/output_validator/validate/main.rs");
        let status = Command::new("rustc")
            .args(["--edition=2021", "-Copt-level=1", "-o"])
            .arg(directory.path().join("validate"))
            .arg(source)
            .status()
            .expect("rustc runs");
        assert!(status.success());
        Self { directory }
    }

    /// Returns exit code and message for an output on a row with this total.
    fn judge(&self, row: &[u32], total: u64, output: &str) -> (Option<i32>, String) {
        let path = |name: &str| self.directory.path().join(name);
        let words: Vec<String> = row.iter().map(u32::to_string).collect();
        let input = format!("{}\n{}\n", row.len(), words.join(" "));
        fs::write(path("1.in"), input).expect("an input");
        fs::write(path("1.ans"), format!("{total} -\n")).expect("an answer");
        let _ = fs::remove_file(path("judgemessage.txt"));
        let mut child = Command::new(path("validate"))
            .args([path("1.in"), path("1.ans"), path("")])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the validator starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The validator does not read the output if the test data is wrong.
        let _ = stdin.write_all(output.as_bytes());
        drop(stdin);
        let status = child.wait().expect("the validator ends");
        let message = fs::read_to_string(path("judgemessage.txt")).unwrap_or_default();
        (status.code(), message)
    }
}

#[test]
fn coinmoves_accepts_every_optimal_game_and_no_other() {
    let validator = CoinmovesValidator::build();
    for number in 0..1024 {
        let letter = |place: u32| if number >> place & 1 == 0 { 'L' } else { 'R' };
        let moves: String = (0..10).map(letter).collect();
        let (code, message) = validator.judge(&[5; 10], 25, &format!("25 {moves}\n"));
        assert_eq!(code, Some(42), "{moves}: {message}");
    }
    // Four of eight words on this row are right; LLL has the right total because of two mistakes.
    for number in 0..8 {
        let letter = |place: u32| if number >> place & 1 == 0 { 'L' } else { 'R' };
        let moves: String = (0..3).map(letter).collect();
        let right = moves.starts_with('R');
        let (code, message) = validator.judge(&[1, 1, 2], 3, &format!("3 {moves}\n"));
        assert_eq!(code, Some(if right { 42 } else { 43 }), "{moves}: {message}");
    }
}

#[test]
fn coinmoves_messages_name_turn_board_move_and_loss() {
    let validator = CoinmovesValidator::build();
    let check = |row: &[u32], total: u64, output: &str, said: &str| {
        let (code, message) = validator.judge(row, total, output);
        assert_eq!(message.trim_end(), said);
        assert_eq!(code, Some(43), "{said}");
    };
    check(
        &[1, 1, 2],
        3,
        "3 LLL",
        "turn 1 of 3, player 1: on the board `1 1 2`, the move L takes 1 and gives away 1",
    );
    check(
        &[10, 80, 90, 30],
        110,
        "110 RLRL",
        "turn 2 of 4, player 2: on the board `10 80 90`, the move L takes 10 and gives away 10",
    );
    check(&[7], 7, "7 X", "letter 1 of the moves is \"X\", expected L or R");
    check(&[7, 7], 7, "7 L", "the word has 1 moves, expected 2, one for each coin");
    check(&[7], 7, "8 L", "the total is \"8\", expected 7");
    check(&[7], 7, "", "the output is empty: expected the total and the moves");
    // Wrong test data is not a wrong answer.
    let (code, message) = validator.judge(&[7], 8, "8 L");
    assert_eq!((code, message.as_str()), (Some(1), ""));
}
