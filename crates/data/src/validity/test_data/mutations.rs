//! Small changes that make a valid input invalid in nearly every problem.
//!
//! Source: problem package format 2025-09, "Input validators", demands strictness in white space. The other kinds are
//! faults that real validators accept.

use std::ops::Range;

/// A change of an input that a validator should refuse.
#[derive(Debug)]
pub struct Mutation {
    /// The fault of the changed input, such as `a blank at the end of a line`.
    pub name: &'static str,
    pub category: MutationCategory,
    /// `None` if the change does not apply to the input.
    pub change: fn(&[u8]) -> Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MutationCategory {
    Layout,
    Numbers,
    /// Text after the end.
    Trailing,
}

const fn mutation(
    category: MutationCategory,
    name: &'static str,
    change: fn(&[u8]) -> Option<Vec<u8>>,
) -> Mutation {
    Mutation { name, category, change }
}

/// The changes that need no knowledge of the problem.
pub const GENERIC: [Mutation; 17] = [
    mutation(MutationCategory::Layout, "a blank at the end of a line", |input| {
        insert(input, first_line_end(input)?, b" ")
    }),
    mutation(MutationCategory::Layout, "a blank at the end of the last line", |input| {
        insert(input, input.strip_suffix(b"\n")?.len(), b" ")
    }),
    mutation(MutationCategory::Layout, "a blank at the start", |input| {
        (!input.is_empty()).then(|| [b" ", input].concat())
    }),
    mutation(MutationCategory::Layout, "two blanks between words", |input| {
        insert(input, single_blank(input)?, b" ")
    }),
    mutation(MutationCategory::Layout, "a tab between words", |input| {
        let at = single_blank(input)?;
        Some([&input[..at], b"\t", &input[at + 1..]].concat())
    }),
    mutation(MutationCategory::Layout, "no line end at the end", |input| {
        let stripped = input.strip_suffix(b"\n")?;
        (!stripped.is_empty()).then(|| stripped.to_vec())
    }),
    mutation(MutationCategory::Layout, "an empty line at the end", |input| {
        input.ends_with(b"\n").then(|| [input, b"\n"].concat())
    }),
    mutation(MutationCategory::Layout, "Windows line ends", windows_line_ends),
    mutation(MutationCategory::Numbers, "a leading zero", |input| {
        let number = first_number(input)?;
        insert(input, digits_start(input, number), b"0")
    }),
    mutation(MutationCategory::Numbers, "a leading zero in the last number", |input| {
        let number = last_number(input)?;
        insert(input, digits_start(input, number), b"0")
    }),
    mutation(MutationCategory::Numbers, "a plus sign", |input| {
        let number = if_positive(input, first_number(input)?)?;
        insert(input, number.start, b"+")
    }),
    mutation(MutationCategory::Numbers, "a plus sign before the last number", |input| {
        let number = if_positive(input, last_number(input)?)?;
        insert(input, number.start, b"+")
    }),
    mutation(MutationCategory::Numbers, "a minus sign before zero", |input| {
        let zero = words(input).find(|range| input[range.clone()] == *b"0")?;
        insert(input, zero.start, b"-")
    }),
    mutation(MutationCategory::Numbers, "a fraction of zero, as in `5.0`", |input| {
        insert(input, first_number(input)?.end, b".0")
    }),
    mutation(MutationCategory::Numbers, "an exponent, as in `5e0`", |input| {
        insert(input, first_number(input)?.end, b"e0")
    }),
    mutation(MutationCategory::Trailing, "a word after the last one", |input| {
        insert(input, input.strip_suffix(b"\n")?.len(), b" 0")
    }),
    mutation(MutationCategory::Trailing, "a line after the last one", |input| {
        input.ends_with(b"\n").then(|| [input, b"0\n"].concat())
    }),
];

fn insert(input: &[u8], at: usize, what: &[u8]) -> Option<Vec<u8>> {
    Some([input.get(..at)?, what, input.get(at..)?].concat())
}

/// `None` if the first line is empty or the last one.
fn first_line_end(input: &[u8]) -> Option<usize> {
    let at = memchr::memchr(b'\n', input)?;
    (at > 0 && at + 1 < input.len()).then_some(at)
}

fn single_blank(input: &[u8]) -> Option<usize> {
    let is_word = |byte: &u8| !byte.is_ascii_whitespace();
    let is_between = |at: usize| {
        let neighbours = [at.checked_sub(1), at.checked_add(1)];
        neighbours.iter().all(|at| at.and_then(|at| input.get(at)).is_some_and(is_word))
    };
    memchr::memchr_iter(b' ', input).find(|&at| is_between(at))
}

fn windows_line_ends(input: &[u8]) -> Option<Vec<u8>> {
    if !input.contains(&b'\n') || input.contains(&b'\r') {
        return None;
    }
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    Some(lines.join(&b"\r\n"[..]))
}

/// The byte ranges of the pieces of a text, without empty ones.
pub fn piece_ranges(
    text: &[u8],
    is_between: fn(&u8) -> bool,
) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let start = text.as_ptr() as usize;
    text.split(is_between).filter(|piece| !piece.is_empty()).map(move |piece| {
        let at = piece.as_ptr() as usize - start;
        at..at + piece.len()
    })
}

