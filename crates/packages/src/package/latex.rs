//! LaTeX that statements and the names in them share: how it is searched, and the text of its commands.
//! Readers of packages need it, so it is not a part of `statement`.

use juror_core::text::composed;

/// Upper bound in characters on a text that becomes plain; names are shorter.
const MAX_LENGTH: usize = 1000;

/// The arguments in braces of each command of this name, outside of comments.
pub(crate) fn command_arguments<'a, const N: usize>(
    text: &'a str,
    name: &str,
) -> Vec<[&'a str; N]> {
    let command = format!("\\{name}");
    let mut calls = Vec::new();
    let mut index = 0;
    'next: while let Some(found) = find_outside_comments(text, index, text.len(), &command) {
        index = found + command.len();
        if text[index..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let mut arguments = [""; N];
        for argument in &mut arguments {
            let open = text.len() - skip_blanks(&text[index..]).len();
            if !text[open..].starts_with('{') {
                continue 'next;
            }
            // A brace that is never closed contains all that follows.
            let Some(close) = closing_brace(text, open, text.len(), true) else { return calls };
            *argument = &text[open + 1..close];
            index = close + 1;
        }
        calls.push(arguments);
    }
    calls
}

/// A text without white space and comments at its start.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('%') {
        rest = rest[line_length(rest.as_bytes())..].trim_start();
    }
    rest
}

/// Quotes and dashes. The last ones may also be meant as they are.
const QUOTES_AND_DASHES: [(&str, &str); 8] = [
    ("---", "—"),
    ("--", "–"),
    ("``", "“"),
    ("''", "”"),
    ("<<", "«"),
    (">>", "»"),
    ("`", "‘"),
    ("'", "’"),
];

/// Number of the pairs at the start that plain text does not use.
const UNAMBIGUOUS_PAIRS: usize = 4;

