//! Legacy packages and drafts: how they are read, and the remarks about them.

mod tolerant;
mod version;

use std::fmt::Write as _;

use crate::package::kattis::v2025_09::tests::Package;
use crate::package::{format_names, read, read_as};
use juror_core::grader::{Dialect, Objective};
use juror_core::problem::{Grading, Problem};
use juror_core::units::Bytes;

/// The smallest valid legacy package, as changes to that of 2025-09.
const SMALLEST: &str = "
--- problem.yaml
name: Small
author: Ada
--- statement removed
--- problem_statement/problem.tex
\\problemname{Small}
";

/// The smallest valid draft.
const DRAFT: &str = "
--- problem.yaml
problem_format_version: 2023-07-draft
name: Small
";

fn package(base: &str, changes: &str) -> Package {
    Package::new(&format!("{base}{changes}"))
}

fn problem(base: &str, changes: &str) -> Problem {
    read(&package(base, changes).dir).problem.expect("a problem")
}

/// Checks the remarks about the smallest package with these changes.
fn check(base: &str, changes: &str, expected: &[&str]) {
    let remarks = package(base, changes).remarks();
    assert_eq!(remarks, expected, "\n{changes}\nsaid:\n{}\n", remarks.join("\n"));
}

#[test]
fn the_smallest_packages_have_no_fault() {
    check(SMALLEST, "", &[]);
    check(DRAFT, "", &[]);
    let icpc = "--- problem.yaml\nproblem_format_version: legacy-icpc\nname: Small\n";
    check(SMALLEST, icpc, &[]);
}

#[test]
fn another_format_can_be_asked_for() {
    let package = package(SMALLEST, "");
    for format in format_names() {
        let reading = read_as(&package.dir, Some(format));
        let layout = reading.layout.expect("a package");
        assert!(layout.format.starts_with(format));
        if let Some(problem) = reading.problem.filter(|_| format != "bare") {
            assert_eq!(problem.format_reason, "--format asks for it");
        }
    }
}

#[test]
fn a_package_without_settings_or_statement_is_read() {
    let changes = "\
--- problem.yaml removed
--- problem_statement removed
--- input_validators removed
--- submissions removed
--- .timelimit
1.5
--- domjudge-problem.ini
short-name = a
";
    check(
        SMALLEST,
        changes,
        &[
            "error input_validators: is missing: a package needs an input validator; add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid",
            "error problem.yaml: is missing; add it, with a line such as `name: Hello World!`",
            "error problem_statement: is missing: a package needs a statement; add problem_statement/problem.en.md, or .tex or .pdf",
            "error submissions/accepted: has no submission: at least one accepted solution is required; add a correct solution",
        ],
    );
    let statement = "--- problem_statement removed\n--- domjudge-problem.ini\nname = a\n--- problem.pdf\n%PDF\n";
    check(SMALLEST, statement, &[]);
    let problem = problem(SMALLEST, changes);
    assert_eq!(problem.limits.time_limit.map(|limit| limit.as_secs_f64()), Some(1.5));
    assert_eq!(problem.limits.memory, Some(Bytes::mib(1024)));
    assert_eq!(problem.limits.ac_to_time_limit, 5.0);
}

#[test]
fn without_settings_scores_make_a_scoring_problem() {
    let check = |changes: &str, expected: Grading| {
        let problem = problem(SMALLEST, &format!("--- problem.yaml removed\n{changes}"));
        assert_eq!(problem.kind.grading, expected, "{changes}");
    };
    check("", Grading::PassFail);
    check("--- data/testdata.yaml\non_reject: continue\n", Grading::PassFail);
    check("--- data/secret/testdata.yaml\naccept_score: 10\n", Grading::Scoring);
    check("--- data/testdata.yaml\nrange: 0 100\n", Grading::Scoring);
}

