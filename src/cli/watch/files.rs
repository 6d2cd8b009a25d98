//! Watches files for changes.
//!
//! A change is a difference between two scans of all files, because editors save in many ways and leave other files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::cli::watch::judged::JudgedFiles;
use juror_core::root::{FilePath, PathEntry, PathKind, WalkBounds};

const SCAN_INTERVAL: Duration = Duration::from_millis(300);
/// How long files must be unchanged before changes are reported.
const SETTLE_TIME: Duration = Duration::from_millis(50);
/// The most pauses of this length, if files change all the time.
const MAX_PAUSES: usize = 20;
/// A file counts as deleted if so many scans in a row miss it. A save takes less time.
const MAX_MISSES: usize = 3;

pub(super) struct WatchedPaths {
    pub roots: Vec<PathBuf>,
    /// The command's own reports.
    pub ignored: Vec<PathBuf>,
    /// Reads what counts.
    pub judged: Box<dyn Fn() -> JudgedFiles + Send>,
}

/// Inode, size, and times of modification and change, each in seconds and nanoseconds.
type FileMarks = [i64; 6];

type FileScan = BTreeMap<PathBuf, FileMarks>;

impl WatchedPaths {
    fn scan(&self, included: &BTreeSet<PathBuf>) -> FileScan {
        let mut scan = FileScan::new();
        for root in self.roots.iter().chain(included) {
            self.scan_root(root, &mut scan);
        }
        scan
    }

    /// Links out of the root are not followed: they could lead to all files of the machine.
    fn scan_root(&self, root: &Path, files: &mut FileScan) {
        let start = FilePath::root(root);
        let Ok(found) = start.metadata() else { return };
        if !found.is_dir() {
            files.insert(root.to_owned(), file_marks(&found));
            return;
        }
        // Links can lead to the same directory several times.
        let mut seen = BTreeSet::from([(found.dev(), found.ino())]);
        let mut walk = start.walk(WalkBounds::PACKAGE);
        while let Some(next) = walk.next() {
            let Ok(entry) = next else { continue };
            if !self.is_relevant(&entry) {
                continue;
            }
            match entry.kind_and_metadata() {
                Ok((PathKind::File, found)) => {
                    files.insert((&entry.path).into(), file_marks(&found));
                }
                Ok((PathKind::Directory, found)) if seen.insert((found.dev(), found.ino())) => {
                    // A directory that cannot be listed counts as unchanged.
                    let _ = walk.enter(&entry);
                }
                Ok((PathKind::Directory, _)) | Err(_) => {}
            }
        }
    }

    /// Hidden files, backups and build results do not count.
    fn is_relevant(&self, entry: &PathEntry) -> bool {
        let name = entry.name().to_string_lossy();
        let is_other = name.starts_with('.')
            || name.ends_with('~')
            || ["target", "__pycache__", "node_modules"].contains(&&*name);
        let is_apart = |apart: &PathBuf| {
            apart.file_name() == Some(entry.name())
                && fs::canonicalize(apart).ok() == fs::canonicalize(entry.path.as_path()).ok()
        };
        !is_other && !self.ignored.iter().any(is_apart)
    }
}

fn file_marks(file: &fs::Metadata) -> FileMarks {
    let [number, size] = [file.ino(), file.size()].map(u64::cast_signed);
    let [modified, changed] =
        [(file.mtime(), file.mtime_nsec()), (file.ctime(), file.ctime_nsec())];
    [number, size, modified.0, modified.1, changed.0, changed.1]
}

pub(super) struct FileWatcher {
    watched: WatchedPaths,
    judged: JudgedFiles,
    last: FileScan,
    gone: BTreeSet<PathBuf>,
    /// Files of which a change changed nothing that is judged.
    others: BTreeSet<PathBuf>,
}

impl FileWatcher {
    pub(super) fn new(watched: WatchedPaths) -> Self {
        let judged = (watched.judged)();
        let last = watched.scan(&judged.included);
        let mut files =
            Self { watched, judged, last, gone: BTreeSet::new(), others: BTreeSet::new() };
        files.gone = files.missing_roots();
        files
    }

    fn missing_roots(&self) -> BTreeSet<PathBuf> {
        self.watched.roots.iter().filter(|root| !root.exists()).cloned().collect()
    }

