//! `docs/conformance.md`: what juror does, by section of 2025-09, with the test of each row.
//!
//! A row is a comment above its test: `/// 2025-09, "Section": what juror does`. `INSTA_UPDATE=always cargo test conformance`
//! writes the table.

use std::fs;

use crate::tidy::{library_files, read_text, renews_snapshots, root, source_files};

const SECTIONS: [&str; 64] = [
    "General requirements",
    "Programs",
    "Submissions",
    "Other programs",
    "Working directory",
    "Problem metadata",
    "Problem format version",
    "Type",
    "Name",
    "Credits",
    "Source",
    "License",
    "Rights owner",
    "Problem publication embargo",
    "Submission limits",
    "Resource guarantees",
    "Multi-pass limit",
    "Problem timing",
    "Languages",
    "Constants",
    "Problem statements",
    "Samples for interactive and multi-pass problems",
    "Displaying test cases",
    "Downloading test cases",
    "Validation of shared test case files",
    "LaTeX environment and supported subset",
    "Markdown environment and supported features",
    "Attachments",
    "Solution description",
    "Test data",
    "Test cases",
    "Test data groups",
    "Test data configuration",
    "Input",
    "Running test cases",
    "Test case configuration",
    "Illustrations",
    "Samples and full feedback",
    "Validation test data",
    "Invalid input",
    "Invalid output",
    "Valid output",
    "Included files",
    "Example submissions",
    "Glob patterns",
    "Default directories",
    "Timelimit inference",
    "Input validators",
    "Static validation test cases",
    "Output validator",
    "Output parsing",
    "Comparing floating-point tokens",
    "Comparing string tokens",
    "Whitespace sensitivity",
    "Reporting a judgement",
    "Reporting additional feedback",
    "Multi-pass validation",
    "Input visualizer",
    "Output visualizer",
    "Pass-fail problems",
    "Scoring problems",
    "Scoring test cases",
    "Scoring test data groups",
    "Group dependencies",
];

const TABLE_START: &str = "## 2025-09, section by section\n";

struct ConformanceRow {
    section: usize,
    what: String,
    test: String,
}

fn conformance_rows(source: &str) -> Vec<ConformanceRow> {
    let mut rows: Vec<ConformanceRow> = Vec::new();
    let mut waiting: Vec<(String, String)> = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if let Some(row) = line.strip_prefix("/// 2025-09, \"") {
            let (section, what) = row.split_once("\": ").expect("a section in quotes, a colon");
            waiting.push((section.to_owned(), what.to_owned()));
        } else if let (Some(more), Some((_, what))) =
            (line.strip_prefix("/// "), waiting.last_mut())
        {
            *what = format!("{what} {more}");
        } else if line.starts_with("#[") {
            is_test |= line == "#[test]";
        } else {
            if let Some((test, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            {
                assert!(is_test || waiting.is_empty(), "{test} is not a test");
                rows.extend(waiting.drain(..).map(|(section, what)| {
                    let known = SECTIONS.iter().position(|known| *known == section);
                    let section =
                        known.unwrap_or_else(|| panic!("no section \"{section}\": {test}"));
                    ConformanceRow { section, what, test: test.to_owned() }
                }));
            }
            assert!(waiting.is_empty(), "a row above no test: {waiting:?}");
            is_test = false;
        }
    }
    rows
}

#[test]
fn the_conformance_table_is_up_to_date() {
    let all = library_files().into_iter().chain(source_files("tests/it"));
    let mut rows: Vec<ConformanceRow> =
        all.flat_map(|path| conformance_rows(&read_text(&path))).collect();
    rows.sort_by_key(|row| row.section);
    let mut last = None;
    let line = |row: &ConformanceRow| {
        let is_new = last.replace(row.section) != Some(row.section);
        let section = if is_new { SECTIONS[row.section] } else { "" };
        format!("| {section} | {} | `{}` |\n", row.what, row.test)
    };
    let table: String = rows.iter().map(line).collect();
    let path = root().join("docs/conformance.md");
    let old = read_text(&path);
    let (before, _) = old.split_once(TABLE_START).expect("the heading of the table");
    let intro = "What the format itself says is left out. `INSTA_UPDATE=always cargo test conformance` makes this table.";
    let new = format!(
        "{before}{TABLE_START}\n{intro}\n\n| section | juror | test |\n|---|---|---|\n{table}"
    );
    if renews_snapshots() {
        fs::write(&path, &new).expect("the document");
    }
    assert_eq!(read_text(&path), new, "INSTA_UPDATE=always cargo test conformance");
}