#[test]
fn limits_have_the_defaults_of_the_version() {
    let check = |base: &str, changes: &str, expected: &str| {
        let limits = problem(base, changes).limits;
        let shown = format!(
            "{} {} {:?} {:?} {:?}",
            limits.ac_to_time_limit,
            limits.time_limit_to_tle,
            limits.time_limit.map(|limit| limit.as_secs_f64()),
            limits.memory.map(|bytes| bytes.0 >> 20),
            limits.output.map(|bytes| bytes.0 >> 20),
        );
        assert_eq!(shown, expected, "{changes}");
    };
    let yaml = |limits: &str| format!("--- problem.yaml\nauthor: x\nlimits: {limits}\n");
    let draft = |limits: &str| {
        format!("--- problem.yaml\nproblem_format_version: 2023-07\nname: x\nlimits: {limits}\n")
    };
    check(SMALLEST, "", "5 2 None Some(1024) None");
    check(
        SMALLEST,
        &yaml("{time_multiplier: 3, memory: 64, output: 1}"),
        "3 2 None Some(64) Some(1)",
    );
    check(
        SMALLEST,
        &yaml("{time_multiplier: 0.5, time_safety_margin: 1.5}"),
        "0.5 1.5 None Some(1024) None",
    );
    check(DRAFT, "", "2 1.5 None Some(1024) None");
    check(
        DRAFT,
        &draft("{time_limit: 0.5, time_multipliers: {ac_to_time_limit: 4}}"),
        "4 1.5 Some(0.5) Some(1024) None",
    );
    // The settings in `domjudge-problem.ini` take precedence.
    let both = "--- domjudge-problem.ini\nname='X'\ntimelimit='3'\n--- .timelimit\n5\n";
    check(SMALLEST, both, "5 2 Some(3.0) Some(1024) None");
    check(SMALLEST, "--- .timelimit\n0.5\n", "5 2 Some(0.5) Some(1024) None");
    check(SMALLEST, &yaml("{time_limit: 4}"), "5 2 Some(4.0) Some(1024) None");
    check(SMALLEST, &yaml("{time_limit: '4'}"), "5 2 Some(4.0) Some(1024) None");
    check(SMALLEST, &(yaml("{time_limit: 4}") + both), "5 2 Some(4.0) Some(1024) None");
}

#[test]
fn the_first_of_several_time_limits_counts_and_others_are_reported() {
    let check = |base: &str, yaml: &str, files: &str, origin: &str, others: &[&str]| {
        let changes = format!("{yaml}{files}");
        assert_eq!(problem(base, &changes).layout.time_limit, origin, "{changes}");
        let others: Vec<String> = others
            .iter()
            .map(|remark| {
                format!("warning {remark}, which counts; make them equal, or remove one of the two")
            })
            .collect();
        check(base, &changes, &others.iter().map(String::as_str).collect::<Vec<_>>());
    };
    let yaml = "--- problem.yaml\nauthor: x\nname: x\nlimits: {time_limit: 4}\n";
    let draft =
        "--- problem.yaml\nproblem_format_version: 2023-07\nname: x\nlimits: {time_limit: 4}\n";
    let (ini, alone) = ("--- domjudge-problem.ini\ntimelimit=3\n", "--- .timelimit\n2.5\n");
    let both = format!("{ini}{alone}");
    check(SMALLEST, "", ini, "domjudge-problem.ini", &[]);
    check(
        SMALLEST,
        "",
        &format!("{ini}timelimit=4\n--- .timelimit\n4\n"),
        "domjudge-problem.ini",
        &[],
    );
    check(SMALLEST, "", alone, ".timelimit", &[]);
    check(SMALLEST, "", "--- domjudge-problem.ini\nname=x\n--- .timelimit\n1\n", ".timelimit", &[]);
    check(SMALLEST, yaml, "", "problem.yaml", &[]);
    check(SMALLEST, yaml, "--- .timelimit\n4\n", "problem.yaml", &[]);
    let says = "domjudge-problem.ini: says 3 s, but problem.yaml says 4 s";
    check(SMALLEST, yaml, ini, "problem.yaml", &[says]);
    let other = ".timelimit: says 2.5 s, but problem.yaml says 4 s";
    check(SMALLEST, yaml, &both, "problem.yaml", &[other, says]);
    check(DRAFT, draft, alone, "problem.yaml", &[other]);
    let other = ".timelimit: says 2.5 s, but domjudge-problem.ini says 3 s";
    check(SMALLEST, "", &both, "domjudge-problem.ini", &[other]);
}

