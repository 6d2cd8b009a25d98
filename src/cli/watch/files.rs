//! Watches files for changes.
//!
//! A change is a difference between two scans of all files: editors save in many ways, and leave other files beside.
//! The system only says when to scan.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::root::{FilePath, Kind, PathEntry, WalkBounds};

/// How long files must be unchanged before changes are reported.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often this time is waited for at most, if files change all the time.
const PATIENCE: usize = 20;
/// The interval of scans if the system does not report changes.
const POLLED: Duration = Duration::from_millis(500);
/// How often something that has to be there may be missing in a row until it counts as gone: a save takes less time.
const MISSES: usize = 3;

/// The files to watch.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// Files and directories.
    pub roots: Vec<PathBuf>,
    /// Paths to ignore, unless they are roots.
    pub apart: Vec<PathBuf>,
}

/// What changes if the contents or the rights of a file change: its number, size, and times of change.
type Marks = [i64; 6];

/// A scan of the files, with marks that identify their contents.
#[derive(Debug, Default, PartialEq, Eq)]
struct Look {
    files: BTreeMap<PathBuf, Marks>,
    /// The directories to listen to, and whether all of their content counts or only the roots.
    directories: BTreeMap<PathBuf, bool>,
}

impl Watched {
    /// Scans all files.
    fn look(&self) -> Look {
        let mut look = Look::default();
        for root in &self.roots {
            // An editor may replace a file by a new one.
            let real = fs::canonicalize(root);
            let places = [Some(root), real.as_ref().ok()].into_iter().flatten();
            for parent in places.filter_map(|it| it.parent()) {
                let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                look.directories.entry(parent.to_owned()).or_insert(false);
            }
            self.look_below(root, &mut look);
        }
        look
    }

    /// Scans a root. Links out of it are not followed: they could lead to all files of the machine.
    fn look_below(&self, root: &Path, look: &mut Look) {
        let start = FilePath::root(root);
        let Ok(found) = start.metadata() else { return };
        if !found.is_dir() {
            look.files.insert(root.to_owned(), marks(&found));
            return;
        }
        look.directories.insert(root.to_owned(), true);
        // Links can lead to a directory in many ways.
        let mut seen = BTreeSet::from([(found.dev(), found.ino())]);
        let mut walk = start.walk(WalkBounds::PACKAGE);
        while let Some(next) = walk.next() {
            let Ok(entry) = next else { continue };
            if !self.counts(&entry) {
                continue;
            }
            match entry.look() {
                Ok((Kind::File, found)) => {
                    look.files.insert((&entry.path).into(), marks(&found));
                }
                Ok((Kind::Directory, found)) if seen.insert((found.dev(), found.ino())) => {
                    look.directories.insert((&entry.path).into(), true);
                    // What cannot be listed does not change.
                    let _ = walk.enter(&entry);
                }
                Ok((Kind::Directory, _)) | Err(_) => {}
            }
        }
    }

    /// The names of the roots, also behind links.
    fn names(&self) -> BTreeSet<OsString> {
        let real = self.roots.iter().filter_map(|root| fs::canonicalize(root).ok());
        let all = self.roots.iter().cloned().chain(real);
        all.filter_map(|path| path.file_name().map(OsStr::to_owned)).collect()
    }

    /// Whether changes of an entry count: hidden files, backups and build results do not.
    fn counts(&self, entry: &PathEntry) -> bool {
        let name = entry.name().to_string_lossy();
        let is_other = name.starts_with('.')
            || name.ends_with('~')
            || ["target", "__pycache__", "node_modules"].contains(&&*name);
        let is_apart = |apart: &PathBuf| {
            apart.file_name() == Some(entry.name())
                && fs::canonicalize(apart).ok() == fs::canonicalize(entry.path.as_path()).ok()
        };
        !is_other && !self.apart.iter().any(is_apart)
    }
}

fn marks(found: &fs::Metadata) -> Marks {
    let [number, size] = [found.ino(), found.size()].map(u64::cast_signed);
    let [modified, changed] =
        [(found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())];
    [number, size, modified.0, modified.1, changed.0, changed.1]
}

/// Rings if there may be a change.
pub(super) trait Bell {
    /// Listens to these directories from now on; in some of them only to these names. Returns whether one of the
    /// directories is new.
    fn listen(&mut self, directories: &BTreeMap<PathBuf, bool>, names: BTreeSet<OsString>) -> bool;

