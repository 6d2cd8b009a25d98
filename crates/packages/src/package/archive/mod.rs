//! Packages in one file: a zip archive (also called `.kpp`), or a tar archive, compressed or not.

pub mod members;
pub mod target;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use tar::EntryType;
use zip::ZipArchive;

use crate::package::archive::target::{UnpackBounds, UnpackRefusal, UnpackTarget};
use juror_core::diagnostic::Diagnostic;
use juror_core::stop::{Stop, check_interrupted};

pub const ENDINGS: [&str; 5] = [".zip", ".kpp", ".tar.gz", ".tgz", ".tar"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Zip,
    Tar,
    CompressedTar,
}

/// Whether a file is an archive, by its first bytes.
pub fn is_archive(path: &Path) -> bool {
    path.is_file() && detect_packing(path).is_ok_and(|found| found.is_some())
}

/// The text of a `.gz` file, also of several that are joined.
pub fn decompressed(from: impl Read) -> impl Read {
    MultiGzDecoder::new(from)
}

/// What zlib compressed.
pub fn inflated(from: impl Read) -> impl Read {
    ZlibDecoder::new(from)
}

/// Unpacks an archive into an empty directory and returns where the package is in it.
pub fn unpack(archive: &Path, into: &Path) -> Result<PathBuf, Stop> {
    let unpacked = unpack_within(archive, into, &mut UnpackBounds::default());
    unpacked.map_err(|fault| check_interrupted().err().unwrap_or_else(|| fault.into()))
}

/// The same within other bounds. What is unpacked then counts against them.
pub fn unpack_within(
    archive: &Path,
    into: &Path,
    bounds: &mut UnpackBounds,
) -> Result<PathBuf, Diagnostic> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let lower = name.to_ascii_lowercase();
    let known = ENDINGS.iter().find_map(|ending| lower.strip_suffix(ending));
    let stem = &name[..known.unwrap_or(&lower).len()];
    let folder = if stem.is_empty() || stem.starts_with('.') { "package" } else { stem };
    let unpacked = UnpackTarget::new(into.join(folder), *bounds).and_then(|mut target| {
        unpack_into(archive, &mut target)?;
        let bytes = bounds.bytes.saturating_sub(target.bytes());
        let unpacked = target.finish()?;
        bounds.bytes = bytes;
        Ok(unpacked)
    });
    unpacked.map_err(|refusal| {
        let (message, help) = refusal.message_and_help();
        Diagnostic::error(archive, message).help(help)
    })
}

fn unpack_into(archive: &Path, target: &mut UnpackTarget) -> Result<(), UnpackRefusal> {
    let open = || File::open(archive).map(BufReader::new).map_err(damaged_archive);
    match detect_packing(archive).map_err(damaged_archive)? {
        Some(Packing::Zip) => unpack_zip(open()?, target),
        Some(Packing::Tar) => unpack_tar(open()?, target),
        Some(Packing::CompressedTar) => {
            let unpacked = unpack_tar(MultiGzDecoder::new(open()?), target);
            let begins = first_bytes(MultiGzDecoder::new(open()?));
            match unpacked {
                Err(UnpackRefusal::Damaged(_)) if begins.is_ok_and(|bytes| !is_tar(&bytes)) => {
                    Err(damaged_archive("the compressed data is not a tar archive"))
                }
                unpacked => unpacked,
            }
        }
        None => Err(damaged_archive("it is neither a zip archive nor a tar archive")),
    }
}

fn first_bytes(file: impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(512).read_to_end(&mut start)?;
    Ok(start)
}

fn is_tar(start: &[u8]) -> bool {
    const MARK: usize = 257;
    start.get(MARK..).is_some_and(|rest| rest.starts_with(b"ustar"))
}

