//! The words of a command line, split as by `shlex.split` of Python and by a shell without expansions.

/// Splits a line at whitespace and by quotes. The fault of a line is a clause to put after its name.
pub fn split_words(line: &str) -> Result<Vec<String>, &'static str> {
    const UNCLOSED_QUOTE: &str = "has an unclosed quote";
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next().ok_or(UNCLOSED_QUOTE)? {
                        end if end == character => break,
                        // In double quotes, a backslash is literal except before these.
                        '\\' if character == '"' => {
                            match characters.next().ok_or(UNCLOSED_QUOTE)? {
                                escaped @ ('"' | '\\') => word.push(escaped),
                                other => word.extend(['\\', other]),
                            }
                        }
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => {
                let escaped = characters.next().ok_or("ends with a backslash")?;
                word.get_or_insert_default().push(escaped);
            }
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_words_between_blanks_or_in_quotes() {
        let check = |line: &str, expected: Result<&[&str], &str>| {
            let found = split_words(line);
            let found: Result<Vec<&str>, &str> = found
                .as_ref()
                .map(|words| words.iter().map(String::as_str).collect())
                .map_err(|message| *message);
            assert_eq!(found.as_deref().map_err(|message| *message), expected, "{line}");
        };
        // The results of `shlex.split` in Python 3.12.
        check("gen 1  -n=2 ", Ok(&["gen", "1", "-n=2"]));
        check("gen\t1\r\n2", Ok(&["gen", "1", "2"]));
        check("gen \"a b\" 'c \"d'", Ok(&["gen", "a b", "c \"d"]));
        check("gen \"\" x'y'z", Ok(&["gen", "", "xyz"]));
        check(r#"gen "a\"b" \' "#, Ok(&["gen", "a\"b", "'"]));
        check(r#"gen "a\nb\\" '\n\' a\nb a\ b"#, Ok(&["gen", r"a\nb\", r"\n\", "anb", "a b"]));
        check(
            "gen #1 a#b $x `y` * ~ ; |",
            Ok(&["gen", "#1", "a#b", "$x", "`y`", "*", "~", ";", "|"]),
        );
        check("gen a\u{a0}b\u{b}c", Ok(&["gen", "a\u{a0}b\u{b}c"]));
        check("", Ok(&[]));
        check("gen 'a", Err("has an unclosed quote"));
        check("gen don't", Err("has an unclosed quote"));
        check(r#"gen "a\"#, Err("has an unclosed quote"));
        check(r"gen \", Err("ends with a backslash"));
    }
}
