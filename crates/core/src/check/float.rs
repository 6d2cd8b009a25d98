//! Numbers in outputs: which tokens are numbers, and when two are near enough.

use crate::difference::NumberGap;

/// A token with more bytes than this is not a number.
///
/// The format demands at least 30 digits on each side of the point and permits a limit.
pub const LONGEST_NUMBER: usize = 4096;

/// How far a number may be from that of the judge answer. At least one of the two is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The largest `|s-a|`, at least 0 and finite.
    pub absolute: Option<f64>,
    /// The largest `|s-a|/|a|`, at least 0 and finite.
    pub relative: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberComparison {
    /// The judge answer's token is not a number: the tokens must be compared as text.
    AnswerIsText,
    /// The judge answer's token is a number, the output's is not.
    OutputIsText,
    Within,
    Beyond(NumberGap),
}

/// Whether two tokens are numbers that a usual tolerance could accept. Integers that differ are most often wrong.
pub(super) fn are_near(answer: &[u8], output: &[u8]) -> bool {
    const USUAL: Tolerance = Tolerance { absolute: Some(1e-4), relative: Some(1e-4) };
    let is_within = |[a, b]: [&[u8]; 2]| USUAL.compare(a, b) == NumberComparison::Within;
    !(is_integer(answer) && is_integer(output))
        && is_within([answer, output])
        && is_within([output, answer])
}

/// The value of a number, rounded to the nearest `f64`; `None` if the token is not a number.
///
/// Too large values become infinite, too small ones 0.
///
/// Source: problem package format 2025-09, "General requirements".
pub fn parse_number(token: &[u8]) -> Option<f64> {
    if token.len() > LONGEST_NUMBER { None } else { number_value(token) }
}

/// The same for a token of any length.
pub(super) fn number_value(token: &[u8]) -> Option<f64> {
    if !is_number(token) {
        return None;
    }
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// `[+-]? (digits | digits "." | digits? "." digits) ([Ee] [+-]? digits)?`, and nothing around it.
fn is_number(token: &[u8]) -> bool {
    let rest = after_sign(token);
    let (whole, rest) = split_digits(rest);
    let (fraction, rest) = split_digits(rest.strip_prefix(b".").unwrap_or(rest));
    if whole.is_empty() && fraction.is_empty() {
        return false;
    }
    let Some(exponent) = rest.strip_prefix(b"e").or(rest.strip_prefix(b"E")) else {
        return rest.is_empty();
    };
    let (digits, rest) = split_digits(after_sign(exponent));
    !digits.is_empty() && rest.is_empty()
}

/// A number without point and exponent.
pub fn is_integer(token: &[u8]) -> bool {
    let digits = after_sign(token);
    !digits.is_empty() && token.len() <= LONGEST_NUMBER && digits.iter().all(u8::is_ascii_digit)
}

/// An integer that an `f64` may not hold.
fn parse_large_integer(token: &[u8]) -> Option<i128> {
    const EXACT: usize = 15;
    let text = (token.len() > EXACT && is_integer(token)).then_some(token)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn after_sign(token: &[u8]) -> &[u8] {
    token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token)
}

fn split_digits(token: &[u8]) -> (&[u8], &[u8]) {
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    token.split_at(digits)
}

impl Tolerance {
    /// Compares two tokens as numbers, in `f64`: `|s-a| ≤ ε`, or `|s-a| ≤ ε|a|`. Between two integers the distance is
    /// exact.
    ///
    /// If a value or the distance is beyond the range of `f64`, both values are first divided by the judge answer's
    /// power of ten. So `1e400` differs from `1e500`, and not every number is near it.
    ///
    /// Source: problem package format 2025-09, "Comparing floating-point tokens".
    pub fn compare(&self, answer: &[u8], output: &[u8]) -> NumberComparison {
        let Some(answer_value) = parse_number(answer) else {
            return NumberComparison::AnswerIsText;
        };
        let Some(output_value) = parse_number(output) else {
            return NumberComparison::OutputIsText;
        };
        let distance = match (parse_large_integer(answer), parse_large_integer(output)) {
            (Some(answer), Some(output)) => answer.abs_diff(output) as f64,
            _ => (output_value - answer_value).abs(),
        };
        if distance.is_finite() {
            return self.judge_distance(distance, answer_value.abs(), distance);
        }
        // The distance is above the largest `f64`, so it is above any absolute tolerance.
        let (answer, output) = (Decimal::new(answer), Decimal::new(output));
        let answer_value = answer.divided_by_power(answer.exponent);
        let distance = (output.divided_by_power(answer.exponent) - answer_value).abs();
        let absolute = if distance == 0.0 { 0.0 } else { f64::INFINITY };
        self.judge_distance(distance, answer_value.abs(), absolute)
    }

    /// Whether a distance is small enough for a judge answer of this size; `absolute` is the unscaled distance.
    fn judge_distance(&self, distance: f64, size: f64, absolute: f64) -> NumberComparison {
        let is_within = absolute == 0.0
            || self.absolute.is_some_and(|most| absolute <= most)
            || self.relative.is_some_and(|most| distance <= most * size);
        if is_within {
            return NumberComparison::Within;
        }
        let relative = if size > 0.0 { distance / size } else { f64::INFINITY };
        NumberComparison::Beyond(NumberGap { absolute, relative })
    }
}

/// `0.digits` times ten to the power of `exponent`.
struct Decimal {
    is_negative: bool,
    /// The digits without leading zeros; empty for 0, whose exponent is 0.
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn new(token: &[u8]) -> Self {
        let (whole, rest) = split_digits(after_sign(token));
        let (fraction, rest) = split_digits(rest.strip_prefix(b".").unwrap_or(rest));
        let digits: String = whole.iter().chain(fraction).map(|&byte| char::from(byte)).collect();
        let significant = digits.trim_start_matches('0');
        let zeros = digits.len() - significant.len();
        let exponent = match significant {
            // 0 is 0 whatever its exponent: to divide by that would turn large numbers into 0, too.
            "" => 0,
            _ => parse_exponent(rest).saturating_add(whole.len() as i64 - zeros as i64),
        };
        Self { is_negative: token.starts_with(b"-"), exponent, digits: significant.to_owned() }
    }

    fn divided_by_power(&self, power: i64) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let exponent = self.exponent.saturating_sub(power);
        let text = format!("{sign}0.{}e{exponent}", self.digits);
        text.parse().unwrap_or(f64::NAN)
    }
}

