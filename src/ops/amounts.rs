//! Spans of time and sizes, as options take them.

use std::ops::RangeInclusive;
use std::time::Duration;

use juror_core::units::Bytes;

/// What begins with a number and ends with a unit, which may be missing.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    // `1e3` is a number.
    let is_unit = |(at, letter): (usize, char)| {
        let is_exponent = matches!(letter, 'e' | 'E')
            && text[at + 1..]
                .starts_with(|next: char| next.is_ascii_digit() || "+-".contains(next));
        letter.is_ascii_alphabetic() && !is_exponent
    };
    let unit_at =
        text.char_indices().find(|letter| is_unit(*letter)).map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(unit_at);
    let number: f64 = number.trim_end().parse().ok()?;
    Some((number, unit))
}

fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a time, such as 1.5s, 500ms or 2m; a number alone is in seconds";
    let (number, unit) = split_unit(text).ok_or(expected)?;
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * factor).map_err(|_| expected.to_owned())
}

fn within<T: PartialOrd>(value: T, allowed: RangeInclusive<T>, fault: &str) -> Result<T, String> {
    if allowed.contains(&value) { Ok(value) } else { Err(fault.to_owned()) }
}

pub fn parse_span_or_zero(text: &str) -> Result<Duration, String> {
    let year = Duration::from_hours(366 * 24);
    within(duration(text)?, Duration::ZERO..=year, "expected at most a year")
}

pub fn parse_span(text: &str) -> Result<Duration, String> {
    let span = parse_span_or_zero(text)?;
    if span.is_zero() { Err("expected more than 0".to_owned()) } else { Ok(span) }
}

pub fn parse_time_limit(text: &str) -> Result<Duration, String> {
    let allowed = Duration::from_millis(1)..=Duration::from_hours(24);
    within(duration(text)?, allowed, "a time limit must be from 1ms to 24h")
}

/// A kilobyte has 1,024 bytes, since contests mean that.
pub fn parse_size(text: &str) -> Result<Bytes, String> {
    let expected = "expected a size, such as 256M or 1G; a number alone is in MiB";
    let (number, unit) = split_unit(text).ok_or(expected)?;
    let shift = match &*unit.to_ascii_lowercase() {
        "b" => 0,
        "k" | "kb" | "kib" => 10,
        "" | "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(format!("`{unit}` is not a unit of size; use K, M, G or T")),
    };
    let bytes = number * (1_u64 << shift) as f64;
    if bytes.is_finite() && (0.0..1e18).contains(&bytes) {
        Ok(Bytes(bytes.round() as u64))
    } else {
        Err(expected.to_owned())
    }
}

pub fn parse_memory_limit(text: &str) -> Result<Bytes, String> {
    let allowed = Bytes::kib(1)..=Bytes::mib(1 << 20);
    within(parse_size(text)?, allowed, "a memory limit must be from 1K to 1T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let span = parse_span(text).ok().map(|span| span.as_millis());
            assert_eq!(span, milliseconds, "{text}");
        };
        check("30s", Some(30_000));
        check("30", Some(30_000));
        check("0.5m", Some(30_000));
        check("2min", Some(120_000));
        check("250ms", Some(250));
        check("1.5 s", Some(1500));
        check("1h", Some(3_600_000));
        check("1e1", Some(10_000));
        check("1e-1s", Some(100));
        for text in ["", "s", "0", "0s", "-1s", "1d", "nan", "1e99s", "inf", "1S", "1s2", "ms"] {
            check(text, None);
        }
        assert_eq!(parse_span_or_zero("0"), Ok(Duration::ZERO));
    }

    #[test]
    fn a_time_limit_is_neither_tiny_nor_huge() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let limit = parse_time_limit(text).ok().map(|limit| limit.as_millis());
            assert_eq!(limit, milliseconds, "{text}");
        };
        check("1", Some(1000));
        check("1s", Some(1000));
        check("1500ms", Some(1500));
        check("0.25", Some(250));
        check("24h", Some(86_400_000));
        for text in ["0", "-1", "nan", "inf", "1e99", "", "0.0001", "25h", "1M"] {
            check(text, None);
        }
    }

    #[test]
    fn a_size_has_a_unit_or_is_in_mib() {
        let check = |text: &str, bytes: Option<u64>| {
            assert_eq!(parse_memory_limit(text).ok().map(|limit| limit.0), bytes, "{text}");
        };
        check("256", Some(256 << 20));
        check("256M", Some(256 << 20));
        check("256mb", Some(256 << 20));
        check("1G", Some(1 << 30));
        check("1.5GiB", Some(3 << 29));
        check("512k", Some(512 << 10));
        check("2048 B", Some(2048));
        for text in ["0", "-1", "1s", "", "M", "nan", "inf", "2T", "100B", "1e99"] {
            check(text, None);
        }
        assert_eq!(parse_size("0"), Ok(Bytes(0)));
    }
}
