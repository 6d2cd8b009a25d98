//! Test cases that are there twice: the same input in the same group.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha512};

use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::test_data::TestCase;
use crate::validate::{Extent, Proving};

/// What makes two cases the same for a submission: group, size, arguments, and then the contents.
type Likeness<'a> = (&'a str, u64, &'a [String]);

/// Doubts every case whose input another one before it has. Cases of different groups may be equal:
/// groups often take samples up again.
pub(super) fn find(proving: &Proving<'_>) -> Result<Vec<Diagnostic>, JudgeError> {
    if proving.extent != Extent::Everything {
        return Ok(Vec::new());
    }
    let data = &proving.bench.problem.test_data;
    let mut alike: BTreeMap<Likeness<'_>, Vec<&TestCase>> = BTreeMap::new();
    for case in data.cases.iter().chain(&data.invalid_inputs) {
        // A case with further files is told apart by more than its input.
        if case.files.is_empty() {
            let size = size(&case.input)?;
            let key = (group(proving, &case.name), size, case.args.as_slice());
            alike.entry(key).or_default().push(case);
        }
    }
    let mut doubts = Vec::new();
    for cases in alike.into_values().filter(|cases| cases.len() > 1) {
        let mut seen: BTreeMap<[u8; 64], &TestCase> = BTreeMap::new();
        for case in cases {
            if let Some(first) = seen.get(&digest(&case.input)?) {
                let message = format!("has the same input as {}", first.name);
                let help = "a case twice proves nothing more; remove one, or make them differ";
                doubts.push(Diagnostic::warning(&case.input, message).help(help));
            } else {
                seen.insert(digest(&case.input)?, case);
            }
        }
    }
    doubts.sort_by(|a, b| a.place.path.cmp(&b.place.path));
    Ok(doubts)
}

/// The group that a case is in: the longest one whose directory it is below, or its first directory.
fn group<'a>(proving: &'a Proving<'_>, name: &'a str) -> &'a str {
    let groups = proving.bench.problem.test_data.groups.iter();
    let inside = |group: &&str| name.strip_prefix(*group).is_some_and(|rest| rest.starts_with('/'));
    let groups = groups.map(|group| group.name.as_str()).filter(inside);
    groups
        .max_by_key(|group| group.len())
        .unwrap_or_else(|| name.split('/').next().unwrap_or_default())
}

fn fault(path: &Path) -> impl Fn(io::Error) -> JudgeError {
    move |error| JudgeError::new(format!("read {}", path.display()), error)
}

fn size(path: &Path) -> Result<u64, JudgeError> {
    let metadata = path.metadata().map_err(fault(path))?;
    Ok(metadata.len())
}

fn digest(path: &Path) -> Result<[u8; 64], JudgeError> {
    let mut file = File::open(path).map_err(fault(path))?;
    let mut hasher = Sha512::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut chunk).map_err(fault(path))? {
            0 => return Ok(hasher.finalize().into()),
            length => hasher.update(&chunk[..length]),
        }
    }
}
