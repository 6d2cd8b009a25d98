//! Recursion with a memo; sums of parts come from prefix sums, so that no table of sums is needed.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i64>().unwrap());
    let rows = numbers.next().unwrap();
    for _ in 0..rows {
        let n = numbers.next().unwrap() as usize;
        let row: Vec<i64> = numbers.by_ref().take(n).collect();
        let mut game = Game::new(&row);
        let dumb = game.collect(0, n, true);
        game.forget();
        println!("{dumb} {}", game.collect(0, n, false));
    }
}

struct Game {
    n: usize,
    /// `before[i]`: the sum of the first i coins.
    before: Vec<i64>,
    /// What the player to move collects of coins `left..right`, at `left * (n + 1) + right`.
    memo: Vec<Option<i64>>,
}

impl Game {
    fn new(row: &[i64]) -> Self {
        let mut before = vec![0];
        for (index, value) in row.iter().enumerate() {
            before.push(before[index] + value);
        }
        let places = before.len() * before.len();
        Game {
            n: row.len(),
            before,
            memo: vec![None; places],
        }
    }

    fn forget(&mut self) {
        self.memo.fill(None);
    }

    fn collect(&mut self, left: usize, right: usize, dumb: bool) -> i64 {
        if left == right {
            return 0;
        }
        let place = left * self.before.len() + right;
        if let Some(known) = self.memo[place] {
            return known;
        }
        let after_left = self.collect(left + 1, right, dumb);
        let after_right = self.collect(left, right - 1, dumb);
        let gone = self.n - (right - left);
        let other = if dumb && gone % 2 == 1 {
            after_left.max(after_right)
        } else {
            after_left.min(after_right)
        };
        let collected = self.before[right] - self.before[left] - other;
        self.memo[place] = Some(collected);
        collected
    }
}
