//! Temporary directories, and what to do when they cannot be written.

use std::env;
use std::io::{self, ErrorKind};

use tempfile::TempDir;

use crate::model::judgement::JudgeError;

/// A new temporary directory, gone when dropped. Others may read it as far as the umask lets them: programs that run as
/// another user start in there.
///
/// # Errors
/// When the system's temporary directory cannot be written.
pub fn directory(prefix: &str) -> Result<TempDir, JudgeError> {
    TempDir::with_prefix(prefix).map_err(|error| fault("make a temporary directory", error))
}

/// A fault in a step that writes in a temporary directory, with the way out.
pub fn fault(step: impl Into<String>, error: io::Error) -> JudgeError {
    let dir = env::temp_dir();
    let dir = dir.display();
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(format!(
            "make room in {dir}, or set TMPDIR to a directory that has room"
        )),
        ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem => Some(format!(
            "make {dir} a directory that can be written, or set TMPDIR to one"
        )),
        _ => None,
    };
    let fault = JudgeError::new(step, error);
    match help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_or_forbidden_disk_comes_with_a_way_out() {
        let check = |kind: ErrorKind, piece: Option<&str>| {
            let help = fault("write", kind.into()).help;
            assert_eq!(help.is_some(), piece.is_some(), "{kind}: {help:?}");
            assert!(help.unwrap_or_default().contains(piece.unwrap_or_default()));
        };
        check(ErrorKind::StorageFull, Some("make room in"));
        check(ErrorKind::NotFound, Some("set TMPDIR"));
        check(ErrorKind::PermissionDenied, Some("set TMPDIR"));
        check(ErrorKind::Interrupted, None);
    }
}
