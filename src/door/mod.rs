//! The door of the library: judges submissions from within a program.
//!
//! `Judge`, `Problem` and `Submission` hide the packages, builds and sandboxes behind them, so that those may change.

pub mod cases;
pub mod comparison;
pub mod files_beside;
pub mod given_program;
pub mod open_package;
pub mod submissions;

use parking_lot::Mutex;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::door::comparison::{ComparisonMode, set_comparison};
use crate::door::open_package::OpenPackage;
use crate::door::submissions::{
    named_submission, outside_program, prepare_command, text_submission,
};
use juror_core::check::options::{Options, comparison_arguments};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::isolation::RequiredIsolation;
use juror_core::judgement::{JudgeError, Judgement};
use juror_core::language::toolchain::Toolchains;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem as ReadProblem;
use juror_core::protocol::Protocol;
use juror_core::stop::{Stop, StopFlag, check_interrupted, with_same_stop_flags, with_stop_flags};
use juror_core::submission::Submission as NamedSubmission;
use juror_core::units::Bytes;
use juror_judging::build::bench::Bench;
use juror_judging::build::{Builder, PreparedProgram};
use juror_judging::cache::result_cache::ResultCache;
use juror_judging::judge::case::{Detail, ReadyCase, Validators};
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::judging;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::score::RunPolicy;
use juror_judging::judge::validators::build_validators;
use juror_judging::recipe::complete::{self, CompletedFiles};
use juror_packages::package;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::scratch::{ScratchDirectory, ScratchPurpose, make_scratch};
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

    /// The same, and calls `on_event` meanwhile, at least ten times a second. If that returns [`ControlFlow::Break`],
    /// the work of this call ends: its programs are killed, and the slots are ready for other calls.
    ///
    /// # Errors
    /// See [`run`](Self::run); [`Stop::Interrupted`] after a break, whatever was found before.
    pub fn run_with(
        &self,
        problem: &Problem,
        submission: &Submission,
        on_event: impl FnMut(&Event) -> ControlFlow<()> + Send,
    ) -> Result<Judgement, Stop> {
        let ended = StopFlag::default();
        let on_event = Mutex::new(on_event);
        let events = |event: Event| {
            let asked = (on_event.lock())(&event);
            if asked.is_break() {
                ended.set();
            }
        };
        with_stop_flags(&[self.stopped.clone(), ended.clone()], || {
            let judged = tick_during(|| self.judge(problem, submission, &events), &events);
            check_interrupted().and(judged)
        })
    }

    fn judge(
        &self,
        problem: &Problem,
        submission: &Submission,
        events: &(dyn Fn(Event) + Sync),
    ) -> Result<Judgement, Stop> {
        let executor = &*self.executor;
        let builder = Builder::with_toolchains(executor, Arc::clone(&self.toolchains));
        let complete = problem.prepare(executor, &builder, events)?;
        let (named, prepared) = submission.prepare(&complete.problem, &builder)?;
        let mut diagnostics = Vec::new();
        let entry = judging::prepared_entry(&named, prepared, &mut diagnostics)?;
        let (bad, warnings): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(Diagnostic::is_error);
        warnings.into_iter().map(Event::Diagnosed).for_each(events);
        let entry = entry.ok_or(Stop::Diagnosed(bad))?;
        let bench = Bench { problem: &complete.problem, executor, builder: &builder, events };
        let cases = problem.cases(&complete.problem)?;
        let mut ready = ReadyProblem::new(bench, Arc::clone(&complete.validators), cases);
        ready.rules.detail = Detail::Full;
        ready.repeats = !complete.problem.layout.is_guessed;
        let finished = ready.judge(&[entry], RunPolicy::Counting)?;
        match finished.results.into_iter().next() {
            Some(judged) => Ok(*judged?),
            None => Err(Stop::Interrupted),
        }
    }

    /// Ends all runs, and all later ones, from any thread: each call returns [`Stop::Interrupted`].
    pub fn stop(&self) {
        self.stopped.set();
    }
}

