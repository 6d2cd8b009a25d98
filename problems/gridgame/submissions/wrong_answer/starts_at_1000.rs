//! Mistake: the best total so far starts at 1000, the highest value of a single number.

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

/// The least total of one number from each row, no two from one column, by trying every column in every row.
fn total(grid: &[Vec<i32>]) -> i32 {
    let mut best = 1000;
    place(grid, &mut vec![false; grid.len()], 0, 0, &mut best);
    best
}

fn place(grid: &[Vec<i32>], taken: &mut [bool], row: usize, so_far: i32, best: &mut i32) {
    if row == grid.len() {
        *best = so_far.min(*best);
        return;
    }
    for column in 0..grid.len() {
        if !taken[column] {
            taken[column] = true;
            place(grid, taken, row + 1, so_far + grid[row][column], best);
            taken[column] = false;
        }
    }
}
