//! Comparisons by name: juror's own, the checkers that come with testlib, and those of DMOJ.
//!
//! Each name is a row: how texts are cut, how units are compared, in which order. One engine compares by any row. It
//! holds both texts in memory. `tests/checkers` has what the originals say.

mod cut;
mod engine;
mod rows;
mod unit;

use std::io;

use crate::check::bytes::{common_prefix, count_tokens};
use crate::check::compare::{CompareError, compare_windows};
use crate::check::excerpt::{DifferenceSpot, DroppedPart, sides};
use crate::check::float::{Tolerance, parse_number};
use crate::check::named::cut::Span;
use crate::check::named::engine::{AnswerFault, Unequal, compare_texts};
use crate::check::named::rows::{
    LineRule, RIGHT_STRIPPED_FULL, ROWS, Row, Strictness, UNORDERED, near,
};
use crate::check::named::unit::{ErrorMode, NumberRule};
use crate::check::options::{Options, OptionsError};
use crate::difference::{Difference, OnlyDifference};
use crate::text::visible;

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

/// Finds a comparison by its name and arguments, such as `wcmp`, `float=1e-6` or `floats,precision=4`.
///
/// `None` if the name is unknown; then the text may be the path of a checker.
///
/// # Errors
///
/// If the name is known, but its arguments are not.
pub fn parse(text: &str) -> Result<Option<NamedComparison>, OptionsError> {
    let error = |message: String| Err(OptionsError::new(message));
    if text == FLOAT {
        return error("write the largest error: float=1e-6".to_owned());
    }
    if let Some(most) = text.strip_prefix("float=") {
        let most = parse_error(most)?;
        let tolerance = Tolerance { absolute: Some(most), relative: Some(most) };
        return Ok(Some(NamedComparison { name: FLOAT, row: near(tolerance) }));
    }
    let mut parts = text.split(',');
    let name = parts.next().unwrap_or_default();
    let Some(&(name, row)) = ROWS.iter().find(|(known, _)| *known == name) else {
        return Ok(None);
    };
    let mut found = NamedComparison { name, row };
    let mut given: Vec<&str> = Vec::new();
    for argument in parts {
        let Some((key, value)) = argument.split_once('=') else {
            return error(format!("`{argument}` has no value; write `{argument}=VALUE`"));
        };
        if given.contains(&key) {
            return error(format!("`{key}` is given more than once; keep one of them"));
        }
        given.push(key);
        found.set(key, value)?;
    }
    Ok(Some(found))
}

/// The name that a misspelt text may mean.
pub fn suggestion(text: &str) -> Option<&'static str> {
    let text = text.split([',', '=']).next().unwrap_or_default();
    let slips = |name: &&str| strsim::osa_distance(text, name);
    let near = names().filter(|name| slips(name) <= 1 + usize::from(name.len() > 4));
    near.min_by_key(slips)
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, _)| *name).chain([FLOAT])
}

const FLOAT: &str = "float";

