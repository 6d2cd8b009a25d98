//! The bytes that may come next in an input at each instruction, as far as this is known without a run.

use crate::ast::{Expr, ExprKind};
use crate::bytes::ByteSet;
use crate::program::{Grammar, Instruction, PatternSource};
use crate::value::Value;

/// For each instruction, the bytes that may come next, and whether the end may. The set is never too small.
pub(super) fn first_bytes_by_instruction(grammar: &Grammar) -> Vec<ByteSet> {
    let own: Vec<InstructionStart> = grammar.instructions.iter().map(instruction_start).collect();
    let mut first = vec![ByteSet::NONE; grammar.instructions.len()];
    loop {
        let mut changed = false;
        for at in (0..first.len()).rev() {
            let bytes_at = |step: usize| first.get(step).copied().unwrap_or(ByteSet::END);
            let branch = |test: &Expr, yes: ByteSet, no: ByteSet| {
                yes.and(&bytes_after_test(test, true)).or(&no.and(&bytes_after_test(test, false)))
            };
            let set = match &grammar.instructions[at] {
                Instruction::Branch { test, otherwise } => {
                    branch(test, bytes_at(at + 1), bytes_at(*otherwise))
                }
                Instruction::Jump(to) | Instruction::EndIteration { to } => bytes_at(*to),
                Instruction::NextIteration { test, body, exit, .. } => {
                    let inside = bytes_at(at + 1).or(&bytes_at(*body));
                    match test {
                        None => inside.or(&bytes_at(*exit)),
                        Some(test) => branch(test, inside, bytes_at(*exit)),
                    }
                }
                _ if own[at].may_be_empty => own[at].set.or(&bytes_at(at + 1)),
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
struct InstructionStart {
    set: ByteSet,
    may_be_empty: bool,
}

fn instruction_start(step: &Instruction) -> InstructionStart {
    let reads = |set: ByteSet| InstructionStart { set, may_be_empty: false };
    let maybe = |set: ByteSet| InstructionStart { set, may_be_empty: true };
    match step {
        Instruction::Byte(byte) => reads(ByteSet::of(&[*byte])),
        Instruction::Literal(text) if !text.is_empty() => reads(ByteSet::of(&text[..1])),
        Instruction::Text(_) | Instruction::Regex { pattern: PatternSource::Computed(_), .. } => {
            maybe(ByteSet::ALL)
        }
        Instruction::Regex { pattern: PatternSource::Known(pattern), .. } => {
            InstructionStart { set: pattern.first_bytes(), may_be_empty: pattern.matches_empty() }
        }
        Instruction::Eof => reads(ByteSet::END),
        Instruction::Int { min, .. }
            if min.constant_int().is_some_and(|min| !min.is_negative()) =>
        {
            reads(ByteSet::of(b"0123456789"))
        }
        Instruction::Int { .. } | Instruction::Float { .. } => reads(ByteSet::of(b"-0123456789")),
        _ => maybe(ByteSet::NONE),
    }
}

/// The bytes that may come next if the test holds, or if it does not.
pub(super) fn bytes_after_test(test: &Expr, holds: bool) -> ByteSet {
    let either = |set: ByteSet| if holds { set } else { set.not() };
    match &test.kind {
        ExprKind::Match { set, .. } => match set.constant() {
            Some(Value::Text(text)) => either(ByteSet::of(text)),
            _ if holds => ByteSet::END.not(),
            _ => ByteSet::ALL,
        },
        ExprKind::IsEof { .. } => either(ByteSet::END),
        ExprKind::Not(inner) => bytes_after_test(inner, !holds),
        ExprKind::And(left, right) if holds => {
            bytes_after_test(left, true).and(&bytes_after_test(right, true))
        }
        ExprKind::Or(left, right) if !holds => {
            bytes_after_test(left, false).and(&bytes_after_test(right, false))
        }
        ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            bytes_after_test(left, holds).or(&bytes_after_test(right, holds))
        }
        _ => ByteSet::ALL,
    }
}
