//! Checks one input of gridlive on standard input, byte for byte.
//!
//! Exit code 42: valid. Exit code 43: invalid, and standard error names line, column and text.
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
    let mut input = Input { bytes, at: 0 };
    let n = input.number("n", 1, 8)?;
    input.end_of_line("after n")?;
    for row in 1..=n {
        for column in 1..=n {
            let value = format!("the value in row {row} and column {column}");
            input.number(&value, -1000, 1000)?;
            input.gap(column < n, &format!("after {value}"))?;
        }
    }
    let mut seen = Vec::new();
    for round in 1..=n {
        let name = format!("the row of round {round}");
        let row = input.number(&name, 1, n)?;
        if seen.contains(&row) {
            return Err(input.fault(&format!("{name} is {row}, which came before")));
        }
        seen.push(row);
        input.gap(round < n, &format!("after {name}"))?;
    }
    input.end_of_file()
}

struct Input<'a> {
    bytes: &'a [u8],
    /// How many bytes are read.
    at: usize,
}

impl Input<'_> {
    /// Reads a number: digits only, no leading zero, with a `-` if and only if it is negative, from `low` to `high`.
    fn number(&mut self, name: &str, low: i64, high: i64) -> Result<i64, String> {
        let word = self.word();
        if word.is_empty() {
            return Err(self.fault(&format!("expected {name}, found {}", self.here())));
        }
        let shown = show(word);
        let negative = word[0] == b'-';
        let digits = &word[usize::from(negative)..];
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(self.fault(&format!(
                "{name} is {shown}, which is not a number in plain digits"
            )));
        }
        if digits[0] == b'0' && word.len() > 1 {
            return Err(self.fault(&format!(
                "{name} is {shown}, which has a leading zero or a sign before 0"
            )));
        }
        // Without a leading zero, a number too long for 64 bits is too large for any range here.
        let value = digits.iter().fold(0, |value: i64, digit| {
            value
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
        });
        let value = if negative { -value } else { value };
        if !(low..=high).contains(&value) {
            return Err(self.fault(&format!(
                "{name} is {shown}, which is not from {low} to {high}"
            )));
        }
        self.at += word.len();
        Ok(value)
    }

    /// A blank where more follows on the line, else its end.
    fn gap(&mut self, more: bool, place: &str) -> Result<(), String> {
        match more {
            true => self.blank(place),
            false => self.end_of_line(place),
        }
    }

    fn blank(&mut self, place: &str) -> Result<(), String> {
        if self.bytes.get(self.at) != Some(&b' ') {
            return Err(self.fault(&format!("expected a blank {place}, found {}", self.here())));
        }
        self.at += 1;
        Ok(())
    }

    fn end_of_line(&mut self, place: &str) -> Result<(), String> {
        if self.bytes.get(self.at) != Some(&b'\n') {
            return Err(self.fault(&format!(
                "expected a line end {place}, found {}",
                self.here()
            )));
        }
        self.at += 1;
        Ok(())
    }

    fn end_of_file(&self) -> Result<(), String> {
        if self.at < self.bytes.len() {
            return Err(self.fault(&format!(
                "expected the end of the file, found {}",
                self.here()
            )));
        }
        Ok(())
    }

    /// The bytes up to the next blank, line end or end of the file.
    fn word(&self) -> &[u8] {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b' ' | b'\n'))
            .unwrap_or(rest.len());
        &rest[..length]
    }

    fn here(&self) -> String {
        match self.bytes.get(self.at) {
            None => "the end of the file".to_owned(),
            Some(b' ') => "a blank".to_owned(),
            Some(b'\n') => "a line end".to_owned(),
            Some(_) => show(self.word()),
        }
    }

    /// The message with its place; lines and columns count from 1, columns in bytes.
    fn fault(&self, message: &str) -> String {
        let before = &self.bytes[..self.at];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count();
        format!("line {line}, column {column}: {message}")
    }
}

/// The text between quotes; bytes that would not print are shown as `\x..`, a long text is cut.
fn show(text: &[u8]) -> String {
    const LONGEST: usize = 20;
    let mut shown = String::from("\"");
    for &byte in text.iter().take(LONGEST) {
        match byte {
            b'"' | b'\\' => shown.extend(['\\', char::from(byte)]),
            b' '..=b'~' => shown.push(char::from(byte)),
            _ => shown += &format!("\\x{byte:02x}"),
        }
    }
    shown += if text.len() > LONGEST { "...\"" } else { "\"" };
    shown
}
