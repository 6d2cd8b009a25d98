//! Packages of every format with random changes: each is read, or its faults are reported.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::package::{PackageReading, format_names, read, read_as};

/// A small package: its format, and its files with their texts.
type SmallPackage = (&'static str, &'static [(&'static str, &'static str)]);

const SMALL_PACKAGES: [SmallPackage; 9] = [
    (
        "2025-09",
        &[
            (
                "problem.yaml",
                "problem_format_version: 2025-09\nname: {en: Small, sv: Liten}\ntype: scoring\n\
                 uuid: 123e4567-e89b-42d3-a456-426614174000\nlimits: {time_limit: 2, memory: 64}\n\
                 constants: {n: 5}\ncredits: {authors: [Ada]}\n",
            ),
            ("juror.toml", "[io]\ninput = \"a.in\"\n"),
            ("statement/problem.en.md", "Add.\n"),
            ("statement/problem.sv.md", "Addera.\n"),
            ("data/sample/1.in", "1 2\n"),
            ("data/sample/1.ans", "3\n"),
            ("data/secret/test_group.yaml", "max_score: 100\nscore_aggregation: sum\n"),
            ("data/secret/a/test_group.yaml", "max_score: 100\nrequire_pass: sample\n"),
            ("data/secret/a/1.in", "1 2\n"),
            ("data/secret/a/1.ans", "3\n"),
            ("data/secret/a/1.yaml", "args: ['{{n}}']\n"),
            ("data/invalid_input/1.in", "x\n"),
            (
                "generators/generators.yaml",
                "data:\n  secret:\n    data:\n      - '': gen.py {seed}\n",
            ),
            ("generators/gen.py", "print(1, 2)\n"),
            ("submissions/accepted/add.py", "print(sum(map(int, input().split())))\n"),
            (
                "submissions/submissions.yaml",
                "accepted: {score: 100}\n'*.py': {language: python3}\n",
            ),
            ("input_validators/validate.ctd", "INT(0, 9) SPACE INT(0, 9) NEWLINE EOF\n"),
            ("output_validator/v.py", "exit(42)\n"),
            ("include/default/x.h", "\n"),
        ],
    ),
    (
        "legacy",
        &[
            (
                "problem.yaml",
                "name: Small\nauthor: Ada\ntype: scoring\nvalidation: custom score\n\
                 validator_flags: a b\nlimits: {time_multiplier: 3, memory: 64}\n\
                 grading: {objective: max, show_test_data_groups: yes}\n",
            ),
            (".timelimit", "2\n"),
            ("domjudge-problem.ini", "name='Small'\ntimelimit=3\n"),
            ("problem_statement/problem.tex", "\\problemname{Small}\n"),
            ("data/testdata.yaml", "grader_flags: ignore_sample\nrange: 0 100\n"),
            ("data/sample/1.in", "1 2\n"),
            ("data/sample/1.ans", "3\n"),
            ("data/secret/testdata.yaml", "on_reject: continue\ngrader_flags: min\n"),
            ("data/secret/a/testdata.yaml", "accept_score: 50\ninput_validator_flags: {v.py: x}\n"),
            ("data/secret/a/1.in", "1 2\n"),
            ("data/secret/a/1.ans", "3\n"),
            ("submissions/accepted/add.py", "print(sum(map(int, input().split())))\n"),
            ("submissions/mixed/a.py", "# @EXPECTED_RESULTS@: CORRECT, TIMELIMIT\n"),
            ("submissions/partially_accepted/b.py", "# @EXPECTED_SCORE@: 50\n"),
            ("input_format_validators/v.py", "exit(42)\n"),
            ("output_validators/v/build", "#!/bin/sh\n"),
            ("graders/g.py", "print('AC 1')\n"),
        ],
    ),
    (
        "legacy-icpc",
        &[
            ("problem.yaml", "problem_format_version: legacy-icpc\nname: Small\n"),
            ("problem_statement/problem.tex", "\\problemname{Small}\n"),
            ("data/secret/1.in", "1 2\n"),
            ("data/secret/1.ans", "3\n"),
            ("submissions/accepted/add.py", "print(sum(map(int, input().split())))\n"),
            ("input_validators/v.py", "exit(42)\n"),
        ],
    ),
    (
        "2023-07",
        &[
            (
                "problem.yaml",
                "problem_format_version: 2023-07-draft\nname: Small\ntype: [scoring, interactive]\n\
                 limits: {time_limit: 2, time_multipliers: {ac_to_time_limit: 2}}\nconstants: {n: 5}\n",
            ),
            ("statement/problem.en.md", "Add.\n"),
            ("data/testdata.yaml", "range: 0 100\n"),
            ("data/secret/a/test_group.yaml", "input_validator_args: [x]\n"),
            ("data/secret/a/1.in", "1 2\n"),
            ("data/secret/a/1.ans", "3\n"),
            ("data/secret/a/1.yaml", "args: [x]\n"),
            ("data/invalid_output/1.in", "1\n"),
            ("data/invalid_output/1.ans", "1\n"),
            ("data/invalid_output/1.out", "2\n"),
            ("submissions/accepted/add.py", "print(sum(map(int, input().split())))\n"),
            ("submissions/submissions.yaml", "accepted: {permitted: [AC]}\n"),
            ("input_validators/v.py", "exit(42)\n"),
            ("output_validator/v.py", "exit(42)\n"),
        ],
    ),
    (
        "Polygon",
        &[
            (
                "problem.xml",
                "<problem short-name=\"sum\"><names><name language=\"english\" value=\"Sum\"/></names>\n\
                 <judging run-count=\"1\" input-file=\"a.in\" output-file=\"\"><testset name=\"tests\">\n\
                 <time-limit>1500</time-limit><memory-limit>268435456</memory-limit>\n\
                 <test-count>2</test-count><input-path-pattern>tests/%02d</input-path-pattern>\n\
                 <answer-path-pattern>tests/%02d.a</answer-path-pattern>\n\
                 <tests><test method=\"manual\" sample=\"true\" group=\"1\" points=\"5\"/>\n\
                 <test cmd=\"gen 5 &quot;a b&quot;\" method=\"generated\" group=\"2\" points=\"6\"/></tests>\n\
                 <groups><group name=\"1\" points-policy=\"each-test\"/>\n\
                 <group name=\"2\" points-policy=\"complete-group\"><dependencies><dependency group=\"1\"/>\n\
                 </dependencies></group></groups></testset></judging>\n\
                 <files><resources><file path=\"files/testlib.h\"/></resources><executables><executable>\n\
                 <source path=\"files/gen.cpp\" type=\"cpp.g++17\"/></executable></executables></files>\n\
                 <assets><checker name=\"std::ncmp.cpp\" type=\"testlib\">\n\
                 <source path=\"files/check.cpp\" type=\"cpp.g++17\"/></checker>\n\
                 <validators><validator><source path=\"files/val.cpp\" type=\"cpp.g++17\"/></validator></validators>\n\
                 <solutions><solution tag=\"main\"><source path=\"solutions/a.cpp\" type=\"cpp.g++17\"/></solution>\n\
                 <solution tag=\"time-limit-exceeded-or-accepted\"><source path=\"solutions/b.py\" type=\"python.3\"/>\n\
                 </solution></solutions></assets></problem>\n",
            ),
            ("files/testlib.h", "\n"),
            ("files/gen.cpp", "#include \"testlib.h\"\n"),
            ("files/check.cpp", "#include \"testlib.h\"\n"),
            ("files/val.cpp", "#include \"testlib.h\"\n"),
            ("tests/01", "1 2\n"),
            ("tests/01.a", "3\n"),
            ("solutions/a.cpp", "int main() {}\n"),
            ("solutions/b.py", "print(3)\n"),
        ],
    ),
    (
        "library-checker",
        &[
            (
                "info.toml",
                "title = \"A + B\"\ntimelimit = 2.5\n[[tests]]\nname = \"example.in\"\nnumber = 1\n\
                 [[tests]]\nname = \"random.cpp\"\nnumber = 2\n[[solutions]]\nname = \"wa.cpp\"\n\
                 expect = \"WA\"\n[params]\nA_MAX = 1_000\n",
            ),
            ("checker.cpp", "\n"),
            ("verifier.cpp", "\n"),
            ("gen/example_00.in", "1 2\n"),
            ("gen/random.cpp", "\n"),
            ("sol/correct.cpp", "\n"),
            ("sol/wa.cpp", "\n"),
        ],
    ),
    (
        "Italian",
        &[
            (
                "task.yaml",
                "name: small\ntitle: Small\ntime_limit: 2\nmemory_limit: 64\nn_input: 2\ninfile: ''\noutfile: ''\n",
            ),
            ("gen/GEN", "# ST: 40\n# COPY: att/a.txt\n# ST: 60\n1 2\n"),
            ("gen/generatore.py", "print(1, 2)\n"),
            ("att/a.txt", "1 2\n"),
            ("input/input0.txt", "1 2\n"),
            ("output/output0.txt", "3\n"),
            ("sol/soluzione.py", "print(sum(map(int, input().split())))\n"),
        ],
    ),
    (
        "sinol",
        &[
            (
                "config.yml",
                "title: Small\ntime_limit: 2000\nmemory_limit: 65536\nsinol_task_id: abc\nscores:\n  1: 40\n  2: 60\n\
                 subtask_dependencies:\n  2: [1]\noverride_limits:\n  py:\n    time_limit: 5000\n\
                 sinol_expected_scores:\n  abc.cpp:\n    expected:\n      1: {points: 40, status: OK}\n    points: 100\n",
            ),
            ("in/abc0.in", "1 2\n"),
            ("in/abc1a.in", "1 2\n"),
            ("in/abc2.in", "1 2\n"),
            ("out/abc1a.out", "3\n"),
            ("prog/abc.cpp", "\n"),
            ("prog/abcs1.cpp", "\n"),
        ],
    ),
    (
        "bare",
        &[
            ("1.in", "1 2\n"),
            ("1.ans", "3\n"),
            ("sample-1.in", "1 2\n"),
            ("sample-1.out", "3\n"),
            ("input2.txt", "1 2\n"),
            ("output2.txt", "3\n"),
            ("03", "1 2\n"),
            ("03.a", "3\n"),
            ("in/4", "1 2\n"),
            ("out/4", "3\n"),
            ("juror.toml", "[io]\ninput = \"a.in\"\n"),
        ],
    ),
];

