//! The placeholders in a generator's arguments: `{seed}`, `{seed:7}` and `{name}`. The recipe's reader fills in
//! constants and `{count}`.
//!
//! Source: the generators documentation of BAPCtools.

use std::sync::LazyLock;

use regex::Regex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentPiece<'a> {
    Text(&'a str),
    /// `{seed}` or `{seed:7}`. The number only makes command lines different.
    Seed,
    /// `{name}`, the name of the test case.
    Name,
}

/// A word in braces that is no placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPlaceholder<'a> {
    pub text: &'a str,
}

static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\{([A-Za-z][^{}]*)\}").ok());

/// The pieces of an argument, in order.
///
/// Braces around other texts than words are literal. The error is the first word in braces that is no placeholder.
pub fn argument_pieces(word: &str) -> Result<Vec<ArgumentPiece<'_>>, UnknownPlaceholder<'_>> {
    let is_salt = |salt: &str| !salt.is_empty() && salt.bytes().all(|byte| byte.is_ascii_digit());
    let mut pieces = Vec::new();
    let mut index = 0;
    for found in WORD.iter().flat_map(|pattern| pattern.find_iter(word)) {
        let text = found.as_str();
        let piece = match &text[1..text.len() - 1] {
            "seed" => ArgumentPiece::Seed,
            "name" => ArgumentPiece::Name,
            other if other.strip_prefix("seed:").is_some_and(is_salt) => ArgumentPiece::Seed,
            _ => return Err(UnknownPlaceholder { text }),
        };
        if index < found.start() {
            pieces.push(ArgumentPiece::Text(&word[index..found.start()]));
        }
        pieces.push(piece);
        index = found.end();
    }
    if index < word.len() {
        pieces.push(ArgumentPiece::Text(&word[index..]));
    }
    Ok(pieces)
}

/// How often a placeholder occurs in a command's arguments.
pub fn occurrences(args: &[String], piece: ArgumentPiece<'_>) -> usize {
    args.iter()
        .filter_map(|word| argument_pieces(word).ok())
        .flatten()
        .filter(|other| *other == piece)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArgumentPiece::{Name, Seed, Text};

    #[test]
    fn placeholders_are_found_anywhere_in_an_argument() {
        let check = |word: &str, expected: &[ArgumentPiece<'_>]| {
            assert_eq!(argument_pieces(word), Ok(expected.to_vec()), "{word}");
        };
        check("", &[]);
        check("x", &[Text("x")]);
        check("{seed}", &[Seed]);
        check("--seed={seed}", &[Text("--seed="), Seed]);
        check("{seed:12}x{name}", &[Seed, Text("x"), Name]);
        check("a{name}b", &[Text("a"), Name, Text("b")]);
        check("{{seed}}", &[Text("{"), Seed, Text("}")]);
        check("{seed", &[Text("{seed")]);
        check("[a-z]{3}{}", &[Text("[a-z]{3}{}")]);
        check("ä{seed}ö", &[Text("ä"), Seed, Text("ö")]);
    }

    #[test]
    fn another_word_in_braces_is_no_placeholder() {
        let check = |word: &str, text: &str| {
            assert_eq!(argument_pieces(word), Err(UnknownPlaceholder { text }))
        };
        check("{seeds}", "{seeds}");
        check("x{seed:}y", "{seed:}");
        check("{seed:a}", "{seed:a}");
        check("{seed} {n}", "{n}");
    }
}