    /// Waits until it rings; `false` if it has not rung within this time.
    fn wait(&mut self, most: Option<Duration>) -> bool;
}

/// Watched files with their last scan.
#[derive(Debug)]
pub(super) struct Files<B> {
    watched: Watched,
    bell: B,
    last: Look,
    /// The roots that were missing then.
    gone: BTreeSet<PathBuf>,
}

impl Files<SystemBell> {
    /// Starts from the current state.
    pub(super) fn new(watched: Watched) -> Self {
        Self::heard(watched, SystemBell::new())
    }
}

impl<B: Bell> Files<B> {
    fn heard(watched: Watched, bell: B) -> Self {
        let mut files = Self { watched, bell, last: Look::default(), gone: BTreeSet::new() };
        files.last = files.look();
        files.gone = files.missing();
        files
    }

    fn look(&mut self) -> Look {
        let look = self.watched.look();
        // A second scan finds changes in a new directory before the bell listened to it.
        if self.bell.listen(&look.directories, self.watched.names()) {
            self.watched.look()
        } else {
            look
        }
    }

    fn missing(&self) -> BTreeSet<PathBuf> {
        self.watched.roots.iter().filter(|root| !root.exists()).cloned().collect()
    }

    /// Waits for changes, and returns the changed files.
    pub(super) fn changed(&mut self) -> Vec<PathBuf> {
        // No event reports that a directory was created again.
        let often = |gone: &BTreeSet<PathBuf>| (!gone.is_empty()).then_some(POLLED);
        let mut most = often(&self.gone);
        let mut misses = 0;
        loop {
            self.bell.wait(most);
            let mut waits = 0..PATIENCE;
            while waits.next().is_some() && self.bell.wait(Some(TOGETHER)) {}
            let gone = self.missing();
            most = often(&gone);
            // During a save, a file may be missing.
            if !gone.is_subset(&self.gone) && misses < MISSES {
                misses += 1;
                continue;
            }
            self.gone = gone;
            misses = 0;
            let look = self.look();
            let (new, old) = (&look.files, &self.last.files);
            let mut changed: Vec<PathBuf> =
                new.iter().filter(|(path, is)| old.get(*path) != Some(is)).map(path_of).collect();
            changed.extend(old.iter().filter(|(path, _)| !new.contains_key(*path)).map(path_of));
            self.last = look;
            if !changed.is_empty() {
                return changed;
            }
        }
    }
}

fn path_of((path, _): (&PathBuf, &Marks)) -> PathBuf {
    path.clone()
}

#[cfg(not(target_os = "linux"))]
use polled::SystemBell;
#[cfg(target_os = "linux")]
use told::SystemBell;

/// A bell that the system rings when a directory changes.
#[cfg(target_os = "linux")]
mod told {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::thread;
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

    use super::{BTreeMap, BTreeSet, Bell, Duration, OsStr, OsString, POLLED, PathBuf};

    #[derive(Debug, Default)]
    pub(in crate::cli::watch) struct SystemBell {
        /// `None` if the system reports nothing, or not for all directories: users may watch only a limited number.
        inotify: Option<OwnedFd>,
        /// All directories, by the system's numbers. One that was replaced has another number.
        all: BTreeSet<i32>,
        /// Those in which everything counts.
        whole: BTreeSet<i32>,
        /// The names that count in the other directories.
        names: BTreeSet<OsString>,
    }

    impl SystemBell {
        pub(super) fn new() -> Self {
            let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
            Self { inotify, ..Self::default() }
        }
    }

    impl Bell for SystemBell {
        fn listen(
            &mut self,
            directories: &BTreeMap<PathBuf, bool>,
            names: BTreeSet<OsString>,
        ) -> bool {
            let Some(inotify) = &self.inotify else { return false };
            let flags = WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            self.names = names;
            let mut is_new = false;
            // Adds all of them again: a directory that was replaced has the same name.
            for (path, is_whole) in directories {
                match inotify::add_watch(inotify, path, flags) {
                    Ok(number) => {
                        is_new |= self.all.insert(number);
                        if *is_whole {
                            self.whole.insert(number);
                        }
                    }
                    Err(_) if path.exists() => {
                        self.inotify = None;
                        return false;
                    }
                    _ => {}
                }
            }
            is_new
        }

