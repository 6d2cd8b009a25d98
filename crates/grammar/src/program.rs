//! A compiled grammar: a flat list of instructions, with known facts about each.

use std::sync::Arc;

use crate::ast::{Expr, Notation, VarRef};
use crate::bytes::ByteSet;
use crate::pattern::Pattern;
use crate::source::{Source, Span};
use crate::work::WorkLimits;
use juror_core::limits::ProblemLimits;

/// A grammar, ready for use.
#[derive(Clone, Debug)]
pub struct Grammar {
    #[doc(hidden)]
    pub source: Source,
    pub(super) instructions: Vec<Instruction>,
    pub(super) spans: Vec<Span>,
    /// In the order of the text.
    #[doc(hidden)]
    pub sites: Vec<Site>,
    /// `MATCH` and `ISEOF`.
    pub(super) questions: Vec<Lookahead>,
    pub(super) loops: Vec<LoopSite>,
    pub(super) variables: Vec<Variable>,
    /// For each instruction, the bytes that may come next.
    pub(super) first_bytes: Vec<ByteSet>,
    #[doc(hidden)]
    pub limits: WorkLimits,
}

#[derive(Clone, Debug)]
pub(super) enum Instruction {
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
        /// For `FLOATP`.
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
    /// Begins a loop; the next instruction is its `NextIteration`.
    BeginLoop {
        id: usize,
        count: Option<Expr>,
    },
    /// Decides whether there is another iteration.
    NextIteration {
        id: usize,
        /// If `None`, the count decides.
        test: Option<Expr>,
        counter: Option<VarRef>,
        /// The instruction after the separator.
        body: usize,
        /// The instruction after the loop.
        exit: usize,
    },
    /// Ends an iteration; `to` is the loop's `NextIteration`.
    EndIteration {
        to: usize,
    },
}

impl Instruction {
    pub(super) fn test(&self) -> Option<&Expr> {
        match self {
            Self::Assert(test) | Self::Branch { test, .. } => Some(test),
            Self::NextIteration { test, .. } => test.as_ref(),
            _ => None,
        }
    }

    /// The tests that must all hold, if it is an ASSERT.
    pub(super) fn demands(&self) -> Vec<&Expr> {
        match self {
            Self::Assert(test) => test.conjuncts(),
            _ => Vec::new(),
        }
    }

    /// Calls `see` for all expressions that the instruction computes, except indices of variables that it assigns.
    pub(super) fn expressions(&self, see: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Int { min, max, .. } => [min, max].into_iter().for_each(see),
            Self::Float { min, max, decimals, .. } => {
                [min, max].into_iter().chain(decimals.iter().flatten()).for_each(see);
            }
            Self::Text(expr)
            | Self::BeginLoop { count: Some(expr), .. }
            | Self::Regex { pattern: PatternSource::Computed(expr), .. } => see(expr),
            Self::Set(assignments) => assignments.iter().for_each(|(_, value)| see(value)),
            _ => self.test().into_iter().for_each(see),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum PatternSource {
    Known(Arc<Pattern>),
    Computed(Expr),
}

/// A command that reads a value. Its roles are known once the whole grammar was read.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub is_number: bool,
    /// The variable as written, such as `a[i]`; if there is none, the command.
    pub label: String,
    pub(super) variable: Option<usize>,
    pub span: Span,
    /// From the outermost to the innermost.
    pub(super) loops: Vec<usize>,
    pub(super) instruction: usize,
    pub is_count: bool,
    /// Whether it is the number of test cases: the count of an outermost loop with a loop inside.
    pub is_case_count: bool,
    /// The variables of its UNIQUE, if values of the variable must differ.
    pub(super) unique: Option<Vec<usize>>,
    /// How it points to a node of a tree or graph, if it may.
    pub(super) pointer: Option<Pointer>,
    /// Whether it may be the number of nodes: it bounds pointers, and is not a count.
    pub(super) is_size: bool,
    pub(super) sum_limit: Option<Box<SumLimit>>,
}

/// How a value points to a node. Its greatest value depends on another variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    /// To an earlier node: its greatest value grows with the index.
    Parent,
    /// To any node.
    Next,
    /// One end of an edge; the other follows in the same iteration.
    EdgeBegin,
    /// The other end of an edge.
    EdgeEnd {
        /// The site of the first end.
        begin: usize,
        /// Whether the first end must be less.
        is_ordered: bool,
    },
}

/// A limit on the sum of what a site gives in each iteration of its innermost loop.
#[derive(Clone, Debug)]
pub(super) struct SumLimit {
    /// The sum of the iterations before.
    pub sum: Expr,
    pub most: Expr,
    /// Whether the sum must stay below `most`.
    pub is_strict: bool,
    /// What the value is multiplied by in the sum.
    pub factor: Option<Expr>,
    /// What each iteration adds at least.
    pub least: i64,
    pub loop_id: usize,
}

#[derive(Clone, Debug)]
pub(super) struct LoopSite {
    pub span: Span,
    /// The variables of its count, without those in indices.
    pub count_variables: Vec<usize>,
    /// Whether its iterations are test cases: it is outermost, and the count of an inner loop is read in it.
    pub is_cases: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Lookahead {
    /// Whether its answer is that of the test around it, not the opposite.
    pub is_positive: bool,
    pub of_loop: Option<usize>,
    pub is_asserted: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub is_assigned: bool,
    /// Where it is read first.
    pub first_read: Option<Span>,
    /// Whether a test looks its values up, so that they must be counted.
    pub is_counted: bool,
}

impl Grammar {
    pub(super) fn first_bytes_at(&self, step: usize) -> ByteSet {
        self.first_bytes.get(step).copied().unwrap_or(ByteSet::END)
    }

    /// Sets the limits of the problem's validators.
    #[doc(hidden)]
    #[must_use]
    pub fn with_limits(self, limits: &ProblemLimits) -> Self {
        Self { limits: WorkLimits::of(limits), ..self }
    }
}
