//! What a run depends on besides its job: programs and libraries of the system, and the processor.
//!
//! To read all of it would take longer than most runs. So the records of package managers stand for what is installed,
//! and the stamp of a file for its contents, as soon as the stamp shows every change.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use parking_lot::Mutex;

use crate::cache::store::Store;
use juror_core::blob::{Blob, Digest};
use juror_core::language::probe::Toolchain;
use juror_core::recent::RecentValues;
use juror_core::root::FilePath;
use juror_core::worker::MachineIdentity;
use juror_sandbox::sandbox::{dates_show_changes, inherited_limits, shown_settings};

pub(super) fn digest_of(value: &impl Serialize) -> Option<Digest> {
    let bytes = postcard::to_allocvec(value).ok()?;
    Some(Digest(Sha256::digest(bytes).into()))
}

/// Files of package managers. One of them changes with each compiler, header or library.
const PACKAGE_RECORDS: [&str; 9] = [
    "/etc/os-release",
    "/etc/ld.so.cache",
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/Packages.db",
    "/lib/apk/db/installed",
    "/var/db/pkg/local.sqlite",
    "/run/current-system/sw/manifest.json",
];

/// Directories in which names and link targets show what is installed.
const PACKAGE_DIRECTORIES: [&str; 9] = [
    "/etc/alternatives",
    "/var/lib/pacman/local",
    "/usr/local/bin",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/lib/python3/dist-packages",
    "/run/current-system/sw/bin",
    "/opt/homebrew/Cellar",
    "/usr/local/Cellar",
];

/// How deep juror reads an installation beside those of the system, and how many names it may have there.
const LEVELS: u32 = 3;
const NAMES_MAX: usize = 20_000;

/// Of a larger file there, only the size counts, in bytes.
const SMALL: u64 = 64 << 10;

/// A file that changed so recently may change again without a new timestamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// Identifies a version of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct FileStamp {
    path: PathBytes,
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    /// `None` if there is no regular file.
    fn of(path: &FilePath) -> Option<Self> {
        let metadata = path.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            path: path.as_os_str().as_bytes().to_vec(),
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

type PathBytes = Vec<u8>;

/// What counts of a file or directory of an installation.
#[derive(Serialize)]
struct InstalledEntry {
    name: PathBytes,
    /// Of a link.
    target: Option<PathBytes>,
    /// Of a file.
    size: Option<u64>,
    contents: Option<Digest>,
}

/// A file as it was when juror read it last.
#[derive(Clone)]
struct KnownFile {
    stamp: FileStamp,
    /// Whether the stamp shows every later change.
    is_settled: bool,
    digest: Digest,
}

/// Digests of files, by their stamps, and of the machine.
pub struct Surroundings {
    /// Remembers digests of files for later commands.
    store: Option<Arc<Store>>,
    files: Mutex<HashMap<PathBuf, KnownFile>>,
    directories: RecentValues<PathBuf, Option<Digest>>,
    system: OnceLock<Option<Digest>>,
    hardware: OnceLock<Option<Digest>>,
    is_settled: fn(&FileStamp, &FilePath) -> bool,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            store: None,
            files: Mutex::default(),
            directories: RecentValues::default(),
            system: OnceLock::new(),
            hardware: OnceLock::new(),
            is_settled,
        }
    }
}

