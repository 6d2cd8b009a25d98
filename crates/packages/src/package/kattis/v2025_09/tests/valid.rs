//! Packages without a fault, and what is read from them.

use std::time::Duration;

use super::{Package, check};
use crate::package::read;
use juror_core::problem::{Problem, ProgramIo};
use juror_core::submission::UseForTimeLimit;
use juror_core::test_data::ValidatorArgs;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;

#[test]
fn the_smallest_package_has_no_fault() {
    check("", &[]);
    let package = Package::new("");
    let problem = read(&package.dir).problem.expect("a problem");
    assert_eq!(problem.short_name, "small");
    assert_eq!(problem.test_data.cases.len(), 1);
    assert_eq!(problem.test_data.cases[0].name, "secret/1");
    assert_eq!(problem.submissions[0].name, "accepted/add.py");
    assert_eq!(problem.input_validators[0].name, "validate.py");
}

const FULL: &str = "
--- problem.yaml
problem_format_version: 2025-09
type: pass-fail
name: {en: Small, de: Klein}
uuid: 123e4567-e89b-42d3-a456-426614174000
version: '1.0'
credits:
  authors: [Ada <ada@example.org>, {name: Bob, kattis: bob}]
  translators: {de: Carl}
source: {name: Contest 2025, url: https://contest.example}
license: cc by-sa
embargo_until: 2026-01-31
limits:
  time_limit: 1.5
  time_resolution: 0.5
  time_multipliers: {ac_to_time_limit: 3}
  memory: 256
  code: 64
  compilation_time: 10
keywords: [sum]
languages: [cpp, python3]
allow_file_writing: true
constants:
  limit: {value: 1000, tex: '1\\,000'}
  eps: 1e-6
--- juror.toml
[io]
input = 'small.in'
output = 'small.out'
--- statement/problem.de.tex
x
--- include/default/common.txt
x
--- include/python3/lib/helper.py
x
--- generators/generators.yaml
x
--- data/sample/1.in
1
--- data/sample/1.ans
1
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- data/secret/b/test_group.yaml
output_validator_args: [float_tolerance, '{{eps}}']
args: [group]
--- data/secret/b/2.in
1
--- data/secret/b/2.ans
1
--- data/secret/b/deep/1.in
1
--- data/secret/b/deep/1.ans
1
--- data/secret/b/deep/1.yaml
args: [case, '{{eps}}']
input_validator_args: {validate.py: [-x]}
full_feedback: true
hint: think
description: deep
--- data/secret/b/deep/1.files/dir/extra.txt
x
--- data/secret/a/test_group.yaml
--- data/secret/a/1.in
1
--- data/secret/a/1.ans
1
--- data/invalid_input/test_group.yaml
input_validator_args: [--strict]
description: bad
--- data/invalid_input/1.in
x
--- submissions/submissions.yaml
wrong_answer:
  required: [WA]
  permitted: [AC, WA, RTE]
'*/w.py':
  language: python3
  secret/b: {required: [WA], message: differs, use_for_time_limit: false}
--- submissions/wrong_answer/w.py
x
--- submissions/time_limit_exceeded/slow/main.cpp
x
";

fn full_problem() -> Problem {
    let package = Package::new(FULL);
    let remarks = package.remarks();
    assert_eq!(remarks, [""; 0]);
    read(&package.dir).problem.expect("a problem")
}

#[test]
fn names_and_limits_are_read() {
    let problem = full_problem();
    let names: Vec<&str> = problem.names.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["Klein", "Small"]);
    assert_eq!(problem.limits.time_limit, Some(Duration::from_millis(1500)));
    assert_eq!(problem.limits.ac_to_time_limit, 3.0);
    assert_eq!(problem.limits.time_limit_to_tle, 1.5);
    assert_eq!(problem.limits.memory, Some(Bytes::mib(256)));
    assert_eq!(problem.limits.code, Some(Bytes::kib(64)));
    assert_eq!(problem.limits.compilation_time, Some(Duration::from_secs(10)));
    assert_eq!(problem.languages, Some(vec!["cpp".to_owned(), "python3".to_owned()]));
    let constants: Vec<String> = problem
        .constants
        .iter()
        .map(|constant| format!("{}={}", constant.key, constant.value))
        .collect();
    assert_eq!(
        constants,
        ["limit=1000", "limit.value=1000", "limit.tex=1\\,000", "eps=1e-6", "eps.value=1e-6"]
    );
    let io = ProgramIo::Files { input: "small.in".to_owned(), output: "small.out".to_owned() };
    assert_eq!(problem.io, io);
    assert!(problem.recipe.is_some_and(|path| path.ends_with("generators/generators.yaml")));
}

