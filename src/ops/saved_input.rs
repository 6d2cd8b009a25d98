//! Saves an input that a search found: in a file, or as the next bare test of a directory. Nothing is overwritten.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;

/// Refuses a place where nothing can be saved, before the search.
pub fn check_place(option: &str, place: &Path) -> Result<(), Stop> {
    let shown = place.display();
    if place.is_dir() || fs::symlink_metadata(place).is_err() {
        return Ok(());
    }
    let fault = if place.is_file() { "exists" } else { "is not a file" };
    let help = "give the path of a new file, or a directory";
    Err(Stop::usage(format!("{option}: {shown} {fault}; {help}")))
}

/// Returns the path of the saved input. `answer` makes the judge answer of a bare test.
pub fn save_input(
    place: &Path,
    input: &[u8],
    answer: impl FnOnce() -> Result<Vec<u8>, Stop>,
) -> Result<PathBuf, Stop> {
    if !place.is_dir() {
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(JudgeError::on_file("make", parent))?;
        }
        write_new(place, input).map_err(JudgeError::on_file("write", place))?;
        return Ok(place.to_owned());
    }
    let answer = answer()?;
    let file = |number: u64, extension: &str| place.join(format!("{number}.{extension}"));
    let mut number = next_number(place).map_err(JudgeError::on_file("read", place))?;
    loop {
        // An answer without an input is no test, so it comes first.
        let path = file(number, "ans");
        match write_new(&path, &answer) {
            Ok(()) => break,
            // Another process took the number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(JudgeError::on_file("write", &path)(error).into()),
        }
    }
    let path = file(number, "in");
    write_new(&path, input).map_err(JudgeError::on_file("write", &path))?;
    Ok(path)
}

/// One more than the largest number that a file's name begins with, up to a dot.
fn next_number(directory: &Path) -> io::Result<u64> {
    let mut largest = 0;
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let stem = name.split('.').next().unwrap_or_default();
        largest = largest.max(stem.parse().unwrap_or(0).min(u64::MAX - 1));
    }
    Ok(largest + 1)
}

/// Fails if the file exists. Others see it only when it is whole.
fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory.unwrap_or(Path::new(".")))?;
    file.write_all(contents)?;
    file.persist_noclobber(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_gets_the_next_free_number() {
        let check = |files: &[&str], expected: &str| {
            let dir = tempfile::tempdir().unwrap();
            for file in files {
                fs::write(dir.path().join(file), "old").unwrap();
            }
            let saved = save_input(dir.path(), b"1\n", || Ok(b"2\n".to_vec())).unwrap();
            assert_eq!(saved, dir.path().join(expected), "{files:?}");
            assert_eq!(fs::read(&saved).unwrap(), b"1\n");
            assert_eq!(fs::read(saved.with_extension("ans")).unwrap(), b"2\n");
            for file in files {
                assert_eq!(fs::read(dir.path().join(file)).unwrap(), b"old");
            }
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), files.len() + 2);
        };
        check(&[], "1.in");
        check(&["1.in", "1.out", "3.in"], "4.in");
        check(&["my.cpp", "7"], "8.in");
    }

    #[test]
    fn a_file_is_new() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/found.in");
        check_place("--save", &path).unwrap();
        let answer = || -> Result<Vec<u8>, Stop> { panic!("nobody needs it") };
        assert_eq!(save_input(&path, b"1\n", answer).unwrap(), path);
        assert!(check_place("--save", &path).is_err());
        assert!(save_input(&path, b"2\n", answer).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"1\n");
    }
}
