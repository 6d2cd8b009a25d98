//! Inputs as a faulty program reads them: truncated, sorted, with smaller numbers.

use std::path::Path;

use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::reduce::{arrange, each_int, length, recount, set};
use crate::grammar::tree::{InputNode, InputTree, parse, written};

/// A way to read an input wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misreading {
    /// It reads at most this many values of each row.
    AtMost(u32),
    /// If a row has the maximal length, it reads one value less.
    OneShort,
    /// It skips the first value of each row.
    WithoutFirst,
    /// It skips the last value of each row.
    WithoutLast,
    /// It skips the last value of rows of odd length.
    InPairs,
    /// It reads the values of a row in rising order.
    Rising,
    /// It reads the values of a row in falling order.
    Falling,
    /// It reads the values of a row from the last to the first.
    Reversed,
    /// It reads equal values of a row only once.
    Once,
    /// It reads larger values as this one.
    Clamped(i64),
    /// It keeps only this many bits of a value, with or without a sign.
    Bits {
        /// The number of bits.
        bits: u32,
        /// Whether the first bit is the sign.
        signed: bool,
    },
    /// It drops signs.
    Absolute,
    /// It assumes that all rows are as long as the first.
    FirstLength,
    /// It reads only the first test case of the input.
    FirstCase,
    /// It skips the last test case of the input.
    WithoutLastCase,
}

/// The valid input that a program reads instead of this one; `None` if it is the same, or not valid.
pub fn misread(grammar: &Grammar, input: &[u8], how: Misreading) -> Option<Vec<u8>> {
    let path = Path::new("input");
    let mut tree = parse(grammar, input, path).ok()?;
    change(grammar, &mut tree, how);
    let text = written(grammar, &tree)?;
    (text != input && parse(grammar, &text, path).is_ok()).then_some(text)
}

/// A number of iterations in a tree.
struct Count {
    /// Its index in the order of choices.
    place: usize,
    site: usize,
    value: Int,
    min: Int,
    max: Int,
    is_of_cases: bool,
}

fn counts(grammar: &Grammar, tree: &InputTree) -> Vec<Count> {
    let (mut found, mut place) = (Vec::new(), 0);
    tree.each(&mut |node| {
        if let InputNode::Int(int) = node
            && grammar.sites[int.site].is_count
        {
            found.push(Count {
                place,
                site: int.site,
                value: int.value.clone(),
                min: int.min.clone(),
                max: int.max.clone(),
                is_of_cases: grammar.sites[int.site].is_case_count,
            });
        }
        place += 1;
    });
    found
}

fn change(grammar: &Grammar, tree: &mut InputTree, how: Misreading) {
    let one_less = |count: &Count| Some(count.value.minus(&Int::ONE));
    match how {
        Misreading::AtMost(most) => {
            let most = Int::from(u64::from(most));
            shorten(grammar, tree, false, false, |it| {
                Some(most.clone()).filter(|most| *most < it.value)
            });
        }
        Misreading::OneShort => {
            shorten(grammar, tree, false, false, |it| one_less(it).filter(|_| it.value == it.max));
        }
        Misreading::WithoutFirst => shorten(grammar, tree, false, true, one_less),
        Misreading::InPairs => shorten(grammar, tree, false, false, |it| {
            one_less(it).filter(|_| it.value.small().is_some_and(|value| value % 2 != 0))
        }),
        Misreading::WithoutLast => shorten(grammar, tree, false, false, one_less),
        Misreading::WithoutLastCase => shorten(grammar, tree, true, false, one_less),
        Misreading::FirstCase => {
            shorten(grammar, tree, true, false, |it| Some(Int::ONE).filter(|one| *one < it.value));
        }
        Misreading::Rising => rows(grammar, tree, |row| row.sort()),
        Misreading::Falling => rows(grammar, tree, |row| row.sort_by(|one, other| other.cmp(one))),
        Misreading::Reversed => rows(grammar, tree, |row| row.reverse()),
        Misreading::Once => once(grammar, &mut tree.nodes),
        Misreading::Clamped(most) => values(grammar, tree, |value| value.min(most)),
        Misreading::Bits { bits, signed } => {
            values(grammar, tree, |value| cut(value, bits, signed))
        }
        Misreading::Absolute => values(grammar, tree, i64::abs),
        Misreading::FirstLength => first_length(grammar, tree),
    }
}

/// The lowest `bits` bits of a number.
fn cut(value: i64, bits: u32, signed: bool) -> i64 {
    let (all, half) = (1_i64 << bits, 1_i64 << (bits - 1));
    if signed { (value + half).rem_euclid(all) - half } else { value.rem_euclid(all) }
}

/// Sets numbers of iterations to `to`, and removes the first or the last iterations.
fn shorten(
    grammar: &Grammar,
    tree: &mut InputTree,
    of_cases: bool,
    at_start: bool,
    to: impl Fn(&Count) -> Option<Int>,
) {
    // From the end, so that the indexes of earlier nodes stay valid.
    for count in counts(grammar, tree).iter().rev() {
        let to = to(count).filter(|to| *to >= count.min && count.is_of_cases == of_cases);
        if let Some(to) = to {
            recount(count.place, to, |stay, _| if at_start { 0 } else { stay })(grammar, tree);
        }
    }
}

