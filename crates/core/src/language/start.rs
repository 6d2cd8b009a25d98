//! Finds the sources that declare the function with which a program starts, if the compiler looks for it.

use regex::Regex;

use crate::language::{essence, java, kotlin};

/// What declares the start. In the languages of [`BLOCK_LANGUAGES`], it stands before a block.
const START_PATTERNS: [(&str, &str); 9] = [
    ("c cgmp cpp cppgmp objectivec", r"(?:\A|[\w*&>)\]])\s*\bmain\s*\([^=]*\z"),
    ("csharp", r"\bMain\s*\("),
    ("dart", r"^(\w+\s+)?main\s*\("),
    ("go", r"^func\s+main\s*\("),
    ("haskell", r"^main\s*(=|::)"),
    ("rust", r"\bfn\s+main\b"),
    ("scala", r"\b(void|def)\s+main\b|\bextends\s+App\b"),
    ("visualbasic", r"\bMain\s*\("),
    ("zig", r"^(pub\s+)?fn\s+main\s*\("),
];

/// Here, the start stands outside of braces, but for those of `extern "C"`.
const BLOCK_LANGUAGES: [&str; 6] = ["c", "cgmp", "cpp", "cppgmp", "objectivec", "rust"];

/// In these languages, the compiler finds the start of a program of several files.
pub fn compiler_finds_start(language: &str) -> bool {
    ["java", "kotlin"].contains(&language) || start_pattern(language).is_some()
}

fn start_pattern(language: &str) -> Option<Regex> {
    let pattern = essence::row_of(language, &START_PATTERNS)?;
    Regex::new(&format!("(?m){pattern}")).ok()
}

/// The indexes of the sources that start with the highest certainty.
pub fn starting_sources(language: &str, sources: &[&[u8]]) -> Vec<usize> {
    let starts: Vec<u8> = sources.iter().map(|text| start_certainty(language, text)).collect();
    let most = starts.iter().copied().max().filter(|most| *most > 0);
    (0..starts.len()).filter(|at| Some(starts[*at]) == most).collect()
}

/// 0 if a source does not start; a greater number is more certain.
fn start_certainty(language: &str, source: &[u8]) -> u8 {
    let text = String::from_utf8_lossy(source);
    match language {
        "java" => return java::start_certainty(&text),
        "kotlin" => return kotlin::start_certainty(source),
        _ => {}
    }
    let Some(pattern) = start_pattern(language) else { return 0 };
    // In C, a line that ends with a backslash goes on, even in a comment.
    let is_block = BLOCK_LANGUAGES.contains(&language);
    let source =
        if is_block { text.replace("\\\n", "").replace("\\\r\n", "").into() } else { text };
    let code = essence::without_strings_and_comments(language, source.as_bytes());
    let code = String::from_utf8_lossy(&code);
    if !is_block {
        return pattern.is_match(&code).into();
    }
    block_certainty(language, &pattern, &code)
}

/// `code` has no strings and comments. The alternatives of a condition each begin in the same depth. A start that the
/// preprocessor may leave out is less certain.
fn block_certainty(language: &str, pattern: &Regex, code: &str) -> u8 {
    let (mut most, mut depth) = (0, 0_usize);
    let mut head = String::new();
    let mut depths_of_conditions = Vec::new();
    for line in code.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').filter(|_| language != "rust");
        match directive.map(|text| text.trim_start().get(..2).unwrap_or_default()) {
            Some("if") => depths_of_conditions.push(depth),
            Some("el") => depth = depths_of_conditions.last().copied().unwrap_or(depth),
            Some("en") => drop(depths_of_conditions.pop()),
            _ => {}
        }
        for sign in line.chars().filter(|_| directive.is_none()) {
            match sign {
                '{' if depth == 0 && head.trim_end().ends_with("extern \"\"") => head.clear(),
                '{' => {
                    if depth == 0 && pattern.is_match(&head) {
                        let doubt = u8::from(!depths_of_conditions.is_empty());
                        most = most.max(head_certainty(&head).saturating_sub(doubt));
                    }
                    head.clear();
                    depth += 1;
                }
                '}' => depth = depth.saturating_sub(1),
                ';' => head.clear(),
                _ if depth == 0 => head.push(sign),
                _ => {}
            }
        }
    }
    most
}

