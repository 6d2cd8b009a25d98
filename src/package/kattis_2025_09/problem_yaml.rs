//! `problem.yaml`: what a problem is called, allows and asks.
//!
//! Source: problem package format 2025-09, "Problem metadata".

use crate::model::diagnostic::Diagnostic;
use crate::model::limits::ProblemLimits;
use crate::model::problem::Metadata;
use crate::model::program::Constant;
use crate::package::draft::FileWriting;
use crate::package::files::Tree;
use crate::package::kattis_2025_09::constants;
use crate::package::kattis_2025_09::credits;
use crate::package::kattis_2025_09::limits;
use crate::package::kattis_2025_09::problem_type::{self, ProblemType};
use crate::package::keys::{self, Keys, Replaced};
use crate::package::languages::is_natural_language;
use crate::package::suggest::list;
use crate::package::text::{Remarks, TextFile, shown};
use crate::package::yaml::{self, Node, Parsed, Value};

/// The version that juror reads.
const VERSION: &str = "2025-09";

/// What `problem.yaml` says.
#[derive(Debug, Default)]
pub(super) struct ProblemYaml {
    pub problem_type: ProblemType,
    pub metadata: Metadata,
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

const REPLACED: &[Replaced] = &[
    Replaced { old: "author", help: "in format 2025-09: `credits:` with `authors:` in it" },
    Replaced {
        old: "source_url",
        help: "in format 2025-09: `source:` with `name:` and `url:` in it",
    },
    Replaced {
        old: "validation",
        help: "in format 2025-09: `type: interactive`, or a program in `output_validator/`",
    },
    Replaced {
        old: "validator_flags",
        help: "in format 2025-09: `output_validator_args: [...]` in data/secret/test_group.yaml and data/sample/test_group.yaml",
    },
    Replaced { old: "grading", help: "in format 2025-09: keys of data/secret/test_group.yaml" },
    Replaced { old: "judgement_type", help: "in format 2025-09: `type:`" },
    Replaced { old: "submission_type", help: "in format 2025-09: `type:`" },
];

/// Directories that only the legacy format has.
const LEGACY_DIRECTORIES: [&str; 4] =
    ["problem_statement", "output_validators", "input_format_validators", "graders"];

/// Reads `problem.yaml`, which exists.
pub(super) fn read(tree: &Tree, statements: &[String], diagnostics: &mut Vec<Diagnostic>) -> Read {
    let Some(file) = TextFile::read(&tree.path("problem.yaml"), diagnostics) else {
        return Read::Broken;
    };
    let mut remarks = Remarks::new(&file, diagnostics);
    let root = match yaml::parse(&mut remarks) {
        Parsed::Document(root) => root,
        Parsed::Unreadable => return Read::Broken,
        Parsed::Empty => {
            remarks.error_in_file("is empty", Some("start with `problem_format_version: 2025-09`"));
            return Read::Broken;
        }
    };
    let Some(keys) = Keys::open("", &root, &mut remarks) else {
        return Read::Broken;
    };
    let mut keys = keys.replaced(REPLACED);
    if let Version::Other = version(&mut keys, tree, &mut remarks) {
        return Read::OtherVersion;
    }
    Read::Problem(Box::new(all_keys(keys, statements, &mut remarks)))
}

fn all_keys(mut keys: Keys<'_>, statements: &[String], remarks: &mut Remarks<'_>) -> ProblemYaml {
    let problem_type =
        keys.take("type").map(|node| problem_type::read(node, remarks)).unwrap_or_default();
    let names = names(&mut keys, statements, remarks);
    let uuid = uuid(&mut keys, remarks);
    let version = keys.text("version", remarks);
    let credits = keys.take("credits").map(|node| credits::credits(node, remarks));
    let sources = keys.take("source").map(|node| credits::sources(node, remarks));
    let metadata = Metadata {
        names,
        uuid,
        version,
        credits: credits.unwrap_or_default(),
        sources: sources.unwrap_or_default(),
        license: String::new(),
        rights_owner: None,
        embargo_until: embargo(&mut keys, remarks),
        keywords: keys
            .take("keywords")
            .and_then(|node| keys::texts("keywords", node, remarks))
            .unwrap_or_default(),
    };
    let metadata = credits::license(&mut keys, metadata, remarks);
    let limits = keys.take("limits").map(|node| limits::read(node, &problem_type, remarks));
    let languages = keys.take("languages").and_then(|node| languages(node, remarks));
    let file_writing = match keys.take("allow_file_writing") {
        None => FileWriting::Forbidden,
        Some(node) => match keys::boolean("allow_file_writing", node, remarks) {
            Some(true) => FileWriting::Allowed,
            Some(false) => FileWriting::Forbidden,
            None => FileWriting::Unknown,
        },
    };
    let constants = keys.take("constants").map(|node| constants::read(node, remarks));
    keys.finish(remarks);
    ProblemYaml {
        problem_type,
        metadata,
        limits: limits.unwrap_or_default(),
        languages,
        file_writing,
        constants: constants.unwrap_or_default(),
    }
}

enum Version {
    Ours,
    Other,
}

/// A package of another version gets one clear word instead of a page of faults.
fn version(keys: &mut Keys<'_>, tree: &Tree, remarks: &mut Remarks<'_>) -> Version {
    let Some(node) = keys.take("problem_format_version") else {
        let is_key = |key: &str| REPLACED.iter().any(|replaced| replaced.old == key);
        let legacy = keys.rest().any(|entry| is_key(&entry.key))
            || LEGACY_DIRECTORIES.iter().any(|name| tree.directory(name).is_some());
        let message = "has no `problem_format_version`; juror reads packages of format 2025-09";
        let help = if legacy {
            "a package without it is in the legacy format; convert it to 2025-09"
        } else {
            "add the line `problem_format_version: 2025-09`"
        };
        remarks.error_in_file(message, Some(help));
        return if legacy { Version::Other } else { Version::Ours };
    };
    let Some(version) = keys::text("problem_format_version", node, remarks) else {
        return Version::Ours;
    };
    if version == VERSION {
        return Version::Ours;
    }
    let known =
        ["legacy", "legacy-icpc", "draft"].contains(&version.as_str()) || is_dated(&version);
    let message = if known {
        format!("format `{}` is not supported; juror reads 2025-09", shown(&version))
    } else {
        format!("`{}` is no version of the format; juror reads 2025-09", shown(&version))
    };
    let help = if known {
        "convert the package: see https://www.kattis.com/problem-package-format/spec/2025-09"
    } else {
        "write `problem_format_version: 2025-09`"
    };
    remarks.error(node.range, message, Some(help));
    if known { Version::Other } else { Version::Ours }
}

/// `2023-07`, `2023-07-draft`
fn is_dated(version: &str) -> bool {
    let date = version.strip_suffix("-draft").unwrap_or(version).as_bytes();
    date.len() == 7
        && date[4] == b'-'
        && [0, 1, 2, 3, 5, 6].iter().all(|&at: &usize| date[at].is_ascii_digit())
}

/// The names by language code, which must be the statements' languages.
fn names(
    keys: &mut Keys<'_>,
    statements: &[String],
    remarks: &mut Remarks<'_>,
) -> Vec<(String, String)> {
    let Some(entry) = keys.entry("name") else {
        remarks.error_in_file("has no `name`", Some("add a line such as `name: Hello World!`"));
        return Vec::new();
    };
    let node = &entry.value;
    let Value::Map(entries) = &node.value else {
        let name = keys::filled_text("name", node, remarks);
        let names: Vec<(String, String)> =
            name.map(|name| ("en".to_owned(), name)).into_iter().collect();
        let foreign = statements.iter().any(|language| language != "en");
        if foreign {
            let message = format!(
                "a single `name` is the English one, but there are statements in: {}",
                list(statements.iter().map(String::as_str))
            );
            let help = "give a name for each language, such as `name: {en: ..., de: ...}`";
            remarks.error(node.range, message, Some(help));
        }
        return names;
    };
    let mut names = Vec::new();
    for entry in entries {
        let code = entry.key.as_str();
        if !is_natural_language(code) {
            let message = format!("`{}` is no language code", shown(code));
            let help = "write ISO 639 codes such as `en`, `fil` or `pt-BR`";
            remarks.error(entry.key_range, message, Some(help));
        } else if !statements.iter().any(|language| language == code) && !statements.is_empty() {
            let message = format!("there is a name for language `{code}`, but no statement");
            let help = format!("add statement/problem.{code}.md, or remove the name");
            remarks.error(entry.key_range, message, Some(&help));
        }
        if let Some(name) = keys::filled_text(&format!("name.{code}"), &entry.value, remarks) {
            names.push((code.to_owned(), name));
        }
    }
    for language in statements {
        if !entries.iter().any(|entry| entry.key == *language) {
            let message = format!("there is a statement in language `{language}`, but no name");
            let help = format!("add `{language}: ...` to `name`");
            remarks.error(entry.key_range, message, Some(&help));
        }
    }
    names.sort();
    names
}

fn uuid(keys: &mut Keys<'_>, remarks: &mut Remarks<'_>) -> String {
    let Some(node) = keys.take("uuid") else {
        let help = "add a line `uuid: ...`; `uuidgen` or `cat /proc/sys/kernel/random/uuid` prints a new one";
        remarks.error_in_file("has no `uuid`", Some(help));
        return String::new();
    };
    let uuid = keys::filled_text("uuid", node, remarks).unwrap_or_default();
    if !uuid.is_empty() && !is_uuid(&uuid) {
        let message = format!("`{}` is no UUID", shown(&uuid));
        let help =
            "a UUID looks like 123e4567-e89b-42d3-a456-426614174000; `uuidgen` prints a new one";
        remarks.warning(node.range, message, Some(help));
    }
    uuid
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn embargo(keys: &mut Keys<'_>, remarks: &mut Remarks<'_>) -> Option<String> {
    let node = keys.take("embargo_until")?;
    let date = keys::text("embargo_until", node, remarks)?;
    if !is_date(&date) {
        let message = format!("`{}` is no date", shown(&date));
        let help = "write a day such as 2026-01-31, or a time in UTC such as 2026-01-31T18:00:00Z";
        remarks.error(node.range, message, Some(help));
        return None;
    }
    Some(date)
}

/// `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, of the calendar.
fn is_date(text: &str) -> bool {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let time_holds = time.is_none_or(|time| {
        time.strip_suffix('Z')
            .and_then(|time| numbers(time, ':', [2, 2, 2]))
            .is_some_and(|[hour, minute, second]| hour < 24 && minute < 60 && second < 60)
    });
    let day_holds = numbers(day, '-', [4, 2, 2]).is_some_and(|[year, month, day]| {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        (1..=days).contains(&day)
    });
    time_holds && day_holds
}

/// Three numbers of so many digits each.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[u32; 3]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; 3];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// The allowed languages; `None` for all.
fn languages(node: &Node, remarks: &mut Remarks<'_>) -> Option<Vec<String>> {
    let Value::Sequence(items) = &node.value else {
        let word = keys::text("languages", node, remarks)?;
        if word != "all" {
            let message = format!(
                "`languages` must be `all` or a sequence of language codes, not `{}`",
                shown(&word)
            );
            let help =
                "write codes in brackets, such as `languages: [cpp, python3]`, or `languages: all`";
            remarks.error(node.range, message, Some(help));
        }
        return None;
    };
    let items: &[Node] =
        if items.is_empty() { keys::one_or_more("languages", node, remarks) } else { items };
    let mut codes: Vec<String> = Vec::new();
    for item in items {
        if matches!(&item.value, Value::Scalar(scalar) if scalar.text == "all") {
            let help = "write `languages: all` without brackets";
            remarks.error(item.range, "`all` does not stand in a sequence", Some(help));
            continue;
        }
        let Some(code) = keys::programming_language("languages", item, remarks) else {
            continue;
        };
        if codes.contains(&code) {
            remarks.warning(item.range, format!("language `{code}` is there twice"), None);
        } else {
            codes.push(code);
        }
    }
    (!codes.is_empty()).then_some(codes)
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
