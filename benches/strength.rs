//! Speed of `juror strength` on game1: with an empty cache, and again after a test case was added.
//!
//! `cargo bench --bench strength [-- SECONDS]` (default 60) prints times, and mutants and comparisons per second. A
//! comparison is a run of a changed program on a test case or a fresh input. Test cases that were skipped after two
//! rejections do not count.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ADDED_CASE: &str = "  secret:
    data:
      0-added:
        in: \"5\\n7 1 9 2 8\\n\"
";

fn main() {
    let seconds = std::env::args().find_map(|text| text.parse::<u64>().ok()).unwrap_or(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let package = dir.path().join("game1");
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/game1");
    let copied = Command::new("cp").arg("-r").args([&original, &package]).status();
    assert!(copied.is_ok_and(|status| status.success()), "this needs cp");
    println!("game1, at most {seconds} s:");
    print_figures("from nothing", &strength(dir.path(), &package, seconds));
    let recipe = package.join("generators/generators.yaml");
    let text = fs::read_to_string(&recipe).expect("a recipe");
    let more = text.replacen("  secret:\n    data:\n", ADDED_CASE, 1);
    assert_ne!(text, more);
    fs::write(recipe, more).expect("a recipe");
    juror(dir.path(), &package, &["generate"]);
    print_figures("with other data", &strength(dir.path(), &package, seconds));
}

fn juror(dir: &Path, package: &Path, words: &[&str]) -> Vec<u8> {
    let cache = dir.join("cache");
    let output = Command::new(env!("CARGO_BIN_EXE_juror"))
        .args(words)
        .arg(package)
        .arg("--cache")
        .arg(cache)
        .output()
        .expect("juror runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn strength(dir: &Path, package: &Path, seconds: u64) -> Value {
    let time = format!("{seconds}s");
    let text = juror(dir, package, &["strength", "--json", "--seed", "1", "--time", &time]);
    serde_json::from_slice(&text).expect("a document")
}

fn print_figures(what: &str, report: &Value) {
    let strength = &report;
    let seconds = strength["seconds"].as_f64().expect("a figure");
    let subjects = strength["subjects"].as_array().expect("subjects");
    let mutants: Vec<&Value> =
        subjects.iter().filter(|subject| subject["kind"] == "mutant").collect();
    let run: Vec<&&Value> = mutants.iter().filter(|mutant| mutant["status"] != "not_run").collect();
    let count = |subject: &Value, key: &str| match &subject[key] {
        Value::Array(all) => all.len() as u64,
        number => number.as_u64().unwrap_or(0),
    };
    let cases = count(strength, "cases");
    let runs: u64 = run
        .iter()
        .map(|mutant| {
            count(mutant, "tried") + if count(mutant, "killers") == 0 { cases } else { 2 }
        })
        .sum();
    println!(
        "{what:16} {seconds:5.1} s, {} of {} mutants, {:4.0} mutants/s, {:6.0} comparisons/s, grade {}",
        run.len(),
        mutants.len(),
        run.len() as f64 / seconds,
        runs as f64 / seconds,
        strength["grade"]
    );
}
