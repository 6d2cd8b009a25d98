//! The directory of a store: who may use it, and its files.
//!
//! Whoever can write there chooses verdicts. So it must be private, and is opened without following links.

use std::env;
use std::fs::{self, DirBuilder, File, FileTimes};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{AtFlags, Dir, Mode, OFlags};

use crate::cache::store::STALE;
use crate::cache::store::segment::{
    self, DATA, EntryName, FULL, INDEX, IndexEntry, SegmentData, SegmentFiles,
};
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::text::hex;

/// Why a directory cannot be used, and what to do.
pub type CacheWarning = Box<Diagnostic>;

pub const FACTS: &str = "facts";
/// The suffix of a file that is being written.
pub(super) const NEW: &str = ".new";

/// The version of the directory's format.
const VERSION: u32 = 1;
const VERSION_FILE: &str = "version";

const ALTERNATIVE: &str =
    "give a local directory that only you can write with --cache or JUROR_CACHE, or `off`";

/// By the XDG Base Directory Specification.
pub fn default_directory() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = match set("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        Some(cache) => cache,
        None => set("HOME")?.join(".cache"),
    };
    Some(cache.join("juror"))
}

/// As open descriptors. Only this user can write in it.
pub(super) struct Directory {
    path: PathBuf,
    pub(super) facts: OwnedFd,
    pub(super) blobs: OwnedFd,
}

pub(super) struct FoundSegment {
    pub(super) name: String,
    pub(super) data: SegmentData,
    /// The number of entries in the index, including invalid ones.
    pub(super) listed: usize,
    pub(super) entries: Vec<(EntryName, IndexEntry)>,
}

impl Directory {
    /// Opens the directory, and makes it if it is missing.
    ///
    /// Refuses directories that other users can write, on other machines, and of a newer juror.
    pub(super) fn open(path: &Path) -> Result<Self, CacheWarning> {
        let top = open_private(path)?;
        let refuse = |why: &str| refusal(path, why, ALTERNATIVE);
        let failed = |error: io::Error| refuse(&error.to_string());
        if let Some(network) = network_file_system(top.as_fd()) {
            return Err(refuse(&format!("it is on a network disk ({network})")).into());
        }
        let facts = make_directory(top.as_fd(), FACTS).map_err(failed)?;
        let blobs = make_directory(facts.as_fd(), "blobs").map_err(failed)?;
        let directory = Self { path: path.to_owned(), facts, blobs };
        match directory.version().map_err(failed)? {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => {
                let why =
                    format!("a newer juror made it (version {newer}, this one knows {VERSION})");
                return Err(refuse(&why).into());
            }
            None if !directory.is_ours().map_err(failed)? => {
                return Err(
                    refuse("its directory `facts` has files that juror did not make").into()
                );
            }
            _ => directory.reset().map_err(failed)?,
        }
        Ok(directory)
    }

