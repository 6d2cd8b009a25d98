//! A new package is written to a temporary directory next to its path, and renamed when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::executor::scratch::{self, Scratch};
use crate::model::judgement::JudgeError;
use crate::model::stop::{Stop, go_on};
use crate::model::text::command_line;
use crate::ops::host::on_end;

/// Deleted when dropped, also after Ctrl-C.
pub struct StagingDirectory {
    dir: Scratch,
    name: PathBuf,
}

impl StagingDirectory {
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

    pub fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    pub fn check(&self) -> Result<(), Stop> {
        go_on()
    }

    pub fn place(&self, done: &Path, out: &Path) -> Result<(), Stop> {
        fs::rename(done, out).map_err(|error| fault(out, error).into())
    }
}

/// The path must not exist, but its parent must.
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

/// `.` for a plain name.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub fn fault(path: &Path, error: io::Error) -> JudgeError {
    JudgeError::new(format!("write {}", path.display()), error)
        .help("make room there, or name a place that can be written")
}
