//! Limits on sums over iterations: `SET(total = total + n) ASSERT(total <= 200000)`. A value leaves room for the least
//! values of all later iterations.

use crate::ast::{Compare, Expr, ExprKind, Operator, VarRef};
use crate::program::{Grammar, Instruction, PatternSource, SumLimit};
use crate::run::Interpreter;
use crate::strings;

/// The room for a value below a [`SumLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SumRoom {
    pub most: i64,
    /// Twice the mean of this value and all later ones.
    pub even: i64,
}

impl SumLimit {
    /// `None` if the sum is not known yet.
    pub(super) fn room(&self, run: &Interpreter<'_>) -> Option<SumRoom> {
        let state = run.loops.iter().find(|state| state.id == self.loop_id)?;
        let later = u64::from(state.count.unwrap_or(0)).saturating_sub(state.index + 1);
        let later = i64::try_from(later).ok()?;
        let left = run.eval_small(&self.most)?.checked_sub(run.eval_small(&self.sum)?)?;
        let spare = left.checked_sub(later.checked_mul(self.least)?)?;
        let spare = spare.checked_sub(i64::from(self.is_strict))?;
        let factor = match &self.factor {
            None => 1,
            Some(factor) => run.eval_small(factor)?.max(1),
        };
        let even = (spare.checked_sub(self.least)? / (later + 1)).checked_mul(2)?;
        let even = even.checked_add(self.least)?;
        Some(SumRoom { most: spare / factor, even: even.min(spare) / factor })
    }
}

/// Finds the sites whose sum has a limit.
pub(super) fn find_sum_limits(grammar: &mut Grammar) {
    // What an IF leaves out limits nothing, or adds nothing.
    let is_in_if = |at: usize| {
        grammar.instructions[..at].iter().any(|step| match step {
            Instruction::Branch { otherwise: end, .. } | Instruction::Jump(end) => *end > at,
            _ => false,
        })
    };
    let mut limits = Vec::new();
    for (_, step) in grammar.instructions.iter().enumerate().filter(|(at, _)| !is_in_if(*at)) {
        limits.extend(step.demands().into_iter().filter_map(variable_limit));
    }
    let mut sum_limits = Vec::new();
    let mut loops = Vec::new();
    for (at, step) in grammar.instructions.iter().enumerate() {
        match step {
            Instruction::BeginLoop { id, .. } => loops.push(*id),
            Instruction::EndIteration { .. } => _ = loops.pop(),
            Instruction::Set(assignments) if !is_in_if(at) => {
                for (name, value) in assignments {
                    let own = limits.iter().filter(|(variable, ..)| *variable == name.variable);
                    for (_, most, is_strict) in own {
                        let limit = (most, *is_strict);
                        sum_limits.extend(limited_sites(grammar, &loops, at, name, value, limit));
                    }
                }
            }
            _ => {}
        }
    }
    for (site, limit) in sum_limits {
        grammar.sites[site].sum_limit.get_or_insert_with(|| Box::new(limit));
    }
}

/// The variable without indices that a test limits, with the limit, and whether it must stay below that.
fn variable_limit(test: &Expr) -> Option<(usize, Expr, bool)> {
    let ExprKind::Compare { op, left, right } = &test.kind else { return None };
    let (sum, most, is_strict) = match op {
        Compare::Less | Compare::LessEqual => (left, right, *op == Compare::Less),
        Compare::Greater | Compare::GreaterEqual => (right, left, *op == Compare::Greater),
        Compare::Equal | Compare::NotEqual => return None,
    };
    // Also the sum and the next value: `total + n <= 100`.
    let sum = match &sum.kind {
        ExprKind::Binary { op: Operator::Add, left, .. } => left,
        _ => sum,
    };
    match &sum.kind {
        ExprKind::Var(VarRef { variable, indices, .. }) if indices.is_empty() => {
            Some((*variable, (**most).clone(), is_strict))
        }
        _ => None,
    }
}

/// The sites that an assignment such as `total = total + n * m` adds up, inside of these loops.
fn limited_sites(
    grammar: &Grammar,
    loops: &[usize],
    at: usize,
    name: &VarRef,
    value: &Expr,
    (most, is_strict): (&Expr, bool),
) -> Vec<(usize, SumLimit)> {
    let ExprKind::Binary { op: Operator::Add, left, right } = &value.kind else {
        return Vec::new();
    };
    let is_sum =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Var(other) if other.variable == name.variable);
    let (sum, added) = match (is_sum(left), is_sum(right)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return Vec::new(),
    };
    let Some(loop_id) = loops.last().copied() else { return Vec::new() };
    let factors: Vec<&Expr> = match &added.kind {
        ExprKind::Binary { op: Operator::Mul, left, right } => vec![left, right],
        _ => vec![added],
    };
    let site_of = |factor: &Expr| {
        let variable = match &factor.kind {
            ExprKind::Var(name) => name.variable,
            ExprKind::Strlen(text) => match &text.kind {
                ExprKind::Var(name) => name.variable,
                _ => return None,
            },
            _ => return None,
        };
        let is_this = |site: usize| {
            let site = &grammar.sites[site];
            site.variable == Some(variable) && site.loops == loops && site.instruction < at
        };
        (0..grammar.sites.len()).find(|site| is_this(*site))
    };
    let sites: Vec<Option<usize>> = factors.iter().map(|factor| site_of(factor)).collect();
    let least = factors.iter().zip(&sites).map(|(factor, site)| match site {
        Some(site) => least_value(grammar, *site),
        None => constant(factor),
    });
    // If values may be negative, later ones may make up for too large a sum.
    let least = least.map(|least| least.filter(|least| *least >= 0)).product::<Option<i64>>();
    let Some(least) = least else { return Vec::new() };
    let limit = |factor: Option<&Expr>| SumLimit {
        sum: (**sum).clone(),
        most: most.clone(),
        is_strict,
        factor: factor.cloned(),
        least,
        loop_id,
    };
    match (&*sites, &*factors) {
        ([Some(only)], _) => vec![(*only, limit(None))],
        ([Some(first), Some(second)], [one, other]) if first != second => {
            // The first one that is read is drawn as if the other were 1.
            let (first, second, known) =
                if first < second { (first, second, one) } else { (second, first, other) };
            vec![(*first, limit(None)), (*second, limit(Some(known)))]
        }
        ([Some(site), None], [_, known]) | ([None, Some(site)], [known, _]) => {
            vec![(*site, limit(Some(known)))]
        }
        _ => Vec::new(),
    }
}

/// The least value or length that a site always may have; `None` if it depends on others.
fn least_value(grammar: &Grammar, site: usize) -> Option<i64> {
    match &grammar.instructions[grammar.sites[site].instruction] {
        Instruction::Int { min, .. } => constant(min),
        Instruction::Regex { pattern: PatternSource::Known(pattern), .. } => {
            i64::try_from(strings::lengths(pattern.hir())[0]).ok()
        }
        _ => None,
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    expr.constant_int()?.to_small()
}
