//! The command as users see it: exit codes, and messages about wrong input.

use std::fs;
use std::os::unix::fs::symlink;

use crate::fixture::{Fixture, RIGHT, WRONG};

#[test]
fn mutants_are_listed_shown_and_written() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int main(void) {\n    return 1 < 2;\n}\n");
    let check = |line: &str, code, messages: &[&str]| fixture.check(line, code, messages);
    check("mutants sum a.c", 0, &["a.c  ", "ror-e914-1", "2:14", "`<` → `<=`"]);
    check("mutants sum a.c --operator OFF1", 0, &["off1-e914-1", "`1` → `2`"]);
    check("mutants sum a.c --operator ror --show off1-e914-1", 5, &["there is no mutant"]);
    check("mutants sum a.c --operator memo", 5, &["--operator selects no mutants"]);
    check("mutants sum a.c --operator none", 2, &["ror", "tie"]);
    check("mutants sum a.c --show ror-e914-2", 0, &["-     return 1 < 2;", "+     return 1 > 2;"]);
    check("mutants sum a.c --show ror-e914-22", 5, &["did you mean `ror-e914-2`?"]);
    check("mutants sum", 5, &["there are no mutants", "add an accepted submission"]);
    fixture.write("broken.py", "def f(:\n");
    check("mutants sum broken.py", 5, &["nothing to change in it"]);
    check(
        "mutants sum accepted/right.sh",
        5,
        &["this submission has no mutants", "give one in C, C++"],
    );
    check("mutants sum b.c", 2, &["submission not found: b.c"]);
    check("mutants sum a.c --export ror-e914-1 b.c", 0, &["saved: b.c"]);
    assert_eq!(fixture.read("b.c"), "int main(void) {\n    return 1 <= 2;\n}\n");
    check("mutants sum a.c --export ror-e914-2 b.c", 2, &["already exists"]);
    check("mutants sum a.c --export ror-e914-2 .", 0, &["saved: ./a-ror-e914-2.c"]);
    check("mutants sum a.c --export ror-e914-2 new/dir/", 0, &["saved: new/dir/a-ror-e914-2.c"]);
    check("mutants sum b.c --show tie-9b91-1", 5, &["`juror mutants` lists them"]);
    let document = fixture.json("mutants sum a.c --show ror-e914-1 --seed 3", 0);
    assert_eq!(document["list"][0]["lines_after"][0], "    return 1 <= 2;");
}

#[test]
fn a_negative_number_is_not_read_as_a_file() {
    let fixture = Fixture::new();
    for line in ["cache prune --to -1", "judge sum a.sh --time-limit -0.5"] {
        fixture.check(line, 2, &["tip: no option takes a negative number"]);
    }
}

#[test]
fn a_right_submission_is_accepted_and_a_wrong_one_rejected() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("b.sh", WRONG);
    fixture.check("judge sum a.sh", 0, &["AC", "accepted on 4 test cases"]);
    fixture.check(
        "judge sum b.sh",
        1,
        &[
            "WA",
            "expected",
            "secret/large/1",
            "100001",
            "juror judge sum b.sh --case secret/large/1",
        ],
    );
    fixture.check("judge sum b.sh --case sample", 0, &["AC"]);
    fixture.check("judge sum b.sh --case secret/small/*", 1, &["secret/small/1"]);
}

#[test]
fn files_can_replace_standard_input_and_output() {
    let fixture = Fixture::with_files();
    let rows = [
        ("read -r a b < sum.in; echo $((a + b)) > sum.out", "AC", ""),
        ("read -r a b < sum.in; echo $((a + b)) > sum.out; echo noise", "AC", ""),
        ("read -r a b < sum.in; echo 3 > sum.out", "WA", "expected `100001`, got `3`"),
        (": > sum.out", "WA", "`sum.out` is empty"),
        ("mkdir sum.out", "WA", "`sum.out` is a directory"),
        ("mkfifo sum.out", "WA", "`sum.out` is a fifo"),
        ("ln -s /etc/passwd sum.out", "WA", "`sum.out` is a symbolic link"),
        ("ln -s sum.in sum.out", "WA", "`sum.out` is a symbolic link"),
        ("rm -rf ./*; echo 3 > sum.out", "WA", "expected `100001`, got `3`"),
        ("cat sum.in > /dev/null; exit 3", "RTE", "exit code 3"),
    ];
    fixture.judge_all("", "", &rows);
    fixture.write("p.sh", "read -r a b < sum.in; echo $((a + b))\n");
    fixture.check("judge sum p.sh", 1, &["`sum.out` is missing", "on standard output"]);
    fixture.write("p.sh", "printf '\\xff\\x1b[31m' > sum.out\n");
    fixture.check("judge sum p.sh", 1, &["\\xff\\x1b[31m"]);
}

