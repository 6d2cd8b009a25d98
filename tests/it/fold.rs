//! Compares the linear fold of the coinmoves validator with a quadratic table that follows the rules.

#[expect(unreachable_pub, reason = "the package's own file")]
#[path = "../../problems/coinmoves/output_validator/validate/row.rs"]
mod row;

use row::{End, Shares, lead, loss, shares};

/// `[left][right]` is the lead of the player to move on the part from `left` up to `right`. Each entry follows from
/// the two parts that a move can leave.
fn table(row: &[i64]) -> Vec<Vec<i64>> {
    let n = row.len();
    let mut lead = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for left in 0..=n - length {
            let right = left + length;
            let by_left = row[left] - lead[left + 1][right];
            let by_right = row[right - 1] - lead[left][right - 1];
            lead[left][right] = by_left.max(by_right);
        }
    }
    lead
}

/// The lead on the whole row, with two rows of memory.
fn lead_by_table(row: &[i64], best: &mut Vec<i64>) -> i64 {
    best.clear();
    best.resize(row.len() + 1, 0);
    for length in 1..=row.len() {
        for left in 0..=row.len() - length {
            best[left] = (row[left] - best[left + 1]).max(row[left + length - 1] - best[left]);
        }
    }
    best[0]
}

/// The same numbers on every machine.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn check(row: &[i64], first: i64, second: i64) {
    assert_eq!(shares(row), Shares { first, second }, "{row:?}");
}

#[test]
fn known_rows_have_their_known_results() {
    check(&[], 0, 0);
    check(&[7], 7, 0);
    check(&[4, 7, 2, 9, 5, 2], 18, 11);
    check(&[10, 80, 90, 30], 110, 100);
    check(&[10, 100, 10], 20, 100);
    check(&[9, 5, 21, 7], 30, 12);
    check(&[20, 50, 5, 10], 60, 25);
    check(&[-5], -5, 0);
    check(&[-1, 3, -1], -2, 3);
}

#[test]
fn the_fold_agrees_with_the_table_on_all_short_rows() {
    let mut best = Vec::new();
    for n in 0..=7 {
        for code in 0..4_i64.pow(n) {
            let row: Vec<i64> = (0..n).map(|index| code / 4_i64.pow(index) % 4).collect();
            assert_eq!(lead(&row), lead_by_table(&row, &mut best), "{row:?}");
        }
    }
}

#[test]
fn the_fold_agrees_with_the_table_on_a_million_random_rows() {
    let mut chance = RandomNumbers(1);
    let mut best = Vec::new();
    let mut row = Vec::new();
    for _ in 0..1_000_000 {
        let n = chance.below(13);
        // Ties are rare among large numbers and common among small ones; both are tested.
        let spread = [2, 3, 10, 1000, 1_000_000_000][chance.below(5) as usize];
        let lowest = [0, -(spread as i64 / 2)][chance.below(2) as usize];
        row.clear();
        row.extend((0..n).map(|_| lowest + chance.below(spread) as i64));
        assert_eq!(lead(&row), lead_by_table(&row, &mut best), "{row:?}");
    }
}

#[test]
fn the_fold_agrees_with_the_table_on_long_rows() {
    let mut chance = RandomNumbers(2);
    let mut best = Vec::new();
    for n in [99, 100, 255, 500] {
        for spread in [2, 5, 1_000_000_000] {
            let row: Vec<i64> = (0..n).map(|_| chance.below(spread) as i64).collect();
            assert_eq!(lead(&row), lead_by_table(&row, &mut best), "{row:?}");
        }
    }
}

#[test]
fn losses_agree_with_the_table() {
    let mut chance = RandomNumbers(3);
    for _ in 0..2_000 {
        let n = 1 + chance.below(9) as usize;
        let row: Vec<i64> = (0..n).map(|_| chance.below(5) as i64).collect();
        let lead = table(&row);
        let by_left = (lead[0][n] - (row[0] - lead[1][n])) / 2;
        let by_right = (lead[0][n] - (row[n - 1] - lead[0][n - 1])) / 2;
        assert_eq!(loss(&row, End::Left), Some(by_left), "{row:?}");
        assert_eq!(loss(&row, End::Right), Some(by_right), "{row:?}");
        assert_eq!(by_left.min(by_right), 0, "{row:?}");
    }
    assert_eq!(loss(&[], End::Left), None);
    assert_eq!(loss(&[], End::Right), None);
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let most = i64::MAX / 4;
    check(&[most, most, most], 2 * most, most);
    check(&[-most, -most], -most, -most);
}
