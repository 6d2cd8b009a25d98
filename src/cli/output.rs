//! The output of a command: events and results go to the reporters; the exit code comes from both.

use parking_lot::Mutex;
use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ColorChoice};

use crate::cli::options::{OutputOptions, ReportOptions, TableReports};
use crate::cli::streams;
use crate::ops::context::{Context, ReportNeeds};
use crate::ops::operation::Operation;
use crate::ops::stop_handle::StopHandle;
use crate::report::document::Report;
use crate::report::feedback::Place;
use crate::report::file::{ReportFile, resolve_path};
use crate::report::gradebook::Gradebook;
use crate::report::log::LogFormat;
use crate::report::notices::Notices;
use crate::report::progress::Progress;
use crate::report::result::{AnyResult, write_absent};
use crate::report::style::{OutputEnvironment, Style, Verbosity};
use crate::report::terminal::Terminal;
use crate::report::{EVENTS_SIGNATURE, Reporter, Reporters, WriteReport, csv, github, html, junit};
use juror_core::event::{CommandTask, EVENTS_VERSION, Event};
use juror_core::exit_code::ExitCode;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Remark, Stop, StopFlag, with_stop_flags};
use juror_core::text::{command_line, with_help};

/// The arguments of a command: the options of its operation, of its reports, and of its output. `()` has none.
#[derive(Debug, Args)]
pub struct CommandArguments<O: Args, R: Args = (), P: Args = OutputOptions> {
    #[command(flatten)]
    pub options: O,
    #[command(flatten)]
    pub reports: R,
    #[command(flatten)]
    pub output: P,
}

pub struct CommandSettings {
    pub name: &'static str,
    pub task: CommandTask,
    pub output: OutputOptions,
    pub reports: TableReports,
    /// Whether the live view is off, because the terminal shows other content.
    pub hides_progress: bool,
}

/// A command whose type is not known.
pub trait AnyCommand {
    fn settings(&self) -> CommandSettings;

    fn run_any(&self, context: &Context) -> Result<Box<dyn AnyResult>, Stop>;
}

impl<O, R, P> AnyCommand for CommandArguments<O, R, P>
where
    O: Args + Operation,
    R: Args + Clone + Into<TableReports>,
    P: Args + Clone + Into<OutputOptions>,
{
    fn settings(&self) -> CommandSettings {
        let mut reports: TableReports = self.reports.clone().into();
        if let Some(page) = self.options.html() {
            reports.files.html = Some(page.to_owned());
        }
        CommandSettings {
            name: O::NAME,
            task: O::TASK,
            output: self.output.clone().into(),
            reports,
            hides_progress: self.options.uses_terminal(),
        }
    }

    fn run_any(&self, context: &Context) -> Result<Box<dyn AnyResult>, Stop> {
        self.options.run(context).map(|result| Box::new(result) as Box<dyn AnyResult>)
    }
}

/// Runs a command and shows its result.
pub fn run_command(command: &dyn AnyCommand) -> ExitCode {
    run_command_in(command, |context| context)
}

/// Like `run_command`, but with a changed context.
pub fn run_command_in(
    command: &dyn AnyCommand,
    change: impl FnOnce(Context) -> Context,
) -> ExitCode {
    let settings = command.settings();
    let CommandSettings { task, output: options, reports, .. } = &settings;
    if reports.files.github {
        streams::set_log();
    }
    let mut all = make_reporters(&settings);
    let opened = open_reports(&reports.files, *task, options.json).map(|files| all.extend(files));
    let opened = opened.and_then(|()| open_gradebook(&reports.files));
    let (opened, gradebook) = opened.map_or_else(|stop| (Err(stop), None), |book| (Ok(()), book));
    let reporters = Arc::new(Mutex::new(Reporters::new(all)));
    let heard = Arc::clone(&reporters);
    let mut context = change(Context::new(move |stamped| heard.lock().show_event(stamped)));
    let flags: Vec<StopFlag> = context.stop_handle.iter().map(StopHandle::flag).collect();
    let show = |result: &dyn AnyResult| reporters.lock().show_result(result);
    let result = with_stop_flags(&flags, || run(command, opened, &mut context, show));
    let mut reporters = reporters.lock();
    reporters.finish(result.as_deref());
    let report = reporters.report();
    let mut code = report.exit_code().graver_of(context.exit_code());
    let shown = result.as_ref().and_then(|result| result.shown());
    code = shown.map_or(code, |result| code.graver_of(result.exit_code()));
    let written = if options.json {
        let mut out = streams::out(LogFormat::Json);
        match &result {
            Some(result) => result.write(report, &mut out),
            None => write_absent(report, &mut out),
        }
    } else {
        Ok(())
    };
    if let Some((gradebook, file)) = gradebook.filter(|_| !report.submissions.is_empty()) {
        code = code.graver_of(write_gradebook(&gradebook, file, report));
    }
    // A reader that closes the pipe early (`| head`) is not an error.
    let errors = [reporters.first_error(), written.as_ref().err()].into_iter().flatten();
    let failed = errors.filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
    failed.fold(code, |code, error| code.graver_of(report_write_error(error)))
}

