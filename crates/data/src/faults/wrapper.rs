//! Wrong programs made from any right program: a wrapper changes its input or its output.

use juror_grammar::misread::Misreading::{
    self, ChangedValues, DistinctOnly, FewerCases, FirstLength, ReorderedRows, ShorterRows,
    SkippedFirst,
};
use juror_grammar::number::Int;

#[derive(Clone, Copy, Debug)]
pub struct Wrapper {
    pub name: &'static str,
    pub description: &'static str,
    pub change: WrapperChange,
}

#[derive(Clone, Copy, Debug)]
pub enum WrapperChange {
    /// It gets the input that [`misread`](juror_grammar::misread::misread) makes from the test case's input.
    Input(Misreading),
    Output(fn(&[u8]) -> Vec<u8>),
}

const fn reads(name: &'static str, words: &'static str, misreading: Misreading) -> Wrapper {
    Wrapper { name, description: words, change: WrapperChange::Input(misreading) }
}

const fn writes(name: &'static str, words: &'static str, change: fn(&[u8]) -> Vec<u8>) -> Wrapper {
    Wrapper { name, description: words, change: WrapperChange::Output(change) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "that is the mistake"
)]
pub fn wrappers() -> &'static [Wrapper] {
    const ALL: &[Wrapper] = &[
        reads("room-for-64", "takes 64 values of a row at most", ShorterRows(|n, _| n.min(64))),
        reads("room-for-100", "takes 100 values of a row at most", ShorterRows(|n, _| n.min(100))),
        reads(
            "room-for-1000",
            "takes 1000 values of a row at most",
            ShorterRows(|n, _| n.min(1000)),
        ),
        reads(
            "one-short",
            "has no room for the last value of the longest row",
            ShorterRows(|n, most| n - i64::from(n == most)),
        ),
        reads("without-first", "leaves out the first value of each row", SkippedFirst),
        reads("without-last", "leaves out the last value of each row", ShorterRows(|n, _| n - 1)),
        reads(
            "in-pairs",
            "leaves out the last value of a row of odd length",
            ShorterRows(|n, _| n - n % 2),
        ),
        reads("rising", "sorts each row", ReorderedRows(<[Int]>::sort)),
        reads(
            "falling",
            "sorts each row, the greatest first",
            ReorderedRows(|row| row.sort_by(|one, other| other.cmp(one))),
        ),
        reads("reversed", "reverses each row", ReorderedRows(<[Int]>::reverse)),
        reads("once", "keeps equal values of a row only once", DistinctOnly),
        reads("clamped-127", "takes values above 127 for 127", ChangedValues(|int| int.min(127))),
        reads("clamped-255", "takes values above 255 for 255", ChangedValues(|int| int.min(255))),
        reads(
            "clamped-32767",
            "takes values above 32767 for 32767",
            ChangedValues(|int| int.min(32767)),
        ),
        reads(
            "reads-i8",
            "reads values into 8 bits with a sign",
            ChangedValues(|int| (int as i8).into()),
        ),
        reads(
            "reads-u8",
            "reads values into 8 bits without a sign",
            ChangedValues(|int| (int as u8).into()),
        ),
        reads(
            "reads-i16",
            "reads values into 16 bits with a sign",
            ChangedValues(|int| (int as i16).into()),
        ),
        reads(
            "reads-u16",
            "reads values into 16 bits without a sign",
            ChangedValues(|int| (int as u16).into()),
        ),
        reads(
            "reads-i32",
            "reads values into 32 bits with a sign",
            ChangedValues(|int| (int as i32).into()),
        ),
        reads("absolute", "forgets the signs of values", ChangedValues(i64::abs)),
        reads("first-length", "takes all rows to be as long as the first", FirstLength),
        reads(
            "first-case",
            "reads the first test case of the input only",
            FewerCases(|count| count.min(1)),
        ),
        reads(
            "without-last-case",
            "leaves out the last test case of the input",
            FewerCases(|count| count - 1),
        ),
        writes("writes-u8", "calculates modulo 2^8", |text| {
            numbers(text, |value| (value as u8).into())
        }),
        writes("writes-i16", "calculates in 16 bits with a sign", |text| {
            numbers(text, |value| (value as i16).into())
        }),
        writes("writes-u16", "calculates modulo 2^16", |text| {
            numbers(text, |value| (value as u16).into())
        }),
        writes("writes-i32", "calculates in 32 bits with a sign", |text| {
            numbers(text, |value| (value as i32).into())
        }),
        writes("writes-u32", "calculates modulo 2^32", |text| {
            numbers(text, |value| (value as u32).into())
        }),
        writes("writes-float", "calculates with 24 bits", |text| {
            numbers(text, |value| value as f32 as i128)
        }),
        writes("without-signs", "writes numbers without signs", |text| numbers(text, i128::abs)),
        writes("six-digits", "writes six digits of a number", |text| each_word(text, six_digits)),
        writes("cut-2047", "writes 2047 bytes at most", |text| truncate(text, 2047)),
        writes("cut-4096", "writes 4096 bytes at most", |text| truncate(text, 4096)),
        writes("cut-65536", "writes 65536 bytes at most", |text| truncate(text, 65536)),
        writes("exchanged", "swaps the first two words of each line", |text| {
            each_line(text, swap_first_words)
        }),
        writes("greatest-first", "writes the greater of two numbers of a line first", |text| {
            each_line(text, |line| order_numbers(line, |one, other| one >= other))
        }),
        writes("least-first", "writes the smaller of two numbers of a line first", |text| {
            each_line(text, |line| order_numbers(line, |one, other| one <= other))
        }),
        writes("joined", "writes no space between the first two words of a line", |text| {
            each_line(text, join_first_words)
        }),
        writes("without-last-word", "does not write the last word", without_last_word),
        writes("without-last-line", "does not write the last line", |text| {
            let lines = lines(text);
            lines[..lines.len().saturating_sub(1)].concat()
        }),
        writes("first-line", "writes the first line only", |text| {
            lines(text).first().copied().unwrap_or_default().to_vec()
        }),
        writes("line-before", "writes the line before in place of each line", |text| {
            let lines = lines(text);
            let first = lines.first().into_iter();
            first
                .chain(&lines[..lines.len().saturating_sub(1)])
                .copied()
                .collect::<Vec<_>>()
                .concat()
        }),
        writes("no-line-end", "does not end the last line", |text| text.trim_ascii_end().to_vec()),
        writes("one-line", "writes everything on one line", |text| {
            text.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect()
        }),
        writes("more", "writes an extra word", |text| [text, b"0\n"].concat()),
        writes("lower-case", "writes lower-case letters", <[u8]>::to_ascii_lowercase),
        writes("nothing", "writes nothing", |_| Vec::new()),
    ];
    ALL
}

