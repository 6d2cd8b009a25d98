//! Makes an input as small as can be while it stays interesting.
//!
//! Fewer values are smaller; of as many, the shorter text; of as long ones, the first in the alphabet. Each
//! pass keeps its place when it succeeds, and all passes are repeated until none helps.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::reduce::{
    IntAt, Keep, all_least, count, count_most, drop_counted, drop_rounds, edits, free_loops, ints,
    lower_values, plain, rows, set, set_all, shift, shorten,
};
use crate::grammar::tree::{InputNode, InputTree, LoopNode, parse, written};
use crate::grammar::validate::Rejection;

/// What came of making an input smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The smallest interesting input that was found.
    pub input: Vec<u8>,
    /// How many inputs were tried.
    pub tried: u64,
    /// Whether no further edit helps; otherwise the budget was spent.
    pub complete: bool,
}

/// Makes an interesting input smaller. `interesting` is asked at most `budget` times, of valid inputs only.
///
/// # Errors
/// When the input is not valid.
pub fn shrink(
    grammar: &Grammar,
    input: &[u8],
    interesting: impl FnMut(&[u8]) -> bool,
    budget: u64,
) -> Result<Shrunk, Rejection> {
    let tree = parse(grammar, input, Path::new("input"))?;
    let mut shrinker = Shrinker {
        grammar,
        size: Measure::of(&tree, input),
        tree,
        interesting,
        seen: HashSet::new(),
        left: budget,
        tried: 0,
    };
    let mut complete = false;
    while shrinker.left > 0 {
        let before = shrinker.size.clone();
        shrinker.round();
        if shrinker.size == before {
            complete = shrinker.left > 0;
            break;
        }
    }
    Ok(Shrunk { input: shrinker.size.text, tried: shrinker.tried, complete })
}

/// How small an input is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    values: usize,
    text: Vec<u8>,
}

impl Measure {
    /// Of an input and its tree.
    pub fn of(tree: &InputTree, text: &[u8]) -> Self {
        Self { values: tree.values(), text: text.to_vec() }
    }
}

impl Ord for Measure {
    fn cmp(&self, other: &Self) -> Ordering {
        // A blank is simpler than a line end.
        let simple = |byte: &u8| if *byte == b'\n' { u8::MAX } else { *byte };
        let order = self.values.cmp(&other.values);
        let order = order.then(self.text.len().cmp(&other.text.len()));
        order.then_with(|| self.text.iter().map(simple).cmp(other.text.iter().map(simple)))
    }
}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether a count counts a loop inside a loop that it counts.
fn has_grid(grammar: &Grammar, tree: &InputTree, place: usize) -> bool {
    let slot = ints(grammar, tree).get(place).and_then(|int| grammar.sites[int.site].slot);
    let is_counted =
        |of: &LoopNode| slot.is_some_and(|slot| grammar.loops[of.id].count_slots.contains(&slot));
    let mut has_grid = false;
    tree.each(&mut |node| {
        if let InputNode::Loop(of) = node
            && is_counted(of)
        {
            let mut inside = of.iterations.iter().flatten();
            has_grid |=
                inside.any(|node| matches!(node, InputNode::Loop(inner) if is_counted(inner)));
        }
    });
    has_grid
}

/// How many of the least counts are tried with values as large as can be.
const FEW: usize = 4;
/// Up to so many values, edits are tried that are many.
const SMALL: usize = 40;

struct Shrinker<'a, F> {
    grammar: &'a Grammar,
    tree: InputTree,
    size: Measure,
    interesting: F,
    /// Inputs that were tried, by hash.
    seen: HashSet<[u8; 32]>,
    left: u64,
    tried: u64,
}

