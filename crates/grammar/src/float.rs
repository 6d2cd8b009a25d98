//! The text form of floats.
//!
//! Source: the language's specification: `-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`, with exactly one digit other than
//! zero before the point if `FLOATP` reads scientific notation. Superfluous leading zeros are refused, as in integers.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Euclid, Signed, ToPrimitive};

use crate::ast::Notation;
use crate::number::{self, power_of_ten, show_ratio};
use crate::token::{EXPONENT_MAX, decimal};
use crate::work::{bits_of_digits, float_text_steps, ratio_comparison_steps, words_of_bits};

#[derive(Clone, Debug)]
pub(super) struct FloatRules {
    pub min: BigRational,
    pub max: BigRational,
    /// For `FLOATP`.
    pub decimals: Option<RangeInclusive<u32>>,
    pub notation: Notation,
    /// `None` if the bounds are too large or no decimals.
    pub quick: Option<QuickBounds>,
}

/// All lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScannedFloat {
    pub length: usize,
    /// 1 if there is a minus sign.
    pub sign: usize,
    /// Digits before the point.
    pub whole: usize,
    /// Digits after the point.
    pub decimals: usize,
    /// From `e` to the end; 0 without exponent.
    pub exponent: usize,
}

pub(super) fn scan(text: &[u8]) -> Option<ScannedFloat> {
    let digits = |from: usize| {
        text.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(text.first() == Some(&b'-'));
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let mut length = sign + whole;
    let mut decimals = 0;
    if text.get(length) == Some(&b'.') {
        decimals = digits(length + 1);
        if decimals > 0 {
            length += 1 + decimals;
        }
    }
    let mut exponent = 0;
    if matches!(text.get(length), Some(b'e' | b'E')) {
        let exponent_sign = usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        let count = digits(length + 1 + exponent_sign);
        if count > 0 {
            exponent = 1 + exponent_sign + count;
            length += exponent;
        }
    }
    Some(ScannedFloat { length, sign, whole, decimals, exponent })
}

/// Bounds in units of 10^-18, for a comparison without big numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickBounds {
    min: i128,
    max: i128,
}

impl QuickBounds {
    const DIGITS: u32 = 18;

    /// `None` unless both bounds are decimals of moderate size.
    pub(super) fn new(min: &BigRational, max: &BigRational) -> Option<Self> {
        if [min, max].iter().any(|bound| bound.numer().bits().max(bound.denom().bits()) > 128) {
            return None;
        }
        let unit = BigRational::from_integer(power_of_ten(Self::DIGITS));
        let scaled = |bound: &BigRational| {
            let bound = bound * &unit;
            bound.is_integer().then(|| bound.to_integer().to_i128())?
        };
        Some(Self { min: scaled(min)?, max: scaled(max)? })
    }

    /// `None` if the float has an exponent or more than 18 digits.
    pub(super) fn contains(&self, text: &[u8], scanned: &ScannedFloat) -> Option<bool> {
        let decimals = u32::try_from(scanned.decimals).ok()?;
        if scanned.exponent > 0 || scanned.whole + scanned.decimals > Self::DIGITS as usize {
            return None;
        }
        let digits = text[scanned.sign..scanned.length].iter().filter(|byte| **byte != b'.');
        let mantissa = digits.fold(0, |value: i64, byte| value * 10 + i64::from(byte - b'0'));
        let size = i128::from(mantissa) * 10_i128.pow(Self::DIGITS - decimals);
        let value = if scanned.sign == 1 { -size } else { size };
        Some(self.min <= value && value <= self.max)
    }
}

/// Whether a float is within its bounds; `None` if only its value tells.
pub(super) fn is_within_by_size(
    text: &[u8],
    scanned: &ScannedFloat,
    rules: &FloatRules,
) -> Option<bool> {
    let Some(exponent) = exponent(text, scanned) else { return Some(false) };
    let [low, high] =
        [&rules.min, &rules.max].map(|bound| compare_with_bound(text, scanned, exponent, bound));
    Some(low?.is_ge() && high?.is_le())
}

