//! The folder of a class as learning platforms give it: the same students, rows and points in each form.

use std::fs::{self, File};
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fixture::{Fixture, RIGHT, WRONG};

const PYTHON: &str = "print(sum(map(int, input().split())))\n";

/// What one student hands in.
struct Handin {
    first: &'static str,
    last: String,
    number: String,
    late: bool,
    files: Vec<(&'static str, Vec<u8>)>,
    /// The submissions and their points, each `program=points`; `-` if there is nothing to judge.
    expected: &'static [&'static str],
}

/// A zip archive of these files.
pub(crate) fn zip<N: AsRef<str>>(files: &[(N, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name.as_ref(), SimpleFileOptions::default()).expect("a file");
        zip.write_all(text).expect("contents");
    }
    zip.finish().expect("an archive").into_inner()
}

fn students() -> Vec<Handin> {
    const FIRST: [&str; 26] = [
        "Anna", "Björn", "Chloé", "Dörte", "Emil", "Frauke", "Günter", "Håkon", "Ínigo", "Jörg",
        "Käthe", "Łukasz", "Mia", "Noël", "Øyvind", "Petra", "Quirin", "René", "Søren", "Tomáš",
        "Ute", "Václav", "Wiebke", "Xaver", "Yasmin", "Zoë",
    ];
    let main = "import tools\ntools.run()\n";
    let tools = "def run():\n    print(sum(map(int, input().split())))\n";
    let text = |text: &str| text.as_bytes().to_vec();
    let student = |(at, first): (usize, &'static str)| {
        let (files, expected): (Vec<(&str, Vec<u8>)>, &[&str]) = match at % 9 {
            0 => (vec![("sum.sh", text(RIGHT))], &["=3"]),
            1 => (vec![("sum.py", text(PYTHON))], &["=3"]),
            2 => (vec![("sum.sh", text(WRONG))], &["=0"]),
            3 => (vec![("main.py", text(main)), ("tools.py", text(tools))], &["=3"]),
            4 => {
                let inner = zip(&[("deep/main.sh", text(RIGHT))]);
                (vec![("work.zip", zip(&[("inner.zip", inner)]))], &["=3"])
            }
            5 => (vec![("empty.py", Vec::new())], &["=0"]),
            6 => (vec![("notes.pdf", text("%PDF\n"))], &["-"]),
            7 => (vec![("a.sh", text(WRONG)), ("b.py", text(PYTHON))], &["a.sh=0", "b.py=3"]),
            _ => (vec![("work.zip", text("PK\x03\x04"))], &["-"]),
        };
        Handin {
            first,
            last: format!("Müller{at}"),
            number: (1000 + at).to_string(),
            late: at % 5 == 0,
            files,
            expected,
        }
    };
    FIRST.into_iter().enumerate().map(student).collect()
}

