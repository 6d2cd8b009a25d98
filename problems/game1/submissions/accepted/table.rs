//! The quadratic table: for every stretch of the board, the best score of the player who moves first on it.
//!
//! Whoever takes an end leaves the other to move first on the rest, so the rest of the stretch yields its total minus
//! the other's best.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let numbers: Vec<usize> = text
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    let n = numbers[0];
    let board = &numbers[1..=n];

    // Half-open: `best[from][to]` is about `board[from..to]`; an empty stretch is worth nothing.
    let mut best = vec![vec![0; n + 1]; n + 1];
    for from in (0..n).rev() {
        let mut total = 0;
        for to in from + 1..=n {
            total += board[to - 1];
            best[from][to] = total - best[from + 1][to].min(best[from][to - 1]);
        }
    }

    let total: usize = board.iter().sum();
    let first = best[0][n];
    fs::write("game1.out", format!("{first} {}\n", total - first)).unwrap();
}
