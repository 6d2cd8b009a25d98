//! The directory that an archive is unpacked into. Nothing is written outside of it, no link leads out of it, and the
//! size and number of its files are bounded.
//!
//! Bytes are counted as they are written, since the sizes that an archive declares may be false.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::package::detect;
use juror_core::language::sources::is_made_by_build;
use juror_core::root::{self, FilePath};
use juror_core::stop::is_interrupted;
use juror_core::units::Bytes;

#[derive(Clone, Copy, Debug)]
pub struct UnpackBounds {
    /// Size of all files together.
    pub bytes: u64,
    pub entries: usize,
}

/// Upper bound on the names of all entries and directories, which are kept in memory.
const MAX_NAMES_SIZE: Bytes = Bytes::mib(64);

/// Upper bound on directories in each other, as in a package.
const MAX_DEPTH: usize = root::WalkBounds::PACKAGE.depth;

/// Upper bound on links, each of which may lead through forty others.
const MAX_LINKS: usize = root::WalkBounds::PACKAGE.behind_links;

/// Upper bound on the target of a link, in bytes: systems take no longer one.
const MAX_LINK_LENGTH: usize = 4095;

impl Default for UnpackBounds {
    fn default() -> Self {
        Self { bytes: 4 << 30, entries: root::WalkBounds::PACKAGE.entries }
    }
}

#[derive(Debug)]
pub(super) enum UnpackRefusal {
    Damaged(String),
    /// A name leads out of the directory, or is not valid on this system.
    Outside(String),
    /// A name has a backslash: some programs of Windows write it between directories, against the format.
    Backslash(String),
    /// A link leads out of the archive, or to nothing.
    Link(String, String),
    /// An entry is neither a file nor a directory nor a link.
    Device(String),
    DuplicateName(String),
    TooLarge(String),
    System(io::Error),
}

impl UnpackRefusal {
    pub(super) fn message_and_help(&self) -> (String, String) {
        let other = "unpack it with a program that you trust, and give the directory";
        let (message, help) = match self {
            Self::Damaged(why) => (format!("cannot be read: {why}"), "pack it again"),
            Self::Outside(name) => {
                (format!("has a file `{name}`, which is outside of the package"), other)
            }
            Self::Backslash(name) => {
                let message = format!("has a file `{name}`, whose name has a backslash");
                (message, "pack it again with a program that writes `/` between directories")
            }
            Self::Link(name, to) => {
                let message = format!("has a link `{name}` to `{to}`, which is not in the archive");
                (message, "pack the file instead of the link")
            }
            Self::Device(name) => {
                let message = format!("has `{name}`, which is neither a file nor a directory");
                (message, "pack it again without it")
            }
            Self::DuplicateName(name) => (format!("has `{name}` twice"), "pack it again"),
            Self::TooLarge(what) => (format!("is too large: it has more than {what}"), other),
            Self::System(error) => {
                let help =
                    "make room in the directory for temporary files, or set TMPDIR to another";
                (format!("cannot be unpacked: {error}"), help)
            }
        };
        (message, help.to_owned())
    }
}

pub(super) struct UnpackTarget {
    root: PathBuf,
    bounds: UnpackBounds,
    bytes: u64,
    entries: usize,
    /// Bytes of the names of entries and directories.
    names: u64,
    created_dirs: HashSet<PathBuf>,
    /// Links are made at the end, so that nothing is written through one.
    links: Vec<[String; 2]>,
}

impl UnpackTarget {
    /// Makes the directory.
    pub(super) fn new(root: PathBuf, bounds: UnpackBounds) -> Result<Self, UnpackRefusal> {
        fs::create_dir(&root).map_err(UnpackRefusal::System)?;
        let (created_dirs, links) = (HashSet::from([root.clone()]), Vec::new());
        Ok(Self { root, bounds, bytes: 0, entries: 0, names: 0, created_dirs, links })
    }

