//! Expressions and tests of a grammar as written, each with its place.

use crate::number::Int;
use crate::source::Span;
use crate::value::Value;
use juror_core::words::words;

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal, or the value of an expression of literals.
    Const(Value),
    Var(VarRef),
    /// `-x`.
    Neg(Box<Expr>),
    /// `x + y` and the like.
    Binary {
        op: Operator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `STRLEN(x)`.
    Strlen(Box<Expr>),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Compare {
        op: Compare,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Match {
        set: Box<Expr>,
        /// Its index among the grammar's questions about what comes next.
        question: usize,
    },
    /// `ISEOF`
    IsEof {
        /// Its index among the grammar's questions about what comes next.
        question: usize,
    },
    /// `UNIQUE(a, b)`
    Unique(Vec<usize>),
    /// `INARRAY(x, a)`
    InArray {
        value: Box<Expr>,
        variable: usize,
    },
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Operator {
        Add = "+",
        Sub = "-",
        Mul = "*",
        Div = "/",
        Rem = "%",
        Pow = "^",
    }
}

/// A variable, possibly with indices.
#[derive(Clone, Debug, PartialEq)]
pub struct VarRef {
    pub variable: usize,
    pub indices: Vec<Expr>,
    pub span: Span,
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Compare {
        Less = "<",
        LessEqual = "<=",
        Greater = ">",
        GreaterEqual = ">=",
        Equal = "==",
        NotEqual = "!=",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    Any,
    /// `FIXED`: without an exponent.
    Fixed,
    /// `SCIENTIFIC`: with an exponent.
    Scientific,
}

impl Expr {
    pub fn constant(&self) -> Option<&Value> {
        match &self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, if it is a constant one.
    pub fn constant_int(&self) -> Option<&Int> {
        match self.constant()? {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The parts of a test that must all hold: those between `&&`.
    pub fn conjuncts(&self) -> Vec<&Self> {
        let (mut parts, mut open) = (Vec::new(), vec![self]);
        while let Some(test) = open.pop() {
            match &test.kind {
                ExprKind::And(left, right) => open.extend([&**right, &**left]),
                _ => parts.push(test),
            }
        }
        parts
    }

    /// Calls `see` for the expression and every expression inside, including indices.
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

    /// Calls `see` for every variable inside, including those in indices.
    pub fn variables(&self, see: &mut dyn FnMut(&VarRef)) {
        self.each(&mut |expr| {
            if let ExprKind::Var(name) = &expr.kind {
                see(name);
            }
        });
    }

    /// Whether it has such a variable, also in indices.
    pub fn mentions(&self, is_wanted: impl Fn(&VarRef) -> bool) -> bool {
        let mut mentions = false;
        self.variables(&mut |name| mentions |= is_wanted(name));
        mentions
    }

    pub fn asks_about_input(&self) -> bool {
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
