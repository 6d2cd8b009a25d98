//! Isolates programs if namespaces are forbidden: by landlock, a filter of system calls, resource limits and, under
//! root, another user.
//!
//! # Theory of operation
//!
//! The processes are those of a run with namespaces (see the documentation of the module `linux`). But nothing hides
//! the machine from the program: landlock and the filter refuse access to it.
//!
//! Landlock's domains replace the process namespace. The slot enters one, PID 1 of the run a second within it, the
//! program a third within that. Each forbids signals to processes outside. So `kill(-1)` of PID 1 reaches every
//! process of the run and no other, all at once, however they fork. That of the slot also reaches PID 1; the program
//! reaches neither. This is tested: a slot that can signal its judge, or a PID 1 that can signal its slot, stops. PID
//! 1 and the slot adopt orphans (`PR_SET_CHILD_SUBREAPER`), so no process is lost to `init`. If the slot dies, PID 1
//! gets a signal and kills all.
//!
//! Box and temporary directory are directories on disk. So they have other paths than `/box` and `/tmp`, and shown
//! files keep their own: paths in arguments, environment and links are translated. The size of the directories is
//! measured by a search.
//!
//! # What is weaker
//!
//! - A program can find out that a file exists, how large it is and when it changed, if it knows the name.
//! - The box is searched every 15 ms, so it can exceed its limit for a moment. Deleted files that are still open are
//!   not counted.
//! - Without root, the program has the judge's own user. Calls that act on files by their owner alone, such as
//!   `chmod`, do nothing.
//! - No local sockets with a name, no POSIX shared memory.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};

use crate::sandbox::boxes::DiskBoxes;
use crate::sandbox::disk::{self, SLOT_PREFIXES};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::filter::landlock_filter::{self, SameUser};
use crate::sandbox::linux::run::child::LandlockSpec;
use crate::sandbox::linux::setup::{SlotSetup, UserChange, UserIdentity};
use crate::sandbox::linux::sys::{self, right};
use crate::sandbox::linux::view::boxes::{RunBoxes, give_to_program};
use crate::sandbox::linux::view::etc::is_needed;
use crate::sandbox::linux::view::mounts::{SYSTEM_DIRECTORIES, ShownMount, c_path};
use crate::sandbox::translate::PathTranslation;
use juror_core::tree::TreeEntry;

/// The first version of landlock that keeps signals within a domain. Source: the kernel's
/// `Documentation/userspace-api/landlock.rst`; Linux 6.12.
const NEEDED_VERSION: usize = 6;

/// Files below `/proc` about the machine as a whole. Run-time systems read them.
const PROC_FILES: [&str; 6] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
];

const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

pub(crate) struct LandlockView {
    identity: UserIdentity,
    disk: DiskBoxes,
    /// Rules that only keep signals in.
    scope: OwnedFd,
    filter: Vec<libc::sock_filter>,
    slot: i32,
}

impl LandlockView {
    /// Puts this process, the slot, into its domain, and makes a directory for its runs.
    pub(crate) fn make(setup: &SlotSetup) -> Result<Self, Fault> {
        const STEP: &str = "isolate by landlock";
        let version = sys::landlock_version().unwrap_or(0);
        if version < NEEDED_VERSION {
            let has = match version {
                0 => "the kernel has no landlock, or it is not switched on".to_owned(),
                version => format!("the kernel has version {version} of landlock"),
            };
            let reason =
                format!("{has}; version {NEEDED_VERSION} is needed, of Linux 6.12 or newer");
            return Err(Fault::new(STEP, reason));
        }
        let identity = setup.identity;
        if identity.change == UserChange::Unchanged && setup.outside_uid == 0 {
            let reason = "root may not become another user here, and as root the number of \
                          processes cannot be limited; run juror as an ordinary user";
            return Err(Fault::new(STEP, reason));
        }
        let orphans = libc::PR_SET_CHILD_SUBREAPER;
        sys::prctl(orphans, 1, 0).step("become the parent of orphans")?;
        let scope = sys::landlock_ruleset(&[0, 0, right::SCOPES]).step("make landlock rules")?;
        sys::landlock_restrict(scope.as_raw_fd()).step("enter a landlock domain")?;
        if sys::kill(setup.judge, 0) != Err(sys::Errno(libc::EPERM)) {
            return Err(Fault::new(STEP, "landlock does not keep signals in"));
        }
        // Another user must be able to pass through, but need not see the contents.
        let (same_user, mode) = match identity.change {
            UserChange::Unchanged => (SameUser::Yes, 0o700),
            UserChange::Switch => (SameUser::No, 0o711),
        };
        let disk = DiskBoxes::make(&setup.temporary, SLOT_PREFIXES[0], mode)?;
        check_reach(disk.path(), identity)?;
        Ok(Self {
            identity,
            disk,
            scope,
            filter: landlock_filter::additional_filter(same_user),
            slot: std::process::id().cast_signed(),
        })
    }

    /// Checks that the program's user can reach everything that is to be shown.
    pub(crate) fn check_shown(&self, mounts: &[ShownMount]) -> Result<(), Fault> {
        mounts.iter().try_for_each(|shown| check_reach(&shown.host, self.identity))
    }

