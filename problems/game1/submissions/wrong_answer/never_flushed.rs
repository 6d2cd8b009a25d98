//! Mistake: leaves with `process::exit`, which skips the flush of the buffered writer: game1.out stays empty.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::process;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<i32> = numbers.take(n).collect();

    let mut lead = board.clone();
    for length in 2..=n {
        for i in 0..=n - length {
            lead[i] = (board[i] - lead[i + 1]).max(board[i + length - 1] - lead[i]);
        }
    }
    let total: i32 = board.iter().sum();
    let mut out = BufWriter::new(File::create("game1.out").unwrap());
    writeln!(out, "{} {}", (total + lead[0]) / 2, (total - lead[0]) / 2).unwrap();
    process::exit(0);
}
