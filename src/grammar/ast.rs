//! Expressions and tests of a grammar as they are written, each with its place.

use crate::grammar::source::Span;
use crate::grammar::value::Value;

/// An expression: a value, or a test, which is true or false.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal, or what literals come to.
    Const(Value),
    /// A variable.
    Var(VarRef),
    /// `-x`.
    Neg(Box<Expr>),
    /// `x + y` and the like.
    Binary {
        /// The operator.
        op: Operator,
        /// What stands left of it.
        left: Box<Expr>,
        /// What stands right of it.
        right: Box<Expr>,
    },
    /// `STRLEN(x)`.
    Strlen(Box<Expr>),
    /// `!t`
    Not(Box<Expr>),
    /// `t && u`
    And(Box<Expr>, Box<Expr>),
    /// `t || u`
    Or(Box<Expr>, Box<Expr>),
    /// `x < y` and the like.
    Compare {
        /// How.
        op: Compare,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `MATCH(str)`
    Match {
        /// The characters.
        set: Box<Expr>,
        /// Its number among the grammar's questions about what comes next.
        question: usize,
    },
    /// `ISEOF`
    IsEof {
        /// Its number among the grammar's questions about what comes next.
        question: usize,
    },
    /// `UNIQUE(a, b)`
    Unique(Vec<usize>),
    /// `INARRAY(x, a)`
    InArray {
        /// What is looked for.
        value: Box<Expr>,
        /// The variable that is looked through.
        slot: usize,
    },
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `^`
    Pow,
}

/// A variable, perhaps with indices.
#[derive(Clone, Debug, PartialEq)]
pub struct VarRef {
    /// Its number among the grammar's variables.
    pub slot: usize,
    /// What stands in brackets.
    pub indices: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// How a float must be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Either way.
    Any,
    /// `FIXED`: without an exponent.
    Fixed,
    /// `SCIENTIFIC`: with an exponent.
    Scientific,
}

impl Expr {
    /// The value of an expression without variables, if it is known.
    pub fn constant(&self) -> Option<&Value> {
        match &self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Calls `see` for it and every expression in it, those in indices too.
    pub fn each(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        match &self.kind {
            ExprKind::Const(_) | ExprKind::IsEof { .. } | ExprKind::Unique(_) => {}
            ExprKind::Var(name) => name.indices.iter().for_each(|index| index.each(see)),
            ExprKind::Neg(inner)
            | ExprKind::Strlen(inner)
            | ExprKind::Not(inner)
            | ExprKind::Match { set: inner, .. }
            | ExprKind::InArray { value: inner, .. } => inner.each(see),
            ExprKind::Binary { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::And(left, right)
            | ExprKind::Or(left, right) => {
                left.each(see);
                right.each(see);
            }
        }
    }

    /// Calls `see` for every variable in it, those in indices too.
    pub fn variables(&self, see: &mut dyn FnMut(&VarRef)) {
        self.each(&mut |expr| {
            if let ExprKind::Var(name) = &expr.kind {
                see(name);
            }
        });
    }

    /// Whether it asks what comes next in the input.
    pub fn asks(&self) -> bool {
        let mut asks = false;
        self.each(&mut |expr| {
            asks |= matches!(expr.kind, ExprKind::Match { .. } | ExprKind::IsEof { .. });
        });
        asks
    }
}

impl VarRef {
    /// Calls `see` for every variable in its indices.
    pub fn index_variables(&self, see: &mut dyn FnMut(&Self)) {
        self.indices.iter().for_each(|index| index.variables(see));
    }
}