/// Pieces of the languages in files.
const WORDS: [&str; 40] = [
    "\n",
    "\n  ",
    "\n- ",
    ": ",
    ", ",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "|\n",
    "#",
    "---\n",
    "\u{feff}",
    "\r\n",
    "\t",
    "\u{e4}",
    "\0",
    "1e999",
    "-1",
    "99999999999999999999",
    "..",
    "/etc/passwd",
    "{{n}}",
    "{seed}",
    "*",
    "{a,b}",
    "problem_format_version: ",
    "scoring",
    "interactive",
    "<",
    "/>",
    "<test/>",
    "&#0;",
    "%99d",
];

const TARGETS: [&str; 6] = ["..", ".", "/", "/dev/zero", "nowhere", "1.in"];

/// A change of one file.
#[derive(Clone, Debug)]
enum FileChange {
    /// Some of its bytes are replaced.
    Replace {
        from: usize,
        length: usize,
        words: Vec<&'static str>,
    },
    /// It is doubled until it is large.
    Enlarge,
    Remove,
    Directory,
    Pipe,
    Link(&'static str),
    Move(usize),
}

fn any_changes() -> impl Strategy<Value = Vec<(usize, FileChange)>> {
    let words = vec(proptest::sample::select(&WORDS[..]), 0..8);
    let text = (any::<usize>(), 0_usize..60, words);
    let change = prop_oneof![
        12 => text.prop_map(|(from, length, words)| FileChange::Replace { from, length, words }),
        1 => Just(FileChange::Enlarge),
        2 => Just(FileChange::Remove),
        1 => Just(FileChange::Directory),
        1 => Just(FileChange::Pipe),
        2 => proptest::sample::select(&TARGETS[..]).prop_map(FileChange::Link),
        2 => any::<usize>().prop_map(FileChange::Move),
    ];
    vec((any::<usize>(), change), 1..6)
}

fn write_file(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    fs::write(path, text).expect("a file");
}

fn package(files: &[(&str, &str)]) -> TempDir {
    package_with(files, &[], &[])
}

/// A package of these files except `without`, with changed words in all of them.
pub(super) fn package_with<'a>(
    files: impl IntoIterator<Item = &'a (&'a str, &'a str)>,
    changes: &[(&str, &str)],
    without: &[&str],
) -> TempDir {
    let keep = TempDir::new().expect("a temporary directory");
    for (name, text) in files.into_iter().filter(|(name, _)| !without.contains(name)) {
        let text =
            changes.iter().fold((*text).to_owned(), |text, (old, new)| text.replace(old, new));
        write_file(&keep.path().join(name), text.as_bytes());
    }
    keep
}

