//! Judging a class: folders of students, points by test case and by group, copies.

use std::process::Command;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::scoring;

fn write_class(fixture: &Fixture, files: &[(&str, &str)]) {
    for (name, text) in files {
        fixture.write(&format!("class/{name}"), text);
    }
}

fn verdicts(document: &serde_json::Value) -> Vec<String> {
    let submissions = document["submissions"].as_array().expect("a list");
    let shown = submissions.iter().map(|submission| {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        format!("{} {}", text(&submission["name"]), text(&submission["judgement"]["verdict"]))
    });
    shown.collect()
}

#[test]
fn a_java_submission_starts_itself_even_with_another_main_file() {
    if !crate::builds::has_tool("javac") {
        return;
    }
    let fixture = Fixture::new();
    let main = |class: &str, prints: &str| {
        format!(
            "public class {class} {{ static int twice(int n) {{ return 2 * n; }}\n\
             public static void main(String[] args) {{\n\
             java.util.Scanner in = new java.util.Scanner(System.in);\n\
             int a = in.nextInt(), b = in.nextInt(); System.out.println({prints}); }} }}\n"
        )
    };
    let sum = main("Sum", "(Main.twice(a) + Main.twice(b)) / 2");
    write_class(&fixture, &[("anna/Sum.java", &sum), ("anna/Main.java", &main("Main", "a - b"))]);
    let judge = "judge sum class --time-limit 20";
    let document = fixture.json(judge, 1);
    assert_eq!(verdicts(&document), ["class/anna/Main.java WA", "class/anna/Sum.java AC"]);
    // A main program of the package takes precedence.
    fixture.write("sum/include/java/Main.java", main("Main", "a + b"));
    let document = fixture.json(judge, 0);
    assert_eq!(verdicts(&document), ["class/anna/Main.java AC", "class/anna/Sum.java AC"]);
}

#[test]
fn each_student_is_a_submission_and_other_files_are_reported() {
    let fixture = Fixture::new();
    write_class(
        &fixture,
        &[
            ("anna/sum.sh", RIGHT),
            ("bert/main.py", "import tools\ntools.run()\n"),
            ("bert/tools.py", "def run():\n    print(sum(map(int, input().split())))\n"),
            ("carl/v1/main.sh", RIGHT),
            ("carl/v2/main.sh", WRONG),
            ("dora/essay.pdf", "%PDF\n"),
            ("emil/empty.py", ""),
            ("fred/a.sh", RIGHT),
            ("fred/b.sh", WRONG),
            ("marks.csv", "\n"),
        ],
    );
    let document = fixture.json("judge sum class", 1);
    let expected = [
        "class/anna AC",
        "class/bert AC",
        "class/carl/v1 AC",
        "class/carl/v2 WA",
        "class/dora -",
        "class/emil WA",
        "class/fred -",
        "class/marks.csv -",
    ];
    assert_eq!(verdicts(&document), expected);
    let messages = [
        "WA carl/v2 1/4",
        "- dora nothing to judge: only essay.pdf",
        "- marks.csv nothing to judge: only marks.csv",
        "3 accepted, 2 rejected (2 WA), 3 skipped",
        "is skipped: nothing to judge: only essay.pdf",
        "is skipped: each of `a.sh`, `b.sh` could be the main file",
        "name the main file `main.sh`",
        "--start",
    ];
    fixture.check("judge sum class --csv t.csv --html t.html --junit t.xml", 1, &messages);
    let table = fixture.read("t.csv");
    let rows = table.lines().filter(|row| row.contains("dora"));
    let rows: Vec<&str> = rows.collect();
    let expected = ["sum,class/dora,,,,,0,0,,,,nothing to judge: only essay.pdf,,,,,,dora,,"];
    assert_eq!(rows, expected);
    assert!(fixture.read("t.xml").contains("skipped: no program"));
    let page = fixture.read("t.html");
    assert!(page.contains("<strong>skipped</strong><span>find a program: "), "{page}");
    assert_eq!(document["duplicates"][0]["likeness"], "text");
    let names = serde_json::json!(["class/anna", "class/carl/v1"]);
    assert_eq!(document["duplicates"][0]["submissions"], names);
}

