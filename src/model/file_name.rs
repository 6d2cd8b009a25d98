//! Names of files below a directory, with `/` between their parts: which of them juror writes.
//!
//! Many names come from a package, and none may lead out of the directory that juror writes to. Readers refuse such
//! names where they read them; writers refuse them whatever a reader said.

use std::collections::BTreeSet;

/// Why no file is written under this name; `None` if it can be.
pub fn name_fault(name: &str) -> Option<&'static str> {
    let faults = name.split('/').map(|part| match part {
        // Also at the start of an absolute path, and behind a last slash.
        "" => Some("has an empty part"),
        "." => Some("has a part `.`"),
        ".." => Some("has a part `..`"),
        _ if part.contains('\0') => Some("contains a zero byte"),
        // In archives, other systems take it for a slash.
        _ if part.contains('\\') => Some("contains a backslash"),
        _ => None,
    });
    faults.flatten().next()
}

/// A name that several of these files have, or that is also a directory with others of them.
pub fn name_twice<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut files = BTreeSet::new();
    for name in names {
        if !files.insert(name) {
            return Some(name);
        }
    }
    let is_directory = |it: &&str| {
        let below = format!("{it}/");
        files.range(&*below..).next().is_some_and(|next| next.starts_with(&below))
    };
    files.iter().copied().find(is_directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        let check =
            |name: &str, expected: Option<&str>| assert_eq!(name_fault(name), expected, "{name:?}");
        for name in [
            "a",
            "data/secret/1.in",
            "...",
            "..a/b..",
            "a b",
            "grüße",
            ".hidden",
            "-",
            "a:b",
            "%2e%2e",
        ] {
            check(name, None);
        }
        let empty = Some("has an empty part");
        for name in ["", "/", "/etc/passwd", "a//b", "a/", "//a"] {
            check(name, empty);
        }
        for name in ["..", "../a", "a/../b", "a/.."] {
            check(name, Some("has a part `..`"));
        }
        for name in [".", "./a", "a/./b", "a/."] {
            check(name, Some("has a part `.`"));
        }
        check("a\0b", Some("contains a zero byte"));
        for name in ["a\\b", "..\\a", "C:\\a"] {
            check(name, Some("contains a backslash"));
        }
    }

    #[test]
    fn two_files_need_two_names() {
        let check = |names: &[&str], expected: Option<&str>| {
            assert_eq!(name_twice(names.iter().copied()), expected, "{names:?}");
        };
        check(&[], None);
        check(&["a", "b", "a.c", "a-d/e", "A"], None);
        check(&["a/b", "a/c", "a/b"], Some("a/b"));
        check(&["a/b", "a.c", "a"], Some("a"));
        check(&["a/b/c", "a/b.d", "a/b"], Some("a/b"));
    }
}
