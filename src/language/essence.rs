//! A source without comments: without spaces, too, it is equal for copies of a program; without the contents of strings,
//! it shows what is declared.

use std::borrow::Cow;

use crate::language::condition::{may_hold, predefined};

/// The syntax of comments in some languages, by code.
struct Comments {
    languages: &'static str,
    /// Starts of comments that end with the line.
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
}

const COMMENTS: [Comments; 8] = [
    Comments {
        languages: "c cgmp cpp cppgmp csharp d dart go java javaalgs4 javascript kotlin objectivec odin php rust scala \
                    simula swift typescript zig",
        line: &["//"],
        block: &[("/*", "*/")],
    },
    Comments {
        languages: "bash crystal elixir julia perl pypy3 python2 python3 python3numpy r ruby",
        line: &["#"],
        block: &[],
    },
    Comments { languages: "haskell", line: &["--"], block: &[("{-", "-}")] },
    Comments { languages: "lua", line: &["--"], block: &[("--[[", "]]")] },
    Comments { languages: "ada", line: &["--"], block: &[] },
    Comments {
        languages: "pascal modula2 ocaml fsharp",
        line: &["//"],
        block: &[("(*", "*)"), ("{", "}")],
    },
    Comments { languages: "erlang octave prolog", line: &["%"], block: &[] },
    Comments { languages: "lisp racket gerbil", line: &[";"], block: &[] },
];

/// Languages in which braces are not comments, although they are in the others of the row.
const BRACES: &str = "ocaml fsharp";
/// Languages in which comments with two ends are in each other.
const NESTED: &str = "rust kotlin scala swift dart odin haskell ocaml fsharp";
/// Languages in which three quotes begin a string of several lines.
const TRIPLE: &str =
    "python2 python3 python3numpy pypy3 java javaalgs4 kotlin scala swift julia elixir csharp dart";
/// Languages in which a backslash in such a string is one.
const PLAIN: &str = "kotlin scala csharp";
/// Languages with the preprocessor and the raw strings of C++.
const C_FAMILY: &str = "c cpp cgmp cppgmp objectivec";

/// A source in the language of this code, without spaces and comments outside of strings.
pub fn essence(language: &str, text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    // Editors of Windows write a byte-order mark.
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    parts(language, text, |part| match part {
        Part::Comment => {}
        Part::Quoted(text) => kept.extend_from_slice(text),
        Part::Byte(byte) => kept.extend((!byte.is_ascii_whitespace()).then_some(byte)),
    });
    kept
}

/// A source in the language of this code without comments, contents of strings, and what the preprocessor leaves out.
pub fn code(language: &str, text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let has_directives = has(C_FAMILY, language);
    let text = if has_directives { Cow::Owned(spliced(text)) } else { Cow::Borrowed(text) };
    parts(language, &text, |part| match part {
        Part::Comment => kept.push(b' '),
        // What is between two primes is no string.
        Part::Quoted(text) if text.starts_with(b"'") && language == "haskell" => {
            kept.extend_from_slice(text);
        }
        Part::Quoted(text) if text.starts_with(b"'") => kept.extend(b"''"),
        Part::Quoted(_) => kept.extend(b"\"\""),
        Part::Byte(byte) => kept.push(byte),
    });
    if has_directives { preprocessed(language, &kept) } else { kept }
}

/// Whether a list of languages has this one.
fn has(languages: &str, language: &str) -> bool {
    languages.split_whitespace().any(|word| word == language)
}

/// Joins each line that ends with a backslash to the next one. Source: C17, 5.1.1.2, phase 2.
fn spliced(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let end = line.strip_suffix(b"\n").map(|it| it.strip_suffix(b"\r").unwrap_or(it));
        lines.extend_from_slice(end.and_then(|it| it.strip_suffix(b"\\")).unwrap_or(line));
    }
    lines
}

/// An open condition of a preprocessor.
struct Condition {
    /// Whether the lines around it are kept.
    is_around_kept: bool,
    /// Whether its branch is kept.
    is_kept: bool,
    /// Whether one of its branches was kept.
    was_kept: bool,
}

