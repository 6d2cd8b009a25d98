//! `--feedback`: what a student may see, and one student judged again.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::guides::lacks;

/// Each text of a page, and its name.
fn pages(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        if entry.path().is_dir() {
            let below = pages(&entry.path()).into_iter();
            let folder = entry.file_name().into_string().expect("UTF-8");
            found.extend(below.map(|(name, text)| (format!("{folder}/{name}"), text)));
        } else {
            let text = fs::read_to_string(entry.path()).expect("a page");
            found.push((entry.file_name().into_string().expect("UTF-8"), text));
        }
    }
    found.sort();
    found
}

fn names(pages: &[(String, String)]) -> Vec<&str> {
    pages.iter().map(|(name, _)| &**name).collect()
}

/// What hidden test cases have, and what programs make of it. Numbers, because the package allows nothing else.
const CANARIES: [&str; 6] = ["918273", "645", "918918", "HIDDENFILE", "Canary", "canary.py"];

/// Ways by which a program tells its input.
const LEAKS: [(&str, &str); 9] = [
    ("stderr", "import sys\ns = input()\nprint(s, file=sys.stderr)\nprint(0)\n"),
    ("message", "s = input()\nraise ValueError(s)\n"),
    (
        "kind",
        "s = input()\nif s == '1 2': raise SystemExit(print(3))\nraise type('Canary' + s.replace(' ', '_'), (Exception,), {})()\n",
    ),
    ("output", "print(input())\n"),
    ("code", "import os\na, b = input().split()\nos._exit(int(b) % 256)\n"),
    (
        "path",
        "s = input()\nif s == '1 2': raise SystemExit(print(3))\nexec(compile('\\n' * 918272 + 'raise IndexError(s)', 'canary.py', 'exec'))\n",
    ),
    (
        "text",
        "import sys, os\ns = input()\nif s == '1 2': raise SystemExit(print(3))\nsys.stderr.write('File \"canary.py\", line 918273\\nIndexError: ' + s)\nos._exit(1)\n",
    ),
    ("slow", "s = input()\nprint(s, flush=True)\nwhile True: pass\n"),
    (
        "file",
        "import sys\nprint(open('/proc/self/cmdline').read(), input(), file=sys.stderr)\n1 // 0\n",
    ),
];

#[test]
fn no_page_has_what_is_hidden() {
    let fixture = Fixture::new();
    if lacks("python3") {
        return fixture.announce_skip("no python3");
    }
    for case in ["sample/1", "secret/small/1", "secret/small/2", "secret/large/1"] {
        fixture.remove(&format!("sum/data/{case}.in"));
        fixture.remove(&format!("sum/data/{case}.ans"));
    }
    fixture.write("sum/data/sample/1.in", "1 2\n");
    fixture.write("sum/data/sample/1.ans", "3\n");
    fixture.write("sum/data/secret/deep.in", "918273 645\n");
    fixture.write("sum/data/secret/deep.ans", "918918\n");
    fixture.write("sum/data/secret/deep.hint", "HIDDENFILE\n");
    for (name, text) in LEAKS {
        fixture.write(&format!("class/student-{name}/main.py"), text);
    }
    fixture.write("class/student-right/main.sh", RIGHT);
    fixture.write("class/student-broken/main.c", "int main(void) { return x }\n");
    fixture.write("class/student-none/notes.pdf", "%PDF\n");
    fixture.write("back/notes.txt", "mine\n");
    let machine = fixture.root().to_str().expect("UTF-8").to_owned();
    let class = fixture.path("class");
    let judge = format!("judge sum {} --all --events all.jsonl", class.display());
    fixture.check(&format!("{judge} --feedback back"), 1, &[]);
    fixture.check("merge all.jsonl --feedback feedback.zip", 1, &[]);
    let unzip = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut unpack = Command::new("python3");
    unpack.args(["-c", unzip, "feedback.zip", "unpacked"]).current_dir(fixture.root());
    let unpacked = unpack.status();
    assert!(unpacked.expect("python3").success());
    assert_eq!(fixture.read("back/notes.txt"), "mine\n");
    fixture.remove("back/notes.txt");
    let all = LEAKS.map(|(name, _)| name).into_iter().chain(["right", "broken", "none"]);
    let all: Vec<String> = all.map(|name| format!("student-{name}")).collect();
    for directory in ["back", "unpacked"] {
        let pages = pages(&fixture.path(directory));
        assert_eq!(pages.len(), all.len(), "{:?}", names(&pages));
        for (name, text) in &pages {
            let text = text.replace("&quot;", "\"");
            let page = text.split("<body").nth(1).expect("a body");
            for canary in CANARIES.iter().copied().chain([&*machine, "all.jsonl", "exit code 133"])
            {
                assert!(!name.contains(canary) && !page.contains(canary), "{name} has {canary}");
            }
            for other in &all {
                let is_own = name.starts_with(&**other);
                assert_eq!(page.contains(&**other), is_own, "{name}: {other}");
            }
        }
    }
    let page = |name: &str| fixture.read(&format!("back/student-{name}.html"));
    assert!(page("message").contains("ValueError (line 2)"));
    assert!(page("file").contains("ZeroDivisionError (line 3)"));
    assert!(page("path").contains(">IndexError<"));
    assert!(page("kind").contains("this test case is hidden"));
    assert!(page("right").contains("Accepted."));
    assert!(page("broken").contains("expected"));
    assert!(page("none").contains("notes.pdf") || page("none").contains("skipped"));
    // The sample is shown.
    assert!(page("output").contains("sample/1"));
    // The teacher may show all.
    fixture.check("merge all.jsonl --feedback shown --show-hidden", 1, &[]);
    assert!(fixture.read("shown/student-output.html").contains("918273"));
    fixture.check("merge all.jsonl --feedback part --hidden sample", 1, &[]);
    assert!(fixture.read("part/student-output.html").contains("918273"));
    let typo = "merge all.jsonl --feedback typo --hidden secert";
    fixture.check(typo, 4, &["--hidden 'secert' matches no test case that ran"]);
    assert!(pages(&fixture.path("typo")).is_empty());
}