/// The steps of work to compute a float's value and to compare it with its bounds.
pub(super) fn work_steps(text: &[u8], scanned: &ScannedFloat, rules: &FloatRules) -> u64 {
    const SHORT: u64 = 40;
    let digits = (scanned.whole + scanned.decimals) as u64;
    let exponent = exponent(text, scanned).unwrap_or(0).unsigned_abs();
    if rules.quick.is_some() && digits < SHORT && exponent < SHORT {
        return 1;
    }
    let own = words_of_bits(bits_of_digits(digits.saturating_add(exponent)));
    let bounds = [&rules.min, &rules.max].map(|bound| ratio_comparison_steps(bound, own));
    bounds.into_iter().fold(float_text_steps(digits, exponent), u64::saturating_add)
}

pub(super) fn is_within(text: &[u8], scanned: &ScannedFloat, rules: &FloatRules) -> bool {
    value(text, scanned).is_some_and(|value| {
        number::compare_ratios(&rules.min, &value).is_le()
            && number::compare_ratios(&value, &rules.max).is_le()
    })
}

/// How a float compares with a bound; `None` unless signs or the numbers of digits tell.
fn compare_with_bound(
    text: &[u8],
    scanned: &ScannedFloat,
    exponent: i64,
    bound: &BigRational,
) -> Option<Ordering> {
    let digits = text[scanned.sign..scanned.length - scanned.exponent].iter();
    let leading = digits.filter(|byte| **byte != b'.').position(|byte| *byte != b'0');
    let sign = match (leading, scanned.sign) {
        (None, _) => 0,
        (_, 1) => -1,
        _ => 1,
    };
    let bound_sign = bound.numer().signum().to_i64()?;
    if sign != bound_sign || sign == 0 {
        return Some(sign.cmp(&bound_sign));
    }
    // The logarithms of both to the base of ten, to within two.
    let [whole, leading] = [scanned.whole, leading?].map(i64::try_from);
    let size = exponent + whole.ok()? - leading.ok()?;
    let bits = bound.numer().bits() as f64 - bound.denom().bits() as f64;
    let difference = size as f64 - bits * std::f64::consts::LOG10_2;
    let is_above = (difference > 0.0) == (sign > 0);
    (difference.abs() > 3.0).then_some(if is_above { Ordering::Greater } else { Ordering::Less })
}

/// `None` if the exponent is too large for juror to compute with.
fn exponent(text: &[u8], scanned: &ScannedFloat) -> Option<i64> {
    if scanned.exponent == 0 {
        return Some(0);
    }
    let digits = &text[scanned.length - scanned.exponent + 1..scanned.length];
    let exponent: i64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (exponent.unsigned_abs() <= u64::from(EXPONENT_MAX)).then_some(exponent)
}

/// `None` if the exponent is too large for juror to compute with.
pub(super) fn value(text: &[u8], scanned: &ScannedFloat) -> Option<BigRational> {
    let exponent = exponent(text, scanned)?;
    let mantissa = &text[scanned.sign..scanned.length - scanned.exponent];
    let value = decimal(mantissa, exponent);
    Some(if scanned.sign == 1 { -value } else { value })
}

/// Describes a fault in the form of a float, apart from its value.
pub(super) fn form_fault(
    text: &[u8],
    scanned: &ScannedFloat,
    rules: &FloatRules,
) -> Option<String> {
    match rules.notation {
        Notation::Fixed if scanned.exponent > 0 => return Some("has an exponent".to_owned()),
        Notation::Scientific if scanned.exponent == 0 => return Some("has no exponent".to_owned()),
        _ => {}
    }
    let whole = &text[scanned.sign..scanned.sign + scanned.whole];
    if matches!(whole, [b'0', _, ..]) {
        return Some("has a superfluous leading zero".to_owned());
    }
    let range = rules.decimals.as_ref()?;
    let decimals = u32::try_from(scanned.decimals).unwrap_or(u32::MAX);
    if !range.contains(&decimals) {
        return Some(format!("has {}", juror_core::text::count(decimals, "decimal")));
    }
    let is_normal = scanned.whole == 1 && text[scanned.sign] != b'0';
    (scanned.exponent > 0 && !is_normal)
        .then(|| "must have one digit from 1 to 9 before its point".to_owned())
}

