//! Compares two whole texts by a row.
//!
//! An original reads the judge answer by the same rules as the output, in a certain order. If it meets a fault of the
//! answer first, it refuses the answer; if it meets a fault of the output or a difference first, it rejects the output.

use std::cmp::Ordering;
use std::collections::TryReserveError;

use crate::check::bytes::is_blank;
use crate::check::named::cut::{Blanks, Span, Tokens, lines, testlib_line, testlib_lines, tokens};
use crate::check::named::rows::{LineRow, LineRule, Order, Reading, Row, TokenRow};
use crate::check::named::unit::Unit;
use crate::check::named::value::{self, ValueRule};
use crate::check::token::Mismatch;
use crate::difference::DifferenceKind;

/// Why two texts are not equal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unequal {
    Different {
        mismatch: Mismatch,
        answer: Span,
        output: Span,
    },
    Refused(AnswerFault),
    /// There is too little memory.
    Unknown(TryReserveError),
}

impl From<TryReserveError> for Unequal {
    fn from(fault: TryReserveError) -> Self {
        Self::Unknown(fault)
    }
}

/// What a comparison cannot read in a judge answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerFault {
    pub(super) span: Span,
    pub(super) expected: String,
}

type Outcome = Result<(), Unequal>;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The word that begins a case.
const CASE: &[u8] = b"Case";

/// Both texts; the output may begin after a mark of the byte order.
#[derive(Clone, Copy)]
struct Texts<'t> {
    answer: &'t [u8],
    output: &'t [u8],
    start: usize,
}

pub(super) fn has_mark(text: &[u8]) -> bool {
    text.starts_with(MARK)
}

pub(super) fn compare_texts(row: &Row, answer: &[u8], output: &[u8]) -> Outcome {
    let start = if row.skips_mark() && has_mark(output) { MARK.len() } else { 0 };
    let texts = Texts { answer, output, start };
    match row {
        Row::Validator(_) | Row::Nothing => Ok(()),
        Row::Tokens(row) if row.order == Order::Any => texts.compare_unordered(row),
        Row::Tokens(row) => texts.compare_tokens(row),
        Row::Cases(unit) => texts.compare_cases(*unit),
        Row::Lines(row) => texts.compare_lines(row),
        Row::TestlibLines(rule) => texts.compare_testlib_lines(*rule),
        Row::Letters => texts.compare_letters(),
        Row::Value(rule) => texts.compare_values(*rule),
    }
}

impl Row {
    pub(super) fn skips_mark(&self) -> bool {
        match self {
            Self::Tokens(row) => row.skips_mark,
            Self::Cases(_) | Self::TestlibLines(_) => true,
            _ => false,
        }
    }

    /// Whether equal texts are equal by this row. Others may refuse the answer, or reject nan.
    pub(super) fn accepts_equal_texts(&self) -> bool {
        match self {
            Self::Tokens(row) => {
                matches!(row.unit, Unit::Word | Unit::Near(_) | Unit::NearUnlessIntegers(_))
                    && !row.is_checked()
            }
            Self::Cases(_) => false,
            Self::Lines(row) => !matches!(row.rule, LineRule::Floats(_)),
            // The answer may be no JSON.
            Self::Value(_) => false,
            _ => true,
        }
    }
}

impl TokenRow {
    /// Whether words have a form, too.
    fn is_checked(&self) -> bool {
        self.reading == Reading::WholeCases
    }

    fn is_single(&self) -> bool {
        matches!(self.reading, Reading::First | Reading::FirstAfterOutput | Reading::Only)
    }
}

fn refused(span: Span, expected: impl Into<String>) -> Unequal {
    Unequal::Refused(AnswerFault { span, expected: expected.into() })
}

impl<'t> Texts<'t> {
    fn different(&self, mismatch: impl Into<Mismatch>, answer: Span, output: Span) -> Unequal {
        Unequal::Different { mismatch: mismatch.into(), answer, output }
    }

    fn compare_values(&self, rule: ValueRule) -> Outcome {
        let whole = |text: &[u8]| Span { start: 0, end: text.trim_ascii_end().len() };
        let Some(answer) = value::parse(self.answer) else {
            return Err(refused(whole(self.answer), "one JSON value"));
        };
        let different = |[answer, output]: [Span; 2]| {
            Err(self.different(DifferenceKind::Value, answer, output))
        };
        match value::parse(self.output) {
            None => different([whole(self.answer), whole(self.output)]),
            Some(output) => rule.difference(answer, output).map_or(Ok(()), different),
        }
    }

    fn output_ends(&self, answer: Span) -> Unequal {
        self.different(DifferenceKind::OutputEnds, answer, Span::end_of(self.output))
    }

