//! Both players always take the larger coin.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let row: Vec<i32> = numbers.take(n).collect();

    let (mut left, mut right) = (0, n);
    let mut totals = [0, 0];
    for turn in 0..n {
        if row[left] > row[right - 1] {
            totals[turn % 2] += row[left];
            left += 1;
        } else {
            right -= 1;
            totals[turn % 2] += row[right];
        }
    }
    println!("{}", totals[0]);
}
