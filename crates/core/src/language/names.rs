//! Names of languages, as people and data sets write them.

use std::sync::LazyLock;

use regex::Regex;

use crate::language::table::{LANGUAGES, Language};

/// A vendor, the name, a version, notes: `GNU C++20 (64)`, `py3.11`, `Mono C#`, `JavaScript (Node.js 12.16.1)`.
static PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let vendor = r"(?:gnu|ms|mono|\.net core|free)\s+";
    Regex::new(&format!(r"^(?:{vendor})?(?<name>[a-z][a-z+#. ]*?)[\s_-]*(?:\d[^(]*)?(?:\(.*)?$"))
        .ok()
});

impl Language {
    /// The language with this code, alias or name. Versions do not count, since juror has one tool for each language.
    /// But Python 2 is another language than Python 3.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        let folded = name.trim().to_lowercase();
        Self::called(&folded).or_else(|| {
            let parts = PARTS.as_ref()?.captures(&folded)?;
            let language = Self::called(&parts["name"])?;
            let is_second =
                folded.find(|c: char| c.is_ascii_digit()).map(|at| &folded[at..=at]) == Some("2");
            match language.code {
                "python3" if is_second => Self::by_code("python2"),
                "pypy3" if is_second => None,
                _ => Some(language),
            }
        })
    }

    fn called(name: &str) -> Option<&'static Self> {
        let is_alias = |row: &Self| row.aliases.split_whitespace().any(|alias| alias == name);
        let is_name = |row: &Self| row.code == name || row.name.to_lowercase() == name;
        LANGUAGES.iter().find(|row| is_name(row) || is_alias(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_languages_are_read_as_data_sets_write_them() {
        let check = |code: &str, names: &[&str]| {
            for name in names {
                assert_eq!(
                    Language::by_name(name).map_or("-", |language| language.code),
                    code,
                    "{name}"
                );
            }
        };
        check("c", &["c", "C", "C11", "GNU C11", "C (GCC 9.2.1)", "GNU C"]);
        check(
            "cpp",
            &["C++", "cc", "C++17", "GNU C++20 (64)", "c++0x", "g++17", "gnu++20", "cpp14"],
        );
        check("cpp", &["C++20 (GCC 13-64)", "MS C++ 2017", "Clang++17 Diagnostics", "CPP"]);
        check("csharp", &["C#", "C# 10", "Mono C#", ".NET Core C#", "cs"]);
        check("d", &["D", "D2"]);
        check("go", &["Go", "golang", "Go 1.22.2"]);
        check("java", &["Java 8", "JAVA", "Java 21 64bit", "Java (OpenJDK 11.0.6)"]);
        check("javascript", &["js", "nodejs", "Node.js", "Node.js 15.8.0 (64bit)", "node"]);
        check("javascript", &["JavaScript (Node.js 12.16.1)"]);
        check("kotlin", &["Kotlin 1.7", "kt"]);
        check("pascal", &["FPC", "Free Pascal 3.0.2"]);
        check("pypy3", &["PyPy 3", "PyPy 3-64", "pypy3 (7.3.0)", "pypy"]);
        check("python2", &["Python 2", "py2.7", "Python2 (2.7.6)", "PYTHON2"]);
        check("python3", &["Python", "py", "py3.11", "python3.10", "Python 3", "Python (3.8.2)"]);
        check("rust", &["Rust 2021", "rs", " rust "]);
        check("cppgmp", &["C++ with GMP"]);
        check("-", &["PyPy 2", "", "17", "c++++", "klingon", "Delphi 7", "(C++)"]);
    }
}
