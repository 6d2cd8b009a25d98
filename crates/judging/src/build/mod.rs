//! Builds programs from sources, by jobs in the executor.
//!
//! A program is built once, in the sandbox, under its own limits. The box of the build becomes a directory that every
//! run sees read-only. The box of a run has links to its entries. So a program finds its files in its working
//! directory, and cannot change them.

pub mod batch;
pub mod bench;
mod refusal;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::build::refusal::build_refusal;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::{BoxRetention, Command, Job, JobReply, VisiblePath};
use juror_core::judgement::{CompilerReport, FaultKind, JudgeError};
use juror_core::language::command_line::command_line;
use juror_core::language::command_planner::plan_commands;
use juror_core::language::commands::{BuildCommands, BuildStep, ProgramLanguage};
use juror_core::language::fault::LaunchFault;
use juror_core::language::launch::{LaunchForm, launch_spec};
use juror_core::language::sources::{self, Sources};
use juror_core::language::table::Language;
use juror_core::language::toolchain::Toolchains;
use juror_core::language::{BOX, PROGRAM};
use juror_core::limits::{LARGE_OUTPUT, Limits};
use juror_core::messages::compiler_warnings;
use juror_core::program::Program;
use juror_core::recent::RecentValues;
use juror_core::stop::Stop;
use juror_core::text::visible;
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work};
use juror_sandbox::executor::Executor;
use juror_sandbox::sandbox::Machine;

pub struct Builder<'a> {
    executor: &'a dyn Executor,
    toolchains: Arc<Toolchains>,
    /// Set if it keeps recent builds.
    recent_builds: Option<RecentValues<BuildKey, Arc<BuildResult>>>,
    /// The languages that a problem allows; `None` for all.
    allowed: Option<Vec<String>>,
}

/// What determines the result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BuildKey {
    plan: BuildCommands,
    build_limits: Limits,
    run_limits: Limits,
}

/// A program with known language, ready to be built.
#[derive(Clone, Debug)]
pub struct PreparedProgram {
    pub plan: BuildCommands,
    /// The size of the submission's own sources, without files of the package.
    pub code_size: Bytes,
}

impl PreparedProgram {
    /// For a program that is not there. `None` as the language means an executable.
    pub fn of_known_runs(language: Option<&'static Language>) -> Self {
        let language = language.map_or(ProgramLanguage::Executable, ProgramLanguage::Known);
        Self { plan: BuildCommands::without_program(language), code_size: Bytes(0) }
    }

    /// Builds the program for batches; `None` if its language has no such build. [`batch`] defines what it reads and
    /// writes.
    pub fn for_batches(&self) -> Option<Self> {
        Some(Self { plan: self.plan.for_batches()?, code_size: self.code_size })
    }

    /// As [`Self::for_batches`]; the program also tells which edges an input reaches. `None` if its language cannot.
    pub fn for_batches_with_coverage(&self) -> Option<Self> {
        let plan = self.plan.for_batches_with_coverage()?;
        Some(Self { plan, code_size: self.code_size })
    }

    #[must_use]
    pub fn with_file(&self, name: &Path, text: &str) -> Self {
        let mut prepared = self.clone();
        let files = prepared.plan.files.iter_mut().filter(|file| file.name == name);
        for blob in files.filter_map(TreeEntry::blob_mut) {
            *blob = text.as_bytes().to_vec().into();
        }
        prepared
    }
}

#[derive(Clone, Debug, Default)]
pub struct Runnable {
    /// Without arguments of a test case.
    pub command: Command,
    /// Starts it for one input, even if it is built for batches.
    for_one: Command,
    pub files: Vec<TreeEntry>,
    /// How many processes and threads the runtime of its language needs.
    processes: u32,
    /// How much memory it may use with the runtime of its language, if that is more than its own limit.
    memory: Option<Bytes>,
    pub compiler: Option<CompilerReport>,
    /// Wall time; zero if nothing was built.
    pub build_time: Duration,
    program: Arc<Tree>,
    /// Set if something was built.
    sources: Option<Arc<Tree>>,
}

