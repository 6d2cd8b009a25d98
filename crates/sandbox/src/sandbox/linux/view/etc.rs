//! The few files of `/etc` that programs need, copied into the view: they are small, and each mount would cost time in
//! every run.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use crate::sandbox::disk;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::setup::UserIdentity;

/// Prefixes of names in `/etc` that run-time systems read. They contain no secrets and nothing about the machine.
const NEEDED_PREFIXES: [&str; 16] = [
    "ld.so.",
    "alternatives",
    "localtime",
    "java",
    "python",
    "fpc",
    "mono",
    "ghc",
    "perl",
    "php",
    "R",
    "sbcl",
    "ocaml",
    "nodejs",
    "ruby",
    "dotnet",
];

/// Upper bound on the copied bytes.
const COPIED_BYTES_MAX: u64 = 8 << 20;

/// Run-time systems read files with this name in `/etc`.
pub(crate) fn is_needed(name: &OsStr) -> bool {
    NEEDED_PREFIXES.iter().any(|start| name.as_bytes().starts_with(start.as_bytes()))
}

/// Writes the files below a new root; the process's umask must give new files their mode.
pub(super) fn write_etc(root: &OwnedFd, identity: UserIdentity) -> Result<(), Fault> {
    let etc = make_directory(root, c"etc").step("make the sandbox's /etc")?;
    let UserIdentity { uid, gid, .. } = identity;
    let own = [
        (c"passwd", format!("contestant:x:{uid}:{gid}:contestant:/box:/bin/sh\n")),
        (c"group", format!("contestant:x:{gid}:\n")),
        (c"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n".to_owned()),
        (c"hosts", "127.0.0.1 localhost\n".to_owned()),
    ];
    for (name, text) in own {
        make_file(&etc, name, text.as_bytes())
            .step_on("write the sandbox's /etc/", name.to_string_lossy())?;
    }
    let Ok(machine) = disk::open_directory(CWD, c"/etc") else { return Ok(()) };
    let mut room = COPIED_BYTES_MAX;
    copy_all(&machine, &etc, &mut room, &is_needed)
}

/// Copies the files, links and directories with these names that everybody may read, until `left` bytes are used up.
fn copy_all(
    from: &OwnedFd,
    to: &OwnedFd,
    room: &mut u64,
    is_wanted: &dyn Fn(&OsStr) -> bool,
) -> Result<(), Fault> {
    let Ok(entries) = Dir::read_from(from) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let shown = OsStr::from_bytes(name.to_bytes());
        if [".", ".."].iter().any(|own| shown == *own) || !is_wanted(shown) {
            continue;
        }
        let step = "copy into the sandbox's /etc:";
        let kind = match entry.file_type() {
            FileType::Unknown => file_type(from, name).step_on(step, shown.display())?,
            known => known,
        };
        if kind != FileType::Directory {
            copy_entry(from, to, name, kind, room).step_on(step, shown.display())?;
        } else if let Ok(from) = disk::open_directory(from, name) {
            let to = make_directory(to, name).step_on(step, shown.display())?;
            copy_all(&from, &to, room, &|_| true)?;
        }
    }
    Ok(())
}

fn file_type(from: &OwnedFd, name: &CStr) -> io::Result<FileType> {
    let stat = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}

/// Copies a link, or a file that everybody may read.
fn copy_entry(
    from: &OwnedFd,
    to: &OwnedFd,
    name: &CStr,
    kind: FileType,
    room: &mut u64,
) -> io::Result<()> {
    // The time zone is a link into /usr in most systems; in others it may lead out of it.
    if kind == FileType::Symlink && name != c"localtime" {
        rustix::fs::symlinkat(rustix::fs::readlinkat(from, name, Vec::new())?, to, name)?;
    } else if let Some(text) = read_public_file(from, name, *room) {
        *room -= text.len() as u64;
        make_file(to, name, &text)?;
    }
    Ok(())
}

/// `None` if not everybody may read the file, or if it is too large.
fn read_public_file(from: &OwnedFd, name: &CStr, most: u64) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(from, name, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let is_open = Mode::from_raw_mode(stat.st_mode).contains(Mode::ROTH);
    let length = u64::try_from(stat.st_size).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || !is_open || length > most {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(length).ok()?);
    File::from(file).take(length).read_to_end(&mut text).ok()?;
    Some(text)
}

fn make_file(to: &OwnedFd, name: &CStr, text: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::openat(to, name, flags, Mode::from_raw_mode(0o644))?;
    File::from(file).write_all(text)
}

fn make_directory(to: impl AsFd, name: &CStr) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(&to, name, Mode::from_raw_mode(0o755))?;
    Ok(disk::open_directory(to, name)?)
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    #[test]
    fn only_public_files_are_copied() {
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let at = |name: &str| from.path().join(name);
        fs::create_dir_all(at("java/deep")).unwrap();
        fs::write(at("java/deep/settings"), "text").unwrap();
        fs::write(at("secret"), "secret").unwrap();
        fs::set_permissions(at("secret"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::write(at("large"), [0; 200]).unwrap();
        fs::write(at("unwanted"), "").unwrap();
        symlink("/usr/bin/g++", at("c++")).unwrap();
        symlink(at("java/deep/settings"), at("localtime")).unwrap();
        let [source, target] = [&from, &to].map(|dir| {
            let path = CString::new(dir.path().as_os_str().as_bytes()).unwrap();
            disk::open_directory(CWD, &path).unwrap()
        });
        copy_all(&source, &target, &mut 100, &|name| name != "unwanted").unwrap();
        let read = |name: &str| fs::read_to_string(to.path().join(name)).unwrap();
        assert_eq!(read("java/deep/settings"), "text");
        assert_eq!(read("localtime"), "text");
        assert_eq!(fs::read_link(to.path().join("c++")).unwrap(), Path::new("/usr/bin/g++"));
        let mut names: Vec<_> =
            fs::read_dir(to.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["c++", "java", "localtime"]);
    }
}
