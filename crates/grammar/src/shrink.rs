//! Shrinks an input as long as it stays interesting.
//!
//! Each pass visits every node of the input's tree, and stays at a node after a success. The passes repeat until none
//! helps. Then joint passes change several nodes at once: a condition on a parity or on two values needs that.

use std::collections::HashSet;
use std::iter::{once, successors};
use std::path::Path;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::number::Int;
use crate::program::Grammar;
use crate::read::IntNode;
use crate::reduce::{
    TreeNumber, arrange_rows, make_conditions_hold, node_number, recount, recount_most, set_all,
    set_all_least, set_node, to_length,
};
use crate::tree::{InputTree, parse, write_tree};
use crate::validate::Error;

/// Shrinks an input until `is_over` is true. `interesting` is called at most `budget` times, only with valid inputs.
pub fn shrink(
    grammar: &Grammar,
    input: &[u8],
    interesting: impl FnMut(&[u8]) -> bool,
    budget: u64,
    is_over: impl Fn() -> bool,
) -> Result<Vec<u8>, Error> {
    let mut shrinker = Shrinker {
        grammar,
        tree: parse(grammar, input, Path::new("input"))?,
        text: input.to_vec(),
        node_numbers: None,
        interesting,
        is_over,
        seen: HashSet::new(),
        attempts_left: budget,
    };
    loop {
        let before = shrinker.text.clone();
        shrinker.run_passes();
        if shrinker.text == before {
            shrinker.run_joint_passes();
        }
        if shrinker.attempts_left == 0 || shrinker.text == before {
            return Ok(shrinker.text);
        }
    }
}

/// Compares the number of words, then of bytes, then the bytes, where a space comes before a line end.
pub fn is_smaller(input: &[u8], than: &[u8]) -> bool {
    let simple = |byte: &u8| if *byte == b'\n' { u8::MAX } else { *byte };
    let sizes = |input: &[u8]| (word_count(input), input.len());
    let order = sizes(input).cmp(&sizes(than));
    order.then_with(|| input.iter().map(simple).cmp(than.iter().map(simple))).is_lt()
}

fn word_count(input: &[u8]) -> usize {
    input.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

/// Number of least counts that are tried with the largest values.
const LEAST_COUNTS: usize = 4;
/// Upper bound on the words of an input for which pairs of values, and more values, are tried.
const PAIRS_MAX: usize = 40;
/// Upper bounds on the iterations of which any two, and any three, are removed at once.
const TOGETHER_MAX: [(usize, usize); 2] = [(2, 40), (3, 16)];
/// Upper bound on the values of which any two are lowered at once.
const LOWERED_MAX: usize = 14;
/// Upper bounds on the sides and the words of a grid for which each pair of a row and a column is removed.
const SIDE_MAX: usize = 12;
const GRID_MAX: usize = 300;
/// Number of values on each side of the simplest one that are tried before bisection.
const NEAR_VALUES: i64 = 8;

struct Shrinker<'a, F, O> {
    grammar: &'a Grammar,
    tree: InputTree,
    text: Vec<u8>,
    /// Computed on first use after a change of the tree.
    node_numbers: Option<Rc<NodeNumbers>>,
    interesting: F,
    is_over: O,
    seen: HashSet<[u8; 32]>,
    attempts_left: u64,
}

struct NodeNumbers {
    numbers: Vec<Option<TreeNumber>>,
    /// The integers that are not counts, with their indexes.
    values: Vec<(usize, IntNode)>,
}

impl NodeNumbers {
    fn of(grammar: &Grammar, tree: &InputTree) -> Self {
        let values = tree.ints().filter(|(_, int)| !grammar.sites[int.site].is_count);
        Self {
            values: values.map(|(index, int)| (index, int.clone())).collect(),
            numbers: tree.all().iter().map(|node| node_number(grammar, node)).collect(),
        }
    }
}

