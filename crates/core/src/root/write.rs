//! Writes below a root. A name is created in its directory, which was opened beneath the root, and no link is followed
//! at the last component.

use std::ffi::OsString;
use std::fs;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, symlinkat, unlinkat};
use rustix::io::Errno;

use crate::root::FilePath;
use crate::root::beneath::DIRECTORY_FLAGS;

/// Names of temporary files start with this.
pub const TEMPORARY_PREFIX: &str = ".juror-";
/// The number of letters and digits that follow.
pub const RANDOM_LETTERS: usize = 6;

/// Permissions of a new file, before the umask.
const NEW_FILE_MODE: Mode = Mode::from_bits_retain(0o666);

/// A complete file next to the one that it will replace. If it is not put in place, it is removed.
#[derive(Debug)]
pub struct PendingFile {
    temporary: FilePath,
    target: FilePath,
    is_placed: bool,
}

impl PendingFile {
    /// Puts the file in place. It replaces a file or link there.
    pub fn commit(mut self) -> io::Result<()> {
        self.temporary.rename(&self.target)?;
        self.is_placed = true;
        Ok(())
    }

    pub fn target(&self) -> &FilePath {
        &self.target
    }

    pub fn temporary(&self) -> &FilePath {
        &self.temporary
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.is_placed {
            // If this fails, a later juror removes it.
            let _ = self.temporary.remove();
        }
    }
}

impl FilePath {
    /// Opens its directory. Returns it with the last component.
    pub(super) fn open_parent(&self) -> io::Result<(OwnedFd, OsString)> {
        let name = self.path.file_name().filter(|_| self.path != *self.root);
        let name = name.ok_or(ErrorKind::InvalidInput)?.to_owned();
        let directory = self.directory().ok_or(ErrorKind::InvalidInput)?;
        Ok((directory.open_with(DIRECTORY_FLAGS)?, name))
    }

    /// Makes this directory, and missing ones above it.
    pub fn make_directories(&self) -> io::Result<()> {
        match self.open_with(DIRECTORY_FLAGS) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened.map(drop),
        }
        let Some(above) = self.directory() else { return fs::create_dir_all(&self.root) };
        above.make_directories()?;
        let (directory, name) = self.open_parent()?;
        match mkdirat(directory, name, Mode::from_bits_retain(0o777)) {
            Err(Errno::EXIST) => self.open_with(DIRECTORY_FLAGS).map(drop),
            result => Ok(result?),
        }
    }

    /// Makes a directory, and missing ones above it. Nothing may have its name.
    pub fn create_directory(&self) -> io::Result<OwnedFd> {
        self.make_parents()?;
        let (directory, name) = self.open_parent()?;
        mkdirat(&directory, &name, Mode::from_bits_retain(0o777))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(directory, name, flags, Mode::empty())?)
    }

    fn make_parents(&self) -> io::Result<()> {
        self.directory().map_or(Ok(()), |directory| directory.make_directories())
    }

    /// Makes a file, and missing directories above it. Nothing may have its name.
    pub fn create(&self) -> io::Result<File> {
        self.make_parents()?;
        let (directory, name) = self.open_parent()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        Ok(openat(directory, name, flags | OFlags::CLOEXEC, NEW_FILE_MODE)?.into())
    }

    /// Opens a regular file to append to it.
    pub fn open_to_append(&self) -> io::Result<File> {
        super::regular_file(self.open_with(OFlags::WRONLY | OFlags::APPEND | super::NO_WAIT_FLAGS)?)
    }

    /// Makes a link, and missing directories above it. Nothing may have its name.
    pub fn create_link(&self, target: &Path) -> io::Result<()> {
        self.make_parents()?;
        let (directory, name) = self.open_parent()?;
        Ok(symlinkat(target, directory, name)?)
    }

    /// Prepares a file that will replace this one; `make` creates it under the temporary name. Makes missing
    /// directories above it.
    pub fn prepare_replacement(
        &self,
        mut make: impl FnMut(&Self) -> io::Result<()>,
    ) -> io::Result<PendingFile> {
        let random = RandomState::new();
        for attempt in 0_u32.. {
            let temporary = self
                .with_file_name(format!("{TEMPORARY_PREFIX}{}", letters(random.hash_one(attempt))));
            match make(&temporary) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 100 => {}
                Err(error) => {
                    let _ = temporary.remove();
                    return Err(error);
                }
                Ok(()) => {
                    return Ok(PendingFile { temporary, target: self.clone(), is_placed: false });
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Replaces a file or link there.
    pub fn rename(&self, to: &Self) -> io::Result<()> {
        let ((from, old), (to, new)) = (self.open_parent()?, to.open_parent()?);
        Ok(renameat(from, old, to, new)?)
    }

    pub fn remove(&self) -> io::Result<()> {
        let (directory, name) = self.open_parent()?;
        Ok(unlinkat(directory, name, AtFlags::empty())?)
    }

    pub fn remove_directory(&self) -> io::Result<()> {
        let (directory, name) = self.open_parent()?;
        Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
    }
}

/// As many letters and digits as a temporary name has.
fn letters(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::new();
    for _ in 0..RANDOM_LETTERS {
        text.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    text
}
