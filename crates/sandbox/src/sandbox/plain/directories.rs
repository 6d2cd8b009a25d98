//! The files of a run: placed before it, collected and kept after it. Only the judge's user can enter their directory.

use std::env;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::sandbox::boxes::{BoxEntry, DiskBoxes, FilledBox, check_copied};
use crate::sandbox::capture::copy_file;
use crate::sandbox::disk::SLOT_PREFIXES;
use crate::sandbox::environment;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::forks;
use crate::sandbox::host_path::host_path;
use crate::sandbox::keep_box;
use crate::sandbox::shortage::check_room;
use crate::sandbox::translate::PathTranslation;
use juror_core::blob::Blob;
use juror_core::job::{CollectedEntry, Command, Job};
use juror_core::judgement::JudgeError;
use juror_core::outcome::Outcome;
use juror_core::tree::{FileMode, Tree};

pub(super) fn make_slot_directory() -> Result<DiskBoxes, JudgeError> {
    let parent = env::temp_dir();
    DiskBoxes::make(&parent, SLOT_PREFIXES[1], 0o700).map_err(|fault| {
        let parent = parent.display();
        let help = format!("make {parent} a writable directory, or set TMPDIR to one");
        JudgeError::from(fault).help(help)
    })
}

/// Programs run as the judge's user, who owns the files already.
fn keep_owner(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}

pub(super) struct RunDirectory {
    /// Has the paths of the machine.
    pub(super) command: Command,
    pub(super) path: PathBuf,
    filled_box: FilledBox,
}

impl RunDirectory {
    pub(super) fn prepare(disk: &DiskBoxes, job: &Job) -> Result<Self, Fault> {
        check_copied(job)?;
        let [directory, _] = disk.prepare(&keep_owner)?;
        let hosts = job.command.visible.iter().map(host_path).collect::<Result<Vec<_>, _>>()?;
        let inside = job.command.visible.iter().map(|shown| &*shown.inside);
        let translation = disk.path_translation(inside.zip(hosts.iter().map(|host| &**host)));
        let filled =
            FilledBox::fill(directory, &job.files, &translation, &keep_owner, &write_blob)?;
        let path = disk.box_path();
        if !job.writable {
            let rights = Permissions::from_mode(0o555);
            fs::set_permissions(&path, rights).step("make the box read-only")?;
        }
        Ok(Self {
            command: translate_command(&job.command, &translation),
            path,
            filled_box: filled,
        })
    }

    pub(super) fn new_bytes(&self) -> Result<u64, Fault> {
        self.filled_box.new_bytes(u64::MAX)
    }

    /// Fails if the box is on a full disk.
    pub(super) fn check_room(&self) -> Result<(), Fault> {
        check_room(&self.filled_box.directory)
    }

    pub(super) fn collect(&self, job: &Job) -> Result<Vec<CollectedEntry>, Fault> {
        let most = job.limits.output.unwrap_or(job.box_size).0;
        let find = |name: &String| match self.filled_box.find(Path::new(name))? {
            BoxEntry::File(file) => {
                copy_file(file, most).map(CollectedEntry::File).step("copy a file out of the box")
            }
            BoxEntry::Other(other) => Ok(other),
        };
        job.collect.iter().map(find).collect()
    }

    pub(super) fn keep(
        &self,
        job: &Job,
        outcome: &Outcome,
        keep_in: &Path,
    ) -> Result<Option<Tree>, Fault> {
        keep_box::keep_box(
            self.filled_box.reopen()?,
            keep_in,
            job,
            outcome,
            keep_box::CopyRights::Unchanged,
        )
    }
}

/// An unnamed copy, open only for reading.
pub(super) fn open_input(disk: &DiskBoxes, input: &Blob) -> Result<OwnedFd, Fault> {
    let path = disk.run_path().join("input");
    let copy = || {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        input.copy_to(&mut options.open(&path)?)?;
        let from = File::open(&path)?;
        fs::remove_file(&path)?;
        io::Result::Ok(from)
    };
    let file = match input.bytes() {
        Some([]) => File::open("/dev/null"),
        _ => copy(),
    };
    Ok(file.step_on("prepare standard input", input)?.into())
}

/// Writes a file while no process starts: a new process would have it open.
fn write_blob(
    blob: &Blob,
    mode: FileMode,
    make: &dyn Fn() -> io::Result<File>,
) -> io::Result<File> {
    let _no_start = forks::block_forks_for(blob, mode);
    let mut file = make()?;
    blob.copy_to(&mut file)?;
    Ok(file)
}

/// Has the paths of the machine, and the whole environment.
fn translate_command(command: &Command, translation: &PathTranslation) -> Command {
    let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
    let variable = |(name, value): (String, String)| {
        let value = text(translation.translate_variable(&name, &value));
        (name, value)
    };
    Command {
        argv: command
            .argv
            .iter()
            .map(|arg| text(translation.translate_text(arg.as_bytes())))
            .collect(),
        env: environment::program_environment(&command.env).into_iter().map(variable).collect(),
        visible: Vec::new(),
    }
}
