//! The assignment problem by the Hungarian method, in cubic time. Why it is one: Bob can settle on a column for every
//! row before the game and answer every row with its column, whatever the order, so the least assignment is the most
//! that Alice can hope for; and every game ends with one number from each row and column, so Bob cannot get less.

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

/// The least total: rows are added one by one, each by the cheapest chain of columns that change hands.
fn total(grid: &[Vec<i32>]) -> i32 {
    let n = grid.len();
    // Prices of rows and columns; no number is below the sum of its two prices. Column 0 is where a new row waits.
    let (mut row_price, mut column_price) = (vec![0; n + 1], vec![0; n + 1]);
    let mut row_of = vec![0; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut column = 0;
        let mut slack = vec![i32::MAX; n + 1];
        let mut before = vec![0; n + 1];
        let mut seen = vec![false; n + 1];
        while row_of[column] != 0 {
            seen[column] = true;
            let here = row_of[column];
            let (mut least, mut next) = (i32::MAX, 0);
            for other in (1..=n).filter(|&other| !seen[other]) {
                let rest = grid[here - 1][other - 1] - row_price[here] - column_price[other];
                if rest < slack[other] {
                    (slack[other], before[other]) = (rest, column);
                }
                if slack[other] < least {
                    (least, next) = (slack[other], other);
                }
            }
            for other in 0..=n {
                if seen[other] {
                    row_price[row_of[other]] += least;
                    column_price[other] -= least;
                } else if slack[other] != i32::MAX {
                    slack[other] -= least;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    (1..=n)
        .map(|column| grid[row_of[column] - 1][column - 1])
        .sum()
}
