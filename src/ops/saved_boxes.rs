//! `--keep`: the directory for saved boxes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::door::submissions::current_directory;
use crate::ops::context::Context;
use juror_core::event::{Event, Note};
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::stop::Stop;

/// Returns a new or empty directory, or `None` if no boxes are saved. `keep` is the option and its value.
pub fn keep_directory(
    keep: Option<&Option<PathBuf>>,
    context: &Context,
) -> Result<Option<FilePath>, Stop> {
    let dir = match keep {
        None => return Ok(None),
        Some(None) => tempfile::Builder::new()
            .prefix("juror-boxes-")
            .tempdir()
            .map_err(|error| {
                let error = JudgeError::new("make a directory for --keep", error);
                error.help("choose one with --keep=DIR")
            })?
            .keep(),
        Some(Some(dir)) => make_empty_directory(dir)?,
    };
    let dir = current_directory()?.join(dir);
    context.send_event(Event::Noted(Note::Kept(dir.clone())));
    Ok(Some(FilePath::root(dir)))
}

/// Fails if the word after `--keep` seems to be its directory.
pub fn refuse_misplaced_value(keep: Option<&Option<PathBuf>>, path: &Path) -> Result<(), Stop> {
    let is_free = match fs::read_dir(path) {
        Ok(mut inside) => inside.next().is_none(),
        Err(_) => fs::symlink_metadata(path).is_err() && path.extension().is_none(),
    };
    if keep != Some(&None) || !is_free {
        return Ok(());
    }
    let name = path.display();
    Err(Stop::usage(format!(
        "{name} is read as another argument; write --keep={name} for the directory"
    )))
}

fn make_empty_directory(dir: &Path) -> Result<PathBuf, Stop> {
    let shown = dir.display();
    let fault = |what: &str, error: io::Error| {
        Stop::usage(format!("--keep: cannot {what} the directory {shown}: {error}; choose another"))
    };
    fs::create_dir_all(dir).map_err(|error| fault("make", error))?;
    let mut inside = fs::read_dir(dir).map_err(|error| fault("read", error))?;
    match inside.next() {
        None => Ok(dir.to_owned()),
        Some(_) => {
            let what = format!("--keep: {shown} is not empty; choose a new directory");
            Err(Stop::usage(what))
        }
    }
}
