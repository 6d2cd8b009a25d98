//! What contestants type first, with the habits of other tools: each line works, or says what to type.

use std::process::Command;

use crate::fixture::Fixture;

/// A line of the table: files in an empty directory, what is typed there, the exit code, and what is shown.
struct Line<'a> {
    files: &'a [(&'a str, &'a str)],
    typed: &'a str,
    code: i32,
    shown: &'a [&'a str],
    never: &'a [&'a str],
}

const SUM: &str = "a, b = map(int, input().split())\nprint(a + b)\n";
const SUM_TEST: [(&str, &str); 2] = [("1.in", "1 2\n"), ("1.out", "3\n")];

fn check(lines: &[Line<'_>]) {
    for line in lines {
        let fixture = Fixture::new();
        std::fs::create_dir(fixture.path("my")).expect("a directory");
        for (name, text) in line.files {
            fixture.write(&format!("my/{name}"), text);
        }
        check_in(&fixture, line);
    }
}

fn check_in(fixture: &Fixture, line: &Line<'_>) {
    let (typed, input) = match line.typed.split_once(" < ") {
        Some((typed, input)) => (typed, Some(input)),
        None => (line.typed, None),
    };
    let mut command = fixture.juror("");
    // `~` is a blank within a word.
    command.args(typed.split(' ').map(|word| word.replace('~', " ")));
    command.current_dir(fixture.path("my"));
    if let Some(input) = input {
        command.write_stdin(fixture.read(&format!("my/{input}")));
    }
    let output = command.output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(line.code), "juror {}:\n{text}", line.typed);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for piece in line.shown {
        assert!(flat.contains(piece), "juror {} lacks `{piece}`:\n{text}", line.typed);
    }
    for piece in line.never {
        assert!(!flat.contains(piece), "juror {} has `{piece}`:\n{text}", line.typed);
    }
}

fn lacks(fixture: &Fixture, tool: &str) -> bool {
    let is_missing = Command::new(tool).arg("--version").output().is_err();
    if is_missing {
        fixture.announce_skip(&format!("no {tool}"));
    }
    is_missing
}

#[test]
fn files_beside_a_source_come_along() {
    let fixture = Fixture::new();
    if !lacks(&fixture, "c++") {
        let main = "#include <iostream>\n#include \"lib.h\"\nint main() { int a, b; std::cin >> a >> b; std::cout << add(a, b) << \"\\n\"; }\n";
        let mut files = vec![
            ("a.cpp", main),
            ("lib.h", "#pragma once\n#include \"deep/er.h\"\n"),
            ("deep/er.h", "inline int add(int a, int b) { return a + b; }\n"),
        ];
        files.extend(SUM_TEST);
        check(&[Line { files: &files, typed: "a.cpp", code: 0, shown: &["AC a.cpp"], never: &[] }]);
        files[1].0 = "include/lib.h";
        files[2].0 = "include/deep/er.h";
        check(&[
            Line {
                files: &files,
                typed: "judge a.cpp --flags=-Iinclude",
                code: 0,
                shown: &["AC a.cpp"],
                never: &[],
            },
            Line { files: &files, typed: "a.cpp", code: 1, shown: &["CE a.cpp", "-I"], never: &[] },
        ]);
    }
    if !lacks(&fixture, "python3") {
        let mut files = vec![
            ("p.py", "from util import add\na, b = map(int, input().split())\nprint(add(a, b))\n"),
            ("util.py", "def add(a, b):\n    return a + b\n"),
        ];
        files.extend(SUM_TEST);
        check(&[Line { files: &files, typed: "p.py", code: 0, shown: &["AC p.py"], never: &[] }]);
        let rest = "\na, b = map(int, input().split())\nprint(";
        for (import, call, module) in [
            ("import util", "util.add(a, b))", "util.py"),
            ("import lib.util as u", "u.add(a, b))", "lib/util.py"),
            ("from lib import util", "util.add(a, b))", "lib/util.py"),
            ("from util import *", "add(a, b))", "util/__init__.py"),
        ] {
            let text = format!("{import}{rest}{call}\n");
            let mut files = files.clone();
            (files[0].1, files[1].0) = (&text, module);
            let shown = &["AC p.py"];
            check(&[Line { files: &files, typed: "p.py", code: 0, shown, never: &[] }]);
        }
    }
}

