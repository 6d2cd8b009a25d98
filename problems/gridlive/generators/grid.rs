//! Prints one input of gridlive: a grid, and the order of the rows.
//!
//!     grid --n N --shape SHAPE --low LOW --high HIGH --order ORDER --seed SEED
//!
//! Shapes, with values in LOW..HIGH:
//! - `random`: every value by chance;
//! - `equal`: every value LOW;
//! - `cycle`: by chance, but the smallest total is reached by one choice of columns only, which is one cycle through all
//!   rows, and so not its own inverse for three rows and more;
//! - `trap`: LOW in the first column of each row, and what the others cost grows: the smallest of each row leads astray.
//!
//! Orders: `up`, `down`, `mixed`. The same arguments print the same bytes on every machine.

use std::env;
use std::process::ExitCode;

const USAGE: &str = "usage: grid --n 1..8 --shape random|equal|cycle|trap --low -1000..1000 --high LOW..1000 \
                     --order up|down|mixed --seed SEED";

fn main() -> ExitCode {
    match text() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("grid: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn text() -> Result<String, String> {
    let words: Vec<String> = env::args().skip(1).collect();
    let find = |key: &str| {
        let at = words.iter().position(|word| word == key);
        let value = at.and_then(|at| words.get(at + 1));
        value.ok_or_else(|| format!("`{key}` is missing"))
    };
    let number = |key: &str, low: i64, high: i64| match find(key)?.parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("`{key}` must be from {low} to {high}")),
    };
    if words.len() != 12 {
        return Err("six options are needed, each with a value".to_owned());
    }
    let n = number("--n", 1, 8)? as usize;
    let low = number("--low", -1000, 1000)?;
    let high = number("--high", low, 1000)?;
    let mut chance = Chance(number("--seed", 0, i64::MAX)? as u64);
    let mut grid = vec![vec![low; n]; n];
    let shape = find("--shape")?.as_str();
    for row in 0..n {
        for column in 0..n {
            grid[row][column] = match shape {
                "random" => chance.within(low, high),
                "equal" => low,
                // All others are at least one more than those of the cycle.
                "cycle" if column == (row + 1) % n => low,
                "cycle" => chance.within(low + 1, high.max(low + 1)),
                "trap" if column == 0 => low,
                "trap" => low + ((row * row + 1) * column) as i64 * (high - low) / 512 + 1,
                other => return Err(format!("unknown shape `{other}`")),
            };
        }
    }
    let mut order: Vec<usize> = (1..=n).collect();
    match find("--order")?.as_str() {
        "up" => {}
        "down" => order.reverse(),
        "mixed" => {
            for last in (1..n).rev() {
                order.swap(last, chance.within(0, last as i64) as usize);
            }
        }
        other => return Err(format!("unknown order `{other}`")),
    }
    let line = |words: Vec<String>| words.join(" ") + "\n";
    let mut text = format!("{n}\n");
    for row in &grid {
        text += &line(row.iter().map(i64::to_string).collect());
    }
    text += &line(order.iter().map(usize::to_string).collect());
    Ok(text)
}

/// A splitmix64 stream: small, and the same on every machine.
struct Chance(u64);

impl Chance {
    /// A number in `low..=high`; as good as equally likely for such small ranges.
    fn within(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        let span = (high - low + 1) as u64;
        low + (word % span) as i64
    }
}