impl Surroundings {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store: Some(store), ..Self::default() }
    }

    /// What workers say about their machine.
    pub fn identity(&self) -> Option<MachineIdentity> {
        Some(MachineIdentity { system: self.system_digest()?, hardware: self.hardware_digest()? })
    }

    /// The digest of a tool's files on this machine.
    pub fn tool_digest(&self, tool: &Toolchain) -> Option<Digest> {
        let paths = tool.visible.iter().chain([&tool.program]);
        digest_of(&paths.map(|path| self.installed_digest(path)).collect::<Option<Vec<_>>>()?)
    }

    /// The digest of a blob. For a file that is known by its stamp, nothing is read.
    pub(super) fn blob_digest(&self, blob: &Blob) -> Option<Digest> {
        match (blob.known_digest(), blob.path()) {
            (None, Some(path)) => {
                let digest = self.contents_digest(path)?;
                blob.set_digest(digest);
                Some(digest)
            }
            _ => blob.digest().ok(),
        }
    }

    /// Whether a blob is as it was when its digest was taken, and was so all the time. Somebody may write files of a
    /// package meanwhile.
    pub(super) fn is_unchanged(&self, blob: &Blob) -> bool {
        let Some(path) = blob.path() else { return true };
        let known = self.files.lock().get(path.as_path()).cloned();
        known.is_none_or(|known| {
            let same = |digest| Some(digest) == blob.known_digest();
            FileStamp::of(path).is_some_and(|stamp| stamp == known.stamp)
                && same(known.digest)
                && (known.is_settled || Blob::file(path).digest().is_ok_and(same))
        })
    }

    /// A file of this machine that is not in a package.
    pub(super) fn file_digest(&self, path: &Path) -> Option<Digest> {
        self.contents_digest(&FilePath::root(path))
    }

    fn contents_digest(&self, path: &FilePath) -> Option<Digest> {
        let stamp = FileStamp::of(path)?;
        if let Some(known) = self.files.lock().get(path.as_path())
            && known.is_settled
            && known.stamp == stamp
        {
            return Some(known.digest);
        }
        let key = digest_of(&("contents", &stamp))?;
        let record = self.store.as_ref().and_then(|store| store.get(&key));
        let kept = record.and_then(|record| record.bytes.try_into().ok()).map(Digest);
        let (digest, is_settled) = match kept {
            Some(digest) => (digest, true),
            None => {
                // Who begins to write after this question changes the stamp.
                let is_settled = (self.is_settled)(&stamp, path);
                let digest = Blob::file(path).digest().ok()?;
                if let Some(store) = self.store.as_ref().filter(|_| is_settled) {
                    store.put(&key, &digest.0);
                }
                (digest, is_settled)
            }
        };
        self.files.lock().insert(path.to_path_buf(), KnownFile { stamp, is_settled, digest });
        Some(digest)
    }

    /// A directory or file that programs see besides the system's own. It is read once in a command.
    pub(super) fn installed_digest(&self, path: &Path) -> Option<Digest> {
        let read = || Ok::<_, Infallible>(self.read_installed(path));
        let Ok(digest) = self.directories.get(path.to_path_buf(), read);
        digest
    }

    pub(super) fn read_installed(&self, path: &Path) -> Option<Digest> {
        if !path.is_dir() {
            return self.file_digest(path);
        }
        // Packages of a language are installed there.
        let mut libraries = python_directories(&path.join("lib"));
        libraries.iter_mut().for_each(|dir| dir.push("site-packages"));
        libraries.push(path.join("lib/node_modules"));
        let packages: Vec<_> = libraries.iter().map(|dir| list_names(dir)).collect();
        let mut entries = Vec::new();
        // A larger one is a store: its names have versions.
        let is_read = self.read_entries(path, LEVELS, &mut entries);
        let names =
            if is_read { None } else { Some([list_names(path), list_names(&path.join("bin"))]) };
        digest_of(&(is_read.then_some(entries), names, packages))
    }

    /// Adds what is in a directory, and the contents of small files. `false` if that is too much.
    fn read_entries(&self, dir: &Path, levels: u32, entries: &mut Vec<InstalledEntry>) -> bool {
        // What juror cannot read, programs cannot read either.
        let names = list_names(dir).unwrap_or_default();
        if entries.len() + names.len() > NAMES_MAX {
            return false;
        }
        names.into_iter().all(|(name, target)| {
            let path = dir.join(OsStr::from_bytes(&name));
            let found = fs::symlink_metadata(&path).ok();
            let size = found.as_ref().filter(|file| file.is_file()).map(fs::Metadata::len);
            let contents = size.filter(|size| *size <= SMALL).and_then(|_| self.file_digest(&path));
            let name = path.as_os_str().as_bytes().to_vec();
            entries.push(InstalledEntry { name, target, size, contents });
            let is_inner = levels > 1 && found.is_some_and(|file| file.is_dir());
            !is_inner || self.read_entries(&path, levels - 1, entries)
        })
    }

    /// What is installed on the system, according to its package managers, and how it is set.
    pub(super) fn system_digest(&self) -> Option<Digest> {
        *self.system.get_or_init(|| {
            let notes = PACKAGE_RECORDS.map(|path| self.file_digest(Path::new(path)));
            let lists = PACKAGE_DIRECTORIES.map(|path| list_names(Path::new(path)));
            let python = python_directories(Path::new("/usr/local/lib"));
            let packages = ["dist-packages", "site-packages"];
            let python: Vec<_> =
                python.iter().map(|dir| packages.map(|name| list_names(&dir.join(name)))).collect();
            let settings: Vec<_> =
                shown_settings().into_iter().map(|path| self.read_installed(&path)).collect();
            let system = (env::consts::OS, env::consts::ARCH, inherited_limits(), settings);
            digest_of(&(system, notes, lists, python))
        })
    }

    /// Processor, memory and kernel, which decide how long an undisturbed program takes.
    pub(super) fn hardware_digest(&self) -> Option<Digest> {
        *self.hardware.get_or_init(|| {
            let uname = rustix::system::uname();
            let kernel = (uname.sysname().to_bytes(), uname.release().to_bytes());
            let count = thread::available_parallelism().map_or(1, usize::from);
            digest_of(&(kernel, uname.machine().to_bytes(), processor(), count, memory_size()))
        })
    }
}

