//! The stage: the directory in which test cases are made before the package changes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::executor::scratch::{self, Scratch, Use};
use crate::model::blob::Blob;
use crate::model::judgement::JudgeError;
use crate::model::root::FilePath;

/// A directory with new test cases.
pub struct Stage {
    dir: Scratch,
    /// The extensions of each case's files.
    files: Mutex<BTreeMap<String, BTreeSet<String>>>,
}

impl Stage {
    /// An empty stage.
    ///
    /// # Errors
    /// If the system's temporary directory cannot be written.
    pub fn new() -> Result<Self, JudgeError> {
        Ok(Self { dir: scratch::directory(Use::Data)?, files: Mutex::new(BTreeMap::new()) })
    }

    /// The path of a case's file with this extension. Files in the case's directory of files have extensions such as
    /// `files/map.txt`.
    pub fn path(&self, case: &str, extension: &str) -> FilePath {
        FilePath::root(self.dir.path()).join(file_name(case, extension))
    }

    /// Whether a case has a file with this extension.
    pub fn has(&self, case: &str, extension: &str) -> bool {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(case).is_some_and(|files| files.contains(extension))
    }

    /// The extensions of a case's files, by name.
    pub fn extensions(&self, case: &str) -> Vec<String> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(case).into_iter().flatten().cloned().collect()
    }

    /// The names below `data/` of all files of these cases.
    pub fn files<'a>(&self, cases: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
        cases.flat_map(|case| {
            let extensions = self.extensions(case).into_iter();
            extensions.map(move |extension| file_name(case, &extension))
        })
    }

    /// Adds a file with these contents; replaces an existing one.
    ///
    /// # Errors
    /// System errors, with the file's name.
    pub fn add(
        &self,
        case: &str,
        extension: &str,
        contents: &mut dyn Read,
    ) -> Result<(), JudgeError> {
        self.put(case, extension, |path| io::copy(contents, &mut path.create()?).map(|_| ()))
    }

    /// Adds the output of a program.
    ///
    /// # Errors
    /// System errors, with the file's name.
    pub fn add_blob(&self, case: &str, extension: &str, blob: &Blob) -> Result<(), JudgeError> {
        let read = blob.open();
        let mut read = read.map_err(|error| JudgeError::new("read a program's output", error))?;
        self.add(case, extension, &mut read)
    }

    /// Adds a link to a file on the stage; both are given by their names below `data/`.
    ///
    /// # Errors
    /// System errors, with the file's name.
    pub fn link(&self, case: &str, extension: &str, target: &str) -> Result<(), JudgeError> {
        let name = file_name(case, extension);
        self.put(case, extension, |path| path.create_link(&relative(&name, target)))
    }

    fn put(
        &self,
        case: &str,
        extension: &str,
        make: impl FnOnce(&FilePath) -> io::Result<()>,
    ) -> Result<(), JudgeError> {
        let path = self.path(case, extension);
        let write = || {
            match path.remove() {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            make(&path)
        };
        write().map_err(|error| scratch::fault(format!("write {}", path.display()), error))?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let extensions = files.entry(case.to_owned()).or_default();
        extensions.insert(extension.to_owned());
        Ok(())
    }
}

/// The name of a case's file below `data/`.
pub fn file_name(case: &str, extension: &str) -> String {
    format!("{case}.{extension}")
}

/// The target of a link at `name` that leads to `target`; both are names below the same directory.
fn relative(name: &str, target: &str) -> PathBuf {
    let (from, to): (Vec<&str>, Vec<&str>) =
        (name.split('/').collect(), target.split('/').collect());
    let directories = from.len().min(to.len()) - 1;
    let common = (0..directories).take_while(|&at| from[at] == to[at]).count();
    let up = std::iter::repeat_n("..", from.len() - 1 - common);
    up.chain(to[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn links_lead_from_where_they_stand() {
        let check = |name: &str, target: &str, expected: &str| {
            assert_eq!(relative(name, target), Path::new(expected), "{name} → {target}");
        };
        check("secret/1.in", "sample/1.in", "../sample/1.in");
        check("secret/a/b/1.in", "secret/c/1.in", "../../c/1.in");
        check("secret/1.in.download", "secret/1.in", "1.in");
        check("secret/1.in", "secret/a/1.in", "a/1.in");
    }

    #[test]
    fn what_is_added_later_takes_the_place() {
        let stage = Stage::new().unwrap();
        stage.add("secret/a", "in", &mut &b"1\n"[..]).unwrap();
        stage.add("secret/a.b", "in", &mut &b"2\n"[..]).unwrap();
        stage.link("secret/a", "in.download", "secret/a.in").unwrap();
        stage.add("secret/a", "in.download", &mut &b"3\n"[..]).unwrap();
        assert_eq!(stage.extensions("secret/a"), ["in", "in.download"]);
        assert_eq!(stage.extensions("secret/a.b"), ["in"]);
        assert_eq!(stage.path("secret/a", "in").read().unwrap(), b"1\n");
        assert_eq!(stage.path("secret/a", "in.download").read().unwrap(), b"3\n");
    }
}
