//! Cubic time: adds up every part of the row from scratch.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let row: Vec<i64> = numbers.take(n).collect();

    let (mut best, mut first, mut last) = (i64::MIN, 0, 0);
    for start in 0..n {
        for end in start + 1..=n {
            let sum = row[start..end].iter().sum();
            if sum > best {
                (best, first, last) = (sum, start + 1, end);
            }
        }
    }
    println!("{first} {last}");
}
