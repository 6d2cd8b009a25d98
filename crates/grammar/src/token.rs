//! Splits a grammar's text into tokens: commands, names, numbers, strings, signs.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use crate::number::{Int, power_of_ten};
use crate::source::{Source, Span};
use crate::work::{
    TOO_MUCH_COMPUTED, WorkCounter, bits_of_digits, decimal_steps, float_text_steps,
};
use juror_core::diagnostic::Diagnostic;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Upper case: a command, a test, a function or an option.
    Word(String),
    /// Lower case: a variable.
    Name(String),
    Int(Int),
    Float(BigRational),
    Text(Vec<u8>),
    Sign(&'static str),
    End,
}

impl TokenKind {
    pub(super) fn description(&self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            Self::Name(name) => format!("the variable `{name}`"),
            Self::Int(value) => format!("the integer `{}`", value.short_text()),
            Self::Float(_) => "a float".to_owned(),
            Self::Text(_) => "a string".to_owned(),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end of the grammar".to_owned(),
        }
    }
}

/// A longer sign comes before its prefixes.
const SIGNS: [&str; 21] = [
    "<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", "%", "^", "(", ")",
    "[", "]", ",",
];

/// After this many faults, the rest is not read.
const FAULTS_MAX: usize = 1000;

/// Upper bound on the absolute value of a float's decimal exponent.
pub(super) const EXPONENT_MAX: u32 = 1_000_000;

/// Reports unreadable parts, and leaves them out.
pub(super) fn tokens(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut faults = Vec::new();
    let mut read = |strings_end_in_line| {
        faults.clear();
        let mut lexer = Lexer {
            source,
            at: 0,
            diagnostics: &mut faults,
            strings_end_in_line,
            has_open_string: false,
            work: WorkCounter::of_constants(),
            is_exhausted: false,
        };
        let tokens: Vec<Token> = lexer.by_ref().collect();
        (tokens, lexer.has_open_string)
    };
    let (mut tokens, is_open) = read(false);
    if is_open {
        // If a string is never closed, all later quotes pair up wrongly. If strings must end in their line, the fault
        // is at the right one.
        (tokens, _) = read(true);
    }
    diagnostics.append(&mut faults);
    // A missing token at the end is reported after the last token.
    let end = tokens.last().map_or(0, |token| token.span.end);
    tokens.push(Token { kind: TokenKind::End, span: Span { start: end, end } });
    tokens
}

