//! Inputs shrink as far as they can, and stay valid on the way.

use std::path::Path;

use super::generation::GRAMMARS;
use super::grammar;
use crate::generate::generate;
use crate::program::Grammar;
use crate::shape::{RANDOM, find_shape};
use crate::shrink::{is_smaller, shrink};
use crate::tree::{InputNode, InputTree, parse, write_tree};
use crate::validate::accepts;

const ROW: &str = "INT(2,100,n) NEWLINE REPI(i,n) INT(1,200,a[i]) IF(i<n-1 && MATCH(\" \")) SPACE ELSE NEWLINE END END";
const CASES: &str =
    "INT(1,10,t) NEWLINE REP(t) INT(1,40,n) NEWLINE REP(n,SPACE) INT(0,10^9) END NEWLINE END";
const GRID: &str =
    "INT(1,8,n) NEWLINE REPI(i,n) REPI(j,n,SPACE) INT(-1000,1000,a[i,j]) END NEWLINE END";
const EVEN: &str = "INT(2,1000,n) NEWLINE ASSERT(n%2==0) REP(n,SPACE) INT(0,10^5) END NEWLINE";
const LINES: &str = "WHILE(!ISEOF) INT(0,999) NEWLINE END";
const WORD: &str = "REGEX(\"[a-z]{1,20}\",s) NEWLINE";
const TWO_ROWS: &str = "INT(1,20,n) SPACE INT(1,20,m) NEWLINE REP(n,SPACE) INT(0,9) END NEWLINE REP(m,SPACE) INT(0,9) END NEWLINE";
const PAIR: &str = "INT(1,99,k) SPACE INT(1,99,x) NEWLINE";
const SORTED: &str = "INT(1,50,n) NEWLINE REPI(i,n,SPACE) INT(0,1000,a[i]) IF(i>0) ASSERT(a[i-1]<=a[i]) END END NEWLINE";

/// `None` if the grammar does not accept the written input.
fn write_valid(grammar: &Grammar, tree: &InputTree) -> Option<Vec<u8>> {
    write_tree(grammar, tree).filter(|text| accepts(grammar, text))
}

fn value_count(tree: &InputTree) -> usize {
    let mut count = 0;
    tree.all().into_iter().for_each(|node| {
        count += usize::from(!matches!(node, InputNode::Loop(_) | InputNode::Answer { .. }));
    });
    count
}

