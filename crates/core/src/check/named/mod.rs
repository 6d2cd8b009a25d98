//! Comparisons by name: juror's own, the checkers that come with testlib, and those of DMOJ.
//!
//! Each name is a row: how texts are cut, how units are compared, in which order. One engine compares by any row. It
//! holds both texts in memory. `tests/checkers` has what the originals say.

mod compare;
mod cut;
mod engine;
mod rows;
mod unit;
mod value;

use crate::check::float::{Tolerance, parse_number};
use crate::check::named::rows::{
    LineRow, LineRule, RIGHT_STRIPPED_FULL, ROWS, Row, Strictness, UNORDERED, near,
};
use crate::check::named::unit::{ErrorMode, NumberRule, Unit};

const FLOAT: &str = "float";

/// A comparison that a user chose by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedComparison {
    name: &'static str,
    row: Row,
}

/// A judge answer that a comparison cannot read, and why: a fault of the package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{name}` expects {expected}, not {found}")]
pub struct RefusedAnswer {
    name: &'static str,
    line: u64,
    expected: String,
    found: String,
}

/// A fault in the arguments of a comparison or of the default output validator, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionsError(pub(super) String);

/// Finds a comparison by its name and arguments, such as `wcmp`, `float=1e-6` or `floats,precision=4`.
///
/// `None` if the name is unknown; then the text may be the path of a checker.
///
/// # Errors
///
/// If the name is known, but its arguments are not.
pub fn parse(text: &str) -> Result<Option<NamedComparison>, OptionsError> {
    let error = |message: String| Err(OptionsError(message));
    if text == FLOAT {
        return error("write the largest error: float=1e-6".to_owned());
    }
    if let Some(most) = text.strip_prefix("float=") {
        let (unit, most): (fn(Tolerance) -> Unit, _) = match most.strip_suffix(",integers=exact") {
            Some(most) => (Unit::NearUnlessIntegers, most),
            None => (Unit::Near, most),
        };
        let most = parse_error(FLOAT, most)?;
        let tolerance = Tolerance { absolute: Some(most), relative: Some(most) };
        return Ok(Some(NamedComparison { name: FLOAT, row: near(unit(tolerance)) }));
    }
    let mut parts = text.split(',');
    let name = parts.next().unwrap_or_default();
    let Some(&(name, row)) = ROWS.iter().find(|(known, _)| *known == name) else {
        return Ok(None);
    };
    let mut comparison = NamedComparison { name, row };
    let mut keys: Vec<&str> = Vec::new();
    for argument in parts {
        let Some((key, value)) = argument.split_once('=') else {
            return error(format!("`{argument}` has no value; write `{argument}=VALUE`"));
        };
        if keys.contains(&key) {
            return error(format!("`{key}` is given more than once; keep one of them"));
        }
        keys.push(key);
        comparison.set(key, value)?;
    }
    Ok(Some(comparison))
}

/// The name that a misspelt text may mean.
pub fn suggestion(text: &str) -> Option<&'static str> {
    let text = text.split([',', '=']).next().unwrap_or_default();
    let slips = |name: &&str| strsim::osa_distance(text, name);
    let near = names().filter(|name| slips(name) <= 1 + usize::from(name.len() > 4));
    near.min_by_key(slips)
}

/// Whether a text is one JSON value that `json` can read.
pub fn is_value(text: &str) -> bool {
    value::parse(text.as_bytes()).is_some()
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, _)| *name).chain([FLOAT])
}

/// The largest error of `float` or `json`.
fn parse_error(of: &str, text: &str) -> Result<f64, OptionsError> {
    let what = match parse_number(text.as_bytes()) {
        Some(number) if number < 0.0 => "is negative, so nothing would be accepted",
        Some(number) if number.is_infinite() => "is too large for a number",
        Some(number) => return Ok(number.abs()),
        None => "is not a number",
    };
    Err(OptionsError(format!("the error `{text}` of `{of}` {what}; write one such as `1e-6`")))
}

impl NamedComparison {
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether outputs are compared: not by `none`.
    pub fn compares(&self) -> bool {
        self.row != Row::Nothing
    }

    /// A warning if this accepts nearly everything.
    pub fn warning(&self) -> Option<String> {
        let Row::Tokens(rows::TokenRow { unit, .. }) = self.row else { return None };
        let (Unit::Near(tolerance) | Unit::NearUnlessIntegers(tolerance)) = unit else {
            return None;
        };
        let most = tolerance.absolute.filter(|most| *most >= 1.0)?;
        Some(format!(
            "float={most} accepts 0 for every number: the error is relative, too; choose one below 1, such as float=1e-6"
        ))
    }

