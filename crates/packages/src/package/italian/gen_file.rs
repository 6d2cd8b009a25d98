//! `gen/GEN`: one line for each input, and comments that begin subtasks or name files to copy.

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::italian::{MAX_TESTS, SETTINGS};
use crate::package::named_programs::{self, language_code};
use crate::package::text::{TextRange, excerpt};
use juror_core::diagnostic::SourcePlace;
use juror_core::program::ProgramKind;
use juror_core::recipe::GeneratorProgram;

const GEN_FILE: &str = "gen/GEN";

/// One without points is the whole task.
pub(super) struct Subtask {
    pub points: Option<f64>,
    pub cases: Vec<(SourcePlace, MissingInput)>,
}

pub(super) enum MissingInput {
    Args(Vec<String>),
    Copy(String),
    Unknown,
}

impl Subtask {
    pub(super) fn whole_task(count: usize) -> Self {
        let case = |_| (SourcePlace::from(std::path::Path::new(SETTINGS)), MissingInput::Unknown);
        Self { points: None, cases: (0..count).map(case).collect() }
    }
}

pub(super) fn find_generator(tree: &PackageFiles) -> Option<GeneratorProgram> {
    let is_one = |item: &&PackageEntry| {
        item.is_file()
            && ["generatore", "generator"].contains(&item.stem())
            && language_code(item).is_some()
    };
    let mut found = tree.children("gen").filter(is_one);
    let item = found.next()?;
    if let Some(other) = found.next() {
        let message = format!("is a second generator; the first is {}", item.name);
        tree.faults.error(other, message, "keep one of the two");
    }
    let is_script = language_code(item).is_some_and(|code| code.starts_with("python"));
    let mut included = named_programs::included_files(tree, "gen", |other| {
        matches!(other.ending(), "h" | "hpp") || is_script && other.ending() == "py"
    });
    included.retain(|file| file.path != item.path);
    Some(named_programs::new_program(item, ProgramKind::Generator, included).into())
}

pub(super) fn read(tree: &PackageFiles) -> Option<Vec<Subtask>> {
    let item = tree.file(GEN_FILE)?;
    let file = item.read(&tree.faults)?;
    let mut groups = vec![Subtask::whole_task(0)];
    let mut left = MAX_TESTS;
    for (number, line) in (1..).zip(file.text.lines()) {
        let place =
            file.place(TextRange { line: number, column: 1, width: line.chars().count() as u32 });
        let error = |message: String, help: &str| {
            tree.faults.error(place.clone(), message, help);
        };
        let (words, comment) = match line.split_once('#') {
            Some((words, comment)) => (words.trim(), comment.trim()),
            None => (line.trim(), ""),
        };
        let copied = comment.strip_prefix("COPY:").map(str::trim);
        let points = comment.strip_prefix("ST:").map(str::trim);
        if !words.is_empty() && (copied.is_some() || points.is_some()) {
            error(
                format!("`#{}` comes after a test", excerpt(comment)),
                "write it on a line of its own",
            );
            continue;
        }
        if !words.is_empty() || copied.is_some() || points.is_some() {
            let Some(less) = left.checked_sub(1) else {
                let message = format!("has more than {MAX_TESTS} tests and subtasks");
                error(message, "juror reads no more of them");
                return None;
            };
            left = less;
        }
        let source = match (copied, points.map(str::parse::<u32>)) {
            (Some(name), _) => MissingInput::Copy(name.to_owned()),
            (None, Some(Ok(points))) => {
                groups.push(Subtask { points: Some(points.into()), cases: Vec::new() });
                continue;
            }
            (None, Some(Err(_))) => {
                let points = excerpt(points.unwrap_or_default());
                let message = format!("`{points}` is not a whole number of points");
                error(message, "write one after `#ST:`");
                continue;
            }
            (None, None) if words.is_empty() => continue,
            (None, None) if words.contains(['"', '\'', '\\', '{', '$', '`']) => {
                error(
                    "juror would read this command differently from a shell".to_owned(),
                    "write plain words, separated by blanks",
                );
                MissingInput::Unknown
            }
            (None, None) => {
                MissingInput::Args(words.split_whitespace().map(str::to_owned).collect())
            }
        };
        if let Some(group) = groups.last_mut() {
            group.cases.push((place, source));
        }
    }
    check_subtasks(tree, &mut groups);
    Some(groups)
}

/// Checks the subtasks against the rules of CMS.
fn check_subtasks(tree: &PackageFiles, groups: &mut Vec<Subtask>) {
    if groups.len() == 1 {
        return;
    }
    let first = groups.remove(0);
    let path = tree.path(GEN_FILE);
    if !first.cases.is_empty() {
        let message = "has tests before the first `#ST:`";
        tree.faults.error(&*path, message, "put each test into a subtask");
    }
    let sum: f64 = groups.iter().filter_map(|group| group.points).sum();
    if sum != 100.0 {
        let message = format!("the points of all subtasks are {sum}, but CMS requires 100");
        tree.faults.error(&*path, message, "correct the numbers after `#ST:`");
    }
    if let Some(at) = groups.iter().position(|group| group.cases.is_empty()) {
        let message = format!("subtask {} has no test", at + 1);
        tree.faults.error(&*path, message, "add one below its `#ST:`");
    }
}
