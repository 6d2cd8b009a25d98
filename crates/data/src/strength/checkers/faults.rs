//! Small faults of outputs.

use std::ops::Range;

use crate::validity::test_data::mutations::piece_ranges;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputFault {
    pub(super) name: &'static str,
    pub(super) kind: FaultClass,
    pub(super) text: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultClass {
    /// Something is missing or superfluous: wrong in nearly every problem.
    Form,
    /// A different value: wrong if only one output is right.
    Value,
    /// The same words in another order: right in many problems with several right outputs.
    Order,
}

/// A named change of an output; `None` if it does not apply to the output.
type OutputChange = (&'static str, FaultClass, fn(&[u8]) -> Option<Vec<u8>>);

const CHANGES: [OutputChange; 16] = [
    ("nothing at all", FaultClass::Form, |_| Some(Vec::new())),
    ("the first word missing", FaultClass::Form, |output| {
        remove(output, word_spans(output).first()?.clone())
    }),
    ("the last word missing", FaultClass::Form, |output| {
        remove(output, word_spans(output).last()?.clone())
    }),
    ("the last line missing", FaultClass::Form, |output| {
        let whole = output.trim_ascii_end();
        Some(output[..memchr::memrchr(b'\n', whole)? + 1].to_vec())
    }),
    ("an extra word at the end", FaultClass::Form, |output| {
        Some([output.trim_ascii_end(), b" 0\n"].concat())
    }),
    ("an extra line at the end", FaultClass::Form, |output| {
        Some([output.trim_ascii_end(), b"\n0\n"].concat())
    }),
    ("the whole output twice", FaultClass::Form, |output| {
        Some([output.trim_ascii_end(), b"\n", output].concat())
    }),
    ("nonsense instead of the last word", FaultClass::Form, |output| {
        replace(output, word_spans(output).last()?.clone(), b"?juror?")
    }),
    ("the first number plus one", FaultClass::Value, |output| {
        add_to_number(output, number_spans(output).first()?, 1)
    }),
    ("the last number plus one", FaultClass::Value, |output| {
        let numbers = number_spans(output);
        (numbers.len() > 1).then(|| add_to_number(output, numbers.last()?, 1)).flatten()
    }),
    ("the last number minus one", FaultClass::Value, |output| {
        add_to_number(output, number_spans(output).last()?, -1)
    }),
    ("a number with the opposite sign", FaultClass::Value, |output| {
        let number = number_spans(output)
            .into_iter()
            .find(|span| parse_integer(&output[span.clone()]) != Some(0))?;
        let negated = -parse_integer(&output[number.clone()])?;
        replace(output, number, negated.to_string().as_bytes())
    }),
    ("two words swapped", FaultClass::Order, |output| {
        let words = word_spans(output);
        let pair = words.windows(2).find(|two| output[two[0].clone()] != output[two[1].clone()])?;
        swap_spans(output, &pair[0], &pair[1])
    }),
    ("two lines swapped", FaultClass::Order, |output| {
        let lines = line_spans(output);
        let differ = |two: &&[Span]| output[two[0].clone()] != output[two[1].clone()];
        let pair = lines.windows(2).rev().find(differ)?;
        swap_spans(output, &pair[0], &pair[1])
    }),
    ("another letter at the end", FaultClass::Value, |output| change_letter(output, true)),
    ("another letter at the start", FaultClass::Value, |output| change_letter(output, false)),
];

/// The place of a kind of fault in lists.
pub(super) fn rank(fault: &str) -> Option<usize> {
    CHANGES.iter().position(|(name, ..)| *name == fault)
}

pub(super) fn faults(output: &[u8]) -> Vec<OutputFault> {
    let same = |text: &[u8]| split_words(text).eq(split_words(output));
    let faults = CHANGES.iter().filter_map(|(name, kind, change)| {
        let text = change(output)?;
        (!same(&text)).then_some(OutputFault { name, kind: *kind, text })
    });
    faults.collect()
}

type Span = Range<usize>;

fn split_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn word_spans(output: &[u8]) -> Vec<Span> {
    piece_ranges(output, u8::is_ascii_whitespace).collect()
}

fn line_spans(output: &[u8]) -> Vec<Span> {
    piece_ranges(output, |byte| *byte == b'\n').collect()
}

fn number_spans(output: &[u8]) -> Vec<Span> {
    word_spans(output)
        .into_iter()
        .filter(|span| parse_integer(&output[span.clone()]).is_some())
        .collect()
}

fn parse_integer(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().filter(|value: &i64| value.unsigned_abs() < 1 << 62)
}

fn replace(output: &[u8], span: Span, text: &[u8]) -> Option<Vec<u8>> {
    Some([&output[..span.start], text, &output[span.end..]].concat())
}

fn remove(output: &[u8], span: Span) -> Option<Vec<u8>> {
    replace(output, span, b"")
}

fn add_to_number(output: &[u8], span: &Span, by: i64) -> Option<Vec<u8>> {
    let changed = parse_integer(&output[span.clone()])? + by;
    replace(output, span.clone(), changed.to_string().as_bytes())
}

fn swap_spans(output: &[u8], first: &Span, second: &Span) -> Option<Vec<u8>> {
    let parts = [
        &output[..first.start],
        &output[second.clone()],
        &output[first.end..second.start],
        &output[first.clone()],
        &output[second.end..],
    ];
    Some(parts.concat())
}

/// Replaces a letter by another one that the output has, so that the form stays right.
fn change_letter(output: &[u8], is_last: bool) -> Option<Vec<u8>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let at = if is_last {
        output.iter().rposition(is_letter)?
    } else {
        output.iter().position(is_letter)?
    };
    let differs = |byte: &&u8| !byte.eq_ignore_ascii_case(&output[at]);
    let other = output.iter().filter(|byte| is_letter(byte)).find(differs).copied();
    let other = other.unwrap_or(if output[at] == b'A' { b'B' } else { b'A' });
    replace(output, at..at + 1, &[other])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_has_each_fault_once() {
        let check = |output: &str, expected: &[(&str, &str)]| {
            let found = faults(output.as_bytes());
            let found: Vec<(&str, String)> = found
                .into_iter()
                .map(|fault| (fault.name, String::from_utf8(fault.text).unwrap()))
                .collect();
            let expected: Vec<(&str, String)> =
                expected.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
            assert_eq!(found, expected);
        };
        check(
            "18 11\nRLL\n",
            &[
                ("nothing at all", ""),
                ("the first word missing", " 11\nRLL\n"),
                ("the last word missing", "18 11\n\n"),
                ("the last line missing", "18 11\n"),
                ("an extra word at the end", "18 11\nRLL 0\n"),
                ("an extra line at the end", "18 11\nRLL\n0\n"),
                ("the whole output twice", "18 11\nRLL\n18 11\nRLL\n"),
                ("nonsense instead of the last word", "18 11\n?juror?\n"),
                ("the first number plus one", "19 11\nRLL\n"),
                ("the last number plus one", "18 12\nRLL\n"),
                ("the last number minus one", "18 10\nRLL\n"),
                ("a number with the opposite sign", "-18 11\nRLL\n"),
                ("two words swapped", "11 18\nRLL\n"),
                ("two lines swapped", "RLL\n18 11\n"),
                ("another letter at the end", "18 11\nRLR\n"),
                ("another letter at the start", "18 11\nLLL\n"),
            ],
        );
        check(
            "0\n",
            &[
                ("nothing at all", ""),
                ("the first word missing", "\n"),
                ("the last word missing", "\n"),
                ("an extra word at the end", "0 0\n"),
                ("an extra line at the end", "0\n0\n"),
                ("the whole output twice", "0\n0\n"),
                ("nonsense instead of the last word", "?juror?\n"),
                ("the first number plus one", "1\n"),
                ("the last number minus one", "-1\n"),
            ],
        );
        check("", &[("an extra word at the end", " 0\n"), ("an extra line at the end", "\n0\n")]);
    }

    #[test]
    fn changes_change_words() {
        for fault in faults(b"5 5\n5 5\n") {
            assert!(!split_words(&fault.text).eq([b"5"; 4]), "{fault:?}");
        }
    }
}
