//! What a token must be, and when two tokens are equal.

use crate::check::float::{Tolerance, is_integer, number_value};
use crate::check::token::{Mismatch, TokenRules, mismatch};
use crate::difference::{DifferenceKind, NumberGap};

/// What a comparison reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// Any token; letter case counts.
    Word,
    /// Digits without leading zeros, with or without `-`, from these bounds.
    Integer { least: i64, most: i64 },
    /// The same without bounds, but not `-0`.
    HugeInteger,
    /// `yes` or `no`, in any case.
    YesNo,
    /// A number in decimal or scientific notation.
    Number(NumberRule),
    /// Any token; numbers in the answer's may be this far off.
    Near(Tolerance),
    /// The same, but two integers must be equal.
    NearUnlessIntegers(Tolerance),
}

/// When testlib's checkers accept a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NumberRule {
    Absolute(f64),
    AbsoluteOrRelative(f64),
}

pub(super) const INT32: Unit = Unit::Integer { least: i32::MIN as i64, most: i32::MAX as i64 };
pub(super) const INT64: Unit = Unit::Integer { least: i64::MIN, most: i64::MAX };

/// testlib adds this to each tolerance.
const SLACK: f64 = 1e-15;

/// testlib takes larger numbers for infinite.
const INFINITE: f64 = 1e300;

impl Unit {
    /// What the token should be, if it is not that.
    pub(super) fn fault(self, token: &[u8]) -> Option<&'static str> {
        let (is_valid, what) = match self {
            Self::Word | Self::Near(_) | Self::NearUnlessIntegers(_) => return None,
            Self::Integer { least, most } => {
                let valid = integer(token).is_some_and(|number| (least..=most).contains(&number));
                let is_32 = self == INT32;
                (valid, if is_32 { "an integer of 32 bits" } else { "an integer of 64 bits" })
            }
            Self::HugeInteger => (is_huge_integer(token), "an integer"),
            Self::YesNo => (is_yes_or_no(token), "YES or NO"),
            Self::Number(_) => (testlib_number(token).is_some(), "a number"),
        };
        (!is_valid).then_some(what)
    }

    /// How the output's token differs from the answer's, which is valid.
    pub(super) fn difference(self, answer: &[u8], output: &[u8]) -> Option<Mismatch> {
        match self {
            Self::YesNo if is_yes_or_no(output) && answer.eq_ignore_ascii_case(output) => None,
            Self::Word | Self::YesNo => (answer != output).then(|| DifferenceKind::Token.into()),
            // A valid integer has only one spelling.
            Self::Integer { .. } | Self::HugeInteger if answer == output => None,
            Self::Integer { .. } | Self::HugeInteger => Some(match self.fault(output) {
                Some(_) => DifferenceKind::NotANumber.into(),
                None => DifferenceKind::Token.into(),
            }),
            Self::Number(rule) => match (testlib_number(answer), testlib_number(output)) {
                (Some(answer), Some(output)) if rule.accepts(answer, output) => None,
                (Some(answer), Some(output)) => Some(beyond(answer, output)),
                _ => Some(DifferenceKind::NotANumber.into()),
            },
            Self::NearUnlessIntegers(_) if is_integer(answer) && is_integer(output) => {
                Self::Word.difference(answer, output)
            }
            Self::Near(tolerance) | Self::NearUnlessIntegers(tolerance) => {
                let rules = TokenRules { case_sensitive: true, tolerance: Some(tolerance) };
                mismatch(answer, output, &rules)
            }
        }
    }
}

