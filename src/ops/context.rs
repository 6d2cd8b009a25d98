//! The context of an operation: the sink of its events, the current package, and what stops and runs programs.

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::door::open_package::OpenPackage;
use crate::ops::package_names::{self, PackageNames};
use crate::ops::stop_handle::StopHandle;
use juror_core::cache_use::CacheUse;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::{Event, StampedEvent};
use juror_core::exit_code::ExitCode;
use juror_core::problem::Problem;
use juror_core::stop::{RefusalSubject, Remark, Stop, check_interrupted, notice_interruption};
use juror_core::text::path_text;
use juror_core::worker::WorkerReport;
use juror_judging::cache::knowledge::KnownResults;
use juror_remote::workers::Workers;
use juror_sandbox::executor::{Executor, ExecutorWrapper};

/// Adds time and package to each event.
pub struct Context {
    state: Mutex<ContextState>,
    started: Instant,
    wrapper: Option<ExecutorWrapper>,
    pub stop_handle: Option<StopHandle>,
    /// Whether the operation may use the cache.
    pub uses_cache: bool,
    pub needs: ReportNeeds,
    memory: OnceLock<Arc<KnownResults>>,
    /// Set if programs run on workers.
    workers: OnceLock<Arc<Workers>>,
    /// Whether warnings about the user's files are errors.
    is_strict: AtomicBool,
    /// Set if there are several packages.
    package_names: OnceLock<Arc<PackageNames>>,
}

/// What the reports of the command need besides verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportNeeds {
    /// The images of visualizers, for a page.
    pub images: bool,
    /// Every run, to list the test cases that no submission fails on.
    pub every_run: bool,
    /// Standard output, for a JSON document.
    pub stdout: bool,
}

pub type EventSink = Box<dyn FnMut(&StampedEvent) + Send>;

struct ContextState {
    sink: EventSink,
    /// The package, then the archives of its submissions.
    open_packages: Vec<OpenPackage>,
    package: Option<Arc<str>>,
    /// The exit code of work that ended early.
    exit_code: ExitCode,
    merged: Option<MergedEnd>,
}

/// The results of commands that are merged.
#[derive(Clone, Debug, Default)]
pub struct MergedEnd {
    /// When the last of them ended. Later events get this time.
    pub at: Duration,
    pub recalled: Option<CacheUse>,
    pub workers: Vec<WorkerReport>,
}

impl Context {
    pub fn new(sink: impl FnMut(&StampedEvent) + Send + 'static) -> Self {
        Self::started_at(Box::new(sink), Instant::now())
    }

    fn started_at(sink: EventSink, started: Instant) -> Self {
        Self {
            state: Mutex::new(ContextState {
                sink,
                open_packages: Vec::new(),
                package: None,
                exit_code: ExitCode::Success,
                merged: None,
            }),
            started,
            wrapper: None,
            stop_handle: None,
            uses_cache: true,
            needs: ReportNeeds::default(),
            memory: OnceLock::new(),
            workers: OnceLock::new(),
            is_strict: AtomicBool::new(false),
            package_names: OnceLock::new(),
        }
    }

    /// Wraps the executor. For tests, which do not use the cache.
    #[must_use]
    pub fn with_wrapper(self, wrapper: Option<ExecutorWrapper>) -> Self {
        Self { wrapper, uses_cache: false, ..self }
    }

    /// Stops runs by this handle instead of signals.
    #[must_use]
    pub fn with_stop_handle(self, stop_handle: StopHandle) -> Self {
        Self { stop_handle: Some(stop_handle), ..self }
    }

    /// Returns each package once, and gives each a unique name.
    pub fn name_packages(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let (packages, names) = package_names::distinct_packages(paths);
        let _ = self.package_names.set(Arc::new(names));
        packages
    }

    /// `None` if there is only one package.
    pub fn package_name(&self) -> Option<Arc<str>> {
        self.state
            .lock()
            .package
            .clone()
            .filter(|_| self.package_names.get().is_some_and(|names| !names.is_empty()))
    }

