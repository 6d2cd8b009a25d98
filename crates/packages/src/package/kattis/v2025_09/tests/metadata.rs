//! Faults of `problem.yaml`.

use super::{HEAD, Package, check, check_each, check_problem_yaml};
use crate::package::read;

/// 2025-09, "Problem metadata": an unknown key is an error
#[test]
fn unknown_and_misspelt_keys_come_with_a_suggestion() {
    check_each(&[("lisense: cc0", "1: unknown key `lisense`; did you mean `license`?")]);
    check_problem_yaml(
        "limits:\n  memry: 256\n  time_multiplier: 3",
        &[
            "error problem.yaml:5:3: unknown key `memry` in `limits`; did you mean `memory`?",
            "error problem.yaml:6:3: unknown key `time_multiplier` in `limits`; in format 2025-09: `time_multipliers: {ac_to_time_limit: ...}`",
        ],
    );
    check_each(&[
        (
            "author: Me",
            "1: unknown key `author`; in format 2025-09: `credits:` with `authors:` in it",
        ),
        (
            "xyzzy: 1",
            "1: unknown key `xyzzy`; known keys: problem_format_version, type, name, uuid, version, credits, source, license, rights_owner, embargo_until, keywords, limits, languages, allow_file_writing, constants",
        ),
        (
            "<<: {license: cc0}",
            "1: unknown key `<<`; merge keys are not part of YAML 1.2; write the keys out",
        ),
    ]);
    check_problem_yaml(
        "credits:\n  author: Me",
        &["error problem.yaml:5:3: unknown key `author` in `credits`; did you mean `authors`?"],
    );
}

/// 2025-09, "Problem timing": a `.timelimit` or `domjudge-problem.ini`, which only DOMjudge reads, that contradicts
/// problem.yaml is a warning
#[test]
fn time_limits_for_domjudge_are_compared() {
    let yaml = |limit: &str| format!("--- problem.yaml\n{HEAD}\nlimits: {{time_limit: {limit}}}\n");
    let says = |file: &str, what: &str| {
        format!(
            "warning {file}: says {what}, which counts; make them equal, or remove one of the two"
        )
    };
    let check = |limit: &str, files: &str, expected: &[&str]| {
        let found = Package::new(&(yaml(limit) + files)).remarks();
        let found: Vec<_> = found.into_iter().filter(|line| line.contains(": says ")).collect();
        assert_eq!(found, expected, "{limit} {files}");
    };
    let alone = says(".timelimit", "3 s, but problem.yaml says 1 s");
    check("1", "--- .timelimit\n3\n", &[&alone]);
    check("1", "--- .timelimit\n3", &[&alone]);
    check("1.0", "--- .timelimit\n1\n", &[]);
    check("1", "--- .timelimit\nsoon\n", &[]);
    let ini = says("domjudge-problem.ini", "2 s, but problem.yaml says 1 s");
    check("1", "--- domjudge-problem.ini\ntimelimit='2'\n", &[&ini]);
    check("1", "--- domjudge-problem.ini\nname=x\n", &[]);
    check("1", "--- domjudge-problem.ini\ntimelimit=2\n--- .timelimit\n3\n", &[&alone, &ini]);
}

#[test]
fn legacy_keys_for_people_do_not_prevent_judging() {
    let check = |key: &str, prevents: bool| {
        let package = Package::new(&format!("--- problem.yaml\n{HEAD}\n{key}\n"));
        let remarks = read(&package.dir).diagnostics;
        let found: Vec<_> = remarks
            .iter()
            .map(|diagnostic| (diagnostic.is_error(), diagnostic.prevents_judging()))
            .collect();
        assert_eq!(found, [(true, prevents)], "{key}");
    };
    check("author: Ada", false);
    check("source_url: https://example.com", false);
    check("validation: custom", true);
    check("sourc: x", true);
}

