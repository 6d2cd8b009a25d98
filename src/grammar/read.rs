//! The port of the validator: takes from an input what the grammar says, or tells what came instead.

use std::io::Read;

use num_rational::BigRational;

use crate::grammar::bytes::ByteSet;
use crate::grammar::float::{self, Scanned};
use crate::grammar::number::Int;
use crate::grammar::pattern::Pattern;
use crate::grammar::port::{FloatRules, Loops, Mismatch, Port, Reason, Stop};
use crate::grammar::program::Grammar;
use crate::grammar::source::Span;
use crate::grammar::value::Value;
use crate::grammar::vars::Vars;
use crate::grammar::window::Window;
use crate::model::text::visible;

/// Sees what is read.
pub(super) trait Witness: Loops {
    /// Whether it looks at anything.
    const LOOKS: bool = true;
    /// An integer.
    fn int(&mut self, _site: usize, _min: &Int, _max: &Int, _value: &Int) {}
    /// A float, as written.
    fn float(&mut self, _site: usize, _rules: &FloatRules, _text: &[u8]) {}
    /// What a regular expression matched.
    fn regex(&mut self, _site: usize, _text: &[u8]) {}
    /// A question about what comes next, and its answer.
    fn question(&mut self, _number: usize, _answer: bool) {}
}

/// Looks at nothing.
pub(super) struct Blind;

impl Loops for Blind {}

impl Witness for Blind {
    const LOOKS: bool = false;
}

/// An input that is read.
pub(super) struct Reader<'a, W> {
    grammar: &'a Grammar,
    pub(super) window: Window<'a>,
    /// The value read last.
    last: Piece,
    pub(super) witness: W,
}

#[derive(Clone, Copy, Default)]
struct Piece {
    start: u64,
    end: u64,
}

/// Longer than every integer of 64 bits, in bytes.
const SHORT: usize = 24;

impl<'a, W: Witness> Reader<'a, W> {
    pub(super) fn new(grammar: &'a Grammar, input: impl Read + 'a, witness: W) -> Self {
        Self { grammar, window: Window::new(input), last: Piece::default(), witness }
    }

    #[inline]
    fn take(&mut self, length: usize) {
        let start = self.window.offset();
        self.last = Piece { start, end: start + length as u64 };
        self.window.at += length;
    }

