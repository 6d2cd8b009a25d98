//! Polygon packages: generated data, programs with testlib.h, and their settings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::fixture::{Fixture, RIGHT};

/// Only the functions that these checkers need.
const TESTLIB: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
inline void say(int argc, char* argv[], int code, const std::string& message) {
    if (argc > 4) std::ofstream(argv[4]) << message;
    std::fprintf(stderr, "See file to check exit message\n");
    std::exit(code);
}
"#;

pub(crate) const CHECKER: &str = r#"
#include "testlib.h"
static_assert(PC_BASE_EXIT_CODE == 50, "as Polygon builds it");
int main(int argc, char* argv[]) {
    std::ifstream in(argv[1]), out(argv[2]), ans(argv[3]);
    long long a, b, expected, found;
    in >> a >> b;
    if (!(ans >> expected)) say(argc, argv, 3, "the jury has no answer");
    if (!(out >> found)) say(argc, argv, 2, "no number in the output");
    if (found != expected) say(argc, argv, 1, "expected " + std::to_string(expected));
    say(argc, argv, 0, "one number");
}
"#;

const VALIDATOR: &str = r#"[[ $* == "--testset tests" || $# == 0 ]] || exit 9
text=$(cat; echo .)
[[ $text =~ ^[0-9]+\ [0-9]+$'\n'\.$ ]] && exit 0
echo "FAIL expected two numbers" >&2
exit 3
"#;

const SETTINGS: &str = r#"<?xml version="1.0" encoding="utf-8" standalone="no"?>
<problem revision="1" short-name="sum" url="">
    <names><name language="english" value="Sum"/></names>
    <judging cpu-name="" cpu-speed="1" input-file="" output-file="" run-count="1">
        <testset name="tests">
            <time-limit>5000</time-limit>
            <memory-limit>268435456</memory-limit>
            <test-count>3</test-count>
            <input-path-pattern>tests/%02d</input-path-pattern>
            <answer-path-pattern>tests/%02d.a</answer-path-pattern>
            <tests>
                <test method="manual" sample="true"/>
                <test cmd="gen 5 &quot;8&quot;" method="generated"/>
                <test method="manual"/>
            </tests>
        </testset>
    </judging>
    <files>
        <resources><file path="files/testlib.h" type="h.g++"/></resources>
        <executables><executable><source path="files/gen.sh" type="bash"/></executable></executables>
    </files>
    <assets>
        <checker type="testlib">
            <source path="files/check.cpp" type="cpp.g++17"/>
            <testset>
                <test-count>4</test-count>
                <input-path-pattern>files/c/%02d</input-path-pattern>
                <output-path-pattern>files/c/%02d.o</output-path-pattern>
                <answer-path-pattern>files/c/%02d.a</answer-path-pattern>
                <tests>
                    <test verdict="ok"/><test verdict="wrong-answer"/><test verdict="presentation-error"/>
                    <test verdict="crashed"/>
                </tests>
            </testset>
        </checker>
        <validators><validator>
            <source path="files/val.sh" type="bash"/>
            <testset>
                <test-count>2</test-count>
                <input-path-pattern>files/v/%02d</input-path-pattern>
                <tests><test verdict="valid"/><test verdict="invalid"/></tests>
            </testset>
        </validator></validators>
        <solutions>
            <solution tag="main"><source path="solutions/main.sh" type="bash"/></solution>
            <solution tag="wrong-answer"><source path="solutions/wa.sh" type="bash"/></solution>
        </solutions>
    </assets>
</problem>
"#;

