//! Checks names of files below a directory, with `/` between their parts, before juror writes the files.
//!
//! Many names come from packages, and none may lead out of the directory. Readers refuse such names; writers check
//! each again.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

/// Why no file may have this name.
pub fn name_fault(name: &str) -> Option<&'static str> {
    let faults = name.split('/').map(|part| match part {
        // Absolute paths, and a slash at the end.
        "" => Some("has an empty part"),
        "." => Some("has a part `.`"),
        ".." => Some("has a part `..`"),
        _ if part.contains('\0') => Some("contains a zero byte"),
        // Archives of other systems use it as a slash.
        _ if part.contains('\\') => Some("contains a backslash"),
        _ => None,
    });
    faults.flatten().next()
}

/// A name that several files have, or that is also the directory of another file.
pub fn duplicate_name<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut files = BTreeSet::new();
    for name in names {
        if !files.insert(name) {
            return Some(name);
        }
    }
    let is_directory = |name: &&str| {
        let below = format!("{name}/");
        files.range(&*below..).next().is_some_and(|next| next.starts_with(&below))
    };
    files.iter().copied().find(is_directory)
}

/// Makes a single path part of a name, and different parts of different names: `~-` for a slash, `~~` for `~`, `~.`
/// for the dot of `.` and `..`, and `~` for an empty name. A name that is too long for a file system keeps its end,
/// after `~` and its digest.
pub fn flat_name(name: &str) -> String {
    let flat = name.replace('~', "~~").replace('/', "~-");
    shorten(match &*flat {
        "" | "." | ".." => format!("~{flat}"),
        _ => flat,
    })
}

/// Like [`flat_name`], for a name that gets an ending: each dot becomes `~.`, so that it has no ending yet.
pub fn flat_stem(name: &str) -> String {
    let flat = name.replace('~', "~~").replace('/', "~-").replace('.', "~.");
    shorten(if flat.is_empty() { "~".to_owned() } else { flat })
}

fn shorten(flat: String) -> String {
    /// File systems allow 255 bytes, and endings follow.
    const LONGEST: usize = 200;
    let Some(least) = flat.len().checked_sub(LONGEST).filter(|least| *least > 0) else {
        return flat;
    };
    let digest =
        Sha256::digest(&flat).iter().take(8).fold(0, |all, byte| (all << 8) | u64::from(*byte));
    // The end of a long path tells more than its beginning.
    let start =
        (least..flat.len()).find(|index| flat.is_char_boundary(*index)).unwrap_or(flat.len());
    format!("~{digest:016x}{}", &flat[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_have_different_flat_names() {
        let long = |first: &str| format!("{first}{}", "ä/".repeat(200));
        let [one, two] = [long("a"), long("b")];
        let names = [
            "",
            ".",
            "..",
            "/",
            "//",
            "-",
            "~",
            "~~",
            "~-",
            "~.",
            "a",
            "a/b",
            "a-b",
            "a~b",
            "a~-b",
            "a//b",
            "a/~b",
            "a~/b",
            "a~~b",
            "a/-b",
            "a-/b",
            "/a",
            "../a",
            "..-a",
            "./a",
            ".a",
            "A",
            "secret/g-1/2",
            "secret/g/1-2",
            "1",
            "1.input",
            "1.pass2",
            "1~.input",
            &one,
            &two,
        ];
        for flat in [flat_name, flat_stem] {
            let all: BTreeSet<String> = names.iter().map(|name| flat(name)).collect();
            assert_eq!(all.len(), names.len(), "{all:?}");
            for name in &all {
                assert_eq!(name_fault(name), None, "{name}");
                assert!(!name.contains('/') && name.len() < 220, "{name}");
            }
        }
        let stems: BTreeSet<String> = names.iter().map(|name| flat_stem(name)).collect();
        for ending in ["input", "pass2", "error.pass2"] {
            let ended = stems.iter().map(|stem| format!("{stem}.{ending}"));
            assert!(ended.into_iter().all(|stem| !stems.contains(&stem)), "{ending}");
        }
    }

    #[test]
    fn a_usual_name_stays_readable() {
        let check = |name: &str, expected: &str| assert_eq!(flat_name(name), expected);
        check("a.cpp", "a.cpp");
        check("secret/edges/1", "secret~-edges~-1");
        check("../a.cpp", "..~-a.cpp");
        check("..", "~..");
        check("", "~");
        assert_eq!(flat_stem("sample/1.5"), "sample~-1~.5");
    }

    #[test]
    fn a_name_that_leaves_its_directory_is_refused() {
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
    fn duplicate_names_are_found() {
        let check = |names: &[&str], expected: Option<&str>| {
            assert_eq!(duplicate_name(names.iter().copied()), expected, "{names:?}");
        };
        check(&[], None);
        check(&["a", "b", "a.c", "a-d/e", "A"], None);
        check(&["a/b", "a/c", "a/b"], Some("a/b"));
        check(&["a/b", "a.c", "a"], Some("a"));
        check(&["a/b/c", "a/b.d", "a/b"], Some("a/b"));
    }
}