#[test]
fn neither_a_test_nor_an_imported_file_starts() {
    let fixture = Fixture::new();
    let solve = "from util import add\na, b = map(int, input().split())\nprint(add(a, b))\n";
    let util =
        "def add(a, b): return a + b\nif __name__ == '__main__':\n    print(add(1, 2) == 3)\n";
    let test = "import unittest, solve\nif __name__ == '__main__':\n    unittest.main()\n";
    let own = "a, b = map(int, input().split())\nprint(a + b)\n";
    write_class(
        &fixture,
        &[
            ("anna/solve.py", solve),
            ("anna/util.py", util),
            ("anna/test_solve.py", test),
            ("bert/sum.py", own),
            ("bert/tests/main.py", test),
            ("carl/sum.sh", ". ./util.sh\nread a b; add $a $b\n"),
            ("carl/util.sh", "add() { echo $(($1 + $2)); }\n"),
            ("dora/a.py", own),
            ("dora/b.py", own),
        ],
    );
    let document = fixture.json("judge sum class", 0);
    let expected = ["class/anna AC", "class/bert AC", "class/carl AC", "class/dora -"];
    assert_eq!(verdicts(&document), expected);
    let message = "is skipped: cannot tell which of `a.py`, `b.py` is the main file";
    fixture.check("judge sum class", 0, &[message]);
}

#[test]
fn a_language_can_be_named() {
    let fixture = Fixture::new();
    fixture.write("sol.txt", "a, b = map(int, input().split())\nprint(a + b)\n");
    fixture.write("sol.pl", "my ($a, $b) = split ' ', <STDIN>;\nprint $a + $b, \"\\n\";\n");
    fixture.check("judge sum sol.txt --language=Python3.11", 0, &["AC sol.txt"]);
    fixture.check("run sum sol.txt --language=py --case=sample/1", 0, &[]);
    fixture.check("judge sum sol.pl", 0, &["AC sol.pl"]);
    fixture.check("judge sum sol.pl --language=prolog", 2, &["juror does not support Prolog"]);
    fixture.check("judge sum sol.txt --language=klingon", 2, &["there is no such language"]);
}

#[test]
fn a_student_is_a_directory_a_file_or_an_archive() {
    let fixture = Fixture::new();
    write_class(
        &fixture,
        &[("anna/sum.sh", RIGHT), ("bert.sh", RIGHT), ("carl.zip", "PK\x03\x04")],
    );
    write_class(&fixture, &[("zoe/a.sh", RIGHT), ("zoe/b.sh", WRONG), ("zoe/table.txt", "x")]);
    let mut tar = Command::new("tar");
    let packed = tar.args(["czf", "dora.tgz", "zoe"]).current_dir(fixture.path("class")).status();
    assert!(packed.expect("tar runs").success());
    // A stray source is an entry of its own.
    fixture.check("judge sum class", 0, &["AC  anna", "AC  bert.sh"]);
    let document = fixture.json("judge sum class --class --start a", 0);
    let rows = [
        "class/anna AC",
        "class/bert.sh AC",
        "class/carl.zip -",
        "class/dora.tgz AC",
        "class/zoe AC",
    ];
    assert_eq!(verdicts(&document), rows);
    let expected =
        ["class/carl.zip", "cannot be read: invalid Zip archive", "- carl.zip cannot be read: inv"];
    fixture.check("judge sum class --class", 0, &expected);
    fixture.check("judge sum class/dora.tgz --start b.sh", 1, &["WA class/dora.tgz"]);
    fixture.check(
        "judge sum class/carl.zip",
        2,
        &["class/carl.zip", "cannot be read: invalid Zip archive"],
    );
}

