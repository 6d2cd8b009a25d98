//! Named blobs, links and directories: a built program, or what a run left in its box.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::blob::{Blob, TreeDirectory};
use crate::serial::PathBytes;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Tree {
    /// Directories are listed only if they are empty.
    pub entries: Vec<TreeEntry>,
    #[serde(skip)]
    directory: OnceLock<Arc<TreeDirectory>>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Its relative path in the tree, without `..`.
    #[serde_as(as = "PathBytes")]
    pub name: PathBuf,
    pub node: Node,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    File {
        blob: Blob,
        mode: FileMode,
    },
    /// A symbolic link. The program that sees the tree resolves the target.
    Link(#[serde_as(as = "PathBytes")] PathBuf),
    Directory,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileMode {
    #[default]
    Plain,
    /// It may be started as a program.
    Executable,
}

/// Whether a link with this name stays within its tree, even if it leads through other such links.
pub fn link_stays_inside(name: &Path, target: &Path) -> bool {
    let above = name.parent().map_or(0, |parent| parent.components().count());
    let mut parts = target.components().filter(|part| *part != Component::CurDir).peekable();
    let mut up = 0;
    while parts.next_if_eq(&Component::ParentDir).is_some() {
        up += 1;
    }
    up <= above && parts.all(|part| matches!(part, Component::Normal(_)))
}

impl Node {
    pub fn plain(blob: impl Into<Blob>) -> Self {
        Self::File { blob: blob.into(), mode: FileMode::Plain }
    }
}

impl TreeEntry {
    pub fn new(name: impl Into<PathBuf>, node: Node) -> Self {
        let name = name.into();
        Self { name, node }
    }

    pub fn blob(&self) -> Option<&Blob> {
        match &self.node {
            Node::File { blob, .. } => Some(blob),
            Node::Link(_) | Node::Directory => None,
        }
    }

    /// Its bytes, if it is a file in memory; otherwise none.
    pub fn bytes(&self) -> &[u8] {
        self.blob().and_then(Blob::bytes).unwrap_or_default()
    }

    /// 0 unless it is a readable file.
    pub fn length(&self) -> u64 {
        self.blob().and_then(|blob| blob.len().ok()).unwrap_or_default()
    }

    /// Its first 64 MiB; nothing unless it is a readable file.
    pub fn prefix(&self) -> Cow<'_, [u8]> {
        let start = |blob: &Blob| blob.prefix(64 << 20).unwrap_or_default();
        match self.blob().and_then(Blob::bytes) {
            Some(bytes) => Cow::Borrowed(bytes),
            None => self.blob().map(start).unwrap_or_default().into(),
        }
    }

    pub fn is_executable(&self) -> bool {
        matches!(self.node, Node::File { mode: FileMode::Executable, .. })
    }

    /// For replacing its content.
    pub fn blob_mut(&mut self) -> Option<&mut Blob> {
        match &mut self.node {
            Node::File { blob, .. } => Some(blob),
            Node::Link(_) | Node::Directory => None,
        }
    }
}

impl FileMode {
    pub const fn from_permissions(rights: u32) -> Self {
        match rights & 0o111 {
            0 => Self::Plain,
            _ => Self::Executable,
        }
    }

    /// Permissions for such a file: everybody can read it.
    pub const fn permissions(self) -> u32 {
        match self {
            Self::Plain => 0o644,
            Self::Executable => 0o755,
        }
    }
}

impl From<Vec<TreeEntry>> for Tree {
    fn from(entries: Vec<TreeEntry>) -> Self {
        Self { entries, directory: OnceLock::new() }
    }
}

impl Tree {
    pub fn in_directory(entries: Vec<TreeEntry>, directory: Arc<TreeDirectory>) -> Self {
        Self { entries, directory: OnceLock::from(directory) }
    }

    /// A tree with unknown entries. Only this machine can show it.
    pub fn unlisted(path: impl Into<PathBuf>) -> Arc<Self> {
        Arc::new(Self::in_directory(Vec::new(), TreeDirectory::new(path.into(), ())))
    }

    pub fn directory(&self) -> Option<&Path> {
        self.directory.get().map(|directory| directory.path())
    }

    /// Records that this directory has the tree now.
    pub fn set_directory(&self, directory: Arc<TreeDirectory>) {
        // Two threads may store the tree at the same time. Either directory is right.
        let _ = self.directory.set(directory);
    }

    /// The names in the top directory, without duplicates, in order.
    pub fn top_names(&self) -> Vec<PathBuf> {
        let first = |entry: &TreeEntry| entry.name.iter().next().map(PathBuf::from);
        let mut names: Vec<PathBuf> = self.entries.iter().filter_map(first).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether there is an entry with this name. A name below a link counts; the link is not followed, because its
    /// target has a meaning only for the program.
    pub fn contains(&self, name: &Path) -> bool {
        self.entries.iter().any(|entry| {
            let is_link = matches!(entry.node, Node::Link(_));
            entry.name.starts_with(name) || (is_link && name.starts_with(&entry.name))
        })
    }

    pub fn file(&self, name: &Path) -> Option<&Blob> {
        self.entries.iter().find(|entry| entry.name == name)?.blob()
    }

    /// The entries below a directory, with names relative to it.
    pub fn entries_below(&self, directory: &Path) -> Vec<TreeEntry> {
        let moved = |entry: &TreeEntry| {
            let name = entry.name.strip_prefix(directory).ok()?;
            let is_below = name != Path::new("");
            is_below.then(|| TreeEntry::new(name, entry.node.clone()))
        };
        self.entries.iter().filter_map(moved).collect()
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Tree {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_on_a_disk() {
        let tree = Tree::from(vec![
            TreeEntry::new("a/b/c", Node::plain(Blob::default())),
            TreeEntry::new("a/empty", Node::Directory),
            TreeEntry::new("link", Node::Link("/etc".into())),
        ]);
        let check =
            |name: &str, expected| assert_eq!(tree.contains(Path::new(name)), expected, "{name}");
        check("a/b/c", true);
        check("a/b", true);
        check("a/empty", true);
        check("a/b/c/d", false);
        check("a/x", false);
        check("link", true);
        check("link/passwd", true);
        assert_eq!(tree.top_names(), [Path::new("a"), Path::new("link")]);
        let below: Vec<_> =
            tree.entries_below(Path::new("a")).into_iter().map(|entry| entry.name).collect();
        assert_eq!(below, [Path::new("b/c"), Path::new("empty")]);
    }
}
