//! How many wrong programs `juror stress` exposes, and how quickly. The set is of juror's own making, from known kinds
//! of mistakes: careless ones, corner cases, and programs that are too slow for one kind of input.
//!
//! `cargo bench --bench search [-- --seconds 30] [--seeds 3] [--jobs 2] [--only NAME] [--juror PROGRAM]` prints a row
//! for each program: with how many seeds it was exposed, the median of the seconds before, the tokens of the input
//! that was found, how it failed, and the shapes of the inputs. `--only` keeps the names that contain NAME. `--check`
//! runs each program on its own failing input instead, and prints whether the output differs, and the times.
//! `--sizes` compares the inputs that are found with the smallest that exists: with a generator made from the grammar,
//! and with the grammar. The ratios are of words and of bytes; `--seconds` is the time for a search and its shrinking.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

#[path = "search/set.rs"]
mod set;
#[path = "search/smallest.rs"]
mod smallest;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;
use set::{FailingInput, SearchProblem, WrongProgram, read_problems};

/// In seconds.
const TIME_LIMIT: &str = "1";

struct Arguments {
    seconds: u64,
    seeds: u64,
    jobs: usize,
    only: String,
    juror: PathBuf,
    checks: bool,
    sizes: bool,
}

struct SearchedProgram {
    seeds_found: usize,
    seconds: Vec<f64>,
    tokens: Vec<usize>,
    verdicts: Vec<String>,
    /// The shapes of the inputs that were found, or their other sources.
    sources: Vec<String>,
    runs: f64,
}

fn main() {
    let arguments = parse_arguments();
    let problems = read_problems();
    let programs =
        problems.iter().flat_map(|problem| problem.wrong.iter().map(move |wrong| (problem, wrong)));
    let programs: Vec<_> = programs
        .filter(|(problem, wrong)| title(problem, wrong).contains(&arguments.only))
        .collect();
    if arguments.sizes {
        compare_sizes(&arguments, &programs);
        return;
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some((problem, wrong)) =
                    programs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if arguments.checks {
                        check(&arguments, problem, wrong);
                        continue;
                    }
                    let searched = search(&arguments, problem, wrong);
                    let line = searched.row(&arguments);
                    println!("{:40} {line}", title(problem, wrong));
                    found.lock().expect("a list").push(searched);
                }
            });
        }
    });
    if arguments.checks {
        return;
    }
    let found = found.into_inner().expect("a list");
    let exposed: usize = found.iter().map(|program| program.seeds_found).sum();
    let always =
        found.iter().filter(|program| program.seeds_found as u64 == arguments.seeds).count();
    let mut seconds: Vec<f64> = found.iter().flat_map(|program| program.seconds.clone()).collect();
    let mut tokens: Vec<f64> = found
        .iter()
        .flat_map(|program| program.tokens.iter().map(|number| *number as f64))
        .collect();
    println!(
        "{} programs, {} s, {} seeds: {exposed} of {} searches found an input, {always} programs with each seed, median {:.1} s, {:.0} tokens",
        found.len(),
        arguments.seconds,
        arguments.seeds,
        found.len() as u64 * arguments.seeds,
        median(&mut seconds),
        median(&mut tokens),
    );
}

fn parse_arguments() -> Arguments {
    let words: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let index = words.iter().position(|word| word == name)?;
        Some(words.get(index + 1).unwrap_or_else(|| panic!("{name} needs a value")).clone())
    };
    let number = |name: &str, default: u64| {
        value(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
    };
    Arguments {
        seconds: number("--seconds", 30),
        seeds: number("--seeds", 3),
        jobs: number("--jobs", 2) as usize,
        only: value("--only").unwrap_or_default(),
        juror: value("--juror").map_or(env!("CARGO_BIN_EXE_juror").into(), PathBuf::from),
        checks: words.iter().any(|word| word == "--check"),
        sizes: words.iter().any(|word| word == "--sizes"),
    }
}

fn title(problem: &SearchProblem, wrong: &WrongProgram) -> String {
    format!("{}/{}.{}", problem.name, wrong.name, wrong.language)
}

