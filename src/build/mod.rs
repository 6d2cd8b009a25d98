//! Sources → a program that can be started, by a job in the executor.
//!
//! A program is built once, in the sandbox, under limits of its own. What lies in the box afterwards
//! becomes a directory of its own, which every run sees read-only; the box of a run holds links to
//! what is in it. So a program finds its files beside itself, and cannot change them.

pub mod bench;
mod refusal;

use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::build::refusal::refusal;
use crate::executor::Executor;
use crate::executor::scratch::{self, Scratch, Use, fault};
use crate::language::PROGRAM;
use crate::language::command_line::command_line;
use crate::language::fault::{Fault, Unready};
use crate::language::plan::{BuildPlan, BuildStep, Content, ProgramFile, plan};
use crate::language::probe::Machine;
use crate::language::recipe::recipe;
use crate::language::sources::{self, FileMode};
use crate::language::toolchain::Toolchains;
use crate::model::diagnostic::Diagnostic;
use crate::model::job::{BoxContent, BoxFile, Captured, Command, Input, Job, Visible};
use crate::model::judgement::{CompilerReport, JudgeError};
use crate::model::limits::{LARGE_OUTPUT, Limits};
use crate::model::program::Program;
use crate::model::stop::Stop;
use crate::model::text::visible;
use crate::model::units::Bytes;

/// Makes programs of sources.
pub struct Builder<'a> {
    executor: &'a dyn Executor,
    toolchains: Toolchains,
    /// Holds every program; gone with the builder. Only its owner can enter it, so that the
    /// programs in it, which every run must be able to read, are hidden from the machine's users.
    home: Scratch,
}

/// A program whose language is known, ready to be built.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// How to build and start it.
    pub plan: BuildPlan,
    /// The size of its own sources, without what the package lays over them.
    pub code: Bytes,
}

impl Prepared {
    /// The same program, to be built so that it reads many inputs at once; nothing where its language has no such
    /// way. What it then reads and writes is said in `stress::batch`.
    pub fn for_batches(&self) -> Option<Self> {
        Some(Self {
            plan: self.plan.for_batches()?,
            code: self.code,
        })
    }
}

/// A program that can be started, as long as this lives.
#[derive(Debug)]
pub struct Runnable {
    /// How to start it, without arguments for a test case.
    pub command: Command,
    /// What lies in its box from the beginning.
    pub files: Vec<BoxFile>,
    /// How many processes and threads its run time needs.
    pub processes: u32,
    /// The compiler's messages, if it had any.
    pub compiler: Option<CompilerReport>,
    /// Wall time of the build; none where nothing is built.
    pub building: Duration,
    dir: TempDir,
}

/// A program's files beside those of another program that is run.
#[derive(Clone, Debug)]
pub struct Beside {
    /// What the other program must be able to see.
    pub visible: Vec<Visible>,
    /// Links to the files, for the other program's box.
    pub files: Vec<BoxFile>,
}

/// Where another program finds what was built.
const OTHER_PROGRAM: &str = "/submission";
/// Where another program finds what it was built of.
const OTHER_SOURCES: &str = "/sources";

impl Runnable {
    /// Its files, to be laid into the box of another program that has a look at them: the sources as they were
    /// submitted, whatever the build did to them, and what was built beside them.
    ///
    /// # Errors
    /// What the system says.
    pub fn beside(&self) -> io::Result<Beside> {
        let sources = self.dir.path().join(SOURCES_DIR);
        let mut beside = Beside {
            visible: vec![Visible {
                host: self.dir.path().join(PROGRAM_DIR),
                inside: PathBuf::from(OTHER_PROGRAM),
            }],
            files: Vec::new(),
        };
        if sources.is_dir() {
            beside.files = links(&sources, OTHER_SOURCES)?;
            beside.visible.push(Visible {
                host: sources,
                inside: PathBuf::from(OTHER_SOURCES),
            });
        }
        for file in &self.files {
            if beside.files.iter().all(|other| other.name != file.name) {
                beside.files.push(BoxFile {
                    name: file.name.clone(),
                    content: BoxContent::Link(Path::new(OTHER_PROGRAM).join(&file.name)),
                });
            }
        }
        Ok(beside)
    }

    /// Why this cannot be started, where that is the program's own fault: a build may leave anything under
    /// the program's name, and a compiler writes whatever interpreter the source asks for into a program.
    pub fn unstartable(&self, error: &JudgeError) -> Option<String> {
        const ITS_OWN: [&str; 8] = [
            "ENOENT",
            "ENOTDIR",
            "ENAMETOOLONG",
            "ENOEXEC",
            "ELIBBAD",
            "EACCES",
            "EINVAL",
            "ELOOP",
        ];
        let file = self.command.argv.first()?;
        let is_its_own = file.starts_with(PROGRAM)
            && error.step == format!("start the program {file}")
            && ITS_OWN.iter().any(|name| error.reason.starts_with(name));
        is_its_own.then(|| format!("what was built cannot be started: {}", error.reason))
    }
}