#[test]
fn an_own_checker_and_an_own_interactor_judge() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    let in_out_answer = "import sys\n\
        want = open(sys.argv[3]).read().split()\n\
        got = open(sys.argv[2]).read().split()\n\
        sys.exit(0 if sorted(got) == sorted(want) else 1)\n";
    let files = [
        ("sol.py", "a, b = input().split()\nprint(b, a)\n"),
        ("check.py", in_out_answer),
        ("gen.py", "import sys\nprint(sys.argv[1], 7)\n"),
        ("brute.py", "a, b = input().split()\nprint(a, b)\n"),
        ("1.in", "1 2\n"),
        ("1.out", "1 2\n"),
    ];
    for typed in [
        "sol.py --compare check.py",
        "sol.py --checker check.py",
        "judge sol.py --checker check.py",
        "stress sol.py --generator gen.py --reference brute.py --compare check.py --runs 20",
        "stress sol.py --generator gen.py --reference brute.py --checker check.py --runs 20",
        "compare 1.out 1.out --compare check.py --input 1.in",
    ] {
        check(&[Line { files: &files, typed, code: 0, shown: &[], never: &["IsADirectoryError"] }]);
    }
    check(&[Line { files: &files, typed: "sol.py", code: 1, shown: &["WA sol.py"], never: &[] }]);

    // The interactor writes a number; the program answers with the next one.
    let files = [
        ("sol.py", "print(int(input()) + 1, flush=True)\n"),
        ("bug.py", "n = int(input())\nprint(n + (n != 5), flush=True)\n"),
        (
            "inter.py",
            "import sys\nn = int(open(sys.argv[1]).read())\nprint(n, flush=True)\n\
             sys.exit(42 if int(input()) == n + 1 else 43)\n",
        ),
        ("gen.py", "import sys\nprint(int(sys.argv[1]) % 10)\n"),
        ("1.in", "4\n"),
    ];
    for (typed, code, shown) in [
        ("sol.py --interactor inter.py", 0, "AC sol.py"),
        ("judge . sol.py bug.py --interactor inter.py", 0, "AC bug.py"),
        ("sol.py 1.in --interactor inter.py", 0, "AC sol.py"),
        ("run sol.py --interactor inter.py --input 1.in", 0, "5"),
        ("stress bug.py --generator gen.py --interactor inter.py --runs 200", 1, "WA bug.py"),
        ("stress bug.py gen.py --interactor inter.py --runs 200", 1, "WA bug.py"),
        (
            "stress bug.py --generator gen.py~{seed} --interactor python3~inter.py --runs 200",
            1,
            "WA bug.py",
        ),
    ] {
        check(&[Line { files: &files, typed, code, shown: &[shown], never: &["--reference"] }]);
    }
}

#[test]
fn an_own_input_is_run_and_shown() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    let alone = [("sol.py", SUM), ("my.txt", "5 8\n")];
    let with_answer = [("sol.py", SUM), SUM_TEST[0], SUM_TEST[1], ("2.in", "20 3\n")];
    let inputs = [("sol.py", SUM), ("1.in", "5 8\n")];
    let line = |files, typed, shown| Line { files, typed, code: 0, shown, never: &["usage"] };
    check(&[
        line(&alone, "run sol.py < my.txt", &["13"]),
        line(&alone, "run sol.py --input my.txt", &["13"]),
        line(&alone, "sol.py my.txt", &["13"]),
        line(&inputs, "run . sol.py --input 1.in", &["13"]),
        line(&inputs, "sol.py --compare none", &["13"]),
        line(&inputs, "sol.py", &["13", "ran"]),
        line(&with_answer, "sol.py 1.in", &["AC sol.py"]),
        line(&with_answer, "sol.py 2.in", &["23"]),
        line(&with_answer, "sol.py", &["AC sol.py", "ran", "23"]),
    ]);
}

