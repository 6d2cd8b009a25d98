//! The files of a class that the teacher gave to all: they are no student's work.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use crate::class::read_sources;
use juror_core::blob::Digest;
use juror_core::diagnostic::Diagnostic;
use juror_core::root::FilePath;
use juror_core::text::path_text;
use juror_core::tree::TreeEntry;

/// Of fewer repositories, copies would be taken for the template.
const FEWEST: usize = 5;

#[derive(Clone, Debug, Default)]
pub struct Template {
    files: HashSet<Digest>,
    pub names: BTreeSet<String>,
}

impl Template {
    /// The files of this directory.
    pub fn read(directory: &Path) -> Result<Self, Diagnostic> {
        let files = read_sources(&FilePath::root(directory))?.files;
        let names = files.iter().map(|file| path_text(&file.name)).collect();
        Ok(Self { files: files.iter().filter_map(digest).collect(), names })
    }

    /// The files that are the same in most of these directories.
    pub fn of_class<'a>(students: impl ExactSizeIterator<Item = &'a FilePath>) -> Self {
        let needed = FEWEST.max(students.len()) / 2 + 1;
        let is_large = students.len() >= FEWEST;
        let mut times: BTreeMap<Digest, BTreeMap<usize, String>> = BTreeMap::new();
        for (student, directory) in students.enumerate() {
            for file in read_sources(directory).unwrap_or_default().files {
                let Some(digest) = digest(&file) else { continue };
                times.entry(digest).or_default().insert(student, path_text(&file.name));
            }
        }
        let common = times.into_iter().filter(|(_, names)| is_large && names.len() >= needed);
        let named = common.filter_map(|(digest, mut names)| Some((digest, names.pop_first()?.1)));
        let (files, names) = named.unzip();
        Self { files, names }
    }

    pub fn has(&self, file: &TreeEntry) -> bool {
        !self.files.is_empty() && digest(file).is_some_and(|digest| self.files.contains(&digest))
    }
}

/// `None` for an empty file, which says nothing.
fn digest(file: &TreeEntry) -> Option<Digest> {
    file.blob().filter(|blob| blob.len().is_ok_and(|length| length > 0))?.digest().ok()
}
