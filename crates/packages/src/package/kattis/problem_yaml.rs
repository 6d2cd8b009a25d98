//! `problem.yaml`: names, limits and settings of a problem.
//!
//! Source: problem package format 2025-09, "Problem metadata".

use crate::package::files::PackageFiles;
use crate::package::kattis::SETTINGS;
use crate::package::kattis::problem_type::ProblemType;
use crate::package::languages::is_natural_language;
use crate::package::node::{Map, Node, ParseResult, RenamedKeys, SettingsFile};
use crate::package::suggest::comma_list;
use crate::package::text::excerpt;
use crate::package::values::{nonempty_text, programming_language, text};
use crate::package::yaml::{self, Value};
use juror_core::limits::ProblemLimits;
use juror_core::moment::Moment;
use juror_core::program::Constant;

#[derive(Debug, Default)]
pub(super) struct ProblemYaml {
    pub problem_type: ProblemType,
    pub names: Vec<(String, String)>,
    pub limits: ProblemLimits,
    pub languages: Option<Vec<String>>,
    /// Whether submissions may write files, if the file says it readably.
    pub file_writing: Option<bool>,
    pub constants: Vec<Constant>,
}

/// `None` if the file cannot be read as a map.
pub(super) fn read<T>(
    tree: &PackageFiles,
    renamed: RenamedKeys,
    keys: impl FnOnce(Map<'_>) -> T,
) -> Option<T> {
    let faults = &tree.faults;
    let Some(item) = tree.file(SETTINGS) else {
        faults.error(tree.path(SETTINGS), "is missing", "add it, or leave out --format");
        return None;
    };
    let document = SettingsFile::read(&item.path, faults, yaml::parse)?;
    let root = document.root();
    let map = if root.is_null() { root.empty_map() } else { root.map().ok()? };
    Some(keys(map.with_renamed_keys(renamed)))
}

/// The names by language code; the languages must be those of the statements.
pub(super) fn read_names(map: &mut Map<'_>, statements: &[String]) -> Vec<(String, String)> {
    let Some(node) = map.node("name") else {
        map.node
            .at_file()
            .publishing_error("has no `name`", "add a line such as `name: Hello World!`");
        return Vec::new();
    };
    if !node.is_map() {
        if statements.iter().any(|language| language != "en") {
            let message = format!(
                "a single `name` is the English one, but there are statements in: {}",
                comma_list(statements.iter().map(String::as_str))
            );
            let help = "give a name for each language, such as `name: {en: ..., de: ...}`";
            node.error(message, help);
        }
        return nonempty_text(&node).map(|name| ("en".to_owned(), name)).into_iter().collect();
    }
    let mut names = Vec::new();
    for entry in node.entries("a map of language codes to names").into_iter().flatten() {
        let code = entry.key;
        let has_statement = statements.iter().any(|language| language == code);
        if check_language_code(&entry) && !has_statement && !statements.is_empty() {
            let message = format!("there is a name for language `{code}`, but no statement");
            entry
                .at_key()
                .error(message, format!("add statement/problem.{code}.md, or remove the name"));
        }
        names.extend(nonempty_text(&entry).map(|name| (code.to_owned(), name)));
    }
    for language in statements.iter().filter(|language| node.raw.get(language).is_none()) {
        let message = format!("there is a statement in language `{language}`, but no name");
        node.at_key().error(message, format!("add `{language}: ...` to `name`"));
    }
    names.sort();
    names
}

/// Reports a key that is not the code of a natural language.
pub(super) fn check_language_code(node: &Node<'_>) -> bool {
    let is_one = is_natural_language(node.key);
    if !is_one {
        let message = format!("`{}` is not a language code", excerpt(node.key));
        node.at_key().error(message, "write ISO 639 codes such as `en`, `fil` or `pt-BR`");
    }
    is_one
}

pub(super) fn check_uuid(map: &mut Map<'_>) {
    let Some(node) = map.node("uuid") else {
        let help = "add a line `uuid: ...`; `uuidgen` or `cat /proc/sys/kernel/random/uuid` prints a new one";
        map.node.at_file().publishing_error("has no `uuid`", help);
        return;
    };
    if let Ok(uuid) = nonempty_text(&node)
        && !is_uuid(&uuid)
    {
        let help =
            "a UUID looks like 123e4567-e89b-42d3-a456-426614174000; `uuidgen` prints a new one";
        node.warning(format!("`{}` is not a UUID", excerpt(&uuid)), help);
    }
}

/// A day, or a day and a time in UTC: `2026-01-31`, `2026-01-31T18:00:00Z`.
pub(super) fn check_moment(node: &Node<'_>) -> ParseResult<()> {
    let word = node.word();
    let dates = [word.to_owned(), format!("{word}T00:00:00Z")];
    if dates.iter().any(|date| date.parse::<Moment>().is_ok()) {
        return Ok(());
    }
    let message = format!("`{}` must be a date, or a date and a time in UTC", node.path);
    Err(node.error(message, "write it as 2026-01-31 or 2026-01-31T18:00:00Z"))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The permitted languages; `None` for all.
pub(super) fn read_languages(node: &Node<'_>) -> ParseResult<Option<Vec<String>>> {
    if !matches!(node.raw.value, Value::Sequence(_)) {
        return match text(node)?.as_str() {
            "all" => Ok(None),
            word => {
                let message = format!(
                    "`languages` must be `all` or a sequence of language codes, not `{}`",
                    excerpt(word)
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
            item.error("`all` must not be in a sequence", help);
            continue;
        }
        let Ok(code) = programming_language(&item) else { continue };
        if codes.contains(&code) {
            item.warning(format!("language `{code}` is given twice"), "")
        } else {
            codes.push(code)
        }
    }
    Ok(Some(codes).filter(|codes| !codes.is_empty()))
}
