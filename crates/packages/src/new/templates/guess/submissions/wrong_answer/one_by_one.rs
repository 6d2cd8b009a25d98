//! Tries 1, 2, 3 and so on, which takes too many guesses.

use std::io;

fn main() {
    line();
    for guess in 1.. {
        println!("{guess}");
        if line().trim() != "higher" {
            return;
        }
    }
}

fn line() -> String {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    line
}
