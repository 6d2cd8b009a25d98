//! Prints the judge answer of one input of gridlive: the smallest total, by trying all permutations.
//!
//! The output validator knows another way, and compares.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let grid: Vec<Vec<i64>> = (0..n).map(|_| numbers.by_ref().take(n).collect()).collect();
    println!("{}", smallest(&grid, &mut vec![false; n]));
}

fn smallest(rows: &[Vec<i64>], used: &mut [bool]) -> i64 {
    let Some((row, below)) = rows.split_first() else {
        return 0;
    };
    let mut best = i64::MAX;
    for column in 0..used.len() {
        if !used[column] {
            used[column] = true;
            best = best.min(row[column] + smallest(below, used));
            used[column] = false;
        }
    }
    best
}
