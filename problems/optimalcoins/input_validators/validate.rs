//! Checks one input of optimalcoins on standard input, byte for byte.
//!
//! The first argument, if there is one, is the largest N that the test case's group allows.
//!
//! Exit code 42: valid. Exit code 43: invalid, and standard error names line, column and text.
//! `validate.py` is its twin for tools that do not build Rust.

use std::env;
use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let longest = match env::args().nth(1).map(|word| word.parse()) {
        None => LONGEST,
        Some(Ok(longest)) => longest,
        Some(Err(error)) => {
            eprintln!("the first argument is no number: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut bytes = Vec::new();
    if let Err(error) = io::stdin().lock().read_to_end(&mut bytes) {
        eprintln!("cannot read standard input: {error}");
        return ExitCode::FAILURE;
    }
    match check(&bytes, longest) {
        Ok(()) => ExitCode::from(42),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(43)
        }
    }
}

const LONGEST: u64 = 1000;

fn check(bytes: &[u8], longest: u64) -> Result<(), String> {
    let mut input = Input { bytes, at: 0 };
    let rows = input.number("T", 1, 10)?;
    input.end_of_line("after T")?;
    for row in 1..=rows {
        let name = format!("N of row {row}");
        let before = input.at;
        let n = input.number(&name, 2, longest)?;
        if n % 2 == 1 {
            input.at = before;
            return Err(input.fault(&format!("{name} is {n}, which is not even")));
        }
        input.end_of_line(&format!("after {name}"))?;
        for index in 1..=n {
            let value = format!("value {index} of {n} in row {row}");
            input.number(&value, 0, 100_000)?;
            if index < n {
                input.blank(&format!("after {value}"))?;
            }
        }
        input.end_of_line(&format!("after the last value of row {row}"))?;
    }
    input.end_of_file()
}

struct Input<'a> {
    bytes: &'a [u8],
    /// How many bytes are read.
    at: usize,
}

impl Input<'_> {
    /// Reads a number: digits only, no leading zero, from `low` to `high`.
    fn number(&mut self, name: &str, low: u64, high: u64) -> Result<u64, String> {
        let word = self.word();
        if word.is_empty() {
            return Err(self.fault(&format!("expected {name}, found {}", self.here())));
        }
        let shown = show(word);
        if !word.iter().all(u8::is_ascii_digit) {
            return Err(self.fault(&format!(
                "{name} is {shown}, which is not a number in plain digits"
            )));
        }
        if word.len() > 1 && word[0] == b'0' {
            return Err(self.fault(&format!("{name} is {shown}, which has a leading zero")));
        }
        // Without a leading zero, a number too long for 64 bits is too large for any range here.
        let value = word.iter().fold(0, |value: u64, digit| {
            value
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        if !(low..=high).contains(&value) {
            return Err(self.fault(&format!(
                "{name} is {shown}, which is not from {low} to {high}"
            )));
        }
        self.at += word.len();
        Ok(value)
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
