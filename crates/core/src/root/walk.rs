//! Lists what is below a directory. A walk counts everything that it sees, and enters only the directories that it is
//! told to.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Dir, FileType, OFlags, readlinkat};

use crate::root::{FilePath, is_outside_error};

/// How much a directory may contain. Links multiply: ten of them on each of twelve levels make 10^12 directories from
/// a few kilobytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBounds {
    /// Files and directories, even if they are ignored.
    pub entries: usize,
    /// The ones of these that are below links to directories.
    pub behind_links: usize,
    pub depth: usize,
    pub nested_links: usize,
}

impl WalkBounds {
    pub const PACKAGE: Self =
        Self { entries: 500_000, behind_links: 50_000, depth: 100, nested_links: 5 };
    pub const PROGRAM: Self =
        Self { entries: 20_000, behind_links: 10_000, depth: 100, nested_links: 5 };
}

/// A link has the kind of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    File,
    Directory,
}

#[derive(Clone, Debug)]
pub struct PathEntry {
    pub path: FilePath,
    pub is_link: bool,
    /// The number of links to directories above it.
    links: usize,
}

/// A path that the walk does not reach, and why.
#[derive(Debug)]
pub struct UnreachedPath {
    pub path: FilePath,
    pub reason: Obstacle,
}

#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    #[error("is a link to a directory that contains it")]
    Loop,
    #[error("is a link that leads out")]
    Outside,
    #[error("is neither a file nor a directory")]
    Special,
    #[error("has more than {0} files and directories, counted behind links, too")]
    TooMany(usize),
    #[error("has more than {0} directories in each other")]
    TooDeep(usize),
    #[error("has more than {0} links to directories in each other")]
    TooLinked(usize),
    #[error("cannot be read: {0}")]
    System(io::Error),
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        if is_outside_error(&error) { Self::Outside } else { Self::System(error) }
    }
}

impl PathEntry {
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Fails for other kinds, and for links that lead out or nowhere.
    pub fn kind_and_metadata(&self) -> Result<(PathKind, Metadata), Obstacle> {
        let found = self.path.metadata()?;
        match found.file_type() {
            kind if kind.is_dir() => Ok((PathKind::Directory, found)),
            kind if kind.is_file() => Ok((PathKind::File, found)),
            _ => Err(Obstacle::Special),
        }
    }
}

/// A directory that is being listed.
struct WalkLevel {
    path: FilePath,
    names: std::vec::IntoIter<ListedName>,
    /// Device and inode, to notice a loop.
    identity: (u64, u64),
    /// The number of links to directories above its entries.
    links: usize,
}

pub(super) struct ListedName {
    pub name: OsString,
    pub is_link: bool,
}

/// The names in an open directory, sorted.
pub(super) fn list_names(directory: &File, most: usize) -> Result<Vec<ListedName>, Obstacle> {
    let mut all = Vec::new();
    for entry in Dir::read_from(directory).map_err(io::Error::from)? {
        let entry = entry.map_err(io::Error::from)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if all.len() == most {
            return Err(Obstacle::TooMany(most));
        }
        let is_link = match entry.file_type() {
            FileType::Symlink => true,
            FileType::Unknown => readlinkat(directory, name, Vec::new()).is_ok(),
            _ => false,
        };
        all.push(ListedName { name: name.to_owned(), is_link });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// A walk through directories, with names in order. It enters only the directories that it is told to.
pub struct Walk {
    start: FilePath,
    bounds: WalkBounds,
    /// Empty at the end.
    levels: Vec<WalkLevel>,
    entries_seen: usize,
    behind_links: usize,
    is_started: bool,
}

impl Walk {
    pub(super) fn new(start: &FilePath, bounds: WalkBounds) -> Self {
        let (levels, is_started) = (Vec::new(), false);
        Self { start: start.clone(), bounds, levels, entries_seen: 0, behind_links: 0, is_started }
    }

    /// Lists a directory that the walk has just found, before it continues.
    pub fn enter(&mut self, entry: &PathEntry) -> Result<(), UnreachedPath> {
        self.push(&entry.path, entry.links + usize::from(entry.is_link))
    }

    fn push(&mut self, path: &FilePath, links: usize) -> Result<(), UnreachedPath> {
        let level = self.open_level(path, links);
        let level = level.map_err(|reason| self.end_if_bound(path, reason))?;
        self.levels.push(level);
        Ok(())
    }

    fn open_level(&self, path: &FilePath, links: usize) -> Result<WalkLevel, Obstacle> {
        if self.levels.len() > self.bounds.depth {
            return Err(Obstacle::TooDeep(self.bounds.depth));
        }
        if links > self.bounds.nested_links {
            return Err(Obstacle::TooLinked(self.bounds.nested_links));
        }
        // One descriptor gives both identity and names.
        let directory = File::from(path.open_with(OFlags::RDONLY | OFlags::DIRECTORY)?);
        let found = directory.metadata()?;
        let identity = (found.dev(), found.ino());
        if self.levels.iter().any(|level| level.identity == identity) {
            return Err(Obstacle::Loop);
        }
        let names = list_names(&directory, self.bounds.entries)?.into_iter();
        Ok(WalkLevel { path: path.clone(), names, identity, links })
    }

    /// Ends the walk if a bound is exceeded.
    fn end_if_bound(&mut self, path: &FilePath, reason: Obstacle) -> UnreachedPath {
        let is_bound =
            matches!(reason, Obstacle::TooMany(_) | Obstacle::TooDeep(_) | Obstacle::TooLinked(_));
        if is_bound {
            self.levels.clear();
        }
        let path = if is_bound { &self.start } else { path }.clone();
        UnreachedPath { path, reason }
    }
}

impl Iterator for Walk {
    type Item = Result<PathEntry, UnreachedPath>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.start.clone();
        if !self.is_started {
            self.is_started = true;
            if let Err(unreached) = self.push(&start, 0) {
                return Some(Err(unreached));
            }
        }
        let (path, is_link, links) = loop {
            let level = self.levels.last_mut()?;
            match level.names.next() {
                Some(entry) => break (level.path.join(entry.name), entry.is_link, level.links),
                None => self.levels.pop(),
            };
        };
        self.entries_seen += 1;
        self.behind_links += usize::from(links > 0);
        let WalkBounds { entries, behind_links, .. } = self.bounds;
        if self.entries_seen > entries {
            return Some(Err(self.end_if_bound(&start, Obstacle::TooMany(entries))));
        }
        if self.behind_links > behind_links {
            return Some(Err(self.end_if_bound(&start, Obstacle::TooMany(behind_links))));
        }
        Some(Ok(PathEntry { path, is_link, links }))
    }
}
