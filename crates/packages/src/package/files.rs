//! The files of a package: which exist, which are ignored, and where links lead.

use std::io::ErrorKind;
use std::path::Path;

use crate::package::Format;
use crate::package::faults::Faults;
use crate::package::text::TextFile;
use juror_core::diagnostic::SourcePlace;
use juror_core::language::sources::is_made_by_build;
use juror_core::root::{FilePath, Obstacle, PathEntry, PathKind, UnreachedPath, WalkBounds};

/// Larger files cause trouble in archives and version control.
///
/// Source: problem package format 2025-09, "General requirements".
const RECOMMENDED_SIZE: u64 = 100 << 20;

#[derive(Clone, Debug)]
pub(super) struct PackageEntry {
    /// The path below the package's directory, with `/` between its parts.
    pub name: String,
    pub path: FilePath,
    pub kind: PathKind,
}

impl PackageEntry {
    pub(super) fn is_file(&self) -> bool {
        self.kind == PathKind::File
    }

    pub(super) fn is_directory(&self) -> bool {
        self.kind == PathKind::Directory
    }

    pub(super) fn read(&self, faults: &Faults) -> Option<TextFile> {
        TextFile::read(&self.path, faults)
    }

    pub(super) fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// The last part of the name without its ending; empty if it has no ending.
    pub(super) fn stem(&self) -> &str {
        self.base_name().rsplit_once('.').map_or("", |(stem, _)| stem)
    }

    pub(super) fn ending(&self) -> &str {
        self.base_name().rsplit_once('.').map_or("", |(_, ending)| ending)
    }
}

impl From<&PackageEntry> for SourcePlace {
    fn from(item: &PackageEntry) -> Self {
        (&item.path).into()
    }
}

/// All files of a package by name, except those that the format ignores.
#[derive(Debug)]
pub(super) struct PackageFiles {
    pub root: FilePath,
    pub faults: Faults,
    /// Whether all was listed: a package that is too large is not read.
    pub is_complete: bool,
    items: Vec<PackageEntry>,
}

impl PackageFiles {
    /// Lists everything below `root` that belongs to a package of this format, without leaving `root`.
    pub(super) fn read(root: &FilePath, format: &dyn Format) -> Self {
        Self::read_with_data(root, format, None)
    }

    /// Files of `data` stand for those of the same name in the directory of the test data.
    pub(super) fn read_with_data(
        root: &FilePath,
        format: &dyn Format,
        data: Option<&FilePath>,
    ) -> Self {
        let (faults, items) = (Faults::default(), Vec::new());
        let mut tree = Self { root: root.clone(), faults, is_complete: true, items };
        if let Some(data) = data {
            let directory = format.layout().data;
            FileSearch { tree: &mut tree, root: data, directory, format }.list_files();
        }
        FileSearch { tree: &mut tree, root, directory: "", format }.list_files();
        tree.items.sort_by(|a, b| a.name.cmp(&b.name));
        tree.items.dedup_by(|later, first| later.name == first.name);
        tree
    }

    pub(super) fn get(&self, name: &str) -> Option<&PackageEntry> {
        let index = self.items.binary_search_by(|item| item.name.as_str().cmp(name));
        index.ok().map(|index| &self.items[index])
    }

    pub(super) fn file(&self, name: &str) -> Option<&PackageEntry> {
        self.get(name).filter(|item| item.is_file())
    }

    pub(super) fn directory(&self, name: &str) -> Option<&PackageEntry> {
        self.get(name).filter(|item| item.is_directory())
    }

    /// All items below a directory, by name; all of the package for an empty name.
    pub(super) fn below(&self, directory: &str) -> &[PackageEntry] {
        if directory.is_empty() {
            return &self.items;
        }
        let prefix = format!("{directory}/");
        let start = self.items.partition_point(|item| item.name < prefix);
        let inside = self.items[start..].partition_point(|item| item.name.starts_with(&prefix));
        &self.items[start..start + inside]
    }

    pub(super) fn children<'t>(
        &'t self,
        directory: &str,
    ) -> impl Iterator<Item = &'t PackageEntry> {
        let skip = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let below = self.below(directory).iter();
        below.filter(move |item| !item.name[skip..].contains('/'))
    }

    /// The path of an item of this name, even if it does not exist.
    pub(super) fn path(&self, name: &str) -> FilePath {
        self.root.join(name)
    }
}

struct FileSearch<'a> {
    tree: &'a mut PackageFiles,
    root: &'a FilePath,
    /// The name of `root` in the package; empty for the package itself.
    directory: &'static str,
    format: &'a dyn Format,
}

pub(super) const NAME_HELP: &str =
    "names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`";

