//! Parsers of single values: texts, truth values, numbers.

use std::fmt::Display;
use std::time::Duration;

use crate::package::languages;
use crate::package::node::{Node, Parse};
use crate::package::text::shown;
use crate::package::yaml::{Meaning, Scalar};

/// A text. Plain numbers and truth values are taken as written, with a warning: other readers see `1.0` as a number
/// and may write it differently.
pub(super) fn text(node: &Node<'_>) -> Parse<String> {
    match node.meaning() {
        Some(Meaning::Text) => {}
        None | Some(Meaning::Null) => return Err(node.must_be("a text")),
        Some(_) => {
            let message = format!("{} must be a text, but YAML sees {}", node.what(), node.kind());
            node.warning(message, format!("put it in quotes: \"{}\"", shown(node.word())));
        }
    }
    Ok(node.word().to_owned())
}

pub(super) fn filled_text(node: &Node<'_>) -> Parse<String> {
    let text = text(node)?;
    match text.trim() {
        "" => Err(node.error(format!("{} is empty", node.what()), "")),
        _ => Ok(text),
    }
}

pub(super) fn texts(node: &Node<'_>) -> Parse<Vec<String>> {
    // Reads all items before it fails, so that each fault is reported.
    let texts: Vec<_> = node.items("a sequence of texts")?.map(|item| text(&item)).collect();
    texts.into_iter().collect()
}

pub(super) fn boolean(node: &Node<'_>) -> Parse<bool> {
    let wanted = "`true` or `false`";
    match (node.meaning(), node.word().to_lowercase().as_str()) {
        (Some(Meaning::Boolean(value)), _) => Ok(value),
        (_, word @ ("yes" | "no" | "on" | "off")) => {
            let message = format!("{} must be {wanted}, not {}", node.what(), node.kind());
            Err(node.error(message, format!("write `{}`", matches!(word, "yes" | "on"))))
        }
        _ => Err(node.must_be(wanted)),
    }
}

pub(super) fn integer<T: TryFrom<i64>>(node: &Node<'_>, least: i64, wanted: &str) -> Parse<T> {
    let too_large = || node.error(format!("{} is too large", node.what()), "");
    match node.meaning() {
        Some(Meaning::Integer(None)) => Err(too_large()),
        Some(Meaning::Integer(Some(value))) if value >= least => {
            T::try_from(value).map_err(|_| too_large())
        }
        Some(Meaning::Integer(_) | Meaning::Float(_)) => Err(node.refused(wanted)),
        _ => Err(node.must_be(wanted)),
    }
}

/// An integer above 0, in this unit.
pub(super) fn positive<T: TryFrom<i64>>(node: &Node<'_>, unit: &str) -> Parse<T> {
    integer(node, 1, &format!("an integer above 0, in {unit}"))
}

pub(super) fn at_most<T: PartialOrd + Display>(most: T, value: T, node: &Node<'_>) -> Parse<T> {
    if value > most {
        Err(node.error(format!("{} is too large", node.what()), format!("at most {most}")))
    } else {
        Ok(value)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Bound {
    Above(f64),
    AtLeast(f64),
}

pub(super) fn number(node: &Node<'_>, bound: Bound) -> Parse<f64> {
    number_meant(node, node.meaning(), bound)
}

/// A finite number, which may be in quotes.
pub(super) fn number_or_text(node: &Node<'_>, bound: Bound) -> Parse<f64> {
    let plain = |text: &str| Scalar { text: text.trim().to_owned(), quoted: false }.meaning();
    number_meant(node, node.raw.scalar().map(|it| plain(&it.text)), bound)
}

fn number_meant(node: &Node<'_>, meaning: Option<Meaning>, bound: Bound) -> Parse<f64> {
    let wanted = match bound {
        Bound::Above(least) => format!("a number above {least}"),
        Bound::AtLeast(least) => format!("a number of at least {least}"),
    };
    let value = match meaning {
        Some(Meaning::Integer(Some(value))) => value as f64,
        Some(Meaning::Integer(None)) => f64::INFINITY,
        Some(Meaning::Float(value)) => value,
        _ => return Err(node.must_be(&wanted)),
    };
    let holds = match bound {
        Bound::Above(least) => value > least,
        Bound::AtLeast(least) => value >= least,
    };
    if holds && value.is_finite() { Ok(value) } else { Err(node.refused(&wanted)) }
}

/// A time above 0 in seconds; a time beyond a week counts as a week.
pub(super) fn seconds(node: &Node<'_>) -> Parse<Duration> {
    Ok(Duration::from_secs_f64(number(node, Bound::Above(0.0))?.min(1e6)))
}

pub(super) fn programming_language(node: &Node<'_>) -> Parse<String> {
    let code = text(node)?;
    if languages::is_programming_language(&code) {
        if languages::is_our_own(&code) {
            let message =
                format!("the format has no language `{code}`: other judges do not know it");
            node.warning(message, "juror does; for other judges, use a code of the format's table");
        }
        return Ok(code);
    }
    let message = format!("`{}` is not a language code", shown(&code));
    Err(node.error(message, languages::help_for(&code)))
}
