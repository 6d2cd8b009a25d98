//! People, sources and licence of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Credits", "Source", "License", "Rights owner".

use crate::model::problem::{Credit, Metadata, Source};
use crate::package::kattis_2025_09::problem_yaml::is_language;
use crate::package::node::{Map, Node, Parse};
use crate::package::text::shown;
use crate::package::values::{filled_text, text};

const ROLES: [&str; 5] = ["authors", "contributors", "testers", "packagers", "acknowledgements"];

/// `credits`: a name, or people by role.
pub(super) fn credits(node: &Node<'_>) -> Parse<Vec<Credit>> {
    if node.raw.scalar().is_some() {
        return Ok(vec![person(node, "authors")?]);
    }
    let mut map = node.map()?;
    let mut credits = Vec::new();
    for role in ROLES {
        credits.extend(map.node(role).iter().flat_map(|node| people(node, role)));
    }
    credits.extend(map.get("translators", translators).into_iter().flatten());
    Ok(credits)
}

fn translators(node: &Node<'_>) -> Parse<Vec<Credit>> {
    let languages = node.entries("a map of language codes to people")?;
    let in_language = |node: Node<'_>| {
        is_language(&node);
        people(&node, &format!("translators.{}", node.key))
    };
    Ok(languages.flat_map(in_language).collect())
}

/// One person or several.
pub(super) fn people(node: &Node<'_>, role: &str) -> Vec<Credit> {
    node.one_or_more().filter_map(|node| person(&node, role).ok()).collect()
}

fn person(node: &Node<'_>, role: &str) -> Parse<Credit> {
    let mut it = Credit { role: role.to_owned(), ..Credit::default() };
    if node.is_map() {
        let mut map = node.map()?;
        let name = map.ask("name", filled_text);
        map.set("email", &mut it.email, text);
        map.set("orcid", &mut it.orcid, text);
        map.set("kattis", &mut it.kattis, text);
        it.name = name?.ok_or_else(|| {
            let message = format!("a person of `{}` has no `name`", node.path);
            node.error(message, "add `name: ...`")
        })?;
        return Ok(it);
    }
    let text = filled_text(node)?;
    let help = "write `Full Name <name@example.org>`";
    let (name, rest) = text.split_once('<').unwrap_or((&text, ""));
    it.name = name.trim().to_owned();
    if name.len() < text.len() {
        let email = rest.trim_end().strip_suffix('>');
        it.email = email.filter(|it| !it.is_empty() && !it.contains(['<', '>'])).map(str::to_owned);
        if it.email.is_none() {
            let message = format!("`{}` is no name with a mail address", shown(&text));
            return Err(node.error(message, help));
        }
    }
    if it.name.is_empty() {
        let message = format!("`{}` has no name before the mail address", shown(&text));
        return Err(node.error(message, help));
    }
    Ok(it)
}

/// `source`: a name, a map, or a sequence of such.
pub(super) fn sources(node: &Node<'_>) -> Parse<Vec<Source>> {
    Ok(node.one_or_more().filter_map(|node| source(&node).ok()).collect())
}

fn source(node: &Node<'_>) -> Parse<Source> {
    if !node.is_map() {
        return Ok(Source { name: filled_text(node)?, url: None });
    }
    let mut map = node.map()?;
    let name = map.ask("name", filled_text);
    let url = map.get("url", text);
    let missing = || node.error("a `source` has no `name`", "add `name: ...`");
    Ok(Source { name: name?.ok_or_else(missing)?, url })
}

const LICENSES: [&str; 7] =
    ["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"];

/// Reads `license` and `rights_owner`, which depend on each other, on credits and on sources.
pub(super) fn license(map: &mut Map<'_>, it: &mut Metadata) {
    it.license = map.get("license", text).unwrap_or_else(|| "unknown".to_owned());
    map.set("rights_owner", &mut it.rights_owner, filled_text);
    let license = it.license.as_str();
    match (map.node("license"), map.node("rights_owner")) {
        (Some(node), _) if !LICENSES.contains(&license) => {
            node.unknown(format!("`{}` is no licence of the format", shown(license)), &LICENSES);
        }
        (_, Some(owner)) if license == "public domain" => {
            let message = "a problem in the public domain has no `rights_owner`";
            owner.key_error(message, "remove the line, or change `license`");
        }
        (Some(node), None) if !matches!(license, "unknown" | "public domain") => {
            let has_author = it.credits.iter().any(|credit| credit.role == "authors");
            if !has_author && it.sources.is_empty() {
                let message = format!("licence `{license}` needs a rights owner");
                node.error(message, "add `rights_owner`, `credits.authors` or `source`");
            }
        }
        _ => {}
    }
}