impl<F: FnMut(&[u8]) -> bool, O: Fn() -> bool> Shrinker<'_, F, O> {
    fn run_passes(&mut self) {
        self.attempt(set_all_least);
        self.attempt(make_conditions_hold);
        self.for_each_node(Self::lower_count);
        self.for_each_node(Self::drop_iterations);
        self.simplify_rows();
        self.for_each_node(Self::lower_value);
        self.move_between_pairs();
    }

    fn run_joint_passes(&mut self) {
        let places = self.node_numbers();
        let numbers = places.numbers.iter().enumerate();
        let counts = numbers.filter_map(|(index, number)| Some((index, number.as_ref()?)));
        let counts = counts.filter(|(_, number)| number.is_count);
        let parts: Vec<(usize, &Int, usize)> = counts
            .flat_map(|(index, TreeNumber { value, .. })| {
                (0..to_length(value)).map(move |place| (index, value, place))
            })
            .collect();
        for (size, most) in TOGETHER_MAX {
            let choices = if parts.len() <= most { combinations(&parts, size) } else { Vec::new() };
            if choices.iter().any(|chosen| self.drop_together(chosen)) {
                return;
            }
        }
        if places.values.len() <= LOWERED_MAX {
            let pairs = combinations(&places.values, 2);
            let _ = pairs.iter().any(|pair| self.lower_together(&pair[0], &pair[1]));
        }
    }

    /// Drops iterations, each given by the index of its count, the count, and its place in the loop. The last ones come
    /// first.
    fn drop_together(&mut self, parts: &[(usize, &Int, usize)]) -> bool {
        self.attempt(|grammar, tree| {
            for (at, (index, count, place)) in parts.iter().enumerate() {
                let gone = parts[..=at].iter().filter(|(other, ..)| other == index).count();
                let to = count.minus(&Int::from(gone as u64));
                recount(*index, to, |_, _| *place)(grammar, tree);
            }
        })
    }

    /// Lowers two values by the same amount, or one of them by twice as much.
    fn lower_together(
        &mut self,
        (first, a): &(usize, IntNode),
        (second, b): &(usize, IntNode),
    ) -> bool {
        let room = |int: &IntNode, times: i64| {
            let room = int.value.minus(&Int::ZERO.clamped(&int.min, &int.max));
            room.divided_by(&Int::Small(times)).unwrap_or(Int::ZERO)
        };
        [(1, 1), (1, 2), (2, 1)].into_iter().any(|(times_a, times_b)| {
            let most = room(a, times_a).min(room(b, times_b));
            halves(&most).take(2).chain([1, 2].map(Int::Small)).any(|by| {
                let lower = |index: usize, int: &IntNode, times: i64| {
                    set_node(index, int.value.minus(&by.times(&Int::Small(times))))
                };
                let edits = [lower(*first, a, times_a), lower(*second, b, times_b)];
                self.attempt(|grammar, tree| edits.iter().for_each(|edit| edit(grammar, tree)))
            })
        })
    }

    fn for_each_node(&mut self, pass: fn(&mut Self, usize, TreeNumber)) {
        let mut index = 0;
        while self.attempts_left > 0 && index < self.node_numbers().numbers.len() {
            if let Some(number) = self.number(index) {
                pass(self, index, number);
            }
            index += 1;
        }
    }

    /// Returns whether the edit makes the input smaller and keeps it interesting.
    fn attempt(&mut self, edit: impl Fn(&Grammar, &mut InputTree)) -> bool {
        if (self.is_over)() {
            self.attempts_left = 0;
        }
        if self.attempts_left == 0 {
            return false;
        }
        let mut edited = self.tree.clone();
        edit(self.grammar, &mut edited);
        let Some(text) = write_tree(self.grammar, &edited) else { return false };
        if !is_smaller(&text, &self.text) || !self.seen.insert(Sha256::digest(&text).into()) {
            return false;
        }
        let Ok(tree) = parse(self.grammar, &text, Path::new("input")) else { return false };
        self.attempts_left -= 1;
        let is_interesting = (self.interesting)(&text);
        if is_interesting {
            (self.tree, self.text, self.node_numbers) = (tree, text, None);
        }
        is_interesting
    }

    fn node_numbers(&mut self) -> Rc<NodeNumbers> {
        let new = || Rc::new(NodeNumbers::of(self.grammar, &self.tree));
        Rc::clone(self.node_numbers.get_or_insert_with(new))
    }

    fn number(&mut self, index: usize) -> Option<TreeNumber> {
        self.node_numbers().numbers.get(index).cloned()?
    }

    fn lower_count(&mut self, index: usize, count: TreeNumber) {
        if !count.is_count {
            return;
        }
        for to in near_simplest(&count).take(LEAST_COUNTS) {
            if self.attempt(recount_most(index, to)) {
                break;
            }
        }
        self.minimize(index, |to| recount(index, to, |stay, _| stay));
        self.minimize(index, |to| recount(index, to, |_, _| 0));
    }

    fn lower_value(&mut self, index: usize, number: TreeNumber) {
        if number.is_count {
            return;
        }
        let places = self.node_numbers();
        let values = &places.values;
        if let Some((_, int)) = values.iter().find(|(at, _)| *at == index) {
            // Equal values may have to stay equal.
            let is_same = |other: &IntNode| other.site == int.site && other.value == int.value;
            if values.iter().filter(|(_, other)| is_same(other)).count() > 1 {
                self.minimize(index, |to| set_all(int.site, Some(int.value.clone()), to));
            }
        }
        self.minimize(index, |to| set_node(index, to));
        if word_count(&self.text) > PAIRS_MAX {
            return;
        }
        // The failure may depend on more than the size of the value.
        if let Some(now) = self.number(index) {
            let gap = now.value.minus(&simplest(&now));
            halves(&gap).skip(1).any(|by| self.attempt(set_node(index, now.value.minus(&by))));
        }
    }

    /// Searches for the value nearest to the simplest one that keeps the input interesting.
    fn minimize<E: Fn(&Grammar, &mut InputTree)>(&mut self, index: usize, edit: impl Fn(Int) -> E) {
        let Some(number) = self.number(index) else { return };
        if near_simplest(&number).any(|to| self.attempt(edit(to))) {
            return;
        }
        self.attempt(edit(number.value.negated()));
        // The nearest values are not interesting, but this one is: bisect.
        let Some(now) = self.number(index) else { return };
        let goal = simplest(&now);
        let mut fails = Int::Small(NEAR_VALUES - 1);
        let mut holds = now.value.minus(&goal).magnitude();
        while holds.minus(&fails) > Int::ONE && self.attempts_left > 0 {
            let middle = fails.plus(&holds).divided_by(&Int::Small(2)).unwrap_or(Int::ZERO);
            let to = if now.value >= goal { goal.plus(&middle) } else { goal.minus(&middle) };
            if self.attempt(edit(to)) { holds = middle } else { fails = middle }
        }
    }

    /// First as many iterations as possible, also in pairs.
    fn drop_iterations(&mut self, index: usize, count: TreeNumber) {
        if !count.is_count {
            return;
        }
        let mut size = to_length(&count.value) / 2;
        while size > 0 {
            let mut end = self.count(index);
            while end >= size && self.attempts_left > 0 {
                end = if self.drop_at(index, [end - size; 2], size) {
                    end.min(self.count(index))
                } else if size == 2 {
                    // Pairs may overlap: an odd index is as good as an even one.
                    end - 1
                } else {
                    end - size
                };
            }
            size = if size == 3 { 2 } else { size / 2 };
        }
        while self.drop_row_and_column(index) {}
    }

    fn count(&mut self, index: usize) -> usize {
        self.number(index).map_or(0, |number| to_length(&number.value))
    }

    fn drop_at(&mut self, index: usize, [start, inner]: [usize; 2], size: usize) -> bool {
        let to = Int::from(self.count(index).saturating_sub(size) as u64);
        self.attempt(recount(index, to, move |_, is_inner| if is_inner { inner } else { start }))
    }

    /// Only in a small grid.
    fn drop_row_and_column(&mut self, index: usize) -> bool {
        let side = self.count(index);
        if side > SIDE_MAX || word_count(&self.text) > GRID_MAX {
            return false;
        }
        let mut pairs =
            (0..side).rev().flat_map(|row| (0..side).rev().map(move |column| [row, column]));
        pairs.any(|pair| pair[0] != pair[1] && self.drop_at(index, pair, 1))
    }

    fn simplify_rows(&mut self) {
        for site in 0..self.grammar.sites.len() {
            let places = self.node_numbers();
            let values = places.values.iter().filter(|(_, int)| int.site == site);
            if let Some(least) = values.map(|(_, int)| int.value.clone()).min() {
                self.attempt(arrange_rows(site, |row| row.sort()));
                self.attempt(set_all(site, None, least));
            }
        }
    }

    /// Moves as much as possible from one value to a later one of its command.
    fn move_between_pairs(&mut self) {
        for from in 0..PAIRS_MAX {
            for to in from + 1..PAIRS_MAX {
                let places = self.node_numbers();
                let values = &places.values;
                if let (Some((from, a)), Some((to, b))) = (values.get(from), values.get(to))
                    && a.site == b.site
                    && word_count(&self.text) <= PAIRS_MAX
                {
                    self.move_between((*from, a), (*to, b));
                }
            }
        }
    }

    fn move_between(&mut self, (from, a): (usize, &IntNode), (to, b): (usize, &IntNode)) {
        // A swap is the simplest move.
        let exchange = a.value.minus(&b.value);
        let most = a.value.minus(&a.min).min(b.max.minus(&b.value));
        once(exchange).chain(halves(&most)).filter(|by| *by > Int::ZERO).any(|by| {
            let [lower, raise] =
                [set_node(from, a.value.minus(&by)), set_node(to, b.value.plus(&by))];
            self.attempt(|grammar, tree| {
                lower(grammar, tree);
                raise(grammar, tree);
            })
        });
    }
}

