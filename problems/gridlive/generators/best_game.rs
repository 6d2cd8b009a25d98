//! Prints the columns of one best game of gridlive, in the order of its rounds: the judge answer to an input.
//!
//! The assignment problem by the Hungarian method.

use std::io::{self, BufRead, Write};

fn main() {
    let mut words = Words::default();
    let n = words.next() as usize;
    let grid: Vec<Vec<i32>> = (0..n)
        .map(|_| (0..n).map(|_| words.next()).collect())
        .collect();
    let columns = assignment(&grid);
    for _ in 0..n {
        let row = words.next() as usize;
        println!("{}", columns[row - 1]);
        io::stdout().flush().unwrap();
    }
}

/// The column of each row, counted from 1: rows are added one by one, each by the cheapest chain of columns that change
/// hands.
fn assignment(grid: &[Vec<i32>]) -> Vec<usize> {
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
    let mut columns = vec![0; n];
    (1..=n).for_each(|column| columns[row_of[column] - 1] = column);
    columns
}

/// Standard input, word by word; reads no further than it must.
#[derive(Default)]
struct Words(Vec<i32>);

impl Words {
    fn next(&mut self) -> i32 {
        while self.0.is_empty() {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).unwrap();
            self.0 = line
                .split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect();
            self.0.reverse();
        }
        self.0.pop().unwrap()
    }
}
