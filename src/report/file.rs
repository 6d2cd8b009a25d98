//! A report file, which appears at its path only when it is complete.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::model::report::Report;
use crate::report::WriteReport;

/// A report's file, opened before it is written.
#[derive(Debug)]
pub enum ReportFile {
    /// A temporary file, to be renamed to this path.
    Beside(NamedTempFile, PathBuf),
    /// A file that the report is appended to.
    Appended(File),
}

impl ReportFile {
    /// A file that the report replaces.
    ///
    /// # Errors
    /// If its directory does not exist or cannot be written, or the path is a directory.
    pub fn beside(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o644))
            .tempfile_in(parent.unwrap_or(Path::new(".")))?;
        Ok(Self::Beside(file, path.to_owned()))
    }

    /// A file that the report is appended to.
    ///
    /// # Errors
    /// If it cannot be opened for writing.
    pub fn appended(path: &Path) -> io::Result<Self> {
        OpenOptions::new().append(true).create(true).open(path).map(Self::Appended)
    }

    /// Writes the report and moves it to its path.
    ///
    /// # Errors
    /// If the disk is full, or the directory is gone.
    pub fn write(self, write: WriteReport, report: &Report) -> io::Result<()> {
        let to = |file: &mut dyn Write| {
            let mut out = BufWriter::new(file);
            write(report, &mut out)?;
            out.flush()
        };
        match self {
            Self::Appended(mut file) => to(&mut file),
            Self::Beside(mut file, path) => {
                to(&mut file)?;
                file.persist(path)?;
                Ok(())
            }
        }
    }
}
