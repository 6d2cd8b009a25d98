//! The table of the source: a move and the answer to it at a time. best[i][j] is what the player to move has of coins
//! i up to j; the other leaves them the smaller of two.

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
        println!("{}", collected(&row));
    }
}

fn collected(row: &[i64]) -> i64 {
    let n = row.len();
    let mut best = vec![vec![0; n + 1]; n + 1];
    for length in (2..=n).step_by(2) {
        for i in 0..=n - length {
            let j = i + length;
            let inside = best[i + 1][j - 1];
            let left = row[i] + inside.min(best[i + 2][j]);
            let right = row[j - 1] + inside.min(best[i][j - 2]);
            best[i][j] = left.max(right);
        }
    }
    best[0][n]
}
