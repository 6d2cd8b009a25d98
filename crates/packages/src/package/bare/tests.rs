//! Small directories of tests, and how they are read.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::package::bare::pairs::{candidates, find_pairs};
use crate::package::bare::{Bare, answer_of, has_inputs_alone, select_tests_of};
use crate::package::{Format, PackageReading, read};
use juror_core::diagnostic::Diagnostic;
use juror_core::root::FilePath;
use juror_core::units::Bytes;

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
    let below =
        |path: &Path| path.strip_prefix(keep.path()).map(|below| below.display().to_string());
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
        .map(|diagnostic| diagnostic.to_string().replace(&prefix, ""))
        .filter(|line| !line.contains("is read as bare tests"))
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
fn juror_toml_has_the_limits() {
    let check = |text: &str, time: f64, memory: u64, faults: &[&str]| {
        let keep = directory(&["1.in", "1.ans"]);
        fs::write(keep.path().join("juror.toml"), text).expect("a new file");
        let PackageReading { problem, diagnostics, .. } = read(keep.path());
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let errors: Vec<String> = errors.map(|error| error.message.clone()).collect();
        assert_eq!(errors, faults, "{text}");
        let limits = problem.expect("a problem").limits;
        assert_eq!(limits.time_limit, Some(Duration::from_secs_f64(time)), "{text}");
        assert_eq!(limits.memory, Some(Bytes::mib(memory)), "{text}");
    };
    check("", 2.0, 256, &[]);
    check("[limits]\ntime_limit = 1.5\nmemory = 64\n", 1.5, 64, &[]);
    check("[limits]\ntime_limit = 3\n[received]\nurl = \"x\"\ntests = [1]\n", 3.0, 256, &[]);
    let zero = "`limits.memory` must be an integer above 0, in MiB, not 0";
    check("[limits]\nmemory = 0\n", 2.0, 256, &[zero]);
    check("[limits]\nmemory = 1048577\n", 2.0, 256, &["`limits.memory` is too large"]);
    let negative = "`limits.time_limit` must be a number above 0, not -1";
    check("[limits]\ntime_limit = -1\n", 2.0, 256, &[negative]);
}

