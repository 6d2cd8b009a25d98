//! The rules and nothing else: both players try both ends, and each takes what gives them more in the end.
//!
//! Right on every row that it plays; n coins are 2^n games, so it says no to long ones.

use std::io::{self, Read};
use std::process;

/// The most coins that it plays with.
const MOST: usize = 24;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    if row.len() > MOST {
        eprintln!("{} coins are more games than there is time for", row.len());
        process::exit(1);
    }
    let (totals, moves) = play(&row, 0);
    println!("{} {moves}", totals[0]);
}

/// The totals of both players and the moves, when player `turn` (0 or 1) is to move.
fn play(row: &[i64], turn: usize) -> ([i64; 2], String) {
    let (Some(first), Some(last)) = (row.first(), row.last()) else {
        return ([0, 0], String::new());
    };
    let mut left = play(&row[1..], 1 - turn);
    let mut right = play(&row[..row.len() - 1], 1 - turn);
    left.0[turn] += first;
    right.0[turn] += last;
    let (letter, (totals, moves)) = if left.0[turn] >= right.0[turn] {
        ('L', left)
    } else {
        ('R', right)
    };
    (totals, format!("{letter}{moves}"))
}
