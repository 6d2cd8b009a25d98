//! Mistake: Alice plays well, but against a Bob who always takes the smallest number left in the row.

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
    let n = grid.len();
    let full = (1usize << n) - 1;
    // What Bob takes of a row, by the columns that are gone.
    let bob: Vec<Vec<usize>> = (0..full).map(|columns| smallest(grid, columns)).collect();
    let mut left = vec![0; 1 << (2 * n)];
    for rows in (0..full).rev() {
        for columns in (0..full)
            .rev()
            .filter(|columns: &usize| columns.count_ones() == rows.count_ones())
        {
            let after = |row: usize| {
                let column = bob[columns][row];
                grid[row][column] + left[(rows | 1 << row) << n | columns | 1 << column]
            };
            left[rows << n | columns] = (0..n)
                .filter(|row| rows & 1 << row == 0)
                .map(after)
                .max()
                .unwrap();
        }
    }
    left[0]
}

/// The column of the smallest number that is left in each row.
fn smallest(grid: &[Vec<i32>], columns: usize) -> Vec<usize> {
    let is_left = |column: &usize| columns & 1 << column == 0;
    grid.iter()
        .map(|row| (0..row.len()).filter(is_left).min_by_key(|&column| row[column]).unwrap())
        .collect()
}