pub(super) fn describe_rules(rules: &FloatRules) -> String {
    let mut words =
        format!("a float from {} to {}", show_ratio(&rules.min), show_ratio(&rules.max));
    if let Some(range) = &rules.decimals {
        let (min, max) = (range.start(), range.end());
        words += &if min == max {
            format!(" with {}", juror_core::text::count(*min, "decimal"))
        } else {
            format!(" with {min} to {max} decimals")
        };
    }
    words
        + match rules.notation {
            Notation::Any => "",
            Notation::Fixed => " in fixed notation",
            Notation::Scientific => " in scientific notation",
        }
}

/// The least and the greatest multiple of `10^-decimals` within the bounds, in that unit.
pub(super) fn multiples_within(rules: &FloatRules, decimals: u32) -> (BigInt, BigInt) {
    let unit = power_of_ten(decimals);
    // Without the search for a common divisor, which is slow if a bound is large.
    let floor = |numer: BigInt, denom: &BigInt| (numer * &unit).div_euclid(denom);
    let low = -floor(-rules.min.numer(), rules.min.denom());
    (low, floor(rules.max.numer().clone(), rules.max.denom()))
}

/// `mantissa / 10 ^ unit` in scientific notation with this many decimals: truncated, and with one more in the last
/// place.
pub(super) fn scientific_texts(mantissa: &BigInt, unit: u32, decimals: u32) -> Vec<String> {
    let digits = mantissa.magnitude().to_string();
    let sign = if mantissa.sign() == num_bigint::Sign::Minus { "-" } else { "" };
    let length = decimals as usize + 1;
    let truncated = format!("{:0<length$}", &digits[..digits.len().min(length)]);
    let more = BigInt::parse_bytes(truncated.as_bytes(), 10).unwrap_or_default() + BigInt::from(1);
    let more = more.to_string();
    [truncated, more]
        .into_iter()
        .filter(|text| text.len() == length)
        .map(|text| {
            let exponent = digits.len() as i64 - 1 - i64::from(unit);
            let (whole, rest) = text.split_at(1);
            match rest {
                "" => format!("{sign}{whole}e{exponent}"),
                rest => format!("{sign}{whole}.{rest}e{exponent}"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> BigRational {
        let scanned = scan(text.as_bytes()).expect("a float");
        value(text.as_bytes(), &scanned).expect("a value")
    }

    fn is_in(text: &str, min: &BigRational, max: &BigRational) -> bool {
        let (min, max) = (min.clone(), max.clone());
        let rules = FloatRules { quick: None, min, max, decimals: None, notation: Notation::Any };
        let (text, scanned) = (text.as_bytes(), scan(text.as_bytes()).expect("a float"));
        let is_within_sizes = is_within_by_size(text, &scanned, &rules);
        is_within_sizes.unwrap_or_else(|| is_within(text, &scanned, &rules))
    }

    #[test]
    fn size_and_value_agree() {
        let texts = [
            "0",
            "-0.0",
            "0e9",
            "1",
            "-1",
            "0.001",
            "-0.001",
            "9.99",
            "10.01",
            "-10.01",
            "99e-1",
            "1e3",
            "1e4",
            "-1e4",
            "123456e-4",
            "0.0001e7",
            "-5e-9",
            "1e-30",
            "-1e30",
            "00012.5",
        ];
        for text in texts {
            for [min, max] in [["0", "10"], ["-10", "0"], ["-0.001", "1e4"], ["1e-30", "12.3456"]] {
                let (value, min, max) = (number(text), number(min), number(max));
                let expected = min <= value && value <= max;
                assert_eq!(is_in(text, &min, &max), expected, "{text} in {min} to {max}");
            }
        }
    }

    /// Computing these numbers would take minutes.
    #[test]
    fn huge_exponents_cost_nothing() {
        let (min, max) = (number("0"), number("1"));
        for _ in 0..1000 {
            assert!(!is_in("1e1000000", &min, &max));
            assert!(!is_in("-1e-1000000", &min, &max));
            assert!(is_in("1e-1000000", &min, &max));
            assert!(is_in("0e1000000", &min, &max));
        }
    }
}
