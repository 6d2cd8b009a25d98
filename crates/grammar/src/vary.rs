//! Changes an input slightly, at random or towards a goal: longer loops are filled with copies, shorter ones lose
//! parts.

use crate::chance::Chance;
use crate::number::Int;
use crate::program::Grammar;
use crate::read::IntNode;
use crate::reduce::{each_value, set_count};
use crate::tree::{InputNode, InputTree, LoopNode, write_tree};
use crate::validate::accepts;

const ITERATIONS_MAX: usize = 5000;

/// One value of these commands grows by this much.
#[derive(Clone, Debug)]
pub struct WantedChange<'a> {
    /// Indexes in [`Grammar::sites`].
    pub sites: &'a [usize],
    pub by: Int,
}

/// `None` if the grammar does not accept the changed input.
pub fn vary(grammar: &Grammar, tree: &InputTree, chance: &mut Chance) -> Option<Vec<u8>> {
    let mut tree = tree.clone();
    for _ in 0..=chance.below(3) {
        change_randomly(grammar, &mut tree, chance);
    }
    valid_text(grammar, &tree)
}

/// `None` if the grammar does not accept the changed input, or if no value can change as wished.
pub fn vary_towards(
    grammar: &Grammar,
    tree: &InputTree,
    wish: &WantedChange<'_>,
    chance: &mut Chance,
) -> Option<Vec<u8>> {
    let mut tree = tree.clone();
    let can_change = |int: &IntNode| {
        let room = if wish.by.is_negative() { &int.min } else { &int.max };
        wish.sites.contains(&int.site) && int.value != *room
    };
    let (index, int) = choose_int(&tree, chance, &can_change)?;
    let value = int.value.plus(&wish.by).clamped(&int.min, &int.max);
    set_int(grammar, &mut tree, index, &value, chance);
    valid_text(grammar, &tree)
}

/// What inputs are changed with.
#[derive(Clone, Copy, Debug)]
pub struct Ingredients<'a> {
    /// Another input: its values and pieces of its texts.
    pub other: &'a InputTree,
    /// As values, and as digits of texts.
    pub numbers: &'a [Int],
}

/// As [`vary`], with a value or a piece of another input, or a special number. If an input has many test cases, many
/// change.
pub fn vary_with(
    grammar: &Grammar,
    tree: &InputTree,
    with: Ingredients<'_>,
    chance: &mut Chance,
) -> Option<Vec<u8>> {
    let mut tree = tree.clone();
    let mut cases = 0;
    for node in &tree.nodes {
        if let InputNode::Loop(loop_node) = node
            && grammar.loops[loop_node.id].is_cases
        {
            cases = loop_node.iterations.len() as u64;
        }
    }
    for _ in 0..=chance.below(3 + cases) {
        if !chance.happens(300) || !mix_in(grammar, &mut tree, with, chance) {
            change_randomly(grammar, &mut tree, chance);
        }
    }
    valid_text(grammar, &tree)
}

/// Returns whether there is something to change.
fn mix_in(
    grammar: &Grammar,
    tree: &mut InputTree,
    with: Ingredients<'_>,
    chance: &mut Chance,
) -> bool {
    let is_value = |int: &IntNode| !grammar.sites[int.site].is_count;
    let nodes = with.other.all();
    let texts = nodes.iter().filter_map(|node| node.text());
    let texts: Vec<&[u8]> = texts.filter(|text| !text.is_empty()).collect();
    if let Some(other) = chance.pick(&texts).filter(|_| chance.happens(600)) {
        let has_digits = other.iter().any(u8::is_ascii_digit);
        let number = chance.pick(with.numbers);
        let number = number.filter(|_| has_digits && chance.happens(300));
        let digits = number.map(|number| number.magnitude().to_string().into_bytes());
        let is_text = |node: &InputNode| matches!(node, InputNode::Text { .. });
        return change_one(tree, chance, is_text, &|node, chance| {
            let InputNode::Text { text, .. } = node else { return };
            let at = |length: usize, chance: &mut Chance| chance.below(length as u64 + 1) as usize;
            let start = chance.below(other.len() as u64) as usize;
            let most = if chance.happens(500) { 1 } else { other.len() - start };
            let piece = &other[start..=start + chance.below(most as u64) as usize];
            let piece = digits.as_deref().unwrap_or(piece);
            let from = at(text.len(), chance);
            let to = match chance.below(3) {
                0 => from,
                1 => (from + piece.len()).min(text.len()),
                _ => from + at(text.len() - from, chance),
            };
            text.splice(from..to, piece.iter().copied());
        });
    }
    let Some((index, int)) = choose_int(tree, chance, &is_value) else { return false };
    let numbers = if chance.happens(500) { with.numbers } else { &[] };
    let number = chance.pick(numbers);
    let values = with.other.ints().filter(|(_, int)| is_value(int));
    let values: Vec<&Int> = values.map(|(_, int)| &int.value).collect();
    let Some(value) = number.or(chance.pick(&values).copied()) else { return false };
    let value = value.clamped(&int.min, &int.max);
    set_int(grammar, tree, index, &value, chance);
    true
}

