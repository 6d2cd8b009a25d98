//! Mistake: values fit into a byte, so scores are kept in bytes too; they wrap around at 256.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<u8>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<u8> = numbers.take(n).collect();

    let mut best = vec![vec![0u8; n + 1]; n + 1];
    for from in (0..n).rev() {
        let mut total = 0u8;
        for to in from + 1..=n {
            total = total.wrapping_add(board[to - 1]);
            best[from][to] = total.wrapping_sub(best[from + 1][to].min(best[from][to - 1]));
        }
    }

    let total = board
        .iter()
        .fold(0u8, |sum, value| sum.wrapping_add(*value));
    let first = best[0][n];
    fs::write(
        "game1.out",
        format!("{first} {}\n", total.wrapping_sub(first)),
    )
    .unwrap();
}
