//! Removes comments from a source. Without spaces, too, copies of a program are equal; without the contents of
//! strings, a source shows what it declares. Nested comments end with the first end, and so do raw strings with a
//! delimiter.

use regex::bytes::{Captures, Regex};

const COMMENTS: [(&str, &str); 9] = [
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
    ("erlang octave prolog", "%.*"),
    ("lisp racket gerbil", ";.*"),
];

/// Strings and characters. A shell has `$#`, which is no comment.
const STRINGS: &str = r#"\$\{?#|R"\((?s:.*?)\)"|"""(?s:\\.|[^\\])*?(?:"""|\z)|'''(?s:\\.|[^\\])*?(?:'''|\z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"#;

/// The same in Rust, where a lifetime has no second quote.
const RUST_STRINGS: &str =
    r###"r##"(?s:.*?)"##|r#"(?s:.*?)"#|r"[^"]*"|"(?s:\\.|[^"\\])*"|'(?:\\[^\n]{1,9}?|[^'\\\n])'"###;

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

/// Rewrites each string, each comment, and what `more` adds to the pattern. Strings are matched even if they stay: they
/// may contain the sign of a comment.
fn rewrite_source(
    language: &str,
    more: &str,
    text: &[u8],
    rewrite: impl Fn(&Captures<'_>) -> Vec<u8>,
) -> Vec<u8> {
    let has = |languages: &str| languages.split_whitespace().any(|word| word == language);
    let comments = COMMENTS.iter().find(|(languages, _)| has(languages));
    let comments = comments.map(|(_, comment)| format!("|{comment}")).unwrap_or_default();
    let strings = if language == "rust" { RUST_STRINGS } else { STRINGS };
    let regex = Regex::new(&format!("(?<string>{strings}){comments}{more}"));
    regex.map_or_else(|_| text.to_vec(), |it| it.replace_all(text, rewrite).into_owned())
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
    }
}