/// `head` stands between the statement before and the block. 1 if it is public, as in a module; 0 if it is a test.
fn head_certainty(head: &str) -> u8 {
    let is_test = ["cfg(test)", "cfg(all(test"].iter().any(|mark| head.contains(mark));
    let is_public = head.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "pub");
    if is_test { 0 } else { 2 - u8::from(is_public) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_with_a_top_level_function() {
        let check = |language: &str, text: &str, expected: bool| {
            let found = starting_sources(language, &[text.as_bytes()]);
            assert_eq!(found.len(), usize::from(expected), "{language}: {text}");
        };
        for (language, text) in [
            ("c", "int main(void) { return 0; }"),
            ("c", "int main (int c,\n char **v)\n{ }"),
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
            ("cpp", "#define TEST \\\n int main() { }\n"),
            ("cpp", "#define TEST \\\r\n int main() { }\r\n"),
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

    /// Which of these sources starts, in which language.
    fn check(language: &str, sources: &[&str], expected: &[usize]) {
        let sources: Vec<&[u8]> = sources.iter().map(|source| source.as_bytes()).collect();
        assert_eq!(starting_sources(language, &sources), expected);
    }

    /// Ten submissions of two files in each language; a parser with a whole grammar decides the same.
    #[test]
    fn a_submission_starts_where_its_parser_finds_main() {
        let submissions: [(&str, [&str; 2], &[usize]); 30] = [
            (
                "c",
                ["int f(int);\nint main(void) { return f(0); }", "int f(int x) { return x; }"],
                &[0],
            ),
            (
                "c",
                [
                    "typedef struct { int x; } A;\nstatic int f(void)\n{ }",
                    "int\nmain\n(int c, char **v)\n{ }",
                ],
                &[1],
            ),
            (
                "c",
                ["#ifndef A\n#define A\nint main(void);\n#endif", "#include \"a.h\"\nmain() { }"],
                &[1],
            ),
            (
                "c",
                [
                    "char *s = \"int main() {\";\nchar c = '\"', d = '\\'', e = '{';",
                    "int main() { }",
                ],
                &[1],
            ),
            ("c", ["/* int main() { } /* */\n// \\\nint main() { }", "void main(void) { }"], &[1]),
            (
                "c",
                ["#define RUN \\\n int main() { }\nint main_loop(void) { }", "int main() { }"],
                &[1],
            ),
            (
                "c",
                [
                    "int (*f)(void) = main;\nint a[] = { 1 };\nint g() { return main(); }",
                    "int main() { }",
                ],
                &[1],
            ),
            ("c", ["#if 0\nit's int main() {\n#endif\nint f() { }", "int main() { }"], &[1]),
            (
                "c",
                ["int x = sizeof(int);\nint main() { }", "struct s { int x; } s;\nint main() { }"],
                &[0, 1],
            ),
            ("c", ["int f() { }", "extern int main(int, char **);"], &[]),
            ("cpp", ["namespace a { int main() { } }", "int main() { return a::main(); }"], &[1]),
            ("cpp", ["struct A { int main() { } int x; };", "signed main() { }"], &[1]),
            (
                "cpp",
                [
                    "int n = 1'000'000;\nauto s = R\"x(int main() { )\" })x\";",
                    "auto main() -> int { }",
                ],
                &[1],
            ),
            (
                "cpp",
                [
                    "A::A() : x{1}, main(3) { }\nint A::main() { }",
                    "int main() try { } catch (...) { }",
                ],
                &[1],
            ),
            (
                "cpp",
                [
                    "#ifdef A\nint main() {\n#else\nint main(int n, char** v) {\n#endif\n}",
                    "int f() { }",
                ],
                &[0],
            ),
            (
                "cpp",
                [
                    "#ifdef LOCAL\nint main() { }\n#endif",
                    "extern \"C\" {\nint f();\n}\nint32_t main() { }",
                ],
                &[1],
            ),
            (
                "cpp",
                [
                    "template <class T> auto f = [](T main) { };",
                    "[[nodiscard]] int main() noexcept { }",
                ],
                &[1],
            ),
            (
                "cpp",
                [
                    "#ifdef A\nint f() {\n#else\nint f(int x) {\n#endif\n}\nint main() { }",
                    "int g();",
                ],
                &[0],
            ),
            (
                "cpp",
                ["int f() { }\r\nint main()\r\n{ }\r\n", "#define N 1\r\nint main() { }\r\n"],
                &[0, 1],
            ),
            ("cpp", ["auto r = main();\nint f() { main(); }", "int g() { }"], &[]),
            ("rust", ["mod a;\nfn main() { a::main() }", "pub fn main() { }"], &[0]),
            (
                "rust",
                ["impl A { fn main() { } }\ntrait B { fn main() { } }", "#[inline]\nfn main() { }"],
                &[1],
            ),
            (
                "rust",
                [
                    "const S: &str = r##\"\"# fn main() { \"##;",
                    "fn f<'a>() { b'{'; }\nfn main() { }",
                ],
                &[1],
            ),
            (
                "rust",
                [
                    "#[cfg(test)]\nfn main() { }",
                    "#[cfg(not(test))]\nfn main() -> Result<(), ()> { }",
                ],
                &[1],
            ),
            (
                "rust",
                [
                    "/* { /* fn main() { } */ fn main() { } */",
                    "const Q: char = '\"';\nasync fn main() { }",
                ],
                &[1],
            ),
            ("rust", ["macro_rules! m { () => { fn main() { } } }", "m! { }\nfn main() { }"], &[1]),
            (
                "rust",
                ["mod a { pub fn main() { } }\nfn f() { fn main() { } }", "fn main<>() { }"],
                &[1],
            ),
            (
                "rust",
                ["#![allow(unused)]\nfn main() { }", "use std::{fmt, io};\nfn main() { }"],
                &[0, 1],
            ),
            ("rust", ["pub(crate) fn main() { }", "#[cfg(all(test, unix))]\nfn main() { }"], &[0]),
            (
                "rust",
                ["fn main_loop() { main() }", "fn f(main: fn()) { }\nlet s = \"\nfn main() { }\";"],
                &[],
            ),
        ];
        for (language, sources, expected) in submissions {
            check(language, &sources, expected);
        }
    }

    #[test]
    fn a_certain_start_comes_before_a_conditional_one() {
        let main = "int main() { }";
        for condition in ["if 0", "if defined(A) || B > 2", "ifdef A", "ifndef ONLINE_JUDGE"] {
            let conditional = format!("#{condition}\n{main}\n#else\nint f();\n#endif\n");
            check("cpp", &[&conditional, main], &[1]);
            check("cpp", &[&conditional, "int f() { }"], &[0]);
            check("cpp", &[&conditional, &conditional], &[0, 1]);
        }
        check("rust", &["pub fn main() { }", "mod a;\nfn main() { a::main() }"], &[1]);
        check("rust", &["pub fn main() { }", "fn f() { }"], &[0]);
        check("cpp", &[&"#if 1\n".repeat(10_000), main], &[1]);
        check(
            "cpp",
            &[&"int x;\n".repeat(50_000), &format!("{}{main}", "int x;\n".repeat(50_000))],
            &[1],
        );
    }

    #[test]
    fn the_usual_main_of_java_comes_before_others() {
        let check = |sources: &[&str], expected: &[usize]| check("java", sources, expected);
        let usual = "class A { public static void main(String[] a) { } }";
        let instance = "class B { void main() { } }";
        check(&[usual, instance], &[0]);
        check(&[instance, "class C { }"], &[0]);
        check(&[usual, usual], &[0, 1]);
        check(&["class C { static void main(int x) { } }"], &[]);
    }
}