    /// What stands here instead of what was expected, and how long it is.
    fn came(&mut self) -> (String, usize) {
        const LONGEST: usize = 40;
        let rest = match self.window.ahead(LONGEST + 1) {
            Ok(rest) => rest,
            Err(_) => self.window.seen(),
        };
        let word =
            rest.iter().take_while(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count();
        match rest.first() {
            None => ("the end of the file".to_owned(), 1),
            Some(b' ') => ("a blank".to_owned(), 1),
            Some(b'\n') => ("a line end".to_owned(), 1),
            Some(b'\t') => ("a tab".to_owned(), 1),
            Some(b'\r') => ("a carriage return".to_owned(), 1),
            Some(_) if word > LONGEST => (format!("`{}…`", visible(&rest[..LONGEST])), LONGEST),
            Some(_) => (format!("`{}`", visible(&rest[..word])), word),
        }
    }

    #[cold]
    fn expected(&mut self, at: Span, what: &str) -> Stop {
        let offset = self.window.offset();
        let (came, length) = self.came();
        let mut message = format!("expected {what}, got {came}");
        if offset > 0 && offset == self.last.end && self.last.end > self.last.start {
            let before = self.window.piece(self.last.start, self.last.end);
            let next_is_digit = self.window.seen().first().is_some_and(u8::is_ascii_digit);
            if matches!(before, b"0") && next_is_digit {
                message += ": a number has no leading zero";
            } else if before.len() <= 40 {
                message = format!("expected {what} after `{}`, got {came}", visible(before));
            }
        }
        stop(at, message, offset, length)
    }

    /// The value just read is refused.
    #[cold]
    fn refused(&self, at: Span, message: String) -> Stop {
        let length = usize::try_from(self.last.end - self.last.start).unwrap_or(usize::MAX);
        stop(at, message, self.last.start, length.max(1))
    }

    /// A site's variable for a message: ` for `n``.
    /// What was taken last, in quotes.
    fn shown(&self) -> String {
        const LONGEST: usize = 40;
        let piece = self.window.piece(self.last.start, self.last.end);
        let cut = if piece.len() > LONGEST { "…" } else { "" };
        format!("`{}{cut}`", visible(&piece[..piece.len().min(LONGEST)]))
    }

    fn for_label(&self, site: usize) -> String {
        let site = &self.grammar.sites[site];
        match site.slot {
            Some(_) => format!(" for `{}`", site.label),
            None => String::new(),
        }
    }

    #[cold]
    fn int_expected(&mut self, at: Span, site: usize, min: &Int, max: &Int) -> Stop {
        let what = format!("an integer from {min} to {max}{}", self.for_label(site));
        self.expected(at, &what)
    }

    #[cold]
    fn int_outside(&mut self, at: Span, site: usize, bounds: [&Int; 2], length: usize) -> Stop {
        let rest = self.window.seen();
        // The whole of `03` is shown, not only the zero that would be read.
        let has_leading_zero =
            &rest[..length] == b"0" && rest.get(1).is_some_and(u8::is_ascii_digit);
        let more = rest[length..].iter().take_while(|byte| byte.is_ascii_digit());
        let length = length + if has_leading_zero { more.count() } else { 0 };
        self.take(length);
        let [min, max] = bounds;
        let (label, shown) = (self.for_label(site), self.shown());
        let mut message = format!("expected an integer from {min} to {max}{label}, got {shown}");
        if has_leading_zero {
            message += ": a number has no leading zero";
        }
        self.refused(at, message)
    }

    /// Reads an integer of any size, or says what came instead.
    fn other_int(&mut self, at: Span, site: usize, bounds: [&Int; 2]) -> Result<Int, Stop> {
        let [min, max] = bounds;
        let rest = self.window.seen();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let value = match (short_int(rest), rest.get(sign)) {
            (Some(read), _) => {
                let value = Int::Small(read.value);
                if value < *min || value > *max {
                    return Err(self.int_outside(at, site, bounds, read.length));
                }
                self.take(read.length);
                value
            }
            (None, Some(b'1'..=b'9')) => self.long_int(at, site, min, max)?,
            _ => return Err(self.int_expected(at, site, min, max)),
        };
        self.witness.int(site, min, max, &value);
        Ok(value)
    }

    /// Reads an integer that may be long.
    #[cold]
    fn long_int(&mut self, at: Span, site: usize, min: &Int, max: &Int) -> Result<Int, Stop> {
        let mut wanted = SHORT;
        let length = loop {
            wanted = wanted.saturating_mul(2);
            let rest = self.window.ahead(wanted)?;
            let sign = usize::from(rest.first() == Some(&b'-'));
            let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if sign + digits < rest.len() || self.window.is_complete() {
                break sign + digits;
            }
        };
        let digits_max = min.magnitude().to_string().len().max(max.magnitude().to_string().len());
        // What has more digits than either bound is outside; it need not be computed.
        let value = match length <= digits_max + 1 {
            true => Int::parse(&self.window.seen()[..length]),
            false => None,
        };
        match value {
            Some(value) if *min <= value && value <= *max => {
                self.take(length);
                Ok(value)
            }
            _ => Err(self.int_outside(at, site, [min, max], length)),
        }
    }
}

struct ShortInt {
    value: i64,
    length: usize,
}

/// The integer at the start of a text, if it has at most eighteen digits: they fit whatever they are.
#[inline]
fn short_int(text: &[u8]) -> Option<ShortInt> {
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
        // A zero in front is the whole number.
        if value == 0 {
            break;
        }
    }
    if length == sign || (value == 0 && sign == 1) {
        return None;
    }
    Some(ShortInt { value: if sign == 1 { -value } else { value }, length })
}

fn stop(at: Span, message: String, offset: u64, length: usize) -> Stop {
    Stop(Box::new(Reason::Invalid(Mismatch { message, offset, length, span: at })))
}

/// A fixed text in words.
pub(super) fn called(text: &[u8]) -> String {
    match text {
        b" " => "a blank".to_owned(),
        b"\n" => "a line end".to_owned(),
        _ => Value::text(text).to_string(),
    }
}

