//! Ways to make an input smaller: changes of its tree.
//!
//! Integers, texts and loops are named by their place in the tree, in the order of choosing.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::tree::{InputNode, InputTree, IntNode, LoopNode, TextNode};

/// One way to make an input smaller.
pub type Edit = Box<dyn Fn(&Grammar, &mut InputTree)>;

/// Which iterations stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The first.
    First,
    /// The last.
    Last,
}

/// What is known of an integer of a tree.
#[derive(Clone, Debug)]
pub(super) struct IntAt {
    pub site: usize,
    pub value: Int,
    pub min: Int,
    pub max: Int,
    pub is_count: bool,
}

/// All integers of a tree, in the order of choosing.
pub(super) fn ints(grammar: &Grammar, tree: &InputTree) -> Vec<IntAt> {
    let mut ints = Vec::new();
    tree.each(&mut |node| {
        if let InputNode::Int(int) = node {
            ints.push(IntAt {
                site: int.site,
                value: int.value.clone(),
                min: int.min.clone(),
                max: int.max.clone(),
                is_count: grammar.sites[int.site].is_count,
            });
        }
    });
    ints
}

/// The lengths of the loops of a tree that no count counts, by their place in the tree.
pub(super) fn free_loops(grammar: &Grammar, tree: &InputTree) -> BTreeMap<usize, usize> {
    let mut loops = BTreeMap::new();
    let mut number = 0;
    tree.each(&mut |node| {
        if let InputNode::Loop(of) = node {
            if grammar.loops[of.id].count_slots.is_empty() {
                loops.insert(number, of.iterations.len());
            }
            number += 1;
        }
    });
    loops
}

/// Does something to the node of this place among those of its kind.
fn nth<T>(
    tree: &mut InputTree,
    wanted: usize,
    of_kind: impl Fn(&mut InputNode) -> Option<&mut T>,
    act: impl Fn(&mut T),
) {
    let mut place = 0;
    tree.each_mut(&mut |node| {
        if let Some(found) = of_kind(node) {
            if place == wanted {
                act(found);
            }
            place += 1;
        }
    });
}

fn int(node: &mut InputNode) -> Option<&mut IntNode> {
    if let InputNode::Int(int) = node { Some(int) } else { None }
}

fn text(node: &mut InputNode) -> Option<&mut TextNode> {
    if let InputNode::Text(text) = node { Some(text) } else { None }
}

fn iterated(node: &mut InputNode) -> Option<&mut LoopNode> {
    if let InputNode::Loop(of) = node { Some(of) } else { None }
}

/// Does something to all integers that are no counts.
fn each_value(grammar: &Grammar, tree: &mut InputTree, act: impl Fn(&mut IntNode)) {
    tree.each_mut(&mut |node| match node {
        InputNode::Int(int) if !grammar.sites[int.site].is_count => act(int),
        _ => {}
    });
}

/// Every value that is no count becomes its least.
pub(super) fn all_least(grammar: &Grammar, tree: &mut InputTree) {
    each_value(grammar, tree, |int| int.value = int.min.clone());
}

/// Every answer becomes the one with which its condition holds.
pub(super) fn plain(grammar: &Grammar, tree: &mut InputTree) {
    tree.each_mut(&mut |node| {
        if let InputNode::Answer(answer) = node
            && grammar.questions[answer.question].of_loop.is_none()
        {
            answer.answer = grammar.questions[answer.question].is_positive;
        }
    });
}

/// A count becomes this; of each loop that it counts the first iterations stay, or the last.
pub(super) fn count(place: usize, count: Int, keep: Keep) -> impl Fn(&Grammar, &mut InputTree) {
    move |grammar, tree| {
        let lower = |value: &mut Int| {
            let by = value.minus(&count);
            *value = count.clone();
            by.small().and_then(|by| usize::try_from(by).ok()).unwrap_or(0)
        };
        recount(grammar, tree, place, lower, |length, by, _| match keep {
            Keep::First => length.saturating_sub(by)..length,
            Keep::Last => 0..by.min(length),
        });
    }
}

/// A count becomes this, and every value that is no count its greatest: fewer values may have to be larger.
pub(super) fn count_most(place: usize, count: Int) -> impl Fn(&Grammar, &mut InputTree) {
    move |grammar, tree| {
        nth(tree, place, int, |int| int.value = count.clone());
        each_value(grammar, tree, |int| int.value = int.max.clone());
    }
}

