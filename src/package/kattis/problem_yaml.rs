//! `problem.yaml`: what a problem is called, allows and asks.
//!
//! Source: problem package format 2025-09, "Problem metadata".

use toml::value::Datetime;

use crate::model::limits::ProblemLimits;
use crate::model::program::Constant;
use crate::package::draft::FileWriting;
use crate::package::files::Files;
use crate::package::kattis::constants;
use crate::package::kattis::credits;
use crate::package::kattis::limits;
use crate::package::kattis::problem_type::{self, ProblemType};
use crate::package::languages::is_natural_language;
use crate::package::node::{Map, Node, Parse, Renamed};
use crate::package::suggest::list;
use crate::package::text::{Page, TextFile, shown};
use crate::package::values::{boolean, filled_text, programming_language, text, texts};
use crate::package::yaml::{self, Parsed, Value};

/// The version that juror reads.
const VERSION: &str = "2025-09";

/// What `problem.yaml` says.
#[derive(Debug, Default)]
pub(super) struct ProblemYaml {
    pub problem_type: ProblemType,
    /// The name by language code.
    pub names: Vec<(String, String)>,
    pub limits: ProblemLimits,
    pub languages: Option<Vec<String>>,
    pub file_writing: FileWriting,
    pub constants: Vec<Constant>,
}

/// What reading `problem.yaml` came to.
#[derive(Debug)]
pub(super) enum Read {
    Problem(Box<ProblemYaml>),
    /// Broken, but the rest of the package can be looked at.
    Broken,
    /// The package is in another version of the format.
    OtherVersion,
}

const RENAMED: Renamed = &[
    ("author", "in format 2025-09: `credits:` with `authors:` in it"),
    ("source_url", "in format 2025-09: `source:` with `name:` and `url:` in it"),
    ("validation", "in format 2025-09: `type: interactive`, or a program in `output_validator/`"),
    (
        "validator_flags",
        "in format 2025-09: `output_validator_args: [...]` in data/secret/test_group.yaml and data/sample/test_group.yaml",
    ),
    ("grading", "in format 2025-09: keys of data/secret/test_group.yaml"),
    ("judgement_type", "in format 2025-09: `type:`"),
    ("submission_type", "in format 2025-09: `type:`"),
];

/// Directories that only the legacy format has.
const LEGACY_DIRECTORIES: [&str; 4] =
    ["problem_statement", "output_validators", "input_format_validators", "graders"];

/// Reads `problem.yaml`, which exists.
pub(super) fn read(tree: &Files, statements: &[String]) -> Read {
    let faults = &tree.faults;
    let Some(file) = TextFile::read(&tree.path("problem.yaml"), faults) else {
        return Read::Broken;
    };
    let page = Page { file: &file, faults };
    let root = match yaml::parse(page) {
        Parsed::Document(root) => root,
        Parsed::Unreadable => return Read::Broken,
        Parsed::Empty => {
            faults.error(&file.path, "is empty", "start with `problem_format_version: 2025-09`");
            return Read::Broken;
        }
    };
    let Ok(map) = Node::root(&root, page).map() else { return Read::Broken };
    let mut map = map.renamed(RENAMED);
    if let Version::Other = version(&mut map, tree) {
        map.rest();
        return Read::OtherVersion;
    }
    Read::Problem(Box::new(all_keys(map, statements)))
}

fn all_keys(mut map: Map<'_>, statements: &[String]) -> ProblemYaml {
    let mut it = ProblemYaml::default();
    map.set("type", &mut it.problem_type, problem_type::read);
    it.names = names(&mut map, statements);
    check_uuid(&mut map);
    map.get("version", text);
    credits::check(&mut map);
    map.get("embargo_until", date);
    map.get("keywords", texts);
    map.set("limits", &mut it.limits, |node| limits::read(node, &it.problem_type));
    map.set("languages", &mut it.languages, languages);
    it.file_writing = match map.ask("allow_file_writing", boolean) {
        Ok(Some(true)) => FileWriting::Allowed,
        Ok(_) => FileWriting::Forbidden,
        Err(_) => FileWriting::Unknown,
    };
    map.set("constants", &mut it.constants, constants::read);
    it
}

enum Version {
    Ours,
    Other,
}

/// A package of another version gets one clear word instead of a page of faults.
fn version(map: &mut Map<'_>, tree: &Files) -> Version {
    let Some(node) = map.node("problem_format_version") else {
        let legacy = map.has_renamed()
            || LEGACY_DIRECTORIES.iter().any(|name| tree.directory(name).is_some());
        let message = "has no `problem_format_version`; juror reads packages of format 2025-09";
        let (version, help) = match legacy {
            true => (
                Version::Other,
                "a package without it is in the legacy format; convert it to 2025-09",
            ),
            false => (Version::Ours, "add the line `problem_format_version: 2025-09`"),
        };
        map.node.file_error(message, help);
        return version;
    };
    let Ok(version) = text(&node) else { return Version::Ours };
    if version == VERSION {
        return Version::Ours;
    }
    if ["legacy", "legacy-icpc", "draft"].contains(&version.as_str()) || is_dated(&version) {
        let message = format!("format `{}` is not supported; juror reads 2025-09", shown(&version));
        let help =
            "convert the package: see https://www.kattis.com/problem-package-format/spec/2025-09";
        node.error(message, help);
        return Version::Other;
    }
    let message =
        format!("`{}` is not a version of the format; juror reads 2025-09", shown(&version));
    node.error(message, "write `problem_format_version: 2025-09`");
    Version::Ours
}

