//! Recursion with a memo; sums of parts come from prefix sums.

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
        let mut before = vec![0];
        for value in &row {
            before.push(before[before.len() - 1] + value);
        }
        let mut memo = vec![vec![None; n + 1]; n + 1];
        println!("{}", collected(&before, &mut memo, 0, n));
    }
}

fn collected(before: &[i64], memo: &mut [Vec<Option<i64>>], i: usize, j: usize) -> i64 {
    if i == j {
        return 0;
    }
    if let Some(known) = memo[i][j] {
        return known;
    }
    let other = collected(before, memo, i + 1, j).min(collected(before, memo, i, j - 1));
    let best = before[j] - before[i] - other;
    memo[i][j] = Some(best);
    best
}
