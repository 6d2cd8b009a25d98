//! The context of an operation: the sink of its events, the current package, and what stops and runs programs.

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::cache::knowledge::Knowledge;
use crate::cache::store::Store;
use crate::executor::{Around, Executor};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, Stamped};
use crate::model::exit_code::ExitCode;
use crate::model::recalled::Recalled;
use crate::model::stop::{Mend, Remark, Stop, hear};
use crate::model::worker::WorkerReport;
use crate::ops::host::StopHandle;
use crate::ops::open_package::OpenPackage;
use crate::ops::package_names::{self, PackageNames};
use crate::remote::workers::Workers;

/// Adds time and package to each event.
pub struct Context {
    state: Mutex<State>,
    started: Instant,
    wrapper: Option<Around>,
    pub stop_handle: Option<StopHandle>,
    /// Whether the operation may use the cache.
    pub may_remember: bool,
    memory: OnceLock<(Arc<Knowledge>, Arc<Store>)>,
    /// Set if programs run on workers.
    workers: OnceLock<Arc<Workers>>,
    /// Set if there are several packages.
    names: OnceLock<Arc<PackageNames>>,
}

pub type Sink = Box<dyn FnMut(&Stamped) + Send>;

struct State {
    sink: Sink,
    /// The package, then the archives of its submissions.
    opened: Vec<OpenPackage>,
    package: Option<Arc<str>>,
    /// The exit code of work that ended early.
    ended: ExitCode,
    /// Set by `replay`: later events get the time of the replayed one.
    replayed: Option<Duration>,
    recalled: Option<Recalled>,
    workers: Vec<WorkerReport>,
}

impl Context {
    pub fn new(sink: impl FnMut(&Stamped) + Send + 'static) -> Self {
        Self::since(Box::new(sink), Instant::now())
    }