    fn version(&self) -> io::Result<Option<u32>> {
        let mut text = Vec::new();
        match self.open_file(self.facts.as_fd(), VERSION_FILE, OFlags::RDONLY) {
            Ok(file) => file.take(100).read_to_end(&mut text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&text);
        // A damaged version counts as the oldest one.
        Ok(Some(text.trim_ascii().parse().unwrap_or_default()))
    }

    /// Whether juror made everything in the directory.
    fn is_ours(&self) -> io::Result<bool> {
        let mut names = names(self.facts.as_fd())?.into_iter();
        Ok(names.all(|name| {
            name == "blobs" || [DATA, INDEX, NEW].iter().any(|end| name.ends_with(end))
        }))
    }

    /// Empties the directory, and writes the current version.
    fn reset(&self) -> io::Result<()> {
        for dir in [self.facts.as_fd(), self.blobs.as_fd()] {
            for name in names(dir)? {
                match rustix::fs::unlinkat(dir, &name, AtFlags::empty()) {
                    Err(error) if name != "blobs" => return Err(error.into()),
                    _ => {}
                }
            }
        }
        let text = format!("{VERSION}\n");
        self.write(self.facts.as_fd(), VERSION_FILE, |file| file.write_all(text.as_bytes()))
    }

    pub(super) fn refused(&self, error: &io::Error) -> CacheWarning {
        refusal(&self.path, &error.to_string(), ALTERNATIVE).into()
    }

    pub(super) fn cannot_write(&self, error: &io::Error) -> Diagnostic {
        let help = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "make room there, such as with `juror cache prune --to 0`, or name another directory with --cache"
            }
            _ => ALTERNATIVE,
        };
        let message = format!("the cache cannot be written, so no more results are kept: {error}");
        Diagnostic::warning(&self.path, message).help(help)
    }

    /// All segments, except those that disappear meanwhile.
    pub(super) fn segments(&self) -> io::Result<Vec<FoundSegment>> {
        let names = names(self.facts.as_fd())?;
        Ok(names.iter().filter_map(|name| self.segment(name.strip_suffix(INDEX)?).ok()).collect())
    }

    fn segment(&self, name: &str) -> io::Result<FoundSegment> {
        let [data, index] = self.segment_files(name, OFlags::RDONLY)?;
        let mut bytes = Vec::new();
        { index }.read_to_end(&mut bytes)?;
        // Read after the index, because data is written before its entry in the index.
        let length = data.metadata()?.len();
        let data = Arc::new(data);
        Ok(FoundSegment {
            name: name.to_owned(),
            data,
            listed: bytes.len() / IndexEntry::SIZE,
            entries: segment::entries(&bytes, length),
        })
    }

    fn segment_files(&self, name: &str, flags: OFlags) -> io::Result<[File; 2]> {
        let [data, index] = segment::file_names(name);
        let facts = self.facts.as_fd();
        Ok([
            self.open_file(facts, &data, flags)?,
            self.open_file(facts, &index, flags | OFlags::APPEND)?,
        ])
    }

    /// A segment with free room and without another writer, or a new one. It is locked.
    pub(super) fn open_segment(&self) -> io::Result<SegmentFiles> {
        for name in names(self.facts.as_fd())? {
            let Some(name) = name.strip_suffix(INDEX) else { continue };
            let Ok([data, index]) = self.segment_files(name, OFlags::RDWR) else { continue };
            if data.metadata()?.len() < FULL && segment::lock_segment(&data) {
                let length = index.metadata()?.len();
                index.set_len(length - length % IndexEntry::SIZE as u64)?;
                return Ok(SegmentFiles { data: Arc::new(data), index });
            }
        }
        self.new_segment()
    }

    fn new_segment(&self) -> io::Result<SegmentFiles> {
        let create = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        // Another process that prunes may remove it before it is locked.
        for _ in 0..10 {
            let [data, index] = segment::file_names(&random_name());
            let data = self.open_file(self.facts.as_fd(), &data, create)?;
            if segment::lock_segment(&data) {
                let index = self.open_file(self.facts.as_fd(), &index, create | OFlags::APPEND)?;
                return Ok(SegmentFiles { data: Arc::new(data), index });
            }
        }
        Err(io::Error::other("its files cannot be locked"))
    }

    /// Does not check the content.
    pub(super) fn has_blob(&self, digest: &Digest) -> bool {
        self.touched_blob(digest).is_ok()
    }

    /// A damaged blob is removed.
    pub(super) fn blob(&self, digest: &Digest) -> Option<Blob> {
        let blob = Blob::open_file(self.touched_blob(digest).ok()?);
        if blob.digest().is_ok_and(|found| found == *digest) {
            return Some(blob);
        }
        let _ = rustix::fs::unlinkat(&self.blobs, blob_name(digest), AtFlags::empty());
        None
    }

    /// The file of a large blob. It is marked as used.
    fn touched_blob(&self, digest: &Digest) -> io::Result<File> {
        let file = self.open_file(self.blobs.as_fd(), &blob_name(digest), OFlags::RDONLY)?;
        let now = SystemTime::now();
        if file.metadata()?.modified()?.checked_add(STALE).is_none_or(|stale| stale < now) {
            // If this fails, pruning removes the file earlier.
            let _ = file.set_times(FileTimes::new().set_modified(now));
        }
        Ok(file)
    }

    pub(super) fn keep_blob(&self, digest: &Digest, blob: &Blob) -> io::Result<()> {
        self.write(self.blobs.as_fd(), &blob_name(digest), |file| blob.copy_to(file).map(drop))
    }

    /// Writes a file. It gets its name when it is complete.
    pub(super) fn write(
        &self,
        dir: BorrowedFd<'_>,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let new = random_name() + NEW;
        let create = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut file = self.open_file(dir, &new, create)?;
        // A locked file does not count as a leftover.
        let _ = file.try_lock();
        let written =
            write(&mut file).and_then(|()| Ok(rustix::fs::renameat(dir, &new, dir, name)?));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(dir, &new, AtFlags::empty());
        }
        written
    }

    /// Opens a regular file without following links.
    pub(super) fn open_file(
        &self,
        dir: BorrowedFd<'_>,
        name: &str,
        flags: OFlags,
    ) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(format!("{name} is not a file")));
        }
        Ok(file)
    }
}