/// Some iterations go from every loop that a count counts, and the count falls with them. `inner` is the first of
/// them in loops inside such a loop: the columns of a grid beside its rows.
pub(super) fn drop_counted(
    place: usize,
    start: usize,
    inner: usize,
    length: usize,
) -> impl Fn(&Grammar, &mut InputTree) {
    move |grammar, tree| {
        let lower = |value: &mut Int| {
            *value = value.minus(&Int::Small(i64::try_from(length).unwrap_or(i64::MAX)));
            length
        };
        recount(grammar, tree, place, lower, |rounds, by, is_inner| {
            let start = if is_inner { inner } else { start };
            start.min(rounds)..(start + by).min(rounds)
        });
    }
}

/// Some iterations go from a loop that no count counts.
pub(super) fn drop_rounds(
    of: usize,
    start: usize,
    length: usize,
) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        nth(tree, of, iterated, |of| {
            let rounds = of.iterations.len();
            of.iterations.drain(start.min(rounds)..(start + length).min(rounds));
        });
    }
}

/// An integer becomes this.
pub(super) fn set(place: usize, value: Int) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| nth(tree, place, int, |int| int.value = value.clone())
}

/// An integer falls, and another rises by as much.
pub(super) fn shift(from: usize, to: usize, by: Int) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        nth(tree, from, int, |int| int.value = int.value.minus(&by));
        nth(tree, to, int, |int| int.value = int.value.plus(&by));
    }
}

/// All integers of a command, or those that have a value, get another.
pub(super) fn set_all(
    site: usize,
    from: Option<Int>,
    to: Int,
) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        let is_meant =
            |int: &IntNode| int.site == site && from.as_ref().is_none_or(|from| int.value == *from);
        tree.each_mut(&mut |node| match node {
            InputNode::Int(int) if is_meant(int) => int.value = to.clone(),
            _ => {}
        });
    }
}

/// The integers of a command are sorted in every loop.
fn sort(site: usize) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| {
        tree.each_mut(&mut |node| {
            if let InputNode::Loop(of) = node {
                sort_row(&mut of.iterations, site);
            }
        });
    }
}

/// A text is cut to this length.
pub(super) fn shorten(place: usize, length: usize) -> impl Fn(&Grammar, &mut InputTree) {
    move |_, tree| nth(tree, place, text, |node| node.text.truncate(length))
}

/// Lowers a count and takes iterations out of the loops that it counts.
///
/// `gone` says which, from how many there are, how many go, and whether the loop stands in another such one.
fn recount(
    grammar: &Grammar,
    tree: &mut InputTree,
    int: usize,
    lower: impl Fn(&mut Int) -> usize,
    gone: impl Fn(usize, usize, bool) -> Range<usize>,
) {
    let mut recount =
        Recount { grammar, int, number: 0, slot: None, by: 0, lower: &lower, gone: &gone };
    recount.nodes(&mut tree.nodes, false);
}

struct Recount<'a> {
    grammar: &'a Grammar,
    /// The count.
    int: usize,
    /// How many integers were passed.
    number: usize,
    /// The variable of the count, once it was passed and until it is read anew.
    slot: Option<usize>,
    /// By how much it fell.
    by: usize,
    lower: &'a dyn Fn(&mut Int) -> usize,
    gone: &'a dyn Fn(usize, usize, bool) -> Range<usize>,
}

impl Recount<'_> {
    fn nodes(&mut self, nodes: &mut [InputNode], is_inner: bool) {
        for node in nodes {
            match node {
                InputNode::Int(node) => {
                    let own = self.grammar.sites[node.site].slot;
                    if self.number == self.int {
                        self.by = (self.lower)(&mut node.value);
                        self.slot = own;
                    } else if own == self.slot {
                        self.slot = None;
                    }
                    self.number += 1;
                }
                InputNode::Loop(of) => {
                    let slots = &self.grammar.loops[of.id].count_slots;
                    let is_counted = self.slot.is_some_and(|slot| slots.contains(&slot));
                    if is_counted {
                        let gone = (self.gone)(of.iterations.len(), self.by, is_inner);
                        of.iterations.drain(gone);
                    }
                    for iteration in &mut of.iterations {
                        self.nodes(iteration, is_inner || is_counted);
                    }
                    self.nodes(&mut of.exit, is_inner || is_counted);
                }
                _ => {}
            }
        }
    }
}