/// Where another program sees the built program.
const OTHER_PROGRAM: &str = "/submission";
/// Where another program sees the sources.
const OTHER_SOURCES: &str = "/sources";

impl Runnable {
    /// Stands for a program that is not there, of which all runs are known.
    pub fn of_known_runs(compiler: Option<CompilerReport>) -> Self {
        let command = Command { argv: vec![PROGRAM.to_owned()], ..Command::default() };
        Self { command, compiler, ..Self::default() }
    }

    /// Without arguments and input. It collects no files.
    pub fn job(&self, limits: &Limits) -> Job {
        Job {
            command: self.command.clone(),
            files: self.files.clone(),
            writable: true,
            box_size: limits.output.unwrap_or_default(),
            limits: self.limits(limits),
            ..Job::default()
        }
    }

    /// Adds files to a job of this program.
    ///
    /// They replace files of the program with the same names. Some interpreters look for modules next to the program,
    /// so files with its extensions are also put there.
    ///
    /// Source: problem package format 2025-09, "Input".
    pub fn add_case_files(&self, job: &mut Job, files: &[TreeEntry]) {
        let own = if files.is_empty() { Vec::new() } else { self.program.top_names() };
        let is_top_of_own = |file: &TreeEntry| own.iter().any(|top| file.name.starts_with(top));
        let is_of_its_kind = |file: &TreeEntry| {
            let ending = file.name.extension();
            let mut entries = self.program.entries.iter();
            ending.is_some() && entries.any(|own| own.name.extension() == ending)
        };
        if files.iter().any(|file| is_top_of_own(file) || is_of_its_kind(file)) {
            let stays = |own: &&TreeEntry| {
                let is_other = |file: &TreeEntry| {
                    !own.name.starts_with(&file.name) && !file.name.starts_with(&own.name)
                };
                files.iter().all(is_other)
            };
            let kept = self.program.entries.iter().filter(stays);
            let program = Tree::from(kept.chain(files).cloned().collect::<Vec<_>>());
            let program = VisiblePath::tree(PROGRAM, &Arc::new(program));
            let visible = job.command.visible.iter_mut();
            visible
                .filter(|shown| shown.inside == program.inside)
                .for_each(|shown| *shown = program.clone());
        }
        // A file in a directory of the program is found through the link to that directory.
        let goes_beside = |file: &&TreeEntry| own.contains(&file.name) || !is_top_of_own(file);
        files.iter().filter(goes_beside).for_each(|file| job.add_entry(file.clone()));
    }

    /// Adds what the runtime of its language needs.
    pub fn limits(&self, limits: &Limits) -> Limits {
        let memory = limits.memory.map(|own| own.max(self.memory.unwrap_or_default()));
        Limits { memory, ..limits.with_processes(self.processes) }
    }

    #[must_use]
    pub fn with_environment(&self, name: &str, value: &str) -> Self {
        let mut program = self.clone();
        for command in [&mut program.command, &mut program.for_one] {
            command.env.push((name.to_owned(), value.to_owned()));
        }
        program
    }

    /// Starts it for one input, as if it were not built for batches.
    #[must_use]
    pub fn for_one(&self) -> Self {
        Self { command: self.for_one.clone(), ..self.clone() }
    }

    /// Its files, if it consists of answers: then nothing can start.
    pub fn submitted_answers(&self) -> Option<&Tree> {
        self.command.argv.is_empty().then_some(&*self.program)
    }

