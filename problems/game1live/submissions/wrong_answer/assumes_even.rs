//! Takes it for granted that player 1 is to move whenever an even number is left, as it is if N is even.

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
    // By how much player 1 ends ahead on row[i..j]; whose turn it is follows from its length, if the row is even.
    let mut ahead = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            let j = i + length;
            let (left, right) = (ahead[i + 1][j], ahead[i][j - 1]);
            ahead[i][j] = match length % 2 {
                0 => (row[i] + left).max(row[j - 1] + right),
                _ => (left - row[i]).min(right - row[j - 1]),
            };
        }
    }
    let (mut i, mut j) = (0, n);
    for turn in 1..=n {
        let takes_left = if turn % 2 == side % 2 {
            let (left, right) = (ahead[i + 1][j], ahead[i][j - 1]);
            let takes_left = match side {
                1 => row[i] + left >= row[j - 1] + right,
                _ => left - row[i] <= right - row[j - 1],
            };
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