/// Judges the class in one form. `path` is that of a student's file below the folder, `further` are files for all.
fn check(
    form: &str,
    knows: [bool; 2],
    name: impl Fn(&Handin) -> String,
    path: impl Fn(&Handin, &str) -> String,
    further: &[(String, String)],
) {
    let fixture = Fixture::new();
    let students = students();
    let mut files: Vec<(String, Vec<u8>)> =
        further.iter().map(|(name, text)| (name.clone(), text.as_bytes().to_vec())).collect();
    for student in &students {
        files.extend(student.files.iter().map(|(file, text)| (path(student, file), text.clone())));
    }
    let is_packed = form == "moodle zip";
    let folder = if is_packed { "class.zip" } else { "class" };
    if is_packed {
        fixture.write(folder, zip(&files));
    } else {
        files.iter().for_each(|(name, text)| fixture.write(&format!("{folder}/{name}"), text));
    }
    let line = format!("judge sum {folder} --points cases --csv t.csv");
    let document = fixture.json(&line, 1);
    let table = fixture.read("t.csv");
    let mut table = csv_rows(&table);
    let rows = document["submissions"].as_array().expect("a list");
    let class = &document["classes"][0];
    let base = form.split(' ').next().expect("a word");
    assert_eq!(class["form"], base, "{form}");
    let mut listed = class["students"].as_array().expect("a list").clone();
    assert_eq!(listed.len(), students.len(), "{form}: {class:#}");
    for student in &students {
        let name = name(student);
        let at = listed.iter().position(|other| other["name"] == name.as_str());
        let listed = listed.remove(at.unwrap_or_else(|| panic!("{form}: no {name} in {class:#}")));
        let [number, late] = knows;
        let expected = number.then_some(&*student.number);
        assert_eq!(listed["number"].as_str(), expected, "{form}: {name}");
        assert_eq!(listed["late"], late && student.late, "{form}: {name}");
        let own = listed["submissions"].as_array().expect("a list");
        let mut found = Vec::new();
        for submission in own {
            let row = rows.iter().find(|row| row["name"] == *submission).expect("a row");
            let label = submission.as_str().expect("a name");
            let label = label.strip_prefix("class/").unwrap_or(label);
            let program = label.strip_prefix(&*name).expect("the student's name");
            let cells = table.remove(submission.as_str().expect("a name")).expect("a row of CSV");
            let points = row["judgement"]["score"]["points"].as_f64();
            let shown = points.map_or("-".to_owned(), |points| {
                format!("{}={points}", program.trim_start_matches('/'))
            });
            assert_eq!(cells.1.parse().unwrap_or(0.0), points.unwrap_or(0.0), "{form}: {name}");
            if points.is_none() {
                let file = student.files[0].0;
                let reason = match file {
                    "notes.pdf" => "nothing to judge: only notes.pdf",
                    _ => "cannot be read: invalid Zip archive",
                };
                assert!(row["error"]["reason"].to_string().contains(reason), "{form}: {row:#}");
                assert!(cells.0.contains(reason), "{form}: {}", cells.0);
            }
            found.push(shown);
        }
        found.sort();
        assert_eq!(found, student.expected, "{form}: {name}");
    }
    assert_eq!(table.len(), 0, "{form}: {table:?}");
    let says = match base {
        "plain" => String::new(),
        _ => format!("{folder} as {} gives it: 26 students", source(base)),
    };
    fixture.check(&line, 1, &[&says, "15 accepted"]);
}

fn source(form: &str) -> &str {
    match form {
        "moodle" => "Moodle",
        "canvas" => "Canvas",
        "github" => "GitHub Classroom",
        _ => "Gradescope",
    }
}

/// The rows by their submissions: the whole row, and the score.
fn csv_rows(table: &str) -> std::collections::BTreeMap<String, (String, String)> {
    let rows = table.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        (cells[1].to_owned(), (row.to_owned(), cells[4].to_owned()))
    });
    rows.collect()
}

fn full_name(student: &Handin) -> String {
    format!("{} {}", student.first, student.last)
}

#[test]
fn a_class_from_moodle_has_the_students_rows() {
    let entry = |student: &Handin| {
        format!("{}_{}_assignsubmission_file_", full_name(student), student.number)
    };
    let knows = [true, false];
    check("moodle", knows, full_name, |student, file| format!("{}/{file}", entry(student)), &[]);
    check("moodle flat", knows, full_name, |student, file| entry(student) + file, &[]);
    let text = |student: &Handin| {
        let name = entry(student).replace("_file_", "_onlinetext_");
        (format!("{name}/onlinetext.html"), "<p>See the file.</p>".to_owned())
    };
    let texts: Vec<(String, String)> =
        students().iter().filter(|student| student.expected != ["-"]).map(text).collect();
    check(
        "moodle zip",
        knows,
        full_name,
        |student, file| format!("{}/{file}", entry(student)),
        &texts,
    );
}

#[test]
fn a_class_from_canvas_has_the_students_rows() {
    let name = |student: &Handin| format!("{}{}", student.last, student.first).to_lowercase();
    let path = |student: &Handin, file: &str| {
        let late = if student.late { "_LATE" } else { "" };
        let (stem, ending) = file.rsplit_once('.').expect("an ending");
        let attachment = 500 + file.len();
        format!("{}{late}_{}_{attachment}_{stem}-1.{ending}", name(student), student.number)
    };
    check("canvas", [true, true], name, path, &[]);
}

