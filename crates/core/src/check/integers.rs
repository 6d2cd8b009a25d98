//! Counts a judge answer's integers, which a tolerance would loosen.

use std::io::{self, Read};

use crate::check::float::is_integer;
use crate::check::text::WindowedText;

const WINDOW: usize = 64 << 10;

/// Integers are digits with or without a sign.
///
/// With a tolerance, they are accepted even if they are only near, which is rarely intended.
///
/// Source: problem package format 2025-09, "Comparing floating-point tokens", the last paragraph.
///
/// # Errors
///
/// If reading fails.
pub fn count_integers(mut answer: impl Read) -> io::Result<u64> {
    let mut text = WindowedText::new(&mut answer, WINDOW)?;
    let mut integers = 0;
    loop {
        text.skip_run(true)?;
        text.fill()?;
        if text.is_at_end() {
            return Ok(integers);
        }
        integers += u64::from(is_integer(text.peek_run(false)));
        text.skip_run(false)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_counted_and_other_tokens_are_not() {
        let check = |answer: &str, expected: u64| {
            assert_eq!(count_integers(answer.as_bytes()).unwrap(), expected, "{answer:?}");
        };
        check("", 0);
        check("\n \n", 0);
        check("1 2\n-3", 3);
        check("1.5 2. .5 1e5 one 1x", 0);
        check("0.25 3\n", 1);
        check(&"1".repeat(100_000), 0);
        check(&"7\n".repeat(100_000), 100_000);
    }
}
