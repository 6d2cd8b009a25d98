//! The rules and nothing else: both players try both ends, and each takes what gives them what they want in the end.
//!
//! Right on every row that it plays; n coins are 2^n games, so it says no to long ones.

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
        let deal = |second_wants: Wish| play(&row, [0, 0], 0, second_wants)[0];
        println!("{} {}", deal(Wish::Little), deal(Wish::Much));
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Wish {
    Little,
    Much,
}

/// What both players have in the end, when they have `purses` now and player `turn` (0 or 1) is to move.
fn play(row: &[i64], purses: [i64; 2], turn: usize, second_wants: Wish) -> [i64; 2] {
    let (Some(&first), Some(&last)) = (row.first(), row.last()) else {
        return purses;
    };
    let end_after = |coin: i64, rest: &[i64]| {
        let mut purses = purses;
        purses[turn] += coin;
        play(rest, purses, 1 - turn, second_wants)
    };
    let left = end_after(first, &row[1..]);
    let right = end_after(last, &row[..row.len() - 1]);
    let wish = if turn == 0 { Wish::Much } else { second_wants };
    let takes_left = match wish {
        Wish::Much => left[turn] >= right[turn],
        Wish::Little => left[turn] <= right[turn],
    };
    if takes_left { left } else { right }
}