/// How long a user who wants to end a call waits for the next event at most.
const TICK: Duration = Duration::from_millis(100);

/// Sends an event now and then while the work goes on, from another thread. If none can be started, only the work's own
/// events come.
fn tick_during<R>(work: impl FnOnce() -> R, events: &(dyn Fn(Event) + Sync)) -> R {
    let (over, is_over) = mpsc::channel::<()>();
    let is_over = Mutex::new(is_over);
    let tick = with_same_stop_flags(|| {
        while is_over.lock().recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            events(Event::Progress(WorkProgress::Waiting));
        }
    });
    thread::scope(|scope| {
        let _ticking = thread::Builder::new().spawn_scoped(scope, tick);
        // The other thread ends when this is dropped, also after a panic.
        let _over = over;
        work()
    })
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
    /// The file with the text of a checker.
    _checker: Option<ScratchDirectory>,
    /// The problem with its generated test data and its validators, after the first run.
    ready: Mutex<Option<Arc<CompleteProblem>>>,
    _open: Option<OpenPackage>,
}

/// A problem with the test data that it only described, and its validators.
struct CompleteProblem {
    problem: ReadProblem,
    validators: Arc<Validators>,
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

    /// A problem with these inputs and right outputs. Until other methods are called, the limits are 2 s of CPU time,
    /// 2 GiB of memory and 64 MiB of output, and outputs are compared word by word.
    pub fn from_cases<I, A>(cases: impl IntoIterator<Item = (I, A)>) -> Self
    where
        I: Into<Vec<u8>>,
        A: Into<Vec<u8>>,
    {
        let texts = cases.into_iter().map(|(input, answer)| (input.into(), answer.into()));
        let texts: Vec<(Vec<u8>, Vec<u8>)> = texts.collect();
        let mut read = cases::problem_without_package();
        read.test_data.cases = cases::numbered_cases(texts.len());
        for case in &mut read.test_data.cases {
            case.output_validator_args = comparison_arguments("words").unwrap_or_default();
        }
        Self { texts: Some(texts), ..Self::of(read) }
    }

    fn of(read: ReadProblem) -> Self {
        let (remarks, ready) = (Vec::new(), Mutex::default());
        Self { read, remarks, texts: None, _checker: None, ready, _open: None }
    }