    /// New remarks from workers come first.
    pub fn send_event(&self, event: Event) {
        for remark in self.workers.get().iter().flat_map(|workers| workers.diagnostics()) {
            self.emit(Event::Diagnosed(remark));
        }
        self.emit(match event {
            Event::Diagnosed(warning) if self.is_made_error(&warning) => {
                self.add_exit_code(ExitCode::InvalidPackage);
                Event::Diagnosed(Diagnostic { severity: Severity::Error, ..warning })
            }
            event => event,
        });
    }

    /// From now on, warnings about the user's files are errors. Remarks of the cache and of workers are not.
    pub fn set_strict(&self, is_strict: bool) {
        self.is_strict.store(is_strict, Ordering::Relaxed);
    }

    fn is_made_error(&self, diagnostic: &Diagnostic) -> bool {
        self.is_strict.load(Ordering::Relaxed) && diagnostic.severity == Severity::Warning
    }

    fn emit(&self, event: Event) {
        let mut state = self.state.lock();
        let mut event = state
            .open_packages
            .iter()
            .rev()
            .fold(event, |event, opened| opened.with_archive_paths(event));
        if let (Event::PackageRead(package), Some(name)) = (&mut event, &state.package) {
            package.name = name.to_string();
        }
        let merged_at = state.merged.as_ref().map(|merged| merged.at);
        let at = merged_at.unwrap_or_else(|| self.started.elapsed());
        let stamped = StampedEvent { at, package: state.package.clone(), event };
        (state.sink)(&stamped);
    }

    pub fn set_merged_end(&self, code: ExitCode, end: MergedEnd) {
        self.add_exit_code(code);
        self.state.lock().merged = Some(end);
    }

    /// A context for concurrent work, which sends its events to `sender`. They are dropped if the receiver is gone.
    pub fn for_concurrent_work(&self, sender: Sender<StampedEvent>) -> Self {
        let names = self.package_names.clone();
        let sink = move |stamped: &StampedEvent| drop(sender.send(stamped.clone()));
        let aside = Self::started_at(Box::new(sink), self.started);
        aside.set_strict(self.is_strict.load(Ordering::Relaxed));
        Self { uses_cache: self.uses_cache, needs: self.needs, package_names: names, ..aside }
    }

    /// Passes on an event of concurrent work, or of another command.
    pub fn forward(&self, stamped: &StampedEvent) {
        (self.state.lock().sink)(stamped);
    }

    pub fn exit_code(&self) -> ExitCode {
        self.state.lock().exit_code
    }

    pub fn add_exit_code(&self, code: ExitCode) {
        let mut state = self.state.lock();
        state.exit_code = state.exit_code.graver_of(code);
    }

