//! Packs what the slot gets with a job: the bytes of its blobs, in unnamed files, and the paths of what it shows.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::host_path::host_path;
use crate::sandbox::linux::wire;
use juror_core::blob::Blob;
use juror_core::job::{Job, VisiblePath};
use juror_core::tree::TreeEntry;

/// A copy that cannot be changed. A program of the same user could open the file itself again for writing.
pub(crate) fn pack_input(input: &Blob) -> Result<OwnedFd, Fault> {
    let step = "prepare standard input";
    match input.bytes() {
        Some([]) => Ok(File::open("/dev/null").step(step)?.into()),
        _ => sealed_file(|file| input.copy_to(file).map(|_| ())).step_on(step, input),
    }
}

/// A file in memory that can no longer be changed, open for reading from its start.
fn sealed_file(fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<OwnedFd> {
    let mut file = wire::memory_file(MemfdFlags::ALLOW_SEALING)?;
    fill(&mut file)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(0o444))?;
    wire::reopen(&file, OFlags::RDONLY)
}

/// The contents of the job's files, concatenated, if there are any.
pub(crate) fn pack_contents(job: &Job) -> Result<Option<File>, Fault> {
    let step = "pack for the box:";
    let mut blobs = job.files.iter().filter_map(TreeEntry::blob).peekable();
    let Some(first) = blobs.peek() else { return Ok(None) };
    let mut contents = wire::memory_file(MemfdFlags::empty()).step_on(step, first)?;
    for blob in blobs {
        let copied = blob.copy_to(&mut contents).step_on(step, blob)?;
        if blob.len().step_on(step, blob)? != copied {
            return Err(Fault::new(format!("{step} {blob}"), "its length has changed"));
        }
    }
    contents.seek(SeekFrom::Start(0)).step("pack the files of the box")?;
    Ok(Some(contents))
}

pub(crate) fn shown_paths(job: &Job) -> Result<Vec<PathBuf>, Fault> {
    let host_path_of = |shown: &VisiblePath| {
        let path = host_path(shown)?;
        fs::metadata(&path).step_on("show", path.display())?;
        Ok(path)
    };
    job.command.visible.iter().map(host_path_of).collect()
}
