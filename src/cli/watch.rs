//! `juror watch`: judges after each save.

mod files;

use parking_lot::{Condvar, Mutex};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{mem, thread};

use clap::Arg;

use crate::cli::judge::JudgeArguments;
use crate::cli::options::{OutputOptions, ReportOptions};
use crate::cli::output::{Operation, perform, perform_in};
use crate::cli::streams;
use crate::cli::watch::files::{Files, Watched};
use crate::model::event::CommandTask;
use crate::model::exit_code::ExitCode;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::model::text::{joined, printable};
use crate::ops::context::Context;
use crate::ops::host::{StopHandle, on_end};
use crate::ops::judge::{Comparison, judge};
use crate::package;

/// Changes and signals that arrive during a judgement.
#[derive(Default)]
struct News {
    state: Mutex<State>,
    came: Condvar,
}

#[derive(Default)]
struct State {
    changed: Vec<PathBuf>,
    is_interrupted: bool,
    stop_handle: StopHandle,
}

impl News {
    /// Records a change or a signal, and stops the current judgement.
    fn tell(&self, what: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        what(&mut state);
        state.stop_handle.end();
        self.came.notify_all();
    }

    /// Returns `None` if the user ends the command. Calls `waiting` if nothing has changed yet.
    fn next(&self, waiting: impl FnOnce()) -> Option<(Vec<PathBuf>, StopHandle)> {
        let mut state = self.state.lock();
        let is_quiet = |state: &mut State| !state.is_interrupted && state.changed.is_empty();
        if is_quiet(&mut state) {
            waiting();
            self.came.wait_while(&mut state, is_quiet);
        }
        state.stop_handle = StopHandle::default();
        (!state.is_interrupted).then(|| (mem::take(&mut state.changed), state.stop_handle.clone()))
    }
}

pub fn run(arguments: &JudgeArguments) -> ExitCode {
    let watched = watched(arguments);
    let news = Arc::new(News::default());
    let started = refused(arguments).and_then(|()| Ok(start(&news, watched.clone())?));
    let again = JudgeAgain { arguments, started, failed: Mutex::default() };
    if again.started.is_err() {
        return perform(&again);
    }
    let mut stop_handle = news.state.lock().stop_handle.clone();
    let mut is_first = true;
    loop {
        let code = perform_in(&again, |context| context.stopped_by(stop_handle));
        if is_first && (code == ExitCode::Usage || !arguments.package.exists()) {
            return code;
        }
        is_first = false;
        let waiting = || say(arguments, &format!("waiting for a change in {}", names(&watched)));
        let Some((changed, next)) = news.next(waiting) else { return ExitCode::Interrupted };
        stop_handle = next;
        say(arguments, &format!("changed: {}\n", first_of(&changed)));
    }
}

struct JudgeAgain<'a> {
    arguments: &'a JudgeArguments,
    started: Result<(), Stop>,
    /// These test cases run first.
    failed: Mutex<Vec<String>>,
}

impl Operation for JudgeAgain<'_> {
    type Result = ();
    const NAME: &'static str = JudgeArguments::NAME;
    const TASK: CommandTask = CommandTask::Judge;

    fn output(&self) -> OutputOptions {
        Operation::output(self.arguments)
    }

    fn reports(&self) -> ReportOptions {
        Operation::reports(self.arguments)
    }

    fn run(&self, context: &Context) -> Result<(), Stop> {
        self.started.clone()?;
        let mut failed = self.failed.lock();
        judge(&self.arguments.options(), &mut failed, context)
    }
}

fn say(arguments: &JudgeArguments, what: &str) {
    if !arguments.output.quiet {
        streams::remark(&format!("\n{what}"));
    }
}

fn names(watched: &Watched) -> String {
    joined(watched.roots.iter().map(|root| shown(root)), " or ") + "; Ctrl-C ends it"
}

fn first_of(changed: &[PathBuf]) -> String {
    match changed {
        [] => String::new(),
        [one] => shown(one),
        [first, rest @ ..] => format!("{} and {} more", shown(first), rest.len()),
    }
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

type IsGiven = fn(&JudgeArguments) -> bool;

const FOR_ONE: [(&str, IsGiven); 4] = [
    ("json", |it| it.output.json),
    ("keep", |it| it.runs.keep.is_some()),
    ("shard", |it| it.runs.shard.is_some()),
    ("github", |it| it.reports.github),
];

pub(super) fn shown_if_taken(arg: Arg) -> Arg {
    if FOR_ONE.iter().any(|(name, _)| arg.get_id() == name) { arg.hide(true) } else { arg }
}

fn refused(arguments: &JudgeArguments) -> Result<(), Stop> {
    match FOR_ONE.iter().find(|(_, is_given)| is_given(arguments)) {
        None if arguments.submissions.is_empty() && arguments.program.is_empty() => {
            Err(Stop::usage("give a submission: juror watch PACKAGE SUBMISSION"))
        }
        None => Ok(()),
        Some((option, _)) => Err(Stop::usage(format!(
            "--{option} is for one judgement, but `juror watch` makes many; use it with `juror judge`"
        ))),
    }
}

fn watched(arguments: &JudgeArguments) -> Watched {
    let package = &arguments.package;
    let own = if package.is_dir() {
        package::read(package).problem.map_or_else(Vec::new, |it| it.submissions)
    } else {
        Vec::new()
    };
    let submission = |path: &PathBuf| {
        let named = own.iter().find(|own| !path.exists() && Path::new(&own.name) == path);
        named.map_or_else(|| path.clone(), |own| (&own.program.path).into())
    };
    let submissions = arguments.submissions.iter().map(submission);
    let words = arguments.program.iter().map(PathBuf::from).filter(|word| word.is_file());
    let checker = match &arguments.compare {
        Some(Comparison::Checker(path)) => Some(path.clone()),
        _ => None,
    };
    let roots = submissions.chain(words).chain(checker).chain([package.clone()]).collect();
    // Other submissions and the command's own reports are ignored.
    let own = own.iter().map(|own| PathBuf::from(&own.program.path));
    let reports = &arguments.reports;
    let reports = [&reports.html, &reports.csv, &reports.junit].into_iter().flatten().cloned();
    let apart = own.chain([package.join("submissions")]).chain(reports).collect();
    Watched { roots, apart }
}

/// The current state of the files counts as unchanged.
fn start(news: &Arc<News>, watched: Watched) -> Result<(), JudgeError> {
    let told = Arc::clone(news);
    on_end(move || told.tell(|state| state.is_interrupted = true))?;
    let told = Arc::clone(news);
    let mut files = Files::new(watched);
    let watch = move || {
        loop {
            let changed = files.changed();
            told.tell(|state| state.changed.extend(changed));
        }
    };
    let started = thread::Builder::new().spawn(watch);
    started.map_err(|error| JudgeError::new("start the thread that watches files", error))?;
    Ok(())
}
