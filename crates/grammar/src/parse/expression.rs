//! Variables, expressions and tests.

use crate::arithmetic;
use crate::ast::{Compare, Expr, ExprKind, Operator, VarRef};
use crate::parse::{ParseFault, Parser, ParserResult};
use crate::source::Span;
use crate::token::TokenKind;
use crate::value::Value;
use crate::work::{TOO_MUCH_COMPUTED, operator_steps};

const VALUE_HELP: &str =
    "a value is a number, a string, a variable, STRLEN(...) or an expression in brackets";

const TEST_HELP: &str = "a test compares two values, or is MATCH, ISEOF, UNIQUE or INARRAY; tests are joined by !, && and ||";

impl Parser {
    fn variable_index(&mut self, form: &str) -> ParserResult<usize> {
        let TokenKind::Name(name) = self.peek().clone() else {
            return self.expected("a variable", &format!("the form is {form}"));
        };
        let slot = self.compiler.variable_index(name);
        self.at += 1;
        Ok(slot)
    }

    pub(super) fn variable(&mut self, form: &str) -> ParserResult<VarRef> {
        let start = self.span();
        let slot = self.variable_index(form)?;
        let mut indices = Vec::new();
        if self.take_sign("[") {
            indices.push(self.expr()?);
            while self.take_sign(",") {
                indices.push(self.expr()?);
            }
            self.expect_sign("]", "name[index, ...]")?;
        }
        Ok(VarRef { variable: slot, indices, span: start.to(self.last_span()) })
    }

    pub(super) fn variables_without_indices(&mut self, form: &str) -> ParserResult<Vec<usize>> {
        let mut slots = Vec::new();
        loop {
            slots.push(self.variable_index(form)?);
            if self.is_sign("[") {
                return self.expected(
                    "a variable without index",
                    "the command takes the whole variable: leave the index out",
                );
            }
            if !self.take_sign(",") {
                return Ok(slots);
            }
        }
    }

    pub(super) fn expr(&mut self) -> ParserResult<Expr> {
        self.nested(|parser| parser.chain(&[Operator::Add, Operator::Sub], Self::term))
    }

    fn term(&mut self) -> ParserResult<Expr> {
        self.chain(&[Operator::Mul, Operator::Div, Operator::Rem], Self::factor)
    }

    /// Left-associative.
    fn chain(
        &mut self,
        operators: &[Operator],
        operand: fn(&mut Self) -> ParserResult<Expr>,
    ) -> ParserResult<Expr> {
        let mut left = operand(self)?;
        let mut operands = 1;
        while let Some(op) = operators.iter().find(|op| self.take_sign(op.name())) {
            operands += 1;
            self.check_operands(operands)?;
            let right = operand(self)?;
            left = self.binary(*op, left, right)?;
        }
        Ok(left)
    }

    fn bracketed<T>(
        &mut self,
        form: &str,
        inner: impl FnOnce(&mut Self) -> ParserResult<T>,
    ) -> ParserResult<T> {
        self.at += 1;
        self.expect_sign("(", form)?;
        let inner = inner(self)?;
        self.expect_sign(")", form)?;
        Ok(inner)
    }

    /// A sign binds weaker than a power: `-2^2` is `-4`.
    fn factor(&mut self) -> ParserResult<Expr> {
        let start = self.span();
        if self.take_sign("-") {
            let inner = self.nested(Self::factor)?;
            let span = start.to(inner.span);
            let kind = match inner.constant().map(arithmetic::negate) {
                Some(Ok(value)) => ExprKind::Const(value),
                Some(Err(message)) => return Err(constant_fault(span, message)),
                None => ExprKind::Neg(Box::new(inner)),
            };
            return Ok(Expr { kind, span });
        }
        let base = self.primary()?;
        if self.take_sign("^") {
            // Right-associative: `2^3^2` is `2^9`.
            let exponent = self.nested(Self::factor)?;
            self.binary(Operator::Pow, base, exponent)
        } else {
            Ok(base)
        }
    }

    fn primary(&mut self) -> ParserResult<Expr> {
        let start = self.span();
        let value = |value: Value| ExprKind::Const(value);
        let kind = match self.peek().clone() {
            TokenKind::Int(int) => value(Value::Int(int)),
            TokenKind::Float(float) => value(arithmetic::float_value(float)),
            TokenKind::Text(text) => value(Value::text(text)),
            TokenKind::Name(_) => {
                let name = self.variable("name[index, ...]")?;
                let span = name.span;
                return Ok(Expr { kind: ExprKind::Var(name), span });
            }
            TokenKind::Word(word) if word == "STRLEN" => {
                let inner = self.bracketed("STRLEN(str)", Self::expr)?;
                let kind = match inner.constant() {
                    Some(Value::Text(text)) => {
                        value(Value::from(i64::try_from(text.len()).unwrap_or(i64::MAX)))
                    }
                    Some(other) => {
                        let message = format!("STRLEN of {}, which is not a string", other.kind());
                        return Err(constant_fault(inner.span, message));
                    }
                    None => ExprKind::Strlen(Box::new(inner)),
                };
                return Ok(Expr { kind, span: start.to(self.last_span()) });
            }
            TokenKind::Sign("(") => {
                self.at += 1;
                let inner = self.expr()?;
                if !self.take_sign(")") {
                    return self.expected("`)`", "close the bracket, or put an operator");
                }
                return Ok(Expr { span: start.to(self.last_span()), ..inner });
            }
            _ => return self.expected("a value", VALUE_HELP),
        };
        self.at += 1;
        Ok(Expr { kind, span: start })
    }

