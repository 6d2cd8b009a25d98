//! The file system that a program sees: a template, built once for each slot, that every run copies.
//!
//! The slot has two mount namespaces of its own. One is a copy of the machine's, and is entered only to copy a
//! directory to show. The other is the template: a small file system in memory as root, with the system's directories
//! in it, read-only. The slot lives there. So a run in a new mount namespace gets a copy of the template and nothing
//! else: no mount of the machine is hidden in it. What a job shows is attached only in the run's own namespace, when
//! the run begins; the template has just the mount points for it.
//!
//! There are few mounts, because each is copied for each run: small files of `/etc` are copied instead.

use std::ffi::CString;
use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode};

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::keeper::procfs::MachineProc;
use crate::sandbox::linux::setup::UserIdentity;
use crate::sandbox::linux::sys;
use crate::sandbox::linux::sys::mount::{self, ATTR_NODEV, ATTR_NOSUID, ATTR_RDONLY, MountScope};
use crate::sandbox::linux::view::etc;
use crate::sandbox::linux::wire::LargeFile;
use juror_core::job::VisiblePath;

pub(crate) const SYSTEM_DIRECTORIES: [&str; 7] =
    ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/// Devices without state or with a random one, of major number 1, each with its minor number.
const DEVICES: [(&str, u32); 5] =
    [("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9)];

/// Paths where nothing can be shown, because they belong to the run.
const RESERVED_PATHS: [&str; 4] = ["/proc", "/box", "/tmp", "/dev"];

pub(crate) struct ViewTemplate {
    /// Made writable while mount points are made.
    root: OwnedFd,
    machine: OwnedFd,
    own: OwnedFd,
    points: Vec<MountPoint>,
}

/// An empty directory or file of the view, which is a mount point in a run.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct MountPoint {
    pub(crate) path: PathBuf,
    is_directory: bool,
}

impl MountPoint {
    /// Also makes the directories above it.
    fn make(&self) -> Result<(), Fault> {
        if let Some(parent) = self.path.parent() {
            make_directory(parent)?;
        }
        if self.is_directory {
            make_directory(&self.path)?;
        } else if !self.path.exists() {
            // To empty a file would ask this process (see `AskingCalls`).
            File::create_new(&self.path).step_on("make the mount point", self.path.display())?;
        }
        Ok(())
    }

    /// Also removes the directories above it that become empty. Fails on everything that belongs to something else.
    fn remove(&self) {
        let _ = if self.is_directory {
            fs::remove_dir(&self.path)
        } else {
            fs::remove_file(&self.path)
        };
        for above in self.path.ancestors().skip(1) {
            if fs::remove_dir(above).is_err() {
                return;
            }
        }
    }
}

const TEMPORARY: &str = "/tmp";
/// Mount points of what a run sees in its temporary directory.
pub(crate) const BEHIND_LINKS: &str = "/shown/tmp";

pub(crate) struct ShownMount {
    pub(crate) host: PathBuf,
    pub(crate) inside: PathBuf,
}

impl ShownMount {
    /// `/tmp` belongs to the run. What is shown there is mounted elsewhere, and the run's `/tmp` gets a link to it.
    pub(crate) fn new(shown: &VisiblePath, host: PathBuf) -> Self {
        let inside = match shown.inside.strip_prefix(TEMPORARY) {
            Ok(below) => Path::new(BEHIND_LINKS).join(below),
            Err(_) => shown.inside.clone(),
        };
        Self { host, inside }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotContext {
    WithoutProc,
    /// The machine's `/proc`: to measure the run's processes if no control group counts, and because a user namespace
    /// may mount a new one only if a whole one is visible. Each run mounts its own on top.
    WithMachineProc,
}

/// A copy of a mount that is not attached yet.
pub(crate) struct MountCopy {
    pub(crate) point: MountPoint,
    pub(crate) tree: OwnedFd,
}

/// Of large files: one may be standard input, the others are in the box.
#[derive(Default)]
pub(crate) struct LargeMounts {
    pub(crate) input: Option<OwnedFd>,
    pub(crate) in_box: Vec<MountCopy>,
}

impl MountCopy {
    fn new(path: PathBuf, tree: OwnedFd) -> Result<Self, Fault> {
        let stat = rustix::fs::fstat(&tree).step("inspect a mount")?;
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Ok(Self { point: MountPoint { path, is_directory }, tree })
    }
}

impl ViewTemplate {
    /// Builds the view and makes it this process's root. The process must be in its own mount namespace.
    pub(crate) fn build(identity: UserIdentity, context: SlotContext) -> Result<Self, Fault> {
        let none = c"none";
        // Later mounts of the machine appear here, but nothing that happens here appears there.
        mount::mount(none, c"/", none, libc::MS_REC | libc::MS_SLAVE, none)
            .step("separate the mounts from the machine's")?;
        let machine = mount_namespace()?;
        let result = sys::unshare(libc::CLONE_NEWNS).step("make namespaces (mounts, again)");
        result.map_err(Fault::for_namespaces)?;
        let own = mount_namespace()?;
        let options = [(c"mode", c"755"), (c"size", c"32m"), (c"nr_inodes", c"16k")];
        let root = mount::tmpfs(&options, ATTR_NOSUID).step("make the root of the sandbox")?;
        let mut waiting = Vec::new();
        let links = system_directories(&mut waiting)?;
        if context == SlotContext::WithMachineProc {
            let tree = mount::open_tree(c"/proc").step("copy the mount of /proc")?;
            let inside = PathBuf::from("/proc");
            waiting.push(MountCopy::new(inside, tree)?);
        }
        let here = PathBuf::from(format!("/proc/self/fd/{}", root.as_raw_fd()));
        etc::write_etc(&root, identity)?;
        make_devices(&here, &mut waiting)?;
        for name in ["proc", "tmp", "box"] {
            make_directory(&here.join(name))?;
        }
        for (name, target) in links {
            symlink(&target, here.join(name)).step_on("link in the sandbox's root:", name)?;
        }
        enter_root(&root)?;
        for mount in waiting {
            attach_mount(mount)?;
        }
        let template = Self { root, machine, own, points: Vec::new() };
        template.set_flags(ATTR_RDONLY, 0)?;
        Ok(template)
    }

    /// Copies the mounts to show, in the order in which they must be attached, and makes exactly their mount points.
    pub(crate) fn copy_shown(&mut self, mounts: &[ShownMount]) -> Result<Vec<MountCopy>, Fault> {
        let mut sorted: Vec<&ShownMount> = mounts.iter().collect();
        sorted.sort_by_key(|shown| shown.inside.components().count());
        let waiting = self.copy_mounts(&sorted)?;
        let places: Vec<MountPoint> = waiting.iter().map(|mount| mount.point.clone()).collect();
        if places != self.points {
            self.set_flags(0, ATTR_RDONLY)?;
            let changed = self.change_points(places);
            self.set_flags(ATTR_RDONLY, 0)?;
            changed?;
        }
        Ok(waiting)
    }

    fn change_points(&mut self, points: Vec<MountPoint>) -> Result<(), Fault> {
        for point in self.points.drain(..).rev() {
            point.remove();
        }
        for point in points {
            let result = point.make();
            self.points.push(point);
            result?;
        }
        Ok(())
    }

    fn copy_mounts(&self, mounts: &[&ShownMount]) -> Result<Vec<MountCopy>, Fault> {
        for shown in mounts {
            check_inside(&shown.inside)?;
        }
        if mounts.is_empty() {
            return Ok(Vec::new());
        }
        let copy = |shown: &&ShownMount| {
            MountCopy::new(shown.inside.clone(), read_only_copy(&shown.host)?)
        };
        self.among_machine(|| mounts.iter().map(copy).collect())
    }

    /// Copies the mounts of large files. A box has empty files in their places.
    pub(crate) fn copy_large(
        &self,
        files: &[LargeFile],
        proc: &MachineProc,
    ) -> Result<LargeMounts, Fault> {
        let mut mounts = LargeMounts::default();
        if files.is_empty() {
            return Ok(mounts);
        }
        let copies: Vec<OwnedFd> =
            self.among_machine(|| files.iter().map(copy_large_file).collect())?;
        for (file, tree) in files.iter().zip(copies) {
            match &file.name {
                Some(name) => {
                    mounts.in_box.push(MountCopy::new(Path::new("/box").join(name), tree)?)
                }
                // Opened again through the mount, it can be opened by a program only as the mount permits.
                None => {
                    let opened = proc.open_file(&format!("self/fd/{}", tree.as_raw_fd()));
                    let refused = || Fault::new("open the input", "/proc cannot be used");
                    mounts.input = Some(opened.ok_or_else(refused)?);
                }
            }
        }
        Ok(mounts)
    }

    /// Does something in the copy of the machine's mount namespace.
    fn among_machine<T>(&self, act: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let enter = |namespace: &OwnedFd| {
            sys::setns(namespace.as_raw_fd(), libc::CLONE_NEWNS).step("change the mount namespace")
        };
        enter(&self.machine)?;
        let result = act();
        enter(&self.own)?;
        result
    }

    fn set_flags(&self, set: u64, clear: u64) -> Result<(), Fault> {
        mount::mount_setattr(self.root.as_raw_fd(), MountScope::One, set, clear)
            .map(|_| ())
            .step("change the mount flags of the sandbox's root")
    }
}

fn mount_namespace() -> Result<OwnedFd, Fault> {
    let file = File::open("/proc/self/ns/mnt").step("open the mount namespace")?;
    Ok(file.into())
}

pub(crate) fn c_path(path: &Path) -> Result<CString, Fault> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Fault::new("read a path", "it has a zero byte in it"))
}

fn read_only_copy(path: &Path) -> Result<OwnedFd, Fault> {
    let tree = mount::open_tree(&c_path(path)?).step_on("show", path.display())?;
    make_read_only(&tree)?;
    Ok(tree)
}

fn copy_large_file(file: &LargeFile) -> Result<OwnedFd, Fault> {
    let tree = read_only_copy(&file.path)?;
    let stat = rustix::fs::fstat(&tree).step_on("inspect", file.path.display())?;
    if (stat.st_dev, stat.st_ino) == (file.device, file.inode) {
        return Ok(tree);
    }
    Err(Fault::new(format!("show {}", file.path.display()), "somebody replaced it meanwhile"))
}

fn make_read_only(tree: &OwnedFd) -> Result<(), Fault> {
    let flags = ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV;
    mount::mount_setattr(tree.as_raw_fd(), MountScope::Tree, flags, 0)
        .map(|_| ())
        .step("make a mount read-only")
}

fn check_inside(inside: &Path) -> Result<(), Fault> {
    let plain =
        inside.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let step = || format!("show something as {}", inside.display());
    if !inside.is_absolute() || !plain || inside == Path::new("/") {
        return Err(Fault::new(step(), "not an absolute path without `..`"));
    }
    match RESERVED_PATHS.iter().find(|name| inside.starts_with(name)) {
        Some(name) => Err(Fault::new(step(), format!("{name} belongs to the run"))),
        None => Ok(()),
    }
}

/// Returns the names that are links here, with their targets.
fn system_directories(waiting: &mut Vec<MountCopy>) -> Result<Vec<(&'static str, PathBuf)>, Fault> {
    let mut links = Vec::new();
    for name in SYSTEM_DIRECTORIES {
        let path = Path::new("/").join(name);
        let Ok(kind) = fs::symlink_metadata(&path) else { continue };
        if kind.is_symlink() {
            let target = fs::read_link(&path).step_on("read the link", path.display())?;
            links.push((name, target));
        } else if kind.is_dir() {
            let tree =
                mount::open_tree(&c_path(&path)?).step_on("copy the mount of", path.display())?;
            make_read_only(&tree)?;
            waiting.push(MountCopy::new(path, tree)?);
        }
    }
    Ok(links)
}

fn attach_mount(mount: MountCopy) -> Result<(), Fault> {
    mount.point.make()?;
    let path = &mount.point.path;
    mount::move_mount(mount.tree.as_raw_fd(), &c_path(path)?)
        .map(|_| ())
        .step_on("mount", path.display())
}

/// Everybody may enter it. Also makes the directories above it.
fn make_directory(path: &Path) -> Result<(), Fault> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .step_on("make the directory", path.display())
}

