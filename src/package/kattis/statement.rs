//! `statement/`, `solution/` and `attachments/`: only what the rest of the package depends on.
//!
//! Source: problem package format 2025-09, "Problem statements", "Solution description",
//! "Attachments".

use crate::package::files::{Files, Item};
use crate::package::languages::{help_for, is_natural_language, is_programming_language};
use crate::package::text::TextFile;

/// The languages in which there is a statement, sorted.
pub(super) fn languages(tree: &Files) -> Vec<String> {
    let before = tree.faults.count();
    let mut languages = texts(tree, &STATEMENTS);
    if languages.is_empty() && tree.faults.count() == before {
        let message = match tree.directory("statement") {
            Some(_) => "has no statement",
            None => "is missing: a package needs a statement",
        };
        let help = match is_renamed(tree) {
            true => "rename `problem_statement` to `statement`",
            false => "add statement/problem.en.md, or .tex or .pdf",
        };
        tree.faults.lack(tree.path("statement"), message, help);
    }
    languages.sort();
    languages
}

/// Whether there is no statement because its directory has the name of the legacy format.
pub(super) fn is_renamed(tree: &Files) -> bool {
    tree.directory("statement").is_none() && tree.directory("problem_statement").is_some()
}

/// Checks the names in `solution/`.
///
/// Source: problem package format 2025-09, "Solution description".
pub(super) fn check_solutions(tree: &Files) {
    let before = tree.faults.count();
    let has_solution = !texts(tree, &SOLUTIONS).is_empty();
    if tree.directory("solution").is_some() && !has_solution && tree.faults.count() == before {
        let help = "add solution/solution.en.md, or .tex or .pdf";
        tree.faults.lack(tree.path("solution"), "has no solution", help);
    }
}

/// Texts for people, one for each language, in a directory of their own.
struct Texts {
    directory: &'static str,
    /// What the names of the files begin with.
    stem: &'static str,
    /// What one of them is.
    what: &'static str,
    /// The language of a file that names none, if one may.
    default: Option<&'static str>,
}

const STATEMENTS: Texts =
    Texts { directory: "statement", stem: "problem", what: "statement", default: None };

const SOLUTIONS: Texts =
    Texts { directory: "solution", stem: "solution", what: "solution", default: Some("en") };

/// The languages of these texts.
fn texts(tree: &Files, texts: &Texts) -> Vec<String> {
    let Texts { stem, what, .. } = texts;
    let mut languages: Vec<String> = Vec::new();
    let files = tree.children(texts.directory).filter(|item| item.is_file());
    for item in files {
        let Some(name) = TextName::of(item, stem) else { continue };
        let Some(language) = name.language.or(texts.default) else {
            let message = "does not name its language";
            let help = format!("rename it, for example to {stem}.en.{}", name.ending);
            tree.faults.error(item, message, help);
            continue;
        };
        if !is_natural_language(language) {
            let message = format!("`{language}` is not a language code");
            let help = format!("use an ISO 639 code: {stem}.en.md, {stem}.pt-BR.tex");
            tree.faults.error(item, message, help);
        } else if languages.iter().any(|known| known == language) {
            let message = format!("is a second {what} in language `{language}`");
            tree.faults.error(item, message, "keep one file for each language");
        } else {
            languages.push(language.to_owned());
        }
        if name.ending != "pdf" {
            TextFile::read(&item.path, &tree.faults);
        }
    }
    languages
}

struct TextName<'a> {
    language: Option<&'a str>,
    ending: &'a str,
}

impl<'a> TextName<'a> {
    /// `<stem>.<language>.<ending>` or `<stem>.<ending>`.
    fn of(item: &'a Item, stem: &str) -> Option<Self> {
        let (start, ending) = item.base_name().rsplit_once('.')?;
        if !matches!(ending, "tex" | "md" | "pdf") {
            return None;
        }
        let rest = start.strip_prefix(stem)?;
        if rest.is_empty() {
            return Some(Self { language: None, ending });
        }
        let language = Some(rest.strip_prefix('.')?);
        Some(Self { language, ending })
    }
}

/// Checks the directories of `attachments/`.
pub(super) fn check_attachments(tree: &Files) {
    for item in tree.children("attachments").filter(|item| item.is_directory()) {
        if item.base_name() != "templates" {
            let message = "is a directory, which attachments must not have";
            let help = "attach single files, or a zip file; only `templates` is allowed";
            tree.faults.error(item, message, help);
        }
    }
    for item in tree.children("attachments/templates").filter(|item| item.is_directory()) {
        let name = item.base_name();
        if name != "default" && !is_programming_language(name) {
            let message = format!("`{name}` is not a language code");
            tree.faults.error(item, message, help_for(name));
        }
        if tree.children(&item.name).next().is_none() {
            tree.faults.error(item, "is empty", "fill it or remove it");
        }
    }
}
