//! Small packages, and how they are read.

use crate::package::tests::package_with;
use crate::package::{PackageReading, read};

const SETTINGS: &str = "\
title: Sum
title_pl: Suma
sinol_task_id: abc
time_limit: 1500
memory_limit: 65536
scores:
  1: 40
  2: 60
sinol_expected_scores:
  abc.cpp:
    expected: {1: {points: 40, status: OK}, 2: OK}
    points: 100
  abcb1_x.py:
    expected: {1: {points: 40, status: WA}, 2: {points: 0, status: ML}}
    points: 40
";

/// Changes words in the files of a package and reads it: its groups, cases, submissions and remarks.
fn read_with(changes: &[(&str, &str)], more: &[(&str, &str)], without: &[&str]) -> Vec<String> {
    let files = [
        ("config.yml", SETTINGS),
        ("in/abc0.in", "1 1\n"),
        ("in/abc1a.in", "1 2\n"),
        ("in/abc1aocen.in", "1 9\n"),
        ("in/abc2.in", "3 4\n"),
        ("out/abc1a.out", "3\n"),
        ("out/abc1aocen.out", "10\n"),
        ("out/abc2.out", "7\n"),
        ("prog/abc.cpp", "s\n"),
        ("prog/abcb1_x.py", "s\n"),
        ("prog/abcs.cpp", "s\n"),
        ("prog/abcinwer.cpp", "v\n"),
        ("prog/oi.h", "h\n"),
    ];
    let keep = package_with(files.iter().chain(more), changes, without);
    let PackageReading { problem, diagnostics, .. } = read(keep.path());
    let mut lines = Vec::new();
    if let Some(problem) = &problem {
        lines.push(format!(
            "{} {:?} {:?}",
            problem.layout.format,
            problem.limits.time_limit,
            problem.limits.memory.map(|memory| memory.to_string())
        ));
        lines.extend(problem.test_data.groups.iter().map(|group| match &group.scoring {
            None => group.name.clone(),
            Some(scoring) => {
                let points = scoring.max_score.expect("a greatest score").points();
                let needed: String =
                    scoring.require_pass.iter().map(|group| format!(" after {group}")).collect();
                format!("{}: {points} {:?}{needed}", group.name, scoring.aggregation)
            }
        }));
        lines.extend(problem.test_data.cases.iter().map(|case| case.name.clone()));
        let unmade = problem.pending_recipe.iter().flat_map(|recipe| &recipe.cases);
        lines.extend(unmade.map(|case| format!("{} is made", case.name)));
        for submission in &problem.submissions {
            let include = submission.program.include.iter();
            let include: String = include
                .map(|file| {
                    let language = file.language.as_deref().unwrap_or_default();
                    format!(" +{} for {language}", file.name.display())
                })
                .collect();
            lines.push(format!("{}{include}", submission.name));
            lines.extend(submission.expectations.iter().map(|rule| {
                let score = rule.score.map(|score| score.to_string());
                let about = rule.cases.as_deref().unwrap_or("all");
                format!("  {about}: {score:?} {:?} {:?}", rule.permitted, rule.required)
            }));
        }
    }
    let prefix = format!("{}/", keep.path().display());
    lines.extend(diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&prefix, "")));
    lines
}

#[test]
fn groups_tests_and_solutions_are_read() {
    let expected = [
        "sinol Some(1.5s) Some(\"64 MiB\")",
        "tests: 100 Sum",
        "tests/0: 0 Min",
        "tests/1: 40 Min",
        "tests/2: 60 Min",
        "tests/0/abc0",
        "tests/0/abc1aocen",
        "tests/1/abc1a",
        "tests/2/abc2",
        "tests/0/abc0 is made",
        "abc.cpp",
        "  all: None Some([Accepted]) None",
        "  all: Some(\"100\") None None",
        "  tests/1: Some(\"40\") Some([Accepted]) None",
        "  tests/2: None Some([Accepted]) None",
        "abcb1_x.py",
        "  all: Some(\"40\") None None",
        "  tests/1: Some(\"40\") Some([Accepted, WrongAnswer]) Some([WrongAnswer])",
        "  tests/2: Some(\"0\") Some([Accepted, WrongAnswer, RunTimeError]) Some([RunTimeError])",
        "abcs.cpp",
    ];
    assert_eq!(read_with(&[], &[], &[]), expected);
}

#[test]
fn points_are_shared_and_groups_depend_on_others() {
    let check = |changes: &[(&str, &str)], more: &[(&str, &str)], expected: &[&str]| {
        let lines = read_with(changes, more, &[]);
        let groups: Vec<&String> = lines.iter().filter(|line| line.starts_with("tests/")).collect();
        let groups: Vec<&str> =
            groups.iter().filter_map(|line| line.split_once('/')).map(|parts| parts.1).collect();
        assert_eq!(groups[..expected.len()], *expected, "{lines:#?}");
    };
    let equal = ("scores:\n  1: 40\n  2: 60\n", "");
    check(&[equal], &[], &["0: 0 Min", "1: 50 Min", "2: 50 Min"]);
    let third = ("in/abc3.in", "1 1\n");
    check(&[equal], &[third], &["0: 0 Min", "1: 33 Min", "2: 33 Min", "3: 34 Min"]);
    let depends = ("title: Sum", "subtask_dependencies:\n  2: [1]");
    check(&[depends], &[], &["0: 0 Min", "1: 40 Min", "2: 60 Min after tests/1"]);
    check(&[("title: Sum", "sinol_contest_type: icpc")], &[], &["0", "1", "2"]);
}

