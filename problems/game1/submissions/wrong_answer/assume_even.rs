//! Mistake: takes N for even, so that player 1 is to move whenever an even count is left. On an odd board player 2
//! begins.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<u32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<u32> = numbers.take(n).collect();

    // `first[from][to]`: what player 1 still gets from `board[from..to]`.
    let mut first = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for from in 0..=n - length {
            let to = from + length;
            first[from][to] = if length % 2 == 0 {
                (board[from] + first[from + 1][to]).max(board[to - 1] + first[from][to - 1])
            } else {
                first[from + 1][to].min(first[from][to - 1])
            };
        }
    }

    let total: u32 = board.iter().sum();
    fs::write(
        "game1.out",
        format!("{} {}\n", first[0][n], total - first[0][n]),
    )
    .unwrap();
}
