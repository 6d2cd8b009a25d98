//! The quadratic table as the source has it: for every part of the row its sum and what is won on it in each of the
//! two games.

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
        println!("{} {}", collected(&row, true), collected(&row, false));
    }
}

/// What the first player collects. `best[i][j]` is what the player to move collects of coins i to j.
fn collected(row: &[i64], dumb: bool) -> i64 {
    let n = row.len();
    let mut sum = vec![vec![0; n]; n];
    let mut best = vec![vec![0; n]; n];
    for i in 0..n {
        sum[i][i] = row[i];
        best[i][i] = row[i];
    }
    for distance in 1..n {
        // The first player moves when an even number of coins is gone; a dumb second player then wants
        // the other to collect as much as possible of what is left.
        let second_moves = (n - 1 - distance) % 2 == 1;
        for i in 0..n - distance {
            let j = i + distance;
            sum[i][j] = sum[i][j - 1] + row[j];
            let (after_left, after_right) = (best[i + 1][j], best[i][j - 1]);
            let other = if dumb && second_moves {
                after_left.max(after_right)
            } else {
                after_left.min(after_right)
            };
            best[i][j] = sum[i][j] - other;
        }
    }
    best[0][n - 1]
}
