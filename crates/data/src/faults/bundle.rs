//! Joins many mutants of a source into one source, so that the compiler reads their shared parts once.
//!
//! Each mutant is in its own namespace, module or class; in C its names get a prefix. An environment variable selects
//! the mutant to run.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use tree_sitter::Node;

use crate::faults::finder::children;
use crate::faults::parse;
use crate::faults::syntax::Syntax;

/// The environment variable with the index of the mutant.
pub const MUTANT_VARIABLE: &str = "JUROR_MUTANT";

struct JoinRules {
    prepare: fn(&str, &[Node<'_>]) -> Option<BundlePart>,
    frame: BundleFrame,
}

#[derive(Clone, Copy)]
struct BundleFrame {
    before: &'static str,
    /// The keyword of the block around each source; `None` if its names get a prefix instead.
    block_keyword: Option<&'static str>,
    start: &'static str,
    case: &'static str,
    end: &'static str,
}

const C: BundleFrame = BundleFrame {
    before: "",
    block_keyword: None,
    start: "#include <stdlib.h>\nint main(int argc, char **argv) {\n    (void)argc, (void)argv;\n    \
        const char *which = getenv(\"JUROR_MUTANT\");\n    switch (which ? atoi(which) : 0) {\n",
    case: "    case {index}: return m{index}_main({arguments});\n",
    end: "    }\n    return 127;\n}\n",
};

const CPP: BundleFrame = BundleFrame {
    block_keyword: Some("namespace"),
    case: "    case {index}: return m{index}::main({arguments});\n",
    ..C
};

const RUST: BundleFrame = BundleFrame {
    before: "#![allow(warnings)]\n",
    block_keyword: Some("mod"),
    start: "fn main() -> std::process::ExitCode {\n    let which = std::env::var(\"JUROR_MUTANT\").unwrap_or_default();\n    \
        match which.parse::<usize>().unwrap_or(0) {\n",
    case: "        {index} => std::process::Termination::report(m{index}::main()),\n",
    end: "        _ => std::process::ExitCode::from(127),\n    }\n}\n",
};

const JAVA: BundleFrame = BundleFrame {
    before: "",
    block_keyword: Some("class"),
    start: "class {class} {\n    public static void main(String[] arguments) throws Throwable {\n        \
        String which = System.getenv(\"JUROR_MUTANT\");\n        switch (which == null ? 0 : Integer.parseInt(which)) {\n",
    case: "            case {index}: m{index}.{class}.main(arguments); return;\n",
    end: "            default: System.exit(127);\n        }\n    }\n}\n",
};

#[derive(Debug)]
pub struct Bundle {
    pub text: String,
    /// The lines of each source, from 1.
    lines: Vec<Range<usize>>,
}

impl Bundle {
    /// The index of the source that this line belongs to.
    pub fn source_at_line(&self, line: usize) -> Option<usize> {
        self.lines.iter().position(|lines| lines.contains(&line))
    }
}

/// Joins sources of one file each. `None` if the language does not allow it, or if they would behave differently
/// alone.
pub fn bundle(language: &str, texts: &[String]) -> Option<Bundle> {
    let syntax = Syntax::of(language)?;
    let join = match language {
        "c" => JoinRules { prepare: prepare_c, frame: C },
        "cpp" => JoinRules { prepare: prepare_cpp, frame: CPP },
        "rust" => JoinRules { prepare: prepare_rust, frame: RUST },
        "java" => JoinRules { prepare: prepare_java, frame: JAVA },
        _ => return None,
    };
    let parts: Option<Vec<BundlePart>> = texts
        .iter()
        .map(|text| {
            let tree = parse(syntax, text)?;
            let mut part = (join.prepare)(text, &children(tree.root_node()))?;
            part.body = apply_changes(text, &mut part.changes);
            Some(part)
        })
        .collect();
    let parts = parts?;
    let first = parts.first()?;
    if parts.iter().any(|part| part.head != first.head) {
        return None;
    }
    let mut text = String::from(join.frame.before);
    text.push_str(&first.head);
    let mut lines = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        text.push('\n');
        let start = text.matches('\n').count() + 1;
        part.write(&mut text, index, join.frame.block_keyword);
        lines.push(start..text.matches('\n').count() + 1);
    }
    text.push_str(&join.frame.start.replace("{class}", &first.class));
    for (index, part) in parts.iter().enumerate() {
        let case = join.frame.case.replace("{index}", &index.to_string());
        text.push_str(&case.replace("{class}", &part.class).replace("{arguments}", part.arguments));
    }
    text.push_str(join.frame.end);
    Some(Bundle { text, lines })
}

/// A source without the parts that all sources share.
#[derive(Default)]
struct BundlePart {
    /// The text before all sources.
    head: String,
    /// Ranges of the source, and the text that replaces each.
    changes: Vec<(Range<usize>, &'static str)>,
    body: String,
    class: String,
    /// The arguments of `main`, in C and C++.
    arguments: &'static str,
    /// The names that may clash with other sources, in C.
    names: BTreeSet<String>,
    macros: BTreeSet<String>,
}

impl BundlePart {
    fn write(&self, text: &mut String, index: usize, holder: Option<&str>) {
        let Self { names, macros, body, .. } = self;
        let lines = |all: &mut dyn Iterator<Item = String>| all.collect::<String>();
        let own = lines(&mut names.iter().map(|name| format!("#define {name} m{index}_{name}\n")));
        let end = lines(&mut names.iter().chain(macros).map(|name| format!("#undef {name}\n")));
        let _ = match holder {
            Some(holder) => write!(text, "{holder} m{index} {{\n{body}\n}}\n{end}"),
            None => write!(text, "{own}{body}\n{end}"),
        };
    }