/// Sorts the values of a command that stand one to an iteration.
fn sort_row(iterations: &mut [Vec<InputNode>], site: usize) {
    let own = |nodes: &[InputNode]| {
        nodes.iter().position(|node| matches!(node, InputNode::Int(int) if int.site == site))
    };
    let mut values: Vec<Int> = iterations
        .iter()
        .filter_map(|nodes| match &nodes[own(nodes)?] {
            InputNode::Int(int) => Some(int.value.clone()),
            _ => None,
        })
        .collect();
    values.sort();
    let mut values = values.into_iter();
    for nodes in iterations {
        if let Some(place) = own(nodes)
            && let InputNode::Int(int) = &mut nodes[place]
            && let Some(value) = values.next()
        {
            int.value = value;
        }
    }
}

/// All single edits of a tree that may make it smaller, the most promising first.
pub fn edits(grammar: &Grammar, tree: &InputTree) -> impl Iterator<Item = Edit> + use<> {
    let ints = ints(grammar, tree);
    let loops = free_loops(grammar, tree);
    let counts: Vec<(usize, IntAt)> =
        ints.iter().cloned().enumerate().filter(|(_, int)| int.is_count).collect();
    let whole = [boxed(all_least), boxed(plain)].into_iter();
    let jumps = counts.clone().into_iter().flat_map(|(place, int)| {
        let jumps = lower_values(&int.value, &int.min, &int.max).into_iter();
        jumps.flat_map(move |to| {
            [Keep::First, Keep::Last].map(|keep| boxed(count(place, to.clone(), keep)))
        })
    });
    let drops = counts.into_iter().flat_map(|(place, int)| {
        let length = int.value.small().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        chunks(length).map(move |(start, length)| boxed(drop_counted(place, start, start, length)))
    });
    let rounds = loops.into_iter().flat_map(|(of, length)| {
        chunks(length).map(move |(start, length)| boxed(drop_rounds(of, start, length)))
    });
    let rows = rows(&ints).into_iter();
    let values = ints.into_iter().enumerate().flat_map(|(place, int)| {
        let lower = lower_values(&int.value, &int.min, &int.max).into_iter();
        lower.map(move |value| boxed(set(place, value)))
    });
    whole.chain(jumps).chain(drops).chain(rounds).chain(rows).chain(values)
}

/// For each command whose values are no counts: they are sorted, or all become their least.
pub(super) fn rows(ints: &[IntAt]) -> Vec<Edit> {
    let mut least: BTreeMap<usize, &Int> = BTreeMap::new();
    for int in ints.iter().filter(|int| !int.is_count) {
        let known = least.entry(int.site).or_insert(&int.value);
        *known = (*known).min(&int.value);
    }
    let row = |(site, least): (usize, &Int)| {
        [boxed(sort(site)), boxed(set_all(site, None, least.clone()))]
    };
    least.into_iter().flat_map(row).collect()
}

fn boxed(edit: impl Fn(&Grammar, &mut InputTree) + 'static) -> Edit {
    Box::new(edit)
}

/// Pieces of a row, the longest first, from its end.
fn chunks(length: usize) -> impl Iterator<Item = (usize, usize)> {
    let sizes = std::iter::successors(Some(length / 2), |size| Some(size / 2));
    let mut sizes: Vec<usize> = sizes.take_while(|size| *size > 0).collect();
    // Pairs keep a count even or odd, whatever its halves were.
    if length > 2 && !sizes.contains(&2) {
        sizes.push(2);
    }
    sizes.into_iter().flat_map(move |size| {
        let starts = (0..length).step_by(size).filter(move |start| start + size <= length);
        let starts: Vec<usize> = starts.collect();
        starts.into_iter().rev().map(move |start| (start, size))
    })
}

/// Values that are simpler than one: the nearest to zero and the ones beside, then by halves towards it.
pub(super) fn lower_values(value: &Int, min: &Int, max: &Int) -> Vec<Int> {
    const BESIDE: i64 = 8;
    let goal = Int::ZERO.clamp(min.clone(), max.clone());
    let mut lower: Vec<Int> = Vec::new();
    let mut add = |candidate: Int| {
        let simpler = candidate.minus(&goal).magnitude() < value.minus(&goal).magnitude()
            || (value.is_negative() && candidate == value.negated());
        if simpler && *min <= candidate && candidate <= *max && !lower.contains(&candidate) {
            lower.push(candidate);
        }
    };
    for by in 0..BESIDE {
        add(goal.plus(&Int::Small(by)));
        add(goal.minus(&Int::Small(by)));
    }
    add(value.negated());
    let mut gap = value.minus(&goal);
    while !gap.is_zero() {
        gap = gap.divided(&Int::Small(2)).unwrap_or(Int::ZERO);
        add(value.minus(&gap));
    }
    add(if *value > goal { value.minus(&Int::ONE) } else { value.plus(&Int::ONE) });
    lower
}
