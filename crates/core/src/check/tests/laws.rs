//! Laws that hold for every comparison of any two texts.

use std::io::{self, Read, Seek, SeekFrom};

use proptest::prelude::*;

use crate::check::compare::compare;
use crate::check::float::{LONGEST_NUMBER, Tolerance, are_near};
use crate::check::options::Options;
use crate::check::token::mismatch;
use crate::check::windows::{compare_slices, compare_windows};
use crate::difference::{Difference, DifferenceKind, DifferenceSide, OnlyDifference};

/// A text cut into tokens and the blanks around them: always one run of blanks more than tokens.
struct TokensAndBlanks<'t> {
    blanks: Vec<&'t [u8]>,
    tokens: Vec<&'t [u8]>,
}

impl<'t> TokensAndBlanks<'t> {
    fn new(text: &'t [u8]) -> Self {
        let mut parts = Self { blanks: vec![], tokens: vec![] };
        let mut rest = text;
        loop {
            let blanks = rest.iter().take_while(|byte| b" \t\n\x0b\x0c\r".contains(byte)).count();
            parts.blanks.push(&rest[..blanks]);
            rest = &rest[blanks..];
            if rest.is_empty() {
                return parts;
            }
            let token = rest.iter().take_while(|byte| !b" \t\n\x0b\x0c\r".contains(byte)).count();
            parts.tokens.push(&rest[..token]);
            rest = &rest[token..];
        }
    }
}

/// Gives a text in pieces of 1 to `most` bytes, sometimes with an interruption.
struct PiecewiseText<'t> {
    text: &'t [u8],
    rest: &'t [u8],
    most: usize,
    turn: usize,
}

impl Read for PiecewiseText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.turn = self.turn.wrapping_mul(31).wrapping_add(7);
        if self.turn.is_multiple_of(13) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (1 + self.turn % self.most).min(buffer.len()).min(self.rest.len());
        buffer[..length].copy_from_slice(&self.rest[..length]);
        self.rest = &self.rest[length..];
        Ok(length)
    }
}

impl Seek for PiecewiseText<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rest = match to {
            SeekFrom::Start(0) => self.text,
            SeekFrom::End(0) => &[],
            _ => unreachable!("{to:?}"),
        };
        Ok((self.text.len() - self.rest.len()) as u64)
    }
}

/// Compares by pieces: the result must be the one in memory, and agree with the definitions.
fn check(answer: &[u8], output: &[u8], options: &Options, most: usize) {
    let pieces = |text| PiecewiseText { text, rest: text, most, turn: most };
    let found = compare(pieces(answer), pieces(output), options).unwrap();
    assert_eq!(found, compare_slices(answer, output, options));
    check_small_windows(answer, output, options, found.clone());
    let (a, o) = (TokensAndBlanks::new(answer), TokensAndBlanks::new(output));
    let is_same = |(a, o): (&&[u8], &&[u8])| mismatch(a, o, &options.token_rules()).is_none();
    let same = a.tokens.iter().zip(&o.tokens).filter(|&pair| is_same(pair)).count();
    let differing = a.tokens.len().max(o.tokens.len()) - same;
    let is_wrong = differing > 0 || (options.space_change_sensitive && a.blanks != o.blanks);
    assert_eq!(found.is_some(), is_wrong);
    let Some(difference) = found else { return };
    assert_eq!(difference.differing_tokens, differing as u64);
    assert_eq!(difference.only, accepting_rule(answer, output, options));
    check_side(answer, &a, &difference.answer, &difference);
    check_side(output, &o, &difference.output, &difference);
}

/// Through windows smaller than the texts, the result is the same except for the excerpts and `only`.
fn check_small_windows(answer: &[u8], output: &[u8], options: &Options, whole: Option<Difference>) {
    let without_texts = |found: Option<Difference>| {
        found.map(|mut found| {
            found.only = None;
            for side in [&mut found.answer, &mut found.output] {
                (side.token, side.window) = Default::default();
            }
            found
        })
    };
    let whole = without_texts(whole);
    let tokens = [answer, output].map(|text| TokensAndBlanks::new(text).tokens);
    let longest = tokens.iter().flatten().map(|token| token.len()).max().unwrap_or(0);
    let least = match options.tolerance {
        Some(_) => LONGEST_NUMBER.min(longest) + 1,
        None => 1 + (answer.len() + output.len()) / 1000,
    };
    for sizes in [[least; 2], [least + 70, least], [least + 2, least + 99]] {
        let found = compare_windows(&mut &*answer, &mut &*output, options, sizes).unwrap();
        assert_eq!(without_texts(found), whole, "{sizes:?}");
    }
}

