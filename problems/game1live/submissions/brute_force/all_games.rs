//! Follows the rules and nothing else: plays all games to their ends for every move.
//!
//! Right on every board that it plays; N numbers are 2^N games, so it says no to large boards.

use std::io;
use std::process;

/// The most numbers that it plays with.
const MOST: usize = 25;

fn main() {
    let mut words = io::stdin().lines().flat_map(|line| {
        line.unwrap()
            .split(' ')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let mut next = || words.next().unwrap();
    let n: usize = next().parse().unwrap();
    if n > MOST {
        eprintln!("{n} numbers are more games than there is time for");
        process::exit(1);
    }
    let side: usize = next().parse().unwrap();
    let mut row: Vec<i32> = (0..n).map(|_| next().parse().unwrap()).collect();
    for turn in 1..=n {
        let is_left = if turn % 2 == side % 2 {
            let left = row[0] - lead(&row[1..]);
            let right = row[row.len() - 1] - lead(&row[..row.len() - 1]);
            println!("{}", if left >= right { "L" } else { "R" });
            left >= right
        } else {
            next() == "L"
        };
        row.remove(if is_left { 0 } else { row.len() - 1 });
    }
}

fn lead(row: &[i32]) -> i32 {
    match row {
        [] => 0,
        [one] => *one,
        [first, .., last] => {
            let left = first - lead(&row[1..]);
            let right = last - lead(&row[..row.len() - 1]);
            left.max(right)
        }
    }
}
