//! The rules and nothing else: both players try both ends.
//!
//! Right on every row that it plays; N coins are 2^N games, so it says no to long ones.

use std::io::{self, Read};
use std::process;

/// The most coins that it plays with.
const MOST: usize = 20;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let rows = numbers.next().unwrap();
    for _ in 0..rows {
        let n = numbers.next().unwrap() as usize;
        let row: Vec<i64> = numbers.by_ref().take(n).collect();
        if n > MOST {
            eprintln!("{n} coins are more games than there is time for");
            process::exit(1);
        }
        println!("{}", play(&row, [0, 0], 0)[0]);
    }
}

/// What both players have in the end, when they have `purses` now and player `turn` (0 or 1) is to move.
fn play(row: &[i64], purses: [i64; 2], turn: usize) -> [i64; 2] {
    let (Some(&first), Some(&last)) = (row.first(), row.last()) else {
        return purses;
    };
    let end_after = |coin: i64, rest: &[i64]| {
        let mut purses = purses;
        purses[turn] += coin;
        play(rest, purses, 1 - turn)
    };
    let left = end_after(first, &row[1..]);
    let right = end_after(last, &row[..row.len() - 1]);
    if left[turn] >= right[turn] {
        left
    } else {
        right
    }
}
