//! Mistake: moves in pairs, down to no coin at all; a single coin that is left counts for nobody.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let rows = numbers.next().unwrap();
    for _ in 0..rows {
        let n = numbers.next().unwrap() as usize;
        let row: Vec<i64> = numbers.by_ref().take(n).collect();
        println!("{} {}", dumb(&row), smart(&row));
    }
}

/// What the first player collects when the second helps: both move before the next look.
fn dumb(row: &[i64]) -> i64 {
    in_pairs(row, i64::max)
}

/// What the first player collects when the second does not help.
fn smart(row: &[i64]) -> i64 {
    in_pairs(row, i64::min)
}

fn in_pairs(row: &[i64], second_picks: fn(i64, i64) -> i64) -> i64 {
    let n = row.len();
    // `two_less[i]`: for the part that begins at i and is two coins shorter.
    let mut two_less = vec![0; n + 2];
    for length in (2..=n).filter(|length| length % 2 == n % 2) {
        two_less = (0..=n - length)
            .map(|i| {
                let j = i + length - 1;
                let left = row[i] + second_picks(two_less[i + 2], two_less[i + 1]);
                let right = row[j] + second_picks(two_less[i + 1], two_less[i]);
                left.max(right)
            })
            .collect();
        two_less.extend([0, 0]);
    }
    two_less[0]
}
