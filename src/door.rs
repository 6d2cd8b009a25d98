//! The door of the library: judges submissions from within a program.

pub mod cases;
pub mod open_package;
pub mod submissions;

use parking_lot::Mutex;
use std::ffi::OsString;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::door::open_package::OpenPackage;
use crate::door::submissions::{named_submission, outside_program};
use juror_core::check::options::Options;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::isolation::RequiredIsolation;
use juror_core::judgement::{JudgeError, Judgement};
use juror_core::language::toolchain::Toolchains;
use juror_core::problem::Problem as ReadProblem;
use juror_core::program::Program;
use juror_core::root::FilePath;
use juror_core::stop::{Stop, StopFlag, with_stop_flags};
use juror_core::submission::Submission as NamedSubmission;
use juror_core::units::Bytes;
use juror_judging::build::bench::Bench;
use juror_judging::build::{Builder, PreparedProgram};
use juror_judging::cache::result_cache::ResultCache;
use juror_judging::judge::case::{Detail, ReadyCase, Validators};
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::judging::{self, JudgingTask};
use juror_judging::judge::score::RunPolicy;
use juror_judging::judge::validators;
use juror_judging::recipe::complete::{self, CompletedFiles};
use juror_packages::package;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::scheduler::Scheduler;
use juror_sandbox::sandbox::Machine;

/// Judges submissions in sandboxes. It may be shared by threads.
pub struct Judge {
    executor: Arc<dyn Executor>,
    stopped: StopFlag,
    toolchains: Arc<Toolchains>,
}

impl Judge {
    /// Starts a judge on this machine: with the strongest isolation there is, one run at a time on each physical core,
    /// and no cache.
    ///
    /// # Errors
    /// [`Stop::Fault`] if this machine cannot run programs.
    pub fn local() -> Result<Self, Stop> {
        Self::builder().start()
    }

    /// Settings for a judge, before it starts.
    pub fn builder() -> JudgeBuilder {
        JudgeBuilder::default()
    }

    /// Judges a submission on all test cases that decide its verdict or its score.
    ///
    /// # Errors
    /// [`Stop::Diagnosed`] or [`Stop::Refused`] if the problem or the submission cannot be used; [`Stop::Fault`] if the
    /// judge failed. What the submission does is never an error, and a submission that does not compile has the verdict
    /// [`CompileError`](crate::Verdict::CompileError).
    pub fn run(&self, problem: &Problem, submission: &Submission) -> Result<Judgement, Stop> {
        self.run_with(problem, submission, |_| ControlFlow::Continue(()))
    }

    /// The same, and calls `on_event` meanwhile. If that returns [`ControlFlow::Break`], no further run starts.
    ///
    /// # Errors
    /// See [`run`](Self::run); [`Stop::Interrupted`] after a break.
    pub fn run_with(
        &self,
        problem: &Problem,
        submission: &Submission,
        on_event: impl FnMut(&Event) -> ControlFlow<()> + Send,
    ) -> Result<Judgement, Stop> {
        let scheduler = Scheduler::new(Arc::clone(&self.executor));
        let ended = StopFlag::default();
        let on_event = Mutex::new(on_event);
        let events = |event: Event| {
            let mut on_event = on_event.lock();
            if on_event(&event).is_break() {
                ended.set();
                scheduler.end();
            }
        };
        let flags = [self.stopped.clone(), ended.clone()];
        with_stop_flags(&flags, || self.judge(problem, submission, &scheduler, &events))
    }

    fn judge(
        &self,
        problem: &Problem,
        submission: &Submission,
        executor: &dyn Executor,
        events: &(dyn Fn(Event) + Sync),
    ) -> Result<Judgement, Stop> {
        let builder = Builder::with_toolchains(executor, Arc::clone(&self.toolchains));
        let ready = problem.prepare(executor, &builder, events)?;
        let (named, prepared) = submission.prepare(&ready.problem, &builder)?;
        let mut found = Vec::new();
        let entry = judging::prepared_entry(&named, prepared, &mut found)?;
        let (bad, remarks): (Vec<_>, Vec<_>) = found.into_iter().partition(Diagnostic::is_error);
        remarks.into_iter().map(Event::Diagnosed).for_each(events);
        let entry = entry.ok_or(Stop::Diagnosed(bad))?;
        let bench = Bench { problem: &ready.problem, executor, builder: &builder, events };
        let cases = problem.cases(&ready.problem)?;
        let finished = JudgingTask {
            entries: &[entry],
            policy: RunPolicy::Counting,
            detail: Detail::Full { keep: None },
            repeats: !ready.problem.layout.is_guessed,
            ..JudgingTask::new(bench, &ready.validators, cases)
        }
        .run()?;
        match finished.results.into_iter().next() {
            Some(judged) => Ok(*judged?),
            None => Err(Stop::Interrupted),
        }
    }

