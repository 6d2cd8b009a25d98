//! Where the things that a job shows are on this machine.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::fault::{Fault, FaultContext};
use juror_core::job::{VisibleContent, VisiblePath};

/// Without links.
pub(super) fn host_path(shown: &VisiblePath) -> Result<PathBuf, Fault> {
    let inside = shown.inside.display();
    match &shown.what {
        VisibleContent::Installed { .. } => fs::canonicalize(&shown.inside).step_on("show", inside),
        VisibleContent::Tree(tree) => match tree.directory() {
            Some(path) => Ok(path.to_path_buf()),
            None => Err(Fault::new(format!("show {inside}"), "it does not exist on this machine")),
        },
    }
}