    fn output_goes_on(&self, output: Span) -> Unequal {
        self.different(DifferenceKind::OutputGoesOn, Span::end_of(self.answer), output)
    }

    fn tokens(&self, blanks: Blanks) -> [Tokens<'t>; 2] {
        let whole = |text: &[u8], start| Span { start, end: text.len() };
        [
            tokens(self.answer, whole(self.answer, 0), blanks),
            tokens(self.output, whole(self.output, self.start), blanks),
        ]
    }

    fn check_answer(&self, unit: Unit, token: Span) -> Outcome {
        unit.fault(token.of(self.answer)).map_or(Ok(()), |expected| Err(refused(token, expected)))
    }

    fn compare_tokens(&self, row: &TokenRow) -> Outcome {
        let unit = row.unit;
        let [mut answers, mut outputs] = self.tokens(row.blanks);
        if row.is_checked() {
            self.check_cases(answers.clone())?;
        }
        for index in 0.. {
            let is_first = index == 0;
            match (answers.next(), outputs.next()) {
                (None, _) if is_first && row.is_single() => {
                    let expected = unit.fault(b"").unwrap_or_default();
                    return Err(refused(Span::end_of(self.answer), expected));
                }
                (None, None) => return Ok(()),
                (None, Some(output)) => return Err(self.output_goes_on(output)),
                (Some(answer), None) => {
                    match row.reading {
                        Reading::Answer | Reading::First => self.check_answer(unit, answer)?,
                        Reading::PairsAndRest => {
                            self.check_answer(unit, answer)?;
                            answers.try_for_each(|token| self.check_answer(unit, token))?;
                        }
                        _ => {}
                    }
                    return Err(self.output_ends(answer));
                }
                (Some(answer), Some(output)) => {
                    if !row.is_checked() {
                        self.check_answer(unit, answer)?;
                    }
                    if row.reading == Reading::Only
                        && let Some(other) = answers.next()
                    {
                        return Err(refused(other, "only one token"));
                    }
                    self.compare_token(unit, answer, output)?;
                    if row.is_single() {
                        let surplus = outputs.next();
                        return surplus.map_or(Ok(()), |token| Err(self.output_goes_on(token)));
                    }
                }
            }
        }
        Ok(())
    }

    fn compare_token(&self, unit: Unit, answer: Span, output: Span) -> Outcome {
        match unit.difference(answer.of(self.answer), output.of(self.output)) {
            None => Ok(()),
            Some(mismatch) => Err(self.different(mismatch, answer, output)),
        }
    }

    /// Whether the answer is triples of `Case`, its number with a colon, and an integer.
    fn check_cases(&self, answers: Tokens<'_>) -> Outcome {
        let mut length = 0;
        for token in answers {
            self.check_case_token(length, token)?;
            length += 1;
        }
        if length % 3 == 0 {
            return Ok(());
        }
        Err(refused(Span::end_of(self.answer), "the rest of a case"))
    }

    fn check_case_token(&self, index: usize, token: Span) -> Outcome {
        match index % 3 {
            0 => self.check_word(token, "Case"),
            1 => self.check_word(token, &format!("{}:", index / 3 + 1)),
            _ => self.check_answer(crate::check::named::unit::INT64, token),
        }
    }

    fn check_word(&self, token: Span, word: &str) -> Outcome {
        if token.of(self.answer) == word.as_bytes() {
            Ok(())
        } else {
            Err(refused(token, format!("`{word}`")))
        }
    }

    /// The words of an answer's case are checked before those of the output's case are read.
    ///
    /// A `Case` behind the last case begins no other one.
    fn compare_cases(&self, unit: Unit) -> Outcome {
        let [answers, outputs] = self.tokens(Blanks::Four);
        let mut answers = Cases { tokens: answers, is_begun: false };
        let mut outputs = Cases { tokens: outputs, is_begun: false };
        for number in 1_u64.. {
            if answers.is_at_end() {
                break;
            }
            let number = format!("{number}:");
            let of_answer = answers.next_case(&number);
            let of_answer = of_answer.map_err(|(span, expected)| refused(span, expected))?;
            let value = |text: &'t [u8], word: Span| without_nul(unit, word.of(text));
            for word in of_answer.words() {
                if let Some(expected) = unit.fault(value(self.answer, word)) {
                    return Err(refused(word, expected));
                }
            }
            let of_output = match outputs.next_case(&number) {
                Ok(case) => case,
                Err((span, _)) if span == Span::end_of(self.output) => {
                    return Err(self.output_ends(of_answer.number));
                }
                Err((span, _)) => {
                    return Err(self.different(DifferenceKind::Token, of_answer.number, span));
                }
            };
            let mut left = of_output.words();
            for word in of_answer.words() {
                let Some(found) = left.next() else {
                    return Err(self.output_ends(word));
                };
                let (expected, found_value) = (value(self.answer, word), value(self.output, found));
                if let Some(mismatch) = unit.difference(expected, found_value) {
                    return Err(self.different(mismatch, word, found));
                }
            }
            if let Some(surplus) = left.next() {
                return Err(self.output_goes_on(surplus));
            }
        }
        outputs.tokens.next().map_or(Ok(()), |surplus| Err(self.output_goes_on(surplus)))
    }

