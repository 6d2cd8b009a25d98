//! Regular expressions of Python in the syntax of the crate `regex`. What the two read differently is translated, and
//! what the crate lacks is refused: a pattern must not match other files here than where its author tried it.
//!
//! Source: "Regular Expression Syntax" of Python 3.14's `re`. As in BAPCtools, `^` and `$` match at each line, and a dot
//! matches a line end.

use regex_syntax::is_meta_character;

/// What Python has and the crate lacks, in the plural.
pub(super) type MissingFeature = &'static str;

const FLAGS: &str = "(?ms)";

/// Writes the expression in the syntax of the crate, or says what the crate lacks. An invalid one stays invalid.
pub(super) fn translate(pattern: &str) -> Result<String, MissingFeature> {
    let mut translation =
        Translation { rest: pattern, text: FLAGS.to_owned(), verbose: vec![false] };
    while let Some(character) = translation.next() {
        translation.token(character)?;
    }
    Ok(translation.text)
}

struct Translation<'p> {
    rest: &'p str,
    text: String,
    /// Whether blanks and comments mean nothing, for each open group.
    verbose: Vec<bool>,
}

impl Translation<'_> {
    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next();
        self.rest = characters.as_str();
        character
    }

    fn eat(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_past(&mut self, end: char) {
        let rest = self.rest.split_once(end);
        self.rest = rest.map_or("", |(_, rest)| rest);
    }

    fn is_verbose(&self) -> bool {
        self.verbose.last().is_some_and(|verbose| *verbose)
    }

    fn literal(&mut self, character: char) {
        if is_meta_character(character) {
            self.text.push('\\');
        }
        self.text.push(character);
    }

    fn token(&mut self, character: char) -> Result<(), MissingFeature> {
        match character {
            '\\' => return self.escape(),
            '[' => return self.character_set(),
            '(' => return self.group(),
            ')' => {
                self.text.push(')');
                self.verbose.truncate(self.verbose.len().saturating_sub(1).max(1));
            }
            '*' | '+' | '?' => {
                self.text.push(character);
                return self.repetition_mode();
            }
            '{' => return self.repetition(),
            '}' | ']' => self.literal(character),
            ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' if self.is_verbose() => {}
            '#' if self.is_verbose() => self.skip_past('\n'),
            other => self.text.push(other),
        }
        Ok(())
    }

    /// What follows a repetition.
    fn repetition_mode(&mut self) -> Result<(), MissingFeature> {
        if self.eat("+") {
            return Err("possessive repetitions");
        }
        if self.eat("?") {
            self.text.push('?');
        }
        Ok(())
    }

    /// A repetition such as `{2,3}`; other braces are literal.
    fn repetition(&mut self) -> Result<(), MissingFeature> {
        let inside = self.rest.split_once('}').map_or("", |(inside, _)| inside);
        let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if inside.is_empty() || !is_number(least) || !is_number(most) {
            self.literal('{');
            return Ok(());
        }
        let zero = if least.is_empty() { "0" } else { "" };
        self.text += &format!("{{{zero}{inside}}}");
        self.skip_past('}');
        self.repetition_mode()
    }

    fn group(&mut self) -> Result<(), MissingFeature> {
        let is_verbose = self.is_verbose();
        if !self.eat("?") {
            self.text.push('(');
        } else if self.eat("P<") {
            self.text += "(?P<";
        } else if self.eat("#") {
            self.skip_past(')');
            return Ok(());
        } else if ["=", "!", "<=", "<!"].iter().any(|start| self.eat(start)) {
            return Err("look-arounds");
        } else if self.eat("P=") {
            return Err("back-references");
        } else if self.eat("(") {
            return Err("conditions");
        } else if self.eat(">") {
            return Err("atomic groups");
        } else {
            self.flags();
            return Ok(());
        }
        self.verbose.push(is_verbose);
        Ok(())
    }

    /// Flags for the rest of the pattern, such as `(?i)`, or for a group, such as `(?i-s:`.
    fn flags(&mut self) {
        let end = self.rest.find(|character: char| !"aiLmsux-".contains(character));
        let (flags, rest) = self.rest.split_at(end.unwrap_or_default());
        let is_group = rest.starts_with(':');
        if !is_group && !rest.starts_with(')') {
            // The crate reports it.
            self.text += "(?";
            return;
        }
        self.rest = &rest[1..];
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        let is_verbose = (self.is_verbose() || on.contains('x')) && !off.contains('x');
        // Blanks and comments are gone. The crate's opposite of `a` is `u`, its default.
        let mut set: String = on.chars().filter(|flag| !"xau".contains(*flag)).collect();
        let mut unset: String = off.chars().filter(|flag| *flag != 'x').collect();
        if on.contains('a') {
            unset.push('u');
        }
        if !unset.is_empty() {
            set += &format!("-{unset}");
        }
        if is_group {
            self.text += &format!("(?{set}:");
            self.verbose.push(is_verbose);
            return;
        }
        if !set.is_empty() {
            self.text += &format!("(?{set})");
        }
        if let Some(verbose) = self.verbose.last_mut() {
            *verbose = is_verbose;
        }
    }

    /// A set of characters. All that the crate reads in another way, such as `[` and `&&`, is literal in Python.
    fn character_set(&mut self) -> Result<(), MissingFeature> {
        self.text.push('[');
        if self.eat("^") {
            self.text.push('^');
        }
        let mut is_first = true;
        while let Some(character) = self.next() {
            if character == ']' && !is_first {
                self.text.push(']');
                break;
            }
            self.set_member(character)?;
            is_first = false;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if is_range && self.eat("-") {
                self.text.push('-');
                if let Some(last) = self.next() {
                    self.set_member(last)?;
                }
            }
        }
        Ok(())
    }

    fn set_member(&mut self, character: char) -> Result<(), MissingFeature> {
        let digits = self.octal_digits();
        if character != '\\' {
            self.literal(character);
        } else if digits > 0 {
            self.octal(digits);
        } else if self.eat("b") {
            self.text += r"\x08";
        } else {
            return self.plain_escape();
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), MissingFeature> {
        let digits = self.octal_digits();
        let starts_with = |range: &str| self.rest.starts_with(|first| range.contains(first));
        if starts_with("0") || digits == 3 && starts_with("123") {
            self.octal(digits);
        } else if starts_with("123456789") {
            return Err("back-references");
        } else if self.eat("Z") {
            self.text += r"\z";
        } else {
            return self.plain_escape();
        }
        Ok(())
    }

    /// An escape that means the same inside and outside of a set.
    fn plain_escape(&mut self) -> Result<(), MissingFeature> {
        match self.next() {
            Some('N') => return Err("characters by name"),
            Some(other) if !other.is_ascii_alphanumeric() => self.literal(other),
            other => {
                self.text.push('\\');
                self.text.extend(other);
            }
        }
        Ok(())
    }

    /// How many octal digits come next, up to three.
    fn octal_digits(&self) -> usize {
        let digits = self.rest.bytes().take(3);
        digits.take_while(|byte| (b'0'..=b'7').contains(byte)).count()
    }

    fn octal(&mut self, digits: usize) {
        let (digits, rest) = self.rest.split_at(digits);
        let character = u32::from_str_radix(digits, 8).unwrap_or_default();
        self.text += &format!(r"\x{{{character:x}}}");
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::bytes::Regex;

    /// The results of Python 3.11's `re.search` with the flags `M` and `S`.
    #[test]
    fn patterns_match_what_they_match_in_python() {
        let check = |pattern: &str, found: &[&str], missed: &[&str]| {
            let regex = translate(pattern).map(|text| Regex::new(&text));
            let Ok(Ok(regex)) = regex else { panic!("{pattern}: {regex:?}") };
            let is_found = |text: &&&str| regex.is_match(text.as_bytes());
            let results = found.iter().chain(missed).map(|text| is_found(&text));
            let expected = found.iter().map(|_| true).chain(missed.iter().map(|_| false));
            assert!(results.eq(expected), "{pattern} became {regex}");
        };
        // Ends and lines.
        check(r"2\s*\Z", &["1\n2\n", "2"], &["2\n1\n"]);
        check(r"\A1$", &["1\n2\n"], &["2\n1\n"]);
        check("^1$.*3", &["1\n2\n3\n", "1\n3"], &["1 3\n"]);
        check("(?-s:1.*3)", &["1 2 3\n"], &["1\n3\n"]);
        check("a\n^b", &["a\nb\n"], &["ab\n"]);
        // Sets.
        check("[[]x[]]", &["[x]"], &["x"]);
        check("^[]a]+$", &["]a"], &["[a"]);
        check("^[a&&b]+$", &["a&b"], &["c"]);
        check("^[--/]+$", &["-./"], &[","]);
        check("^[a~~b#[:x:]]+$", &["a]", "~]", ":]]"], &["c]", "[:x:"]);
        check(r"^[\b\101\-]+$", &["\u{8}A-"], &["b"]);
        check("^[a-z-9]+$", &["a-9"], &["8"]);
        // Braces.
        check("^a{,2}$", &["", "aa"], &["aaa"]);
        check("^a{,}b$", &["b", "aaab"], &["a"]);
        check("^{a}{}{1,x}$", &["{a}{}{1,x}"], &["a"]);
        check("^(ab){2}?$", &["abab"], &["ab"]);
        // Escapes.
        check(r"^\<\>\ä\ \#\'$", &["<>ä #'"], &["ä"]);
        check(r"^\0\101\x41\u0041$", &["\0AAA"], &["0"]);
        check(r"^\d\w\s\S\W\D$", &["1_ x-x"], &["1-"]);
        // Groups and flags.
        check("(?P<first>a)(?#(a [comment)b", &["ab"], &["a)b"]);
        check("(?i)abc", &["ABC"], &["AB"]);
        check("(?x) a # (comment\n b [ ]", &["ab "], &["ab"]);
        check(r"(?x:a b)c d\ e", &["abc d e"], &["a bc d e"]);
        check(r"(?a)^\w$", &["a"], &["ä"]);
        check("(?u:ä)(?i-s:B.)", &["äbx"], &["äb\n"]);
    }

    #[test]
    fn features_that_the_crate_lacks_are_reported_and_faults_stay() {
        let check = |pattern: &str, expected: MissingFeature| {
            assert_eq!(translate(pattern), Err(expected), "{pattern}");
        };
        check("a(?=b)", "look-arounds");
        check("(?<!a)b", "look-arounds");
        check(r"(a)\1", "back-references");
        check("(?P<x>a)(?P=x)", "back-references");
        check("(a)?(?(1)b|c)", "conditions");
        check("(?>a*)a", "atomic groups");
        check("a*+a", "possessive repetitions");
        check("a{2}+", "possessive repetitions");
        check(r"\N{DIGIT ONE}", "characters by name");
        for fault in ["(", ")", "[a", "*", "a**b(", r"\y", r"[\8]", "[b-a]", "(?L)a", "(?i", "\\"] {
            let regex = translate(fault).map(|text| Regex::new(&text).is_err());
            assert_eq!(regex, Ok(true), "{fault}");
        }
    }
}
