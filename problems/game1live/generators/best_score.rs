//! Prints the judge answer of one input of game1live: the score that the contestant's side can be sure of.
//!
//! By the linear fold, and not by a table as in the output validator, which compares: every peak x <= y >= z counts as
//! one number x - y + z, and in the valley that is left the larger end is best.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace();
    let mut number = || numbers.next().unwrap().parse::<i32>().unwrap();
    let (n, side) = (number(), number());
    let row: Vec<i32> = (0..n).map(|_| number()).collect();
    let mut valley: Vec<i32> = Vec::new();
    for &value in &row {
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
    let signed = |(turn, value): (usize, &i32)| if turn % 2 == 0 { *value } else { -value };
    let lead: i32 = valley.iter().enumerate().map(signed).sum();
    let total: i32 = row.iter().sum();
    let lead = if side == 1 { lead } else { -lead };
    println!("{}", (total + lead) / 2);
}
