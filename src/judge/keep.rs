//! What is kept beside a box for the user: what went into the run, and what came out of it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::executor::place;
use crate::judge::case::fault;
use crate::model::blob::Blob;
use crate::model::job::Reply;
use crate::model::joint::Transcript;
use crate::model::judgement::JudgeError;
use crate::model::tree::Tree;

/// Writes a box where the user wants it, if it is wanted.
pub(super) fn save(wanted: Option<&Path>, left: Option<&Tree>) -> Result<(), JudgeError> {
    match (wanted, left) {
        (Some(wanted), Some(left)) => place::save(left, wanted),
        _ => Ok(()),
    }
}

/// Writes a submission's box, and beside it the input, and what is in standard output and standard error.
pub(super) fn save_run(kept: &Path, input: &Blob, reply: &Reply) -> Result<(), JudgeError> {
    save_talk(kept, input, reply, None)?;
    write(&reply.stdout, &beside(kept, "output"))
}

/// The same if it talked: with what was said, in the notation of `.interaction` files, for standard output.
pub(super) fn save_talk(
    kept: &Path,
    input: &Blob,
    reply: &Reply,
    transcript: Option<&Transcript>,
) -> Result<(), JudgeError> {
    save(Some(kept), reply.kept.as_ref())?;
    write(input, &beside(kept, "input"))?;
    write(&reply.stderr, &beside(kept, "error"))?;
    if let Some(transcript) = transcript {
        let path = beside(kept, "interaction");
        fs::write(&path, transcript.notation()).map_err(|error| unwritten(&path, error))?;
    }
    Ok(())
}

/// The path of a box with another ending.
pub(super) fn beside(kept: &Path, ending: &str) -> PathBuf {
    let mut path = kept.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}

/// Writes a file in place of what has that name.
pub(super) fn replace(blob: &Blob, path: &Path) -> Result<(), JudgeError> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir).map_err(|error| unwritten(dir, error))?;
    // Whatever it is; where it may lead to is not written to.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unwritten(path, error)),
        Ok(()) | Err(_) => write(blob, path),
    }
}

fn write(blob: &Blob, path: &Path) -> Result<(), JudgeError> {
    let written = File::create_new(path).and_then(|mut file| blob.copy_to(&mut file));
    written.map(drop).map_err(|error| unwritten(path, error))
}

fn unwritten(path: &Path, error: std::io::Error) -> JudgeError {
    fault(&format!("write {}", path.display()), error)
}
