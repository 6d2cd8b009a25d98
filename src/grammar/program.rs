//! A compiled grammar: a flat list of steps, with known facts about each.

use std::sync::Arc;

use crate::grammar::ast::{Expr, Notation, VarRef};
use crate::grammar::bytes::ByteSet;
use crate::grammar::pattern::Pattern;
use crate::grammar::source::{Source, Span};
use crate::grammar::work::WorkLimits;
use crate::model::limits::ProblemLimits;

/// A parsed and compiled grammar.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub source: Source,
    pub(super) steps: Vec<Op>,
    /// The place of each step in the text.
    pub(super) spans: Vec<Span>,
    /// The commands that read a value, in the order of the text.
    pub sites: Vec<Site>,
    /// `MATCH` and `ISEOF`.
    pub(super) questions: Vec<Lookahead>,
    pub(super) loops: Vec<LoopSite>,
    pub(super) slots: Vec<Slot>,
    /// For each step, the bytes that may come next.
    pub(super) first: Vec<ByteSet>,
    pub limits: WorkLimits,
}

/// One step.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// `SPACE`, `NEWLINE`, `STRING("x")`.
    Byte(u8),
    /// `STRING("...")`.
    Literal(Arc<Vec<u8>>),
    /// `STRING(variable)`.
    Text(Expr),
    Eof,
    Int {
        site: usize,
        min: Expr,
        max: Expr,
        name: Option<VarRef>,
    },
    Float {
        site: usize,
        min: Expr,
        max: Expr,
        /// The least and the greatest number of decimals, for `FLOATP`.
        decimals: Option<[Expr; 2]>,
        notation: Notation,
        name: Option<VarRef>,
    },
    Regex {
        site: usize,
        pattern: PatternSource,
        name: Option<VarRef>,
    },
    Assert(Expr),
    Set(Vec<(VarRef, Expr)>),
    Unset(Vec<usize>),
    /// Goes to `otherwise` unless the test holds.
    Branch {
        test: Expr,
        otherwise: usize,
    },
    Jump(usize),
    /// Begins a loop; the next step is its `Next`.
    Enter {
        id: usize,
        count: Option<Expr>,
    },
    /// Decides whether there is another iteration.
    Next {
        id: usize,
        /// The condition; without one, the count decides.
        test: Option<Expr>,
        counter: Option<VarRef>,
        /// The step after the separator.
        body: usize,
        /// The step after the loop.
        exit: usize,
    },
    /// Ends an iteration; `to` is the loop's `Next`.
    Back {
        to: usize,
    },
}

impl Op {
    /// The test of the step, if it has one.
    pub(super) fn test(&self) -> Option<&Expr> {
        match self {
            Self::Assert(test) | Self::Branch { test, .. } => Some(test),
            Self::Next { test, .. } => test.as_ref(),
            _ => None,
        }
    }

    /// Calls `see` for the expressions that the step computes, except indices of variables that it assigns.
    pub(super) fn expressions(&self, see: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Int { min, max, .. } => [min, max].into_iter().for_each(see),
            Self::Float { min, max, decimals, .. } => {
                [min, max].into_iter().chain(decimals.iter().flatten()).for_each(see);
            }
            Self::Text(expr)
            | Self::Enter { count: Some(expr), .. }
            | Self::Regex { pattern: PatternSource::Computed(expr), .. } => see(expr),
            Self::Set(assignments) => assignments.iter().for_each(|(_, value)| see(value)),
            _ => self.test().into_iter().for_each(see),
        }
    }
}

/// The source of a regular expression: known in advance, or the value of an expression.
#[derive(Clone, Debug)]
pub(super) enum PatternSource {
    Known(Arc<Pattern>),
    Computed(Expr),
}

/// A command that reads a value.
#[derive(Clone, Debug)]
pub struct Site {
    /// Whether it reads a number, not text.
    pub is_number: bool,
    /// The variable as written, such as `a[i]`; if there is none, the command.
    pub label: String,
    pub(super) slot: Option<usize>,
    pub span: Span,
    /// The loops around it, from outside.
    pub(super) loops: Vec<usize>,
    pub(super) step: usize,
    /// Whether its value is a number of iterations.
    pub is_count: bool,
    /// Whether it is the number of test cases: the count of an outermost loop with a loop inside.
    pub is_case_count: bool,
    /// The variables of its UNIQUE, if values of the variable must differ.
    pub(super) unique: Option<Vec<usize>>,
}

/// A loop of the grammar.
#[derive(Clone, Debug)]
pub(super) struct LoopSite {
    pub span: Span,
    /// The variables of its count, without those in indices.
    pub count_slots: Vec<usize>,
    /// Whether its iterations are test cases: it is outermost, and the count of an inner loop is read in it.
    pub is_cases: bool,
}

/// A question about what comes next: `MATCH` or `ISEOF`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookahead {
    /// Whether its answer is that of the test around it, not the opposite.
    pub is_positive: bool,
    pub of_loop: Option<usize>,
    /// Whether it is in an ASSERT.
    pub is_asserted: bool,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub name: String,
    /// Whether its values are ever used.
    pub is_read: bool,
    /// Whether its values are looked up, so that they must be counted.
    pub is_counted: bool,
}

impl Grammar {
    /// The same with the limits that a problem sets for validators.
    #[must_use]
    pub fn limited(self, limits: &ProblemLimits) -> Self {
        Self { limits: WorkLimits::of(limits), ..self }
    }
}
