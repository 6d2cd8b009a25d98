//! The stage: the directory in which test cases are made before the package changes. If one cannot be made, the package
//! stays as it was.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use juror_core::blob::Blob;
use juror_core::file_name::name_fault;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::text::printable;
use juror_core::units::Bytes;
use juror_sandbox::executor::scratch::{self, ScratchDirectory, ScratchPurpose};

pub struct Stage {
    dir: ScratchDirectory,
    files: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// Number of bytes that may still be added.
    bytes_left: AtomicU64,
}

/// Upper bound on all test data of a package together.
const DATA_MAX: Bytes = Bytes::mib(16 << 10);

impl Stage {
    pub fn new() -> Result<Self, JudgeError> {
        Self::with_limit(DATA_MAX)
    }

    fn with_limit(most: Bytes) -> Result<Self, JudgeError> {
        let (dir, files) = (scratch::make_scratch(ScratchPurpose::Data)?, Mutex::default());
        Ok(Self { dir, files, bytes_left: AtomicU64::new(most.0) })
    }

    pub fn root(&self) -> FilePath {
        FilePath::root(self.dir.path())
    }

    /// Files in the case's directory of files have extensions such as `files/map.txt`.
    pub fn path(&self, case: &str, extension: &str) -> FilePath {
        self.root().join(file_name(case, extension))
    }

    pub fn has_file(&self, case: &str, extension: &str) -> bool {
        let files = self.files.lock();
        files.get(case).is_some_and(|files| files.contains(extension))
    }

    /// In alphabetical order.
    pub fn extensions(&self, case: &str) -> Vec<String> {
        let files = self.files.lock();
        files.get(case).into_iter().flatten().cloned().collect()
    }

    /// Names below `data/`.
    pub fn files<'a>(&self, cases: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
        cases.flat_map(|case| {
            let extensions = self.extensions(case).into_iter();
            extensions.map(move |extension| file_name(case, &extension))
        })
    }

    /// Replaces an existing file, whose size still counts. Fails if all files together are too large.
    pub fn add(
        &self,
        case: &str,
        extension: &str,
        contents: &mut dyn Read,
    ) -> Result<(), JudgeError> {
        let room = self.bytes_left.load(Ordering::Relaxed);
        let mut is_too_large = false;
        self.add_entry(case, extension, |path| {
            let mut bounded = contents.take(room.saturating_add(1));
            let written = io::copy(&mut bounded, &mut path.create()?)?;
            // Threads that write at the same time share the room.
            let less = |room: u64| room.checked_sub(written);
            is_too_large =
                self.bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err();
            Ok(())
        })?;
        if is_too_large {
            let what = format!("it would be larger than {DATA_MAX} in all");
            let fault = JudgeError::new("make the test data", what);
            Err(fault.help("make fewer or smaller test cases"))
        } else {
            Ok(())
        }
    }

    /// Adds settings of a group, by their name below `data/`.
    pub fn add_group_file(&self, name: &str, contents: &str) -> Result<(), JudgeError> {
        let path = self.root().join(name);
        let write = || path.create()?.write_all(contents.as_bytes());
        write().map_err(|error| scratch::scratch_fault(format!("write {}", path.display()), error))
    }

    pub fn add_blob(&self, case: &str, extension: &str, blob: &Blob) -> Result<(), JudgeError> {
        let opened = blob.open();
        let mut text = opened.map_err(|error| JudgeError::new("read a program's output", error))?;
        self.add(case, extension, &mut text)
    }

    /// Adds a link to a file on the stage; both are given by their names below `data/`.
    pub fn link(&self, case: &str, extension: &str, target: &str) -> Result<(), JudgeError> {
        let name = file_name(case, extension);
        self.add_entry(case, extension, |path| path.create_link(&relative_target(&name, target)))
    }

    fn add_entry(
        &self,
        case: &str,
        extension: &str,
        make: impl FnOnce(&FilePath) -> io::Result<()>,
    ) -> Result<(), JudgeError> {
        let unfit = |fault: &str| {
            let name = file_name(case, extension);
            let what = format!("no file can be called `{}`: it {fault}", printable(&name));
            JudgeError::new("make test data", what).help("rename the test case")
        };
        if let Some(fault) = name_fault(case).or_else(|| name_fault(extension)) {
            return Err(unfit(fault));
        }
        let path = self.path(case, extension);
        // Some file systems do not distinguish `A.in` from `a.in`.
        if !self.has_file(case, extension) && path.link_metadata().is_ok() {
            return Err(unfit("is the name of another one"));
        }
        let write = || {
            match path.remove() {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            make(&path)
        };
        write()
            .map_err(|error| scratch::scratch_fault(format!("write {}", path.display()), error))?;
        let mut files = self.files.lock();
        files.entry(case.to_owned()).or_default().insert(extension.to_owned());
        Ok(())
    }
}

