//! The quadratic table: for every stretch of the row, by how much whoever is to move there can end ahead.

use std::io::{self, BufRead, Write};

fn main() {
    let mut words = Words::new(io::stdin().lock());
    let (n, side) = (words.number(), words.number());
    let row: Vec<i32> = (0..n).map(|_| words.number() as i32).collect();

    // lead[left][right] for the numbers from left up to, but without, right.
    let mut lead = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for left in 0..=n - length {
            let right = left + length;
            lead[left][right] = i32::max(
                row[left] - lead[left + 1][right],
                row[right - 1] - lead[left][right - 1],
            );
        }
    }

    let (mut left, mut right) = (0, n);
    for turn in 1..=n {
        let is_mine = (turn % 2 == 1) == (side == 1);
        let takes_left = if is_mine {
            let by_left = row[left] - lead[left + 1][right];
            let takes_left = by_left == lead[left][right];
            println!("{}", if takes_left { 'L' } else { 'R' });
            io::stdout().flush().unwrap();
            takes_left
        } else {
            words.next() == "L"
        };
        if takes_left {
            left += 1;
        } else {
            right -= 1;
        }
    }
}

/// The words of the input, however they are spread over lines.
struct Words<R> {
    reader: R,
    line: Vec<String>,
}

impl<R: BufRead> Words<R> {
    fn new(reader: R) -> Self {
        Words {
            reader,
            line: Vec::new(),
        }
    }

    fn next(&mut self) -> String {
        loop {
            if let Some(word) = self.line.pop() {
                return word;
            }
            let mut text = String::new();
            assert!(
                self.reader.read_line(&mut text).unwrap() > 0,
                "the input ends"
            );
            self.line = text.split_whitespace().rev().map(str::to_owned).collect();
        }
    }

    fn number(&mut self) -> usize {
        self.next().parse().unwrap()
    }
}