/// The lines include their ends.
fn lines(output: &[u8]) -> Vec<&[u8]> {
    output.split_inclusive(|byte| *byte == b'\n').collect()
}

fn each_line(output: &[u8], change: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    lines(output).into_iter().flat_map(change).collect()
}

/// Keeps the white space between words.
fn each_word(output: &[u8], change: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let part = |part: &[u8]| change(part).unwrap_or_else(|| part.to_vec());
    words_and_gaps(output).into_iter().flat_map(part).collect()
}

fn number(word: &[u8]) -> Option<i128> {
    std::str::from_utf8(word).ok()?.parse().ok().filter(|value: &i128| value.abs() < 1 << 100)
}

fn numbers(output: &[u8], change: impl Fn(i128) -> i128) -> Vec<u8> {
    each_word(output, |word| Some(change(number(word)?).to_string().into_bytes()))
}

/// A number as C++ writes a `double`.
fn six_digits(word: &[u8]) -> Option<Vec<u8>> {
    let value = number(word).filter(|value| value.abs() >= 1_000_000)?;
    #[expect(clippy::cast_precision_loss, reason = "that is the mistake")]
    let text = format!("{:.5e}", value as f64);
    let (digits, exponent) = text.split_once('e')?;
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    Some(format!("{digits}e+{exponent:0>2}").into_bytes())
}

