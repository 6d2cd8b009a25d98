//! `juror grade`: a stream of submissions, a line for each, and a line for each result.

mod loaded;
mod one;
mod sink;

use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use clap::Args;

use crate::build::recent::Recent;
use crate::cli::exit_code::ExitCode;
use crate::cli::grade::loaded::LoadedProblems;
use crate::cli::grade::one::{Answer, Grader};
use crate::cli::grade::sink::{Shown, Sink, is_closed, summary};
use crate::cli::host::Host;
use crate::cli::options::{Color, HostOptions, OutputOptions};
use crate::cli::output::{Output, command};
use crate::cli::stdin::{self, Patient};
use crate::cli::streams;
use crate::executor::parallel;
use crate::grade::done::{self, Known};
use crate::grade::graded::{LineFault, Tally};
use crate::grade::journal::{Earlier, Journal, JournalFault};
use crate::grade::line::Settings;
use crate::grade::map::Map;
use crate::grade::reader::{LONGEST, Lines, RawLine};
use crate::grade::stream::{ResultOrder, Stream};
use crate::model::judgement::JudgeError;
use crate::model::stop::{Mend, Remark, Stop};
use crate::model::text::count;

/// Arguments of `juror grade`.
#[derive(Debug, Args)]
pub struct GradeArguments {
    /// Read lines of another form: a JSON object like a line, with a JSON pointer in place of each value
    ///
    /// Example: {"source": "/solution", "cases": "/test_cases"}. A pointer can lead into text that is JSON. Test cases
    /// may be lists side by side: {"cases": {"input": "/inputs", "answer": "/outputs"}}; a list of other objects:
    /// {"cases": {"each": "/tests", "input": "/in", "answer": "/out"}}; or a list of these.
    #[arg(long, value_name = "JSON")]
    pub map: Option<String>,
    /// Defaults for what a line leaves out: a JSON object like a line
    ///
    /// Example: {"source": {"language": "python3"}, "limits": {"time": 5}}.
    #[arg(long, value_name = "JSON")]
    pub defaults: Option<String>,
    /// Write results in the order of the lines, instead of as they come
    #[arg(long)]
    pub ordered: bool,
    /// Record each result in FILE, and resume where an earlier run with FILE ended
    ///
    /// Results in FILE are first written again, so that the output is complete, and are not judged again.
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Write results to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colour: auto, always or never
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, hide_possible_values = true)]
    pub color: Color,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// How remarks are shown, for who runs the command from within a program.
    #[arg(skip)]
    pub remarks: OutputOptions,
}

/// How many recently built programs are kept.
const PROGRAMS: usize = 32;
/// How many recently used packages are kept.
const PACKAGES: usize = 64;

/// Judges a stream.
pub fn run(arguments: &GradeArguments) -> ExitCode {
    let options = OutputOptions {
        quiet: arguments.quiet,
        color: arguments.color,
        is_beside: true,
        is_still: arguments.output.is_none() && io::stdout().is_terminal(),
        ..arguments.remarks.clone()
    };
    let mut told = None;
    let code = command(&options, "grade", |output| {
        let begun = Instant::now();
        let mut tally = Tally::default();
        let done = grade(arguments, output, &mut tally);
        told = Some((tally, begun.elapsed()));
        output.end_with(of(&tally));
        done
    });
    if let Some((tally, elapsed)) = told.filter(|(tally, _)| !arguments.quiet && tally.lines() > 0)
    {
        streams::remark(&summary(&tally, elapsed));
    }
    code
}

/// The exit code for the results of all lines.
fn of(tally: &Tally) -> ExitCode {
    let Tally { rejected, broken, without_package, skipped, failed, .. } = *tally;
    let codes = [
        (rejected, ExitCode::Rejected),
        (broken, ExitCode::Usage),
        (without_package, ExitCode::InvalidPackage),
        (skipped + failed, ExitCode::JudgeError),
    ];
    let codes = codes.into_iter().filter(|(lines, _)| *lines > 0);
    codes.fold(ExitCode::Success, |gravest, (_, code)| gravest.and(code))
}