fn words(input: &[u8]) -> impl DoubleEndedIterator<Item = Range<usize>> {
    piece_ranges(input, u8::is_ascii_whitespace)
}

/// Whether a word is an integer, as most problems write them.
fn is_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit)
}

fn first_number(input: &[u8]) -> Option<Range<usize>> {
    words(input).find(|range| is_number(&input[range.clone()]))
}

fn last_number(input: &[u8]) -> Option<Range<usize>> {
    words(input).rfind(|range| is_number(&input[range.clone()]))
}

fn digits_start(input: &[u8], number: Range<usize>) -> usize {
    number.start + usize::from(input[number.start] == b'-')
}

fn if_positive(input: &[u8], number: Range<usize>) -> Option<Range<usize>> {
    (input[number.start] != b'-').then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One expected line for each change.
    fn check(input: &str, expected: &[&str]) {
        let changed: Vec<String> = GENERIC
            .iter()
            .filter_map(|mutation| {
                let changed = (mutation.change)(input.as_bytes())?;
                assert_ne!(changed, input.as_bytes(), "{mutation:?}");
                Some(format!("{}: {:?}", mutation.name, String::from_utf8(changed).unwrap()))
            })
            .collect();
        assert_eq!(changed, expected);
    }

    #[test]
    fn an_input_is_changed_in_one_place() {
        check(
            "3\n1 -2 40\n",
            &[
                "a blank at the end of a line: \"3 \\n1 -2 40\\n\"",
                "a blank at the end of the last line: \"3\\n1 -2 40 \\n\"",
                "a blank at the start: \" 3\\n1 -2 40\\n\"",
                "two blanks between words: \"3\\n1  -2 40\\n\"",
                "a tab between words: \"3\\n1\\t-2 40\\n\"",
                "no line end at the end: \"3\\n1 -2 40\"",
                "an empty line at the end: \"3\\n1 -2 40\\n\\n\"",
                "Windows line ends: \"3\\r\\n1 -2 40\\r\\n\"",
                "a leading zero: \"03\\n1 -2 40\\n\"",
                "a leading zero in the last number: \"3\\n1 -2 040\\n\"",
                "a plus sign: \"+3\\n1 -2 40\\n\"",
                "a plus sign before the last number: \"3\\n1 -2 +40\\n\"",
                "a fraction of zero, as in `5.0`: \"3.0\\n1 -2 40\\n\"",
                "an exponent, as in `5e0`: \"3e0\\n1 -2 40\\n\"",
                "a word after the last one: \"3\\n1 -2 40 0\\n\"",
                "a line after the last one: \"3\\n1 -2 40\\n0\\n\"",
            ],
        );
    }

    #[test]
    fn changes_that_do_not_apply_are_left_out() {
        check(
            "0",
            &[
                "a blank at the start: \" 0\"",
                "a leading zero: \"00\"",
                "a leading zero in the last number: \"00\"",
                "a plus sign: \"+0\"",
                "a plus sign before the last number: \"+0\"",
                "a minus sign before zero: \"-0\"",
                "a fraction of zero, as in `5.0`: \"0.0\"",
                "an exponent, as in `5e0`: \"0e0\"",
            ],
        );
        check("abc", &["a blank at the start: \" abc\""]);
        check("", &[]);
        check(
            "-5\n",
            &[
                "a blank at the end of the last line: \"-5 \\n\"",
                "a blank at the start: \" -5\\n\"",
                "no line end at the end: \"-5\"",
                "an empty line at the end: \"-5\\n\\n\"",
                "Windows line ends: \"-5\\r\\n\"",
                "a leading zero: \"-05\\n\"",
                "a leading zero in the last number: \"-05\\n\"",
                "a fraction of zero, as in `5.0`: \"-5.0\\n\"",
                "an exponent, as in `5e0`: \"-5e0\\n\"",
                "a word after the last one: \"-5 0\\n\"",
                "a line after the last one: \"-5\\n0\\n\"",
            ],
        );
    }
}
