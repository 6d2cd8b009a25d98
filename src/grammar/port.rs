//! What a running grammar talks to: an input that is read, or one that is written.

use std::fmt;
use std::io;

use num_rational::BigRational;

use crate::grammar::ast::Notation;
use crate::grammar::bytes::ByteSet;
use crate::grammar::float::Quick;
use crate::grammar::number::Int;
use crate::grammar::pattern::Pattern;
use crate::grammar::source::Span;
use crate::grammar::vars::Vars;

/// Why a run ends before its end.
pub(super) struct Stop(pub(super) Box<Reason>);

/// Why a run ends before its end.
#[derive(Debug)]
pub(super) enum Reason {
    /// The input is not what the grammar says.
    Invalid(Mismatch),
    /// The grammar asks for something that cannot be.
    Fault(GrammarFault),
    /// The input cannot be read.
    Io(io::Error),
    /// Nothing can be written here that fits.
    Stuck(Stuck),
}

/// What was expected and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The message.
    pub message: String,
    /// Where, in bytes from the start of the input.
    pub offset: u64,
    /// How many bytes are meant.
    pub length: usize,
    /// The command.
    pub span: Span,
}

/// A fault of the grammar that shows when it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GrammarFault {
    pub message: String,
    pub help: String,
    pub span: Span,
}

/// Why nothing can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stuck {
    /// In words.
    pub message: String,
    /// Whether another answer to a question about what comes next could help.
    pub by_question: bool,
}

impl Stop {
    pub(super) fn fault(span: Span, message: impl Into<String>, help: &str) -> Self {
        Self(Box::new(Reason::Fault(GrammarFault {
            message: message.into(),
            help: help.to_owned(),
            span,
        })))
    }

    pub(super) fn stuck(message: impl Into<String>, by_question: bool) -> Self {
        Self(Box::new(Reason::Stuck(Stuck { message: message.into(), by_question })))
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self(Box::new(Reason::Io(error)))
    }
}

/// What a float must be like.
#[derive(Clone, Debug)]
pub(super) struct FloatRules {
    pub min: BigRational,
    pub max: BigRational,
    /// At least and at most so many decimals, of `FLOATP`.
    pub decimals: Option<DecimalRange>,
    pub notation: Notation,
    /// The bounds for a quick comparison, if they allow one.
    pub quick: Option<Quick>,
}

/// How many decimals a float may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecimalRange {
    pub min: u32,
    pub max: u32,
}

/// What a running grammar talks to.
pub(super) trait Port {
    /// Fixed text.
    fn literal(&mut self, at: Span, text: &[u8]) -> Result<(), Stop>;
    /// A single fixed byte.
    fn byte(&mut self, at: Span, byte: u8) -> Result<(), Stop>;
    /// The end of the input.
    fn end(&mut self, at: Span) -> Result<(), Stop>;
    /// An integer from `min` to `max`.
    fn int(&mut self, at: Span, site: usize, bounds: [&Int; 2], vars: &Vars) -> Result<Int, Stop>;
    /// An integer between bounds of 64 bits.
    #[inline]
    fn small_int(
        &mut self,
        at: Span,
        site: usize,
        [min, max]: [i64; 2],
        vars: &Vars,
    ) -> Result<Int, Stop> {
        self.int(at, site, [&Int::Small(min), &Int::Small(max)], vars)
    }
    /// A float; its value only where it is wanted.
    fn float(
        &mut self,
        at: Span,
        site: usize,
        rules: &FloatRules,
        wanted: bool,
    ) -> Result<Option<BigRational>, Stop>;
    /// Text that a regular expression matches.
    fn regex(&mut self, at: Span, site: usize, pattern: &Pattern) -> Result<Vec<u8>, Stop>;
    /// Whether one of `set` comes next; the end of the input for `ISEOF`.
    fn question(&mut self, at: Span, number: usize, set: &ByteSet) -> Result<bool, Stop>;
    /// An assertion that does not hold.
    fn refuse(&mut self, at: Span, message: String) -> Stop;
    /// How much has been read or written, in bytes.
    fn offset(&self) -> u64;

    /// What follows the loops of the run.
    fn loops(&mut self) -> &mut impl Loops;
    /// Whether [`Port::before`] wants to be called.
    const CHOOSES: bool = false;
    /// A step that chooses is about to run.
    fn before(&mut self, _state: Before<'_>) {}
}

/// Follows the loops of a run.
pub(super) trait Loops {
    /// A loop begins; `count`, if it is known.
    fn enter(&mut self, _id: usize, _count: Option<u32>) {}
    /// An iteration begins, or the question whether there is one.
    #[inline]
    fn iteration(&mut self, _id: usize, _index: u64) {}
    /// A loop is left.
    fn leave(&mut self, _id: usize) {}
}

/// The state of a run before a step that chooses.
pub(super) struct Before<'a> {
    pub step: usize,
    pub loops: &'a [LoopState],
    /// What undoes later assignments.
    pub mark: usize,
    /// The index of the variable that is read, where it belongs to a UNIQUE of several.
    pub index: Option<Vec<Int>>,
}

/// A loop under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopState {
    pub id: usize,
    /// The iteration, from 0.
    pub index: u64,
    /// How many there will be, if that is known.
    pub count: Option<u32>,
    /// How much had been read when the last iteration began.
    pub offset: u64,
    /// How many iterations read nothing.
    pub idle: u32,
}
