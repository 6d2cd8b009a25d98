//! Removes comments from a source. Without spaces, too, copies of a program are equal; without the contents of
//! strings, a source shows what it declares. Nested comments end with the first end, and so do raw strings with a
//! delimiter.

use regex::bytes::{Captures, Regex};

const COMMENTS: [(&str, &str); 10] = [
    (
        "c cgmp cpp cppgmp csharp d dart go java javaalgs4 javascript kotlin objectivec odin php rust scala simula swift \
         typescript zig",
        r"//.*|(?s:/\*.*?(?:\*/|\z))",
    ),
    ("bash crystal elixir julia perl pypy3 python2 python3 python3numpy r ruby", "#.*"),
    ("haskell", r"--.*|(?s:\{-.*?(?:-\}|\z))"),
    ("lua", r"(?s:--\[\[.*?(?:\]\]|\z))|--.*"),
    ("ada", "--.*"),
    ("pascal modula2", r"//.*|(?s:\(\*.*?(?:\*\)|\z))|(?s:\{.*?(?:\}|\z))"),
    ("ocaml fsharp", r"//.*|(?s:\(\*.*?(?:\*\)|\z))"),
    ("erlang octave", "%.*"),
    ("prolog", r"%.*|(?s:/\*.*?(?:\*/|\z))"),
    ("lisp racket gerbil", ";.*"),
];

/// Strings and characters. A shell has `$#`, which is no comment.
const STRINGS: &str = r#"\$\{?#|"""(?s:\\.|[^\\])*?(?:"""|\z)|'''(?s:\\.|[^\\])*?(?:'''|\z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"#;

/// Before the others in C and C++. A string that does not end takes the rest: to search on would be quadratic.
const RAW_STRINGS: &str = r#"R"\((?s:.*?)(?:\)"|\z)|"#;

/// The same in Rust and OCaml, where a lifetime or a type has no second quote.
const RUST_STRINGS: &str = r###"r##"(?s:.*?)(?:"##|\z)|r#"(?s:.*?)(?:"#|\z)|r"[^"]*"|"(?s:\\.|[^"\\])*"|'(?:\\[^\n]{1,9}?|[^'\\\n])'"###;

/// `language` is a code. Strings keep their spaces.
pub fn without_spaces_and_comments(language: &str, text: &[u8]) -> Vec<u8> {
    // Editors of Windows write a byte-order mark.
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    rewrite_source(language, r"|(?<space>\s)", text, |found| match found.name("string") {
        Some(string) => string.as_bytes().to_vec(),
        None => Vec::new(),
    })
}

pub fn without_strings_and_comments(language: &str, text: &[u8]) -> Vec<u8> {
    rewrite_source(language, "", text, |found| match found.name("string") {
        Some(_) => b"\"\"".to_vec(),
        None => b" ".to_vec(),
    })
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
    let Ok(lexer) = lexer("cpp", DIRECTIVE) else { return Vec::new() };
    let name = |found: Captures<'_>| {
        let quoted = found.name("quoted");
        let name = quoted.or_else(|| found.name("system"))?.as_bytes();
        Some(Inclusion { name: str::from_utf8(name).ok()?.into(), is_quoted: quoted.is_some() })
    };
    lexer.captures_iter(text).filter_map(name).collect()
}

/// Strings that can name a file stay, in double quotes: they have no blanks and no quotes, so they are no code.
pub fn with_names_in_strings(language: &str, text: &[u8]) -> String {
    let code = rewrite_source(language, "", text, |found| {
        let Some(string) = found.name("string") else { return b" ".to_vec() };
        let name = String::from_utf8_lossy(string.as_bytes());
        let name = name.trim_matches(['"', '\'']);
        let is_name = !name.contains(|sign: char| sign.is_whitespace() || "\"'".contains(sign));
        format!("\"{}\"", if is_name { name } else { "" }).into_bytes()
    });
    String::from_utf8_lossy(&code).into_owned()
}

/// Rewrites each string, each comment, and what `more` adds to the pattern.
fn rewrite_source(
    language: &str,
    more: &str,
    text: &[u8],
    rewrite: impl Fn(&Captures<'_>) -> Vec<u8>,
) -> Vec<u8> {
    let lexer = lexer(language, more);
    lexer.map_or_else(|_| text.to_vec(), |it| it.replace_all(text, rewrite).into_owned())
}

/// Matches each string, each comment, and `more`. Strings are matched even if nobody asks for them: they may contain the
/// sign of a comment.
fn lexer(language: &str, more: &str) -> Result<Regex, regex::Error> {
    let has = |languages: &str| languages.split_whitespace().any(|word| word == language);
    let comments = COMMENTS.iter().find(|(languages, _)| has(languages));
    let comments = comments.map(|(_, comment)| format!("|{comment}")).unwrap_or_default();
    let [raw, strings] = match language {
        "rust" | "ocaml" => ["", RUST_STRINGS],
        "c" | "cpp" => [RAW_STRINGS, STRINGS],
        _ => ["", STRINGS],
    };
    Regex::new(&format!("(?<string>{raw}{strings}){comments}{more}"))
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
        check("python3", "a '''\n# b''' # c\nd", "a \"\"  \nd");
        check("python3", "a R\"(\" b R\")\" # c", "a R\"\" b R\"\"  ");
    }

    #[test]
    fn inclusions_are_found_outside_of_strings_and_comments() {
        let check = |text: &str, expected: &str| {
            let mark =
                |it: Inclusion| if it.is_quoted { it.name } else { format!("<{}>", it.name) };
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
