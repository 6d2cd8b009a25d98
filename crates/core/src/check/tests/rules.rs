//! The rules of the default output validator, each with a table of texts that it accepts or rejects.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use crate::check::compare::{CompareError, accepted_remark, compare};
use crate::check::named;
use crate::check::options::Options;
use crate::check::windows::compare_slices;
use crate::difference::{Difference, DifferenceSide};

fn difference(arguments: &str, answer: &str, output: &str) -> Option<Difference> {
    let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    let options = Options::parse(&arguments).unwrap();
    compare_slices(answer.as_bytes(), output.as_bytes(), &options)
}

/// Expects `AC`, or what differs, which token it is, how many differ, and what is nearly right.
fn check(arguments: &str, answer: &str, output: &str, expected: &str) {
    let found = match difference(arguments, answer, output) {
        None => "AC".to_owned(),
        Some(found) => {
            let only = found.only.map_or("-".to_owned(), |only| format!("{only:?}"));
            format!(
                "{:?} {} {} {only}",
                found.kind, found.answer.token_number, found.differing_tokens
            )
        }
    };
    assert_eq!(found, expected, "{arguments}: {answer:?}, {output:?}");
}

#[test]
fn blanks_only_separate_tokens() {
    check("", "", "", "AC");
    check("", "", " \n\t", "AC");
    check("", "1 2\n", "1 2", "AC");
    check("", "1 2\n", "\n 1\r\n\t2 \n\n", "AC");
    check("", "1 2 3 4 5 6", "1\t2\n3\x0b4\x0c5\r6", "AC");
    check("", "1 2", "1\u{a0}2", "Token 1 2 -");
    check("", "1 2", "1\u{0}2", "Token 1 2 -");
    check("", "1 2", "1\u{1c}2", "Token 1 2 -");
}

#[test]
fn the_number_of_tokens_must_be_the_same() {
    check("", "1 2 3", "1 2", "OutputEnds 3 1 -");
    check("", "1 2 3", "", "OutputEnds 1 3 -");
    check("", "1", "1 2 3", "OutputGoesOn 2 2 -");
    check("", "", "x", "OutputGoesOn 1 1 -");
    check("", "1 2 3", "1 3", "Token 2 2 -");
}

#[test]
fn ascii_letters_fold_and_no_others() {
    check("", "Yes NO", "yEs no", "AC");
    check("", "é", "É", "Token 1 1 -");
    check("", "[", "{", "Token 1 1 -");
    check("", "@", "`", "Token 1 1 -");
    check("case_sensitive", "Yes NO", "yEs no", "Token 1 2 LetterCase");
    check("case_sensitive", "Yes NO", "yEs on", "Token 1 2 -");
    check("case_sensitive", "Yes NO", "Yes NO", "AC");
}

#[test]
fn numbers_are_text_without_a_tolerance() {
    check("", "1.0", "1", "Token 1 1 NearNumbers");
    check("", "1e5", "1E5", "AC");
    check("case_sensitive", "1e5", "1E5", "Token 1 1 LetterCase");
    check("", "nan", "NaN", "AC");
}

#[test]
fn numbers_of_the_judge_answer_are_compared_by_value_with_a_tolerance() {
    check("float_tolerance 1e-3", "1.0 x", "1.0005 X", "AC");
    check("float_tolerance 1e-3", "1.0 2", "1.1 2", "Number 1 1 -");
    check("float_tolerance 1e-3", "1.0", "one", "NotANumber 1 1 -");
    check("float_tolerance 1e-3", "one", "1.0", "Token 1 1 -");
    check("float_tolerance 1e-3", "nan", "NAN", "AC");
    check("float_tolerance 1e-3", "nan", "1", "Token 1 1 -");
    check("float_tolerance 1e-3", "1", "nan", "NotANumber 1 1 -");
    check("float_tolerance 0", "5", "5.00", "AC");
    check("float_tolerance 0", "10", "1e1", "AC");
    check("case_sensitive float_tolerance 0", "1e1", "1E1", "AC");
    check("case_sensitive float_tolerance 0", "1e1 a", "1E1 A", "Token 2 1 LetterCase");
    check("float_absolute_tolerance 1", "100", "101", "AC");
    check("float_relative_tolerance 0.001", "100", "101", "Number 1 1 -");
    check("float_absolute_tolerance 1", "1 2 3", "1.5", "OutputEnds 2 2 -");
    check("float_tolerance 1", "1.5 2.5", "1.52.5", "NotANumber 1 2 Blanks");
}