#[test]
fn a_class_from_github_has_the_students_rows() {
    let name = |student: &Handin| format!("{}-{}", student.first, student.number).to_lowercase();
    let path = |student: &Handin, file: &str| format!("sum-{}/{file}", name(student));
    let students = students();
    let mark = |student: &Handin| (path(student, ".git/HEAD"), "ref\n".to_owned());
    let marks: Vec<(String, String)> = students.iter().map(mark).collect();
    check("github", [false, false], name, path, &marks);
}

#[test]
fn a_class_from_gradescope_has_the_students_rows() {
    let mut metadata = "---\n".to_owned();
    for student in students() {
        let (name, number) = (full_name(&student), &student.number);
        metadata += &format!(
            "submission_9{number}:\n  :submitters:\n  - :name: {name}\n    :sid: '{number}'\n    :email: a@b.de\n  :score: 0.0\n"
        );
    }
    let path = |student: &Handin, file: &str| format!("submission_9{}/{file}", student.number);
    let metadata = ("submission_metadata.yml".to_owned(), metadata);
    check("gradescope", [true, false], full_name, path, &[metadata]);
}

#[test]
fn a_plain_class_has_the_students_rows() {
    let path = |student: &Handin, file: &str| format!("{}/{file}", full_name(student));
    check("plain", [false, false], full_name, path, &[]);
}

fn names_and_verdicts(document: &serde_json::Value) -> Vec<String> {
    let rows = document["submissions"].as_array().expect("a list").iter().map(|row| {
        let verdict = row["judgement"]["verdict"].as_str().unwrap_or("-");
        format!("{} {verdict}", row["name"].as_str().expect("a name"))
    });
    rows.collect()
}

#[test]
fn files_of_the_template_start_only_if_nothing_else_does_and_are_no_copies() {
    let fixture = Fixture::new();
    let own = |number: usize| format!("print(sum(map(int, input().split())) + {number} * 0)\n");
    for number in 0..6 {
        let folder = format!("class/sum-s{number}");
        fixture.write(&format!("{folder}/.git/HEAD"), "ref\n");
        fixture.write(&format!("{folder}/main.py"), "print('not yet')\n");
        fixture.write(&format!("{folder}/check.sh"), "python3 main.py < 1.in\n");
        if number != 2 {
            fixture.write(&format!("{folder}/solution.py"), own(number));
        }
    }
    let rows = |wrong: &str| {
        (0..6).map(|at| format!("s{at} {}", if at == 2 { wrong } else { "AC" })).collect::<Vec<_>>()
    };
    let document = fixture.json("judge sum class", 1);
    let found: Vec<String> = names_and_verdicts(&document);
    assert_eq!(found.iter().filter(|row| !row.starts_with("s2")).count(), 5, "{found:?}");
    assert_eq!(found.iter().filter(|row| row.ends_with(" AC")).count(), 5, "{found:?}");
    assert_eq!(document["duplicates"], serde_json::json!([]));
    assert_eq!(document["classes"][0]["template"], serde_json::json!(["check.sh", "main.py"]));
    let header = [
        "class as GitHub Classroom gives it: 6 students",
        "of the template, and no student's work: check.sh, main.py",
    ];
    fixture.check("judge sum class", 1, &header);
    // The teacher's directory decides.
    fixture.write("given/check.sh", "python3 main.py < 1.in\n");
    fixture.write("given/main.py", "print('not yet')\n");
    (0..6).for_each(|number| {
        fs::remove_dir_all(fixture.path(&format!("class/sum-s{number}/.git"))).expect("removed");
        fs::remove_file(fixture.path(&format!("class/sum-s{number}/check.sh"))).expect("removed");
    });
    let document = fixture.json("judge sum class --class-form github --template given", 1);
    assert_eq!(names_and_verdicts(&document), rows("WA"));
    let broken = "judge sum class --template nowhere";
    fixture.check(broken, 2, &["nowhere", "there is no such file or directory"]);
}

