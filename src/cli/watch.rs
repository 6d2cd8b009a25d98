//! `juror watch`: judges after each save.
//!
//! A change stops the judgement in progress, because its result would be about files that are gone.

mod files;
mod judged;

use parking_lot::{Condvar, Mutex};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{mem, thread};

use crate::cli::arguments::{JudgeArguments, SINGLE_RUN_OPTIONS};
use crate::cli::output::{AnyCommand, CommandSettings, report_files, run_command, run_command_in};
use crate::cli::streams;
use crate::cli::watch::files::{FileWatcher, WatchedPaths};
use crate::cli::watch::judged::JudgedFiles;
use crate::door::comparison::ComparisonMode;
use crate::ops::context::Context;
use crate::ops::host::stop_on_signal;
use crate::ops::judge::{JudgeOptions, judge};
use crate::ops::stop_handle::StopHandle;
use crate::report::result::AnyResult;
use juror_core::exit_code::ExitCode;
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::text::{joined, printable};
use juror_packages::package;
use juror_packages::package::bare::answer_of;

/// Changes and signals that arrive during a judgement.
#[derive(Default)]
struct WatchSignals {
    state: Mutex<WatchState>,
    arrival: Condvar,
}

#[derive(Default)]
struct WatchState {
    changed: Vec<PathBuf>,
    is_interrupted: bool,
    stop_handle: StopHandle,
}

impl WatchSignals {
    /// Records a change or a signal, and stops the current judgement.
    fn notify(&self, what: impl FnOnce(&mut WatchState)) {
        let mut state = self.state.lock();
        what(&mut state);
        state.stop_handle.stop();
        self.arrival.notify_all();
    }

    /// Returns `None` if the user ends the command. Calls `waiting` if nothing has changed yet.
    fn wait_for_change(&self, waiting: impl FnOnce()) -> Option<(Vec<PathBuf>, StopHandle)> {
        let mut state = self.state.lock();
        let is_quiet = |state: &mut WatchState| !state.is_interrupted && state.changed.is_empty();
        if is_quiet(&mut state) {
            waiting();
            self.arrival.wait_while(&mut state, is_quiet);
        }
        state.stop_handle = StopHandle::default();
        (!state.is_interrupted).then(|| (mem::take(&mut state.changed), state.stop_handle.clone()))
    }
}

pub fn run(arguments: &JudgeArguments) -> ExitCode {
    let signals = Arc::new(WatchSignals::default());
    let (options, started) = match arguments.options.clone().with_tests_beside() {
        Ok(options) => (options, Ok(())),
        Err(stop) => (arguments.options.clone(), Err(stop)),
    };
    let roots = paths_to_watch(&options);
    let started = started
        .and_then(|()| refuse_single_run_options(arguments, &options))
        .and_then(|()| Ok(start_threads(&signals, files_to_watch(arguments, &options, &roots))?));
    let again = RepeatedJudge { arguments, options, started, failed: Mutex::default() };
    if again.started.is_err() {
        return run_command(&again);
    }
    let mut stop_handle = signals.state.lock().stop_handle.clone();
    let mut is_first = true;
    loop {
        let code = run_command_in(&again, |context| context.with_stop_handle(stop_handle));
        if is_first && (code == ExitCode::Usage || !again.options.package.exists()) {
            return code;
        }
        is_first = false;
        let waiting =
            || print_message(arguments, &format!("waiting for a change in {}", list_roots(&roots)));
        let Some((changed, next)) = signals.wait_for_change(waiting) else {
            return ExitCode::Interrupted;
        };
        stop_handle = next;
        print_message(arguments, &format!("changed: {}\n", describe_changes(&changed)));
    }
}

struct RepeatedJudge<'a> {
    arguments: &'a JudgeArguments,
    options: JudgeOptions,
    started: Result<(), Stop>,
    /// These test cases run first.
    failed: Mutex<Vec<String>>,
}