/// The package `poly` has one test in a file, one to be generated, and one with Windows line ends and no answer.
pub(crate) fn polygon_package() -> Fixture {
    let fixture = Fixture::new();
    for (name, text) in [
        ("problem.xml", SETTINGS),
        ("files/testlib.h", TESTLIB),
        ("files/check.cpp", CHECKER),
        ("files/gen.sh", "echo \"$1 $2\"\n"),
        ("files/val.sh", VALIDATOR),
        ("files/v/01", "10 20\r\n"),
        ("files/v/02", "10 x\n"),
        ("files/c/01", "1 1\n"),
        ("files/c/01.o", "2\n"),
        ("files/c/01.a", "2\n"),
        ("files/c/02", "not valid\n"),
        ("files/c/02.o", "3\n"),
        ("files/c/02.a", "2\n"),
        ("files/c/03", "1 1\n"),
        ("files/c/03.o", "two\n"),
        ("files/c/03.a", "2\n"),
        ("files/c/04", "1 1\n"),
        ("files/c/04.o", "2\n"),
        ("files/c/04.a", "none\n"),
        ("solutions/main.sh", RIGHT),
        ("solutions/wa.sh", "read -r a b; echo $((a < 6 ? a + b : 0))\n"),
        ("tests/01", "1 2\n"),
        ("tests/01.a", "3\n"),
        ("tests/03", "7 8\r\n"),
    ] {
        fixture.write(&format!("poly/{name}"), text);
    }
    fixture
}

/// With changes in `problem.xml`.
pub(crate) fn changed_package(changes: &[(&str, &str)]) -> Fixture {
    let fixture = polygon_package();
    let mut settings = SETTINGS.to_owned();
    for (old, new) in changes {
        assert!(settings.contains(old), "{old}");
        settings = settings.replace(old, new);
    }
    fixture.write("poly/problem.xml", settings);
    fixture
}

/// Files below a directory, with contents and modification times.
pub(crate) fn files_with_times(dir: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let walk = WalkDir::new(dir).into_iter().map(|entry| entry.expect("an entry"));
    let files = walk.filter(|entry| entry.file_type().is_file());
    let known = files.map(|entry| {
        let written = entry.metadata().expect("a file").modified().expect("a time");
        let text = fs::read(entry.path()).expect("a file");
        (entry.path().display().to_string(), (text, written))
    });
    known.collect()
}

#[test]
fn data_is_generated_once_outside_of_the_package() {
    let fixture = polygon_package();
    let before = files_with_times(&fixture.path("poly"));
    fixture.check_with_cache("verify poly", 0, &["2 submissions, all as expected"]);
    let files = files_with_times(&fixture.path("cache/juror/tests"));
    // The inputs and answers of two tests, and the text of the validator's test.
    assert_eq!(files.len(), 5, "{:?}", files.keys());
    let texts: Vec<&str> =
        files.values().map(|(text, _)| std::str::from_utf8(text).expect("a text")).collect();
    for text in ["5 8\n", "13\n", "7 8\n", "15\n", "10 20\n"] {
        assert!(texts.contains(&text), "{text}");
    }
    fixture.check_with_cache("verify poly", 0, &["all as expected"]);
    assert_eq!(files_with_times(&fixture.path("cache/juror/tests")), files);
    assert_eq!(files_with_times(&fixture.path("poly")), before);
    // The contents of a generator count, not its modification time.
    fixture.write("poly/files/gen.sh", "echo \"$2 $1\"\n");
    fixture.check_with_cache(
        "judge poly solutions/main.sh --case tests/02",
        2,
        &["submission not found"],
    );
    fixture.check_with_cache("judge poly main.sh --case tests/02", 0, &["accepted on 1 test case"]);
    let more = files_with_times(&fixture.path("cache/juror/tests"));
    assert_eq!(more.len(), files.len() + 2);
    assert!(more.values().any(|(text, _)| text == b"8 5\n"));
}

#[test]
fn a_checker_is_tested_on_generated_data() {
    let fixture = polygon_package();
    fixture.remove("poly/tests/01.a");
    fixture.check("judge poly main.sh --case tests/02", 0, &["accepted on 1 test case"]);
}

#[test]
fn headers_for_solutions_are_available_to_every_submission() {
    let header = "<file path=\"files/grader.h\" type=\"h.g++\"><assets><asset name=\"solution\"/></assets></file>";
    let fixture = changed_package(&[("</resources>", &format!("{header}</resources>"))]);
    fixture.write("poly/files/grader.h", "int sum(int a, int b);\n");
    let program = "#include <cstdio>\n#include \"grader.h\"\nint sum(int a, int b) { return a + b; }\n\
        int main() { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", sum(a, b)); }\n";
    fixture.write("mine.cpp", program);
    fixture.check("judge poly mine.cpp", 0, &["AC"]);
}

