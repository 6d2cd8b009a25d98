//! A new package that is written to a directory beside its path, and moved there when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use tempfile::TempDir;

use crate::cli::output::command_line;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;

/// A directory beside the new package; deleted when dropped, also after Ctrl-C.
pub(super) struct Beside {
    dir: TempDir,
    name: PathBuf,
    interrupted: Arc<AtomicBool>,
}

impl Beside {
    /// Makes the directory.
    ///
    /// # Errors
    /// If the package cannot have this name, or nothing can be written beside it.
    pub(super) fn new(out: &Path) -> Result<Self, Stop> {
        let Some(name) = out.file_name() else {
            return Err(Stop::usage(format!(
                "{} cannot be the name of a package; choose another",
                out.display()
            )));
        };
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .map_err(|error| JudgeError::new("handle Ctrl-C", error))?;
        }
        let dir = TempDir::with_prefix_in(".juror-package-", parent(out));
        let dir = dir.map_err(|error| fault(out, error))?;
        let name = name.into();
        Ok(Self { dir, name, interrupted })
    }

    /// Where the package is written.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    /// Checks for an interruption.
    ///
    /// # Errors
    /// If there was one.
    pub(super) fn check(&self) -> Result<(), Stop> {
        match self.interrupted.load(Ordering::Relaxed) {
            true => Err(Stop::Interrupted),
            false => Ok(()),
        }
    }

    /// Moves the finished package to its path.
    ///
    /// # Errors
    /// If it cannot be moved there.
    pub(super) fn place(&self, done: &Path, out: &Path) -> Result<(), Stop> {
        fs::rename(done, out).map_err(|error| fault(out, error).into())
    }
}

/// Checks that the path does not exist yet, but its parent does.
///
/// # Errors
/// If it exists, or its parent does not.
pub(super) fn absent(out: &Path) -> Result<(), Stop> {
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
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The error that something of a new package cannot be written.
pub(super) fn fault(path: &Path, error: io::Error) -> JudgeError {
    JudgeError::new(format!("write {}", path.display()), error)
        .help("make room there, or name a place that can be written")
}
