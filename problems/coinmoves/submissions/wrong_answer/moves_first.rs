//! Mistake: prints the moves before the total.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let lead = leads(&row);
    let total: i64 = row.iter().sum();
    println!(
        "{} {}",
        moves(&row, &lead),
        (total + lead[0][row.len()]) / 2
    );
}

/// By how much the player to move leads on every part of the row: from `i` up to `j` at `[i][j]`.
fn leads(row: &[i64]) -> Vec<Vec<i64>> {
    let n = row.len();
    let mut lead = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            let j = i + length;
            lead[i][j] = (row[i] - lead[i + 1][j]).max(row[j - 1] - lead[i][j - 1]);
        }
    }
    lead
}

fn moves(row: &[i64], lead: &[Vec<i64>]) -> String {
    let (mut i, mut j) = (0, row.len());
    let mut moves = String::new();
    while i < j {
        if row[i] - lead[i + 1][j] >= row[j - 1] - lead[i][j - 1] {
            moves.push('L');
            i += 1;
        } else {
            moves.push('R');
            j -= 1;
        }
    }
    moves
}
