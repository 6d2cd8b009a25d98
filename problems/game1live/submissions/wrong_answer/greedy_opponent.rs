//! Plays well against an opponent that takes the larger number, and takes every opponent for that.

use std::io;

fn main() {
    let mut words = io::stdin().lines().flat_map(|line| {
        line.unwrap()
            .split(' ')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let mut next = || words.next().unwrap();
    let n: usize = next().parse().unwrap();
    let side: usize = next().parse().unwrap();
    let row: Vec<i32> = (0..n).map(|_| next().parse().unwrap()).collect();
    // best[i][j]: what we get of row[i..j] when we are to move.
    let mut best = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            best[i][i + length] =
                by_left(&row, &best, i, i + length).max(by_right(&row, &best, i, i + length));
        }
    }
    let (mut i, mut j) = (0, n);
    for turn in 1..=n {
        let takes_left = if turn % 2 == side % 2 {
            let takes_left = by_left(&row, &best, i, j) >= by_right(&row, &best, i, j);
            println!("{}", if takes_left { "L" } else { "R" });
            takes_left
        } else {
            next() == "L"
        };
        if takes_left {
            i += 1;
        } else {
            j -= 1;
        }
    }
}

fn by_left(row: &[i32], best: &[Vec<i32>], i: usize, j: usize) -> i32 {
    row[i] + after_greed(row, best, i + 1, j)
}

fn by_right(row: &[i32], best: &[Vec<i32>], i: usize, j: usize) -> i32 {
    row[j - 1] + after_greed(row, best, i, j - 1)
}

fn after_greed(row: &[i32], best: &[Vec<i32>], i: usize, j: usize) -> i32 {
    if i == j {
        0
    } else if row[i] >= row[j - 1] {
        best[i + 1][j]
    } else {
        best[i][j - 1]
    }
}
