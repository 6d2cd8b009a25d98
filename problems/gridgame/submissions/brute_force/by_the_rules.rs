//! The rules and nothing else: Alice tries every row, Bob every column.
//!
//! Right on every grid that it plays; n rows are n! times n! games, so it says no to large ones.

use std::io::{self, Read};
use std::process;

/// The most rows that it plays with.
const MOST: usize = 6;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let grids = numbers.next().unwrap();
    for _ in 0..grids {
        let n = numbers.next().unwrap() as usize;
        if n > MOST {
            eprintln!("{n} rows are more games than there is time for");
            process::exit(1);
        }
        let grid: Vec<Vec<i32>> = (0..n).map(|_| numbers.by_ref().take(n).collect()).collect();
        println!("{}", total(&grid));
    }
}

fn total(grid: &[Vec<i32>]) -> i32 {
    play(
        grid,
        &mut vec![false; grid.len()],
        &mut vec![false; grid.len()],
    )
}

/// The total of what is left when these rows and columns are crossed out and Alice is to move.
fn play(grid: &[Vec<i32>], rows: &mut [bool], columns: &mut [bool]) -> i32 {
    let mut highest = None;
    for row in 0..grid.len() {
        if rows[row] {
            continue;
        }
        rows[row] = true;
        let mut lowest = None;
        for column in 0..grid.len() {
            if columns[column] {
                continue;
            }
            columns[column] = true;
            let sum = grid[row][column] + play(grid, rows, columns);
            lowest = Some(lowest.map_or(sum, |lowest: i32| lowest.min(sum)));
            columns[column] = false;
        }
        highest = highest.max(lowest);
        rows[row] = false;
    }
    highest.unwrap_or(0)
}
