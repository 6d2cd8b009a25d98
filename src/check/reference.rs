//! The plain comparison, all in memory, that the streaming one is held against in tests.

use std::io::{self, Read};

use proptest::prelude::*;

use crate::check::compare::compare;
use crate::check::float::Tolerance;
use crate::check::options::Options;
use crate::model::difference::{Difference, DifferenceKind, OnlyDifference, Side};

/// A text cut into tokens and the blanks around them: always one run of blanks more than tokens.
struct Parts<'t> {
    blanks: Vec<&'t [u8]>,
    tokens: Vec<&'t [u8]>,
}

impl<'t> Parts<'t> {
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

/// What is compared of a [`Difference`]: all but the excerpts, which are looked for in the texts.
#[derive(Debug, PartialEq)]
struct Found {
    kind: DifferenceKind,
    differing_tokens: u64,
    only: Option<OnlyDifference>,
    answer: Spot,
    output: Spot,
}

#[derive(Debug, PartialEq)]
struct Spot {
    token_number: u64,
    line: u64,
    column: u64,
    offset: u64,
    differs_at: u64,
    length: u64,
    tokens: u64,
}

fn number(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    let is_plain = text.chars().all(|char| "+-.eE0123456789".contains(char));
    text.parse().ok().filter(|_| is_plain)
}

fn mismatch(answer: &[u8], output: &[u8], options: &Options) -> Option<DifferenceKind> {
    if let (Some(tolerance), Some(a)) = (options.tolerance, number(answer)) {
        let Some(s) = number(output) else {
            return Some(DifferenceKind::NotANumber);
        };
        let is_within = s == a
            || tolerance.absolute.is_some_and(|most| (s - a).abs() <= most)
            || tolerance.relative.is_some_and(|most| (s - a).abs() <= most * a.abs());
        return (!is_within).then_some(DifferenceKind::Number);
    }
    let is_same = match options.case_sensitive {
        true => answer == output,
        false => answer.eq_ignore_ascii_case(output),
    };
    (!is_same).then_some(DifferenceKind::Token)
}

fn common(left: &[u8], right: &[u8], case_sensitive: bool) -> usize {
    let pairs = left.iter().zip(right);
    pairs.take_while(|(l, r)| l == r || (!case_sensitive && l.eq_ignore_ascii_case(r))).count()
}

fn spot(text: &[u8], parts: &Parts<'_>, index: usize, place: usize, differs_at: usize) -> Spot {
    let before = &text[..place];
    let line_start =
        before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    Spot {
        token_number: index as u64 + 1,
        line: before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1,
        column: (place - line_start) as u64 + 1,
        offset: place as u64,
        differs_at: differs_at as u64,
        length: text.len() as u64,
        tokens: parts.tokens.len() as u64,
    }
}

/// The comparison as the format words it, and where both texts differ first.
fn reference(answer: &[u8], output: &[u8], options: &Options) -> Option<Found> {
    let (a, o) = (Parts::new(answer), Parts::new(output));
    let offset = |text: &[u8], part: &[u8]| part.as_ptr() as usize - text.as_ptr() as usize;
    let count = a.tokens.len().max(o.tokens.len());
    let mut first = None;
    for index in 0..=count {
        let tokens = (a.tokens.get(index), o.tokens.get(index));
        let kind = match tokens {
            (None, None) => None,
            (Some(_), None) => Some(DifferenceKind::OutputEnds),
            (None, Some(_)) => Some(DifferenceKind::OutputGoesOn),
            (Some(answer), Some(output)) => mismatch(answer, output, options),
        };
        if let Some(kind) = kind {
            let agreed = match tokens {
                (Some(answer), Some(output)) => common(answer, output, options.case_sensitive),
                _ => 0,
            };
            let at = |text: &[u8], token: Option<&&[u8]>| {
                token.map_or(text.len(), |token| offset(text, token))
            };
            let (in_a, in_o) = (at(answer, tokens.0), at(output, tokens.1));
            first = Some((
                kind,
                spot(answer, &a, index, in_a, in_a + agreed),
                spot(output, &o, index, in_o, in_o + agreed),
            ));
            break;
        }
        if options.space_change_sensitive && a.blanks[index] != o.blanks[index] {
            let agreed = common(a.blanks[index], o.blanks[index], true);
            let at = |text: &[u8], blanks: &[u8]| offset(text, blanks) + agreed;
            let (in_a, in_o) = (at(answer, a.blanks[index]), at(output, o.blanks[index]));
            first = Some((
                DifferenceKind::Blanks,
                spot(answer, &a, index, in_a, in_a),
                spot(output, &o, index, in_o, in_o),
            ));
            break;
        }
    }
    let (kind, in_answer, in_output) = first?;
    let same = |(a, o): (&&[u8], &&[u8])| mismatch(a, o, options).is_none();
    let accepted = a.tokens.iter().zip(&o.tokens).filter(|&pair| same(pair)).count();
    Some(Found {
        kind,
        differing_tokens: (count - accepted) as u64,
        only: only(answer, output, options),
        answer: in_answer,
        output: in_output,
    })
}

/// Which weaker rules would accept, tried one by one.
fn only(answer: &[u8], output: &[u8], options: &Options) -> Option<OnlyDifference> {
    let accepts = |answer: &[u8], output: &[u8], options: &Options| {
        let (a, o) = (Parts::new(answer), Parts::new(output));
        a.tokens.len() == o.tokens.len()
            && a.tokens.iter().zip(&o.tokens).all(|(a, o)| mismatch(a, o, options).is_none())
            && (!options.space_change_sensitive || a.blanks == o.blanks)
    };
    for newline in ["\n", "\r\n"] {
        let longer = |text: &[u8]| [text, newline.as_bytes()].concat();
        if accepts(&longer(answer), output, options) || accepts(answer, &longer(output), options) {
            return Some(OnlyDifference::LastNewline);
        }
    }
    let any_blanks = Options { space_change_sensitive: false, ..*options };
    let any_case = Options { case_sensitive: false, ..*options };
    if accepts(answer, output, &any_case) {
        return Some(OnlyDifference::LetterCase);
    }
    if accepts(answer, output, &any_blanks) {
        return Some(OnlyDifference::Blanks);
    }
    if accepts(answer, output, &Options { space_change_sensitive: false, ..any_case }) {
        return Some(OnlyDifference::BlanksAndLetterCase);
    }
    split_elsewhere(answer, output, options)
}

/// Whether the tokens would be the same, from the first wrong one on, if blanks stood elsewhere.
fn split_elsewhere(answer: &[u8], output: &[u8], options: &Options) -> Option<OnlyDifference> {
    let (a, o) = (Parts::new(answer), Parts::new(output));
    let pairs = a.tokens.iter().zip(&o.tokens);
    let accepted = pairs.take_while(|(a, o)| mismatch(a, o, options).is_none()).count();
    let (a, o) = (a.tokens[accepted..].concat(), o.tokens[accepted..].concat());
    if !options.case_sensitive && a.eq_ignore_ascii_case(&o) {
        return Some(OnlyDifference::Blanks);
    }
    match a == o {
        true => Some(OnlyDifference::Blanks),
        false if a.eq_ignore_ascii_case(&o) => Some(OnlyDifference::BlanksAndLetterCase),
        false => None,
    }
}

/// Gives a text in pieces of 1 to `most` bytes, with an interruption now and then.
struct Pieces<'t> {
    text: &'t [u8],
    most: usize,
    turn: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.turn = self.turn.wrapping_mul(31).wrapping_add(7);
        if self.turn.is_multiple_of(13) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (1 + self.turn % self.most).min(buffer.len()).min(self.text.len());
        buffer[..length].copy_from_slice(&self.text[..length]);
        self.text = &self.text[length..];
        Ok(length)
    }
}