/// The value of an exponent with its letter, or 0; a value that does not fit is clamped.
fn parse_exponent(text: &[u8]) -> i64 {
    let Some((_, text)) = text.split_first() else { return 0 };
    let size = after_sign(text)
        .iter()
        .fold(0_i64, |size, digit| size.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if text.starts_with(b"-") { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_grammar_defines_numbers() {
        let check = |token: &str, value: Option<f64>| {
            assert_eq!(parse_number(token.as_bytes()), value, "{token}");
        };
        check("0", Some(0.0));
        check("-0", Some(0.0));
        check("007", Some(7.0));
        check("+12", Some(12.0));
        check("1.", Some(1.0));
        check("-.5", Some(-0.5));
        check("1.5", Some(1.5));
        check("1.e2", Some(100.0));
        check(".5E+1", Some(5.0));
        check("1e-2", Some(0.01));
        check("1e400", Some(f64::INFINITY));
        check("-1e99999999999999999999", Some(f64::NEG_INFINITY));
        check("1e-400", Some(0.0));
        check("0.1000000000000000055511151231257827021181583404541015625", Some(0.1));
        check(
            "123456789012345678901234567890.123456789012345678901234567890",
            Some(1.2345678901234568e29),
        );
        for text in [
            "", "+", "-", ".", "+.", "e5", ".e5", "1e", "1e+", "1e5.", "1.2.3", "--1", "+-1", "1-",
            "0x10", "1_000", "1,5", "nan", "NaN", "inf", "-inf", "infinity", "1f", "1.0f", "1d",
            "1e5e5", "1 ", " 1", "१", "½", "1\0",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_token_of_more_than_4096_bytes_is_no_number() {
        let nines = "9".repeat(LONGEST_NUMBER);
        assert_eq!(parse_number(nines.as_bytes()), Some(f64::INFINITY));
        assert_eq!(parse_number(format!("{nines}9").as_bytes()), None);
    }

    #[test]
    fn no_bytes_make_the_parsers_panic() {
        for first in 0..=255_u8 {
            for second in 0..=255_u8 {
                let token = [first, second, first];
                assert_eq!(parse_number(&token).is_some(), is_number(&token));
            }
        }
    }

    #[test]
    fn integers_have_neither_point_nor_exponent() {
        let check = |token: &str, expected: bool| {
            assert_eq!(is_integer(token.as_bytes()), expected, "{token}")
        };
        check("0", true);
        check("-12", true);
        check("+12", true);
        check("1.", false);
        check("1e5", false);
        check("", false);
        check("-", false);
        check("1a", false);
    }

    /// Compares with `a1e-3` as absolute tolerance, `r1e-3` as relative one, or with both.
    fn check(tolerance: &str, answer: &str, output: &str, expected: &str) {
        let mut parsed = Tolerance { absolute: None, relative: None };
        for part in tolerance.split(' ') {
            let (kind, value) = part.split_at(1);
            let value = Some(value.parse().unwrap());
            match kind {
                "a" => parsed.absolute = value,
                _ => parsed.relative = value,
            }
        }
        let reply = match parsed.compare(answer.as_bytes(), output.as_bytes()) {
            NumberComparison::AnswerIsText => "text",
            NumberComparison::OutputIsText => "no number",
            NumberComparison::Within => "within",
            NumberComparison::Beyond(_) => "beyond",
        };
        assert_eq!(reply, expected, "{tolerance}: {answer}, {output}");
    }

    #[test]
    fn the_distance_decides() {
        check("a0.1", "1", "1.1000000001", "beyond");
        check("a0.1", "1", "0.95", "within");
        check("a0.1", "0.1", "0.2", "within");
        check("a1", "1", "2", "within");
        check("a1", "1", "2.0000001", "beyond");
        check("r0.01", "100", "101", "within");
        check("r0.01", "100", "101.001", "beyond");
        check("r0.01", "-100", "-101", "within");
        check("r0.01", "-100", "101", "beyond");
        check("r0.01", "0", "0.0", "within");
        check("r0.01", "0", "-0", "within");
        check("r0.01", "0", "1e-9", "beyond");
        check("a1e-6 r1e-6", "0", "1e-7", "within");
        check("a1e-6 r1e-6", "1e9", "1000000999", "within");
        check("a1e-6 r1e-6", "1e9", "1000001001", "beyond");
        check("a0", "1.50", "15e-1", "within");
        check("a0", "1", "1.0000000000000002", "beyond");
        check("a0.5", "7", "7.4", "within");
        check("a0.5", "9007199254740993", "9007199254740992", "beyond");
        check("a0", "-9007199254740993", "-9007199254740992", "beyond");
        check("a1", "9007199254740993", "+9007199254740992", "within");
        check("r1e-9", "9007199254740993", "9007199254740992", "within");
    }

    #[test]
    fn the_relative_tolerance_is_of_the_judge_answer() {
        check("r0.5", "2", "1", "within");
        check("r0.5", "1", "2", "beyond");
    }

    #[test]
    fn only_the_judge_answers_numbers_are_compared_as_numbers() {
        check("a1", "one", "1", "text");
        check("a1", "nan", "nan", "text");
        check("a1", "1", "one", "no number");
        check("a1", "1", "nan", "no number");
        check("a1", "1", "inf", "no number");
        check("a1", "1", "0x1", "no number");
        check("a1e9", "1", "", "no number");
    }

    #[test]
    fn numbers_beyond_the_range_of_f64_are_still_compared() {
        check("a1", "1e400", "1e400", "within");
        check("a1", "1e400", "10e399", "within");
        check("a1", "1e400", "1e401", "beyond");
        check("r0.5", "1e400", "1e500", "beyond");
        check("r0.5", "1e400", "1.4e400", "within");
        check("r0.5", "1e400", "5", "beyond");
        check("r0.5", "1e400", "-1e400", "beyond");
        check("r0.5", "5", "1e400", "beyond");
        check("r0.5", "0", "1e400", "beyond");
        check("r1.5", "1.7e308", "-1.7e308", "beyond");
        check("r2", "1.7e308", "-1.7e308", "within");
        check("a1 r1e-9", "-1e99999999999999999999", "-1e99999999999999999999", "within");
        check("a1e308 r1e-9", "1e-99999999999999999999", "1e-99999999999999999998", "within");
        check("r0.1", "0.000e400", "0", "within");
        check("a0.1 r0.1", "0e99999", "1e400", "beyond");
        check("r0", "-0.0e400", "1e400", "beyond");
        check("r0.1", "1e400", "0e99999", "beyond");
        check("r1", "1e400", "0e99999", "within");
    }
}