    /// Shows its files to another program that inspects them: the sources as submitted, whatever the build did to them,
    /// and the built program. Returns links to them, for the box of the other program.
    pub fn show_files_to(&self, other: &mut Command) -> Vec<TreeEntry> {
        let mut links = links_to_tree(&self.program, OTHER_PROGRAM);
        other.visible.push(VisiblePath::tree(OTHER_PROGRAM, &self.program));
        if let Some(sources) = &self.sources {
            let of_sources = links_to_tree(sources, OTHER_SOURCES);
            links.retain(|link| of_sources.iter().all(|source| source.name != link.name));
            links.splice(..0, of_sources);
            other.visible.push(VisiblePath::tree(OTHER_SOURCES, sources));
        }
        links
    }

    /// Why it cannot start, if that is its own fault. A build may leave anything under the program's name, and a
    /// source can ask its compiler for any interpreter.
    pub fn start_failure(&self, error: &JudgeError) -> Option<String> {
        let file = self.command.argv.first()?;
        let is_its_own = file.starts_with(PROGRAM) && error.kind == FaultKind::Unstartable;
        is_its_own.then(|| format!("the built program cannot be started: {}", error.reason))
    }
}

#[derive(Clone, Debug)]
pub enum BuildResult {
    Program(Box<Runnable>),
    /// The compiler refuses it, or exceeds its limits.
    Rejected(Box<CompilerReport>),
}

impl BuildResult {
    /// The program, or why it does not build. `what` names it in messages: `the reference`.
    pub fn program(self, what: &str, path: &Path) -> Result<Runnable, Diagnostic> {
        match self {
            Self::Program(runnable) => Ok(*runnable),
            Self::Rejected(report) => Err(build_diagnostic(what, path, &report)),
        }
    }
}

/// The most bytes of a compiler's messages.
const MESSAGES: u64 = 64 << 10;

impl<'a> Builder<'a> {
    pub fn new(executor: &'a dyn Executor) -> Self {
        Self::with_toolchains(executor, Arc::new(Toolchains::new(Box::new(Machine))))
    }

    /// Shares tools that may have been found before.
    pub fn with_toolchains(executor: &'a dyn Executor, toolchains: Arc<Toolchains>) -> Self {
        Self { executor, toolchains, recent_builds: None, allowed: None }
    }

