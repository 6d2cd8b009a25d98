//! Parsers of single values: texts, truth values, numbers.

use std::fmt::Display;
use std::time::Duration;

use crate::package::languages;
use crate::package::node::{Node, ParseResult};
use crate::package::text::excerpt;
use crate::package::yaml::{Scalar, ScalarMeaning};

/// A text. Plain numbers and truth values are taken as written, with a warning: other readers see `1.0` as a number
/// and may write it differently.
pub(super) fn text(node: &Node<'_>) -> ParseResult<String> {
    match node.meaning() {
        Some(ScalarMeaning::Text) => {}
        None | Some(ScalarMeaning::Null) => return Err(node.must_be("a text")),
        Some(_) => {
            let message = format!(
                "{} must be a text, but YAML sees {}",
                node.display_name(),
                node.kind_text()
            );
            node.warning(message, format!("put it in quotes: \"{}\"", excerpt(node.word())));
        }
    }
    Ok(node.word().to_owned())
}

pub(super) fn nonempty_text(node: &Node<'_>) -> ParseResult<String> {
    let text = text(node)?;
    match text.trim() {
        "" => Err(node.error(format!("{} is empty", node.display_name()), "")),
        _ => Ok(text),
    }
}

pub(super) fn texts(node: &Node<'_>) -> ParseResult<Vec<String>> {
    // Reads all items before it fails, so that each fault is reported.
    let texts: Vec<_> = node.items("a sequence of texts")?.map(|item| text(&item)).collect();
    texts.into_iter().collect()
}

pub(super) fn boolean(node: &Node<'_>) -> ParseResult<bool> {
    let expected = "`true` or `false`";
    match (node.meaning(), node.word().to_lowercase().as_str()) {
        (Some(ScalarMeaning::Boolean(value)), _) => Ok(value),
        (_, word @ ("yes" | "no" | "on" | "off")) => {
            let message =
                format!("{} must be {expected}, not {}", node.display_name(), node.kind_text());
            Err(node.error(message, format!("write `{}`", matches!(word, "yes" | "on"))))
        }
        _ => Err(node.must_be(expected)),
    }
}

pub(super) fn integer<T: TryFrom<i64>>(
    node: &Node<'_>,
    least: i64,
    expected: &str,
) -> ParseResult<T> {
    let too_large = || node.error(format!("{} is too large", node.display_name()), "");
    match node.meaning() {
        Some(ScalarMeaning::Integer(None)) => Err(too_large()),
        Some(ScalarMeaning::Integer(Some(value))) if value >= least => {
            T::try_from(value).map_err(|_| too_large())
        }
        Some(ScalarMeaning::Integer(_) | ScalarMeaning::Float(_)) => {
            Err(node.out_of_bounds(expected))
        }
        _ => Err(node.must_be(expected)),
    }
}

/// An integer above 0, in this unit.
pub(super) fn positive<T: TryFrom<i64>>(node: &Node<'_>, unit: &str) -> ParseResult<T> {
    integer(node, 1, &format!("an integer above 0, in {unit}"))
}

pub(super) fn at_most<T: PartialOrd + Display>(
    most: T,
    value: T,
    node: &Node<'_>,
) -> ParseResult<T> {
    if value > most {
        Err(node.error(format!("{} is too large", node.display_name()), format!("at most {most}")))
    } else {
        Ok(value)
    }
}

#[derive(Clone, Copy)]
pub(super) enum NumberBound {
    Above(f64),
    AtLeast(f64),
}

pub(super) fn number(node: &Node<'_>, bound: NumberBound) -> ParseResult<f64> {
    bounded_number(node, node.meaning(), bound)
}

/// A finite number, which may be in quotes.
pub(super) fn number_or_text(node: &Node<'_>, bound: NumberBound) -> ParseResult<f64> {
    let plain = |text: &str| Scalar { text: text.trim().to_owned(), quoted: false }.meaning();
    bounded_number(node, node.raw.scalar().map(|scalar| plain(&scalar.text)), bound)
}

fn bounded_number(
    node: &Node<'_>,
    meaning: Option<ScalarMeaning>,
    bound: NumberBound,
) -> ParseResult<f64> {
    let expected = match bound {
        NumberBound::Above(least) => format!("a number above {least}"),
        NumberBound::AtLeast(least) => format!("a number of at least {least}"),
    };
    let value = match meaning {
        Some(ScalarMeaning::Integer(Some(value))) => value as f64,
        Some(ScalarMeaning::Integer(None)) => f64::INFINITY,
        Some(ScalarMeaning::Float(value)) => value,
        _ => return Err(node.must_be(&expected)),
    };
    let holds = match bound {
        NumberBound::Above(least) => value > least,
        NumberBound::AtLeast(least) => value >= least,
    };
    if holds && value.is_finite() { Ok(value) } else { Err(node.out_of_bounds(&expected)) }
}

/// A time above 0 in seconds; a time beyond a week counts as a week.
pub(super) fn seconds(node: &Node<'_>) -> ParseResult<Duration> {
    Ok(Duration::from_secs_f64(number(node, NumberBound::Above(0.0))?.min(1e6)))
}

pub(super) fn programming_language(node: &Node<'_>) -> ParseResult<String> {
    let code = text(node)?;
    if languages::is_programming_language(&code) {
        if languages::is_only_of_juror(&code) {
            let message =
                format!("the format has no language `{code}`: other judges do not know it");
            node.warning(message, "juror does; for other judges, use a code of the format's table");
        }
        return Ok(code);
    }
    let message = format!("`{}` is not a language code", excerpt(&code));
    Err(node.error(message, languages::help_for_code(&code)))
}