#[test]
fn wrong_keys_are_reported() {
    let check_yaml = |lines: &str, expected: &[&str]| {
        check(SMALLEST, &format!("--- problem.yaml\nauthor: x\nname: Small\n{lines}\n"), expected);
    };
    check_yaml(
        "type: scorign",
        &["error problem.yaml:3:7: `scorign` is not a type of problem; did you mean `scoring`?"],
    );
    check_yaml(
        "limits: {memry: 1}",
        &["warning problem.yaml:3:10: unknown key `memry` is ignored; did you mean `memory`?"],
    );
    check_yaml("limits:", &[]);
    check_yaml(
        "limits: {memory: -1}",
        &["error problem.yaml:3:18: `limits.memory` must be a number above 0, not -1"],
    );
    check_yaml(
        "validation: special",
        &[
            "error problem.yaml:3:13: `special` is not a kind of validation; write `default`, or `custom` with `score` and `interactive` if they are meant",
        ],
    );
    check_yaml(
        "type: pass-fail scoring",
        &[
            "error problem.yaml:3:7: type `scoring` is incompatible with `pass-fail`; remove one of the two",
        ],
    );
    check_yaml(
        "type: scoring\nvalidation: score",
        &[
            "error problem.yaml:4:13: begins neither with `default` nor with `custom`; write `default`, or `custom` before `score` and `interactive`",
        ],
    );
    check_yaml(
        "validation: default score",
        &[
            "error problem.yaml:3:13: only `custom` validation can be interactive or give scores; write `custom`",
        ],
    );
    check_yaml(
        "validation: custom",
        &[
            "error output_validators: is missing: custom validation needs an output validator; add the program that decides about outputs",
        ],
    );
    check_yaml(
        "grading: {objective: least}",
        &[
            "error problem.yaml:3:22: `grading.objective` must be `max` or `min`, not the text `least`",
        ],
    );
    check_yaml("keywords: a b c\nsource_url: x\nlicense: cc by-sa\nrights_owner: y\nuuid: z", &[]);
    check(
        SMALLEST,
        "--- domjudge-problem.ini\n; of DOMjudge\ntimelimit = 4 ; seconds\nname='a;b'\n",
        &[],
    );
    check(
        SMALLEST,
        "--- domjudge-problem.ini\nname = x",
        &[
            "warning domjudge-problem.ini: does not end with a line end; add a line end after the last line",
        ],
    );
    check(
        SMALLEST,
        "--- .timelimit\nsoon\n",
        &["error .timelimit: `soon` is not a time limit; write a number of seconds above 0"],
    );
}

#[test]
fn names_come_from_the_settings_or_the_statements() {
    let check = |changes: &str, expected: &[(&str, &str)]| {
        let names = problem(SMALLEST, &format!("--- problem.yaml\nauthor: x\n{changes}")).names;
        let names: Vec<(&str, &str)> =
            names.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(names, expected, "{changes}");
    };
    check("", &[("en", "Small")]);
    check("name: Other\n", &[("en", "Other")]);
    check(
        "--- problem_statement/problem.sv.tex\n%% plainproblemname: Liten\n\\problemname{$L$}\n",
        &[("en", "Small"), ("sv", "Liten")],
    );
    check("--- domjudge-problem.ini\nname = 'Judged'\n", &[("en", "Judged")]);
}

#[test]
fn a_file_in_no_language_is_no_input_validator() {
    let ignored = |name: &str| {
        format!(
            "warning input_validators/{name}: is ignored: it is not a program; put a validator of several files into a directory of its own"
        )
    };
    for name in ["v.py.bak", "v.ctd.old", "notes"] {
        let file = format!("--- input_validators/{name}\nx\n");
        check(SMALLEST, &file, &[&ignored(name)]);
    }
    check(SMALLEST, "--- input_validators/starts\n#!/bin/sh\n", &[]);
}