#[test]
fn the_archive_in_a_students_directory_is_read_like_the_archive_alone() {
    let fixture = Fixture::new();
    fixture.write("p/main.sh", RIGHT);
    let pack = |options: &str, archive: &str| {
        let path = fixture.path(archive);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        let mut tar = Command::new("tar");
        tar.arg(options).arg(path).arg("p").current_dir(fixture.path(""));
        assert!(tar.status().expect("tar runs").success());
    };
    pack("cf", "class/anna/a.tar");
    pack("czf", "class/bert/b.tar.gz");
    pack("czf", "class/carl/deep/c.tgz");
    pack("czf", "class/dora/1.tgz");
    pack("czf", "class/dora/2.tgz");
    write_class(
        &fixture,
        &[
            ("bert/essay.pdf", "%PDF\n"),
            ("emil/e.7z", "7z"),
            ("fred/f.rar", "Rar!"),
            ("gina.rar", "Rar!"),
        ],
    );
    let rows = ["anna AC", "bert AC", "carl AC", "dora -", "emil -", "fred -", "gina.rar -"];
    let rows = rows.map(|row| format!("class/{row}"));
    for options in ["", " --class"] {
        assert_eq!(verdicts(&fixture.json(&format!("judge sum class{options}"), 0)), rows);
    }
    let several = "has several archives, and no source beside them: `1.tgz`, `2.tgz`";
    let other = "is no archive that juror can unpack";
    let messages = [
        "class/dora",
        several,
        "keep one, or unpack them",
        "class/emil/e.7z",
        "class/fred/f.rar",
        "class/gina.rar",
        other,
        "pack the files as .zip or .tar.gz",
    ];
    fixture.check("judge sum class", 0, &messages);
    let alone = |student: &str| verdicts(&fixture.json(&format!("judge sum class/{student}"), 0));
    assert_eq!(alone("bert"), ["class/bert AC"]);
    // As if the source itself were there.
    assert_eq!(alone("carl"), ["class/carl/deep AC"]);
    // The whole class in one archive, too.
    let tar = Command::new("tar")
        .args(["czf", "all.tgz", "class"])
        .current_dir(fixture.path(""))
        .status();
    assert!(tar.expect("tar runs").success());
    let rows = rows.map(|row| row.replace("class/", "all.tgz/"));
    assert_eq!(verdicts(&fixture.json("judge sum all.tgz", 0)), rows);
    fixture.check("judge sum all.tgz", 0, &["all.tgz/emil/e.7z"]);
}

#[test]
fn names_from_a_mac_are_shown_and_compared_composed() {
    let fixture = Fixture::new();
    let [apart, one] = ["Jo\u{308}rg", "J\u{f6}rg"];
    write_class(
        &fixture,
        &[
            (&format!("{apart}/u\u{308}.sh"), RIGHT),
            (&format!("{apart}/a.sh"), WRONG),
            ("Zoe\u{308}.sh", RIGHT),
        ],
    );
    let line = "judge sum class --class --start \u{fc}";
    let rows = [format!("class/{one} AC"), "class/Zo\u{eb}.sh AC".to_owned()];
    assert_eq!(verdicts(&fixture.json(line, 0)), rows);
    fixture.check(line, 0, &[&format!("AC  {one}")]);
    // The files are opened by their own names, and reports have these paths.
    let path = fixture.json(line, 0)["submissions"][0]["judgement"]["path"].to_string();
    assert!(path.contains(apart), "{path}");
    write_class(&fixture, &[(&format!("{one}/a.sh"), WRONG)]);
    let rows = [
        format!("class/{one} WA"),
        format!("class/{one} [2] AC"),
        "class/Zo\u{eb}.sh AC".to_owned(),
    ];
    let mut found = verdicts(&fixture.json(line, 1));
    found.sort_unstable();
    assert_eq!(found, rows);
    fixture.check(line, 1, &["has the name of another student", "it is shown as", "rename one"]);
    fixture.write(&format!("bare/{apart}.in"), "1 2\n");
    fixture.write(&format!("bare/{apart}.out"), "3\n");
    fixture.write("bare/x.in", "2 2\n");
    fixture.write("bare/x.out", "4\n");
    fixture.write("a.sh", RIGHT);
    for name in [apart, one] {
        fixture.check(&format!("judge bare a.sh --case {name}"), 0, &["accepted on 1 test case"]);
    }
}

