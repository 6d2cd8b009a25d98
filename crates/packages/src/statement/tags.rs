//! The HTML that a statement may contain: a few text tags, and links.

use crate::statement::html::escape;

/// Tags that only change the look of text. They are accepted only without attributes.
const HARMLESS_TAGS: [&str; 15] = [
    "br", "hr", "b", "i", "u", "s", "em", "strong", "sub", "sup", "small", "code", "kbd", "center",
    "p",
];

/// Harmless tags stay, comments are removed, everything else becomes text. Also returns the names of the tags that
/// become text.
pub(super) fn neutralize(html: &str) -> (String, Vec<String>) {
    let mut neutral = String::new();
    let mut refused = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        neutral.push_str(&escape(&rest[..start]));
        rest = &rest[start..];
        if rest.starts_with("<!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
            continue;
        }
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        let (tag, after) = rest.split_at(end);
        let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
        let name = inner.trim_start_matches('/').to_ascii_lowercase();
        if HARMLESS_TAGS.contains(&name.as_str()) {
            let slash = if inner.starts_with('/') { "/" } else { "" };
            neutral.push_str(&format!("<{slash}{name}>"));
        } else {
            neutral.push_str(&escape(tag));
            let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            refused.push(name.to_owned());
        }
        rest = after;
    }
    neutral.push_str(&escape(rest));
    (neutral, refused)
}

/// Whether an address may be a link: to the web, a mail address, or a place on the page.
pub(super) fn is_link(address: &str) -> bool {
    let address = address.trim().to_ascii_lowercase();
    ["http://", "https://", "mailto:", "#"].iter().any(|start| address.starts_with(start))
}
