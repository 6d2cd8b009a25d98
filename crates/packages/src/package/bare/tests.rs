//! Small directories of tests, and how they are read.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tempfile::TempDir;

use crate::package::bare::Bare;
use crate::package::{Format, PackageReading, read};
use juror_core::diagnostic::Diagnostic;
use juror_core::root::FilePath;

/// A directory with these files; ` -> TARGET` after a name makes it a link.
fn directory(names: &[&str]) -> TempDir {
    let keep = TempDir::new().expect("a temporary directory");
    for name in names {
        let (name, target) = name.split_once(" -> ").unwrap_or((name, ""));
        let path = keep.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        match target {
            "" => fs::write(path, "1\n").expect("a new file"),
            target => std::os::unix::fs::symlink(target, path).expect("a new link"),
        }
    }
    keep
}

/// Checks the cases as `NAME ANSWER`, and the remarks.
fn check(names: &[&str], cases: &[&str], remarks: &[&str]) {
    let keep = directory(names);
    let PackageReading { problem, diagnostics, .. } = read(keep.path());
    let below = |path: &Path| path.strip_prefix(keep.path()).map(|it| it.display().to_string());
    let found: Vec<String> = problem
        .iter()
        .flat_map(|problem| &problem.test_data.cases)
        .map(|case| {
            let answer = case.answer.as_deref().expect("an answer");
            format!("{} {}", case.name, below(answer).expect("a file in it"))
        })
        .collect();
    assert_eq!(found, cases, "{names:?}");
    let prefix = format!("{}/", keep.path().display());
    let messages: Vec<String> = diagnostics
        .iter()
        .map(|it| it.to_string().replace(&prefix, ""))
        .filter(|it| !it.contains("is read as bare tests"))
        .collect();
    assert_eq!(messages, remarks, "{names:?}");
}

#[test]
fn ignored_settings_are_reported() {
    check(
        &["1.in", "1.ans", "domjudge-problem.ini"],
        &["1 1.ans"],
        &["domjudge-problem.ini: is ignored: bare tests have no settings"],
    );
}

#[test]
fn an_unreadable_test_case_is_an_error() {
    let keep = directory(&["1.in", "1.ans", "2.in -> /etc/hostname", "x -> /etc/hostname"]);
    let found = read(keep.path()).diagnostics;
    let mut errors = found.iter().filter(|it| it.prevents_judging());
    let error = errors.next().expect("an error");
    assert!(error.to_string().contains("2.in: is a link to /etc/hostname"), "{error}");
    assert_eq!(errors.next(), None);
}

#[test]
fn inputs_and_answers_are_paired_by_name() {
    check(&["1.in", "1.ans"], &["1 1.ans"], &[]);
    check(&["a.in", "a.out", "b.in", "b.ans"], &["a a.out", "b b.ans"], &[]);
    check(&["a.in", "a.out", "a.ans"], &["a a.ans"], &[]);
    check(&["1.IN", "1.out", "B.In", "B.ANS"], &["1 1.out", "B B.ANS"], &[]);
    check(&["a.in", "A.in", "a.ans", "A.ans"], &["A A.ans", "a a.ans"], &[]);
    check(&["input2.TXT", "OUTPUT2.txt"], &["2 OUTPUT2.txt"], &[]);
    check(&["input.txt", "output.txt"], &["input output.txt"], &[]);
    check(&["tests/1.in", "tests/1.out"], &["tests/1 tests/1.out"], &[]);
    check(
        &["s.in", "s.out", "tests/1.in", "tests/1.out"],
        &["s s.out", "tests/1 tests/1.out"],
        &[],
    );
}

#[test]
fn hidden_files_are_no_tests() {
    let detected = |names: &[&str]| Bare.detect(&FilePath::root(directory(names).path()));
    assert_eq!(detected(&["in/.gitkeep", "out/.gitkeep"]), None);
    assert!(detected(&["in/.gitkeep", "in/1", "out/1"]).is_some());
}

#[test]
fn the_names_of_other_judges_are_read() {
    check(&["01", "01.a", "02", "02.a", "lib", "lib.a"], &["01 01.a", "02 02.a"], &[]);
    check(&["input1.txt", "output1.txt", "input.txt"], &["1 output1.txt"], &[]);
    check(&["sample-1.in", "sample-1.out"], &["sample-1 sample-1.out"], &[]);
    check(&["in/1.in", "out/1.out"], &["in/1 out/1.out"], &[]);
    check(&["input/a.txt", "output/a.txt"], &["input/a.txt output/a.txt"], &[]);
    check(&["inputs/1", "outputs/1", "outputs/2"], &["inputs/1 outputs/1"], &[]);
    // Of two judges, side by side: no two test cases have the same name.
    let both = ["7.in", "7.ans", "input7.txt", "output7.txt"];
    check(&both, &["7 7.ans", "input7.txt output7.txt"], &[]);
}