impl FileSearch<'_> {
    fn list_files(&mut self) {
        let mut walk = self.root.walk(WalkBounds::PACKAGE);
        while let Some(next) = walk.next() {
            let entered = next.and_then(|entry| {
                let Some(item) = self.read_entry(&entry) else { return Ok(()) };
                if item.is_directory() {
                    walk.enter(&entry)?;
                }
                self.tree.items.push(item);
                Ok(())
            });
            if let Err(unreached) = entered {
                self.report(&unreached);
            }
        }
    }

    /// `None` if the format ignores the entry, or if juror cannot read it.
    fn read_entry(&mut self, entry: &PathEntry) -> Option<PackageEntry> {
        let relative = entry.path.strip_prefix(&**self.root).ok()?;
        let name = &*join_name(self.directory, &relative.to_string_lossy());
        if !self.format.includes(name) {
            return None;
        }
        let base_name = &*entry.name().to_string_lossy();
        if !self.format.allows_name(base_name) {
            self.report_ignored(entry, name, base_name);
            return None;
        }
        if relative.to_str().is_none() {
            if self.format.affects_verdicts(name) {
                self.tree.faults.error(&entry.path, "has a name that is not UTF-8", NAME_HELP);
            } else {
                let message = "is ignored: its name is not UTF-8";
                self.tree.faults.warning(&entry.path, message, NAME_HELP);
            }
            return None;
        }
        match entry.kind_and_metadata() {
            Ok((kind, metadata)) => {
                if kind == PathKind::File {
                    self.check_size(&entry.path, metadata.len());
                }
                Some(PackageEntry { name: name.to_owned(), path: entry.path.clone(), kind })
            }
            Err(_) if is_made_by_build(&entry.path) => {
                let (name, path) = (name.to_owned(), entry.path.clone());
                Some(PackageEntry { name, path, kind: PathKind::File })
            }
            Err(reason) => {
                self.report(&UnreachedPath { path: entry.path.clone(), reason });
                None
            }
        }
    }

    fn check_size(&self, path: &FilePath, size: u64) {
        if size > RECOMMENDED_SIZE {
            let message = format!("has {} MiB; the format recommends at most 100", size >> 20);
            let help = "smaller files pass through archives and version control more easily";
            self.tree.faults.warning(path, message, help);
        }
    }

    /// Reports that a file is ignored, if it looks like a mistake.
    fn report_ignored(&self, entry: &PathEntry, name: &str, base_name: &str) {
        let hidden = base_name.starts_with('.');
        let is_test_data = name.starts_with(self.format.layout().data)
            && (base_name.ends_with(".in") || base_name.ends_with(".ans"));
        let backup = base_name.ends_with('~') || base_name.starts_with('#');
        if is_test_data || (!hidden && !backup && name.contains('/')) {
            let message = "is ignored: the format does not allow its name";
            self.tree.faults.warning(&entry.path, message, NAME_HELP);
        }
    }

    fn report(&mut self, unreached: &UnreachedPath) {
        let UnreachedPath { path, reason } = unreached;
        let target = path.link_target().ok();
        let target = target.as_deref().map(Path::display);
        let (message, help) = match (reason, target) {
            (Obstacle::Special, _) => {
                self.tree.faults.publishing_error(
                    path,
                    reason.to_string(),
                    "remove it from the package",
                );
                return;
            }
            (Obstacle::TooMany(_) | Obstacle::TooDeep(_) | Obstacle::TooLinked(_), _) => {
                self.tree.is_complete = false;
                let message = format!("{reason}; juror reads no larger package");
                self.tree.faults.error(path, message, "");
                return;
            }
            (Obstacle::Loop, _) => (reason.to_string(), "remove the link"),
            (Obstacle::Outside, Some(target)) => (
                format!("is a link to {target}, which is outside of the package"),
                "copy the file into the package",
            ),
            (Obstacle::System(error), Some(target)) if error.kind() == ErrorKind::NotFound => {
                (format!("is a link to {target}, which does not exist"), "fix or remove the link")
            }
            _ => (reason.to_string(), ""),
        };
        self.report_unread(path, message, help);
    }

    /// Submissions are judged even if one of them cannot be read. A missing test case or validator would change
    /// verdicts.
    fn report_unread(&self, path: &FilePath, message: impl Into<String>, help: &str) {
        let name = path.strip_prefix(&**self.root).unwrap_or(path);
        if self.format.affects_verdicts(&name.to_string_lossy()) {
            self.tree.faults.error(path, message, help);
        } else {
            self.tree.faults.publishing_error(path, message, help);
        }
    }
}

/// `^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}$`
///
/// Source: problem package format 2025-09, "General requirements".
pub(super) fn is_valid_name(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() <= 255
        && name.bytes().next().is_some_and(word)
        && name.bytes().all(|byte| word(byte) || matches!(byte, b'.' | b'-'))
}

/// An empty directory is the package itself.
pub(super) fn join_name(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

pub(super) fn is_inside(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}
