//! The file that starts, among several.

use std::path::{Path, PathBuf};

use crate::language::fault::{ProgramFault, list};
use crate::model::tree::TreeEntry;

#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    pub wanted: Option<&'a str>,
    /// They are preferred to included ones.
    pub own: &'a [PathBuf],
    /// The strongest comes first.
    pub usual: &'a [&'a str],
    /// Words that must all be in a file that can start; empty if words do not help.
    pub marks: &'a [&'a str],
}

/// The file that starts: the wanted one, one with a usual name, the only own one, or the only own one with the marks.
/// Files at the top are preferred to those in directories.
pub fn choose(sources: &[&TreeEntry], choice: Choice<'_>) -> Result<PathBuf, ProgramFault> {
    let all = || names(sources);
    let named = |name: &str| {
        let exact = sources.iter().find(|it| it.name == Path::new(name));
        exact.map(|it| it.name.clone())
    };
    if let Some(wanted) = choice.wanted {
        let by_stem = || {
            let found = sources.iter().find(|it| it.name.with_extension("") == Path::new(wanted));
            found.map(|it| it.name.clone())
        };
        return named(wanted).or_else(by_stem).ok_or_else(|| missing(wanted, &all()));
    }
    if let Some(usual) = choice.usual.iter().find_map(|it| named(it)) {
        return Ok(usual);
    }
    let is_own = |it: &&TreeEntry| choice.own.contains(&it.name);
    let sources: Vec<&TreeEntry> = sources.iter().copied().filter(is_own).collect();
    if let [only] = sources[..] {
        return Ok(only.name.clone());
    }
    let at_top: Vec<&TreeEntry> =
        sources.iter().copied().filter(|it| it.name.components().count() == 1).collect();
    if let [only] = at_top.as_slice() {
        return Ok(only.name.clone());
    }
    let usual = choice.usual.first().copied().unwrap_or_default();
    let marked: Vec<&TreeEntry> =
        at_top.iter().copied().filter(|it| has_marks(it, choice.marks)).collect();
    match marked.as_slice() {
        // Words do not distinguish them.
        [] if choice.marks.is_empty() => Err(several(&all(), usual)),
        [] => Err(none(&all(), usual)),
        [only] => Ok(only.name.clone()),
        _ => Err(several(&names(&marked), usual)),
    }
}

fn names(files: &[&TreeEntry]) -> Vec<PathBuf> {
    files.iter().map(|it| it.name.clone()).collect()
}

pub(super) fn missing(wanted: &str, files: &[PathBuf]) -> ProgramFault {
    let message = format!("entry point `{wanted}` not found among {}", list(files));
    ProgramFault::new(message, "correct the entry point in the package")
}

pub(super) fn none(files: &[PathBuf], usual: &str) -> ProgramFault {
    unclear(format!("cannot tell which of {} is the main file", list(files)), usual)
}

pub(super) fn several(files: &[PathBuf], usual: &str) -> ProgramFault {
    unclear(format!("each of {} could be the main file", list(files)), usual)
}

fn unclear(message: String, usual: &str) -> ProgramFault {
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
    use crate::model::tree::Node;

    /// Files as `name` or `name=text`.
    fn check(files: &[&str], wanted: Option<&str>, found: &str) {
        let files: Vec<TreeEntry> = files
            .iter()
            .map(|it| it.split_once('=').unwrap_or((it, "")))
            .map(|(name, text)| TreeEntry::new(name, Node::plain(text.as_bytes())))
            .collect();
        let all: Vec<&TreeEntry> = files.iter().collect();
        let own = names(&all);
        let usual = &["__main__.py", "main.py"];
        let choice = Choice { wanted, own: &own, usual, marks: &["__name__"] };
        let said = choose(&all, choice).map(|name| name.display().to_string());
        let said = said.unwrap_or_else(|fault| fault.message);
        assert_eq!(said, found);
    }

    #[test]
    fn what_is_asked_for_goes_before_all() {
        check(&["a.py", "main.py"], Some("a.py"), "a.py");
        check(&["a.py", "main.py"], Some("a"), "a.py");
        check(&["a.py"], Some("b.py"), "entry point `b.py` not found among `a.py`");
    }

    #[test]
    fn usual_names_go_before_marks() {
        check(&["a.py=__name__", "main.py"], None, "main.py");
        check(&["__main__.py", "main.py"], None, "__main__.py");
    }

    #[test]
    fn the_only_file_starts_and_the_top_goes_before_directories() {
        check(&["a.py"], None, "a.py");
        check(&["sub/a.py"], None, "sub/a.py");
        check(&["a.py", "sub/b.py=__name__", "sub/c.py"], None, "a.py");
    }

    #[test]
    fn marks_decide_among_the_rest() {
        check(&["a.py", "b.py=if __name__"], None, "b.py");
        let none = "cannot tell which of `a.py`, `b.py` is the main file";
        check(&["a.py", "b.py"], None, none);
        let several = "each of `a.py`, `b.py` could be the main file";
        check(&["a.py=__name__", "b.py=__name__"], None, several);
        let none = "cannot tell which of `x/a.py`, `x/b.py` is the main file";
        check(&["x/a.py", "x/b.py"], None, none);
    }
}
