//! A new package is written to a temporary directory next to its path, and renamed when it is complete.

use std::io;
use std::path::{Path, PathBuf};

use crate::ops::host::stop_on_signal;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_sandbox::executor::scratch::{self, ScratchDirectory};

/// Deleted when dropped, also after Ctrl-C.
pub struct StagingDirectory {
    dir: ScratchDirectory,
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
        stop_on_signal(|| {})?;
        let dir = scratch::make_scratch_in(parent_directory(out), ".juror-package-");
        let dir = dir.map_err(|error| write_error(out, error))?;
        let name = name.into();
        Ok(Self { dir, name })
    }

    pub fn path(&self) -> FilePath {
        self.dir.path().join(&self.name)
    }

    pub fn move_to(&self, done: &FilePath, out: &Path) -> Result<(), Stop> {
        done.rename(&FilePath::output(out)).map_err(|error| write_error(out, error).into())
    }
}

/// The path must not exist, but its parent must.
pub fn check_absent(out: &Path) -> Result<(), Stop> {
    let (shown, parent) = (out.display(), parent_directory(out));
    let what = match out.symlink_metadata() {
        Ok(_) => format!("{shown} already exists; choose another"),
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            format!("the system allows no name this long: {shown}; choose a shorter one")
        }
        Err(_) if parent.is_dir() => return Ok(()),
        Err(_) if parent.exists() => {
            format!("{} is a file; choose another place", parent.display())
        }
        Err(_) => {
            let make = command_line([Path::new("mkdir"), Path::new("-p"), parent]);
            format!("{} is not a directory; make it first: {make}", parent.display())
        }
    };
    Err(Stop::usage(what))
}

/// `.` for a plain name.
pub fn parent_directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub fn write_error(path: &Path, error: io::Error) -> JudgeError {
    JudgeError::new(format!("write {}", path.display()), error)
        .help("make room there, or name a place that can be written")
}