fn rows(grammar: &Grammar, tree: &mut InputTree, order: fn(&mut [Int])) {
    for (site, of) in grammar.sites.iter().enumerate() {
        if of.is_number && !of.is_count {
            arrange(site, order)(grammar, tree);
        }
    }
}

fn values(grammar: &Grammar, tree: &mut InputTree, to: impl Fn(i64) -> i64) {
    each_int(tree, &mut |int| {
        if let Some(value) = int.value.small().filter(|_| !grammar.sites[int.site].is_count) {
            int.value = Int::Small(to(value));
        }
    });
}

/// Removes iterations that repeat an earlier one, if exactly one number beside the loop counts them.
fn once(grammar: &Grammar, nodes: &mut [InputNode]) {
    for at in 0..nodes.len() {
        let (before, rest) = nodes.split_at_mut(at);
        let [InputNode::Loop(of), ..] = rest else { continue };
        for iteration in &mut of.iterations {
            once(grammar, iteration);
        }
        let slots = &grammar.loops[of.id].count_slots;
        let mut counts = before.iter_mut().filter_map(|node| match node {
            InputNode::Int(int) => Some(int).filter(|int| {
                let site = &grammar.sites[int.site];
                !site.is_case_count && site.slot.is_some_and(|slot| slots.contains(&slot))
            }),
            _ => None,
        });
        let (Some(count), None) = (counts.next(), counts.next()) else { continue };
        let mut seen: Vec<Vec<Int>> = Vec::new();
        of.iterations.retain(|iteration| {
            let values = iteration.iter().filter_map(|node| match node {
                InputNode::Int(int) => Some(int.value.clone()),
                _ => None,
            });
            let values: Vec<Int> = values.collect();
            let is_new = !seen.contains(&values);
            seen.push(values);
            is_new
        });
        count.value = Int::from(of.iterations.len() as u64);
    }
}

fn first_length(grammar: &Grammar, tree: &mut InputTree) {
    let counts = counts(grammar, tree);
    for count in counts.iter().rev().filter(|it| !it.is_of_cases) {
        let Some(first) = counts.iter().find(|it| it.site == count.site) else { continue };
        let to = first.value.clone();
        if length(&to) < length(&count.value) {
            recount(count.place, to, |stay, _| stay)(grammar, tree);
        } else {
            set(count.place, to)(grammar, tree);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tests::grammar as compiled;

    const ROW: &str = "INT(2, 5, n) NEWLINE REP(n, SPACE) INT(-300, 300) END NEWLINE";
    const CASES: &str =
        "INT(1, 3, t) NEWLINE REP(t) INT(1, 5, n) SPACE REP(n, SPACE) INT(0, 9) END NEWLINE END";

    fn check(grammar: &str, how: Misreading, input: &str, expected: Option<&str>) {
        let grammar = compiled(grammar);
        let text = misread(&grammar, input.as_bytes(), how);
        let text = text.map(|text| String::from_utf8(text).expect("text"));
        assert_eq!(text.as_deref(), expected, "{how:?}");
    }

    #[test]
    fn rows_are_cut_and_ordered() {
        let check = |how, expected| check(ROW, how, "5\n3 -1 2 3 300\n", expected);
        check(Misreading::AtMost(3), Some("3\n3 -1 2\n"));
        check(Misreading::AtMost(5), None);
        check(Misreading::OneShort, Some("4\n3 -1 2 3\n"));
        check(Misreading::WithoutFirst, Some("4\n-1 2 3 300\n"));
        check(Misreading::WithoutLast, Some("4\n3 -1 2 3\n"));
        check(Misreading::InPairs, Some("4\n3 -1 2 3\n"));
        check(Misreading::Rising, Some("5\n-1 2 3 3 300\n"));
        check(Misreading::Falling, Some("5\n300 3 3 2 -1\n"));
        check(Misreading::Reversed, Some("5\n300 3 2 -1 3\n"));
        check(Misreading::Once, Some("4\n3 -1 2 300\n"));
        check(Misreading::FirstLength, None);
        check(Misreading::FirstCase, None);
    }

    #[test]
    fn values_are_narrowed() {
        let check = |how, expected| check(ROW, how, "3\n300 -1 200\n", expected);
        check(Misreading::Clamped(127), Some("3\n127 -1 127\n"));
        check(Misreading::Bits { bits: 8, signed: true }, Some("3\n44 -1 -56\n"));
        check(Misreading::Bits { bits: 8, signed: false }, Some("3\n44 255 200\n"));
        check(Misreading::Bits { bits: 16, signed: true }, None);
        check(Misreading::Absolute, Some("3\n300 1 200\n"));
    }

    #[test]
    fn cases_are_left_out_or_taken_to_be_like_the_first() {
        let check = |how, expected| check(CASES, how, "3\n2 1 2\n3 4 5 6\n1 7\n", expected);
        check(Misreading::FirstCase, Some("1\n2 1 2\n"));
        check(Misreading::WithoutLastCase, Some("2\n2 1 2\n3 4 5 6\n"));
        check(Misreading::FirstLength, Some("3\n2 1 2\n2 4 5\n2 7 0\n"));
        check(Misreading::WithoutFirst, Some("3\n1 2\n2 5 6\n1 7\n"));
        check(Misreading::InPairs, Some("3\n2 1 2\n2 4 5\n1 7\n"));
        check(Misreading::Rising, None);
        check(Misreading::Reversed, Some("3\n2 2 1\n3 6 5 4\n1 7\n"));
    }
}