#[test]
fn layouts_of_other_tools_are_read() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    let companion = r#"{"name": "A", "group": "G", "url": "https://example.org/a", "interactive": false, "memoryLimit": 256, "timeLimit": 1000, "tests": [{"input": "1 2\n", "output": "3\n"}], "testType": "single", "input": {"type": "stdin"}, "output": {"type": "stdout"}, "languages": {}}"#;
    for files in [
        &[("tests/1/input.txt", "1 2\n"), ("tests/1/output.txt", "3\n")][..],
        &[("01.dat", "1 2\n"), ("01.ans", "3\n")],
        &[("a.json", companion)],
        &[("1.in", "1 2\n"), ("1.out", "3\n"), ("input.txt", "9 9\n"), ("output.txt", "0\n")],
        &[("1.in", "1 2\n"), ("1.out", "3\n"), ("in.txt", "9 9\n"), ("out.txt", "0\n")],
        &[("tests/1/in.txt", "1 2\n"), ("tests/1/out.txt", "3\n")],
        &[("samples/01/input", "1 2\n"), ("samples/01/output", "3\n")],
        &[("a.dat", "1 2\n"), ("a.ans", "3\n")],
        &[("tests/01.dat", "1 2\n"), ("tests/01.ans", "3\n")],
        &[("problem.json", companion)],
        &[("01.in", "1 2\n"), ("01.ans", "3\n"), ("input", "9 9\n"), ("output", "0\n")],
    ] {
        let mut files = files.to_vec();
        files.push(("a.py", SUM));
        let shown = &["accepted on 1 test case"];
        check(&[Line { files: &files, typed: "a.py", code: 0, shown, never: &[] }]);
    }
}

#[test]
fn samples_in_an_archive_are_read() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    fixture.write("my/a.py", SUM);
    let script = "import zipfile\n\
                  with zipfile.ZipFile('my/samples.zip', 'w') as archive:\n    \
                  archive.writestr('1.in', '1 2\\n')\n    archive.writestr('1.ans', '3\\n')\n";
    let mut python = Command::new("python3");
    let made = python.args(["-c", script]).current_dir(fixture.root()).status();
    assert!(made.expect("python3 runs").success());
    let shown = &["accepted on 1 test case"];
    check_in(&fixture, &Line { files: &[], typed: "a.py", code: 0, shown, never: &[] });
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_named() {
    let fixture = Fixture::new();
    fixture.write("real/1.in", "1 2\n");
    fixture.write("real/1.out", "3\n");
    fixture.write("my/a.py", SUM);
    std::os::unix::fs::symlink("../real", fixture.path("my/tests")).expect("a link");
    let shown = &["tests -> ../real", "juror judge ../real a.py"];
    check_in(&fixture, &Line { files: &[], typed: "a.py", code: 2, shown, never: &[] });
    for (name, to, place) in [
        ("1.in", "../real/1.in", "../real"),
        ("samples", "../real", "../real"),
        ("data/1.in", "../../real/1.in", "data/../../real"),
    ] {
        std::fs::remove_dir_all(fixture.path("my")).expect("a directory");
        fixture.write("my/a.py", SUM);
        let link = fixture.path(&format!("my/{name}"));
        std::fs::create_dir_all(link.parent().expect("a parent")).expect("a directory");
        std::os::unix::fs::symlink(to, link).expect("a link");
        let shown = &[&*format!("{name} -> {to}"), &*format!("juror judge {place} a.py")];
        check_in(&fixture, &Line { files: &[], typed: "a.py", code: 2, shown, never: &[] });
    }
}