fn valid_text(grammar: &Grammar, tree: &InputTree) -> Option<Vec<u8>> {
    write_tree(grammar, tree).filter(|text| accepts(grammar, text))
}

fn change_randomly(grammar: &Grammar, tree: &mut InputTree, chance: &mut Chance) {
    match chance.below(10) {
        _ if chance.below(2) == 0 && change_text(tree, chance) => {}
        0..=2 => change_row(grammar, tree, chance),
        3 | 4 => {
            let is_count = |int: &IntNode| grammar.sites[int.site].is_count;
            let Some((index, int)) = choose_int(tree, chance, &is_count) else { return };
            let value = near_value(&int, chance.below(8));
            set_int(grammar, tree, index, &value, chance);
        }
        5 if chance.happens(500) && flip_answer(tree, chance) => {}
        5 => shift(grammar, tree, chance),
        _ => {
            let is_value = |int: &IntNode| !grammar.sites[int.site].is_count;
            let Some((index, int)) = choose_int(tree, chance, &is_value) else { return };
            let kind = chance.below(12);
            let mut other = Chance::new(chance.below(u64::MAX), "value");
            // The value of another node of the same command, or of any command.
            let is_like = |like: &IntNode| kind == 9 || like.site == int.site;
            let like = choose_int(tree, &mut other, &is_like).map(|(_, like)| like.value);
            let value = match kind {
                8 | 9 => like.as_ref().unwrap_or(&int.min).clamped(&int.min, &int.max),
                10 => int.value.negated(),
                11 => other.between(&int.min, &int.max),
                kind => near_value(&int, kind),
            };
            set_int(grammar, tree, index, &value, chance);
        }
    }
}

/// A value near this one, or one of its bounds.
fn near_value(int: &IntNode, kind: u64) -> Int {
    let two = Int::from(2_u64);
    let value = match kind {
        0 => int.value.plus(&Int::ONE),
        1 => int.value.minus(&Int::ONE),
        2 => int.value.plus(&two),
        3 => int.value.minus(&two),
        4 => int.min.clone(),
        5 => int.max.clone(),
        6 => int.value.divided_by(&two).unwrap_or(Int::ZERO),
        _ => Int::ZERO,
    };
    value.clamped(&int.min, &int.max)
}

/// A random node among the wanted ones, with its index.
fn choose_int(
    tree: &InputTree,
    chance: &mut Chance,
    is_eligible: &dyn Fn(&IntNode) -> bool,
) -> Option<(usize, IntNode)> {
    let ints: Vec<(usize, &IntNode)> = tree.ints().filter(|(_, int)| is_eligible(int)).collect();
    chance.pick(&ints).map(|(index, int)| (*index, IntNode::clone(int)))
}

/// Sets a number. A count also lengthens or shortens the loops that it counts.
fn set_int(
    grammar: &Grammar,
    tree: &mut InputTree,
    index: usize,
    value: &Int,
    chance: &mut Chance,
) {
    // A negated value may be out of bounds until the input is written.
    set_count(grammar, tree, index, value, &mut |iterations, rounds, _| {
        resize(iterations, rounds.min(ITERATIONS_MAX), chance);
    });
}

fn resize(iterations: &mut Vec<Vec<InputNode>>, rounds: usize, chance: &mut Chance) {
    while iterations.len() > rounds {
        iterations.remove(chance.below(iterations.len() as u64) as usize);
    }
    while !iterations.is_empty() && iterations.len() < rounds {
        let index = chance.below(iterations.len() as u64) as usize;
        iterations.insert(index, iterations[index].clone());
    }
}

/// All values change by the same amount, as far as their bounds permit.
fn shift(grammar: &Grammar, tree: &mut InputTree, chance: &mut Chance) {
    let size = Int::from(10_i64.pow(chance.below(7) as u32));
    let by = chance.between(&size.negated(), &size);
    each_value(grammar, tree, &mut |int| int.value.plus(&by).clamped(&int.min, &int.max));
}

/// Returns whether there is a wanted node.
fn change_one(
    tree: &mut InputTree,
    chance: &mut Chance,
    is_wanted: fn(&InputNode) -> bool,
    change: &dyn Fn(&mut InputNode, &mut Chance),
) -> bool {
    let nodes = tree.all().into_iter().enumerate();
    let wanted: Vec<usize> =
        nodes.filter(|(_, node)| is_wanted(node)).map(|(index, _)| index).collect();
    let Some(chosen) = chance.pick(&wanted) else { return false };
    tree.each_mut(&mut |index, node| {
        if index == *chosen {
            change(node, chance);
        }
    });
    true
}

/// Returns whether there is a question.
fn flip_answer(tree: &mut InputTree, chance: &mut Chance) -> bool {
    let is_answer = |node: &InputNode| matches!(node, InputNode::Answer { .. });
    change_one(tree, chance, is_answer, &|node, _| {
        if let InputNode::Answer { answer, .. } = node {
            *answer ^= true;
        }
    })
}

