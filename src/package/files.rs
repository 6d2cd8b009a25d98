//! The files of a package: which exist, which are ignored, and where links lead.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::model::diagnostic::Place;
use crate::package::Format;
use crate::package::faults::Faults;
use crate::package::text::TextFile;

/// A package with more files than this is not read. This also stops links that multiply directories.
pub(super) const MAX_FILES: usize = 500_000;

/// Larger files cause trouble in archives and version control.
///
/// Source: problem package format 2025-09, "General requirements".
const RECOMMENDED_SIZE: u64 = 100 << 20;

/// A file or directory of a package.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The path below the package's directory, with `/` between its parts.
    pub name: String,
    pub path: PathBuf,
    pub kind: Kind,
}

/// The kind of an item; a link has the kind of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
}

impl Item {
    pub(super) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    pub(super) fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }

    /// The text of a file.
    pub(super) fn read(&self, faults: &Faults) -> Option<TextFile> {
        TextFile::read(&self.path, faults)
    }

    /// The last part of the name.
    pub(super) fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// The last part of the name without its ending; empty if it has no ending.
    pub(super) fn stem(&self) -> &str {
        self.base_name().rsplit_once('.').map_or("", |(stem, _)| stem)
    }

    /// The ending without its dot.
    pub(super) fn ending(&self) -> &str {
        self.base_name().rsplit_once('.').map_or("", |(_, ending)| ending)
    }
}

impl From<&Item> for Place {
    fn from(item: &Item) -> Self {
        item.path.as_path().into()
    }
}

/// All files of a package by name, except those that the format ignores.
#[derive(Debug)]
pub(super) struct Files {
    pub root: PathBuf,
    /// Faults of the files.
    pub faults: Faults,
    items: Vec<Item>,
}

impl Files {
    /// Lists everything below `root` that belongs to a package of this format, without leaving `root`.
    pub(super) fn read(root: &Path, format: &dyn Format) -> Self {
        let faults = Faults::default();
        let mut walk = Walk {
            root,
            format,
            real_root: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            items: Vec::new(),
            faults: &faults,
        };
        walk.run();
        let mut items = walk.items;
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Self { root: root.to_owned(), items, faults }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Item> {
        let at = self.items.binary_search_by(|item| item.name.as_str().cmp(name));
        at.ok().map(|at| &self.items[at])
    }

    pub(super) fn file(&self, name: &str) -> Option<&Item> {
        self.get(name).filter(|item| item.is_file())
    }

    pub(super) fn directory(&self, name: &str) -> Option<&Item> {
        self.get(name).filter(|item| item.is_directory())
    }

    /// All items below a directory, by name; all of the package for an empty name.
    pub(super) fn below(&self, directory: &str) -> &[Item] {
        if directory.is_empty() {
            return &self.items;
        }
        let prefix = format!("{directory}/");
        let start = self.items.partition_point(|item| item.name < prefix);
        let inside = self.items[start..].partition_point(|item| item.name.starts_with(&prefix));
        &self.items[start..start + inside]
    }

    /// The items directly in a directory, by name.
    pub(super) fn children<'t>(&'t self, directory: &str) -> impl Iterator<Item = &'t Item> {
        let skip = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let below = self.below(directory).iter();
        below.filter(move |item| !item.name[skip..].contains('/'))
    }

    /// The path of an item of this name, even if it does not exist.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