struct Lexer<'a> {
    source: &'a Source,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Whether a string that is open at the end of a line is a fault.
    strings_end_in_line: bool,
    /// Whether the text ended inside a string.
    has_open_string: bool,
    /// For constants.
    work: WorkCounter,
    is_exhausted: bool,
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_blanks();
            if self.diagnostics.len() >= FAULTS_MAX {
                return None;
            }
            let start = self.at;
            let first = *self.rest().first()?;
            let kind = match first {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                b'0'..=b'9' => self.number(),
                b'"' => self.text(),
                _ => self.sign(),
            };
            let span = Span { start, end: self.at };
            if let Some(kind) = kind {
                return Some(Token { kind, span });
            }
        }
    }
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        &self.source.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.rest().first() {
            match byte {
                b'#' => {
                    let line = memchr::memchr(b'\n', self.rest());
                    self.at = line.map_or(self.source.text.len(), |length| self.at + length);
                }
                byte if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                _ => return,
            }
        }
    }

    fn fault(&mut self, start: usize, message: impl Into<String>, help: &str) {
        let span = Span { start, end: self.at.max(start + 1) };
        let fault = self.source.error(span, message).help(help);
        self.diagnostics.push(fault);
    }

    fn word(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = self.rest().iter().take_while(|byte| is_part(byte)).count();
        self.at += length;
        let word = String::from_utf8_lossy(&self.source.text[start..self.at]).into_owned();
        if word.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Some(TokenKind::Word(word));
        }
        let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if word.as_bytes()[0].is_ascii_lowercase() && word.bytes().all(is_lower) {
            return Some(TokenKind::Name(word));
        }
        self.fault(
            start,
            format!("`{word}` is neither a command nor a variable"),
            "commands are in capitals; a variable is a small letter, then small letters and digits",
        );
        // It was meant as one or the other, so the words around it can still be parsed.
        let capitals: String = word.chars().filter(char::is_ascii_alphabetic).collect();
        let capitals = capitals.to_ascii_uppercase();
        Some(if word.contains(|c: char| c.is_ascii_lowercase()) && !is_keyword(&capitals) {
            TokenKind::Name(word.to_ascii_lowercase())
        } else {
            TokenKind::Word(capitals)
        })
    }

    fn digits(&mut self) -> usize {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let length = digits.count();
        self.at += length;
        length
    }

    fn number(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let whole = self.digits();
        let mut is_float = self.rest().first() == Some(&b'.');
        if is_float {
            self.at += 1;
            self.digits();
        }
        let mantissa = self.at;
        let mut exponent = None;
        if matches!(self.rest().first(), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.rest().get(1), Some(b'+' | b'-')));
            if self.rest().get(1 + sign).is_some_and(u8::is_ascii_digit) {
                let exponent_start = self.at + 1;
                self.at += 1 + sign;
                self.digits();
                is_float = true;
                let text = String::from_utf8_lossy(&self.source.text[exponent_start..self.at]);
                exponent = Some(text.parse::<i64>().unwrap_or(i64::MAX));
            }
        }
        if !is_float {
            let digits = &self.source.text[start..self.at];
            if whole > 1 && digits[0] == b'0' {
                self.fault(start, "an integer has no leading zero", "write it without");
            }
            let size = bits_of_digits(whole as u64);
            if !self.can_compute(start, decimal_steps(size), size) {
                return Some(TokenKind::Int(Int::ZERO));
            }
            return Int::parse(&self.source.text[start..self.at]).map(TokenKind::Int);
        }
        let exponent = exponent.unwrap_or(0);
        if exponent.unsigned_abs() > u64::from(EXPONENT_MAX) {
            let message = format!("the exponent is beyond {EXPONENT_MAX}");
            self.fault(start, message, "write a smaller bound");
        }
        let exponent = exponent.clamp(-i64::from(EXPONENT_MAX), i64::from(EXPONENT_MAX));
        let text = &self.source.text[start..mantissa];
        let (digits, tens) = (text.len() as u64, exponent.unsigned_abs());
        let size = bits_of_digits(digits.saturating_add(tens));
        Some(if self.can_compute(start, float_text_steps(digits, tens), size) {
            TokenKind::Float(decimal(text, exponent))
        } else {
            TokenKind::Int(Int::ZERO)
        })
    }

    /// Counts the steps of a number with this many bits; reports the first number that is too much.
    fn can_compute(&mut self, start: usize, steps: u64, bits: u64) -> bool {
        let bits = if bits < 64 { 0 } else { bits };
        let can = self.work.add_operation(steps.saturating_add(bits)).is_ok();
        if !can && !self.is_exhausted {
            self.is_exhausted = true;
            self.fault(start, TOO_MUCH_COMPUTED, "write smaller or fewer numbers");
        }
        can
    }

    fn text(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            if rest.is_empty() || (rest[0] == b'\n' && self.strings_end_in_line) {
                self.has_open_string = true;
                self.fault(start, "this string is not closed", "close it with `\"`");
                return Some(TokenKind::Text(bytes));
            }
            match rest {
                [b'"', ..] => {
                    self.at += 1;
                    return Some(TokenKind::Text(bytes));
                }
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'\\', b'0'..=b'7', ..] => bytes.extend(self.octal()),
                [b'\\', escape, ..] => {
                    let byte = match escape {
                        b'n' => Some(b'\n'),
                        b't' => Some(b'\t'),
                        b'r' => Some(b'\r'),
                        b'b' => Some(8),
                        b'"' | b'\\' => Some(*escape),
                        _ => None,
                    };
                    // Before any other character, the backslash is literal.
                    bytes.push(byte.unwrap_or(b'\\'));
                    self.at += if byte.is_some() { 2 } else { 1 };
                }
                _ => {
                    bytes.push(rest[0]);
                    self.at += 1;
                }
            }
        }
    }

    /// A backslash and one to three octal digits.
    fn octal(&mut self) -> Option<u8> {
        let start = self.at;
        let digits = self.rest()[1..].iter().take(3);
        let digits = digits.take_while(|byte| (b'0'..=b'7').contains(byte));
        let length = digits.clone().count();
        let value = digits.fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
        self.at += 1 + length;
        let byte = u8::try_from(value).ok();
        if byte.is_none() {
            self.fault(start, "there is no such byte", "bytes are `\\0` to `\\377`");
        }
        byte
    }

    fn sign(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let sign = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign.as_bytes()));
        if let Some(sign) = sign {
            self.at += sign.len();
            return Some(TokenKind::Sign(sign));
        }
        if let Some(length) = unknown_constant_length(self.rest()) {
            self.at += length;
            let shown = String::from_utf8_lossy(&self.source.text[start..self.at]).into_owned();
            let help = "add it to `constants` in problem.yaml, or write the value";
            self.fault(start, format!("`{shown}` {UNKNOWN_CONSTANT}"), help);
            return None;
        }
        let chunk = self.rest()[..self.rest().len().min(4)].utf8_chunks().next();
        let valid = chunk.and_then(|chunk| chunk.valid().chars().next());
        let character = valid.unwrap_or(char::REPLACEMENT_CHARACTER);
        let help = match character {
            '&' => "and is written `&&`",
            '|' => "or is written `||`",
            '\'' => "write strings between `\"`",
            ';' => "separate commands with blanks only",
            _ => "comments begin with `#`",
        };
        let shown = character.escape_debug();
        let message = format!("`{shown}` means nothing here");
        self.at += valid.map_or(1, char::len_utf8);
        self.fault(start, message, help);
        None
    }
}

