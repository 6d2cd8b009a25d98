//! Checkers and interactors of the command line: the same program in every command, however it is called.

use serde_json::json;

use crate::fixture::{Fixture, RIGHT};

const GENERATOR: &str = "echo $((1 + $1 % 9)) 2\n";

/// Bare tests in `t`; the sum is right in `right.sh`, and 4 in `wrong.sh`.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("t/1.in", "1 2\n");
    fixture.write("t/1.out", "3\n");
    fixture.write("right.sh", RIGHT);
    fixture.write("wrong.sh", "echo 4\n");
    fixture.write("four.txt", "4\n");
    fixture.write("gen.sh", GENERATOR);
    fixture
}

const PLAIN: &str = "read -r a < $2; read -r b < $3; [[ $a = $b ]] && exit YES; exit NO\n";
const STANDARD: &str = "read -r a; read -r b < $2; [[ $a = $b ]] && exit 42; exit 43\n";
const DMOJ: &str = "def check(process_output, judge_output, judge_input, **kwargs):\n    \
                    return process_output.split() == judge_output.split()\n";

fn plain(yes: &str, no: &str) -> String {
    PLAIN.replace("YES", yes).replace("NO", no)
}

fn check_line(fixture: &Fixture, checker: &str, submission: &str, expected: &str) {
    let line = json!({
        "source": { "file": submission }, "compare": checker,
        "cases": [{ "input": "1 2\n", "answer": "3\n" }],
    });
    let graded = fixture.juror("grade").write_stdin(line.to_string()).output().expect("juror runs");
    let graded = String::from_utf8_lossy(&graded.stdout).into_owned();
    assert!(graded.contains(expected), "{checker}: {graded}");
}

#[test]
fn a_checker_works_in_every_command() {
    let check = |name: &str, text: &str, call: &str| {
        let fixture = fixture();
        fixture.write(name, text);
        let call = format!("{name}: {call}");
        let call = &["checker: ", &call];
        let judge = |line: &str| format!("judge {line} --compare {name} -v");
        fixture.check(&judge("t right.sh"), 0, &[&["AC"], &call[..]].concat());
        fixture.check(&judge("t wrong.sh"), 1, &["WA", "the checker rejects it"]);
        fixture.check(&judge("sum wrong.sh --case sample/1"), 1, &["WA"]);
        let files = format!("--input t/1.in --compare {name} -v");
        fixture.check(&format!("compare t/1.out t/1.out {files}"), 0, call);
        fixture.check(&format!("compare t/1.out four.txt {files}"), 1, &["wrong: four.txt"]);
        check_line(&fixture, name, "right.sh", "\"AC\"");
        check_line(&fixture, name, "wrong.sh", "\"WA\"");
        let search = "--generator gen.sh --reference right.sh --runs 9 --time 10m --seed 1 -v";
        for (submission, code) in [("right.sh", 0), ("wrong.sh", 1)] {
            let line = format!("stress {submission} {search} --checker {name}");
            fixture.check(&line, code, call);
        }
    };
    let files = "INPUT OUTPUT ANSWER, exit code 0 or 1 (plain)";
    check("plain.sh", &plain("0", "1"), files);
    check("plain.sh", &plain("42", "43"), files);
    check(
        "standard.sh",
        STANDARD,
        "INPUT ANSWER FEEDBACK_DIR/ < OUTPUT, exit code 42 or 43 (standard",
    );
    // As a program with testlib.h that is built already.
    let built = format!("[[ $4 && $(< $2) =~ ^[0-9]+$ ]] || exit 2; {}", plain("0", "1"));
    check("built.sh", &built, "INPUT OUTPUT ANSWER REPORT, exit codes of testlib (testlib)");
    check("dmoj.py", DMOJ, "check(process_output, judge_output, ...) returns a bool (dmoj)");
}

/// A checker that accepts everything in one test case fits no protocol there. Other lines judge with it, before or
/// after that one.
#[test]
fn lines_of_grade_do_not_depend_on_earlier_trials() {
    let fixture = fixture();
    fixture.write("any.sh", format!("[[ $(< $3) = any ]] && exit 0\n{}", plain("0", "1")));
    let line = |answer: &str| {
        let cases = [json!({ "input": "1 2\n", "answer": answer })];
        let line = json!({
            "id": answer, "source": { "file": "right.sh" }, "compare": "any.sh", "cases": cases,
        });
        format!("{line}\n")
    };
    for answers in [["any\n", "3\n"], ["3\n", "any\n"]] {
        let lines: String = answers.map(line).concat();
        let mut command = fixture.juror("grade --jobs 1");
        let output = command.write_stdin(lines).output().expect("juror runs");
        let results = String::from_utf8_lossy(&output.stdout).into_owned();
        let of = |answer: &str| {
            let result = results.lines().find(|line| line.contains(&json!(answer).to_string()));
            result.unwrap_or_default().to_owned()
        };
        assert!(of("any\n").contains("fits no protocol"), "{results}");
        assert!(of("3\n").contains("\"AC\""), "{results}");
    }
}