    pub fn on_executor<'b>(&self, executor: &'b dyn Executor) -> Builder<'b> {
        let allowed = self.allowed.clone();
        Builder { executor, toolchains: Arc::clone(&self.toolchains), recent_builds: None, allowed }
    }

    /// For submissions to a problem with these languages. Other languages need no tools.
    #[must_use]
    pub fn with_languages(&self, languages: Option<&[String]>) -> Self {
        Self { allowed: languages.map(<[String]>::to_vec), ..self.on_executor(self.executor) }
    }

    #[must_use]
    pub fn keeping_recent(self, most: usize) -> Self {
        Self { recent_builds: Some(RecentValues::new(most)), ..self }
    }

    /// Reads a program's files, and finds out how to build and start it.
    pub fn prepare(&self, program: &Program) -> Result<PreparedProgram, Stop> {
        if let Some(typed) = &program.command {
            if !program.variant.flags.is_empty() {
                let what = "--flags is for sources, and a command is not built; leave it out";
                return Err(Stop::usage(what));
            }
            let prepared = self.prepare_command(&typed.words, &typed.directory);
            return prepared.map_err(|fault| fault.to_stop(&program.path));
        }
        let mut read = sources::read(program)?;
        read.included.extend(sources::node_packages(program));
        self.prepare_sources(program, &read)
    }

    fn prepare_sources(
        &self,
        program: &Program,
        sources: &Sources,
    ) -> Result<PreparedProgram, Stop> {
        let code = Bytes(sources.files.iter().map(TreeEntry::length).sum());
        let path = &program.path;
        let recipe = launch_spec(program, sources).map_err(|fault| fault.to_diagnostic(path))?;
        let language = match recipe.form {
            LaunchForm::Language { language, .. } => Some(language),
            _ => None,
        };
        let is_forbidden = |language: &&Language| {
            let allowed = self.allowed.as_ref();
            allowed.is_some_and(|allowed| allowed.iter().all(|code| code != language.code))
        };
        let mut plan = match (
            plan_commands(recipe, &program.variant, &self.toolchains),
            language.filter(is_forbidden),
        ) {
            (Err(LaunchFault::Tool(_)), Some(language)) => {
                BuildCommands::without_program(ProgramLanguage::Known(language))
            }
            (plan, _) => plan.map_err(|unready| unready.to_stop(path))?,
        };
        plan.define_macros(&program.definitions());
        plan.start.arguments.clone_from(&program.arguments);
        Ok(PreparedProgram { plan, code_size: code })
    }

    /// Finds out how to start a command that a person typed.
    pub fn prepare_command(
        &self,
        argv: &[std::ffi::OsString],
        cwd: &Path,
    ) -> Result<PreparedProgram, LaunchFault> {
        let plan = command_line(argv, cwd, &self.toolchains)?;
        Ok(PreparedProgram { plan, code_size: Bytes(0) })
    }

    pub fn build(
        &self,
        prepared: &PreparedProgram,
        build_limits: &Limits,
        run_limits: &Limits,
    ) -> Result<BuildResult, Stop> {
        let build = || self.build_now(prepared, build_limits, run_limits);
        let Some(built) = &self.recent_builds else { return build() };
        let ingredients = BuildKey {
            plan: prepared.plan.clone(),
            build_limits: build_limits.clone(),
            run_limits: run_limits.clone(),
        };
        built.get(ingredients, || build().map(Arc::new)).map(|built| BuildResult::clone(&built))
    }

    fn build_now(
        &self,
        prepared: &PreparedProgram,
        build_limits: &Limits,
        run_limits: &Limits,
    ) -> Result<BuildResult, Stop> {
        let plan = &prepared.plan;
        let files = || Tree::from(plan.files.clone());
        let mut building = Duration::ZERO;
        let (program, compiler, sources) = match &plan.build {
            None => (files(), None, None),
            Some(step) => {
                let (report, program) = self.compile(plan, step, build_limits)?;
                match (&report.refusal, &step.produces) {
                    (Some(_), _) => return Ok(BuildResult::Rejected(Box::new(report))),
                    (None, None) => (files(), None, None),
                    (None, Some(_)) => {
                        let outcome = report.outcome.as_ref();
                        building = outcome.map_or(Duration::ZERO, |outcome| outcome.wall_time);
                        let report = Some(report).filter(|report| !report.messages.is_empty());
                        (program, report, Some(Arc::new(files())))
                    }
                }
            }
        };
        let program = Arc::new(program);
        let [command, for_one] = [&plan.start, &plan.start.for_one()].map(|start| {
            let mut command = start.command(&[], run_limits.memory);
            command.visible.push(VisiblePath::tree(PROGRAM, &program));
            command
        });
        Ok(BuildResult::Program(Box::new(Runnable {
            command,
            for_one,
            files: links_to_tree(&program, PROGRAM),
            processes: plan.start.processes.max(run_limits.processes.unwrap_or(0)),
            memory: plan.start.memory(run_limits.memory),
            compiler,
            build_time: building,
            program,
            sources,
        })))
    }

    /// What the compiler warns about, in a run that makes nothing. If it fails, nothing is known.
    pub fn warnings(&self, prepared: &PreparedProgram, limits: &Limits) -> Vec<String> {
        let plan = &prepared.plan;
        let ProgramLanguage::Known(language) = plan.language else { return Vec::new() };
        let run = |step: BuildStep| self.compile(plan, &step, limits).ok();
        let report = plan.for_warnings().and_then(run).map(|(report, _)| report);
        report.map_or(Vec::new(), |it| compiler_warnings(&it.messages, language.warnings))
    }

    /// Runs the compiler, or a check of the syntax. Unless the report has a refusal, the box becomes the program.
    fn compile(
        &self,
        plan: &BuildCommands,
        step: &BuildStep,
        limits: &Limits,
    ) -> Result<(CompilerReport, Tree), Stop> {
        let limits = limits.with_processes(step.processes);
        let work = Work::from(Job {
            command: step.command.clone(),
            files: plan.files.clone(),
            writable: true,
            box_size: limits.output.unwrap_or(LARGE_OUTPUT),
            limits: limits.clone(),
            keep: match step.produces {
                Some(_) => BoxRetention::AllBut(step.scratch.clone()),
                None => BoxRetention::Nothing,
            },
            ..Job::default()
        });
        let read_error = |error| JudgeError::new("read the compiler's messages", error);
        let mut reply = self.executor.run(&work, RunMode::default())?.single()?;
        let output = compiler_output(&reply).map_err(read_error)?;
        if refusal::is_doubtful(&reply.outcome, &output) {
            // An interference does not happen twice. An effect of the source does.
            reply = self.executor.run(&work, RunMode::FRESH)?.single()?;
        }
        if let Some(signal) = refusal::killing_signal(&reply.outcome) {
            let what = format!(
                "the compiler was killed by {signal} twice, by another process or because memory ran out"
            );
            let help = "judge again when the machine has more memory";
            return Err(JudgeError::new("build a program", what).help(help).into());
        }
        let messages = messages(&reply).map_err(read_error)?;
        let tree = reply.kept.unwrap_or_default();
        let who = match &step.produces {
            Some(_) if starts_build_script(step) => "`build` script",
            Some(_) => "compiler",
            None => "syntax check",
        };
        let refusal = build_refusal(who, &reply.outcome, &limits).or_else(|| {
            let lacks = step.produces.as_ref().filter(|product| !tree.contains(product))?;
            Some(format!("the build succeeded, but did not create `{}`", lacks.display()))
        });
        let report = CompilerReport { refusal, messages, outcome: Some(reply.outcome) };
        Ok((report, tree))
    }
}