#[test]
fn an_unknown_version_is_an_error() {
    check(
        "\
--- problem.yaml
problem_format_version: 2025-9
name: x
uuid: 123e4567-e89b-42d3-a456-426614174000
",
        &[
            "error problem.yaml:1:25: `2025-9` is not a version of the format; versions are 2025-09, 2023-07, legacy and legacy-icpc",
        ],
    );
    check(
        "\
--- problem.yaml
name: x
uuid: 123e4567-e89b-42d3-a456-426614174000
",
        &[
            "error problem.yaml: has no `problem_format_version`; write `problem_format_version: 2025-09`",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025.09
name: x
uuid: 123e4567-e89b-42d3-a456-426614174000
",
        &[
            "warning problem.yaml:1:25: `problem_format_version` must be a text, but YAML sees the number `2025.09`; put it in quotes: \"2025.09\"",
            "error problem.yaml:1:25: `2025.09` is not a version of the format; versions are 2025-09, 2023-07, legacy and legacy-icpc",
        ],
    );
}

#[test]
fn keys_of_a_problem_type_are_valid_for_that_type() {
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
type: [scoring, multi-pass]
limits: {validation_passes: 3}
--- data/secret/test_group.yaml
max_score: 50
score_aggregation: min
--- submissions/submissions.yaml
accepted/add.py:
  score: [30, 50]
  secret: {score: 30}
",
        &[
            "error output_validator: is missing: problems of type multi-pass need their own; add the program that takes part, such as output_validator/validate.cpp",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
type: scorign
--- data/secret/test_group.yaml
max_score: 50
",
        &["error problem.yaml:4:7: `scorign` is not a type of problem; did you mean `scoring`?"],
    );
    check(
        "\
--- problem.yaml
name: [
--- data/secret/test_group.yaml
max_score: 50
",
        &["error problem.yaml:1:7: is not valid YAML: unclosed bracket '['"],
    );
    check(
        "\
--- problem.yaml
keywords: {a: gen.py {seed}, b: 3}
--- data/secret/test_group.yaml
max_score: 50
",
        &[
            "error problem.yaml:1:22: is not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'; quote a text with `{` in it",
        ],
    );
}

#[test]
fn missing_required_keys_are_errors() {
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
",
        &[
            "error problem.yaml: has no `name`; add a line such as `name: Hello World!`",
            "error problem.yaml: has no `uuid`; add a line `uuid: ...`; `uuidgen` or `cat /proc/sys/kernel/random/uuid` prints a new one",
        ],
    );
    check(
        "\
--- problem.yaml
",
        &[
            "error problem.yaml: has no `problem_format_version`; write `problem_format_version: 2025-09`",
            "error problem.yaml: has no `name`; add a line such as `name: Hello World!`",
            "error problem.yaml: has no `uuid`; add a line `uuid: ...`; `uuidgen` or `cat /proc/sys/kernel/random/uuid` prints a new one",
        ],
    );
    check(
        "\
--- problem.yaml
- a
",
        &["error problem.yaml:1:1: the file must be a map of keys to values, not a sequence"],
    );
    check(
        "\
--- problem.yaml
name: [
",
        &["error problem.yaml:1:7: is not valid YAML: unclosed bracket '['"],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name:
uuid: \"\"
",
        &[
            "error problem.yaml:2:5: `name` has no value; it must be a text; give it a value or remove the line",
            "error problem.yaml:3:7: `uuid` is empty",
        ],
    );
}

#[test]
fn types_are_known_and_compatible() {
    check_each(&[("type: pass-fail", ""), ("type: [pass-fail]", "")]);
    check_problem_yaml(
        "type: interactive",
        &[
            "error output_validator: is missing: problems of type interactive need their own; add the program that takes part, such as output_validator/validate.cpp",
        ],
    );
    check_each(&[(
        "type: [pass-fail, scoring]",
        "19: type `scoring` is incompatible with `pass-fail`; remove one of the two",
    )]);
    check_problem_yaml(
        "type: [multi-pass, multi-pass]",
        &[
            "error output_validator: is missing: problems of type multi-pass need their own; add the program that takes part, such as output_validator/validate.cpp",
            "error problem.yaml:4:20: type `multi-pass` is given twice; remove one of the two",
        ],
    );
    check_each(&[
        ("type: []", "7: `type` is empty; fill it or remove the line"),
        (
            "type: pass-fail submit-answer",
            "7: `pass-fail submit-answer` is not a type of problem; write `type: [pass-fail, submit-answer]`",
        ),
        ("type: passfail", "7: `passfail` is not a type of problem; did you mean `pass-fail`?"),
        ("type:", "5: `type` has no value; it must be a text; give it a value or remove the line"),
        ("type: {a: b}", "7: `type` must be a text, not a map"),
    ]);
    check_problem_yaml(
        "type: [interactive, submit-answer]",
        &[
            "error output_validator: is missing: problems of type interactive need their own; add the program that takes part, such as output_validator/validate.cpp",
            "error problem.yaml:4:21: type `submit-answer` is incompatible with `interactive`; remove one of the two",
        ],
    );
    check_each(&[("type: submit-answer", ""), ("type: [scoring, submit-answer]", "")]);
    check_problem_yaml(
        "type: submit-answer\n--- data/secret/test_group.yaml\nstatic_validation_score: pass-fail\n--- static_validator/look.py\nx",
        &[
            "error static_validator: submissions are answers, so a static validator has no program to check; remove it, or the type submit-answer",
        ],
    );
}

#[test]
fn each_statement_has_a_name() {
    check(
        "\
--- statement/problem.de.md
X
",
        &[
            "error problem.yaml:2:7: a single `name` is the English one, but there are statements in: de, en; give a name for each language, such as `name: {en: ..., de: ...}`",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: {de: Klein, EN: Small}
uuid: 123e4567-e89b-42d3-a456-426614174000
",
        &[
            "error problem.yaml:2:1: there is a statement in language `en`, but no name; add `en: ...` to `name`",
            "error problem.yaml:2:8: there is a name for language `de`, but no statement; add statement/problem.de.md, or remove the name",
            "error problem.yaml:2:19: `EN` is not a language code; write ISO 639 codes such as `en`, `fil` or `pt-BR`",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: {en: Small, de: }
uuid: 123e4567-e89b-42d3-a456-426614174000
--- statement/problem.de.tex
X
",
        &[
            "error problem.yaml:2:21: `name.de` has no value; it must be a text; give it a value or remove the line",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: 42
uuid: 123e4567-e89b-42d3-a456-426614174000
",
        &[
            "warning problem.yaml:2:7: `name` must be a text, but YAML sees the integer `42`; put it in quotes: \"42\"",
        ],
    );
}

#[test]
fn a_uuid_has_the_form_of_one() {
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-42661417400g
",
        &[
            "warning problem.yaml:3:7: `123e4567-e89b-42d3-a456-42661417400g` is not a UUID; a UUID looks like 123e4567-e89b-42d3-a456-426614174000; `uuidgen` prints a new one",
        ],
    );
}

#[test]
fn credits_and_sources_take_all_their_forms() {
    check_each(&[(
        "credits: Ada Lovelace <ada@example.org>\nsource: [A 2024, {name: B, url: \"https://b.example\"}]",
        "",
    )]);
    check_problem_yaml(
        "credits:\n  authors: []\n  testers: [{email: a@b}, {name: B, mail: c}]\n  translators: {english: C}",
        &[
            "error problem.yaml:5:12: `credits.authors` is empty; fill it or remove the line",
            "error problem.yaml:6:13: `credits.testers` has no `name`; add `name: ...`",
            "error problem.yaml:6:37: unknown key `mail` in `credits.testers`; did you mean `email`?",
            "error problem.yaml:7:17: `english` is not a language code; write ISO 639 codes such as `en`, `fil` or `pt-BR`",
        ],
    );
    check_each(&[(
        "credits: [Ada]",
        "10: `credits` must be a map of keys to values, not a sequence",
    )]);
    check_problem_yaml(
        "credits:\n  translators: [Ada]",
        &[
            "error problem.yaml:5:16: `credits.translators` must be a map of language codes to people, not a sequence",
        ],
    );
    check_each(&[
        ("source: {url: x}", "9: `source` has no `name`; add `name: ...`"),
        ("source: []", "9: `source` is empty; fill it or remove the line"),
        (
            "source:",
            "7: `source` has no value; it must be a text; give it a value or remove the line",
        ),
    ]);
}

#[test]
fn licences_and_their_owners_fit_together() {
    check_each(&[
        (
            "license: cc by",
            "10: licence `cc by` needs a rights owner; add `rights_owner`, `credits.authors` or `source`",
        ),
        ("license: cc by\nrights_owner: Me", ""),
        ("license: cc by\nsource: X", ""),
        ("license: cc by\ncredits: X", ""),
    ]);
    check_problem_yaml(
        "license: public domain\nrights_owner: Me",
        &[
            "error problem.yaml:5:1: a problem in the public domain has no `rights_owner`; remove the line, or change `license`",
        ],
    );
    check_each(&[
        ("license: cc-by", "10: `cc-by` is not a licence of the format; did you mean `cc by`?"),
        (
            "license: MIT",
            "10: `MIT` is not a licence of the format; known: unknown, public domain, cc0, cc by, cc by-sa, educational, permission",
        ),
        ("license: unknown", ""),
    ]);
}

#[test]
fn languages_are_codes_of_the_table() {
    check_each(&[
        ("languages: all", ""),
        ("languages: [cpp, python3]", ""),
        (
            "languages: cpp",
            "12: `languages` must be `all` or a sequence of language codes, not `cpp`; write codes in brackets, such as `languages: [cpp, python3]`, or `languages: all`",
        ),
    ]);
    check_problem_yaml(
        "languages: [c++, all]",
        &[
            "error problem.yaml:4:13: `c++` is not a language code; did you mean `cpp`?",
            "error problem.yaml:4:18: `all` must not be in a sequence; write `languages: all` without brackets",
        ],
    );
    check_each(&[
        (
            "languages: [pypy3]",
            "warning 13: the format has no language `pypy3`: other judges do not know it; juror does; for other judges, use a code of the format's table",
        ),
        ("languages: [cpp, cpp]", "warning 18: language `cpp` is given twice"),
        ("languages: []", "12: `languages` is empty; fill it or remove the line"),
        ("languages: [kotlni]", "13: `kotlni` is not a language code; did you mean `kotlin`?"),
    ]);
}

#[test]
fn other_keys_have_their_types() {
    check_each(&[
        (
            "allow_file_writing: yes",
            "21: `allow_file_writing` must be `true` or `false`, not the text `yes`; write `true`",
        ),
        ("allow_file_writing: true", ""),
        (
            "keywords: a b",
            "11: `keywords` must be a sequence of texts, not the text `a b`; put it in brackets: [a b]",
        ),
        (
            "keywords: [a, 1]",
            "warning 15: `keywords` must be a text, but YAML sees the integer `1`; put it in quotes: \"1\"",
        ),
        ("keywords: []", ""),
        (
            "version: 1.0",
            "warning 10: `version` must be a text, but YAML sees the number `1.0`; put it in quotes: \"1.0\"",
        ),
        ("version: \"1.0\"", ""),
        ("version: [1]", "10: `version` must be a text, not a sequence"),
    ]);
}

/// 2025-09, "Problem publication embargo": anything but a date, or a date and time in UTC, is
/// an error
#[test]
fn an_embargo_ends_on_a_day_or_at_a_time_in_utc() {
    let help = "write it as 2026-01-31 or 2026-01-31T18:00:00Z";
    let wrong = format!("16: `embargo_until` must be a date, or a date and a time in UTC; {help}");
    let wrong = wrong.as_str();
    check_each(&[
        ("embargo_until: 2026-01-31", ""),
        ("embargo_until: 2026-01-31T18:00:00Z", ""),
        ("embargo_until: 2028-02-29", ""),
        ("embargo_until: 2026-13-01", wrong),
        ("embargo_until: 2026-02-29", wrong),
        ("embargo_until: 2026-04-31", wrong),
        ("embargo_until: 2026-1-31", wrong),
        ("embargo_until: 31.01.2026", wrong),
        ("embargo_until: 2026-01-31 18:00:00", wrong),
        ("embargo_until: 2026-01-31T18:00:00+01:00", wrong),
        ("embargo_until: 2026-01-31T24:00:00Z", wrong),
        ("embargo_until: [2026]", wrong),
        ("embargo_until: tomorrow", wrong),
    ]);
}

#[test]
fn faults_of_one_file_are_all_reported() {
    check_problem_yaml(
        "lisense: cc0\nlimits: {memory: 0, time_limit: x}\nname: Again\nkeywords: x",
        &[
            "error problem.yaml:4:1: unknown key `lisense`; did you mean `license`?",
            "error problem.yaml:5:18: `limits.memory` must be an integer above 0, in MiB, not 0",
            "error problem.yaml:5:33: `limits.time_limit` must be a number above 0, not the text `x`",
            "warning problem.yaml:6:1: key `name` replaces the one on line 2; remove one of the two",
            "error problem.yaml:7:11: `keywords` must be a sequence of texts, not the text `x`; put it in brackets: [x]",
        ],
    );
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let added = "limits: {memory: 1, memory: 2}";
    check_each(&[(
        added,
        "warning 21: key `memory` replaces the one on line 4; remove one of the two",
    )]);
    let head =
        "problem_format_version: 2025-09\nname: a\nuuid: 123e4567-e89b-42d3-a456-426614174000";
    let package = super::Package::new(&format!("--- problem.yaml\n{head}\n{added}\n"));
    let problem = crate::package::read(&package.dir).problem.expect("a problem");
    assert_eq!(problem.limits.memory, Some(juror_core::units::Bytes::mib(2)));
}
