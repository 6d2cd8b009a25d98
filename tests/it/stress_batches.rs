//! Batches against fresh processes: `juror stress` finds the same, even if a program disturbs its batch.

use serde_json::Value;

use crate::fixture::Fixture;
use crate::stress::counterexample;

/// Enough inputs that most are in batches.
const GRAMMAR: &str = "INT(0, 11, a) SPACE INT(0, 11, b) NEWLINE\n";

/// The condition for the one input on which a program misbehaves: small, but not among the first.
const ONE_INPUT: &str = "a == 7 && b == 5";
/// The same input as text.
const ONE_INPUT_TEXT: &str = "7 5\n";
/// The condition for many inputs on which a program does something harmless.
const MANY_INPUTS: &str = "(a + b) % 9 == 5";

const PREAMBLE: &str = "\
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
";

/// How many runs are in batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BatchShare {
    Mostly,
    Seldom,
    /// None, or no run that counts.
    Never,
}
use BatchShare::{Mostly, Never, Seldom};

/// Submissions may write files if `writes` is set.
fn fixture(io: &str, writes: bool) -> Fixture {
    let fixture = match io {
        "files" => Fixture::with_files(),
        _ => Fixture::new(),
    };
    let limits = "  time_limit: 1\n  memory: 256\n";
    let problem = fixture.read("sum/problem.yaml");
    let problem = problem.replace(limits, "  time_limit: 1\n  memory: 48\n");
    let key = "allow_file_writing: true\n";
    let problem = problem.replace(key, "") + if writes { key } else { "" };
    fixture.write("sum/problem.yaml", problem);
    fixture.write("sum/input_validators/sum.ctd", GRAMMAR);
    let reference = match io {
        "files" => {
            program("freopen(\"sum.in\", \"r\", stdin); freopen(\"sum.out\", \"w\", stdout);", "")
        }
        _ => program("", ""),
    };
    fixture.write("ref.c", reference);
    fixture
}

/// A right program in C that runs `first` at its start, and `on_one` on one input before it prints.
fn program(first: &str, on_one: &str) -> String {
    program_on(ONE_INPUT, first, on_one)
}

/// A right program in C that runs `first` at its start, and `on_some` before it prints if the condition holds.
fn program_on(condition: &str, first: &str, on_some: &str) -> String {
    format!(
        "{PREAMBLE}int main(void) {{ {first} int a, b; if (scanf(\"%d %d\", &a, &b) != 2) return 9;\n\
         if ({condition}) {{ {on_some} }}\n\
         printf(\"%d\\n\", a + b); return 0; }}\n"
    )
}