#[test]
fn without_a_cache_data_is_generated_in_a_temporary_directory() {
    let fixture = polygon_package();
    fixture.write("file", "");
    let mut command = fixture.juror("verify poly");
    command.env_remove("JUROR_CACHE").env("XDG_CACHE_HOME", fixture.path("file"));
    let temporary = fixture.path("temporary");
    fs::create_dir(&temporary).expect("a directory");
    command.env("TMPDIR", &temporary).assert().success();
    assert_eq!(files_with_times(&temporary).len(), 0);
}

/// Without settings, its tests could be read as bare tests, without checker and limits.
#[test]
fn half_written_settings_are_an_error() {
    let fixture = Fixture::new();
    fixture.write("poly/tests/01", "1\n");
    fixture.write("poly/tests/01.a", "1\n");
    fixture.write("p.sh", "cat\n");
    for text in ["", "<problem", "<!-- x -->"] {
        fixture.write("poly/problem.xml", text);
        fixture.check("judge poly p.sh", 3, &["is not valid XML", "problem.xml:1"]);
    }
    fixture.write("poly/problem.xml", "<other/>");
    fixture.check("judge poly p.sh", 0, &["AC"]);
}

#[test]
fn a_failing_generator_or_solution_is_reported_with_its_test() {
    let fixture = polygon_package();
    fixture.write("poly/files/gen.sh", "echo no >&2\nexit 1\n");
    fixture.check("verify poly", 3, &["problem.xml:13", "ends with exit code 1: no"]);
    let fixture = polygon_package();
    fixture.write("poly/solutions/main.sh", "exit 1\n");
    fixture.check("verify poly", 3, &["problem.xml:13", "the solution ends with exit code 1"]);
}

#[test]
fn tags_become_expectations() {
    let fixture = changed_package(&[("tag=\"wrong-answer\"", "tag=\"accepted\"")]);
    let expected = ["accepted: permitted AC; got WA on tests/03", "1 expectation broken"];
    fixture.check("verify poly", 1, &expected);
    let fixture = changed_package(&[("tag=\"wrong-answer\"", "tag=\"time-limit-exceeded\"")]);
    fixture.check("verify poly", 1, &["permitted AC or TLE; got WA on tests/03"]);
}

#[test]
fn the_message_of_a_checker_is_shown() {
    let fixture = polygon_package();
    let cause = "wrong answer on tests/03: the output validator rejects it: expected 15";
    fixture.check("judge poly wa.sh", 1, &[cause]);
    fixture.write("poly/solutions/wa.sh", "echo no\n");
    let cause =
        "wrong answer on tests/01: the output validator rejects it: no number in the output";
    fixture.check("judge poly wa.sh", 1, &[cause]);
}

#[test]
fn tests_of_checkers_and_validators_are_verified() {
    let check = |changes: &[(&str, &str)], message: &str| {
        changed_package(changes).check("verify poly", 3, &[message]);
    };
    let ok = "<test verdict=\"ok\"/><test verdict=\"wrong-answer\"/>";
    check(&[(ok, &ok.replace("ok", "wrong-answer"))], "accepts this invalid output");
    check(&[(ok, &ok.replace("wrong-answer", "ok"))], "rejects it: expected 2");
    check(&[(ok, &ok.replace("wrong-answer", "crashed"))], "finds no fault in this test case");
    let valid = "<test verdict=\"valid\"/><test verdict=\"invalid\"/>";
    check(
        &[(valid, &valid.replace("\"valid", "\"invalid"))],
        "no input validator refuses this invalid input",
    );
    let both = valid.replace("invalid", "valid");
    check(&[(valid, &both)], "`val.sh` refuses it: FAIL expected two numbers");
}

#[test]
fn validator_tests_may_differ_only_in_their_group() {
    let known = "<test verdict=\"valid\"/><test verdict=\"invalid\"/>";
    let ways = [
        "testset=\"tests\" group=\"1\"",
        "testset=\"tests\" group=\"2\"",
        "testset=\"other\"",
        "group=\"1\"",
        "testset=\"other\" group=\"1\"",
    ];
    let repeats = |tests: &[&str]| {
        let invalid = tests.iter().map(|way| format!("<test verdict=\"invalid\" {way}/>"));
        let fixture = changed_package(&[(known, &invalid.collect::<String>())]);
        for at in 1..=tests.len() {
            fixture.write(&format!("poly/files/v/0{at}"), "1 2\n");
        }
        // The validator refuses this input only with one of these arguments.
        fixture.write("poly/files/val.sh", VALIDATOR.replace("exit 9", "exit 3"));
        let document = fixture.json("verify poly", 0);
        document["diagnostics"].to_string().matches("has the same input as").count()
    };
    assert_eq!(repeats(&ways), 0);
    assert_eq!(repeats(&[ways[0], ways[1], ways[1], ways[2]]), 1);
}