        fn wait(&mut self, most: Option<Duration>) -> bool {
            let Some(inotify) = &self.inotify else {
                thread::sleep(most.unwrap_or(POLLED));
                return most.is_none();
            };
            let end = most.map(|most| Instant::now() + most);
            loop {
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let left = left.and_then(|left| Timespec::try_from(left).ok());
                let mut polled = [PollFd::new(inotify, PollFlags::IN)];
                if poll(&mut polled, left.as_ref()).is_ok_and(|ready| ready == 0) {
                    return false;
                }
                let mut buffer = [MaybeUninit::uninit(); 4096];
                let mut reader = Reader::new(inotify, &mut buffer);
                let mut rang = false;
                while let Ok(event) = reader.next() {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    let counts = name.is_none_or(|name| self.names.contains(name));
                    rang |= counts || self.whole.contains(&event.wd());
                }
                if rang {
                    return true;
                }
            }
        }
    }
}

/// A bell that rings at regular intervals.
#[cfg(not(target_os = "linux"))]
mod polled {
    use std::thread;

    use super::{BTreeMap, BTreeSet, Bell, Duration, OsString, POLLED, PathBuf};

    #[derive(Debug)]
    pub(in crate::cli::watch) struct SystemBell;

    impl SystemBell {
        pub(super) fn new() -> Self {
            Self
        }
    }

    impl Bell for SystemBell {
        /// All directories are scanned anyway.
        fn listen(&mut self, _: &BTreeMap<PathBuf, bool>, _: BTreeSet<OsString>) -> bool {
            false
        }

        /// Waits this long, or until the next scan.
        fn wait(&mut self, most: Option<Duration>) -> bool {
            thread::sleep(most.unwrap_or(POLLED));
            most.is_none()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Writes files at scripted times, in milliseconds, and rings for each.
    struct Scripted {
        dir: PathBuf,
        saves: VecDeque<(u64, &'static str)>,
        now: u64,
    }

    impl Bell for Scripted {
        fn listen(&mut self, _: &BTreeMap<PathBuf, bool>, _: BTreeSet<OsString>) -> bool {
            false
        }

        fn wait(&mut self, most: Option<Duration>) -> bool {
            let end = most.map(|most| self.now + most.as_millis() as u64);
            let next = self.saves.front().map(|save| save.0).expect("a wait that ends");
            if end.is_some_and(|end| next >= end) {
                self.now = end.unwrap_or_default();
                return false;
            }
            let (at, name) = self.saves.pop_front().expect("a save");
            self.now = at;
            fs::write(self.dir.join(name), at.to_string().repeat(at as usize)).expect("a file");
            true
        }
    }

    /// Checks which changes are reported, and when, while these files are saved.
    #[track_caller]
    fn check(saves: &[(u64, &'static str)], told: &[&str]) {
        let keep = tempfile::tempdir().expect("a directory");
        let dir = keep.path().to_owned();
        let watched = Watched { roots: vec![dir.clone()], apart: Vec::new() };
        let end = (1_000_000, "never");
        let saves = saves.iter().copied().chain([end]).collect();
        let mut files = Files::heard(watched, Scripted { dir: dir.clone(), saves, now: 0 });
        for told in told {
            let changed = files.changed();
            let names = changed.iter().map(|path| path.strip_prefix(&dir).expect("a name"));
            let names: Vec<String> = names.map(|name| name.display().to_string()).collect();
            assert_eq!(format!("{} {}", files.bell.now, names.join(" ")), *told);
        }
        assert_eq!(files.bell.saves.len(), 1, "all is told");
    }

    #[test]
    fn changes_within_50_ms_are_one() {
        check(&[(7, "a")], &["57 a"]);
        check(&[(7, "a"), (56, "b")], &["106 a b"]);
        check(&[(7, "a"), (57, "b")], &["57 a", "107 b"]);
        check(&[(1, "a"), (40, "b"), (80, "a"), (129, "c"), (180, "a")], &["179 a b c", "230 a"]);
    }

    #[test]
    fn files_that_change_all_the_time_are_told_once_a_second_at_most() {
        let saves: Vec<_> = (1..=30).map(|number| (number * 10, "log")).collect();
        check(&saves, &["210 log", "350 log"]);
    }
}
