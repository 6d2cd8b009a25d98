//! What a running grammar talks to: an input that is read, or one that is written.

use std::ops::RangeInclusive;

use num_rational::BigRational;

use crate::grammar::ast::Notation;
use crate::grammar::bytes::ByteSet;
use crate::grammar::float::Quick;
use crate::grammar::number::Int;
use crate::grammar::pattern::Pattern;
use crate::grammar::run::Interpreter;
use crate::grammar::source::Span;
use crate::grammar::vars::Vars;

/// Why a run ends before its end.
#[derive(Debug)]
pub(super) struct Stop(pub(super) Box<Reason>);

/// Why a run ends before its end: what is wrong, and at which command.
#[derive(Debug)]
pub(super) struct Reason {
    pub message: String,
    /// The command; of a run that is stuck the driver knows it.
    pub span: Span,
    pub kind: ReasonKind,
}

/// Who is at fault.
#[derive(Debug)]
pub(super) enum ReasonKind {
    /// The input does not match the grammar at `offset`, for `length` bytes.
    Invalid { offset: usize, length: usize },
    /// The grammar asks for something impossible.
    Fault { help: String },
    /// Nothing that fits can be written here. Another answer to MATCH or ISEOF could help if `by_question`.
    Stuck { by_question: bool },
}

impl Stop {
    fn new(span: Span, message: impl Into<String>, kind: ReasonKind) -> Self {
        Self(Box::new(Reason { message: message.into(), span, kind }))
    }

    pub(super) fn invalid(span: Span, message: String, offset: usize, length: usize) -> Self {
        Self::new(span, message, ReasonKind::Invalid { offset, length })
    }

    pub(super) fn fault(span: Span, message: impl Into<String>, help: &str) -> Self {
        Self::new(span, message, ReasonKind::Fault { help: help.to_owned() })
    }

    pub(super) fn stuck(message: impl Into<String>, by_question: bool) -> Self {
        Self::new(Span::default(), message, ReasonKind::Stuck { by_question })
    }
}

/// What a float must be like.
#[derive(Clone, Debug)]
pub(super) struct FloatRules {
    pub min: BigRational,
    pub max: BigRational,
    /// At least and at most so many decimals, of `FLOATP`.
    pub decimals: Option<RangeInclusive<u32>>,
    pub notation: Notation,
    /// The bounds for a quick comparison, if they allow one.
    pub quick: Option<Quick>,
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
    /// A float; its value only if it is wanted.
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
    fn offset(&self) -> usize;

    /// What follows the loops of the run.
    fn loops(&mut self) -> &mut impl Loops;
    /// Whether [`Port::before`] wants to be called.
    const CHOOSES: bool = false;
    /// A step that chooses is about to run.
    fn before(&mut self, _run: &Interpreter<'_>) {}
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

/// A loop under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopState {
    pub id: usize,
    /// The iteration, from 0.
    pub index: u64,
    /// How many there will be, if that is known.
    pub count: Option<u32>,
    /// How much had been read when the last iteration began, in bytes.
    pub offset: usize,
    /// How many iterations read nothing.
    pub idle: u32,
}
