//! Decides whether the machine, not the program, is to blame for how a run ended. Then the run has no verdict.
//!
//! A limit of the run explains an end first. Otherwise the machine is to blame if it lacked memory, processes or room,
//! or if somebody removed files meanwhile. `docs/conformance.md` has the table.

use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::sandbox::control::{RUN_STEP, is_interrupted};
use crate::sandbox::errno::Errno;
use crate::sandbox::fault::{Fault, FaultContext};

use crate::sandbox::system::EnclosingGroups;
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Meter, Outcome, Signal};
use juror_core::units::Bytes;

/// Counts how often the machine was short of something during a run.
#[derive(Debug)]
pub(super) struct ShortageCounter {
    groups: EnclosingGroups,
    /// What counts the memory of runs. A run's own control group also counts kills for memory.
    memory: Meter,
    killed_before: u64,
    refused_before: u64,
}

/// How a run ended, if the machine may be to blame.
#[derive(Clone, Copy, Debug)]
enum RunEnd<'a> {
    Finished(&'a Outcome),
    Unstartable,
    Failed,
}

#[derive(Clone, Debug, Default)]
struct ShortageEvidence {
    missing: Option<PathBuf>,
    /// The directory of its program, if no program can be started there.
    noexec: Option<PathBuf>,
    /// Processes killed for memory meanwhile; 0 if the run's own control group counts them.
    killed: u64,
    refused: u64,
    process_room: Option<u64>,
}

impl ShortageCounter {
    pub(super) fn new(memory: Meter) -> Self {
        Self { groups: EnclosingGroups::find(), memory, killed_before: 0, refused_before: 0 }
    }

    /// Call it just before a run.
    pub(super) fn start(&mut self) {
        (self.killed_before, self.refused_before) = self.counts();
    }

    /// The processes killed for memory until now, and the refused ones.
    fn counts(&self) -> (u64, u64) {
        let killed = match self.memory {
            Meter::Rusage => self.groups.killed_for_memory(),
            Meter::Cgroup1 | Meter::Cgroup2 => 0,
        };
        (killed, self.groups.refused_processes())
    }

    /// `None` if the machine is not to blame for the result of a run.
    pub(super) fn machine_fault(
        &self,
        job: &Job,
        result: Result<&Outcome, &JudgeError>,
    ) -> Option<JudgeError> {
        let end = match result {
            Ok(outcome) if is_successful(outcome) => return None,
            Ok(outcome) => RunEnd::Finished(outcome),
            Err(error) if error.kind == FaultKind::Unstartable => RunEnd::Unstartable,
            Err(error) if is_interrupted(error) => return None,
            Err(_) => RunEnd::Failed,
        };
        machine_fault(end, &job.limits, &self.collect_evidence(job, end))
    }

    fn collect_evidence(&self, job: &Job, end: RunEnd<'_>) -> ShortageEvidence {
        let mut evidence =
            ShortageEvidence { missing: missing_file(job), ..ShortageEvidence::default() };
        match end {
            RunEnd::Unstartable => {
                evidence.noexec = program_directory(job).filter(|path| is_noexec(path))
            }
            RunEnd::Failed => {}
            RunEnd::Finished(outcome) if is_explained(outcome, &job.limits) => {}
            RunEnd::Finished(_) => {
                let (killed, refused) = self.counts();
                evidence.killed = killed.saturating_sub(self.killed_before);
                evidence.refused = refused.saturating_sub(self.refused_before);
                evidence.process_room = self.groups.processes_left();
            }
        }
        evidence
    }
}

/// Only the output decides about such a run.
fn is_successful(outcome: &Outcome) -> bool {
    outcome.ending == Ending::Exited(0) && outcome.stopped_by.is_none()
}

/// A limit of the run explains its end, or there is nothing to explain.
fn is_explained(outcome: &Outcome, limits: &Limits) -> bool {
    is_successful(outcome) || outcome.stopped_by.is_some() || limits.exceeded(outcome).is_some()
}

/// The run was killed, and neither juror, a limit nor the run itself explains it. So another process of the machine
/// did it, which does not happen again.
pub fn is_unexplained_kill(outcome: &Outcome, limits: &Limits) -> bool {
    const SIGKILL: Signal = Signal(9);
    let is_killed = outcome.ending == Ending::Signalled(SIGKILL);
    is_killed && !outcome.has_killed && !is_explained(outcome, limits)
}

