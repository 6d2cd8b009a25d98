//! Files below a directory whose contents are not trusted: a package, a submission, an output directory.
//!
//! Packages come from other people, so each link, pipe and device is an attack until proven otherwise. A [`FilePath`]
//! has a root, which the user named and which is trusted, and a name below it. Opening resolves only the name, below
//! the root. No link leads out, and the file that was checked is the file that is opened.

mod beneath;
#[cfg(test)]
mod tests;
mod walk;
mod write;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;
use serde::{Serialize, Serializer};

use crate::root::beneath::{METADATA_FLAGS, NO_WAIT_FLAGS, outside_error};
pub use crate::root::walk::{Obstacle, PathEntry, PathKind, UnreachedPath, Walk, WalkBounds};
pub use crate::root::write::{PendingFile, RANDOM_LETTERS, TEMPORARY_PREFIX};
use crate::units::Bytes;

/// The most that is read of one file. No program may write more.
pub const READ_MAX: Bytes = Bytes::mib(1024);

/// A file or directory below a root.
///
/// It need not exist, and only its own methods open it. It displays as an ordinary path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath {
    root: Arc<Path>,
    path: PathBuf,
}

impl FilePath {
    /// A file or directory that the user or juror named. It may be a link, but nothing below it leads out.
    pub fn root(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { root: path.as_path().into(), path }
    }

    /// A file to write that the user named. Its directory is the root. A link with its name is replaced.
    pub fn output(path: &Path) -> Self {
        Self { root: path.parent().unwrap_or(path).into(), path: path.to_owned() }
    }

    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        self.with_path(self.path.join(name))
    }

    /// A file next to it with another extension.
    #[must_use]
    pub fn with_extension(&self, extension: impl AsRef<OsStr>) -> Self {
        self.with_path(self.path.with_extension(extension))
    }

    /// A file next to it with one more extension.
    #[must_use]
    pub fn with_added_extension(&self, extension: impl AsRef<OsStr>) -> Self {
        self.with_path(self.path.with_added_extension(extension))
    }

    #[must_use]
    pub fn with_file_name(&self, name: impl AsRef<OsStr>) -> Self {
        self.with_path(self.path.with_file_name(name))
    }

    /// Its directory; `None` for the root.
    #[must_use]
    pub fn directory(&self) -> Option<Self> {
        let is_root = self.path == *self.root;
        let above = self.path.parent().filter(|_| !is_root)?;
        Some(self.with_path(above.to_owned()))
    }

    /// The same file, below the root's real path.
    pub fn with_real_root(&self) -> io::Result<Self> {
        let root = Self::root(std::fs::canonicalize(&self.root)?);
        let name = self.name()?;
        Ok(if name.as_os_str().is_empty() { root } else { root.join(name) })
    }

    pub fn as_path(&self) -> &Path {
        &self.path
    }

    fn with_path(&self, path: PathBuf) -> Self {
        Self { root: Arc::clone(&self.root), path }
    }

    fn name(&self) -> io::Result<&Path> {
        self.path.strip_prefix(&self.root).map_err(|_| outside_error())
    }

    fn open_with(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let name = self.name()?;
        if name.as_os_str().is_empty() {
            let path = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
            let flags = flags | OFlags::CLOEXEC;
            return Ok(rustix::fs::open(path, flags, rustix::fs::Mode::empty())?);
        }
        beneath::open(&self.root, name, flags)
    }

    /// Opens a regular file below the root. Directories, pipes, devices and sockets are errors.
    pub fn open(&self) -> io::Result<File> {
        regular_file(self.open_with(OFlags::RDONLY | NO_WAIT_FLAGS)?)
    }

    /// The same file, without links below the root.
    pub fn resolve_links(&self) -> io::Result<Self> {
        Ok(self.with_path(
            self.root.join(beneath::find(&self.root, self.name()?, METADATA_FLAGS)?.name),
        ))
    }

    /// The target of a link, as written.
    pub fn link_target(&self) -> io::Result<PathBuf> {
        if self.path == *self.root {
            return std::fs::read_link(&self.path);
        }
        let (directory, name) = self.open_parent()?;
        let target = rustix::fs::readlinkat(directory, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    pub fn read(&self) -> io::Result<Vec<u8>> {
        read_whole(self.open()?, READ_MAX)
    }

    pub fn read_prefix(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn read_text(&self, most: u64) -> io::Result<String> {
        let text = String::from_utf8(read_whole(self.open()?, Bytes(most))?);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    }

    /// Follows links below the root.
    pub fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.open_with(METADATA_FLAGS)?).metadata()
    }

    /// Does not follow a link.
    pub fn link_metadata(&self) -> io::Result<Metadata> {
        let Ok((directory, name)) = self.open_parent() else { return self.metadata() };
        let flags = METADATA_FLAGS | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(directory, name, flags, rustix::fs::Mode::empty());
        File::from(opened?).metadata()
    }

    /// Whether it is, or leads to, a regular file below the root.
    pub fn is_file(&self) -> bool {
        self.metadata().is_ok_and(|found| found.is_file())
    }

    /// Whether it is, or leads to, a directory below the root.
    pub fn is_dir(&self) -> bool {
        self.metadata().is_ok_and(|found| found.is_dir())
    }

    /// Whether it is, or leads to, something below the root.
    pub fn exists(&self) -> bool {
        self.metadata().is_ok()
    }

    /// Whether nothing has this name, not even a link.
    pub fn is_missing(&self) -> bool {
        let missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        self.link_metadata().is_err_and(missing)
    }

    /// The names in a directory, sorted. Too many names are an error.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let directory = File::from(self.open_with(OFlags::RDONLY | OFlags::DIRECTORY)?);
        let listed = walk::list_names(&directory, WalkBounds::PACKAGE.entries);
        let listed = listed.map_err(|obstacle| match obstacle {
            Obstacle::System(error) => error,
            other => io::Error::other(other.to_string()),
        })?;
        Ok(listed.into_iter().map(|entry| entry.name).collect())
    }

    /// Everything below a directory, within these bounds.
    pub fn walk(&self, bounds: WalkBounds) -> Walk {
        Walk::new(self, bounds)
    }
}

