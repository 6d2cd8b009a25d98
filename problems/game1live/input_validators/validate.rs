//! Checks one input of game1live on standard input, byte for byte.
//!
//! Exit code 42: valid. Exit code 43: invalid, and standard error names the line and what is wrong.
//! `validate.py` is its twin for tools that do not build Rust.

use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut bytes = Vec::new();
    if let Err(error) = io::stdin().lock().read_to_end(&mut bytes) {
        eprintln!("cannot read standard input: {error}");
        return ExitCode::FAILURE;
    }
    match check(&bytes) {
        Ok(()) => ExitCode::from(42),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(43)
        }
    }
}

fn check(bytes: &[u8]) -> Result<(), String> {
    let text = bytes
        .strip_suffix(b"\n")
        .ok_or("the last line has no line end")?;
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let [first, values @ .., opponent] = lines.as_slice() else {
        return Err("there are fewer than two lines".to_owned());
    };
    let [n, side] = words(first)[..] else {
        return Err("line 1 is not `N side`".to_owned());
    };
    let n = number("N", n, 2, 100)?;
    number("the side", side, 1, 2)?;
    let mut count = 0;
    for (line, index) in values.iter().zip(2..) {
        for word in words(line) {
            count += 1;
            number(&format!("line {index}: value {count}"), word, 1, 200)?;
        }
    }
    if count != n {
        return Err(format!("{count} values instead of {n}"));
    }
    match words(opponent)[..] {
        [b"optimal-left" | b"optimal-right" | b"greedy-left" | b"greedy-right"] => Ok(()),
        [b"random" | b"careless", seed] => {
            number("the opponent's seed", seed, 0, (1 << 31) - 1).map(|_| ())
        }
        _ => Err(format!("{} is no opponent", show(opponent))),
    }
}

/// The words of a line, one blank between two; other blanks make empty words, which are no numbers.
fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|byte| *byte == b' ').collect()
}

/// Digits only, no leading zero, from `low` to `high`.
fn number(name: &str, word: &[u8], low: u64, high: u64) -> Result<u64, String> {
    let is_plain = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let has_zero = word.len() > 1 && word[0] == b'0';
    if !is_plain || has_zero {
        return Err(format!("{name} is {}, not a plain number", show(word)));
    }
    let digit = |value: u64, digit: &u8| {
        value
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    };
    let value = word.iter().fold(0, digit);
    if !(low..=high).contains(&value) {
        return Err(format!(
            "{name} is {value}, which is not from {low} to {high}"
        ));
    }
    Ok(value)
}

fn show(word: &[u8]) -> String {
    format!("`{}`", word.escape_ascii())
}
