//! The format's codes for programming languages and for natural ones.
//!
//! Source: problem package format 2025-09, appendix "Languages", and "General requirements".

use crate::package::suggest::nearest;

/// The codes of programming languages.
pub(super) const PROGRAMMING_LANGUAGES: [&str; 52] = [
    "ada",
    "algol68",
    "apl",
    "bash",
    "c",
    "cgmp",
    "cobol",
    "cpp",
    "cppgmp",
    "crystal",
    "csharp",
    "d",
    "dart",
    "elixir",
    "erlang",
    "forth",
    "fortran",
    "fsharp",
    "gerbil",
    "go",
    "haskell",
    "java",
    "javaalgs4",
    "javascript",
    "julia",
    "kotlin",
    "lisp",
    "lua",
    "modula2",
    "nim",
    "objectivec",
    "ocaml",
    "octave",
    "odin",
    "pascal",
    "perl",
    "php",
    "prolog",
    "python2",
    "python3",
    "python3numpy",
    "racket",
    "ruby",
    "rust",
    "scala",
    "simula",
    "smalltalk",
    "snobol",
    "swift",
    "typescript",
    "visualbasic",
    "zig",
];

/// A code and another word by which people call the language.
struct Alias {
    alias: &'static str,
    code: &'static str,
}

const ALIASES: [Alias; 9] = [
    Alias {
        alias: "c++",
        code: "cpp",
    },
    Alias {
        alias: "cc",
        code: "cpp",
    },
    Alias {
        alias: "c#",
        code: "csharp",
    },
    Alias {
        alias: "cs",
        code: "csharp",
    },
    Alias {
        alias: "js",
        code: "javascript",
    },
    Alias {
        alias: "ts",
        code: "typescript",
    },
    Alias {
        alias: "py",
        code: "python3",
    },
    Alias {
        alias: "python",
        code: "python3",
    },
    Alias {
        alias: "pypy",
        code: "python3",
    },
];

/// What to write instead of a word that is no code.
pub(super) fn help_for(word: &str) -> String {
    let folded = word.to_lowercase();
    let alias = ALIASES.iter().find(|alias| alias.alias == folded);
    let code = alias.map(|alias| alias.code);
    match code.or_else(|| nearest(word, PROGRAMMING_LANGUAGES)) {
        Some(code) => format!("did you mean `{code}`?"),
        None => "use a code of the format's table, such as `cpp`, `java` or `python3`".to_owned(),
    }
}

/// Whether this has the form of a natural language's code: `en`, `fil`, `pt-BR`.
pub(super) fn is_natural_language(code: &str) -> bool {
    let (language, region) = match code.split_once('-') {
        Some((language, region)) => (language, Some(region)),
        None => (code, None),
    };
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && region.is_none_or(|region| {
            region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_languages_have_two_or_three_letters_and_perhaps_a_region() {
        let check = |code: &str, expected: bool| assert_eq!(is_natural_language(code), expected);
        check("en", true);
        check("fil", true);
        check("pt-BR", true);
        check("EN", false);
        check("e", false);
        check("english", false);
        check("pt-br", false);
        check("pt-", false);
        check("", false);
    }

    #[test]
    fn codes_of_programming_languages_are_sorted_and_differ() {
        assert!(PROGRAMMING_LANGUAGES.is_sorted_by(|a, b| a < b));
    }
}
