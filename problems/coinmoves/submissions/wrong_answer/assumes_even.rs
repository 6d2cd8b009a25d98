//! Mistake: takes n for even, as the source says: the player is known from the parity of what is left, so that with
//! an odd row the second player begins.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let total = totals(&row);
    println!("{} {}", total[0][row.len()], moves(&row, &total));
}

/// The first player's total on every part: with an even number of coins left it is their turn.
fn totals(row: &[i64]) -> Vec<Vec<i64>> {
    let n = row.len();
    let mut total = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            let j = i + length;
            total[i][j] = if length % 2 == 0 {
                (row[i] + total[i + 1][j]).max(row[j - 1] + total[i][j - 1])
            } else {
                total[i + 1][j].min(total[i][j - 1])
            };
        }
    }
    total
}

fn moves(row: &[i64], total: &[Vec<i64>]) -> String {
    let (mut i, mut j) = (0, row.len());
    let mut moves = String::new();
    while i < j {
        let takes_left = if (j - i) % 2 == 0 {
            row[i] + total[i + 1][j] >= row[j - 1] + total[i][j - 1]
        } else {
            total[i + 1][j] <= total[i][j - 1]
        };
        moves.push(if takes_left { 'L' } else { 'R' });
        if takes_left {
            i += 1;
        } else {
            j -= 1;
        }
    }
    moves
}
