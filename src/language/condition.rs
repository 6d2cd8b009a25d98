//! Conditions of C's preprocessor, as far as a source alone tells what holds.

use std::collections::HashMap;

use crate::language::start::tokens;

/// Names that are defined, with their texts.
pub(super) type Macros = HashMap<String, String>;

/// Names that this machine's compilers define, and juror. Their values are not known.
const PREDEFINED: [&str; 6] =
    ["ONLINE_JUDGE", "__GNUC__", "__linux__", "__unix__", "__STDC__", "__x86_64__"];

/// The names that are defined at first.
pub(super) fn predefined(language: &str) -> Macros {
    let cpp = language.starts_with("cpp").then_some("__cplusplus");
    PREDEFINED.into_iter().chain(cpp).map(|name| (name.to_owned(), "?".to_owned())).collect()
}

/// Whether a condition may hold: only if it is known to be zero, it does not.
pub(super) fn may_hold(condition: &str, macros: &Macros) -> bool {
    /// More than anybody writes by hand. It also bounds how deep parentheses are.
    const LONGEST: usize = 500;
    let tokens = tokens(condition);
    if tokens.len() > LONGEST {
        return true;
    }
    let mut parser = Parser { tokens: &tokens, at: 0, macros };
    let value = parser.binary(1);
    parser.at < tokens.len() || value != Some(0)
}

struct Parser<'a> {
    tokens: &'a [&'a str],
    at: usize,
    macros: &'a Macros,
}

/// The binary operators: how strongly each binds, the longest first.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl Parser<'_> {
    /// A value, if it is known, of operators that bind at least so strongly.
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary();
        while let Some((operator, binds)) = self.operator().filter(|(_, binds)| *binds >= least) {
            self.at += operator.len();
            let right = self.binary(binds + 1);
            left = apply(operator, left, right);
        }
        left
    }

    fn operator(&self) -> Option<(&'static str, u8)> {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let is_here = |operator: &str| {
            let signs = operator.chars().zip(rest);
            rest.len() >= operator.len() && signs.into_iter().all(|(sign, it)| it.starts_with(sign))
        };
        OPERATORS.into_iter().find(|(operator, _)| is_here(operator))
    }

    fn next(&mut self) -> &str {
        let token = self.tokens.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        token
    }

    fn unary(&mut self) -> Option<i64> {
        match self.next() {
            "!" => self.unary().map(|value| i64::from(value == 0)),
            "-" => self.unary().and_then(i64::checked_neg),
            "+" => self.unary(),
            "(" => {
                let value = self.binary(1);
                if self.next() == ")" { value } else { None }
            }
            "defined" => {
                let is_enclosed = self.tokens.get(self.at) == Some(&"(");
                self.at += usize::from(is_enclosed);
                let is_defined = self.macros.contains_key(self.tokens.get(self.at).copied()?);
                self.at += 1 + usize::from(is_enclosed);
                Some(is_defined.into())
            }
            word if word.starts_with(|it: char| it.is_ascii_digit()) => number(word),
            word if word.starts_with(|it: char| it.is_alphabetic() || it == '_') => {
                let word = word.to_owned();
                match self.macros.get(&word) {
                    // Source: C17, 6.10.1. But a name with arguments is a question to the compiler.
                    None if self.tokens.get(self.at) == Some(&"(") => None,
                    None => Some(0),
                    Some(text) => number(text),
                }
            }
            _ => None,
        }
    }
}

fn apply(operator: &str, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (operator, left.map(|it| it != 0), right.map(|it| it != 0)) {
        ("||", Some(true), _) | ("||", _, Some(true)) => return Some(1),
        ("&&", Some(false), _) | ("&&", _, Some(false)) => return Some(0),
        _ => {}
    }
    let (left, right) = (left?, right?);
    match operator {
        "||" => Some(i64::from(left != 0 || right != 0)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<=" => Some(i64::from(left <= right)),
        ">=" => Some(i64::from(left >= right)),
        "<" => Some(i64::from(left < right)),
        ">" => Some(i64::from(left > right)),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "<<" => left.checked_shl(right.try_into().ok()?),
        ">>" => left.checked_shr(right.try_into().ok()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim().trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_condition_that_is_known_to_be_false_does_not_hold() {
        let mut macros = predefined("cpp");
        for (name, text) in [("A", "1"), ("B", "0"), ("C", ""), ("D", "A"), ("E", "0x10UL")] {
            macros.insert(name.to_owned(), text.to_owned());
        }
        let check = |condition: &str, expected: bool| {
            assert_eq!(may_hold(condition, &macros), expected, "{condition}");
        };
        for holds in [
            "1",
            "A",
            "defined A",
            "defined(C)",
            "!defined(X)",
            "A && 1",
            "X || A",
            "!B",
            "E == 16",
            "(E>>2)<5",
            "X == 0",
            "__cplusplus > 5",
            "D",
            "C",
            "A ? 0 : 1",
            "__has_include(<x>)",
            "1 +",
            "-1",
            "010 == 8",
            "2 * 3 - 6 + 1",
            "X || __cplusplus",
            "",
        ] {
            check(holds, true);
        }
        for fails in [
            "0",
            "B",
            "X",
            "defined X",
            "defined(X) || defined(Y)",
            "!A",
            "A && B",
            "B || X",
            "E < 16",
            "X && __cplusplus",
            "1 - 1",
            "(0)",
            "!(A || X)",
            "A == 2",
            "0x0",
            "3 % 3",
        ] {
            check(fails, false);
        }
        check(&"(".repeat(100_000), true);
        check(&"!".repeat(100_000), true);
    }
}