fn write_programs(dir: &Path, problem: &SearchProblem, wrong: &WrongProgram) -> PathBuf {
    let folder = dir.join("wrong");
    fs::create_dir(&folder).expect("a folder");
    let path = match &*wrong.language {
        "java" => folder.join("Main.java"),
        language => folder.join(format!("wrong.{language}")),
    };
    for (path, text) in [
        (dir.join("input.ctd"), &problem.grammar),
        (dir.join("right.cpp"), &problem.right),
        (path.clone(), &wrong.source),
    ] {
        fs::write(path, text).expect("a file");
    }
    path
}

fn search(arguments: &Arguments, problem: &SearchProblem, wrong: &WrongProgram) -> SearchedProgram {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write_programs(dir.path(), problem, wrong);
    let mut searched = SearchedProgram {
        seeds_found: 0,
        seconds: Vec::new(),
        tokens: Vec::new(),
        verdicts: Vec::new(),
        sources: Vec::new(),
        runs: 0.0,
    };
    for seed in 1..=arguments.seeds {
        let output = Command::new(&arguments.juror)
            .args(["stress", "--json", "--explain", "0", "--shrink-time", "3s"])
            .args(["--time-limit", TIME_LIMIT, "--time", &format!("{}s", arguments.seconds)])
            .args(["--seed", &seed.to_string(), "--input-grammar"])
            .arg(dir.path().join("input.ctd"))
            .arg("--reference")
            .arg(dir.path().join("right.cpp"))
            .arg(&program)
            .output()
            .expect("juror runs");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{}: {error}: {}",
                title(problem, wrong),
                String::from_utf8_lossy(&output.stderr)
            )
        });
        searched.add(&report);
    }
    searched
}

/// Of programs in C++ that fail on a small input.
fn compare_sizes(arguments: &Arguments, programs: &[(&SearchProblem, &WrongProgram)]) {
    // By a generator, and by the grammar: ratios of words and of bytes.
    let mut ratios: [[Vec<f64>; 2]; 2] = Default::default();
    let is_small = |wrong: &WrongProgram| {
        wrong.language == "cpp" && matches!(wrong.failing, FailingInput::Text(_))
    };
    for (problem, wrong) in programs.iter().filter(|(_, wrong)| is_small(wrong)) {
        let grammar = smallest::grammar_of(&problem.grammar);
        let least = smallest::smallest_failing(&grammar, &problem.right, &wrong.source);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let program = write_programs(dir.path(), problem, wrong);
        fs::write(dir.path().join("gen.cpp"), smallest::generator_source(&grammar))
            .expect("a file");
        let path = |name: &str| dir.path().join(name).display().to_string();
        let sources = [
            ["--generator".to_owned(), format!("{} {{n}}", path("gen.cpp"))],
            ["--input-grammar".to_owned(), path("input.ctd")],
        ];
        for seed in 1..=arguments.seeds {
            let found = sources.each_ref().map(|source| {
                let half = format!("{}ms", arguments.seconds * 500);
                let mut juror = Command::new(&arguments.juror);
                juror.args(["stress", "--json", "--explain", "0", "--time-limit", TIME_LIMIT]);
                juror.args(["--time", &half, "--shrink-time", &half]).args(source);
                if source[0] == "--generator" {
                    juror.args(["--n-max", &smallest::SIZE_MAX.to_string()]);
                }
                juror.args(["--seed", &seed.to_string(), "--reference"]);
                let output = juror.arg(dir.path().join("right.cpp")).arg(&program).output();
                let output = output.expect("juror runs");
                let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
                let text = report["counterexample"]["input"]["text"].as_str().map(str::to_owned);
                (text, report["seconds"].as_f64().unwrap_or(f64::NAN))
            });
            let known = found.iter().filter_map(|(text, _)| text.as_ref()).chain(&least);
            let sizes = |text: &str| (smallest::word_count(text), text.len());
            let Some(least) = known.min_by_key(|text| sizes(text)) else { continue };
            let mut row = format!(
                "{:40} {:3} words {:4} B",
                title(problem, wrong),
                sizes(least).0,
                sizes(least).1
            );
            for ((text, seconds), ratios) in found.iter().zip(&mut ratios) {
                let Some(text) = text else {
                    row += "   not found          ";
                    continue;
                };
                let words = sizes(text).0 as f64 / sizes(least).0.max(1) as f64;
                let bytes = text.len() as f64 / least.len() as f64;
                row += &format!("  {words:5.2} {bytes:5.2} in {seconds:4.1} s");
                ratios[0].push(words);
                ratios[1].push(bytes);
            }
            println!("{row}");
        }
    }
    for (name, ratios) in ["generator", "grammar"].iter().zip(&mut ratios) {
        for (unit, ratios) in ["words", "bytes"].iter().zip(ratios) {
            let near = ratios.iter().filter(|ratio| **ratio <= 1.3).count();
            let (middle, most) = (median(ratios), ratios.get(ratios.len() * 9 / 10));
            println!(
                "{name}, {unit}: {near} of {} within 1.3; median {middle:.2}, 90 %: {:.2}",
                ratios.len(),
                most.unwrap_or(&f64::NAN)
            );
        }
    }
}

