//! Takes a part without numbers for the best one if all numbers are negative.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;

    let mut here = 0;
    let mut best = 0;
    for value in numbers.take(n) {
        here = (here + value).max(0);
        best = best.max(here);
    }
    println!("{best}");
}
