//! The bytes that may come next in an input at each instruction, as far as this is known without a run.

use crate::grammar::ast::{Expr, ExprKind};
use crate::grammar::bytes::ByteSet;
use crate::grammar::program::{Grammar, Op, PatternSource};
use crate::grammar::value::Value;

/// For each instruction, the bytes that may come next, and whether the end may. The set is never too small.
pub(super) fn analyse(grammar: &Grammar) -> Vec<ByteSet> {
    let own: Vec<Own> = grammar.steps.iter().map(own).collect();
    let mut first = vec![ByteSet::NONE; grammar.steps.len()];
    loop {
        let mut changed = false;
        for at in (0..first.len()).rev() {
            let of = |step: usize| first.get(step).copied().unwrap_or(ByteSet::END);
            let branch = |test: &Expr, yes: ByteSet, no: ByteSet| {
                yes.and(&may_follow(test, true)).or(&no.and(&may_follow(test, false)))
            };
            let set = match &grammar.steps[at] {
                Op::Branch { test, otherwise } => branch(test, of(at + 1), of(*otherwise)),
                Op::Jump(to) | Op::Back { to } => of(*to),
                Op::Next { test, body, exit, .. } => {
                    let inside = of(at + 1).or(&of(*body));
                    match test {
                        None => inside.or(&of(*exit)),
                        Some(test) => branch(test, inside, of(*exit)),
                    }
                }
                _ if own[at].may_be_empty => own[at].set.or(&of(at + 1)),
                _ => own[at].set,
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

/// The bytes that an instruction itself can begin with.
struct Own {
    set: ByteSet,
    may_be_empty: bool,
}

fn own(step: &Op) -> Own {
    let reads = |set: ByteSet| Own { set, may_be_empty: false };
    let maybe = |set: ByteSet| Own { set, may_be_empty: true };
    match step {
        Op::Byte(byte) => reads(ByteSet::of(&[*byte])),
        Op::Literal(text) if !text.is_empty() => reads(ByteSet::of(&text[..1])),
        Op::Text(_) | Op::Regex { pattern: PatternSource::Computed(_), .. } => maybe(ByteSet::ALL),
        Op::Regex { pattern: PatternSource::Known(pattern), .. } => {
            Own { set: pattern.first(), may_be_empty: pattern.matches_nothing() }
        }
        Op::Eof => reads(ByteSet::END),
        Op::Int { min, .. } if is_at_least_zero(min) => reads(ByteSet::of(b"0123456789")),
        Op::Int { .. } | Op::Float { .. } => reads(ByteSet::of(b"-0123456789")),
        _ => maybe(ByteSet::NONE),
    }
}

fn is_at_least_zero(expr: &Expr) -> bool {
    matches!(expr.constant(), Some(Value::Int(value)) if !value.is_negative())
}

/// The bytes that may come next if the test holds, or if it does not.
pub(super) fn may_follow(test: &Expr, holds: bool) -> ByteSet {
    let either = |set: ByteSet| if holds { set } else { set.not() };
    match &test.kind {
        ExprKind::Match { set, .. } => match set.constant() {
            Some(Value::Text(text)) => either(ByteSet::of(text)),
            _ if holds => ByteSet::END.not(),
            _ => ByteSet::ALL,
        },
        ExprKind::IsEof { .. } => either(ByteSet::END),
        ExprKind::Not(inner) => may_follow(inner, !holds),
        ExprKind::And(left, right) if holds => may_follow(left, true).and(&may_follow(right, true)),
        ExprKind::Or(left, right) if !holds => {
            may_follow(left, false).and(&may_follow(right, false))
        }
        ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            may_follow(left, holds).or(&may_follow(right, holds))
        }
        _ => ByteSet::ALL,
    }
}
