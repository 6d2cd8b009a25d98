//! Mistake: loops to N - 1 while reading, so the last number never gets onto the board.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let numbers: Vec<i32> = text
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    let n = numbers[0] as usize - 1;
    let mut board = Vec::new();
    for i in 0..n {
        board.push(numbers[i + 1]);
    }

    let mut lead = board.clone();
    for length in 2..=n {
        for i in 0..=n - length {
            lead[i] = (board[i] - lead[i + 1]).max(board[i + length - 1] - lead[i]);
        }
    }
    let total: i32 = board.iter().sum();
    fs::write(
        "game1.out",
        format!("{} {}\n", (total + lead[0]) / 2, (total - lead[0]) / 2),
    )
    .unwrap();
}
