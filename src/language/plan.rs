//! Everything needed to build and start one program, as data.

use std::path::PathBuf;

use crate::language::table::Language;
use crate::model::job::Command;
use crate::model::tree::{Node, TreeEntry};
use crate::model::units::Bytes;

/// Everything needed to build and start one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildPlan {
    /// What it is written in.
    pub written: Written,
    /// The versions of the tools: with the same files, tools and command line comes the same program.
    pub tools: Vec<String>,
    /// What lies in the box before the build; if nothing is built, it is the program.
    pub files: Vec<TreeEntry>,
    /// How to build it; `None` if nothing is built.
    pub build: Option<BuildStep>,
    /// How to start it.
    pub start: Start,
    /// How to make it run on many inputs at once; `None` if that cannot be.
    pub batch: Option<BatchStep>,
    /// The file or class that starts, if there are several.
    pub entry_point: Option<String>,
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// In this language.
    In(&'static Language),
    /// Nobody knows: a directory with `build` or `run`.
    Scripts,
    /// Nobody knows: a ready program.
    Executable,
    /// In none: answers to test cases.
    Answers,
    /// Nobody knows: a command that the user typed.
    Command,
}

impl Written {
    /// The language's code, if there is a language.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Self::In(language) => Some(language.code),
            Self::Scripts | Self::Executable | Self::Answers | Self::Command => None,
        }
    }

    /// The language's code, or a word for what has none.
    pub const fn word(self) -> &'static str {
        match self {
            Self::In(language) => language.code,
            Self::Scripts => "scripts",
            Self::Executable => "executable",
            Self::Answers => "answers",
            Self::Command => "command",
        }
    }
}

/// How a program is built, with the box as working directory.
///
/// What is in the box afterwards is the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildStep {
    /// The command.
    pub command: Command,
    /// How many processes and threads it needs at once.
    pub processes: u32,
    /// What must be in the box afterwards, relative; a build without it has failed.
    pub produces: PathBuf,
    /// What only the build needed, relative; not part of the program.
    pub scratch: Vec<PathBuf>,
}

/// What a program that runs on many inputs at once has in addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchStep {
    /// The name in the box of the source that does it.
    pub source: PathBuf,
    /// What stands behind the command line of the build.
    pub build: Vec<String>,
    /// What stands before the file or class that starts.
    pub start: Vec<String>,
}

/// The sources that run a program on many inputs, by their endings.
pub(super) const BATCHES: [(&str, &str); 3] = [
    ("c", include_str!("batch.c")),
    ("java", include_str!("batch.java")),
    ("py", include_str!("batch.py")),
];

impl BuildPlan {
    /// The plan for a program of no files that needs no build.
    pub(super) fn ready(written: Written, start: Start) -> Self {
        Self {
            written,
            tools: Vec::new(),
            files: Vec::new(),
            build: None,
            start,
            batch: None,
            entry_point: None,
        }
    }

    /// Defines names, if it is built with a compiler of C or C++.
    pub fn define(&mut self, names: &[String]) {
        let Some(argv) = self.build.as_mut().map(|step| &mut step.command.argv) else { return };
        if let Some(at) = argv.iter().position(|word| word == "-DONLINE_JUDGE") {
            argv.splice(at..at, names.iter().map(|name| format!("-D{name}")));
        }
    }

    /// The plan for a program that reads many inputs at once, if its language has one: what it reads and
    /// writes then is what `stress::batch` says.
    pub fn for_batches(&self) -> Option<Self> {
        let mut plan = self.clone();
        let BatchStep { source, build, start } = plan.batch.take()?;
        let ending = source.extension()?.to_str()?;
        let (_, text) = BATCHES.iter().find(|(it, _)| *it == ending)?;
        if let Some(step) = &mut plan.build {
            step.command.argv.extend(build);
            step.scratch.push(source.clone());
        }
        let argv = &mut plan.start.command.argv;
        let last = argv.len().checked_sub(1)?;
        argv.splice(last..last, start);
        plan.files.push(TreeEntry::new(source, Node::plain(text.as_bytes())));
        Some(plan)
    }
}

/// How a program is started, with the built program in [`PROGRAM`](crate::language::PROGRAM).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The command.
    command: Command,
    /// Which argument holds `{heap_mib}`.
    heap_at: Option<usize>,
    /// How many processes and threads its run time has beside those of the program.
    pub processes: u32,
}

impl Start {
    /// The command with these arguments, for a program that may use this much memory.
    pub fn command(&self, args: &[String], memory: Option<Bytes>) -> Command {
        let mut command = self.command.clone();
        match (self.heap_at, memory) {
            (Some(at), Some(memory)) => {
                command.argv[at] = command.argv[at].replace(HEAP, &heap_mib(memory).to_string());
            }
            (Some(at), None) => {
                command.argv.remove(at);
            }
            (None, _) => {}
        }
        command.argv.extend_from_slice(args);
        command
    }

    /// A start that depends on no limit, with so many processes and threads of its run time.
    pub(super) fn plain(command: Command, processes: u32) -> Self {
        Self { command, heap_at: None, processes }
    }

    /// The same, if the memory limit fills [`HEAP`] in one of the arguments.
    pub(super) fn with_heap(self) -> Self {
        Self { heap_at: self.command.argv.iter().position(|it| it.contains(HEAP)), ..self }
    }
}

/// What stands for the heap in the template of a command line.
const HEAP: &str = "{heap_mib}";

/// The heap that a memory limit leaves room for, in MiB.
///
/// A garbage collector fills the heap it is given. With all of the limit it would be killed for
/// garbage: 128 MiB, or half of a small limit, stay for stacks, code and the run time itself.
fn heap_mib(memory: Bytes) -> u64 {
    let limit = memory.0 >> 20;
    limit.saturating_sub(128).max(limit / 2).max(16)
}

#[cfg(test)]
mod tests;