    /// The first unit in the order of their values that one text has more often.
    fn compare_unordered(&self, row: &TokenRow) -> Outcome {
        let [answers, outputs] = self.tokens(row.blanks);
        let answers = collect(answers)?;
        answers.iter().try_for_each(|&token| self.check_answer(row.unit, token))?;
        let order = |left: &[u8], right: &[u8]| left.cmp(right);
        self.compare_sorted(answers, collect(outputs)?, order)
    }

    fn compare_sorted(
        &self,
        mut answers: Vec<Span>,
        mut outputs: Vec<Span>,
        order: impl Fn(&[u8], &[u8]) -> Ordering,
    ) -> Outcome {
        let (answer, output) = (self.answer, self.output);
        // A stable sort would take more memory.
        let sort = |text: &[u8], spans: &mut [Span]| {
            spans.sort_unstable_by(|left, right| {
                order(left.of(text), right.of(text)).then(left.start.cmp(&right.start))
            });
        };
        sort(answer, &mut answers);
        sort(output, &mut outputs);
        let missing = |span| self.different(DifferenceKind::Missing, span, Span::end_of(output));
        let surplus = |span| self.different(DifferenceKind::Surplus, Span::end_of(answer), span);
        for (&left, &right) in answers.iter().zip(&outputs) {
            match order(left.of(answer), right.of(output)) {
                Ordering::Equal => {}
                Ordering::Less => return Err(missing(left)),
                Ordering::Greater => return Err(surplus(right)),
            }
        }
        if let Some(&left) = answers.get(outputs.len()) {
            return Err(missing(left));
        }
        outputs.get(answers.len()).map_or(Ok(()), |&right| Err(surplus(right)))
    }

    fn compare_lines(&self, row: &LineRow) -> Outcome {
        let mut answers = lines(self.answer, row.skipped);
        let mut outputs = lines(self.output, row.skipped);
        if row.order == Order::Any {
            let order = |left: &[u8], right: &[u8]| words(left).cmp(words(right));
            return self.compare_sorted(collect(answers)?, collect(outputs)?, order);
        }
        loop {
            match (answers.next(), outputs.next()) {
                (None, None) => return Ok(()),
                (None, Some(output)) => return Err(self.output_goes_on(output)),
                (Some(answer), None) => return Err(self.output_ends(answer)),
                (Some(answer), Some(output)) => self.compare_line(row.rule, answer, output)?,
            }
        }
    }

    fn compare_line(&self, rule: LineRule, answer: Span, output: Span) -> Outcome {
        let (left, right) = (answer.of(self.answer), output.of(self.output));
        let is_equal = match rule {
            LineRule::Bytes => left == right,
            LineRule::Stripped => {
                without_start(without_end(left)) == without_start(without_end(right))
            }
            LineRule::RightStripped => without_end(left) == without_end(right),
            LineRule::Words if left == right => true,
            LineRule::Words | LineRule::Floats(_) => {
                return self.compare_words(rule, answer, output);
            }
        };
        if is_equal { Ok(()) } else { Err(self.line_differs(answer, output)) }
    }

    fn line_differs(&self, answer: Span, output: Span) -> Unequal {
        self.different(DifferenceKind::Line, answer, output)
    }

    fn compare_words(&self, rule: LineRule, answer: Span, output: Span) -> Outcome {
        let mut answers = tokens(self.answer, answer, Blanks::Six);
        let mut outputs = tokens(self.output, output, Blanks::Six);
        if answers.clone().count() != outputs.clone().count() {
            return Err(self.line_differs(answer, output));
        }
        while let (Some(answer), Some(output)) = (answers.next(), outputs.next()) {
            let (left, right) = (answer.of(self.answer), output.of(self.output));
            let mismatch = match rule {
                LineRule::Floats(rule) => rule.difference(left, right),
                _ => Unit::Word.difference(left, right),
            };
            if let Some(mismatch) = mismatch {
                return Err(self.different(mismatch, answer, output));
            }
        }
        Ok(())
    }