    /// The size of all files so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Refuses an archive early if the sizes that it declares are above the bounds.
    pub(super) fn check_declared_size(
        &self,
        entries: usize,
        bytes: Option<u128>,
    ) -> Result<(), UnpackRefusal> {
        if entries > self.bounds.entries {
            return Err(self.too_many());
        }
        if bytes.is_some_and(|bytes| bytes > self.bounds.bytes.into()) {
            Err(self.too_large())
        } else {
            Ok(())
        }
    }

    pub(super) fn add_directory(&mut self, name: &str) -> Result<(), UnpackRefusal> {
        let Some(path) = self.entry_path(name)? else { return Ok(()) };
        self.make_directories(&path, name)
    }

    pub(super) fn add_file(
        &mut self,
        name: &str,
        is_executable: bool,
        contents: &mut dyn Read,
    ) -> Result<(), UnpackRefusal> {
        let Some(path) = self.entry_path(name)? else { return Ok(()) };
        self.make_directories(path.parent().unwrap_or(&path), name)?;
        let mode = if is_executable { 0o755 } else { 0o644 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let mut file = file.map_err(|error| entry_error(error, name))?;
        self.write_contents(contents, &mut file)
    }

    pub(super) fn add_link(&mut self, name: &str, leads_to: &str) -> Result<(), UnpackRefusal> {
        let Some(path) = self.entry_path(name)? else { return Ok(()) };
        self.make_directories(path.parent().unwrap_or(&path), name)?;
        if leads_to.starts_with('/') || leads_to.len() > MAX_LINK_LENGTH {
            return Err(UnpackRefusal::Link(name.to_owned(), leads_to.to_owned()));
        }
        if self.links.len() == MAX_LINKS {
            return Err(UnpackRefusal::TooLarge(format!("{MAX_LINKS} links")));
        }
        self.links.push([name.to_owned(), leads_to.to_owned()]);
        Ok(())
    }

    /// Copies a file that was unpacked before, so that its bytes count for each of its names.
    pub(super) fn add_hard_link(&mut self, name: &str, of: &str) -> Result<(), UnpackRefusal> {
        let original = self.path_below(of)?.filter(|path| path.is_file());
        let original =
            original.ok_or_else(|| UnpackRefusal::Link(name.to_owned(), of.to_owned()))?;
        let mut contents = File::open(&original).map_err(UnpackRefusal::System)?;
        let mode = contents.metadata().map_err(UnpackRefusal::System)?.permissions();
        self.add_file(name, false, &mut contents)?;
        let Some(path) = self.path_below(name)? else { return Ok(()) };
        fs::set_permissions(path, mode).map_err(UnpackRefusal::System)
    }

    /// Makes the links and returns where the package is. A single directory at the top is entered, and so on down to
    /// a package.
    pub(super) fn finish(self) -> Result<PathBuf, UnpackRefusal> {
        for [name, leads_to] in &self.links {
            let Some(path) = self.path_below(name)? else { continue };
            symlink(leads_to, path).map_err(|error| entry_error(error, name))?;
        }
        // Where a link leads is known when all are there: it may lead through others.
        let root = self.root.canonicalize().map_err(UnpackRefusal::System)?;
        for [name, leads_to] in self.links {
            let leads_inside =
                |path: PathBuf| path.canonicalize().is_ok_and(|target| target.starts_with(&root));
            let is_for_build = is_made_by_build(&FilePath::root(&*root).join(&name));
            if !is_for_build && !leads_inside(root.join(&name)) {
                return Err(UnpackRefusal::Link(name, leads_to));
            }
        }
        let mut package = self.root;
        while let Some(only) = single_directory(&package)? {
            package = only;
            if detect::format(&FilePath::root(&package), None).is_ok() {
                break;
            }
        }
        Ok(package)
    }

    /// The path for an entry of this name; `None` for the directory itself, and for files that some programs add.
    fn entry_path(&mut self, name: &str) -> Result<Option<PathBuf>, UnpackRefusal> {
        check_interrupt()?;
        self.count_entry(name.len())?;
        self.path_below(name)
    }

    /// Counts an entry or a directory above one: a short name can make a hundred directories.
    fn count_entry(&mut self, name: usize) -> Result<(), UnpackRefusal> {
        self.entries += 1;
        self.names += name as u64;
        if self.names > MAX_NAMES_SIZE.0 {
            Err(UnpackRefusal::TooLarge(format!("{MAX_NAMES_SIZE} of names")))
        } else if self.entries > self.bounds.entries {
            Err(self.too_many())
        } else {
            Ok(())
        }
    }

    fn make_directories(&mut self, path: &Path, name: &str) -> Result<(), UnpackRefusal> {
        let missing = path.ancestors().take_while(|dir| !self.created_dirs.contains(*dir));
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        for directory in missing.into_iter().rev() {
            self.count_entry(directory.as_os_str().len() - self.root.as_os_str().len())?;
            fs::create_dir(&directory).map_err(|error| entry_error(error, name))?;
            self.created_dirs.insert(directory);
        }
        Ok(())
    }

    fn path_below(&self, name: &str) -> Result<Option<PathBuf>, UnpackRefusal> {
        let is_bad = name.starts_with('/')
            || name.contains('\0')
            || name.split(['/', '\\']).any(|part| part == "..");
        if is_bad {
            return Err(UnpackRefusal::Outside(name.escape_debug().to_string()));
        }
        if name.contains('\\') {
            return Err(UnpackRefusal::Backslash(name.escape_debug().to_string()));
        }
        let parts = || name.split('/').filter(|part| !matches!(*part, "" | "."));
        if parts().count() > MAX_DEPTH {
            let what = format!("{MAX_DEPTH} directories in each other");
            return Err(UnpackRefusal::TooLarge(what));
        }
        // macOS keeps metadata of the files here.
        if parts().next().is_none_or(|first| first == "__MACOSX") {
            return Ok(None);
        }
        Ok(Some(parts().fold(self.root.clone(), |path, part| path.join(part))))
    }

    fn write_contents(
        &mut self,
        contents: &mut dyn Read,
        file: &mut File,
    ) -> Result<(), UnpackRefusal> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            check_interrupt()?;
            let read = match contents.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(UnpackRefusal::Damaged(error.to_string())),
            };
            self.bytes += read as u64;
            if self.bytes > self.bounds.bytes {
                return Err(self.too_large());
            }
            file.write_all(&buffer[..read]).map_err(UnpackRefusal::System)?;
        }
    }

    fn too_large(&self) -> UnpackRefusal {
        UnpackRefusal::TooLarge(Bytes(self.bounds.bytes).to_string())
    }

    fn too_many(&self) -> UnpackRefusal {
        UnpackRefusal::TooLarge(format!("{} files and directories", self.bounds.entries))
    }
}

