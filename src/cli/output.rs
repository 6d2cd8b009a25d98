//! The output of a command: events to the reporters, complaints to standard error, and finally an exit code.

use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::cache::knowledge::Knowledge;
use crate::cache::store::Store;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::StopHandle;
use crate::cli::options::{Color, OutputOptions, ReportOptions};
use crate::cli::package_names::{self, PackageNames};
use crate::cli::streams;
use crate::executor::{Around, Executor};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, Stamped};
use crate::model::judgement::JudgeError;
use crate::model::stop::{Mend, Remark, Stop, hear};
use crate::model::text::{joined, shell_word};
use crate::ops::open_package::OpenPackage;
use crate::remote::workers::Workers;
use crate::report::file::{ReportFile, resolved};
use crate::report::log::LogFormat;
use crate::report::notices::Notices;
use crate::report::progress::Progress;
use crate::report::style::{Style, Surroundings, Verbosity};
use crate::report::terminal::Terminal;
use crate::report::{Recording, Reporter, Reporters, WriteReport, csv, github, html, json, junit};

/// Takes a command's events, and adds the time and the package.
pub struct Output {
    said: Mutex<Said>,
    started: Instant,
    /// The wrapper around the executor, if any.
    around: Option<Around>,
    /// What ends the runs instead of signals, if set.
    pub stop_handle: Option<StopHandle>,
    /// Whether its events are recorded instead of shown.
    pub is_recorded: bool,
    /// The knowledge from earlier commands, if it is used.
    memory: OnceLock<(Arc<Knowledge>, Arc<Store>)>,
    /// The workers that run programs, if they do not run here.
    workers: OnceLock<Arc<Workers>>,
    /// The names of the packages, if there are several.
    names: OnceLock<Arc<PackageNames>>,
}

struct Said {
    reporters: Reporters<'static>,
    /// The current package, and its name.
    opened: Option<OpenPackage>,
    package: Option<Arc<str>>,
    /// The exit code for work that ended early.
    ended: ExitCode,
    /// The time offset of this command, if it replays earlier events.
    before: Duration,
}

/// Runs a command between its first and its last event.
pub fn command(
    options: &OutputOptions,
    name: &'static str,
    body: impl FnOnce(&Output) -> Result<(), Stop>,
) -> ExitCode {
    command_with(options, &ReportOptions::default(), name, body)
}

/// The same with reports in files.
pub fn command_with(
    options: &OutputOptions,
    reports: &ReportOptions,
    name: &'static str,
    body: impl FnOnce(&Output) -> Result<(), Stop>,
) -> ExitCode {
    if reports.github {
        streams::are_log();
    }
    let mut all = reporters(options);
    let opened = open(reports, name, options.json).map(|files| all.extend(files));
    let output = Output {
        around: options.around,
        stop_handle: options.stop_handle.clone(),
        is_recorded: options.recording.is_some(),
        ..Output::new(all, Instant::now(), Duration::ZERO)
    };
    output.event(Event::Started { command: name, command_line: command_line(env::args_os()) });
    if let Err(stop) = opened.and_then(|()| body(&output)) {
        output.stopped(stop);
    }
    output.recalled();
    output.worked();
    if output.ended() != ExitCode::Success {
        output.event(Event::EndedEarly { exit_code: output.ended().number().into() });
    }
    output.event(Event::Finished);
    output.exit_code()
}

/// The reporters of the command.
fn reporters(options: &OutputOptions) -> Vec<Reporter<'static>> {
    if let Some(recording) = &options.recording {
        return vec![Reporter::Recorded(recording.clone())];
    }
    let around = surroundings();
    let style = style(options, &around);
    let progress = match style.verbosity {
        Verbosity::Quiet => Progress::hidden(),
        _ if options.is_still => Progress::hidden(),
        _ if around.can_redraw() => Progress::on_stderr(),
        _ => Progress::by_lines(Box::new(streams::err())),
    };
    let out: Box<dyn Write + Send> = if options.is_beside {
        Box::new(streams::err())
    } else {
        Box::new(streams::out(LogFormat::Text))
    };
    if options.json {
        vec![
            Reporter::AtEnd(json::write, Box::new(streams::out(LogFormat::Json))),
            Reporter::Live(Box::new(Notices::new(streams::err(), style))),
            Reporter::Live(Box::new(progress)),
        ]
    } else {
        let mut terminal = Terminal::new(out, streams::err(), style);
        terminal.listing = options.listing;
        terminal.progress = progress;
        vec![Reporter::Live(Box::new(terminal))]
    }
}

