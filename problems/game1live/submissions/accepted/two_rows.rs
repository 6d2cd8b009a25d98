//! Only two rows of the table, made afresh for each move: best scores from prefix sums, longest stretch last.

use std::io;

fn main() {
    let mut lines = io::stdin().lines().map(Result::unwrap);
    let first = lines.next().unwrap();
    let (n, side) = first.split_once(' ').unwrap();
    let (n, side): (usize, usize) = (n.parse().unwrap(), side.parse().unwrap());
    let mut row: Vec<u32> = Vec::new();
    while row.len() < n {
        let line = lines.next().unwrap();
        row.extend(line.split(' ').map(|word| word.parse::<u32>().unwrap()));
    }
    for turn in 1..=n {
        let mine = turn % 2 == side % 2;
        let answer = if mine {
            let end = best_end(&row);
            // Standard output of Rust is flushed at every line end.
            println!("{end}");
            end.to_string()
        } else {
            lines.next().unwrap()
        };
        match answer.as_str() {
            "L" => row.remove(0),
            _ => row.pop().unwrap(),
        };
    }
}

fn best_end(row: &[u32]) -> char {
    let n = row.len();
    let mut sums = vec![0];
    for value in row {
        sums.push(sums[sums.len() - 1] + value);
    }
    // best[i]: what whoever is to move gets of the stretch of this length that starts at i.
    let mut best: Vec<u32> = row.to_vec();
    if n == 1 {
        return 'R';
    }
    for length in 2..n {
        for i in 0..=n - length {
            best[i] = sums[i + length] - sums[i] - best[i].min(best[i + 1]);
        }
    }
    // What the other gets after each move.
    if best[1] <= best[0] { 'L' } else { 'R' }
}