#[test]
fn hostile_programs_get_a_verdict_with_its_cause() {
    let fixture = Fixture::new();
    let rows = [
        ("while :; do :; done", "TLE", "of CPU time, 0.1"),
        ("sleep 100", "TLE", "wall clock"),
        ("kill -SEGV $$", "RTE", "SIGSEGV"),
        ("head -c 20000000 /dev/zero", "OLE", "wrote more than the 8 MiB"),
        ("head -c 20000000 /dev/zero >&2", "OLE", "wrote more than the 8 MiB"),
        ("cat ../data/secret/*.ans /root/* /etc/shadow; echo 3", "WA", ""),
    ];
    fixture.judge_all("", "--time-limit 0.1", &rows);
    let check = |program: &str, messages: &[&str]| {
        fixture.write("p.sh", program);
        fixture.check("judge sum p.sh --time-limit 0.1", 1, messages);
    };
    check("sleep 100\n", &["TLE", "slept, or waited for input"]);
    // Either limit may be reached first.
    check("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyy; done\n", &["LE", "allowed"]);
    check("echo oops >&2; exit 7\n", &["RTE", "exit code 7", "oops"]);
    check("echo 1 > file && echo 3\n", &["RTE", "Read-only file system"]);
}

#[test]
fn the_json_document_has_measurements() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    let document = fixture.json("judge sum a.sh --case sample/1", 0);
    let case = &document["submissions"][0]["judgement"]["test_cases"][0];
    assert!(case["outcome"]["cpu_seconds"].as_f64().expect("a number") > 0.0);
    assert!(case["outcome"]["memory_bytes"].as_u64().expect("a number") > 0);
}

#[test]
fn a_program_that_is_ready_to_run_needs_no_source() {
    let fixture = Fixture::new();
    fixture.write("ready", format!("#!/bin/bash\n[ \"$1\" = --add ] || exit 9\n{RIGHT}"));
    fixture.make_executable("ready");
    let run = |words: &[&str]| {
        let mut command = fixture.juror("judge sum --");
        command.args(words).assert().get_output().status.code()
    };
    assert_eq!(run(&["./ready", "--add"]), Some(0));
    assert_eq!(run(&["./ready"]), Some(1));
    assert_eq!(run(&["./absent"]), Some(2));
}

#[test]
fn a_wrong_command_line_is_explained() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("empty.cpp", "");
    fixture.write("empty.py", "");
    fixture.write("plain", "no program\n");
    fixture.write("nothing/README.md", "no source\n");
    fixture.write("mixed/a.c", "int main(void) { return 0; }\n");
    fixture.write("mixed/b.py", "print(1)\n");
    symlink("nowhere", fixture.path("dangling.sh")).expect("a link");
    fixture.write("escaping/main.sh", RIGHT);
    symlink("/etc/passwd", fixture.path("escaping/data.txt")).expect("a link");
    let check =
        |arguments: &str, code: i32, messages: &[&str]| fixture.check(arguments, code, messages);
    check("judge sum", 2, &["give a submission: juror judge PACKAGE SUBMISSION"]);
    check("judge nothing", 3, &["in nothing", "1.in and 1.ans", "a file problem.yaml"]);
    check("jugde sum a.sh", 2, &["judge"]);
    check("judge sum absent.cpp", 2, &["submission not found: absent.cpp"]);
    check("judge sum dangling.sh", 2, &["dangling.sh", "broken symbolic link"]);
    check("judge sum empty.cpp", 1, &["CE", "main"]);
    check("judge sum empty.py", 1, &["WA"]);
    check("judge sum nothing", 2, &["nothing"]);
    check("judge sum mixed", 1, &["a.c", "b.py", "2 rejected"]);
    check("judge sum plain", 2, &["plain"]);
    check("judge sum escaping", 2, &["data.txt", "leads out"]);
    check("judge sum a.sh --case nope/*", 5, &["selects none of the 4 test cases"]);
    for typed in [",", "sample/1,", ",sample/1", "sample/1,,secret/1", ",,"] {
        check(&format!("judge sum a.sh --case {typed}"), 2, &["--case '': the pattern is empty"]);
    }
    check("judge sum a.sh --case [ab]", 2, &["[ab]"]);
    check("judge sum a.sh --case secret/smal/*", 5, &["did you mean `secret/small`"]);
    check("judge sum a.sh --case smal/1", 5, &["did you mean", "`secret/small/1`"]);
    check("judge sum b.sh", 2, &["submission not found: b.sh; did you mean `a.sh`?"]);
    check("judge sum acepted/right.sh", 2, &["did you mean `accepted/right.sh`"]);
    check("judge sum ./mixed/a.cpp", 2, &["did you mean `./mixed/a.c` or `./mixed/b.py`?"]);
    check("stress sum rihgt.sh --runs 1", 2, &["did you mean", "`accepted/right.sh`"]);
    for limit in ["0", "-1", "nan", "inf", "1S", "1d"] {
        check(&format!("judge sum a.sh --time-limit={limit}"), 2, &["--time-limit"]);
    }
    check("judge sum a.sh --jobs 0", 2, &["--jobs"]);
    check("judge sum a.sh -q -v", 2, &["--quiet"]);
    check("judge nowhere a.sh", 3, &["nowhere"]);
}

