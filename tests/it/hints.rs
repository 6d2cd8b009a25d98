//! Why a submission fails, in at most two lines. A hint comes from facts, and no other program gets it.

use crate::fixture::Fixture;

/// A program beside one test gets these hints: parts of the remark, then of each warning of the compiler.
fn check(name: &str, source: &str, test: [&str; 2], options: &str, hints: &[&str]) {
    let fixture = Fixture::new();
    fixture.write(&format!("my/{name}"), source);
    fixture.write("my/1.in", test[0]);
    fixture.write("my/1.out", test[1]);
    let command = format!("judge my/{name} {options}");
    let output = fixture.juror(&command).arg("--json").output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&text).expect("a report");
    let judgement = &report["submissions"][0]["judgement"];
    let remark = judgement["test_cases"][0]["remark"].as_str();
    let warnings = judgement["warnings"].as_array().expect("a list");
    let found: Vec<&str> =
        remark.into_iter().chain(warnings.iter().filter_map(|line| line.as_str())).collect();
    assert_eq!(found.len(), hints.len(), "{source}: {judgement:#}");
    for (found, hint) in found.iter().zip(hints) {
        assert!(found.contains(hint), "{source}: {found} lacks {hint}");
    }
}

const SUM: [&str; 2] = ["1 2\n", "3\n"];

#[test]
fn a_program_that_writes_a_file_learns_how_to_name_it() {
    let check = |source: &str, hints: &[&str]| check("a.sh", source, SUM, "", hints);
    let lines = |file: &str, input: &str| {
        format!("three lines: `[io]`, `input = \"{input}\"`, `output = \"{file}\"`")
    };
    let unread = "; without standard input, it writes the same";
    check("echo 3 > game.out", &[&format!("{}{unread}", lines("game.out", "game.in"))]);
    check("cat game.in 2> /dev/null; echo > SUM.TXT", &[unread]);
    check("read -r a b; echo $((a + b)) > sum.out", &[&lines("sum.out", "sum.in")]);
    // Standard output is wrong, nothing is written, and all is right.
    check("echo 4; echo 3 > game.out", &[]);
    check(":", &[]);
    check("echo 3 > /tmp/game.out", &[]);
    check("echo 3; echo 4 > game.out", &[]);
    let freopen = "#include <stdio.h>\nint main(void) { int a = 0, b = 0; freopen(\"game.in\", \"r\", stdin);\n\
                   freopen(\"game.out\", \"w\", stdout); scanf(\"%d%d\", &a, &b); printf(\"%d\\n\", a + b); }\n";
    self::check("a.c", freopen, SUM, "", &[unread]);
}

/// A program that works alone does not tell whether it read standard input.
#[test]
fn only_a_file_that_standard_input_does_not_change_says_so() {
    let fixture = Fixture::new();
    fixture.write("my/a.sh", "read -r a b; echo $((a + b)) > sum.out");
    fixture.write("my/1.in", "1 2\n");
    fixture.write("my/1.out", "3\n");
    let report = fixture.json("judge my/a.sh", 1);
    let remark = &report["submissions"][0]["judgement"]["test_cases"][0]["remark"];
    assert!(!remark.to_string().contains("without"), "{remark}");
}

#[test]
fn line_ends_of_the_input_are_told_if_they_are_the_cause() {
    let check = |source: &str, input: &str, hints: &[&str]| {
        check("a.sh", source, [input, "1-2\n"], "", hints);
    };
    let told = ["CR LF"];
    let lines = "IFS= read -r a; IFS= read -r b; printf '%s-%s\\n' \"$a\" \"$b\"";
    check(lines, "1\r\n2\r\n", &told);
    check("read -r a; exit $((${#a} - 1))", "1\r\n2\r\n", &[]);
    check("read -r a; echo 1-2; exit $((${#a} - 1))", "1\r\n2\r\n", &told);
    check("read -r a; [ \"$a\" = 1 ] && echo 1-2", "1\r\n2\n", &told);
    // Wrong all the same, right all the same, and no CR LF.
    check("read -r a; echo \"$a\"", "1\r\n2\r\n", &[]);
    check("echo 1-2", "1\r\n2\r\n", &[]);
    check("read -r a; [ \"$a\" = 3 ] && echo 1-2", "1\n2\n", &[]);
    check("read -r a; [ \"$a\" = 1 ] && echo 1-2", "1\r2\n", &[]);
    check("read -r a; kill -SEGV $$", "1\r\n2\r\n", &[]);
}