#[test]
fn cases_have_the_settings_of_their_groups() {
    let data = full_problem().test_data;
    let names: Vec<&str> = data.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["sample/1", "secret/a/1", "secret/b/2", "secret/b/deep/1"]);
    let groups: Vec<&str> = data.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(groups, ["sample", "secret", "secret/a", "secret/b"]);
    let [sample, a, b, deep] = &data.cases[..] else { panic!("four cases") };
    assert_eq!(sample.args, [""; 0]);
    assert_eq!(a.output_validator_args, [""; 0]);
    assert_eq!(b.output_validator_args, ["float_tolerance", "1e-6"]);
    assert_eq!(b.args, ["group"]);
    assert_eq!(deep.output_validator_args, ["float_tolerance", "1e-6"]);
    assert_eq!(deep.args, ["case", "{{eps}}"]);
    assert_eq!(deep.input_validator_args.for_validator("validate.py"), ["-x"]);
    assert_eq!(deep.files[0].name.to_str(), Some("dir/extra.txt"));
    let invalid = &data.invalid_inputs[0];
    assert_eq!(invalid.input_validator_args, ValidatorArgs::All(vec!["--strict".to_owned()]));
    assert_eq!(invalid.answer, None);
}

#[test]
fn groups_and_their_cases_are_sorted_by_name() {
    let check = |files: &[&str], expected: &[&str]| {
        let mut changes = "--- data/secret removed\n".to_owned();
        for file in files {
            changes += &format!("--- data/secret/{file}\n");
            if file.ends_with(".in") {
                changes += &format!("--- data/secret/{}.ans\n", file.trim_end_matches(".in"));
            }
        }
        let package = Package::new(&changes);
        assert_eq!(package.remarks(), [""; 0]);
        let data = read(&package.dir).problem.expect("a problem").test_data;
        let names: Vec<&str> = data.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, expected);
    };
    // The group `1` comes before the group `1-large`, although `-` comes before `/`.
    check(
        &[
            "1-large/test_group.yaml",
            "1-large/a.in",
            "1/test_group.yaml",
            "1/b.in",
            "1/a-b.in",
            "1/a/c.in",
            "1/B.in",
            "10/test_group.yaml",
            "10/a.in",
        ],
        &[
            "secret/1/B",
            "secret/1/a-b",
            "secret/1/a/c",
            "secret/1/b",
            "secret/1-large/a",
            "secret/10/a",
        ],
    );
    // Without groups, the names of the cases decide.
    check(
        &["1/a.in", "1-large/a.in", "10.in", "2.in"],
        &["secret/1-large/a", "secret/1/a", "secret/10", "secret/2"],
    );
}

#[test]
fn submissions_have_the_rules_that_match_them() {
    let submissions = full_problem().submissions;
    let names: Vec<&str> = submissions.iter().map(|submission| submission.name.as_str()).collect();
    assert_eq!(names, ["accepted/add.py", "time_limit_exceeded/slow", "wrong_answer/w.py"]);
    let [add, slow, wrong] = &submissions[..] else { panic!("three submissions") };
    assert_eq!(add.expectations[0].permitted, Some(vec![Verdict::Accepted]));
    assert_eq!(add.expectations[0].place, None);
    assert_eq!(slow.program.name, "slow");
    assert_eq!(slow.expectations[0].required, Some(vec![Verdict::TimeLimitExceeded]));
    let [replaced, some] = &wrong.expectations[..] else { panic!("two rules") };
    let permitted = vec![Verdict::Accepted, Verdict::WrongAnswer, Verdict::RunTimeError];
    assert_eq!(replaced.permitted, Some(permitted));
    assert_eq!(some.cases.as_deref(), Some("secret/b"));
    assert_eq!(some.message.as_deref(), Some("differs"));
    assert_eq!(some.use_for_time_limit, UseForTimeLimit::Never);
    assert_eq!(wrong.program.language.as_deref(), Some("python3"));
    let included: Vec<String> =
        add.program.include.iter().map(|file| file.name.display().to_string()).collect();
    assert_eq!(included, ["common.txt", "lib/helper.py"]);
    assert_eq!(add.program.include[1].language.as_deref(), Some("python3"));
}
