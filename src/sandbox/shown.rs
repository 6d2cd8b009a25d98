//! Where the things that a job shows are on this machine.

use std::fs;
use std::path::PathBuf;

use crate::model::job::{Shown, What};
use crate::sandbox::fault::{Fault, Step};

/// Without links.
pub(super) fn place_of(shown: &Shown) -> Result<PathBuf, Fault> {
    let inside = shown.inside.display();
    match &shown.what {
        What::Installed { .. } => fs::canonicalize(&shown.inside).step_on("show", inside),
        What::Tree(tree) => match tree.place() {
            Some(place) => Ok(place.to_path_buf()),
            None => Err(Fault::new(format!("show {inside}"), "it does not exist on this machine")),
        },
    }
}