/// The largest error of `float`.
fn parse_error(text: &str) -> Result<f64, OptionsError> {
    let what = match parse_number(text.as_bytes()) {
        Some(number) if number < 0.0 => "is negative, so nothing would be accepted",
        Some(number) if number.is_infinite() => "is too large for a number",
        Some(number) => return Ok(number.abs()),
        None => "is not a number",
    };
    Err(OptionsError::new(format!(
        "the error `{text}` of `float` {what}; write one such as `1e-6`"
    )))
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
        let Row::Tokens(rows::TokenRow { unit: unit::Unit::Near(tolerance), .. }) = self.row else {
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
            Err(OptionsError::new(format!("`{key}` of `{name}` is {values}, not `{value}`")))
        };
        match (name, key) {
            ("floats" | "floatsabs" | "floatsrel", "precision") => {
                let Some(precision) = value.parse::<u16>().ok().filter(|digits| *digits <= 300) else {
                    return wrong("a number of digits, 0 to 300");
                };
                if let Some(rule) = self.float_rule() {
                    rule.most = format!("1e-{precision}").parse().unwrap_or(rule.most);
                }
            }
            ("floats", "error_mode") => {
                let mode = match value {
                    "default" => ErrorMode::Either,
                    "absolute" => ErrorMode::Absolute,
                    "relative" => ErrorMode::Relative,
                    _ => return wrong("`default`, `absolute` or `relative`"),
                };
                if let Some(rule) = self.float_rule() {
                    rule.mode = mode;
                }
            }
            ("sorted", "split_on") => match value {
                "lines" => {}
                "whitespace" => self.row = UNORDERED,
                _ => return wrong("`lines` or `whitespace`"),
            },
            ("rstripped", "filter_new_line") => match value {
                "false" => {}
                "true" => self.row = RIGHT_STRIPPED_FULL,
                _ => return wrong("`true` or `false`"),
            },
            _ => {
                let known = match name {
                    "floats" => "it has `precision` and `error_mode`",
                    "floatsabs" | "floatsrel" => "it has `precision`",
                    "sorted" => "it has `split_on`",
                    "rstripped" => "it has `filter_new_line`",
                    _ => "it has none",
                };
                let what = format!("`{name}` has no argument `{key}`; {known}");
                return Err(OptionsError::new(what));
            }
        }
        Ok(())
    }

    fn float_rule(&mut self) -> Option<&mut unit::FloatRule> {
        match &mut self.row {
            Row::Lines(rows::LineRow { rule: LineRule::Floats(rule), .. }) => Some(rule),
            _ => None,
        }
    }
}

impl NamedComparison {
    /// The options that compare by this name. The others are those that come nearest, for diffs.
    pub fn options(self) -> Options {
        let nearest = Options::parse(&self.nearest_arguments()).unwrap_or_default();
        Options { named: Some(self), ..nearest }
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
                unit::Unit::YesNo => Vec::new(),
                unit::Unit::Near(near) => {
                    let most = near.absolute.unwrap_or_default();
                    [case(), tolerance("float_tolerance", most)].concat()
                }
                unit::Unit::Number(rule) => match rule {
                    NumberRule::Absolute(most) => tolerance("float_absolute_tolerance", most),
                    NumberRule::AbsoluteOrRelative(most) => tolerance("float_tolerance", most),
                },
                _ => case(),
            },
            Row::Lines(rows::LineRow { rule: LineRule::Floats(rule), .. }) => {
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

    /// What is to be said about an output that this accepts.
    pub(super) fn accepted_remark(&self, answer: &[u8], output: &[u8]) -> Option<&'static str> {
        let by_lines = compare_texts(&Row::TestlibLines(LineRule::Words), answer, output);
        let remark = "the words are right, but on other lines; `--compare lines` would reject them";
        by_lines.is_err().then_some(remark)
    }

    /// Compares two whole texts; `None` if the output is accepted.
    pub(super) fn compare(
        &self,
        answer: &[u8],
        output: &[u8],
    ) -> Result<Option<Difference>, CompareError> {
        match compare_texts(&self.row, answer, output) {
            Ok(()) => Ok(None),
            Err(Unequal::Refused(fault)) => Err(self.refusal(answer, &fault).into()),
            Err(Unequal::Unknown(fault)) => Err(io::Error::from(fault).into()),
            Err(Unequal::Different { mismatch, answer: left, output: right }) => {
                let runs = [left.of(answer), right.of(output)];
                let equal_bytes = common_prefix(runs[0], runs[1]);
                let whole = DroppedPart::default();
                let spot = |text, run, span: Span| DifferenceSpot {
                    window: text,
                    dropped: &whole,
                    offset: span.start as u64,
                    run,
                    start: span.start,
                    equal_bytes,
                };
                let (of_answer, of_output) =
                    sides(&spot(answer, runs[0], left), &spot(output, runs[1], right));
                let mut difference = Difference {
                    kind: mismatch.kind,
                    only: None,
                    accepted_by: None,
                    differing_tokens: 0,
                    gap: mismatch.gap,
                    answer: of_answer,
                    output: of_output,
                };
                for (side, text) in
                    [(&mut difference.answer, answer), (&mut difference.output, output)]
                {
                    side.length = text.len() as u64;
                    side.tokens = count_tokens(text);
                }
                if let Some(near) = self.compare_by_validator(answer, output) {
                    difference.differing_tokens = near.differing_tokens;
                    difference.only = near.only.filter(|_| self.is_plain());
                }
                self.add_hints(&mut difference, answer, output);
                Ok(Some(difference))
            }
        }
    }

