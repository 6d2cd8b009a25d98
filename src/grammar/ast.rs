//! Tests and expressions of a grammar as they are written, each with its place.

use crate::grammar::source::Span;
use crate::grammar::value::Value;

/// An expression.
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

/// Something that is true or false.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What it is.
    pub kind: TestKind,
    /// Where it stands.
    pub span: Span,
}

/// What a test is.
#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// `!t`
    Not(Box<Test>),
    /// `t && u`
    And(Box<Test>, Box<Test>),
    /// `t || u`
    Or(Box<Test>, Box<Test>),
    /// `x < y` and the like.
    Compare {
        /// How.
        op: Compare,
        /// What stands left of it.
        left: Expr,
        /// What stands right of it.
        right: Expr,
    },
    /// `MATCH(str)`
    Match {
        /// The characters.
        set: Expr,
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
        value: Expr,
        /// The variable that is looked through.
        slot: usize,
    },
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

/// How many decimals a float may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Decimals {
    /// At least.
    pub min: Expr,
    /// At most.
    pub max: Expr,
}

/// One assignment of `SET`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Where the value goes.
    pub name: VarRef,
    /// The value.
    pub value: Expr,
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

    /// Calls `see` for every variable in it, those in indices too.
    pub fn variables(&self, see: &mut dyn FnMut(&VarRef)) {
        match &self.kind {
            ExprKind::Const(_) => {}
            ExprKind::Var(name) => name.variables(see),
            ExprKind::Neg(inner) | ExprKind::Strlen(inner) => inner.variables(see),
            ExprKind::Binary { left, right, .. } => {
                left.variables(see);
                right.variables(see);
            }
        }
    }
}

impl VarRef {
    /// Calls `see` for it and every variable in its indices.
    pub fn variables(&self, see: &mut dyn FnMut(&VarRef)) {
        see(self);
        self.index_variables(see);
    }

    /// Calls `see` for every variable in its indices.
    pub fn index_variables(&self, see: &mut dyn FnMut(&VarRef)) {
        for index in &self.indices {
            index.variables(see);
        }
    }
}

impl Test {
    /// Calls `see` for every test in it, itself first.
    pub fn tests(&self, see: &mut dyn FnMut(&Test)) {
        see(self);
        match &self.kind {
            TestKind::Not(inner) => inner.tests(see),
            TestKind::And(left, right) | TestKind::Or(left, right) => {
                left.tests(see);
                right.tests(see);
            }
            _ => {}
        }
    }

    /// Calls `see` for every expression in it.
    pub fn expressions(&self, see: &mut dyn FnMut(&Expr)) {
        self.tests(&mut |test| match &test.kind {
            TestKind::Compare { left, right, .. } => {
                see(left);
                see(right);
            }
            TestKind::Match { set, .. } => see(set),
            TestKind::InArray { value, .. } => see(value),
            _ => {}
        });
    }

    /// Whether it asks what comes next in the input.
    pub fn asks(&self) -> bool {
        let mut asks = false;
        self.tests(&mut |test| {
            asks |= matches!(test.kind, TestKind::Match { .. } | TestKind::IsEof { .. });
        });
        asks
    }
}