/// Changes a file, whatever earlier changes did to it.
fn apply_change(dir: &Path, files: &[(&str, &str)], index: usize, change: &FileChange) {
    let name = |index: usize| files[index % files.len()].0;
    let path = dir.join(name(index));
    // An earlier change may have replaced its directory with a file, or with a link that leads away.
    let parent = path.parent().expect("a parent");
    let is_made = fs::create_dir_all(parent).is_ok();
    if !is_made || !parent.canonicalize().is_ok_and(|path| path.starts_with(dir)) {
        return;
    }
    let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let mut text = if is_file { fs::read(&path).expect("a file") } else { Vec::new() };
    let _nothing_there = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    match change {
        FileChange::Replace { from, length, words } => {
            let from = from % (text.len() + 1);
            let to = (from + length).min(text.len());
            text.splice(from..to, words.concat().bytes());
            write_file(&path, &text);
        }
        FileChange::Enlarge => {
            while (1..1 << 16).contains(&text.len()) {
                text.extend_from_within(..);
            }
            write_file(&path, &text);
        }
        FileChange::Remove => {}
        FileChange::Directory => fs::create_dir(&path).expect("a directory"),
        FileChange::Pipe => {
            assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        }
        FileChange::Link(target) => symlink(target, &path).expect("a link"),
        FileChange::Move(to) => {
            let to = dir.join(name(*to));
            if !to.exists()
                || to.canonicalize().is_ok_and(|path| path.starts_with(dir) && path.is_file())
            {
                let _no_place = fs::write(&to, &text);
            }
        }
    }
}

