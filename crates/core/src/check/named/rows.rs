//! The comparisons that have a name, each a row of a table.
//!
//! Each repeats its original, also in what it refuses: packages were tested with that. So rows that accept the same
//! outputs can differ in how much of the judge answer they read.

use crate::check::named::cut::{Blanks, SkippedLines};
use crate::check::named::unit::{ErrorMode, FloatRule, INT32, INT64, NumberRule, Unit};
use crate::check::named::value::ValueRule;

/// How two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Row {
    /// By the default output validator, with or without other blanks and letter case.
    Validator(Strictness),
    /// Not at all.
    Nothing,
    Tokens(TokenRow),
    /// Tokens in cases, each of which begins with `Case N:`.
    Cases(Unit),
    Lines(LineRow),
    /// Lines as testlib reads them; missing ones are empty, and further ones may have only blanks.
    TestlibLines(LineRule),
    /// The number of each byte, without blanks and letter case.
    Letters,
    /// JSON values.
    Value(ValueRule),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    Tokens,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TokenRow {
    pub(super) blanks: Blanks,
    pub(super) unit: Unit,
    pub(super) order: Order,
    pub(super) reading: Reading,
    /// Whether a mark of the byte order before the output does not count.
    pub(super) skips_mark: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Sequence,
    Any,
}

/// How much of the judge answer is read, and so refused if it is not what the unit says, before an output is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Token by token, while both texts have one.
    Pairs,
    /// The same, and all that an output lacks.
    PairsAndRest,
    /// Token by token, while the answer has one.
    Answer,
    /// All of it.
    Whole,
    /// All of it; it is three tokens for each case: `Case`, its number with a colon, and an integer.
    WholeCases,
    /// Only the first token. The output must have no other.
    First,
    /// The same, but after the output's.
    FirstAfterOutput,
    /// The same, and the answer must have no other.
    Only,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineRow {
    pub(super) skipped: SkippedLines,
    pub(super) rule: LineRule,
    pub(super) order: Order,
}

/// When two lines are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LineRule {
    Bytes,
    /// Without the blanks at both ends.
    Stripped,
    /// Without the blanks at the end.
    RightStripped,
    Words,
    /// Words, of which the answer's numbers are compared as numbers.
    Floats(FloatRule),
}

const WORDS: TokenRow = TokenRow {
    blanks: Blanks::Four,
    unit: Unit::Word,
    order: Order::Sequence,
    reading: Reading::Pairs,
    skips_mark: true,
};

/// A checker of testlib that reads tokens.
const fn read(unit: Unit, reading: Reading) -> Row {
    Row::Tokens(TokenRow { unit, reading, ..WORDS })
}

const fn number(rule: NumberRule, reading: Reading) -> Row {
    read(Unit::Number(rule), reading)
}

/// A comparison of DMOJ that reads lines.
const fn lines(skipped: SkippedLines, rule: LineRule) -> Row {
    Row::Lines(LineRow { skipped, rule, order: Order::Sequence })
}

pub(super) const fn floats(mode: ErrorMode, most: f64) -> Row {
    lines(SkippedLines::Empty, LineRule::Floats(FloatRule { mode, most }))
}

pub(super) const fn near(unit: Unit) -> Row {
    read(unit, Reading::Pairs)
}

/// The words in any order.
pub(super) const UNORDERED: Row =
    Row::Tokens(TokenRow { blanks: Blanks::Six, order: Order::Any, skips_mark: false, ..WORDS });

pub(super) const RIGHT_STRIPPED_FULL: Row = lines(SkippedLines::Empty, LineRule::RightStripped);

const TO_1_5E_6: NumberRule = NumberRule::Absolute(1.5e-6);

/// `float=E` has no row, since it has no error without its argument.
pub(super) const ROWS: [(&str, Row); 35] = [
    ("words", read(Unit::Word, Reading::Pairs)),
    ("lines", Row::TestlibLines(LineRule::Words)),
    ("tokens", Row::Validator(Strictness::Tokens)),
    ("exact", Row::Validator(Strictness::Bytes)),
    ("none", Row::Nothing),
    ("json", Row::Value(ValueRule { tolerance: None, any_order: false, boxed: false })),
    // testlib
    ("wcmp", read(Unit::Word, Reading::Pairs)),
    ("lcmp", Row::TestlibLines(LineRule::Words)),
    ("fcmp", Row::TestlibLines(LineRule::Bytes)),
    ("hcmp", read(Unit::HugeInteger, Reading::Only)),
    ("icmp", read(INT32, Reading::First)),
    ("ncmp", read(INT64, Reading::PairsAndRest)),
    (
        "uncmp",
        Row::Tokens(TokenRow { unit: INT64, order: Order::Any, reading: Reading::Whole, ..WORDS }),
    ),
    ("yesno", read(Unit::YesNo, Reading::FirstAfterOutput)),
    ("nyesno", read(Unit::YesNo, Reading::Pairs)),
    ("acmp", number(TO_1_5E_6, Reading::First)),
    ("rcmp", number(TO_1_5E_6, Reading::First)),
    ("dcmp", number(NumberRule::AbsoluteOrRelative(1e-6), Reading::First)),
    ("rcmp4", number(NumberRule::AbsoluteOrRelative(1e-4), Reading::Answer)),
    ("rcmp6", number(NumberRule::AbsoluteOrRelative(1e-6), Reading::Answer)),
    ("rcmp9", number(NumberRule::AbsoluteOrRelative(1e-9), Reading::Answer)),
    ("rncmp", number(NumberRule::Absolute(1.5e-5), Reading::Answer)),
    ("caseicmp", read(INT64, Reading::WholeCases)),
    ("casencmp", Row::Cases(INT64)),
    ("casewcmp", Row::Cases(Unit::Word)),
    // DMOJ
    ("standard", lines(SkippedLines::Blank, LineRule::Words)),
    ("identical", Row::Validator(Strictness::Bytes)),
    (
        "sorted",
        Row::Lines(LineRow {
            skipped: SkippedLines::Empty,
            rule: LineRule::Words,
            order: Order::Any,
        }),
    ),
    ("unordered", UNORDERED),
    ("linecount", lines(SkippedLines::Empty, LineRule::Stripped)),
    ("easy", Row::Letters),
    ("floats", floats(ErrorMode::Either, 1e-6)),
    ("floatsabs", floats(ErrorMode::Absolute, 1e-6)),
    ("floatsrel", floats(ErrorMode::Relative, 1e-6)),
    ("rstripped", lines(SkippedLines::None, LineRule::RightStripped)),
];
