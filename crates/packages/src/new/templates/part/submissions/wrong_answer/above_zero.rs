//! Takes the first number if no part has a sum above zero.

use std::io;

fn main() {
    let text = io::read_to_string(io::stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;

    let (mut here, mut start) = (0, 1);
    let (mut best, mut first, mut last) = (0, 1, 1);
    for (value, end) in numbers.take(n).zip(1..) {
        if here < 0 {
            (here, start) = (0, end);
        }
        here += value;
        if here > best {
            (best, first, last) = (here, start, end);
        }
    }
    println!("{first} {last}");
}
