//! Converted packages judge like the old ones: submissions get the same points, as far as the format allows.

use crate::convert::remove_old;
use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::{formats, polygon};

const TARGETS: [&str; 3] = ["2025-09", "legacy", "domjudge-zip"];

/// Converts to each format and judges submissions. A row has an exit code and a text for each format.
fn check_judged(fixture: &Fixture, from: &str, rows: &[(&str, [(i32, &str); 3])]) {
    for (at, to) in TARGETS.into_iter().enumerate() {
        remove_old(fixture, "new.zip");
        fixture.check(&format!("convert {from} --to {to} new.zip"), 0, &[]);
        for (submission, judged) in rows {
            let (code, message) = judged[at];
            fixture.check(&format!("judge new.zip {submission} --all"), code, &[message]);
        }
    }
}

fn cms_task() -> Fixture {
    let fixture = Fixture::new();
    for (name, text) in [
        (
            "task.yaml",
            "name: sum\ntitle: Sum\ntime_limit: 10\nmemory_limit: 256\ninfile: ''\noutfile: ''\n",
        ),
        ("gen/GEN", "#ST: 40\n1\n2\n#ST: 60\n3\n"),
        ("input/input0.txt", "3 4\n"),
        ("input/input1.txt", "1 1\n"),
        ("input/input2.txt", "10 20\n"),
        ("sol/solution.sh", RIGHT),
    ] {
        fixture.write(&format!("cms/{name}"), text);
    }
    fixture.write("lines.sh", "read -r a b; echo; echo $((a + b))\n");
    fixture.write("more.sh", "read -r a b; echo $((a == 1 ? a + b : a + b + 1))\n");
    fixture
}

#[test]
fn outputs_are_compared_as_closely_as_the_format_allows() {
    let fixture = cms_task();
    fixture.check("judge cms lines.sh", 1, &["0 of 100"]);
    let all = [(0, "100 of 100"); 3];
    check_judged(&fixture, "cms", &[("lines.sh", all), ("cms/sol/solution.sh", all)]);
    for to in TARGETS {
        let lost = "was: output_validator_args: case_sensitive \"line_sensitive, as CMS compares\" \
            became: case_sensitive";
        fixture.check(&format!("convert cms --to {to} new_{to}"), 0, &[lost]);
    }
}

#[test]
fn a_checker_of_cms_or_sinol_gives_the_same_points() {
    let fixture = cms_task();
    fixture.write(
        "cms/cor/correttore.sh",
        "read -r right < $2; read -r found < $3\n\
         case $((found - right)) in 0) echo 1.0;; 1) echo 0.25;; *) echo 0.0;; esac\n",
    );
    let all = [(0, "100 of 100"); 3];
    let part = |message| [(1, message), (0, message), (0, message)];
    check_judged(&fixture, "cms", &[("cms/sol/solution.sh", all), ("more.sh", part("25 of 100"))]);
    fixture.write("cms/gen/GEN", "1\n2\n3\n");
    fixture.write("more.sh", "read -r a b; echo $((a == 10 ? a + b + 1 : a + b))\n");
    check_judged(&fixture, "cms", &[("cms/sol/solution.sh", all), ("more.sh", part("75 of 100"))]);
    for (name, text) in [
        (
            "config.yml",
            "title: Sum\ntime_limit: 10000\nmemory_limit: 262144\nscores: {1: 31, 2: 69}\n",
        ),
        ("in/abc0.in", "1 1\n"),
        ("in/abc1.in", "3 4\n"),
        ("in/abc2.in", "10 20\n"),
        ("prog/abc.sh", RIGHT),
        (
            "prog/abcchk.sh",
            "read -r found < $2; read -r right < $3\n\
             case $((found - right)) in 0) echo OK;; 1) printf 'OK\\n\\n50\\n';; *) echo WRONG;; esac\n",
        ),
    ] {
        fixture.write(&format!("abc/{name}"), text);
    }
    let part = [(0, "66 of 100"); 3];
    check_judged(&fixture, "abc", &[("abc/prog/abc.sh", all), ("more.sh", part)]);
}

#[test]
fn a_checker_keeps_its_headers() {
    let fixture = cms_task();
    fixture.write(
        "cms/cor/lib.h",
        "#include <cstdio>\nint say(double part) { return std::printf(\"%f\\n\", part) < 0; }\n",
    );
    let checker = "#include <fstream>\n#include \"lib.h\"\n\
        int main(int, char** v) { std::ifstream a(v[2]), o(v[3]); int x, y; return say(a >> x && o >> y && x == y); }\n";
    fixture.write("cms/cor/correttore.cpp", checker);
    fixture.write("wrong.sh", WRONG);
    let rows =
        [("cms/sol/solution.sh", [(0, "100 of 100"); 3]), ("wrong.sh", [(1, "0 of 100"); 3])];
    check_judged(&fixture, "cms", &rows);
}

#[test]
fn an_output_validator_without_points_is_not_asked_for_them() {
    let fixture = Fixture::new();
    let yaml = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", format!("{yaml}type: scoring\n"));
    for (group, points) in [("", 100), ("/large", 50), ("/small", 50)] {
        let keys = format!(
            "max_score: {points}\nscore_aggregation: {}\n",
            if group.is_empty() { "sum" } else { "min" }
        );
        fixture.write(&format!("sum/data/secret{group}/test_group.yaml"), keys);
    }
    let check = |validator: &str| {
        fixture.write(
            "sum/output_validator/run",
            format!("#!/usr/bin/env bash\ncmp -s - $2 || exit 43\n{validator}exit 42\n"),
        );
        fixture.make_executable("sum/output_validator/run");
        check_judged(&fixture, "sum", &[("accepted/right.sh", [(0, "100 of 100"); 3])]);
    };
    check("");
    check("echo 50 > $3/score.txt\n");
}