/// Tries the weaker rules one by one.
fn accepting_rule(answer: &[u8], output: &[u8], options: &Options) -> Option<OnlyDifference> {
    let accepts = |answer: &[u8], output: &[u8], options: &Options| {
        compare_slices(answer, output, options).is_none()
    };
    let any_case = Options { case_sensitive: false, ..*options };
    let any_blanks = Options { space_change_sensitive: false, ..*options };
    let neither = Options { space_change_sensitive: false, ..any_case };
    let longer = |text: &[u8], newline: &str| [text, newline.as_bytes()].concat();
    let is_last_newline = |newline| {
        accepts(&longer(answer, newline), output, options)
            || accepts(answer, &longer(output, newline), options)
    };
    if is_last_newline("\n") || is_last_newline("\r\n") {
        return Some(OnlyDifference::LastNewline);
    }
    if accepts(answer, output, &any_case) {
        return Some(OnlyDifference::LetterCase);
    }
    if has_only_near_numbers(answer, output, options) {
        return Some(OnlyDifference::NearNumbers);
    }
    if accepts(answer, output, &any_blanks) {
        return Some(OnlyDifference::Blanks);
    }
    if accepts(answer, output, &neither) {
        return Some(OnlyDifference::BlanksAndLetterCase);
    }
    split_differently(answer, output, options)
}

fn has_only_near_numbers(answer: &[u8], output: &[u8], options: &Options) -> bool {
    let (a, o) = (TokensAndBlanks::new(answer), TokensAndBlanks::new(output));
    let is_near = |(a, o): (&&[u8], &&[u8])| {
        mismatch(a, o, &options.token_rules()).is_none() || are_near(a, o)
    };
    options.tolerance.is_none()
        && a.tokens != o.tokens
        && a.tokens.len() == o.tokens.len()
        && (!options.space_change_sensitive || a.blanks == o.blanks)
        && a.tokens.iter().zip(&o.tokens).all(is_near)
}

/// Whether the tokens from the first wrong one on would be the same with other blanks.
fn split_differently(answer: &[u8], output: &[u8], options: &Options) -> Option<OnlyDifference> {
    let (a, o) = (TokensAndBlanks::new(answer), TokensAndBlanks::new(output));
    let pairs = a.tokens.iter().zip(&o.tokens);
    let accepted =
        pairs.take_while(|(a, o)| mismatch(a, o, &options.token_rules()).is_none()).count();
    let (a, o) = (a.tokens[accepted..].concat(), o.tokens[accepted..].concat());
    if !options.case_sensitive && a.eq_ignore_ascii_case(&o) {
        return Some(OnlyDifference::Blanks);
    }
    if a == o {
        Some(OnlyDifference::Blanks)
    } else {
        a.eq_ignore_ascii_case(&o).then_some(OnlyDifference::BlanksAndLetterCase)
    }
}

/// Compares position, counts and excerpts with the text.
fn check_side(
    text: &[u8],
    parts: &TokensAndBlanks<'_>,
    side: &DifferenceSide,
    difference: &Difference,
) {
    let before = &text[..side.offset as usize];
    let lines: Vec<&[u8]> = before.split(|&byte| byte == b'\n').collect();
    assert_eq!(side.token_number, TokensAndBlanks::new(before).tokens.len() as u64 + 1);
    assert_eq!(side.line, lines.len() as u64);
    assert_eq!(side.column, lines[lines.len() - 1].len() as u64 + 1);
    assert_eq!((side.length, side.tokens), (text.len() as u64, parts.tokens.len() as u64));
    let is_blank = |byte: &u8| b" \t\n\x0b\x0c\r".contains(byte);
    let from = &text[side.offset as usize..];
    let run = match difference.kind {
        DifferenceKind::Blanks => from.iter().take_while(|byte| is_blank(byte)).count(),
        _ => from.iter().take_while(|byte| !is_blank(byte)).count(),
    };
    let token = &side.token;
    assert_eq!(token.cut_before + token.bytes.len() as u64 + token.cut_after, run as u64);
    assert!(from[token.cut_before as usize..].starts_with(&token.bytes));
    assert!(token.bytes.len() <= 66);
    let length = |side: &DifferenceSide| {
        side.token.cut_before + side.token.bytes.len() as u64 + side.token.cut_after
    };
    let is_long = length(&difference.answer).max(length(&difference.output)) > 60;
    assert!(is_long || token.cut_before + token.cut_after == 0);
    assert_eq!(difference.answer.token.cut_before, difference.output.token.cut_before);

    let line_start = (side.offset - (side.column - 1)) as usize;
    let line = text[line_start..].split(|&byte| byte == b'\n').next().unwrap();
    let window = &side.window;
    assert_eq!(window.cut_before + window.bytes.len() as u64 + window.cut_after, line.len() as u64);
    assert!(line[window.cut_before as usize..].starts_with(&window.bytes));
    assert!(window.bytes.len() <= 86);
    let shown_from = line_start as u64 + window.cut_before;
    assert!((shown_from..=shown_from + window.bytes.len() as u64).contains(&side.differs_at));
}