/// Makes the directory if it is missing.
pub fn is_private(path: &Path) -> bool {
    open_private(path).is_ok()
}

fn open_private(path: &Path) -> Result<OwnedFd, CacheWarning> {
    let refuse = |why: &str| refusal(path, why, ALTERNATIVE);
    let failed = |error: io::Error| refuse(&error.to_string());
    let me = rustix::process::geteuid().as_raw();
    let mut real = path.to_owned();
    if let Ok(stat) = fs::symlink_metadata(path).as_ref()
        && stat.is_symlink()
    {
        if stat.uid() != me {
            return Err(refuse("it is a symbolic link of another user").into());
        }
        real = path.canonicalize().map_err(failed)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(&real).map_err(failed)?;
    let top = open_directory(rustix::fs::CWD, &real).map_err(failed)?;
    let stat = rustix::fs::fstat(&top).map_err(|error| failed(error.into()))?;
    if stat.st_uid != me {
        return Err(refuse("it belongs to another user").into());
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        let help = format!("run: chmod go-w {}", real.display());
        return Err(refusal(path, "other users can write to it", &help).into());
    }
    Ok(top)
}

fn refusal(path: &Path, why: &str, help: &str) -> Diagnostic {
    let message = format!("the cache cannot be used, so no results are kept: {why}");
    Diagnostic::warning(path, message).help(help)
}

fn open_directory(parent: BorrowedFd<'_>, path: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, path, flags, Mode::empty())?)
}

fn make_directory(parent: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let directory = open_directory(parent, name);
    if directory.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
            // Another process may be faster.
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        return open_directory(parent, name);
    }
    directory
}

pub(super) fn names(dir: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        if let Ok(name) = entry?.file_name().to_str()
            && !matches!(name, "." | "..")
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn random_name() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

pub(super) fn blob_name(digest: &Digest) -> String {
    hex(&digest.0)
}

/// The network file system of a directory, if it is on one: locks may not work across machines, and results belong to
/// one machine. FUSE is allowed: most of it is local, and damage is found.
#[cfg(target_os = "linux")]
fn network_file_system(dir: BorrowedFd<'_>) -> Option<&'static str> {
    let stat = rustix::fs::fstatfs(dir).ok()?;
    network_file_system_of(u64::try_from(stat.f_type).ok()? & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn network_file_system(_: BorrowedFd<'_>) -> Option<&'static str> {
    None
}

/// Source: statfs(2), and `magic.h` of Linux.
#[cfg(target_os = "linux")]
pub(super) fn network_file_system_of(file_system: u64) -> Option<&'static str> {
    const KNOWN: [(u64, &str); 11] = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB2"),
        (0x0102_1997, "9P"),
        (0x5346_414f, "AFS"),
        (0x7375_7245, "Coda"),
        (0x00c3_6400, "Ceph"),
        (0x0bd0_0bd0, "Lustre"),
        (0x7461_636f, "OCFS2"),
        (0x0116_1970, "GFS2"),
    ];
    KNOWN.iter().find(|(number, _)| *number == file_system).map(|(_, name)| *name)
}
