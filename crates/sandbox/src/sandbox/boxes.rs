//! Boxes: directories filled before a run and searched after it. Each slot has a directory on disk, and each run has
//! one in it.
//!
//! After a run, everything in a box may be the work of a hostile program: links to anywhere, fifos that block whoever
//! opens them, directories a thousand deep, sparse files of a terabyte. So no link is ever followed, opening never
//! blocks, and a file counts only if it is regular after it was opened. Without isolation, a process that left its
//! group may still be running.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::sandbox::disk::{self, lock_directory, make_directory, remove_directory};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::search::{BoxUsage, PlacedFiles, file_kind};
use crate::sandbox::shortage::{check_exec, check_linked};
use crate::sandbox::translate::{PathPair, PathTranslation};
use juror_core::blob::Blob;
use juror_core::job::{CollectedEntry, Job};
use juror_core::tree::{FileMode, Node, TreeEntry};
use juror_core::units::Bytes;

/// Gives a new file or directory to the program's user.
pub(super) type ChangeOwner<'a> = &'a dyn Fn(BorrowedFd<'_>) -> io::Result<()>;

/// Writes a blob into the new file that the last argument opens.
pub(super) type WriteBlob<'a> =
    &'a dyn Fn(&Blob, FileMode, &dyn Fn() -> io::Result<File>) -> io::Result<File>;

/// Of all that is copied for one run.
const COPIED_MAX: Bytes = Bytes::mib(4096);

/// Fails, before anything is copied, if a job has more to copy than fits.
pub(super) fn check_copied(job: &Job) -> Result<(), Fault> {
    let input = job.stdin.len().step_on("measure", &job.stdin)?;
    let all = Bytes(total_length(&job.files)?.saturating_add(input));
    if all <= COPIED_MAX {
        return Ok(());
    }
    let blobs = job.files.iter().filter_map(TreeEntry::blob).chain([&job.stdin]);
    let largest = blobs.max_by_key(|blob| blob.len().unwrap_or_default()).unwrap_or(&job.stdin);
    let reason = format!(
        "input and files of the run have {all}, and juror copies at most {COPIED_MAX}; with namespaces, it copies no \
         large file that everybody may read"
    );
    Err(Fault::new(format!("copy {largest}"), reason))
}

pub(super) fn total_length(files: &[TreeEntry]) -> Result<u64, Fault> {
    let lengths = files.iter().filter_map(TreeEntry::blob).map(Blob::len);
    let add = |sum: u64, length: io::Result<u64>| length.map(|length| sum.saturating_add(length));
    { lengths }.try_fold(0, add).step("measure the files of the job")
}

pub(super) struct FilledBox {
    pub(super) directory: OwnedFd,
    placed_files: PlacedFiles,
}

pub(super) enum BoxEntry {
    File(OwnedFd),
    /// What the job's reply gets instead.
    Other(CollectedEntry),
}

impl FilledBox {
    /// Links lead to translated paths.
    pub(super) fn fill(
        directory: OwnedFd,
        files: &[TreeEntry],
        translation: &PathTranslation,
        give: ChangeOwner<'_>,
        fill: WriteBlob<'_>,
    ) -> Result<Self, Fault> {
        let mut placed = PlacedFiles::default();
        for TreeEntry { name, node } in files {
            let step = "place in the box:";
            let (above, last) = parent_of(&directory, name, give)?;
            let above = above.as_ref().unwrap_or(&directory);
            match node {
                Node::Link(target) => {
                    let target = translation.translate_text(target.as_os_str().as_bytes());
                    rustix::fs::symlinkat(OsStr::from_bytes(&target), above, last)
                        .step_on(step, name.display())?;
                }
                Node::Directory => {
                    _ = make_directory_in(above, last, give).step_on(step, name.display())?
                }
                Node::File { blob, mode } => {
                    // Its own rights are set below.
                    let rights = Mode::RUSR | Mode::WUSR;
                    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                    let make = || Ok(rustix::fs::openat(above, last, flags, rights)?.into());
                    let file = fill(blob, *mode, &make).step_on(step, name.display())?;
                    file.set_permissions(Permissions::from_mode(mode.permissions()))
                        .and_then(|()| give(file.as_fd()))
                        .step_on(step, name.display())?;
                    placed.add(&rustix::fs::fstat(&file).step_on(step, name.display())?);
                }
            }
        }
        Ok(Self { directory, placed_files: placed })
    }

    /// Total size of regular files that are new or changed; at most `most` bytes if some cannot be examined.
    pub(super) fn new_bytes(&self, most: u64) -> Result<u64, Fault> {
        check_linked(&self.directory)?;
        let mut sum = BoxUsage::default();
        self.placed_files.add_all(&self.directory, &mut sum).step("search the box")?;
        if sum.is_partial {
            sum.bytes = sum.bytes.max(disk::disk_usage(&self.directory).min(most));
        }
        Ok(sum.bytes)
    }

    pub(super) fn reopen(&self) -> Result<OwnedFd, Fault> {
        disk::open_directory(&self.directory, c".").step("open the box")
    }

    pub(super) fn find(&self, name: &Path) -> Result<BoxEntry, Fault> {
        let other = |kind| Ok(BoxEntry::Other(CollectedEntry::NotAFile(file_kind(kind))));
        let mut parts = parts(name)?;
        // The box itself.
        let Some(last) = parts.pop() else { return other(FileType::Directory) };
        let mut directory = None;
        for (part, is_last) in parts.into_iter().map(|part| (part, false)).chain([(last, true)]) {
            let above = directory.as_ref().unwrap_or(&self.directory);
            let stat = match rustix::fs::statat(above, part, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                // The last is for a name with a zero byte.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::INVAL) => break,
                Err(_) => return other(FileType::Unknown),
            };
            match (is_last, FileType::from_raw_mode(stat.st_mode)) {
                (false, FileType::Directory) => match disk::open_directory(above, part) {
                    Ok(below) => directory = Some(below),
                    Err(_) => return other(FileType::Unknown),
                },
                (false, FileType::RegularFile) => break,
                (true, FileType::RegularFile) => {
                    let Ok(file) = disk::open_file(above, part) else {
                        return other(FileType::RegularFile);
                    };
                    let stat = rustix::fs::fstat(&file).step("inspect a file of the box")?;
                    return match FileType::from_raw_mode(stat.st_mode) {
                        FileType::RegularFile => Ok(BoxEntry::File(file)),
                        kind => other(kind),
                    };
                }
                (_, kind) => return other(kind),
            }
        }
        Ok(BoxEntry::Other(CollectedEntry::Missing))
    }
}

/// Splits a name into its parts; fails if it leads out of the box.
fn parts(name: &Path) -> Result<Vec<&OsStr>, Fault> {
    if name.as_os_str().is_empty() {
        return Err(outside_fault(name));
    }
    let parts = name.components().filter(|part| *part != Component::CurDir);
    let normal = parts.map(|part| match part {
        Component::Normal(part) => Ok(part),
        _ => Err(outside_fault(name)),
    });
    normal.collect()
}

fn outside_fault(name: &Path) -> Fault {
    let step = format!("find {} in the box", name.display());
    Fault::new(step, "not a relative path without `..`")
}

/// Makes the directories above `name`, one by one. Returns the last of them, or `None` if it is `root`, and the last
/// part of the name.
pub(super) fn parent_of<'a>(
    root: &OwnedFd,
    name: &'a Path,
    give: ChangeOwner<'_>,
) -> Result<(Option<OwnedFd>, &'a OsStr), Fault> {
    let mut parts = parts(name)?;
    let last = parts.pop().ok_or_else(|| outside_fault(name))?;
    let mut directory = None;
    for part in parts {
        let above = directory.as_ref().unwrap_or(root);
        let next = match make_directory_in(above, part, give) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                disk::open_directory(above, part).map_err(io::Error::from)
            }
            next => next,
        };
        directory = Some(next.step_on("place in the box:", name.display())?);
    }
    Ok((directory, last))
}

