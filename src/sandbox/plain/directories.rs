//! The directories of a run: filled before it, searched after it, removed before the next.
//!
//! The program's files are read without following links, as everywhere. But here, a process that left its group may
//! still be working.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use tempfile::TempDir;

use crate::model::blob::Blob;
use crate::model::job::{Collected, Command, Job};
use crate::model::judgement::JudgeError;
use crate::model::outcome::Outcome;
use crate::model::tree::{Node, Tree};
use crate::sandbox::capture::copy_file;
use crate::sandbox::disk::{self, SLOTS, make_directory, remove_directory};
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::forks;
use crate::sandbox::keep;
use crate::sandbox::search::{Placements, Sum, other_kind};
use crate::sandbox::shortage::{check_exec, check_linked, check_room};
use crate::sandbox::shown::place_of;
use crate::sandbox::translate::{Pair, Translation};

/// The name of a run's directory.
const RUN: &str = "run";

/// A slot's directory, in which each run has one. Only its owner can enter it.
#[derive(Debug)]
pub(super) struct SlotDirectory {
    _directory: TempDir,
    path: PathBuf,
    /// As long as this process or the slot's guard lives, no other judge removes it.
    _lock: Option<OwnedFd>,
}

impl SlotDirectory {
    /// Makes the directory, with a random name.
    pub(super) fn make() -> Result<Self, JudgeError> {
        let made = tempfile::Builder::new()
            .prefix(SLOTS[1])
            .permissions(Permissions::from_mode(0o700))
            .tempdir();
        let directory = made.map_err(|error| {
            let parent = std::env::temp_dir();
            let parent = parent.display();
            JudgeError::new("make a temporary directory", error)
                .help(format!("make {parent} a writable directory, or set TMPDIR to one"))
        })?;
        let path = fs::canonicalize(directory.path());
        let path = path.step_on("find", directory.path().display())?;
        check_exec(&path)?;
        let _lock = disk::lock(&path);
        Ok(Self { _directory: directory, path, _lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the directories of a run, and places its files.
    pub(super) fn prepare(&self, job: &Job) -> Result<RunDirectory, JudgeError> {
        self.remove_run();
        let run = self.path.join(RUN);
        if !self.path.exists() {
            // Somebody cleans the temporary directory.
            make_directory(&self.path, 0o700)?;
        }
        let (directory, temporary) = (run.join("box"), run.join("tmp"));
        for path in [&run, &directory, &temporary] {
            make_directory(path, 0o700)?;
        }
        let opened = disk::open(CWD, &directory);
        let opened = opened.step_on("open the directory", directory.display())?;
        let mut pairs = vec![Pair::new("/box", &directory)];
        for shown in &job.command.visible {
            let host = place_of(shown)?;
            if shown.inside != host {
                pairs.push(Pair::new(&shown.inside, &host));
            }
        }
        let names = Translation::new(pairs, &temporary);
        let mut placed = Placements::default();
        for file in &job.files {
            let path = directory.join(inside(&file.name)?);
            place(&path, &file.node, &names).step_on("place in the box:", file.name.display())?;
            if let Ok(stat) = rustix::fs::lstat(&path) {
                placed.add(&stat);
            }
        }
        if !job.writable {
            let rights = Permissions::from_mode(0o555);
            fs::set_permissions(&directory, rights).step("make the box read-only")?;
        }
        Ok(RunDirectory { command: translated(&job.command, &names), directory, opened, placed })
    }

    /// The program's standard input: an unnamed copy, open only for reading.
    pub(super) fn input(&self, input: &Blob) -> Result<OwnedFd, Fault> {
        let path = self.path.join(RUN).join("input");
        let copy = || {
            let mut options = fs::OpenOptions::new();
            let made = options.write(true).create_new(true).mode(0o600);
            input.copy_to(&mut made.open(&path)?)?;
            let from = File::open(&path)?;
            fs::remove_file(&path)?;
            io::Result::Ok(from)
        };
        let file = match input.bytes() {
            Some([]) => File::open("/dev/null"),
            _ => copy(),
        };
        Ok(file.step_on("prepare standard input", input)?.into())
    }

    /// Removes the files of the last run.
    pub(super) fn remove_run(&self) {
        remove_directory(&self.path.join(RUN));
    }
}

impl Drop for SlotDirectory {
    fn drop(&mut self) {
        // Whatever its permissions, and however deep it is.
        self.remove_run();
    }
}

/// The command with the paths of the machine, and with its whole environment.
fn translated(command: &Command, names: &Translation) -> Command {
    let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
    let variable = |(name, value): (String, String)| {
        let value = text(names.value(&name, &value));
        (name, value)
    };
    Command {
        argv: command.argv.iter().map(|it| text(names.text(it.as_bytes()))).collect(),
        env: environment::with(&command.env).into_iter().map(variable).collect(),
        visible: Vec::new(),
    }
}

/// Checks that a name stays in the box.
fn inside(name: &Path) -> Result<&Path, Fault> {
    let mut parts = name.components();
    let stays = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if stays && name.file_name().is_some() {
        Ok(name)
    } else {
        Err(Fault::new(
            format!("place in the box: {}", name.display()),
            "not a relative path without `..`",
        ))
    }
}

/// Places a file. Only the judge has been here so far.
fn place(path: &Path, node: &Node, names: &Translation) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match node {
        Node::File { blob, mode } => {
            let _no_start = forks::none_during(blob, *mode);
            let mut to = File::create_new(path)?;
            blob.copy_to(&mut to)?;
            to.set_permissions(Permissions::from_mode(mode.rights()))
        }
        Node::Link(target) => {
            let target = names.text(target.as_os_str().as_bytes());
            symlink(OsStr::from_bytes(&target), path)
        }
        Node::Directory => fs::create_dir(path),
    }
}

pub(super) struct RunDirectory {
    /// The command to start, with the paths of the machine.
    pub(super) command: Command,
    pub(super) directory: PathBuf,
    opened: OwnedFd,
    placed: Placements,
}

impl RunDirectory {
    /// Total size of regular files in the box that are new or changed.
    pub(super) fn new_bytes(&self) -> Result<u64, Fault> {
        check_linked(&self.opened)?;
        let mut sum = Sum::default();
        self.placed.add_all(&self.opened, &mut sum).step("search the box")?;
        if sum.is_cut {
            sum.bytes = sum.bytes.max(disk::used(&self.opened));
        }
        Ok(sum.bytes)
    }

    /// The fault if the box is on a full disk.
    pub(super) fn check_room(&self) -> Result<(), Fault> {
        check_room(&self.opened)
    }

    /// The files that the job requests.
    pub(super) fn collect(&self, job: &Job) -> Result<Vec<Collected>, Fault> {
        let most = job.limits.output.unwrap_or(job.box_size).0;
        let names = job.collect.iter();
        names.map(|name| self.find(Path::new(name), most)).collect()
    }

    fn find(&self, name: &Path, most: u64) -> Result<Collected, Fault> {
        let parts: Vec<_> = inside(name)?.components().collect();
        let other = |kind| Ok(Collected::NotAFile(other_kind(kind)));
        let mut directory = None;
        for (index, part) in parts.iter().enumerate() {
            let at = directory.as_ref().unwrap_or(&self.opened);
            let name = part.as_os_str();
            let is_last = index + 1 == parts.len();
            let stat = match rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => {
                    return Ok(Collected::Missing);
                }
                Err(_) => return other(FileType::Unknown),
            };
            let kind = FileType::from_raw_mode(stat.st_mode);
            match (is_last, kind) {
                (false, FileType::Directory) => match disk::open(at, name) {
                    Ok(below) => directory = Some(below),
                    Err(_) => return other(FileType::Unknown),
                },
                (false, FileType::RegularFile) => return Ok(Collected::Missing),
                (true, FileType::RegularFile) => {
                    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
                    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    let Ok(file) = rustix::fs::openat(at, name, flags, Mode::empty()) else {
                        return other(FileType::RegularFile);
                    };
                    let stat = rustix::fs::fstat(&file).step("inspect a file of the box")?;
                    let kind = FileType::from_raw_mode(stat.st_mode);
                    if kind != FileType::RegularFile {
                        return other(kind);
                    }
                    let copied = copy_file(file, most).step("copy a file out of the box")?;
                    return Ok(Collected::File(copied));
                }
                (_, kind) => return other(kind),
            }
        }
        Ok(Collected::Missing)
    }

    /// Keeps the box below a directory, as far as the job requests it.
    pub(super) fn keep(
        &self,
        job: &Job,
        outcome: &Outcome,
        keep_in: &Path,
    ) -> Result<Option<Tree>, Fault> {
        let from = disk::open(&self.opened, c".").step("open the box")?;
        keep::keep(from, keep_in, job, outcome, keep::Rights::AsLeft)
    }
}