#[test]
fn the_protocol_of_a_checker_is_never_guessed() {
    let check = |text: &str, options: &str, code: i32, messages: &[&str]| {
        let fixture = fixture();
        fixture.write("chk.sh", text);
        fixture.check(&format!("judge t right.sh --compare chk.sh {options}"), code, messages);
    };
    let misfit = "fits no protocol on 1";
    let next = "`--checker-protocol NAME` says how it is called: standard, plain, files, testlib, dmoj, cms, sinol, open-r1";
    check(
        "exit 0\n",
        "",
        3,
        &[
            "chk.sh",
            misfit,
            "for the answer, nothing and junk, it ends with 0, 0, 0 as plain",
            next,
        ],
    );
    check("exit 1\n", "", 3, &[misfit, "ends with 1, 1, 1 as plain", "1, 1, 1 as standard", next]);
    check(
        "echo no table >&2; exit 7\n",
        "",
        3,
        &[misfit, "ends with 7, 7, 7 as plain", ": no table"],
    );
    check("kill -SEGV $$\n", "", 3, &[misfit, "ends with SIGSEGV, SIGSEGV"]);
    // What the user says is not tried.
    let typed = "--checker-protocol";
    check(&plain("0", "1"), &format!("{typed} plain"), 0, &["AC"]);
    check(STANDARD, &format!("{typed} standard"), 0, &["AC"]);
    check("echo OK\n", &format!("{typed} sinol"), 3, &["accepts an empty output", "print WRONG"]);
    check(&plain("0", "1"), &format!("{typed} standard"), 3, &["it must be 42 to accept"]);
    check(
        "",
        &format!("{typed} kattis"),
        2,
        &["standard, plain, files, testlib, dmoj, cms, sinol, open-r1"],
    );
    let fixture = fixture();
    fixture.check(&format!("judge t right.sh {typed} plain"), 2, &["give it with --compare"]);
    // A package says itself how its programs are called.
    fixture
        .write("sum/output_validators/validate/run", format!("#!/bin/bash\n{}", plain("0", "1")));
    fixture.make_executable("sum/output_validators/validate/run");
    fixture.write("sum/problem.yaml", "name: Sum\nvalidation: custom\n");
    fixture.check("judge sum right.sh", 3, &["it must be 42 to accept"]);
}

#[test]
fn a_trial_that_does_not_end_is_an_error_that_shows_it() {
    let fixture = fixture();
    let settings = fixture.read("sum/problem.yaml");
    let settings = settings.replace("limits:\n", "limits:\n  validation_time: 1\n");
    fixture.write("sum/problem.yaml", settings);
    fixture.write("hang.sh", "while :; do :; done\n");
    let shown =
        ["fits no protocol on sample/1", "\"it exceeded a limit: ", "of CPU time", "as plain"];
    fixture.check("judge sum right.sh --compare hang.sh", 3, &shown);
}

#[test]
fn a_validator_that_hangs_is_told_once_for_all_submissions() {
    let fixture = Fixture::new();
    let settings = fixture.read("sum/problem.yaml");
    let settings = settings.replace("limits:\n", "limits:\n  validation_time: 1\n");
    fixture.write("sum/problem.yaml", settings);
    // In trials it ends: they have the answer of the sample, or no number.
    let hang = "read -r x; [[ $x = 3 ]] && exit 42; [[ $x =~ ^[0-9]+$ ]] || exit 43; while :; do :; done\n";
    fixture.write("sum/output_validator/run", format!("#!/bin/bash\n{hang}"));
    fixture.make_executable("sum/output_validator/run");
    let right = fixture.read("sum/submissions/accepted/right.sh");
    fixture.write("more.sh", format!("{right}# Others would be the same run.\n"));
    let line = "judge sum sum/submissions/accepted/right.sh more.sh --case secret/large/1";
    let text = fixture.text_with_cache(line, 4);
    assert_eq!(text.matches("more than 1.00 s of CPU time").count(), 1, "{text}");
}