/// A student's files in the language of the source, in others, and of data.
#[test]
fn all_files_of_a_student_are_available_to_the_program() {
    let fixture = Fixture::new();
    let main = "#include <stdio.h>\n#include \"add.inc\"\nint main(void) { int a, b; scanf(\"%d%d\", &a, &b); printf(\"%d\\n\", ADD); }\n";
    let table = "read -r a b; read -r c < \"${0%/*}/deep/table.txt\"; echo $((a + b + c))\n";
    write_class(
        &fixture,
        &[
            ("include/main.c", main),
            ("include/add.inc", "#define ADD a + b\n"),
            ("table/sum.sh", table),
            ("table/deep/table.txt", "0\n"),
            ("two/main.sh", RIGHT),
            ("two/old.c", "int main(void) { return 1; }\n"),
            ("venv/sum.sh", RIGHT),
            ("x/sum.sh", RIGHT),
            ("x/env/pyvenv.cfg", ""),
            ("x/env/lib/a.py", ""),
            ("x/.venv/lib/a.py", ""),
            ("x/cmake-build-debug/a.c", ""),
            ("x/node_modules/a/index.js", ""),
        ],
    );
    let document = fixture.json("judge sum class", 1);
    let rows = [
        "class/include AC",
        "class/table AC",
        "class/two/main.sh AC",
        "class/two/old.c RTE",
        "class/x AC",
    ];
    assert_eq!(verdicts(&document), rows);
}

#[test]
fn a_javascript_program_finds_its_packages_and_none_of_them_starts() {
    if !crate::builds::has_tool("node") {
        return;
    }
    let fixture = Fixture::new();
    let main = "const read = require('fs').readFileSync(0, 'utf8');\n\
                console.log(require('add')(...read.split(' ').map(Number)));\n";
    write_class(
        &fixture,
        &[
            ("anna/main.js", main),
            ("anna/node_modules/add/index.js", "module.exports = (a, b) => a + b;\n"),
            ("anna/node_modules/add/main.js", ""),
            ("bert/sum.sh", RIGHT),
            ("bert/node_modules/a/main.js", ""),
        ],
    );
    let document = fixture.json("judge sum class --time-limit 20", 0);
    assert_eq!(verdicts(&document), ["class/anna AC", "class/bert AC"]);
}

#[test]
fn a_directory_of_the_package_selects_its_submissions() {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/wrong_answer/first.sh", WRONG);
    let wrong = ["wrong_answer/first.sh WA", "wrong_answer/wrong.sh WA"];
    let check = |directory: &str, expected: &[&str]| {
        let document = fixture.json(&format!("judge sum {directory}"), 1);
        let expected: Vec<_> =
            expected.iter().map(|name| format!("sum/submissions/{name}")).collect();
        assert_eq!(verdicts(&document), expected, "{directory}");
    };
    check("sum/submissions/wrong_answer", &wrong);
    check("sum/submissions/wrong_answer/", &wrong);
    check("sum/submissions", &[&["accepted/right.sh AC"], &wrong[..]].concat());
}

/// Students do not know the format's rules for file names.
#[test]
fn a_name_may_begin_with_a_dash() {
    let fixture = Fixture::new();
    let main = "#include \"sum.h\"\nint main(void) { int a, b; scanf(\"%d%d\", &a, &b); printf(\"%d\\n\", a + b); }\n";
    write_class(
        &fixture,
        &[
            ("-anna/-sum.sh", RIGHT),
            ("bert/-sum.c", main),
            ("bert/sum.h", "#include <stdio.h>\n"),
            ("carl/-sum.py", "import tools\ntools.run()\n"),
            ("carl/tools.py", "def run():\n    print(sum(map(int, input().split())))\n"),
        ],
    );
    let document = fixture.json("judge sum class --start=-sum.py", 0);
    assert_eq!(verdicts(&document), ["class/-anna AC", "class/bert AC", "class/carl AC"]);
}

