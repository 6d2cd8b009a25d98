//! The files that a source in C or C++ includes from its own directory, as a compiler finds them there.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::language::essence::inclusions;
use crate::language::table::Language;
use crate::root::FilePath;

const FILES_MAX: usize = 10_000;
/// In bytes. What comes later in a text is not looked for.
const TEXT_MAX: u64 = 8 << 20;

/// What a source includes, and what that includes in turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IncludedNames {
    /// Files below the directory of the source, by their paths from there.
    pub found: Vec<PathBuf>,
    /// Files that are not there. The system may have them.
    pub missing: Vec<PathBuf>,
    /// Whether one of the texts includes `testlib.h`, in quotes or not.
    pub has_testlib: bool,
}

/// Reads only files below the directory of the source. A source in another language includes nothing.
pub fn included_names(source: &Path) -> IncludedNames {
    let mut all = IncludedNames::default();
    let is_c = Language::of_file(source).is_some_and(Language::is_c_family);
    let Some(own) = source.file_name().filter(|_| is_c) else { return all };
    let directory = FilePath::root(source.parent().unwrap_or(Path::new("")));
    let mut waiting = vec![PathBuf::from(own)];
    let mut seen = BTreeSet::from([PathBuf::from(own)]);
    while let Some(name) = waiting.pop() {
        let Ok(text) = directory.join(&name).read_prefix(TEXT_MAX) else {
            all.missing.push(name);
            continue;
        };
        for inclusion in inclusions(&text) {
            all.has_testlib |= Path::new(&inclusion.name).ends_with("testlib.h");
            let target = Some(&inclusion.name).filter(|_| inclusion.is_quoted);
            let target = target.and_then(|target| name_beside(&name, target));
            if let Some(target) =
                target.filter(|file| seen.len() < FILES_MAX && !seen.contains(file))
            {
                seen.insert(target.clone());
                waiting.push(target);
            }
        }
        if *name != *own {
            all.found.push(name);
        }
    }
    all
}

/// The path of a file that the file `name` includes. `None` if it is not below the directory.
fn name_beside(name: &Path, included: &str) -> Option<PathBuf> {
    let mut path = name.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(included).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    (*path != *Path::new("")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// `files` are `NAME INCLUDED…`. Checks what `main` includes: found, then `-missing`.
    fn check(main: &str, files: &[&str], expected: &str) {
        let keep = tempfile::tempdir().expect("a directory");
        let dir = keep.path().join("dir");
        for file in files {
            let (name, included) = file.split_once(' ').unwrap_or((file, ""));
            let lines = included.split_whitespace().map(|name| format!("#include \"{name}\"\n"));
            let path = dir.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, lines.collect::<String>()).expect("a file");
        }
        symlink(dir.join("../out.h"), dir.join("link.h")).expect("a link");
        let names = included_names(&dir.join(main));
        let missing = names.missing.iter().map(|name| format!("-{}", name.display()));
        let all: BTreeSet<String> =
            names.found.iter().map(|name| name.display().to_string()).chain(missing).collect();
        assert_eq!(Vec::from_iter(all).join(" "), expected, "{files:?}");
    }

    #[test]
    fn files_below_the_directory_are_found_as_by_a_compiler() {
        check("a.cpp", &["a.cpp b.h", "b.h", "c.h"], "b.h");
        check(
            "a.c",
            &["a.c lib/b.h", "lib/b.h c.h ../d.h", "lib/c.h", "d.h"],
            "d.h lib/b.h lib/c.h",
        );
        // Not the directory of the source, but that of the file that includes it.
        check("a.cc", &["a.cc lib/b.h", "lib/b.h c.h", "c.h"], "-lib/c.h lib/b.h");
        check("a.cpp", &["a.cpp b.h", "b.h a.cpp c.inc", "c.inc b.h"], "b.h c.inc");
        check("a.cpp", &["a.cpp ./x/../b.cpp", "b.cpp"], "b.cpp");
        check("a.cpp", &["a.cpp b.h bits/stdc++.h", "c.h"], "-b.h -bits/stdc++.h");
        check("a.py", &["a.py b.h", "b.h"], "");
    }

    #[test]
    fn no_name_and_no_link_leads_out_of_the_directory() {
        let files = ["a.cpp ../out.h lib/../../out.h /etc/passwd . link.h", "../out.h b.h", "b.h"];
        check("a.cpp", &files, "-link.h");
    }
}
