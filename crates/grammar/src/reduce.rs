//! Changes of a tree that make its input smaller. A node has an index in the order of choices.

use crate::number::Int;
use crate::program::Grammar;
use crate::read::IntNode;
use crate::tree::{InputNode, InputTree};

/// A number that can be lowered: an integer, the length of a text, or the iterations of a loop without a count.
#[derive(Clone)]
pub(super) struct TreeNumber {
    pub value: Int,
    pub min: Int,
    pub max: Int,
    pub is_count: bool,
}

pub(super) fn node_number(grammar: &Grammar, node: &InputNode) -> Option<TreeNumber> {
    let length = |length: usize, is_count| {
        let value = Int::from(length as u64);
        TreeNumber { max: value.clone(), value, min: Int::ZERO, is_count }
    };
    match node {
        InputNode::Int(int) => Some(TreeNumber {
            value: int.value.clone(),
            min: int.min.clone(),
            max: int.max.clone(),
            is_count: grammar.sites[int.site].is_count,
        }),
        InputNode::Text { text, .. } => Some(length(text.len(), false)),
        InputNode::Loop(loop_node) if grammar.loops[loop_node.id].count_variables.is_empty() => {
            Some(length(loop_node.iterations.len(), true))
        }
        _ => None,
    }
}

/// Zero if the number is no valid length.
pub(super) fn to_length(value: &Int) -> usize {
    value.to_small().and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
}

pub(super) fn each_int(tree: &mut InputTree, act: &mut dyn FnMut(&mut IntNode)) {
    tree.each_mut(&mut |node| node.int_mut().into_iter().for_each(&mut *act));
}

pub(super) fn each_value(
    grammar: &Grammar,
    tree: &mut InputTree,
    to: &mut dyn FnMut(&IntNode) -> Int,
) {
    each_int(tree, &mut |int| {
        if !grammar.sites[int.site].is_count {
            int.value = to(int);
        }
    });
}

/// Sets every value that is not a count to its least.
pub(super) fn set_all_least(grammar: &Grammar, tree: &mut InputTree) {
    each_value(grammar, tree, &mut |int| int.min.clone());
}

/// Sets every answer so that its condition holds.
pub(super) fn make_conditions_hold(grammar: &Grammar, tree: &mut InputTree) {
    tree.each_mut(&mut |node| {
        if let InputNode::Answer { question, answer } = node
            && grammar.questions[*question].of_loop.is_none()
        {
            *answer = grammar.questions[*question].is_positive;
        }
    });
}

pub(super) fn set_node(index: usize, to: Int) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        let mut at = 0;
        tree.each_mut(&mut |node| {
            match node {
                InputNode::Int(int) if at == index => int.value = to.clone(),
                InputNode::Text { text, .. } if at == index => text.truncate(to_length(&to)),
                _ => {}
            }
            at += 1;
        });
    }
}

/// Sets all integers of a command, or only those with the value `from`.
pub(super) fn set_all(
    site: usize,
    from: Option<Int>,
    to: Int,
) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        each_int(tree, &mut |int| {
            if int.site == site && from.as_ref().is_none_or(|from| int.value == *from) {
                int.value = to.clone();
            }
        });
    }
}

pub(super) fn arrange_rows(
    site: usize,
    order: fn(&mut [Int]),
) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        tree.each_mut(&mut |node| {
            let InputNode::Loop(loop_node) = node else { return };
            let iterations = loop_node.iterations.iter_mut();
            let row: Vec<&mut Int> = iterations
                .filter_map(|nodes| {
                    let ints = nodes.iter_mut().filter_map(InputNode::int_mut);
                    ints.filter(|int| int.site == site).map(|int| &mut int.value).next()
                })
                .collect();
            let mut arranged: Vec<Int> = row.iter().map(|value| Int::clone(value)).collect();
            order(&mut arranged);
            row.into_iter().zip(arranged).for_each(|(value, arranged)| *value = arranged);
        });
    }
}

/// Sets a number of iterations, and every other value to its greatest: fewer values may have to be larger.
pub(super) fn recount_most(index: usize, to: Int) -> impl Fn(&Grammar, &mut InputTree) {
    let recount = recount(index, to, |stay, _| stay);
    move |grammar, tree| {
        recount(grammar, tree);
        each_value(grammar, tree, &mut |int| int.max.clone());
    }
}

/// Sets a number of iterations, and removes as many from every loop that it counts.
///
/// `start` returns the index of the first removed iteration. Its arguments are the number of iterations that stay, and
/// whether the loop is inside another such loop, like the columns of a grid in its rows.
pub(super) fn recount(
    index: usize,
    to: Int,
    start: impl Fn(usize, bool) -> usize,
) -> impl Fn(&Grammar, &mut InputTree) {
    move |grammar, tree| {
        let (to, start) = (&to, &start);
        let mut recount =
            Recount { grammar, index, to, start, current: 0, variable: None, removed: 0 };
        recount.nodes(&mut tree.nodes, false);
    }
}

struct Recount<'a> {
    grammar: &'a Grammar,
    index: usize,
    to: &'a Int,
    start: &'a dyn Fn(usize, bool) -> usize,
    current: usize,
    /// The variable of the count, from where the count is read to where it is read again.
    variable: Option<usize>,
    removed: usize,
}

impl Recount<'_> {
    fn nodes(&mut self, nodes: &mut [InputNode], is_inner: bool) {
        for node in nodes {
            let is_wanted = self.current == self.index;
            self.current += 1;
            match node {
                InputNode::Int(int) => {
                    let own = self.grammar.sites[int.site].variable;
                    if is_wanted {
                        self.removed = to_length(&int.value.minus(self.to));
                        int.value = self.to.clone();
                        self.variable = own;
                    } else if own == self.variable {
                        self.variable = None;
                    }
                }
                InputNode::Loop(loop_node) => {
                    let rounds = loop_node.iterations.len();
                    let slots = &self.grammar.loops[loop_node.id].count_variables;
                    if is_wanted {
                        self.removed = rounds.saturating_sub(to_length(self.to));
                    }
                    let is_counted =
                        is_wanted || self.variable.is_some_and(|slot| slots.contains(&slot));
                    if is_counted {
                        let start = (self.start)(rounds.saturating_sub(self.removed), is_inner);
                        let removed = start.min(rounds)..(start + self.removed).min(rounds);
                        loop_node.iterations.drain(removed);
                    }
                    for iteration in &mut loop_node.iterations {
                        self.nodes(iteration, is_inner || is_counted);
                    }
                    self.nodes(&mut loop_node.exit, is_inner || is_counted);
                }
                _ => {}
            }
        }
    }
}