#[test]
fn libraries_are_built_with_solutions() {
    let keys = "extra_compilation_files: [abclib.h, abclib.py]\nextra_compilation_args: {cpp: [abclib.cpp, abc2lib.cc]}";
    let files = [
        ("prog/abclib.h", "h\n"),
        ("prog/abclib.cpp", "l\n"),
        ("prog/abc2lib.cc", "l\n"),
        ("prog/abclib.py", "l\n"),
    ];
    let lines = read_with(&[("title: Sum", keys)], &files, &[]);
    let expected = "abc.cpp +abclib.cpp for cpp +abc2lib.cc for cpp +abclib.h for c +abclib.h for cpp +abclib.py for python3";
    assert!(lines.iter().any(|line| line == expected), "{lines:#?}");
}

#[test]
fn unsupported_settings_are_reported() {
    let check =
        |changes: &[(&str, &str)], more: &[(&str, &str)], without: &[&str], expected: &str| {
            let lines = read_with(changes, more, without);
            assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:#?}");
        };
    let key = |key: &str, expected: &str| {
        check(&[("title: Sum", &format!("title: Sum\n{key}"))], &[], &[], expected);
    };
    key("num_processes: 2", "`num_processes` changes how submissions are judged");
    key("fake_time: zero", "`fake_time` changes");
    key("sinol_contest_type: oi", "does not give points as `oi` contests do");
    key("sinol_contest_type: ICPC", "");
    key("time_limits: {2: 3000}", "`time_limits` differ, but juror has one limit");
    key("memory_limits: {1a: 3000}", "`memory_limits` differ, but juror has one limit");
    key("memory_limitz: 1", "unknown key `memory_limitz` is ignored");
    key("override_limits: {py: {time_limit: 1}}", "prog/abcb1_x.py: is left out");
    key("extra_compilation_args: {cpp: -lm}", "`-lm` is not a C or C++ source");
    key(
        "extra_compilation_files: [abcs.cpp]",
        "juror would build `abcs.cpp` with every submission",
    );
    key("extra_compilation_files: [x.h]", "there is no `prog/x.h`");
    key("subtask_dependencies: {1: [2]}", "group 1 depends on 2, which is not an earlier group");
    check(&[("memory_limit: 65536\n", "")], &[], &[], "has no `memory_limit` for all tests");
    check(&[("  2: 60", "  3: 60")], &[], &[], "group 3 has points, but no test");
    check(&[("  2: 60\n", "")], &[], &[], "group 2 has tests but no points");
    check(&[("  2: 60", "  x: 60")], &[], &[], "`x` is not a group number");
    check(&[("status: ML", "status: XX")], &[], &[], "must be OK, WA, RE, ML or TL");
    check(&[("abcb1_x.py:", "abc7.py:")], &[], &[], "`abc7.py` is not a solution in prog/");
    let depends = ("sinol_task_id: abc\n", "sinol_task_id: abc\nsubtask_dependencies: {2: [1]}\n");
    let message = "the checker abcchk.cpp may give partial points";
    check(&[depends], &[("prog/abcchk.cpp", "c\n")], &[], message);
    check(&[], &[("prog/abcsoc.cpp", "c\n")], &[], "is an interactor of sinol");
    check(&[], &[("prog/abcingen.sh", "c\n")], &[], "is not called: only the inputs in in/");
    check(&[], &[("in/xyz1.in", "1\n")], &[], "is not a test of `abc`");
    check(&[], &[("out/abc9.out", "1\n")], &[], "has no input in/abc9.in");
    check(&[], &[], &["prog/abc.cpp"], "has no answer out/abc0.out, and there is no prog/abc.*");
    let other = read_with(&[("sinol_task_id: abc", "sinol_task_id: xyz")], &[], &[]);
    assert!(
        !other.iter().any(|line| line.contains("group 1")),
        "one cause, one kind of error: {other:#?}"
    );
    let scores = ("scores:\n  1: 40\n  2: 60\n", "");
    let more = ["3", "4", "5", "6"].map(|number| (format!("in/abc{number}.in"), "1\n"));
    let more: Vec<(&str, &str)> = more.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    check(&[scores], &more, &[], "share 100 points among 6 groups in different ways");
    let deep = "subtask_dependencies:\n  2: [1]\n  3: [2]";
    let third = [("in/abc3.in", "1\n")];
    check(
        &[("title: Sum", deep), ("  1: 40", "  3: 0\n  1: 40")],
        &third,
        &[],
        "group 3 depends on 2, which depends on 1",
    );
}
