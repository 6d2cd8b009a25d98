//! Mistake: fills a queue of 99 places before anyone reads from it. The longest board waits for ever, without using
//! the CPU.

use std::fs;
use std::sync::mpsc::sync_channel;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let (sender, receiver) = sync_channel(99);
    for word in text.split_whitespace().skip(1) {
        sender.send(word.parse::<i32>().unwrap()).unwrap();
    }
    drop(sender);
    let board: Vec<i32> = receiver.iter().collect();

    let n = board.len();
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