    /// Ends all runs, and all later ones: each call returns [`Stop::Interrupted`].
    pub fn stop(&self) {
        self.stopped.set();
        self.executor.stop();
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// The settings of a [`Judge`].
#[derive(Default)]
#[must_use]
pub struct JudgeBuilder {
    slots: Option<usize>,
    isolation: RequiredIsolation,
    cache: Option<PathBuf>,
    executor: Option<Arc<dyn Executor>>,
}

impl JudgeBuilder {
    /// How many programs run at the same time; one per physical core if this is not set.
    pub fn slots(self, slots: usize) -> Self {
        Self { slots: Some(slots), ..self }
    }

    /// How well programs must be isolated; as well as this machine allows if this is not set.
    pub fn isolation(self, isolation: RequiredIsolation) -> Self {
        Self { isolation, ..self }
    }

    /// Keeps results of builds and runs in this directory, and uses those that are already there. The cache directory
    /// of the command `juror` works, too.
    pub fn cache(self, dir: impl Into<PathBuf>) -> Self {
        Self { cache: Some(dir.into()), ..self }
    }

    /// Runs programs in this executor instead of sandboxes on this machine. For tests.
    #[doc(hidden)]
    pub fn executor(self, executor: Arc<dyn Executor>) -> Self {
        Self { executor: Some(executor), ..self }
    }

    /// Starts the judge.
    ///
    /// # Errors
    /// [`Stop::Fault`] if this machine cannot run programs as demanded; [`Stop::Diagnosed`] if the cache cannot be used.
    pub fn start(self) -> Result<Judge, Stop> {
        let cache = match self.cache {
            Some(dir) => ResultCache::open(&dir, false).map_err(|fault| Stop::from(*fault))?,
            None => ResultCache::default(),
        };
        let executor = match self.executor {
            Some(executor) => executor,
            None => Arc::new(LocalExecutor::start(self.slots, self.isolation)?),
        };
        let toolchains = Arc::new(Toolchains::new(Box::new(Machine)));
        Ok(Judge { executor: cache.wrap(executor), stopped: StopFlag::default(), toolchains })
    }
}

impl fmt::Debug for JudgeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeBuilder").finish_non_exhaustive()
    }
}

/// A problem: test cases, limits, and how outputs are judged.
pub struct Problem {
    read: ReadProblem,
    remarks: Vec<Diagnostic>,
    /// The texts of test cases that are no files.
    texts: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    /// The problem with its generated test data and its validators, after the first run.
    ready: Mutex<Option<Arc<ReadyProblem>>>,
    _open: Option<OpenPackage>,
}

/// A problem that is ready for judging.
struct ReadyProblem {
    problem: ReadProblem,
    validators: Validators,
    _completed_files: Option<CompletedFiles>,
}

impl Problem {
    /// Reads a package in any of juror's formats: a directory, an archive, a folder of bare tests, or a file of tests.
    ///
    /// # Errors
    /// [`Stop::Diagnosed`] with all faults of the package, if it cannot be used.
    pub fn open(package: impl AsRef<Path>) -> Result<Self, Stop> {
        let open = OpenPackage::open(package.as_ref())?;
        let (mut read, remarks) = package::read(&open.dir).into_problem()?;
        open.complete(&mut read);
        let read = Self { _open: Some(open), remarks, ..Self::of(read) };
        Ok(read)
    }

    /// A problem with these inputs and right outputs, compared word by word. The time limit is 2 s of CPU time, unless
    /// it is [set](Self::with_time_limit).
    pub fn from_cases<I, A>(cases: impl IntoIterator<Item = (I, A)>) -> Self
    where
        I: Into<Vec<u8>>,
        A: Into<Vec<u8>>,
    {
        let texts = cases.into_iter().map(|(input, answer)| (input.into(), answer.into()));
        let texts: Vec<(Vec<u8>, Vec<u8>)> = texts.collect();
        let mut read = cases::problem_without_package();
        read.test_data.cases = cases::numbered_cases(texts.len());
        Self { texts: Some(texts), ..Self::of(read) }
    }

