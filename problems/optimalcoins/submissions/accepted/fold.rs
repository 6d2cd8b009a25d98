//! Linear time: fold every peak x <= y >= z into x - y + z, then take the larger end of the valley that is left.

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
        println!("{}", collected(&row));
    }
}

fn collected(row: &[i64]) -> i64 {
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
    let lead: i64 = valley
        .iter()
        .enumerate()
        .map(|(turn, value)| if turn % 2 == 0 { *value } else { -value })
        .sum();
    (row.iter().sum::<i64>() + lead) / 2
}