#[test]
fn an_unreadable_test_case_is_an_error() {
    let keep = directory(&["1.in", "1.ans", "2.in -> /etc/hostname", "x -> /etc/hostname"]);
    let found = read(keep.path()).diagnostics;
    let mut errors = found.iter().filter(|diagnostic| diagnostic.prevents_judging());
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
fn names_of_many_words_are_cheap() {
    for word in ["in", "i", "inp", "input", "In", "iN", "inin.in", "in.input.i"] {
        let name = [word].repeat(240 / (word.len() + 1)).join(".") + ".7";
        let work: usize = candidates(&name).iter().map(|candidate| candidate.name.len()).sum();
        assert!(work < 200 * name.len(), "{name}: {work} bytes");
    }
    // Names that differ only in case: each of 200 would fit to each.
    let cased = |word: &str, number: u32| -> String {
        let letters = word.chars().enumerate();
        let upper = |(at, letter): (usize, char)| match number >> at & 1 {
            0 => letter,
            _ => letter.to_ascii_uppercase(),
        };
        letters.map(upper).collect()
    };
    let names =
        (0..200).flat_map(|number| [cased("abcdefgh.in", number), cased("abcdefgh.out", number)]);
    let names: Vec<String> = names.collect();
    let pairs = find_pairs(names.iter().map(String::as_str));
    assert_eq!(pairs.len(), 200);
    assert!(pairs.iter().all(|pair| pair.input[..8] == pair.answer[..8]), "{pairs:?}");
    // The last part still says what a file is.
    check(
        &["in.in.in.in.in.in.7", "in.in.in.in.in.out.7"],
        &["in.in.in.in.in.7 in.in.in.in.in.out.7"],
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
fn the_names_differ_in_one_part() {
    // What other tools and judges write.
    check(&["in1.txt", "ans1.txt", "in2.txt", "out2.txt"], &["1 ans1.txt", "2 out2.txt"], &[]);
    check(&["I.1", "O.1"], &["1 O.1"], &[]);
    check(&["x.in.1a", "x.out.1a"], &["x.1a x.out.1a"], &[]);
    check(&["x.in1", "x.ou1"], &["x.1 x.ou1"], &[]);
    check(&["x.i01", "x.o01"], &["x.01 x.o01"], &[]);
    check(&["input.1", "output.1", "input.2", "answer.2"], &["1 output.1", "2 answer.2"], &[]);
    check(&["1.in.txt", "1.out.txt"], &["1 1.out.txt"], &[]);
    check(&["1-in.txt", "1-out.txt"], &["1 1-out.txt"], &[]);
    check(&["in1", "out1"], &["1 out1"], &[]);
    check(&["1.in", "1.sol", "2.in", "2.expected"], &["1 1.sol", "2 2.expected"], &[]);
    check(&["1.in", "1.answer", "2.input", "2.output"], &["1 1.answer", "2 2.output"], &[]);
    check(&["sampleInput1.txt", "sampleOutput1.txt"], &["sample1 sampleOutput1.txt"], &[]);
    check(&["inputab.txt", "outputab.txt"], &["ab outputab.txt"], &[]);
    check(&["in.txt", "out.txt"], &["in out.txt"], &[]);
    // Short words are parts of others.
    check(&["main.txt", "maout.txt", "1.in", "1.ans"], &["1 1.ans"], &[]);
    check(&["i.py", "o.py", "in.cpp", "out.cpp", "1.in", "1.ans"], &["1 1.ans"], &[]);
    // Both parts of these names are words of inputs; the last one says what a file is.
    let twice = ["in1.in", "in1.out", "out1.in", "out1.out"];
    check(&twice, &["in1 in1.out", "out1 out1.out"], &[]);
}

/// 2025-09, "Test data": tests without a package may be in `tests/1/input.txt`, `tests/samples/1.in`, `1.ref` and `1.stdin`
#[test]
fn more_layouts_are_read() {
    check(&["tests/1/input.txt", "tests/1/output.txt"], &["tests/1/input tests/1/output.txt"], &[]);
    check(&["tests/01/in", "tests/01/ans"], &["tests/01/in tests/01/ans"], &[]);
    check(
        &["tests/samples/1.in", "tests/samples/1.out"],
        &["tests/samples/1 tests/samples/1.out"],
        &[],
    );
    // A package without its settings.
    assert!(find_pairs(["data/sample/1.in", "data/sample/1.ans"]).is_empty());
    check(&["1.in", "1.ref"], &["1 1.ref"], &[]);
    check(&["1.in", "1.out", "1.ref"], &["1 1.ref"], &[]);
    check(&["1.stdin", "1.stdout"], &["1 1.stdout"], &[]);
    check(&["a.stdin", "a.ref"], &["a a.ref"], &[]);
    // At the top, a number may be another problem.
    check(&["1.in", "1.out", "2/input.txt", "2/output.txt"], &["1 1.out"], &[]);
}

#[test]
fn names_are_compared_as_people_type_them() {
    let [apart, one] = ["gro\u{308}\u{df}e", "gr\u{f6}\u{df}e"];
    let [input, answer] = [format!("{apart}.in"), format!("{one}.ans")];
    check(&[&input, &answer], &[&format!("{one} {answer}")], &[]);
    let both = [format!("{apart}.in"), format!("{apart}.out")];
    check(&both.each_ref().map(String::as_str), &[&format!("{one} {apart}.out")], &[]);
    // No two test cases have the same name.
    let four =
        [format!("{apart}.in"), format!("{apart}.out"), format!("{one}.in"), format!("{one}.out")];
    let names = four.each_ref().map(String::as_str);
    check(&names, &[&format!("{one} {apart}.out"), &format!("{one}.in {one}.out")], &[]);
}

#[test]
fn answers_of_authors_go_before_outputs_of_programs() {
    let check = |names: &[&str], answer: &str| check(names, &[&format!("1 {answer}")], &[]);
    check(&["1.in", "1.out", "1.ans"], "1.ans");
    check(&["1.in", "1.out", "1.a"], "1.a");
    check(&["1.in", "1.out", "1.sol"], "1.sol");
    check(&["in1.txt", "out1.txt", "ans1.txt"], "ans1.txt");
}

#[test]
fn tests_are_in_directories_that_are_called_so() {
    for folder in ["test", "tests", "sample", "samples", "data", "testcases", "subtask1", "Sub-2"] {
        let [input, answer] = ["1.in", "1.out"].map(|name| format!("{folder}/{name}"));
        check(&[&input, &answer], &[&format!("{folder}/1 {answer}")], &[]);
    }
    check(&["tests/in/1", "tests/out/1"], &["tests/in/1 tests/out/1"], &[]);
    check(
        &["data/subtask1/1.in", "data/subtask1/1.out", "data/subtask2/1.in", "data/subtask2/1.out"],
        &["data/subtask1/1 data/subtask1/1.out", "data/subtask2/1 data/subtask2/1.out"],
        &[],
    );
    check(&["case1/input.txt", "case1/output.txt"], &["case1/input case1/output.txt"], &[]);
}

#[test]
fn directories_of_groups_are_read() {
    let pair = |folder: &str| [format!("{folder}/1.in"), format!("{folder}/1.out")];
    let check_pair = |folder: &str, is_read: bool| {
        let names = [&pair(folder)[..], &["0.in".to_owned(), "0.out".to_owned()]].concat();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let own = format!("{folder}/1 {folder}/1.out");
        let cases = ["0 0.out", &own];
        check(&names, if is_read { &cases } else { &cases[..1] }, &[]);
    };
    for folder in
        ["visible", "Hidden", "secret", "easy", "tests/leicht", "tests/a b/c", "data/hard"]
    {
        check_pair(folder, true);
    }
    // Other directories may be other problems, and data of a package needs its settings.
    for folder in ["leicht", "data/secret", "data/sample", "lib", "tests/a/b/c"] {
        check_pair(folder, false);
    }
    check(
        &["sample/1.in", "sample/1.out", "secret/2.in", "secret/2.out"],
        &["sample/1 sample/1.out", "secret/2 secret/2.out"],
        &[],
    );
}

#[test]
fn tests_with_the_stem_of_the_source_count_alone() {
    let check = |names: &[&str], stem: &str, cases: &[&str], reason: &str| {
        let keep = directory(names);
        let mut problem = read(keep.path()).problem.expect("a problem");
        select_tests_of(stem, &mut problem);
        let found: Vec<&str> = problem.test_data.cases.iter().map(|case| &*case.name).collect();
        assert_eq!(found, cases, "{stem}: {names:?}");
        let found = &problem.format_reason;
        assert!(found.ends_with(reason), "{found}");
    };
    let both = ["a1.in", "a1.out", "a2.in", "a2.out", "b1.in", "b1.out", "ab.in", "ab.out"];
    let left_out = "names that begin with `a` go first, so 2 pairs without it are left out";
    check(&both, "a", &["a1", "a2"], left_out);
    check(&both, "c", &["a1", "a2", "ab", "b1"], "to b1.in and b1.out");
    check(
        &["a1.in", "a1.out", "a10.in", "a10.out"],
        "a1",
        &["a1"],
        "so 1 pair without it is left out",
    );
    check(&["A.in", "A.out", "tests/b.in", "tests/b.out"], "b", &["tests/b"], "is left out");
}

/// Names like those of tests, in and beside directories.
fn any_names() -> impl Strategy<Value = Vec<String>> {
    let folder = proptest::sample::select(vec!["", "in/", "out/", "tests/", "tests/in/", "sub1/"]);
    let word = proptest::sample::select(vec![
        "in", "out", "IN", "Out", "ans", "input", "output", "i", "o", "a", "sol", "1", "x", ".",
        "-", ".txt",
    ]);
    let name = (folder, proptest::collection::vec(word, 1..5));
    let name = name.prop_map(|(folder, words)| folder.to_owned() + &words.concat());
    proptest::collection::vec(name, 0..24)
}

proptest! {
    #[test]
    fn no_file_is_in_two_pairs_and_order_does_not_matter(names in any_names(), seed in any::<u64>()) {
        let pairs = find_pairs(names.iter().map(String::as_str));
        let mut used: Vec<&str> =
            pairs.iter().flat_map(|pair| [pair.input, pair.answer]).collect();
        used.sort_unstable();
        let count = used.len();
        used.dedup();
        prop_assert_eq!(used.len(), count);
        prop_assert!(used.iter().all(|name| names.iter().any(|own| own == name)));
        let mut cases: Vec<&str> = pairs.iter().map(|pair| &*pair.case).collect();
        cases.sort_unstable();
        cases.dedup();
        prop_assert_eq!(cases.len(), pairs.len());
        let mut other = names.clone();
        let turn = seed as usize % names.len().max(1);
        other.rotate_left(turn);
        prop_assert_eq!(find_pairs(other.iter().map(String::as_str)), pairs.clone());
        other.reverse();
        prop_assert_eq!(find_pairs(other.iter().map(String::as_str)), pairs);
    }
}

#[test]
fn test_cases_may_have_any_name() {
    check(&["a b.in", "a b.out"], &["a b a b.out"], &[]);
    check(&["-1.in", "-1.ans", "ü; 'x.in", "ü; 'x.ans"], &["-1 -1.ans", "ü; 'x ü; 'x.ans"], &[]);
    let ignored = [".2.ans", ".2.in"]
        .map(|name| format!("{name}: is ignored: the format does not allow its name"));
    check(
        &["1.in", "1.ans", ".2.in", ".2.ans"],
        &["1 1.ans"],
        &ignored.each_ref().map(String::as_str),
    );
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
fn inputs_without_answers_are_known() {
    let check = |names: &[&str], expected: &[&str], is_alone: bool| {
        let keep = directory(names);
        let problem = crate::package::read_as(keep.path(), Some("bare")).problem;
        let data = problem.expect("a problem").test_data;
        let found: Vec<&str> = data.unanswered.iter().map(|case| &*case.name).collect();
        assert_eq!(found, expected, "{names:?}");
        assert!(data.unanswered.iter().all(|case| case.answer.is_none()));
        assert_eq!(has_inputs_alone(&FilePath::root(keep.path())), is_alone, "{names:?}");
    };
    check(&["1.in", "1.ans", "2.in"], &["2"], false);
    check(&["my.in", "notes.txt", "a.out", "2.out"], &["my"], true);
    check(&["input.txt"], &["input"], true);
    check(&["in/1", "in/2", "out/1", "out/3"], &["in/2"], false);
    check(&["tests/01", "tests/02", "1"], &["tests/01", "tests/02"], true);
    check(&["01.dat", "sampleInput1.txt", "main.cpp"], &["01", "sample1"], true);
    // The last word says what a file is.
    check(&["in1.ans", "output.in", "data/secret/1.in"], &["output"], true);
    // No two test cases have the same name.
    check(&["1.in", "input1.txt"], &["1", "input1.txt"], true);
    // An own input beside numbered ones of another name.
    check(&["1.in", "1.out", "input.txt", "in.txt"], &[], false);
    check(&["1.in", "input.txt"], &["1"], true);
    check(&["input1.txt", "input.txt"], &["input", "1"], true);
    check(&["a.in", "tests/1.in", "input.txt"], &["a", "input", "tests/1"], true);
    check(&["1.in -> /etc/hostname"], &[], false);
}

#[test]
fn the_answer_to_an_input_is_beside_it() {
    let check = |names: &[&str], input: &str, expected: Option<&str>| {
        let keep = directory(names);
        let found = answer_of(&keep.path().join(input));
        assert_eq!(found, expected.map(|name| keep.path().join(name)), "{names:?}");
    };
    check(&["1.in", "1.out"], "1.in", Some("1.out"));
    check(&["1.in", "1.out", "1.ans"], "1.in", Some("1.ans"));
    check(&["in/1", "out/1"], "in/1", Some("out/1"));
    check(
        &["tests/1/input.txt", "tests/1/output.txt"],
        "tests/1/input.txt",
        Some("tests/1/output.txt"),
    );
    check(&["01", "01.a"], "01", Some("01.a"));
    check(&["my.txt", "my.out"], "my.txt", None);
    check(&["1.in", "2.out"], "1.in", None);
}

#[test]
fn other_files_are_ignored() {
    let more = ["a.out", "main.cpp", "x -> /nowhere", "lib/y -> ..", "lib/2.in", "tests/.old/3.in"];
    check(&[&["1.in", "1.ans"][..], &more].concat(), &["1 1.ans"], &[]);
}

#[test]
fn a_test_whose_name_is_not_utf_8_is_an_error() {
    let keep = directory(&["1.in", "1.ans"]);
    for name in [&b"\xff.in"[..], b"\xff.ans", b"notes-\xff"] {
        fs::write(keep.path().join(OsStr::from_bytes(name)), "").expect("a new file");
    }
    let diagnostics = read(keep.path()).diagnostics;
    let lost: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.message == "has a name that is not UTF-8")
        .collect();
    assert_eq!(lost.len(), 2, "{diagnostics:?}");
    assert!(lost.iter().all(|diagnostic| diagnostic.prevents_judging()), "{lost:?}");
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
    check(&["0.in", "1.in", "1.out", "2.in", "2.ans"], &format!("{two}; without an answer: 0.in"));
    let tests = "1 pair of files: tests/1.in and tests/1.ans";
    check(&["x.in", "tests/1.in", "tests/1.ans"], &format!("{tests}; without an answer: x.in"));
    let apart = "1 pair of files: in/1 and out/1";
    check(&["in/1", "out/1", "out/2", "x.out"], &format!("{apart}; left over: x.out, out/2"));
    let names = "1 pair of files: input1.txt and output1.txt";
    let more = ["input1.txt", "output1.txt", "input2.txt", "output.txt", "a.out", "main.cpp"];
    check(&more, &format!("{names}; without an answer: input2.txt"));
    let many = ["1.in", "1.ans", "1.out", "2.in", "3.in", "4.in", "5.ans", "6.ans"];
    let one = "1 pair of files: 1.in and 1.ans";
    let further = "without an answer: 2.in, 3.in, 4.in; left over: 1.out, 5.ans, 6.ans";
    check(&many, &format!("{one}; {further}"));
    let pair = ["1.in", "1.ans"];
    let inputs = ["2.in", "3.in", "4.in", "5.in", "6.in", "7.in"];
    let further = "without an answer: 2.in, 3.in, 4.in, 5.in, 6.in and 1 more";
    check(&[&pair[..], &inputs].concat(), &format!("{one}; {further}"));
    let scratch = ["1.in", "1.ans", "input.txt", "output.txt", "in.txt"];
    check(&scratch, &format!("{one}; left out: input.txt, in.txt"));
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
    for names in [
        &["1.in"][..],
        &["1.ans"],
        &["tests/1.in", "input.txt"],
        &["more/1.in", "more/1.ans"],
        &["a.out"],
    ] {
        assert_eq!(read(directory(names).path()).layout, None, "{names:?}");
    }
}
