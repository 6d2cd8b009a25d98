//! Files that are kept beside a box for the user: the input and the output of a run.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::executor::place;
use crate::model::blob::Blob;
use crate::model::job::Reply;
use crate::model::joint::Transcript;
use crate::model::judgement::JudgeError;
use crate::model::tree::Tree;

/// Writes a box to this path, if wanted.
pub(super) fn save(wanted: Option<&Path>, left: Option<&Tree>) -> Result<(), JudgeError> {
    match (wanted, left) {
        (Some(wanted), Some(left)) => place::save(left, wanted),
        _ => Ok(()),
    }
}

/// Writes a submission's box, and beside it the input, standard output and standard error.
pub(super) fn save_run(kept: &Path, input: &Blob, reply: &Reply) -> Result<(), JudgeError> {
    save_talk(kept, input, reply)?;
    write(&reply.stdout, &kept.with_added_extension("output"))
}

/// The same for an interactive run, whose standard output is in the transcript.
pub(super) fn save_talk(kept: &Path, input: &Blob, reply: &Reply) -> Result<(), JudgeError> {
    save(Some(kept), reply.kept.as_ref())?;
    write(input, &kept.with_added_extension("input"))?;
    write(&reply.stderr, &kept.with_added_extension("error"))
}

/// Writes the transcript of the first pass as an `.interaction` file, or adds that of a later pass.
pub(super) fn save_transcript(
    kept: &Path,
    pass: u32,
    transcript: &Transcript,
) -> Result<(), JudgeError> {
    let path = kept.with_added_extension("interaction");
    let (before, file) = match pass {
        1 => ("", File::create_new(&path)),
        _ => ("---\n", File::options().append(true).open(&path)),
    };
    let text = [before.as_bytes(), &transcript.notation()].concat();
    let written = file.and_then(|mut file| file.write_all(&text));
    written.map_err(JudgeError::on("write", &path))
}

/// Writes a file, and replaces one of the same name.
pub(super) fn replace(blob: &Blob, path: &Path) -> Result<(), JudgeError> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir).map_err(JudgeError::on("write", dir))?;
    // Removed whatever it is, so that links are not followed.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(JudgeError::on("write", path)(error))
        }
        Ok(()) | Err(_) => write(blob, path),
    }
}

fn write(blob: &Blob, path: &Path) -> Result<(), JudgeError> {
    let written = File::create_new(path).and_then(|mut file| blob.copy_to(&mut file));
    written.map(drop).map_err(JudgeError::on("write", path))
}

/// The name of a submission or test case as a single safe directory name.
#[must_use]
pub fn box_name(name: &str) -> String {
    /// File systems allow 255 bytes.
    const LONGEST: usize = 200;
    let name = name.replace('/', "-");
    // The end of a long path is more informative than its beginning.
    let start = (name.len().saturating_sub(LONGEST)..name.len())
        .find(|at| name.is_char_boundary(*at))
        .unwrap_or(0);
    match &name[start..] {
        "" | "." | ".." => "-".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_box_never_leads_out() {
        let check = |name: &str, expected: &str| assert_eq!(box_name(name), expected);
        check("a.cpp", "a.cpp");
        check("secret/edges/1", "secret-edges-1");
        check("../a.cpp", "..-a.cpp");
        check("..", "-");
        check(".", "-");
        check("/", "-");
        check("", "-");
        check(&"ä".repeat(300), &"ä".repeat(100));
    }
}
