//! Everything needed to build and start one program, as data.

use std::path::PathBuf;

use crate::job::Command;
use crate::language::table::Language;
use crate::tree::{Node, TreeEntry};
use crate::units::Bytes;

const HEAP_PLACEHOLDER: &str = "{heap_mib}";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildCommands {
    pub language: ProgramLanguage,
    /// The versions of the tools: equal files, tools and command lines give equal programs.
    pub tools: Vec<String>,
    /// The files in the box before the build; if nothing is built, they are the program.
    pub files: Vec<TreeEntry>,
    /// How to build or check it; `None` if there is nothing to do before its start.
    pub build: Option<BuildStep>,
    pub start: StartCommand,
    /// `None` if the language cannot run batches.
    pub batch: Option<BatchStep>,
    pub entry_point: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLanguage {
    Known(&'static Language),
    /// A directory with `build` or `run`, in an unknown language.
    Scripts,
    Executable,
    Answers,
    Command,
}

impl ProgramLanguage {
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Self::Known(language) => Some(language.code),
            Self::Scripts | Self::Executable | Self::Answers | Self::Command => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Known(language) => language.code,
            Self::Scripts => "scripts",
            Self::Executable => "executable",
            Self::Answers => "answers",
            Self::Command => "command",
        }
    }
}

/// How a program is built or checked, with the box as working directory.
///
/// After a build, the program is the contents of the box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildStep {
    pub command: Command,
    /// Upper bound on its simultaneous processes and threads.
    pub processes: u32,
    /// The relative path of a file that the build must make; without it, the build has failed. `None` if the step only
    /// checks the files: they stay the program.
    pub produces: Option<PathBuf>,
    /// Relative paths that only the build needs; they do not belong to the program.
    pub scratch: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchStep {
    /// The name in the box of the source for batches.
    pub source: PathBuf,
    /// Words after the command line of the build.
    pub build: Vec<String>,
    /// More words, by which the program tells which edges an input reaches.
    pub coverage: Vec<String>,
    /// Words before the file or class that starts.
    pub start: Vec<String>,
}

pub(super) const BATCH_SOURCES: [(&str, &str); 3] = [
    ("c", include_str!("batch.c")),
    ("java", include_str!("batch.java")),
    ("py", include_str!("batch.py")),
];

impl BuildCommands {
    /// `processes` are those of the run time.
    pub(super) fn without_build(
        language: ProgramLanguage,
        command: Command,
        processes: u32,
    ) -> Self {
        Self {
            language,
            tools: Vec::new(),
            files: Vec::new(),
            build: None,
            start: StartCommand {
                command,
                heap_argument: None,
                batch_words: Vec::new(),
                arguments: Vec::new(),
                processes,
            },
            batch: None,
            entry_point: None,
        }
    }

    /// For a program that is neither built nor started, such as one in a language that the problem does not allow.
    pub fn without_program(language: ProgramLanguage) -> Self {
        Self::without_build(language, Command::default(), 0)
    }

    pub fn define_macros(&mut self, names: &[String]) {
        let Some(argv) = self.build.as_mut().map(|step| &mut step.command.argv) else { return };
        let [_, option, _, ..] = &argv[..] else { return };
        let index = argv.iter().position(|word| word == "-o").filter(|_| option == "-x");
        if let Some(index) = index {
            argv.splice(index..index, names.iter().map(|name| format!("-D{name}")));
        }
    }

    /// A run of the compiler that only warns; `None` if its language has none. Sanitizers cause false warnings.
    pub fn for_warnings(&self) -> Option<BuildStep> {
        let ProgramLanguage::Known(language) = self.language else { return None };
        let mut step = self.build.clone().filter(|_| !language.warnings.is_empty())?;
        let argv = &mut step.command.argv;
        let product = argv.iter().rposition(|word| word == "-o")?;
        argv.drain(product..product + 2);
        argv.extend(language.warnings.split_whitespace().map(str::to_owned));
        step.produces = None;
        let is_sanitized = |word: &String| word.starts_with("-fsanitize");
        (!step.command.argv.iter().any(is_sanitized)).then_some(step)
    }

    /// `None` if the language has no batches; `search::batch` documents their input and output.
    pub fn for_batches(&self) -> Option<Self> {
        let mut plan = self.clone();
        let BatchStep { source, build, start, .. } = plan.batch.take()?;
        let ending = source.extension()?.to_str()?;
        let (_, text) = BATCH_SOURCES.iter().find(|(other, _)| *other == ending)?;
        if let Some(step) = &mut plan.build {
            step.command.argv.extend(build);
            if step.produces.is_some() {
                step.scratch.push(source.clone());
            }
        }
        plan.start.batch_words = start;
        plan.files.push(TreeEntry::new(source, Node::plain(text.as_bytes())));
        Some(plan)
    }

    /// As [`Self::for_batches`]; the program also tells which edges an input reaches. `None` if its language cannot.
    pub fn for_batches_with_coverage(&self) -> Option<Self> {
        let coverage = &self.batch.as_ref()?.coverage;
        let mut plan = self.for_batches().filter(|_| !coverage.is_empty())?;
        plan.build.as_mut()?.command.argv.extend(coverage.iter().cloned());
        Some(plan)
    }
}

/// How a program is started, with the built program in [`PROGRAM`](crate::language::PROGRAM).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartCommand {
    command: Command,
    heap_argument: Option<usize>,
    /// They make the program read many inputs.
    batch_words: Vec<String>,
    /// Words after the command line, before those of a run.
    pub arguments: Vec<String>,
    /// Number of processes and threads of its run time, without those of the program.
    pub processes: u32,
}

/// Memory of a run time outside its heap: for stacks, code, and its own data.
const MEMORY_OUTSIDE_HEAP: Bytes = Bytes::mib(256);

impl StartCommand {
    pub fn command(&self, args: &[String], memory: Option<Bytes>) -> Command {
        let mut command = self.command.clone();
        match (self.heap_argument, memory) {
            (Some(at), Some(memory)) => {
                command.argv[at] =
                    command.argv[at].replace(HEAP_PLACEHOLDER, &heap_mib(memory).to_string());
            }
            (Some(at), None) => {
                command.argv.remove(at);
            }
            (None, _) => {}
        }
        let last = command.argv.len().saturating_sub(1);
        command.argv.splice(last..last, self.batch_words.iter().cloned());
        command.argv.extend(self.arguments.iter().chain(args).cloned());
        command
    }

    /// The memory limit of the program and its run time together. `None` without a limit, and in languages whose
    /// memory limit is not the size of a heap.
    pub fn memory(&self, limit: Option<Bytes>) -> Option<Bytes> {
        let limit = limit.filter(|_| self.heap_argument.is_some())?;
        Some(limit.saturating_add(MEMORY_OUTSIDE_HEAP))
    }

    #[must_use]
    pub fn for_one(&self) -> Self {
        Self { batch_words: Vec::new(), ..self.clone() }
    }

    pub(super) fn with_heap(self) -> Self {
        Self {
            heap_argument: self.command.argv.iter().position(|arg| arg.contains(HEAP_PLACEHOLDER)),
            ..self
        }
    }
}

/// The heap gets all of the limit. A garbage collector fills its heap, so the run time has memory of its own. It does
/// not start with a heap below 16 MiB.
fn heap_mib(memory: Bytes) -> u64 {
    (memory.0 >> 20).max(16)
}

#[cfg(test)]
mod tests;
