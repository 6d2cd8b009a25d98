//! A source without comments: without spaces, too, it is equal for copies of a program; without the contents of strings,
//! it shows what is declared.

use std::collections::HashSet;

/// The syntax of comments in some languages, by code.
struct Comments {
    languages: &'static str,
    /// Starts of comments that end with the line.
    line: &'static [&'static str],
    /// Start and end of other comments.
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
    parts(language, text, |part| match part {
        Part::Comment => kept.push(b' '),
        Part::Quoted([b'"', ..]) => kept.extend(b"\"\""),
        // A character, or what is between two lifetimes.
        Part::Quoted(text) => kept.extend_from_slice(text),
        Part::Byte(byte) => kept.push(byte),
    });
    match ["c", "cpp", "cgmp", "cppgmp", "objectivec"].contains(&language) {
        true => preprocessed(&kept),
        false => kept,
    }
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

/// The lines that a preprocessor keeps, as far as `#if 0` and names that are never defined here tell.
fn preprocessed(code: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(code.len());
    let mut defined: HashSet<String> = HashSet::new();
    let mut open: Vec<Condition> = Vec::new();
    for line in code.split_inclusive(|byte| *byte == b'\n') {
        let is_kept = open.last().is_none_or(|it| it.is_around_kept && it.is_kept);
        let text = String::from_utf8_lossy(line);
        let directive = text.trim().strip_prefix('#').unwrap_or_default().trim_start();
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let rest = rest.trim();
        let name = rest.split(|it: char| !it.is_alphanumeric() && it != '_').next();
        let is_defined = |name: &str| defined.contains(name);
        let mut begin = |holds| {
            open.push(Condition { is_around_kept: is_kept, is_kept: holds, was_kept: holds });
        };
        match (word, name.unwrap_or_default()) {
            ("if", _) => begin(may_hold(rest, is_defined)),
            ("ifdef", name) => begin(is_defined(name)),
            ("ifndef", name) => begin(!is_defined(name)),
            ("else" | "elif", _) => {
                if let Some(it) = open.last_mut() {
                    it.is_kept = !it.was_kept && (word == "else" || may_hold(rest, is_defined));
                    it.was_kept |= it.is_kept;
                }
            }
            ("endif", _) => drop(open.pop()),
            _ if !is_kept => {}
            ("define", name) => drop(defined.insert(name.to_owned())),
            ("undef", name) => drop(defined.remove(name)),
            _ => kept.extend_from_slice(line),
        }
    }
    kept
}

/// Whether a condition of a preprocessor may hold: any may, but for 0 and a question whether one name is defined.
fn may_hold(condition: &str, is_defined: impl Fn(&str) -> bool) -> bool {
    let (is_negated, asked) = match condition.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, condition),
    };
    let name = asked.strip_prefix("defined").map(|it| it.trim().trim_matches(['(', ')']).trim());
    let is_name = |it: &str| it.chars().all(|it| it.is_alphanumeric() || it == '_');
    match name.filter(|it| is_name(it)) {
        Some(name) => is_defined(name) != is_negated,
        None => condition != "0",
    }
}

/// A part of a source.
enum Part<'a> {
    Comment,
    /// A string with its quotes.
    Quoted(&'a [u8]),
    /// A byte of anything else.
    Byte(u8),
}

fn parts<'a>(language: &str, text: &'a [u8], mut each: impl FnMut(Part<'a>)) {
    let has = |words: &str| words.split_whitespace().any(|word| word == language);
    let comments = COMMENTS.iter().find(|it| has(it.languages));
    let mut at = 0;
    // Up to where no string ends, for each kind of quote: a scan from a quote on the way there would end there, too.
    let mut open_to = [0; 2];
    while at < text.len() {
        let rest = &text[at..];
        let starts = |word: &&str| rest.starts_with(word.as_bytes());
        let blocks = comments.into_iter().flat_map(|it| it.block);
        let mut blocks = blocks.filter(|(begin, _)| *begin != "{" || !has(BRACES));
        if let Some((begin, end)) = blocks.find(|(begin, _)| starts(begin)) {
            let inside = &rest[begin.len()..];
            let length = memchr::memmem::find(inside, end.as_bytes());
            at += begin.len() + length.map_or(inside.len(), |length| length + end.len());
            each(Part::Comment);
        } else if comments.is_some_and(|it| it.line.iter().any(starts)) && !follows_dollar(text, at)
        {
            at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            each(Part::Comment);
        } else if let quote @ (b'"' | b'\'') = rest[0]
            && at >= open_to[usize::from(quote == b'"')]
        {
            match quoted(rest) {
                Ok(length) => {
                    each(Part::Quoted(&rest[..length]));
                    at += length;
                }
                Err(length) => {
                    open_to[usize::from(quote == b'"')] = at + length;
                    each(Part::Byte(quote));
                    at += 1;
                }
            }
        } else {
            each(Part::Byte(rest[0]));
            at += 1;
        }
    }
}

/// Whether the text here belongs to a shell variable such as `$#`.
fn follows_dollar(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"$") || text[..at].ends_with(b"${")
}

/// The length of the string that begins here; an error with the rest of the line's length if none ends on it.
fn quoted(text: &[u8]) -> Result<usize, usize> {
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 2,
            quote if quote == text[0] => return Ok(at + 1),
            _ => at += 1,
        }
    }
    Err(at)
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
        check("rust", "fn f<'a>(x: &'a str) {} // end", "fnf<'a>(x: &'astr){}");
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
        check("cpp", "a // main()\nb /* main() */ c \"main()\" 'm'", "a  \nb   c \"\" 'm'");
        check("cpp", "#if 0\na\n#else\nb\n#endif\nc\n", "b\nc\n");
        check("c", "#ifdef TEST\na\n# ifdef B\nb\n# endif\n#endif\nc", "c");
        check("c", "#define B\n#ifdef B\na\n#endif\n#ifndef B\nb\n#endif\n", "a\n");
        check("c", "#if X > 1\na\n#endif\n#endif\n#else\nb", "a\nb");
        check("c", "#if 0\n#define B\n#endif\n#ifdef B\na\n#endif\nb", "b");
        check("c", "#if defined(B)\na\n#elif X\nb\n#else\nc\n#endif\n", "b\n");
        check("c", "#define B // it\n#if !defined B\na\n#elif 0\nb\n#else\nc\n#endif\n", "c\n");
        check("c", "#if defined(A) || defined(B)\na\n#endif\n", "a\n");
        check("c", "#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc", "c");
        check("c", "#define B\n#define B\n#undef B\n#ifdef B\na\n#endif\n", "");
        check("java", "#if 0\na", "#if 0\na");
        check("rust", "// fn main\nfn f<'a>(x: &'a u8)", " \nfn f<'a>(x: &'a u8)");
    }
}
