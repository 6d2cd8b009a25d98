//! Glob patterns over the names of submissions and test cases.
//!
//! Source: problem package format 2025-09, "Glob patterns".

use std::fmt;

/// The most alternatives that the braces of a pattern may have.
const MAX_ALTERNATIVES: usize = 1024;

/// A pattern such as `accepted/*.{py,cpp}` or `secret/*-easy`.
///
/// `*` matches any text without a slash, `{a,b}` any of its parts; everything else is literal. Case matters.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// The number of bytes at the start that are literal, and the same in all alternatives.
    literal: usize,
    alternatives: Vec<String>,
}

/// Why a text is not a pattern. [`PatternError::help`] says what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty")]
    Empty,
    #[error("`**` is not supported in patterns")]
    DoubleStar,
    #[error("`[...]` is not supported in patterns")]
    Bracket,
    #[error("`?` is not supported in patterns")]
    QuestionMark,
    /// A brace has no partner.
    #[error("a brace of the pattern is not matched")]
    UnbalancedBrace,
    /// A part between braces begins or ends with a blank: shells would not read it as a choice, and other judges would
    /// look for a name with the blank.
    #[error("a part between the braces of the pattern has a blank at its start or end")]
    Blank,
    /// No name has such a part.
    #[error("the pattern has an empty, `.` or `..` part")]
    Path,
    #[error("the braces of the pattern stand for more than {MAX_ALTERNATIVES} alternatives")]
    TooMany,
}

