//! Quadratic time: by how much the player to move is ahead at the end, for every interval of the row.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let row: Vec<i32> = numbers.take(n).collect();

    // lead[start] is for the interval of the present length that begins there.
    let mut lead = row.clone();
    for length in 2..=n {
        for start in 0..=n - length {
            let left = row[start] - lead[start + 1];
            let right = row[start + length - 1] - lead[start];
            lead[start] = left.max(right);
        }
    }
    let total: i32 = row.iter().sum();
    println!("{}", (total + lead[0]) / 2);
}
