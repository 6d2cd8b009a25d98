//! Mistake: after both have moved, both ends are thought to be gone, although the friend may take from the same side.

use std::io::{self, Read};

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
        println!("{}", collected(&row));
    }
}

fn collected(row: &[i64]) -> i64 {
    match row {
        [first, inside @ .., last] => *first.max(last) + collected(inside),
        _ => 0,
    }
}