impl PatternError {
    pub const fn help(self) -> &'static str {
        match self {
            Self::Empty => "write a name, with `*` in it and `{a,b}` for choices if needed",
            Self::DoubleStar => {
                "a pattern also matches everything below; otherwise, write one `*` for each level"
            }
            Self::Bracket => "write the choices in braces, such as `{a,b}`",
            Self::QuestionMark => "write `*`, or the choices in braces such as `{a,b}`",
            Self::UnbalancedBrace => "close the brace: `{a,b}`",
            Self::Blank => "write the choices without blanks: `{a,b}`",
            Self::Path => "write names with single slashes between them, such as `accepted/*.py`",
            Self::TooMany => "write `*` instead of some of the braces",
        }
    }
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let faults = [
            (text.is_empty(), PatternError::Empty),
            (text.contains("**"), PatternError::DoubleStar),
            (text.contains(['[', ']']), PatternError::Bracket),
            (text.contains('?'), PatternError::QuestionMark),
        ];
        if let Some((_, fault)) = faults.into_iter().find(|(is_so, _)| *is_so) {
            return Err(fault);
        }
        let alternatives = expand_braces(text)?;
        let is_impossible = |part: &str| matches!(part, "" | "." | "..");
        if alternatives.iter().any(|alternative| alternative.split('/').any(is_impossible)) {
            return Err(PatternError::Path);
        }
        let literal = text.find(['*', '{']).unwrap_or(text.len());
        Ok(Self { text: text.to_owned(), literal, alternatives })
    }

    /// Whether it matches this name or a directory above it.
    pub fn matches(&self, name: &str) -> bool {
        let Some(name) = name.strip_prefix(&self.text[..self.literal]) else { return false };
        self.alternatives.iter().any(|alternative| {
            let mut names = name.split('/');
            alternative[self.literal..]
                .split('/')
                .all(|part| names.next().is_some_and(|name| matches_part(part, name)))
        })
    }

    /// Whether it matches this name, and no directory above it.
    pub fn matches_itself(&self, name: &str) -> bool {
        let parent = name.rsplit_once('/').map(|(parent, _)| parent);
        self.matches(name) && parent.is_none_or(|parent| !self.matches(parent))
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// Compares what is between two slashes.
fn matches_part(part: &str, name: &str) -> bool {
    let mut pieces = part.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some((_, behind)) = rest.split_once(piece) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// All texts that the braces stand for. Braces may be nested.
fn expand_braces(text: &str) -> Result<Vec<String>, PatternError> {
    let mut finished = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if finished.len() + open.len() >= MAX_ALTERNATIVES {
            return Err(PatternError::TooMany);
        }
        // The first closing brace and its partner have no braces between them.
        let end = text.find('}');
        let start = text[..end.unwrap_or(text.len())].rfind('{');
        match (start, end) {
            (Some(start), Some(end)) => {
                let (before, after) = (&text[..start], &text[end + 1..]);
                let parts = text[start + 1..end].split(',');
                if parts.clone().any(|part| part.trim() != part) {
                    return Err(PatternError::Blank);
                }
                open.extend(parts.map(|part| format!("{before}{part}{after}")));
            }
            (None, None) => finished.push(text),
            _ => return Err(PatternError::UnbalancedBrace),
        }
    }
    Ok(finished)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_stays_within_a_name_and_parents_count() {
        let check = |pattern: &str, name: &str, expected: bool| {
            let parsed = Pattern::parse(pattern).expect(pattern);
            assert_eq!(parsed.matches(name), expected, "{pattern} on {name}");
        };
        check("accepted", "accepted/a.py", true);
        check("accepted", "accepted", true);
        check("accepted", "accepted2/a.py", false);
        check("accepted/*", "accepted/a.py", true);
        check("accepted/*", "accepted", false);
        check("*", "accepted/a.py", true);
        check("*.py", "accepted/a.py", false);
        check("*/*.py", "accepted/a.py", true);
        check("*/*.py", "accepted/a.pyc", false);
        check("secret/*-easy", "secret/01-easy", true);
        check("secret/*-easy", "secret/01-easy/deep/2", true);
        check("secret/*-easy", "secret/x/01-easy", false);
        check("a*b*c", "abbc", true);
        check("a*b*c", "abcb", false);
        check("*a*", "b", false);
        check("a.py", "aXpy", false);
        check("{simple,complex}.py", "complex.py", true);
        check("author.{py,cpp}", "author.cpp", true);
        check("author.{py,cpp}", "author.c", false);
        check("{a,b/{c,d}}/e", "b/d/e/f", true);
        check("{a,b/{c,d}}/e", "b/e", false);
        check("a{,b}", "a", true);
        check("{my one,other}.c", "my one.c", true);
        check("ä*", "äö", true);
        check("A", "a", false);
    }

    #[test]
    fn matching_a_name_itself_excludes_names_below_it() {
        let check = |pattern: &str, name: &str, expected: bool| {
            let parsed = Pattern::parse(pattern).expect(pattern);
            assert_eq!(parsed.matches_itself(name), expected, "{pattern} on {name}");
        };
        check("secret", "secret", true);
        check("secret", "secret/g1", false);
        check("secret/*", "secret/g1", true);
        check("secret/*", "secret", false);
        check("{secret,secret/g1}", "secret", true);
    }

    #[test]
    fn patterns_that_the_format_forbids_are_refused() {
        let check = |pattern: &str, error: PatternError| {
            assert_eq!(Pattern::parse(pattern).err(), Some(error), "{pattern}");
        };
        check("", PatternError::Empty);
        check("a/**/b", PatternError::DoubleStar);
        check("a[bc]", PatternError::Bracket);
        check("a?", PatternError::QuestionMark);
        check("{a,b", PatternError::UnbalancedBrace);
        check("a}b", PatternError::UnbalancedBrace);
        check("{a}}", PatternError::UnbalancedBrace);
        for blank in
            ["{bad, worse}.c", "{bad ,worse}.c", "a/{ b,c}", "{a,{b,\tc}}", "{a, }", "{\u{a0}a,b}"]
        {
            check(blank, PatternError::Blank);
        }
        check("/a", PatternError::Path);
        check("accepted/", PatternError::Path);
        check("a/../b", PatternError::Path);
        check(&"{a,b}".repeat(20), PatternError::TooMany);
    }

    /// The plain definition, which takes exponential time. The implementation must agree with it.
    fn matches_by_definition(segment: &[u8], name: &[u8]) -> bool {
        match segment.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => {
                (0..=name.len()).any(|cut| matches_by_definition(rest, &name[cut..]))
            }
            Some((byte, rest)) => {
                name.first() == Some(byte) && matches_by_definition(rest, &name[1..])
            }
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_the_definition(part in "[ab]{0,2}[*]?[ab]{1,2}[*]?[ab]{0,2}", name in "[ab]{0,7}") {
            let pattern = Pattern::parse(&part).expect(&part);
            prop_assert_eq!(pattern.matches(&name), matches_by_definition(part.as_bytes(), name.as_bytes()));
        }

        #[test]
        fn any_text_is_a_pattern_or_an_error(text in "[a*{},/.]{0,40}", name in ".{0,20}") {
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.matches(&name);
            }
        }
    }
}
