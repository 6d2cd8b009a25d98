//! Keeps a box: copies the files of a run into a directory without following links, and lists them.
//!
//! Uses descriptors on both sides: the box may contain what a hostile program put there, and paths may be longer than
//! the system accepts.

use std::ffi::{CStr, OsStr};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::model::blob::Blob;
use crate::model::forks;
use crate::model::job::Keep;
use crate::model::judgement::JudgeError;
use crate::model::root::FilePath;
use crate::model::tree::{FileMode, Node, Place, Tree, TreeEntry, leads_inside};
use crate::model::units::Bytes;
use crate::sandbox::disk;
use crate::sandbox::fault::{Fault, Step};

/// Upper bound on the depth of directories.
const DEEPEST: usize = 32;

/// Flags to open a file that was seen to be regular, by a name without slashes.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Which copies are executable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rights {
    /// Those of executable files.
    AsLeft,
    /// All of them.
    ToStart,
}

/// Which links are copied, as links.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Links {
    All,
    /// Those that lead to a place inside the box.
    Inside,
}

/// Copies a box into a directory below `parent`, if its contents are wanted, up to `most` bytes in total.
pub(super) fn keep(
    from: OwnedFd,
    parent: &Path,
    wanted: &Keep,
    most: Bytes,
    rights: Rights,
) -> Result<Option<Tree>, Fault> {
    let Keep::AllBut(except) = wanted else { return Ok(None) };
    let made = tempfile::Builder::new().prefix("juror-kept-").tempdir_in(parent);
    let held = made.step_on("make a directory in", parent.display())?;
    let to = held.path().join("box");
    let place = Place::new(to, held);
    let entries = copy_box(from, &place, most.0, except, (rights, Links::All))?;
    Ok(Some(Tree::at(entries, place)))
}

/// Copies a kept box to a new place, without links that lead out of it.
///
/// # Errors
/// If it cannot be read, or cannot be written there.
pub fn copy(from: &Path, to: &Path) -> Result<(), JudgeError> {
    let opened = disk::open(CWD, from).step_on("open", from.display())?;
    let place = Place::new(to.to_path_buf(), ());
    copy_box(opened, &place, u64::MAX, &[], (Rights::AsLeft, Links::Inside))?;
    Ok(())
}

/// Copies regular files, directories, and links as links, up to `most` bytes in total. Leaves out everything else, and
/// what cannot be read.
fn copy_box(
    from: OwnedFd,
    place: &Arc<Place>,
    most: u64,
    except: &[PathBuf],
    (rights, links): (Rights, Links),
) -> Result<Vec<TreeEntry>, Fault> {
    let step = "make the directory";
    let to = place.path();
    fs::create_dir(to).step_on(step, to.display())?;
    let target = disk::open(CWD, to).step_on(step, to.display())?;
    open_to_all(&target).step_on(step, to.display())?;
    let mut copy = Copy { place, left: most, except, rights, links, entries: Vec::new() };
    copy.directory(&from, &target, Path::new(""), DEEPEST)
        .step_on("keep the box in", to.display())?;
    Ok(copy.entries)
}

/// A copy in progress.
struct Copy<'a> {
    place: &'a Arc<Place>,
    /// Number of bytes that may still be copied.
    left: u64,
    except: &'a [PathBuf],
    rights: Rights,
    links: Links,
    entries: Vec<TreeEntry>,
}

impl Copy<'_> {
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
                    if let Ok(below) = disk::open(from, name) {
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
        let Ok(file) = rustix::fs::openat(from, name, FILE, Mode::empty()) else { return Ok(None) };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let _no_start = forks::none();
        let mut to = File::from(rustix::fs::openat(to, name, flags, Mode::RUSR)?);
        self.left -= io::copy(&mut File::from(file).take(self.left), &mut to)?;
        // A built program is started by another user than the one who keeps it.
        let may_start = self.rights == Rights::ToStart || mode.contains(Mode::XUSR);
        let mode = if may_start { FileMode::Executable } else { FileMode::Plain };
        to.set_permissions(Permissions::from_mode(mode.rights()))?;
        let blob = Blob::within(self.place, FilePath::root(self.place.path()).join(path));
        Ok(Some(Node::File { blob, mode }))
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
        if self.links == Links::Inside && !leads_inside(path, leads_to) {
            return Ok(None);
        }
        rustix::fs::symlinkat(&target, to, name)?;
        Ok(Some(Node::Link(leads_to.into())))
    }
}

/// Makes a directory in another.
fn make_directory(parent: &OwnedFd, name: &CStr) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(parent, name, Mode::RWXU)?;
    let directory = disk::open(parent, name)?;
    open_to_all(&directory)?;
    Ok(directory)
}

/// Lets everybody enter a directory, whatever the process's umask.
fn open_to_all(directory: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::fchmod(directory, Mode::from_raw_mode(0o755))?)
}
