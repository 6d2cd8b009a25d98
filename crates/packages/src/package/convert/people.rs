//! Who made a problem, who owns it, and where it comes from.

use crate::package::convert::old_settings::{OldSettings, item_texts};
use crate::package::convert::settings::{SETTINGS, SettingsKeys};
use crate::package::convert::{Planner, map, raw, text, texts};
use crate::package::yaml::{RawValue, Value};

impl Planner<'_> {
    pub(super) fn add_2025_09_people(&mut self, old: &OldSettings, keys: &mut SettingsKeys) {
        let authors = old.value("author").map(split_authors).unwrap_or_default();
        match &authors[..] {
            [] => {}
            _ if old.value("credits").is_some() => self.leave_out(SETTINGS, "key `author`"),
            [author] => keys.push(("credits", text(author))),
            _ => keys.push(("credits", map([("authors", texts(authors))]))),
        }
        let owner = old.value("rights_owner").map(|owner| item_texts(owner).join(", "));
        keys.extend(owner.filter(|name| !name.is_empty()).map(|name| ("rights_owner", text(name))));
        keys.extend(source_with_url(old).map(|source| ("source", source)));
    }

    pub(super) fn add_legacy_people(&mut self, old: &OldSettings, keys: &mut SettingsKeys) {
        let credits = old.value("credits");
        let people = credits.and_then(|credits| credits.get("authors")).or(credits);
        if let Some(people) = people.filter(|people| people.get("authors").is_none()) {
            for key in ["orcid", "kattis"].into_iter().filter(|key| any_has_key(people, key)) {
                self.leave_out(SETTINGS, format!("credits.authors.{key}"));
            }
            let names = item_texts(people);
            let author = text(names.join(", "));
            if !names.is_empty() {
                // A name with a comma or an `and` is read as two.
                let read = split_authors(&author);
                if read != names {
                    let became = read.join("; ");
                    self.losses.add(
                        SETTINGS,
                        format!("authors: {}", names.join("; ")),
                        Some(became),
                    );
                }
                keys.push(("author", author));
            }
        }
        for entry in credits.map(RawValue::entries).unwrap_or_default() {
            if entry.key != "authors" {
                self.leave_out(SETTINGS, format!("credits.{}", entry.key));
            }
        }
        let Some(source) = old.value("source") else { return };
        let sources = match &source.value {
            Value::Sequence(items) => items.iter().collect(),
            _ => vec![source],
        };
        if sources.len() > 1 {
            self.leave_out(SETTINGS, "all but the first `source`");
        }
        let first = sources.first().copied().unwrap_or(source);
        keys.extend(item_texts(first).into_iter().next().map(|name| ("source", text(name))));
        let url = first.get("url").or(old.value("source_url"));
        keys.extend(url.map(|url| ("source_url", url.clone())));
    }

    /// The text of a key. A value of another kind is left out.
    pub(super) fn text_of(&mut self, old: &OldSettings, key: &str) -> Option<String> {
        if old.value(key).is_some_and(|value| value.scalar().is_none()) {
            self.leave_out(SETTINGS, format!("key `{key}`"));
        }
        old.text(key)
    }
}

/// The source with its address, which legacy has for one source.
fn source_with_url(old: &OldSettings) -> Option<RawValue> {
    let Some(url) = old.text("source_url") else { return old.value("source").cloned() };
    let mut names = old.value("source").map(item_texts).unwrap_or_default().into_iter();
    let first = map([("name", text(names.next().unwrap_or(url.clone()))), ("url", text(url))]);
    let rest: Vec<RawValue> = names.map(text).collect();
    Some(if rest.is_empty() {
        first
    } else {
        raw(Value::Sequence(std::iter::once(first).chain(rest).collect()))
    })
}

fn any_has_key(value: &RawValue, key: &str) -> bool {
    match &value.value {
        Value::Sequence(inner) => inner.iter().any(|item| any_has_key(item, key)),
        _ => value.get(key).is_some(),
    }
}

/// The authors of a legacy package. A text is separated as problemtools does, at commas and at the words `and` and `&`,
/// and also at semicolons and line ends; in a list, each item is one author.
fn split_authors(value: &RawValue) -> Vec<String> {
    let Some(scalar) = value.scalar() else {
        let all = item_texts(value).into_iter().map(|author| author.trim().to_owned());
        return all.filter(|author| !author.is_empty()).collect();
    };
    let mut authors = Vec::new();
    for part in scalar.text.split([',', ';', '\n']) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let all = words.split(|word| matches!(*word, "and" | "&")).map(|words| words.join(" "));
        authors.extend(all.filter(|author| !author.is_empty()));
    }
    authors
}
