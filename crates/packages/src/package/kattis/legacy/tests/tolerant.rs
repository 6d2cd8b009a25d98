//! Habits that other judges accept without a message, so that packages have them.

use super::{DRAFT, SMALLEST, check, package, problem};
use crate::package::read;
use juror_core::problem::Grading;
use juror_core::verdict::Verdict;

const SETTINGS: &str = "--- problem.yaml\nauthor: x\nname: Small\n";

/// Source: problemtools `load_metadata`: nothing in the file means that every key has its default.
#[test]
fn settings_without_keys_have_the_defaults() {
    let check = |text: &str| {
        let changes = format!(
            "--- problem.yaml\n{text}--- output_validators/v.py\nx\n--- data/testdata.yaml\nrange: 0 9\n"
        );
        let problem = problem(SMALLEST, &changes);
        assert_eq!(problem.layout.format, "legacy");
        assert_eq!(problem.kind.grading, Grading::PassFail);
        assert!(problem.output_validators.is_empty());
        assert_eq!(problem.names, [("en".to_owned(), "Small".to_owned())]);
    };
    check("");
    check("# later\n");
    check("---\n");
}

/// Source: DOMjudge `ImportProblemService`, which asks whether a key is set.
#[test]
fn a_key_without_a_value_counts_as_absent() {
    let yaml = "type:\nvalidation:\nvalidator_flags:\ngrading:\nlimits: {memory: }\nkeywords:\n";
    check(SMALLEST, &format!("{SETTINGS}{yaml}"), &[]);
    let problem = problem(SMALLEST, &format!("{SETTINGS}{yaml}--- output_validators/v.py\nx\n"));
    assert!(problem.output_validators.is_empty());
    let group =
        "range:\naccept_score:\non_reject:\ngrading:\ngrader_flags:\ninput_validator_flags:\n";
    let scoring = format!("{SETTINGS}type: scoring\n--- data/secret/testdata.yaml\n{group}");
    check(SMALLEST, &scoring, &[]);
    check(SMALLEST, &format!("{SETTINGS}grading: {{objective: , range: }}\n"), &[]);
}

#[test]
fn a_number_in_quotes_is_that_number() {
    let check = |base: &str, limits: &str, expected: &str| {
        let version = if base == DRAFT { "2023-07" } else { "legacy" };
        let yaml =
            format!("problem_format_version: {version}\nname: x\nauthor: x\nlimits: {limits}\n");
        let changes = format!("--- problem.yaml\n{yaml}");
        super::check(base, &changes, &[]);
        let read = problem(base, &changes).limits;
        let bytes =
            [read.memory, read.output, read.code].map(|limit| limit.map(|bytes| bytes.0 >> 10));
        let times = [read.time_limit, read.compilation_time]
            .map(|limit| limit.map(|time| time.as_secs_f64()));
        let factors = [read.ac_to_time_limit, read.time_limit_to_tle];
        assert_eq!(format!("{bytes:?} {times:?} {factors:?}"), expected, "{limits}");
    };
    check(SMALLEST, "{memory: '512'}", "[Some(524288), None, None] [None, None] [5.0, 2.0]");
    check(SMALLEST, "{memory: \" 64 \"}", "[Some(65536), None, None] [None, None] [5.0, 2.0]");
    check(
        SMALLEST,
        "{memory: 64, output: '8', code: '1'}",
        "[Some(65536), Some(8192), Some(1)] [None, None] [5.0, 2.0]",
    );
    check(
        SMALLEST,
        "{time_multiplier: '3', time_safety_margin: '1.5'}",
        "[Some(1048576), None, None] [None, None] [3.0, 1.5]",
    );
    check(
        SMALLEST,
        "{compilation_time: '6e1'}",
        "[Some(1048576), None, None] [None, Some(60.0)] [5.0, 2.0]",
    );
    check(DRAFT, "{time_limit: '0.5'}", "[Some(1048576), None, None] [Some(0.5), None] [2.0, 1.5]");
    let check_fault = |limits: &str, fault: &str| {
        let changes = format!("--- problem.yaml\nauthor: x\nlimits: {limits}\n");
        super::check(SMALLEST, &changes, &[&format!("error problem.yaml:2:{fault}")]);
    };
    check_fault("{memory: '-1'}", "18: `limits.memory` must be a number above 0, not -1");
    check_fault(
        "{memory: '1 GB'}",
        "18: `limits.memory` must be a number above 0, not the text `1 GB`",
    );
    check_fault("{memory: ''}", "18: `limits.memory` must be a number above 0, not the text ``");
    check_fault(
        "{memory: 'inf'}",
        "18: `limits.memory` must be a number above 0, not the text `inf`",
    );
}

#[test]
fn a_byte_order_mark_is_reported_and_the_file_is_read() {
    let changes =
        "--- problem.yaml\n\u{feff}author: x\nname: Other\n--- data/secret/1.in\n\u{feff}1 2\n";
    let mark = "starts with a byte-order mark (BOM); save the file as UTF-8 without BOM";
    let package = package(SMALLEST, changes);
    let errors = [format!("error data/secret/1.in: {mark}"), format!("error problem.yaml: {mark}")];
    assert_eq!(package.remarks(), errors);
    let problem = read(&package.dir).problem.expect("a problem");
    assert_eq!(problem.names, [("en".to_owned(), "Other".to_owned())]);
    assert_eq!(problem.test_data.cases.len(), 1);
}

