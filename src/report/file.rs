//! A report file, which appears at its path only when it is complete.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::model::root::FilePath;

/// A report's file, opened before it is written.
#[derive(Debug)]
pub enum ReportFile {
    /// A temporary file, to be renamed to this path.
    Beside(NamedTempFile, PathBuf),
    /// A file that is written in place: a device or a pipe, or one that the report is appended to; and its path.
    Open(File, PathBuf),
}

impl ReportFile {
    /// A file for a report, in place of an earlier report of the same kind, whose beginning contains this sign. Links are
    /// followed, rights are kept, and devices and pipes are written to.
    ///
    /// # Errors
    /// If its directory does not exist or cannot be written, the path is a directory, or there is any other file.
    pub fn beside(path: &Path, sign: &str) -> io::Result<Self> {
        // A pipe behind `/dev/stdout` has no other path.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Self::Open(file, path.to_owned()));
        }
        let path = resolved(path)?;
        let mut rights = 0o644;
        if let Ok(found) = fs::metadata(&path) {
            if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if !has(&path, sign)? {
                return Err(io::Error::other("it exists and is not such a report"));
            }
            rights = found.permissions().mode() & 0o777;
        }
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(rights))
            .tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
        Ok(Self::Beside(file, path))
    }

    /// A file that the report is appended to.
    ///
    /// # Errors
    /// If it cannot be opened for writing.
    pub fn appended(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self::Open(file, path.to_owned()))
    }

    /// Writes what this function writes and moves it to its path.
    ///
    /// # Errors
    /// If the disk is full, or the directory is gone. The message names the file.
    pub fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let to = |file: &mut dyn Write| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        };
        let (path, written) = match self {
            Self::Open(mut file, path) => (path, to(&mut file)),
            Self::Beside(mut file, path) => {
                let written = to(&mut file);
                let kept = written.and_then(|()| file.persist(&path).map_err(io::Error::from));
                (path, kept.map(drop))
            }
        };
        written
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }
}

/// The path without links in it: two paths of the same file are equal.
///
/// # Errors
/// If its directory does not exist, or it is a link to nothing.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return path.canonicalize();
    }
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize()?;
    Ok(parent.join(path.file_name().unwrap_or_default()))
}

/// Whether a file is empty, or its beginning contains a text.
fn has(path: &Path, sign: &str) -> io::Result<bool> {
    const BEGINNING: u64 = 4 << 10;
    let text = FilePath::root(path).start(BEGINNING)?;
    Ok(text.is_empty() || text.windows(sign.len()).any(|it| it == sign.as_bytes()))
}
