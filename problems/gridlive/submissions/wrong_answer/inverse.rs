//! Finds for each column its row, and uses that the other way round.

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
    let mut best = (i32::MAX, Vec::new());
    search(&grid, &mut Vec::new(), 0, &mut best);
    for _ in 0..n {
        let row: usize = lines.next().unwrap().parse().unwrap();
        println!("{}", best.1[row - 1] + 1);
    }
}

/// `rows` holds the row of each column.
fn search(grid: &[Vec<i32>], rows: &mut Vec<usize>, total: i32, best: &mut (i32, Vec<usize>)) {
    let column = rows.len();
    if column == grid.len() {
        if total < best.0 {
            *best = (total, rows.clone());
        }
        return;
    }
    for row in 0..grid.len() {
        if !rows.contains(&row) {
            rows.push(row);
            search(grid, rows, total + grid[row][column], best);
            rows.pop();
        }
    }
}
