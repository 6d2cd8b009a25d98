//! People, sources and licence of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Credits", "Source", "License", "Rights owner".

use crate::model::problem::{Credit, Metadata, Source};
use crate::package::keys::{self, Keys};
use crate::package::languages::is_natural_language;
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Node, Value};

const ROLES: [&str; 5] = ["authors", "contributors", "testers", "packagers", "acknowledgements"];

/// `credits`: a name, or people by role.
pub(super) fn credits(node: &Node, remarks: &mut Remarks<'_>) -> Vec<Credit> {
    if let Value::Scalar(_) = node.value {
        return person("authors", "credits", node, remarks).into_iter().collect();
    }
    let Some(mut keys) = Keys::open("credits", node, remarks) else {
        return Vec::new();
    };
    let mut credits = Vec::new();
    for role in ROLES {
        if let Some(node) = keys.take(role) {
            credits.extend(people(role, &format!("credits.{role}"), node, remarks));
        }
    }
    if let Some(node) = keys.take("translators") {
        credits.extend(translators(node, remarks));
    }
    keys.finish(remarks);
    credits
}

fn translators(node: &Node, remarks: &mut Remarks<'_>) -> Vec<Credit> {
    let Value::Map(entries) = &node.value else {
        keys::wrong_type(
            "`credits.translators`",
            "a map of language codes to people",
            node,
            remarks,
        );
        return Vec::new();
    };
    let mut credits = Vec::new();
    for entry in entries {
        if !is_natural_language(&entry.key) {
            let message = format!("`{}` is no language code", shown(&entry.key));
            let help = "write ISO 639 codes such as `en`, `fil` or `pt-BR`";
            remarks.error(entry.key_range, message, Some(help));
        }
        let role = format!("translators.{}", entry.key);
        credits.extend(people(&role, &format!("credits.{role}"), &entry.value, remarks));
    }
    credits
}

/// One person or several.
pub(super) fn people(
    role: &str,
    what: &str,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Vec<Credit> {
    keys::one_or_more(what, node, remarks)
        .iter()
        .filter_map(|node| person(role, what, node, remarks))
        .collect()
}

fn person(role: &str, what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<Credit> {
    if let Value::Map(_) = node.value {
        let mut keys = Keys::open(what, node, remarks)?;
        let name = match keys.take("name") {
            Some(node) => keys::filled_text(&format!("{what}.name"), node, remarks),
            None => {
                remarks.error(
                    node.range,
                    format!("a person of `{what}` has no `name`"),
                    Some("add `name: ...`"),
                );
                None
            }
        };
        let credit = Credit {
            role: role.to_owned(),
            name: name.unwrap_or_default(),
            email: keys.text("email", remarks),
            orcid: keys.text("orcid", remarks),
            kattis: keys.text("kattis", remarks),
        };
        keys.finish(remarks);
        return (!credit.name.is_empty()).then_some(credit);
    }
    let text = keys::filled_text(what, node, remarks)?;
    let (name, email) = match text.split_once('<') {
        None => (text.as_str(), None),
        Some((name, email)) => {
            let email = email.trim_end().strip_suffix('>');
            if email.is_none_or(|email| email.is_empty() || email.contains(['<', '>'])) {
                let message = format!("`{}` is no name with a mail address", shown(&text));
                let help = "write `Full Name <name@example.org>`";
                remarks.error(node.range, message, Some(help));
                return None;
            }
            (name, email)
        }
    };
    if name.trim().is_empty() {
        let message = format!("`{}` has no name before the mail address", shown(&text));
        remarks.error(node.range, message, Some("write `Full Name <name@example.org>`"));
        return None;
    }
    Some(Credit {
        role: role.to_owned(),
        name: name.trim().to_owned(),
        email: email.map(str::to_owned),
        orcid: None,
        kattis: None,
    })
}

/// `source`: a name, a map, or a sequence of such.
pub(super) fn sources(node: &Node, remarks: &mut Remarks<'_>) -> Vec<Source> {
    keys::one_or_more("source", node, remarks)
        .iter()
        .filter_map(|node| source(node, remarks))
        .collect()
}

fn source(node: &Node, remarks: &mut Remarks<'_>) -> Option<Source> {
    let Value::Map(_) = node.value else {
        let name = keys::filled_text("source", node, remarks)?;
        return Some(Source { name, url: None });
    };
    let mut keys = Keys::open("source", node, remarks)?;
    let name = match keys.take("name") {
        Some(node) => keys::filled_text("source.name", node, remarks),
        None => {
            remarks.error(node.range, "a `source` has no `name`", Some("add `name: ...`"));
            None
        }
    };
    let url = keys.text("url", remarks);
    keys.finish(remarks);
    Some(Source { name: name?, url })
}

const LICENSES: [&str; 7] =
    ["unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"];

/// Reads `license` and `rights_owner`, which depend on each other, on credits and on sources.
pub(super) fn license(
    keys: &mut Keys<'_>,
    metadata: Metadata,
    remarks: &mut Remarks<'_>,
) -> Metadata {
    let node = keys.take("license");
    let license = node.and_then(|node| keys::text("license", node, remarks));
    let license = license.unwrap_or_else(|| "unknown".to_owned());
    let owner = keys.entry("rights_owner");
    let rights_owner =
        owner.and_then(|entry| keys::filled_text("rights_owner", &entry.value, remarks));
    match (node, owner) {
        (Some(node), _) if !LICENSES.contains(&license.as_str()) => {
            let message = format!("`{}` is no licence of the format", shown(&license));
            keys::unknown_word(&message, &license, &LICENSES, node.range, remarks);
        }
        (_, Some(owner)) if license == "public domain" => {
            let message = "a problem in the public domain has no `rights_owner`";
            remarks.error(owner.key_range, message, Some("remove the line, or change `license`"));
        }
        (Some(node), None) if !matches!(license.as_str(), "unknown" | "public domain") => {
            let has_author = metadata.credits.iter().any(|credit| credit.role == "authors");
            if !has_author && metadata.sources.is_empty() {
                let message = format!("licence `{license}` needs a rights owner");
                let help = "add `rights_owner`, `credits.authors` or `source`";
                remarks.error(node.range, message, Some(help));
            }
        }
        _ => {}
    }
    Metadata { license, rights_owner, ..metadata }
}
