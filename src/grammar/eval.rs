//! The values of expressions and variables while a grammar runs.

use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::grammar::arithmetic;
use crate::grammar::ast::{Expr, ExprKind, Operator, VarRef};
use crate::grammar::number::Int;
use crate::grammar::port::Stop;
use crate::grammar::run::Interpreter;
use crate::grammar::source::Span;
use crate::grammar::value::Value;
use crate::grammar::work;

impl Interpreter<'_> {
    /// The value of an expression of small integers; `None` if it has no value, or is more complex.
    #[inline]
    pub(super) fn small(&self, expr: &Expr) -> Option<i64> {
        // Most bounds are constants.
        match &expr.kind {
            ExprKind::Const(Value::Int(Int::Small(value))) => Some(*value),
            _ => self.small_computed(expr),
        }
    }

    fn small_computed(&self, expr: &Expr) -> Option<i64> {
        self.work.note(1);
        match &expr.kind {
            ExprKind::Var(name) => match self.look(name)? {
                Value::Int(Int::Small(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Neg(inner) => self.small(inner)?.checked_neg(),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.small(left)?, self.small(right)?);
                match op {
                    Operator::Add => left.checked_add(right),
                    Operator::Sub => left.checked_sub(right),
                    Operator::Mul => left.checked_mul(right),
                    Operator::Div => left.checked_div(right),
                    Operator::Rem => left.checked_rem(right),
                    Operator::Pow => None,
                }
            }
            _ => None,
        }
    }

    #[inline]
    fn look(&self, name: &VarRef) -> Option<&Value> {
        match &name.indices[..] {
            [] => self.vars.get(name.slot, &[]),
            [index] => self.vars.at(name.slot, self.small(index)?),
            indices => {
                let indices: Option<Vec<Int>> =
                    indices.iter().map(|index| self.small(index).map(Int::Small)).collect();
                self.vars.get(name.slot, &indices?)
            }
        }
    }

    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, Stop> {
        match self.small(expr) {
            Some(value) => Ok(Value::from(value)),
            None => self.computed(expr),
        }
    }

    /// For a part of an expression that does not consist of small integers only: each part is tried once.
    fn computed(&self, expr: &Expr) -> Result<Value, Stop> {
        self.spend(1)?;
        let wrong = |message: String| {
            Stop::fault(
                expr.span,
                message,
                "correct the expression, or ASSERT its requirements before it",
            )
        };
        match &expr.kind {
            ExprKind::Const(value) => {
                self.spend(work::of_value(value))?;
                Ok(value.clone())
            }
            ExprKind::Var(name) => self.variable(name),
            ExprKind::Neg(inner) => arithmetic::negated(&self.computed(inner)?).map_err(wrong),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.computed(left)?, self.computed(right)?);
                self.begin(work::of_operator(*op, &left, &right))?;
                arithmetic::binary(*op, &left, &right).map_err(wrong)
            }
            ExprKind::Strlen(inner) => {
                let text = self.text(inner, "STRLEN")?;
                Ok(Value::from(text.len().to_i64().unwrap_or(i64::MAX)))
            }
            _ => Err(wrong("a test has no value".to_owned())),
        }
    }

    pub(super) fn variable(&self, name: &VarRef) -> Result<Value, Stop> {
        let index = self.index(name)?;
        match self.vars.get(name.slot, &index) {
            Some(value) => {
                self.spend(work::of_value(value))?;
                Ok(value.clone())
            }
            None => {
                let shown: Vec<String> = index.iter().map(Int::to_string).collect();
                let shown =
                    if shown.is_empty() { String::new() } else { format!("[{}]", shown.join(",")) };
                let message = format!(
                    "the variable `{}{shown}` has no value here",
                    self.grammar.slots[name.slot].name
                );
                Err(Stop::fault(name.span, message, "read or SET it before it is used"))
            }
        }
    }

    pub(super) fn index(&self, name: &VarRef) -> Result<Vec<Int>, Stop> {
        name.indices.iter().map(|index| self.int(index)).collect()
    }

    pub(super) fn int(&self, expr: &Expr) -> Result<Int, Stop> {
        if let Some(value) = self.small(expr) {
            return Ok(Int::Small(value));
        }
        match self.computed(expr)? {
            Value::Int(value) => Ok(value),
            other => Err(wrong_type(expr.span, "an integer", &other)),
        }
    }

    pub(super) fn text(&self, expr: &Expr, user: &str) -> Result<Arc<Vec<u8>>, Stop> {
        match self.eval(expr)? {
            Value::Text(text) => Ok(text),
            other => Err(wrong_type(expr.span, &format!("a string for {user}"), &other)),
        }
    }

    #[inline]
    pub(super) fn assign(&mut self, name: &VarRef, value: Value) -> Result<(), Stop> {
        self.work.note(work::of_value(&value));
        match &name.indices[..] {
            [] => self.vars.set(name.slot, &[], value),
            [index] if let Some(index) = self.small(index) => {
                self.vars.set(name.slot, &[Int::Small(index)], value);
            }
            _ => {
                let index = self.index(name)?;
                self.vars.set(name.slot, &index, value);
            }
        }
        if self.vars.is_full() {
            let message = format!("the variables hold more than {}", self.vars.most());
            let help = "keep less, or UNSET what is not needed; `validation_memory` is the limit";
            return Err(Stop::fault(name.span, message, help));
        }
        Ok(())
    }
}

pub(super) fn wrong_type(span: Span, wanted: &str, value: &Value) -> Stop {
    let message = format!("{wanted} is needed here, and this is {}: {value}", value.kind());
    Stop::fault(span, message, "the language converts nothing but integers to floats")
}