#[test]
fn every_fault_of_a_package_is_shown_at_once() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/problem.yaml",
        "problem_format_version: 2025-09\nnam: Sum\nuuid: x\nlimits:\n  time_limit: 0\n",
    );
    fixture.remove("sum/data/secret/small/2.ans");
    fixture.check(
        "verify sum",
        3,
        &[
            "unknown key `nam`",
            "did you mean `name`?",
            "problem.yaml:2:1",
            "limits.time_limit",
            "secret/small/2",
        ],
    );
}

#[test]
fn a_broken_package_is_refused() {
    let check = |spoil: &dyn Fn(&Fixture), messages: &[&str]| {
        let fixture = Fixture::new();
        spoil(&fixture);
        fixture.write("a.sh", RIGHT);
        fixture.check("judge sum a.sh", 3, messages);
        fixture.check("verify sum", 3, messages);
    };
    let problem =
        |text: &'static str| move |fixture: &Fixture| fixture.write("sum/problem.yaml", text);
    check(&|fixture| fixture.remove("sum/problem.yaml"), &["problem.yaml"]);
    check(&problem(""), &["problem.yaml"]);
    check(&problem("name:\n\tx: y\n"), &["problem.yaml:2", "tab"]);
    check(&problem("- a\n- b\n"), &["map"]);
    check(
        &problem(
            "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
        ),
        &["problem.yaml"],
    );
    check(&|fixture| fixture.write("sum/problem.yaml", b"\xff\xfe\n"), &["UTF-8"]);
    check(&|fixture| fixture.remove("sum/data/secret/small/1.ans"), &["secret/small/1"]);
    check(&|fixture| fixture.write("sum/data/secret/3.ans", "1\n"), &["3.ans"]);
    check(
        &|fixture| symlink("/etc/passwd", fixture.path("sum/data/secret/x.in")).expect("a link"),
        &["x.in"],
    );
}

#[test]
fn verify_compares_results_with_expectations() {
    let fixture = Fixture::new();
    fixture.check("verify sum", 0, &["accepted/right.sh", "wrong_answer/wrong.sh"]);
    fixture.write("sum/submissions/wrong_answer/right.sh", RIGHT);
    fixture.check("verify sum", 1, &["required WA on at least one case; got only AC on 4 cases"]);
    fixture.remove("sum/submissions/wrong_answer/right.sh");
    fixture.write("sum/submissions/accepted/wrong.sh", WRONG);
    fixture.check("verify sum", 1, &["permitted AC; got WA on secret/large/1"]);
    fixture.remove("sum/submissions/accepted/wrong.sh");
    fixture.write("sum/data/secret/bad.in", "1 2 3\n");
    fixture.write("sum/data/secret/bad.ans", "6\n");
    fixture.check(
        "verify sum",
        3,
        &["bad.in", "input validator `validate` refuses it: expected two numbers"],
    );
    fixture.remove("sum/data/secret/bad.in");
    fixture.remove("sum/data/secret/bad.ans");
    fixture.write("sum/data/invalid_input/fine.in", "1 2\n");
    fixture.check("verify sum", 3, &["fine.in", "no input validator refuses this invalid input"]);
}