    fn of(read: ReadProblem) -> Self {
        Self { read, remarks: Vec::new(), texts: None, ready: Mutex::default(), _open: None }
    }

    /// Sets the limit on CPU time of a run. The limit on the clock follows from it.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.read.limits.time_limit = Some(limit);
        self
    }

    /// Sets the limit on the memory of a run, in bytes.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.read.limits.memory = Some(Bytes(bytes));
        self
    }

    /// Warnings about the package.
    pub fn remarks(&self) -> &[Diagnostic] {
        &self.remarks
    }

    /// The names of its test cases, in the order in which they are judged.
    pub fn test_cases(&self) -> impl Iterator<Item = &str> {
        self.read.test_data.cases.iter().map(|case| case.name.as_str())
    }

    /// Makes what is missing and builds the validators, once.
    fn prepare(
        &self,
        executor: &dyn Executor,
        builder: &Builder<'_>,
        events: &(dyn Fn(Event) + Sync),
    ) -> Result<Arc<ReadyProblem>, Stop> {
        let mut ready = self.ready.lock();
        if let Some(ready) = &*ready {
            return Ok(Arc::clone(ready));
        }
        let mut problem = self.read.clone();
        let completed =
            complete::complete(&mut problem, executor, builder, events, &|_| true, None)?;
        let bench = Bench { problem: &problem, executor, builder, events };
        let validators = validators::build_validators(&bench, ImageUse::Never)?;
        let new = Arc::new(ReadyProblem { problem, validators, _completed_files: completed });
        Ok(Arc::clone(ready.insert(new)))
    }

    fn cases<'a>(&self, problem: &'a ReadProblem) -> Result<Vec<ReadyCase<'a>>, Stop> {
        match &self.texts {
            None => cases::select_cases(problem, &[]),
            Some(texts) => {
                let named = &problem.test_data.cases;
                let options = Options::of_name("words").unwrap_or_default();
                Ok(cases::inline_cases(named, texts.iter().cloned(), options))
            }
        }
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem").field("name", &self.read.short_name).finish_non_exhaustive()
    }
}

/// A program that somebody submits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission(SubmissionSource);

#[derive(Clone, Debug, PartialEq, Eq)]
enum SubmissionSource {
    Path(PathBuf),
    Text { name: String, text: String },
    Command(Vec<OsString>),
}

impl Submission {
    /// A source file, a directory of sources, or an executable.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(SubmissionSource::Path(path.into()))
    }

    /// A source file with this text. Its name gives its language, as in `main.py`.
    pub fn source(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self(SubmissionSource::Text { name: name.into(), text: text.into() })
    }

    /// A program that is ready to run, and its arguments.
    pub fn command<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        Self(SubmissionSource::Command(words.into_iter().map(Into::into).collect()))
    }

    /// The inner result is that of the build. The outer one is an error if there is nothing to build.
    fn prepare(
        &self,
        problem: &ReadProblem,
        builder: &Builder<'_>,
    ) -> Result<(NamedSubmission, Result<PreparedProgram, Stop>), Stop> {
        let allowed = builder.with_languages(problem.languages.as_deref());
        let of_program = |name: &str, program: Program| NamedSubmission {
            name: name.to_owned(),
            program,
            expectations: Vec::new(),
        };
        match &self.0 {
            SubmissionSource::Path(path) => {
                let named = named_submission(path, problem).map_err(Stop::usage)?;
                let prepared = allowed.prepare(&named.program);
                Ok((named, prepared))
            }
            SubmissionSource::Text { name, text } => {
                let program = Program {
                    name: name.clone(),
                    path: FilePath::root(name),
                    include: problem.include.clone(),
                    defines: problem.defines.clone(),
                    ..Program::default()
                };
                let prepared = allowed.prepare_text(&program, text);
                Ok((of_program(name, program), prepared))
            }
            SubmissionSource::Command(words) => {
                let Some(first) = words.first() else {
                    return Err(Stop::usage(
                        "the command of a submission is empty; give a program and its arguments",
                    ));
                };
                let name = first.to_string_lossy();
                let cwd = std::env::current_dir()
                    .map_err(|error| JudgeError::new("find the current directory", error))?;
                let prepared = builder
                    .prepare_command(words, &cwd)
                    .map_err(|error| Stop::usage(format!("cannot start `{name}`: {error}")));
                Ok((of_program(&name, outside_program(Path::new(first))), prepared))
            }
        }
    }
}