fn make_directory_in(above: &OwnedFd, name: &OsStr, give: ChangeOwner<'_>) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(above, name, Mode::from_raw_mode(0o755))?;
    let directory = disk::open_directory(above, name)?;
    give(directory.as_fd())?;
    Ok(directory)
}

/// A slot's directory on disk, in which each run has one. Dropping it removes it, with everything in it.
#[derive(Debug)]
pub(super) struct DiskBoxes {
    path: PathBuf,
    mode: u32,
    /// No other judge removes the directory while this process, one of its runs or its guard lives.
    _lock: Option<File>,
}

const RUN_DIRECTORY: &str = "run";

impl DiskBoxes {
    /// The name of the directory is `prefix` and something random.
    pub(super) fn make(parent: &Path, prefix: &str, mode: u32) -> Result<Self, Fault> {
        let parent = fs::canonicalize(parent).step_on("find", parent.display())?;
        check_exec(&parent)?;
        let mut builder = tempfile::Builder::new();
        let directory = builder.prefix(prefix).rand_bytes(16).tempdir_in(&parent);
        let path = directory.step_on("make a directory in", parent.display())?.keep();
        fs::set_permissions(&path, Permissions::from_mode(mode))
            .step_on("open to programs", path.display())?;
        let _lock = lock_directory(&path);
        Ok(Self { path, mode, _lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn run_path(&self) -> PathBuf {
        self.path.join(RUN_DIRECTORY)
    }

    pub(super) fn box_path(&self) -> PathBuf {
        self.run_path().join("box")
    }

    pub(super) fn temporary_path(&self) -> PathBuf {
        self.run_path().join("tmp")
    }

    /// Translates `/box`, `/tmp` and the paths of what is shown to those of the machine.
    pub(super) fn path_translation<'a>(
        &self,
        shown: impl IntoIterator<Item = (&'a Path, &'a Path)>,
    ) -> PathTranslation {
        let elsewhere = shown.into_iter().filter(|(inside, host)| inside != host);
        let pairs = elsewhere.map(|(inside, host)| PathPair::new(inside, host));
        let pairs = [PathPair::new("/box", &self.box_path())].into_iter().chain(pairs);
        PathTranslation::new(pairs.collect(), &self.temporary_path())
    }

    /// They replace those of the last run.
    pub(super) fn prepare(&self, give: ChangeOwner<'_>) -> Result<[OwnedFd; 2], Fault> {
        self.remove_run();
        if !self.path.exists() {
            // Somebody may have cleaned the temporary directory.
            make_directory(&self.path, self.mode)?;
        }
        make_directory(&self.run_path(), 0o755)?;
        let make = |path: PathBuf, mode: u32| {
            make_directory(&path, mode)?;
            let directory = disk::open_directory(CWD, &path).map_err(io::Error::from);
            let directory = directory.and_then(|opened| give(opened.as_fd()).map(|()| opened));
            directory.step_on("open the directory", path.display())
        };
        Ok([make(self.box_path(), 0o755)?, make(self.temporary_path(), 0o700)?])
    }

    pub(super) fn remove_run(&self) {
        remove_directory(&self.run_path(), &|| false);
    }
}

impl Drop for DiskBoxes {
    fn drop(&mut self) {
        // Whatever its permissions, and however deep it is.
        self.remove_run();
        // Fails only if something of a run could not be removed.
        let _ = fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::disk::{SLOT_PREFIXES, disk_usage};
    use juror_core::job::FileKind;
    use std::os::unix::fs::symlink;

    fn disk() -> (tempfile::TempDir, DiskBoxes) {
        let directory = tempfile::tempdir().unwrap();
        let disk = DiskBoxes::make(directory.path(), SLOT_PREFIXES[0], 0o700).unwrap();
        (directory, disk)
    }

    fn keep_owner(_: BorrowedFd<'_>) -> io::Result<()> {
        Ok(())
    }

    fn fill(blob: &Blob, _: FileMode, make: &dyn Fn() -> io::Result<File>) -> io::Result<File> {
        let mut file = make()?;
        blob.copy_to(&mut file)?;
        Ok(file)
    }

    #[test]
    fn the_directory_is_locked_while_its_slot_lives() {
        let (_directory, disk) = disk();
        assert!(lock_directory(&disk.path).is_none());
    }

    #[test]
    fn everything_that_a_run_leaves_is_removed() {
        let (directory, disk) = disk();
        let canary = directory.path().join("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("file"), "x").unwrap();
        disk.prepare(&keep_owner).unwrap();
        let inside = disk.box_path();
        symlink(&canary, inside.join("link")).unwrap();
        fs::create_dir_all(inside.join("a/b/c/d/e")).unwrap();
        fs::write(inside.join("a/b/c/file"), "x").unwrap();
        symlink(&canary, inside.join("a/b/link")).unwrap();
        for locked in ["a/b/c/d", "a/b", "a"] {
            let rights = Permissions::from_mode(0o0);
            fs::set_permissions(inside.join(locked), rights).unwrap();
        }
        let path = disk.path.clone();
        drop(disk);
        assert!(!path.exists());
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "x");
    }

    #[test]
    fn a_slot_whose_directory_was_removed_makes_it_again() {
        let (_directory, disk) = disk();
        disk.prepare(&keep_owner).unwrap();
        let mode = || fs::metadata(&disk.path).unwrap().permissions().mode() & 0o777;
        let before = mode();
        fs::remove_dir_all(&disk.path).unwrap();
        disk.prepare(&keep_owner).unwrap();
        assert_eq!(mode(), before);
        assert!(disk.box_path().is_dir());
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let (_directory, disk) = disk();
        let [mut at, _] = disk.prepare(&keep_owner).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&at, "deeper", Mode::RWXU).unwrap();
            at = disk::open_directory(&at, "deeper").unwrap();
        }
        let path = disk.path.clone();
        drop(disk);
        assert!(!path.exists());
    }

    #[test]
    fn disk_usage_counts_blocks_not_apparent_sizes() {
        let (_directory, disk) = disk();
        let [opened, _] = disk.prepare(&keep_owner).unwrap();
        let empty = disk_usage(&opened);
        let holes = File::create(disk.box_path().join("holes")).unwrap();
        holes.set_len(1 << 40).unwrap();
        assert!(disk_usage(&opened) < empty + (1 << 20));
        fs::create_dir(disk.box_path().join("below")).unwrap();
        fs::write(disk.box_path().join("below/file"), vec![1; 3 << 20]).unwrap();
        let usage = disk_usage(&opened);
        assert!((3 << 20..8 << 20).contains(&usage), "{usage}");
    }

    #[test]
    fn a_box_is_filled_as_the_job_says_and_searched_without_following_links() {
        let (_directory, disk) = disk();
        let text = |text: &str| Node::plain(text.as_bytes().to_vec());
        let files = [
            TreeEntry::new("a/./b/text", text("old")),
            TreeEntry::new("empty", Node::Directory),
            TreeEntry::new("link", Node::Link("/box/a".into())),
        ];
        let [directory, _] = disk.prepare(&keep_owner).unwrap();
        let translation = disk.path_translation([]);
        let filled = FilledBox::fill(directory, &files, &translation, &keep_owner, &fill);
        let filled = filled.unwrap_or_else(|fault| panic!("{fault:?}"));
        let inside = disk.box_path();
        assert_eq!(fs::read_to_string(inside.join("link/b/text")).unwrap(), "old");
        assert_eq!(filled.new_bytes(u64::MAX).unwrap(), 0);
        fs::write(inside.join("empty/new"), "12345").unwrap();
        assert_eq!(filled.new_bytes(u64::MAX).unwrap(), 5);
        rustix::fs::mknodat(CWD, inside.join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let check = |name: &str, expected: Result<u64, CollectedEntry>| match (
            filled.find(Path::new(name)).unwrap(),
            expected,
        ) {
            (BoxEntry::File(file), Ok(expected)) => {
                assert_eq!(File::from(file).metadata().unwrap().len(), expected, "{name}")
            }
            (BoxEntry::Other(found), Err(expected)) => {
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{name}")
            }
            _ => panic!("{name}"),
        };
        let other = |kind| Err(CollectedEntry::NotAFile(kind));
        check("a/b/text", Ok(3));
        check("./empty/new", Ok(5));
        for missing in ["b", "a/b/text/below", "a/b\0", &"x".repeat(300)] {
            check(missing, Err(CollectedEntry::Missing));
        }
        check("link", other(FileKind::Link));
        check("link/b/text", other(FileKind::Link));
        check("fifo", other(FileKind::Fifo));
        check("empty", other(FileKind::Directory));
        check(".", other(FileKind::Directory));
        for outside in ["..", "a/../../b", "/etc/passwd", ""] {
            assert!(filled.find(Path::new(outside)).is_err(), "{outside}");
            let files = [TreeEntry::new(outside, Node::Directory)];
            let directory = filled.reopen().unwrap();
            assert!(FilledBox::fill(directory, &files, &translation, &keep_owner, &fill).is_err());
        }
    }
}