/// The lines that a preprocessor keeps, as far as the source alone tells. Of the branches of a condition it keeps one.
fn preprocessed(language: &str, code: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(code.len());
    let mut macros = predefined(language);
    let mut open: Vec<Condition> = Vec::new();
    for line in code.split_inclusive(|byte| *byte == b'\n') {
        let is_kept = open.last().is_none_or(|it| it.is_around_kept && it.is_kept);
        let text = String::from_utf8_lossy(line);
        let directive = text.trim().strip_prefix('#').unwrap_or_default().trim_start();
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let rest = rest.trim();
        let name = rest.split(|it: char| !it.is_alphanumeric() && it != '_').next();
        let mut begin = |holds| {
            open.push(Condition { is_around_kept: is_kept, is_kept: holds, was_kept: holds });
        };
        match (word, name.unwrap_or_default()) {
            ("if", _) => begin(may_hold(rest, &macros)),
            ("ifdef", name) => begin(macros.contains_key(name)),
            ("ifndef", name) => begin(!macros.contains_key(name)),
            ("else" | "elif", _) => {
                if let Some(it) = open.last_mut() {
                    it.is_kept = !it.was_kept && (word == "else" || may_hold(rest, &macros));
                    it.was_kept |= it.is_kept;
                }
            }
            ("endif", _) => drop(open.pop()),
            _ if !is_kept => {}
            ("define", name) => {
                let text = rest.strip_prefix(name).unwrap_or_default().trim();
                drop(macros.insert(name.to_owned(), text.to_owned()));
            }
            ("undef", name) => drop(macros.remove(name)),
            _ => kept.extend_from_slice(line),
        }
    }
    kept
}

/// A part of a source.
enum Part<'a> {
    Comment,
    Quoted(&'a [u8]),
    /// A byte of anything else.
    Byte(u8),
}

fn parts<'a>(language: &str, text: &'a [u8], mut each: impl FnMut(Part<'a>)) {
    let comments = COMMENTS.iter().find(|it| has(it.languages, language));
    let mut at = 0;
    // Up to where no string ends, for each kind of quote: a scan from a quote on the way there would end there, too.
    let mut open_to = [0; 2];
    while at < text.len() {
        let rest = &text[at..];
        let starts = |word: &&str| rest.starts_with(word.as_bytes());
        let blocks = comments.into_iter().flat_map(|it| it.block);
        let mut blocks = blocks.filter(|(begin, _)| *begin != "{" || !has(BRACES, language));
        if let Some((begin, end)) = blocks.find(|(begin, _)| starts(begin)) {
            at += comment(rest, begin.as_bytes(), end.as_bytes(), has(NESTED, language));
            each(Part::Comment);
        } else if comments.is_some_and(|it| it.line.iter().any(starts)) && !follows_dollar(text, at)
        {
            at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            each(Part::Comment);
        } else {
            let kind = usize::from(rest[0] == b'"');
            let is_open = matches!(rest[0], b'"' | b'\'') && at < open_to[kind];
            match if is_open { Err(0) } else { quoted(language, &text[..at], rest) } {
                Ok(length) => {
                    each(Part::Quoted(&rest[..length]));
                    at += length;
                }
                Err(read) => {
                    open_to[kind] = open_to[kind].max(at + read);
                    each(Part::Byte(rest[0]));
                    at += 1;
                }
            }
        }
    }
}

/// The length of the comment that begins here.
fn comment(text: &[u8], begin: &[u8], end: &[u8], is_nested: bool) -> usize {
    let mut depth = 1_usize;
    let mut at = begin.len();
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(end) {
            depth -= 1;
            at += end.len();
            if depth == 0 {
                break;
            }
        } else if is_nested && rest.starts_with(begin) {
            depth += 1;
            at += begin.len();
        } else {
            at += 1;
        }
    }
    at.min(text.len())
}

/// Whether the text here belongs to a shell variable such as `$#`.
fn follows_dollar(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"$") || text[..at].ends_with(b"${")
}

/// The length of the string or character that begins here; an error with how much was read if none does.
fn quoted(language: &str, before: &[u8], text: &[u8]) -> Result<usize, usize> {
    if let Some(length) = raw(language, before, text) {
        return Ok(length);
    }
    let quote = text[0];
    if !matches!(quote, b'"' | b'\'') {
        return Err(0);
    }
    if text[..text.len().min(3)] == [quote; 3] && has(TRIPLE, language) {
        let length = end(&text[3..], &[quote; 3], !has(PLAIN, language));
        return Ok(length.map_or(text.len(), |it| 3 + it));
    }
    match (language, quote) {
        ("rust", b'"') => Ok(end(&text[1..], b"\"", true).map_or(text.len(), |it| 1 + it)),
        // A lifetime has no second quote behind its first letter.
        ("rust", _) if text.get(1) != Some(&b'\\') => {
            let one = String::from_utf8_lossy(&text[1..text.len().min(5)]);
            let length = 1 + one.chars().next().map_or(0, char::len_utf8);
            if text.get(length) == Some(&b'\'') { Ok(length + 1) } else { Err(0) }
        }
        _ => {
            let line = memchr::memchr(b'\n', text).unwrap_or(text.len());
            end(&text[1..line], &[quote], true).map(|it| 1 + it).ok_or(line)
        }
    }
}

/// Where these quotes end a string: the index behind them.
fn end(text: &[u8], quotes: &[u8], has_escapes: bool) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' if has_escapes => at += 2,
            _ if text[at..].starts_with(quotes) => return Some(at + quotes.len()),
            _ => at += 1,
        }
    }
    None
}