/// Sends the first and the last event of the command. `show` gets the result before the last event.
pub fn run(
    command: &dyn AnyCommand,
    opened: Result<(), Stop>,
    context: &mut Context,
    show: impl FnOnce(&dyn AnyResult),
) -> Option<Box<dyn AnyResult>> {
    let CommandSettings { name, task, output, reports, .. } = command.settings();
    context.needs = ReportNeeds {
        images: reports.files.html.is_some(),
        every_run: output.verbose,
        stdout: output.json,
    };
    context.send_event(Event::Started {
        version: EVENTS_VERSION,
        juror: env!("CARGO_PKG_VERSION").to_owned(),
        command: name.to_owned(),
        command_line: command_line(env::args_os()),
        task,
    });
    let outcome = opened.and_then(|()| command.run_any(context));
    let result = outcome.map_err(|stop| context.report_stop(stop)).ok();
    if let Some(result) = &result {
        show(&**result);
    }
    context.finish();
    result
}

fn make_reporters(settings: &CommandSettings) -> Vec<Reporter<'static>> {
    let options = &settings.output;
    let environment = surroundings();
    let style = style(options, &environment);
    let progress = match style.verbosity {
        Verbosity::Quiet => Progress::hidden(),
        _ if settings.hides_progress => Progress::hidden(),
        _ if environment.can_redraw() => Progress::on_stderr(),
        _ => Progress::by_lines(Box::new(streams::err())),
    };
    let out: Box<dyn Write + Send> = if options.uses_stderr {
        Box::new(streams::err())
    } else {
        Box::new(streams::out(LogFormat::Text))
    };
    if options.json {
        vec![
            Reporter::Live(Box::new(Notices::new(streams::err(), style))),
            Reporter::Live(Box::new(progress)),
        ]
    } else {
        let mut terminal = Terminal::new(out, streams::err(), style);
        terminal.listing = settings.reports.listing.into();
        terminal.progress = progress;
        vec![Reporter::Live(Box::new(terminal))]
    }
}

pub(super) struct NamedReport<'a> {
    option: &'static str,
    pub path: &'a Path,
    /// `None` if it is written while the command runs.
    write: Option<WriteReport>,
    signature: &'static str,
}

/// The files that the command writes.
pub(super) fn report_files(reports: &ReportOptions) -> Vec<NamedReport<'_>> {
    let write_csv: WriteReport = match reports.csv_separator.as_deref() {
        None => csv::write,
        Some(";") => csv::write_separated::<b';', true>,
        Some("tab") => csv::write_separated::<b'\t', true>,
        Some(_) => csv::write_separated::<b',', true>,
    };
    let options: [(_, _, Option<WriteReport>, _); 4] = [
        ("--html", &reports.html, Some(html::write), html::SIGNATURE),
        ("--csv", &reports.csv, Some(write_csv), csv::SIGNATURE),
        ("--junit", &reports.junit, Some(junit::write), junit::SIGNATURE),
        ("--events", &reports.events, None, EVENTS_SIGNATURE),
    ];
    let named = options.into_iter().filter_map(|(option, path, write, signature)| {
        Some(NamedReport { option, path: path.as_deref()?, write, signature })
    });
    named.collect()
}