impl<F: FnMut(&[u8]) -> bool> Shrinker<'_, F> {
    /// All passes once.
    fn round(&mut self) {
        self.attempt(all_least);
        self.attempt(plain);
        self.counts();
        self.drops();
        self.rounds();
        self.rows();
        self.texts();
        self.values();
        self.moves();
        self.rest();
    }

    /// Tries an edit; whether it made the input smaller and it stayed interesting.
    fn attempt(&mut self, edit: impl Fn(&Grammar, &mut InputTree)) -> bool {
        if self.left == 0 {
            return false;
        }
        let mut edited = self.tree.clone();
        edit(self.grammar, &mut edited);
        let Some(text) = written(self.grammar, &edited) else { return false };
        if text == self.size.text || !self.seen.insert(Sha256::digest(&text).into()) {
            return false;
        }
        let Ok(tree) = parse(self.grammar, &text, Path::new("input")) else { return false };
        let size = Measure::of(&tree, &text);
        if size >= self.size {
            return false;
        }
        self.left -= 1;
        self.tried += 1;
        if !(self.interesting)(&text) {
            return false;
        }
        self.tree = tree;
        self.size = size;
        true
    }

    fn int(&self, place: usize) -> Option<IntAt> {
        ints(self.grammar, &self.tree).into_iter().nth(place)
    }

    /// Lowers counts: the least ones first, then by halves between what fails and what does.
    fn counts(&mut self) {
        let mut place = 0;
        while let Some(int) = self.int(place) {
            if int.is_count {
                for to in lower_values(&int.value, &int.min, &int.max).into_iter().take(FEW) {
                    if self.attempt(count_most(place, to)) {
                        break;
                    }
                }
                for keep in [Keep::First, Keep::Last] {
                    self.lower(place, |to| count(place, to, keep));
                }
            }
            place += 1;
        }
    }

    /// Lowers values in the same way.
    fn values(&mut self) {
        let mut place = 0;
        while let Some(int) = self.int(place) {
            if !int.is_count {
                // Equal values may have to stay equal.
                let (site, from) = (int.site, int.value.clone());
                let others = ints(self.grammar, &self.tree);
                let same = others.iter().filter(|other| other.site == site && other.value == from);
                if same.count() > 1 {
                    for to in lower_values(&int.value, &int.min, &int.max) {
                        if self.attempt(set_all(site, Some(from.clone()), to)) {
                            break;
                        }
                    }
                }
                self.lower(place, |value| set(place, value));
            }
            place += 1;
        }
    }

    /// Finds the value nearest to the goal with which the input stays interesting.
    fn lower<E: Fn(&Grammar, &mut InputTree)>(&mut self, place: usize, edit: impl Fn(Int) -> E) {
        const BESIDE: i64 = 8;
        let Some(int) = self.int(place) else { return };
        let goal = Int::ZERO.clamp(int.min.clone(), int.max.clone());
        let distance = |value: &Int| value.minus(&goal).magnitude();
        let at = |by: &Int, sign: bool| if sign { goal.plus(by) } else { goal.minus(by) };
        for by in 0..BESIDE {
            let by = Int::Small(by);
            if by >= distance(&int.value) {
                return;
            }
            for sign in [true, false] {
                if self.attempt(edit(at(&by, sign))) {
                    return;
                }
            }
        }
        self.attempt(edit(int.value.negated()));
        // What lies between: the nearest to the goal is not interesting, this one is.
        let Some(now) = self.int(place) else { return };
        let sign = now.value >= goal;
        let mut fails = Int::Small(BESIDE - 1);
        let mut holds = distance(&now.value);
        while holds.minus(&fails) > Int::ONE && self.left > 0 {
            let middle = fails.plus(&holds).divided(&Int::Small(2)).unwrap_or(Int::ZERO);
            if self.attempt(edit(at(&middle, sign))) { holds = middle } else { fails = middle }
        }
    }

    /// Takes iterations out of counted loops, the most at once first, pairs too.
    fn drops(&mut self) {
        let mut place = 0;
        while let Some(int) = self.int(place) {
            if int.is_count {
                self.drop_chunks(
                    &|shrinker| {
                        let count = shrinker.int(place)?.value.small()?;
                        usize::try_from(count).ok()
                    },
                    |start, length| drop_counted(place, start, start, length),
                );
                self.crossings(place);
            }
            place += 1;
        }
    }

    /// Takes a row and any column out of a small grid.
    fn crossings(&mut self, place: usize) {
        const SIDE_MAX: i64 = 12;
        let side = |shrinker: &Self| {
            let is_grid = has_grid(shrinker.grammar, &shrinker.tree, place);
            let count = shrinker.int(place).and_then(|int| int.value.small());
            count.filter(|count| is_grid && *count <= SIDE_MAX).unwrap_or(0)
        };
        'smaller: loop {
            let side = usize::try_from(side(self)).unwrap_or(0);
            for start in (0..side).rev() {
                for inner in (0..side).rev() {
                    if start != inner && self.attempt(drop_counted(place, start, inner, 1)) {
                        continue 'smaller;
                    }
                }
            }
            return;
        }
    }

    /// Takes iterations out of loops that no count counts.
    fn rounds(&mut self) {
        let mut from = 0;
        loop {
            let loops = free_loops(self.grammar, &self.tree);
            let Some((of, _)) = loops.range(from..).next() else { return };
            let of = *of;
            self.drop_chunks(
                &|shrinker| free_loops(shrinker.grammar, &shrinker.tree).get(&of).copied(),
                |start, length| drop_rounds(of, start, length),
            );
            from = of + 1;
        }
    }

    fn drop_chunks<E: Fn(&Grammar, &mut InputTree)>(
        &mut self,
        length: &dyn Fn(&Self) -> Option<usize>,
        edit: impl Fn(usize, usize) -> E,
    ) {
        let mut size = length(self).unwrap_or(0) / 2;
        while size > 0 && self.left > 0 {
            let mut end = length(self).unwrap_or(0);
            while end >= size {
                if self.attempt(edit(end - size, size)) {
                    end = end.min(length(self).unwrap_or(0));
                } else {
                    end = match size {
                        // Pairs may overlap: an odd place is as good as an even one.
                        2 => end - 1,
                        _ => end - size,
                    };
                }
                if self.left == 0 {
                    return;
                }
            }
            size = match size {
                3 => 2,
                size => size / 2,
            };
        }
    }

    /// Sorts and equalises.
    fn rows(&mut self) {
        for edit in rows(&ints(self.grammar, &self.tree)) {
            self.attempt(edit);
        }
    }

    /// Shortens texts.
    fn texts(&mut self) {
        let mut text = 0;
        while let Some(length) = self.text_length(text) {
            let mut shorter = 0;
            while shorter < length && self.left > 0 {
                if self.attempt(shorten(text, shorter)) {
                    break;
                }
                shorter = if shorter < 8 {
                    shorter + 1
                } else {
                    shorter + (length - shorter).div_ceil(2)
                };
            }
            text += 1;
        }
    }

    fn text_length(&self, wanted: usize) -> Option<usize> {
        let mut lengths = Vec::new();
        self.tree.each(&mut |node| {
            if let InputNode::Text(text) = node {
                lengths.push(text.text.len());
            }
        });
        lengths.get(wanted).copied()
    }

    /// Moves as much as can be from one value to the next of its command.
    fn moves(&mut self) {
        if self.size.values > SMALL {
            return;
        }
        for from in 0..SMALL {
            for to in from + 1..SMALL {
                self.moved(from, to);
            }
        }
    }

    fn moved(&mut self, from: usize, to: usize) {
        let all = ints(self.grammar, &self.tree);
        let (Some(a), Some(b)) = (all.get(from), all.get(to)) else { return };
        if a.site != b.site || a.is_count {
            return;
        }
        // To exchange both is the plainest move.
        let mut by = a.value.minus(&b.value);
        if by > Int::ZERO && self.attempt(shift(from, to, by)) {
            return;
        }
        by = a.value.minus(&a.min).min(b.max.minus(&b.value));
        while by > Int::ZERO && self.left > 0 {
            if self.attempt(shift(from, to, by.clone())) {
                return;
            }
            by = by.divided(&Int::Small(2)).unwrap_or(Int::ZERO);
        }
    }

    /// What no pass above tries, once the input is small.
    fn rest(&mut self) {
        if self.size.values > SMALL {
            return;
        }
        // What works makes another tree, with edits of its own.
        while edits(self.grammar, &self.tree).any(|edit| self.left > 0 && self.attempt(edit)) {}
    }
}