/// Failing cases are printed, not saved in files.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn any_options() -> impl Strategy<Value = Options> {
    let epsilon = proptest::sample::select(vec![None, Some(0.0), Some(0.05), Some(1.0)]);
    (any::<bool>(), any::<bool>(), epsilon.clone(), epsilon).prop_map(
        |(case, space, absolute, relative)| Options {
            case_sensitive: case,
            space_change_sensitive: space,
            line_sensitive: false,
            named: None,
            tolerance: (absolute.is_some() || relative.is_some())
                .then_some(Tolerance { absolute, relative }),
        },
    )
}

/// Texts of pieces in which a slip is likely; the two of a pair are the same but for some edits.
fn similar_texts() -> impl Strategy<Value = [Vec<u8>; 2]> {
    let words: Vec<&[u8]> = vec![
        b" ",
        b"\n",
        b"\r\n",
        b"\t",
        b"\x0b",
        b"\x0c",
        b"  ",
        b"a",
        b"A",
        b"b",
        b"1",
        b"1.0",
        b"2",
        b".",
        b"e1",
        b"-",
        b"\xc3\xa9",
        b"\x00",
        b"\xff",
        b"0123456789012345678901234567890123456789",
    ];
    let word = proptest::sample::select(words);
    let edit = (any::<prop::sample::Index>(), word.clone(), 0..3_usize);
    (proptest::collection::vec(word, 0..40), proptest::collection::vec(edit, 0..4)).prop_map(
        |(words, edits)| {
            let mut edited = words.clone();
            for (index, word, remove) in edits {
                let at = index.index(edited.len() + 1);
                let end = (at + remove).min(edited.len());
                edited.splice(at..end, (remove != 2).then_some(word));
            }
            [words.concat(), edited.concat()]
        },
    )
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn similar_texts_are_compared_as_defined(
        [answer, output] in similar_texts(),
        options in any_options(),
        most in 1..70_usize,
    ) {
        check(&answer, &output, &options, most);
    }

    #[test]
    fn any_bytes_are_compared_as_defined(
        answer in proptest::collection::vec(any::<u8>(), 0..80),
        output in proptest::collection::vec(any::<u8>(), 0..80),
        options in any_options(),
    ) {
        check(&answer, &output, &options, 5);
    }

    #[test]
    fn acceptance_as_text_is_symmetric(
        [answer, output] in similar_texts(),
        options in any_options(),
    ) {
        let options = Options { tolerance: None, ..options };
        let there = compare_slices(&answer, &output, &options);
        let back = compare_slices(&output, &answer, &options);
        prop_assert_eq!(there.is_none(), back.is_none());
        prop_assert_eq!(there.and_then(|there| there.only), back.and_then(|back| back.only));
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// The comparisons that need no whole text are the same by a window and by name, and so are words if both texts
    /// are in memory.
    #[test]
    fn windowed_and_whole_comparison_agree([answer, output] in similar_texts(), most in 1..70_usize) {
        // Other blanks divide words, and their letter case counts.
        let plain = |text: &[u8]| -> Vec<u8> {
            text.iter().filter(|byte| !b"\x0b\x0c".contains(byte)).copied().collect()
        };
        let [answer, output] = [plain(&answer), plain(&output)];
        let pieces = |text| PiecewiseText { text, rest: text, most, turn: most };
        for (name, arguments) in
            [("tokens", &[][..]), ("exact", &["case_sensitive", "space_change_sensitive"]), ("words", &["case_sensitive"])]
        {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let unnamed = Options::parse(&arguments).unwrap();
            let named = compare(pieces(&answer), pieces(&output), &Options::of_name(name).unwrap()).unwrap();
            let whole = compare_slices(&answer, &output, &unnamed);
            check_small_windows(&answer, &output, &unnamed, whole.clone());
            prop_assert_eq!(named.is_none(), whole.is_none(), "{}", name);
            let Some((named, whole)) = named.zip(whole) else { continue };
            prop_assert_eq!(named.answer.offset, whole.answer.offset, "{}", name);
            prop_assert_eq!(named.output.offset, whole.output.offset, "{}", name);
            prop_assert_eq!(named.differing_tokens, whole.differing_tokens, "{}", name);
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Tokens, blanks and lines far longer than the window, with the difference anywhere in them.
    #[test]
    fn runs_longer_than_the_window_are_compared_as_defined(
        runs in proptest::collection::vec(
            (proptest::sample::select(b" \nxX7".to_vec()), prop_oneof![1..20_usize, 100..200_usize, 3_000..5_000_usize]),
            1..6,
        ),
        change in any::<prop::sample::Index>(),
        to in proptest::sample::select(b" \nxX8".to_vec()),
        options in any_options(),
        most in prop_oneof![Just(900_usize), Just(2_000), Just(1 << 20)],
    ) {
        let answer: Vec<u8> = runs.iter().flat_map(|&(byte, length)| std::iter::repeat_n(byte, length)).collect();
        let mut output = answer.clone();
        let at = change.index(output.len());
        output[at] = to;
        check(&answer, &output, &options, most);
        check(&answer, &answer, &options, most);
    }
}
