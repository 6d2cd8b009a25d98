//! Faults of `data/`.

use super::check;

/// 2025-09, "Test cases": an input without an answer, and files without their input, are errors
#[test]
fn a_case_has_an_input_and_an_answer() {
    check(
        "\
--- data/secret/2.in
1
",
        &[
            "error data/secret/2.in: has no `2.ans`; add it, or run `juror generate` if the package has a recipe",
        ],
    );
    check(
        "\
--- data/secret/2.ans
1
--- data/secret/3.yaml
hint: x
",
        &[
            "error data/secret/2.ans: there is no `2.in` for it; add 2.in, or remove the file",
            "error data/secret/3.yaml: there is no `3.in` for it; add 3.in, or remove the file",
        ],
    );
    check(
        "\
--- data/secret/2.ans
1
--- data/secret/2.yaml
hint: x
--- data/secret/2.files/a
x
",
        &[
            "error data/secret/2.ans: there is no `2.in` for it, nor for 2.files, 2.yaml; add 2.in, or remove the files",
        ],
    );
    check(
        "\
--- data/secret removed
",
        &[
            "error data/secret: is missing: a package needs secret test cases; add at least one test case, such as 1.in and 1.ans",
        ],
    );
    check(
        "\
--- data removed
",
        &[
            "error data/secret: is missing: a package needs secret test cases; add at least one test case, such as 1.in and 1.ans",
        ],
    );
    check(
        "\
--- data/secret/1.in removed
--- data/secret/1.ans removed
",
        &[
            "error data/secret: has no test case; add at least one test case, such as 1.in and 1.ans",
        ],
    );
    check(
        "\
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- generators/generators.yaml
x
",
        &[
            "error data/secret: has no test case; add test cases under `secret` in generators/generators.yaml, and run `juror generate`",
        ],
    );
}

/// 2025-09, "Test data groups": test cases next to groups, groups in groups or in samples, and groups without a test case are errors
#[test]
fn groups_and_cases_do_not_mix() {
    check(
        "\
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- data/secret/g/test_group.yaml
--- data/secret/g/1.in
1
--- data/secret/g/1.ans
1
",
        &[],
    );
    check(
        "\
--- data/secret/g/test_group.yaml
--- data/secret/g/1.in
1
--- data/secret/g/1.ans
1
",
        &[
            "error data/secret/1.in: is next to test data groups; data/secret has either groups or test cases; move the case into a group",
        ],
    );
    check(
        "\
--- data/secret/2.in
1
--- data/secret/2.ans
1
--- data/secret/3.in
1
--- data/secret/3.ans
1
--- data/secret/g/test_group.yaml
--- data/secret/g/1.in
1
--- data/secret/g/1.ans
1
",
        &[
            "error data/secret/1.in: is next to test data groups, like 2 other cases; data/secret has either groups or test cases; move the cases into a group",
        ],
    );
    check(
        "\
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- data/secret/g/test_group.yaml
--- data/secret/g/1.in
1
--- data/secret/g/1.ans
1
--- data/secret/h/1.in
1
--- data/secret/h/1.ans
1
--- data/secret/e/test_group.yaml
--- data/secret/g/deep/test_group.yaml
",
        &[
            "error data/secret/e: is a test data group without a test case; add a test case, or remove the group",
            "error data/secret/g/deep/test_group.yaml: is not allowed here; groups belong directly in data/secret; remove the file, or move the directory up",
            "error data/secret/h: is next to test data groups but has no `test_group.yaml`; add an empty test_group.yaml to make it a group",
        ],
    );
    check(
        "\
--- data/sample/g/test_group.yaml
--- data/sample/g/1.in
1
--- data/sample/g/1.ans
1
",
        &[
            "error data/sample/g/test_group.yaml: is not allowed here; samples have no groups; remove the file",
        ],
    );
    check(
        "\
--- data/secret/d/1.in
1
--- data/secret/d/1.ans
1
",
        &[],
    );
}

