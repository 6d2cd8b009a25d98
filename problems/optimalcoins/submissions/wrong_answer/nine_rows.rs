//! Mistake: room for the results of nine rows; the tenth is not printed.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let rows = numbers.next().unwrap();
    for _ in 0..rows.min(9) {
        let n = numbers.next().unwrap() as usize;
        let row: Vec<i64> = numbers.by_ref().take(n).collect();
        println!("{}", collected(&row));
    }
}

/// What the player to move collects when both play for themselves.
fn collected(row: &[i64]) -> i64 {
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
