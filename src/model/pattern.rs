//! Glob patterns over the names of submissions and test cases.
//!
//! Source: problem package format 2025-09, "Glob patterns".

use std::fmt;

/// How many alternatives the braces of one pattern may stand for.
const MAX_ALTERNATIVES: usize = 1024;

/// A pattern such as `accepted/*.{py,cpp}` or `secret/*-easy`.
///
/// `*` stands for any text without a slash, `{a,b}` for one of its parts; everything else is meant
/// literally. Letter case counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    /// One entry an alternative of the braces; each a list of path segments.
    alternatives: Vec<Vec<String>>,
}

/// Why a text is not a pattern. [`PatternError::help`] says what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing to match.
    #[error("the pattern is empty")]
    Empty,
    /// `**`.
    #[error("`**` is not supported in patterns")]
    DoubleStar,
    /// `[` or `]`.
    #[error("`[...]` is not supported in patterns")]
    Bracket,
    /// `?`.
    #[error("`?` is not supported in patterns")]
    QuestionMark,
    /// A brace without its partner.
    #[error("a brace of the pattern has no partner")]
    UnbalancedBrace,
    /// No name has this form.
    #[error("the pattern has an empty, `.` or `..` part")]
    Path,
    /// The braces stand for too many alternatives.
    #[error("the braces of the pattern stand for more than {MAX_ALTERNATIVES} alternatives")]
    TooMany,
}

impl PatternError {
    /// What to write instead.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Empty => "write a name, with `*` within it and `{a,b}` for choices where needed",
            Self::DoubleStar => {
                "a pattern also matches what is below; else write one `*` for each level"
            }
            Self::Bracket => "write the choices in braces, such as `{a,b}`",
            Self::QuestionMark => "write `*`, or the choices in braces such as `{a,b}`",
            Self::UnbalancedBrace => "close the brace: `{a,b}`",
            Self::Path => "write names with single slashes between them, such as `accepted/*.py`",
            Self::TooMany => "write `*` instead of some of the braces",
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Says what the format does not allow.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.contains("**") {
            return Err(PatternError::DoubleStar);
        }
        if text.contains(['[', ']']) {
            return Err(PatternError::Bracket);
        }
        if text.contains('?') {
            return Err(PatternError::QuestionMark);
        }
        let alternatives = expand_braces(text)?
            .iter()
            .map(|alternative| segments(alternative))
            .collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), alternatives })
    }

    /// Whether it matches this name, or a directory that the name is in.
    pub fn matches(&self, name: &str) -> bool {
        self.alternatives.iter().any(|segments| {
            let mut names = name.split('/');
            segments.iter().all(|segment| {
                let name = names.next();
                name.is_some_and(|name| segment_matches(segment, name))
            })
        })
    }

    /// Whether it matches this name itself, not only a directory that the name is in.
    pub fn is_name(&self, name: &str) -> bool {
        let parent = name.rsplit_once('/').map(|(parent, _)| parent);
        self.matches(name) && parent.is_none_or(|parent| !self.matches(parent))
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

fn segments(alternative: &str) -> Result<Vec<String>, PatternError> {
    let segments: Vec<String> = alternative.split('/').map(str::to_owned).collect();
    let impossible = |segment: &String| matches!(segment.as_str(), "" | "." | "..");
    if segments.iter().any(impossible) {
        return Err(PatternError::Path);
    }
    Ok(segments)
}

/// All texts that the braces stand for; braces may be nested.
fn expand_braces(text: &str) -> Result<Vec<String>, PatternError> {
    let mut finished = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if finished.len() + open.len() >= MAX_ALTERNATIVES {
            return Err(PatternError::TooMany);
        }
        match first_braces(&text)? {
            None => finished.push(text),
            Some(braces) => {
                let (before, after) = (&text[..braces.start], &text[braces.end + 1..]);
                let parts = braces.parts.iter().rev();
                open.extend(parts.map(|part| format!("{before}{part}{after}")));
            }
        }
    }
    Ok(finished)
}