/// Compares by pieces, and looks for each excerpt in its text.
fn streamed(answer: &[u8], output: &[u8], options: &Options, most: usize) -> Option<Found> {
    let pieces = |text| Pieces { text, most, turn: most };
    let difference = compare(pieces(answer), pieces(output), options).unwrap()?;
    check_excerpts(answer, &difference.answer, &difference);
    check_excerpts(output, &difference.output, &difference);
    let spot = |side: &Side| Spot {
        token_number: side.token_number,
        line: side.line,
        column: side.column,
        offset: side.offset,
        differs_at: side.differs_at,
        length: side.length,
        tokens: side.tokens,
    };
    Some(Found {
        kind: difference.kind,
        differing_tokens: difference.differing_tokens,
        only: difference.only,
        answer: spot(&difference.answer),
        output: spot(&difference.output),
    })
}

fn check_excerpts(text: &[u8], side: &Side, difference: &Difference) {
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
    let length =
        |side: &Side| side.token.cut_before + side.token.bytes.len() as u64 + side.token.cut_after;
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

/// So many cases; failing ones are printed and not kept in files.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn any_options() -> impl Strategy<Value = Options> {
    let epsilon = proptest::sample::select(vec![None, Some(0.0), Some(0.05), Some(1.0)]);
    (any::<bool>(), any::<bool>(), epsilon.clone(), epsilon).prop_map(
        |(case, space, absolute, relative)| Options {
            case_sensitive: case,
            space_change_sensitive: space,
            tolerance: (absolute.is_some() || relative.is_some())
                .then_some(Tolerance { absolute, relative }),
        },
    )
}

