//! The recipe in another format: without the settings and test cases that the format writes otherwise or lacks.

use std::collections::BTreeSet;

use crate::package::convert::old_settings::read_settings;
use crate::package::convert::{PlannedContents, Planner};
use crate::package::text::MAX_SIZE;
use crate::package::yaml::{RawValue, Value};
use juror_core::language::constants::replace_constants;
use juror_core::root::FilePath;

/// Directories of test cases that legacy lacks.
const TRIALS: [&str; 4] = ["invalid_input", "invalid_answer", "invalid_output", "valid_output"];

/// The settings of a format in a recipe.
#[derive(Clone, Copy)]
struct Settings {
    of_group: &'static str,
    of_case: &'static [&'static str],
}

const SETTINGS_2025_09: Settings = Settings {
    of_group: "test_group.yaml",
    of_case: &["yaml", "out", "in.statement", "ans.statement", "in.download", "ans.download"],
};
const SETTINGS_BEFORE: Settings =
    Settings { of_group: "testdata.yaml", of_case: &["desc", "hint"] };
/// An entry with one of these is a test case, not a directory that has one of this name.
const CASE_KEYS: [&str; 3] = ["in", "generate", "copy"];

impl Planner<'_> {
    /// Returns what the recipe became.
    pub(super) fn convert_recipe(&mut self, path: &FilePath) -> String {
        let format = self.problem.layout.format;
        let same = format!("the same: names and settings in it are those of {format}");
        let file = self.files.iter_mut().find(|file| file.source() == Some(path));
        let (Some(file), Ok(text)) = (file, path.read_text(MAX_SIZE)) else { return same };
        let mut lines = BTreeSet::new();
        let raw = read_settings(path);
        for data in raw.iter().filter_map(|raw| raw.get("data")) {
            let others = if self.to.is_2025_09() { &[][..] } else { &TRIALS };
            let entries = data.entries().iter().filter(|entry| others.contains(&&*entry.key));
            lines.extend(entries.map(|entry| entry.key_range.line));
            let settings = if self.to.is_2025_09() { SETTINGS_BEFORE } else { SETTINGS_2025_09 };
            add_lines_of_settings(data, settings, &mut lines);
        }
        let rest = without_blocks(&text, &lines);
        if rest == text {
            return same;
        }
        let PlannedContents::File(_, constants) = &file.contents else { return same };
        let Ok(filled) = replace_constants(rest.as_bytes(), constants) else { return same };
        let filled = String::from_utf8_lossy(&filled).into_owned();
        file.contents = PlannedContents::Text(filled);
        let without =
            "without settings of groups and cases, and without cases that the format lacks";
        format!("{without}; names in it are those of {format}")
    }
}

fn add_lines_of_settings(value: &RawValue, settings: Settings, lines: &mut BTreeSet<u32>) {
    if let Value::Sequence(items) = &value.value {
        items.iter().for_each(|item| add_lines_of_settings(item, settings, lines));
    }
    let is_case = value.entries().iter().any(|entry| CASE_KEYS.contains(&&*entry.key));
    for entry in value.entries() {
        let is_setting =
            *entry.key == *settings.of_group || is_case && settings.of_case.contains(&&*entry.key);
        lines.extend(is_setting.then_some(entry.key_range.line));
        add_lines_of_settings(&entry.value, settings, lines);
    }
}

/// Leaves out keys that begin these lines, with their values.
fn without_blocks(text: &str, lines: &BTreeSet<u32>) -> String {
    let mut left_out: Option<usize> = None;
    let mut is_kept = |(number, line): &(u32, &str)| {
        let start = line.trim_start();
        let indent = line.len() - start.len();
        if left_out.is_some_and(|least| start.is_empty() || indent > least) {
            return false;
        }
        // In braces, or after a dash, the key does not begin its line.
        let begins_line = !start.starts_with(['{', '-']);
        left_out = (begins_line && lines.contains(number)).then_some(indent);
        left_out.is_none()
    };
    (1..).zip(text.split_inclusive('\n')).filter(&mut is_kept).map(|(_, line)| line).collect()
}