    /// Adds what is said about an output that is nearly right.
    pub(super) fn add_hints(&self, difference: &mut Difference, answer: &[u8], output: &[u8]) {
        const WEAKER: [(&str, Row); 2] =
            [("lines", Row::TestlibLines(LineRule::Words)), ("words", ROWS[0].1)];
        if !self.is_plain() {
            return;
        }
        let accepts = |(_, row): &&(&str, Row)| compare_texts(row, answer, output).is_ok();
        let accepting = WEAKER.iter().find(accepts).map(|(name, _)| *name);
        let in_tokens =
            || compare_slices(answer, output, &Options::default()).is_none().then_some("tokens");
        let is_near = difference.only == Some(OnlyDifference::NearNumbers);
        let tolerances = TOLERANCES.into_iter().filter(|_| is_near);
        let within = || tolerances.clone().find(|most| accepts_within(most, answer, output));
        difference.accepted_by = accepting.or_else(in_tokens).or_else(within).map(str::to_owned);
        let ends_differ = compare_texts(&LINE_ENDS, answer, output).is_ok();
        if ends_differ && matches!(difference.only, Some(OnlyDifference::Blanks)) {
            difference.only = Some(OnlyDifference::LineEnds);
        }
    }

    /// Whether text is compared in its order, so that another comparison may be what the user means.
    fn is_plain(&self) -> bool {
        match self.row {
            Row::Validator(_) | Row::TestlibLines(_) => true,
            Row::Tokens(row) => row.unit == unit::Unit::Word && row.order == rows::Order::Sequence,
            Row::Lines(row) => {
                row.order == rows::Order::Sequence && !matches!(row.rule, LineRule::Floats(_))
            }
            _ => false,
        }
    }

    /// What the default output validator says if its options are those that come nearest.
    fn compare_by_validator(&self, answer: &[u8], output: &[u8]) -> Option<Difference> {
        let space_change_sensitive =
            matches!(self.row, Row::TestlibLines(LineRule::Bytes) | Row::Lines(_));
        let line_sensitive = matches!(self.row, Row::TestlibLines(LineRule::Words));
        let nearest = self.options();
        let options = Options { space_change_sensitive, line_sensitive, named: None, ..nearest };
        compare_slices(answer, output, &options)
    }

    fn refusal(&self, answer: &[u8], fault: &AnswerFault) -> RefusedAnswer {
        const SHOWN: usize = 60;
        let token = fault.span.of(answer);
        let shown = visible(&token[..token.len().min(SHOWN)]);
        RefusedAnswer {
            name: self.name,
            line: memchr::memchr_iter(b'\n', &answer[..fault.span.start]).count() as u64 + 1,
            expected: fault.expected.clone(),
            found: if token.is_empty() {
                "the end of the file".to_owned()
            } else {
                format!("`{shown}`")
            },
        }
    }
}

/// Usual tolerances, as comparisons.
const TOLERANCES: [&str; 3] = ["float=1e-9", "float=1e-6", "float=1e-4"];

fn accepts_within(tolerance: &str, answer: &[u8], output: &[u8]) -> bool {
    let named = parse(tolerance).ok().flatten();
    named.is_some_and(|named| compare_texts(&named.row, answer, output).is_ok())
}

/// Lines with all their blanks, except for those at the end.
const LINE_ENDS: Row = Row::TestlibLines(LineRule::RightStripped);

fn compare_slices(mut answer: &[u8], mut output: &[u8], options: &Options) -> Option<Difference> {
    let windows = [answer.len() + 1, output.len() + 1];
    // No slice fails to be read.
    compare_windows(&mut answer, &mut output, options, windows).ok().flatten()
}

#[cfg(test)]
mod tests;