/// The end of the message about a name in braces that was not replaced. Other faults may come from it, so they are not
/// reported.
pub const UNKNOWN_CONSTANT: &str = "is not a constant of the problem";

/// The length of `{{name}}` at the beginning of a text.
fn unknown_constant_length(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"{{")?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = name.iter().position(|byte| !is_part(byte))?;
    (length > 0 && name[length..].starts_with(b"}}")).then_some(length + 4)
}

/// In upper case.
pub(super) const KEYWORDS: &str = "SPACE NEWLINE EOF INT FLOAT FLOATP STRING REGEX ASSERT SET UNSET REP REPI WHILE WHILEI IF ELSE \
    END MATCH ISEOF UNIQUE INARRAY STRLEN FIXED SCIENTIFIC";

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|known| known == word)
}

/// The value of a decimal such as `12.34`, times ten to the power of `exponent`.
pub(super) fn decimal(text: &[u8], exponent: i64) -> BigRational {
    let point = text.iter().position(|byte| *byte == b'.');
    let decimals = point.map_or(0, |point| text.len() - point - 1);
    let digits: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'.').collect();
    let mut mantissa = BigInt::parse_bytes(&digits, 10).unwrap_or_default();
    let shift = exponent - i64::try_from(decimals).unwrap_or(i64::MAX);
    let size = u32::try_from(shift.unsigned_abs()).unwrap_or(u32::MAX);
    if shift >= 0 || mantissa.is_zero() {
        return BigRational::from_integer(
            mantissa * if shift >= 0 { power_of_ten(size) } else { 1.into() },
        );
    }
    // In lowest terms, without the search for a common divisor, which is slow if the exponent is large.
    let (mut twos, mut fives) = (size, size);
    let common = mantissa.trailing_zeros().unwrap_or(0).min(twos.into());
    mantissa >>= common;
    twos -= u32::try_from(common).unwrap_or(twos);
    while fives > 0 && (&mantissa % 5_u32).is_zero() {
        mantissa /= 5_u32;
        fives -= 1;
    }
    BigRational::new_raw(mantissa, BigInt::from(5).pow(fives) << twos)
}
