//! Inputs that are invalid by one number, which lies just outside its bounds.

use std::path::Path;

use num_bigint::BigInt;

use crate::grammar::program::Grammar;
use crate::grammar::tree::{InputNode, IntNode, parse};
use crate::grammar::validate::accepts;

/// An input with one number just outside its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Which number it is, and on which side, such as `n one above its bound`.
    pub name: String,
    /// The input.
    pub text: Vec<u8>,
}

/// Changes one integer of a valid input at a time: for each command that reads integers the last that it reads,
/// to one below its least and to one above its greatest value there. None for an input that is not valid.
pub fn outside(grammar: &Grammar, input: &[u8]) -> Vec<Outside> {
    let Ok(tree) = parse(grammar, input, Path::new("")) else { return Vec::new() };
    let mut ints: Vec<&IntNode> = Vec::new();
    tree.each(&mut |node| {
        if let InputNode::Int(int) = node {
            ints.push(int);
        }
    });
    // The last of each command, with its place.
    let mut last: Vec<Option<(&IntNode, usize)>> = vec![None; grammar.sites().len()];
    let mut rest = 0;
    for int in ints {
        let word = int.value.to_string();
        let Some(at) = find_word(input, rest, word.as_bytes()) else { break };
        rest = at + word.len();
        if let Some(last) = last.get_mut(int.site) {
            *last = Some((int, at));
        }
    }
    let mut found = Vec::new();
    for (int, at) in last.into_iter().flatten() {
        let label = &grammar.sites()[int.site].label;
        let length = int.value.to_string().len();
        let sides = [
            ("below", int.min.big() - BigInt::from(1)),
            ("above", int.max.big() + BigInt::from(1)),
        ];
        for (side, value) in sides {
            let (before, after) = (&input[..at], &input[at + length..]);
            let text = [before, value.to_string().as_bytes(), after].concat();
            // Where the same number may also be read otherwise, it can be valid.
            if !accepts(grammar, &text) {
                let name = format!("{label} one {side} its bound");
                found.push(Outside { name, text });
            }
        }
    }
    found
}

/// Where a number stands as a word of its own, from `start` on.
fn find_word(input: &[u8], start: usize, word: &[u8]) -> Option<usize> {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_digit() || *it == b'-');
    let found = memchr::memmem::find_iter(&input[start..], word);
    found.map(|at| start + at).find(|at| {
        let before = at.checked_sub(1).and_then(|before| input.get(before));
        !is_part(before) && !is_part(input.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::compile::read;

    #[test]
    fn each_number_leaves_its_bounds_once_on_each_side() {
        let check = |grammar: &str, input: &str, expected: &[(&str, &str)]| {
            let reading = read(Path::new("g.ctd"), grammar.as_bytes());
            let grammar = reading.grammar.expect("a grammar");
            let found = outside(&grammar, input.as_bytes());
            let found: Vec<(String, String)> = found
                .into_iter()
                .map(|it| (it.name, String::from_utf8_lossy(&it.text).into_owned()))
                .collect();
            let expected: Vec<(String, String)> = expected
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect();
            assert_eq!(found, expected, "{input}");
        };
        let row = "INT(1, 3, n) NEWLINE REPI(i, n, SPACE) INT(-5, n, a[i]) END NEWLINE";
        check(
            row,
            "2\n-2 2\n",
            &[
                ("n one below its bound", "0\n-2 2\n"),
                ("n one above its bound", "4\n-2 2\n"),
                ("a[i] one below its bound", "2\n-2 -6\n"),
                ("a[i] one above its bound", "2\n-2 3\n"),
            ],
        );
        // A large bound, and a number that is part of another word.
        check(
            "STRING(\"x12\") SPACE INT(2, 9223372036854775807, m) NEWLINE",
            "x12 2\n",
            &[
                ("m one below its bound", "x12 1\n"),
                ("m one above its bound", "x12 9223372036854775808\n"),
            ],
        );
        check(row, "2\n-2 3\n", &[]);
        check("STRING(\"a\") NEWLINE", "a\n", &[]);
    }
}
