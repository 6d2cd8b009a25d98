//! Mistake: plays every game to its end, for every order of the rows, before the first move: 1,625,702,400 games on eight
//! rows.

use std::io::{self, BufRead};

struct Game {
    grid: Vec<Vec<i32>>,
    rows: u32,
    columns: u32,
}

impl Game {
    /// The total from here on when both play perfectly.
    fn value(&mut self) -> i32 {
        let n = self.grid.len();
        if self.rows.count_ones() as usize == n {
            return 0;
        }
        (0..n)
            .filter(|row| self.rows & 1 << row == 0)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|row| self.answer(row).0)
            .max()
            .unwrap()
    }

    /// Bob's best answer to a row: the total, and the column.
    fn answer(&mut self, row: usize) -> (i32, usize) {
        let n = self.grid.len();
        self.rows |= 1 << row;
        let mut best = (i32::MAX, 0);
        for column in 0..n {
            if self.columns & 1 << column == 0 {
                self.columns |= 1 << column;
                let total = self.grid[row][column] + self.value();
                self.columns &= !(1 << column);
                best = best.min((total, column));
            }
        }
        self.rows &= !(1 << row);
        best
    }
}

fn main() {
    let mut lines = io::stdin().lock().lines().map(Result::unwrap);
    let n: usize = lines.next().unwrap().trim().parse().unwrap();
    let grid = (0..n)
        .map(|_| {
            let line = lines.next().unwrap();
            line.split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    let mut game = Game {
        grid,
        rows: 0,
        columns: 0,
    };
    for _ in 0..n {
        let row = lines.next().unwrap().trim().parse::<usize>().unwrap() - 1;
        let (_, column) = game.answer(row);
        game.rows |= 1 << row;
        game.columns |= 1 << column;
        println!("{}", column + 1);
    }
}
