//! The version of the format that a package is in.

use std::path::Path;

use crate::package::faults::Faults;
use crate::package::kattis::SETTINGS;
use crate::package::text::{FileReporter, MAX_SIZE, TextFile, excerpt};
use crate::package::yaml::{self, MapEntry};
use juror_core::root::FilePath;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VersionName {
    V2025_09,
    /// All drafts between legacy and 2025-09.
    V2023_07,
    Legacy,
    LegacyIcpc,
}

const LEGACY_KEYS: [&str; 6] =
    ["author", "source_url", "validation", "validator_flags", "grading", "domjudge"];

const LEGACY_FILES: [&str; 8] = [
    "problem_statement",
    "output_validators",
    "input_format_validators",
    "graders",
    "domjudge-problem.ini",
    ".timelimit",
    "data/testdata.yaml",
    "data/secret/testdata.yaml",
];

/// Files and directories of 2025-09 that legacy does not have.
const NEW_FILES: [&str; 5] = [
    "statement",
    "output_validator",
    "data/test_group.yaml",
    "data/secret/test_group.yaml",
    "submissions/submissions.yaml",
];

/// The version of the package in a directory, and the reason; `None` if there is no package.
pub(super) fn detect(dir: &FilePath) -> Option<(VersionName, String)> {
    use VersionName::{Legacy, LegacyIcpc, V2023_07, V2025_09};
    let path = dir.join(SETTINGS);
    let is_there = |name: &&&str| dir.join(name).exists();
    if !path.is_file() {
        // DOMjudge requires no settings.
        let has_data = dir.join("data/secret").is_dir() || dir.join("data/sample").is_dir();
        let is_new = NEW_FILES.iter().any(|name| is_there(&name));
        let signs = ["domjudge-problem.ini", "submissions"];
        let sign = signs.iter().find(|name| has_data && !is_new && is_there(name))?;
        return Some((Legacy, format!("there is no {SETTINGS}, but data/ and {sign}")));
    }
    let text = path.read_prefix(MAX_SIZE).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let keys = top_keys(&path, text.trim_start_matches('\u{feff}'));
    if let Some((_, value)) = keys.iter().find(|(key, _)| key == "problem_format_version") {
        let name = match &**value {
            "legacy" => Legacy,
            "legacy-icpc" => LegacyIcpc,
            "draft" | "2023-07" | "2023-07-draft" => V2023_07,
            _ => V2025_09,
        };
        return Some((
            name,
            format!("{SETTINGS} has `problem_format_version: {}`", excerpt(value)),
        ));
    }
    let none = format!("{SETTINGS} has no `problem_format_version`");
    let is_legacy = |(key, _): &&(String, String)| LEGACY_KEYS.contains(&&**key);
    Some(if let Some((key, _)) = keys.iter().find(is_legacy) {
        (Legacy, format!("{none}, and has the key `{key}`"))
    } else if let Some(name) = LEGACY_FILES.iter().find(is_there) {
        (Legacy, format!("{none}, and there is {name}"))
    } else if let Some(name) = NEW_FILES.iter().find(is_there) {
        (V2025_09, format!("{none}, and there is {name}"))
    } else {
        (Legacy, none)
    })
}

/// The keys at the top of the settings with their values, as far as these are texts. If the file is not YAML, its lines
/// tell what was probably meant.
fn top_keys(path: &Path, text: &str) -> Vec<(String, String)> {
    let file = TextFile::new(path, text.to_owned());
    match yaml::parse(FileReporter { file: &file, faults: &Faults::default() }) {
        Ok(root) => {
            let value = |entry: &MapEntry| entry.value.scalar().map(|scalar| scalar.text.clone());
            let all = root.entries().iter();
            all.map(|entry| (entry.key.clone(), value(entry).unwrap_or_default())).collect()
        }
        Err(_reported) => {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            let bare = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
            lines.map(|(key, value)| (key.to_owned(), bare(value))).collect()
        }
    }
}
