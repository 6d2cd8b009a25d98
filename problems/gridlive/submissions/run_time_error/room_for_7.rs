//! Mistake: a board for seven rows.

use std::io::{self, BufRead};

fn main() {
    let mut lines = io::stdin().lock().lines().map(Result::unwrap);
    let n: usize = lines.next().unwrap().trim().parse().unwrap();
    let mut grid = [[0i32; 7]; 7];
    for row in 0..n {
        let line = lines.next().unwrap();
        for (column, word) in line.split_whitespace().enumerate() {
            grid[row][column] = word.parse().unwrap();
        }
    }
    let mut best = (i32::MAX, Vec::new());
    search(&grid, n, 0, &mut Vec::new(), &mut best);
    for _ in 0..n {
        let row: usize = lines.next().unwrap().trim().parse().unwrap();
        println!("{}", best.1[row - 1] + 1);
    }
}

fn search(
    grid: &[[i32; 7]; 7],
    n: usize,
    sum: i32,
    taken: &mut Vec<usize>,
    best: &mut (i32, Vec<usize>),
) {
    if taken.len() == n {
        if sum < best.0 {
            *best = (sum, taken.clone());
        }
        return;
    }
    for column in 0..n {
        if !taken.contains(&column) {
            let sum = sum + grid[taken.len()][column];
            taken.push(column);
            search(grid, n, sum, taken, best);
            taken.pop();
        }
    }
}
