//! The law of growth of costs with size: a power or an exponential, with an interval.

use crate::model::probe::{Estimate, Growth, Law};

/// A size and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size, at least 1.
    pub size: f64,
    /// The cost, in any unit.
    pub cost: f64,
}

/// What the measurement adds to costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// The cost of each run, however small the input.
    pub cost: f64,
    /// How far a cost may be off, independent of the size.
    pub noise: f64,
}

/// The relative error of a cost, besides the noise.
const PART: f64 = 0.03;
/// A cost counts if it is more than this many times the noise above the floor.
const ABOVE: f64 = 4.0;
/// The fewest points that show a law.
const LEAST_POINTS: usize = 4;
/// Sizes below this part of the largest are ignored if enough others remain: minor costs there hide the law.
const UPPER: f64 = 1.0 / 20.0;
/// The widest half of an interval for which a law is reported. For an exponential it is relative to the factor's
/// logarithm.
const VAGUE: f64 = 0.5;
/// An exponential must fit this many times better than a power.
const BETTER: f64 = 2.0;
/// The least exponent of a power fit with which a cost may be called exponential.
const LEAST_STEEP: f64 = 3.0;
/// No program has an exponent this large: the law is exponential, unless that fits this many times worse.
const ABSURD: f64 = 8.0;

/// The points above the floor, with the floor subtracted, sorted by size.
fn above(points: &[Point], floor: Floor) -> Vec<Point> {
    let mut above: Vec<Point> = points
        .iter()
        .map(|it| Point { cost: it.cost - floor.cost, ..*it })
        .filter(|it| it.size > 0.0 && it.cost > ABOVE * floor.noise)
        .collect();
    above.sort_by(|a, b| a.size.total_cmp(&b.size));
    above
}

/// The law of the points above the floor.
pub fn growth(points: &[Point], floor: Floor) -> Growth {
    let mut seen = above(points, floor);
    if seen.is_empty() && points.len() >= LEAST_POINTS {
        return Growth { law: Law::Flat, estimate: None };
    }
    let largest = seen.last().map_or(0.0, |it| it.size);
    let upper = seen.iter().filter(|it| it.size >= largest * UPPER).count();
    if upper >= LEAST_POINTS {
        seen.drain(..seen.len() - upper);
    }
    if seen.len() < LEAST_POINTS {
        return Growth::default();
    }
    let power = line(&seen, floor, f64::ln);
    let exponential = line(&seen, floor, |size| size);
    let (Some(power), Some(exponential)) = (power, exponential) else { return Growth::default() };
    let better = match power.slope {
        ABSURD.. => 1.0 / BETTER,
        LEAST_STEEP.. => BETTER,
        _ => f64::INFINITY,
    };
    let interval = |line: &Line, of: fn(f64) -> f64| Estimate {
        value: of(line.slope),
        least: of(line.slope - line.error),
        most: of(line.slope + line.error),
    };
    let (law, estimate, is_vague) = if exponential.badness * better < power.badness {
        let is_vague = exponential.error > VAGUE * exponential.slope;
        (Law::Exponential, interval(&exponential, f64::exp), is_vague)
    } else {
        (Law::Power, interval(&power, |it| it), power.error > VAGUE)
    };
    if is_vague { Growth::default() } else { Growth { law, estimate: Some(estimate) } }
}

/// A line through the logarithms of costs.
struct Line {
    slope: f64,
    /// Half of the interval at 95 %.
    error: f64,
    /// The weighted sum of squared residuals.
    badness: f64,
}