#[test]
fn test_data_comes_from_its_recipe() {
    let fixture = Fixture::new();
    fixture.write("sum/generators/gen.sh", "echo \"$1 $2\"\n");
    let recipe = "solution: /submissions/accepted/right.sh\ndata:\n  sample:\n    data:\n      '1': {in: \"1 2\\n\"}\n  \
                  secret:\n    data:\n      small:\n        data:\n          '1': {generate: gen.sh 5 8}\n          '2': {in: \"0 0\\n\"}\n      \
                  large:\n        data:\n          '1': {generate: gen.sh 100000 1}\n  invalid_input:\n    data:\n      one: {in: \"1\\n\"}\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.check("generate sum --check", 0, &[]);
    fixture.write("sum/data/secret/small/1.ans", "14\n");
    fixture.remove("sum/data/secret/small/2.in");
    fixture.remove("sum/data/secret/small/2.ans");
    fixture.check("generate sum --check", 1, &["secret/small/1", "secret/small/2"]);
    fixture.check("generate sum", 0, &[]);
    fixture.check("generate sum --check", 0, &[]);
    fixture.write("sum/generators/gen.sh", "echo 1 2; exit 3\n");
    fixture.check("generate sum", 3, &["ends with exit code 3", "generators.yaml"]);
    let input = std::fs::read_to_string(fixture.path("sum/data/secret/small/1.in")).expect("data");
    assert_eq!(input, "5 8\n");
}

#[test]
fn files_can_be_compared_without_a_package() {
    let fixture = Fixture::new();
    fixture.write("a", "1 2.0\n");
    fixture.write("b", "1 2.0000001\n");
    fixture.check("compare a a", 0, &[]);
    fixture.check("compare a b", 1, &["token 2 differs"]);
    fixture.check("compare a b float_tolerance 1e-6", 0, &[]);
    fixture.check("compare a b float_tolerance", 2, &["float_tolerance"]);
    fixture.check("compare a absent", 2, &["absent"]);
    fixture.check("compare a sum", 2, &["cannot open sum"]);
    fixture.check("compare a b --compare float=1e-6", 0, &["agrees"]);
    fixture.check("compare a b --compare rcmp9", 1, &["token 2 is too far off"]);
    fixture.check("compare a b words", 2, &["write `--compare words`"]);
    fixture.check("compare a b --compare wrods", 2, &["did you mean `words`?"]);
    fixture.check("compare a b --compare none", 2, &["compares nothing"]);
    fixture.check("compare a b --compare icmp", 1, &["the output goes on"]);
    fixture.write("x", "one\n");
    let refused = "the judge answer x is not right: line 1: `ncmp` expects an integer of 64 bits";
    fixture.check("compare x a --compare ncmp", 2, &[refused, "not `one`"]);
    fixture.write("c", "1\n2.0\n");
    fixture.check("compare a c --compare words", 0, &["remark:", "--compare lines"]);
    let piped = |line: &str, text: &str, code: i32, message: &str| {
        let output = fixture.juror(line).write_stdin(text).output().expect("juror runs");
        let shown =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {shown}");
        assert!(shown.contains(message), "{line}: {shown}");
    };
    let text = fixture.read("a");
    piped("compare a -", &text, 0, "/dev/stdin agrees");
    piped("compare - a", &text, 0, "a agrees");
    piped("compare a -", "other", 1, "token 1 differs");
    piped("compare a /dev/stdin", "other", 1, "token 1 differs");
    piped("compare - -", &text, 2, "only one of the two files can be standard input");
}

#[test]
fn arguments_may_be_files_below_the_temporary_directory() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    let path = fixture.path("a.sh").display().to_string();
    let run = |words: &[&str]| {
        let mut command = fixture.juror("judge sum --");
        let output = command.args(words).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}");
    };
    run(&["/bin/bash", &path]);
}