/// What came of a build.
#[derive(Debug)]
pub enum Built {
    /// A program.
    Program(Box<Runnable>),
    /// Nothing: the compiler refuses it, or takes more than it may.
    Rejected(Box<CompilerReport>),
}

/// The directory of a built program, in one that is made for it.
const PROGRAM_DIR: &str = "program";
/// The directory beside it with what it was built of.
const SOURCES_DIR: &str = "sources";

/// How much of a compiler's messages is kept.
const MESSAGES: u64 = 16 << 10;

impl<'a> Builder<'a> {
    /// A builder whose compilers run here.
    ///
    /// # Errors
    /// When the system's temporary directory cannot be written.
    pub fn new(executor: &'a dyn Executor) -> Result<Self, JudgeError> {
        let home = scratch::directory(Use::Programs)?;
        Ok(Self {
            executor,
            toolchains: Toolchains::new(Box::new(Machine)),
            home,
        })
    }

    /// Reads a program's files and tells how to build and start it.
    ///
    /// # Errors
    /// When its language cannot be told, or its compiler is missing.
    pub fn prepare(&self, program: &Program) -> Result<Prepared, Stop> {
        let sources = sources::read(program)?;
        let code = sources.files.iter().map(|file| file.bytes.len() as u64);
        let code = Bytes(code.sum());
        let fault = |fault: Fault| fault.at(&program.path);
        let recipe = recipe(program, &sources).map_err(fault)?;
        match plan(recipe, &self.toolchains) {
            Ok(plan) => Ok(Prepared { plan, code }),
            Err(Unready::Fault(error)) => Err(fault(error).into()),
            Err(Unready::Tool(missing)) => Err(Stop::Fault(missing.into())),
        }
    }

    /// Tells how to start what a person typed.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn prepare_command(
        &self,
        argv: &[std::ffi::OsString],
        cwd: &Path,
    ) -> Result<Prepared, Unready> {
        Ok(Prepared {
            plan: command_line(argv, cwd, &self.toolchains)?,
            code: Bytes(0),
        })
    }

    /// Builds a program that will run under `run_limits`.
    ///
    /// # Errors
    /// When the judge failed, or the build was cut short.
    pub fn build(
        &self,
        prepared: &Prepared,
        build_limits: &Limits,
        run_limits: &Limits,
    ) -> Result<Built, Stop> {
        let dir =
            TempDir::new_in(self.home.path()).map_err(|error| fault("make a directory", error))?;
        let program = dir.path().join(PROGRAM_DIR);
        let plan = &prepared.plan;
        let mut building = Duration::ZERO;
        let compiler = match &plan.build {
            None => {
                write_files(&program, &plan.files)
                    .map_err(|error| fault("copy a program", error))?;
                None
            }
            Some(step) => {
                let sources = dir.path().join(SOURCES_DIR);
                write_files(&sources, &plan.files)
                    .map_err(|error| fault("copy a program's sources", error))?;
                let report = self.compile(plan, step, &sources, &program, build_limits)?;
                if !report.cause.is_empty() {
                    return Ok(Built::Rejected(Box::new(report)));
                }
                let outcome = report.outcome.as_ref();
                building = outcome.map_or(Duration::ZERO, |outcome| outcome.wall_time);
                Some(report).filter(|report| !report.messages.is_empty())
            }
        };
        let mut command = plan.start.command(&[], run_limits.memory);
        command.visible.push(Visible {
            host: program.clone(),
            inside: PathBuf::from(PROGRAM),
        });
        Ok(Built::Program(Box::new(Runnable {
            command,
            files: links(&program, PROGRAM)
                .map_err(|error| fault("list a program's files", error))?,
            processes: plan.start.processes.max(run_limits.processes.unwrap_or(0)),
            compiler,
            building,
            dir,
        })))
    }

    /// Runs the compiler; its box becomes `program`, unless the report has a cause.
    fn compile(
        &self,
        plan: &BuildPlan,
        step: &BuildStep,
        sources: &Path,
        program: &Path,
        limits: &Limits,
    ) -> Result<CompilerReport, Stop> {
        let files = plan.files.iter().map(|file| BoxFile {
            name: file.name.clone(),
            content: BoxContent::Copy(sources.join(&file.name)),
        });
        let limits = limits.with_processes(step.processes);
        let mut reply = self.executor.run(&Job {
            command: step.command.clone(),
            stdin: Input::Empty,
            files: files.collect(),
            writable: true,
            box_size: limits.output.unwrap_or(LARGE_OUTPUT),
            limits: limits.clone(),
            collect: Vec::new(),
            keep: Some(program.to_owned()),
        })?;
        let messages = messages(&mut reply.stderr, &mut reply.stdout)
            .map_err(|error| fault("read the compiler's messages", error))?;
        let cause = refusal(&reply.outcome, &limits).or_else(|| {
            (!is_there(program, &step.produces)).then(|| {
                format!(
                    "the build ended well, but made no `{}`",
                    step.produces.display()
                )
            })
        });
        if cause.is_none() {
            for name in &step.scratch {
                remove(program, name)
                    .map_err(|error| fault("remove by-products of a build", error))?;
            }
        }
        Ok(CompilerReport {
            cause: cause.unwrap_or_default(),
            messages,
            outcome: Some(reply.outcome),
        })
    }
}

