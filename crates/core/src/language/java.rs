//! Java sources: the file names that they need, and the class that starts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::language::entry::{missing_entry, no_main_file, several_main_files};
use crate::language::fault::{ProgramFault, quoted_list};
use crate::tree::TreeEntry;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaProgram {
    pub sources: Vec<PathBuf>,
    pub main: String,
}

#[derive(Default)]
struct Declarations {
    package: Option<String>,
    types: Vec<TopType>,
    unnamed_start: u8,
}

struct TopType {
    name: String,
    is_public: bool,
    /// How it starts: 0 not at all, 1 with a `main` that only some versions of Java know, 2 with the usual one.
    start: u8,
}

/// Gives each source the name that its public type demands, and finds the class that starts.
///
/// In this order: the class or the file that `entry_point` names; the usual one; the only one of the program's own
/// files with a `main`; the only one of several that its file is named after. A single source without a `main` starts,
/// too: the compiler or the virtual machine reports what is wrong with it.
pub fn java_program(
    files: &mut [TreeEntry],
    sources: &[PathBuf],
    own: &[PathBuf],
    entry_point: Option<&str>,
    usual: &str,
) -> Result<JavaProgram, ProgramFault> {
    let mut renamed = Vec::new();
    let mut classes = Vec::new();
    for at in 0..files.len() {
        if !sources.contains(&files[at].name) {
            continue;
        }
        let declarations = scan_declarations(&String::from_utf8_lossy(files[at].bytes()));
        let path = files[at].name.clone();
        let is_own = own.contains(&path);
        let name = declarations.file_name(&path);
        if !files.iter().any(|file| file.name == name) {
            files[at].name = name;
        }
        let file = &files[at].name;
        renamed.push(file.clone());
        let package = declarations.package.map(|name| format!("{name}.")).unwrap_or_default();
        classes.extend(declarations.types.into_iter().map(|declaration| JavaClass {
            qualified: format!("{package}{}", declaration.name),
            declaration,
            file: file.clone(),
            given_name: path.clone(),
            is_own,
        }));
    }
    // The usual `main` comes before others, even if both start.
    let own_classes = classes.iter().filter(|class| class.is_own);
    let most = own_classes.map(|class| class.declaration.start).max().filter(|most| *most > 0);
    let starts = |class: &&JavaClass| class.is_own && Some(class.declaration.start) == most;
    let starting: Vec<&JavaClass> = classes.iter().filter(starts).collect();
    let named = |name: &str| {
        classes.iter().find(|class| class.declaration.name == name || class.qualified == name)
    };
    let stem = |name: &'_ str| name.strip_suffix(".java").unwrap_or(name).to_owned();
    let of_file = |name: &str| {
        let inside = classes.iter().filter(|class| class.given_name == Path::new(name));
        let inside: Vec<&JavaClass> = inside.filter(|class| class.declaration.start > 0).collect();
        let called = |entry_point: &str| {
            inside.iter().find(|class| class.declaration.name == entry_point).copied()
        };
        called(&stem(name)).or_else(|| called(usual)).or_else(|| inside.first().copied())
    };
    let main = match (entry_point, named(usual), &starting[..]) {
        (Some(entry_point), _, _) => of_file(entry_point)
            .or_else(|| named(&stem(entry_point)))
            .ok_or_else(|| missing_entry(entry_point, sources))?,
        (None, Some(class), _) => class,
        (None, None, [class]) => *class,
        (None, None, []) => match (own, classes.iter().find(|class| class.is_own)) {
            ([_], Some(class)) => {
                let mut own = classes.iter().filter(|class| class.is_own);
                own.find(|class| class.matches_its_file()).unwrap_or(class)
            }
            ([only], None) => {
                let main = only.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                return Ok(JavaProgram { main, sources: renamed });
            }
            _ => return Err(no_main_file(sources, usual)),
        },
        (None, None, all) => {
            let mut named = all.iter().filter(|class| class.matches_its_file());
            match (named.next(), named.next()) {
                (Some(class), None) => class,
                _ => {
                    let files = BTreeSet::from_iter(all.iter().map(|class| class.file.clone()));
                    return Err(match &Vec::from_iter(files)[..] {
                        [file] => several_mains(file, all),
                        files => several_main_files(files, usual),
                    });
                }
            }
        }
    };
    Ok(JavaProgram { main: main.qualified.clone(), sources: renamed })
}

/// 0, 1 or 2, as in `TopType`.
pub(super) fn start_certainty(source: &str) -> u8 {
    let all = scan_declarations(source);
    all.types.iter().map(|class| class.start).fold(all.unnamed_start, u8::max)
}

/// Sources: Java 8, JLS 12.1.4: `static` with an array of strings. Java 25, JEP 512: also without either.
fn main_certainty(before: &[&str], parameters: &[&str]) -> u8 {
    let modifiers = before.iter().rev().take_while(|word| ![";", "{", "}"].contains(word));
    let is_static = modifiers.into_iter().any(|word| *word == "static");
    let parameters = parameters.iter().take_while(|word| **word != ")");
    let parameters: Vec<&str> = parameters.copied().collect();
    let is_array = ["[", "."].iter().any(|sign| parameters.contains(sign));
    if parameters.is_empty() {
        1
    } else if parameters.contains(&"String") && !parameters.contains(&",") && is_array {
        1 + u8::from(is_static)
    } else {
        0
    }
}