#[test]
fn validation_decides_about_output_validators() {
    let check = |base: &str, changes: &str, expected: &[&str]| {
        let problem = problem(base, changes);
        let names: Vec<&str> =
            problem.output_validators.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, expected, "{changes}");
    };
    let two = "--- output_validators/a/run\nx\n--- output_validators/b.py\nx\n";
    let custom = "--- problem.yaml\nauthor: x\nvalidation: custom\n";
    check(SMALLEST, two, &[]);
    check(SMALLEST, &format!("{custom}{two}"), &["a", "b.py"]);
    // Files that include each other are one program.
    let parts = "--- output_validators/v.cpp\nx\n--- output_validators/v.h\nx\n";
    check(SMALLEST, &format!("{custom}{parts}"), &["output_validators"]);
    check(DRAFT, "--- output_validator/v.py\nx\n", &["v.py"]);
    check(DRAFT, "--- output_validators/v.py\nx\n", &["v.py"]);
    super::tests::check(
        SMALLEST,
        two,
        &[
            "warning output_validators: is not used: problem.yaml does not have `validation: custom`; write it, or remove the directory",
        ],
    );
    let talk = "--- problem.yaml\nauthor: x\nname: x\nvalidation: custom interactive\n";
    super::tests::check(
        SMALLEST,
        &format!("{talk}{two}"),
        &[
            "error output_validators: has several output validators, but a submission can talk with only one; keep one",
        ],
    );
}

const SCORING: &str = "
--- problem.yaml
author: x
name: x
type: scoring
";

/// The groups of a problem, each with its grading.
fn groups(problem: &Problem) -> String {
    let mut text = String::new();
    for group in &problem.graders.as_ref().expect("graders").groups {
        let grading = &group.grading;
        let range = [grading.range.from, grading.range.to]
            .map(|end| end.map_or("-".to_owned(), |score| score.to_string()));
        writeln!(
            text,
            "{}: {:?} {:?} {} {} {}",
            group.name,
            grading.on_reject,
            grading.grader,
            grading.accept_score,
            grading.reject_score,
            range.join("..")
        )
        .expect("text");
    }
    text
}

#[test]
fn groups_inherit_settings_and_the_problem_overrides_them() {
    let data = "\
--- data/testdata.yaml
on_reject: continue
range: 0 100
grader_flags: first_error
--- data/secret/testdata.yaml
accept_score: 10
--- data/secret/a/b/testdata.yaml
accept_score: '20'
reject_score: -1
grader_flags: min accept_if_any_accepted
range: -inf +inf
--- data/secret/a/b/1.in
1 2
--- data/secret/a/b/1.ans
3
";
    let default = |verdict: &str, score: &str, any: bool| {
        format!(
            "Default(GraderModes {{ verdict: {verdict}, score: {score}, ignore_sample: false, accept_if_any_accepted: {any} }})"
        )
    };
    let [root, deep] = [default("FirstError", "Sum", false), default("WorstError", "Min", true)];
    let got = groups(&problem(&format!("{SMALLEST}{SCORING}"), data));
    let expected = format!(
        ": Continue {root} 1 0 0..100\n\
         secret: Continue {root} 10 0 0..100\n\
         secret/a: Continue {root} 10 0 0..100\n\
         secret/a/b: Continue {deep} 20 -1 -..-\n"
    );
    assert_eq!(got, expected);
    let grading = "grading: {accept_score: 7, on_reject: first_error, objective: min, show_test_data_groups: true}\n";
    let overriding = problem(&format!("{SMALLEST}{SCORING}{grading}"), data);
    let expected = format!(
        ": Break {root} 7 0 0..100\n\
         secret: Break {root} 7 0 0..100\n\
         secret/a: Break {root} 7 0 0..100\n\
         secret/a/b: Break {deep} 7 -1 -..-\n"
    );
    assert_eq!(groups(&overriding), expected);
    assert_eq!(overriding.graders.expect("graders").objective, Objective::Min);
}

