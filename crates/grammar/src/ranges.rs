//! The integers of a range that begin with a permitted byte, as parts of the range.

use crate::bytes::ByteSet;
use crate::chance::Chance;
use crate::number::{Int, power_of_ten};

pub(super) fn first_byte(value: &Int) -> u8 {
    match value {
        Int::Small(value) if *value < 0 => b'-',
        _ => value.to_string().as_bytes()[0],
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberRange {
    pub min: Int,
    pub max: Int,
}

pub(super) fn ranges_by_first_byte(min: &Int, max: &Int, next: &ByteSet) -> Vec<NumberRange> {
    let mut spans = Vec::new();
    let mut add = |low: Int, high: Int| {
        let (low, high) = (low.max(min.clone()), high.min(max.clone()));
        if low <= high {
            spans.push(NumberRange { min: low, max: high });
        }
    };
    if next.contains(b'-') {
        add(min.clone(), Int::Small(-1));
    }
    if next.contains(b'0') {
        add(Int::ZERO, Int::ZERO);
    }
    let longest = if max.is_negative() { 0 } else { max.to_string().len() };
    for length in 0..longest {
        let power = Int::from(power_of_ten(u32::try_from(length).unwrap_or(u32::MAX)));
        for digit in 1..=9_u8 {
            if next.contains(b'0' + digit) {
                let low = power.times(&Int::Small(digit.into()));
                let high = power.times(&Int::Small(i64::from(digit) + 1)).minus(&Int::ONE);
                add(low, high);
            }
        }
    }
    spans
}

/// A random part, weighted by how many numbers it has.
pub(super) fn pick_range<'s>(
    spans: &'s [NumberRange],
    chance: &mut Chance,
) -> Option<&'s NumberRange> {
    let size = |span: &NumberRange| span.max.minus(&span.min).plus(&Int::ONE);
    let total = spans.iter().fold(Int::ZERO, |total, span| total.plus(&size(span)));
    let mut chosen = chance.between(&Int::ZERO, &total.minus(&Int::ONE));
    for span in spans {
        if chosen < size(span) {
            return Some(span);
        }
        chosen = chosen.minus(&size(span));
    }
    None
}
