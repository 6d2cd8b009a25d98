//! Removes comments from a source. Without spaces, too, copies of a program are equal; without the contents of
//! strings, a source shows what it declares.

use std::iter;
use std::ops::Range;

use regex::bytes::{Captures, Regex};

/// By language. If comments nest, the pattern has only their start.
const COMMENTS: [(&str, &str); 11] = [
    (
        "c cgmp cpp cppgmp csharp d go java javaalgs4 javascript objectivec php simula typescript zig",
        r"//.*|(?s:/\*.*?(?:\*/|\z))",
    ),
    ("dart kotlin odin rust scala swift", r"//.*|(?<nested>/\*)"),
    ("bash crystal elixir julia perl pypy3 python2 python3 python3numpy r ruby", "#.*"),
    ("haskell", r"--.*|(?<nested>\{-)"),
    ("lua", r"(?s:--\[\[.*?(?:\]\]|\z))|--.*"),
    ("ada", "--.*"),
    ("pascal modula2", r"//.*|(?s:\(\*.*?(?:\*\)|\z))|(?s:\{.*?(?:\}|\z))"),
    ("ocaml fsharp", r"//.*|(?<nested>\(\*)"),
    ("erlang octave", "%.*"),
    ("prolog", r"%.*|(?s:/\*.*?(?:\*/|\z))"),
    ("lisp racket gerbil", ";.*"),
];

/// Strings and characters. Two things that are neither come first: `$#` of a shell, and a quote after a backslash.
const STRINGS: &str = r#"\$\{?#|\\["']|"""(?s:\\.|[^\\])*?(?:"""|\z)|'''(?s:\\.|[^\\])*?(?:'''|\z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"#;

/// Before the others in C and C++: the starts of raw strings, and numbers with separators.
const C_STRINGS: &str =
    r#"(?-u:\b)(?:u8|[uUL])?R"(?<delimiter>[^\s()\\"]{0,16})\(|(?-u:\b)[0-9][\w.]*(?:'[\w.]+)+|"#;

/// The same in Rust and OCaml, where a lifetime or a type has no second quote.
const RUST_STRINGS: &str =
    r##"(?-u:\b)[bc]?r(?<hashes>#*)"|"(?s:\\.|[^"\\])*(?:"|\z)|'(?:\\[^\n]{1,9}?|[^'\\\n])'"##;

/// `language` is a code. Strings keep their spaces.
pub fn without_spaces_and_comments(language: &str, text: &[u8]) -> Vec<u8> {
    // Editors of Windows write a byte-order mark.
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    rewrite_source(language, r"|(?<space>\s)", text, |string| string.unwrap_or_default().to_vec())
}

pub fn without_strings_and_comments(language: &str, text: &[u8]) -> Vec<u8> {
    rewrite_source(language, "", text, |string| string.map_or(" ", |_| "\"\"").into())
}

/// A file that a source in C or C++ includes.
#[derive(Debug, PartialEq, Eq)]
pub struct Inclusion {
    pub name: String,
    /// Whether the compiler looks in the directory of the source first.
    pub is_quoted: bool,
}

/// What a source in C or C++ includes, whatever its `#if` says.
pub fn inclusions(text: &[u8]) -> Vec<Inclusion> {
    const DIRECTIVE: &str =
        r#"|#[ \t]*(?:include|import)[ \t]*(?:"(?<quoted>[^"\n]+)"|<(?<system>[^>\n]+)>)"#;
    let name = |(groups, _): (Captures<'_>, _)| {
        let quoted = groups.name("quoted");
        let name = quoted.or_else(|| groups.name("system"))?.as_bytes();
        Some(Inclusion { name: str::from_utf8(name).ok()?.into(), is_quoted: quoted.is_some() })
    };
    tokens("cpp", DIRECTIVE, text).filter_map(name).collect()
}

/// Strings that can name a file stay, in double quotes: they have no blanks and no quotes, so they are no code.
pub fn with_names_in_strings(language: &str, text: &[u8]) -> String {
    let code = rewrite_source(language, "", text, |string| {
        let Some(string) = string else { return b" ".to_vec() };
        let name = String::from_utf8_lossy(string);
        let name = name.trim_matches(['"', '\'']);
        let is_name = !name.contains(|sign: char| sign.is_whitespace() || "\"'".contains(sign));
        format!("\"{}\"", if is_name { name } else { "" }).into_bytes()
    });
    String::from_utf8_lossy(&code).into_owned()
}

/// Rewrites each string, each comment, and what `more` adds to the pattern. `rewrite` gets the strings.
fn rewrite_source(
    language: &str,
    more: &str,
    text: &[u8],
    rewrite: impl Fn(Option<&[u8]>) -> Vec<u8>,
) -> Vec<u8> {
    let mut written = Vec::new();
    let mut end = 0;
    for (groups, token) in tokens(language, more, text) {
        written.extend(&text[end..token.start]);
        end = token.end;
        written.extend(rewrite(groups.name("string").map(|_| &text[token])));
    }
    written.extend(&text[end..]);
    written
}

/// Each string, each comment, and each match of `more`, with its whole range.
fn tokens<'a>(
    language: &str,
    more: &str,
    text: &'a [u8],
) -> impl Iterator<Item = (Captures<'a>, Range<usize>)> {
    let lexer = lexer(language, more).ok();
    let mut at = 0;
    iter::from_fn(move || {
        let groups = lexer.as_ref()?.captures_at(text, at)?;
        let range = groups.get(0)?.range();
        at = range.end + rest_length(&groups, &text[range.end..]);
        Some((groups, range.start..at))
    })
}

