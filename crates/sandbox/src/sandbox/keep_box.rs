//! Keeps a box: copies the files of a run into a directory without following links, and lists them.
//!
//! Uses descriptors on both sides: the box may contain what a hostile program left there, and paths may be longer than
//! the system accepts.

use std::ffi::{CStr, OsStr};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::sandbox::disk;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::forks;
use juror_core::blob::{Blob, TreeDirectory};
use juror_core::job::{BoxRetention, Job};
use juror_core::judgement::JudgeError;
use juror_core::outcome::Outcome;
use juror_core::root::FilePath;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry, link_stays_inside};

/// With their holes, files may seem to have this many times the size of the box.
const HOLES_MAX: u64 = 16;

const MAX_DEPTH: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CopyRights {
    Unchanged,
    AllExecutable,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CopiedLinks {
    All,
    /// Those that lead to a path inside the box.
    InsideBox,
}

/// Copies the box of a run into a directory below `parent`, if the job keeps it. It may hold as many bytes as
/// the job allows, not counting the holes in its files. A part of a larger box would be another program. So if a limit
/// ended the run, nothing is kept of a larger box, and otherwise this fails.
pub(super) fn keep_box(
    from: OwnedFd,
    parent: &Path,
    job: &Job,
    outcome: &Outcome,
    rights: CopyRights,
) -> Result<Option<Tree>, Fault> {
    let BoxRetention::AllBut(except) = &job.keep else { return Ok(None) };
    let directory = tempfile::Builder::new().prefix("juror-kept-").tempdir_in(parent);
    let directory = directory.step_on("make a directory in", parent.display())?;
    let to = directory.path().join("box");
    let tree_directory = TreeDirectory::new(to, directory);
    let step = "make the directory";
    fs::create_dir(tree_directory.path()).step_on(step, tree_directory.path().display())?;
    let to = disk::open_directory(CWD, tree_directory.path())
        .step_on(step, tree_directory.path().display())?;
    match copy_box(from, &to, &tree_directory, job.box_size.0, except, (rights, CopiedLinks::All)) {
        Ok(entries) => Ok(Some(Tree::in_directory(entries, tree_directory))),
        Err(_) if outcome.stopped_by.is_some() || job.limits.exceeded(outcome).is_some() => {
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// Copies a kept box to the new directory `to`, without links that lead out of it. `path` is for messages.
///
/// # Errors
/// If it cannot be read, or cannot be written there.
pub fn copy_kept_box(from: &Path, to: OwnedFd, path: &Path) -> Result<(), JudgeError> {
    let opened = disk::open_directory(CWD, from).step_on("open", from.display())?;
    let directory = TreeDirectory::new(path.to_path_buf(), ());
    copy_box(
        opened,
        &to,
        &directory,
        u64::MAX,
        &[],
        (CopyRights::Unchanged, CopiedLinks::InsideBox),
    )?;
    Ok(())
}

/// Copies regular files, directories, and links as links. Leaves out everything else, and what cannot be read. Fails
/// if the files hold more than `most` bytes, or seem to hold far more.
fn copy_box(
    from: OwnedFd,
    target: &OwnedFd,
    tree_directory: &Arc<TreeDirectory>,
    most: u64,
    except: &[PathBuf],
    (rights, links): (CopyRights, CopiedLinks),
) -> Result<Vec<TreeEntry>, Fault> {
    let to = tree_directory.path();
    open_to_all(target).step_on("open to all", to.display())?;
    let apparent = most.saturating_mul(HOLES_MAX);
    let entries = Vec::new();
    let mut copy = BoxCopy {
        tree_directory,
        bytes_left: most,
        apparent_bytes_left: apparent,
        except,
        rights,
        links,
        entries,
    };
    copy.directory(&from, target, Path::new(""), MAX_DEPTH)
        .step_on("keep the box in", to.display())?;
    Ok(copy.entries)
}

struct BoxCopy<'a> {
    tree_directory: &'a Arc<TreeDirectory>,
    bytes_left: u64,
    /// In bytes, with the holes in the files.
    apparent_bytes_left: u64,
    except: &'a [PathBuf],
    rights: CopyRights,
    links: CopiedLinks,
    entries: Vec<TreeEntry>,
}

impl BoxCopy<'_> {
    fn directory(
        &mut self,
        from: &OwnedFd,
        to: &OwnedFd,
        path: &Path,
        depth: usize,
    ) -> io::Result<()> {
        for (name, stat) in disk::entries(from)? {
            let name = name.as_c_str();
            let path = path.join(OsStr::from_bytes(name.to_bytes()));
            if self.except.contains(&path) {
                continue;
            }
            let node = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => {
                    self.file(from, name, to, &path, Mode::from_raw_mode(stat.st_mode))?
                }
                FileType::Symlink => self.link(from, name, to, &path)?,
                FileType::Directory if depth > 0 => {
                    let target = make_directory(to, name)?;
                    let before = self.entries.len();
                    if let Ok(below) = disk::open_directory(from, name) {
                        self.directory(&below, &target, &path, depth - 1)?;
                    }
                    (self.entries.len() == before).then_some(Node::Directory)
                }
                _ => None,
            };
            self.entries.extend(node.map(|node| TreeEntry::new(path, node)));
        }
        Ok(())
    }

    fn file(
        &mut self,
        from: &OwnedFd,
        name: &CStr,
        to: &OwnedFd,
        path: &Path,
        mode: Mode,
    ) -> io::Result<Option<Node>> {
        let Ok(file) = disk::open_file(from, name) else { return Ok(None) };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let _no_start = forks::block_forks();
        let mut to = File::from(rustix::fs::openat(to, name, flags, Mode::RUSR)?);
        self.copy_data(&File::from(file), &mut to)?;
        // A built program is started by another user than the one who keeps it.
        let may_start = self.rights == CopyRights::AllExecutable || mode.contains(Mode::XUSR);
        let mode = if may_start { FileMode::Executable } else { FileMode::Plain };
        to.set_permissions(Permissions::from_mode(mode.permissions()))?;
        let blob = Blob::in_tree(
            self.tree_directory,
            FilePath::root(self.tree_directory.path()).join(path),
        );
        Ok(Some(Node::File { blob, mode }))
    }

    /// Holes stay holes.
    fn copy_data(&mut self, from: &File, to: &mut File) -> io::Result<()> {
        let length = from.metadata()?.len();
        // The error if the box holds more than its limit.
        let too_large = || io::Error::from(rustix::io::Errno::FBIG);
        self.apparent_bytes_left =
            self.apparent_bytes_left.checked_sub(length).ok_or_else(too_large)?;
        let mut at = 0;
        while let Some([start, end]) = data_after(from, at, length)? {
            let bytes = end - start;
            self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(too_large)?;
            (&*from).seek(SeekFrom::Start(start))?;
            to.seek(SeekFrom::Start(start))?;
            io::copy(&mut from.take(bytes), to)?;
            at = end;
        }
        to.set_len(length)
    }

    fn link(
        &self,
        from: &OwnedFd,
        name: &CStr,
        to: &OwnedFd,
        path: &Path,
    ) -> io::Result<Option<Node>> {
        let Ok(target) = rustix::fs::readlinkat(from, name, Vec::new()) else { return Ok(None) };
        let leads_to = Path::new(OsStr::from_bytes(target.to_bytes()));
        if self.links == CopiedLinks::InsideBox && !link_stays_inside(path, leads_to) {
            return Ok(None);
        }
        rustix::fs::symlinkat(&target, to, name)?;
        Ok(Some(Node::Link(leads_to.into())))
    }
}

/// The next range of a file with data, from `at` on.
#[cfg(target_os = "linux")]
fn data_after(file: &File, at: u64, length: u64) -> io::Result<Option<[u64; 2]>> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    if at >= length {
        return Ok(None);
    }
    match seek(file, SeekFrom::Data(at)) {
        Ok(start) if start < length => {
            let end = seek(file, SeekFrom::Hole(start))?.min(length);
            Ok(Some([start, end]))
        }
        Ok(_) | Err(Errno::NXIO) => Ok(None),
        // The file system knows no holes.
        Err(_) => Ok(Some([at, length])),
    }
}

