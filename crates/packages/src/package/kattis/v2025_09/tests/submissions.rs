//! Faults of `submissions/` and `submissions.yaml`.

use super::check;
use crate::package::kattis::submissions::SubmissionFolder;
use crate::package::kattis::v2025_09::FOLDERS;
use juror_core::verdict::Verdict;

/// 2025-09, "Example submissions": no accepted submission is an error; all else is judged
#[test]
fn at_least_one_submission_is_accepted() {
    check(
        "\
--- submissions removed
",
        &[
            "error submissions/accepted: has no submission: at least one accepted solution is required; add a correct solution",
        ],
    );
    check(
        "\
--- submissions/accepted removed
--- submissions/wrong_answer/a.py
x
",
        &[
            "error submissions/accepted: has no submission: at least one accepted solution is required; add a correct solution",
        ],
    );
    check(
        "\
--- submissions/accepted/add.py removed
--- submissions/accepted/README.md
x
--- submissions/accepted/dir/
--- submissions/accepted/__pycache__/x.pyc
x
",
        &[
            "error submissions/accepted: has no submission: at least one accepted solution is required; add a correct solution",
            "warning submissions/accepted/README.md: is ignored: it is not a submission; remove it or move it elsewhere",
            "warning submissions/accepted/__pycache__: is ignored: it is not a submission; remove it or move it elsewhere",
            "error submissions/accepted/dir: is a submission without files; fill it or remove it",
        ],
    );
}

/// 2025-09, "Programs": two submissions with the same name are a warning
#[test]
fn files_that_are_no_submissions_are_reported() {
    check(
        "\
--- submissions/a.py
x
--- submissions/submission.yaml
x: 1
--- submissions/README.md
x
--- submissions/wrong-answer/b.py
x
--- submissions/mixed/c.py
x
--- submissions/rejected/add.py
x
",
        &[
            "warning submissions/a.py: is ignored: it is not a submission; submissions belong in directories such as submissions/accepted",
            "warning submissions/mixed: this folder has no default expectations; add `mixed:` with `permitted` or `required` to submissions/submissions.yaml",
            "warning submissions/rejected/add.py: has the same name as accepted/add.py; rename one of them: the format requires unique names of submissions",
            "warning submissions/submission.yaml: is ignored: it is not a submission; did you mean `submissions.yaml`?",
            "warning submissions/wrong-answer: this folder has no default expectations; did you mean `wrong_answer`?",
        ],
    );
}

/// 2025-09, "Submissions": what editors and systems leave, such as `Thumbs.db` and `*.orig`, is no submission, with a warning
#[test]
fn files_that_tools_leave_are_no_submissions() {
    let names = ["Thumbs.db", "a.py.bak", "a.py.orig", "a.py.rej", "desktop.ini", "x.swp"];
    let files: String =
        names.iter().map(|name| format!("--- submissions/accepted/{name}\nx\n")).collect();
    let message = "is ignored: it is not a submission; remove it or move it elsewhere";
    let expected = names.map(|name| format!("warning submissions/accepted/{name}: {message}"));
    check(&files, &expected.each_ref().map(String::as_str));
}

