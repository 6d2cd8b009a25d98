//! Inputs that are invalid because of one number just outside its bounds.

use std::path::Path;

use num_bigint::BigInt;

use crate::grammar::program::Grammar;
use crate::grammar::tree::{InputNode, IntNode, parse};
use crate::grammar::validate::accepts;

/// An input with one number just outside its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The number and the side, such as `n one above its bound`.
    pub name: String,
    /// The input.
    pub text: Vec<u8>,
}

/// Changes one integer of a valid input at a time. For each command, the last integer that it reads is set one below
/// its least and one above its greatest value there. Empty if the input is not valid.
pub fn outside(grammar: &Grammar, input: &[u8]) -> Vec<Outside> {
    let Ok(tree) = parse(grammar, input, Path::new("")) else { return Vec::new() };
    // The last integer of each command.
    let mut last: Vec<Option<&IntNode>> = vec![None; grammar.sites().len()];
    tree.each(&mut |node| {
        if let InputNode::Int(int) = node {
            last[int.site] = Some(int);
        }
    });
    let mut found = Vec::new();
    for int in last.into_iter().flatten() {
        let label = &grammar.sites()[int.site].label;
        let (before, after) = input.split_at(int.at);
        let after = &after[int.value.to_string().len()..];
        let sides = [
            ("below", int.min.big() - BigInt::from(1)),
            ("above", int.max.big() + BigInt::from(1)),
        ];
        for (side, value) in sides {
            let text = [before, value.to_string().as_bytes(), after].concat();
            // The input stays valid if the grammar can read the same text in another way.
            if !accepts(grammar, &text) {
                let name = format!("{label} one {side} its bound");
                found.push(Outside { name, text });
            }
        }
    }
    found
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