/// The name of a case's file below `data/`.
pub fn file_name(case: &str, extension: &str) -> String {
    format!("{case}.{extension}")
}

/// The target of a link at `name` that leads to `target`; both are names below the same directory.
fn relative_target(name: &str, target: &str) -> PathBuf {
    let (from, to): (Vec<&str>, Vec<&str>) =
        (name.split('/').collect(), target.split('/').collect());
    let directories = from.len().min(to.len()) - 1;
    let common = (0..directories).take_while(|&at| from[at] == to[at]).count();
    let up = std::iter::repeat_n("..", from.len() - 1 - common);
    up.chain(to[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    #[test]
    fn links_are_relative_to_their_own_directory() {
        let check = |name: &str, target: &str, expected: &str| {
            assert_eq!(relative_target(name, target), Path::new(expected), "{name} → {target}");
        };
        check("secret/1.in", "sample/1.in", "../sample/1.in");
        check("secret/a/b/1.in", "secret/c/1.in", "../../c/1.in");
        check("secret/1.in.download", "secret/1.in", "1.in");
        check("secret/1.in", "secret/a/1.in", "a/1.in");
    }

    /// Each generator may write as much as a test case may have. All together would fill the disk.
    #[test]
    fn all_data_has_a_size_limit() {
        let stage = Stage::with_limit(Bytes(10)).unwrap();
        let add = |case: &str, bytes: usize| {
            let added = stage.add(case, "in", &mut vec![b'1'; bytes].as_slice());
            added.map_err(|error| error.to_string())
        };
        let refused = "make the test data: it would be larger than 16 GiB in all".to_owned();
        assert_eq!(add("secret/1", 4), Ok(()));
        assert_eq!(add("secret/2", 6), Ok(()));
        assert_eq!(add("secret/3", 0), Ok(()));
        assert_eq!(add("secret/4", 1000), Err(refused));
        assert_eq!(fs::metadata(stage.path("secret/4", "in").as_path()).unwrap().len(), 1);
    }

    #[test]
    fn nothing_is_written_outside_or_over_another_case() {
        let stage = Stage::new().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let absolute = format!("{}/a", outside.path().display());
        let relative = format!("../{}/a", outside.path().file_name().unwrap().display());
        let names =
            ["..", "../a", "secret/../../a", "a/./b", "a//b", "/tmp/a", "", "a/", "a\\b", "a\0b"];
        for name in names.into_iter().chain([&*absolute, &relative]) {
            let added = stage.add(name, "in", &mut &b"1\n"[..]);
            let linked = stage.link(name, "in", "secret/a.in");
            assert!(added.is_err() && linked.is_err(), "{name:?}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(stage.add("secret/a", "files/../../b", &mut &b""[..]).is_err());
        // As on a file system that does not distinguish upper from lower case.
        stage.add("secret/a", "in", &mut &b"1\n"[..]).unwrap();
        symlink("a.in", stage.path("secret/A", "in").as_path()).unwrap();
        let error = stage.add("secret/A", "in", &mut &b"2\n"[..]).unwrap_err();
        assert_eq!(
            error.reason,
            "no file can be called `secret/A.in`: it is the name of another one"
        );
        assert_eq!(stage.path("secret/a", "in").read().unwrap(), b"1\n");
    }

    #[test]
    fn later_files_replace_earlier_ones() {
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
