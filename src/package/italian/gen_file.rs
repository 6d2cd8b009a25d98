//! `gen/GEN`: one line for each input, and comments that begin subtasks or name files to copy.

use crate::language::table::Language;
use crate::model::diagnostic::Place;
use crate::model::program::IncludedFile;
use crate::model::recipe::{GeneratorCommand, GeneratorProgram};
use crate::package::files::Files;
use crate::package::italian::SETTINGS;
use crate::package::text::{Range, shown};

/// The name of the file.
const NAME: &str = "gen/GEN";

/// All tests.
pub(super) struct Listing {
    pub groups: Vec<Group>,
}

/// A subtask; one without points is the whole task.
pub(super) struct Group {
    pub points: Option<f64>,
    pub cases: Vec<(Place, Source)>,
}

/// Where a missing input comes from.
pub(super) enum Source {
    /// From the generator, with these arguments.
    Args(Vec<String>),
    /// From this file of the package.
    Copy(String),
    /// From nowhere.
    None,
}

/// The program in `gen/` that makes inputs.
pub(super) struct Generator(GeneratorProgram);

impl Listing {
    /// A listing of `count` tests without subtasks.
    pub(super) fn without(count: usize) -> Self {
        let case = |_| (Place::from(std::path::Path::new(SETTINGS)), Source::None);
        Self { groups: vec![Group { points: None, cases: (0..count).map(case).collect() }] }
    }

    /// The generator, if there is one.
    pub(super) fn generator(&self, tree: &Files) -> Option<Generator> {
        let stem = |name: &str| {
            name.rsplit_once('.')
                .is_some_and(|(stem, _)| ["generatore", "generator"].contains(&stem))
        };
        let of_language = |path: &std::path::Path| Language::of_file(path);
        let mut found = tree.children("gen").filter(|item| {
            item.is_file() && stem(item.base_name()) && of_language(&item.path).is_some()
        });
        let item = found.next()?;
        if let Some(other) = found.next() {
            let message = format!("is a second generator beside {}", item.name);
            tree.faults.error(other, message, "keep one of the two");
        }
        let is_script =
            of_language(&item.path).is_some_and(|language| language.code.starts_with("python"));
        let beside = tree.below("gen").iter().filter(|other| {
            let ending = other.base_name().rsplit_once('.').map_or("", |(_, ending)| ending);
            other.is_file()
                && other.name != item.name
                && (matches!(ending, "h" | "hpp") || is_script && ending == "py")
        });
        let beside = beside.map(|other| IncludedFile {
            name: other.name["gen/".len()..].into(),
            ..IncludedFile::beside(other.path.clone())
        });
        Some(Generator(GeneratorProgram {
            name: item.base_name().to_owned(),
            path: item.path.clone(),
            beside: beside.collect(),
            language: None,
        }))
    }
}

impl Generator {
    pub(super) fn command(&self, args: &[String]) -> GeneratorCommand {
        GeneratorCommand::new(self.0.clone(), args.to_vec(), args.join(" "))
    }
}

/// Reads the file, if it exists.
pub(super) fn read(tree: &Files) -> Option<Listing> {
    let item = tree.file(NAME)?;
    let file = item.read(&tree.faults)?;
    let mut groups = vec![Group { points: None, cases: Vec::new() }];
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
        let source = match (copied, points) {
            (Some(name), _) => Source::Copy(name.to_owned()),
            (None, Some(points)) => {
                match points.parse::<u32>() {
                    Ok(points) => {
                        groups.push(Group { points: Some(points.into()), cases: Vec::new() })
                    }
                    Err(_) => error(
                        format!("`{}` is not a whole number of points", shown(points)),
                        "write one after `#ST:`",
                    ),
                }
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
    Some(Listing { groups })
}

/// Checks the subtasks against the rules of CMS.
fn check(tree: &Files, groups: &mut Vec<Group>) {
    if groups.len() == 1 {
        return;
    }
    let first = groups.remove(0);
    let path = tree.path(NAME);
    if !first.cases.is_empty() {
        tree.faults.error(
            &*path,
            "has tests before the first `#ST:`",
            "put each test into a subtask",
        );
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
