//! Statements, solutions and attachments: only the parts that the rest of the package depends on.
//!
//! Source: problem package format 2025-09, "Problem statements", "Solution description",
//! "Attachments".

use crate::package::files::PackageFiles;
use crate::package::languages::is_natural_language;
use crate::package::statements::Statement;
use crate::package::text::{MAX_SIZE, TextFile};

/// Texts for people, one for each language, in a directory of their own.
pub(super) struct LocalizedTexts {
    pub directory: &'static str,
    pub stem: &'static str,
    pub noun: &'static str,
    /// The language of a file without one in its name, if that is permitted.
    pub default: Option<&'static str>,
}

pub(super) const SOLUTIONS: LocalizedTexts = LocalizedTexts {
    directory: "solution",
    stem: "solution",
    noun: "solution",
    default: Some("en"),
};

impl LocalizedTexts {
    /// The language and the ending in `<stem>.<language>.<ending>` or `<stem>.<ending>`; `None` for other names.
    fn parse_name<'a>(&self, base_name: &'a str) -> Option<(Option<&'a str>, &'a str)> {
        let (start, ending @ ("tex" | "md" | "pdf")) = base_name.rsplit_once('.')? else {
            return None;
        };
        let language = match start.strip_prefix(self.stem)? {
            "" => self.default,
            rest => Some(rest.strip_prefix('.')?),
        };
        Some((language, ending))
    }

    pub(super) fn files(&self, tree: &PackageFiles) -> Vec<Statement> {
        let directory = tree.path(self.directory);
        let names = directory.names().unwrap_or_default().into_iter();
        let files = names.filter_map(|name| {
            let (language, _) = self.parse_name(name.to_str()?)?;
            Statement::of(language?.to_owned(), directory.join(&name))
        });
        files.collect()
    }

    /// The languages of such texts, sorted. If `is_needed`, a lack of texts is reported.
    pub(super) fn check_languages(&self, tree: &PackageFiles, is_needed: bool) -> Vec<String> {
        let Self { directory, stem, noun, .. } = self;
        let before = tree.faults.remark_count();
        let mut languages: Vec<String> = Vec::new();
        for item in tree.children(directory).filter(|item| item.is_file()) {
            let Some((language, ending)) = self.parse_name(item.base_name()) else { continue };
            let (message, help) = match language {
                None => (
                    "does not name its language".to_owned(),
                    format!("rename it, for example to {stem}.en.{ending}"),
                ),
                Some(code) if !is_natural_language(code) => (
                    format!("`{code}` is not a language code"),
                    format!("use an ISO 639 code: {stem}.en.md, {stem}.pt-BR.tex"),
                ),
                Some(code) if languages.iter().any(|known| known == code) => (
                    format!("is a second {noun} in language `{code}`"),
                    "keep one file for each language".to_owned(),
                ),
                Some(code) => {
                    languages.push(code.to_owned());
                    if ending != "pdf" {
                        TextFile::read(&item.path, &tree.faults);
                    }
                    continue;
                }
            };
            tree.faults.error(item, message, help);
        }
        let exists = tree.directory(directory).is_some();
        if languages.is_empty() && tree.faults.remark_count() == before && (exists || is_needed) {
            let message = if exists {
                format!("has no {noun}")
            } else {
                format!("is missing: a package needs a {noun}")
            };
            let help = format!("add {directory}/{stem}.en.md, or .tex or .pdf");
            tree.faults.publishing_error(tree.path(directory), message, help);
        }
        tree.faults.allow_judging_since(before);
        languages.sort();
        languages
    }
}

/// Checks that statements do not show more samples than there are.
pub(super) fn check_samples(tree: &PackageFiles, samples: usize) {
    for item in tree.children("statement").filter(|item| item.is_file()) {
        let (next, rest, comment) = match item.base_name().rsplit_once('.') {
            Some((_, "md")) => ("{{nextsample}}", "{{remainingsamples}}", None),
            Some((_, "tex")) => (r"\nextsample", r"\remainingsamples", Some('%')),
            _ => continue,
        };
        // Unreadable files are reported elsewhere.
        let Ok(text) = item.path.read_text(MAX_SIZE) else { continue };
        let lines = text.lines().map(|line| line.split(|sign| Some(sign) == comment).next());
        let text = lines.flatten().collect::<Vec<_>>().join("\n");
        let after = text.find(rest).map_or("", |index| &text[index..]);
        if text.matches(next).count() > samples || after.contains(next) {
            let message = format!("has a `{next}`, but no sample is left for it");
            let help = format!("remove it, or add samples: there are {samples}");
            tree.faults.publishing_error(item, message, help);
        }
    }
}

pub(super) fn check_attachments(tree: &PackageFiles) {
    let directories = tree.children("attachments").filter(|item| item.is_directory());
    for item in directories.filter(|item| item.base_name() != "templates") {
        let message = "is a directory, which is not allowed in attachments";
        let help = "attach single files, or a zip file; only `templates` is allowed";
        tree.faults.error(item, message, help);
    }
}
