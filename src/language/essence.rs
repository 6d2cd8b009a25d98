//! A source without spaces and comments: equal for copies of a program.

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
    let has = |words: &str| words.split_whitespace().any(|word| word == language);
    let comments = COMMENTS.iter().find(|it| has(it.languages));
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let starts = |word: &&str| rest.starts_with(word.as_bytes());
        let blocks = comments.into_iter().flat_map(|it| it.block);
        let mut blocks = blocks.filter(|(begin, _)| *begin != "{" || !has(BRACES));
        if let Some((begin, end)) = blocks.find(|(begin, _)| starts(begin)) {
            let inside = &rest[begin.len()..];
            let length = memchr::memmem::find(inside, end.as_bytes());
            at += begin.len() + length.map_or(inside.len(), |length| length + end.len());
        } else if comments.is_some_and(|it| it.line.iter().any(starts)) && !follows_dollar(text, at)
        {
            at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        } else if matches!(rest[0], b'"' | b'\'') {
            let length = quoted(rest);
            kept.extend_from_slice(&rest[..length]);
            at += length;
        } else {
            kept.extend((!rest[0].is_ascii_whitespace()).then_some(rest[0]));
            at += 1;
        }
    }
    kept
}

/// Whether the text here belongs to a shell variable such as `$#`.
fn follows_dollar(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"$") || text[..at].ends_with(b"${")
}

/// The length of the string that begins here; 1 if no string ends on this line.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 2,
            quote if quote == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    1
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
        check("c", "\"open\nx", "\"openx");
        check("c", "'\\", "'\\");
    }
}