#[test]
fn rules_of_submissions_yaml_are_read() {
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  language: python3
  entrypoint: add.py
  authors: [Ada, {name: Bob}]
  model_solution: true
  permitted: [AC]
  required: [AC]
  message: \"\"
  use_for_time_limit: true
  sample:
    permitted: [AC]
  secret/*:
    use_for_time_limit: lower
--- data/sample/1.in
1
--- data/sample/1.ans
1
",
        &[],
    );
    check(
        "\
--- submissions/submissions.yaml
",
        &[],
    );
    check(
        "\
--- submissions/submissions.yaml
# nothing
",
        &[],
    );
    check(
        "\
--- submissions/submissions.yaml
- accepted
",
        &[
            "error submissions/submissions.yaml:1:1: the file must be a map of patterns to expectations, not a sequence",
        ],
    );
}

#[test]
fn keys_of_submissions_yaml_are_checked() {
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  permited: [AC]
  langauge: python3
  xyzzy: 5
",
        &[
            "error submissions/submissions.yaml:2:3: unknown key `permited`; did you mean `permitted`?",
            "error submissions/submissions.yaml:3:3: unknown key `langauge`; did you mean `language`?",
            "error submissions/submissions.yaml:4:3: unknown key `xyzzy`; known keys: permitted, required, message, use_for_time_limit, score, language, entrypoint, authors, model_solution; the value of a pattern of test cases is a map",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  language: pyton3
  score: 5
  message: [x]
  use_for_time_limit: lowr
  model_solution: x
",
        &[
            "error submissions/submissions.yaml:2:13: `pyton3` is not a language code; did you mean `python3`?",
            "error submissions/submissions.yaml:3:3: `score` is only for scoring problems; this one is pass-fail; remove it",
            "error submissions/submissions.yaml:4:12: `message` must be a text, not a sequence",
            "error submissions/submissions.yaml:5:23: `use_for_time_limit` must be `true`, `false`, `lower` or `upper`, not the text `lowr`",
            "error submissions/submissions.yaml:6:19: `model_solution` must be `true` or `false`, not the text `x`",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  secret/1:
    language: cpp
    permitted: [AC]
    score: 3
",
        &[
            "error submissions/submissions.yaml:3:5: unknown key `language` in `secret/1`; known keys: permitted, required, message, use_for_time_limit, score",
            "error submissions/submissions.yaml:5:5: `score` is only for scoring problems; this one is pass-fail; remove it",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
",
        &[
            "error submissions/submissions.yaml:1:16: `accepted/add.py` has no value; it must be a map of keys to values; give it a value or remove the line",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py: [AC]
",
        &[
            "error submissions/submissions.yaml:1:18: `accepted/add.py` must be a map of keys to values, not a sequence",
        ],
    );
}

#[test]
fn verdicts_are_those_of_the_format() {
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  permitted: [ac, wrong-answer, Run-Error, timelimit]
",
        &[
            "warning submissions/submissions.yaml:2:15: `ac` is not a verdict of the format; it counts as AC; write AC",
            "warning submissions/submissions.yaml:2:19: `wrong-answer` is not a verdict of the format; it counts as WA; write WA",
            "warning submissions/submissions.yaml:2:33: `Run-Error` is not a verdict of the format; it counts as RTE; write RTE",
            "warning submissions/submissions.yaml:2:44: `timelimit` is not a verdict of the format; it counts as TLE; write TLE",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  permitted: [AC, MLE]
  required: [CE]
",
        &[
            "warning submissions/submissions.yaml:2:19: `MLE` is not a verdict of the format; it counts as RTE; write RTE",
            "error submissions/submissions.yaml:3:14: a compile error cannot be expected; write AC, WA, TLE or RTE",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  permitted: AC
  required: []
",
        &[
            "error submissions/submissions.yaml:2:14: `permitted` must be a sequence of verdicts, not the text `AC`; put it in brackets: [AC]",
            "error submissions/submissions.yaml:3:13: `required` names no verdict, so no submission can meet it; name at least one of AC, WA, TLE, RTE, or remove the line",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/add.py:
  permitted: [AX, 7, null]
",
        &[
            "error submissions/submissions.yaml:2:15: `AX` is not a verdict; did you mean `AC`?",
            "warning submissions/submissions.yaml:2:19: `permitted` must be a text, but YAML sees the integer `7`; put it in quotes: \"7\"",
            "error submissions/submissions.yaml:2:19: `7` is not a verdict; known: AC, WA, TLE, RTE",
            "error submissions/submissions.yaml:2:22: `permitted` has no value; it must be a text; give it a value or remove the line",
        ],
    );
}

/// 2025-09, "Glob patterns": `**`, `[…]` and `?` are errors; a pattern that matches nothing is a warning
#[test]
fn patterns_are_checked() {
    check(
        "\
--- submissions/submissions.yaml
accepted/*.{py,cpp}: {permitted: [AC]}
",
        &[],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted/**: {permitted: [AC]}
accepted/[ab].py: {permitted: [AC]}
accepted/?.py: {permitted: [AC]}
accepted/{a: {permitted: [AC]}
accepted/: {permitted: [AC]}
accepted/{add, b}.py: {permitted: [AC]}
accepted/add.py: {'secret/{1, 2}': {permitted: [AC]}}
",
        &[
            "error submissions/submissions.yaml:1:1: `**` is not supported in patterns; a pattern also matches everything below; otherwise, write one `*` for each level",
            "error submissions/submissions.yaml:2:1: `[...]` is not supported in patterns; write the choices in braces, such as `{a,b}`",
            "error submissions/submissions.yaml:3:1: `?` is not supported in patterns; write `*`, or the choices in braces such as `{a,b}`",
            "error submissions/submissions.yaml:4:1: a brace of the pattern is not matched; close the brace: `{a,b}`",
            "error submissions/submissions.yaml:5:1: the pattern has an empty, `.` or `..` part; write names with single slashes between them, such as `accepted/*.py`",
            "error submissions/submissions.yaml:6:1: a part between the braces of the pattern has a blank at its start or end; write the choices without blanks: `{a,b}`",
            "error submissions/submissions.yaml:7:19: a part between the braces of the pattern has a blank at its start or end; write the choices without blanks: `{a,b}`",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
add.py: {permitted: [AC]}
accepted/ad.py: {permitted: [AC]}
xyz/*: {permitted: [AC]}
wrong_answer: {permitted: [WA]}
",
        &[
            "warning submissions/submissions.yaml:1:1: `add.py` matches no submission; did you mean `accepted/add.py`?",
            "warning submissions/submissions.yaml:2:1: `accepted/ad.py` matches no submission; did you mean `accepted/add.py`?",
            "warning submissions/submissions.yaml:3:1: `xyz/*` matches no submission; patterns are relative to submissions/, such as `wrong_answer/*.py`",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted:
  sampel: {permitted: [AC]}
  secret/2: {permitted: [AC]}
  \"secret/[12]\": {permitted: [AC]}
  permited: {a: b}
  secret/1.in: {permitted: [AC]}
",
        &[
            "warning submissions/submissions.yaml:2:3: `sampel` matches no test case; did you mean `sample`?",
            "warning submissions/submissions.yaml:3:3: `secret/2` matches no test case; did you mean `secret/1`?",
            "error submissions/submissions.yaml:4:3: `[...]` is not supported in patterns; write the choices in braces, such as `{a,b}`",
            "warning submissions/submissions.yaml:5:3: `permited` matches no test case; did you mean `permitted`?",
            "error submissions/submissions.yaml:5:14: unknown key `a` in `permited`; known keys: permitted, required, message, use_for_time_limit, score",
            "warning submissions/submissions.yaml:6:3: `secret/1.in` matches no test case; did you mean `secret/1`?",
        ],
    );
}

#[test]
fn a_pattern_of_a_file_within_a_submission_means_the_submission() {
    check(
        "\
--- submissions/accepted/dir/main.py
x
--- submissions/submissions.yaml
accepted/dir/main.py: {permitted: [AC]}
",
        &[
            "warning submissions/submissions.yaml:1:1: `accepted/dir/main.py` matches no submission; did you mean `accepted/dir`?",
        ],
    );
}

/// 2025-09, "Timelimit inference": no submission that bounds the time limit from below is an error
#[test]
fn a_submission_bounds_the_time_limit_from_below() {
    check(
        "\
--- submissions/submissions.yaml
accepted: {use_for_time_limit: false}
",
        &[
            "error submissions/submissions.yaml: no submission bounds the time limit from below; let an accepted submission be used for it: remove its `use_for_time_limit: false`, or `TLE` from `permitted`",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted: {use_for_time_limit: false}
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
limits: {time_limit: 1}
",
        &[
            "error submissions/submissions.yaml: no submission bounds the time limit from below; let an accepted submission be used for it: remove its `use_for_time_limit: false`, or `TLE` from `permitted`",
        ],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted: {use_for_time_limit: false}
accepted/add.py:
  secret/1: {use_for_time_limit: lower}
",
        &[],
    );
    check(
        "\
--- submissions/submissions.yaml
accepted: {use_for_time_limit: false}
accepted/add.py:
  secret/2: {use_for_time_limit: lower}
",
        &[
            "error submissions/submissions.yaml: no submission bounds the time limit from below; let an accepted submission be used for it: remove its `use_for_time_limit: false`, or `TLE` from `permitted`",
            "warning submissions/submissions.yaml:3:3: `secret/2` matches no test case; did you mean `secret/1`?",
        ],
    );
}

#[test]
fn the_documentation_lists_what_each_folder_expects() {
    const PAGE: &str = include_str!("../../../../../../../docs/packages.md");
    let words = |verdicts: Option<&[Verdict]>, join: &str, none: &str| match verdicts {
        None => none.to_owned(),
        Some(verdicts) => {
            verdicts.iter().map(|verdict| verdict.short()).collect::<Vec<_>>().join(join)
        }
    };
    for SubmissionFolder { name, permitted, required, .. } in FOLDERS {
        let permitted = words(permitted, ", ", "all");
        let row = format!("| `{name}` | {permitted} | {}", words(required, " or ", "|"));
        assert!(PAGE.contains(&row), "docs/packages.md lacks the row: {row}");
    }
}