#[test]
fn a_signal_has_a_usual_cause_in_c_and_cpp_alone() {
    let start = "#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n\
                 int main(void) { volatile int a = 1, b = 0; volatile int *volatile p = 0; ";
    let check = |statement: &str, hints: &[&str]| {
        let source = format!("{start}{statement} return a + b + (p != 0); }}\n");
        check("a.c", &source, SUM, "", hints);
    };
    check("*p = a;", &["SIGSEGV usually means an index outside"]);
    check("a = a / b;", &["SIGFPE usually means an integer division by zero, also by `%`"]);
    check("a = a % b;", &["--debug shows the line"]);
    check("abort();", &["SIGABRT usually means an exception that nothing caught"]);
    check("raise(SIGTERM);", &[]);
    check("return 1;", &[]);
    check("puts(\"3\"); return 0;", &[]);
    for program in ["kill -SEGV $$", "kill -FPE $$", "kill -ABRT $$", "exit 139"] {
        self::check("a.sh", program, SUM, "", &[]);
    }
}

/// Both use up memory so slowly that the sandbox sees it.
#[test]
fn a_stack_that_fills_memory_is_told() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let work = "for (volatile int i = 0; i < 400; i++);";
    let recursion = format!(
        "int depth(volatile char *above) {{ volatile char all[1024]; if (*above == 77) return 1; all[0] = *above; {work} return depth(all) + all[9]; }}\n\
         int main(void) {{ char a = 1; return depth(&a); }}\n"
    );
    let told = ["of it was the stack: the recursion is too deep, or it never ends"];
    let options = "--time-limit 20 --memory-limit 64";
    check("a.c", &recursion, SUM, options, &told);
    let heap = format!(
        "#include <stdlib.h>\nint main(void) {{ for (;;) {{ volatile char *all = malloc(1024); all[9] = 1; {work} }} }}\n"
    );
    check("a.c", &heap, SUM, options, &[]);
}

#[test]
fn the_compiler_warns_if_a_submission_in_c_fails() {
    let no_return = "#include <stdio.h>\nint f(int x) { if (x > 9) return 1; }\n\
                     int main(void) { printf(\"%d\\n\", f(2) + 1000); }\n";
    let missing = "a.c:2:37: warning: control reaches end of non-void function [-Wreturn-type]";
    check("a.c", no_return, SUM, "", &[missing]);
    check("a.c", no_return, SUM, "--debug", &[]);
    check("a.c", no_return, SUM, "--flags=-fsanitize=undefined", &[]);
    check("a.c", no_return, SUM, "--compare none", &[]);
    let unset = "#include <stdio.h>\nint main(void) { int n, s; scanf(\"%d\", &n);\n\
                 for (int i = 0; i < n; i++) s += i;\nlong long b = 1000000 * 1000000;\n\
                 printf(\"%d %lld\\n\", s, b); }\n";
    let overflow = "a.c:4:23: warning: integer overflow in expression";
    check("a.c", unset, SUM, "", &[overflow, "[-Wmaybe-uninitialized]"]);
    let spins = "int main(void) { int s; volatile int one = 1; for (;;) one = s; }\n";
    check("a.c", spins, SUM, "--time-limit 0.2", &["[-Wuninitialized]"]);
    // Wrong without a warning, right with one, and refused.
    let wrong = "#include <stdio.h>\nint main(void) { unsigned n = 1; for (int i = 0; i < n; i++) puts(\"4\"); }\n";
    check("a.c", wrong, SUM, "", &[]);
    check("a.c", &no_return.replace("f(2) + 1000", "3"), SUM, "", &[]);
    check("a.c", "int f(void) { } int main(void) { return f() }\n", SUM, "", &[]);
    // The cause is known.
    check("a.c", &no_return.replace("%d\\n\", f(2) + 1000", "3.00000001\""), SUM, "", &[]);
}

