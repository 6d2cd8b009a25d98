//! The port of the validator: reads what the grammar demands from an input, or reports what is there instead.

use std::ops::Range;

use num_rational::BigRational;

use crate::bytes::ByteSet;
use crate::float::{self, FloatRules, ScannedFloat};
use crate::input::Input;
use crate::number::Int;
use crate::pattern::Pattern;
use crate::port::{LoopObserver, OptionalValue, Port, RunStop};
use crate::program::Grammar;
use crate::run::Interpreter;
use crate::source::Span;
use crate::value::Value;
use juror_core::text::visible;

pub(super) trait Witness: LoopObserver {
    const OBSERVES_INTS: bool = true;
    fn int(&mut self, _int: IntNode) {}
    fn float(&mut self, _site: usize, _rules: &FloatRules, _text: &[u8], _scanned: &ScannedFloat) {}
    fn regex(&mut self, _site: usize, _text: &[u8]) {}
    fn question(&mut self, _number: usize, _answer: bool) {}
}

/// An integer that was read, as a node of the input's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntNode {
    /// An index in [`Grammar::sites`].
    pub site: usize,
    /// The start in the input, in bytes.
    pub at: usize,
    pub value: Int,
    pub min: Int,
    pub max: Int,
}

pub(super) struct NoWitness;

impl LoopObserver for NoWitness {}

impl Witness for NoWitness {
    const OBSERVES_INTS: bool = false;
}

pub(super) struct InputReader<'a, I, W> {
    grammar: &'a Grammar,
    pub(super) input: I,
    /// The index of the next byte in memory.
    pub(super) at: usize,
    /// The range of the last value in memory.
    last_value: Range<usize>,
    pub(super) witness: W,
}

/// Number of bytes that must be in memory before anything but a long word is read.
const AHEAD: usize = 64;

/// Upper bound on the bytes of an input that a message shows.
const SHOWN_MAX: usize = 40;

impl<'a, I: Input, W: Witness> InputReader<'a, I, W> {
    pub(super) fn new(grammar: &'a Grammar, input: I, witness: W) -> Self {
        Self { grammar, input, at: 0, last_value: 0..0, witness }
    }

    /// The rest of the bytes in memory.
    #[inline]
    fn rest(&self) -> &[u8] {
        &self.input.bytes()[self.at..]
    }

    /// The rest of the bytes in memory: more than [`AHEAD`], unless the input ends.
    #[inline]
    fn ahead(&mut self) -> &[u8] {
        if I::MOVES && self.input.bytes().len() - self.at < AHEAD {
            self.advance(false);
        }
        self.rest()
    }

    /// The rest of the input; `None` if its first `length` bytes are a complete word.
    fn rest_beyond(&mut self, length: usize) -> Option<&[u8]> {
        if self.input.is_at_end() || length + AHEAD / 2 < self.rest().len() {
            return None;
        }
        self.advance(true);
        Some(self.rest())
    }

    #[cold]
    fn advance(&mut self, all: bool) {
        if self.input.is_at_end() {
            return;
        }
        self.input.advance(self.at, all);
        (self.at, self.last_value) = (0, 0..0);
    }

    #[inline]
    fn take(&mut self, length: usize) {
        self.last_value = self.at..self.at + length;
        self.at = self.last_value.end;
    }

    /// Describes what is here instead of the expected text. Also returns its length in bytes.
    fn describe_found(&self) -> (String, usize) {
        let rest = self.rest();
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        let word = rest.iter().take(SHOWN_MAX + 1).position(is_blank);
        let word = word.unwrap_or(rest.len().min(SHOWN_MAX + 1));
        let name = match rest.first() {
            None => "the end of the file",
            Some(b' ') => "a blank",
            Some(b'\n') => "a line end",
            Some(b'\t') => "a tab",
            Some(b'\r') => "a carriage return",
            Some(_) => return (quoted(&rest[..word]), word.min(SHOWN_MAX)),
        };
        (name.to_owned(), 1)
    }

    #[cold]
    fn expected(&self, at: Span, what: &str) -> RunStop {
        let (got, length) = self.describe_found();
        let mut message = format!("expected {what}, got {got}");
        if self.at == self.last_value.end && !self.last_value.is_empty() {
            let before = &self.input.bytes()[self.last_value.clone()];
            if before == b"0" && starts_with_digit(self.rest()) {
                message += ": a number has no leading zero";
            } else if before.len() <= SHOWN_MAX {
                message = format!("expected {what} after {}, got {got}", quoted(before));
            }
        }
        RunStop::invalid(at, message, self.at, length)
    }

