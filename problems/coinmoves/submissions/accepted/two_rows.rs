//! Two rows of leads, and one bit for every part of the row: whether L is best there. R where both are equal.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let (lead, takes_right) = solve(&row);
    let (mut i, mut moves) = (0, String::new());
    for length in (1..=row.len()).rev() {
        let right = takes_right[length][i];
        moves.push(if right { 'R' } else { 'L' });
        i += usize::from(!right);
    }
    let total: i64 = row.iter().sum();
    println!("{} {moves}", (total + lead) / 2);
}

/// The lead on the whole row, and for every part whether `R` is best: from `i` of length `l` at `[l][i]`.
fn solve(row: &[i64]) -> (i64, Vec<Vec<bool>>) {
    let n = row.len();
    let mut lead = vec![0; n + 1];
    let mut takes_right = vec![Vec::new()];
    for length in 1..=n {
        let best = (0..=n - length).map(|i| {
            let (by_left, by_right) = (row[i] - lead[i + 1], row[i + length - 1] - lead[i]);
            lead[i] = by_left.max(by_right);
            by_right >= by_left
        });
        takes_right.push(best.collect());
    }
    (lead[0], takes_right)
}
