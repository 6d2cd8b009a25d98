//! Files that are kept for the user beside a box: input and output of a run.

use std::io::{ErrorKind, Write};

use crate::executor::trees;
use crate::model::blob::Blob;
use crate::model::job::JobReply;
use crate::model::joint::Transcript;
use crate::model::judgement::JudgeError;
use crate::model::root::FilePath;
use crate::model::tree::Tree;

/// Writes a box to this path, if it is wanted.
pub(super) fn save_box(wanted: Option<&FilePath>, left: Option<&Tree>) -> Result<(), JudgeError> {
    match (wanted, left) {
        (Some(wanted), Some(left)) => trees::save(left, wanted),
        _ => Ok(()),
    }
}

/// Writes a submission's box, and beside it input, standard output and standard error.
pub(super) fn save_run(kept: &FilePath, input: &Blob, reply: &JobReply) -> Result<(), JudgeError> {
    save_talk(kept, input, reply)?;
    write_file(&reply.stdout, &kept.with_added_extension("output"))
}

/// For an interactive run, whose output is in the transcript.
pub(super) fn save_talk(kept: &FilePath, input: &Blob, reply: &JobReply) -> Result<(), JudgeError> {
    save_box(Some(kept), reply.kept.as_ref())?;
    write_file(input, &kept.with_added_extension("input"))?;
    write_file(&reply.stderr, &kept.with_added_extension("error"))
}

/// Writes the transcript of the first pass as an `.interaction` file, and appends those of later passes.
pub(super) fn save_transcript(
    kept: &FilePath,
    pass: u32,
    transcript: &Transcript,
) -> Result<(), JudgeError> {
    let path = kept.with_added_extension("interaction");
    let (before, file) = match pass {
        1 => ("", path.create()),
        _ => ("---\n", path.open_to_append()),
    };
    let text = [before.as_bytes(), &transcript.to_interaction_text()].concat();
    let written = file.and_then(|mut file| file.write_all(&text));
    written.map_err(JudgeError::on_file("write", &path))
}

pub(super) fn replace_file(blob: &Blob, path: &FilePath) -> Result<(), JudgeError> {
    // Whatever is there is removed first, so that no link is followed.
    match path.remove() {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(JudgeError::on_file("write", path)(error))
        }
        Ok(()) | Err(_) => write_file(blob, path),
    }
}

fn write_file(blob: &Blob, path: &FilePath) -> Result<(), JudgeError> {
    let written = path.create().and_then(|mut file| blob.copy_to(&mut file));
    written.map(drop).map_err(JudgeError::on_file("write", path))
}
