//! What an output earns if its validator gives points, or a part of all points.

use crate::output_validator::response::Worth;
use juror_core::score::{CaseScore, CaseScoring, Score, ScoreOrigin};
use juror_core::test_data::TestCase;

pub struct CaseWorth {
    pub points: Score,
    /// The most points that are possible, if their number is known.
    pub most: Option<Score>,
    pub is_right: bool,
    pub score: Option<CaseScore>,
}

/// `None` if the points are not finite.
///
/// An output is right if it has all points or, if their number is unknown, more than zero. On test cases without
/// points, a part is a part of one point.
pub fn score_by_worth(
    scoring: CaseScoring,
    test_case: &TestCase,
    worth: Worth,
) -> Option<CaseWorth> {
    let (most, counts) = match scoring {
        CaseScoring::Ignored | CaseScoring::Forbidden => (test_case.points, false),
        CaseScoring::UpTo(most) => (Some(most), true),
        CaseScoring::Graded { accept, .. } if !matches!(worth, Worth::Points(_)) => {
            (Some(accept), true)
        }
        CaseScoring::Unbounded | CaseScoring::Graded { .. } => (None, true),
    };
    let earned = earned_points(worth, most, test_case.validator_points)?;
    let score = CaseScore { score: earned.points, origin: ScoreOrigin::Score };
    Some(CaseWorth { score: counts.then_some(score), ..earned })
}

/// Without its score; `None` if the points are not finite. The validator's points refer to `full`, if they are scaled.
fn earned_points(worth: Worth, most: Option<Score>, full: Option<Score>) -> Option<CaseWorth> {
    let worth = match (worth, full) {
        // Zero of zero points are all of them.
        (Worth::Points(points), Some(full)) if points == full => Worth::Fraction(Score::ONE),
        (Worth::Points(points), Some(full)) => {
            Worth::Fraction(Score::new(points.points() / full.points())?)
        }
        (worth, _) => worth,
    };
    let part = |part: Score| part.points() * most.unwrap_or(Score::ONE).points();
    let (most, points) = match worth {
        Worth::Points(points) => (most, points.points()),
        Worth::Fraction(fraction) => (most.or(Some(Score::ONE)), part(fraction)),
        Worth::CorrectFraction(fraction) if full.is_some() => (most, part(fraction)),
        // Do not round up because of floating-point errors.
        Worth::CorrectFraction(fraction) => (most, (part(fraction) - 1e-9).ceil()),
    };
    let points = Score::new(points)?;
    let is_right = match (worth, most) {
        (Worth::CorrectFraction(_), _) => true,
        (Worth::Fraction(part), _) => !Score::ONE.exceeds(part),
        (_, Some(most)) => !most.exceeds(points),
        (_, None) => points.exceeds(Score::ZERO),
    };
    Some(CaseWorth { points, most, is_right, score: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_a_part_of_those_of_the_test_case() {
        let score = |points: f64| Score::new(points).unwrap();
        let check = |worth: Worth, most: Option<f64>, full: Option<f64>, expected: &str| {
            let earned = earned_points(worth, most.map(score), full.map(score));
            let shown =
                earned.map_or("-".to_owned(), |CaseWorth { points, most, is_right, .. }| {
                    format!("{points} of {}: {is_right}", most.map_or(f64::INFINITY, Score::points))
                });
            assert_eq!(shown, expected, "{worth:?} {most:?} {full:?}");
        };
        let points = |points: f64| Worth::Points(score(points));
        check(points(3.0), None, None, "3 of inf: true");
        check(points(0.0), None, None, "0 of inf: false");
        check(points(3.0), Some(4.0), None, "3 of 4: false");
        check(points(4.0), Some(4.0), None, "4 of 4: true");
        check(points(3.0), Some(1.0), Some(4.0), "0.75 of 1: false");
        check(points(4.0), Some(1.0), Some(4.0), "1 of 1: true");
        check(points(0.0), Some(1.0), Some(0.0), "1 of 1: true");
        check(points(3.0), Some(1.0), Some(0.0), "-");
        check(Worth::Fraction(score(0.5)), None, None, "0.5 of 1: false");
        check(Worth::Fraction(score(1e308)), Some(1e308), None, "-");
        check(Worth::CorrectFraction(score(0.3)), Some(5.0), None, "2 of 5: true");
        check(Worth::CorrectFraction(score(0.5)), Some(1.0), Some(4.0), "0.5 of 1: true");
    }
}