/// In units of 64 MiB: the kernel takes a part at its start, which is not always the same. Java chooses its heap and its
/// collector by it.
fn memory_size() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes: u64 = text.lines().next()?.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes.div_ceil(64 << 10))
}

/// Whether the stamp shows every later change.
fn is_settled(stamp: &FileStamp, path: &FilePath) -> bool {
    is_old(stamp) && path.open().is_ok_and(|file| dates_show_changes(&file))
}

fn is_old(stamp: &FileStamp) -> bool {
    let (seconds, _) = stamp.modified.max(stamp.changed);
    let last = u64::try_from(seconds).map_or(Duration::ZERO, Duration::from_secs);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    last + UNSETTLED <= now
}

/// The directories of versions of Python in a directory of libraries.
fn python_directories(libraries: &Path) -> Vec<PathBuf> {
    let names = list_names(libraries).unwrap_or_default().into_keys();
    let names = names.filter(|name| name.starts_with(b"python"));
    names.map(|name| libraries.join(OsStr::from_bytes(&name))).collect()
}

/// Links with their targets.
fn list_names(dir: &Path) -> Option<BTreeMap<PathBytes, Option<PathBytes>>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let target = is_link.then(|| fs::read_link(entry.path()).ok()).flatten();
        let bytes = |path: &OsStr| path.as_bytes().to_vec();
        Some((bytes(&entry.file_name()), target.map(|target| bytes(target.as_os_str()))))
    };
    Some(fs::read_dir(dir).ok()?.filter_map(entry).collect())
}

