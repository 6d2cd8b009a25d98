//! One run of one program, as plain data, and what came back.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::blob::Blob;
use crate::model::limits::Limits;
use crate::model::outcome::Outcome;
use crate::model::problem::ProgramIo;
use crate::model::tree::{Node, Tree, TreeEntry, many_paths, path_bytes};
use crate::model::units::Bytes;

/// One run of one program. Nothing in it belongs to one machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    /// What to start.
    pub command: Command,
    /// What the program reads on standard input.
    pub stdin: Blob,
    /// What lies in the box, the working directory, before the program starts.
    pub files: Vec<TreeEntry>,
    /// Whether the program may write in its box.
    pub writable: bool,
    /// How large the box may grow; the kernel refuses more.
    pub box_size: Bytes,
    /// What it may use.
    pub limits: Limits,
    /// Files to bring back from the box, by their names in it.
    pub collect: Vec<String>,
    /// Whether all that is in the box at the end is brought back.
    pub keep: Keep,
    /// Whether something depends on how long it takes, beside that it ends within its limits: what it did on another
    /// machine says nothing then.
    pub is_timed: bool,
}

/// What is brought back of a box, beside the files that were asked for by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keep {
    /// Nothing.
    #[default]
    Nothing,
    /// All but what has one of these names, and what is below.
    AllBut(#[serde(with = "many_paths")] Vec<PathBuf>),
}

impl Keep {
    /// All.
    pub const ALL: Self = Self::AllBut(Vec::new());

    /// All, or nothing.
    pub fn all_if(is_wanted: bool) -> Self {
        if is_wanted { Self::ALL } else { Self::Nothing }
    }
}

/// What to start, and what it must be able to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments. The first is an absolute path as seen from inside; there is no
    /// shell and no search path in between.
    pub argv: Vec<String>,
    /// Additions to the fixed environment.
    pub env: Vec<(String, String)>,
    /// What is shown read-only, beside the system's own directories.
    pub visible: Vec<Shown>,
}

/// Something that is shown read-only to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Where the program sees it, an absolute path.
    #[serde(with = "path_bytes")]
    pub inside: PathBuf,
    /// What it is.
    pub what: What,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Such as a program that was built.
    Tree(Arc<Tree>),
    /// What the machine that runs the job must have at that very path: a directory or file of a compiler or
    /// interpreter.
    Installed {
        /// Which, such as `python3`.
        name: String,
        /// What tells it from another of that name, such as its version.
        identity: String,
    },
}

impl Shown {
    /// A tree, seen here.
    pub fn tree(inside: impl Into<PathBuf>, tree: &Arc<Tree>) -> Self {
        Self { inside: inside.into(), what: What::Tree(Arc::clone(tree)) }
    }
}

impl Job {
    /// All that travels beside it.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let trees = self.command.visible.iter().filter_map(|shown| match &shown.what {
            What::Tree(tree) => Some(&tree.entries),
            What::Installed { .. } => None,
        });
        let entries = trees.flatten().chain(&self.files);
        entries.filter_map(TreeEntry::blob).chain([&self.stdin])
    }

    /// Lays something into its box, in place of what has that name there. The box grows by the size of a file, so the
    /// program has as much room as without it.
    pub fn put(&mut self, entry: TreeEntry) {
        if let Node::File { blob, .. } = &entry.node {
            // A blob that cannot be read is a fault where it is placed.
            self.box_size = self.box_size.saturating_add(Bytes(blob.len().unwrap_or_default()));
        }
        self.files.retain(|file| file.name != entry.name);
        self.files.push(entry);
    }

    /// Places the input where the program reads it, and collects the output from where the program writes it.
    pub fn feed(&mut self, io: &ProgramIo, input: Blob) {
        match io {
            ProgramIo::Standard => self.stdin = input,
            ProgramIo::Files { input: name, output } => {
                self.put(TreeEntry::new(name, Node::plain(input)));
                self.collect.push(output.clone());
            }
        }
    }
}

/// What came back from a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The facts.
    pub outcome: Outcome,
    /// Standard output, up to the output limit.
    pub stdout: Blob,
    /// Standard error, up to the first and the last part.
    pub stderr: Blob,
    /// The files asked for, in the order of [`Job::collect`].
    pub collected: Vec<Collected>,
    /// What was in the box at the end, if it was asked for.
    pub kept: Option<Tree>,
}

impl Reply {
    /// All that travels beside it.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let collected = self.collected.iter().filter_map(|found| match found {
            Collected::File(blob) => Some(blob),
            Collected::Missing | Collected::NotAFile(_) => None,
        });
        let kept = self.kept.iter().flat_map(|tree| &tree.entries);
        [&self.stdout, &self.stderr]
            .into_iter()
            .chain(collected)
            .chain(kept.filter_map(TreeEntry::blob))
    }

    /// The same in the same order, to be replaced.
    pub fn blobs_mut(&mut self) -> impl Iterator<Item = &mut Blob> {
        let collected = self.collected.iter_mut().filter_map(|found| match found {
            Collected::File(blob) => Some(blob),
            Collected::Missing | Collected::NotAFile(_) => None,
        });
        let kept = self.kept.iter_mut().flat_map(|tree| &mut tree.entries);
        [&mut self.stdout, &mut self.stderr]
            .into_iter()
            .chain(collected)
            .chain(kept.filter_map(TreeEntry::blob_mut))
    }
}

/// What was found under a name in the box.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Collected {
    /// A regular file: its contents.
    File(Blob),
    /// Nothing.
    Missing,
    /// Something else than a regular file, or a file that cannot be read.
    NotAFile(FileKind),
}

/// What a name can stand for instead of a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A fifo.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A regular file that cannot be read.
    Unreadable,
    /// Something that this system does not name.
    Unknown,
}

impl fmt::Display for FileKind {
    /// Such as `a directory`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "a symbolic link",
            Self::Directory => "a directory",
            Self::Fifo => "a fifo",
            Self::Socket => "a socket",
            Self::CharacterDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Unreadable => "a file that cannot be read",
            Self::Unknown => "something unknown",
        })
    }
}