#[test]
fn a_validator_must_refuse_with_its_own_exit_code() {
    let fixture = polygon_package();
    fixture.write("poly/files/val.sh", VALIDATOR.replace("exit 3", "exit 43"));
    fixture.check(
        "verify poly",
        0,
        &["ends with exit code 43 on this invalid input", "exit with 3"],
    );
}

#[test]
fn points_add_up_and_partial_ones_count() {
    let tests = r#"<test method="manual" sample="true"/>
                <test cmd="gen 5 &quot;8&quot;" method="generated"/>
                <test method="manual"/>
            </tests>"#;
    let grouped = r#"<test method="manual" group="1" points="10"/>
        <test cmd="gen 5 8" method="generated" group="1" points="20"/>
        <test method="manual" group="2" points="70"/></tests><groups>
        <group name="1" points-policy="each-test"/>
        <group name="2" points-policy="complete-group">
            <dependencies><dependency group="1"/></dependencies>
        </group></groups>"#;
    let fixture = changed_package(&[(tests, grouped)]);
    fixture.write(
        "poly/files/val.sh",
        VALIDATOR.replace("\"--testset tests\"", "\"--testset tests --group \"[12]"),
    );
    let document = fixture.json("verify poly", 0);
    let submissions = document["submissions"].as_array().expect("submissions");
    let scores: Vec<&serde_json::Value> =
        submissions.iter().map(|submission| &submission["judgement"]["score"]["points"]).collect();
    assert_eq!(scores, [&serde_json::json!(100.0), &serde_json::json!(30.0)], "{document}");
    // An answer that is off by one gets half of the points of the second test.
    let half =
        "if (found == expected + 1) say(argc, argv, 7, \"10 of 20\");\n    if (found != expected)";
    fixture.write("poly/files/check.cpp", CHECKER.replace("if (found != expected)", half));
    fixture.write("off.sh", "read -r a b; echo $((a == 5 ? a + b + 1 : a + b))\n");
    let parts = ["the output validator gives 10 of 20 points: 10 of 20", "20 of 100"];
    fixture.check("judge poly off.sh --all", 1, &parts);
    // A test case has one point, so half of it is half a point.
    let cases = fixture.json("judge poly off.sh --points cases", 1);
    assert_eq!(cases["submissions"][0]["judgement"]["score"]["points"], 2.5, "{cases}");
    let too_many = CHECKER.replace("if (found != expected)", &half.replace("10 of 20", "21"));
    fixture.write("poly/files/check.cpp", too_many);
    fixture.check(
        "judge poly off.sh --all",
        4,
        &["it gives 21 points, more than the 20 of the test case"],
    );
}

#[test]
fn points_may_have_no_bound() {
    let fixture = polygon_package();
    let points =
        "if (found != expected) say(argc, argv, 7, \"0\");\n    say(argc, argv, 7, \"9.5 well\");";
    let old =
        "if (found != expected) say(argc, argv, 1, \"expected \" + std::to_string(expected));";
    assert!(CHECKER.contains(old));
    fixture.write("poly/files/check.cpp", CHECKER.replace(old, points));
    fixture.check("judge poly main.sh", 0, &["accepted on 3 test cases"]);
    fixture.check("judge poly wa.sh", 1, &["the output validator gives 0 points: 0"]);
}

