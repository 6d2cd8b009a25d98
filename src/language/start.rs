//! Whether a source declares the function with which a program starts, in languages in which the compiler looks for it.
//! Strings, comments and what a preprocessor leaves out do not count, nor does what is inside of anything else.

use crate::language::{essence, java};

/// Whether the compiler itself finds out where a program of several files starts.
pub fn is_by_text(language: &str) -> bool {
    !words(language).is_empty()
}

/// Words of which a starting source has one.
fn words(language: &str) -> &'static [&'static str] {
    match language {
        "c" | "cpp" | "cgmp" | "cppgmp" | "objectivec" | "dart" => &["main"],
        "java" => &["main"],
        "rust" | "zig" => &["fn main"],
        "go" => &["func main"],
        "kotlin" => &["fun main"],
        "scala" => &["void main", "def main", "extends App"],
        "csharp" | "visualbasic" => &["Main(", "Main ("],
        "haskell" => &["main =", "main ::"],
        _ => &[],
    }
}

/// Which of these sources of a program start, by their places in the list.
pub fn starting(language: &str, sources: &[Vec<u8>]) -> Vec<usize> {
    let texts = sources.iter().map(|text| match language {
        "java" => String::from_utf8_lossy(text).into_owned(),
        _ => String::from_utf8_lossy(&essence::code(language, text)).into_owned(),
    });
    let texts: Vec<String> = texts.collect();
    let starts: Vec<u8> = texts.iter().map(|text| strength(language, text)).collect();
    let most = starts.iter().copied().max().filter(|most| *most > 0);
    (0..starts.len()).filter(|at| Some(starts[*at]) == most).collect()
}

/// 0 if a source does not start; the sources that do so most start.
fn strength(language: &str, code: &str) -> u8 {
    match language {
        "java" => java::starts(code),
        "c" | "cpp" | "cgmp" | "cppgmp" | "objectivec" | "dart" => declares(code, "").into(),
        "rust" | "zig" => declares(code, "fn").into(),
        "go" => declares(code, "func").into(),
        "kotlin" => declares(code, "fun").into(),
        _ => words(language).iter().any(|word| has_word(code, word)).into(),
    }
}

/// Whether a text contains this as a whole word.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next().filter(|_| word.ends_with(is_part));
        !text[..at].ends_with(is_part) && !after.is_some_and(is_part)
    })
}

fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The words and the other signs of a text.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_part(first) {
            rest.find(|it| !is_part(it)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Whether a function `main` is defined behind this word, outside of all braces but those of `extern "C"`. A declaration
/// is no definition, and what is only for tests does not count.
fn declares(code: &str, word: &str) -> bool {
    let tokens = tokens(code);
    // For each open brace, whether it encloses what is in it.
    let mut open: Vec<bool> = Vec::new();
    let mut declaration = 0;
    for (at, token) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at]);
        let is_outside = !open.contains(&true);
        match *token {
            "{" => open.push(!(before(1) == "\"" && before(3) == "extern")),
            "}" => drop(open.pop()),
            "main" if is_outside && tokens.get(at + 1) == Some(&"(") => {
                let is_named = if word.is_empty() {
                    ![":", ".", "~"].contains(&before(1))
                } else {
                    before(1) == word
                };
                let attributes = tokens[declaration..at].join("");
                let is_test =
                    attributes.contains("cfg(test)") || attributes.contains("cfg(all(test");
                if is_named && !is_test && (!word.is_empty() || is_definition(&tokens[at + 1..])) {
                    return true;
                }
            }
            _ => {}
        }
        if is_outside && [";", "}"].contains(token) || *token == "}" && !open.contains(&true) {
            declaration = at + 1;
        }
    }
    false
}

/// Whether something follows these parameters that is not the end of a declaration.
fn is_definition(tokens: &[&str]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" => depth += 1,
            ")" if depth == 1 => {
                let next = tokens.get(at + 1).copied().unwrap_or_default();
                return ![";", ",", "=", ")"].contains(&next);
            }
            ")" => depth -= 1,
            _ => {}
        }
    }
    true
}