/// Fits the logarithms of the costs by weighted least squares: costs far above the noise weigh most.
fn line(points: &[Point], floor: Floor, along: impl Fn(f64) -> f64) -> Option<Line> {
    let weighted: Vec<(f64, f64, f64)> = points
        .iter()
        .map(|it| {
            let doubt = (floor.noise / it.cost).powi(2) + PART.powi(2);
            (along(it.size), it.cost.ln(), 1.0 / doubt)
        })
        .collect();
    let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| weighted.iter().map(of).sum::<f64>();
    let total = sum(&|(_, _, w)| *w);
    let (mean_x, mean_y) = (sum(&|(x, _, w)| x * w) / total, sum(&|(_, y, w)| y * w) / total);
    let spread = sum(&|(x, _, w)| w * (x - mean_x).powi(2));
    if spread <= f64::EPSILON * total {
        return None;
    }
    let slope = sum(&|(x, y, w)| w * (x - mean_x) * (y - mean_y)) / spread;
    let badness = sum(&|(x, y, w)| w * (y - mean_y - slope * (x - mean_x)).powi(2));
    let free = points.len() - 2;
    // The uncertainty of measuring alone; more if the line fits worse than that explains.
    let stretch = (badness / free as f64).sqrt().max(1.0);
    Some(Line { slope, error: student(free) * stretch / spread.sqrt(), badness })
}

/// Two-sided Student's t at 95 %.
fn student(free: usize) -> f64 {
    const TABLE: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    match free {
        0 => f64::INFINITY,
        1..=10 => TABLE[free - 1],
        11..=30 => 2.1,
        _ => 2.0,
    }
}