#[test]
fn a_virtual_environment_of_python_works() {
    let fixture = Fixture::new();
    let venv = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip", "venv"])
        .current_dir(fixture.root())
        .output();
    if !venv.is_ok_and(|venv| venv.status.success()) {
        return fixture.announce_skip("python3 cannot make virtual environments");
    }
    let module = "a = 'only in the environment'\n";
    let site = std::fs::read_dir(fixture.path("venv/lib"))
        .expect("a library")
        .next()
        .expect("a version")
        .expect("an entry")
        .file_name();
    let site = site.to_string_lossy();
    fixture.write(&format!("venv/lib/{site}/site-packages/inside.py"), module);
    fixture.write("a.py", "import inside\nprint(sum(map(int, input().split())))\n");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = fixture.juror("judge sum a.py");
    let path = format!("{}:{path}", fixture.path("venv/bin").display());
    let output = command.env("PATH", path).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn a_test_case_can_have_arguments_and_files() {
    let fixture = Fixture::new();
    fixture.write("sum/data/secret/large/1.yaml", "args: [x, 'y z']\n");
    fixture.write("sum/data/secret/large/1.files/dir/more.txt", "7\n");
    fixture.write(
        "a.sh",
        "read -r a b; echo $((a + b)); echo \"$#$*$(cat dir/* a.sh)\" >&2; exit 1\n",
    );
    let expected = ["RTE", "2x y z7", "read -r a b"];
    fixture.check("judge sum a.sh --case secret/large/1", 1, &expected);
    let none = ["'dir/*': No such file", "0read -r a b"];
    fixture.check("judge sum a.sh --case secret/small/1", 1, &none);
}

#[test]
fn files_of_a_test_case_replace_those_of_the_submission() {
    let fixture = Fixture::new();
    for name in ["a/data.txt", "a/dir/both.txt", "a/dir/own.txt", "a/one", "a/two/x"] {
        fixture.write(name, "own\n");
    }
    fixture.write("a/table.py", "TEXT = 'own'\n");
    let program = "import os, sys, table\n\
        read = lambda name: open(name).read().strip() if os.path.isfile(name) else os.listdir(name)\n\
        names = ['data.txt', 'dir/both.txt', 'dir/own.txt', 'dir/new.txt', 'one', 'two']\n\
        sys.exit(' '.join([table.TEXT, *(str(read(name)) for name in names)]))\n";
    fixture.write("a/main.py", program);
    let files = "sum/data/secret/large/1.files/";
    for name in ["data.txt", "dir/both.txt", "dir/new.txt", "one/y", "two"] {
        fixture.write(&format!("{files}{name}"), "given\n");
    }
    fixture.write(&format!("{files}table.py"), "TEXT = 'given'\n");
    let expected = ["RTE", "given given given own given ['y'] given"];
    fixture.check("judge sum a --case secret/large/1", 1, &expected);
    // Only the test case has this module.
    fixture.write("b.py", "import table\nraise SystemExit(table.TEXT)\n");
    fixture.check("judge sum b.py --case secret/large/1", 1, &["RTE", "given"]);
}

#[test]
fn a_package_can_limit_code_size_and_languages() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    let problem = std::fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    let check = |added: &str, code: i32, messages: &[&str]| {
        fixture.write("sum/problem.yaml", format!("{problem}{added}"));
        fixture.check("judge sum a.sh", code, messages);
    };
    check("languages: [bash, cpp]\n", 0, &["AC"]);
    check(
        "languages: [cpp, java]\n",
        1,
        &["CE", "the language is bash; the problem allows cpp, java"],
    );
    // This needs no compiler.
    fixture.write("a.nim", "echo 1\n");
    let messages = "the language is nim; the problem allows bash";
    fixture.write("sum/problem.yaml", format!("{problem}languages: [bash]\n"));
    fixture.check("judge sum a.nim", 1, &["CE", messages]);
    check("  code: 1\n", 0, &["AC"]);
    fixture.write("a.sh", format!("{RIGHT}#{}\n", "x".repeat(2000)));
    check("  code: 1\n", 1, &["CE", "of source code, 1 KiB allowed"]);
    fixture.write("a.sh", format!("{RIGHT}#{}\n", "x".repeat(1023 - RIGHT.len())));
    check("  code: 1\n", 1, &["CE", "1025 bytes of source code, 1024 allowed"]);
}

#[test]
fn wrong_validator_arguments_are_shown_with_their_file() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/data/secret/test_group.yaml",
        "output_validator_args: [float_tolerence, '1e-6']\n",
    );
    fixture.check("verify sum", 3, &["test_group.yaml:1", "float_tolerence", "float_tolerance"]);
    fixture.write(
        "sum/data/secret/test_group.yaml",
        "output_validator_args: [float_tolerance, '1e-6']\n",
    );
    fixture.check("verify sum", 0, &["integer tokens are compared as floats"]);
}

#[test]
fn a_missing_compiler_gives_no_verdict() {
    let fixture = Fixture::new();
    fixture.write("a.go", "package main\nfunc main() {}\n");
    fixture.write("empty/README", "");
    let mut command = fixture.juror("judge sum a.go");
    let output = command.env("PATH", fixture.path("empty")).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("skipped: a.go: no go; install Go"), "{text}");
    assert!(text.contains("1 submission, 1 skipped"), "{text}");
    assert!(!text.contains("CE "), "{text}");
}