/// Elsewhere, all of a file counts as data.
#[cfg(not(target_os = "linux"))]
fn data_after(_: &File, at: u64, length: u64) -> io::Result<Option<[u64; 2]>> {
    Ok((at < length).then_some([at, length]))
}

fn make_directory(parent: &OwnedFd, name: &CStr) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(parent, name, Mode::RWXU)?;
    let directory = disk::open_directory(parent, name)?;
    open_to_all(&directory)?;
    Ok(directory)
}

/// Whatever the process's umask.
fn open_to_all(directory: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::fchmod(directory, Mode::from_raw_mode(0o755))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::{StopReason, quiet_outcome};
    use juror_core::units::Bytes;

    /// Each file has a hole, and then this many bytes. Returns the names and sizes of the kept files.
    fn kept_files(
        files: &[(&str, u64, usize)],
        most: Bytes,
        by: Option<StopReason>,
    ) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        for (name, hole, bytes) in files {
            let mut file = File::create(from.join(name)).unwrap();
            file.seek(SeekFrom::Start(*hole)).unwrap();
            io::copy(&mut io::repeat(7).take(*bytes as u64), &mut file).unwrap();
            file.set_len((*hole + *bytes as u64).max(1)).unwrap();
        }
        let job = Job { keep: BoxRetention::AllBut(Vec::new()), box_size: most, ..Job::default() };
        let outcome = Outcome { stopped_by: by, ..quiet_outcome() };
        let opened = disk::open_directory(CWD, &from).unwrap();
        let kept = keep_box(opened, &to, &job, &outcome, CopyRights::Unchanged);
        let Some(tree) = kept.map_err(|fault| JudgeError::from(fault).to_string())? else {
            return Ok("nothing".to_owned());
        };
        let entries = tree.entries.iter().map(|entry| {
            let bytes = entry.blob().unwrap().prefix(u64::MAX).unwrap();
            let original = fs::read(from.join(&entry.name)).unwrap();
            assert_eq!(bytes, original, "{}", entry.name.display());
            format!("{} {}", entry.name.display(), bytes.len())
        });
        let mut entries: Vec<String> = entries.collect();
        entries.sort();
        Ok(entries.join(", "))
    }

    #[test]
    fn a_box_is_kept_whole_or_not_at_all() {
        const MIB: u64 = 1 << 20;
        let check = |files: &[(&str, u64, usize)], by, expected: Result<&str, &str>| {
            let files = kept_files(files, Bytes::mib(1), by);
            match (files, expected) {
                (Ok(files), Ok(expected)) => assert_eq!(files, expected),
                (Err(fault), Err(expected)) => assert!(fault.contains(expected), "{fault}"),
                (files, expected) => panic!("{files:?}, not {expected:?}"),
            }
        };
        check(&[("run", 0, 100)], None, Ok("run 100"));
        // Many files that are nearly only holes take nearly nothing.
        let holes = [("a", 3 * MIB, 5), ("b", 3 * MIB, 0), ("c", 3 * MIB, 5), ("run", 0, 100)];
        check(&holes, None, Ok("a 3145733, b 3145728, c 3145733, run 100"));
        let large = [("a", 0, 1 << 20), ("run", 0, 100)];
        check(&large, None, Err("EFBIG"));
        check(&large, Some(StopReason::Output), Ok("nothing"));
        check(&[("a", 100 * MIB, 1)], None, Err("EFBIG"));
    }
}
