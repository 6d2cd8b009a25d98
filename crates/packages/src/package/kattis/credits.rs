//! People, sources and licence of `problem.yaml`. Nothing depends on them, so they are checked but not kept.
//!
//! Source: problem package format 2025-09, "Credits", "Source", "License", "Rights owner".

use crate::package::kattis::problem_yaml::check_language_code;
use crate::package::node::{Map, Node, ParseResult};
use crate::package::text::excerpt;
use crate::package::values::{nonempty_text, text};

/// Checks the keys about rights: some licences need an owner.
pub(super) fn check(map: &mut Map<'_>) {
    let authors = map.get("credits", count_authors).unwrap_or_default();
    let sources = map.get("source", |node| count_named(node, &["url"])).unwrap_or_default();
    check_license(map, authors + sources > 0);
}

fn count_authors(node: &Node<'_>) -> ParseResult<usize> {
    if node.raw.scalar().is_some() {
        return count_people(node);
    }
    let mut map = node.map()?;
    let authors = map.get("authors", count_people);
    for role in ["contributors", "testers", "packagers", "acknowledgements"] {
        map.get(role, count_people);
    }
    map.get("translators", |node| {
        for entry in node.entries("a map of language codes to people")? {
            check_language_code(&entry);
            count_people(&entry)?;
        }
        Ok(())
    });
    Ok(authors.unwrap_or_default())
}

pub(super) fn count_people(node: &Node<'_>) -> ParseResult<usize> {
    count_named(node, &["email", "orcid", "kattis"])
}

/// Checks one item or several, each a text or a map with a `name` and these keys; returns how many are valid.
fn count_named(node: &Node<'_>, keys: &[&'static str]) -> ParseResult<usize> {
    let is_understood = |node: &Node<'_>| -> ParseResult<String> {
        if !node.is_map() {
            return nonempty_text(node);
        }
        let mut map = node.map()?;
        let name = map.try_get("name", nonempty_text);
        for key in keys {
            map.get(key, text);
        }
        name?.ok_or_else(|| {
            node.error(format!("{} has no `name`", node.display_name()), "add `name: ...`")
        })
    };
    Ok(node.one_or_more().filter(|node| is_understood(node).is_ok()).count())
}

pub(in crate::package) const LICENSES: [&str; 7] =
    ["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"];

/// The default owner of the rights is the authors, or the source if there are no authors.
fn check_license(map: &mut Map<'_>, has_origin: bool) {
    let license = map.get("license", text).unwrap_or_else(|| "unknown".to_owned());
    map.get("rights_owner", nonempty_text);
    let license = license.as_str();
    match (map.node("license"), map.node("rights_owner")) {
        (Some(node), _) if !LICENSES.contains(&license) => {
            let message = format!("`{}` is not a licence of the format", excerpt(license));
            node.unknown_word(message, &LICENSES);
        }
        (_, Some(owner)) if license == "public domain" => {
            let message = "a problem in the public domain has no `rights_owner`";
            owner.at_key().error(message, "remove the line, or change `license`");
        }
        (Some(node), None) if !matches!(license, "unknown" | "public domain") && !has_origin => {
            let message = format!("licence `{license}` needs a rights owner");
            node.publishing_error(message, "add `rights_owner`, `credits.authors` or `source`");
        }
        _ => {}
    }
}
