//! What a run depends on besides its job: programs and libraries of the system, and the processor.

use std::collections::{BTreeMap, HashMap};
use std::env;
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
use juror_core::language::toolchain::Toolchain;
use juror_core::root::FilePath;
use juror_core::worker::MachineIdentity;

pub(super) fn digest_of(what: &impl Serialize) -> Option<Digest> {
    let bytes = postcard::to_allocvec(what).ok()?;
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

type PathBytes = Vec<u8>;

/// A file as it was when juror read it last.
struct KnownFile {
    stamp: FileStamp,
    /// Whether the stamp shows every later change.
    is_settled: bool,
    digest: Digest,
}

/// Digests of files, by their stamps, and of the machine.
#[derive(Default)]
pub struct Surroundings {
    /// Remembers digests of files for later commands.
    store: Option<Arc<Store>>,
    files: Mutex<HashMap<PathBuf, KnownFile>>,
    directories: Mutex<HashMap<PathBuf, Option<Digest>>>,
    system: OnceLock<Option<Digest>>,
    hardware: OnceLock<Option<Digest>>,
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

    /// Whether a blob is as it was when its digest was taken. Somebody may write files of a package meanwhile.
    pub(super) fn is_unchanged(&self, blob: &Blob) -> bool {
        let was_looked_at = |path: &&FilePath| self.files.lock().contains_key(path.as_path());
        let path = blob.path().filter(was_looked_at);
        path.is_none_or(|path| self.contents_digest(path) == blob.known_digest())
    }

    /// A file of this machine that is not in a package.
    pub(super) fn file_digest(&self, path: &Path) -> Option<Digest> {
        self.contents_digest(&FilePath::root(path))
    }

    fn contents_digest(&self, path: &FilePath) -> Option<Digest> {
        let found = path.metadata().ok().filter(fs::Metadata::is_file)?;
        let stamp = FileStamp {
            path: path.as_os_str().as_bytes().to_vec(),
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        };
        if let Some(seen) = self.files.lock().get(path.as_path())
            && seen.is_settled
            && seen.stamp == stamp
        {
            return Some(seen.digest);
        }
        let key = digest_of(&("file", &stamp))?;
        let kept = self.store.as_ref().and_then(|store| store.get(&key));
        let kept = kept.and_then(|it| it.bytes.try_into().ok()).map(Digest);
        let (digest, is_settled) = match kept {
            Some(digest) => (digest, true),
            None => {
                let digest = Blob::file(path).digest().ok()?;
                let is_settled = is_settled(&stamp);
                if let Some(store) = self.store.as_ref().filter(|_| is_settled) {
                    store.put(&key, &digest.0);
                }
                (digest, is_settled)
            }
        };
        self.files.lock().insert(path.to_path_buf(), KnownFile { stamp, is_settled, digest });
        Some(digest)
    }

    /// A directory or file that programs see besides the system's own.
    pub(super) fn installed_digest(&self, path: &Path) -> Option<Digest> {
        let known = || self.directories.lock();
        if let Some(digest) = known().get(path) {
            return *digest;
        }
        let found = if path.is_dir() {
            let mut all = vec![list_names(path), list_names(&path.join("bin"))];
            // Packages of a language are installed there.
            let python = python_directories(&path.join("lib"));
            all.extend(python.iter().map(|dir| list_names(&dir.join("site-packages"))));
            all.push(list_names(&path.join("lib/node_modules")));
            digest_of(&all)
        } else {
            self.file_digest(path)
        };
        known().insert(path.to_path_buf(), found);
        found
    }

    /// What is installed on the system, according to its package managers.
    pub(super) fn system_digest(&self) -> Option<Digest> {
        *self.system.get_or_init(|| {
            let notes = PACKAGE_RECORDS.map(|path| self.file_digest(Path::new(path)));
            let lists = PACKAGE_DIRECTORIES.map(|path| list_names(Path::new(path)));
            let python = python_directories(Path::new("/usr/local/lib"));
            let packages = ["dist-packages", "site-packages"];
            let python: Vec<_> =
                python.iter().map(|dir| packages.map(|name| list_names(&dir.join(name)))).collect();
            digest_of(&(env::consts::OS, env::consts::ARCH, notes, lists, python))
        })
    }

    /// Processor and kernel, which decide how long an undisturbed program takes.
    pub(super) fn hardware_digest(&self) -> Option<Digest> {
        *self.hardware.get_or_init(|| {
            let uname = rustix::system::uname();
            let kernel = (uname.sysname().to_bytes(), uname.release().to_bytes());
            let count = thread::available_parallelism().map_or(1, usize::from);
            digest_of(&(kernel, uname.machine().to_bytes(), processor(), count))
        })
    }
}

fn is_settled(stamp: &FileStamp) -> bool {
    let last = stamp.modified.max(stamp.changed).0;
    let last = u64::try_from(last).map_or(Duration::ZERO, Duration::from_secs);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    last + UNSETTLED <= now
}

/// The directories of versions of Python in a directory of libraries.
fn python_directories(libraries: &Path) -> Vec<PathBuf> {
    let names = list_names(libraries).unwrap_or_default().into_keys();
    let names = names.filter(|name| name.starts_with(b"python"));
    names.map(|name| libraries.join(std::ffi::OsStr::from_bytes(&name))).collect()
}

/// Links with their targets.
fn list_names(dir: &Path) -> Option<BTreeMap<PathBytes, Option<PathBytes>>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
        let target = is_link.then(|| fs::read_link(entry.path()).ok()).flatten();
        let bytes = |path: &std::ffi::OsStr| path.as_bytes().to_vec();
        Some((bytes(&entry.file_name()), target.map(|it| bytes(it.as_os_str()))))
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
    first.filter(|line| STEADY.iter().any(|it| line.starts_with(it))).collect()
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

    #[test]
    fn installed_software_is_identified_by_names_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let installed_digest = || Surroundings::default().installed_digest(dir.path());
        let mut seen = vec![installed_digest()];
        let mut check = |what: &str| {
            let now = installed_digest();
            assert_eq!(now, installed_digest());
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        let packages = dir.path().join("lib/python3.11/site-packages");
        fs::create_dir_all(&packages).unwrap();
        check("a directory");
        fs::create_dir(packages.join("numpy-1.26.dist-info")).unwrap();
        check("a package");
        std::os::unix::fs::symlink("python3.11", dir.path().join("python")).unwrap();
        check("a link");
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