/// A student's directory is judged as in its class; a program of several files gets one verdict.
#[test]
fn a_single_students_directory_is_read_as_in_a_class() {
    let fixture = Fixture::new();
    let main = "int main(void) { return 0; }\n";
    write_class(
        &fixture,
        &[
            ("carl/a/main.sh", RIGHT),
            ("carl/b/main.sh", WRONG),
            ("dora/main.sh", ". \"${0%/*}/tools.sh\"\n"),
            ("dora/tools.sh", RIGHT),
            ("emil/a.c", main),
            ("emil/b.c", main),
        ],
    );
    let check = |path: &str, code: i32, expected: &[&str]| {
        let document = fixture.json(&format!("judge sum {path}"), code);
        assert_eq!(verdicts(&document), expected, "{path}");
    };
    check("class/carl", 1, &["class/carl/a AC", "class/carl/b WA"]);
    check("class/dora", 0, &["class/dora AC"]);
    check("class/emil", 1, &["class/emil/a.c WA", "class/emil/b.c WA"]);
    let all = [
        "class/carl/a AC",
        "class/carl/b WA",
        "class/dora AC",
        "class/emil/a.c WA",
        "class/emil/b.c WA",
    ];
    check("class", 1, &all);
    // A source next to them is a stray file; next to only one, it makes it one student's directory.
    fixture.write("class/main.sh", RIGHT);
    check("class", 1, &[&all[..], &["class/main.sh AC"]].concat());
    fixture.remove("class/main.sh");
    fixture.write("class/dora/x/main.sh", RIGHT);
    let messages = ["is read as the directory of one student", "add --class", "AC  x"];
    fixture.check("judge sum class/dora", 0, &messages);
    fixture.remove("class/dora/x/main.sh");
    // Only mistakes in the folder of the class change the exit code.
    fixture.remove("class/carl/b/main.sh");
    fixture.remove("class/emil/a.c");
    fixture.remove("class/emil/b.c");
    write_class(&fixture, &[("fred/essay.txt", "Dear teacher")]);
    check("class", 0, &["class/carl AC", "class/dora AC", "class/emil -", "class/fred -"]);
    check("class/fred class/dora", 0, &["class/fred -", "class/dora AC"]);
    // Sources only in usual directories of a program make it one program.
    write_class(&fixture, &[("x/src/a.c", main), ("x/test/c.c", "int f(void) { return 0; }")]);
    check("class/x", 1, &["class/x WA"]);
}