    pub fn event_sender(&self) -> impl Fn(Event) + Sync + '_ {
        |event| self.send_event(event)
    }

    pub fn set_memory(&self, knowledge: Arc<KnownResults>) {
        // A command starts one host, which calls this once.
        let _ = self.memory.set(knowledge);
    }

    pub fn set_workers(&self, workers: Arc<Workers>) {
        let _ = self.workers.set(workers);
    }

    /// Sends the last event, after remarks of the cache and of workers.
    pub fn finish(&self) {
        let merged = self.state.lock().merged.clone();
        let MergedEnd { mut recalled, mut workers, .. } = merged.unwrap_or_default();
        if let Some(knowledge) = self.memory.get() {
            let warnings = knowledge.store.warnings();
            warnings.into_iter().for_each(|warning| self.emit(Event::Diagnosed(warning)));
            recalled = Some(knowledge.cache_use());
        }
        if let Some(all) = self.workers.get() {
            all.all_diagnostics().into_iter().for_each(|it| self.emit(Event::Diagnosed(it)));
            // A search for tools does not report an interruption: it finds no tool.
            if all.is_stopped() && self.exit_code() != ExitCode::Interrupted {
                self.report_stop(Stop::Interrupted);
            }
            workers = all.report();
        }
        self.send_event(Event::Finished { ended: self.exit_code(), recalled, workers });
    }

    pub fn wrap_executor(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match self.wrapper {
            Some(wrap) => wrap(executor),
            None => executor,
        }
    }

    /// All following events are about this package. Returns its directory. An archive stays unpacked until the next
    /// package, or until the command ends.
    pub fn enter_package(&self, package: &Path) -> Result<PathBuf, Stop> {
        let name = |path: &Path| {
            let known = self.package_names.get().and_then(|names| names.get(package).cloned());
            known.or_else(|| {
                let real = path.canonicalize();
                let name = real.as_deref().unwrap_or(path).file_name();
                name.map(|name| path_text(Path::new(name)).into())
            })
        };
        self.state.lock().package = name(package);
        let opened =
            OpenPackage::open(package).inspect_err(|_| self.send_event(Event::PackageRefused))?;
        let dir = opened.dir.clone();
        let mut state = self.state.lock();
        state.package = name(&dir);
        state.open_packages = vec![opened];
        Ok(dir)
    }

    /// Adds what only the file of the current package says.
    pub fn complete_problem(&self, problem: &mut Problem) {
        if let Some(opened) = self.state.lock().open_packages.first() {
            opened.complete(problem);
        }
    }

    /// Returns the directory of the submission. An archive stays unpacked while the package is in use.
    pub fn open_submission(&self, submission: &Path) -> Result<PathBuf, Stop> {
        Ok(self.keep_open(OpenPackage::open_submission(submission)?))
    }

    /// The same for what `unpack` makes of it in a temporary directory.
    pub fn unpack_submission(
        &self,
        submission: &Path,
        unpack: impl FnOnce(&Path) -> Result<PathBuf, Diagnostic>,
    ) -> Result<PathBuf, Stop> {
        let opened = OpenPackage::unpack(submission, |into| {
            unpack(into).map_err(|fault| check_interrupted().err().unwrap_or_else(|| fault.into()))
        });
        Ok(self.keep_open(opened?))
    }

    fn keep_open(&self, opened: OpenPackage) -> PathBuf {
        let dir = opened.dir.clone();
        self.state.lock().open_packages.extend(opened.archive().is_some().then_some(opened));
        dir
    }

    /// Refuses an archive.
    pub fn check_writable(&self) -> Result<(), Stop> {
        let Some(archive) = self.archive() else { return Ok(()) };
        let archive = archive.display();
        Err(Stop::usage(format!(
            "{archive} is an archive, which juror does not change; unpack it first"
        )))
    }

    pub fn archive(&self) -> Option<PathBuf> {
        self.state.lock().open_packages.first().and_then(OpenPackage::archive).map(Path::to_owned)
    }

    pub fn send_diagnostics(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.send_event(Event::Diagnosed(diagnostic));
        }
    }

    /// Shows the diagnostics, or fails with them if one is an error.
    pub fn refuse_errors(&self, remarks: Vec<Diagnostic>) -> Result<(), Stop> {
        if remarks.iter().any(Diagnostic::is_error) {
            return Err(Stop::Diagnosed(remarks));
        }
        self.send_diagnostics(remarks);
        Ok(())
    }

    /// If only this part of the command failed, reports the reason and returns `None`.
    pub fn contain_failure<T>(&self, part: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match part {
            Ok(done) => Ok(Some(done)),
            Err(stop @ (Stop::Diagnosed(_) | Stop::Refused(..))) => {
                self.report_stop(stop);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    pub fn report_stop(&self, stop: Stop) {
        let code = match stop {
            Stop::Interrupted => {
                notice_interruption();
                ExitCode::Interrupted
            }
            Stop::Fault(error) => {
                self.send_event(Event::Failed { submission: None, error });
                ExitCode::JudgeError
            }
            Stop::Diagnosed(diagnostics) => {
                self.send_diagnostics(diagnostics);
                ExitCode::InvalidPackage
            }
            Stop::Refused(mend, remarks) => {
                for remark in remarks {
                    self.send_event(match remark {
                        Remark::Diagnostic(diagnostic) => Event::Diagnosed(diagnostic),
                        Remark::Sentence { message, help } => Event::Complained { message, help },
                    });
                }
                match mend {
                    RefusalSubject::CommandLine => ExitCode::Usage,
                    RefusalSubject::Selection => ExitCode::NothingSelected,
                    RefusalSubject::Package => ExitCode::InvalidPackage,
                    RefusalSubject::Submission => ExitCode::Rejected,
                    RefusalSubject::HelperProgram => ExitCode::JudgeError,
                }
            }
        };
        self.add_exit_code(code);
    }
}
