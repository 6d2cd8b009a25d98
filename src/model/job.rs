//! One run of one program, as plain data, and what came back.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::limits::Limits;
use crate::model::outcome::Outcome;
use crate::model::units::Bytes;

/// One run of one program.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to start.
    pub command: Command,
    /// What the program reads on standard input.
    pub stdin: Input,
    /// What lies in the box, the working directory, before the program starts.
    pub files: Vec<BoxFile>,
    /// Whether the program may write in its box.
    pub writable: bool,
    /// How large the box may grow; the kernel refuses more.
    pub box_size: Bytes,
    /// What it may use.
    pub limits: Limits,
    /// Files to bring back from the box, by their names in it.
    pub collect: Vec<String>,
    /// A directory that does not exist yet, into which everything in the box is copied at the end.
    pub keep: Option<PathBuf>,
}

/// What to start, and what it must be able to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Program and arguments. The first is an absolute path as seen from inside; there is no
    /// shell and no search path in between.
    pub argv: Vec<String>,
    /// Additions to the fixed environment.
    pub env: Vec<(String, String)>,
    /// Directories and files of the machine that are shown read-only, beside the system's own.
    pub visible: Vec<Visible>,
}

/// A directory or file of the machine, shown read-only to a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visible {
    /// Where it is on the machine.
    pub host: PathBuf,
    /// Where the program sees it, an absolute path.
    pub inside: PathBuf,
}

/// A file in the box, or a directory with files.
#[derive(Clone, Debug)]
pub struct BoxFile {
    /// Its path inside the box, relative, without `..`.
    pub name: PathBuf,
    /// What it is.
    pub content: BoxContent,
}

/// What a file in the box is.
#[derive(Clone, Debug)]
pub enum BoxContent {
    /// A copy of these bytes.
    Bytes(Arc<[u8]>),
    /// A copy of this file of the machine.
    Copy(PathBuf),
    /// A symbolic link to a path as seen from inside.
    Link(PathBuf),
    /// An empty directory.
    Directory,
}

impl BoxContent {
    /// The same for a program to read on standard input; nothing for what is no file.
    pub fn as_input(&self) -> Input {
        match self {
            Self::Bytes(bytes) => Input::Bytes(Arc::clone(bytes)),
            Self::Copy(path) => Input::File(path.clone()),
            Self::Link(_) | Self::Directory => Input::Empty,
        }
    }
}

/// What a program reads on standard input.
#[derive(Clone, Debug, Default)]
pub enum Input {
    /// Nothing.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// The contents of this file of the machine, which the program cannot change.
    File(PathBuf),
    /// The contents of this open file from its start, likewise; such as what another program wrote.
    Open(Arc<File>),
}

/// What came back from a job.
#[derive(Debug)]
pub struct Reply {
    /// The facts.
    pub outcome: Outcome,
    /// Standard output, up to the output limit.
    pub stdout: Captured,
    /// Standard error, up to the first and the last part.
    pub stderr: Captured,
    /// The files asked for, in the order of [`Job::collect`].
    pub collected: Vec<Collected>,
}

/// Bytes that a program wrote.
#[derive(Debug)]
pub enum Captured {
    /// Few, in memory.
    Memory(Vec<u8>),
    /// Many, in a file without a name, to be read from its start.
    File(File),
}

impl Captured {
    /// The same bytes for another program to read.
    pub fn into_input(self) -> Input {
        match self {
            Self::Memory(bytes) => Input::Bytes(bytes.into()),
            Self::File(file) => Input::Open(Arc::new(file)),
        }
    }
}

impl Default for Captured {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

/// What was found under a name in the box.
#[derive(Debug)]
pub enum Collected {
    /// A regular file: its contents.
    File(Captured),
    /// Nothing.
    Missing,
    /// Something that is no regular file, such as `a directory`, `a symbolic link`, `a fifo`.
    NotAFile(&'static str),
}
