//! Special numbers for inputs: those written in programs and what is near them, and powers of two and ten.
//!
//! A program often treats one value wrongly because of a number in its text: a modulus, a bound, a size of an array.

use std::collections::BTreeSet;
use std::sync::Arc;

use juror_grammar::number::Int;
use juror_grammar::shape::SpecialNumbers;

/// Upper bound on the different numbers taken from programs.
const WRITTEN_MAX: usize = 60;
/// Numbers this far from a special one are special too.
const DISTANCE: i64 = 2;

/// A written number is as likely as this many others.
const WRITTEN_WEIGHT: usize = 10;

/// The smallest number in a program that counts as the size of a table.
const STEP_MIN: i128 = 1000;

/// Sums and products that do not fit the usual types.
const OVERFLOWS: [i128; 3] = [1 << 31, 1 << 32, 1 << 63];

/// The special numbers for programs with these texts. `bounds` are those of values, `sizes` are of tables that grow.
pub fn special_numbers<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    bounds: &[i128],
    sizes: impl IntoIterator<Item = i128>,
) -> Arc<SpecialNumbers> {
    let written: BTreeSet<i128> = texts.into_iter().flat_map(written_numbers).collect();
    // Small numbers occur anyway.
    let is_large = |number: &i128| (8..=1 << 64).contains(number);
    let written: Vec<i128> = written.into_iter().filter(is_large).take(WRITTEN_MAX).collect();
    let mut centres = BTreeSet::new();
    for &number in &written {
        for parts in [number, 2 * number, 3 * number, number / 2, number / 3] {
            centres.insert(parts);
        }
    }
    for bound in bounds.iter().filter(|bound| **bound > 1) {
        let numbers = written.iter().filter(|number| **number < 1 << 62 && *bound < 1 << 62);
        centres.extend(numbers.flat_map(|number| [number * bound, bound / number]));
        centres.extend(OVERFLOWS.map(|overflow| overflow / bound));
    }
    centres.extend(OVERFLOWS.map(i128::isqrt));
    centres.extend((4..=64).map(|exponent| 1_i128 << exponent));
    centres.extend((2..=19).map(|exponent| 10_i128.pow(exponent)));
    let near = centres.iter().flat_map(|centre| {
        (-DISTANCE..=DISTANCE).flat_map(move |by| {
            let number = centre + i128::from(by);
            [number, -number]
        })
    });
    let mut near: Vec<i128> = near.collect::<BTreeSet<i128>>().into_iter().collect();
    near.extend(written.iter().flat_map(|number| [*number; WRITTEN_WEIGHT]));
    near.sort_unstable();
    let int = |number| match i64::try_from(number) {
        Ok(small) => Some(Int::Small(small)),
        Err(_) => u64::try_from(number).ok().map(Int::from),
    };
    let steps = written.iter().flat_map(|number| [*number, 2 * number]).chain(sizes);
    let steps = steps.filter(|step| *step >= STEP_MIN).filter_map(int).collect();
    Arc::new(SpecialNumbers { values: near.into_iter().filter_map(int).collect(), steps })
}

/// Also sums, differences, products and shifts of two neighbours: `1e9 + 7`, `2 * 100000`, `1 << 20`.
fn written_numbers(text: &str) -> Vec<i128> {
    let mut numbers = Vec::new();
    let mut last: Option<(i128, usize)> = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_inside_word =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"_.".contains(&bytes[at - 1]));
        if !bytes[at].is_ascii_digit() || is_inside_word {
            at += 1;
            continue;
        }
        let end = (at..bytes.len())
            .find(|index| {
                !bytes[*index].is_ascii_alphanumeric() && !b"_'.".contains(&bytes[*index])
            })
            .unwrap_or(bytes.len());
        let Some(number) = text.get(at..end).and_then(parse_number) else {
            at = end;
            continue;
        };
        numbers.push(number);
        if let Some((before, before_end)) = last {
            let operator: String =
                text[before_end..at].chars().filter(|c| !c.is_whitespace()).collect();
            numbers.extend(match &*operator {
                "+" => before.checked_add(number),
                "-" => before.checked_sub(number),
                "*" => before.checked_mul(number),
                "<<" if (0..64).contains(&number) && before.abs() < 1 << 60 => {
                    Some(before << number)
                }
                _ => None,
            });
        }
        last = Some((number, end));
        at = end;
    }
    numbers
}

/// A literal of C++, Java, Python or Rust, with separators and suffixes.
fn parse_number(literal: &str) -> Option<i128> {
    let digits: String = literal.chars().filter(|c| !"_'".contains(*c)).collect();
    let lower = digits.to_ascii_lowercase();
    if let Some(hexadecimal) = lower.strip_prefix("0x") {
        return i128::from_str_radix(hexadecimal.trim_end_matches(['u', 'l']), 16).ok();
    }
    let number = lower.trim_end_matches(['u', 'l', 'f']);
    let number = number.split(['i', 'u']).next()?;
    if let Some((mantissa, exponent)) = number.split_once('e') {
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = exponent.parse::<u32>().ok()?.checked_sub(fraction.len() as u32)?;
        let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
        return mantissa.checked_mul(10_i128.checked_pow(exponent)?);
    }
    number.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_programs_write_them() {
        let check = |text: &str, expected: &[i128]| {
            assert_eq!(written_numbers(text), expected, "{text}");
        };
        check("int a[200005];", &[200_005]);
        check("const ll P = 1e9 + 7;", &[1_000_000_000, 7, 1_000_000_007]);
        check("1 << 20, 998'244'353LL, 0xFFu", &[1, 20, 1 << 20, 998_244_353, 255]);
        check("10**9 x1 1.5e6 2_000u64", &[10, 9, 1_500_000, 2000]);
        check("1e99 99999999999999999999999999999999999999999999", &[]);
        check("", &[]);
    }

    #[test]
    fn what_is_near_a_number_or_its_multiple_is_special() {
        let special = &special_numbers(["x % 998244353"], &[1_000_000], [1109]).values;
        assert!(special.is_sorted());
        let products = [998_244_353_000_001, (1 << 31) / 1_000_000 + 1, 46_341, 3_037_000_500];
        let near = [998_244_353, 998_244_354, 1_996_488_705, 499_122_176, 1 << 31, -1024];
        for number in near.into_iter().chain(products) {
            assert!(special.contains(&Int::Small(number)), "{number}");
        }
        assert!(!special.contains(&Int::Small(998_244_360)));
    }

    #[test]
    fn sizes_of_tables_are_steps() {
        let special = special_numbers(["int a[200005], b[3];"], &[], [13, 10_273]);
        assert_eq!(special.steps, [200_005, 400_010, 10_273].map(Int::Small));
    }
}