    #[cold]
    fn value_fault(&self, at: Span, message: String) -> RunStop {
        RunStop::invalid(at, message, self.last_value.start, self.last_value.len().max(1))
    }

    fn quoted_last(&self) -> String {
        quoted(&self.input.bytes()[self.last_value.clone()])
    }

    fn site_span(&self, site: usize) -> Span {
        self.grammar.sites[site].span
    }

    /// The variable of a site, as ``" for `n`"``.
    fn label_suffix(&self, site: usize) -> String {
        let site = &self.grammar.sites[site];
        match site.variable {
            Some(_) => format!(" for `{}`", site.label),
            None => String::new(),
        }
    }

    #[cold]
    fn int_out_of_range(&mut self, site: usize, bounds: [&Int; 2], length: usize) -> RunStop {
        let rest = self.rest();
        // Shows all of `03`, not only the zero that would be read.
        let has_leading_zero = &rest[..length] == b"0" && starts_with_digit(&rest[1..]);
        let more = if has_leading_zero { digits(&rest[length..]) } else { 0 };
        self.take(length + more);
        let [min, max] = bounds;
        let (label, shown) = (self.label_suffix(site), self.quoted_last());
        let (min, max) = (min.short_text(), max.short_text());
        let mut message = format!("expected an integer from {min} to {max}{label}, got {shown}");
        if has_leading_zero {
            message += ": a number has no leading zero";
        }
        self.value_fault(self.site_span(site), message)
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn int_length(text: &[u8]) -> Option<usize> {
    let sign = usize::from(text.first() == Some(&b'-'));
    match text.get(sign)? {
        b'1'..=b'9' => Some(sign + digits(&text[sign..])),
        b'0' if sign == 0 => Some(1),
        _ => None,
    }
}

fn starts_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit)
}

fn quoted(piece: &[u8]) -> String {
    let cut = if piece.len() > SHOWN_MAX { "…" } else { "" };
    format!("`{}{cut}`", visible(&piece[..piece.len().min(SHOWN_MAX)]))
}

/// Returns the integer and its length; `None` if it has more than 18 digits and may not fit.
#[inline]
fn short_int(text: &[u8]) -> Option<(i64, usize)> {
    const DIGITS: usize = 18;
    let sign = usize::from(text.first() == Some(&b'-'));
    let mut value: i64 = 0;
    let mut length = sign;
    for byte in text.get(sign..)?.iter().take(DIGITS + 1) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        if length == sign + DIGITS {
            return None;
        }
        value = value * 10 + i64::from(digit);
        length += 1;
        // A number that begins with zero is just that zero.
        if value == 0 {
            break;
        }
    }
    if length == sign || (value == 0 && sign == 1) {
        return None;
    }
    Some((if sign == 1 { -value } else { value }, length))
}

pub(super) fn describe_text(text: &[u8]) -> String {
    match text {
        b" " => "a blank".to_owned(),
        b"\n" => "a line end".to_owned(),
        _ => Value::text(text).to_string(),
    }
}