#[test]
fn strays_and_students_of_one_name_are_told_and_names_can_be_described() {
    let fixture = Fixture::new();
    let names = ["Jo\u{308}rg_1", "J\u{f6}rg_1", "Anna_2", "anna_3"];
    for name in names {
        fixture.write(&format!("class/{name}_assignsubmission_file_/a.sh"), RIGHT);
    }
    fixture.write("class/marks.csv", "x\n");
    fixture.write("class/late/a.sh", WRONG);
    let document = fixture.json("judge sum class", 1);
    let mut found = names_and_verdicts(&document);
    found.sort();
    let rows = ["Anna AC", "Jörg (1) AC", "Jörg (1) [2] AC", "anna AC", "late WA"];
    assert_eq!(found, rows);
    let messages = [
        "has the name of another student",
        "it is shown as Jörg (1) [2]",
        "has entries that are no student's work: marks.csv",
    ];
    fixture.check("judge sum class --feedback back", 1, &messages);
    let pages = fs::read_dir(fixture.path("back")).expect("a directory").flatten();
    let mut pages: Vec<_> = pages.filter_map(|page| page.file_name().into_string().ok()).collect();
    pages.sort();
    let expected = ["Anna_2", "J\u{f6}rg (2)_1", "J\u{f6}rg_1", "anna_3"];
    let mut expected = expected.map(|name| format!("{name}_assignsubmission_file_.html")).to_vec();
    expected.push("late.html".to_owned());
    assert_eq!(pages, expected);
    fixture.check("judge sum class -v", 1, &["repeat: juror judge sum class/late --case"]);
    // Plain on request, and by another pattern.
    let plain = fixture.json("judge sum class --class-form plain", 1);
    assert_eq!(plain["classes"][0]["form"], "plain");
    fixture.write("week/12-anna/a.sh", RIGHT);
    fixture.write("week/13-bert/a.sh", RIGHT);
    let document = fixture.json(r"judge sum week --names ^(?<number>\d+)-(?<name>.*)$", 0);
    assert_eq!(names_and_verdicts(&document), ["anna AC", "bert AC"]);
    assert_eq!(document["classes"][0]["students"][1]["number"], "13");
    fixture.check("judge sum week --names ^x$", 2, &["it needs a group `name`"]);
    fixture.check("judge sum week --class-form moodel", 2, &["moodle, canvas, github"]);
    // A form that the folder does not have.
    let other = |options: &str, form: &str, names: &str, fits: &str| {
        let says = format!("has no entry in the form `{form}`, but {names}");
        let helps = format!("--class-form {fits} fits");
        fixture.check(&format!("judge sum {options}"), 2, &[&says, &helps]);
    };
    other("week --class-form canvas", "canvas", "12-anna, 13-bert", "plain");
    other("week --names ^(?<name>x.*)$", "names", "12-anna, 13-bert", "plain");
    other("class --class-form canvas", "canvas", "Anna_2_assignsubmission_file_", "moodle");
}

#[test]
fn a_stray_source_makes_no_program_of_a_class_but_a_project_stays_one() {
    let fixture = Fixture::new();
    for name in ["class/anna", "class/bert", "project/x", "project/y"] {
        fixture.write(&format!("{name}/add.py"), PYTHON);
    }
    fixture.write("class/dora/essay.pdf", "%PDF\n");
    fixture.write("class/try.py", "print(1)\n");
    let rows = ["class/anna AC", "class/bert AC", "class/dora -", "class/try.py WA"];
    assert_eq!(names_and_verdicts(&fixture.json("judge sum class", 1)), rows);
    fixture.write("project/main.py", "import x.add\n");
    assert_eq!(names_and_verdicts(&fixture.json("judge sum project", 0)), ["project AC"]);
    fixture
        .write("project/main.py", "exec(open(__file__.rsplit('/', 1)[0] + '/y/add.py').read())\n");
    assert_eq!(names_and_verdicts(&fixture.json("judge sum project", 0)), ["project AC"]);
}