#[test]
fn words_of_other_tools_work_or_get_a_tip() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    let files = [
        ("a.py", SUM),
        SUM_TEST[0],
        SUM_TEST[1],
        ("gen.py", "import sys\nprint(sys.argv[1], 7)\n"),
        ("same.py", "print(1, 7)\n"),
        (
            "b.cpp",
            "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }\n",
        ),
    ];
    if lacks(&fixture, "c++") {
        return;
    }
    for (typed, code, shown) in [
        ("a.py -t 2", 0, "CPU time 2 s"),
        ("a.py --tle 3", 0, "CPU time 3 s"),
        ("a.py --timeout 3", 0, "CPU time 3 s"),
        ("a.py -m 128", 0, "memory 128 MiB"),
        ("a.py -e 1e-6", 0, "AC a.py"),
        ("a.py --eps 1e-6", 0, "AC a.py"),
        ("a.py -j 1", 0, "AC a.py"),
        ("a.py --std=c++20", 2, "--flags=-std=c++20"),
        ("a", 0, "AC a.py"),
        ("b.cpp --flags -std=c++17", 0, "AC b.cpp"),
        ("a.py -t 500ms", 0, "CPU time 0.5 s"),
        ("judge . a.py -m 64M", 0, "memory 64 MiB"),
        ("a.py --epsilon 0.01", 0, "AC a.py"),
        ("judge . a.py --checker float=1e-6", 0, "AC a.py"),
        ("judge . a.py --std=c++23", 2, "words for the compiler are in --flags"),
        ("judge . b.cpp --flags -O3", 0, "AC b.cpp"),
        ("stress a.py --generator gen.py --reference nope.py", 2, "reference not found: nope.py"),
        ("stress a.py gen.py ./no/brute.cpp", 2, "reference not found: ./no/brute.cpp"),
        ("stress b.cpp gen.py nope.cpp", 2, "reference not found: nope.cpp"),
        ("stress a.py --generator gen.py~{size} --reference a.py", 2, "`{size}` is unknown"),
        ("stress a.py --generator gen.py~{N}~{seed} --reference a.py", 2, "`{N}` is unknown"),
        (
            "stress a.py --generator gen.py~{n}~{seed}~{foo} --reference a.py",
            2,
            "`{foo}` is unknown",
        ),
        ("stress a.py gen.py a.py --runs 5", 0, "memory 256 MiB, output 64 MiB"),
        (
            "stress a.py --generator same.py --reference a.py --runs 50",
            0,
            "printed the same input each of 50 times",
        ),
        ("stress a.py gen.py a.py --runs 20", 0, "a.py"),
    ] {
        check(&[Line { files: &files, typed, code, shown: &[shown], never: &[] }]);
    }
}

#[test]
fn a_failure_says_its_usual_cause() {
    let fixture = Fixture::new();
    if lacks(&fixture, "python3") {
        return;
    }
    let third = [("a.py", "print(0.33333)\n"), ("1.in", "1 3\n"), ("1.out", "0.333333333333\n")];
    let file = [("a.py", "open('game.out', 'w').write('3')\n"), SUM_TEST[0], SUM_TEST[1]];
    let lines = [
        ("a.py", "n = input()\nprint('y' if n == 'x' else 'n')\n"),
        ("1.in", "x\r\n"),
        ("1.out", "y\r\n"),
    ];
    let error = [
        ("a.py", "import sys\nfor _ in range(70):\n    sys.stderr.write('x' * 2**20)\nprint(3)\n"),
        SUM_TEST[0],
        SUM_TEST[1],
    ];
    let [mut half, mut pair, mut tail] = [third; 3];
    (half[0].1, half[2].1) = ("print(0.50001)\n", "0.5\n");
    (pair[0].1, pair[2].1) = ("print(1, 2.99999)\n", "1 3\n");
    (tail[0].1, tail[2].1) = ("print('1e3')\n", "1000.0001\n");
    let [mut other, mut below] = [file; 2];
    other[0].1 = "import sys\nsys.stdout = open('sum.out', 'w')\nprint(3)\n";
    below[0].1 = "with open('result.txt', 'w') as f:\n    f.write('3')\n";
    for (files, shown) in [
        (&third, "--compare float="),
        (&half, "--compare float="),
        (&pair, "--compare float="),
        (&tail, "--compare float="),
        (&file, "game.out"),
        (&other, "sum.out"),
        (&below, "result.txt"),
        (&lines, "CR LF"),
        (&error, "standard error"),
    ] {
        check(&[Line { files, typed: "a.py", code: 1, shown: &[shown], never: &[] }]);
    }
    if lacks(&fixture, "c++") {
        return;
    }
    for (body, shown) in [
        ("volatile int zero = 0; return 7 / zero;", &["SIGFPE", "--debug"][..]),
        ("int* volatile none = nullptr; return *none;", &["SIGSEGV", "--debug"]),
        ("volatile int one = 1; return deep(one) > 0 ? 1 : 0;", &["stack"]),
    ] {
        let deep = "int deep(volatile int& n) { volatile int all[4096]; all[0] = n; return deep(n) + all[0]; }";
        let source = format!("{deep}\nint main() {{ {body} }}\n");
        let files = [("a.cpp", &*source), SUM_TEST[0], SUM_TEST[1]];
        check(&[Line { files: &files, typed: "a.cpp", code: 1, shown, never: &[] }]);
    }
}
