//! What the player to move collects, with sums of parts from prefix sums; where both moves are equal, L and R in
//! turn. The total stands on a line of its own, with Windows line ends.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let mut before = vec![0];
    for value in &row {
        before.push(before[before.len() - 1] + value);
    }
    let collected = collected(&before);
    print!("\r\n{}\r\n\t", collected[0][row.len()]);
    let (mut i, mut j) = (0, row.len());
    let mut tied_to_left = false;
    while i < j {
        // What is left for the other should be little.
        let (after_left, after_right) = (collected[i + 1][j], collected[i][j - 1]);
        if after_left == after_right {
            tied_to_left = !tied_to_left;
        }
        if after_left < after_right || after_left == after_right && tied_to_left {
            print!("L");
            i += 1;
        } else {
            print!("R");
            j -= 1;
        }
    }
}

fn collected(before: &[i64]) -> Vec<Vec<i64>> {
    let n = before.len() - 1;
    let mut collected = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            let j = i + length;
            collected[i][j] = before[j] - before[i] - collected[i + 1][j].min(collected[i][j - 1]);
        }
    }
    collected
}