/// Reads a text that must fit in memory. What nobody can trust may be endless, or a hole of any size.
///
/// # Errors
///
/// Also if it has more than `most`, or there is too little memory.
pub fn read_whole(text: impl Read, most: Bytes) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    text.take(most.0.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most.0 {
        return Err(io::Error::other(format!("it has more than {most}")));
    }
    Ok(bytes)
}

/// Reads a file that the user named, which may be a pipe.
///
/// # Errors
///
/// As [`read_whole`].
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    read_whole(File::open(path)?, READ_MAX)
}

fn regular_file(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    match file.metadata()?.file_type() {
        kind if kind.is_file() => Ok(file),
        kind if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other("it is not a file")),
    }
}

/// Whether the error says that a path leads out of its root.
pub fn is_outside_error(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::CrossesDevices
}

impl Default for FilePath {
    fn default() -> Self {
        Self::root(PathBuf::new())
    }
}

/// The key `file` marks a path: no other value is serialized with this key.
impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("file", self.path.to_string_lossy())])
    }
}

impl Deref for FilePath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

impl From<FilePath> for PathBuf {
    fn from(file: FilePath) -> Self {
        file.path
    }
}

impl From<&FilePath> for PathBuf {
    fn from(file: &FilePath) -> Self {
        file.path.clone()
    }
}

impl PartialEq<Path> for FilePath {
    fn eq(&self, other: &Path) -> bool {
        self.path == other
    }
}

impl PartialEq<&Path> for FilePath {
    fn eq(&self, other: &&Path) -> bool {
        self.path == *other
    }
}
