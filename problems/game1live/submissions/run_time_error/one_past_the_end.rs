//! Looks at both neighbours of the ends before it moves, also when one number is left.

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
    let mut lead = vec![vec![0; n + 1]; n + 1];
    for length in 1..=n {
        for i in 0..=n - length {
            let j = i + length;
            lead[i][j] = (row[i] - lead[i + 1][j]).max(row[j - 1] - lead[i][j - 1]);
        }
    }
    let (mut i, mut j) = (0, n);
    for turn in 1..=n {
        let takes_left = if turn % 2 == side % 2 {
            let rest = &row[i..j];
            eprintln!("lays {} or {} open", rest[1], rest[rest.len() - 2]);
            let takes_left = row[i] - lead[i + 1][j] == lead[i][j];
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
