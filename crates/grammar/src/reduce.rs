//! Changes of a tree that make its input smaller. A node has an index in the order of choices.

use crate::number::Int;
use crate::program::Grammar;
use crate::read::IntNode;
use crate::tree::{InputNode, InputTree, LoopNode};

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
    value.to().unwrap_or(0)
}

pub(super) fn each_int(tree: &mut InputTree, act: &mut dyn FnMut(&mut IntNode)) {
    tree.each_mut(&mut |_, node| node.int_mut().into_iter().for_each(&mut *act));
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
    tree.each_mut(&mut |_, node| {
        if let InputNode::Answer { question, answer } = node
            && grammar.questions[*question].of_loop.is_none()
        {
            *answer = grammar.questions[*question].is_positive;
        }
    });
}

pub(super) fn set_node(index: usize, to: Int) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        tree.each_mut(&mut |at, node| match node {
            InputNode::Int(int) if at == index => int.value = to.clone(),
            InputNode::Text { text, .. } if at == index => text.truncate(to_length(&to)),
            _ => {}
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
        tree.each_mut(&mut |_, node| {
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
        set_count(grammar, tree, index, &to, &mut |iterations, rounds, is_inner| {
            let length = iterations.len();
            let removed = length.saturating_sub(rounds);
            let start = start(length - removed, is_inner);
            iterations.drain(start.min(length)..(start + removed).min(length));
        });
    }
}

/// Changes the iterations of a loop. Its other arguments are their new number, and whether the loop is inside another
/// such loop.
type Resize<'a> = &'a mut dyn FnMut(&mut Vec<Vec<InputNode>>, usize, bool);

/// Sets a number of iterations, and resizes every loop that it counts.
pub(super) fn set_count(
    grammar: &Grammar,
    tree: &mut InputTree,
    index: usize,
    to: &Int,
    resize: Resize<'_>,
) {
    let mut counter = CountSetter { grammar, index, to, resize, current: 0, change: None };
    counter.nodes(&mut tree.nodes, false);
}

struct CountSetter<'a> {
    grammar: &'a Grammar,
    index: usize,
    to: &'a Int,
    resize: Resize<'a>,
    current: usize,
    /// The variable of the count and by how much it grows, from where the count is read to where it is read again.
    change: Option<(usize, isize)>,
}

impl CountSetter<'_> {
    fn nodes(&mut self, nodes: &mut [InputNode], is_inner: bool) {
        for node in nodes {
            let is_wanted = self.current == self.index;
            self.current += 1;
            match node {
                InputNode::Int(int) => {
                    let variable = self.grammar.sites[int.site].variable;
                    if is_wanted {
                        let by = self.to.minus(&int.value).to().unwrap_or(0);
                        self.change = variable.map(|variable| (variable, by));
                        int.value = self.to.clone();
                    } else if self.change.is_some_and(|(counted, _)| variable == Some(counted)) {
                        self.change = None;
                    }
                }
                InputNode::Loop(LoopNode { id, iterations, exit }) => {
                    let counts = &self.grammar.loops[*id].count_variables;
                    let change = self.change.filter(|(variable, _)| counts.contains(variable));
                    let rounds = match change {
                        _ if is_wanted => Some(to_length(self.to)),
                        Some((_, by)) => Some(iterations.len().saturating_add_signed(by)),
                        None => None,
                    };
                    if let Some(rounds) = rounds {
                        (self.resize)(iterations, rounds, is_inner);
                    }
                    let is_inner = is_inner || rounds.is_some();
                    iterations.iter_mut().for_each(|nodes| self.nodes(nodes, is_inner));
                    self.nodes(exit, is_inner);
                }
                _ => {}
            }
        }
    }
}