/// 2025-09, "Test cases": the name `test_group` is an error
/// 2025-09, "Test data groups": a directory with the name of a test case next to it is an error
#[test]
fn names_do_not_collide() {
    check(
        "\
--- data/secret/1/2.in
1
--- data/secret/1/2.ans
1
",
        &[
            "error data/secret/1: has the same name as a test case next to it; rename the directory or the test case",
        ],
    );
    check(
        "\
--- data/secret/test_group.in
1
--- data/secret/test_group.ans
1
",
        &[
            "error data/secret/test_group.in: a test case must not be called `test_group`; rename it: its .yaml file would be the group's settings",
        ],
    );
}

#[test]
fn files_of_no_test_case_are_reported() {
    check(
        "\
--- data/secret/2.input
1
--- data/secret/2.a
1
--- data/secret/1.desc
x
--- data/secret/testdata.yaml
x: 1
--- data/secret/README
x
--- data/secert/1.in
1
--- data/testdata.yaml
x: 1
--- data/secret/gen.py
x
--- data/secret/1.files
x
",
        &[
            "warning data/secert: is ignored: it is not a part of the test data; did you mean `secret`?",
            "warning data/secret/1.desc: is ignored: it belongs to no test case; in format 2025-09: keys `hint` and `description` of the case's .yaml file",
            "warning data/secret/1.files: is ignored: it belongs to no test case; `.files` is a directory: put the file into it",
            "warning data/secret/2.a: is ignored: it belongs to no test case; did you mean `.ans`?",
            "warning data/secret/2.input: is ignored: it belongs to no test case; did you mean `.in`?",
            "warning data/secret/gen.py: is ignored: it belongs to no test case; the files of a test case end in .in, .ans, .out, .yaml, .files and so on",
            "warning data/secret/testdata.yaml: is ignored: it belongs to no test case; in format 2025-09: `test_group.yaml`",
            "warning data/testdata.yaml: is ignored: it is not a part of the test data; in format 2025-09: `test_group.yaml` in data/sample, data/secret and its groups",
        ],
    );
}