impl SearchedProgram {
    fn add(&mut self, report: &Value) {
        self.runs += report["runs"].as_f64().unwrap_or(0.0);
        let found = &report["counterexample"];
        if found.is_null() {
            return;
        }
        self.seeds_found += 1;
        self.seconds.push(report["hunting_seconds"].as_f64().unwrap_or(f64::NAN));
        let input = found["input"]["text"].as_str().unwrap_or("");
        self.tokens.push(input.split_whitespace().count());
        self.verdicts.push(found["verdict"].as_str().unwrap_or("?").to_owned());
        let source = found["origin"]["shape"].as_str().or(found["origin"]["kind"].as_str());
        self.sources.push(source.unwrap_or("?").to_owned());
    }

    fn row(&self, arguments: &Arguments) -> String {
        let share = format!("{}/{}", self.seeds_found, arguments.seeds);
        let mut tokens: Vec<f64> = self.tokens.iter().map(|number| *number as f64).collect();
        if self.seeds_found == 0 {
            return format!("{share:5} {:8} {:8} {:20} {:9} runs", "-", "-", "", self.runs);
        }
        format!(
            "{share:5} {:8.1} {:8} {:20} {:9} runs, {}",
            median(&mut self.seconds.clone()),
            median(&mut tokens),
            self.verdicts[0],
            self.runs,
            self.sources.join(" ")
        )
    }
}

/// Compares both programs on the failing input of the wrong one, without a sandbox.
fn check(arguments: &Arguments, problem: &SearchProblem, wrong: &WrongProgram) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write_programs(dir.path(), problem, wrong);
    let input = dir.path().join("fails.in");
    fs::write(&input, failing_input(wrong)).expect("a file");
    let valid = Command::new(&arguments.juror)
        .args(["grammar", "check"])
        .args([&dir.path().join("input.ctd"), &input])
        .output()
        .expect("juror runs");
    let right = run(&dir.path().join("right.cpp"), &input);
    let other = run(&program, &input);
    println!(
        "{:40} {:7} right {:6.2} s, wrong {:6.2} s, {}",
        title(problem, wrong),
        if valid.status.success() { "valid" } else { "INVALID" },
        right.seconds,
        other.seconds,
        if right.output == other.output { "same output" } else { "other output" },
    );
}

fn failing_input(wrong: &WrongProgram) -> Vec<u8> {
    match &wrong.failing {
        FailingInput::Text(text) => text.clone().into_bytes(),
        FailingInput::Script(script) => {
            Command::new("python3").args(["-c", script]).output().expect("python3 runs").stdout
        }
    }
}

struct CheckedRun {
    seconds: f64,
    output: Vec<u8>,
}

fn run(program: &Path, input: &Path) -> CheckedRun {
    let dir = program.parent().expect("a folder");
    let built = dir.join("built");
    let (builder, starter): (Vec<&str>, Vec<&str>) = match program.extension() {
        Some(it) if it == "cpp" => (vec!["g++", "-O2", "-o", "built"], vec!["./built"]),
        Some(it) if it == "java" => (vec!["javac"], vec!["java", "Main"]),
        _ => (vec!["true"], vec!["python3", "wrong.py"]),
    };
    let status =
        Command::new(builder[0]).args(&builder[1..]).arg(program).current_dir(dir).status();
    assert!(status.is_ok_and(|it| it.success()), "{} builds", built.display());
    let input = fs::File::open(input).expect("an input");
    let started = Instant::now();
    let output = Command::new("timeout")
        .args(["10"])
        .args(starter)
        .current_dir(dir)
        .stdin(input)
        .stderr(Stdio::null())
        .output()
        .expect("a program");
    CheckedRun { seconds: started.elapsed().as_secs_f64(), output: output.stdout }
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
