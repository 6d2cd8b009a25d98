//! Time to read a package of 1,000 test cases in each format.
//!
//! `cargo bench --bench read [-- CASES]` prints the median and the best of many turns. Files are in the system's cache.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use juror_packages::package;

const TURNS: usize = 30;

/// A format: its files without test cases, and the names of the input and answer of a test case.
struct PackageFormat {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    case: fn(usize) -> [String; 2],
}

const SECRET_NAMES: fn(usize) -> [String; 2] =
    |case| ["in", "ans"].map(|ending| format!("data/secret/{}/{case:05}.{ending}", case % 10));

const FORMATS: [PackageFormat; 4] = [
    PackageFormat {
        name: "2025-09",
        files: &[
            (
                "problem.yaml",
                "problem_format_version: 2025-09\nname: Sum\nuuid: 123e4567-e89b-42d3-a456-426614174000\n",
            ),
            ("statement/problem.en.md", "Add.\n"),
            ("submissions/accepted/a.py", "print(3)\n"),
            ("input_validators/v.py", "exit(42)\n"),
        ],
        case: SECRET_NAMES,
    },
    PackageFormat {
        name: "legacy",
        files: &[
            ("problem.yaml", "name: Sum\nauthor: Ada\n"),
            ("problem_statement/problem.tex", "\\problemname{Sum}\n"),
            ("data/secret/0/testdata.yaml", "on_reject: continue\n"),
            ("submissions/accepted/a.py", "print(3)\n"),
            ("input_validators/v.py", "exit(42)\n"),
        ],
        case: SECRET_NAMES,
    },
    PackageFormat {
        name: "Polygon",
        files: &[
            ("files/check.cpp", "\n"),
            ("files/testlib.h", "\n"),
            ("solutions/a.cpp", "int main() {}\n"),
        ],
        case: |case| [format!("tests/{:03}", case + 1), format!("tests/{:03}.a", case + 1)],
    },
    PackageFormat {
        name: "bare",
        files: &[],
        case: |case| [format!("{case:05}.in"), format!("{case:05}.ans")],
    },
];

fn main() {
    let cases = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1000);
    println!("reading {cases} test cases, {TURNS} turns:");
    for format in FORMATS {
        let keep = tempfile::tempdir().expect("a temporary directory");
        write_package(keep.path(), &format, cases);
        let mut times: Vec<Duration> = (0..TURNS).map(|_| time_read(keep.path(), cases)).collect();
        times.sort();
        println!("  {:<8} median {:>9.3?}  best {:>9.3?}", format.name, times[TURNS / 2], times[0]);
    }
}

fn write_package(dir: &Path, format: &PackageFormat, cases: usize) {
    let put = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    };
    for (name, text) in format.files {
        put(name, text);
    }
    for case in 0..cases {
        let [input, answer] = (format.case)(case);
        put(&input, "1 2\n");
        put(&answer, "3\n");
    }
    if format.name == "Polygon" {
        put("problem.xml", &settings(cases));
    }
}

fn settings(cases: usize) -> String {
    let tests = "<test method=\"generated\" cmd=\"gen 1 2\"/>\n".repeat(cases);
    format!(
        "<problem short-name=\"sum\"><names><name language=\"english\" value=\"Sum\"/></names>\n\
         <judging run-count=\"1\" input-file=\"\" output-file=\"\"><testset name=\"tests\">\n\
         <time-limit>1000</time-limit><memory-limit>268435456</memory-limit>\n\
         <test-count>{cases}</test-count><input-path-pattern>tests/%03d</input-path-pattern>\n\
         <answer-path-pattern>tests/%03d.a</answer-path-pattern><tests>\n{tests}</tests></testset></judging>\n\
         <files><resources><file path=\"files/testlib.h\"/></resources></files>\n\
         <assets><checker type=\"testlib\"><source path=\"files/check.cpp\" type=\"cpp.g++17\"/></checker>\n\
         <solutions><solution tag=\"main\"><source path=\"solutions/a.cpp\" type=\"cpp.g++17\"/></solution></solutions>\n\
         </assets></problem>\n"
    )
}

fn time_read(dir: &Path, cases: usize) -> Duration {
    let start = Instant::now();
    let reading = package::read(dir);
    let elapsed = start.elapsed();
    let problem = reading.problem.expect("a package that is read");
    let planned = problem.pending_recipe.as_ref().map_or(0, |recipe| recipe.cases.len());
    assert!(problem.test_data.cases.len().max(planned) == cases, "{:?}", reading.diagnostics);
    elapsed
}