/// A text without markup: accents and symbols become letters, other commands leave their text, and formulas stay as
/// they are written.
pub(crate) fn plain_text(text: &str) -> String {
    let text: String = text.chars().take(MAX_LENGTH).collect();
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let start = rest;
        rest = &rest[first.len_utf8()..];
        match first {
            '%' => rest = skip_blanks(start),
            '\\' => {
                let (name, behind) = split_command(start);
                rest = behind;
                match (accent_mark(name), symbol_text(name)) {
                    (Some(mark), _) => {
                        let (base, behind) = split_argument(rest);
                        plain += &with_accent(base, mark).unwrap_or_else(|| base.to_owned());
                        rest = behind;
                    }
                    (None, Some(text)) => plain += text,
                    (None, None) if matches!(name, "\\" | "newline") => plain.push(' '),
                    (None, None) => {}
                }
            }
            '$' => {
                let length = rest.find('$').map_or(rest.len(), |end| end + 1);
                plain += &start[..1 + length];
                rest = &rest[length..];
            }
            '{' | '}' => {}
            '~' => plain.push(' '),
            _ => {
                let end = start.find(['%', '\\', '$', '{', '}', '~']).unwrap_or(start.len());
                plain += &replace_all(&start[..end], &QUOTES_AND_DASHES[..UNAMBIGUOUS_PAIRS]);
                rest = &start[end..];
            }
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of the command at the start of a text, and what follows.
fn split_command(text: &str) -> (&str, &str) {
    let rest = &text[1..];
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    match letters {
        0 => rest.split_at(rest.chars().next().map_or(0, char::len_utf8)),
        // White space after a word only ends it.
        letters => (&rest[..letters], rest[letters..].trim_start()),
    }
}

fn split_argument(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.chars().next() {
        Some('{') => match closing_brace(text, 0, text.len(), true) {
            Some(close) => (&text[1..close], &text[close + 1..]),
            None => ("", &text[1..]),
        },
        Some('\\') => split_command(text),
        first => text.split_at(first.map_or(0, char::len_utf8)),
    }
}

/// Commands of accents, the mark that each puts on a letter, and the character for it without a letter.
const ACCENTS: [(&str, char, char); 14] = [
    ("`", '\u{300}', '`'),
    ("'", '\u{301}', '´'),
    ("^", '\u{302}', '^'),
    ("~", '\u{303}', '~'),
    ("=", '\u{304}', '¯'),
    ("u", '\u{306}', '˘'),
    (".", '\u{307}', '˙'),
    ("\"", '\u{308}', '¨'),
    ("r", '\u{30a}', '˚'),
    ("H", '\u{30b}', '˝'),
    ("v", '\u{30c}', 'ˇ'),
    ("d", '\u{323}', '.'),
    ("c", '\u{327}', '¸'),
    ("k", '\u{328}', '˛'),
];

/// The letters of an accent's argument, with the mark on the first one; the mark alone if there is none: `10\^{}5`.
/// `None` if the argument is more than letters.
pub(crate) fn with_accent(argument: &str, mark: char) -> Option<String> {
    let base = argument.trim_matches(['{', '}', ' ']);
    let base = match base.strip_prefix('\\') {
        Some("i" | "j") => &base[1..],
        Some(name) => symbol_text(name.trim_end())?,
        None => base,
    };
    let mut letters = base.chars();
    let Some(letter) = letters.next() else {
        let alone = ACCENTS.iter().find(|(_, known, _)| *known == mark);
        return Some(alone.map_or(mark, |(_, _, alone)| *alone).into());
    };
    if base.contains(['\\', '{', '}', '$', '%', '~']) {
        return None;
    }
    Some(composed(&format!("{letter}{mark}")) + letters.as_str())
}

pub(crate) fn accent_mark(name: &str) -> Option<char> {
    ACCENTS.iter().find(|(known, ..)| *known == name).map(|(_, mark, _)| *mark)
}

pub(crate) fn symbol_text(name: &str) -> Option<&str> {
    Some(match name {
        "%" | "#" | "$" | "_" | "{" | "}" | "&" | "LaTeX" | "TeX" => name,
        " " | "\n" | "space" | ":" | ";" => " ",
        "," | "thinspace" => "\u{202f}",
        "quad" | "enspace" => "\u{2003}",
        "qquad" => "\u{2003}\u{2003}",
        "ldots" | "dots" | "textellipsis" | "dotsc" => "…",
        "textbackslash" | "backslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textgreater" => ">",
        "textless" => "<",
        "textbar" => "|",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "textunderscore" => "_",
        "textbraceleft" => "{",
        "textbraceright" => "}",
        "textendash" => "–",
        "textemdash" => "—",
        "textbullet" => "•",
        "textdegree" => "°",
        "texteuro" | "euro" => "€",
        "texttrademark" => "™",
        "textregistered" => "®",
        "copyright" | "textcopyright" => "©",
        "S" => "§",
        "P" => "¶",
        "pounds" => "£",
        "ss" => "ß",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "guillemotleft" => "«",
        "guillemotright" => "»",
        _ => return None,
    })
}

/// Quotes and dashes as LaTeX typesets them.
#[cfg(feature = "writers")]
pub(crate) fn typography(text: &str) -> String {
    replace_all(text, &QUOTES_AND_DASHES)
}

fn replace_all(text: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

pub(crate) fn closing_brace(
    text: &str,
    open: usize,
    end: usize,
    has_comments: bool,
) -> Option<usize> {
    let mut depth = 0_usize;
    let mut index = open;
    let bytes = text.as_bytes();
    while index < end {
        match bytes[index] {
            b'\\' => index += 1,
            b'%' if has_comments => index += line_length(&bytes[index..end]),
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
        index += 1;
    }
    None
}

fn line_length(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// Skips comments and characters after a backslash.
pub(crate) fn find_outside_comments(
    text: &str,
    start: usize,
    end: usize,
    needle: &str,
) -> Option<usize> {
    let mut index = start;
    let bytes = text.as_bytes();
    while index < end {
        if text.as_bytes()[index..end].starts_with(needle.as_bytes()) {
            return Some(index);
        }
        match bytes[index] {
            b'\\' => index += 2,
            b'%' => index += line_length(&bytes[index..end]),
            _ => index += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_markup_keeps_all_its_letters() {
        let check = |text: &str, expected: &str| assert_eq!(plain_text(text), expected, "{text}");
        check(r"Caf\'{e} Menu", "Café Menu");
        check(r"Caf{\'e} Menu", "Café Menu");
        check(r"Caf\'e Menu", "Café Menu");
        check(r#"Na\"{\i}ve \v Zi\v{z}ek \c{C}a"#, "Naïve Žižek Ça");
        check(r"Sm\o rebr\o{}d p\aa{} \O{}sterbro \ss", "Smørebrød på Østerbro ß");
        check(r"\textbf{A \& B}~\emph{C}", "A & B C");
        check(r"Sum of $a_{1} \leq b$", r"Sum of $a_{1} \leq b$");
        check("Two % and not this\n   Words", "Two Words");
        check(r"100\% of \{1, 2\}", "100% of {1, 2}");
        check("A -- B, ``C'' and D's", "A – B, “C” and D's");
        check(r"\'", "´");
        check(r"10\^{}5 \~{}a", "10^5 ~a");
        check(r"a\'{", "a´");
        check("\\", "");
        check("$", "$");
        check(&r"\'{".repeat(100_000), &"´".repeat(333));
    }

    #[test]
    fn the_arguments_of_a_command_are_those_outside_of_comments() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> =
                command_arguments(text, "name").into_iter().map(|[name]| name).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(r"\name{Caf\'{e} {x}}", &[r"Caf\'{e} {x}"]);
        check("%\\name{Old}\n\\name{New}", &["New"]);
        check("\\name %old\n {New}", &["New"]);
        check(r"\names{a} \name a \name{b}\name{c}", &["b", "c"]);
        check(r"\% \name{a \} b}", &[r"a \} b"]);
        check(r"\\name{a}", &[]);
        check(r"\name{a", &[]);
        assert_eq!(command_arguments(r"\exmp{1}{2} \exmp{1}", "exmp"), [["1", "2"]]);
        assert_eq!(command_arguments::<1>(&r"\name{".repeat(100_000), "name").len(), 0);
    }
}
