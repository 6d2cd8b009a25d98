//! Two rows instead of a table: the lead of the player to move, over all stretches of one length.
//!
//! The lead on a stretch needs only the leads on the two stretches that are one shorter.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<i32> = numbers.take(n).collect();

    let mut shorter = board.clone();
    for length in 2..=n {
        let mut longer = Vec::new();
        for from in 0..=n - length {
            let left = board[from] - shorter[from + 1];
            let right = board[from + length - 1] - shorter[from];
            longer.push(left.max(right));
        }
        shorter = longer;
    }

    let lead = shorter[0];
    let total: i32 = board.iter().sum();
    fs::write(
        "game1.out",
        format!("{} {}\n", (total + lead) / 2, (total - lead) / 2),
    )
    .unwrap();
}