/// The reports in files, opened before the first run.
///
/// # Errors
/// If one cannot be written, or has nothing to show, or two have the same path.
fn open(
    reports: &ReportOptions,
    command: &str,
    json: bool,
) -> Result<Vec<Reporter<'static>>, Stop> {
    if reports.csv.is_some() && command == "generate" {
        let what = "--csv is a table of submissions, and `juror generate` judges none";
        return Err(Stop::usage(Remark::of(what, "use --junit, --html or --json")));
    }
    let wanted: [(_, _, WriteReport, _); 3] = [
        ("--html", &reports.html, html::write, html::SIGN),
        ("--csv", &reports.csv, csv::write, csv::SIGN),
        ("--junit", &reports.junit, junit::write, junit::SIGN),
    ];
    let mut all = Vec::new();
    let mut paths = Vec::new();
    for (option, path, write, sign) in wanted {
        let Some(path) = path else { continue };
        if path.as_os_str() == "-" {
            return Err(Stop::usage(format!(
                "{option} -: give a file; /dev/stdout is standard output, ./- a file of this name"
            )));
        }
        let file = file(option, path, |path| ReportFile::beside(path, sign))?;
        let place = resolved(path).unwrap_or_else(|_| path.clone());
        if paths.contains(&place) {
            let shown = path.display();
            return Err(Stop::usage(format!(
                "{option}: {shown} is another report; choose another file"
            )));
        }
        paths.push(place);
        all.push(Reporter::File(write, Some(file)));
    }
    if reports.github {
        // GitHub reads both streams.
        let stream: Box<dyn Write + Send> =
            if json { Box::new(streams::err()) } else { Box::new(streams::out(LogFormat::Text)) };
        all.push(Reporter::AtEnd(github::write, stream));
        if let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|it| !it.is_empty()) {
            let path = PathBuf::from(path);
            let appended = file("GITHUB_STEP_SUMMARY", &path, ReportFile::appended)?;
            all.push(Reporter::File(github::write_summary, Some(appended)));
        }
    }
    Ok(all)
}

fn file(
    option: &str,
    path: &Path,
    open: impl Fn(&Path) -> io::Result<ReportFile>,
) -> Result<ReportFile, Stop> {
    open(path).map_err(|error| {
        let shown = path.display();
        Stop::usage(format!("{option}: cannot write {shown}: {error}; choose another file"))
    })
}