fn numbers(text: &[u8]) -> Vec<i64> {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Several random inputs that have the fault shrink to the same smallest one.
fn check(text: &str, fault: fn(&[i64]) -> bool, smallest: &str) {
    let grammar = grammar(text);
    let mut starts = 0;
    for seed in 0..40 {
        let shape =
            find_shape(["random", "count-most", "few-distinct"][seed as usize % 3]).unwrap();
        let input = generate(&grammar, &shape, seed).unwrap();
        if !fault(&numbers(&input)) || starts == 6 {
            continue;
        }
        starts += 1;
        let mut attempts_left = 3000;
        let interesting = |text: &[u8]| {
            attempts_left -= 1;
            assert!(
                accepts(&grammar, text),
                "only valid inputs are tried: {:?}",
                String::from_utf8_lossy(text)
            );
            fault(&numbers(text))
        };
        let shrunk = shrink(&grammar, &input, interesting, 3000, || false).unwrap();
        assert_eq!(String::from_utf8_lossy(&shrunk), smallest, "{text} from seed {seed}");
        assert!(attempts_left > 0, "{text} from seed {seed}: not complete");
    }
    assert!(starts >= 3, "{text}: too few inputs have the fault");
}

#[test]
fn size_faults_shrink_to_their_true_minimum() {
    check(ROW, |row| row[0] % 2 == 1, "3\n1 1 1\n");
    check(ROW, |row| row[1..].iter().any(|value| *value > 127), "2\n1 128\n");
    check(ROW, |row| row[0] >= 65, &format!("65\n{}1\n", "1 ".repeat(64)));
    check(ROW, |row| row[1..].iter().sum::<i64>() > 255, "2\n56 200\n");
    check(EVEN, |row| row[0] >= 12, &format!("12\n{}0\n", "0 ".repeat(11)));
    check(EVEN, |row| row[0] % 4 == 2, "2\n0 0\n");
}

#[test]
fn relations_between_values_survive() {
    check(ROW, |row| row[1..].windows(2).any(|pair| pair[0] > pair[1] + 10), "2\n12 1\n");
    check(ROW, |row| row[1..].windows(2).any(|pair| pair[0] == pair[1] && pair[0] > 5), "2\n6 6\n");
    check(ROW, |row| row[0] % 2 == 1 && row[1] < row[2], "3\n1 2 1\n");
    check(SORTED, |row| row[row.len() - 1] > 500, "1\n501\n");
    check(SORTED, |row| row.len() > 3 && row[2] > row[1], "3\n0 1 1\n");
}

#[test]
fn test_cases_are_removed_first() {
    check(
        CASES,
        |row| row[0] >= 1 && row.iter().any(|value| *value > 1_000_000),
        "1\n1\n1000001\n",
    );
    check(CASES, |row| row[0] >= 2, "2\n1\n0\n1\n0\n");
    // A case that falls in length.
    check(
        CASES,
        |row| {
            let mut at = 1;
            let mut lengths = Vec::new();
            while at < row.len() {
                lengths.push(row[at]);
                at += usize::try_from(row[at]).unwrap() + 1;
            }
            lengths.windows(2).any(|pair| pair[0] > pair[1])
        },
        "2\n2\n0 0\n1\n0\n",
    );
}

#[test]
fn grids_lose_rows_and_columns_together() {
    check(GRID, |row| row[0] >= 2, "2\n0 0\n0 0\n");
    check(GRID, |row| row[1..].iter().any(|value| *value < -500), "1\n-501\n");
    check(
        GRID,
        |row| row[0] >= 2 && row[1..].iter().filter(|value| **value > 100).count() >= 2,
        "2\n0 0\n101 101\n",
    );
}

#[test]
fn loops_without_a_count_shrink_too() {
    check(LINES, |row| row.len() >= 3, "0\n0\n0\n");
    check(LINES, |row| row.iter().any(|value| *value >= 77), "77\n");
}

#[test]
fn texts_shrink() {
    let grammar = grammar(WORD);
    let shrunk =
        shrink(&grammar, b"abcdefghijkl\n", |text| text.len() > 4, 1000, || false).unwrap();
    assert_eq!(shrunk, b"abcd\n");
}

#[test]
fn the_budget_limits_attempts() {
    let grammar = grammar(ROW);
    let input = generate(&grammar, &find_shape("count-most").unwrap(), 1).unwrap();
    let mut asked = 0;
    let interesting = |_: &[u8]| {
        asked += 1;
        false
    };
    assert_eq!(shrink(&grammar, &input, interesting, 20, || false).unwrap(), input);
    assert_eq!(asked, 20);
    assert_eq!(shrink(&grammar, &input, |_| true, 20, || true).unwrap(), input);
    assert!(shrink(&grammar, b"nonsense", |_| true, 20, || false).is_err());
}

#[test]
fn a_tree_writes_its_input_again() {
    for text in GRAMMARS {
        let grammar = grammar(text);
        for seed in 0..4 {
            let input = generate(&grammar, &RANDOM, seed).unwrap();
            let tree = parse(&grammar, &input, Path::new("1.in")).unwrap();
            let back = write_valid(&grammar, &tree).unwrap_or_default();
            // A float may be written in another way, but it is the same number.
            if !text.contains("FLOAT") {
                assert_eq!(
                    String::from_utf8_lossy(&back),
                    String::from_utf8_lossy(&input),
                    "{text}"
                );
            }
            let again = parse(&grammar, &back, Path::new("1.in")).unwrap();
            assert_eq!(value_count(&again), value_count(&tree), "{text}");
        }
    }
}

#[test]
fn an_always_interesting_input_shrinks_to_the_smallest() {
    for text in GRAMMARS {
        let grammar = grammar(text);
        let input = generate(&grammar, &RANDOM, 5).unwrap();
        let shrunk =
            shrink(&grammar, &input, |text| accepts(&grammar, text), 3000, || false).unwrap();
        assert!(shrunk == input || is_smaller(&shrunk, &input), "{text}");
        let again = shrink(&grammar, &shrunk, |_| true, 3000, || false).unwrap();
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&shrunk), "{text}");
    }
}

#[test]
fn several_parts_and_values_change_at_once() {
    let check = |text: &str, input: &str, fault: fn(&[i64]) -> bool, smallest: &str| {
        let grammar = grammar(text);
        let interesting = |text: &[u8]| fault(&numbers(text));
        let shrunk = shrink(&grammar, input.as_bytes(), interesting, 3000, || false).unwrap();
        assert_eq!(String::from_utf8_lossy(&shrunk), smallest, "{text} from {input}");
    };
    let same_counts = |row: &[i64]| row[0] == row[1] && row[0] >= 2;
    check(TWO_ROWS, "4 4\n1 2 3 4\n5 6 7 8\n", same_counts, "2 2\n0 0\n0 0\n");
    let threes = |row: &[i64]| row[0] % 3 == 0 && row[1..].iter().any(|value| *value > 127);
    check(ROW, "9\n1 1 1 1 150 1 1 1 1\n", threes, "3\n1 1 128\n");
    check(PAIR, "90 45\n", |row| row[0] == 2 * row[1], "2 1\n");
    check(PAIR, "47 40\n", |row| row[0] == row[1] + 7, "8 1\n");
    check(PAIR, "30 30\n", |row| row[0] == row[1] && row[0] % 2 == 0, "2 2\n");
}
