//! Finds the sources that declare the function with which a program starts, if the compiler looks for it.

use regex::Regex;
use tree_sitter::{Node, Parser, Tree};

use crate::language::{essence, java, kotlin};

/// For languages without a syntax tree.
const START_PATTERNS: [(&str, &str); 8] = [
    ("csharp", r"\bMain\s*\("),
    ("dart", r"^(\w+\s+)?main\s*\("),
    ("go", r"^func\s+main\s*\("),
    ("haskell", r"^main\s*(=|::)"),
    ("objectivec", r"^(\w+\s+)?main\s*\([^;]*$"),
    ("scala", r"\b(void|def)\s+main\b|\bextends\s+App\b"),
    ("visualbasic", r"\bMain\s*\("),
    ("zig", r"^(pub\s+)?fn\s+main\s*\("),
];

/// In these languages, the compiler finds the start of a program of several files.
pub fn compiler_finds_start(language: &str) -> bool {
    ["c", "cgmp", "cpp", "cppgmp", "java", "kotlin", "rust"].contains(&language)
        || start_pattern(language).is_some()
}

fn start_pattern(language: &str) -> Option<&'static str> {
    START_PATTERNS.iter().find(|(code, _)| *code == language).map(|(_, line)| *line)
}

/// The indexes of the sources that start with the highest certainty.
pub fn starting_sources(language: &str, sources: &[&[u8]]) -> Vec<usize> {
    let starts: Vec<u8> = sources.iter().map(|text| start_certainty(language, text)).collect();
    let most = starts.iter().copied().max().filter(|most| *most > 0);
    (0..starts.len()).filter(|at| Some(starts[*at]) == most).collect()
}

/// 0 if a source does not start; a greater number is more certain.
fn start_certainty(language: &str, source: &[u8]) -> u8 {
    match language {
        "java" => return java::start_certainty(&String::from_utf8_lossy(source)),
        "kotlin" => return kotlin::start_certainty(source),
        _ => {}
    }
    if let Some(line) = start_pattern(language) {
        let code = essence::without_strings_and_comments(language, source);
        let line = Regex::new(&format!("(?m){line}"));
        return line.is_ok_and(|it| it.is_match(&String::from_utf8_lossy(&code))).into();
    }
    syntax_tree(language, source).map_or(0, |tree| main_certainty(tree.root_node(), source))
}

fn syntax_tree(language: &str, source: &[u8]) -> Option<Tree> {
    /// Upper bound on the bytes of a source, as on submissions in most contests.
    const LARGEST: usize = 128 << 10;
    if source.len() > LARGEST {
        return None;
    }
    let grammar = match language {
        "rust" => tree_sitter_rust::LANGUAGE,
        _ => tree_sitter_cpp::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    parser.parse(source, None)
}

/// 2 for a function `main` at the top level. 1 if it is public, as in a module, or if the preprocessor or a syntax
/// error may leave it out.
fn main_certainty(root: Node<'_>, source: &[u8]) -> u8 {
    let mut most = 0;
    let mut open = vec![(root, 2)];
    while let Some((node, sure)) = open.pop() {
        let mut declaration = node.start_byte();
        for child in node.named_children(&mut node.walk()) {
            let before = String::from_utf8_lossy(&source[declaration..child.start_byte()]);
            match child.kind() {
                "attribute_item" => continue,
                "function_definition" if is_main(child, source) => most = most.max(sure),
                "function_item" if is_main(child, source) => {
                    let is_test =
                        ["cfg(test)", "cfg(all(test"].iter().any(|it| before.contains(it));
                    let is_public =
                        child.named_child(0).is_some_and(|it| it.kind() == "visibility_modifier");
                    most = most.max(if is_test { 0 } else { sure - u8::from(is_public) });
                }
                "linkage_specification" | "declaration_list" => open.push((child, sure)),
                kind if kind.starts_with("preproc_") || child.is_error() => open.push((child, 1)),
                _ => {}
            }
            declaration = child.end_byte();
        }
    }
    most
}

fn is_main(function: Node<'_>, source: &[u8]) -> bool {
    let mut name = function.child_by_field_name("name").unwrap_or(function);
    while let Some(inner) = name.child_by_field_name("declarator") {
        name = inner;
    }
    &source[name.byte_range()] == b"main"
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
        let sources: Vec<&[u8]> = sources.iter().map(|it| it.as_bytes()).collect();
        assert_eq!(starting_sources(language, &sources), expected);
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
