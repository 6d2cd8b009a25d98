//! The file that starts, among several.

use std::path::{Path, PathBuf};

use crate::language::candidates::{without_imported, without_tests};
use crate::language::fault::{ProgramFault, quoted_list};
use crate::tree::TreeEntry;

#[derive(Clone, Copy, Debug)]
pub struct EntryChoice<'a> {
    /// The code.
    pub language: &'a str,
    pub entry_point: Option<&'a str>,
    /// They are preferred to included ones.
    pub own_files: &'a [PathBuf],
    /// The strongest comes first.
    pub usual_names: &'a [&'a str],
    /// Words that must all be in a file that can start; empty if words do not help.
    pub marks: &'a [&'a str],
}

/// The file that starts: the entry point, one with a usual name, the only own one that can start, or the only one of
/// these with the marks. Files at the top are preferred to those in directories.
pub fn choose_entry(
    sources: &[&TreeEntry],
    choice: EntryChoice<'_>,
) -> Result<PathBuf, ProgramFault> {
    let named = |name: &str| {
        let exact = sources.iter().find(|file| file.name == Path::new(name));
        exact.map(|file| file.name.clone())
    };
    if let Some(entry_point) = choice.entry_point {
        let by_stem = || {
            let found =
                sources.iter().find(|file| file.name.with_extension("") == Path::new(entry_point));
            found.map(|file| file.name.clone())
        };
        return named(entry_point)
            .or_else(by_stem)
            .ok_or_else(|| missing_entry(entry_point, &names(sources.iter().copied())));
    }
    if let Some(usual) = choice.usual_names.iter().find_map(|name| named(name)) {
        return Ok(usual);
    }
    let is_own = |file: &&TreeEntry| choice.own_files.contains(&file.name);
    let own: Vec<&TreeEntry> = sources.iter().copied().filter(is_own).collect();
    let mut candidates = without_imported(choice.language, &without_tests(&own));
    let is_at_top = |file: &&TreeEntry| file.name.components().count() == 1;
    if candidates.iter().any(is_at_top) {
        candidates.retain(is_at_top);
    }
    if let [only] = candidates.as_slice() {
        return Ok(only.name.clone());
    }
    let usual = choice.usual_names.first().copied().unwrap_or_default();
    let marked: Vec<&TreeEntry> =
        candidates.iter().copied().filter(|file| has_marks(file, choice.marks)).collect();
    match marked.as_slice() {
        // Words do not distinguish them.
        [] if choice.marks.is_empty() => Err(several_main_files(&names(candidates), usual)),
        [] => Err(no_main_file(&names(candidates), usual)),
        [only] => Ok(only.name.clone()),
        _ => Err(several_main_files(&names(marked), usual)),
    }
}

pub(super) fn names<'a>(files: impl IntoIterator<Item = &'a TreeEntry>) -> Vec<PathBuf> {
    files.into_iter().map(|file| file.name.clone()).collect()
}

pub(super) fn missing_entry(entry_point: &str, files: &[PathBuf]) -> ProgramFault {
    let message = format!("entry point `{entry_point}` not found among {}", quoted_list(files));
    ProgramFault::new(message, "correct the entry point in the package")
}

pub(super) fn no_main_file(files: &[PathBuf], usual: &str) -> ProgramFault {
    unclear_entry(format!("cannot tell which of {} is the main file", quoted_list(files)), usual)
}

pub(super) fn several_main_files(files: &[PathBuf], usual: &str) -> ProgramFault {
    unclear_entry(format!("each of {} could be the main file", quoted_list(files)), usual)
}

fn unclear_entry(message: String, usual: &str) -> ProgramFault {
    let help = format!(
        "name the main file `{usual}`, set the entry point in the package, or give --start to `juror judge`"
    );
    ProgramFault::new(message, help)
}

fn has_marks(file: &TreeEntry, marks: &[&str]) -> bool {
    marks.iter().all(|mark| memchr::memmem::find(file.bytes(), mark.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

    /// Files as `name` or `name=text`.
    fn check(files: &[&str], entry_point: Option<&str>, found: &str) {
        let files: Vec<TreeEntry> = files
            .iter()
            .map(|file| file.split_once('=').unwrap_or((file, "")))
            .map(|(name, text)| TreeEntry::new(name, Node::plain(text.as_bytes())))
            .collect();
        let all: Vec<&TreeEntry> = files.iter().collect();
        let own = names(&files);
        let usual = &["__main__.py", "main.py"];
        let choice = EntryChoice {
            language: "python3",
            entry_point,
            own_files: &own,
            usual_names: usual,
            marks: &["__name__"],
        };
        let result = choose_entry(&all, choice).map(|name| name.display().to_string());
        let result = result.unwrap_or_else(|fault| fault.message);
        assert_eq!(result, found);
    }

    #[test]
    fn the_wanted_file_comes_first() {
        check(&["a.py", "main.py"], Some("a.py"), "a.py");
        check(&["a.py", "main.py"], Some("a"), "a.py");
        check(&["a.py"], Some("b.py"), "entry point `b.py` not found among `a.py`");
    }

    #[test]
    fn usual_names_come_before_marks() {
        check(&["a.py=__name__", "main.py"], None, "main.py");
        check(&["__main__.py", "main.py"], None, "__main__.py");
    }

    #[test]
    fn the_only_file_starts_and_the_top_comes_before_directories() {
        check(&["a.py"], None, "a.py");
        check(&["sub/a.py"], None, "sub/a.py");
        check(&["a.py", "sub/b.py=__name__", "sub/c.py"], None, "a.py");
    }

    #[test]
    fn marks_decide_last() {
        check(&["a.py", "b.py=if __name__"], None, "b.py");
        let none = "cannot tell which of `a.py`, `b.py` is the main file";
        check(&["a.py", "b.py"], None, none);
        let several = "each of `a.py`, `b.py` could be the main file";
        check(&["a.py=__name__", "b.py=__name__"], None, several);
        let none = "cannot tell which of `x/a.py`, `x/b.py` is the main file";
        check(&["x/a.py", "x/b.py"], None, none);
    }
}