/// What a compiler wrote: standard error, or standard output where that is empty; cut.
fn messages(stderr: &mut Captured, stdout: &mut Captured) -> io::Result<Vec<u8>> {
    let messages = start(stderr, MESSAGES)?;
    match messages.is_empty() {
        true => start(stdout, MESSAGES),
        false => Ok(messages),
    }
}

/// At most so many bytes from the start of what a program wrote.
///
/// # Errors
/// What the system says.
pub fn start(captured: &mut Captured, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match captured {
        Captured::Memory(memory) => Cursor::new(memory).take(most).read_to_end(&mut bytes)?,
        Captured::File(file) => {
            file.seek(SeekFrom::Start(0))?;
            file.take(most).read_to_end(&mut bytes)?
        }
    };
    Ok(bytes)
}

/// The first line of what a program wrote, made visible, behind a colon; empty where there is none.
pub fn first_line(captured: &mut Captured) -> String {
    // It only explains; what the program decided is in its ending.
    let bytes = start(captured, 1000).unwrap_or_default();
    match bytes
        .split(|byte| *byte == b'\n')
        .find(|line| !line.is_empty())
    {
        None => String::new(),
        Some(line) => format!(": {}", visible(line)),
    }
}

/// The remark that a program of a package does not build.
pub fn unbuildable(what: &str, path: &Path, report: &CompilerReport) -> Diagnostic {
    let diagnostic = Diagnostic::error(path, format!("{what} does not build: {}", report.cause));
    match report.messages.is_empty() {
        true => diagnostic,
        false => diagnostic.help(visible_lines(&report.messages)),
    }
}

fn visible_lines(messages: &[u8]) -> String {
    let lines = messages.split(|byte| *byte == b'\n').take(12).map(visible);
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Writes a program's files, readable for every run.
fn write_files(dir: &Path, files: &[ProgramFile]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755))?;
    for file in files {
        let path = dir.join(&file.name);
        for parent in file
            .name
            .ancestors()
            .skip(1)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            let parent = dir.join(parent);
            fs::create_dir_all(&parent)?;
            fs::set_permissions(&parent, fs::Permissions::from_mode(0o755))?;
        }
        let mode = match file.mode {
            FileMode::Plain => 0o644,
            FileMode::Executable => 0o755,
        };
        let mut options = fs::OpenOptions::new();
        let mut target = options
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&path)?;
        match &file.content {
            Content::Bytes(bytes) => target.write_all(bytes)?,
            Content::Host(host) => {
                io::copy(&mut fs::File::open(host)?, &mut target)?;
            }
        }
        // The process's umask may have taken rights away.
        target.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// A link in the box for each file and directory that is seen there.
fn links(directory: &Path, inside: &str) -> io::Result<Vec<BoxFile>> {
    let mut links = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        links.push(BoxFile {
            content: BoxContent::Link(Path::new(inside).join(&name)),
            name: PathBuf::from(name),
        });
    }
    links.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(links)
}

/// Whether a build made something of this name. A link counts: where it leads is not looked at, for
/// it leads there from here, and not from where the program runs.
fn is_there(program: &Path, name: &Path) -> bool {
    is_below_link(program, name) || program.join(name).symlink_metadata().is_ok()
}

/// Whether a directory above `name` is a link, by which the name may stand for something outside of
/// the program.
fn is_below_link(program: &Path, name: &Path) -> bool {
    name.ancestors().skip(1).any(|parent| {
        let found = program.join(parent).symlink_metadata();
        parent != Path::new("") && found.is_ok_and(|found| found.is_symlink())
    })
}

/// Removes a file or a directory of a program, if it is there and the program's own.
fn remove(program: &Path, name: &Path) -> io::Result<()> {
    if is_below_link(program, name) {
        return Ok(());
    }
    let path = program.join(name);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn by_products_are_removed_and_nothing_that_a_link_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        let outside = dir.path().join("outside");
        for path in [&program.join("target/release/deps"), &outside.join("deps")] {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join("file"), "").unwrap();
        }
        let file = Path::new("target/release/deps/file");
        assert!(is_there(&program, file));
        remove(&program, Path::new("target/release/deps")).unwrap();
        assert!(!is_there(&program, file));
        remove(&program, Path::new("target/release/deps")).unwrap();
        fs::remove_dir(program.join("target/release")).unwrap();
        symlink(&outside, program.join("target/release")).unwrap();
        assert!(is_there(&program, Path::new("target/release/other")));
        remove(&program, Path::new("target/release/deps")).unwrap();
        assert!(outside.join("deps/file").exists());
        symlink(&outside, program.join("link")).unwrap();
        remove(&program, Path::new("link")).unwrap();
        assert!(outside.join("deps/file").exists() && !program.join("link").exists());
    }
}