impl Output {
    /// An output of a command that began then; `before` is the time that it had taken until then.
    fn new(reporters: Vec<Reporter<'static>>, started: Instant, before: Duration) -> Self {
        Self {
            said: Mutex::new(Said {
                reporters: Reporters::new(reporters),
                opened: None,
                package: None,
                ended: ExitCode::Success,
                before,
            }),
            started,
            around: None,
            stop_handle: None,
            is_recorded: false,
            memory: OnceLock::new(),
            workers: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    /// The packages of the command, each once. From now on, each has a name of its own.
    pub fn packages(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let (packages, names) = package_names::distinct(paths);
        // A command has one list of packages.
        let _ = self.names.set(Arc::new(names));
        packages
    }

    /// The name of the current package, if there are several.
    pub fn package(&self) -> Option<Arc<str>> {
        self.lock().package.clone().filter(|_| self.names.get().is_some_and(|it| !it.is_empty()))
    }

    /// Shows an event, after new remarks from workers.
    pub fn event(&self, event: Event) {
        for remark in self.workers.get().iter().flat_map(|workers| workers.remarks()) {
            self.happened(Event::Diagnosed(remark));
        }
        self.happened(event);
    }

    fn happened(&self, event: Event) {
        let mut said = self.lock();
        let mut event = match &said.opened {
            Some(opened) => opened.shown(event),
            None => event,
        };
        if let (Event::PackageRead(package), Some(name)) = (&mut event, &said.package) {
            package.name = name.to_string();
        }
        let at = said.before + self.started.elapsed();
        let stamped = Stamped { at, package: said.package.clone(), event };
        said.reporters.event(&stamped);
    }

    /// Shows earlier events again.
    pub fn replay(&self, events: &[Stamped]) {
        let mut said = self.lock();
        for stamped in events {
            said.reporters.event(stamped);
            said.before = stamped.at;
        }
    }

    /// An output for concurrent work: its events go to this recording.
    pub fn aside(&self, recording: Recording) -> Self {
        let before = self.lock().before;
        let reporters = vec![Reporter::Recorded(recording)];
        let names = self.names.clone();
        Self { is_recorded: self.is_recorded, names, ..Self::new(reporters, self.started, before) }
    }

    /// Shows an event of concurrent work.
    pub fn tell(&self, stamped: &Stamped) {
        self.lock().reporters.event(stamped);
    }

    /// The exit code for the work that has ended early so far.
    pub fn ended(&self) -> ExitCode {
        self.lock().ended
    }

    /// Includes the exit code of concurrent work.
    pub fn end_with(&self, code: ExitCode) {
        let mut said = self.lock();
        said.ended = said.ended.and(code);
    }

    /// A function that shows events, for code that only sends them.
    pub fn sink(&self) -> impl Fn(Event) + Sync + '_ {
        |event| self.event(event)
    }

    /// Sets the knowledge from earlier commands.
    pub fn remembers(&self, knowledge: Arc<Knowledge>, store: Arc<Store>) {
        // A command has one machine, which opens them once.
        let _ = self.memory.set((knowledge, store));
    }

    /// Reports how much was recalled, and problems of the cache.
    fn recalled(&self) {
        if let Some((knowledge, store)) = self.memory.get() {
            self.diagnosed(store.warnings());
            self.event(Event::Recalled(knowledge.recalled()));
        }
    }

    /// Sets the workers that run programs.
    pub fn works_with(&self, workers: Arc<Workers>) {
        let _ = self.workers.set(workers);
    }

    /// Reports what workers did.
    fn worked(&self) {
        if let Some(workers) = self.workers.get() {
            self.diagnosed(workers.last_remarks());
            // A search for tools does not report an interruption; it only finds none.
            if workers.is_stopped() && self.ended() != ExitCode::Interrupted {
                self.stopped(Stop::Interrupted);
            }
            self.event(Event::WorkersUsed(workers.report()));
        }
    }

    /// The executor with its wrapper.
    pub fn around(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match self.around {
            Some(around) => around(executor),
            None => executor,
        }
    }

    /// Switches to a package: all following events are about it. Returns its directory. An archive is unpacked until
    /// the next package, or until the command ends.
    ///
    /// # Errors
    /// If it is an archive that cannot be unpacked.
    pub fn enter(&self, package: &Path) -> Result<PathBuf, Stop> {
        let name = |path: &Path| {
            let known = self.names.get().and_then(|names| names.get(package).cloned());
            known.or_else(|| {
                let real = path.canonicalize();
                let name = real.as_deref().unwrap_or(path).file_name();
                name.map(|name| name.to_string_lossy().into())
            })
        };
        self.lock().package = name(package);
        let opened =
            OpenPackage::open(package).inspect_err(|_| self.event(Event::PackageRefused))?;
        let dir = opened.dir.clone();
        let mut said = self.lock();
        said.package = name(&dir);
        said.opened = Some(opened);
        Ok(dir)
    }

    /// Checks that the package can be changed.
    ///
    /// # Errors
    /// If it is an archive.
    pub fn writable(&self) -> Result<(), Stop> {
        let Some(archive) = self.archive() else { return Ok(()) };
        let archive = archive.display();
        Err(Stop::usage(format!(
            "{archive} is an archive, which juror does not change; unpack it first"
        )))
    }

    /// The archive of the package, if it is one.
    pub fn archive(&self) -> Option<PathBuf> {
        self.lock().opened.as_ref().and_then(OpenPackage::archive).map(Path::to_owned)
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports an error in the command line.
    pub fn complain(&self, message: &str) {
        self.event(Event::Complained { message: message.to_owned(), help: None });
    }

    /// Shows diagnostics.
    pub fn diagnosed(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.event(Event::Diagnosed(diagnostic));
        }
    }

    /// Shows the diagnostics about something that is needed, and fails if it cannot be used.
    ///
    /// # Errors
    /// If there is an error among the diagnostics.
    pub fn remarked(&self, remarks: Vec<Diagnostic>) -> Result<(), Stop> {
        if remarks.iter().any(Diagnostic::is_error) {
            return Err(Stop::Diagnosed(remarks));
        }
        self.diagnosed(remarks);
        Ok(())
    }

    /// The result of a part of the command. If only this part failed, the reason is shown, and the result is None.
    ///
    /// # Errors
    /// If the other parts must end, too.
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

    /// Reports why the command, or a part of it, ended early.
    pub fn stopped(&self, stop: Stop) {
        let code = match stop {
            Stop::Interrupted => {
                hear();
                self.event(Event::Interrupted);
                ExitCode::Interrupted
            }
            Stop::Fault(error) => {
                self.event(Event::Failed(error));
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

    /// The exit code, also considering whether the output could be written.
    ///
    /// A reader that closes the pipe early (`| head`) is not an error.
    fn exit_code(&self) -> ExitCode {
        let said = self.lock();
        let code = ExitCode::of(said.reporters.report()).and(said.ended);
        match said.reporters.failed() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => code.and(lost(error)),
            _ => code,
        }
    }
}

/// Prints text that is not a report, such as a list. A reader that closes the pipe early (`| head`) is not an error.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn print(
    what: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Stop> {
    let mut out = streams::out(LogFormat::Text);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(JudgeError::new(format!("write {what}"), error).into())
        }
        _ => Ok(()),
    }
}

/// Reports that the report cannot be written.
pub(super) fn lost(why: impl Display) -> ExitCode {
    streams::remark(&format!("error: cannot write the report: {why}"));
    ExitCode::JudgeError
}

/// The style of text output.
fn style(options: &OutputOptions, around: &Surroundings) -> Style {
    let style = around.style(match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, false) => Verbosity::Normal,
        (false, true) => Verbosity::Verbose,
    });
    match options.color {
        Color::Always => Style { color: true, ..style },
        Color::Never => Style { color: false, ..style },
        Color::Auto => style,
    }
}

/// The destination of text output.
fn surroundings() -> Surroundings {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env::var(name).ok());
    Surroundings {
        out_is_terminal: io::stdout().is_terminal(),
        err_is_terminal: io::stderr().is_terminal(),
        term: env::var("TERM").unwrap_or_default(),
        no_color: is_set("NO_COLOR"),
        ci: is_set("CI"),
        locale: locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default(),
        width: terminal_width(),
    }
}

/// The width of the terminal on standard output or standard error.
pub(super) fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout())
        .or_else(|_| rustix::termios::tcgetwinsize(io::stderr()))
        .ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// A command line in shell syntax.
pub fn command_line<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    joined(words.into_iter().map(|word| shell_word(word.as_ref().as_bytes())), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let check = |words: &[&str], line: &str| {
            assert_eq!(command_line(words), line);
        };
        check(&["juror", "judge", "a/b.cpp"], "juror judge a/b.cpp");
        check(&["juror", "--case", "secret/*"], "juror --case 'secret/*'");
        check(&["", "it's", "a b"], r"'' 'it'\''s' 'a b'");
    }
}