    /// Sets the limit on CPU time of a run. The limit on the clock follows from it.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        self.with_limits(|limits| limits.time_limit = Some(limit))
    }

    /// Sets the limit on the memory of a run, in bytes.
    #[must_use]
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        self.with_limits(|limits| limits.memory = Some(Bytes(bytes)))
    }

    /// Sets the limit on the output of a run, in bytes: standard output, standard error and files together.
    #[must_use]
    pub fn with_output_limit(self, bytes: u64) -> Self {
        self.with_limits(|limits| limits.output = Some(Bytes(bytes)))
    }

    /// A problem that was ready has to get ready once more.
    fn with_limits(mut self, set: impl FnOnce(&mut ProblemLimits)) -> Self {
        set(&mut self.read.limits);
        Self { ready: Mutex::default(), ..self }
    }

    /// Compares outputs in the way of this name, such as `lines` or `float=1e-6`; `docs/comparisons.md` lists them. A
    /// package loses its own comparison and its output validator.
    ///
    /// # Errors
    /// [`Stop::Refused`] if the name is unknown, or if the problem is interactive or multi-pass.
    pub fn with_comparison(self, name: &str) -> Result<Self, Stop> {
        self.judged_by(&ComparisonMode::Named(name.to_owned()), "with_comparison")
    }

    /// Judges outputs with this output validator: a source, a directory of sources, or an executable. It is called as
    /// `checker INPUT ANSWER FEEDBACK_DIR < OUTPUT`, and exits with 42 if the output is right and with 43 if it is
    /// wrong. One that includes `testlib.h`, or has the `check` of DMOJ, is called in that way. A package loses its own
    /// output validator.
    ///
    /// # Errors
    /// [`Stop::Refused`] if the file does not exist, or if the problem is interactive or multi-pass. If the program does
    /// not build, the first run returns the error.
    pub fn with_checker(self, path: impl Into<PathBuf>) -> Result<Self, Stop> {
        self.judged_by(&ComparisonMode::Checker(path.into()), "with_checker")
    }

    /// The same for a source with this text. Its name gives its language, as in `checker.py`.
    ///
    /// # Errors
    /// As [`with_checker`](Self::with_checker); also if the text cannot be written to the temporary directory.
    pub fn with_checker_source(self, name: &str, text: &str) -> Result<Self, Stop> {
        const METHOD: &str = "with_checker_source";
        if Path::new(name).file_name() != Some(name.as_ref()) {
            let what = format!(
                "{METHOD}: `{name}` is not the name of a file; give one such as `checker.py`"
            );
            return Err(Stop::usage(what));
        }
        let directory = make_scratch(ScratchPurpose::Package)?;
        let file = directory.path().join(name);
        file.create()
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| JudgeError::new("write a checker", error))?;
        let mode = ComparisonMode::Checker(file.as_path().to_owned());
        Ok(Self { _checker: Some(directory), ..self.judged_by(&mode, METHOD)? })
    }

    fn judged_by(mut self, mode: &ComparisonMode, method: &str) -> Result<Self, Stop> {
        set_comparison(method, mode, None, &mut self.read)?;
        // Who embeds a judge knows its checkers: nothing is tried.
        for checker in &mut self.read.output_validators {
            checker.protocol.get_or_insert(Protocol::Standard);
        }
        Ok(Self { ready: Mutex::default(), ..self })
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
    ) -> Result<Arc<CompleteProblem>, Stop> {
        let mut ready = loop {
            check_interrupted()?;
            // Another call may be doing this, and this one may be asked to end meanwhile.
            if let Some(ready) = self.ready.try_lock_for(TICK) {
                break ready;
            }
        };
        if let Some(ready) = &*ready {
            return Ok(Arc::clone(ready));
        }
        let mut problem = self.read.clone();
        let completed =
            complete::complete(&mut problem, executor, builder, events, &|_| true, None)?;
        let bench = Bench { problem: &problem, executor, builder, events };
        let validators = Arc::new(build_validators(&bench, ImageUse::Never)?);
        let new = Arc::new(CompleteProblem { problem, validators, _completed_files: completed });
        Ok(Arc::clone(ready.insert(new)))
    }

    fn cases<'a>(&self, problem: &'a ReadProblem) -> Result<Vec<ReadyCase<'a>>, Stop> {
        match &self.texts {
            None => cases::all_cases(problem),
            Some(texts) => {
                let named = &problem.test_data.cases;
                // They were checked before, and are the same for all.
                let args = named.first().map_or(&[][..], |case| &case.output_validator_args);
                let options = Options::parse(args).unwrap_or_default();
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
        match &self.0 {
            SubmissionSource::Path(path) => {
                let named = named_submission(path, problem).map_err(Stop::usage)?;
                let prepared = allowed.prepare(&named.program);
                Ok((named, prepared))
            }
            SubmissionSource::Text { name, text } => {
                let named = text_submission(name, Some(text.clone()), problem);
                let prepared = allowed.prepare(&named.program);
                Ok((named, prepared))
            }
            SubmissionSource::Command(words) => {
                let Some(first) = words.first() else {
                    return Err(Stop::usage(
                        "the command of a submission is empty; give a program and its arguments",
                    ));
                };
                let named = NamedSubmission {
                    name: first.to_string_lossy().into_owned(),
                    program: outside_program(Path::new(first)),
                    expectations: Vec::new(),
                };
                Ok((named, prepare_command(words, builder)))
            }
        }
    }
}