/// The first pair of braces of a text: where it is and what stands between its commas.
struct Braces<'a> {
    start: usize,
    end: usize,
    parts: Vec<&'a str>,
}

fn first_braces(text: &str) -> Result<Option<Braces<'_>>, PatternError> {
    let Some(start) = text.find(['{', '}']) else { return Ok(None) };
    if text[start..].starts_with('}') {
        return Err(PatternError::UnbalancedBrace);
    }
    let mut depth = 0;
    let mut part_start = start + 1;
    let mut parts = Vec::new();
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match character {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(&text[part_start..at]);
                part_start = at + 1;
            }
            '}' if depth > 1 => depth -= 1,
            '}' => {
                parts.push(&text[part_start..at]);
                return Ok(Some(Braces { start, end: at, parts }));
            }
            _ => {}
        }
    }
    Err(PatternError::UnbalancedBrace)
}

/// Greedy matching: only the last `*` ever needs to be tried again.
fn segment_matches(segment: &str, name: &str) -> bool {
    let (segment, name) = (segment.as_bytes(), name.as_bytes());
    let (mut s, mut n) = (0, 0);
    let mut retry: Option<Retry> = None;
    while n < name.len() {
        if s < segment.len() && segment[s] == b'*' {
            retry = Some(Retry { after_star: s + 1, name: n });
            s += 1;
        } else if s < segment.len() && segment[s] == name[n] {
            s += 1;
            n += 1;
        } else if let Some(retry) = &mut retry {
            retry.name += 1;
            s = retry.after_star;
            n = retry.name;
        } else {
            return false;
        }
    }
    segment[s..].iter().all(|&byte| byte == b'*')
}

/// Where to go on when a `*` must take one more character.
struct Retry {
    after_star: usize,
    name: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2025-09, "Glob patterns": `*` stays within a name; a pattern of a directory matches all in it
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
        check("ä*", "äö", true);
        check("A", "a", false);
    }

    #[test]
    fn a_name_is_told_from_what_is_in_it() {
        let check = |pattern: &str, name: &str, expected: bool| {
            let parsed = Pattern::parse(pattern).expect(pattern);
            assert_eq!(parsed.is_name(name), expected, "{pattern} on {name}");
        };
        check("secret", "secret", true);
        check("secret", "secret/g1", false);
        check("secret/*", "secret/g1", true);
        check("secret/*", "secret", false);
        check("{secret,secret/g1}", "secret", true);
    }

    #[test]
    fn what_the_format_does_not_allow_is_refused() {
        let check = |pattern: &str, error: PatternError| {
            assert_eq!(Pattern::parse(pattern), Err(error), "{pattern}");
        };
        check("", PatternError::Empty);
        check("a/**/b", PatternError::DoubleStar);
        check("a[bc]", PatternError::Bracket);
        check("a?", PatternError::QuestionMark);
        check("{a,b", PatternError::UnbalancedBrace);
        check("a}b", PatternError::UnbalancedBrace);
        check("{a}}", PatternError::UnbalancedBrace);
        check("/a", PatternError::Path);
        check("accepted/", PatternError::Path);
        check("a/../b", PatternError::Path);
        check(&"{a,b}".repeat(20), PatternError::TooMany);
    }

    /// The plain definition, exponential: what the greedy one must agree with.
    fn by_definition(segment: &[u8], name: &[u8]) -> bool {
        match segment.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|cut| by_definition(rest, &name[cut..])),
            Some((byte, rest)) => name.first() == Some(byte) && by_definition(rest, &name[1..]),
        }
    }

    proptest! {
        #[test]
        fn greedy_matching_agrees_with_the_definition(segment in "[ab*]{0,7}", name in "[ab]{0,7}") {
            prop_assert_eq!(
                segment_matches(&segment, &name),
                by_definition(segment.as_bytes(), name.as_bytes())
            );
        }

        #[test]
        fn any_text_is_a_pattern_or_an_error(text in "[a*{},/.]{0,40}", name in ".{0,20}") {
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.matches(&name);
            }
        }
    }
}
