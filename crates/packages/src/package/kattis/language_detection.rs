//! The language of a program by its files, as legacy judges detect it: that of most files.
//!
//! Source: problemtools `Languages.detect_language`, and the priorities in its `languages.yaml`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::package::files::{PackageEntry, PackageFiles};
use juror_core::language::perl::is_perl;
use juror_core::language::table::Language;
use juror_core::root::FilePath;

/// Languages by priority: of two with equally many files, the first one wins.
const PRIORITIES: &str = "cpp c python2 python3 java csharp fsharp ruby haskell rust scala javascript \
                          php go ocaml pascal objectivec kotlin lisp prolog";

/// The language of the program; `None` if all its files have endings of one language.
pub(super) fn detect_language(tree: &PackageFiles, program: &PackageEntry) -> Option<String> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    let inside = tree.below(&program.name).iter().filter(|item| item.is_file());
    for item in inside.chain(program.is_file().then_some(program)) {
        let Some(language) = Language::of_file(Path::new(item.base_name())) else { continue };
        let is_perl = || is_perl(&item.path.read_prefix(1 << 20).unwrap_or_default());
        let is_perl = language.code == "prolog" && is_perl();
        *files.entry(if is_perl { "perl" } else { language.code }).or_default() += 1;
        // Such a file counts for both versions of Python.
        if item.base_name().ends_with(".py") && asks_for_python_2(&item.path) {
            *files.entry("python2").or_default() += 1;
        }
    }
    if files.contains_key("perl") {
        let shared = files.remove("prolog").unwrap_or_default();
        *files.entry("perl").or_default() += shared;
    }
    if files.len() < 2 {
        return None;
    }
    let rank = |code: &str| PRIORITIES.rsplit(' ').position(|language| language == code);
    files.into_iter().max_by_key(|(code, count)| (*count, rank(code))).map(|(code, _)| code.into())
}

/// Whether its first line is like `#!/usr/bin/env python2`.
fn asks_for_python_2(path: &FilePath) -> bool {
    let start = path.read_prefix(256).unwrap_or_default();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let after = line.strip_prefix("#!").and_then(|line| line.split_once("python2"));
    after.is_some_and(|(_, after)| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}
