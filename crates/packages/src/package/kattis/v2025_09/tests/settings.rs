//! Faults of `limits` and `constants` of `problem.yaml`, and of `juror.toml`.

use super::{check, check_each, check_problem_yaml};

#[test]
fn limits_are_positive_numbers() {
    check_each(&[
        (
            "limits: {time_limit: 2, memory: 256, output: 8, code: 128, compilation_time: 60, compilation_memory: 1, validation_time: 1, validation_memory: 1, validation_output: 1, time_resolution: 0.5, time_multipliers: {ac_to_time_limit: 1, time_limit_to_tle: 1.25}}",
            "",
        ),
        ("limits: {time_limit: 0}", "22: `limits.time_limit` must be a number above 0, not 0"),
        ("limits: {time_limit: -1}", "22: `limits.time_limit` must be a number above 0, not -1"),
        (
            "limits: {time_limit: .nan}",
            "22: `limits.time_limit` must be a number above 0, not .nan",
        ),
        (
            "limits: {time_limit: .inf}",
            "22: `limits.time_limit` must be a number above 0, not .inf",
        ),
        ("limits: {time_limit: 1e300}", "22: `limits.time_limit` is too large; at most 1000000"),
        ("limits: {time_limit: 1e-12}", "22: `limits.time_limit` is less than a nanosecond"),
        (
            "limits: {time_limit: fast}",
            "22: `limits.time_limit` must be a number above 0, not the text `fast`",
        ),
        (
            "limits: {time_limit: }",
            "20: `limits.time_limit` has no value; it must be a number above 0; give it a value or remove the line",
        ),
        ("limits: {memory: 0}", "18: `limits.memory` must be an integer above 0, in MiB, not 0"),
        (
            "limits: {memory: 1024.0}",
            "18: `limits.memory` must be an integer above 0, in MiB, not 1024.0",
        ),
        (
            "limits: {memory: 1 GB}",
            "18: `limits.memory` must be an integer above 0, in MiB, not the text `1 GB`",
        ),
        ("limits: {memory: 99999999999999999999}", "18: `limits.memory` is too large"),
        (
            "limits: {memory: [1]}",
            "18: `limits.memory` must be an integer above 0, in MiB, not a sequence",
        ),
        (
            "limits: {memory: true}",
            "18: `limits.memory` must be an integer above 0, in MiB, not the truth value `true`",
        ),
        (
            "limits: {time_multipliers: {ac_to_time_limit: 0.5}}",
            "47: `limits.time_multipliers.ac_to_time_limit` must be a number of at least 1, not 0.5",
        ),
        (
            "limits: {time_multipliers: 2}",
            "28: `limits.time_multipliers` must be a map of keys to values, not the integer `2`",
        ),
        (
            "limits: {validation_passes: 3}",
            "10: `limits.validation_passes` is only for multi-pass problems; remove it",
        ),
        ("limits: 3", "9: `limits` must be a map of keys to values, not the integer `3`"),
        (
            "limits: {time_resolution: 0}",
            "27: `limits.time_resolution` must be a number above 0, not 0",
        ),
    ]);
    check_problem_yaml(
        "type: multi-pass\nlimits: {validation_passes: 1}",
        &[
            "error output_validator: is missing: problems of type multi-pass need their own; add the program that takes part, such as output_validator/validate.cpp",
            "error problem.yaml:5:29: `limits.validation_passes` must be at least 2; remove `multi-pass` from `type` if there is only one pass",
        ],
    );
}

#[test]
fn a_time_limit_is_a_multiple_of_the_resolution() {
    check_each(&[
        ("limits: {time_limit: 0.3, time_resolution: 0.1}", ""),
        (
            "limits: {time_limit: 1.5}",
            "22: `limits.time_limit` is not a multiple of `limits.time_resolution`, which is 1 s; change the limit, or add `time_resolution: 0.1` to `limits`",
        ),
        (
            "limits: {time_limit: 0.5, time_resolution: 1}",
            "22: `limits.time_limit` is not a multiple of `limits.time_resolution`, which is 1 s; change the limit, or add `time_resolution: 0.1` to `limits`",
        ),
        ("limits: {time_limit: 1e6, time_resolution: 0.001}", ""),
    ]);
}