fn detect_packing(path: &Path) -> io::Result<Option<Packing>> {
    let start = first_bytes(File::open(path)?)?;
    // An empty zip archive has only its end record.
    let zip = [b"PK\x03\x04", b"PK\x05\x06"];
    Ok(if zip.iter().any(|mark| start.starts_with(*mark)) {
        Some(Packing::Zip)
    } else if start.starts_with(b"\x1f\x8b") {
        Some(Packing::CompressedTar)
    } else if is_tar(&start) {
        Some(Packing::Tar)
    } else {
        None
    })
}

fn damaged_archive(why: impl Display) -> UnpackRefusal {
    UnpackRefusal::Damaged(why.to_string())
}

fn unpack_zip(file: impl Read + Seek, target: &mut UnpackTarget) -> Result<(), UnpackRefusal> {
    const TYPE: u32 = 0o170_000;
    const LINK: u32 = 0o120_000;
    const FILE: u32 = 0o100_000;
    const DIRECTORY: u32 = 0o040_000;
    let mut archive = ZipArchive::new(file).map_err(damaged_archive)?;
    if archive.has_duplicate_names() {
        return Err(damaged_archive("two of its files have the same name"));
    }
    target.check_declared_size(archive.len(), archive.decompressed_size())?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged_archive)?;
        // Many programs write UTF-8 without the flag for it.
        let name = match str::from_utf8(entry.name_raw()) {
            Ok(name) => name.to_owned(),
            Err(_) => entry.name().map_err(damaged_archive)?.into_owned(),
        };
        let mode = entry.unix_mode().unwrap_or_default();
        match mode & TYPE {
            _ if entry.is_dir() => target.add_directory(&name)?,
            LINK => {
                let mut leads_to = String::new();
                (&mut entry)
                    .take(MAX_NAME_BYTES)
                    .read_to_string(&mut leads_to)
                    .map_err(damaged_archive)?;
                target.add_link(&name, &leads_to)?;
            }
            0 | FILE => target.add_file(&name, mode & 0o111 != 0, &mut entry)?,
            DIRECTORY => target.add_directory(&name)?,
            _ => return Err(UnpackRefusal::Device(name)),
        }
    }
    Ok(())
}

/// Upper bound in bytes on the names before a file and the targets of links: far more than a system can open.
const MAX_NAME_BYTES: u64 = 1 << 20;

fn unpack_tar(file: impl Read, target: &mut UnpackTarget) -> Result<(), UnpackRefusal> {
    let left = Cell::new(0);
    let mut archive = tar::Archive::new(BoundedReader { file, remaining: &left });
    let mut entries = archive.entries().map_err(damaged_archive)?;
    loop {
        left.set(MAX_NAME_BYTES);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(damaged_archive)?;
        left.set(u64::MAX);
        let name = utf8_name(&entry.path_bytes())?;
        let link = entry.link_name_bytes().unwrap_or_default();
        match entry.header().entry_type() {
            EntryType::Directory => target.add_directory(&name)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let mode = entry.header().mode().map_err(damaged_archive)?;
                target.add_file(&name, mode & 0o111 != 0, &mut entry)?;
            }
            EntryType::Symlink => target.add_link(&name, &utf8_name(&link)?)?,
            EntryType::Link => target.add_hard_link(&name, &utf8_name(&link)?)?,
            EntryType::XGlobalHeader => {}
            _ => return Err(UnpackRefusal::Device(name)),
        }
    }
    // Compressed data has its checksum at the end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map(drop).map_err(damaged_archive)
}

fn utf8_name(name: &[u8]) -> Result<String, UnpackRefusal> {
    let name = str::from_utf8(name);
    name.map(str::to_owned).map_err(|_| damaged_archive("the name of a file is not UTF-8"))
}

/// Bounds how much is read between two files, because all of that is kept in memory.
struct BoundedReader<'a, R> {
    file: R,
    remaining: &'a Cell<u64>,
}

impl<R: Read> Read for BoundedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.remaining.get();
        if left == 0 {
            return Err(io::Error::other("the name of a file is too long"));
        }
        let size = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.file.read(&mut buffer[..size])?;
        self.remaining.set(left - read as u64);
        Ok(read)
    }
}