/// All choices of `size` items, each with the last item first.
fn combinations<T: Clone>(items: &[T], size: usize) -> Vec<Vec<T>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with_first = |at: usize| {
        let rest = combinations(&items[at + 1..], size - 1).into_iter();
        rest.map(move |mut chosen| {
            chosen.push(items[at].clone());
            chosen
        })
    };
    (0..items.len()).flat_map(with_first).collect()
}

fn halves(number: &Int) -> impl Iterator<Item = Int> + use<> {
    let halves = successors(Some(number.clone()), |by| by.divided_by(&Int::Small(2)));
    halves.take_while(|by| !by.is_zero())
}

fn simplest(number: &TreeNumber) -> Int {
    Int::ZERO.clamped(&number.min, &number.max)
}

/// The simplest value and values near it, if they are simpler than the number.
fn near_simplest(number: &TreeNumber) -> impl Iterator<Item = Int> + use<> {
    let goal = simplest(number);
    let most = number.value.minus(&goal).magnitude().min(Int::Small(NEAR_VALUES));
    let distances = (0..NEAR_VALUES).map(Int::Small).take_while(move |by| *by < most);
    distances.flat_map(move |by| [goal.plus(&by), goal.minus(&by)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_means_fewer_words_then_fewer_bytes_then_the_alphabet() {
        let check = |small: &str, large: &str| {
            assert!(is_smaller(small.as_bytes(), large.as_bytes()), "{small:?} < {large:?}");
            assert!(!is_smaller(large.as_bytes(), small.as_bytes()), "{large:?} < {small:?}");
        };
        check("2\n100 100\n", "3\n1 1 1\n");
        check("2\n1 1\n", "2\n1 10\n");
        check("2\n1 1\n", "2\n1 2\n");
        check("2\n1 9\n", "2\n1\n1\n");
        assert!(!is_smaller(b"1", b"1"));
    }
}
