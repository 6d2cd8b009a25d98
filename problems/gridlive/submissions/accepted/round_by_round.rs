//! Every round anew: of the columns that are left, the first that still allows the lowest total for the rows that are
//! left, found by the sets of columns that those rows can take.

use std::io::{self, BufRead, Write};

fn main() {
    let mut lines = io::stdin().lock().lines().map(Result::unwrap);
    let n: usize = lines.next().unwrap().trim().parse().unwrap();
    let grid: Vec<Vec<i32>> = (0..n)
        .map(|_| {
            let line = lines.next().unwrap();
            line.split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    let mut rows: Vec<usize> = (0..n).collect();
    let mut used = 0;
    for _ in 0..n {
        let row = lines.next().unwrap().trim().parse::<usize>().unwrap() - 1;
        rows.retain(|&other| other != row);
        let column = (0..n)
            .filter(|column| used & 1 << column == 0)
            .min_by_key(|&column| grid[row][column] + least(&grid, &rows, used | 1 << column))
            .unwrap();
        used |= 1 << column;
        println!("{}", column + 1);
        io::stdout().flush().unwrap();
    }
}

/// The lowest total of these rows with columns that are not used.
fn least(grid: &[Vec<i32>], rows: &[usize], used: usize) -> i32 {
    let n = grid.len();
    let mut best = vec![i32::MAX; 1 << n];
    best[used] = 0;
    for mask in used..1 << n {
        let done = (mask as u32).count_ones() as usize - (used as u32).count_ones() as usize;
        if best[mask] == i32::MAX || done == rows.len() {
            continue;
        }
        for column in (0..n).filter(|column| mask & 1 << column == 0) {
            let sum = best[mask] + grid[rows[done]][column];
            best[mask | 1 << column] = best[mask | 1 << column].min(sum);
        }
    }
    best[(1 << n) - 1]
}