fn truncate(output: &[u8], most: usize) -> Vec<u8> {
    output[..output.len().min(most)].to_vec()
}

/// The words, and the white space between them.
fn words_and_gaps(text: &[u8]) -> Vec<&[u8]> {
    text.chunk_by(|one, other| one.is_ascii_whitespace() == other.is_ascii_whitespace()).collect()
}

fn swap_first_words(line: &[u8]) -> Vec<u8> {
    let mut parts = words_and_gaps(line);
    if parts.len() > 2 {
        parts.swap(0, 2);
    }
    parts.concat()
}

/// Exchanges two numbers in a line unless they are in order.
fn order_numbers(line: &[u8], is_ordered: fn(i128, i128) -> bool) -> Vec<u8> {
    let words: Vec<Option<i128>> = words_and_gaps(line)
        .into_iter()
        .filter(|part| !part[0].is_ascii_whitespace())
        .map(number)
        .collect();
    match words[..] {
        [Some(one), Some(other)] if !is_ordered(one, other) => swap_first_words(line),
        _ => line.to_vec(),
    }
}

fn join_first_words(line: &[u8]) -> Vec<u8> {
    let mut parts = words_and_gaps(line);
    if parts.len() > 2 {
        parts.remove(1);
    }
    parts.concat()
}

fn without_last_word(output: &[u8]) -> Vec<u8> {
    let end = output.trim_ascii_end();
    let word = end.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    [&output[..word], &output[end.len()..]].concat()
}

#[cfg(test)]
mod input_tests;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn check(name: &str, output: &str, expected: &str) {
        let wrapper = wrappers().iter().find(|wrapper| wrapper.name == name).expect(name);
        let WrapperChange::Output(change) = wrapper.change else {
            panic!("{name} changes the input")
        };
        let changed = String::from_utf8(change(output.as_bytes())).unwrap();
        assert_eq!(changed, expected, "{name}");
    }

    #[test]
    fn outputs_are_changed() {
        check("writes-u8", "300 -1 x\n", "44 255 x\n");
        check("writes-i16", "40000\n", "-25536\n");
        check("writes-i32", "3000000000 5\n", "-1294967296 5\n");
        check("writes-u32", "4294967297\n", "1\n");
        check("writes-float", "16777217\n", "16777216\n");
        check("without-signs", "-5 4\n", "5 4\n");
        check("six-digits", "1234567 20000000 999999\n", "1.23457e+06 2e+07 999999\n");
        check("exchanged", "1 2 3\n4\n", "2 1 3\n4\n");
        check("greatest-first", "1 2\n4 3\n1 2 3\na 2\n", "2 1\n4 3\n1 2 3\na 2\n");
        check("least-first", "1 2\n4 3\n", "1 2\n3 4\n");
        check("joined", "1 2 3\n4\n", "12 3\n4\n");
        check("without-last-word", "1 2\n3 4\n", "1 2\n3 \n");
        check("without-last-line", "1 2\n3 4\n", "1 2\n");
        check("first-line", "1 2\n3 4\n", "1 2\n");
        check("line-before", "1\n2\n3\n", "1\n1\n2\n");
        check("no-line-end", "1\n", "1");
        check("one-line", "1\n2\n", "1 2 ");
        check("more", "1\n", "1\n0\n");
        check("lower-case", "LR\n", "lr\n");
    }

    #[test]
    fn wrappers_have_unique_names_and_handle_any_output() {
        let names: BTreeSet<&str> = wrappers().iter().map(|wrapper| wrapper.name).collect();
        assert_eq!(names.len(), wrappers().len());
        let long = vec![b'x'; 100_000];
        for output in
            [&b""[..], b"\n", b" \n ", b"\xff\x00 9999999999999999999999999999999999999999", &long]
        {
            for wrapper in wrappers() {
                if let WrapperChange::Output(change) = wrapper.change {
                    assert!(change(output).len() <= output.len() + 40, "{}", wrapper.name);
                }
            }
        }
    }
}