#[test]
fn the_checker_judges_what_the_interactor_wrote() {
    let interactor = r#"read -r a b < "$1"
echo "$a $b"
read -r said || { echo "nothing was said" > "$4"; exit 8; }
[[ $said == *[!0-9]* ]] && { echo "not a number: $said" > "$4"; exit 2; }
echo "$said" > "$2"
exit 0
"#;
    let assets =
        "<interactor><source path=\"files/talk.sh\" type=\"bash\"/></interactor><validators>";
    let fixture = changed_package(&[("<validators>", assets)]);
    fixture.write("poly/files/talk.sh", interactor);
    for (name, text) in [("tests/02", "5 8\n"), ("tests/02.a", "13\n"), ("tests/03.a", "15\n")] {
        fixture.write(&format!("poly/{name}"), text);
    }
    fixture.check("verify poly", 0, &["all as expected"]);
    let judged = |program: &str, code: i32, said: &str| {
        fixture.write("a.sh", program);
        fixture.check("judge poly a.sh", code, &[said]);
    };
    judged(RIGHT, 0, "accepted on 3 test cases");
    judged(
        "read -r a b; echo 3\n",
        1,
        "wrong answer on tests/02: the output validator rejects it: expected 13",
    );
    judged("echo x\n", 1, "the interactor rejects it: not a number: x");
    judged("exit 0\n", 1, "the interactor rejects it: nothing was said");
    // The interactor may leave every decision to the checker.
    let lenient = "read -r a b < \"$1\"\necho \"$a $b\"\nread -r said\necho \"$said\" > \"$2\"\n";
    fixture.write("poly/files/talk.sh", lenient);
    judged(RIGHT, 0, "accepted on 3 test cases");
    judged("exit 0\n", 1, "the output validator rejects it: no number in the output");
}

#[test]
fn testlib_in_other_packages_needs_settings() {
    let fixture = Fixture::new();
    let validator =
        "text=$(cat; echo .)\n[[ $text =~ ^[0-9]+\\ [0-9]+$'\\n'\\.$ ]] && exit 0\nexit 3\n";
    fixture.write("sum/input_validators/validate/run", format!("#!/usr/bin/env bash\n{validator}"));
    fixture.write("sum/output_validator/check.cpp", CHECKER);
    fixture.write("sum/generators/testlib.h", TESTLIB);
    fixture.write(
        "sum/generators/gen.cpp",
        "#include \"testlib.h\"\nint main(int, char* argv[]) { std::puts(argv[1]); }\n",
    );
    let recipe = "solution: /submissions/accepted/right.sh\ndata: {secret: {data: {new: {generate: gen.cpp 4}}}}\n";
    fixture.write("sum/generators/generators.yaml", recipe.replace("gen.cpp 4", "gen.cpp '4'"));
    // The calling convention is not guessed.
    fixture.check("verify sum", 3, &["does not build", "testlib.h"]);
    let all = "[testlib]\nheader = \"generators/testlib.h\"\noutput_validator = \"checker\"\n\
               input_validators = true\ngenerators = true\n";
    fixture.write("sum/juror.toml", all);
    fixture.check("verify sum", 0, &["2 submissions, all as expected"]);
    // A directory of several files, whose own header includes the other one.
    fixture.write("sum/output_validator/own/all.h", "#include \"../testlib.h\"\n");
    fixture.write("sum/output_validator/more.cpp", "#include \"own/all.h\"\nint more;\n");
    let by_way = CHECKER
        .replace("\"testlib.h\"", "\"own/all.h\"")
        .replace("int main", "extern int more;\nint main");
    fixture.write("sum/output_validator/check.cpp", by_way);
    fixture.check("verify sum", 0, &["2 submissions, all as expected"]);
    fixture.write("sum/generators/generators.yaml", recipe);
    let message =
        "wrong answer on secret/large/1: the output validator rejects it: expected 100001";
    fixture.write("b.sh", crate::fixture::WRONG);
    fixture.check("judge sum b.sh", 1, &[message]);
    let refused = |text: &str, message: &str| {
        fixture.write("sum/juror.toml", format!("[testlib]\n{text}\n"));
        fixture.check("verify sum", 3, &[message]);
    };
    refused("", "`[testlib]` names no programs");
    refused("output_validator = \"interactor\"", "the problem is not interactive");
    refused("output_validator = \"other\"", "must be \"checker\" or \"interactor\"");
    refused("input_validators = true\nheader = \"nowhere.h\"", "there is no file `nowhere.h`");
    refused("input_validators = true\nodd = 1", "unknown key `odd`");
}