/// testlib's `stringToLongLong`.
fn integer(token: &[u8]) -> Option<i64> {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    let is_zero = token == b"0";
    if !is_zero && (!digits.iter().all(u8::is_ascii_digit) || digits.first() == Some(&b'0')) {
        return None;
    }
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// As `scanf` reads it: an exponent may lack its digits.
fn testlib_number(token: &[u8]) -> Option<f64> {
    let without_sign = token.strip_suffix(b"-").or(token.strip_suffix(b"+")).unwrap_or(token);
    let without_exponent = without_sign.strip_suffix(b"e").or(without_sign.strip_suffix(b"E"));
    number_value(token).or_else(|| number_value(without_exponent?))
}

fn is_huge_integer(token: &[u8]) -> bool {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    token == b"0"
        || digits.first().is_some_and(|&digit| digit != b'0')
            && digits.iter().all(u8::is_ascii_digit)
}

fn is_yes_or_no(token: &[u8]) -> bool {
    token.eq_ignore_ascii_case(b"yes") || token.eq_ignore_ascii_case(b"no")
}

impl NumberRule {
    fn accepts(self, answer: f64, output: f64) -> bool {
        match self {
            // Two equal infinities have no distance, and testlib accepts them.
            Self::Absolute(most) => {
                let distance = (answer - output).abs();
                distance.is_nan() || distance <= most + SLACK
            }
            Self::AbsoluteOrRelative(most) => {
                let most = most + SLACK;
                let is_infinite = |number: f64| number.abs() > INFINITE;
                if is_infinite(answer) || is_infinite(output) {
                    return is_infinite(answer)
                        && is_infinite(output)
                        && (answer > 0.0) == (output > 0.0);
                }
                (output - answer).abs() <= most || is_between(answer, output, most)
            }
        }
    }
}

/// Whether `output` lies between the two numbers that are relatively this far from `answer`.
fn is_between(answer: f64, output: f64, most: f64) -> bool {
    let (low, high) = (answer * (1.0 - most), answer * (1.0 + most));
    let is_known = !low.is_nan() && !high.is_nan();
    is_known && low.min(high) <= output && output <= low.max(high)
}

pub(super) fn beyond(answer: f64, output: f64) -> Mismatch {
    let known = |gap: f64| if gap.is_nan() { f64::INFINITY } else { gap };
    let absolute = known((output - answer).abs());
    let gap = NumberGap { absolute, relative: known(absolute / answer.abs()) };
    Mismatch { kind: DifferenceKind::Number, gap: Some(gap) }
}

/// When DMOJ's `floats` accept a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FloatRule {
    pub(super) mode: ErrorMode,
    pub(super) most: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorMode {
    Either,
    Absolute,
    Relative,
}

impl FloatRule {
    /// Nothing is near to nan, nor is an infinity to itself unless the error is relative.
    fn accepts(self, answer: f64, output: f64) -> bool {
        let most = self.most;
        let is_absolutely = (output - answer).abs() <= most;
        match self.mode {
            ErrorMode::Absolute => is_absolutely,
            ErrorMode::Relative => is_between(answer, output, most),
            ErrorMode::Either => {
                let is_relatively =
                    || answer.abs() >= most && (1.0 - output / answer).abs() <= most;
                is_absolutely || is_relatively()
            }
        }
    }

    pub(super) fn difference(self, answer: &[u8], output: &[u8]) -> Option<Mismatch> {
        let Some(value) = python_float(answer) else {
            return (answer != output).then(|| DifferenceKind::Token.into());
        };
        match python_float(output) {
            None => Some(DifferenceKind::NotANumber.into()),
            Some(output) if self.accepts(value, output) => None,
            Some(output) => Some(beyond(value, output)),
        }
    }
}

/// What Python's `float` reads: also `1_000`, `inf` and `nan`.
fn python_float(token: &[u8]) -> Option<f64> {
    let unsigned = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
    let is_word = |word: &[u8]| unsigned.eq_ignore_ascii_case(word);
    if is_word(b"inf") || is_word(b"infinity") {
        return Some(if token[0] == b'-' { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if is_word(b"nan") {
        return Some(f64::NAN);
    }
    let is_digit =
        |at: Option<usize>| at.and_then(|at| token.get(at)).is_some_and(u8::is_ascii_digit);
    let mut plain = Vec::with_capacity(token.len());
    for (index, &byte) in token.iter().enumerate() {
        match byte {
            b'_' if is_digit(index.checked_sub(1)) && is_digit(Some(index + 1)) => {}
            _ => plain.push(byte),
        }
    }
    number_value(&plain)
}
