//! People, sources and licence of `problem.yaml`. Nothing depends on them, so they are checked but not kept.
//!
//! Source: problem package format 2025-09, "Credits", "Source", "License", "Rights owner".

use crate::package::kattis::problem_yaml::is_language;
use crate::package::node::{Map, Node, Parse};
use crate::package::text::shown;
use crate::package::values::{filled_text, text};

/// Checks the keys about rights: some licences need an owner.
pub(super) fn check(map: &mut Map<'_>) {
    let authors = map.get("credits", credits).unwrap_or_default();
    let sources = map.get("source", |node| named(node, &["url"])).unwrap_or_default();
    license(map, authors + sources > 0);
}

fn credits(node: &Node<'_>) -> Parse<usize> {
    if node.raw.scalar().is_some() {
        return people(node);
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
    Ok(authors.unwrap_or_default())
}

pub(super) fn people(node: &Node<'_>) -> Parse<usize> {
    named(node, &["email", "orcid", "kattis"])
}

/// Checks one item or several, each a text or a map with a `name` and these keys; returns how many are valid.
fn named(node: &Node<'_>, keys: &[&'static str]) -> Parse<usize> {
    let is_understood = |node: &Node<'_>| -> Parse<String> {
        if !node.is_map() {
            return filled_text(node);
        }
        let mut map = node.map()?;
        let name = map.ask("name", filled_text);
        for key in keys {
            map.get(key, text);
        }
        name?.ok_or_else(|| node.error(format!("{} has no `name`", node.what()), "add `name: ...`"))
    };
    Ok(node.one_or_more().filter(|node| is_understood(node).is_ok()).count())
}

pub(in crate::package) const LICENSES: [&str; 7] =
    ["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"];

/// The default owner of the rights is the authors, or the source if there are no authors.
fn license(map: &mut Map<'_>, has_origin: bool) {
    let license = map.get("license", text).unwrap_or_else(|| "unknown".to_owned());
    map.get("rights_owner", filled_text);
    let license = license.as_str();
    match (map.node("license"), map.node("rights_owner")) {
        (Some(node), _) if !LICENSES.contains(&license) => {
            let message = format!("`{}` is not a licence of the format", shown(license));
            node.unknown(message, &LICENSES);
        }
        (_, Some(owner)) if license == "public domain" => {
            let message = "a problem in the public domain has no `rights_owner`";
            owner.at_key().error(message, "remove the line, or change `license`");
        }
        (Some(node), None) if !matches!(license, "unknown" | "public domain") && !has_origin => {
            let message = format!("licence `{license}` needs a rights owner");
            node.lack(message, "add `rights_owner`, `credits.authors` or `source`");
        }
        _ => {}
    }
}