#[test]
fn wrong_group_settings_are_reported() {
    let check_yaml = |base: &str, lines: &str, expected: &[&str]| {
        check(base, &format!("--- data/secret/testdata.yaml\n{lines}\n"), expected);
    };
    let scoring = format!("{SMALLEST}{SCORING}");
    let place = "data/secret/testdata.yaml";
    check_yaml(SMALLEST, "", &[]);
    check_yaml(
        SMALLEST,
        "grading: custom",
        &[&format!(
            "error {place}:1:10: `grading: custom` is only for scoring problems; remove it, or write `type: scoring` into problem.yaml"
        )],
    );
    check_yaml(
        SMALLEST,
        "accept_score: 1",
        &[&format!(
            "error {place}:1:15: `accept_score` is only for scoring problems; remove it, or write `type: scoring` into problem.yaml"
        )],
    );
    check_yaml(
        &scoring,
        "accept_score: much",
        &[&format!(
            "error {place}:1:15: `accept_score` must be a number of points, not the text `much`"
        )],
    );
    check_yaml(
        &scoring,
        "range: 100 0",
        &[&format!(
            "error {place}:1:8: `range` must be the least and the greatest score, such as `0 100`, not the text `100 0`"
        )],
    );
    check_yaml(
        &scoring,
        "on_reject: stop",
        &[&format!(
            "error {place}:1:12: `on_reject` must be `break` or `continue`, not the text `stop`"
        )],
    );
    check_yaml(
        &scoring,
        "grading: custom",
        &[&format!("error {place}:1:10: `grading: custom` without a grader; add it to graders/")],
    );
    check_yaml(
        &scoring,
        "grader_flags: ignore_sample",
        &[&format!(
            "error {place}:1:15: `ignore_sample` is only for data/testdata.yaml; remove it here"
        )],
    );
    check_yaml(
        &scoring,
        "grader_flag: min",
        &[&format!(
            "warning {place}:1:1: unknown key `grader_flag` is ignored; did you mean `grader_flags`?"
        )],
    );
    check_yaml(
        SMALLEST,
        "input_validator_flags: {other: x}",
        &[&format!("warning {place}:1:25: there is no input validator `other`")],
    );
    check_yaml(
        SMALLEST,
        "input_validator_flags: {name: other, flags: x}",
        &[&format!(
            "error {place}:1:24: there is no input validator `other`; write the name of one"
        )],
    );
    check_yaml(
        SMALLEST,
        "output_validator_flags: {a: x}",
        &[&format!(
            "error {place}:1:25: flags for single output validators are not supported; write the same flags for all of them"
        )],
    );
    check_yaml(
        DRAFT,
        "score_aggregation: min",
        &[&format!(
            "error {place}:1:1: `score_aggregation` is not supported in format 2023-07; write `problem_format_version: 2025-09` if the package is in it"
        )],
    );
}

#[test]
fn flags_are_words_and_those_of_the_problem_come_first() {
    let changes = "\
--- problem.yaml
author: x
validator_flags: case_sensitive
--- data/secret/testdata.yaml
output_validator_flags: float_tolerance 1e-6
input_validator_flags: {validate: --n 5}
--- data/secret/group/1.in
1 2
--- data/secret/group/1.ans
3
";
    let problem = problem(SMALLEST, changes);
    let check = |problem: &Problem| {
        for case in &problem.test_data.cases {
            assert_eq!(case.output_validator_args, ["case_sensitive", "float_tolerance", "1e-6"]);
            assert_eq!(case.input_validator_args.for_validator("validate.py"), ["--n", "5"]);
        }
    };
    check(&problem);
    let named = changes.replace("{validate: --n 5}", "{name: validate, flags: --n 5}");
    check(&self::problem(SMALLEST, &named));
    assert_eq!(problem.test_data.cases.len(), 2);
}

#[test]
fn cases_are_sorted_depth_first_by_file_name() {
    let mut changes = String::new();
    for name in ["sample/2", "secret/b/1", "secret/b/a/x", "secret/b-1", "secret/c"] {
        write!(changes, "--- data/{name}.in\n1 2\n--- data/{name}.ans\n3\n").expect("text");
    }
    let problem = problem(SMALLEST, &changes);
    let names: Vec<&str> = problem.test_data.cases.iter().map(|case| case.name.as_str()).collect();
    let expected = ["sample/2", "secret/1", "secret/b/1", "secret/b/a/x", "secret/b-1", "secret/c"];
    assert_eq!(names, expected);
}