/// The files are opened before the first run, so that a wrong path fails at once.
fn open_reports(
    reports: &ReportOptions,
    task: CommandTask,
    json: bool,
) -> Result<Vec<Reporter<'static>>, Stop> {
    if reports.csv.is_some() && task == CommandTask::Generate {
        let what = "--csv is a table of submissions, and `juror generate` judges none";
        return Err(Stop::usage(Remark::with_help(what, "use --junit, --html or --json")));
    }
    let mut all = Vec::new();
    let mut paths = Vec::new();
    for NamedReport { option, path, write, signature } in report_files(reports) {
        if path.as_os_str() == "-" {
            return Err(Stop::usage(format!(
                "{option} -: give a file; /dev/stdout is standard output, ./- a file of this name"
            )));
        }
        let file = open_report(option, path, |path| ReportFile::replacing(path, signature))?;
        let resolved = resolve_path(path).unwrap_or_else(|_| path.to_owned());
        if paths.contains(&resolved) {
            let shown = path.display();
            return Err(Stop::usage(format!(
                "{option}: {shown} is another report; choose another file"
            )));
        }
        paths.push(resolved);
        all.push(match write {
            Some(write) => Reporter::File(write, file),
            None => Reporter::Events(Some(file)),
        });
    }
    if let Some(path) = &reports.feedback {
        let place = open_report("--feedback", path, Place::open)?;
        all.push(Reporter::Feedback(place, reports.hidden()));
    }
    if reports.github {
        // GitHub reads both streams.
        let stream: Box<dyn Write + Send> =
            if json { Box::new(streams::err()) } else { Box::new(streams::out(LogFormat::Text)) };
        all.push(Reporter::AtEnd(github::write, stream));
        if let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            let appended = open_report("GITHUB_STEP_SUMMARY", &path, ReportFile::appending)?;
            all.push(Reporter::File(github::write_summary, appended));
        }
    }
    Ok(all)
}

/// Read before the first run, so that a wrong file fails at once.
fn open_gradebook(reports: &ReportOptions) -> Result<Option<(Gradebook, ReportFile)>, Stop> {
    let Some(path) = &reports.gradebook else { return Ok(None) };
    let about = format!("--gradebook: {}", path.display());
    let book = Gradebook::read(path, reports.gradebook_column.as_deref())
        .map_err(|remark| Stop::usage(remark.about_option(&about)))?;
    let file = open_report("--gradebook", &book.filled_path(), |path| {
        ReportFile::replacing(path, &book.signature())
    })?;
    Ok(Some((book, file)))
}

/// Writes nothing if results are missing.
fn write_gradebook(book: &Gradebook, file: ReportFile, report: &Report) -> ExitCode {
    if report.session.interrupted {
        return ExitCode::Interrupted;
    }
    match book.fill(report) {
        Ok((text, remarks)) => {
            let remark = format!("{}: {}", book.filled_path().display(), remarks.join("\n  "));
            streams::print_remark(&remark);
            let written = file.write(|out| out.write_all(text.as_bytes()));
            written.map_or_else(report_write_error, |()| ExitCode::Success)
        }
        Err(remark) => {
            let (message, help) = remark.into_parts();
            let line = with_help(&format!("error: --gradebook: {message}"), help.as_deref());
            streams::print_remark(&line);
            ExitCode::Usage
        }
    }
}

fn open_report<T>(
    option: &str,
    path: &Path,
    open: impl Fn(&Path) -> io::Result<T>,
) -> Result<T, Stop> {
    open(path).map_err(|error| {
        let shown = path.display();
        Stop::usage(format!("{option}: cannot write {shown}: {error}; choose another file"))
    })
}

/// For text that is not a report, such as a list. A reader that closes the pipe early (`| head`) is not an error.
pub(super) fn print(
    what: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), JudgeError> {
    let mut out = streams::out(LogFormat::Text);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(JudgeError::new(format!("write {what}"), error))
        }
        _ => Ok(()),
    }
}

pub(super) fn report_write_error(why: impl Display) -> ExitCode {
    streams::print_remark(&format!("error: cannot write the report: {why}"));
    ExitCode::JudgeError
}

fn style(options: &OutputOptions, environment: &OutputEnvironment) -> Style {
    let style = environment.style(match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, false) => Verbosity::Normal,
        (false, true) => Verbosity::Verbose,
    });
    match options.color {
        ColorChoice::Always => Style { color: true, ..style },
        ColorChoice::Never => Style { color: false, ..style },
        ColorChoice::Auto => style,
    }
}

fn surroundings() -> OutputEnvironment {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env::var(name).ok());
    OutputEnvironment {
        out_is_terminal: io::stdout().is_terminal(),
        err_is_terminal: io::stderr().is_terminal(),
        term: env::var("TERM").unwrap_or_default(),
        no_color: is_set("NO_COLOR"),
        ci: is_set("CI"),
        locale: locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default(),
        width: terminal_width(),
    }
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout())
        .or_else(|_| rustix::termios::tcgetwinsize(io::stderr()))
        .ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}