/// The package has every fault of an unfinished package at once; the rest is still judged.
#[test]
fn an_incomplete_package_is_judged_as_far_as_possible() {
    let fixture = Fixture::new();
    // The submission would bound the time limit, which is not set.
    let settings = "problem_format_version: 2025-09\nname: Draft\nname: Sum\n";
    fixture.write("sum/problem.yaml", settings);
    fixture.write("sum/submissions/accepted/a.go", "package main\nfunc main() {}\n");
    fixture.write("sum/submissions/wrong_answer/b.go", "package main\nfunc main() {}\n");
    fixture.write("sum/input_validators/c.go", "package main\nfunc main() {}\n");
    fixture.write("sum/submissions/accepted/x.zzz", "?");
    for number in 0..7 {
        fixture.write(&format!("sum/submissions/accepted/Main{number}.class"), "");
        fixture.write(&format!("sum/data/secret/gen{number}.exe"), "");
    }
    std::fs::remove_dir_all(fixture.path("sum/statement")).expect("a directory");
    std::os::unix::fs::symlink("/etc/passwd", fixture.path("sum/submissions/accepted/p.cpp"))
        .expect("a link");
    fixture.write("a.sh", RIGHT);
    // All tools but Go.
    let tools = ["bash", "sh", "env", "gcc", "python3", "cat"];
    fixture.write("bin/none", "");
    for tool in tools {
        for dir in ["/usr/bin", "/usr/local/bin", "/bin"] {
            let path = std::path::Path::new(dir).join(tool);
            let link = fixture.path(&format!("bin/{tool}"));
            if path.exists() && !link.exists() {
                std::os::unix::fs::symlink(path, link).expect("a link");
            }
        }
    }
    let run = |arguments: &str| {
        let mut command = fixture.juror(arguments);
        let output = command.env("PATH", fixture.path("bin")).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (code, text) = run("verify sum");
    assert_eq!(code, Some(3), "{text}");
    for piece in [
        "key `name` replaces the one on line 2",
        "Main3.class",
        "gen3.exe",
        "3 other files have this warning; -v shows each",
        "is a link to /etc/passwd, which is outside of the package",
        "is not run: go is missing",
        "is skipped: no go; so is 1 other submission",
        "accepted/right.sh",
        "skipped: no go",
        "4 submissions, 2 of them skipped, all others as expected",
    ] {
        assert!(text.contains(piece), "lacks `{piece}`:\n{text}");
    }
    let (code, text) = run("judge sum a.sh");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("accepted on 4 test cases"), "{text}");
    assert!(text.contains("is not used to find the time limit: there is no go"), "{text}");
    let (code, text) = run("judge sum a.sh accepted/a.go");
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("2 submissions, 1 accepted, 1 skipped"), "{text}");
}

#[test]
fn the_temporary_directory_is_empty_afterwards() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("tmp/keep", "");
    let mut command = fixture.juror("judge sum a.sh");
    command.env("TMPDIR", fixture.path("tmp")).assert().success();
    let left: Vec<_> = std::fs::read_dir(fixture.path("tmp")).expect("tmp").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn boxes_are_kept_on_request() {
    let fixture = Fixture::with_files();
    fixture.write("p.sh", "read -r a b < sum.in; echo 3 > sum.out; echo left > note\n");
    fixture.check("judge sum p.sh --keep=boxes", 1, &["boxes"]);
    let dir = fixture.root().join("boxes/p.sh");
    let mut names: Vec<_> = std::fs::read_dir(&dir)
        .expect("a kept box")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names[0], "sample~-1");
    fixture.check("judge sum p.sh --keep=boxes", 2, &["boxes is not empty"]);
    let note = std::fs::read_to_string(dir.join("sample~-1/note")).expect("what the program left");
    assert_eq!(note, "left\n");
}

#[test]
fn bare_tests_are_compared_word_by_word() {
    let fixture = Fixture::new();
    fixture.write("bare/1.in", "1\n");
    fixture.write("bare/1.out", "Yes 1\n");
    let check = |output: &str, options: &str, code: i32, messages: &[&str]| {
        fixture.write("a.sh", format!("printf '{output}'\n"));
        fixture.check(&format!("judge bare a.sh {options}"), code, messages);
    };
    check("Yes  1", "", 0, &["accepted on 1 test case"]);
    let case = &["wrong answer on 1: token 1 differs", "`--compare tokens` accepts this output"];
    check("yes 1\\n", "", 1, case);
    check("yes 1\\n", "--compare tokens", 0, &["AC"]);
    check("Yes\\n1\\n", "", 0, &["remark: 1: the words are right", "`--compare lines`"]);
    check("Yes\\n1\\n", "--compare lines", 1, &["line 1 differs"]);
    check("Yes 1 \\n", "--compare exact", 1, &["only line ends", "`--compare lines`"]);
    check("1 Yes", "--compare unordered", 0, &["AC"]);
    check("1 No", "--compare unordered", 1, &["a surplus part, in any order", "got `No`"]);
    check("Yes 1", "--compare float=2", 0, &["AC", "float=2 accepts 0 for every number"]);
    check("Yes 1", "--compare wcmo", 2, &["cannot find the checker wcmo", "did you mean `wcmp`?"]);
    check("Yes 1", "--compare floats,eps=1", 2, &["`floats` has no argument `eps`"]);
    check("1", "--compare ncmp", 4, &["compare with the judge answer", "1.out", "not `Yes`"]);
}

