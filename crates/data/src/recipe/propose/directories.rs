//! The directories below `data/secret` for new test cases.

use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_packages::package::recipe::insert::is_case_name;

/// For the test cases that `strength` adds.
pub const PROMOTED_GROUP: &str = "strength";

/// The directories that `--into` names, or the default one. A package with test groups has no default.
pub fn parse_directories(
    given: Option<&str>,
    default: &str,
    problem: &Problem,
) -> Result<Vec<String>, Stop> {
    let given = match (given, secret_groups(problem).last()) {
        (Some(given), _) => given,
        (None, None) => default,
        (None, Some(last)) => {
            return Err(Stop::usage(format!(
                "{} has test groups, and a case must be in one: choose it with --into, such as --into {last}/{default}; \
                 its inputs must be valid in that group",
                problem.layout.secret
            )));
        }
    };
    let parts = split_name(given);
    if let Some(part) = parts.iter().find(|part| !is_case_name(part)) {
        return Err(Stop::usage(format!(
            "--into: `{part}` is not a valid name for a directory of test cases; use letters, digits, `_`, `.` and `-`, \
             with a letter or digit at both ends"
        )));
    }
    check_group(problem, &parts).map_err(|fault| Stop::usage(format!("--into: {fault}")))?;
    Ok(parts)
}

/// The parts of a name below `data/secret`.
pub fn split_name(name: &str) -> Vec<String> {
    let below = name.strip_prefix("data/").unwrap_or(name);
    let below = below.strip_prefix("secret/").unwrap_or(below);
    below.split('/').map(str::to_owned).collect()
}

/// Fails if the package has test groups, and these directories are in none of them.
pub fn check_group(problem: &Problem, directories: &[String]) -> Result<(), String> {
    let groups = secret_groups(problem);
    match directories.first() {
        _ if groups.is_empty() => Ok(()),
        Some(first) if groups.contains(&&**first) => Ok(()),
        Some(first) => {
            Err(format!("`{first}` is not a test group; the groups are: {}", groups.join(", ")))
        }
        None => Err(format!(
            "{} has test groups, and a case must be in one, such as {}/NAME; the groups are: {}",
            problem.layout.secret,
            groups[0],
            groups.join(", ")
        )),
    }
}

/// Such as `1-small`: the groups in which a secret test case must be. In older formats, it may be beside them.
pub fn secret_groups(problem: &Problem) -> Vec<&str> {
    if problem.layout.is_before_2025_09 {
        return Vec::new();
    }
    let groups = problem.test_data.groups.iter();
    groups.filter_map(|group| group.name.strip_prefix("secret/")).collect()
}

/// A test case without files, with the arguments that validators get for cases near those in these directories.
pub fn similar_test_case(problem: &Problem, directories: &[String]) -> TestCase {
    let below = format!("secret/{}/", directories.first().map_or("", |first| first));
    let cases = &problem.test_data.cases;
    let similar = cases.iter().find(|case| case.name.starts_with(&below));
    let similar = similar.or_else(|| cases.iter().rfind(|case| case.name.starts_with("secret/")));
    let similar = similar.cloned().unwrap_or_default();
    TestCase {
        input_validator_args: similar.input_validator_args,
        output_validator_args: similar.output_validator_args,
        ..TestCase::default()
    }
}