#[test]
fn copies_are_found_by_text_and_by_code_without_spaces_and_comments() {
    let fixture = Fixture::new();
    write_class(
        &fixture,
        &[
            ("a/x.py", "print(sum(map(int, input().split())))\n"),
            ("b/y.py", "# Mine.\nprint( sum(map(int,input().split())) )\n"),
            ("c/z.py", "print(sum(map(int, input().split())))\n"),
            ("d/z.py", "a, b = map(int, input().split())\nprint(a + b)\n"),
        ],
    );
    let document = fixture.json("judge sum class --csv t.csv", 0);
    let groups = document["duplicates"].as_array().expect("a list");
    let shown =
        groups.iter().map(|group| format!("{} {}", group["likeness"], group["submissions"]));
    let expected = [r#""text" ["class/a","class/c"]"#, r#""code" ["class/a","class/b","class/c"]"#];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    let table = fixture.read("t.csv");
    assert!(table.contains(",class/b; class/c,"), "{table}");
}

#[test]
fn points_count_cases_or_groups() {
    let fixture = Fixture::new();
    fixture.write("p.sh", "read -r a b; if ((a < 10)); then echo $((a + b)); else echo 0; fi\n");
    let check = |package: &str, options: &str, code: i32, expected: &str| {
        let line = format!("judge {package} p.sh {options} --csv t.csv");
        let document = fixture.json(&line, code);
        let submission = &document["submissions"][0];
        let score = &submission["judgement"]["score"];
        let mut shown = format!("{} of {}", score["points"], score["max_points"]);
        for group in score["groups"].as_array().expect("groups") {
            let name = group["name"].as_str().expect("a name");
            shown.push_str(&format!("; {name} {} of {}", group["points"], group["max_points"]));
        }
        assert_eq!(shown, expected, "{line}");
    };
    let cases = "2.0 of 3.0; secret/large 0.0 of 1.0; secret/small 2.0 of 2.0";
    check("sum", "--points cases", 1, cases);
    assert!(fixture.read("t.csv").contains(",points secret/large,points secret/small,"));
    let groups = "1.0 of 2.0; secret/large 0.0 of 1.0; secret/small 1.0 of 1.0";
    check("sum", "--points groups", 1, groups);
    for (name, text) in [("1.in", "1 2\n"), ("1.ans", "3\n"), ("2.in", "20 2\n"), ("2.ans", "22\n")]
    {
        fixture.write(&format!("bare/{name}"), text);
    }
    check("bare", "--points cases", 1, "1.0 of 2.0");
    check("bare", "--points groups", 1, "0.0 of 1.0");
    // Samples have no points, unless there is nothing else.
    let mixed: &[&str] = &["sample/1", "tests/2"];
    for (package, names) in
        [("mixed", mixed), ("samples", &["sample/1", "sample/2"]), ("one", &["sample/1"])]
    {
        for name in names {
            let sum = if name.ends_with('1') { ("1 2\n", "3\n") } else { ("20 2\n", "22\n") };
            fixture.write(&format!("{package}/{name}.in"), sum.0);
            fixture.write(&format!("{package}/{name}.ans"), sum.1);
        }
    }
    check("mixed", "--points cases", 1, "0.0 of 1.0");
    check("mixed", "--points groups", 1, "0.0 of 1.0");
    check("samples", "--points cases", 1, "1.0 of 2.0");
    check("samples", "--points groups", 1, "0.0 of 1.0");
    check("one", "--points cases", 0, "1.0 of 1.0");
    check("one", "--points groups", 0, "1.0 of 1.0");
}

#[test]
fn a_scoring_problem_has_its_own_points_unless_cases_are_requested() {
    let fixture = scoring::fixture();
    fixture.write("p.sh", scoring::UP_TO_9);
    let score = |options: &str| {
        let document = fixture.json(&format!("judge sum p.sh {options}"), 1);
        format!(
            "{} of {}",
            document["submissions"][0]["judgement"]["score"]["points"],
            document["submissions"][0]["judgement"]["score"]["max_points"]
        )
    };
    assert_eq!(score("--points groups"), score(""));
    assert_eq!(score("--points cases"), "6.0 of 8.0");
}

#[test]
fn tables_are_sorted_and_filtered_and_reports_list_all() {
    let fixture = Fixture::new();
    write_class(&fixture, &[("zoe/a.sh", RIGHT), ("anna/b.sh", WRONG), ("bert/c.sh", RIGHT)]);
    let shown = |options: &str| {
        let line = format!("judge sum class/zoe class/anna class/bert {options} --csv t.csv");
        let output = fixture.juror(&line).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let rows = text.lines().filter(|line| line.starts_with("AC ") || line.starts_with("WA "));
        let names = rows.filter_map(|row| row.split_whitespace().nth(1).map(str::to_owned));
        assert_eq!(fixture.read("t.csv").lines().count(), 4);
        names.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(shown(""), "zoe anna bert");
    assert_eq!(shown("--sort name"), "anna bert zoe");
    assert_eq!(shown("--sort verdict"), "zoe bert anna");
    assert_eq!(shown("--sort passed --only failed"), "anna");
    fixture.check("judge sum class --sort nothing", 2, &["surprise", "memory"]);
}
