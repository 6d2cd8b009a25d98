//! The game itself, with a memo for what is left of it: Alice takes the maximum over rows, Bob the minimum over
//! columns. That Alice has no influence is not used.

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

/// The total of what is left, by the sets of crossed rows and columns.
fn total(grid: &[Vec<i32>]) -> i32 {
    let n = grid.len();
    let full = (1usize << n) - 1;
    let mut left = vec![0; 1 << (2 * n)];
    for rows in (0..full).rev() {
        for columns in (0..full)
            .rev()
            .filter(|columns: &usize| columns.count_ones() == rows.count_ones())
        {
            let bob = |row: usize| {
                (0..n)
                    .filter(|column| columns & 1 << column == 0)
                    .map(|column| {
                        grid[row][column] + left[(rows | 1 << row) << n | columns | 1 << column]
                    })
                    .min()
                    .unwrap()
            };
            left[rows << n | columns] = (0..n)
                .filter(|row| rows & 1 << row == 0)
                .map(bob)
                .max()
                .unwrap();
        }
    }
    left[0]
}