#[test]
fn files_left_out_of_the_data_are_reported_once() {
    check(
        SMALLEST,
        "\
--- data/secret/2.in
1
--- data/secret/3.ans
1
--- data/secret/4.interaction
<1
--- data/secret/1.hint
x
--- data/secret/gen.sh
x
--- data/secret/more.sh
x
--- data/secret/README
x
--- data/secret/empty/gen.py
x
--- data/0.in
1
--- data/extra/1.in
1
",
        &[
            "warning data/0.in: is ignored: test cases belong in data/sample and data/secret; move it there, or remove it",
            "warning data/extra: is ignored: test cases belong in data/sample and data/secret; move it there, or remove it",
            "error data/secret/2.in: is left out: there is no `2.ans`; add 2.ans",
            "error data/secret/3.ans: is left out: there is no `3.in`; add 3.in",
            "warning data/secret/empty: is a test group without test cases; add a test case, or remove it",
            "warning data/secret/empty/gen.py: is ignored: it belongs to no test case; remove or move it",
            "warning data/secret/gen.sh: is ignored: it belongs to no test case, like 1 other .sh file; remove or move it",
        ],
    );
}

#[test]
fn folders_of_submissions_expect_a_verdict_of_the_whole() {
    let check = |base: &str, name: &str, source: &str, expected: &str| {
        let problem = problem(base, &format!("--- submissions/{name}\n{source}\n"));
        let submission =
            problem.submissions.iter().find(|submission| submission.name == name).expect("it");
        let descriptions = submission.expectations.iter().map(|rule| {
            let overall = rule.overall.as_ref().map(|overall| {
                let verdicts: Vec<&str> =
                    overall.verdicts.iter().map(|verdict| verdict.short()).collect();
                format!("{}{}", verdicts.join("|"), if overall.is_partial { " partly" } else { "" })
            });
            let score = rule.score.map(|score| format!("score {score}"));
            overall.or(score).unwrap_or_else(|| "by cases".to_owned())
        });
        assert_eq!(descriptions.collect::<Vec<_>>().join(", "), expected, "{name}");
    };
    check(SMALLEST, "accepted/a.py", "", "AC");
    check(SMALLEST, "partially_accepted/a.py", "", "AC partly");
    check(SMALLEST, "wrong_answer/a.py", "# @EXPECTED_RESULTS@: CORRECT", "WA");
    check(SMALLEST, "time_limit_exceeded/a.py", "", "TLE");
    check(SMALLEST, "run_time_error/a.py", "", "RTE");
    check(SMALLEST, "mixed/a.py", "", "");
    check(SMALLEST, "mixed/a.py", "# @EXPECTED_RESULTS@: TIMELIMIT, RUN-ERROR,", "TLE|RTE");
    check(SMALLEST, "mixed/a.cpp", "/* @EXPECTED_RESULTS@: NO-OUTPUT */", "WA");
    check(SMALLEST, "mixed/a.py", "# @EXPECTED_SCORE@: 40", "score 40");
    check(DRAFT, "brute_force/a.py", "", "by cases");
}

#[test]
fn wrong_tags_are_reported() {
    let at = "submissions/mixed/a.py";
    let lost = "warning submissions/mixed: this folder has no default expectations; move the submissions to a folder of the format";
    check(
        SMALLEST,
        &format!("--- {at}\n# @EXPECTED_RESULTS@: GREAT\n"),
        &[
            lost,
            &format!(
                "warning {at}: `@EXPECTED_RESULTS@` names `GREAT`; known: CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, COMPILER-ERROR"
            ),
        ],
    );
    check(
        SMALLEST,
        &format!("--- {at}\n# @EXPECTED_SCORE@: all\n"),
        &[
            lost,
            &format!(
                "warning {at}: `@EXPECTED_SCORE@` is not a number: `all`; write the number of points"
            ),
        ],
    );
    check(SMALLEST, &format!("--- {at}\n# @EXPECTED_SCORE@: 1\n"), &[]);
}

#[test]
fn the_dialect_follows_from_the_files_of_the_package() {
    let dialect = |changes: &str| problem(SMALLEST, changes).graders.expect("graders").dialect;
    assert_eq!(dialect(""), Dialect::Kattis);
    assert_eq!(dialect("--- .timelimit\n1\n"), Dialect::DomJudge);
}