/// Reads a package with a time limit, because a reader that hangs would report nothing.
fn read_with_time_limit(dir: &Path) -> PackageReading {
    let (send, receive) = mpsc::channel();
    let owned = dir.to_owned();
    let reader = thread::spawn(move || send.send(Box::new(read(&owned))));
    let reading = receive.recv_timeout(Duration::from_secs(300));
    let reading = reading.expect("a reader that neither panics nor waits");
    reader.join().expect("no panic").expect("a receiver");
    *reading
}

#[test]
fn each_small_package_is_read_in_its_format() {
    assert_eq!(SMALL_PACKAGES.map(|(format, _)| format), format_names());
    for (format, files) in SMALL_PACKAGES {
        let keep = package(files);
        let reading = read_with_time_limit(keep.path());
        let found = reading.layout.map(|layout| layout.format).unwrap_or_default();
        assert!(found.starts_with(format), "{format}: {found}");
        assert!(reading.problem.is_some(), "{format}: {:?}", reading.diagnostics);
    }
}

#[test]
fn empty_or_missing_settings_are_reported() {
    for (format, files) in SMALL_PACKAGES {
        let keep = package(files);
        let settings = keep.path().join(files[0].0);
        fs::write(&settings, "").expect("an empty file");
        let is_reported =
            |reading: PackageReading| reading.problem.is_some() || !reading.diagnostics.is_empty();
        assert!(is_reported(read(keep.path())), "{format}");
        assert!(is_reported(read_as(keep.path(), Some(format))), "{format}");
        fs::remove_file(settings).expect("a file");
        assert!(is_reported(read_as(keep.path(), Some(format))), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 384, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_packages_of_every_format_are_read(
        small in 0..SMALL_PACKAGES.len(),
        changes in any_changes(),
    ) {
        let (_, files) = SMALL_PACKAGES[small];
        let keep = package(files);
        let dir = keep.path().canonicalize().expect("a directory");
        for (index, change) in &changes {
            apply_change(&dir, files, *index, change);
        }
        let PackageReading { problem, diagnostics, .. } = read_with_time_limit(&dir);
        prop_assert!(problem.is_some() || !diagnostics.is_empty());
        prop_assert!(diagnostics.len() < 1000, "{} remarks", diagnostics.len());
        for spot in diagnostics.iter().filter_map(|diagnostic| diagnostic.place.spot.as_ref()) {
            let length = spot.text.chars().count() as u32;
            prop_assert!(spot.line > 0 && spot.column > 0 && spot.width > 0, "{spot:?}");
            prop_assert!(spot.text.is_empty() || spot.column + spot.width <= length + 2, "{spot:?}");
        }
    }
}
