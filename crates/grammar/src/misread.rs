//! Inputs as a faulty program reads them: truncated, sorted, with smaller numbers.

use std::path::Path;

use crate::number::Int;
use crate::program::Grammar;
use crate::read::IntNode;
use crate::reduce::{arrange_rows, each_value, recount, set_node, to_length};
use crate::tree::{InputNode, InputTree, parse, write_tree};

#[derive(Clone, Copy, Debug)]
pub enum Misreading {
    /// Fewer values of each row: the function maps their number and its maximum to the number that is read.
    ShorterRows(fn(i64, i64) -> i64),
    SkippedFirst,
    /// Fewer test cases: the function maps their number to the number that is read.
    FewerCases(fn(i64) -> i64),
    ReorderedRows(fn(&mut [Int])),
    DistinctOnly,
    ChangedValues(fn(i64) -> i64),
    /// It assumes that all rows are as long as the first.
    FirstLength,
}

/// The valid input that a program reads instead of this one; `None` if it is the same, or not valid.
pub fn misread(grammar: &Grammar, input: &[u8], misreading: Misreading) -> Option<Vec<u8>> {
    let path = Path::new("input");
    let mut tree = parse(grammar, input, path).ok()?;
    apply(grammar, &mut tree, misreading);
    let text = write_tree(grammar, &tree)?;
    (text != input && parse(grammar, &text, path).is_ok()).then_some(text)
}

/// The numbers of test cases, or all other counts, each with the index of its node.
fn counts(grammar: &Grammar, tree: &InputTree, of_cases: bool) -> Vec<(usize, IntNode)> {
    let is_wanted = |int: &IntNode| {
        let site = &grammar.sites[int.site];
        site.is_count && site.is_case_count == of_cases
    };
    let counts = tree.ints().filter(|(_, int)| is_wanted(int));
    counts.map(|(index, int)| (index, int.clone())).collect()
}

fn apply(grammar: &Grammar, tree: &mut InputTree, misreading: Misreading) {
    match misreading {
        Misreading::ShorterRows(to) => shorten(grammar, tree, false, |stay| stay, to),
        Misreading::SkippedFirst => shorten(grammar, tree, false, |_| 0, |length, _| length - 1),
        Misreading::FewerCases(to) => {
            shorten(grammar, tree, true, |stay| stay, |length, _| to(length))
        }
        Misreading::ReorderedRows(order) => reorder_rows(grammar, tree, order),
        Misreading::DistinctOnly => remove_repeated(grammar, &mut tree.nodes),
        Misreading::ChangedValues(to) => change_values(grammar, tree, to),
        Misreading::FirstLength => resize_to_first(grammar, tree),
    }
}

/// Sets numbers of iterations to `new_length`. `start` returns the index of the first removed iteration, by how many
/// stay.
fn shorten(
    grammar: &Grammar,
    tree: &mut InputTree,
    of_cases: bool,
    start: fn(usize) -> usize,
    new_length: impl Fn(i64, i64) -> i64,
) {
    // From the end, so that the indexes of earlier nodes stay valid.
    for (index, count) in counts(grammar, tree, of_cases).iter().rev() {
        let Some(length) = count.value.to_small() else { continue };
        let shorter = Int::Small(new_length(length, count.max.to_small().unwrap_or(i64::MAX)));
        if shorter >= count.min && shorter < count.value {
            recount(*index, shorter, |stay, _| start(stay))(grammar, tree);
        }
    }
}

fn reorder_rows(grammar: &Grammar, tree: &mut InputTree, order: fn(&mut [Int])) {
    for (index, site) in grammar.sites.iter().enumerate() {
        if site.is_number && !site.is_count {
            arrange_rows(index, order)(grammar, tree);
        }
    }
}

fn change_values(grammar: &Grammar, tree: &mut InputTree, change: impl Fn(i64) -> i64) {
    each_value(grammar, tree, &mut |int| {
        let small = int.value.to_small();
        small.map_or_else(|| int.value.clone(), |small| Int::Small(change(small)))
    });
}

/// Removes iterations that repeat an earlier one, if exactly one number next to the loop counts them.
fn remove_repeated(grammar: &Grammar, nodes: &mut [InputNode]) {
    for at in 0..nodes.len() {
        let (before, rest) = nodes.split_at_mut(at);
        let [InputNode::Loop(loop_node), ..] = rest else { continue };
        for iteration in &mut loop_node.iterations {
            remove_repeated(grammar, iteration);
        }
        let slots = &grammar.loops[loop_node.id].count_variables;
        let mut counts = before.iter_mut().filter_map(InputNode::int_mut).filter(|int| {
            let site = &grammar.sites[int.site];
            !site.is_case_count && site.variable.is_some_and(|slot| slots.contains(&slot))
        });
        let (Some(count), None) = (counts.next(), counts.next()) else { continue };
        let mut earlier: Vec<Vec<Int>> = Vec::new();
        loop_node.iterations.retain(|iteration| {
            let values = iteration.iter().filter_map(|node| Some(node.int()?.value.clone()));
            let values: Vec<Int> = values.collect();
            let is_new = !earlier.contains(&values);
            earlier.push(values);
            is_new
        });
        count.value = Int::from(loop_node.iterations.len() as u64);
    }
}

fn resize_to_first(grammar: &Grammar, tree: &mut InputTree) {
    let counts = counts(grammar, tree, false);
    for (index, count) in counts.iter().rev() {
        let Some((_, first)) = counts.iter().find(|(_, other)| other.site == count.site) else {
            continue;
        };
        let length = first.value.clone();
        if to_length(&length) < to_length(&count.value) {
            recount(*index, length, |stay, _| stay)(grammar, tree);
        } else {
            set_node(*index, length)(grammar, tree);
        }
    }
}
