//! A report file, which appears at its path only when it is complete.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use tempfile::TempPath;

use juror_core::root::FilePath;
use juror_sandbox::executor::scratch::is_old;

/// The prefix of unfinished reports. The file is locked as long as its process lives.
const TEMPORARY_PREFIX: &str = ".juror-report-";

/// Opened before the report is written.
#[derive(Debug)]
pub struct ReportFile {
    file: File,
    path: PathBuf,
    /// Where the file is until it is moved to its path. Not for a device, a pipe, or a file that the report is appended
    /// to.
    temporary: Option<TempPath>,
}

impl ReportFile {
    /// Replaces only an earlier report of the same kind, whose beginning contains `sign`. Follows links, keeps
    /// permissions, and writes to devices and pipes.
    ///
    /// # Errors
    /// If its directory does not exist or cannot be written, the path is a directory, or there is any other file.
    pub fn replacing(path: &Path, sign: &str) -> io::Result<Self> {
        // A pipe behind `/dev/stdout` has no path to rename to.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Self { file, path: path.to_owned(), temporary: None });
        }
        let path = resolve_path(path)?;
        let mut rights = 0o644;
        if let Ok(found) = fs::metadata(&path) {
            if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if !has_signature(&path, sign)? {
                return Err(io::Error::other("it exists and is not such a report"));
            }
            rights = found.permissions().mode() & 0o777;
        }
        let directory = path.parent().unwrap_or(Path::new("."));
        remove_abandoned_reports(directory);
        let (file, temporary) = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .permissions(Permissions::from_mode(rights))
            .tempfile_in(directory)?
            .into_parts();
        // Where locks do not work, no other juror removes the file.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        Ok(Self { file, path, temporary: Some(temporary) })
    }

    pub fn appending(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self { file, path: path.to_owned(), temporary: None })
    }

    /// Writes without a buffer.
    ///
    /// # Errors
    /// If the disk is full. The message names the file.
    pub fn write_part(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).map_err(|error| with_path(&self.path, &error))
    }

    /// Calls `write`, then moves the file to its path.
    ///
    /// # Errors
    /// If the disk is full, or the directory is gone. The message names the file.
    pub fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::new(&self.file);
        let written = write(&mut out).and_then(|()| out.flush());
        let moved = written.and_then(|()| match self.temporary {
            Some(temporary) => temporary.persist(&self.path).map_err(io::Error::from),
            None => Ok(()),
        });
        moved.map_err(|error| with_path(&self.path, &error))
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Removes unfinished reports of this user's killed processes: files that are old and not locked.
fn remove_abandoned_reports(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            continue;
        }
        let is_ours = entry.metadata().is_ok_and(|found| {
            let is_own = found.uid() == rustix::process::geteuid().as_raw();
            found.is_file() && is_own && is_old(&found)
        });
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = rustix::fs::open(entry.path(), flags, Mode::empty()).ok();
        let is_left = opened
            .filter(|_| is_ours)
            .is_some_and(|file| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok());
        if is_left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Follows links, so that two paths of the same file become equal.
pub fn resolve_path(path: &Path) -> io::Result<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return path.canonicalize();
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize()?;
    Ok(parent.join(path.file_name().unwrap_or_default()))
}

/// Also true for an empty file. A table may have other signs between its columns.
fn has_signature(path: &Path, sign: &str) -> io::Result<bool> {
    const BEGINNING: u64 = 4 << 10;
    let with_commas = |byte: &u8| if matches!(byte, b';' | b'\t') { b',' } else { *byte };
    let text = FilePath::root(path).read_prefix(BEGINNING)?;
    let [text, sign]: [Vec<u8>; 2] =
        [&text, sign.as_bytes()].map(|it| it.iter().map(with_commas).collect());
    Ok(text.is_empty() || memchr::memmem::find(&text, &sign).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn only_files_that_killed_jurors_left_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_secs(100);
        let make = |name: &str| {
            let path = dir.path().join(name);
            fs::write(&path, "x").unwrap();
            File::open(&path).unwrap().set_modified(old).unwrap();
            path
        };
        let paths = [make(".juror-report-a"), make(".juror-report-b")];
        let [used, other, young] =
            [make(".juror-report-c"), make(".juror-rep"), make(".juror-report-d")];
        fs::write(&young, "y").unwrap();
        let holder = File::open(&used).unwrap();
        flock(&holder, FlockOperation::NonBlockingLockExclusive).unwrap();
        let report = ReportFile::replacing(&dir.path().join("report.csv"), "").unwrap();
        for path in &paths {
            assert!(!path.exists(), "{}", path.display());
        }
        for path in [&used, &other, &young] {
            assert!(path.exists(), "{}", path.display());
        }
        // A report in progress is not removed either.
        let file = report.temporary.expect("a file beside it");
        File::open(&file).unwrap().set_modified(old).unwrap();
        remove_abandoned_reports(dir.path());
        assert!(file.exists());
    }
}