#[test]
fn the_first_file_of_a_list_starts_that_a_student_has() {
    let fixture = Fixture::new();
    fixture.write("class/anna/exercise1.sh", RIGHT);
    fixture.write("class/anna/exercise1.py", "print(0)\n");
    fixture.write("class/bert/exercise1.sh", RIGHT);
    fixture.write("class/bert/main.py", "print(0)\n");
    fixture.write("class/carl/other.sh", RIGHT);
    let check = |start: &str, code: i32, rows: [&str; 3]| {
        let document = fixture.json(&format!("judge sum class --start {start}"), code);
        assert_eq!(names_and_verdicts(&document), rows.map(|row| format!("class/{row}")));
    };
    check("exercise1.sh,exercise1.*", 0, ["anna AC", "bert AC", "carl AC"]);
    check("exercise1.py,exercise1.*", 1, ["anna WA", "bert AC", "carl AC"]);
    check("nothing,ex*.sh", 0, ["anna AC", "bert AC", "carl AC"]);
}

#[test]
fn a_notebook_is_judged_by_its_code() {
    let fixture = Fixture::new();
    let cell = |kind: &str, text: &str| serde_json::json!({"cell_type": kind, "source": [text]});
    let code = [cell("markdown", "# Sum"), cell("code", "%time\n"), cell("code", PYTHON)];
    let notebook = serde_json::json!({ "cells": code, "nbformat": 4 }).to_string();
    fixture.write("class/anna/sum.ipynb", &notebook);
    fixture.write("class/bert/sum.py", PYTHON);
    fixture.write("class/carl/sum.ipynb", "{");
    let line = "judge sum class";
    let rows = ["class/anna AC", "class/bert AC", "class/carl -"];
    assert_eq!(names_and_verdicts(&fixture.json(line, 0)), rows);
    let remark = "is a notebook; its code runs without 1 line of magics or the shell";
    fixture.check(line, 0, &[remark, "is not a notebook that juror can read"]);
    fixture.write("one.ipynb", &notebook);
    fixture.check("judge sum one.ipynb", 0, &["AC one.ipynb", remark]);
}

#[test]
fn java_in_latin_1_is_built_from_a_copy() {
    if !crate::builds::has_tool("javac") {
        return;
    }
    let fixture = Fixture::new();
    let source = "// M\u{fc}ller\nclass Sum { public static void main(String[] a) {\n\
        var in = new java.util.Scanner(System.in); System.out.println(in.nextInt() + in.nextInt()); } }\n";
    let bytes: Vec<u8> = source.chars().map(|letter| letter as u8).collect();
    fixture.write("Sum.java", bytes);
    let remark = "is not UTF-8; juror reads it as Latin-1";
    fixture.check("judge sum Sum.java --time-limit 20", 0, &["AC Sum.java", remark]);
}

/// What one student hands in does not change the rows of the others.
#[test]
fn a_hostile_student_has_one_row_with_its_reason() {
    let fixture = Fixture::new();
    for name in ["anna", "zoe"] {
        fixture.write(&format!("class/{name}/a.sh"), RIGHT);
    }
    let mut bomb = ZipWriter::new(File::create(fixture.path("bomb.zip")).expect("a file"));
    bomb.start_file("main.sh", SimpleFileOptions::default()).expect("a file");
    let zeros = vec![0; 1 << 20];
    (0..520).for_each(|_| bomb.write_all(&zeros).expect("contents"));
    bomb.finish().expect("an archive");
    fs::create_dir_all(fixture.path("class/bert")).expect("a directory");
    fs::rename(fixture.path("bomb.zip"), fixture.path("class/bert/b.zip")).expect("moved");
    for at in 0..10_001 {
        fixture.write(&format!("class/carl/site/m{at}.py"), "");
    }
    fixture.write("class/dora/a.sh", "for d in .. ../zoe /program/../zoe; do echo 'echo 0' > $d/a.sh; done; read -r a b; echo $((a + b))\n");
    let document = fixture.json("judge sum class", 0);
    let rows = ["anna AC", "bert -", "carl -", "dora AC", "zoe AC"];
    assert_eq!(names_and_verdicts(&document), rows.map(|row| format!("class/{row}")));
    let reason = |at: usize| document["submissions"][at]["error"]["reason"].to_string();
    assert!(reason(1).contains("is too large: it has more than 512 MiB"), "{}", reason(1));
    assert!(reason(2).contains("has more than 10000 files"), "{}", reason(2));
    assert_eq!(fixture.read("class/zoe/a.sh"), RIGHT);
}