struct Walk<'a> {
    root: &'a Path,
    format: &'a dyn Format,
    real_root: PathBuf,
    items: Vec<Item>,
    faults: &'a Faults,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut entries = WalkDir::new(self.root).min_depth(1).follow_links(true).into_iter();
        while let Some(next) = entries.next() {
            let entry = match next {
                Ok(entry) => entry,
                Err(error) => {
                    self.report(&error);
                    continue;
                }
            };
            let descend = self.visit(&entry);
            if entry.file_type().is_dir() && !descend {
                entries.skip_current_dir();
            }
            if self.items.len() > MAX_FILES {
                let message =
                    format!("has more than {MAX_FILES} files; juror reads no larger package");
                self.faults.error(self.root, message, "");
                return;
            }
        }
    }

    /// Notes an entry; returns whether to descend into it if it is a directory.
    fn visit(&mut self, entry: &DirEntry) -> bool {
        let Ok(relative) = entry.path().strip_prefix(self.root) else { return false };
        let name = &*relative.to_string_lossy();
        if !self.format.wants(name) {
            return false;
        }
        let base_name = &*entry.file_name().to_string_lossy();
        if !self.format.allows(base_name) {
            self.ignored(entry, name, base_name);
            return false;
        }
        if relative.to_str().is_none() {
            if self.format.judges(name) {
                self.faults.error(entry.path(), "has a name that is not UTF-8", NAME_HELP);
            } else {
                let message = "is ignored: its name is not UTF-8";
                self.faults.warning(entry.path(), message, NAME_HELP);
            }
            return false;
        }
        if entry.path_is_symlink() && !self.leads_inside(entry.path()) {
            return false;
        }
        let kind = if entry.file_type().is_dir() {
            Kind::Directory
        } else if entry.file_type().is_file() {
            Kind::File
        } else {
            let message = "is neither a file nor a directory";
            self.faults.lack(entry.path(), message, "remove it from the package");
            return false;
        };
        if kind == Kind::File {
            self.check_size(entry);
        }
        self.items.push(Item { name: name.to_owned(), path: entry.path().to_owned(), kind });
        true
    }

    fn check_size(&mut self, entry: &DirEntry) {
        let size = entry.metadata().map_or(0, |metadata| metadata.len());
        if size > RECOMMENDED_SIZE {
            let message = format!("has {} MiB; the format recommends at most 100", size >> 20);
            let help = "smaller files pass through archives and version control more easily";
            self.faults.warning(entry.path(), message, help);
        }
    }

    /// Reports that a file is ignored, if it looks like a mistake.
    fn ignored(&mut self, entry: &DirEntry, name: &str, base_name: &str) {
        let hidden = base_name.starts_with('.');
        let is_test_data = name.starts_with(self.format.layout().data)
            && (base_name.ends_with(".in") || base_name.ends_with(".ans"));
        let backup = base_name.ends_with('~') || base_name.starts_with('#');
        if is_test_data || !hidden && !backup && name.contains('/') {
            let message = "is ignored: the format does not allow its name";
            self.faults.warning(entry.path(), message, NAME_HELP);
        }
    }

    fn leads_inside(&mut self, link: &Path) -> bool {
        let target = std::fs::read_link(link).unwrap_or_default();
        if link.canonicalize().is_ok_and(|real| real.starts_with(&self.real_root)) {
            return true;
        }
        let message = format!("is a link to {}, which is outside of the package", target.display());
        let help = "copy the file into the package";
        self.lost(link, message, help);
        false
    }

    fn report(&mut self, error: &walkdir::Error) {
        let path = error.path().unwrap_or(self.root);
        let target = std::fs::read_link(path).ok();
        let name = path.strip_prefix(self.root).ok().and_then(Path::to_str);
        if name.is_some_and(|name| !self.format.wants(name)) {
            return;
        }
        let base_name = path.file_name().and_then(|name| name.to_str());
        if base_name.is_some_and(|name| !self.format.allows(name)) {
            return;
        }
        let (message, help) = match (error.loop_ancestor(), target) {
            (Some(_), _) => {
                ("is a link to a directory that contains it".to_owned(), "remove the link")
            }
            (None, Some(target)) => {
                let message = format!("is a link to {}, which does not exist", target.display());
                (message, "fix or remove the link")
            }
            (None, None) => {
                let reason =
                    error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                (format!("cannot be read: {reason}"), "")
            }
        };
        self.lost(path, message, help);
    }

    /// Reports an item that is not read. Submissions are judged even if one of them is lost; the loss of a test case
    /// or a validator would change verdicts.
    fn lost(&self, path: &Path, message: impl Into<String>, help: &str) {
        let name = path.strip_prefix(self.root).unwrap_or(path);
        match self.format.judges(&name.to_string_lossy()) {
            true => drop(self.faults.error(path, message, help)),
            false => self.faults.lack(path, message, help),
        }
    }
}

/// What names a format allows.
pub(super) const NAME_HELP: &str =
    "names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`";

/// `^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}$`
///
/// Source: problem package format 2025-09, "General requirements".
pub(super) fn is_valid_name(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() <= 255
        && name.bytes().next().is_some_and(word)
        && name.bytes().all(|byte| word(byte) || matches!(byte, b'.' | b'-'))
}

/// The name of something in a directory, which may be that of the package.
pub(super) fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

/// Whether a name is in this directory, at any depth.
pub(super) fn is_inside(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}
