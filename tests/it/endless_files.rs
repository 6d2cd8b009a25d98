//! Packages with endless files: juror reads them with little memory, or reports a fault.

use std::fs::{self, File};
use std::process::Command;

use crate::fixture::Fixture;
use crate::wire;

/// juror's address space, in KiB. A file that is read in full does not fit.
const ADDRESS_SPACE_KIB: u64 = 2_000_000;

/// Larger than the address space.
const FILE_SIZE: u64 = 64 << 30;

/// Makes one file of a package large and sparse, and checks juror's exit code and message.
fn check(files: &[(&str, &str)], large: &str, code: i32, message: &str) {
    let fixture = Fixture::new();
    for (name, text) in files {
        fixture.write(&format!("p/{name}"), text);
    }
    let path = fixture.path("p").join(large);
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    File::create(&path).and_then(|file| file.set_len(FILE_SIZE)).expect("a file with a hole");
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {ADDRESS_SPACE_KIB} && exec \"$0\" \"$@\""));
    let juror = wire::juror();
    command.arg(juror.get_program()).args(juror.get_args()).args(["judge", "p", "none.py"]);
    command.envs(juror.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = command.current_dir(fixture.root()).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{large}: {text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(message), "{large}: {text}");
}

#[test]
fn an_endless_answer_that_is_needed_whole_is_a_judge_error_of_its_case() {
    let fixture = Fixture::new();
    for name in ["a.in", "a.ans", "b.in"] {
        fixture.write(&format!("bare/{name}"), "1\n");
    }
    let hole = File::create(fixture.path("bare/b.ans")).expect("a file");
    hole.set_len(FILE_SIZE).expect("a hole");
    for name in ["x.sh", "y.sh"] {
        fixture.write(name, "read -r a; echo $a\n");
    }
    let message =
        "reading the judge answer: it has more than 256 MiB, and this comparison needs all of it";
    for comparison in ["words", "sorted", "unordered", "easy", "floats"] {
        let line = format!("judge bare x.sh y.sh --compare {comparison} --csv t.csv");
        fixture.check(&line, 4, &[message, "bare/b.ans", "no verdict for x.sh, y.sh"]);
        // A row for each submission and test case.
        assert_eq!(fixture.read("t.csv").matches(".sh").count(), 4, "{comparison}");
        fixture.remove("t.csv");
    }
    fixture.check("judge bare x.sh --compare sorted --case a", 0, &["AC"]);
    fixture.check("compare bare/b.ans bare/a.ans --compare sorted", 4, &[message]);
    let line = |id: u32, keys: &str| {
        format!(
            "{{\"id\": {id}, {keys}, \"source\": {{\"text\": \"read -r a; echo $a\", \"language\": \"bash\"}}}}\n"
        )
    };
    let lines = line(1, "\"package\": \"bare\"")
        + &line(2, "\"cases\": [{\"input\": \"1\", \"answer\": \"1\"}]");
    let output = fixture.juror("grade").write_stdin(lines).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("it has more than 256 MiB") && text.contains("\"AC\""), "{text}");
}

const NEW_PACKAGE: &[(&str, &str)] = &[
    ("problem.yaml", "problem_format_version: 2025-09\nname: x\nuuid: x\n"),
    ("statement/problem.en.md", "x\n"),
    ("data/secret/1.in", "1\n"),
    ("data/secret/1.ans", "1\n"),
];

const LEGACY_PACKAGE: &[(&str, &str)] = &[
    ("problem.yaml", "name: x\nauthor: x\n"),
    ("data/secret/1.in", "1\n"),
    ("data/secret/1.ans", "1\n"),
];

const POLYGON_PACKAGE: &[(&str, &str)] = &[
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

const BARE_TESTS: &[(&str, &str)] = &[("1.in", "1\n"), ("1.ans", "1\n")];

#[test]
fn endless_files_are_not_read_in_full() {
    let too_large = "is larger than 1 MiB";
    let read = "submission not found: none.py";
    for (files, name) in [
        (NEW_PACKAGE, "problem.yaml"),
        (NEW_PACKAGE, "juror.toml"),
        (NEW_PACKAGE, "data/secret/test_group.yaml"),
        (NEW_PACKAGE, "data/secret/1.yaml"),
        (NEW_PACKAGE, "submissions/submissions.yaml"),
        (LEGACY_PACKAGE, "problem.yaml"),
        (LEGACY_PACKAGE, "data/testdata.yaml"),
        (LEGACY_PACKAGE, ".timelimit"),
        (LEGACY_PACKAGE, "domjudge-problem.ini"),
        (BARE_TESTS, "juror.toml"),
    ] {
        check(files, name, 3, too_large);
    }
    for (files, name) in [
        (NEW_PACKAGE, "data/secret/1.in"),
        (NEW_PACKAGE, "statement/problem.en.md"),
        (LEGACY_PACKAGE, "problem_statement/problem.tex"),
        (NEW_PACKAGE, "submissions/accepted/a.py"),
        (NEW_PACKAGE, "generators/generators.yaml"),
        (LEGACY_PACKAGE, "submissions/mixed/a.py"),
        (LEGACY_PACKAGE, "data/secret/1.ans"),
        (POLYGON_PACKAGE, "tests/1"),
        (POLYGON_PACKAGE, "files/testlib.h"),
        (POLYGON_PACKAGE, "solutions/a.cpp"),
        (BARE_TESTS, "1.in"),
    ] {
        check(files, name, 2, read);
    }
    check(POLYGON_PACKAGE, "problem.xml", 3, "is larger than 1 MiB");
    check(NEW_PACKAGE, "data/sample/1.interaction", 3, "starts with neither `<` nor `>`");
}
