//! Compares every possible guess with every possible number to find the guess that halves them.

use std::io;

fn main() {
    let n: u32 = line().trim().parse().unwrap();
    let mut possible: Vec<u32> = (1..=n).collect();
    loop {
        let unevenness = |guess: u32| {
            let smaller = possible.iter().filter(|&&number| number < guess).count();
            possible.len().abs_diff(2 * smaller + 1)
        };
        let guess = possible.iter().copied().min_by_key(|&guess| unevenness(guess)).unwrap();
        println!("{guess}");
        match line().trim() {
            "higher" => possible.retain(|&number| number > guess),
            "lower" => possible.retain(|&number| number < guess),
            _ => return,
        }
    }
}

fn line() -> String {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    line
}