fn enter_root(root: &OwnedFd) -> Result<(), Fault> {
    mount::move_mount(root.as_raw_fd(), c"/").step("mount the root of the sandbox")?;
    rustix::process::fchdir(root).step("enter the root of the sandbox")?;
    mount::pivot_root_here().step("make the sandbox's root the root")?;
    mount::umount(c".", libc::MNT_DETACH).step("unmount the machine's root")?;
    sys::chdir(c"/").step("enter the root of the sandbox")?;
    Ok(())
}

fn make_devices(root: &Path, waiting: &mut Vec<MountCopy>) -> Result<(), Fault> {
    let dev = root.join("dev");
    make_directory(&dev)?;
    for (name, minor) in DEVICES {
        let path = dev.join(name);
        let mode = Mode::from_raw_mode(0o666);
        let number = rustix::fs::makedev(1, minor);
        let result =
            rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::CharacterDevice, mode, number);
        // Devices cannot be made in a user namespace: the machine's own are shown.
        if result.is_err() || File::open(&path).is_err() {
            let host = Path::new("/dev").join(name);
            let tree =
                mount::open_tree(&c_path(&host)?).step_on("copy the mount of", host.display())?;
            let flags = ATTR_RDONLY | ATTR_NOSUID;
            mount::mount_setattr(tree.as_raw_fd(), MountScope::One, flags, 0)
                .step_on("make read-only the mount of", host.display())?;
            waiting.push(MountCopy::new(host, tree)?);
        }
    }
    const LINKS: [(&str, &str); 5] = [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        // Named shared memory consists of files, and belongs to the run like other temporary files.
        ("shm", "/tmp"),
    ];
    for (name, target) in LINKS {
        symlink(target, dev.join(name)).step_on("link in the sandbox's /dev:", name)?;
    }
    Ok(())
}
