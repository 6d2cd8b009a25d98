//! Values that point to nodes of trees and graphs: which they are, and which nodes the edge of an index joins.

use crate::ast::{Compare, Expr, ExprKind};
use crate::chance::Chance;
use crate::program::{Grammar, Instruction, Pointer};
use crate::shape::Values;

/// Sets the pointers among the sites of a grammar, and the sizes that bound them: the number of nodes.
pub(super) fn find_pointers(grammar: &mut Grammar) {
    let counters = grammar.instructions.iter().filter_map(|step| match step {
        Instruction::NextIteration { counter: Some(name), .. } => Some(name.variable),
        _ => None,
    });
    let counters: Vec<usize> = counters.collect();
    let mut sizes = Vec::new();
    for at in 0..grammar.sites.len() {
        let site = &grammar.sites[at];
        let Instruction::Int { max, .. } = &grammar.instructions[site.instruction] else {
            continue;
        };
        let mut bounds = Vec::new();
        max.variables(&mut |name| bounds.push(name.variable));
        if bounds.is_empty() || site.is_count || is_single(grammar, at) {
            continue;
        }
        let is_parent = bounds.iter().any(|variable| counters.contains(variable));
        sizes.append(&mut bounds);
        let begin = (0..at).rev().find(|begin| {
            let is_open = [Some(Pointer::Next), Some(Pointer::Parent)]
                .contains(&grammar.sites[*begin].pointer);
            is_open && grammar.sites[*begin].loops == site.loops && are_ends(grammar, *begin, at)
        });
        grammar.sites[at].pointer = Some(match begin {
            Some(begin) if !is_parent => {
                let is_ordered = is_ordered(grammar, begin, at);
                grammar.sites[begin].pointer = Some(Pointer::EdgeBegin);
                Pointer::EdgeEnd { begin, is_ordered }
            }
            _ if is_parent => Pointer::Parent,
            _ => Pointer::Next,
        });
    }
    for at in 0..grammar.sites.len() {
        let is_bound = grammar.sites[at].variable.is_some_and(|variable| sizes.contains(&variable));
        grammar.sites[at].is_size = is_bound && is_single(grammar, at);
    }
}

/// Whether a site is read once in each test case.
fn is_single(grammar: &Grammar, site: usize) -> bool {
    match &*grammar.sites[site].loops {
        [] => true,
        [one] => grammar.loops[*one].is_cases,
        _ => false,
    }
}

/// Whether two values of an iteration have the same greatest value, or the second depends on the first.
fn are_ends(grammar: &Grammar, begin: usize, end: usize) -> bool {
    let bounds = |site: usize| match &grammar.instructions[grammar.sites[site].instruction] {
        Instruction::Int { min, max, .. } => Some([min, max]),
        _ => None,
    };
    let (Some([_, most]), Some([least, max])) = (bounds(begin), bounds(end)) else { return false };
    let text = |expr: &Expr| grammar.source.excerpt(expr.span);
    text(most) == text(max) || mentions(least, grammar.sites[begin].variable)
}

fn mentions(expr: &Expr, variable: Option<usize>) -> bool {
    expr.mentions(|name| Some(name.variable) == variable)
}

fn is_ordered(grammar: &Grammar, begin: usize, end: usize) -> bool {
    let [begin, end] = [begin, end].map(|site| grammar.sites[site].variable);
    grammar.instructions.iter().any(|step| match step {
        Instruction::Int { site, min, .. } => {
            grammar.sites[*site].variable == end && end.is_some() && mentions(min, begin)
        }
        step => step.demands().iter().any(|test| demands_order(test, begin, end)),
    })
}