/// The length of the raw string that begins here.
///
/// Sources: C++20, `lex.string`; the Rust Reference, "Raw string literals".
fn raw(language: &str, before: &[u8], text: &[u8]) -> Option<usize> {
    if !matches!(text[0], b'r' | b'R') {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    // The longest prefix has two letters.
    let word = before.iter().rev().take(3).take_while(|byte| is_part(byte)).count();
    let word = &before[before.len() - word..];
    let close = match language {
        "rust" if [&b""[..], b"b", b"c"].contains(&word) => {
            let hashes = text.strip_prefix(b"r")?.iter().take_while(|it| **it == b'#').count();
            (text.get(1 + hashes) == Some(&b'"')).then_some(())?;
            [&b"\""[..], &text[1..=hashes]].concat()
        }
        _ if has(C_FAMILY, language) && [&b""[..], b"u8", b"u", b"U", b"L"].contains(&word) => {
            /// Source: C++20, `lex.string`.
            const LONGEST: usize = 16;
            let inside = text.strip_prefix(b"R\"")?;
            let length = inside.iter().take(LONGEST + 1).position(|it| *it == b'(')?;
            [&b")"[..], &inside[..length], b"\""].concat()
        }
        _ => return None,
    };
    // It begins with as many signs as it ends with, and `r` or `R`, and in C++ with one more quote in place of `)`.
    let begin = 1 + close.len();
    let length = memchr::memmem::find(&text[begin.min(text.len())..], &close);
    Some(length.map_or(text.len(), |it| begin + it + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_comments_go_and_strings_stay() {
        let check = |language: &str, text: &str, kept: &str| {
            let essence = essence(language, text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&essence), kept, "{text}");
        };
        check("cpp", "int x = 1; // one\n/* two\n three */ x ++;\r\n", "intx=1;x++;");
        check(
            "cpp",
            "f(\"a // b\", ' ', '\\'', \"\\\" /*\") // c",
            "f(\"a // b\",' ','\\'',\"\\\" /*\")",
        );
        check("cpp", "x /* never closed", "x");
        check("rust", "fn f<'a>(x: &'a str) {} // end", "fnf<'a>(x:&'astr){}");
        check("python3", "x = '# no'  # yes\n\ty = 2\n", "x='# no'y=2");
        check("bash", "echo $# ${#x} # three\n", "echo$#${#x}");
        check("haskell", "f x = x {- no -} -- no\n", "fx=x");
        check("pascal", "x := 1; { no } (* no *) // no\n", "x:=1;");
        check("ocaml", "{ x = 1 } (* no *)", "{x=1}");
        check("lua", "x = 1 --[[ no\n no ]] y = 2 -- no", "x=1y=2");
        check("unknown", "a  b # c", "ab#c");
        check("python3", "\u{feff}x\u{feff}", "x\u{feff}");
        check("c", "\"open\nx", "\"openx");
        check("c", "'\\", "'\\");
        check("c", "\"\\\" a '\\\" b'\n\"c d\"", "\"\\\"a'\\\" b'\"c d\"");
        check("c", "' \\' \" x\n' '", "'\\'\"x' '");
    }

    #[test]
    fn code_is_what_a_compiler_sees() {
        let check = |language: &str, text: &str, kept: &str| {
            let code = code(language, text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&code), kept, "{text}");
        };
        check("cpp", "a // main()\nb /* main() */ c \"main()\" 'm'", "a  \nb   c \"\" ''");
        check("cpp", "#if 0\na\n#else\nb\n#endif\nc\n", "b\nc\n");
        check("c", "#ifdef TEST\na\n# ifdef B\nb\n# endif\n#endif\nc", "c");
        check("c", "#define B\n#ifdef B\na\n#endif\n#ifndef B\nb\n#endif\n", "a\n");
        check("c", "#if X() > 1\na\n#endif\n#endif\n#else\nb", "a\nb");
        check("c", "#if 0\n#define B\n#endif\n#ifdef B\na\n#endif\nb", "b");
        check("c", "#if defined(B)\na\n#elif X()\nb\n#else\nc\n#endif\n", "b\n");
        check("c", "#define B // it\n#if !defined B\na\n#elif 0\nb\n#else\nc\n#endif\n", "c\n");
        check("c", "#if defined(A) || defined(B)\na\n#endif\n", "");
        check("c", "#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc", "c");
        check("c", "#define B\n#define B\n#undef B\n#ifdef B\na\n#endif\n", "");
        check("java", "#if 0\na", "#if 0\na");
        check("rust", "// fn main\nfn f<'a>(x: &'a u8)", " \nfn f<'a>(x: &'a u8)");
    }
}
