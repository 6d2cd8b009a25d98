//! Files that are kept for the user next to a box: input and output of a run.

use std::io::{ErrorKind, Write};

use juror_core::blob::Blob;
use juror_core::job::JobReply;
use juror_core::joint::Transcript;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::tree::Tree;
use juror_sandbox::executor::trees;

/// Writes a box to this path, if it is wanted.
pub(super) fn save_box(path: Option<&FilePath>, tree: Option<&Tree>) -> Result<(), JudgeError> {
    match (path, tree) {
        (Some(path), Some(tree)) => trees::save(tree, path),
        _ => Ok(()),
    }
}

/// Writes a submission's box, and next to it input, standard output and standard error.
pub(super) fn save_run(
    box_path: &FilePath,
    input: &Blob,
    reply: &JobReply,
) -> Result<(), JudgeError> {
    save_interactive_run(box_path, input, reply)?;
    write_file(&reply.stdout, &box_path.with_added_extension("output"))
}

/// Like [`save_run`], without the output: it is in the transcript.
pub(super) fn save_interactive_run(
    box_path: &FilePath,
    input: &Blob,
    reply: &JobReply,
) -> Result<(), JudgeError> {
    save_box(Some(box_path), reply.kept.as_ref())?;
    write_file(input, &box_path.with_added_extension("input"))?;
    write_file(&reply.stderr, &box_path.with_added_extension("error"))
}

/// Writes the transcript of the first pass as an `.interaction` file, and appends those of later passes.
pub(super) fn save_transcript(
    box_path: &FilePath,
    pass: u32,
    transcript: &Transcript,
) -> Result<(), JudgeError> {
    let path = box_path.with_added_extension("interaction");
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
