//! Mistake: a board of 64 numbers; a longer one ends in a panic.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let mut board = [0; 64];
    for (i, value) in numbers.enumerate() {
        board[i] = value;
    }

    let mut lead = board;
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
