//! No table: the lead on a row comes from folding its peaks in linear time, and each move is tried both ways.
//! Quadratic time, linear memory.

use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let row: Vec<i64> = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let total: i64 = row.iter().sum();
    print!("{} ", (total + lead(&row)) / 2);
    let mut board = row.as_slice();
    while let [first, .., last] = board {
        let (left, right) = (&board[1..], &board[..board.len() - 1]);
        let takes_left = first - lead(left) > last - lead(right);
        print!("{}", if takes_left { 'L' } else { 'R' });
        board = if takes_left { left } else { right };
    }
    println!("L");
}

fn lead(row: &[i64]) -> i64 {
    let mut valley: Vec<i64> = Vec::new();
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
    // In a valley the larger end is also the largest number left, so the moves go down in order of size.
    valley.sort_unstable_by(|a, b| b.cmp(a));
    valley
        .iter()
        .enumerate()
        .map(|(turn, value)| if turn % 2 == 0 { *value } else { -value })
        .sum()
}