#[test]
fn hints_are_at_most_two_lines_of_the_report_and_for_one_submission() {
    let fixture = Fixture::new();
    let source = "#include <stdio.h>\nint f(int x) { if (x > 9) return 1; }\nint g(int x) { if (x > 9) return 1; }\n\
                  int main(void) { volatile int zero = 0, one = 1; one = one / zero; return f(2) + g(2) + one; }\n";
    fixture.write("a.c", source);
    let lines = |arguments: &str| {
        let output = fixture.juror(arguments).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let labels = ["     hint: ", "     compiler: "];
        text.lines().filter(|line| labels.iter().any(|label| line.starts_with(label))).count()
    };
    assert_eq!(lines("judge sum a.c --case sample/1"), 2);
    fixture.write("b.c", source);
    assert_eq!(lines("judge sum a.c b.c --case sample/1 -v"), 2);
    assert_eq!(lines("verify sum"), 0);
    fixture.check(
        "judge sum a.c --case sample/1 --html page.html",
        1,
        &["hint: SIGFPE", "compiler: a.c:2"],
    );
    let page = fixture.read("page.html");
    assert!(page.contains("<strong>Hint: </strong>SIGFPE usually means"), "{page}");
    assert!(page.contains("<strong>Compiler: </strong>a.c:2:37: warning:"), "{page}");
}

#[test]
fn a_beginner_learns_what_alone_is_wrong() {
    let check = |program: &str, answer: &str, hints: &[&str]| {
        check("a.sh", program, ["1 2\n", answer], "", hints);
    };
    check("echo Your number: 3", "3\n", &["such as `Your number:`"]);
    check("echo 3; exit 1", "3\n", &["its output is right, and then it ends with exit code 1"]);
    check("echo 2,5", "2.5\n", &["decimal comma"]);
    check("echo 2", "2.5\n", &["as an integer"]);
    check("echo 3; echo None", "3\n", &["`None`"]);
    check("printf '1\\n2\\n3\\n'", "1\n2\n", &["one line too many, line 3"]);
    for program in ["exit 1", "echo 4", "echo a 4", "echo 3 3", ":"] {
        check(program, "3\n", &[]);
    }
    // Not right before they end with another exit code than 0.
    for output in ["4", "33", "3 3", "-3", "3.5", "'3 x'", "'x 3'", "'3\\n4'", "three", "''"] {
        check(&format!("printf \"%b\\n\" {output}; exit 1"), "3\n", &[]);
    }
}

/// What all runs of a program say together is at its first rejection.
#[test]
fn a_program_that_writes_the_same_for_all_inputs_learns_so() {
    let fixture = Fixture::new();
    let check = |program: &str, hint: &str| {
        fixture.write("p.sh", program);
        let report = fixture.json("judge sum p.sh --all", 1);
        let cases = report["submissions"][0]["judgement"]["test_cases"].as_array().expect("a list");
        let remarks: Vec<&str> = cases.iter().filter_map(|case| case["remark"].as_str()).collect();
        assert_eq!(remarks.len(), usize::from(!hint.is_empty()), "{program}: {remarks:?}");
        assert!(remarks.concat().contains(hint), "{program}: {remarks:?}");
        let first = cases.iter().find(|case| case["verdict"] != "AC").expect("a rejection");
        assert_eq!(first["remark"].as_str().unwrap_or_default(), remarks.concat(), "{program}");
    };
    check("echo 3", "is the answer of one test case, whatever the input");
    check("echo 8", "is the same, whatever the input: does it use what it reads");
    check("read -r a b", "it writes nothing, whatever the input");
    check("# My solution\n\n# to do\n", "the program has no code beside comments");
    check("", "the program has no code beside comments");
    for others in [
        "read -r a b; echo $((a - b))",
        "read -r a b; echo $a",
        "read -r a b; echo $((a + b + 1))",
        "echo 3; kill -SEGV $$",
        "read -r a b; [ $a = 1 ] && echo 3 || exit 1",
        "read -r a b; [ $a = 1 ] && echo 4 || echo 5",
        "read -r a b; [ $a = 1 ] && echo 3",
        "read -r a b; [ $a = 1 ] || echo 3",
        "head -c 2; echo",
        "read -r a b; echo $((a * b))",
    ] {
        check(others, "");
    }
}