#[test]
fn other_files_are_not_replaced() {
    let fixture = Fixture::new();
    fixture.write("class/anna/main.sh", RIGHT);
    fixture.write("class/bert/main.sh", WRONG);
    fixture.write("back/bert.html", "my notes\n");
    let judge = "judge sum class --feedback";
    fixture.check(&format!("{judge} back"), 4, &["bert.html: it exists and is not a page"]);
    assert_eq!(names(&pages(&fixture.path("back"))), ["bert.html"]);
    fixture.write("mine.zip", "PK my work\n");
    fixture.check(&format!("{judge} mine.zip"), 2, &["it exists and is not such a report"]);
    fixture.check(&format!("{judge} mine.zip/x"), 2, &["--feedback: cannot write mine.zip/x"]);
    // Pages of an earlier run are.
    fixture.remove("back/bert.html");
    fixture.check(&format!("{judge} back"), 1, &[]);
    fixture.check(&format!("{judge} back"), 1, &[]);
    assert_eq!(names(&pages(&fixture.path("back"))), ["anna.html", "bert.html"]);
}

#[test]
fn one_student_is_judged_again() {
    let fixture = Fixture::new();
    fixture.write("class/anna/main.sh", WRONG);
    fixture.write("class/bert/main.sh", WRONG.replace("echo 3", "echo 4"));
    fixture.write("class/carl/notes.pdf", "%PDF\n");
    let judge = "judge sum class --all";
    fixture.check(&format!("{judge} --events all.jsonl --csv all.csv"), 1, &[]);
    let first = fixture.read("all.csv");
    fixture.write("class/anna/main.sh", RIGHT);
    fixture.write("class/bert/main.sh", RIGHT);
    let again = "--student anna --update all.jsonl";
    let refuse = |options: &str, message: &str| {
        fixture.check(&format!("{judge} {options} --csv no.csv"), 2, &[message]);
    };
    refuse("--student nobody --update all.jsonl", "--student: the class has no student 'nobody'");
    refuse(&format!("{again} --time-limit 2"), "not as in that run: limits");
    refuse(&format!("{again} --points cases"), "not as in that run: options");
    refuse("--student anna", "--update");
    refuse("--student anna --update all.csv", "line 1 is not an event");
    fixture.write("sum/data/secret/small/1.ans", "14\n");
    refuse(again, "not as in that run: test case secret/small/1");
    fixture.write("sum/data/secret/small/1.ans", "13\n");
    fixture.write("sum/data/secret/small/3.in", "5 8\n");
    fixture.write("sum/data/secret/small/3.ans", "13\n");
    refuse(again, "not as in that run: test case secret/small/3");
    fixture.remove("sum/data/secret/small/3.in");
    fixture.remove("sum/data/secret/small/3.ans");
    // Anna is right now. The others' rows are as they were, though Bert's file is another.
    fixture.check(
        &format!("{judge} {again} --events all.jsonl --csv new.csv"),
        1,
        &["the same text: anna, bert"],
    );
    let second = fixture.read("new.csv");
    let row = |text: &str, name: &str| {
        let row =
            text.lines().find(|line| line.contains(&format!("sum,class/{name},"))).expect("a row");
        row.to_owned()
    };
    assert!(
        row(&first, "anna").contains(",WA,") && row(&second, "anna").contains(",AC,"),
        "{second}"
    );
    for name in ["bert", "carl"] {
        // Copies are found again.
        let judged = |text: &str| row(text, name).split(',').take(12).collect::<Vec<_>>().join(",");
        assert_eq!(judged(&first), judged(&second));
    }
    let order = |text: &str| {
        let names = text.lines().filter_map(|line| line.split(',').nth(1));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(order(&first), order(&second));
    // Who is new is judged, and who is gone has no row.
    fixture.remove("class/bert/main.sh");
    fs::remove_dir(fixture.path("class/bert")).expect("an empty directory");
    fixture.write("class/dora/main.sh", RIGHT);
    fixture.check(&format!("{judge} {again} --csv third.csv"), 0, &[]);
    let third = fixture.read("third.csv");
    assert!(row(&third, "dora").contains("AC") && !third.contains("bert"), "{third}");
}
