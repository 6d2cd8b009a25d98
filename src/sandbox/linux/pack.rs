//! Packs a job for the slot: all that it needs, as plain data and sealed files.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};

use crate::model::job::{BoxContent, Input, Job, Visible};
use crate::model::judgement::JudgeError;
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::boxes::{BEHIND_LINKS, TEMPORARY};
use crate::sandbox::linux::mounts::Shown;
use crate::sandbox::linux::wire::{self, Placed, PlacedWhat, RunRequest};

/// What a program reads: never the file itself, which a contestant of the same user could open again
/// for writing, but a copy that nobody can change.
pub(super) fn input(input: &Input) -> Result<OwnedFd, Fault> {
    let step = "prepare standard input";
    match input {
        Input::Empty => {
            let null = File::open("/dev/null").step(step)?;
            Ok(null.into())
        }
        Input::Bytes(bytes) => sealed(|file| file.write_all(bytes)).step(step),
        Input::Open(file) => {
            let mut from = FromStart { file, offset: 0 };
            sealed(|to| io::copy(&mut from, to).map(|_| ())).step(step)
        }
        Input::File(path) => {
            let mut from = File::open(path).step_on("open", path.display())?;
            sealed(|file| io::copy(&mut from, file).map(|_| ()))
                .step_on("copy to standard input:", path.display())
        }
    }
}

/// Reads an open file from its start, wherever others read it.
struct FromStart<'a> {
    file: &'a File,
    offset: u64,
}

impl io::Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.offset)?;
        self.offset += length as u64;
        Ok(length)
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
pub(super) fn file_of(text: &[u8]) -> io::Result<File> {
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
pub(super) struct Prepared {
    pub(super) request: RunRequest,
    /// The contents of the files to place, one after the other.
    pub(super) contents: Option<File>,
}

impl Prepared {
    pub(super) fn of(job: &Job, run: u64) -> Result<Self, JudgeError> {
        if job.collect.len() + 1 > wire::MOST_FDS {
            let reason = format!("more than {} files", wire::MOST_FDS - 1);
            return Err(JudgeError::new("collect files from the box", reason));
        }
        let mut contents = None;
        let mut files = Vec::new();
        for file in &job.files {
            files.push(Placed {
                name: file.name.clone(),
                what: place(&file.content, &mut contents)?,
            });
        }
        if let Some(contents) = &mut contents {
            contents
                .seek(SeekFrom::Start(0))
                .step("pack the files of the box")?;
        }
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let limits = &job.limits;
        let request = RunRequest {
            run,
            argv: job
                .command
                .argv
                .iter()
                .map(|text| text.clone().into_bytes())
                .collect(),
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
            collect: job
                .collect
                .iter()
                .map(|name| name.clone().into_bytes())
                .collect(),
            keep: job.keep.is_some(),
        };
        Ok(Self { request, contents })
    }
}

fn visible(job: &Job) -> Result<Vec<Shown>, Fault> {
    let shown = |visible: &Visible| {
        let found = fs::metadata(&visible.host).step_on("show", visible.host.display())?;
        Ok(Shown {
            host: visible.host.clone(),
            inside: place_inside(&visible.inside),
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
fn place(content: &BoxContent, contents: &mut Option<File>) -> Result<PlacedWhat, Fault> {
    let pack = |from: &mut dyn io::Read, contents: &mut Option<File>| {
        let to = match contents {
            Some(file) => file,
            None => contents.insert(memory_file(MemfdFlags::empty())?),
        };
        io::copy(from, to)
    };
    match content {
        BoxContent::Link(target) => Ok(PlacedWhat::Link {
            target: target.clone(),
        }),
        BoxContent::Bytes(bytes) => Ok(PlacedWhat::File {
            length: pack(&mut &bytes[..], contents).step("pack the files of the box")?,
            mode: 0o644,
        }),
        BoxContent::Directory => Ok(PlacedWhat::Directory),
        BoxContent::Copy(path) => copy_in(path, |file| pack(file, contents)),
    }
}

fn copy_in(
    path: &Path,
    pack: impl FnOnce(&mut File) -> io::Result<u64>,
) -> Result<PlacedWhat, Fault> {
    let mut file = File::open(path).step_on("open", path.display())?;
    let found = file.metadata().step_on("open", path.display())?;
    const EXECUTABLE: u32 = 0o111;
    let is_executable = found.permissions().mode() & EXECUTABLE != 0;
    Ok(PlacedWhat::File {
        length: pack(&mut file).step_on("copy into the box:", path.display())?,
        mode: if is_executable { 0o755 } else { 0o644 },
    })
}