#[test]
fn a_number_of_more_than_4096_bytes_is_text() {
    let zeros = |count| format!("1.{}", "0".repeat(count));
    check("float_tolerance 0", "1", &zeros(4094), "AC");
    check("float_tolerance 0", "1", &zeros(4095), "NotANumber 1 1 -");
    check("float_tolerance 0", "1", &zeros(9000), "NotANumber 1 1 -");
    check("float_tolerance 0", &zeros(9000), "1", "Token 1 1 -");
    check("float_tolerance 0", &zeros(9000), &zeros(9000), "AC");
}

#[test]
fn all_blanks_must_be_the_same_with_space_change_sensitive() {
    let space = "space_change_sensitive";
    check(space, "1 2\n", "1 2\n", "AC");
    check(space, "A 2\n", "a 2\n", "AC");
    check(space, "1 2\n", "1  2\n", "Blanks 2 0 Blanks");
    check(space, "1 2\n", "1\t2\n", "Blanks 2 0 Blanks");
    check(space, "1 2\n", " 1 2\n", "Blanks 1 0 Blanks");
    check(space, "1 2\n", "1 2 \n", "Blanks 3 0 Blanks");
    check(space, "1\n2\n", "1\r\n2\r\n", "Blanks 2 0 Blanks");
    check(space, "", "\n", "Blanks 1 0 LastNewline");
    check(space, "1 2\n", "1 2", "Blanks 3 0 LastNewline");
    check(space, "1 2\n", "1 2\n\n", "Blanks 3 0 LastNewline");
    check(space, "1 2", "1 2\r\n", "Blanks 3 0 LastNewline");
    check(space, "1 2\n", "1 2\n\n\n", "Blanks 3 0 Blanks");
    check(space, "1 2\n", "1  2", "Blanks 2 0 Blanks");
    check("space_change_sensitive float_tolerance 1", "1 2\n", "1.5 2.5", "Blanks 3 0 LastNewline");
    check("space_change_sensitive case_sensitive", "a\n", "A", "Token 1 1 BlanksAndLetterCase");
    check("space_change_sensitive case_sensitive", "a\n", "A\n", "Token 1 1 LetterCase");
}

#[test]
fn tokens_must_be_on_the_same_lines_with_line_sensitive() {
    let check = |answer: &str, output: &str, expected: &str| {
        let options = Options { line_sensitive: true, case_sensitive: true, ..Options::default() };
        let found = compare_slices(answer.as_bytes(), output.as_bytes(), &options);
        let found = found.map_or("AC".to_owned(), |difference| {
            format!("{:?} {}", difference.kind, difference.answer.token_number)
        });
        assert_eq!(found, expected, "{answer:?} {output:?}");
    };
    check("1 2\n3\n", " 1\t 2 \r\n3", "AC");
    check("1 2\n", "1 2\n\n \n", "AC");
    check("1 2\n\n", "1 2", "AC");
    check("", "\n\n", "AC");
    check("1 2\n", "1\n2\n", "Blanks 2");
    check("1\n2\n", "1\n\n2\n", "Blanks 2");
    check("1\n", "\n1\n", "Blanks 1");
    check("1\n2\n", "1 2\n", "Blanks 2");
    check("a\n", "A\n", "Token 1");
    check("1\n2\n", "1\n\n3\n", "Token 2");
    check("1\n2\n", "1\n", "OutputEnds 2");
}

