//! The sizes to measure: doubling up to the largest or the limit, then in between.

use std::collections::BTreeMap;

/// The cost of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeCost {
    /// The run ended, and was too cheap to be informative.
    Cheap,
    /// The run ended, and was informative.
    Telling,
    /// The run failed or exceeded the limit.
    Over,
    /// There is no input of this size.
    Missing,
}

/// The number of doublings below the largest size.
const DOUBLINGS: u32 = 10;
/// How many informative sizes are wanted.
const WANTED: usize = 6;
/// How many sizes in between are tried at most.
const BETWEEN: usize = 8;

/// Measures sizes from `least` to `most`, until the law is clear or nothing more can be learned. Returns the least
/// size that was over.
///
/// # Errors
/// The first error of `measure`.
pub(super) fn measure_sizes<E>(
    least: u64,
    most: u64,
    mut measure: impl FnMut(u64) -> Result<SizeCost, E>,
) -> Result<Option<u64>, E> {
    let mut seen: BTreeMap<u64, SizeCost> = BTreeMap::new();
    let mut over = None;
    for size in doublings(least, most) {
        let cost = measure(size)?;
        seen.insert(size, cost);
        if cost == SizeCost::Over {
            over = Some(size);
            break;
        }
    }
    let telling = |seen: &BTreeMap<u64, SizeCost>| {
        seen.values().filter(|it| **it == SizeCost::Telling).count()
    };
    for _ in 0..BETWEEN {
        if telling(&seen) >= WANTED {
            break;
        }
        let Some(size) = next(&seen, least, over) else { break };
        let cost = measure(size)?;
        seen.insert(size, cost);
        if cost == SizeCost::Over {
            over = Some(over.map_or(size, |known| known.min(size)));
        }
    }
    Ok(over)
}

/// The sizes to measure first.
fn doublings(least: u64, most: u64) -> Vec<u64> {
    let mut sizes: Vec<u64> = (0..=DOUBLINGS).map(|step| (most >> step).max(least)).collect();
    sizes.reverse();
    sizes.dedup();
    sizes
}

/// A size to measure next. If one was over: the middle between it and the largest that ended if they are far apart,
/// otherwise one below the largest that ended. If none was over: the middle of the widest gap at the top.
fn next(seen: &BTreeMap<u64, SizeCost>, least: u64, over: Option<u64>) -> Option<u64> {
    let ended = |size: &&u64| matches!(seen[*size], SizeCost::Telling | SizeCost::Cheap);
    let top = seen.keys().rev().find(|size| ended(size) && over.is_none_or(|over| **size < over));
    match (top, over) {
        (None, Some(over)) => (over > least).then(|| least + (over - least) / 2),
        (Some(&top), Some(over)) if over - top > (top / 16).max(1) => Some(top + (over - top) / 2),
        (Some(&top), Some(_)) => {
            let step = (top / 16).max(1);
            let below = (1..=8).map_while(|by| top.checked_sub(by * step));
            below.take_while(|size| *size >= least).find(|size| !seen.contains_key(size))
        }
        (Some(_), None) => {
            let sizes: Vec<u64> = seen.keys().rev().copied().take(4).collect();
            let gaps = sizes.windows(2).map(|pair| (pair[0] - pair[1], pair[1]));
            let widest = gaps.filter(|(gap, _)| *gap > 1).max()?;
            Some(widest.1 + widest.0 / 2)
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the sizes measured for a program with these costs: 100 is the limit, from 1 on a cost is informative.
    fn check(least: u64, most: u64, cost: impl Fn(u64) -> f64, expected: &[u64]) {
        let mut sizes = Vec::new();
        let over = measure_sizes(least, most, |size| {
            sizes.push(size);
            Ok::<SizeCost, ()>(match cost(size) {
                cost if cost > 100.0 => SizeCost::Over,
                cost if cost > 1.0 => SizeCost::Telling,
                _ => SizeCost::Cheap,
            })
        });
        assert_eq!(sizes, expected);
        let least_over = sizes.iter().copied().filter(|size| cost(*size) > 100.0).min();
        assert_eq!(over.unwrap(), least_over);
    }

    #[test]
    fn sizes_double_to_the_largest() {
        let linear = |n: u64| n as f64 / 20.0;
        check(2, 100, linear, &[2, 3, 6, 12, 25, 50, 100, 75, 87, 62]);
        check(1, 4, |_| 0.0, &[1, 2, 4, 3]);
        check(7, 7, |_| 0.0, &[7]);
    }

    #[test]
    fn what_explodes_is_measured_just_below_the_limit() {
        // From 2^0 at 24 on: informative from 25 to 30.
        let exponential = |n: u64| 2_f64.powf(n as f64 - 24.0);
        check(2, 100, exponential, &[2, 3, 6, 12, 25, 50, 37, 31, 28, 29, 30, 27, 26]);
        // Every size exceeds the limit.
        check(1, 8, |_| 1000.0, &[1]);
        check(1, 1 << 20, exponential, &[1024, 512, 256, 128, 64, 32, 16, 24, 28]);
    }
}
