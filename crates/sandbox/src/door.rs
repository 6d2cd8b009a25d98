//! The door of this crate: runs one command under limits, and says what it did. Its types are its own: those of the
//! rest of the crate follow juror's needs, and change with them.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::mem;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::time::Duration;

use crate::executor::Executor;
use crate::executor::local::LocalExecutor;
use crate::sandbox::PROGRAM_PATH;
use juror_core::blob::Blob;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::job::{CollectedEntry, Job, JobReply, VisiblePath};
use juror_core::judgement::{FaultKind, JudgeError, Retry};
use juror_core::limits::Limits as RunLimits;
use juror_core::outcome::{Ending, Mechanism, Signal, StopReason};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;

/// Runs commands apart from the machine, within limits. It may be shared by threads.
///
/// As many commands run at the same time as there are physical cores; other calls wait. All processes of a run are
/// gone when [`run`](Self::run) returns.
///
/// It belongs to the process that made it. In a fork of that process, [`run`](Self::run) fails.
pub struct Sandbox {
    /// A fork shares its sockets, so only the owner may use or drop it.
    executor: Arc<LocalExecutor>,
    owner: u32,
    limits: Limits,
}

impl Sandbox {
    /// Prepares runs with these limits and with the strongest isolation that works here.
    ///
    /// # Errors
    /// [`ErrorKind::Isolation`] if nothing here isolates programs.
    pub fn new(limits: Limits) -> Result<Self, Error> {
        let sandbox = Self::with_isolation(limits, RequiredIsolation::Any)?;
        if sandbox.mechanism().isolation == Isolation::Plain {
            let reason = "this system has no means to isolate programs";
            return Err(Error::of_isolation(JudgeError::new("isolate programs", reason)));
        }
        Ok(sandbox)
    }

    /// Prepares runs with at least this isolation. [`RequiredIsolation::Plain`] isolates nothing: it only limits and
    /// measures.
    ///
    /// # Errors
    /// [`ErrorKind::Isolation`] if this machine cannot do that; the message says why each method failed.
    pub fn with_isolation(limits: Limits, required: RequiredIsolation) -> Result<Self, Error> {
        let executor = LocalExecutor::start(None, required).map_err(Error::of_isolation)?;
        Ok(Self { executor: Arc::new(executor), owner: process::id(), limits })
    }

    /// Runs a command with the limits of this sandbox, and waits for its end.
    ///
    /// # Errors
    /// If the command could not run. What the program does is never an error.
    pub fn run(&self, command: Command) -> Result<Outcome, Error> {
        self.run_within(command, &self.limits)
    }

    /// Runs a command with other limits.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_within(&self, command: Command, limits: &Limits) -> Result<Outcome, Error> {
        if !self.is_owner() {
            return Err(Error::of_fork());
        }
        let job = command.into_job(limits)?;
        let reply = self.executor.run_job(&job).map_err(Error::from)?;
        Outcome::new(&job, reply)
    }

    /// What isolates the runs, and what measures CPU time and memory.
    pub fn mechanism(&self) -> Mechanism {
        self.executor.host().mechanism()
    }

    /// Why the isolation is weaker than full, one line each; empty if it is full.
    pub fn weaknesses(&self) -> Vec<String> {
        let host = self.executor.host();
        if host.isolation().is_full() {
            return Vec::new();
        }
        let refused = host.refused().iter();
        let faults = refused
            .filter_map(|level| Some(format!("{}: {}", level.isolation, level.fault.as_ref()?)));
        faults.chain(host.gaps()).collect()
    }

    /// Ends all runs, also later ones. Their callers get [`ErrorKind::Stopped`].
    pub fn stop(&self) {
        if self.is_owner() {
            self.executor.stop();
        }
    }

    fn is_owner(&self) -> bool {
        process::id() == self.owner
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !self.is_owner() {
            mem::forget(Arc::clone(&self.executor));
        }
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Sandbox");
        shown.field("limits", &self.limits).field("mechanism", &self.mechanism());
        shown.finish_non_exhaustive()
    }
}

/// Beyond these, limits mean nothing, and a kernel or a sum may refuse them.
const MOST_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);
const MOST_BYTES: Bytes = Bytes::mib(1 << 30);
/// As many as Linux has numbers for by default.
const MOST_PROCESSES: u32 = 32_768;

/// What a run may use. A run that uses exactly a limit is within it. A greater limit than a year, a pebibyte or 32,768
/// processes means that much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// User plus system time of all processes of the run. 10 s by default.
    pub cpu_time: Duration,
    /// From the start of the program to its end. With control groups, the time in which other programs had the
    /// processor does not count, up to twenty times the limit. 30 s by default.
    pub wall_time: Duration,
    /// The most memory that all processes of the run hold at once. 512 MiB by default.
    pub memory: Bytes,
    /// Standard output, standard error and the files left in the box, together. 16 MiB by default.
    pub output: Bytes,
    /// Room in the box and `/tmp` besides the files that the command puts there. 64 MiB by default.
    pub room: Bytes,
    /// Processes and threads at the same time. 64 by default.
    pub processes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu_time: Duration::from_secs(10),
            wall_time: Duration::from_secs(30),
            memory: Bytes::mib(512),
            output: Bytes::mib(16),
            room: Bytes::mib(64),
            processes: 64,
        }
    }
}