    pub(super) fn wait_for_changes(&mut self) -> Vec<PathBuf> {
        loop {
            thread::sleep(SCAN_INTERVAL);
            let changed = self.scan_for_changes(|| thread::sleep(SETTLE_TIME));
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Returns files that changed since the last scan. While they still change, it pauses and scans again.
    fn scan_for_changes(&mut self, mut pause: impl FnMut()) -> Vec<PathBuf> {
        let mut scan = self.watched.scan(&self.judged.included);
        if scan == self.last {
            return Vec::new();
        }
        for number in 0..MAX_PAUSES {
            pause();
            let next = self.watched.scan(&self.judged.included);
            // During a save, a file may be missing.
            let is_whole = number >= MAX_MISSES || self.missing_roots().is_subset(&self.gone);
            if std::mem::replace(&mut scan, next) == scan && is_whole {
                break;
            }
        }
        self.gone = self.missing_roots();
        let old = std::mem::replace(&mut self.last, scan);
        let new = &self.last;
        let changed = new.iter().filter(|(path, is)| old.get(*path) != Some(is));
        let lost = old.iter().filter(|(path, _)| !new.contains_key(*path));
        self.keep_judged(changed.chain(lost).map(|(path, _)| path.clone()).collect())
    }

    /// The changed files that the judgement read, or that a new one will read. Settings are compared by what they say.
    fn keep_judged(&mut self, changed: Vec<PathBuf>) -> Vec<PathBuf> {
        let next = (self.watched.judged)();
        let old = std::mem::replace(&mut self.judged, next);
        // They are no change: what names them is.
        for path in self.judged.included.difference(&old.included) {
            self.watched.scan_root(path, &mut self.last);
        }
        let counts = |path: &PathBuf| old.contains(path) || self.judged.contains(path);
        let (counted, mut rest): (Vec<_>, Vec<_>) = changed.into_iter().partition(counts);
        if self.judged.has_settings_of(&old) {
            self.others.extend(rest);
        } else if counted.is_empty() {
            let has_unknown = rest.iter().any(|path| !self.others.contains(path));
            rest.retain(|path| !has_unknown || !self.others.contains(path));
            return rest;
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saves files before the scan, and one in each pause; checks the reported changes. `-` removes a file, `.` does
    /// nothing.
    #[track_caller]
    fn check(before: &str, pauses: &str, changes: &str, unread: &str) {
        let keep = tempfile::tempdir().expect("a directory");
        let dir = keep.path().to_owned();
        let mut saves = 0;
        let mut save = |word: &str| match word.strip_prefix('-') {
            Some(name) => fs::remove_file(dir.join(name)).expect("a file to remove"),
            None if word == "." => {}
            None => {
                saves += 1;
                fs::write(dir.join(word), "x".repeat(saves)).expect("a file");
            }
        };
        save("a");
        let roots = vec![dir.clone(), dir.join("a")];
        let mut judged = JudgedFiles::default();
        judged.paths.extend(["a", "b", "c", "d"].map(|name| dir.join(name)));
        let judged = Box::new(move || judged.clone());
        let mut files = FileWatcher::new(WatchedPaths { roots, ignored: Vec::new(), judged });
        before.split_whitespace().for_each(&mut save);
        let mut words = pauses.split_whitespace();
        let changed = files.scan_for_changes(|| words.next().into_iter().for_each(&mut save));
        let names = changed.iter().map(|path| path.strip_prefix(&dir).expect("a name"));
        let names: Vec<String> = names.map(|name| name.display().to_string()).collect();
        assert_eq!(names.join(" "), changes, "{before}, {pauses}");
        assert_eq!(words.collect::<Vec<_>>().join(" "), unread, "{before}, {pauses}");
    }

    #[test]
    fn changes_at_almost_the_same_time_are_reported_together() {
        check("", "b", "", "b");
        check("b", ".", "b", "");
        check("b", "c . d", "b c", "d");
        check("a b", "c b . d", "a b c", "d");
    }

    #[test]
    fn a_file_missing_for_a_moment_counts_as_saved() {
        check("-a", ". a . b", "a", "b");
        check("-a", ". . . . b", "a", "b");
    }

    #[test]
    fn files_that_change_all_the_time_are_reported() {
        check("b", &"b ".repeat(MAX_PAUSES + 3), "b", "b b b");
    }
}
