//! Halves what is possible with each guess.

use std::io;

fn main() {
    let n: u32 = line().trim().parse().unwrap();
    let (mut least, mut most) = (1, n);
    loop {
        let guess = (least + most) / 2;
        println!("{guess}"); // a whole line is flushed at once
        match line().trim() {
            "higher" => least = guess + 1,
            "lower" => most = guess - 1,
            _ => return,
        }
    }
}

fn line() -> String {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    line
}