fn several_mains(file: &Path, classes: &[&JavaClass]) -> ProgramFault {
    let names: Vec<PathBuf> =
        classes.iter().map(|class| class.declaration.name.as_str().into()).collect();
    let message = format!(
        "`{}` has several classes with a `main` method: {}",
        file.display(),
        quoted_list(&names)
    );
    let help =
        format!("name the file after the class that starts, such as {}.java", names[0].display());
    ProgramFault::new(message, help)
}

struct JavaClass {
    declaration: TopType,
    qualified: String,
    file: PathBuf,
    given_name: PathBuf,
    is_own: bool,
}

impl JavaClass {
    fn matches_its_file(&self) -> bool {
        self.file.file_stem().is_some_and(|stem| *stem == *self.declaration.name)
    }
}

impl Declarations {
    /// The file name that the compiler demands: that of a public type, else its own.
    fn file_name(&self, own: &Path) -> PathBuf {
        match self.types.iter().find(|class| class.is_public) {
            Some(class) => own.with_file_name(format!("{}.java", class.name)),
            None => own.to_owned(),
        }
    }
}

/// Matches words and signs; comments and literals match as well, but are not captured as words. An unclosed literal
/// ends with its line.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let skipped = r#"//.*|(?s:/\*.*?(?:\*/|\z))|(?s:"""(?:\\.|[^\\])*?(?:"""|\z))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"#;
    Regex::new(&format!(r"{skipped}|(?<word>[\w$]+|\S)")).ok()
});

/// Scans the declarations of a source. This is not a parser: a source that the compiler refuses gives a result, too.
fn scan_declarations(source: &str) -> Declarations {
    let all = WORDS.iter().flat_map(|words| words.captures_iter(source));
    let words: Vec<&str> = all.filter_map(|groups| Some(groups.name("word")?.as_str())).collect();
    let mut found = Declarations::default();
    let (mut depth, mut is_public) = (0_usize, false);
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                is_public = false;
            }
            ";" if depth == 0 => is_public = false,
            "package" if depth == 0 && found.types.is_empty() && found.package.is_none() => {
                let name = words[at + 1..].iter().take_while(|word| **word != ";");
                found.package = Some(name.copied().collect());
            }
            "public" if depth == 0 => is_public = true,
            // `@interface` also declares a type; `.class` occurs only inside braces.
            "class" | "interface" | "enum" | "record"
                if depth == 0
                    && next.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c)) =>
            {
                found.types.push(TopType { name: next.to_owned(), is_public, start: 0 });
            }
            "main" if depth <= 1 && next == "(" && at > 0 && words[at - 1] == "void" => {
                let main = main_certainty(&words[..at - 1], &words[at + 2..]);
                match found.types.last_mut().filter(|_| depth == 1) {
                    Some(last) => last.start = last.start.max(main),
                    // A class without a name, which has its file's.
                    None => found.unnamed_start = found.unnamed_start.max(main.min(1)),
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks declarations as `package: +Public* Hidden`, with a star after those that have the usual `main`, and a plus
    /// after those that have another that starts.
    fn check(source: &str, shown: &str) {
        let found = scan_declarations(source);
        let types: Vec<String> = found
            .types
            .iter()
            .map(|declaration| {
                let access = if declaration.is_public { "+" } else { "" };
                let main = ["", "+", "*"][usize::from(declaration.start)];
                format!("{access}{}{main}", declaration.name)
            })
            .collect();
        let package = found.package.map(|name| format!("{name}: ")).unwrap_or_default();
        assert_eq!(format!("{package}{}", types.join(" ")), shown, "{source}");
    }

    #[test]
    fn types_at_the_top_are_found_with_their_main_method() {
        check("public class Main { public static void main(String[] a) {} }", "+Main*");
        check("class A {} public final class B { static void main(String... a) {} }", "A +B*");
        check("package org.example; import java.util.*; class A {}", "org.example: A");
        check("public enum E { X } record R(int a) {} interface I {}", "+E R I");
        check("@Deprecated public class A<T extends Comparable<T>> {}", "+A");
        check("public class A { } class B { }", "+A B");
        check("", "");
    }

    #[test]
    fn inner_types_and_calls_do_not_count() {
        check("class A { public class B { void main(String[] a) {} } }", "A");
        check("class A { void f() { main(null); } }", "A");
        check("class A { int main(int x) { return x; } }", "A");
        check("class A { static void main(int x) {} void main(String a) {} }", "A");
        check("class A { void main() {} static void main(int x) {} }", "A+");
        check("class A { static void f() {} void main(String[] a) {} }", "A+");
        check(
            "class A { final static public void main(final String a[]) {} void main() {} }",
            "A*",
        );
        check("class A { Class<?> c = A.class; int record; }", "A");
    }

    #[test]
    fn comments_and_strings_do_not_count() {
        check("// public class X\n/* public class Y { */ class A {}", "A");
        check("class A { String s = \"} class B {\"; char c = '\\''; char d = '\"'; }", "A");
        check("class A { String s = \"\"\"\n } class \\\"\"\" B { \"\"\"; }", "A");
        check("class A { String s = \"open\n} class B {}", "A B");
        check("/* open", "");
        check("class A {} \"\\", "A");
    }

    #[test]
    fn a_public_type_names_its_file() {
        let check = |source: &str, own: &str, name: &str| {
            let named = scan_declarations(source).file_name(Path::new(own));
            assert_eq!(named, Path::new(name), "{source}");
        };
        check("class A {} public class B {}", "sub/x.java", "sub/B.java");
        check("class A {}", "x.java", "x.java");
    }
}