/// Points for each test in the first group; the second group depends on it.
const GROUPED_TESTS: &str = r#"<test method="manual" group="1" points="10"/>
    <test cmd="gen 5 8" method="generated" group="1" points="30"/>
    <test method="manual" group="2" points="60"/></tests><groups>
    <group name="1" points-policy="each-test"/>
    <group name="2" points-policy="complete-group"><dependencies><dependency group="1"/></dependencies></group>
    </groups>"#;

#[test]
fn polygon_points_survive_as_closely_as_the_format_allows() {
    let tests = r#"<test method="manual" sample="true"/>
                <test cmd="gen 5 &quot;8&quot;" method="generated"/>
                <test method="manual"/>
            </tests>"#;
    let fixture = polygon::changed_package(&[(tests, GROUPED_TESTS)]);
    fixture.write("poly/files/val.sh", "exit 0\n");
    fixture.write("last.sh", "read -r a b; echo $((a == 7 ? 0 : a + b))\n");
    fixture.write("first.sh", "read -r a b; echo $((a == 1 ? a + b : a == 7 ? a + b + 1 : 0))\n");
    let all = [(0, "100 of 100"); 3];
    let rows = [
        ("poly/solutions/main.sh", all),
        ("last.sh", [(1, "40 of 100"), (0, "40 of 100"), (0, "40 of 100")]),
        ("first.sh", [(1, "20 of 100"), (0, "20 of 100"), (0, "20 of 100")]),
    ];
    check_judged(&fixture, "poly", &rows);
    let lost = |to: &str, expected: &[&str]| {
        fixture.check(&format!("convert poly --to {to} lost"), 0, expected);
        remove_old(&fixture, "lost");
    };
    let differ = "was: score if only this is right: 10 became: 20";
    let needs = "data/secret/2 was: require_pass: ";
    lost("2025-09", &[differ, needs]);
    lost("legacy", &[differ, needs]);
    // A checker that gives partial points does not learn the maximum.
    let half = "if (found == expected + 1) say(argc, argv, 7, \"30\"); // as quitp does\n    if (found != expected)";
    fixture.write("poly/files/check.cpp", polygon::CHECKER.replace("if (found != expected)", half));
    fixture.check("judge poly first.sh --all", 1, &["10 of 100"]);
    let half = "was: score if only this gets half of the points: 40 became:";
    lost("2025-09", &[&format!("{half} 100")]);
    lost("legacy", &[&format!("{half} 70")]);
    let rows = [("first.sh", [(1, "80 of 100"), (0, "50 of 100"), (0, "50 of 100")])];
    check_judged(&fixture, "poly", &rows);
}

#[test]
fn library_checker_programs_are_converted_with_their_includes() {
    let fixture = formats::library_checker();
    let accepted = [(0, "accepted"); 3];
    let rows = [
        ("accepted/correct.cpp", accepted),
        ("accepted/function", accepted),
        ("wrong_answer/wa.cpp", [(1, "another sum"); 3]),
    ];
    check_judged(&fixture, "lc/sample/sum", &rows);
    fixture.check("convert lc/sample/sum --to legacy new", 0, &[]);
    fixture.write("new/problem_statement/problem.en.md", "Add.\n");
    fixture.check("verify new", 0, &["3 submissions, all as expected"]);
    fixture.write("new/data/secret/example_00.in", "1001 2\n");
    fixture.check("verify new", 3, &["input validator `verifier` refuses it"]);
}

#[test]
fn files_with_equal_names_are_renamed() {
    let fixture = Fixture::new();
    for [input, answer] in
        [["1.in", "1.ans"], ["in/1.in", "out/1.out"], ["test_group.in", "test_group.ans"]]
    {
        fixture.write(&format!("bare/{input}"), format!("{} 1\n", input.len()));
        fixture.write(&format!("bare/{answer}"), format!("{}\n", input.len() + 1));
    }
    check_judged(
        &fixture,
        "bare",
        &[("sum/submissions/accepted/right.sh", [(0, "3 test cases"); 3])],
    );
    fixture.check("convert bare --to 2025-09 new", 0, &[]);
    for name in ["1", "1_2", "test_group_2"] {
        assert!(fixture.path(&format!("new/data/secret/{name}.in")).exists(), "{name}");
    }
    let wrong = r#"<solution tag="wrong-answer"><source path="solutions/wa.sh""#;
    let second =
        r#"<solution tag="accepted"><source path="second/main.sh" type="bash"/></solution>"#;
    let fixture = polygon::changed_package(&[(wrong, &format!("{second}{wrong}"))]);
    fixture.write("poly/second/main.sh", RIGHT);
    check_judged(&fixture, "poly", &[("accepted/main_2", [(0, "accepted"); 3])]);
    fixture.check("convert poly --to 2025-09 new", 0, &[]);
    fixture.write("new/statement/problem.en.md", "Add.\n");
    fixture.check("verify new", 0, &["3 submissions, all as expected"]);
}