/// Source: problemtools `default_validator`, which reads its flags one after the other.
#[test]
fn the_last_of_contradicting_flags_counts() {
    let check = |of_problem: &str, of_group: &str, expected: &str| {
        let changes = format!(
            "{SETTINGS}validator_flags: {of_problem}\n--- data/secret/testdata.yaml\noutput_validator_flags: {of_group}\n"
        );
        let args = problem(SMALLEST, &changes).test_data.cases[0].output_validator_args.join(" ");
        assert_eq!(args, expected, "{of_problem} | {of_group}");
    };
    check("float_tolerance 1e-4", "float_tolerance 1e-9", "float_tolerance 1e-9");
    check("case_sensitive", "case_sensitive", "case_sensitive case_sensitive");
    check(
        "case_sensitive float_tolerance 1e-4",
        "float_absolute_tolerance 1e-9 space_change_sensitive",
        "case_sensitive space_change_sensitive float_absolute_tolerance 1e-9 float_relative_tolerance 1e-4",
    );
    check("float_relative_tolerance 1", "float_tolerance 2", "float_tolerance 2");
}

#[test]
fn wrong_flags_of_the_problem_are_reported_at_their_place() {
    let unknown = "the default output validator has no argument `flt`; it has `case_sensitive`, `space_change_sensitive`, `float_relative_tolerance`, `float_absolute_tolerance`, `float_tolerance`";
    check(
        SMALLEST,
        &format!("{SETTINGS}validator_flags: flt\n"),
        &[&format!("error problem.yaml:3:18: {unknown}")],
    );
    let own = "validation: custom\nvalidator_flags: flt\n--- output_validators/v.py\nx\n";
    check(SMALLEST, &format!("{SETTINGS}{own}"), &[]);
}

/// Source: problemtools `Languages.detect_language`: the language with most files, then by priority; a line says
/// Python 2.
#[test]
fn the_language_of_a_submission_is_that_of_most_files() {
    let check = |files: &[&str], expected: Option<&str>| {
        let files: String =
            files.iter().map(|file| format!("--- submissions/accepted/{file}\n")).collect();
        let problem = problem(SMALLEST, &files);
        let submission = &problem.submissions[problem.submissions.len() - 1];
        assert_eq!(submission.program.language.as_deref(), expected, "{files}");
    };
    check(&["z/a.cpp\nx"], None);
    check(&["z/a.cpp\nx", "z/gen.py\nx"], Some("cpp"));
    check(&["z/a.cpp\nx", "z/gen.py\nx", "z/run.py\nx"], Some("python3"));
    check(&["z/A.java\nx", "z/b.py\nx"], Some("python3"));
    check(&["z/a.c\nx", "z/b.cc\nx"], Some("cpp"));
    check(&["z.py\n#!/usr/bin/env python2\nx"], Some("python2"));
    check(&["z.py\n#!/usr/bin/python2.7\nx"], Some("python2"));
    check(&["z.py\n#!/usr/bin/env python3\nx"], None);
    check(&["z/a.py\n#!/usr/bin/python2\nx", "z/b.py\nx"], Some("python3"));
    check(&["z/a.py\n#!/usr/bin/python2\nx"], Some("python2"));
}

#[test]
fn files_that_are_no_programs_are_no_submissions() {
    let ignored = "is ignored: it is not a submission; remove it or move it elsewhere";
    let changes = "\
--- submissions/accepted/out
1
--- submissions/accepted/run
#!/bin/sh
--- submissions/accepted/A.class
x
--- submissions/accepted/a.out
\x7fELF
";
    check(
        SMALLEST,
        changes,
        &[
            &format!("warning submissions/accepted/A.class: {ignored}"),
            &format!("warning submissions/accepted/a.out: {ignored}"),
            &format!("warning submissions/accepted/out: {ignored}"),
        ],
    );
    let names: Vec<String> = problem(SMALLEST, changes)
        .submissions
        .into_iter()
        .map(|submission| submission.name)
        .collect();
    assert_eq!(names, ["accepted/add.py", "accepted/run"]);
}

#[test]
fn files_of_editors_and_systems_are_no_submissions() {
    let at = "submissions/accepted";
    let names = ["Thumbs.db", "a.py.bak", "add.vcxproj", "desktop.ini"];
    let files: String = names.iter().map(|name| format!("--- {at}/{name}\nx\n")).collect();
    let changes = format!("{files}--- {at}/tests/1.in\n1\n--- {at}/more/x.rkt\n1\n");
    let message = "is ignored: it is not a submission; remove it or move it elsewhere";
    let ignored = ["Thumbs.db", "a.py.bak", "add.vcxproj", "desktop.ini", "tests"];
    let ignored = ignored.map(|name| format!("warning {at}/{name}: {message}"));
    check(SMALLEST, &changes, &ignored.each_ref().map(String::as_str));
    let problem = problem(SMALLEST, &changes);
    let names: Vec<&str> =
        problem.submissions.iter().map(|submission| submission.name.as_str()).collect();
    assert_eq!(names, ["accepted/add.py", "accepted/more"]);
}

/// Source: DOMjudge's manual, "Jury submissions".
#[test]
fn a_tag_can_expect_a_compile_error() {
    let tag = "--- submissions/mixed/a.c\n// @EXPECTED_RESULTS@: COMPILER-ERROR, CORRECT\nx\n";
    let problem = problem(SMALLEST, tag);
    let submission = problem.submissions.last().expect("a submission");
    let overall = submission.expectations[0].overall.as_ref().expect("verdicts");
    assert_eq!(overall.verdicts, [Verdict::CompileError, Verdict::Accepted]);
}