#[test]
fn test_cases_may_have_any_name() {
    check(&["a b.in", "a b.out"], &["a b a b.out"], &[]);
    check(&["-1.in", "-1.ans", "ü; 'x.in", "ü; 'x.ans"], &["-1 -1.ans", "ü; 'x ü; 'x.ans"], &[]);
    let ignored = [".2.ans", ".2.in"]
        .map(|it| format!("{it}: is ignored: the format does not allow its name"));
    check(&["1.in", "1.ans", ".2.in", ".2.ans"], &["1 1.ans"], &ignored.each_ref().map(|it| &**it));
}

#[test]
fn files_without_a_partner_are_reported() {
    check(
        &["1.in", "1.ans", "2.in", "3.ans"],
        &["1 1.ans"],
        &["2.in: has no answer file", "3.ans: has no input file, so it is ignored"],
    );
}

#[test]
fn other_files_are_ignored() {
    let more = ["a.out", "main.cpp", "x -> /nowhere", "lib/y -> ..", "lib/2.in", "tests/more/3.in"];
    check(&[&["1.in", "1.ans"][..], &more].concat(), &["1 1.ans"], &[]);
}

#[test]
fn a_test_whose_name_is_not_utf_8_is_an_error() {
    let keep = directory(&["1.in", "1.ans"]);
    for name in [&b"\xff.in"[..], b"\xff.ans", b"notes-\xff"] {
        fs::write(keep.path().join(OsStr::from_bytes(name)), "").expect("a new file");
    }
    let diagnostics = read(keep.path()).diagnostics;
    let lost: Vec<&Diagnostic> =
        diagnostics.iter().filter(|it| it.message == "has a name that is not UTF-8").collect();
    assert_eq!(lost.len(), 2, "{diagnostics:?}");
    assert!(lost.iter().all(|it| it.prevents_judging()), "{lost:?}");
}

#[test]
fn the_reason_names_the_pairs() {
    let check = |names: &[&str], expected: &str| {
        let keep = directory(names);
        let problem = read(keep.path()).problem.expect("a problem");
        assert_eq!(problem.format_reason, expected);
        assert_eq!(problem.layout.format, "bare tests");
    };
    check(&["1.in", "1.out"], "1 pair of files: 1.in and 1.out");
    let two = "2 pairs of files, from 1.in and 1.out to 2.in and 2.ans";
    check(&["0.in", "1.in", "1.out", "2.in", "2.ans"], &format!("{two}; left over: 0.in"));
    let tests = "1 pair of files: tests/1.in and tests/1.ans";
    check(&["x.in", "tests/1.in", "tests/1.ans"], &format!("{tests}; left over: x.in"));
    let apart = "1 pair of files: in/1 and out/1";
    check(&["in/1", "out/1", "out/2", "x.out"], &format!("{apart}; left over: x.out, out/2"));
    let names = "1 pair of files: input1.txt and output1.txt";
    let more = ["input1.txt", "output1.txt", "input2.txt", "output.txt", "a.out", "main.cpp"];
    check(&more, &format!("{names}; left over: input2.txt"));
    let many = ["1.in", "1.ans", "1.out", "2.in", "3.in", "4.in", "5.ans", "6.ans"];
    let left = "1.out, 2.in, 3.in, 4.in, 5.ans and 1 more";
    check(&many, &format!("1 pair of files: 1.in and 1.ans; left over: {left}"));
}

#[test]
fn data_of_a_package_is_no_package() {
    let keep = directory(&["sum/problem.yaml", "sum/data/secret/1.in", "sum/data/secret/1.ans"]);
    let reading = read(&keep.path().join("sum/data/secret"));
    assert_eq!(reading.layout, None);
    let help = reading.diagnostics[0].help.clone().unwrap_or_default();
    assert!(help.ends_with("sum?"), "{help}");
}

#[test]
fn a_directory_without_pairs_is_no_package() {
    for names in [&["1.in"][..], &["1.ans"], &["more/1.in", "more/1.ans"], &["a.out"]] {
        assert_eq!(read(directory(names).path()).layout, None, "{names:?}");
    }
}
