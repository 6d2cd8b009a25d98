//! The other side of a running grammar: an input that is read, or one that is written.

use std::ops::RangeInclusive;

use num_rational::BigRational;

use crate::grammar::ast::Notation;
use crate::grammar::bytes::ByteSet;
use crate::grammar::float::Quick;
use crate::grammar::number::Int;
use crate::grammar::pattern::Pattern;
use crate::grammar::run::Interpreter;
use crate::grammar::source::Span;
use crate::grammar::work::Over;

/// Why a run stops early.
#[derive(Debug)]
pub(super) struct Stop(pub(super) Box<Reason>);

/// Why a run stops early: the fault, and the command.
#[derive(Debug)]
pub(super) struct Reason {
    pub message: String,
    /// The command; if a run is stuck, its driver knows it.
    pub span: Span,
    pub kind: ReasonKind,
}

/// What is at fault.
#[derive(Debug)]
pub(super) enum ReasonKind {
    /// The input does not match the grammar at `offset`, for `length` bytes.
    Invalid {
        offset: usize,
        length: usize,
    },
    Fault {
        help: String,
    },
    /// Nothing that fits can be written here. If `by_question`, another answer to MATCH or ISEOF could help.
    Stuck {
        by_question: bool,
    },
    /// It is more work than allowed.
    TooMuch,
    Interrupted,
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

    /// The work must end here.
    #[cold]
    pub(super) fn over(span: Span, over: Over) -> Self {
        match over {
            Over::TooMuch => Self::new(span, TOO_MUCH, ReasonKind::TooMuch),
            Over::Interrupted => Self::new(span, "interrupted", ReasonKind::Interrupted),
        }
    }

    pub(super) fn stuck(message: impl Into<String>, by_question: bool) -> Self {
        Self::new(Span::default(), message, ReasonKind::Stuck { by_question })
    }
}

/// The fault of a grammar that takes too long.
const TOO_MUCH: &str = "the grammar has more steps than its time allows";
/// What its author can do.
pub(super) const TOO_MUCH_HELP: &str = "it is here when `validation_time` is over, which is counted in steps; loop less, compute with smaller numbers, or set a longer time";

/// Stops because nothing that fits can be written; see [`ReasonKind::Stuck`].
pub(super) fn stuck<T>(message: impl Into<String>, by_question: bool) -> Result<T, Stop> {
    Err(Stop::stuck(message, by_question))
}

/// The requirements on a float.
#[derive(Clone, Debug)]
pub(super) struct FloatRules {
    pub min: BigRational,
    pub max: BigRational,
    /// The least and the greatest number of decimals, for `FLOATP`.
    pub decimals: Option<RangeInclusive<u32>>,
    pub notation: Notation,
    /// The bounds in a form for fast comparison, if possible.
    pub quick: Option<Quick>,
}

/// A value, if it is needed.
pub(super) type IfWanted<T> = Result<Option<T>, Stop>;

/// Reads or writes an input for a running grammar.
pub(super) trait Port {
    /// Fixed text.
    fn literal(&mut self, at: Span, text: &[u8]) -> Result<(), Stop>;
    /// A single fixed byte.
    fn byte(&mut self, at: Span, byte: u8) -> Result<(), Stop> {
        self.literal(at, &[byte])
    }
    /// The end of the input.
    fn end(&mut self, at: Span) -> Result<(), Stop>;
    /// An integer from `min` to `max`.
    fn int(&mut self, site: usize, bounds: [&Int; 2], run: &Interpreter<'_>) -> Result<Int, Stop>;
    /// An integer between bounds of 64 bits.
    #[inline]
    fn small_int(
        &mut self,
        site: usize,
        bounds: [i64; 2],
        run: &Interpreter<'_>,
    ) -> Result<Int, Stop> {
        let [min, max] = bounds.map(Int::Small);
        self.int(site, [&min, &max], run)
    }
    /// A float; returns its value only if that is needed.
    fn float(
        &mut self,
        site: usize,
        rules: &FloatRules,
        wanted: bool,
        run: &Interpreter<'_>,
    ) -> IfWanted<BigRational>;
    /// Text that a regular expression matches; returns it only if that is needed.
    fn regex(
        &mut self,
        site: usize,
        pattern: &Pattern,
        wanted: bool,
        run: &Interpreter<'_>,
    ) -> IfWanted<Vec<u8>>;
    /// Whether a byte of `set` comes next; for `ISEOF`, the end of the input.
    fn question(&mut self, number: usize, set: &ByteSet) -> Result<bool, Stop>;
    /// Called if an assertion fails.
    fn refuse(&mut self, at: Span, message: String) -> Stop;
    /// Number of bytes read or written so far.
    fn offset(&self) -> usize;

    /// Receives the loops of the run.
    fn loops(&mut self) -> &mut impl Loops;
    /// Whether [`Port::before`] must be called.
    const CHOOSES: bool = false;
    /// Called before a step that makes a choice.
    fn before(&mut self, _run: &Interpreter<'_>) {}
}

/// Follows the loops of a run.
pub(super) trait Loops {
    /// A loop begins, with its `count` if that is known.
    fn enter(&mut self, _id: usize, _count: Option<u32>) {}
    /// An iteration begins, or the question whether there is one.
    #[inline]
    fn iteration(&mut self, _id: usize, _index: u64) {}
    /// A loop ends.
    fn leave(&mut self, _id: usize) {}
}

/// A running loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopState {
    pub id: usize,
    /// The iteration, from 0.
    pub index: u64,
    /// The number of iterations, if known.
    pub count: Option<u32>,
    /// Number of bytes read when the last iteration began.
    pub offset: usize,
    /// Number of iterations in a row that read nothing.
    pub idle: u32,
}
