//! Has room for seven rows.

use std::io;

fn main() {
    let mut lines = io::stdin().lines().map(Result::unwrap);
    let n: usize = lines.next().unwrap().parse().unwrap();
    let mut grid = [[0; 7]; 7];
    for row in 0..n {
        for (column, word) in lines.next().unwrap().split(' ').enumerate() {
            grid[row][column] = word.parse::<i32>().unwrap();
        }
    }
    let mut best = vec![(i32::MAX, 0); 1 << n];
    best[(1 << n) - 1].0 = 0;
    // From the last row up: the best column for each set that the rows above have used.
    for set in (0..(1 << n) - 1_usize).rev() {
        let row = set.count_ones() as usize;
        for column in 0..n {
            if set & 1 << column == 0 {
                let total = grid[row][column] + best[set | 1 << column].0;
                best[set] = best[set].min((total, column));
            }
        }
    }
    let (mut set, mut columns) = (0, Vec::new());
    while columns.len() < n {
        columns.push(best[set].1);
        set |= 1 << best[set].1;
    }
    for _ in 0..n {
        let row: usize = lines.next().unwrap().parse().unwrap();
        println!("{}", columns[row - 1] + 1);
    }
}