fn check_interrupt() -> Result<(), UnpackRefusal> {
    if is_interrupted() {
        Err(UnpackRefusal::System(ErrorKind::Interrupted.into()))
    } else {
        Ok(())
    }
}

/// The only directory in this one. Files that systems add do not count. A package may have a README or a licence
/// next to it.
fn single_directory(dir: &Path) -> Result<Option<PathBuf>, UnpackRefusal> {
    const ADDED: [&str; 2] = ["Thumbs.db", "desktop.ini"];
    let entries = fs::read_dir(dir).map_err(UnpackRefusal::System)?.flatten();
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        !name.as_encoded_bytes().starts_with(b".") && ADDED.iter().all(|added| name != *added)
    };
    let own: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_own).collect();
    let is_package = |path: &Path| detect::format(&FilePath::root(path), None).is_ok();
    let (texts, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        own.iter().partition(|path| is_readme(path));
    let only = match others[..] {
        [only] if texts.is_empty() || (!is_package(dir) && is_package(only)) => Some(only.clone()),
        _ => None,
    };
    Ok(only.filter(|only| only.is_dir() && !only.is_symlink()))
}

fn is_readme(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    path.is_file() && ["README", "LICENSE", "LICENCE"].iter().any(|start| name.starts_with(start))
}

/// Blames the archive if the file already exists.
fn entry_error(error: io::Error, name: &str) -> UnpackRefusal {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            UnpackRefusal::DuplicateName(name.to_owned())
        }
        ErrorKind::InvalidFilename => UnpackRefusal::Outside(name.escape_debug().to_string()),
        _ => UnpackRefusal::System(error),
    }
}
