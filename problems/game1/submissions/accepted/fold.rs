//! Linear time: fold every peak, then take the larger end of the valley that is left.
//!
//! Let x <= y >= z stand side by side. Whoever takes x lays y open; the other takes y at once, which lays z open for
//! the first again; from the right it is the same with z and x exchanged. Three moves yield x - y + z and leave the
//! turn as one move would, so the three are worth one number x - y + z. When no peak is left the row falls and then
//! rises, and taking the larger end is best: nothing better ever hides behind a smaller one.

use std::fs;

fn main() {
    let text = fs::read_to_string("game1.in").unwrap();
    let mut numbers = text
        .split_whitespace()
        .map(|word| word.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let board: Vec<i32> = numbers.take(n).collect();

    let mut valley: Vec<i32> = Vec::new();
    for &value in &board {
        valley.push(value);
        while let &[.., x, y, z] = valley.as_slice() {
            if x > y || y < z {
                break;
            }
            valley.truncate(valley.len() - 3);
            valley.push(x - y + z);
        }
    }

    // In a valley the larger end is also the largest number left, so the moves go down in order of size.
    valley.sort_unstable_by(|a, b| b.cmp(a));
    let lead: i32 = valley
        .iter()
        .enumerate()
        .map(|(turn, value)| if turn % 2 == 0 { *value } else { -value })
        .sum();
    let total: i32 = board.iter().sum();
    fs::write(
        "game1.out",
        format!("{} {}\n", (total + lead) / 2, (total - lead) / 2),
    )
    .unwrap();
}