/// The length of a raw string or of a comment that nests, after its start. One that does not end takes the rest: to
/// search on would be quadratic.
fn rest_length(groups: &Captures<'_>, rest: &[u8]) -> usize {
    let group = |name: &str| groups.name(name).map(|group| group.as_bytes());
    let raw = group("delimiter").map(|delimiter| [b")", delimiter, b"\""].concat());
    if let Some(end) = raw.or_else(|| group("hashes").map(|hashes| [b"\"", hashes].concat())) {
        return memchr::memmem::find(rest, &end).map_or(rest.len(), |at| at + end.len());
    }
    let Some(start) = group("nested") else { return 0 };
    let end: &[u8] = match start {
        b"{-" => b"-}",
        b"(*" => b"*)",
        _ => b"*/",
    };
    let (mut at, mut depth) = (0, 1);
    while depth > 0 && at < rest.len() {
        let [starts, ends] = [start, end].map(|mark| rest[at..].starts_with(mark));
        depth = depth + usize::from(starts) - usize::from(ends);
        at += if starts || ends { 2 } else { 1 };
    }
    at
}

/// Matches each string, each comment, and `more`. Strings are matched even if nobody asks for them: they may contain the
/// sign of a comment.
fn lexer(language: &str, more: &str) -> Result<Regex, regex::Error> {
    let comments = row_of(language, &COMMENTS);
    let comments = comments.map(|comment| format!("|{comment}")).unwrap_or_default();
    let strings = match language {
        "rust" | "ocaml" => ["", RUST_STRINGS],
        "c" | "cgmp" | "cpp" | "cppgmp" => [C_STRINGS, STRINGS],
        _ => ["", STRINGS],
    };
    Regex::new(&format!("(?<string>{}){comments}{more}", strings.concat()))
}

/// The value of a table's row whose key lists this language.
pub(super) fn row_of<'a>(language: &str, table: &[(&str, &'a str)]) -> Option<&'a str> {
    let has = |languages: &str| languages.split_whitespace().any(|word| word == language);
    table.iter().find(|(languages, _)| has(languages)).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_comments_are_removed_and_strings_stay() {
        let check = |language: &str, text: &str, expected: &str| {
            let essence = without_spaces_and_comments(language, text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&essence), expected, "{text}");
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

    /// If the work were quadratic, this would take minutes.
    #[test]
    fn strings_that_do_not_end_are_read_once() {
        for (language, start) in [
            ("cpp", "R\"("),
            ("c", "R\"("),
            ("rust", "r#\""),
            ("rust", "r##\""),
            ("python3", "R\"("),
            ("haskell", "R\"("),
        ] {
            let text = start.repeat(200_000);
            let code = without_strings_and_comments(language, text.as_bytes());
            assert!(code.len() < text.len(), "{language}");
        }
    }

    #[test]
    fn contents_of_strings_and_comments_are_removed() {
        let check = |language: &str, text: &str, expected: &str| {
            let code = without_strings_and_comments(language, text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&code), expected, "{text}");
        };
        check("cpp", "a // main()\nb /* main() */ c \"main()\" 'm'", "a  \nb   c \"\" \"\"");
        check("cpp", "a R\"(\n\"main())\" b", "a \"\" b");
        check("rust", "// fn main\nfn f<'a>(x: &'a u8)", " \nfn f<'a>(x: &'a u8)");
        check("rust", "a r#\"\n\"main\"# '\\u{41}' 'é' \"\n\" b", "a \"\" \"\" \"\" \"\" b");
        check("cpp", "R\"x()\" )y\")x\"u8R\"()\" FOR\"(\")", "\"\"\"\" FOR\"\")");
        check("c", "1'000'000 '\"' 0x1'f; \"'\" L'1'", "\"\" \"\" \"\"; \"\" L\"\"");
        check(
            "rust",
            "br###\"\"##\"### r\"\\\" for\"r\" '\\'' b'\"'",
            "\"\" \"\" for\"\" \"\" b\"\"",
        );
        check("rust", "a /* /* \" */ b */ c /* /* */", "a   c  ");
        check("java", "a /* /* */ b */ c", "a   b */ c");
        check("haskell", "a {- {- -} \" -} b", "a   b");
        check("ocaml", "a (* (* *) 'a *) b", "a   b");
        check("python3", "a '''\n# b''' # c\nd", "a \"\"  \nd");
        check("python3", "a R\"(\" b R\")\" # c", "a R\"\" b R\"\"  ");
    }

    #[test]
    fn inclusions_are_found_outside_of_strings_and_comments() {
        let check = |text: &str, expected: &str| {
            let mark = |inclusion: Inclusion| {
                if inclusion.is_quoted { inclusion.name } else { format!("<{}>", inclusion.name) }
            };
            let found: Vec<String> = inclusions(text.as_bytes()).into_iter().map(mark).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        };
        check("#include \"a.h\"\n  #\tinclude<b>\n#import \"c/d.h\"", "a.h <b> c/d.h");
        check("// #include \"a.h\"\n/* #include \"b.h\"\n*/ #include \"c.h\" // d", "c.h");
        check("#if 0\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif", "a.h b.h");
        check("f(\"#include \\\"a.h\\\"\", R\"(\n#include \"b.h\"\n)\");", "");
        check("#error don't\n#include \"a.h\"\nint x = 1'000;\n#include \"b.h\"", "a.h b.h");
        check("#include MACRO\n#include \"a.h\n#include \"\"\ninclude \"b.h\"", "");
    }
}