    pub(crate) fn boxes(
        &mut self,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
        translation: &PathTranslation,
    ) -> Result<RunBoxes, Fault> {
        let owner = self.identity;
        let directories = self.disk.prepare(&|directory| give_to_program(directory, owner))?;
        RunBoxes::fill(directories, owner, files, contents, translation)
    }

    pub(crate) fn path_translation(&self, shown: &[ShownMount]) -> PathTranslation {
        self.disk.path_translation(shown.iter().map(|shown| (&*shown.inside, &*shown.host)))
    }

    pub(crate) fn landlock_spec(&self) -> Result<LandlockSpec, Fault> {
        Ok(LandlockSpec {
            scope: self.scope.as_raw_fd(),
            slot: self.slot,
            filter: self.filter.clone(),
            directory: c_path(&self.disk.box_path())?,
        })
    }

    /// Landlock's rules for a run: read and start files of the system and shown ones, write in the run's own
    /// directories and to devices, and nothing else.
    pub(crate) fn rules(
        &self,
        boxes: &RunBoxes,
        writable: bool,
        visible: &[ShownMount],
        input: Option<&OwnedFd>,
    ) -> Result<OwnedFd, Fault> {
        let rules = sys::landlock_ruleset(&[right::ALL, right::TCP, right::SCOPES])
            .step("make landlock rules")?;
        let allow = |descriptor: RawFd, rights: u64| {
            sys::landlock_allow(rules.as_raw_fd(), descriptor, rights)
                .map(|_| ())
                .step("add a landlock rule")
        };
        let all = right::ALL & !right::IOCTL_DEV;
        let start = right::READ | right::EXECUTE;
        allow(boxes.filled.directory.as_raw_fd(), if writable { all } else { start })?;
        allow(boxes.temporary.as_raw_fd(), all)?;
        for path in system_paths() {
            allow_path(&path, start, &allow)?;
        }
        for path in PROC_FILES.iter().map(Path::new) {
            allow_path(path, right::READ, &allow)?;
        }
        for path in DEVICES.iter().map(Path::new) {
            allow_path(path, right::READ_FILE | right::WRITE_FILE, &allow)?;
        }
        for shown in visible {
            allow_path(&shown.host, start, &allow)?;
        }
        if let Some(input) = input {
            // Pipes and files in memory are refused: they need no rule.
            let _ = allow(input.as_raw_fd(), right::READ_FILE);
        }
        Ok(rules)
    }

    pub(crate) fn remove_run(&mut self) {
        self.disk.remove_run();
    }
}

fn system_paths() -> Vec<PathBuf> {
    let system = SYSTEM_DIRECTORIES.iter().map(|name| Path::new("/").join(name));
    let etc = fs::read_dir("/etc").into_iter().flatten().flatten();
    let etc = etc.filter(|entry| is_needed(&entry.file_name()));
    system.chain(etc.map(|entry| entry.path())).collect()
}

/// Permits rights at and below a path, if it exists; for a file only those that files can have.
fn allow_path(
    path: &Path,
    rights: u64,
    allow: &impl Fn(RawFd, u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let Ok(opened) = rustix::fs::open(path, flags, Mode::empty()) else { return Ok(()) };
    let stat =
        rustix::fs::statat(&opened, c"", AtFlags::EMPTY_PATH).step_on("inspect", path.display())?;
    let is_directory =
        rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Directory;
    let rights = if is_directory { rights } else { rights & !right::READ_DIR };
    allow(opened.as_raw_fd(), rights)
}

/// Checks that another user than the judge's can pass every directory on the way.
fn check_reach(path: &Path, identity: UserIdentity) -> Result<(), Fault> {
    if identity.change == UserChange::Unchanged {
        return Ok(());
    }
    const SEARCH_BY_ALL: u32 = 0o001;
    let real = fs::canonicalize(path).step_on("show", path.display())?;
    for above in real.ancestors().skip(1) {
        let metadata = fs::metadata(above).step_on("show", above.display())?;
        if metadata.mode() & SEARCH_BY_ALL == 0 {
            let step = format!("show {}", path.display());
            let reason = format!(
                "without namespaces the program's own user cannot get through {}; \
                 chmod o+x it, or move the files",
                above.display()
            );
            return Err(Fault::new(step, reason));
        }
    }
    Ok(())
}

/// In bytes; above any limit if it is unknown.
pub(crate) fn run_disk_usage(boxes: &RunBoxes) -> u64 {
    disk::disk_usage(&boxes.filled.directory).saturating_add(disk::disk_usage(&boxes.temporary))
}

/// Kills every process of the run, and waits for those that became the slot's children. Only for a slot in its own
/// domain: see [`LandlockView::make`].
pub(crate) fn kill_domain() -> sys::Usage {
    let mut sum = sys::Usage::default();
    let _ = sys::kill(-1, libc::SIGKILL);
    while let Ok(ended) = sys::wait(-1) {
        sum.cpu += ended.usage.cpu;
        sum.memory = sum.memory.max(ended.usage.memory);
    }
    sum
}
