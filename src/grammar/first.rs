//! What an input may go on with at each step, as far as it can be told without running.

use crate::grammar::ast::{Expr, ExprKind};
use crate::grammar::bytes::ByteSet;
use crate::grammar::program::{Grammar, Op, PatternSource};
use crate::grammar::value::Value;

/// For each step, the bytes that may come next, and whether the end may. It is never too small.
pub(super) fn analyse(grammar: &Grammar) -> Vec<ByteSet> {
    let own: Vec<Own> = grammar.steps.iter().map(own).collect();
    let mut first = vec![ByteSet::NONE; grammar.steps.len()];
    loop {
        let mut changed = false;
        for at in (0..first.len()).rev() {
            let of = |step: usize| first.get(step).copied().unwrap_or(ByteSet::END);
            let set = match &grammar.steps[at] {
                Op::Branch { test, otherwise } => {
                    of(at + 1).and(&if_true(test)).or(&of(*otherwise).and(&if_false(test)))
                }
                Op::Jump(to) | Op::Back { to } => of(*to),
                Op::Next { test, body, exit, .. } => {
                    let inside = of(at + 1).or(&of(*body));
                    match test {
                        None => inside.or(&of(*exit)),
                        Some(test) => {
                            inside.and(&if_true(test)).or(&of(*exit).and(&if_false(test)))
                        }
                    }
                }
                _ => {
                    if own[at].may_be_empty {
                        own[at].set.or(&of(at + 1))
                    } else {
                        own[at].set
                    }
                }
            };
            let set = set.or(&first[at]);
            changed |= set != first[at];
            first[at] = set;
        }
        if !changed {
            return first;
        }
    }
}

/// What a step itself can begin with.
struct Own {
    set: ByteSet,
    may_be_empty: bool,
}

fn own(step: &Op) -> Own {
    let reads = |set: ByteSet| Own { set, may_be_empty: false };
    match step {
        Op::Byte(byte) => reads(ByteSet::of(&[*byte])),
        Op::Literal(text) => match text.first() {
            Some(byte) => reads(ByteSet::of(&[*byte])),
            None => Own { set: ByteSet::NONE, may_be_empty: true },
        },
        Op::Text(_) => Own { set: ByteSet::ALL, may_be_empty: true },
        Op::Eof => reads(ByteSet::END),
        Op::Int { min, .. } | Op::Float { min, .. } => {
            let mut set = ByteSet::of(b"0123456789");
            if !is_at_least_zero(min) || matches!(step, Op::Float { .. }) {
                set.insert(b'-');
            }
            reads(set)
        }
        Op::Regex { pattern, .. } => match pattern {
            PatternSource::Known(pattern) => {
                Own { set: pattern.first(), may_be_empty: pattern.matches_nothing() }
            }
            PatternSource::Computed(_) => Own { set: ByteSet::ALL, may_be_empty: true },
        },
        _ => Own { set: ByteSet::NONE, may_be_empty: true },
    }
}

fn is_at_least_zero(expr: &Expr) -> bool {
    matches!(expr.constant(), Some(Value::Int(value)) if !value.is_negative())
}

/// What may come next where the test holds.
pub(super) fn if_true(test: &Expr) -> ByteSet {
    match &test.kind {
        ExprKind::Match { set, .. } => match set.constant() {
            Some(Value::Text(text)) => ByteSet::of(text),
            _ => ByteSet::ALL.and(&ByteSet::END.not()),
        },
        ExprKind::IsEof { .. } => ByteSet::END,
        ExprKind::Not(inner) => if_false(inner),
        ExprKind::And(left, right) => if_true(left).and(&if_true(right)),
        ExprKind::Or(left, right) => if_true(left).or(&if_true(right)),
        _ => ByteSet::ALL,
    }
}

/// What may come next where the test does not hold.
pub(super) fn if_false(test: &Expr) -> ByteSet {
    match &test.kind {
        ExprKind::Match { set, .. } => match set.constant() {
            Some(Value::Text(text)) => ByteSet::of(text).not(),
            _ => ByteSet::ALL,
        },
        ExprKind::IsEof { .. } => ByteSet::END.not(),
        ExprKind::Not(inner) => if_true(inner),
        ExprKind::And(left, right) => if_false(left).or(&if_false(right)),
        ExprKind::Or(left, right) => if_false(left).and(&if_false(right)),
        _ => ByteSet::ALL,
    }
}
