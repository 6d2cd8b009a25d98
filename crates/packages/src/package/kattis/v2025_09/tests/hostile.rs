//! The reader copes with whatever a file contains.

use std::fs;

use super::Package;
use crate::package::read;

#[test]
fn a_file_with_endless_faults_gives_a_bounded_report() {
    let package = Package::new("");
    let mut content = String::new();
    for key in 0..20_000 {
        content += &format!("x{key}: &a [1, *b]\n");
    }
    package.write("problem.yaml", content.as_bytes());
    assert!(read(&package.dir).diagnostics.len() < 250);
}

/// Checks that a remark about a package with this file begins with `expected`.
fn check_remark(name: &str, content: &str, expected: &str) {
    let package = Package::new("");
    package.write(name, content.as_bytes());
    let remarks = package.remarks();
    assert!(remarks.iter().any(|line| line.starts_with(expected)), "{expected}: {remarks:#?}");
}

#[test]
fn the_demands_of_a_small_file_are_bounded() {
    let small = "problem_format_version: 2025-09\nname: Small\nuuid: 123e4567-e89b-42d3-a456-426614174000\n";
    let of_settings = |added: &str, expected: &str| {
        check_remark("problem.yaml", &format!("{small}{added}\n"), expected)
    };
    let long = "x".repeat(200_000);
    // An alias repeats texts as well as values.
    let aliases = "*a, ".repeat(100_000);
    of_settings(
        &format!("version: &a {long}\nkeywords: [{aliases}]"),
        "error problem.yaml:5:204: has more than 100000 YAML values once its aliases are filled in",
    );
    of_settings(&format!("? {long}\n: 1"), "error problem.yaml:4:3: key `xxx");
    of_settings(
        &format!("constants: {{n: {long}}}"),
        "error problem.yaml:4:16: `constants.n` has more than 1000 bytes",
    );
    let many: String = (0..2000).map(|index| format!("  n{index}: 1\n")).collect();
    of_settings(
        &format!("constants:\n{many}"),
        "error problem.yaml:506:3: there are more than 1000 constants",
    );
    for (key, value) in [
        ("time_limit", "1000001"),
        ("time_resolution", "1e18"),
        ("compilation_time", "9223372036854775807"),
        ("memory", "9223372036854775808"),
    ] {
        let expected =
            format!("error problem.yaml:4:{}: `limits.{key}` is too large", key.len() + 12);
        of_settings(&format!("limits: {{{key}: {value}}}"), &expected);
    }
    of_settings(
        "limits: {time_multipliers: {ac_to_time_limit: 1e300}}",
        "error problem.yaml:4:47: `limits.time_multipliers.ac_to_time_limit` is too large; at most 1000",
    );
    of_settings(
        "type: multi-pass\nlimits: {validation_passes: 1000000000}",
        "error problem.yaml:5:29: `limits.validation_passes` is too large; at most 10000",
    );
    for (depth, file) in [("[", "a = "), ("a.", "a."), ("{a=", "a=")] {
        check_remark("juror.toml", &format!("{file}{}", depth.repeat(20_000)), "error juror.toml");
    }
}

#[test]
fn constants_cannot_make_a_small_file_large() {
    let package = Package::new("");
    let settings = format!("constants: {{n: {}}}\n", "x".repeat(1000));
    let yaml = fs::read_to_string(package.dir.join("problem.yaml")).expect("settings");
    package.write("problem.yaml", (yaml + &settings).as_bytes());
    package.write(
        "data/secret/test_group.yaml",
        format!("args: [{}]\n", "{{n}}".repeat(2000)).as_bytes(),
    );
    let expected = "error data/secret/test_group.yaml: the values of constants add more than 1 MiB to it; use shorter values, or fewer of them";
    assert_eq!(package.remarks(), [expected]);
}

#[test]
fn a_long_line_is_not_copied_for_each_remark() {
    let package = Package::new("");
    let rules: String =
        (0..10_000).map(|index| format!("x{index}: {{permitted: [AC]}}, ")).collect();
    package.write("submissions/submissions.yaml", format!("{{{rules}}}\n").as_bytes());
    let diagnostics = read(&package.dir).diagnostics;
    let spots: Vec<_> =
        diagnostics.iter().filter_map(|diagnostic| diagnostic.place.spot.as_ref()).collect();
    assert!(spots.len() == 100 && spots.iter().all(|spot| spot.text.is_empty()), "{spots:?}");
}
