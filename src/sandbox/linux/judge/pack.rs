//! Packs a job for the slot: all that it needs, as plain data and sealed files.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};

use crate::model::blob::Blob;
use crate::model::job::{Job, Keep, Shown as Wanted};
use crate::model::judgement::JudgeError;
use crate::model::tree::Node;
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::view::boxes::{BEHIND_LINKS, TEMPORARY};
use crate::sandbox::linux::view::mounts::Shown;
use crate::sandbox::linux::wire::{self, Placed, PlacedWhat, RunRequest};
use crate::sandbox::shown::place_of;

/// What a program reads: never the file itself, which a contestant of the same user could open again
/// for writing, but a copy that nobody can change.
pub(in crate::sandbox::linux) fn input(input: &Blob) -> Result<OwnedFd, Fault> {
    let step = "prepare standard input";
    match input.bytes() {
        Some([]) => Ok(File::open("/dev/null").step(step)?.into()),
        _ => sealed(|file| input.copy_to(file).map(|_| ())).step_on(step, input),
    }
}

/// A file in memory that cannot be changed any more, open for reading from its start.
fn sealed(fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<OwnedFd> {
    let mut file = memory_file(MemfdFlags::ALLOW_SEALING)?;
    fill(&mut file)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(0o444))?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// A file in memory with this text, to be read from its start.
pub(in crate::sandbox::linux) fn file_of(text: &[u8]) -> io::Result<File> {
    let mut file = memory_file(MemfdFlags::empty())?;
    file.write_all(text)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn memory_file(flags: MemfdFlags) -> io::Result<File> {
    let file = rustix::fs::memfd_create(c"juror", flags | MemfdFlags::CLOEXEC)?;
    Ok(file.into())
}

/// A job as the slot needs it.
pub(in crate::sandbox::linux) struct Prepared {
    pub(in crate::sandbox::linux) request: RunRequest,
    /// The contents of the files to place, one after the other.
    pub(in crate::sandbox::linux) contents: Option<File>,
}

impl Prepared {
    pub(in crate::sandbox::linux) fn of(job: &Job, run: u64) -> Result<Self, JudgeError> {
        if job.collect.len() + 1 > wire::MOST_FDS {
            let reason = format!("more than {} files", wire::MOST_FDS - 1);
            return Err(JudgeError::new("collect files from the box", reason));
        }
        let mut contents = None;
        let mut files = Vec::new();
        for file in &job.files {
            files.push(Placed { name: file.name.clone(), what: place(&file.node, &mut contents)? });
        }
        if let Some(contents) = &mut contents {
            contents.seek(SeekFrom::Start(0)).step("pack the files of the box")?;
        }
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let limits = &job.limits;
        let request = RunRequest {
            run,
            argv: job.command.argv.iter().map(|text| text.clone().into_bytes()).collect(),
            env: environment::with(&job.command.env)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}").into_bytes())
                .collect(),
            visible: visible(job)?,
            files,
            writable: job.writable,
            box_size: job.box_size.0,
            cpu_time: limits.cpu_time.map(nanoseconds),
            wall_time: limits.wall_time.map(nanoseconds),
            memory: limits.memory.map(|bytes| bytes.0),
            output: limits.output.map(|bytes| bytes.0),
            processes: limits.processes,
            collect: job.collect.iter().map(|name| name.clone().into_bytes()).collect(),
            keep: job.keep != Keep::Nothing,
        };
        Ok(Self { request, contents })
    }
}

fn visible(job: &Job) -> Result<Vec<Shown>, Fault> {
    let shown = |wanted: &Wanted| {
        let host = place_of(wanted)?;
        let found = fs::metadata(&host).step_on("show", host.display())?;
        Ok(Shown {
            host,
            inside: place_inside(&wanted.inside),
            device: found.dev(),
            inode: found.ino(),
        })
    };
    job.command.visible.iter().map(shown).collect()
}

/// Where it is mounted. `/tmp` belongs to the run; what is to be seen there is mounted elsewhere, and the
/// run's `/tmp` gets a link to it.
fn place_inside(inside: &Path) -> PathBuf {
    match inside.strip_prefix(TEMPORARY) {
        Ok(below) => Path::new(BEHIND_LINKS).join(below),
        Err(_) => inside.to_owned(),
    }
}

/// Packs what is to be placed in the box.
fn place(node: &Node, contents: &mut Option<File>) -> Result<PlacedWhat, Fault> {
    Ok(match node {
        Node::Link(target) => PlacedWhat::Link { target: target.clone() },
        Node::Directory => PlacedWhat::Directory,
        Node::File { blob, mode } => {
            let step = "pack for the box:";
            let to = match contents {
                Some(file) => file,
                None => contents.insert(memory_file(MemfdFlags::empty()).step_on(step, blob)?),
            };
            PlacedWhat::File { length: blob.copy_to(to).step_on(step, blob)?, mode: mode.rights() }
        }
    })
}
