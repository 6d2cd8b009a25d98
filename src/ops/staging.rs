//! A new package that is written to a directory beside its path, and moved there when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::executor::scratch::{self, Scratch};
use crate::model::judgement::JudgeError;
use crate::model::stop::{Stop, go_on};
use crate::model::text::command_line;
use crate::ops::host::on_end;

/// A directory beside the new package; deleted when dropped, also after Ctrl-C.
pub struct StagingDirectory {
    dir: Scratch,
    name: PathBuf,
}

impl StagingDirectory {
    /// Makes the directory.
    ///
    /// # Errors
    /// If the package cannot have this name, or nothing can be written beside it.
    pub fn new(out: &Path) -> Result<Self, Stop> {
        let Some(name) = out.file_name() else {
            return Err(Stop::usage(format!(
                "{} cannot be the name of a package; choose another",
                out.display()
            )));
        };
        on_end(|| {})?;
        let dir = scratch::beside(parent(out), ".juror-package-");
        let dir = dir.map_err(|error| fault(out, error))?;
        let name = name.into();
        Ok(Self { dir, name })
    }

    /// Where the package is written.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    /// Checks for an interruption.
    ///
    /// # Errors
    /// If there was one.
    pub fn check(&self) -> Result<(), Stop> {
        go_on()
    }

    /// Moves the finished package to its path.
    ///
    /// # Errors
    /// If it cannot be moved there.
    pub fn place(&self, done: &Path, out: &Path) -> Result<(), Stop> {
        fs::rename(done, out).map_err(|error| fault(out, error).into())
    }
}

/// Checks that the path does not exist yet, but its parent does.
///
/// # Errors
/// If it exists, or its parent does not.
pub fn absent(out: &Path) -> Result<(), Stop> {
    match out.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            let out = out.display();
            Err(Stop::usage(format!(
                "the system allows no name this long: {out}; choose a shorter one"
            )))
        }
        Err(_) if parent(out).is_dir() => Ok(()),
        Err(_) => {
            let make = command_line([Path::new("mkdir"), Path::new("-p"), parent(out)]);
            let is_there = parent(out).exists();
            let parent = parent(out).display();
            if is_there {
                return Err(Stop::usage(format!("{parent} is a file; choose another place")));
            }
            Err(Stop::usage(format!("{parent} is not a directory; make it first: {make}")))
        }
        Ok(_) => {
            let out = out.display();
            Err(Stop::usage(format!("{out} already exists; choose another")))
        }
    }
}

/// The parent directory of a path.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The error that something of a new package cannot be written.
pub fn fault(path: &Path, error: io::Error) -> JudgeError {
    JudgeError::new(format!("write {}", path.display()), error)
        .help("make room there, or name a place that can be written")
}