fn demands_order(test: &Expr, begin: Option<usize>, end: Option<usize>) -> bool {
    let ExprKind::Compare { op, left, right } = &test.kind else { return false };
    let (less, more) = match op {
        Compare::Less | Compare::LessEqual => (left, right),
        Compare::Greater | Compare::GreaterEqual => (right, left),
        _ => return false,
    };
    mentions(less, begin) && mentions(more, end)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GraphSize {
    /// At most one more than there are edges.
    pub nodes: u64,
    pub edges: u64,
}

/// The parent of a node of a tree; nodes count from 0, and 0 is the root. `None` if the values are not those of a tree.
pub(super) fn parent(values: Values, node: u64, nodes: u64, chance: &mut Chance) -> Option<u64> {
    let before = node.saturating_sub(1);
    Some(match values {
        Values::Path | Values::BackPath => before,
        Values::TwoPaths => node.saturating_sub(2),
        Values::NearPath => before.saturating_sub(chance.below(3)),
        Values::Star => 0,
        Values::Binary => before / 2,
        Values::Caterpillar if node.is_multiple_of(2) => node.saturating_sub(2),
        Values::Caterpillar => before,
        Values::Broom => before.min(nodes / 2),
        Values::SquareRoot if before.is_multiple_of(nodes.isqrt().max(1)) => 0,
        Values::SquareRoot => before,
        Values::RandomTree => chance.below(node),
        _ => return None,
    })
}

/// The nodes that an edge joins, the parent first; `None` if the values are not those of a graph. After all edges of
/// a shape, the first ones follow again, or a path to the other nodes.
pub(super) fn edge(
    values: Values,
    index: u64,
    size: GraphSize,
    chance: &mut Chance,
) -> Option<[u64; 2]> {
    let GraphSize { nodes, edges } = size;
    let link = |index: u64| [index % nodes, (index + 1) % nodes];
    let child = 1 + index % (nodes - 1).max(1);
    if let Some(parent) = parent(values, child, nodes, chance) {
        return Some([parent, child]);
    }
    Some(match values {
        Values::Cycle => {
            let nodes = nodes.min(edges);
            [index % nodes, (index + 1) % nodes]
        }
        Values::Clique => {
            let index = index % (nodes * (nodes - 1) / 2).max(1);
            let later = u64::midpoint(1, (8 * index + 1).isqrt());
            [index - later * (later - 1) / 2, later]
        }
        Values::Grid => {
            let side = u64::midpoint(1, edges.saturating_mul(2).saturating_add(1).isqrt())
                .min(nodes.isqrt())
                .max(1);
            let across = side * (side - 1);
            match index {
                _ if index < across => {
                    let from = index / (side - 1) * side + index % (side - 1);
                    [from, from + 1]
                }
                _ if index < 2 * across => [index - across, index - across + side],
                _ => link(side * side - 1 + index - 2 * across),
            }
        }
        Values::SelfLoop if index.is_multiple_of(2) => [index / 2 % nodes; 2],
        Values::SelfLoop => link(index / 2),
        Values::Parallel => link(index / edges.isqrt().max(1)),
        _ => return None,
    })
}

/// The node that a node points to, if each points to one; `None` if the values are not those of a graph.
pub(super) fn next(values: Values, node: u64, nodes: u64, chance: &mut Chance) -> Option<u64> {
    match values {
        Values::BackPath => Some(nodes - 1 - node),
        Values::Cycle => Some((node + 1) % nodes),
        Values::SelfLoop => Some(node),
        _ if node == 0 => parent(values, 1, nodes, chance).map(|_| 0),
        _ => parent(values, node, nodes, chance),
    }
}

/// An order of nodes or edges that is its own inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeOrder {
    Kept,
    Reversed,
    Shuffled,
}

impl NodeOrder {
    pub(super) fn draw(chance: &mut Chance) -> Self {
        [Self::Kept, Self::Kept, Self::Reversed, Self::Shuffled][chance.below(4) as usize]
    }
}

/// A random arrangement of this many things that is its own inverse.
pub(super) fn shuffled(count: u64, chance: &mut Chance) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at as usize, chance.below(at + 1) as usize);
    }
    let mut pairs: Vec<u64> = (0..count).collect();
    for pair in order.chunks_exact(2) {
        pairs.swap(pair[0] as usize, pair[1] as usize);
    }
    pairs
}