#[test]
fn outputs_can_be_shown_without_a_comparison() {
    let fixture = Fixture::new();
    for name in ["1", "2"] {
        fixture.write(&format!("bare/{name}.in"), format!("{name}\n"));
        fixture.write(&format!("bare/{name}.out"), "other\n");
    }
    fixture.write("a.sh", "read -r x; echo \"got $x\"\n");
    let output = fixture.juror("judge bare a.sh --compare none").output().expect("juror runs");
    let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for text in ["ran on 2 test cases", "got 1", "got 2", "1 submission, 1 ran"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("accepted") && !shown.contains("AC"), "{shown}");
    let json = fixture.juror("judge bare a.sh --compare none --json").output().expect("runs");
    let document: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    let case = &document["submissions"][0]["judgement"]["test_cases"][0];
    assert_eq!((&case["verdict"], &case["compared"]), (&"AC".into(), &false.into()));
    fixture.write("b.sh", "exit 3\n");
    fixture.juror("judge bare a.sh b.sh --compare none --html page.html").output().expect("runs");
    let page = fixture.read("page.html");
    for text in ["title=\"ran\">ran<", ">RTE<", "data-filter=\"ran\""] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains(">AC<") && !page.contains("accepted"), "{page}");
    fixture.write("a.sh", "read -r x; [ $x = 1 ] && echo 1 || exit 3\n");
    fixture.check(
        "judge bare a.sh --compare none",
        1,
        &["run-time error on 2", "1 of 2 test cases ran"],
    );
}

#[test]
fn a_package_can_name_its_comparison() {
    let fixture = Fixture::new();
    fixture.write("bare/1.in", "1\n");
    fixture.write("bare/1.out", "1 2\n");
    fixture.write("a.sh", "echo 2 1\n");
    let check = |settings: &str, code: i32, messages: &[&str]| {
        fixture.write("bare/juror.toml", settings);
        fixture.check("judge bare a.sh", code, messages);
    };
    check("", 1, &["WA"]);
    check("compare = \"uncmp\"\n", 0, &["AC"]);
    check("compare = \"sorted,split_on=whitespace\"\n", 0, &["AC"]);
    check("compare = \"sort\"\n", 3, &["unknown comparison `sort`"]);
    check("compare = 3\n", 3, &["the name of a comparison in quotes"]);
    fixture.write("bare/juror.toml", "compare = \"uncmp\"\n");
    fixture.check("convert bare --to 2025-09 new", 0, &[]);
    assert!(fixture.read("new/juror.toml").contains("compare = \"uncmp\""));
    fixture.check("judge new a.sh", 0, &["AC"]);
}

#[test]
fn limits_and_comparison_of_bare_tests_can_be_set() {
    let fixture = Fixture::new();
    fixture.write("bare/1.in", "1 2\n");
    fixture.write("bare/1.out", "3.0\n");
    fixture.write("bare/2.in", "20 30\n");
    fixture.write("bare/2.out", "50.0\n");
    fixture.write("a.sh", "read -r a b; echo \"$((a + b)).00001 \"\n");
    let accepting = |first: &str| {
        format!(
            "[ -n \"$1\" ] && [ -d \"$3\" ] || exit 1\nread -r x\n[ \"${{x%%.*}}\" = {first} ] && exit 42\nexit 43\n"
        )
    };
    let same =
        "read -r x\nread -r y < \"$2\"\n[ \"${x%%.*}\" = \"${y%%.*}\" ] && exit 42\nexit 43\n";
    fixture.write("same.sh", same);
    fixture.write("three.sh", accepting("3"));
    fixture.write("zero.sh", "exit 0\n");
    let check = |options: &str, code: i32, messages: &[&str]| {
        fixture.check(&format!("judge bare a.sh {options}"), code, messages);
    };
    check("", 1, &["wrong answer on 1", "--case 1"]);
    check("--compare tokens", 1, &["--compare tokens"]);
    check("--compare float=1e-3", 0, &["AC"]);
    check("--compare float=1e-9", 1, &["--compare float=1e-9"]);
    check("--compare same.sh", 0, &["AC"]);
    check(
        "--compare=same.sh --memory-limit 100 --time-limit 3",
        0,
        &["CPU time 3 s (--time-limit)", "memory 100 MiB"],
    );
    // A checker that rejects, and one that speaks another protocol.
    check("--compare three.sh", 1, &["wrong answer on 2: the checker rejects it"]);
    check("--compare zero.sh", 3, &["zero.sh", "42"]);
    check("--compare none.sh", 2, &["cannot find the checker none.sh", "`juror help comparisons`"]);
    check("--compare float", 2, &["write the largest error: float=1e-6"]);
    check("--memory-limit 0", 2, &["--memory-limit"]);
    fixture.write("b.sh", "read -r a b; echo \" $((a + b)).0\"\n");
    fixture.check("judge bare b.sh", 0, &["AC"]);
    let again = "juror judge bare b.sh --compare exact --memory-limit 64 --case 1";
    fixture.check(
        "judge bare b.sh --compare exact --memory-limit 64",
        1,
        &["--compare exact --memory-limit 64"],
    );
    fixture.check(&again["juror ".len()..], 1, &["WA"]);
    fixture.check("judge sum b.sh --compare float=1", 0, &["AC"]);
    fixture.write("bare/{x}.in", "1 1\n");
    fixture.write("bare/{x}.out", "2\n");
    fixture.check("judge bare b.sh --case {x} --case [1] -q", 2, &["[1]"]);
    fixture.check("judge bare b.sh --case {x} --case 1 --all", 1, &["1 of 2", "{x}"]);
}

