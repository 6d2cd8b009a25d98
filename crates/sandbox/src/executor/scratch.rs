//! Temporary directories, and the error if they cannot be written.
//!
//! A directory in use is locked (`flock`) as long as its process lives. If one has no lock, its juror was killed, and
//! the next juror removes it. It gets its name after its lock, so that this can happen at once.

use std::env;
use std::fs::{self, DirEntry, File, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::sandbox::{SLOT_PREFIXES, lock_directory, lock_with, remove_directory};
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::words::words;

words! {
    /// The purpose of the directory, which starts its name.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum ScratchPurpose {
        Package = "juror-package-",
        Programs = "juror-programs-",
        Data = "juror-generate-",
        Passes = "juror-passes-",
    }
}

/// Follows the prefix in the name of a directory that is not locked yet.
const UNLOCKED: &str = "new-";

/// Deleted when dropped.
#[derive(Debug)]
pub struct ScratchDirectory {
    path: FilePath,
    /// Marks the directory as in use. `None` on a file system without locks; then no judge removes the directory.
    _lock: Option<File>,
}

impl ScratchDirectory {
    /// The mode is before the umask.
    fn make(parent: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        let unlocked = format!("{prefix}{UNLOCKED}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&unlocked).permissions(Permissions::from_mode(mode));
        let new = FilePath::output(&builder.tempdir_in(parent)?.keep());
        let _lock = lock_directory(&new);
        let name = new.file_name().unwrap_or_default().to_string_lossy();
        let path = new.with_file_name(name.replacen(&unlocked, prefix, 1));
        new.rename(&path)?;
        Ok(Self { path, _lock })
    }

    /// Its root is the directory that it is in.
    pub fn path(&self) -> &FilePath {
        &self.path
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        remove_directory(&self.path, &|| false);
    }
}

/// How long a command removes what others left. The rest is for the next one.
const SWEEP_TIME: Duration = Duration::from_secs(1);

/// Makes a temporary directory that only this user can list. Programs may run as another user, so everybody can enter
/// the directory for programs. The names in it are random.
///
/// # Errors
/// If the system's temporary directory cannot be written.
pub fn make_scratch(purpose: ScratchPurpose) -> Result<ScratchDirectory, JudgeError> {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| {
        let prefixes: Vec<&str> = ScratchPurpose::ALL
            .into_iter()
            .map(ScratchPurpose::name)
            .chain(SLOT_PREFIXES)
            .collect();
        remove_stale(&env::temp_dir(), &prefixes);
    });
    let mode = if purpose == ScratchPurpose::Programs { 0o711 } else { 0o700 };
    let directory = ScratchDirectory::make(&env::temp_dir(), purpose.name(), mode);
    directory.map_err(|error| scratch_fault("make a temporary directory", error))
}

/// Makes a directory in `parent`, and removes those that killed jurors left there.
///
/// # Errors
/// If `parent` cannot be written.
pub fn make_scratch_in(parent: &Path, prefix: &str) -> io::Result<ScratchDirectory> {
    remove_stale(parent, &[prefix]);
    ScratchDirectory::make(parent, prefix, 0o700)
}

/// Marks a directory as one that this process writes to, as long as the result lives. If no other process writes to
/// it, `clear` removes what killed ones left.
pub fn claim_directory(dir: &Path, clear: impl FnOnce()) -> Option<File> {
    const SHARED: FlockOperation = FlockOperation::NonBlockingLockShared;
    let Some(file) = lock_directory(dir) else { return lock_with(dir, SHARED) };
    clear();
    flock(&file, SHARED).ok()?;
    Some(file)
}

fn remove_stale(parent: &Path, prefixes: &[&str]) {
    let end = Instant::now() + SWEEP_TIME;
    remove_stale_until(parent, prefixes, &|| Instant::now() >= end);
}

fn remove_stale_until(parent: &Path, prefixes: &[&str], is_over: &dyn Fn() -> bool) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_abandoned(entry, prefixes)) {
        let path = entry.path();
        if let Some(lock) = lock_directory(&path) {
            // What cannot be removed stays. A program may have taken rights from its directories.
            remove_directory(&path, is_over);
            // A program that this process starts meanwhile holds the lock, too, until it is released for all.
            let _ = lock.unlock();
        }
    }
}

