//! Packs what the slot gets with a job: the bytes of its blobs, in unnamed files, and the paths of what it shows.
//!
//! Few bytes are copied to memory. A file of many bytes is not copied: the slot shows it through a mount that nobody
//! can write to. If that is impossible, many bytes are copied to the disk, up to a bound.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};

use crate::sandbox::boxes::{check_copied, total_length};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::host_path::host_path;
use crate::sandbox::linux::wire::{self, LargeFile};
use juror_core::blob::Blob;
use juror_core::job::{Job, VisiblePath};
use juror_core::tree::{Node, TreeEntry};
use juror_core::units::Bytes;

/// In bytes: more are not copied to memory.
const MEMORY_COPY_MAX: u64 = 16 << 20;

/// In bytes, of a file that is shown: the first read is the judge's, so that it costs the program no time.
const READ_AHEAD: u64 = 256 << 20;

/// Which large files a slot can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LargeFiles {
    None,
    /// Those that another user can open again by a name such as `/dev/stdin`.
    ReadableByAll,
    All,
}

pub(crate) struct PackedJob<'a> {
    /// Large files are empty in it.
    pub(crate) job: Cow<'a, Job>,
    pub(crate) large: Vec<LargeFile>,
    /// The contents of the job's files, concatenated, if there are any.
    pub(crate) contents: Option<File>,
}

pub(crate) fn pack_job(job: &Job, large_files: LargeFiles) -> Result<PackedJob<'_>, Fault> {
    let (mut packed, mut large) = (Cow::Borrowed(job), Vec::new());
    for (index, entry) in job.files.iter().enumerate() {
        let Some(blob) = entry.blob() else { continue };
        let Some(found) = find_large(blob, large_files).step_on("read", blob)? else { continue };
        let packed = packed.to_mut();
        let length = Bytes(blob.len().step_on("measure", blob)?);
        packed.box_size = packed.box_size.saturating_sub(length);
        packed.files[index].node = Node::plain(Blob::default());
        large.push(LargeFile { name: Some(entry.name.clone()), ..found });
    }
    if let Some(found) = find_large(&job.stdin, large_files).step_on("read", &job.stdin)? {
        packed.to_mut().stdin = Blob::default();
        large.push(found);
    }
    check_copied(&packed)?;
    let contents = pack_contents(&packed)?;
    Ok(PackedJob { job: packed, large, contents })
}

/// `None` if it is small, or cannot be shown. It has no name yet.
fn find_large(blob: &Blob, large_files: LargeFiles) -> io::Result<Option<LargeFile>> {
    if large_files == LargeFiles::None || blob.len()? <= MEMORY_COPY_MAX {
        return Ok(None);
    }
    let Some(file) = blob.opened()? else { return Ok(None) };
    let metadata = file.metadata()?;
    let path = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let (device, inode) = (metadata.dev(), metadata.ino());
    // A file without a name has a path that leads nowhere, or elsewhere.
    let is_there = fs::symlink_metadata(&path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (device, inode));
    const READ_BY_ALL: u32 = 0o004;
    let must_be_public = large_files == LargeFiles::ReadableByAll;
    if !is_there || (must_be_public && metadata.mode() & READ_BY_ALL == 0) {
        return Ok(None);
    }
    io::copy(&mut blob.open()?.take(READ_AHEAD), &mut io::sink())?;
    Ok(Some(LargeFile { name: None, path, device, inode }))
}

/// A copy that cannot be changed. A program of the same user could open the file itself again for writing.
pub(crate) fn pack_input(input: &Blob) -> Result<OwnedFd, Fault> {
    let step = "prepare standard input";
    match input.bytes() {
        Some([]) => Ok(File::open("/dev/null").step(step)?.into()),
        _ => read_only_copy(input).step_on(step, input),
    }
}

/// Open for reading from its start.
fn read_only_copy(input: &Blob) -> io::Result<OwnedFd> {
    let length = input.len()?;
    let mut file = file_for(length, MemfdFlags::ALLOW_SEALING)?;
    input.copy_to(&mut file)?;
    if length <= MEMORY_COPY_MAX {
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals)?;
    }
    rustix::fs::fchmod(&file, Mode::from_raw_mode(0o444))?;
    wire::reopen(&file, OFlags::RDONLY)
}

/// A new file without a name: in memory for few bytes, else on disk.
fn file_for(length: u64, flags: MemfdFlags) -> io::Result<File> {
    if length <= MEMORY_COPY_MAX { wire::memory_file(flags) } else { tempfile::tempfile() }
}

fn pack_contents(job: &Job) -> Result<Option<File>, Fault> {
    let step = "pack for the box:";
    let mut blobs = job.files.iter().filter_map(TreeEntry::blob).peekable();
    let Some(first) = blobs.peek() else { return Ok(None) };
    let length = total_length(&job.files)?;
    let mut contents = file_for(length, MemfdFlags::empty()).step_on(step, first)?;
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
