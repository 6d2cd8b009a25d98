//! Sets of columns as bits, filled in the order in which the rows come: decides afresh in each round.

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
    let (mut rows, mut columns) = ((1 << n) - 1, (1 << n) - 1);
    for _ in 0..n {
        let row = lines.next().unwrap().parse::<usize>().unwrap() - 1;
        rows &= !(1 << row);
        let free = (0..n).filter(|column| columns & 1 << column != 0);
        let column = free
            .min_by_key(|&column| grid[row][column] + best(&grid, rows, columns & !(1 << column)))
            .unwrap();
        columns &= !(1 << column);
        println!("{}", column + 1);
    }
}

/// The smallest total of these rows and columns.
fn best(grid: &[Vec<i32>], rows: usize, columns: usize) -> i32 {
    let n = grid.len();
    let left: Vec<usize> = (0..n).filter(|row| rows & 1 << row != 0).collect();
    let mut best = vec![i32::MAX; 1 << n];
    best[0] = 0;
    for set in 0..1_usize << n {
        if best[set] == i32::MAX || set & !columns != 0 {
            continue;
        }
        let Some(&row) = left.get(set.count_ones() as usize) else {
            continue;
        };
        for column in 0..n {
            let with = set | 1 << column;
            if with != set && columns & 1 << column != 0 {
                best[with] = best[with].min(best[set] + grid[row][column]);
            }
        }
    }
    best[columns]
}