impl<W: Witness> Port for Reader<'_, W> {
    #[inline]
    fn literal(&mut self, at: Span, text: &[u8]) -> Result<(), Stop> {
        if self.window.ahead(text.len())?.starts_with(text) {
            self.window.at += text.len();
            return Ok(());
        }
        Err(self.expected(at, &called(text)))
    }

    #[inline]
    fn byte(&mut self, at: Span, byte: u8) -> Result<(), Stop> {
        if self.window.ahead(1)?.first() == Some(&byte) {
            self.window.at += 1;
            return Ok(());
        }
        Err(self.expected(at, &called(&[byte])))
    }

    fn end(&mut self, at: Span) -> Result<(), Stop> {
        match self.window.ahead(1)?.is_empty() {
            true => Ok(()),
            false => Err(self.expected(at, "the end of the file")),
        }
    }

    #[inline]
    fn small_int(
        &mut self,
        at: Span,
        site: usize,
        [min, max]: [i64; 2],
        _vars: &Vars,
    ) -> Result<Int, Stop> {
        let rest = self.window.ahead(SHORT)?;
        match short_int(rest) {
            Some(read) if min <= read.value && read.value <= max => {
                self.take(read.length);
                let value = Int::Small(read.value);
                if W::LOOKS {
                    self.witness.int(site, &Int::Small(min), &Int::Small(max), &value);
                }
                Ok(value)
            }
            _ => self.other_int(at, site, [&Int::Small(min), &Int::Small(max)]),
        }
    }

    fn int(&mut self, at: Span, site: usize, bounds: [&Int; 2], _vars: &Vars) -> Result<Int, Stop> {
        self.window.ahead(SHORT)?;
        self.other_int(at, site, bounds)
    }

    fn float(
        &mut self,
        at: Span,
        site: usize,
        rules: &FloatRules,
        wanted: bool,
    ) -> Result<Option<BigRational>, Stop> {
        let mut enough = 64;
        let scanned: Option<Scanned> = loop {
            let rest = self.window.ahead(enough)?;
            let scanned = float::scan(rest);
            let end = scanned.map_or(1, |scanned| scanned.length);
            // It may go on behind the window.
            if end + 3 < rest.len() || self.window.is_complete() {
                break scanned;
            }
            enough *= 2;
        };
        let what = |reader: &Self| format!("{}{}", float::wanted(rules), reader.for_label(site));
        let Some(scanned) = scanned else {
            let what = what(self);
            return Err(self.expected(at, &what));
        };
        let text = &self.window.seen()[..scanned.length];
        let form_fault = float::form_fault(text, &scanned, rules);
        let quick = rules.quick.and_then(|quick| quick.contains(text, &scanned));
        let value: Option<BigRational> = match wanted || quick.is_none() {
            true => float::value(text, &scanned),
            false => None,
        };
        let inside = quick.unwrap_or_else(|| {
            value.as_ref().is_some_and(|value| rules.min <= *value && *value <= rules.max)
        });
        self.take(scanned.length);
        if let Some(fault) = form_fault {
            let message = format!("expected {}, got {}, which {fault}", what(self), self.shown());
            return Err(self.refused(at, message));
        }
        if !inside {
            let message = format!("expected {}, got {}", what(self), self.shown());
            return Err(self.refused(at, message));
        }
        let piece = self.window.piece(self.last.start, self.last.end);
        self.witness.float(site, rules, piece);
        Ok(value)
    }

    fn regex(&mut self, at: Span, site: usize, pattern: &Pattern) -> Result<Vec<u8>, Stop> {
        let rest = self.window.all()?;
        let Some(length) = pattern.longest(rest) else {
            let what =
                format!("what matches {}{}", Value::text(pattern.text()), self.for_label(site));
            return Err(self.expected(at, &what));
        };
        let text = rest[..length].to_vec();
        self.take(length);
        self.witness.regex(site, &text);
        Ok(text)
    }

    fn question(&mut self, _at: Span, number: usize, set: &ByteSet) -> Result<bool, Stop> {
        let answer = match self.window.ahead(1)?.first() {
            Some(byte) => set.contains(*byte),
            None => set.contains_end(),
        };
        self.witness.question(number, answer);
        Ok(answer)
    }

    fn refuse(&mut self, at: Span, message: String) -> Stop {
        self.refused(at, message)
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.window.offset()
    }

    #[inline]
    fn loops(&mut self) -> &mut impl Loops {
        &mut self.witness
    }
}
