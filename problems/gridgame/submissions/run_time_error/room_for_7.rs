//! Mistake: a table for 7 columns; the eighth ends in a panic.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let grids = numbers.next().unwrap();
    for _ in 0..grids {
        let n = numbers.next().unwrap() as usize;
        let grid: Vec<Vec<i32>> = (0..n).map(|_| numbers.by_ref().take(n).collect()).collect();
        println!("{}", total(&grid));
    }
}

/// The least total: `best[mask]` takes the columns of the mask from as many rows at the top.
fn total(grid: &[Vec<i32>]) -> i32 {
    let n = grid.len();
    let mut best = [i32::MAX; 1 << 7];
    best[0] = 0;
    for mask in 0..1usize << n {
        for column in (0..n).filter(|column| mask & 1 << column == 0) {
            let sum = best[mask] + grid[mask.count_ones() as usize][column];
            best[mask | 1 << column] = best[mask | 1 << column].min(sum);
        }
    }
    best[(1 << n) - 1]
}
