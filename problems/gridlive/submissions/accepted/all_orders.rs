//! All permutations, depth first, with the best one kept.

use std::io::{self, Write};

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
    let mut search = Search {
        grid,
        chosen: Vec::new(),
        best: None,
    };
    search.go(0);
    let (_, columns) = search.best.unwrap();
    for _ in 0..n {
        let row: usize = lines.next().unwrap().parse().unwrap();
        println!("{}", columns[row - 1] + 1);
        io::stdout().flush().unwrap();
    }
}

struct Search {
    grid: Vec<Vec<i32>>,
    chosen: Vec<usize>,
    best: Option<(i32, Vec<usize>)>,
}

impl Search {
    fn go(&mut self, total: i32) {
        let row = self.chosen.len();
        if row == self.grid.len() {
            if self.best.as_ref().is_none_or(|(best, _)| total < *best) {
                self.best = Some((total, self.chosen.clone()));
            }
            return;
        }
        for column in 0..self.grid.len() {
            if !self.chosen.contains(&column) {
                self.chosen.push(column);
                self.go(total + self.grid[row][column]);
                self.chosen.pop();
            }
        }
    }
}
