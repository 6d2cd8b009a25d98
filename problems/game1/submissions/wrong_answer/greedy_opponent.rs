//! Mistake: player 1 plays well, but against a player 2 who is thought to take the larger end.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<u32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<u32> = numbers.take(n).collect();

    // `best[from][to]`: the score of player 1, who is to move on `board[from..to]`.
    let mut best = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for from in 0..=n - length {
            let to = from + length;
            let left = board[from] + after_reply(&board, &best, from + 1, to);
            let right = board[to - 1] + after_reply(&board, &best, from, to - 1);
            best[from][to] = left.max(right);
        }
    }

    let total: u32 = board.iter().sum();
    fs::write(
        "game1.out",
        format!("{} {}\n", best[0][n], total - best[0][n]),
    )
    .unwrap();
}

fn after_reply(board: &[u32], best: &[Vec<u32>], from: usize, to: usize) -> u32 {
    if from == to {
        0
    } else if board[from] >= board[to - 1] {
        best[from + 1][to]
    } else {
        best[from][to - 1]
    }
}
