//! Linear time for each move: the value of a row by folding its peaks, for both rows that can be left.
//!
//! Let x <= y >= z stand side by side. Whoever takes x lays y open; the other takes y at once, which lays z open for
//! the first again. The three are worth one number x - y + z. In the valley that is left the larger end is best.
//! Of two equal ends this one takes the right.

use std::io::{self, Read, Write};

fn main() {
    let (n, side) = (number(), number());
    let row: Vec<i32> = (0..n).map(|_| number()).collect();
    let mut rest = row.as_slice();
    for turn in 0..n {
        let is_mine = (turn % 2 == 0) == (side == 1);
        let takes_left = if is_mine {
            let [first, without_first @ ..] = rest else {
                return;
            };
            let [without_last @ .., last] = rest else {
                return;
            };
            let takes_left = first - lead(without_first) > last - lead(without_last);
            print!("{}\n", if takes_left { "L" } else { "R" });
            io::stdout().flush().unwrap();
            takes_left
        } else {
            word() == "L"
        };
        rest = if takes_left {
            &rest[1..]
        } else {
            &rest[..rest.len() - 1]
        };
    }
}

/// By how much whoever is to move ends ahead.
fn lead(row: &[i32]) -> i32 {
    let mut valley: Vec<i32> = Vec::new();
    for &value in row {
        valley.push(value);
        while let &[.., x, y, z] = valley.as_slice() {
            if x > y || y < z {
                break;
            }
            valley.truncate(valley.len() - 3);
            valley.push(x - y + z);
        }
    }
    valley.sort_unstable_by(|a, b| b.cmp(a));
    let signed = |(turn, value): (usize, &i32)| if turn % 2 == 0 { *value } else { -value };
    valley.iter().enumerate().map(signed).sum()
}

/// A word, byte by byte: a buffer could wait for more than there is.
fn word() -> String {
    let mut word = String::new();
    for byte in io::stdin().lock().bytes() {
        let byte = byte.unwrap();
        if !byte.is_ascii_whitespace() {
            word.push(char::from(byte));
        } else if !word.is_empty() {
            break;
        }
    }
    word
}

fn number() -> i32 {
    word().parse().unwrap()
}