impl Limits {
    fn for_run(&self) -> RunLimits {
        RunLimits {
            cpu_time: Some(self.cpu_time.min(MOST_TIME)),
            wall_time: Some(self.wall_time.min(MOST_TIME)),
            deadline: None,
            memory: Some(self.memory.min(MOST_BYTES)),
            output: Some(self.output.min(MOST_BYTES)),
            processes: Some(self.processes.min(MOST_PROCESSES)),
        }
    }
}

/// A program with its arguments, and what it finds in the sandbox.
///
/// Its working directory is the box, `/box`: a new directory in memory that only this run has. It can write there and
/// in `/tmp`, and nowhere else. It does not inherit this process's environment.
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    job: Job,
    shown: Vec<ShownPath>,
}

#[derive(Clone, Debug)]
struct ShownPath {
    host: PathBuf,
    inside: PathBuf,
}

impl Command {
    /// A command that starts this program: an absolute path as the program sees it, or a name in `/usr/local/bin`,
    /// `/usr/bin` or `/bin`.
    pub fn new(program: impl Into<String>) -> Self {
        let mut job = Job { writable: true, ..Job::default() };
        job.command.argv.push(program.into());
        Self { job, shown: Vec::new() }
    }

    /// Adds an argument. No shell reads it.
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.job.command.argv.push(argument.into());
        self
    }

    /// Adds several arguments.
    pub fn args<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.job.command.argv.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment. `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR` are set if you do not.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.job.command.env.retain(|(other, _)| *other != name);
        self.job.command.env.push((name, value.into()));
        self
    }

    /// What the program reads from standard input. Without it, standard input is empty.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.job.stdin = input.into().into();
        self
    }

    /// As [`stdin`](Self::stdin), with the contents of a file of this machine.
    pub fn stdin_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.job.stdin = Blob::file(&FilePath::root(path));
        self
    }

    /// Puts a file into the box. The name is relative to the box.
    pub fn file(self, name: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        self.entry(name.into(), Node::plain(contents.into()))
    }

    /// Puts a copy of a file of this machine into the box. If you may execute it, so may the program.
    pub fn copy_file(self, name: impl Into<PathBuf>, path: impl AsRef<Path>) -> Self {
        // A missing file is reported when it is read.
        let rights = fs::metadata(&path).map_or(0, |found| found.permissions().mode());
        let blob = Blob::file(&FilePath::root(path.as_ref()));
        self.entry(name.into(), Node::File { blob, mode: FileMode::from_permissions(rights) })
    }

    fn entry(mut self, name: PathBuf, node: Node) -> Self {
        self.job.add_entry(TreeEntry::new(name, node));
        self
    }

    /// Shows a file or directory of this machine to the program at the same path, read-only.
    pub fn show(self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.show_at(path.clone(), path)
    }

    /// Shows a file or directory of this machine to the program at another path, which is not below `/box`, `/dev` or
    /// `/proc`.
    pub fn show_at(mut self, host: impl Into<PathBuf>, inside: impl Into<PathBuf>) -> Self {
        self.shown.push(ShownPath { host: host.into(), inside: inside.into() });
        self
    }

    /// Returns this file of the box in [`Outcome::files`].
    pub fn collect(mut self, name: impl Into<String>) -> Self {
        self.job.collect.push(name.into());
        self
    }

    fn into_job(self, limits: &Limits) -> Result<Job, Error> {
        let Self { mut job, shown } = self;
        for ShownPath { host, inside } in shown {
            let real = fs::canonicalize(&host);
            let real = real.map_err(|error| Error::of_file("show", &host, &error))?;
            job.command.visible.push(VisiblePath::tree(inside, &Tree::unlisted(real)));
        }
        if let Some(program) = job.command.argv.first_mut()
            && let Some(found) = find_program(program)
        {
            *program = found;
        }
        job.box_size = job.box_size.saturating_add(limits.room).min(MOST_BYTES);
        job.limits = limits.for_run();
        Ok(job)
    }
}

/// A program without a slash in its name, in the directories where a shell in the sandbox would look.
fn find_program(name: &str) -> Option<String> {
    let is_name = !name.is_empty() && !name.contains('/');
    let paths = PROGRAM_PATH.split(':').map(|directory| format!("{directory}/{name}"));
    paths.filter(|_| is_name).find(|path| Path::new(path).is_file())
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// User plus system time of all its processes.
    pub cpu_time: Duration,
    /// From just before the program started to its end.
    pub wall_time: Duration,
    /// The most memory that its processes held at once; `None` if it ended before anybody looked.
    pub peak_memory: Option<Bytes>,
    /// What it wrote to standard output, up to the output limit.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error: all, or the first and the last 32 KiB.
    pub stderr: Vec<u8>,
    /// The requested files that exist and are regular files. See [`Command::collect`].
    pub files: BTreeMap<String, Vec<u8>>,
    /// What isolated it, and what measured CPU time and memory.
    pub mechanism: Mechanism,
}