    fn compare_testlib_lines(&self, rule: LineRule) -> Outcome {
        let mut answers = testlib_lines(self.answer, 0).peekable();
        let mut outputs = testlib_lines(self.output, self.start);
        while let Some(answer) = answers.next() {
            let of_answer = testlib_line(self.answer, answer)?;
            if of_answer.is_empty() && answers.peek().is_none() {
                break;
            }
            let output = outputs.next().unwrap_or(Span::end_of(self.output));
            let of_output = if output.start < self.output.len() {
                testlib_line(self.output, output)?
            } else {
                Default::default()
            };
            let is_equal = match rule {
                _ if of_answer == of_output => true,
                LineRule::Words => words(&of_answer).eq(words(&of_output)),
                LineRule::RightStripped => without_end(&of_answer) == without_end(&of_output),
                _ => false,
            };
            if !is_equal {
                return Err(if output.start == self.output.len() {
                    self.output_ends(answer)
                } else {
                    self.line_differs(answer, output)
                });
            }
        }
        let start = outputs.next().map_or(self.output.len(), |token| token.start);
        let rest = Span { start, end: self.output.len() };
        let surplus = tokens(self.output, rest, Blanks::Four).next();
        surplus.map_or(Ok(()), |token| Err(self.output_goes_on(token)))
    }

    fn compare_letters(&self) -> Outcome {
        let count = |text: &[u8]| {
            let mut counts = [0_u64; 256];
            for byte in text.iter().filter(|&&byte| !is_blank(byte)) {
                counts[usize::from(byte.to_ascii_lowercase())] += 1;
            }
            counts
        };
        let (of_answer, of_output) = (count(self.answer), count(self.output));
        let Some(byte) = (0..=u8::MAX)
            .find(|&byte| of_answer[usize::from(byte)] != of_output[usize::from(byte)])
        else {
            return Ok(());
        };
        let index = usize::from(byte);
        let first = |text: &[u8], skipped: u64| {
            let mut places =
                text.iter().enumerate().filter(|(_, other)| other.to_ascii_lowercase() == byte);
            let start = places.nth(skipped as usize).map_or(text.len(), |(place, _)| place);
            Span { start, end: (start + 1).min(text.len()) }
        };
        Err(if of_answer[index] > of_output[index] {
            let missing = first(self.answer, of_output[index]);
            self.different(DifferenceKind::Missing, missing, Span::end_of(self.output))
        } else {
            let surplus = first(self.output, of_answer[index]);
            self.different(DifferenceKind::Surplus, Span::end_of(self.answer), surplus)
        })
    }
}

fn collect(units: impl Iterator<Item = Span>) -> Result<Vec<Span>, TryReserveError> {
    let mut all = Vec::new();
    for unit in units {
        all.try_reserve(1)?;
        all.push(unit);
    }
    Ok(all)
}

struct Cases<'t> {
    tokens: Tokens<'t>,
    /// Whether the word `Case` was read behind the case before; it is not asked for again.
    is_begun: bool,
}

struct Case<'t> {
    number: Span,
    /// From its first word to the end of the text.
    rest: Tokens<'t>,
}

impl<'t> Case<'t> {
    fn words(&self) -> impl Iterator<Item = Span> + use<'t> {
        let text = self.rest.text;
        self.rest.clone().take_while(move |token| token.of(text) != CASE)
    }
}

impl<'t> Cases<'t> {
    fn is_at_end(&self) -> bool {
        self.tokens.clone().next().is_none()
    }

    /// Reads the next case, or returns what is not as expected.
    fn next_case(&mut self, number: &str) -> Result<Case<'t>, (Span, String)> {
        if !self.is_begun {
            self.expect("Case")?;
        }
        let number = self.expect(number)?;
        let rest = self.tokens.clone();
        let text = self.tokens.text;
        self.is_begun |= self.tokens.any(|token| token.of(text) == CASE);
        Ok(Case { number, rest })
    }

    fn expect(&mut self, word: &str) -> Result<Span, (Span, String)> {
        let text = self.tokens.text;
        let token = self.tokens.next().unwrap_or(Span::end_of(text));
        if token.of(text) == word.as_bytes() {
            return Ok(token);
        }
        Err((token, format!("`{word}`")))
    }
}

/// `casencmp` reads an integer only up to a byte 0.
fn without_nul(unit: Unit, token: &[u8]) -> &[u8] {
    match (unit, memchr::memchr(0, token)) {
        (Unit::Integer { .. }, Some(end)) => &token[..end],
        _ => token,
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    tokens(line, Span { start: 0, end: line.len() }, Blanks::Six).map(|span| span.of(line))
}

fn without_end(line: &[u8]) -> &[u8] {
    let length = line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &line[..length]
}

fn without_start(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|&byte| !is_blank(byte)).unwrap_or(line.len());
    &line[start..]
}
