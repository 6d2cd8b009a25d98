//! The values of expressions and variables while a grammar runs.

use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::arithmetic;
use crate::ast::{Expr, ExprKind, Operator, VarRef};
use crate::number::Int;
use crate::port::RunStop;
use crate::run::Interpreter;
use crate::value::Value;
use crate::work;

impl Interpreter<'_> {
    /// The value of an expression of small integers; `None` if it has no value, or is more complex.
    #[inline]
    pub(super) fn eval_small(&self, expr: &Expr) -> Option<i64> {
        // Most bounds are constants.
        match &expr.kind {
            ExprKind::Const(Value::Int(Int::Small(value))) => Some(*value),
            _ => self.eval_small_computed(expr),
        }
    }

    fn eval_small_computed(&self, expr: &Expr) -> Option<i64> {
        self.work.add_unchecked(1);
        match &expr.kind {
            ExprKind::Var(name) => match self.lookup(name)? {
                Value::Int(Int::Small(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Neg(inner) => self.eval_small(inner)?.checked_neg(),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.eval_small(left)?, self.eval_small(right)?);
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
    fn lookup(&self, name: &VarRef) -> Option<&Value> {
        match &name.indices[..] {
            [] => self.vars.get(name.variable, &[]),
            [index] => self.vars.get_small(name.variable, self.eval_small(index)?),
            indices => {
                let indices: Option<Vec<Int>> =
                    indices.iter().map(|index| self.eval_small(index).map(Int::Small)).collect();
                self.vars.get(name.variable, &indices?)
            }
        }
    }

    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, RunStop> {
        match self.eval_small(expr) {
            Some(value) => Ok(Value::from(value)),
            None => self.eval_computed(expr),
        }
    }

    /// For a part of an expression that does not consist of small integers only: each part is tried once.
    fn eval_computed(&self, expr: &Expr) -> Result<Value, RunStop> {
        self.spend(1)?;
        let wrong = |message: String| {
            RunStop::fault(
                expr.span,
                message,
                "correct the expression, or ASSERT its requirements before it",
            )
        };
        match &expr.kind {
            ExprKind::Const(value) => {
                self.spend(work::value_steps(value))?;
                Ok(value.clone())
            }
            ExprKind::Var(name) => self.eval_variable(name),
            ExprKind::Neg(inner) => arithmetic::negate(&self.eval_computed(inner)?).map_err(wrong),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.eval_computed(left)?, self.eval_computed(right)?);
                self.spend_operation(work::operator_steps(*op, &left, &right))?;
                arithmetic::apply_operator(*op, &left, &right).map_err(wrong)
            }
            ExprKind::Strlen(inner) => {
                let text = self.eval_text(inner, "STRLEN")?;
                Ok(Value::from(text.len().to_i64().unwrap_or(i64::MAX)))
            }
            _ => Err(wrong("a test has no value".to_owned())),
        }
    }

    pub(super) fn eval_variable(&self, name: &VarRef) -> Result<Value, RunStop> {
        let index = self.eval_indices(name)?;
        match self.vars.get(name.variable, &index) {
            Some(value) => {
                self.spend(work::value_steps(value))?;
                Ok(value.clone())
            }
            None => {
                let shown = self.shown_variable(name.variable, &index);
                let message = format!("the variable `{shown}` has no value here");
                Err(RunStop::fault(name.span, message, "read or SET it before it is used"))
            }
        }
    }

    /// The name of a variable with its indices.
    pub(super) fn shown_variable(&self, slot: usize, index: &[Int]) -> String {
        let name = &self.grammar.variables[slot].name;
        let parts: Vec<String> = index.iter().map(Int::to_string).collect();
        if parts.is_empty() { name.clone() } else { format!("{name}[{}]", parts.join(",")) }
    }

    pub(super) fn eval_indices(&self, name: &VarRef) -> Result<Vec<Int>, RunStop> {
        name.indices.iter().map(|index| self.eval_int(index)).collect()
    }

    pub(super) fn eval_int(&self, expr: &Expr) -> Result<Int, RunStop> {
        if let Some(value) = self.eval_small(expr) {
            return Ok(Int::Small(value));
        }
        match self.eval_computed(expr)? {
            Value::Int(value) => Ok(value),
            other => Err(RunStop::wrong_type(expr.span, "an integer", &other)),
        }
    }

    pub(super) fn eval_text(&self, expr: &Expr, user: &str) -> Result<Arc<Vec<u8>>, RunStop> {
        match self.eval(expr)? {
            Value::Text(text) => Ok(text),
            other => Err(RunStop::wrong_type(expr.span, &format!("a string for {user}"), &other)),
        }
    }

    #[inline]
    pub(super) fn assign(&mut self, name: &VarRef, value: Value) -> Result<(), RunStop> {
        self.work.add_unchecked(work::value_steps(&value));
        match &name.indices[..] {
            [] => self.vars.set(name.variable, &[], value),
            [index] if let Some(index) = self.eval_small(index) => {
                self.vars.set(name.variable, &[Int::Small(index)], value);
            }
            _ => {
                let index = self.eval_indices(name)?;
                self.vars.set(name.variable, &index, value);
            }
        }
        if self.vars.is_full() {
            let message = format!("the variables hold more than {}", self.vars.limit());
            let help = "keep less, or UNSET what is not needed; `validation_memory` is the limit";
            return Err(RunStop::fault(name.span, message, help));
        }
        Ok(())
    }
}
