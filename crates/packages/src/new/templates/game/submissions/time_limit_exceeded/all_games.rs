//! Exponential time: plays every game to its end.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let row: Vec<i32> = numbers.take(n).collect();

    let total: i32 = row.iter().sum();
    println!("{}", (total + lead(&row)) / 2);
}

/// By how much the player to move is ahead at the end.
fn lead(row: &[i32]) -> i32 {
    match row {
        [] => 0,
        [only] => *only,
        [first, .., last] => {
            let left = first - lead(&row[1..]);
            let right = last - lead(&row[..row.len() - 1]);
            left.max(right)
        }
    }
}