/// Nothing has changed in it for so long that its process must have locked or moved it, if it lives.
pub fn is_old(metadata: &Metadata) -> bool {
    const YOUNG: Duration = Duration::from_secs(60);
    let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age >= YOUNG)
}

/// Whether it belongs to nobody if it has no lock.
fn is_abandoned(entry: &DirEntry, prefixes: &[&str]) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let Some(prefix) = prefixes.iter().find(|it| name.starts_with(**it)) else { return false };
    // A slot makes its directory again if somebody removed it, and locks it only the first time.
    let is_of_slot = SLOT_PREFIXES.contains(prefix);
    let may_be_young = !is_of_slot && !name[prefix.len()..].starts_with(UNLOCKED);
    // Links are not followed.
    entry.metadata().is_ok_and(|metadata| {
        let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
        metadata.is_dir() && is_ours && (may_be_young || is_old(&metadata))
    })
}

/// An error of a step that writes to a temporary directory, with the way out.
pub fn scratch_fault(step: impl Into<String>, error: io::Error) -> JudgeError {
    let dir = env::temp_dir();
    let dir = dir.display();
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some(format!("make room in {dir}, or set TMPDIR to a directory that has room"))
        }
        ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem => {
            Some(format!("make {dir} a writable directory, or set TMPDIR to one"))
        }
        _ => None,
    };
    JudgeError { help, ..JudgeError::new(step, error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::SystemTime;

    #[test]
    fn directories_of_killed_jurors_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let dir = parent.path().join(name);
            fs::create_dir_all(dir.join("below")).unwrap();
            fs::write(dir.join("below/file"), "x").unwrap();
            dir
        };
        let [abandoned, other, used, kept, elsewhere] = [
            "juror-programs-1",
            "juror-generate-1",
            "juror-programs-2",
            "juror-boxes-1",
            "elsewhere",
        ]
        .map(make);
        // A killed juror left one a moment ago. The others may get their locks now.
        let [killed, unlocked, young_slot] =
            ["juror-programs-3", "juror-programs-new-1", "juror-slot-2"].map(make);
        let link = parent.path().join("juror-programs-4");
        symlink(&elsewhere, &link).unwrap();
        let file = parent.path().join("juror-programs-5");
        fs::write(&file, "x").unwrap();
        let old = SystemTime::now() - Duration::from_secs(100);
        // A program took rights from its directories.
        let slot = make("juror-slot-1");
        fs::set_permissions(slot.join("below"), fs::Permissions::from_mode(0o0)).unwrap();
        for path in [&abandoned, &other, &used, &kept, &elsewhere, &file, &slot] {
            File::open(path).unwrap().set_modified(old).unwrap();
        }
        let sweep = |parent: &Path| {
            super::remove_stale(parent, &["juror-programs-", "juror-generate-", "juror-slot-"]);
        };
        let in_use = lock_directory(&used).unwrap();
        sweep(parent.path());
        let there = |path: &Path| fs::symlink_metadata(path).is_ok();
        assert!(!there(&abandoned) && !there(&other) && !there(&slot) && !there(&killed));
        for path in [&used, &kept, &elsewhere, &unlocked, &young_slot, &link, &file] {
            assert!(there(path), "{}", path.display());
        }
        assert!(elsewhere.join("below/file").exists());
        // If its process dies, the same happens. Programs that other tests start meanwhile have the lock, too, until
        // it is released for all.
        in_use.unlock().unwrap();
        sweep(parent.path());
        assert!(!there(&used));
    }

    #[test]
    fn what_a_killed_juror_left_is_removed_in_parts_of_bounded_size() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("juror-package-1");
        let count = || walkdir::WalkDir::new(&dir).into_iter().flatten().count();
        for number in 0..300 {
            fs::create_dir_all(dir.join(format!("{}/{}", number % 3, number % 7))).unwrap();
            let name = format!("{}/{}/{number}", number % 3, number % 7);
            fs::write(dir.join(name), "").unwrap();
        }
        let mut left = count();
        // A program that starts meanwhile has copies of this process's files until it is executed.
        let copies = std::cell::RefCell::new(Vec::new());
        let own = pidfd_open(getpid(), PidfdFlags::empty()).unwrap();
        let copy_lock = || {
            let files = fs::read_dir("/proc/self/fd").unwrap().flatten();
            let locks =
                files.filter(|file| fs::read_link(file.path()).is_ok_and(|path| path == dir));
            let numbers = locks.map(|file| file.file_name().to_str().unwrap().parse().unwrap());
            let copy = |number| pidfd_getfd(&own, number, PidfdGetfdFlags::empty()).unwrap();
            copies.replace(numbers.map(copy).collect::<Vec<_>>());
        };
        for turn in 0.. {
            let asked = std::cell::Cell::new(0);
            let is_over = || {
                if asked.get() == 0 {
                    copy_lock();
                }
                asked.replace(asked.get() + 1) >= 100
            };
            remove_stale_until(parent.path(), &["juror-package-"], &is_over);
            if !dir.exists() {
                assert!(turn > 3, "all was removed at once");
                break;
            }
            assert!(count() < left && left - count() <= 100, "turn {turn}: {} of {left}", count());
            left = count();
        }
    }

    #[test]
    fn a_directory_gets_its_name_when_it_is_locked() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = make_scratch_in(parent.path(), ".juror-x-").unwrap();
        let name = scratch.path().file_name().unwrap().to_str().unwrap().to_owned();
        let random = name.strip_prefix(".juror-x-").unwrap();
        assert!(!random.starts_with(UNLOCKED) && random.len() == 6, "{name}");
        // Another juror leaves it alone from the first moment.
        remove_stale(parent.path(), &[".juror-x-"]);
        assert!(scratch.path().exists());
        // The directory for temporary files may be a link.
        symlink(parent.path(), parent.path().join("link")).unwrap();
        drop(make_scratch_in(&parent.path().join("link"), ".juror-y-").unwrap());
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_is_cleared_only_if_no_other_process_writes_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let is_cleared = || {
            let mut is_cleared = false;
            let claim = claim_directory(dir.path(), || is_cleared = true);
            (is_cleared, claim)
        };
        let (first, lock) = is_cleared();
        let (second, other_lock) = is_cleared();
        assert_eq!((first, second), (true, false));
        for lock in [lock, other_lock] {
            // Programs that other tests start meanwhile have the lock, too, until it is released for all.
            lock.unwrap().unlock().unwrap();
        }
        assert!(is_cleared().0);
    }

    #[test]
    fn a_directory_in_use_is_locked_and_gone_when_dropped() {
        let scratch = make_scratch(ScratchPurpose::Programs).unwrap();
        let path = scratch.path().to_path_buf();
        assert!(lock_directory(&path).is_none());
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn other_users_cannot_list_scratch_directories() {
        for (what, expected) in [
            (ScratchPurpose::Package, 0o700),
            (ScratchPurpose::Data, 0o700),
            (ScratchPurpose::Passes, 0o700),
            (ScratchPurpose::Programs, 0o711),
        ] {
            let scratch = make_scratch(what).unwrap();
            let mode = fs::metadata(scratch.path().as_path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, expected, "{what:?}");
        }
    }

    #[test]
    fn a_disk_error_has_help() {
        let check = |kind: ErrorKind, piece: Option<&str>| {
            let help = scratch_fault("write", kind.into()).help;
            assert_eq!(help.is_some(), piece.is_some(), "{kind}: {help:?}");
            assert!(help.unwrap_or_default().contains(piece.unwrap_or_default()));
        };
        check(ErrorKind::StorageFull, Some("make room in"));
        check(ErrorKind::NotFound, Some("set TMPDIR"));
        check(ErrorKind::PermissionDenied, Some("set TMPDIR"));
        check(ErrorKind::Interrupted, None);
    }
}
