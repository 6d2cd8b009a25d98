//! Duplicate test cases: the same input in the same group.

use std::collections::BTreeMap;

use crate::validity::test_data::DataCheck;
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::test_data::{TestCase, TestData, ValidatorArgs};

/// Cases with the same key may be duplicates. Their contents decide.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DuplicateKey<'a> {
    group: &'a str,
    size: u64,
    args: &'a [String],
    /// For cases that only input validators read.
    validator_args: Option<&'a ValidatorArgs>,
}

/// Warns of each case with the input of an earlier one. Cases of different groups may be equal: groups often repeat
/// samples.
pub(super) fn find_duplicates(check: &DataCheck<'_>) -> Result<Vec<Diagnostic>, JudgeError> {
    if check.selected.is_some() {
        return Ok(Vec::new());
    }
    let data = &check.bench.problem.test_data;
    let mut alike: BTreeMap<DuplicateKey<'_>, Vec<&TestCase>> = BTreeMap::new();
    let judged = data.cases.iter().map(|case| (case, None));
    let invalid = data.invalid_inputs.iter().map(|case| (case, Some(&case.input_validator_args)));
    for (case, validator_args) in judged.chain(invalid) {
        // A case with further files may differ in them.
        if case.files.is_empty() {
            let size =
                Blob::file(&case.input).len().map_err(JudgeError::on_file("read", &case.input))?;
            let group = group_name(data, &case.name);
            let key = DuplicateKey { group, size, args: &case.args, validator_args };
            alike.entry(key).or_default().push(case);
        }
    }
    let mut warnings = Vec::new();
    for cases in alike.into_values().filter(|cases| cases.len() > 1) {
        let mut seen: BTreeMap<Digest, &TestCase> = BTreeMap::new();
        for case in cases {
            let digest = Blob::file(&case.input).digest();
            let digest = digest.map_err(JudgeError::on_file("read", &case.input))?;
            if let Some(first) = seen.get(&digest) {
                let message = format!("has the same input as {}", first.name);
                let help = "a duplicate proves nothing more; remove one, or make them differ";
                warnings.push(Diagnostic::warning(&case.input, message).help(help));
            } else {
                seen.insert(digest, case);
            }
        }
    }
    warnings.sort_by(|a, b| a.place.path.cmp(&b.place.path));
    Ok(warnings)
}

fn group_name<'a>(data: &'a TestData, name: &'a str) -> &'a str {
    match data.group_of(name) {
        Some(group) => &group.name,
        None => name.split('/').next().unwrap_or_default(),
    }
}
