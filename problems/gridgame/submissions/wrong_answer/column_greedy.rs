//! Mistake: takes the smallest number left in each column, from left to right.

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

fn total(grid: &[Vec<i32>]) -> i32 {
    let mut free: Vec<usize> = (0..grid.len()).collect();
    (0..grid.len())
        .map(|column| {
            let place = (0..free.len())
                .min_by_key(|&place| grid[free[place]][column])
                .unwrap();
            grid[free.remove(place)][column]
        })
        .sum()
}