#[test]
fn a_checker_may_be_a_command_and_must_be_there() {
    let fixture = fixture();
    fixture.write("chk.sh", plain("0", "1"));
    let words = ["judge", "t", "right.sh", "--compare", "bash chk.sh"];
    let output = fixture.juror("").args(words).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("AC "), "{text}");
    fixture.check("judge t right.sh --compare none.sh", 2, &["cannot find the checker none.sh"]);
    fixture.check("compare t/1.out four.txt --compare chk.sh", 2, &["give it with --input FILE"]);
    check_line(&fixture, "bash chk.sh", "right.sh", "cannot find the checker bash chk.sh");
}

/// Thinks of the number in the input; says whether a guess is right.
const TALK: &str = "read -r n < $1; while read -r x; do [[ $x = ${n:-3} ]] && { echo yes; exit YES; }; echo no; done; exit NO\n";
const GUESS: &str = "for i in LIST; do echo $i; read -r a; [[ $a = yes ]] && exit; done; exit 0\n";

fn talk(yes: &str, no: &str) -> String {
    TALK.replace("YES", yes).replace("NO", no)
}

/// `all.sh` guesses numbers up to 9, `some.sh` up to 4.
fn talking_fixture(interactor: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("my/all.sh", GUESS.replace("LIST", "{1..9}"));
    fixture.write("my/some.sh", GUESS.replace("LIST", "{1..4}"));
    fixture.write("inter.sh", interactor);
    fixture.write("gen.sh", "echo $((1 + $1 % 9))\n");
    fixture
}

#[test]
fn an_interactor_judges_on_inputs_alone_or_on_none() {
    let check = |interactor: &str, call: &str| {
        let fixture = talking_fixture(interactor);
        let judge = |program: &str, code: i32, messages: &[&str]| {
            fixture.check(&format!("{program} --interactor inter.sh -v"), code, messages);
        };
        let call = format!("interactor: inter.sh: {call}");
        // No inputs: an empty one.
        judge("judge my/some.sh", 0, &["AC", "no inputs", &call]);
        judge("run my my/some.sh", 0, &["the interactor accepts it", ">3"]);
        fixture.write("my/1.in", "3\n");
        fixture.write("my/2.in", "7\n");
        judge("my/all.sh", 0, &["accepted on 2 test cases", &call]);
        judge("my/some.sh", 1, &["wrong answer on 2:", "the interactor rejects it"]);
        judge("judge my my/some.sh --case 1", 0, &["AC"]);
        fixture.check("judge my --interactor inter.sh -- bash my/all.sh", 0, &["AC"]);
        judge("run my my/some.sh --case 2", 1, &["the interactor rejects it", ">4"]);
        judge("run my my/some.sh --input my/1.in", 0, &["accepts it"]);
        // Beside pairs, too.
        fixture.write("my/1.out", "");
        judge("my/some.sh", 1, &["wrong answer on 2"]);
    };
    let files = "INPUT OUTPUT ANSWER, exit code 0 or 1 (plain)";
    check(&talk("0", "1"), files);
    let format = "INPUT ANSWER FEEDBACK_DIR/ < OUTPUT, exit code 42 or 43 (standard)";
    check(&talk("42", "43"), format);
}

#[test]
fn a_search_with_an_interactor_needs_no_reference() {
    for (yes, no) in [("0", "1"), ("42", "43")] {
        let fixture = talking_fixture(&talk(yes, no));
        let search = "--generator gen.sh --interactor inter.sh --seed 1 --runs 100 --time 10m";
        fixture.check(
            &format!("stress my/some.sh {search}"),
            1,
            &["WA", "only the interactor judges"],
        );
        fixture.check(&format!("stress my/all.sh {search}"), 0, &["nothing found"]);
        let given = format!("stress my/some.sh {search} --reference my/all.sh");
        fixture.check(&given, 1, &["WA", "(--reference)"]);
        let none = "--generator gen.sh --seed 1";
        fixture.check(&format!("stress my/some.sh {none}"), 2, &["--reference", "--interactor"]);
    }
}

#[test]
fn an_interactor_that_waits_for_ever_is_named() {
    let check = |interactor: &str, program: &str, code: i32, messages: &[&str]| {
        let fixture = talking_fixture(interactor);
        fixture.write("my/wait.sh", "read -r x; exit 0\n");
        let line = format!("judge my/{program} --interactor inter.sh");
        fixture.check(&line, code, messages);
    };
    check(&talk("0", "1"), "wait.sh", 1, &["waited for input that never came"]);
    check("exit 9\n", "some.sh", 3, &["inter.sh", "fits no protocol on 1", "9, 9 as standard"]);
    let fixture = talking_fixture("exit 0\n");
    let line = "judge my/some.sh --interactor inter.sh --compare words";
    fixture.check(line, 2, &["--compare: an interactor judges"]);
    fixture.check("judge my/some.sh --interactor no.sh", 2, &["--interactor: cannot find no.sh"]);
}
