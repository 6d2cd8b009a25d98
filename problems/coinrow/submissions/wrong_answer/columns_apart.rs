//! Mistake: prints all results of the dumb games first, and then those of the smart ones.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let rows = numbers.next().unwrap();
    let (mut dumb_ones, mut smart_ones) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let n = numbers.next().unwrap() as usize;
        let row: Vec<i64> = numbers.by_ref().take(n).collect();
        dumb_ones.push(dumb(&row));
        smart_ones.push(smart(&row));
    }
    for result in dumb_ones.iter().chain(&smart_ones) {
        println!("{result}");
    }
}

/// What the first player collects when both play for the first.
fn dumb(row: &[i64]) -> i64 {
    let n = row.len();
    let mut best = vec![0; n + 1];
    for length in 1..=n {
        let first_moves = (n - length) % 2 == 0;
        for left in 0..=n - length {
            let (with_left, with_right) = if length == 1 {
                (0, 0)
            } else {
                (best[left + 1], best[left])
            };
            best[left] = if first_moves {
                (row[left] + with_left).max(row[left + length - 1] + with_right)
            } else {
                with_left.max(with_right)
            };
        }
    }
    best[0]
}

/// What the player to move collects when both play for themselves.
fn smart(row: &[i64]) -> i64 {
    let mut best = vec![0; row.len() + 1];
    let mut total = vec![0; row.len()];
    for length in 1..=row.len() {
        for left in 0..=row.len() - length {
            total[left] += row[left + length - 1];
            let other = if length == 1 {
                0
            } else {
                best[left].min(best[left + 1])
            };
            best[left] = total[left] - other;
        }
    }
    best[0]
}