impl<I: Input, W: Witness> Port for InputReader<'_, I, W> {
    #[inline]
    fn literal(&mut self, at: Span, text: &[u8]) -> Result<(), RunStop> {
        let mut is_here = self.ahead().starts_with(text);
        if !is_here && let Some(rest) = self.rest_beyond(text.len()) {
            is_here = rest.starts_with(text);
        }
        if is_here {
            self.at += text.len();
            return Ok(());
        }
        Err(self.expected(at, &describe_text(text)))
    }

    #[inline]
    fn byte(&mut self, at: Span, byte: u8) -> Result<(), RunStop> {
        if self.ahead().first() == Some(&byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.expected(at, &describe_text(&[byte])))
    }

    fn end(&mut self, at: Span) -> Result<(), RunStop> {
        if self.ahead().is_empty() { Ok(()) } else { Err(self.expected(at, "the end of the file")) }
    }

    #[inline]
    fn small_int(
        &mut self,
        site: usize,
        bounds: [i64; 2],
        run: &Interpreter<'_>,
    ) -> Result<Int, RunStop> {
        let [min, max] = bounds;
        match short_int(self.ahead()) {
            Some((value, length)) if min <= value && value <= max => {
                if W::OBSERVES_INTS {
                    let [value, min, max] = [value, min, max].map(Int::Small);
                    self.witness.int(IntNode { site, at: self.offset(), value, min, max });
                }
                self.take(length);
                Ok(Int::Small(value))
            }
            _ => self.int(site, [&Int::Small(min), &Int::Small(max)], run),
        }
    }

    fn int(
        &mut self,
        site: usize,
        bounds: [&Int; 2],
        _run: &Interpreter<'_>,
    ) -> Result<Int, RunStop> {
        let [min, max] = bounds;
        let mut length = int_length(self.ahead());
        if let Some(rest) = self.rest_beyond(length.unwrap_or(0)) {
            length = int_length(rest);
        }
        let Some(length) = length else {
            let (min, max, label) = (min.short_text(), max.short_text(), self.label_suffix(site));
            let what = format!("an integer from {min} to {max}{label}");
            return Err(self.expected(self.site_span(site), &what));
        };
        // A number with more digits than both bounds is outside of them; its value is not computed.
        let longest = min.length_max().max(max.length_max());
        let value = if length <= longest { Int::parse(&self.rest()[..length]) } else { None };
        let Some(value) = value.filter(|value| min <= value && value <= max) else {
            return Err(self.int_out_of_range(site, bounds, length));
        };
        if W::OBSERVES_INTS {
            let [value, min, max] = [&value, min, max].map(Int::clone);
            self.witness.int(IntNode { site, at: self.offset(), value, min, max });
        }
        self.take(length);
        Ok(value)
    }

    fn float(
        &mut self,
        site: usize,
        rules: &FloatRules,
        is_wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<BigRational> {
        let what = |reader: &Self| {
            format!("{}{}", float::describe_rules(rules), reader.label_suffix(site))
        };
        let mut scanned = float::scan(self.ahead());
        if let Some(rest) = self.rest_beyond(scanned.as_ref().map_or(0, |scanned| scanned.length)) {
            scanned = float::scan(rest);
        }
        let Some(scanned) = scanned else {
            return Err(self.expected(self.site_span(site), &what(self)));
        };
        let text = &self.input.bytes()[self.at..][..scanned.length];
        let quick = rules.quick.and_then(|quick| quick.contains(text, &scanned));
        let inside = quick.or_else(|| float::is_within_by_size(text, &scanned, rules));
        if W::OBSERVES_INTS || is_wanted || inside.is_none() {
            run.spend_operation(float::work_steps(text, &scanned, rules))?;
        }
        let inside = inside.unwrap_or_else(|| float::is_within(text, &scanned, rules));
        let fault = float::form_fault(text, &scanned, rules);
        let mut value = None;
        if inside && fault.is_none() {
            value = if is_wanted { float::value(text, &scanned) } else { None };
            self.witness.float(site, rules, text, &scanned);
        }
        self.take(scanned.length);
        if fault.is_some() || !inside {
            let why = fault.map_or(String::new(), |fault| format!(", which {fault}"));
            let message = format!("expected {}, got {}{why}", what(self), self.quoted_last());
            return Err(self.value_fault(self.site_span(site), message));
        }
        Ok(value)
    }

    fn regex(
        &mut self,
        site: usize,
        pattern: &Pattern,
        is_wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<Vec<u8>> {
        self.advance(true);
        let Some(length) = run.longest_match(pattern, self.rest())? else {
            let what =
                format!("what matches {}{}", Value::text(pattern.text()), self.label_suffix(site));
            return Err(self.expected(self.site_span(site), &what));
        };
        let text = &self.input.bytes()[self.at..][..length];
        self.witness.regex(site, text);
        let text = is_wanted.then(|| text.to_vec());
        self.take(length);
        Ok(text)
    }

    fn question(&mut self, number: usize, set: &ByteSet) -> Result<bool, RunStop> {
        let answer = match self.ahead().first() {
            Some(byte) => set.contains(*byte),
            None => set.contains_end(),
        };
        self.witness.question(number, answer);
        Ok(answer)
    }

    fn assertion_fault(&mut self, at: Span, message: String) -> RunStop {
        self.value_fault(at, message)
    }

    #[inline]
    fn offset(&self) -> usize {
        self.input.start() + self.at
    }

    #[inline]
    fn loops(&mut self) -> &mut impl LoopObserver {
        &mut self.witness
    }
}
