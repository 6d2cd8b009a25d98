//! Mistake: the total is right, but each move looks only at the coin taken and the one that the other takes next.

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
    println!("{} {}", (total + lead[0][row.len()]) / 2, two_ahead(&row));
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

fn two_ahead(row: &[i64]) -> String {
    let mut board = row;
    let mut moves = String::new();
    while let (Some(first), Some(last)) = (board.first(), board.last()) {
        let (inner_first, inner_last) = (board.get(1), board.iter().nth_back(1));
        let by_left = first - inner_first.map_or(0, |next| *next.max(last));
        let by_right = last - inner_last.map_or(0, |next| *next.max(first));
        let left = by_left >= by_right;
        moves.push(if left { 'L' } else { 'R' });
        board = if left {
            &board[1..]
        } else {
            &board[..board.len() - 1]
        };
    }
    moves
}