/// The beginning of all output of a compiler. Its driver may say there how a process ended.
fn compiler_output(reply: &JobReply) -> io::Result<Vec<u8>> {
    const LOOKED_AT: u64 = 1 << 20;
    Ok([reply.stderr.prefix(LOOKED_AT)?, reply.stdout.prefix(LOOKED_AT)?].concat())
}

/// Standard error or, if that is empty, standard output; shortened.
fn messages(reply: &JobReply) -> io::Result<Vec<u8>> {
    let messages = reply.stderr.prefix(MESSAGES)?;
    if messages.is_empty() { reply.stdout.prefix(MESSAGES) } else { Ok(messages) }
}

/// The first line of a text with visible characters, after a colon; empty if there is none.
pub fn first_line(messages: &Blob) -> String {
    // It only explains. The program's ending decides.
    let bytes = messages.prefix(1000).unwrap_or_default();
    match bytes.split(|byte| *byte == b'\n').find(|line| !line.is_empty()) {
        None => String::new(),
        Some(line) => format!(": {}", visible(line)),
    }
}

/// A program of a package does not build.
pub fn build_diagnostic(what: &str, path: &Path, report: &CompilerReport) -> Diagnostic {
    let cause = report.refusal.as_deref().unwrap_or_default();
    let message = format!("{what} does not build: {cause}");
    Diagnostic::error(path, message).quote(&report.messages)
}

/// Links in a box to each file and directory of a tree.
fn links_to_tree(tree: &Tree, inside: &str) -> Vec<TreeEntry> {
    let link = |name: PathBuf| {
        let target = Path::new(inside).join(&name);
        TreeEntry::new(name, Node::Link(target))
    };
    tree.top_names().into_iter().map(link).collect()
}

fn starts_build_script(step: &BuildStep) -> bool {
    step.command.argv.iter().any(|word| *word == format!("{BOX}/build"))
}