/// Returns whether there is a text.
fn change_text(tree: &mut InputTree, chance: &mut Chance) -> bool {
    let is_text = |node: &InputNode| matches!(node, InputNode::Text { .. });
    change_one(tree, chance, is_text, &|node, chance| {
        let InputNode::Text { text, .. } = node else { return };
        if text.is_empty() {
            return;
        }
        let one = chance.below(text.len() as u64) as usize;
        let other = chance.below(text.len() as u64) as usize;
        match chance.below(8) {
            0 => text.swap(one, other),
            1 => text[one] = text[other],
            2 => text.insert(one, text[other]),
            3 => drop(text.remove(one)),
            4 => text.reverse(),
            5 => text.extend(text.clone().iter().rev()),
            6 => text.truncate(one + 1),
            _ => text[one] = text[one].wrapping_add(chance.below(5) as u8).wrapping_sub(2),
        }
    })
}

fn change_row(grammar: &Grammar, tree: &mut InputTree, chance: &mut Chance) {
    let is_row =
        |node: &InputNode| matches!(node, InputNode::Loop(own) if own.iterations.len() > 1);
    change_one(tree, chance, is_row, &|node, chance| {
        if let InputNode::Loop(loop_node) = node {
            rearrange(grammar, loop_node, chance);
        }
    });
}

fn rearrange(grammar: &Grammar, loop_node: &mut LoopNode, chance: &mut Chance) {
    let last = loop_node.iterations.len() - 1;
    let one = chance.below(last as u64 + 1) as usize;
    let other = chance.below(last as u64 + 1) as usize;
    match chance.below(7) {
        0 => loop_node.iterations.reverse(),
        1 => loop_node.iterations.swap(one, other),
        2 => loop_node.iterations[one] = loop_node.iterations[other].clone(),
        3 => loop_node.iterations[last] = loop_node.iterations[0].clone(),
        // Test cases stay separate.
        4 if !grammar.loops[loop_node.id].is_cases => {
            let same = loop_node.iterations[one].clone();
            loop_node.iterations.fill(same);
        }
        5 => loop_node.iterations.rotate_left(one),
        _ => {
            let ints = loop_node.iterations.iter_mut().flatten().filter_map(InputNode::int_mut);
            let values = ints.filter(|int| !grammar.sites[int.site].is_count);
            let values: Vec<&mut Int> = values.map(|int| &mut int.value).collect();
            let mut sorted: Vec<Int> = values.iter().map(|value| Int::clone(value)).collect();
            sorted.sort();
            if chance.happens(500) {
                sorted.reverse();
            }
            values.into_iter().zip(sorted).for_each(|(value, sorted)| *value = sorted);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::compile::parse_grammar;
    use crate::tree::parse;

    fn grammar(text: &str) -> Grammar {
        parse_grammar(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar")
    }

    #[test]
    fn varied_inputs_are_valid_and_different() {
        let check = |text: &str, input: &str| {
            let grammar = grammar(text);
            let tree = parse(&grammar, input.as_bytes(), Path::new("1.in")).expect("valid");
            let mut chance = Chance::new(1, "test");
            let all: BTreeSet<Vec<u8>> =
                (0..300).filter_map(|_| vary(&grammar, &tree, &mut chance)).collect();
            assert!(all.iter().all(|text| accepts(&grammar, text)));
            assert!(all.len() > 30, "{input}: {}", all.len());
        };
        check("INT(2,9,n) NEWLINE REPI(i,n,SPACE) INT(-5,99,a[i]) END NEWLINE", "3\n1 2 3\n");
        check("REGEX(\"[a-f]{1,9}\", s) NEWLINE", "abc\n");
        check(
            "INT(1,5,t) NEWLINE REP(t) INT(1,9,n) NEWLINE REPI(i,n) INT(1,9,a[i]) IF(i<n-1&&MATCH(\" \")) SPACE ELSE NEWLINE END END END",
            "2\n3\n1 2\n3\n1\n1\n",
        );
    }

    #[test]
    fn a_wanted_change_happens_within_bounds() {
        let grammar = grammar("INT(2,9,n) NEWLINE REPI(i,n,SPACE) INT(0,50,a[i]) END NEWLINE");
        let check = |sites: &[usize], by: i64, sums: &[u64]| {
            let tree = parse(&grammar, b"2\n10 45\n", Path::new("1.in")).expect("valid");
            let mut chance = Chance::new(1, "test");
            let wish = WantedChange { sites, by: Int::from(by) };
            let text = vary_towards(&grammar, &tree, &wish, &mut chance).expect("valid");
            let text = String::from_utf8(text).expect("text");
            let sum =
                text.split_whitespace().skip(1).map(|word| word.parse::<u64>().unwrap()).sum();
            assert!(sums.contains(&sum), "{text}");
        };
        check(&[1], 7, &[62, 60]);
        check(&[1], -12, &[43, 45]);
        // A copy of one of the values.
        check(&[0], 1, &[65, 100]);
    }
}