/// `2023-07`, `2023-07-draft`
fn is_dated(version: &str) -> bool {
    let date = version.strip_suffix("-draft").unwrap_or(version).as_bytes();
    date.len() == 7
        && date[4] == b'-'
        && [0, 1, 2, 3, 5, 6].iter().all(|&at: &usize| date[at].is_ascii_digit())
}

/// The names by language code, which must be the statements' languages.
fn names(map: &mut Map<'_>, statements: &[String]) -> Vec<(String, String)> {
    let Some(node) = map.node("name") else {
        map.node.file_lack("has no `name`", "add a line such as `name: Hello World!`");
        return Vec::new();
    };
    if !node.is_map() {
        if statements.iter().any(|language| language != "en") {
            let message = format!(
                "a single `name` is the English one, but there are statements in: {}",
                list(statements.iter().map(String::as_str))
            );
            node.error(
                message,
                "give a name for each language, such as `name: {en: ..., de: ...}`",
            );
        }
        return filled_text(&node).map(|name| ("en".to_owned(), name)).into_iter().collect();
    }
    let mut names = Vec::new();
    for entry in node.entries("a map of language codes to names").into_iter().flatten() {
        let code = entry.key;
        let has_statement = statements.iter().any(|language| language == code);
        if is_language(&entry) && !has_statement && !statements.is_empty() {
            let message = format!("there is a name for language `{code}`, but no statement");
            entry
                .key_error(message, format!("add statement/problem.{code}.md, or remove the name"));
        }
        names.extend(filled_text(&entry).map(|name| (code.to_owned(), name)));
    }
    for language in statements.iter().filter(|language| node.raw.get(language).is_none()) {
        let message = format!("there is a statement in language `{language}`, but no name");
        node.key_error(message, format!("add `{language}: ...` to `name`"));
    }
    names.sort();
    names
}

/// Whether a key is the code of a natural language; another is reported.
pub(super) fn is_language(node: &Node<'_>) -> bool {
    let is_one = is_natural_language(node.key);
    if !is_one {
        let message = format!("`{}` is not a language code", shown(node.key));
        node.key_error(message, "write ISO 639 codes such as `en`, `fil` or `pt-BR`");
    }
    is_one
}

fn check_uuid(map: &mut Map<'_>) {
    let Some(node) = map.node("uuid") else {
        let help = "add a line `uuid: ...`; `uuidgen` or `cat /proc/sys/kernel/random/uuid` prints a new one";
        map.node.file_lack("has no `uuid`", help);
        return;
    };
    if let Ok(uuid) = filled_text(&node)
        && !is_uuid(&uuid)
    {
        let help =
            "a UUID looks like 123e4567-e89b-42d3-a456-426614174000; `uuidgen` prints a new one";
        node.warning(format!("`{}` is not a UUID", shown(&uuid)), help);
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn date(node: &Node<'_>) -> Parse<()> {
    let date = text(node)?;
    if is_date(&date) {
        return Ok(());
    }
    let help = "write a day such as 2026-01-31, or a time in UTC such as 2026-01-31T18:00:00Z";
    Err(node.error(format!("`{}` is not a date", shown(&date)), help))
}

/// `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, of the calendar.
fn is_date(text: &str) -> bool {
    let has_form = text.len() == 10 || text.len() == 20 && text.ends_with('Z');
    has_form && text.parse().is_ok_and(|it: Datetime| it.date.is_some())
}

/// The allowed languages; `None` for all.
fn languages(node: &Node<'_>) -> Parse<Option<Vec<String>>> {
    if !matches!(node.raw.value, Value::Sequence(_)) {
        return match text(node)?.as_str() {
            "all" => Ok(None),
            word => {
                let message = format!(
                    "`languages` must be `all` or a sequence of language codes, not `{}`",
                    shown(word)
                );
                let help = "write codes in brackets, such as `languages: [cpp, python3]`, or `languages: all`";
                Err(node.error(message, help))
            }
        };
    }
    let mut codes: Vec<String> = Vec::new();
    for item in node.one_or_more() {
        if item.word() == "all" {
            let help = "write `languages: all` without brackets";
            item.error("`all` does not stand in a sequence", help);
            continue;
        }
        let Ok(code) = programming_language(&item) else { continue };
        match codes.contains(&code) {
            true => item.warning(format!("language `{code}` is there twice"), ""),
            false => codes.push(code),
        }
    }
    Ok(Some(codes).filter(|codes| !codes.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_of_the_calendar() {
        let check = |text: &str, expected: bool| assert_eq!(is_date(text), expected, "{text}");
        check("2026-01-31", true);
        check("2024-02-29", true);
        check("2026-02-29", false);
        check("2026-00-10", false);
        check("2026-01-31T18:00:00Z", true);
        check("2026-01-31T18:00:00", false);
        check("2026-01-31T24:00:00Z", false);
        check("2026-1-31", false);
        check("tomorrow", false);
    }
}