#[test]
fn settings_of_cases_and_groups_are_checked() {
    check(
        "\
--- data/secret/1.yaml
args: [a, \"1\"]
input_validator_args: {validate.py: [x]}
output_validator_args: [case_sensitive]
input_visualizer_args: []
output_visualizer_args: []
full_feedback: true
hint: h
description: d
",
        &[],
    );
    check(
        "\
--- data/secret/1.yaml
agrs: [a]
max_score: 3
args: a b
output_validator_args: [float_tolerance, 1e-6]
full_feedback: 1
input_validator_args: {validat.py: [x], validate.py: y}
",
        &[
            "error data/secret/1.yaml:1:1: unknown key `agrs`; did you mean `args`?",
            "error data/secret/1.yaml:2:1: unknown key `max_score`; known keys: args, input_validator_args, output_validator_args, full_feedback, hint, description, input_visualizer_args, output_visualizer_args",
            "error data/secret/1.yaml:3:7: `args` must be a sequence of texts, not the text `a b`; put it in brackets: [a b]",
            "warning data/secret/1.yaml:4:42: `output_validator_args` must be a text, but YAML sees the number `1e-6`; put it in quotes: \"1e-6\"",
            "error data/secret/1.yaml:5:16: `full_feedback` must be `true` or `false`, not the integer `1`",
            "error data/secret/1.yaml:6:24: there is no input validator `validat.py`; did you mean `validate.py`?",
            "error data/secret/1.yaml:6:54: `input_validator_args.validate.py` must be a sequence of texts, not the text `y`; put it in brackets: [y]",
        ],
    );
    check(
        "\
--- data/secret/1.yaml
",
        &[],
    );
    check(
        "\
--- data/secret/1.yaml
- a
",
        &["error data/secret/1.yaml:1:1: the file must be a map of keys to values, not a sequence"],
    );
    check(
        "\
--- data/secret/test_group.yaml
max_score: 10
score_aggregation: min
require_pass: sample
static_validation_score: 5
hint: x
output_validator_flags: x
",
        &[
            "error data/secret/test_group.yaml:1:1: `max_score` is only for scoring problems; this one is pass-fail; remove it",
            "error data/secret/test_group.yaml:2:1: `score_aggregation` is only for scoring problems; this one is pass-fail; remove it",
            "error data/secret/test_group.yaml:3:1: `require_pass` is only for scoring problems; this one is pass-fail; remove it",
            "error data/secret/test_group.yaml:4:26: there is no static validator for this static validation; add the program, such as static_validator/validate.py, or remove the line",
            "error data/secret/test_group.yaml:5:1: unknown key `hint`; known keys: args, input_validator_args, output_validator_args, full_feedback, input_visualizer_args, output_visualizer_args, max_score, score_aggregation, require_pass, static_validation_score, static_validator_args",
            "error data/secret/test_group.yaml:6:1: unknown key `output_validator_flags`; in format 2025-09: `output_validator_args: [...]`, a sequence",
        ],
    );
    check(
        "\
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- data/secret/test_group.yaml
output_validator_args: [case_sensitive]
--- data/secret/g/test_group.yaml
--- data/secret/g/1.in
1
--- data/secret/g/1.ans
1
",
        &[
            "warning data/secret/test_group.yaml:1:1: `output_validator_args` applies to no test case: the groups in data/secret have their own settings; write `output_validator_args` into the test_group.yaml of each group",
        ],
    );
}

/// 2025-09, "Displaying test cases": a text that replaces a missing input is an error
#[test]
fn a_text_for_contestants_without_an_input_is_no_sample() {
    for ending in ["in.statement", "ans.statement", "in.download", "ans.download", "out"] {
        let fault = format!(
            "error data/sample/1.{ending}: there is no `1.in` for it; add 1.in, or remove the file"
        );
        check(&format!("--- data/sample/1.{ending}\n1\n"), &[&fault]);
    }
}

/// 2025-09, "Samples for interactive and multi-pass problems": Windows line ends of an `.interaction` are a warning
#[test]
fn an_interaction_with_windows_line_ends_is_read() {
    let files = "--- data/sample/1.in\n1\n--- data/sample/1.ans\n1\n\
                 --- data/sample/1.in.download\n1\n--- data/sample/1.ans.download\n1\n";
    let warning = "warning data/sample/1.interaction: has Windows line ends (CR LF); save the file with Unix line ends (LF)";
    let check = |text: &str, expected: &[&str]| {
        check(&format!("{files}--- data/sample/1.interaction\n{text}"), expected);
    };
    check("<1\n>2\n---\n<3\n>4\n", &[]);
    for text in [
        "<1\r\n>2\r\n",
        "<1\r\n>2\r\n---\r\n<3\r\n>4\r\n",
        "<1\n>2\n---\r\n<3\n>4\n",
        "<\r\n>\r\n",
        "<1\r\n>2\r\n---\r\n",
        "<1\r\n>2",
    ] {
        check(text, &[warning]);
    }
    let odd = "error data/sample/1.interaction:2:1: starts with neither `<` nor `>`; each line is `<` and a line of the judge, `>` and a line of the submission, or `---` between passes";
    check("<1\r\n----\r\n", &[warning, odd]);
    check("<1\r\n\r\n>1\r\n", &[warning, odd]);
}

/// 2025-09, "Samples for interactive and multi-pass problems": an `.interaction` without files to download is an error
/// 2025-09, "Displaying test cases": two files that replace the same text are an error; so is
/// one that is only shown or only downloaded
#[test]
fn shown_and_downloaded_files_fit_together() {
    let check_sample = |endings: &[&str], expected: &[&str]| {
        let file = |ending: &&str| match *ending {
            "interaction" => "--- data/sample/1.interaction\n<1\n>2\n".to_owned(),
            ending => format!("--- data/sample/1.{ending}\n1\n"),
        };
        let files: String = ["in", "ans"].iter().chain(endings).map(file).collect();
        check(&files, expected);
    };
    check_sample(&["out"], &[]);
    check_sample(
        &["out", "ans.statement"],
        &[
            "error data/sample/1.ans.statement: conflicts with 1.out: both replace the answer of `1`; keep one of the two",
        ],
    );
    check_sample(&["interaction", "in.download", "ans.download"], &[]);
    check_sample(&["in.statement", "in.download", "ans.statement", "ans.download"], &[]);
    check_sample(
        &["interaction"],
        &[
            "error data/sample/1.interaction: is shown instead of the input of `1`, but not downloaded; add 1.in.download",
            "error data/sample/1.interaction: is shown instead of the answer of `1`, but not downloaded; add 1.ans.download",
        ],
    );
    check_sample(
        &["in.statement", "ans.download"],
        &[
            "error data/sample/1.ans.download: is downloaded instead of the answer of `1`, but not shown; add 1.ans.statement",
            "error data/sample/1.in.statement: is shown instead of the input of `1`, but not downloaded; add 1.in.download",
        ],
    );
    check_sample(
        &["interaction", "in.statement", "in.download", "ans.download"],
        &[
            "error data/sample/1.interaction: conflicts with 1.in.statement: both replace the input of `1`; keep one of the two",
        ],
    );
    check(
        "\
--- data/sample/1.interaction
<1
2
--- data/sample/1.in.download
1
--- data/sample/1.ans.download
1
",
        &[
            "warning data/sample/1.interaction: is shown, but has no test case: there is no `1.in`; add 1.in and 1.ans, so that the sample is judged, too",
            "error data/sample/1.interaction:2:1: starts with neither `<` nor `>`; each line is `<` and a line of the judge, `>` and a line of the submission, or `---` between passes",
        ],
    );
    check(
        "\
--- data/sample/1.interaction
<1
>2
--- data/sample/1.ans
1
",
        &[
            "error data/sample/1.ans: there is no `1.in` for it, nor for 1.interaction; add 1.in, or remove the files",
        ],
    );
    check(
        "\
--- data/sample/1.in
1
--- data/sample/1.ans
1
--- data/sample/1.interaction
<1
2
--- data/sample/1.in.download
1
--- data/sample/1.ans.download
1
",
        &[
            "error data/sample/1.interaction:2:1: starts with neither `<` nor `>`; each line is `<` and a line of the judge, `>` and a line of the submission, or `---` between passes",
        ],
    );
    check(
        "\
--- data/secret/1.png
x
--- data/secret/1.svg
x
",
        &[
            "error data/secret/1.svg: conflicts with 1.png: both illustrate `1`; keep one of the two",
        ],
    );
}

#[test]
fn cases_that_test_validators_are_complete() {
    check(
        "\
--- data/invalid_input/1.in
1
--- data/valid_output/1.in
1
--- data/valid_output/1.ans
1
--- data/valid_output/1.out
1
--- data/invalid_output/1.in
1
--- data/invalid_output/1.ans
1
--- data/invalid_output/1.out
1
",
        &[],
    );
    check(
        "\
--- data/invalid_input/1.in
1
--- data/invalid_input/1.ans
1
--- data/valid_output/1.in
1
--- data/valid_output/1.ans
1
--- data/invalid_output/1.in
1
--- data/invalid_output/1.out
1
",
        &[
            "warning data/invalid_input/1.ans: has no meaning: an invalid input has no answer; remove it",
            "error data/invalid_output/1.in: has no `1.ans`; add it, or run `juror generate` if the package has a recipe",
            "error data/valid_output/1.in: has no `1.out`; add the output that the output validator must accept",
        ],
    );
}

#[test]
fn files_of_a_case_need_its_input() {
    check(
        "--- data/secret/2.files/a\nx\n",
        &["error data/secret/2.files: there is no `2.in` for it; add 2.in, or remove the file"],
    );
}