fn machine_fault(
    end: RunEnd<'_>,
    limits: &Limits,
    evidence: &ShortageEvidence,
) -> Option<JudgeError> {
    if let Some(path) = &evidence.missing {
        let what = format!("somebody removed {} meanwhile", path.display());
        let help = "leave the files of a running juror alone, or set TMPDIR to another directory";
        return Some(JudgeError::new(RUN_STEP, what).help(help));
    }
    match end {
        RunEnd::Failed => None,
        RunEnd::Unstartable => evidence.noexec.as_deref().map(|path| {
            let what = format!("{} is mounted with noexec", path.display());
            let help = "set TMPDIR to a directory in which programs can be started";
            JudgeError::new("start the program", what).help(help)
        }),
        RunEnd::Finished(outcome) if is_explained(outcome, limits) => None,
        RunEnd::Finished(outcome) => shortage_fault(outcome, limits, evidence),
    }
}

fn shortage_fault(
    outcome: &Outcome,
    limits: &Limits,
    evidence: &ShortageEvidence,
) -> Option<JudgeError> {
    let error = if evidence.killed > 0 {
        let allowed = limits.memory.map_or("any amount".to_owned(), |limit| limit.to_string());
        let what = format!(
            "the kernel killed a process because memory was short, although {allowed} is allowed: \
             the machine has no more, or the control group that juror is in"
        );
        JudgeError::new(RUN_STEP, what).help("judge again when the machine has more memory")
    } else if is_refused_above(outcome, limits, evidence) {
        let allowed = limits.processes.map_or("any number".to_owned(), |limit| limit.to_string());
        let what = format!(
            "a new process or thread was refused, although {allowed} are allowed: the control group \
             that juror is in allows no more"
        );
        let help = "raise pids.max of the container or service in which juror runs";
        JudgeError::new(RUN_STEP, what).help(help)
    } else {
        return None;
    };
    Some(error.transient())
}

/// Whether groups above, and not the limit of the run, refused a process.
fn is_refused_above(outcome: &Outcome, limits: &Limits, evidence: &ShortageEvidence) -> bool {
    // A group of version 1 counts what its processes are refused, whichever group above refuses it.
    let allowed = limits.processes.map_or(u64::MAX, u64::from);
    let has_less = evidence.process_room.is_some_and(|room| room < allowed);
    evidence.refused > 0 || (outcome.refused_processes > 0 && has_less)
}

pub(super) const NO_PROCESS: &str =
    "this machine, or the container that juror is in, allows no more processes";

/// What the machine lacks if this error kept a process or thread from starting.
pub(super) fn start_shortage(error: &std::io::Error) -> Option<&'static str> {
    match error.raw_os_error()? {
        libc::EAGAIN => Some(NO_PROCESS),
        libc::ENOMEM => Some("this machine has no memory left for a process"),
        libc::EMFILE | libc::ENFILE => Some("too many files are open"),
        _ => None,
    }
}

fn missing_file(job: &Job) -> Option<PathBuf> {
    let trees = job.command.visible.iter().filter_map(|shown| match &shown.what {
        VisibleContent::Tree(tree) => Some((tree, tree.directory()?)),
        VisibleContent::Installed { .. } => None,
    });
    let is_gone = |path: &PathBuf| {
        path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
    };
    let mut files = trees.flat_map(|(tree, directory)| {
        let entries = tree.entries.iter().map(|entry| directory.join(&entry.name));
        std::iter::once(directory.to_path_buf()).chain(entries)
    });
    files.find(is_gone)
}

fn program_directory(job: &Job) -> Option<PathBuf> {
    let program = Path::new(job.command.argv.first()?);
    let mut shown = job.command.visible.iter().filter(|shown| program.starts_with(&shown.inside));
    shown.find_map(|shown| match &shown.what {
        VisibleContent::Tree(tree) => tree.directory().map(Path::to_path_buf),
        VisibleContent::Installed { .. } => None,
    })
}