    /// Moves a node before all sources.
    fn move_to_head(&mut self, own: &str, node: &Node<'_>) {
        self.head.push_str(own);
        self.head.push('\n');
        self.changes.push((node.byte_range(), ""));
    }
}

/// Applies the changes, the last position first. The line ends of replaced ranges stay.
fn apply_changes(text: &str, changes: &mut [(Range<usize>, &str)]) -> String {
    changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut changed = text.to_owned();
    for (range, with) in changes {
        let lines = text[range.clone()].matches('\n').count();
        changed.replace_range(range.clone(), &("\n".repeat(lines) + with));
    }
    changed
}

fn prepare_cpp(text: &str, top: &[Node<'_>]) -> Option<BundlePart> {
    // It would run for each source before `main`, or cannot be in a namespace.
    let is_outside = |node: &Node<'_>| match node.kind() {
        "declaration" => text[node.byte_range()].contains("stream") || runs_before_main(*node),
        kind => kind == "linkage_specification",
    };
    (!top.iter().any(is_outside)).then(|| prepare_main(text, top)).flatten()
}

/// Also collects the names that need a prefix.
fn prepare_c(text: &str, top: &[Node<'_>]) -> Option<BundlePart> {
    let mut part = prepare_main(text, top)?;
    for node in top {
        collect_defined_names(text, *node, &mut part.names);
    }
    Some(part)
}

/// Moves the includes of a C or C++ source, and makes `main` return in any case.
fn prepare_main(text: &str, top: &[Node<'_>]) -> Option<BundlePart> {
    let mut part = BundlePart::default();
    let mut has_main = false;
    for node in top {
        let own = &text[node.byte_range()];
        match node.kind() {
            "preproc_include" => part.move_to_head(own, node),
            "preproc_def" | "preproc_function_def" => {
                let name = &text[node.child_by_field_name("name")?.byte_range()];
                // Included files read it.
                if name.starts_with('_') {
                    part.move_to_head(own, node);
                } else {
                    part.macros.insert(name.to_owned());
                }
            }
            "function_definition" => {
                let declarator = node.child_by_field_name("declarator")?;
                let body = node.child_by_field_name("body")?;
                let name = declarator.child_by_field_name("declarator");
                if name.is_some_and(|name| &text[name.byte_range()] == "main") {
                    let returned = node.child_by_field_name("type")?;
                    if &text[returned.byte_range()] == "void" {
                        return None;
                    }
                    let parameters = declarator.child_by_field_name("parameters")?;
                    let parameters = text[parameters.byte_range()].trim_matches(['(', ')', ' ']);
                    part.arguments =
                        if matches!(parameters, "" | "void") { "" } else { "argc, argv" };
                    let end = body.end_byte() - 1;
                    part.changes.push((end..end, " return 0; "));
                    has_main = true;
                }
            }
            "preproc_if" | "preproc_ifdef" => return None,
            _ => {}
        }
    }
    has_main.then_some(part)
}

/// Adds the names that a node outside of functions defines: two sources that define the same name clash.
fn collect_defined_names(text: &str, node: Node<'_>, names: &mut BTreeSet<String>) {
    let word = |node: Node<'_>| text[node.byte_range()].to_owned();
    match node.kind() {
        "function_definition" | "declaration" | "type_definition" => {
            let is_extern = children(node).into_iter().any(|child| word(child) == "extern");
            let mut cursor = node.walk();
            for declarator in node.children_by_field_name("declarator", &mut cursor) {
                let mut at = declarator;
                let mut is_function = false;
                while let Some(inner) = inner_declarator(at) {
                    is_function = at.kind() == "function_declarator";
                    at = inner;
                }
                // Other declarations only announce a name, which a library may define.
                let is_here = node.kind() != "declaration" || !(is_function || is_extern);
                if is_here {
                    names.insert(word(at));
                }
            }
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" | "enumerator" => {
            let name = node.child_by_field_name("name");
            let is_here = node.kind() == "enumerator" || node.child_by_field_name("body").is_some();
            names.extend(name.filter(|_| is_here).map(word));
        }
        "compound_statement" => return,
        _ => {}
    }
    children(node).into_iter().for_each(|child| collect_defined_names(text, child, names));
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let is_around = node.kind() == "parenthesized_declarator";
    let first = || children(node).into_iter().find(Node::is_named);
    node.child_by_field_name("declarator").or_else(|| is_around.then(first).flatten())
}

/// Whether a declaration calls something for its initial value.
fn runs_before_main(node: Node<'_>) -> bool {
    children(node).into_iter().any(|child| {
        matches!(child.kind(), "call_expression" | "lambda_expression") || runs_before_main(child)
    })
}

/// Makes `main` visible outside of its module.
fn prepare_rust(text: &str, top: &[Node<'_>]) -> Option<BundlePart> {
    let mut part = BundlePart::default();
    let mut has_main = false;
    for node in top {
        match node.kind() {
            "inner_attribute_item" => part.move_to_head(&text[node.byte_range()], node),
            "function_item" => {
                let name = node.child_by_field_name("name")?;
                if &text[name.byte_range()] == "main" {
                    part.changes.push((node.start_byte()..node.start_byte(), "pub "));
                    has_main = true;
                }
            }
            _ => {}
        }
    }
    (has_main && !text.contains("crate:")).then_some(part)
}

/// The classes of the source become members of a class.
fn prepare_java(text: &str, top: &[Node<'_>]) -> Option<BundlePart> {
    let mut part = BundlePart::default();
    for node in top {
        let own = &text[node.byte_range()];
        match node.kind() {
            "import_declaration" => part.move_to_head(own, node),
            "class_declaration" => {
                part.changes.push((node.start_byte()..node.start_byte(), "static "));
                if own.contains("static void main(") {
                    let name = node.child_by_field_name("name")?;
                    part.class = text[name.byte_range()].to_owned();
                }
            }
            "package_declaration" => return None,
            _ => {}
        }
    }
    (!part.class.is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, parts: &[&str]) {
        let bundle = bundle(language, &[text.to_owned(), text.to_owned()]);
        let Some(bundle) = bundle else { return assert!(parts.is_empty(), "{language}: {text}") };
        for part in parts {
            assert!(bundle.text.contains(part), "{part}: {}", bundle.text);
        }
        assert!(!parts.is_empty());
        let line = bundle.text.lines().position(|line| line.contains("m1 {")).unwrap();
        assert_eq!(bundle.source_at_line(line + 2), Some(1));
        assert_eq!(bundle.source_at_line(line - 1), Some(0));
        assert_eq!(bundle.source_at_line(1), None);
    }

    #[test]
    fn sources_are_joined() {
        let cpp = "#include <cstdio>\nint x;\nint main() { puts(\"a\"); }\n";
        check(
            "cpp",
            cpp,
            &["namespace m1 {", "puts(\"a\");  return 0; }", "case 1: return m1::main();"],
        );
        check("cpp", "int main(int c, char **v) { return c; }", &["m0::main(argc, argv)"]);
        check("cpp", "#define N 9\nint main() {}", &["}\n#undef N\n"]);
        check(
            "rust",
            "#![a]\nfn main() {}",
            &["mod m0 {\n\npub fn main() {}", "report(m1::main())"],
        );
        check(
            "java",
            "import a;\npublic class A { public static void main(String[] a) {} }",
            &["class m1 {\n\nstatic public class A", "m1.A.main(arguments)"],
        );
    }

    /// Checks the names of a C source that get a prefix.
    fn check_names(text: &str, expected: &str) {
        let text = format!("{text}\nint main(void) {{ return 0; }}\n");
        let bundle = bundle("c", &[text.clone(), text]).expect("they can stand side by side");
        let second = bundle.text.split("return 0;  return 0; }").nth(1).expect("there are two");
        let own =
            |line: &str| Some(line.strip_prefix("#define ")?.split_once(" m1_")?.0.to_owned());
        let names: Vec<String> = second.lines().filter_map(own).collect();
        assert_eq!(names.join(" "), expected, "{}", bundle.text);
    }

    #[test]
    fn names_in_c_get_a_prefix() {
        check_names("", "main");
        check_names("#include <a.h>\n#define A 1\n#define _B", "main");
        check_names("int a, *b, c[2] = {1, 2}; static long d = 1;", "a b c d main");
        check_names("int (*f)(int); char *g(int x) { int y; return 0; }", "f g main");
        check_names(
            "typedef struct pair { int x; struct in { int y; } z; } two;",
            "in main pair two",
        );
        check_names("enum e { A, B = 2 } v; union u { int a; };", "A B e main u v");
        check_names("struct away *p; typedef int (*call)(int);", "call main p");
        check_names("int putchar_unlocked(int); extern char **environ; void f(int);", "main");
    }

    #[test]
    fn sources_that_would_behave_differently_are_not_joined() {
        check("cpp", "std::ifstream in(\"a\");\nint main() {}", &[]);
        check("cpp", "int n = read();\nint main() {}", &[]);
        check("cpp", "#ifdef A\n#include <a>\n#endif\nint main() {}", &[]);
        check("cpp", "int x;", &[]);
        check("rust", &["use crate", "::a;\nfn main() {}"].concat(), &[]);
        check("java", "package a;\nclass A { public static void main(String[] a) {} }", &[]);
        check("c", "void main(void) {}", &[]);
        check("c", "#if 1\n#endif\nint main(void) {}", &[]);
        check("python3", "print(1)", &[]);
    }
}