/// The description of the first processor, without values that always change.
pub(super) fn processor() -> Vec<String> {
    const STEADY: [&str; 11] = [
        "vendor_id",
        "model name",
        "flags",
        "cache size",
        "CPU implementer",
        "CPU part",
        "CPU variant",
        "Features",
        "cpu model",
        "uarch",
        "isa",
    ];
    let Ok(file) = File::open("/proc/cpuinfo") else { return Vec::new() };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let first = lines.take_while(|line| !line.trim().is_empty());
    first.filter(|line| STEADY.iter().any(|name| line.starts_with(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_identified_by_its_contents_whenever_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let surroundings = Surroundings::default();
        let set = |text: &str, age: u64| {
            fs::write(&path, text).unwrap();
            let then = SystemTime::now() - Duration::from_secs(age);
            File::open(&path).unwrap().set_modified(then).unwrap();
        };
        let digest = |text: &str| Blob::from(text.as_bytes()).digest().ok();
        for (text, age) in [("one", 0), ("two", 0), ("one", 100), ("six", 100), ("more", 100)] {
            set(text, age);
            assert_eq!(surroundings.file_digest(&path), digest(text), "{text} {age}");
            assert_eq!(
                surroundings.blob_digest(&Blob::file(&FilePath::root(&path))),
                digest(text),
                "{text} {age}"
            );
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(surroundings.file_digest(&path), None);
        assert_eq!(surroundings.file_digest(dir.path()), None);
    }

    /// Whoever has it open may have it mapped: then a later change has no date of its own.
    #[test]
    fn the_digest_of_a_file_is_not_kept_while_somebody_can_write_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "one").unwrap();
        let file = FilePath::root(&path);
        let is_dated = dates_show_changes(&file.open().unwrap());
        let check = |writer: Option<&mut fs::OpenOptions>, expected: bool| {
            let store = Arc::new(Store::scratch());
            // In this test, files are old enough.
            let command = Surroundings {
                is_settled: |_, path| path.open().is_ok_and(|file| dates_show_changes(&file)),
                ..Surroundings::new(Arc::clone(&store))
            };
            let _writer = writer.map(|options| options.open(&path).unwrap());
            assert!(command.file_digest(&path).is_some());
            let key = digest_of(&("contents", FileStamp::of(&file).unwrap())).unwrap();
            assert_eq!(store.get(&key).is_some(), expected && is_dated);
        };
        check(None, true);
        check(Some(File::options().read(true)), true);
        check(Some(File::options().write(true)), false);
        check(Some(File::options().read(true).write(true)), false);
        check(Some(File::options().append(true)), false);
        check(None, true);
    }

    #[test]
    fn a_file_that_changed_back_was_not_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let check = |name: &str, change: fn(&Path), expected: bool| {
            let path = dir.path().join(name);
            fs::write(&path, "one").unwrap();
            let surroundings = Surroundings::default();
            let blob = Blob::file(&FilePath::root(&path));
            surroundings.blob_digest(&blob);
            change(&path);
            assert_eq!(surroundings.is_unchanged(&blob), expected, "{name}");
        };
        check("nothing", |_| (), true);
        check("another file", |path| fs::write(path.with_file_name("other"), "x").unwrap(), true);
        check("longer", |path| fs::write(path, "longer").unwrap(), false);
        check("removed", |path| fs::remove_file(path).unwrap(), false);
        let replace = |path: &Path| {
            let other = path.with_file_name("new");
            fs::write(&other, "one").unwrap();
            fs::rename(other, path).unwrap();
        };
        check("replaced by the same", replace, false);
        let aside = |path: &Path| {
            let other = path.with_file_name("aside");
            fs::rename(path, &other).unwrap();
            fs::write(path, "two").unwrap();
            fs::remove_file(path).unwrap();
            // A new name would date the file, too.
            fs::copy(other, path).unwrap();
        };
        check("aside and back", aside, false);
    }

    #[test]
    fn installed_software_is_identified_by_names_links_and_small_files() {
        let dir = tempfile::tempdir().unwrap();
        let installed_digest = || Surroundings::default().installed_digest(dir.path());
        let mut seen = vec![installed_digest()];
        let mut check = |what: &str| {
            let now = installed_digest();
            assert_eq!(now, installed_digest());
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        let write = |name: &str, contents: &[u8]| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        };
        let packages = dir.path().join("lib/python3.11/site-packages");
        fs::create_dir_all(&packages).unwrap();
        check("a directory");
        fs::create_dir(packages.join("numpy-1.26.dist-info")).unwrap();
        check("a package");
        std::os::unix::fs::symlink("python3.11", dir.path().join("python")).unwrap();
        check("a link");
        for name in ["cfg", "bin/cfg", "etc/gcc.conf", "lib/gcc/specs", ".hidden"] {
            write(name, b"F=");
            check(name);
            write(name, b"G=");
            check(&format!("{name} of the same size"));
        }
        write("bin/large", &vec![0; 100_000]);
        check("a large file");
        write("bin/large", &vec![0; 100_001]);
        check("a larger file");
        fs::rename(dir.path().join("bin/cfg"), dir.path().join("etc/cfg")).unwrap();
        check("a file that moved");
    }

    #[test]
    fn a_store_of_packages_is_identified_by_names() {
        let dir = tempfile::tempdir().unwrap();
        (0..=NAMES_MAX).for_each(|number| drop(File::create(dir.path().join(number.to_string()))));
        let installed_digest = || Surroundings::default().installed_digest(dir.path());
        let first = installed_digest();
        fs::write(dir.path().join("7"), "x").unwrap();
        assert_eq!(installed_digest(), first);
        fs::remove_file(dir.path().join("7")).unwrap();
        assert_ne!(installed_digest(), first);
    }

    #[test]
    fn the_digests_of_system_and_machine_do_not_change() {
        let digests = || {
            let surroundings = Surroundings::default();
            (surroundings.system_digest(), surroundings.hardware_digest())
        };
        assert_eq!(digests(), digests());
        assert!(digests().0.is_some() && digests().1.is_some());
    }
}