#[test]
fn a_wrong_token_is_reported_before_blanks() {
    let space = "space_change_sensitive";
    check(space, "1 2\n", "1  3\n", "Token 2 1 -");
    check(space, "1 2\n", "1\n", "OutputEnds 2 1 -");
    check(space, "1\n", "1 2\n", "OutputGoesOn 2 1 -");
    check(space, "1 2 3\n", "1  2 4\n", "Blanks 2 1 -");
}

#[test]
fn tokens_that_are_split_differently_differ_in_blanks() {
    check("", "1 2 3", "123", "Token 1 3 Blanks");
    check("", "0 ab c", "0 a bC", "Token 2 2 Blanks");
    check("", "1 2 3", "124", "Token 1 3 -");
    check("", "12 3", "1 2 3 4", "Token 1 4 -");
    check("case_sensitive", "ab c", "a bc", "Token 1 2 Blanks");
    check("case_sensitive", "ab c", "a bC", "Token 1 2 BlanksAndLetterCase");
}

#[test]
fn each_side_has_its_own_position() {
    let found = difference("", "1 2\n3 4\n", "\n1\n2\n\n3  5 6").unwrap();
    let numbers = |side: &DifferenceSide| {
        [side.token_number, side.line, side.column, side.offset, side.length, side.tokens]
    };
    assert_eq!(numbers(&found.answer), [4, 2, 3, 6, 8, 4]);
    assert_eq!(numbers(&found.output), [4, 5, 4, 9, 12, 5]);
    assert_eq!(found.differing_tokens, 2);
    assert_eq!(found.output.token.bytes, b"5");
    assert_eq!(found.output.window.bytes, b"3  5 6");
}

#[test]
fn an_error_names_the_unreadable_text() {
    struct UnreadableText;
    impl Read for UnreadableText {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }
    impl Seek for UnreadableText {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }
    let check = |found: Result<Option<Difference>, CompareError>, message: &str| {
        assert_eq!(found.unwrap_err().to_string(), message);
    };
    let options = Options::default();
    check(
        compare(UnreadableText, Cursor::new(""), &options),
        "reading the judge answer: disk on fire",
    );
    check(compare(Cursor::new(""), UnreadableText, &options), "reading the output: disk on fire");
}

/// A text that ends early, of a file that seems far longer: a hole is like that, too.
struct HugeText(Cursor<&'static str>);

impl HugeText {
    fn new(text: &'static str) -> Self {
        Self(Cursor::new(text))
    }
}

impl Read for HugeText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Seek for HugeText {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::End(_) => Ok(200 << 30),
            other => self.0.seek(other),
        }
    }
}

#[test]
fn a_text_that_is_needed_whole_has_a_bound() {
    let by_windows = ["tokens", "exact", "identical", "none"];
    for name in named::names() {
        let text = if name == "float" { "float=1e-6" } else { name };
        let options = Options::of_name(text).unwrap();
        let both = [
            ("judge answer", compare(HugeText::new("1 2"), Cursor::new("1 3"), &options)),
            ("output", compare(Cursor::new("1 2"), HugeText::new("1 3"), &options)),
        ];
        for (side, found) in both {
            if by_windows.contains(&name) {
                assert_eq!(found.unwrap().is_some(), name != "none", "{name}: {side}");
                continue;
            }
            let message = found.expect_err(name).to_string();
            let expected = format!("reading the {side}: it has more than 256 MiB, and ");
            assert!(message.starts_with(&expected), "{name}: {message}");
        }
        // Equal texts need no memory, whatever is to be said about them.
        let remark = accepted_remark(HugeText::new("1 2"), HugeText::new("1 2"), &options);
        assert_eq!(remark, None, "{name}");
    }
    let words = Options::of_name("words").unwrap();
    assert!(compare(HugeText::new("1 2"), HugeText::new("1 2"), &words).unwrap().is_none());
}