    /// Sets an argument of a comparison of DMOJ.
    fn set(&mut self, key: &str, value: &str) -> Result<(), OptionsError> {
        let name = self.name;
        let wrong = |values: &str| {
            Err(OptionsError(format!("`{key}` of `{name}` is {values}, not `{value}`")))
        };
        match (&mut self.row, name, key) {
            (Row::Lines(LineRow { rule: LineRule::Floats(rule), .. }), _, "precision") => {
                let Some(precision) = value.parse::<u16>().ok().filter(|most| *most <= 300) else {
                    return wrong("a number of digits, 0 to 300");
                };
                rule.most = format!("1e-{precision}").parse().unwrap_or(rule.most);
            }
            (Row::Lines(LineRow { rule: LineRule::Floats(rule), .. }), "floats", "error_mode") => {
                rule.mode = match value {
                    "default" => ErrorMode::Either,
                    "absolute" => ErrorMode::Absolute,
                    "relative" => ErrorMode::Relative,
                    _ => return wrong("`default`, `absolute` or `relative`"),
                };
            }
            (row, "sorted", "split_on") => match value {
                "lines" => {}
                "whitespace" => *row = UNORDERED,
                _ => return wrong("`lines` or `whitespace`"),
            },
            (row, "rstripped", "filter_new_line") => match value {
                "false" => {}
                "true" => *row = RIGHT_STRIPPED_FULL,
                _ => return wrong("`true` or `false`"),
            },
            (Row::Value(rule), _, "tolerance") => rule.tolerance = Some(parse_error(name, value)?),
            (Row::Value(rule), _, "any_order" | "boxed") => {
                let is_set = if key == "boxed" { &mut rule.boxed } else { &mut rule.any_order };
                *is_set = match value {
                    "false" => false,
                    "true" => true,
                    _ => return wrong("`true` or `false`"),
                };
            }
            _ => {
                let known = match name {
                    "json" => "it has `tolerance`, `any_order` and `boxed`",
                    "floats" => "it has `precision` and `error_mode`",
                    "floatsabs" | "floatsrel" => "it has `precision`",
                    "sorted" => "it has `split_on`",
                    "rstripped" => "it has `filter_new_line`",
                    _ => "it has none",
                };
                let what = format!("`{name}` has no argument `{key}`; {known}");
                return Err(OptionsError(what));
            }
        }
        Ok(())
    }

    /// The arguments with which the default output validator comes nearest.
    pub(super) fn nearest_arguments(&self) -> Vec<String> {
        let tolerance = |name: &str, most: f64| vec![name.to_owned(), format!("{most:?}")];
        let case = || vec!["case_sensitive".to_owned()];
        let floats = |rule: unit::FloatRule| match rule.mode {
            ErrorMode::Either => tolerance("float_tolerance", rule.most),
            ErrorMode::Absolute => tolerance("float_absolute_tolerance", rule.most),
            ErrorMode::Relative => tolerance("float_relative_tolerance", rule.most),
        };
        match self.row {
            Row::Validator(Strictness::Bytes) => {
                [case(), vec!["space_change_sensitive".to_owned()]].concat()
            }
            Row::Validator(Strictness::Tokens) | Row::Nothing | Row::Letters => Vec::new(),
            Row::Tokens(row) => match row.unit {
                Unit::YesNo => Vec::new(),
                Unit::Near(near) | Unit::NearUnlessIntegers(near) => {
                    let most = near.absolute.unwrap_or_default();
                    [case(), tolerance("float_tolerance", most)].concat()
                }
                Unit::Number(rule) => match rule {
                    NumberRule::Absolute(most) => tolerance("float_absolute_tolerance", most),
                    NumberRule::AbsoluteOrRelative(most) => tolerance("float_tolerance", most),
                },
                _ => case(),
            },
            Row::Lines(LineRow { rule: LineRule::Floats(rule), .. }) => {
                [case(), floats(rule)].concat()
            }
            _ => case(),
        }
    }

    /// Whether the default output validator compares.
    pub(super) fn is_validator(&self) -> bool {
        matches!(self.row, Row::Validator(_))
    }

    /// Whether an output that equals the answer, and begins so, is right. Some rows refuse answers, and testlib skips a
    /// mark of the byte order only in outputs.
    pub fn accepts_equal_texts(&self, beginning: &[u8]) -> bool {
        self.row.accepts_equal_texts() && !(self.row.skips_mark() && engine::has_mark(beginning))
    }

    /// Whether this is `words`, the default where nothing else is said.
    pub(super) fn is_by_words(&self) -> bool {
        self.name == ROWS[0].0
    }
}

#[cfg(test)]
mod tests;
