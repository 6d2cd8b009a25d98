//! What a Java source declares, as far as its name and its start depend on it.

use std::path::{Path, PathBuf};

/// A class, interface, enum or record at the top of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopType {
    /// Its simple name.
    pub name: String,
    /// Whether others may see it: then the file must have its name.
    pub access: Access,
    /// Whether a `main` method stands in it.
    pub main: Main,
}

/// Who may see a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Public,
    /// Its package.
    Package,
}

/// Whether a type has a `main` method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Main {
    /// It has.
    Present,
    /// It has not.
    Absent,
}

/// What a Java source declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The package, such as `org.example`.
    pub package: Option<String>,
    /// The types, in order.
    pub types: Vec<TopType>,
}

impl Declarations {
    /// The name with which the virtual machine starts this type.
    pub fn qualified(&self, name: &str) -> String {
        match &self.package {
            Some(package) => format!("{package}.{name}"),
            None => name.to_owned(),
        }
    }

    /// The name that the compiler asks of the file; its own where it asks nothing.
    pub fn file_name(&self, own: &Path) -> PathBuf {
        let public = self.types.iter().find(|it| it.access == Access::Public);
        match public {
            Some(public) => own.with_file_name(format!("{}.java", public.name)),
            None => own.to_path_buf(),
        }
    }
}

/// Reads the declarations of a source; comments and strings do not count.
///
/// A scanner, no parser: a source that the compiler refuses gives something, too.
pub fn declarations(source: &str) -> Declarations {
    let words = words(source);
    let mut found = Declarations::default();
    let mut depth = 0_usize;
    let mut access = Access::Package;
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", String::as_str);
        match word.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                access = Access::Package;
            }
            ";" if depth == 0 => access = Access::Package,
            "package" if depth == 0 && found.types.is_empty() => {
                let name = words[at + 1..].iter().take_while(|it| *it != ";");
                found.package = Some(name.map(String::as_str).collect());
            }
            "public" if depth == 0 => access = Access::Public,
            "class" | "interface" | "enum" | "record" if depth == 0 && is_name(next) => {
                // `@interface` declares a type as well; `.class` stands inside braces only.
                found.types.push(TopType { name: next.to_owned(), access, main: Main::Absent });
            }
            "main" if depth == 1 && next == "(" && declares_method(&words[..at]) => {
                if let Some(last) = found.types.last_mut() {
                    last.main = Main::Present;
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the words before `main` make it a method that returns nothing.
fn declares_method(before: &[String]) -> bool {
    before.last().is_some_and(|it| it == "void")
}

/// Names and signs of a source, without comments, strings and blanks.
fn words(source: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |at| at + 4)
        } else if rest.starts_with("\"\"\"") {
            quoted(rest, "\"\"\"")
        } else if first == '"' {
            quoted(rest, "\"")
        } else if first == '\'' {
            quoted(rest, "'")
        } else if is_name_part(first) {
            let length = rest.find(|it| !is_name_part(it)).unwrap_or(rest.len());
            words.push(rest[..length].to_owned());
            length
        } else {
            if !first.is_whitespace() {
                words.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words
}

/// The length of a literal with both its quotes; a backslash guards what follows it.
fn quoted(rest: &str, quote: &str) -> usize {
    let mut at = quote.len();
    while at < rest.len() {
        if rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        // A literal of one line that nobody closed ends with its line.
        if quote.len() == 1 && rest[at..].starts_with('\n') {
            return at;
        }
        let mut characters = rest[at..].chars();
        let step = characters.next().map_or(1, char::len_utf8);
        let guarded = match rest[at..].starts_with('\\') {
            true => characters.next().map_or(0, char::len_utf8),
            false => 0,
        };
        at += step + guarded;
    }
    rest.len()
}

fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(|it| is_name_part(it) && !it.is_ascii_digit())
}

fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows what was found as `package: +Public* Hidden`, with a star at those that have a `main`.
    fn check(source: &str, shown: &str) {
        let found = declarations(source);
        let types: Vec<String> = found
            .types
            .iter()
            .map(|it| {
                let access = if it.access == Access::Public { "+" } else { "" };
                let main = if it.main == Main::Present { "*" } else { "" };
                format!("{access}{}{main}", it.name)
            })
            .collect();
        let package = found.package.map(|it| format!("{it}: ")).unwrap_or_default();
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
            let named = declarations(source).file_name(Path::new(own));
            assert_eq!(named, Path::new(name), "{source}");
        };
        check("class A {} public class B {}", "sub/x.java", "sub/B.java");
        check("class A {}", "x.java", "x.java");
    }
}