/// Takes the tolerance away where a number is too long or beyond `f64`, of which the reference knows nothing.
fn without_unusual_numbers(answer: &[u8], output: &[u8], options: Options) -> Options {
    let is_unusual =
        |token: &&[u8]| token.len() > 4096 || number(token).is_some_and(f64::is_infinite);
    let has_unusual = |text| Parts::new(text).tokens.iter().any(is_unusual);
    let tolerance = options.tolerance.filter(|_| !has_unusual(answer) && !has_unusual(output));
    Options { tolerance, ..options }
}

/// Texts of pieces in which a slip is likely; the two of a pair are the same but for some edits.
fn alike_texts() -> impl Strategy<Value = [Vec<u8>; 2]> {
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
    fn streaming_finds_what_the_plain_comparison_finds(
        [answer, output] in alike_texts(),
        options in any_options(),
        most in 1..70_usize,
    ) {
        let options = without_unusual_numbers(&answer, &output, options);
        prop_assert_eq!(streamed(&answer, &output, &options, most), reference(&answer, &output, &options));
    }

    #[test]
    fn streaming_agrees_on_any_bytes(
        answer in proptest::collection::vec(any::<u8>(), 0..80),
        output in proptest::collection::vec(any::<u8>(), 0..80),
        options in any_options(),
    ) {
        prop_assert_eq!(streamed(&answer, &output, &options, 5), reference(&answer, &output, &options));
    }

    #[test]
    fn what_is_accepted_as_text_is_accepted_the_other_way_round(
        [answer, output] in alike_texts(),
        options in any_options(),
    ) {
        let options = Options { tolerance: None, ..options };
        let there = compare(&answer[..], &output[..], &options).unwrap();
        let back = compare(&output[..], &answer[..], &options).unwrap();
        prop_assert_eq!(there.is_none(), back.is_none());
        prop_assert_eq!(there.and_then(|there| there.only), back.and_then(|back| back.only));
    }
}

proptest! {
    #![proptest_config(cases(40))]

    /// Tokens, blanks and lines far longer than the window, with the difference anywhere in them.
    #[test]
    fn streaming_agrees_on_runs_that_are_longer_than_the_window(
        runs in proptest::collection::vec(
            (proptest::sample::select(b" \nxX7".to_vec()), prop_oneof![1..20_usize, 4000..9000_usize, 200_000..300_000_usize]),
            1..6,
        ),
        change in any::<prop::sample::Index>(),
        to in proptest::sample::select(b" \nxX8".to_vec()),
        options in any_options(),
        most in prop_oneof![Just(900_usize), Just(65_536), Just(1 << 20)],
    ) {
        let answer: Vec<u8> = runs.iter().flat_map(|&(byte, length)| std::iter::repeat_n(byte, length)).collect();
        let mut output = answer.clone();
        let at = change.index(output.len());
        output[at] = to;
        let options = without_unusual_numbers(&answer, &output, options);
        prop_assert_eq!(streamed(&answer, &output, &options, most), reference(&answer, &output, &options));
        prop_assert_eq!(streamed(&answer, &answer, &options, most), None);
    }
}
