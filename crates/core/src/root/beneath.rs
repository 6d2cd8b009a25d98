//! Opens a name below a directory without ever leaving it.
//!
//! Linux resolves the whole name itself (`openat2`). Other systems open each component in turn without following
//! links; a link's target is resolved in the same way. So does Linux if it refuses a link that ends inside. Whatever
//! somebody replaces meanwhile, the opened file is below the directory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

/// The most links that a name may lead through, as on Linux.
const MOST_LINKS: usize = 40;

/// Opens a file for its name, kind and size. That needs no right to read it.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(super) const METADATA_FLAGS: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(super) const METADATA_FLAGS: OFlags = OFlags::RDONLY.union(NO_WAIT_FLAGS);

/// For a file that may be anything: no opening waits, and no terminal becomes the process's own.
pub(super) const NO_WAIT_FLAGS: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// Opens a directory, to look up names.
pub(super) const DIRECTORY_FLAGS: OFlags = METADATA_FLAGS.union(OFlags::DIRECTORY);

pub(super) fn outside_error() -> io::Error {
    io::Error::new(io::ErrorKind::CrossesDevices, "it leads out of its directory")
}

/// A file that was opened by components, and its name below the root without links.
pub(super) struct OpenedFile {
    pub file: OwnedFd,
    pub name: PathBuf,
}

/// Opens a directory whose path is trusted: links are followed.
pub(super) fn root(path: &Path) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Ok(rustix::fs::open(path, DIRECTORY_FLAGS | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens a name below a root.
pub(super) fn open(root: &Path, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let directory = self::root(root)?;
    match open_by_system(&directory, name, flags) {
        Some(opened) => opened,
        None => Ok(open_by_components(&directory, root, name, flags)?.file),
    }
}

/// Always opens by components, and returns the resolved name.
pub(super) fn find(root: &Path, name: &Path, flags: OFlags) -> io::Result<OpenedFile> {
    open_by_components(&self::root(root)?, root, name, flags)
}

/// Lets the system resolve the name; `None` if it cannot, or refuses.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_by_system(root: &OwnedFd, name: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::ResolveFlags;
    #[cfg(test)]
    if super::tests::BY_COMPONENTS.get() {
        return None;
    }
    let name = if name.as_os_str().is_empty() { Path::new(".") } else { name };
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, name, flags | OFlags::CLOEXEC, Mode::empty(), how) {
        // There is no such call, a filter forbids it, a link leads out at first, or something was moved meanwhile.
        Err(Errno::NOSYS | Errno::PERM | Errno::XDEV | Errno::AGAIN) => None,
        opened => Some(opened.map_err(io::Error::from)),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_by_system(_: &OwnedFd, _: &Path, _: OFlags) -> Option<io::Result<OwnedFd>> {
    None
}

fn open_by_components(
    directory: &OwnedFd,
    root: &Path,
    name: &Path,
    flags: OFlags,
) -> io::Result<OpenedFile> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let step = DIRECTORY_FLAGS | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts = parts(name);
    let mut links = 0;
    // Each link restarts with its target in its place. The components before it are no links.
    'start: loop {
        let mut above: Option<OwnedFd> = None;
        for index in 0..parts.len() {
            let here = above.as_ref().unwrap_or(directory).as_fd();
            let part = parts[index].clone();
            if part == *".." {
                parts = match index {
                    0 => reenter_root(root, &parts.iter().collect::<PathBuf>())?,
                    _ => [&parts[..index - 1], &parts[index + 1..]].concat(),
                };
                continue 'start;
            }
            if let Some(target) = link_target(here, &part)? {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let (before, after) = (&parts[..index], &parts[index + 1..]);
                parts = if target.is_absolute() {
                    reenter_root(root, &after.iter().fold(target, |path, part| path.join(part)))?
                } else {
                    [before, &self::parts(&target), after].concat()
                };
                continue 'start;
            }
            if index + 1 == parts.len() {
                let file = openat(here, &part, flags, Mode::empty())?;
                return Ok(OpenedFile { file, name: parts.iter().collect() });
            }
            above = Some(openat(here, &part, step, Mode::empty())?);
        }
        let file = openat(directory, ".", flags, Mode::empty())?;
        return Ok(OpenedFile { file, name: PathBuf::new() });
    }
}

fn link_target(directory: impl AsFd, name: &OsStr) -> io::Result<Option<PathBuf>> {
    match readlinkat(directory, name, Vec::new()) {
        Ok(target) => Ok(Some(PathBuf::from(OsString::from_vec(target.into_bytes())))),
        Err(Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn parts(name: &Path) -> Vec<OsString> {
    let real = name.components().filter(|it| !matches!(it, Component::CurDir | Component::RootDir));
    real.map(|part| part.as_os_str().to_owned()).collect()
}

/// The name below the root of a path that leaves the root and comes back. It is only a hint: the name is resolved
/// again from the root.
fn reenter_root(root: &Path, path: &Path) -> io::Result<Vec<OsString>> {
    let real = fs::canonicalize(root.join(path))?;
    let below = real.strip_prefix(fs::canonicalize(root)?).map_err(|_| outside_error())?;
    Ok(parts(below))
}