/// No program can be started from such a file system.
#[cfg(target_os = "linux")]
pub(super) fn is_noexec(path: &Path) -> bool {
    rustix::fs::statvfs(path)
        .is_ok_and(|found| found.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_noexec(_: &Path) -> bool {
    false
}

/// Fails if no program can be started in this directory for boxes.
pub(super) fn check_exec(directory: &Path) -> Result<(), Fault> {
    if is_noexec(directory) {
        Err(Fault::new(
            "prepare boxes",
            format!(
                "{} is mounted with noexec; set TMPDIR to a directory in which programs can be started",
                directory.display()
            ),
        ))
    } else {
        Ok(())
    }
}

/// Fails if an open directory of a run was removed.
pub(super) fn check_linked(directory: impl AsFd) -> Result<(), Fault> {
    let stat = rustix::fs::fstat(directory).step("inspect the box")?;
    match stat.st_nlink {
        0 => Err(Fault {
            reason: "somebody removed the directory of the run meanwhile".to_owned(),
            ..Fault::from_errno(RUN_STEP, Errno(libc::EIO))
        }),
        _ => Ok(()),
    }
}

/// Fails if the disk of the box is full. Call it after a failed run, before the box is removed.
pub(super) fn check_room(directory: impl AsFd) -> Result<(), Fault> {
    let room = rustix::fs::fstatvfs(directory).step("measure the box")?;
    let bytes = Bytes(room.f_bavail.saturating_mul(room.f_frsize));
    let files = (room.f_files > 0).then_some(room.f_favail);
    if is_full(bytes, files) {
        Err(Fault {
            reason: format!(
                "{} is full; make room there, or set TMPDIR to a directory that has room",
                std::env::temp_dir().display()
            ),
            ..Fault::from_errno(RUN_STEP, Errno(libc::ENOSPC))
        })
    } else {
        Ok(())
    }
}

/// Nearly nothing is free: the program may have deleted a part of what it wrote. Some file systems do not tell the
/// number of files.
fn is_full(bytes: Bytes, files: Option<u64>) -> bool {
    const LITTLE: Bytes = Bytes::mib(4);
    bytes < LITTLE || files == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::blob::TreeDirectory;
    use juror_core::job::{Command, VisiblePath};
    use juror_core::outcome::{Signal, StopReason, quiet_outcome};
    use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
    use std::fs;
    use std::sync::Arc;
    use std::time::Duration;

    /// `expected` is a part of the judge error; without one, the end counts as the program's own.
    fn check(end: RunEnd<'_>, evidence: ShortageEvidence, expected: Option<&str>) {
        let limits = Limits {
            cpu_time: Some(Duration::from_secs(1)),
            memory: Some(Bytes::mib(1024)),
            processes: Some(128),
            ..Limits::default()
        };
        let found = machine_fault(end, &limits, &evidence).map(|error| error.to_string());
        assert_eq!(found.is_some(), expected.is_some(), "{end:?} {evidence:?}: {found:?}");
        let found = found.unwrap_or_default();
        assert!(found.contains(expected.unwrap_or_default()), "{found}");
    }

    fn finished_with(ending: Ending) -> Outcome {
        Outcome { ending, ..quiet_outcome() }
    }

    const KILLED: Ending = Ending::Signalled(Signal(9));

    fn short_of_memory() -> ShortageEvidence {
        ShortageEvidence { killed: 1, ..ShortageEvidence::default() }
    }

    #[test]
    fn a_kill_for_memory_within_the_limit_is_the_machines_fault() {
        let words = Some("memory was short, although 1 GiB is allowed");
        for ending in
            [KILLED, Ending::Exited(1), Ending::Exited(137), Ending::Signalled(Signal(11))]
        {
            check(RunEnd::Finished(&finished_with(ending)), short_of_memory(), words);
            check(RunEnd::Finished(&finished_with(ending)), ShortageEvidence::default(), None);
        }
        check(RunEnd::Finished(&finished_with(Ending::Exited(0))), short_of_memory(), None);
    }

    #[test]
    fn an_unexplained_kill_is_recognized() {
        let check = |outcome: Outcome, expected: bool| {
            let limits = Limits { cpu_time: Some(Duration::from_secs(1)), ..Limits::default() };
            assert_eq!(is_unexplained_kill(&outcome, &limits), expected, "{outcome:?}");
        };
        check(finished_with(KILLED), true);
        check(Outcome { has_killed: true, ..finished_with(KILLED) }, false);
        check(finished_with(Ending::Signalled(Signal(11))), false);
        check(finished_with(Ending::Exited(137)), false);
        check(Outcome { stopped_by: Some(StopReason::Memory), ..finished_with(KILLED) }, false);
        check(Outcome { cpu_time: Duration::from_secs(2), ..finished_with(KILLED) }, false);
    }

    #[test]
    fn a_directory_that_was_removed_is_noticed() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let opened = fs::File::open(dir.path()).expect("a directory");
        assert_eq!(check_linked(&opened), Ok(()));
        drop(dir);
        let error = JudgeError::from(check_linked(&opened).expect_err("it is gone"));
        assert_eq!(error.again, juror_core::judgement::Retry::Possible);
    }

    #[test]
    fn a_limit_explains_an_end_before_the_machine_does() {
        for stop in
            [StopReason::CpuTime, StopReason::WallTime, StopReason::Memory, StopReason::Output]
        {
            let outcome = Outcome { stopped_by: Some(stop), ..finished_with(KILLED) };
            check(RunEnd::Finished(&outcome), short_of_memory(), None);
        }
        let slow = Outcome { cpu_time: Duration::from_secs(2), ..finished_with(KILLED) };
        check(RunEnd::Finished(&slow), short_of_memory(), None);
        let large = Outcome { peak_memory: Bytes::mib(1025), ..finished_with(KILLED) };
        check(RunEnd::Finished(&large), short_of_memory(), None);
    }

    #[test]
    fn a_process_that_a_container_refuses_is_the_machines_fault() {
        let words = Some("was refused, although 128 are allowed");
        let evidence = |refused: u64, process_room: Option<u64>| ShortageEvidence {
            refused,
            process_room,
            ..ShortageEvidence::default()
        };
        let failed = finished_with(Ending::Exited(1));
        let refused = Outcome { refused_processes: 3, ..failed.clone() };
        check(RunEnd::Finished(&failed), evidence(2, None), words);
        check(RunEnd::Finished(&failed), evidence(0, Some(5)), None);
        check(RunEnd::Finished(&refused), evidence(0, Some(127)), words);
        check(RunEnd::Finished(&refused), evidence(0, Some(128)), None);
        check(RunEnd::Finished(&refused), evidence(0, None), None);
    }

    #[test]
    fn a_machine_that_starts_nothing_differs_from_a_broken_tool() {
        let check = |number: i32, expected: Option<&str>| {
            let found = start_shortage(&std::io::Error::from_raw_os_error(number));
            assert_eq!(found.is_some(), expected.is_some(), "{number}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{found:?}");
        };
        check(libc::EAGAIN, Some("no more processes"));
        check(libc::ENOMEM, Some("no memory"));
        check(libc::EMFILE, Some("too many files"));
        check(libc::ENFILE, Some("too many files"));
        for of_the_tool in [libc::ENOENT, libc::EACCES, libc::ENOEXEC, libc::ETXTBSY, libc::ELOOP] {
            check(of_the_tool, None);
        }
        assert_eq!(start_shortage(&std::io::Error::other("its path is not absolute")), None);
    }

    #[test]
    fn a_full_disk_under_the_box_is_the_machines_fault() {
        let check = |bytes: Bytes, files: Option<u64>, expected: bool| {
            assert_eq!(is_full(bytes, files), expected, "{bytes} {files:?}");
        };
        check(Bytes::mib(100), Some(1000), false);
        check(Bytes::mib(100), None, false);
        check(Bytes::mib(3), Some(1000), true);
        check(Bytes::mib(100), Some(0), true);
    }

    #[test]
    fn a_program_on_a_noexec_file_system_is_the_machines_fault() {
        let noexec =
            ShortageEvidence { noexec: Some("/scratch".into()), ..ShortageEvidence::default() };
        check(RunEnd::Unstartable, noexec, Some("/scratch is mounted with noexec"));
        check(RunEnd::Unstartable, ShortageEvidence::default(), None);
        check(RunEnd::Failed, ShortageEvidence::default(), None);
    }

    #[test]
    fn a_file_that_somebody_removed_is_the_machines_fault() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let tree_path = dir.path().join("tree");
        fs::create_dir(&tree_path).expect("a directory");
        let node = Node::File { blob: b"x".as_slice().into(), mode: FileMode::Executable };
        let tree = Arc::new(Tree::from(vec![TreeEntry::new("main", node)]));
        tree.set_directory(TreeDirectory::new(tree_path.clone(), ()));
        let visible = vec![VisiblePath::tree("/program", &tree)];
        let argv = vec!["/program/main".to_owned()];
        let job =
            Job { command: Command { argv, visible, ..Command::default() }, ..Job::default() };
        assert_eq!(missing_file(&job), Some(tree_path.join("main")));
        fs::write(tree_path.join("main"), "x").expect("a file");
        assert_eq!(missing_file(&job), None);
        assert_eq!(program_directory(&job), Some(tree_path.clone()));
        fs::remove_dir_all(&tree_path).expect("a directory");
        assert_eq!(missing_file(&job), Some(tree_path));
        let missing =
            || ShortageEvidence { missing: missing_file(&job), ..ShortageEvidence::default() };
        for end in [
            RunEnd::Unstartable,
            RunEnd::Failed,
            RunEnd::Finished(&finished_with(Ending::Exited(2))),
        ] {
            check(end, missing(), Some("somebody removed"));
        }
    }
}
