//! People, sources and licence of `problem.yaml`. Nothing depends on them, so they are checked and not kept.
//!
//! Source: problem package format 2025-09, "Credits", "Source", "License", "Rights owner".

use crate::package::kattis::problem_yaml::is_language;
use crate::package::node::{Map, Node, Parse};
use crate::package::text::shown;
use crate::package::values::{filled_text, text};

/// Checks the keys about rights, of which somebody may have to hold them.
pub(super) fn check(map: &mut Map<'_>) {
    let has_authors = map.get("credits", credits).unwrap_or_default();
    let has_source = map.get("source", |node| Ok(node.one_or_more().any(|it| source(&it).is_ok())));
    license(map, has_authors || has_source.unwrap_or_default());
}

/// Whether there are authors.
fn credits(node: &Node<'_>) -> Parse<bool> {
    if node.raw.scalar().is_some() {
        return person(node).map(|_| true);
    }
    let mut map = node.map()?;
    let authors = map.get("authors", people);
    for role in ["contributors", "testers", "packagers", "acknowledgements"] {
        map.get(role, people);
    }
    map.get("translators", |node| {
        for entry in node.entries("a map of language codes to people")? {
            is_language(&entry);
            people(&entry)?;
        }
        Ok(())
    });
    Ok(authors.is_some_and(|count| count > 0))
}

/// Checks one person or several; how many are understood.
pub(super) fn people(node: &Node<'_>) -> Parse<usize> {
    Ok(node.one_or_more().filter(|node| person(node).is_ok()).count())
}

fn person(node: &Node<'_>) -> Parse<String> {
    if node.is_map() {
        let mut map = node.map()?;
        let name = map.ask("name", filled_text);
        for key in ["email", "orcid", "kattis"] {
            map.get(key, text);
        }
        return name?.ok_or_else(|| {
            let message = format!("a person of `{}` has no `name`", node.path);
            node.error(message, "add `name: ...`")
        });
    }
    let text = filled_text(node)?;
    let fault = match text.split_once('<') {
        None => return Ok(text),
        Some((_, rest)) if !is_mail(rest) => "is not a name with a mail address",
        Some((name, _)) if name.trim().is_empty() => "has no name before the mail address",
        Some(_) => return Ok(text),
    };
    Err(node.error(format!("`{}` {fault}", shown(&text)), "write `Full Name <name@example.org>`"))
}

/// Whether this is a mail address with the `>` behind it.
fn is_mail(rest: &str) -> bool {
    let mail = rest.trim_end().strip_suffix('>');
    mail.is_some_and(|mail| !mail.is_empty() && !mail.contains(['<', '>']))
}

fn source(node: &Node<'_>) -> Parse<String> {
    if !node.is_map() {
        return filled_text(node);
    }
    let mut map = node.map()?;
    let name = map.ask("name", filled_text);
    map.get("url", text);
    name?.ok_or_else(|| node.error("a `source` has no `name`", "add `name: ...`"))
}

const LICENSES: [&str; 7] =
    ["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"];

/// Who owns the rights, if nobody says so: the authors, or where there are none the source.
fn license(map: &mut Map<'_>, has_origin: bool) {
    let license = map.get("license", text).unwrap_or_else(|| "unknown".to_owned());
    map.get("rights_owner", filled_text);
    let license = license.as_str();
    match (map.node("license"), map.node("rights_owner")) {
        (Some(node), _) if !LICENSES.contains(&license) => {
            node.unknown(format!("`{}` is not a licence of the format", shown(license)), &LICENSES);
        }
        (_, Some(owner)) if license == "public domain" => {
            let message = "a problem in the public domain has no `rights_owner`";
            owner.key_error(message, "remove the line, or change `license`");
        }
        (Some(node), None) if !matches!(license, "unknown" | "public domain") && !has_origin => {
            let message = format!("licence `{license}` needs a rights owner");
            node.lack(message, "add `rights_owner`, `credits.authors` or `source`");
        }
        _ => {}
    }
}