    pub(super) fn test(&mut self) -> ParserResult<Expr> {
        self.nested(|parser| parser.test_chain("||", ExprKind::Or, Self::conjunction))
    }

    fn conjunction(&mut self) -> ParserResult<Expr> {
        self.test_chain("&&", ExprKind::And, Self::single_test)
    }

    fn test_chain(
        &mut self,
        sign: &str,
        kind: fn(Box<Expr>, Box<Expr>) -> ExprKind,
        part: fn(&mut Self) -> ParserResult<Expr>,
    ) -> ParserResult<Expr> {
        let mut left = part(self)?;
        let mut operands = 1;
        while self.take_sign(sign) {
            operands += 1;
            self.check_operands(operands)?;
            let right = part(self)?;
            let span = left.span.to(right.span);
            left = Expr { kind: kind(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn single_test(&mut self) -> ParserResult<Expr> {
        let start = self.span();
        if self.take_sign("!") {
            let inner = self.nested(Self::single_test)?;
            let span = start.to(inner.span);
            return Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span });
        }
        if self.is_sign("(") {
            return self.bracket();
        }
        let kind = match self.peek().clone() {
            TokenKind::Word(word) => match &*word {
                "STRLEN" => return self.comparison(),
                "ISEOF" => {
                    self.at += 1;
                    ExprKind::IsEof { question: self.compiler.add_question() }
                }
                "MATCH" => {
                    let set = self.bracketed("MATCH(str)", Self::expr)?;
                    if let Some(value) = set.constant()
                        && !matches!(value, Value::Text(_))
                    {
                        let message = format!("MATCH of {}, which is not a string", value.kind());
                        return Err(constant_fault(set.span, message));
                    }
                    ExprKind::Match { set: Box::new(set), question: self.compiler.add_question() }
                }
                "UNIQUE" => {
                    let form = "UNIQUE(a, ...)";
                    ExprKind::Unique(self.bracketed(form, |it| it.variables_without_indices(form))?)
                }
                "INARRAY" => {
                    let form = "INARRAY(value, a)";
                    self.bracketed(form, |parser| {
                        let value = parser.expr()?;
                        parser.expect_sign(",", form)?;
                        Ok(ExprKind::InArray {
                            value: Box::new(value),
                            variable: parser.variable_index(form)?,
                        })
                    })?
                }
                _ => return self.expected("a test", TEST_HELP),
            },
            _ => return self.comparison(),
        };
        Ok(Expr { kind, span: start.to(self.last_span()) })
    }

    /// An opening bracket may begin a test or an expression. Of the two faults, the later one is reported.
    fn bracket(&mut self) -> ParserResult<Expr> {
        let start = self.at;
        let comparison_fault = match self.comparison() {
            Ok(test) => return Ok(test),
            Err(fault) => fault,
        };
        self.at = start + 1;
        let test = self.test().and_then(|test| {
            if self.take_sign(")") {
                Ok(test)
            } else {
                self.expected("`)`", "close the bracket, or go on with `&&` or `||`")
            }
        });
        test.map_err(|fault| {
            if fault.span.start >= comparison_fault.span.start { fault } else { comparison_fault }
        })
    }

    fn comparison(&mut self) -> ParserResult<Expr> {
        let left = self.expr()?;
        let Some(op) = Compare::ALL.into_iter().find(|op| self.take_sign(op.name())) else {
            let help = if self.is_sign("=") {
                "equality is written `==`"
            } else {
                "compare with <, >, <=, >=, == or !="
            };
            return self.expected("a comparison", help);
        };
        let right = self.expr()?;
        let span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(Expr { kind: ExprKind::Compare { op, left, right }, span })
    }
}

impl Parser {
    /// Computes the value if both sides are constant.
    fn binary(&self, op: Operator, left: Expr, right: Expr) -> ParserResult<Expr> {
        let span = left.span.to(right.span);
        let kind = match (left.constant(), right.constant()) {
            (Some(a), Some(b)) => {
                let too_much = |_| constant_fault(span, TOO_MUCH_COMPUTED.to_owned());
                self.work.add_operation(operator_steps(op, a, b)).map_err(too_much)?;
                let value = arithmetic::apply_operator(op, a, b);
                let value = value.map_err(|message| constant_fault(span, message))?;
                self.work.add(value.bits_if_big()).map_err(too_much)?;
                ExprKind::Const(value)
            }
            _ => ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) },
        };
        Ok(Expr { kind, span })
    }
}

fn constant_fault(span: Span, message: String) -> ParseFault {
    ParseFault { span, message, help: "correct the expression".to_owned() }
}