    fn since(sink: Sink, started: Instant) -> Self {
        Self {
            state: Mutex::new(State {
                sink,
                opened: Vec::new(),
                package: None,
                ended: ExitCode::Success,
                replayed: None,
                recalled: None,
                workers: Vec::new(),
            }),
            started,
            wrapper: None,
            stop_handle: None,
            may_remember: true,
            memory: OnceLock::new(),
            workers: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    /// Wraps the executor. For tests, which do not use the cache.
    #[must_use]
    pub fn with_wrapper(self, wrapper: Option<Around>) -> Self {
        Self { wrapper, may_remember: false, ..self }
    }

    /// Stops runs by this handle instead of signals.
    #[must_use]
    pub fn stopped_by(self, stop_handle: StopHandle) -> Self {
        Self { stop_handle: Some(stop_handle), ..self }
    }

    /// Returns each package once, and gives each a unique name.
    pub fn packages(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let (packages, names) = package_names::distinct(paths);
        let _ = self.names.set(Arc::new(names));
        packages
    }

    /// `None` if there is only one package.
    pub fn package(&self) -> Option<Arc<str>> {
        self.state
            .lock()
            .package
            .clone()
            .filter(|_| self.names.get().is_some_and(|it| !it.is_empty()))
    }

    /// New remarks from workers come first.
    pub fn event(&self, event: Event) {
        for remark in self.workers.get().iter().flat_map(|workers| workers.remarks()) {
            self.happened(Event::Diagnosed(remark));
        }
        self.happened(event);
    }

    fn happened(&self, event: Event) {
        let mut state = self.state.lock();
        let mut event = state.opened.iter().fold(event, |event, opened| opened.shown(event));
        if let (Event::PackageRead(package), Some(name)) = (&mut event, &state.package) {
            package.name = name.to_string();
        }
        let at = state.replayed.unwrap_or_else(|| self.started.elapsed());
        let stamped = Stamped { at, package: state.package.clone(), event };
        (state.sink)(&stamped);
    }

    pub fn replay(&self, stamped: &Stamped) {
        let mut state = self.state.lock();
        (state.sink)(stamped);
        state.replayed = Some(stamped.at);
    }

    /// Sets the results of commands that are merged.
    pub fn end_as(&self, code: ExitCode, recalled: Option<Recalled>, workers: Vec<WorkerReport>) {
        self.end_with(code);
        let mut state = self.state.lock();
        state.recalled = recalled;
        state.workers = workers;
    }

    /// A context for concurrent work, which sends its events to `sender`. They are dropped if the receiver is gone.
    pub fn aside(&self, sender: Sender<Stamped>) -> Self {
        let names = self.names.clone();
        let sink = move |stamped: &Stamped| drop(sender.send(stamped.clone()));
        let aside = Self::since(Box::new(sink), self.started);
        Self { may_remember: self.may_remember, names, ..aside }
    }

    /// Passes on an event of concurrent work.
    pub fn tell(&self, stamped: &Stamped) {
        (self.state.lock().sink)(stamped);
    }

    pub fn ended(&self) -> ExitCode {
        self.state.lock().ended
    }

    pub fn end_with(&self, code: ExitCode) {
        let mut state = self.state.lock();
        state.ended = state.ended.and(code);
    }

    pub fn sink(&self) -> impl Fn(Event) + Sync + '_ {
        |event| self.event(event)
    }

    pub fn remembers(&self, knowledge: Arc<Knowledge>, store: Arc<Store>) {
        // A command starts one host, which calls this once.
        let _ = self.memory.set((knowledge, store));
    }

    pub fn works_with(&self, workers: Arc<Workers>) {
        let _ = self.workers.set(workers);
    }

    /// Sends the last event, after remarks of the cache and of workers.
    pub fn finish(&self) {
        let (mut recalled, mut workers) = {
            let mut state = self.state.lock();
            (state.recalled.take(), std::mem::take(&mut state.workers))
        };
        if let Some((knowledge, store)) = self.memory.get() {
            self.diagnosed(store.warnings());
            recalled = Some(knowledge.recalled());
        }
        if let Some(all) = self.workers.get() {
            self.diagnosed(all.last_remarks());
            // A search for tools does not report an interruption: it finds no tool.
            if all.is_stopped() && self.ended() != ExitCode::Interrupted {
                self.stopped(Stop::Interrupted);
            }
            workers = all.report();
        }
        self.event(Event::Finished { ended: self.ended(), recalled, workers });
    }

    pub fn around(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match self.wrapper {
            Some(around) => around(executor),
            None => executor,
        }
    }

    /// All following events are about this package. Returns its directory. An archive stays unpacked until the next
    /// package, or until the command ends.
    pub fn enter(&self, package: &Path) -> Result<PathBuf, Stop> {
        let name = |path: &Path| {
            let known = self.names.get().and_then(|names| names.get(package).cloned());
            known.or_else(|| {
                let real = path.canonicalize();
                let name = real.as_deref().unwrap_or(path).file_name();
                name.map(|name| name.to_string_lossy().into())
            })
        };
        self.state.lock().package = name(package);
        let opened =
            OpenPackage::open(package).inspect_err(|_| self.event(Event::PackageRefused))?;
        let dir = opened.dir.clone();
        let mut state = self.state.lock();
        state.package = name(&dir);
        state.opened = vec![opened];
        Ok(dir)
    }

    /// Returns the directory of the submission. An archive stays unpacked while the package is in use.
    pub fn open(&self, submission: &Path) -> Result<PathBuf, Stop> {
        let opened = OpenPackage::open(submission)?;
        let dir = opened.dir.clone();
        self.state.lock().opened.extend(opened.archive().is_some().then_some(opened));
        Ok(dir)
    }

    /// Refuses an archive.
    pub fn writable(&self) -> Result<(), Stop> {
        let Some(archive) = self.archive() else { return Ok(()) };
        let archive = archive.display();
        Err(Stop::usage(format!(
            "{archive} is an archive, which juror does not change; unpack it first"
        )))
    }

    pub fn archive(&self) -> Option<PathBuf> {
        self.state.lock().opened.first().and_then(OpenPackage::archive).map(Path::to_owned)
    }

    pub fn diagnosed(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.event(Event::Diagnosed(diagnostic));
        }
    }

    /// Shows the diagnostics, or fails with them if one is an error.
    pub fn remarked(&self, remarks: Vec<Diagnostic>) -> Result<(), Stop> {
        if remarks.iter().any(Diagnostic::is_error) {
            return Err(Stop::Diagnosed(remarks));
        }
        self.diagnosed(remarks);
        Ok(())
    }

    /// If only this part of the command failed, reports the reason and returns `None`.
    pub fn part<T>(&self, part: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match part {
            Ok(done) => Ok(Some(done)),
            Err(stop @ (Stop::Diagnosed(_) | Stop::Refused(..))) => {
                self.stopped(stop);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    pub fn stopped(&self, stop: Stop) {
        let code = match stop {
            Stop::Interrupted => {
                hear();
                ExitCode::Interrupted
            }
            Stop::Fault(error) => {
                self.event(Event::Failed { submission: None, error });
                ExitCode::JudgeError
            }
            Stop::Diagnosed(diagnostics) => {
                self.diagnosed(diagnostics);
                ExitCode::InvalidPackage
            }
            Stop::Refused(mend, remarks) => {
                for remark in remarks {
                    self.event(match remark {
                        Remark::Diagnostic(diagnostic) => Event::Diagnosed(diagnostic),
                        Remark::Sentence { message, help } => Event::Complained { message, help },
                    });
                }
                match mend {
                    Mend::CommandLine => ExitCode::Usage,
                    Mend::Selection => ExitCode::NothingSelected,
                    Mend::Package => ExitCode::InvalidPackage,
                    Mend::Submission => ExitCode::Rejected,
                }
            }
        };
        self.end_with(code);
    }
}