#[test]
fn constants_are_names_with_values() {
    check_each(&[
        ("constants: {n: 5, eps: 1e-6, s: text}", ""),
        (
            "constants: {2n: 5}",
            "13: `2n` is not a name for a constant; names are letters, digits and `_`, and do not begin with a digit",
        ),
        (
            "constants: {n: true}",
            "16: `constants.n` must be a number or a text, not the truth value `true`",
        ),
        (
            "constants: {n: {tex: \"5\"}}",
            "13: constant `n` has no `value`; add a line `value: ...` to it",
        ),
    ]);
    check_problem_yaml(
        "constants: {n: {value: 5000, tex: \"5,00\", sci: 5e3, a-b: 1}}",
        &[
            "error problem.yaml:4:53: `a-b` is not a name for a variant; names are letters, digits and `_`, and do not begin with a digit",
        ],
    );
    check_each(&[
        ("constants: [n]", "12: `constants` must be a map of names to values, not a sequence"),
        (
            "constants: {n: }",
            "14: `constants.n` has no value; it must be a number or a text; give it a value or remove the line",
        ),
    ]);
}

#[test]
fn juror_toml_has_no_limits_of_a_package() {
    check(
        "\
--- juror.toml
[limits]
time_limit = 1
",
        &[
            "error juror.toml:1:2: 2025-09 has its own place for limits; move them there; `[limits]` is for bare tests",
        ],
    );
}

#[test]
fn juror_toml_names_both_files() {
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
allow_file_writing: true
--- juror.toml
[io]
input = \"small.in\"
output = \"small.out\"
",
        &[],
    );
    check(
        "\
--- juror.toml
[io]
input = \"small.in\"
output = \"small.out\"
",
        &[
            "error juror.toml:3:10: programs may not write `small.out`: problem.yaml does not allow file writing; add `allow_file_writing: true` to problem.yaml",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
allow_file_writing: on
--- juror.toml
[io]
input = 'small.in'
output = 'small.out'
",
        &[
            "error problem.yaml:4:21: `allow_file_writing` must be `true` or `false`, not the text `on`; write `true`",
        ],
    );
    check(
        "\
--- juror.toml
[io]
input = \"small.in\"
",
        &[
            "error juror.toml:2:9: `[io]` has no `output`; give both files, or neither for standard input and output",
        ],
    );
    check(
        "\
--- juror.toml
[io]
",
        &[
            "error juror.toml:1:2: `[io]` names no files; add `input = \"...\"` and `output = \"...\"`, or remove `[io]`",
        ],
    );
    check(
        "\
--- juror.toml
[io]
inptu = \"a\"
input = 5
output = \"../b\"
[oi]
",
        &[
            "error juror.toml:2:1: unknown key `inptu` in `[io]`; did you mean `input`?",
            "error juror.toml:3:9: `io.input` must be a file name in quotes, not the integer `5`",
            "error juror.toml:4:10: `../b` is not a plain file name; letters, digits, `_`, `.` and `-`, without a directory, such as \"game1.in\"",
            "error juror.toml:5:2: unknown key `oi`; did you mean `io`?",
        ],
    );
    check(
        "\
--- juror.toml
io = 1
",
        &["error juror.toml:1:6: `io` must be a table; write `[io]` on a line of its own"],
    );
    check(
        "\
--- juror.toml
[io
input = \"a\"
",
        &["error juror.toml:1:4: is not valid TOML: unclosed table, expected `]`"],
    );
    check(
        "\
--- juror.toml
",
        &[],
    );
    check(
        "\
--- juror.toml
[io]
input = \"a\"
input = \"b\"
output = \"a\"
",
        &["error juror.toml:3:1: is not valid TOML: duplicate key"],
    );
}