fn grade(arguments: &GradeArguments, output: &Output, tally: &mut Tally) -> Result<(), Stop> {
    let settings = settings(arguments)?;
    if io::stdin().is_terminal() {
        let what = "give the lines on standard input: juror grade < lines.jsonl";
        return Err(Stop::usage(what));
    }
    let (mut journal, earlier) = match &arguments.journal {
        Some(path) => {
            let (journal, earlier) = Journal::open(path).map_err(|fault| unusable(path, &fault))?;
            (Some((path, journal)), earlier)
        }
        None => (None, Earlier::default()),
    };
    if let Some((path, _)) = journal.as_ref().filter(|_| arguments.ordered && !earlier.is_ordered) {
        let path = path.display();
        let what = format!(
            "--journal: the results in {path} are not in the order of the lines; leave out --ordered"
        );
        return Err(Stop::usage(what));
    }
    let mut sink = Sink::open(arguments.output.as_deref(), arguments.journal.as_deref())?;
    *tally = earlier.tally;
    if let Some((path, _)) = &journal {
        let told = Journal::replay(path, &earlier, |line| sink.write(&[line, b"\n"].concat()));
        match told {
            Err(JournalFault::Io(error)) if is_closed(&error) => return Ok(()),
            told => told.map_err(|fault| unusable(path, &fault))?,
        }
    }
    let host = Host::start(&arguments.host, output)?;
    let builder = host.builder_on(host.executor.anew()).keeping(PROGRAMS);
    let text = [&arguments.map, &arguments.defaults].map(|it| it.as_deref().unwrap_or_default());
    let grader = Grader {
        host: &host,
        builder: &builder,
        problems: LoadedProblems { host: &host, output, all: Recent::new(PACKAGES) },
        settings: &settings,
        digest_of: text.join("\0"),
        under_way: AtomicUsize::new(0),
    };
    let stdin = Patient::stdin(host.stop_handle.clone()).map_err(|error| unread(&error))?;
    let shown = Mutex::new(Shown::new(tally.lines(), stdin.size()));
    let mut input = Input {
        lines: Lines::new(BufReader::with_capacity(64 << 10, stdin), LONGEST),
        earlier,
        arguments,
        grader: &grader,
    };
    let at_once = host.executor.slots() + 1;
    let mut is_unwanted = false;
    let stream = Stream {
        order: if arguments.ordered { ResultOrder::Input } else { ResultOrder::Completion },
        next: Box::new(|| {
            let next = input.next()?;
            lock(&shown).read(input.lines.bytes());
            Ok(next)
        }),
        work: &|item: Item| grader.grade(item.raw, item.digest),
        put: Box::new(|answer: Answer| {
            if let Some((path, journal)) = &mut journal {
                let added = journal.add(&answer.text);
                added.map_err(|error| lost("the journal", path, &error))?;
            }
            tally.count(answer.verdict, answer.fault);
            match sink.write(&answer.text) {
                Err(error) if is_closed(&error) => {
                    is_unwanted = true;
                    return Err(Stop::Interrupted);
                }
                written => written.map_err(|error| JudgeError::new("write results", error))?,
            }
            output.event(lock(&shown).done());
            Ok(())
        }),
    };
    let came = stream.run(at_once, |number, work| parallel::on_threads(number, work));
    if let Some((path, journal)) = &mut journal {
        journal.sync().map_err(|error| lost("the journal", path, &error))?;
    }
    match came {
        Err(Stop::Interrupted) if is_unwanted => Ok(()),
        Ok(()) if tally.lines() == 0 => {
            let what = "standard input has no lines; `juror help streams` shows examples";
            Err(Stop::Refused(Mend::Selection, vec![what.into()]))
        }
        came => came,
    }
}

fn settings(arguments: &GradeArguments) -> Result<Settings, Stop> {
    let wrong = |option: &str, LineFault { message, help, .. }: LineFault| {
        Stop::usage(Remark::Sentence { message, help }.about(option))
    };
    let map = arguments.map.as_deref().map(Map::parse).transpose();
    let defaults = arguments.defaults.as_deref().map(Settings::defaults).transpose();
    Ok(Settings {
        map: map.map_err(|fault| wrong("--map", fault))?,
        defaults: defaults.map_err(|fault| wrong("--defaults", fault))?.unwrap_or_default(),
    })
}

fn unusable(path: &Path, fault: &JournalFault) -> Stop {
    let path = path.display();
    Stop::usage(format!("--journal: cannot use {path}: {fault}; choose another file"))
}

fn lost(what: &str, path: &Path, error: &io::Error) -> Stop {
    let help = "make room, then start the same command again";
    JudgeError::on(&format!("write {what}"), path)(error).help(help).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unread(error: &io::Error) -> Stop {
    JudgeError::new("read standard input", error).into()
}

/// A line to be judged.
struct Item {
    raw: RawLine,
    digest: u64,
}

/// The source of lines.
struct Input<'a> {
    lines: Lines<BufReader<Patient>>,
    earlier: Earlier,
    arguments: &'a GradeArguments,
    grader: &'a Grader<'a>,
}

impl Input<'_> {
    /// The next line that is not done.
    fn next(&mut self) -> Result<Option<Item>, Stop> {
        let done = &mut self.earlier.done;
        loop {
            let raw = match self.lines.next_line() {
                Err(error) if stdin::is_end(&error) => return Err(Stop::Interrupted),
                raw => raw.map_err(|error| unread(&error))?,
            };
            let journal = || self.arguments.journal.as_deref().unwrap_or("".as_ref()).display();
            let Some(raw) = raw else {
                let ahead = done.ahead();
                if ahead == 0 {
                    return Ok(None);
                }
                return Err(Stop::usage(format!(
                    "--journal: {} has {} that standard input has not; \
                     give the same input, or choose another file",
                    journal(),
                    count(ahead, "result"),
                )));
            };
            let digest = done::digest(&self.grader.digest_of, &raw.text);
            match done.pass(raw.number, digest) {
                Known::Done => {}
                Known::New if self.arguments.ordered && done.ahead() > 0 => {
                    return Err(Stop::usage(format!(
                        "--journal: {} lacks line {}, and has later ones; leave out --ordered",
                        journal(),
                        raw.number
                    )));
                }
                Known::New => return Ok(Some(Item { raw, digest })),
                Known::Other => {
                    return Err(Stop::usage(format!(
                        "--journal: up to line {}, standard input, --map or --defaults differ from \
                         those that {} was made with; choose another file",
                        raw.number,
                        journal()
                    )));
                }
            }
        }
    }
}
