//! The smart column in linear time: fold every peak x <= y >= z into x - y + z, then take the larger end of the
//! valley that is left. The dumb column takes a quadratic table: a fold is worth the same only when both players want
//! it.

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

/// What the player to move collects when both play for themselves.
fn smart(row: &[i64]) -> i64 {
    let mut valley: Vec<i64> = Vec::new();
    for &value in row {
        valley.push(value);
        while let &[.., x, y, z] = valley.as_slice() {
            if x > y || y < z {
                break;
            }
            valley.truncate(valley.len() - 3);
            valley.push(x - y + z);
        }
    }
    // In a valley the larger end is also the largest number left, so the moves go down in order of size.
    valley.sort_unstable_by(|a, b| b.cmp(a));
    let lead: i64 = valley
        .iter()
        .enumerate()
        .map(|(turn, value)| if turn % 2 == 0 { *value } else { -value })
        .sum();
    (row.iter().sum::<i64>() + lead) / 2
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
