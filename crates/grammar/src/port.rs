//! The interface between a running grammar and an input, which is read or written.
//!
//! A run calls its port, and the port looks at the run: what may be written depends on earlier values and on loops.

use num_rational::BigRational;

use crate::bytes::ByteSet;
use crate::float::FloatRules;
use crate::number::Int;
use crate::pattern::Pattern;
use crate::run::Interpreter;
use crate::source::Span;
use crate::value::Value;
use crate::work::WorkStop;

const TOO_MUCH: &str = "the grammar has more steps than its time allows";

pub(super) const TOO_MUCH_HELP: &str = "`validation_time` limits its steps, and they end here; loop less, compute with smaller numbers, or set a longer time";

#[derive(Debug)]
pub(super) struct RunStop(pub(super) Box<RunStopReason>);

#[derive(Debug)]
pub(super) struct RunStopReason {
    pub message: String,
    /// Unset if a run is stuck; its driver knows the command.
    pub span: Span,
    pub kind: RunStopKind,
}

#[derive(Debug)]
pub(super) enum RunStopKind {
    /// Where the input does not match the grammar, in bytes.
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
    TooMuchWork,
    Interrupted,
}

impl RunStop {
    fn new(span: Span, message: impl Into<String>, kind: RunStopKind) -> Self {
        Self(Box::new(RunStopReason { message: message.into(), span, kind }))
    }

    pub(super) fn invalid(span: Span, message: String, offset: usize, length: usize) -> Self {
        Self::new(span, message, RunStopKind::Invalid { offset, length })
    }

    pub(super) fn fault(span: Span, message: impl Into<String>, help: &str) -> Self {
        Self::new(span, message, RunStopKind::Fault { help: help.to_owned() })
    }

    pub(super) fn wrong_type(span: Span, wanted: &str, value: &Value) -> Self {
        let message = format!("{wanted} is needed here, and this is {}: {value}", value.kind());
        Self::fault(span, message, "the language converts nothing but integers to floats")
    }

    #[cold]
    pub(super) fn of_work(span: Span, stop: WorkStop) -> Self {
        match stop {
            WorkStop::TooMuchWork => Self::new(span, TOO_MUCH, RunStopKind::TooMuchWork),
            WorkStop::Interrupted => Self::new(span, "interrupted", RunStopKind::Interrupted),
        }
    }

    /// Nothing that fits can be written; see [`RunStopKind::Stuck`].
    pub(super) fn stuck(message: impl Into<String>, by_question: bool) -> Self {
        Self::new(Span::default(), message, RunStopKind::Stuck { by_question })
    }
}

/// A value; `None` if the grammar does not need it.
pub(super) type OptionalValue<T> = Result<Option<T>, RunStop>;

/// Reads or writes an input for a running grammar.
pub(super) trait Port {
    fn literal(&mut self, at: Span, text: &[u8]) -> Result<(), RunStop>;
    fn byte(&mut self, at: Span, byte: u8) -> Result<(), RunStop> {
        self.literal(at, &[byte])
    }
    fn end(&mut self, at: Span) -> Result<(), RunStop>;
    fn int(
        &mut self,
        site: usize,
        bounds: [&Int; 2],
        run: &Interpreter<'_>,
    ) -> Result<Int, RunStop>;
    #[inline]
    fn small_int(
        &mut self,
        site: usize,
        bounds: [i64; 2],
        run: &Interpreter<'_>,
    ) -> Result<Int, RunStop> {
        let [min, max] = bounds.map(Int::Small);
        self.int(site, [&min, &max], run)
    }
    /// Returns the value only if it is wanted.
    fn float(
        &mut self,
        site: usize,
        rules: &FloatRules,
        is_wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<BigRational>;
    /// Returns the text only if it is wanted.
    fn regex(
        &mut self,
        site: usize,
        pattern: &Pattern,
        is_wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<Vec<u8>>;
    /// Whether a byte of `set` comes next; for `ISEOF`, the end of the input.
    fn question(&mut self, number: usize, set: &ByteSet) -> Result<bool, RunStop>;
    fn assertion_fault(&mut self, at: Span, message: String) -> RunStop;
    /// Number of bytes read or written so far.
    fn offset(&self) -> usize;

    fn loops(&mut self) -> &mut impl LoopObserver;
    /// Whether [`Port::before_choice`] must be called.
    const CHOOSES: bool = false;
    fn before_choice(&mut self, _run: &Interpreter<'_>) {}
}

/// Follows the loops of a run.
pub(super) trait LoopObserver {
    /// `count` is `None` for a loop with a condition.
    fn enter(&mut self, _id: usize, _count: Option<u32>) {}
    /// An iteration begins, or the question whether there is one.
    #[inline]
    fn iteration(&mut self, _id: usize, _index: u64) {}
    fn leave(&mut self, _id: usize) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopState {
    pub id: usize,
    /// From 0.
    pub index: u64,
    /// `None` for a loop with a condition.
    pub count: Option<u32>,
    /// Number of bytes read when the last iteration began.
    pub offset: usize,
    /// Number of iterations in a row that read nothing.
    pub idle_iterations: u32,
}
