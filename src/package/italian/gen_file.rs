//! `gen/GEN`: one line for each input, and comments that begin subtasks or name files to copy.

use crate::model::diagnostic::Place;
use crate::model::program::ProgramKind;
use crate::model::recipe::GeneratorProgram;
use crate::package::by_name::{self, code};
use crate::package::files::{Files, Item};
use crate::package::italian::{MOST, SETTINGS};
use crate::package::text::{Range, shown};

const NAME: &str = "gen/GEN";

/// One without points is the whole task.
pub(super) struct Group {
    pub points: Option<f64>,
    pub cases: Vec<(Place, Source)>,
}

pub(super) enum Source {
    Args(Vec<String>),
    Copy(String),
    None,
}

impl Group {
    pub(super) fn whole(count: usize) -> Self {
        let case = |_| (Place::from(std::path::Path::new(SETTINGS)), Source::None);
        Self { points: None, cases: (0..count).map(case).collect() }
    }
}

pub(super) fn generator(tree: &Files) -> Option<GeneratorProgram> {
    let is_one = |item: &&Item| {
        item.is_file() && ["generatore", "generator"].contains(&item.stem()) && code(item).is_some()
    };
    let mut found = tree.children("gen").filter(is_one);
    let item = found.next()?;
    if let Some(other) = found.next() {
        let message = format!("is a second generator beside {}", item.name);
        tree.faults.error(other, message, "keep one of the two");
    }
    let is_script = code(item).is_some_and(|code| code.starts_with("python"));
    let mut beside = by_name::files(tree, "gen", |other| {
        matches!(other.ending(), "h" | "hpp") || is_script && other.ending() == "py"
    });
    beside.retain(|file| file.path != item.path);
    Some(by_name::program(item, ProgramKind::Generator, beside).into())
}

pub(super) fn read(tree: &Files) -> Option<Vec<Group>> {
    let item = tree.file(NAME)?;
    let file = item.read(&tree.faults)?;
    let mut groups = vec![Group::whole(0)];
    let mut left = MOST;
    for (number, line) in (1..).zip(file.text.lines()) {
        let place =
            file.place(Range { line: number, column: 1, width: line.chars().count() as u32 });
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
                format!("`#{}` comes after a test", shown(comment)),
                "write it on a line of its own",
            );
            continue;
        }
        if !words.is_empty() || copied.is_some() || points.is_some() {
            let Some(less) = left.checked_sub(1) else {
                let message = format!("has more than {MOST} tests and subtasks");
                error(message, "juror reads no more of them");
                return None;
            };
            left = less;
        }
        let source = match (copied, points.map(str::parse::<u32>)) {
            (Some(name), _) => Source::Copy(name.to_owned()),
            (None, Some(Ok(points))) => {
                groups.push(Group { points: Some(points.into()), cases: Vec::new() });
                continue;
            }
            (None, Some(Err(_))) => {
                let points = shown(points.unwrap_or_default());
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
                Source::None
            }
            (None, None) => Source::Args(words.split_whitespace().map(str::to_owned).collect()),
        };
        if let Some(group) = groups.last_mut() {
            group.cases.push((place, source));
        }
    }
    check(tree, &mut groups);
    Some(groups)
}

/// Checks the subtasks against the rules of CMS.
fn check(tree: &Files, groups: &mut Vec<Group>) {
    if groups.len() == 1 {
        return;
    }
    let first = groups.remove(0);
    let path = tree.path(NAME);
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
