//! A run of a program as plain data, and its result.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::blob::Blob;
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::problem::ProgramIo;
use crate::serial::PathBytes;
use crate::tree::{Node, Tree, TreeEntry};
use crate::units::Bytes;
use crate::words::words;

/// Another run of the same job, to measure times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// Counts these runs of the job from 1. A cache keeps each result.
    pub number: u32,
    /// Whether nothing else may run on its machine meanwhile.
    pub is_alone: bool,
}

/// A run of a program, independent of the machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    pub command: Command,
    pub stdin: Blob,
    /// The contents of the box, which is the working directory, at the start.
    pub files: Vec<TreeEntry>,
    /// Whether the program may write in its box.
    pub writable: bool,
    /// The maximum size of the box; the kernel refuses more.
    pub box_size: Bytes,
    pub limits: Limits,
    /// The names of the files that are returned from the box.
    pub collect: Vec<String>,
    pub keep: BoxRetention,
    /// Whether run times affect the result, beyond staying within limits. Then results from other machines mean
    /// nothing.
    pub is_timed: bool,
}

/// What is returned from a box besides the collected files.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoxRetention {
    #[default]
    Nothing,
    /// Everything except these names, and what is below them.
    AllBut(#[serde_as(as = "Vec<PathBytes>")] Vec<PathBuf>),
}

impl BoxRetention {
    pub const ALL: Self = Self::AllBut(Vec::new());

    pub fn all_or_nothing(is_wanted: bool) -> Self {
        if is_wanted { Self::ALL } else { Self::Nothing }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments. The first is an absolute path as seen from inside; neither a shell nor a search path is
    /// used.
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    /// What is visible read-only, besides the system's own directories.
    pub visible: Vec<VisiblePath>,
}

/// Something that a program sees read-only.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisiblePath {
    /// The absolute path at which the program sees it.
    #[serde_as(as = "PathBytes")]
    pub inside: PathBuf,
    pub what: VisibleContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VisibleContent {
    /// A tree, such as a built program.
    Tree(Arc<Tree>),
    /// A directory or file of a compiler or interpreter, which the machine that runs the job must have at the same
    /// path.
    Installed {
        /// The name of the tool, such as `python3`.
        name: String,
        /// Distinguishes it from others of that name, such as its version.
        identity: String,
    },
}

impl VisiblePath {
    pub fn tree(inside: impl Into<PathBuf>, tree: &Arc<Tree>) -> Self {
        Self { inside: inside.into(), what: VisibleContent::Tree(Arc::clone(tree)) }
    }
}

impl Job {
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let trees = self.command.visible.iter().filter_map(|shown| match &shown.what {
            VisibleContent::Tree(tree) => Some(&tree.entries),
            VisibleContent::Installed { .. } => None,
        });
        let entries = trees.flatten().chain(&self.files);
        entries.filter_map(TreeEntry::blob).chain([&self.stdin])
    }

    /// For replacing blobs: the same ones in the same order. Blobs of a shared tree are left out.
    pub fn blobs_mut(&mut self) -> impl Iterator<Item = &mut Blob> {
        let trees = self.command.visible.iter_mut().filter_map(|shown| match &mut shown.what {
            VisibleContent::Tree(tree) => Arc::get_mut(tree).map(|tree| &mut tree.entries),
            VisibleContent::Installed { .. } => None,
        });
        let entries = trees.chain([&mut self.files]).flatten();
        entries.filter_map(TreeEntry::blob_mut).chain([&mut self.stdin])
    }

    /// Adds an entry to the box, or replaces the one of the same name. The box grows by the file's size, so that the
    /// program has as much room as before.
    pub fn add_entry(&mut self, entry: TreeEntry) {
        if let Node::File { blob, .. } = &entry.node {
            // A blob that cannot be read is reported when the box is filled.
            self.box_size = self.box_size.saturating_add(Bytes(blob.len().unwrap_or_default()));
        }
        self.files.retain(|file| file.name != entry.name);
        self.files.push(entry);
    }

    /// Puts the input where the program reads it, and collects the output from where it writes it.
    pub fn connect_io(&mut self, io: &ProgramIo, input: Blob) {
        match io {
            ProgramIo::Standard => self.stdin = input,
            ProgramIo::Files { input: name, output } => {
                self.add_entry(TreeEntry::new(name, Node::plain(input)));
                self.collect.push(output.clone());
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct JobReply {
    pub outcome: Outcome,
    pub stdout: Blob,
    /// The first and the last part of standard error.
    pub stderr: Blob,
    /// The requested files, in the order of [`Job::collect`].
    pub collected: Vec<CollectedEntry>,
    /// The contents of the box at the end, as [`Job::keep`] says.
    pub kept: Option<Tree>,
}

impl JobReply {
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let collected = self.collected.iter().filter_map(|found| match found {
            CollectedEntry::File(blob) => Some(blob),
            CollectedEntry::Missing | CollectedEntry::NotAFile(_) => None,
        });
        let kept = self.kept.iter().flat_map(|tree| &tree.entries);
        [&self.stdout, &self.stderr]
            .into_iter()
            .chain(collected)
            .chain(kept.filter_map(TreeEntry::blob))
    }

    /// For replacing blobs: the same ones in the same order.
    pub fn blobs_mut(&mut self) -> impl Iterator<Item = &mut Blob> {
        let collected = self.collected.iter_mut().filter_map(|found| match found {
            CollectedEntry::File(blob) => Some(blob),
            CollectedEntry::Missing | CollectedEntry::NotAFile(_) => None,
        });
        let kept = self.kept.iter_mut().flat_map(|tree| &mut tree.entries);
        [&mut self.stdout, &mut self.stderr]
            .into_iter()
            .chain(collected)
            .chain(kept.filter_map(TreeEntry::blob_mut))
    }
}

/// What a collected name is in the box.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum CollectedEntry {
    File(Blob),
    Missing,
    /// Not a regular file, or a file that cannot be read.
    NotAFile(FileKind),
}

words! {
    /// The kind of an entry that is not a readable regular file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum FileKind {
        Link = "a symbolic link",
        Directory = "a directory",
        Fifo = "a fifo",
        Socket = "a socket",
        CharacterDevice = "a character device",
        BlockDevice = "a block device",
        /// A regular file that cannot be read.
        Unreadable = "a file that cannot be read",
        /// A kind that this system does not name.
        Unknown = "something unknown",
    }
}
