//! The rules and nothing else: tries both ends in every position, and each player keeps what is best for themselves.
//!
//! Right on every board that it plays; N numbers are 2^N games, so it says no to large boards.

use std::fs;
use std::process;

/// The most numbers that it plays with.
const MOST: usize = 24;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<u32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    if n > MOST {
        eprintln!("{n} numbers are more games than there is time for");
        process::exit(1);
    }
    let board: Vec<u32> = numbers.take(n).collect();
    let [first, second] = play(&board, 0);
    fs::write("game1.out", format!("{first} {second}\n")).unwrap();
}

/// Returns the scores of both players from here on; `player`, 0 or 1, is to move.
fn play(board: &[u32], player: usize) -> [u32; 2] {
    let (&[left, ref without_left @ ..], &[ref without_right @ .., right]) = (board, board) else {
        return [0, 0];
    };
    let mut take_left = play(without_left, 1 - player);
    take_left[player] += left;
    let mut take_right = play(without_right, 1 - player);
    take_right[player] += right;
    if take_left[player] > take_right[player] {
        take_left
    } else {
        take_right
    }
}
