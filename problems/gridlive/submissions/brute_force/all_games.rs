//! Follows the rules and nothing else: Alice tries every row, Bob every column, to the end of every game.

use std::io;

fn main() {
    let mut lines = io::stdin().lines().map(Result::unwrap);
    let n: usize = lines.next().unwrap().parse().unwrap();
    let grid: Vec<Vec<i32>> = (0..n)
        .map(|_| {
            lines
                .next()
                .unwrap()
                .split(' ')
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    let (mut rows, mut columns) = (vec![true; n], vec![true; n]);
    for _ in 0..n {
        let row = lines.next().unwrap().parse::<usize>().unwrap() - 1;
        rows[row] = false;
        let (_, column) = bob(&grid, row, &mut rows, &mut columns);
        columns[column] = false;
        println!("{}", column + 1);
    }
}

fn alice(grid: &[Vec<i32>], rows: &mut Vec<bool>, columns: &mut Vec<bool>) -> i32 {
    let mut best = None;
    for row in 0..grid.len() {
        if rows[row] {
            rows[row] = false;
            let (total, _) = bob(grid, row, rows, columns);
            best = best.max(Some(total));
            rows[row] = true;
        }
    }
    best.unwrap_or(0)
}

fn bob(
    grid: &[Vec<i32>],
    row: usize,
    rows: &mut Vec<bool>,
    columns: &mut Vec<bool>,
) -> (i32, usize) {
    let mut best = (i32::MAX, 0);
    for column in 0..grid.len() {
        if columns[column] {
            columns[column] = false;
            let total = grid[row][column] + alice(grid, rows, columns);
            best = best.min((total, column));
            columns[column] = true;
        }
    }
    best
}