/// How a run ended. A limit comes first: a program that is killed for it also shows a signal, and one that exits just
/// beyond it also has an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended by itself, with this exit code (0 to 255).
    Exited(i32),
    /// A signal ended the program, and no limit explains it.
    Signalled(Signal),
    /// It used more than [`Limits::cpu_time`].
    CpuTimeExceeded,
    /// It took longer than [`Limits::wall_time`].
    WallTimeExceeded,
    /// It wanted more than [`Limits::memory`].
    MemoryExceeded,
    /// It wrote more than [`Limits::output`].
    OutputExceeded,
}

impl Outcome {
    fn new(job: &Job, reply: JobReply) -> Result<Self, Error> {
        let read = |blob: &Blob| blob.prefix(u64::MAX).map_err(|error| Error::of_output(&error));
        let mut files = BTreeMap::new();
        for (name, found) in job.collect.iter().zip(&reply.collected) {
            if let CollectedEntry::File(blob) = found {
                files.insert(name.clone(), read(blob)?);
            }
        }
        let facts = reply.outcome;
        let end = match (job.limits.first_exceeded(&facts), facts.ending) {
            (Some(StopReason::CpuTime), _) => End::CpuTimeExceeded,
            (Some(StopReason::WallTime), _) => End::WallTimeExceeded,
            (Some(StopReason::Memory), _) => End::MemoryExceeded,
            (Some(StopReason::Output), _) => End::OutputExceeded,
            // The others are about two programs that talk.
            (_, Ending::Exited(code)) => End::Exited(code),
            (_, Ending::Signalled(signal)) => End::Signalled(signal),
        };
        Ok(Self {
            end,
            cpu_time: facts.cpu_time,
            wall_time: facts.wall_time,
            peak_memory: facts.memory(),
            stdout: read(&reply.stdout)?,
            stderr: read(&reply.stderr)?,
            files,
            mechanism: facts.mechanism,
        })
    }

    /// Whether the program ended by itself, within all limits, with exit code 0.
    pub fn is_success(&self) -> bool {
        self.end == End::Exited(0)
    }
}

/// Why there is no sandbox, or no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind, for code.
    pub kind: ErrorKind,
    /// What failed and why, for people: lower case, without a final dot.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// This machine cannot isolate programs as required.
    Isolation,
    /// The program does not exist in the sandbox, or cannot be started there.
    Program,
    /// The command asks for something impossible, such as a file that does not exist.
    Command,
    /// The machine lacked something, or refused something that it usually permits. Another try may work.
    Machine,
    /// [`Sandbox::stop`] was called.
    Stopped,
    /// This process is a fork of the one that made the sandbox, and only that one can use it.
    Forked,
}

impl Error {
    fn of_isolation(error: JudgeError) -> Self {
        let help = "allow this user to make user namespaces (sysctl user.max_user_namespaces, \
                    kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), run as root, or \
                    require less: RequiredIsolation::Any also takes landlock, of Linux 6.12 or newer";
        Self { kind: ErrorKind::Isolation, message: error.to_string(), help: Some(help.to_owned()) }
    }

    fn of_file(step: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("{step} {}: {error}", path.display());
        Self { kind: ErrorKind::Command, message, help: None }
    }

    fn of_fork() -> Self {
        let message = "run: this process is a fork of the one that made the sandbox".to_owned();
        let help = Some("make another sandbox after the fork".to_owned());
        Self { kind: ErrorKind::Forked, message, help }
    }

    fn of_output(error: &io::Error) -> Self {
        let message = format!("read what the program wrote: {error}");
        Self { kind: ErrorKind::Machine, message, help: None }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fault(error) => error.into(),
            stop => Self { kind: ErrorKind::Stopped, message: stop.to_string(), help: None },
        }
    }
}

impl From<JudgeError> for Error {
    fn from(error: JudgeError) -> Self {
        let message = error.to_string();
        let (kind, help) = match (error.kind, error.again) {
            (FaultKind::Unstartable, _) => {
                let help = "the program sees /usr, /bin, /lib and the like; `Command::show` and `Command::copy_file` \
                            add other files";
                (ErrorKind::Program, error.help.or_else(|| Some(help.to_owned())))
            }
            (FaultKind::Interrupted, _) => (ErrorKind::Stopped, error.help),
            (_, Retry::Possible) => (ErrorKind::Machine, error.help),
            (_, Retry::Never) => (ErrorKind::Command, error.help),
        };
        Self { kind, message, help }
    }
}

impl fmt::Display for Error {
    /// The message, and what to do about it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    /// On most machines isolation works: so this is about the error alone.
    #[test]
    fn missing_isolation_is_an_error_that_says_what_to_do() {
        let error = Error::of_isolation(JudgeError::new("isolate programs fully", "landlock: no"));
        let shown = error.to_string();
        assert_eq!(error.kind, ErrorKind::Isolation);
        assert!(shown.starts_with("isolate programs fully: landlock: no; allow "), "{shown}");
    }
}
