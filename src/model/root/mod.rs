//! Files below a directory whose contents are not trusted: a package, a submission, an output directory.
//!
//! Packages come from other people, so each link, pipe and device in them is an attack until proven otherwise. A
//! [`FilePath`] holds the root, which the user named and which is trusted, and the name below it. Opening resolves the
//! name below the root, and nothing else: no link leads out, and what is checked is what is opened.

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

use crate::model::root::beneath::{LOOK, NO_WAIT, leads_out};
pub use crate::model::root::walk::{Kind, Obstacle, PathEntry, Unreached, Walk, WalkBounds};
pub use crate::model::root::write::{BESIDE, RANDOM, Unplaced};
use crate::model::units::Bytes;

/// The path of a file or directory below its root, which need not exist.
///
/// It shows itself as a usual path. Only its own methods open it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath {
    root: Arc<Path>,
    /// The root's path, and the name below it.
    path: PathBuf,
}

impl FilePath {
    /// A file or directory that the user or juror named. It may be a link; everything below it must stay below it.
    pub fn root(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { root: path.as_path().into(), path }
    }

    /// A file to write that the user named. Its directory is the root, and a link in its place is replaced.
    pub fn output(path: &Path) -> Self {
        Self { root: path.parent().unwrap_or(path).into(), path: path.to_owned() }
    }

    /// What has this name in this directory.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        self.at(self.path.join(name))
    }

    /// The file beside it with another ending.
    #[must_use]
    pub fn with_extension(&self, extension: impl AsRef<OsStr>) -> Self {
        self.at(self.path.with_extension(extension))
    }

    /// The file beside it with one more ending.
    #[must_use]
    pub fn with_added_extension(&self, extension: impl AsRef<OsStr>) -> Self {
        self.at(self.path.with_added_extension(extension))
    }

    /// The file beside it with this name.
    #[must_use]
    pub fn with_file_name(&self, name: impl AsRef<OsStr>) -> Self {
        self.at(self.path.with_file_name(name))
    }

    /// The directory that it is in; `None` for the root.
    #[must_use]
    pub fn directory(&self) -> Option<Self> {
        let is_root = self.path == *self.root;
        let above = self.path.parent().filter(|_| !is_root)?;
        Some(self.at(above.to_owned()))
    }

    /// The same file, with the root's path without links.
    ///
    /// # Errors
    /// If the root is not there.
    pub fn with_real_root(&self) -> io::Result<Self> {
        let root = Self::root(std::fs::canonicalize(&self.root)?);
        let name = self.name()?;
        Ok(if name.as_os_str().is_empty() { root } else { root.join(name) })
    }

    /// The path, to show it or to compare it.
    pub fn as_path(&self) -> &Path {
        &self.path
    }

    fn at(&self, path: PathBuf) -> Self {
        Self { root: Arc::clone(&self.root), path }
    }

    /// The name below the root.
    ///
    /// # Errors
    /// If it is not below it.
    fn name(&self) -> io::Result<&Path> {
        self.path.strip_prefix(&self.root).map_err(|_| leads_out())
    }

    fn opened(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let name = self.name()?;
        if name.as_os_str().is_empty() {
            let path = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
            let flags = flags | OFlags::CLOEXEC;
            return Ok(rustix::fs::open(path, flags, rustix::fs::Mode::empty())?);
        }
        beneath::open(&self.root, name, flags)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// What the system reports; if it leads out of the root; if it is a directory, a pipe, a device or a socket.
    pub fn open(&self) -> io::Result<File> {
        regular(self.opened(OFlags::RDONLY | NO_WAIT)?)
    }

    /// Its path below the root without links.
    ///
    /// # Errors
    /// What the system reports; if it leads out of the root.
    pub fn real(&self) -> io::Result<Self> {
        Ok(self.at(self.root.join(beneath::find(&self.root, self.name()?, LOOK)?.name)))
    }

    /// The target of a link, as it is written.
    ///
    /// # Errors
    /// What the system reports; if it is no link, or its directory leads out of the root.
    pub fn target(&self) -> io::Result<PathBuf> {
        if self.path == *self.root {
            return std::fs::read_link(&self.path);
        }
        let (directory, name) = self.place()?;
        let target = rustix::fs::readlinkat(directory, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// The whole file.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first bytes of a file, at most `most`.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn start(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The whole file as text, of at most this many bytes.
    ///
    /// # Errors
    /// See [`open`](Self::open); if it is longer, or not UTF-8.
    pub fn text(&self, most: u64) -> io::Result<String> {
        let text = self.start(most.saturating_add(1))?;
        if text.len() as u64 > most {
            return Err(io::Error::other(format!("it has more than {}", Bytes(most))));
        }
        let text = String::from_utf8(text);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    }

    /// The facts of what it leads to.
    ///
    /// # Errors
    /// What the system reports; if it leads out of the root.
    pub fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.opened(LOOK)?).metadata()
    }

    /// The facts of what is there, which may be a link.
    ///
    /// # Errors
    /// What the system reports; if its directory leads out of the root.
    pub fn link_metadata(&self) -> io::Result<Metadata> {
        let Ok((directory, name)) = self.place() else { return self.metadata() };
        let flags = LOOK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(directory, name, flags, rustix::fs::Mode::empty());
        File::from(opened?).metadata()
    }

    /// Whether it leads to a regular file below the root.
    pub fn is_file(&self) -> bool {
        self.metadata().is_ok_and(|found| found.is_file())
    }

    /// Whether it leads to a directory below the root.
    pub fn is_dir(&self) -> bool {
        self.metadata().is_ok_and(|found| found.is_dir())
    }

    /// Whether it leads to something below the root.
    pub fn exists(&self) -> bool {
        self.metadata().is_ok()
    }

    /// Whether nothing is there, not even a link.
    pub fn is_missing(&self) -> bool {
        let missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        self.link_metadata().is_err_and(missing)
    }

    /// The names in a directory, sorted.
    ///
    /// # Errors
    /// What the system reports; if it leads out of the root; if there are too many.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let directory = File::from(self.opened(OFlags::RDONLY | OFlags::DIRECTORY)?);
        let listed = walk::listed(&directory, WalkBounds::PACKAGE.entries);
        let listed = listed.map_err(|obstacle| match obstacle {
            Obstacle::System(error) => error,
            other => io::Error::other(other.to_string()),
        })?;
        Ok(listed.into_iter().map(|it| it.name).collect())
    }

    /// All that is below a directory, within these bounds.
    pub fn walk(&self, bounds: WalkBounds) -> Walk {
        Walk::new(self, bounds)
    }
}

/// The file, if it is a regular one.
fn regular(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    match file.metadata()?.file_type() {
        kind if kind.is_file() => Ok(file),
        kind if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other("it is not a file")),
    }
}

/// Whether this is the error for a path that leads out of its root.
pub fn is_outside(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::CrossesDevices
}

impl Default for FilePath {
    fn default() -> Self {
        Self::root(PathBuf::new())
    }
}

/// Written as data, it is the only thing with a `file`.
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
