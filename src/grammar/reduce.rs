//! Ways to make an input smaller, as edits of its tree.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::tree::{Node, Tree, print};

/// One way to make an input smaller. Integers and loops are named by their place in the tree, in the order
/// of choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Every value that is no count becomes its least.
    AllLeast,
    /// Every answer becomes the one with which its condition holds.
    Plain,
    /// A count becomes this; of each loop that it counts the first iterations stay, or the last.
    Count {
        /// The integer.
        int: usize,
        /// Its value.
        count: Int,
        /// Which iterations stay.
        keep: Keep,
    },
    /// A count becomes this, and every value that is no count its greatest: fewer values may have to be larger.
    CountMost {
        /// The integer.
        int: usize,
        /// Its value.
        count: Int,
    },
    /// Some iterations go from every loop that a count counts, and the count falls with them.
    Drop {
        /// The integer.
        int: usize,
        /// The first of them.
        start: usize,
        /// The first of them in loops inside such a loop: the columns of a grid beside its rows.
        inner: usize,
        /// How many.
        length: usize,
    },
    /// Some iterations go from a loop that no count counts.
    DropRounds {
        /// The loop.
        of: usize,
        /// The first of them.
        start: usize,
        /// How many.
        length: usize,
    },
    /// An integer becomes this.
    Set {
        /// The integer.
        int: usize,
        /// Its value.
        value: Int,
    },
    /// An integer falls, and another rises by as much.
    Move {
        /// The one that falls.
        from: usize,
        /// The one that rises.
        to: usize,
        /// By how much.
        by: Int,
    },
    /// All integers of a command that have a value get another.
    SetAll {
        /// The command.
        site: usize,
        /// The value they have.
        from: Int,
        /// The value they get.
        to: Int,
    },
    /// The values of a command are sorted within each row.
    Sort {
        /// The command.
        site: usize,
    },
    /// The values of a command become all the same.
    Equalise {
        /// The command.
        site: usize,
        /// The value.
        value: Int,
    },
    /// A text is shortened to so many bytes.
    Shorten {
        /// Which text.
        text: usize,
        /// How many bytes stay.
        length: usize,
    },
}

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
pub(super) fn ints(grammar: &Grammar, tree: &Tree) -> Vec<IntAt> {
    let mut ints = Vec::new();
    tree.each(&mut |node| {
        if let Node::Int(int) = node {
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
pub(super) fn free_loops(grammar: &Grammar, tree: &Tree) -> BTreeMap<usize, usize> {
    let mut loops = BTreeMap::new();
    let mut number = 0;
    tree.each(&mut |node| {
        if let Node::Loop(of) = node {
            if grammar.loops[of.id].count_slots.is_empty() {
                loops.insert(number, of.iterations.len());
            }
            number += 1;
        }
    });
    loops
}

/// The tree with an edit done. It may need repair, which [`print()`] does.
pub fn apply(grammar: &Grammar, tree: &Tree, edit: &Edit) -> Tree {
    let mut tree = tree.clone();
    match edit {
        Edit::AllLeast => tree.each_mut(&mut |node| match node {
            Node::Int(int) if !grammar.sites[int.site].is_count => int.value = int.min.clone(),
            _ => {}
        }),
        Edit::Plain => tree.each_mut(&mut |node| {
            if let Node::Answer(answer) = node
                && grammar.questions[answer.question].of_loop.is_none()
            {
                answer.answer = grammar.questions[answer.question].is_positive;
            }
        }),
        Edit::Count { int, count, keep } => {
            let lower = |value: &mut Int| {
                let by = value.minus(count);
                *value = count.clone();
                by.small().and_then(|by| usize::try_from(by).ok()).unwrap_or(0)
            };
            recount(grammar, &mut tree, *int, lower, |length, by, _| match keep {
                Keep::First => length.saturating_sub(by)..length,
                Keep::Last => 0..by.min(length),
            });
        }
        Edit::CountMost { int, count } => {
            change(&mut tree, *int, &|_| count.clone());
            tree.each_mut(&mut |node| match node {
                Node::Int(int) if !grammar.sites[int.site].is_count => int.value = int.max.clone(),
                _ => {}
            });
        }
        Edit::Drop { int, start, inner, length } => {
            let lower = |value: &mut Int| {
                *value = value.minus(&Int::Small(i64::try_from(*length).unwrap_or(i64::MAX)));
                *length
            };
            recount(grammar, &mut tree, *int, lower, |rounds, by, is_inner| {
                let start = if is_inner { *inner } else { *start };
                start.min(rounds)..(start + by).min(rounds)
            });
        }
        Edit::DropRounds { of, start, length } => {
            let mut number = 0;
            tree.each_mut(&mut |node| {
                if let Node::Loop(node) = node {
                    if number == *of {
                        let rounds = node.iterations.len();
                        node.iterations.drain((*start).min(rounds)..(*start + *length).min(rounds));
                    }
                    number += 1;
                }
            });
        }
        Edit::Set { int, value } => change(&mut tree, *int, &|_| value.clone()),
        Edit::Move { from, to, by } => {
            change(&mut tree, *from, &|value| value.minus(by));
            change(&mut tree, *to, &|value| value.plus(by));
        }
        Edit::SetAll { site, from, to } => tree.each_mut(&mut |node| match node {
            Node::Int(int) if int.site == *site && int.value == *from => int.value = to.clone(),
            _ => {}
        }),
        Edit::Sort { site } => tree.each_mut(&mut |node| {
            if let Node::Loop(of) = node {
                sort_row(&mut of.iterations, *site);
            }
        }),
        Edit::Equalise { site, value } => tree.each_mut(&mut |node| match node {
            Node::Int(int) if int.site == *site => int.value = value.clone(),
            _ => {}
        }),
        Edit::Shorten { text, length } => {
            let mut number = 0;
            tree.each_mut(&mut |node| {
                if let Node::Text(node) = node {
                    if number == *text {
                        node.text.truncate(*length);
                    }
                    number += 1;
                }
            });
        }
    }
    tree
}

/// The input with an edit done; `None` where the grammar leads nowhere then.
pub fn edited(grammar: &Grammar, tree: &Tree, edit: &Edit) -> Option<Vec<u8>> {
    print(grammar, &apply(grammar, tree, edit))
}

/// Changes one integer.
fn change(tree: &mut Tree, int: usize, to: &dyn Fn(&Int) -> Int) {
    let mut number = 0;
    tree.each_mut(&mut |node| {
        if let Node::Int(node) = node {
            if number == int {
                node.value = to(&node.value);
            }
            number += 1;
        }
    });
}

/// Lowers a count and takes iterations out of the loops that it counts.
///
/// `gone` says which, from how many there are, how many go, and whether the loop stands in another such one.
fn recount(
    grammar: &Grammar,
    tree: &mut Tree,
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
    fn nodes(&mut self, nodes: &mut [Node], is_inner: bool) {
        for node in nodes {
            match node {
                Node::Int(node) => {
                    let own = self.grammar.sites[node.site].slot;
                    if self.number == self.int {
                        self.by = (self.lower)(&mut node.value);
                        self.slot = own;
                    } else if own == self.slot {
                        self.slot = None;
                    }
                    self.number += 1;
                }
                Node::Loop(of) => {
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
fn sort_row(iterations: &mut [Vec<Node>], site: usize) {
    let own = |nodes: &[Node]| {
        nodes.iter().position(|node| matches!(node, Node::Int(int) if int.site == site))
    };
    let mut values: Vec<Int> = iterations
        .iter()
        .filter_map(|nodes| match &nodes[own(nodes)?] {
            Node::Int(int) => Some(int.value.clone()),
            _ => None,
        })
        .collect();
    values.sort();
    let mut values = values.into_iter();
    for nodes in iterations {
        if let Some(place) = own(nodes)
            && let Node::Int(int) = &mut nodes[place]
            && let Some(value) = values.next()
        {
            int.value = value;
        }
    }
}

/// Edits that may make the input of a tree smaller, the boldest first.
pub fn edits(grammar: &Grammar, tree: &Tree) -> impl Iterator<Item = Edit> + use<> {
    let ints = ints(grammar, tree);
    let loops = free_loops(grammar, tree);
    let counts: Vec<(usize, IntAt)> =
        ints.iter().cloned().enumerate().filter(|(_, int)| int.is_count).collect();
    let whole = [Edit::AllLeast, Edit::Plain].into_iter();
    let jumps = counts.clone().into_iter().flat_map(|(place, int)| count_jumps(place, &int));
    let drops = counts.into_iter().flat_map(|(place, int)| {
        let length = int.value.small().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        chunks(length).map(move |(start, length)| Edit::Drop {
            int: place,
            start,
            inner: start,
            length,
        })
    });
    let rounds = loops.into_iter().flat_map(|(of, length)| {
        chunks(length).map(move |(start, length)| Edit::DropRounds { of, start, length })
    });
    let values = ints.clone().into_iter().enumerate().flat_map(|(place, int)| {
        lower_values(&int.value, &int.min, &int.max)
            .into_iter()
            .map(move |value| Edit::Set { int: place, value })
    });
    let mut sites: Vec<usize> =
        ints.iter().filter(|int| !int.is_count).map(|int| int.site).collect();
    sites.sort_unstable();
    sites.dedup();
    let rows = sites.into_iter().flat_map(move |site| {
        let mut values: Vec<Int> =
            ints.iter().filter(|int| int.site == site).map(|int| int.value.clone()).collect();
        values.sort();
        values.dedup();
        let least = values.first().cloned();
        let sort = std::iter::once(Edit::Sort { site });
        sort.chain(least.into_iter().map(move |value| Edit::Equalise { site, value }))
    });
    whole.chain(jumps).chain(drops).chain(rounds).chain(rows).chain(values)
}

/// A count's smaller values: the least ones, then by halves.
fn count_jumps(place: usize, int: &IntAt) -> Vec<Edit> {
    let mut jumps = Vec::new();
    for count in lower_values(&int.value, &int.min, &int.max) {
        for keep in [Keep::First, Keep::Last] {
            jumps.push(Edit::Count { int: place, count: count.clone(), keep });
        }
    }
    jumps
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
    add(match *value > goal {
        true => value.minus(&Int::ONE),
        false => value.plus(&Int::ONE),
    });
    lower
}