#[test]
fn a_directory_without_tests_gets_a_message_with_the_expected_names() {
    let fixture = Fixture::new();
    fixture.write("none/x.txt", "");
    fixture.write("a.sh", RIGHT);
    let pairs = "tests in pairs, such as 1.in and 1.ans, in1.txt and out1.txt, or 01 and 01.a; files there: x.txt";
    fixture.check("judge none a.sh", 3, &["no problem.yaml in none", "a file problem.yaml", pairs]);
}

#[test]
fn bare_tests_are_a_problem_with_default_limits() {
    let fixture = Fixture::new();
    fixture.write("bare/1.in", "1 2\n");
    fixture.write("bare/1.out", "3\n");
    fixture.write("bare/tests/2.in", "20 30\n");
    fixture.write("bare/tests/2.ans", "50\n");
    fixture.write("a.sh", RIGHT);
    fixture.write("b.sh", WRONG);
    let limit = "CPU time 2 s (the default for bare tests)";
    fixture.check("judge bare a.sh", 0, &["accepted on 2 test cases", limit]);
    fixture.check("judge bare b.sh", 1, &["wrong answer on tests/2"]);
    fixture.check("judge bare b.sh --case 1", 0, &["AC"]);
    let pairs = "2 pairs of files, from 1.in and 1.out to tests/2.in and tests/2.ans";
    let format = format!("format: bare tests: {pairs}");
    fixture.check("judge bare a.sh", 0, &[&format]);
    let package = fixture.json("judge bare a.sh", 0)["packages"][0].clone();
    assert_eq!(package["format"], "bare tests");
    let reason = format!("is read as bare tests: {pairs}");
    fixture.check("verify bare", 5, &[&reason, "nothing to verify"]);
    fixture.write("bare/3.in", "1 1\n");
    fixture.write("bare/4.out", "1\n");
    let left_over = format!("{format}; without an answer: 3.in; left over: 4.out");
    fixture.check("judge bare a.sh", 0, &[&left_over]);
    fixture.remove("bare/3.in");
    fixture.remove("bare/4.out");
    let none = "is in the format bare tests, which has no recipe for test data";
    fixture.check("generate bare", 3, &[none]);
    fixture.check("generate bare --from-grammar", 3, &[none]);
    let promote = "stress bare b.sh --reference a.sh --promote x";
    fixture.check(promote, 2, &["cannot add test cases"]);
    fixture.write("bare/juror.toml", "[io]\ninput = \"x.in\"\noutput = \"x.out\"\n");
    fixture.write("a.sh", "read -r a b < x.in; echo $((a + b)) > x.out\n");
    fixture.check("judge bare a.sh", 0, &["accepted on 2 test cases"]);
    // More than the box of a program without input, which has room for the output limit and other files.
    let large = fs::File::options().append(true).open(fixture.path("bare/1.in")).expect("an input");
    large.set_len(100 << 20).expect("zeros behind it");
    fixture.check("judge bare a.sh", 0, &["accepted on 2 test cases"]);
}

/// A thread that waits for the panicked thread would wait forever.
#[test]
fn a_panic_in_any_thread_ends_juror_with_a_judge_error() {
    let output = crate::sandbox::run_in_own_process("cli::one_thread_panics", |_| {});
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("error: juror has a fault, and ends; please report it"), "{text}");
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn one_thread_panics() {
    juror::cli::exit_on_panic();
    std::thread::spawn(|| panic!("for a test"));
    std::thread::park_timeout(std::time::Duration::from_secs(60));
}
