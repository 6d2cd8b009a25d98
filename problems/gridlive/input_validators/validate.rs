//! Checks one input of gridlive on standard input, byte for byte.
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
    let n = numbers(1, lines[0], 1, 1..=8)?[0] as usize;
    if lines.len() != n + 2 {
        return Err(format!("{} lines instead of {}", lines.len(), n + 2));
    }
    for (line, number) in lines[1..=n].iter().zip(2..) {
        numbers(number, line, n, -1000..=1000)?;
    }
    let mut order = numbers(n + 2, lines[n + 1], n, 1..=n as i64)?;
    order.sort_unstable();
    order.dedup();
    match order.len() == n {
        true => Ok(()),
        false => Err(format!("line {}: a row stands there twice", n + 2)),
    }
}

/// So many numbers, one blank between two, each in plain digits and within its range.
fn numbers(
    line: usize,
    text: &[u8],
    count: usize,
    range: std::ops::RangeInclusive<i64>,
) -> Result<Vec<i64>, String> {
    let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').collect();
    if words.len() != count {
        return Err(format!(
            "line {line}: {} words instead of {count}",
            words.len()
        ));
    }
    let number = |word: &&[u8]| {
        let shown = word.escape_ascii();
        let text = std::str::from_utf8(word).unwrap_or_default();
        let value: i64 = text
            .parse()
            .map_err(|_| format!("line {line}: `{shown}` is no number"))?;
        match value.to_string() == text {
            false => Err(format!("line {line}: `{shown}` is not a plain number")),
            true if !range.contains(&value) => {
                let (low, high) = (range.start(), range.end());
                Err(format!("line {line}: {value} is not from {low} to {high}"))
            }
            true => Ok(value),
        }
    };
    words.iter().map(number).collect()
}
