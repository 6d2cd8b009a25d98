//! Finds the values that decide whether an instruction of a grammar can be satisfied.

use std::collections::BTreeSet;

use crate::ast::{Expr, ExprKind, VarRef};
use crate::program::{Grammar, Instruction};

/// For each instruction, the sites whose values decide whether it can be satisfied.
pub(super) fn dependents(grammar: &Grammar) -> Vec<BTreeSet<usize>> {
    let slots = &grammar.variables;
    // Maps each variable to the variables that its values depend on.
    let mut made_of: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); slots.len()];
    let mut add = |name: &VarRef, exprs: &[&Expr]| {
        for expr in exprs {
            expr.variables(&mut |used| {
                made_of[name.variable].insert(used.variable);
            });
        }
    };
    for step in &grammar.instructions {
        match step {
            Instruction::Set(assignments) => {
                assignments.iter().for_each(|(name, value)| add(name, &[value]))
            }
            Instruction::Int { site, min, max, name: Some(name) } => {
                add(name, &[min, max]);
                // The more values must differ, the harder it is.
                if grammar.sites[*site].unique.is_some() {
                    add(name, &counts_of_loops(grammar, *site));
                }
            }
            Instruction::Float { min, max, name: Some(name), .. } => add(name, &[min, max]),
            _ => {}
        }
    }
    let by_step = grammar.instructions.iter().map(|step| {
        let mut reached: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = used_variables(step);
        if let Instruction::Int { site, .. } = step {
            open.extend(grammar.sites[*site].unique.iter().flatten());
        }
        while let Some(slot) = open.pop() {
            if reached.insert(slot) {
                open.extend(&made_of[slot]);
            }
        }
        let of_slot = |slot: Option<usize>| slot.is_some_and(|slot| reached.contains(&slot));
        let sites = grammar.sites.iter().enumerate().filter(|(_, site)| of_slot(site.variable));
        sites.map(|(site, _)| site).collect()
    });
    by_step.collect()
}

fn counts_of_loops(grammar: &Grammar, site: usize) -> Vec<&Expr> {
    let loops = &grammar.sites[site].loops;
    let counts = grammar.instructions.iter().filter_map(|step| match step {
        Instruction::BeginLoop { id, count } if loops.contains(id) => count.as_ref(),
        _ => None,
    });
    counts.collect()
}

fn used_variables(step: &Instruction) -> Vec<usize> {
    let mut slots = Vec::new();
    step.expressions(&mut |expr| {
        expr.each(&mut |expr| match &expr.kind {
            ExprKind::Var(name) => slots.push(name.variable),
            ExprKind::Unique(unique) => slots.extend(unique),
            ExprKind::InArray { variable: slot, .. } => slots.push(*slot),
            _ => {}
        });
    });
    slots
}
