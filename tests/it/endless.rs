//! Packages with endless files: juror reads them with little memory, or reports a fault.

use std::fs::{self, File};
use std::process::Command;

use crate::fixture::Fixture;
use crate::wire;

/// juror's address space, in KiB. A file that is read in full does not fit.
const MEMORY: u64 = 2_000_000;

/// Larger than the address space.
const SIZE: u64 = 64 << 30;

/// Makes one file of a package large and sparse, and checks juror's exit code and message.
fn check(files: &[(&str, &str)], large: &str, code: i32, said: &str) {
    let fixture = Fixture::new();
    for (name, text) in files {
        fixture.write(&format!("p/{name}"), text);
    }
    let path = fixture.path("p").join(large);
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    File::create(&path).and_then(|file| file.set_len(SIZE)).expect("a file with a hole");
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\""));
    let juror = wire::juror();
    command.arg(juror.get_program()).args(juror.get_args()).args(["judge", "p", "none.py"]);
    command.envs(juror.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = command.current_dir(fixture.root()).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{large}: {text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(said), "{large}: {text}");
}

const NEW: &[(&str, &str)] = &[
    ("problem.yaml", "problem_format_version: 2025-09\nname: x\nuuid: x\n"),
    ("statement/problem.en.md", "x\n"),
    ("data/secret/1.in", "1\n"),
    ("data/secret/1.ans", "1\n"),
];

const LEGACY: &[(&str, &str)] = &[
    ("problem.yaml", "name: x\nauthor: x\n"),
    ("data/secret/1.in", "1\n"),
    ("data/secret/1.ans", "1\n"),
];

const POLYGON: &[(&str, &str)] = &[
    (
        "problem.xml",
        "<problem short-name=\"x\"><names><name language=\"english\" value=\"x\"/></names>\n\
         <judging run-count=\"1\" input-file=\"\" output-file=\"\"><testset name=\"tests\">\n\
         <time-limit>1000</time-limit><memory-limit>268435456</memory-limit>\n\
         <test-count>1</test-count><input-path-pattern>tests/%d</input-path-pattern>\n\
         <answer-path-pattern>tests/%d.a</answer-path-pattern>\n\
         <tests><test method=\"manual\"/></tests></testset></judging>\n\
         <files><resources><file path=\"files/testlib.h\"/></resources></files>\n\
         <assets><checker type=\"testlib\"><source path=\"files/check.cpp\" type=\"cpp.g++17\"/></checker>\n\
         <solutions><solution tag=\"main\"><source path=\"solutions/a.cpp\" type=\"cpp.g++17\"/></solution>\n\
         </solutions></assets></problem>\n",
    ),
    ("files/testlib.h", "\n"),
    ("files/check.cpp", "\n"),
    ("solutions/a.cpp", "\n"),
    ("tests/1", "1\n"),
    ("tests/1.a", "1\n"),
];

const BARE: &[(&str, &str)] = &[("1.in", "1\n"), ("1.ans", "1\n")];

#[test]
fn files_without_end_are_not_read_whole() {
    let too_large = "is larger than 1 MiB";
    let read = "submission not found: none.py";
    for (files, name) in [
        (NEW, "problem.yaml"),
        (NEW, "juror.toml"),
        (NEW, "data/secret/test_group.yaml"),
        (NEW, "data/secret/1.yaml"),
        (NEW, "submissions/submissions.yaml"),
        (LEGACY, "problem.yaml"),
        (LEGACY, "data/testdata.yaml"),
        (LEGACY, ".timelimit"),
        (LEGACY, "domjudge-problem.ini"),
        (BARE, "juror.toml"),
    ] {
        check(files, name, 3, too_large);
    }
    for (files, name) in [
        (NEW, "data/secret/1.in"),
        (NEW, "statement/problem.en.md"),
        (LEGACY, "problem_statement/problem.tex"),
        (NEW, "submissions/accepted/a.py"),
        (NEW, "generators/generators.yaml"),
        (LEGACY, "submissions/mixed/a.py"),
        (LEGACY, "data/secret/1.ans"),
        (POLYGON, "tests/1"),
        (POLYGON, "files/testlib.h"),
        (POLYGON, "solutions/a.cpp"),
        (BARE, "1.in"),
    ] {
        check(files, name, 2, read);
    }
    check(POLYGON, "problem.xml", 3, "is larger than 1 MiB");
    check(NEW, "data/sample/1.interaction", 3, "starts with neither `<` nor `>`");
}