fn run_search(fixture: &Fixture, name: &str, options: &str) -> Value {
    let line = format!(
        "stress sum {name} --explain 0 --reference ref.c --seed 3 --jobs 1 --runs 600 --time 10m --time-limit 0.1 --json {options}"
    );
    let output = fixture.juror(&line).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The parts of a report that must not depend on batches.
fn comparable_result(report: &Value) -> [Value; 5] {
    let details = counterexample(report);
    [
        details["verdict"].clone(),
        details["input"].clone(),
        details["got"].clone(),
        details["origin"].clone(),
        details["first_bytes"].clone(),
    ]
}

/// Checks the verdict in batches, and its input.
fn check_in(fixture: &Fixture, name: &str, source: &str, verdict: &str, batched: BatchShare) {
    fixture.write(name, source);
    let report = run_search(fixture, name, "");
    assert_eq!(report["diagnostics"], Value::Array(Vec::new()), "{report:#}");
    let expected = match verdict {
        "AC" => Value::Null,
        verdict => verdict.into(),
    };
    assert_eq!(counterexample(&report)["verdict"], expected, "{source}\n{report:#}");
    let count = |key: &Value| key.as_u64().expect("a number");
    let (of, runs) = (count(&report["batched"]), count(&report["runs"]));
    match batched {
        Mostly if verdict == "AC" => assert!(of * 2 > runs, "{source}\n{report:#}"),
        Mostly | Seldom => assert!(of > 0, "{source}\n{report:#}"),
        Never => assert_eq!(of, 0, "{source}\n{report:#}"),
    }
    if verdict != "AC" {
        assert_eq!(
            counterexample(&report)["input"]["text"],
            ONE_INPUT_TEXT,
            "{source}\n{report:#}"
        );
    }
}

#[test]
fn fresh_processes_give_the_same_result() {
    let fixture = fixture("standard", false);
    fixture.write("my.c", program("", "a++;"));
    let [batches, fresh] = ["", "--fresh"].map(|options| run_search(&fixture, "my.c", options));
    assert!(batches["batched"].as_u64() > Some(0), "{batches:#}");
    assert_eq!(fresh["batched"], 0, "{fresh:#}");
    assert_eq!(comparable_result(&batches), comparable_result(&fresh), "{batches:#}");
}

/// For a program in C that reads standard input.
fn check(first: &str, on_some: &str, verdict: &str) {
    let fixture = fixture("standard", false);
    check_in(&fixture, "my.c", &program(first, on_some), verdict, Mostly);
}

#[test]
fn java_programs_start_fresh_for_each_input_of_a_batch() {
    if !crate::builds::has_tool("javac") {
        return;
    }
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/sum.ctd", GRAMMAR);
    fixture.write("ref.c", program("", ""));
    let source = "import java.util.Scanner;\nclass Main { static int before = 0;\n\
         public static void main(String[] given) throws Exception {\n\
         Scanner in = new Scanner(System.in); int a = in.nextInt(), b = in.nextInt();\n\
         a += before++; if (a == 8 && b == 8) { System.exit(3); }\nSystem.out.println(a + b); } }\n";
    fixture.write("Main.java", source);
    let line = "stress sum Main.java --explain 0 --reference ref.c --seed 3 --jobs 1 --runs 2000 --time 30m \
                --time-limit 20";
    let report = fixture.json(line, 1);
    assert_eq!(report["diagnostics"], Value::Array(Vec::new()), "{report:#}");
    assert_eq!(counterexample(&report)["verdict"], "RTE", "{report:#}");
    assert_eq!(counterexample(&report)["input"]["text"], "8 8\n", "{report:#}");
    assert!(report["batched"].as_u64() > Some(0), "{report:#}");
}

#[test]
fn a_failure_on_one_input_of_a_batch_is_found() {
    check("", "a++;", "WA");
    check("", "abort();", "RTE");
    check("", "return 3;", "RTE");
    check("", "_exit(0);", "WA");
    check("", "close(1);", "WA");
}

#[test]
fn an_input_that_exceeds_a_limit_is_found() {
    check("", "for (;;) {}", "TLE");
    check("", "for (;;) puts(\"no end\");", "OLE");
    check(
        "",
        "for (;;) { void *p = malloc(1 << 20); if (!p) abort(); memset(p, 1, 1 << 20); }",
        "MLE",
    );
}

/// A separate test, because it mostly sleeps.
#[test]
fn an_input_that_makes_the_program_sleep_is_found() {
    check("", "sleep(100);", "TLE");
}

/// For a right program that does something harmless on many inputs.
fn check_harmless(on_some: &str, batched: BatchShare) {
    let fixture = fixture("standard", false);
    let source = program_on(MANY_INPUTS, "", on_some);
    check_in(&fixture, "my.c", &source, "AC", batched);
}

#[test]
fn disturbing_the_batch_changes_no_verdict() {
    let frame = "uint32_t f[] = {0x3174756a, 0, 1, 2}; write(1, f, sizeof f);";
    check("", frame, "WA");
    check_harmless("kill(getppid(), SIGKILL);", Seldom);
    check_harmless(
        "for (int fd = 3; fd < 1000; fd++) { write(fd, \"no frame\", 8); close(fd); }",
        Mostly,
    );
    check_harmless("if (fork() == 0) { close(1); sleep(100); }", Seldom);
    check_harmless(
        "if (fork() == 0) { if (fork() == 0) { setsid(); for (;;) {} } _exit(0); } wait(0);",
        Seldom,
    );
}

#[test]
fn inputs_of_a_batch_do_not_affect_each_other() {
    // In memory, in files at every writable place, and in open descriptors.
    let once = |path: &str| {
        format!(
            "{{ struct stat s; if (stat(\"{path}\", &s) == 0) return 4; \
             int fd = open(\"{path}\", O_CREAT | O_WRONLY, 0600); if (fd < 0) return 5; close(fd); }}"
        )
    };
    let all = [
        "static int runs; if (runs++) return 6;",
        &once("/tmp/seen"),
        &once("/dev/shm/other"),
        "{ struct stat s; if (fstat(0, &s) || !S_ISREG(s.st_mode) || lseek(0, 0, SEEK_CUR)) return 7; }",
        "if (open(\"/dev/null\", O_RDONLY) != 3) return 8;",
    ];
    check(&all.join(" "), "", "AC");
    let fixture = fixture("standard", true);
    check_in(&fixture, "my.c", &program(&once("seen"), ""), "AC", Mostly);
    // Only the program removes a directory with files in it, so batches end early.
    let directory = "mkdir(\"seen\", 0700); int fd = open(\"seen/in\", O_CREAT | O_WRONLY, 0600); if (fd < 0) return 5;";
    check_in(&fixture, "my.c", &program("", directory), "AC", Mostly);
    check_in(&fixture, "my.c", &program(directory, ""), "AC", Seldom);
}

#[test]
fn code_before_main_runs_once_or_prevents_batches() {
    let fixture = fixture("standard", false);
    let with = |before: &str, body: &str| {
        format!(
            "{PREAMBLE}#include <iostream>\n#include <vector>\n{before}\nint main() {{ {body}\n\
             if ({ONE_INPUT}) std::cout << a << '\\n'; std::cout << a + b << '\\n'; }}\n"
        )
    };
    let read = "int a, b; std::cin >> a >> b;";
    let table = "std::vector<int> table(1000, 7); ";
    let cases = [
        (format!("{table}struct P {{ P() {{ printf(\" \"); }} }} p;"), read, Mostly),
        (format!("{table}struct P {{ P() {{ write(1, \" \", 1); }} }} p;"), read, Never),
        ("int a, b; struct R { R() { std::cin >> a >> b; } } r;".to_owned(), "", Never),
    ];
    for (before, body, batched) in cases {
        check_in(&fixture, "my.cpp", &with(&before, body), "WA", batched);
    }
}

#[test]
fn named_files_work_in_batches() {
    let fixture = fixture("files", true);
    let open = "freopen(\"sum.in\", \"r\", stdin); freopen(\"sum.out\", \"w\", stdout);";
    check_in(&fixture, "my.c", &program(open, "a++;"), "WA", Mostly);
    check_in(&fixture, "my.c", &program(open, "remove(\"sum.out\");"), "WA", Mostly);
    let add = "freopen(\"sum.in\", \"r\", stdin); freopen(\"sum.out\", \"a\", stdout);";
    check_in(&fixture, "my.c", &program(add, "remove(\"sum.in\");"), "AC", Mostly);
    // A common style: both files are opened before `main`.
    let global = |on_some: &str| {
        format!(
            "#include <fstream>\n#include <cstdio>\nstd::ifstream in(\"sum.in\"); std::ofstream out(\"sum.out\");\n\
             int main() {{ int a, b; in >> a >> b; if ({ONE_INPUT}) {{ {on_some} }} out << a + b << std::endl; }}\n"
        )
    };
    check_in(&fixture, "my.cpp", &global("b++;"), "WA", Mostly);
    check_in(&fixture, "my.cpp", &global("return 0;"), "WA", Mostly);
    let link = "remove(\"sum.in\"); symlink(\"nowhere\", \"sum.in\"); remove(\"sum.out\"); symlink(\"sum.in\", \"sum.out\"); return 0;";
    check_in(&fixture, "my.c", &program(open, link), "WA", Mostly);
}

#[test]
fn rust_programs_and_threads_work_in_batches() {
    let fixture = fixture("standard", false);
    let rust = |on_some: &str| {
        format!(
            "use std::io::Read;\nfn main() {{ let mut text = String::new(); std::io::stdin().read_to_string(&mut text).unwrap();\n\
             let mut numbers = text.split_whitespace().map(|word| word.parse::<i32>().unwrap());\n\
             let (a, b) = (numbers.next().unwrap(), numbers.next().unwrap());\n\
             if {ONE_INPUT} {{ {on_some} }}\n\
             let sum = std::thread::spawn(move || a + b).join().unwrap(); println!(\"{{sum}}\"); }}\n"
        )
    };
    check_in(&fixture, "my.rs", &rust("panic!();"), "RTE", Mostly);
    let threads = format!(
        "#include <iostream>\n#include <thread>\nint main() {{ int a, b, c = 0; std::cin >> a >> b;\n\
         std::thread t([&] {{ c = a + b; }}); t.join(); if ({ONE_INPUT}) c++; std::cout << c << '\\n'; }}\n"
    );
    check_in(&fixture, "my.cpp", &threads, "WA", Mostly);
}

#[test]
fn python_programs_work_in_batches() {
    let fixture = fixture("standard", true);
    let once = ONE_INPUT.replace("&&", "and");
    // The output is wrong if the program sees a trace of its batch, or a file of another input.
    let source = format!(
        "import os, sys\na, b = map(int, input().split())\nsys.stdin.read()\n\
         is_new = __name__ == '__main__' and len(sys.argv) == 1 and 'INPUTS' not in globals()\n\
         print(a + b + (not is_new or os.path.exists('left') or {once}))\nopen('left', 'w').close()\n"
    );
    check_in(&fixture, "my.py", &source, "WA", Mostly);
}

#[test]
fn programs_that_cannot_be_batched_get_fresh_processes() {
    let fixture = fixture("standard", false);
    // More inputs than are tried before batches begin.
    let grammar = "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n";
    fixture.write("sum/input_validators/sum.ctd", grammar);
    fixture.write("my.sh", "read -r a b; echo $((a + b))\n");
    let report = fixture
        .json("stress sum my.sh --explain 0 --reference ref.c --seed 3 --runs 600 --time 10m", 0);
    assert_eq!(report["batched"], 0, "{report:#}");
    // Without isolation, files of the whole machine would count as left behind.
    fixture.write("my.c", program("", ""));
    let report = fixture.json(
        "stress sum my.c --explain 0 --reference ref.c --seed 3 --runs 600 --time 10m --isolation plain",
        0,
    );
    assert_eq!(report["batched"], 0, "{report:#}");
    // Both have this name.
    fixture.write("my.c", program("", "") + "int __wrap_main(void) { return 1; }\n");
    fixture.check(
        "stress sum my.c --explain 0 --reference ref.c --seed 3 --runs 600 --time 10m",
        0,
        &[
            "nothing found",
            "warning: the program for batches, without which every run has a fresh process, does not build",
            "my.c",
            "__wrap_main",
        ],
    );
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_slots_in_batches() {
    let fixture = fixture("standard", false);
    fixture.write("my.c", program("", "a++;"));
    let line = |jobs: u32| {
        format!(
            "stress sum my.c --explain 0 --reference ref.c --seed 8 --jobs {jobs} --runs 600 --time 10m"
        )
    };
    let [one, two, three] = [1, 2, 3].map(|jobs| fixture.json(&line(jobs), 1));
    assert_eq!(comparable_result(&one), comparable_result(&two), "{one:#}\n{two:#}");
    assert_eq!(comparable_result(&one), comparable_result(&three), "{one:#}\n{three:#}");
}

/// Neither random inputs nor small ones show these faults: the program leads to them letter by letter, or its comparison
/// by the distance of two numbers.
#[test]
fn inputs_that_reach_new_code_are_changed_further() {
    let check = |condition: &str| {
        let fixture = Fixture::new();
        fixture.write("g.ctd", "REGEX(\"[a-z]{6}\", s) NEWLINE\n");
        for (name, condition) in [("ref.c", "0"), ("wrong.c", condition)] {
            let source = format!(
                "{PREAMBLE}int main(void) {{ char s[9]; int number; if (scanf(\"%8s\", s) != 1) return 9;\n\
                 memcpy(&number, s, 4); puts({condition} ? \"wrong\" : \"right\"); return 0; }}\n"
            );
            fixture.write(name, source);
        }
        let line = "stress wrong.c --input-grammar g.ctd --reference ref.c --seed 1 --time 10m --explain 0 --json";
        let output = fixture.juror(line).output().expect("juror runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(counterexample(&report)["origin"]["kind"], "coverage", "{report:#}");
    };
    check("s[0] == 'c' && s[1] == 'r' && s[2] == 'o' && s[3] == 'w' && s[4] == 'n'");
    // `crow`, as a number of four bytes.
    check("number == 0x776f7263");
}

/// In the first batch of a validator, and in later ones.
#[test]
fn failures_are_found_with_an_output_validator_in_batches() {
    if !crate::builds::has_tool("python3") {
        return;
    }
    let right =
        "import sys\nright = sys.stdin.read().split() == open(sys.argv[2]).read().split()\n";
    // Alone as usual; accepts everything, or nothing, if it is in a batch.
    let is_batched = "'/0/' in sys.argv[1] or '/1/' in sys.argv[1]";
    for end in [
        "sys.exit(42 if right else 43)".to_owned(),
        format!("sys.exit(42 if right or {is_batched} else 43)"),
        format!("sys.exit(42 if right and not ({is_batched}) else 43)"),
    ] {
        let fixture = fixture("standard", false);
        fixture.write("sum/output_validator/check.py", format!("{right}{end}\n"));
        check_in(&fixture, "my.c", &program("", "a++;"), "WA", Mostly);
    }
}

/// Its exit code says nothing, so that a batch of it would accept everything.
#[test]
fn a_checker_that_prints_its_opinion_is_not_batched() {
    let fixture = fixture("standard", false);
    let large = "INT(0, 100000, a) SPACE INT(0, 100000, b) NEWLINE\n";
    fixture.write("sum/input_validators/sum.ctd", large);
    // Fails late enough that a checker would have a batch by then.
    fixture.write("my.c", program_on("(a ^ b) % 128 == 77", "", "a++;"));
    let checker = format!(
        "{PREAMBLE}int number(char *path) {{ int a = -1; fscanf(fopen(path, \"r\"), \"%d\", &a); return a; }}\n\
         int main(int argc, char **argv) {{ puts(number(argv[2]) == number(argv[3]) ? \"1\" : \"0\"); }}\n"
    );
    fixture.write("check.c", checker);
    let options = "--compare check.c --checker-protocol open-r1 --shrink-time 1s";
    let report = run_search(&fixture, "my.c", options);
    assert_eq!(counterexample(&report)["verdict"], "WA", "{report:#}");
}