impl AnyCommand for RepeatedJudge<'_> {
    fn settings(&self) -> CommandSettings {
        self.arguments.settings()
    }

    fn run_any(&self, context: &Context) -> Result<Box<dyn AnyResult>, Stop> {
        self.started.clone()?;
        judge(&self.options, &mut self.failed.lock(), context)?;
        Ok(Box::new(()))
    }
}

fn print_message(arguments: &JudgeArguments, what: &str) {
    if !arguments.output.quiet {
        streams::print_remark(&format!("\n{what}"));
    }
}

fn list_roots(roots: &[PathBuf]) -> String {
    joined(roots.iter().map(|root| printable_path(root)), " or ") + "; Ctrl-C ends it"
}

fn describe_changes(changed: &[PathBuf]) -> String {
    match changed {
        [] => String::new(),
        [one] => printable_path(one),
        [first, rest @ ..] => format!("{} and {} more", printable_path(first), rest.len()),
    }
}

fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

fn refuse_single_run_options(
    arguments: &JudgeArguments,
    options: &JudgeOptions,
) -> Result<(), Stop> {
    match SINGLE_RUN_OPTIONS.iter().find(|(_, is_given)| is_given(arguments)) {
        None if options.submissions.is_empty() && options.program.is_empty() => {
            Err(Stop::usage("give a submission: juror watch PACKAGE SUBMISSION"))
        }
        None => Ok(()),
        Some((option, _)) => Err(Stop::usage(format!(
            "--{option} is for one judgement, but `juror watch` makes many; use it with `juror judge`"
        ))),
    }
}

/// The programs that the user named, then the package.
fn paths_to_watch(options: &JudgeOptions) -> Vec<PathBuf> {
    let package = &options.package;
    let own = if package.is_dir() {
        package::read(package).problem.map_or_else(Vec::new, |problem| problem.submissions)
    } else {
        Vec::new()
    };
    let submission = |path: &PathBuf| {
        let named = own.iter().find(|own| !path.exists() && Path::new(&own.name) == path);
        named.map_or_else(|| path.clone(), |own| (&own.program.path).into())
    };
    let submissions = options.submissions.iter().map(submission);
    let words = options.program.iter().map(PathBuf::from).filter(|word| word.is_file());
    let checker = match options.checker.comparison() {
        Some(ComparisonMode::Checker(path)) => Some(path.clone()),
        _ => None,
    };
    let judges = options.checker.interactor.as_ref().map(PathBuf::from).into_iter().chain(checker);
    let inputs =
        options.input.iter().flat_map(|path| [Some(path.clone()), answer_of(path)]).flatten();
    submissions.chain(words).chain(judges).chain(inputs).chain([package.clone()]).collect()
}

fn files_to_watch(
    arguments: &JudgeArguments,
    options: &JudgeOptions,
    roots: &[PathBuf],
) -> WatchedPaths {
    let programs = roots[..roots.len() - 1].to_vec();
    let options = options.clone();
    let reports = report_files(&arguments.reports.files);
    WatchedPaths {
        roots: roots.to_vec(),
        ignored: reports.iter().map(|report| report.path.to_owned()).collect(),
        judged: Box::new(move || JudgedFiles::read(&options, &programs)),
    }
}

/// The current state of the files counts as unchanged.
fn start_threads(signals: &Arc<WatchSignals>, watched: WatchedPaths) -> Result<(), JudgeError> {
    let sender = Arc::clone(signals);
    stop_on_signal(move || sender.notify(|state| state.is_interrupted = true))?;
    let sender = Arc::clone(signals);
    let mut files = FileWatcher::new(watched);
    let watch = move || {
        loop {
            let changed = files.wait_for_changes();
            sender.notify(|state| state.changed.extend(changed));
        }
    };
    let started = thread::Builder::new().spawn(watch);
    started.map_err(|error| JudgeError::new("start the thread that watches files", error))?;
    Ok(())
}