/// The size at which a cost above the floor is reached, by the law through this point.
pub fn reaches(growth: &Growth, from: Point, floor: Floor, cost: f64) -> Option<f64> {
    let ratio = (cost - floor.cost) / (from.cost - floor.cost);
    let estimate = growth.estimate.filter(|_| ratio.is_finite() && ratio > 0.0)?;
    let size = match growth.law {
        Law::Power if estimate.value > 0.05 => from.size * ratio.powf(1.0 / estimate.value),
        Law::Exponential if estimate.value > 1.0 => from.size + ratio.ln() / estimate.value.ln(),
        _ => return None,
    };
    size.is_finite().then_some(size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FLOOR: Floor = Floor { cost: 2.0, noise: 0.25 };

    /// Costs at these sizes. Each is too high by up to this part and up to the noise, like the minimum of several
    /// runs.
    fn measured(sizes: &[f64], wrong: &[f64], cost: impl Fn(f64) -> f64) -> Vec<Point> {
        let of = |(size, wrong): (&f64, &f64)| Point {
            size: *size,
            cost: FLOOR.cost + cost(*size) * (1.0 + 0.04 * wrong) + FLOOR.noise * wrong,
        };
        sizes.iter().zip(wrong).map(of).collect()
    }

    fn doubling(from: f64, count: i32) -> Vec<f64> {
        (0..count).map(|step| from * 2_f64.powi(step)).collect()
    }

    fn wrongs() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.0..1.0_f64, 16)
    }

    proptest! {
        /// The interval contains the exponent of a power, or misses it by what an error of 4 % can cause.
        #[test]
        fn powers_are_found(exponent in 0.5..4.0_f64, top in 30.0..3000.0_f64, wrong in wrongs()) {
            let sizes = doubling(10.0, 11);
            let largest = sizes[10];
            let points =
                measured(&sizes, &wrong, |size| top * (size / largest).powf(exponent));
            let found = growth(&points, FLOOR);
            prop_assume!(above(&points, FLOOR).len() >= 6);
            prop_assert_eq!(found.law, Law::Power);
            let estimate = found.estimate.unwrap();
            prop_assert!(
                estimate.least - 0.05 <= exponent && exponent <= estimate.most + 0.05,
                "{exponent} {found:?}"
            );
            prop_assert!(estimate.least <= estimate.value && estimate.value <= estimate.most);
        }

        /// An exponential is distinguished from a power, and its factor is found.
        #[test]
        fn exponentials_are_told_apart(factor in 1.3..4.0_f64, wrong in wrongs()) {
            let step = (2_f64.ln() / factor.ln()).ceil();
            let sizes: Vec<f64> = (0..9).map(|at| 12.0 + step * f64::from(at)).collect();
            let largest = sizes[8];
            let points =
                measured(&sizes, &wrong, |size| 2000.0 * factor.powf(size - largest));
            let found = growth(&points, FLOOR);
            prop_assert_eq!(found.law, Law::Exponential);
            let estimate = found.estimate.unwrap();
            prop_assert!((estimate.value / factor).ln().abs() < 0.1 * factor.ln() + 0.02);
        }

        /// Costs within the noise are flat, and no law is fitted.
        #[test]
        fn noise_is_flat(wrong in wrongs()) {
            let points = measured(&doubling(1.0, 12), &wrong, |_| 0.0);
            prop_assert_eq!(growth(&points, FLOOR).law, Law::Flat);
        }

        /// At the size at which a law reaches a cost, the law gives that cost.
        #[test]
        fn a_cost_is_reached_where_the_law_says(exponent in 0.5..4.0_f64, more in 1.0..50.0_f64) {
            let of = |size: f64| FLOOR.cost + 1e-3 * size.powf(exponent);
            let value = Estimate { value: exponent, least: exponent, most: exponent };
            let law = Growth { law: Law::Power, estimate: Some(value) };
            let from = Point { size: 100.0, cost: of(100.0) };
            let size = reaches(&law, from, FLOOR, of(100.0 * more)).unwrap();
            prop_assert!((size / (100.0 * more) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn known_programs_get_their_known_laws() {
        let check = |sizes: &[f64], cost: &dyn Fn(f64) -> f64, law: Law, value: f64| {
            let points = measured(sizes, &[0.5; 16], cost);
            let found = growth(&points, FLOOR);
            assert_eq!(found.law, law, "{found:?}");
            assert!((found.estimate.unwrap().value - value).abs() < 0.15, "{value} {found:?}");
        };
        let sizes = doubling(128.0, 10);
        check(&sizes, &|n| n * n / 1e6, Law::Power, 2.0);
        check(&sizes, &|n| n * n.ln() / 1e3, Law::Power, 1.1);
        // The linear part at small sizes does not count.
        check(&sizes, &|n| n * n / 1e6 + n / 1e3, Law::Power, 1.95);
        check(
            &[20.0, 21.0, 22.0, 23.0, 24.0, 25.0],
            &|n| 2_f64.powf(n - 15.0),
            Law::Exponential,
            2.0,
        );
        // Measured on a busy machine.
        let busy =
            [(23.0, 24.1), (24.0, 47.7), (25.0, 99.6), (26.0, 201.1), (27.0, 436.7), (28.0, 782.8)];
        let busy = busy.map(|(size, cost)| Point { size, cost });
        assert_eq!(growth(&busy, FLOOR).law, Law::Exponential);
        // Factorials grow faster than every exponential, and are not taken for a power.
        let factorials = [5.0, 6.0, 7.0, 8.0, 9.0];
        let of = |n: f64| (1..=n as u64).product::<u64>() as f64 / 20.0;
        assert_eq!(growth(&measured(&factorials, &[0.0; 16], of), FLOOR).law, Law::Exponential);
    }

    #[test]
    fn few_points_show_no_law() {
        let points = measured(&[10.0, 20.0, 40.0], &[0.0; 3], |n| n);
        assert_eq!(growth(&points, FLOOR).law, Law::Unclear);
        assert_eq!(growth(&[], FLOOR).law, Law::Unclear);
        // Four arbitrary points.
        let anywhere = [(10.0, 9.0), (20.0, 40.0), (40.0, 12.0), (80.0, 60.0)];
        let anywhere = anywhere.map(|(size, cost)| Point { size, cost });
        assert_eq!(growth(&anywhere, FLOOR).law, Law::Unclear);
        let same = measured(&[10.0; 6], &[0.0; 6], |n| n);
        assert_eq!(growth(&same, FLOOR).law, Law::Unclear);
    }
}