/// The modules that a source of Rust says are in files of their own.
pub fn modules(source: &[u8]) -> Vec<String> {
    let code = essence::code("rust", source);
    let code = String::from_utf8_lossy(&code);
    let tokens = tokens(&code);
    let named = tokens.windows(3).filter(|it| it[0] == "mod" && it[2] == ";");
    named.map(|it| it[1].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_with_a_function_that_is_defined_outside_of_all_else() {
        let check = |language: &str, text: &str, expected: bool| {
            let found = starting(language, &[text.as_bytes().to_vec()]);
            assert_eq!(found.len(), usize::from(expected), "{language}: {text}");
        };
        for (language, text) in [
            ("c", "int main(void) { return 0; }"),
            ("c", "main(argc, argv) int argc; char **argv; { }"),
            ("c", "int main (int c,\n char **v)\n{ }"),
            ("c", "int main()"),
            ("cpp", "extern \"C\" { int f(); }\nauto main() -> int { }"),
            ("cpp", "extern \"C\" {\nint main() { }\n}"),
            (
                "cpp",
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f();\n#ifdef __cplusplus\n}\n#endif\nint main() {}",
            ),
            ("cpp", "struct A { int x; };\nint main() try { } catch (...) { }"),
            ("cpp", "#ifdef ONLINE_JUDGE\nint main() { }\n#endif"),
            ("cpp", "#if __cplusplus >= 201703L\nint main() { }\n#endif"),
            ("cpp", "#define N 3\n#if N > 2 && !defined(X)\nint main() { }\n#endif"),
            ("cpp", "char c = '{'; char d = '\"';\nint main() { }"),
            ("rust", "use x;\n#[inline]\npub fn main() { }"),
            ("rust", "fn f<'a>(x: &'a str) -> char { '{' }\nfn main() { }"),
            ("rust", "#[cfg(test)]\nmod tests { }\nfn main() { }"),
            ("rust", "#[cfg(not(test))]\nfn main() { }"),
            ("go", "package main\nfunc main() { }"),
            ("kotlin", "fun main(a: Array<String>) = println(1)"),
            ("java", "class A { public static void main(final String[] a) { } }"),
            ("java", "class A { static void main(String... a) { } }"),
            ("java", "void main() { }"),
        ] {
            check(language, text, true);
        }
        for (language, text) in [
            ("c", "int main(void);"),
            ("cpp", "int A::main() { return 0; }"),
            ("cpp", "namespace a { int main() { } }"),
            ("cpp", "class A { friend int main(); };"),
            ("cpp", "int again() { return main(); }"),
            ("cpp", "int x = main();"),
            ("cpp", "auto s = R\"x(\nint main() { })\" )x\";"),
            ("cpp", "auto s = u8R\"(\nint main() { })\";"),
            ("cpp", "// \\\nint main() { }"),
            ("cpp", "#if defined(A) || defined(B)\nint main() { }\n#endif"),
            ("cpp", "#define T 0\n#if T\nint main() { }\n#endif"),
            ("cpp", "#if (1 - 1) || !1\nint main() { }\n#endif"),
            ("cpp", "#ifndef ONLINE_JUDGE\nint main() { }\n#endif"),
            ("cpp", "#define TEST \\\n int main() { }\n"),
            ("rust", "mod a { fn main() { } }"),
            ("rust", "impl G { pub fn main(&self) { } }"),
            ("rust", "#[cfg(test)]\nfn main() { }"),
            ("rust", "const S: &str = \"\nfn main() { }\n\";"),
            ("rust", "const S: &str = r##\"\nfn main() { } \"# \"##;"),
            ("rust", "/* /* */ fn main() { } */"),
            ("rust", "macro_rules! m { () => { fn main() { } } }"),
            ("go", "package x\nfunc (a A) main() { }"),
            ("kotlin", "class A { fun main() { } }"),
            ("java", "class A { static void main(int x) { } int main(String[] a) { return 1; } }"),
            ("java", "class A { class B { static void main(String[] a) { } } }"),
        ] {
            check(language, text, false);
        }
    }

    #[test]
    fn the_usual_main_of_java_comes_before_others() {
        let check = |sources: &[&str], expected: &[usize]| {
            let sources: Vec<Vec<u8>> = sources.iter().map(|it| it.as_bytes().to_vec()).collect();
            assert_eq!(starting("java", &sources), expected);
        };
        let usual = "class A { public static void main(String[] a) { } }";
        let instance = "class B { void main() { } }";
        check(&[usual, instance], &[0]);
        check(&[instance, "class C { }"], &[0]);
        check(&[usual, usual], &[0, 1]);
        check(&["class C { static void main(int x) { } }"], &[]);
    }
}
