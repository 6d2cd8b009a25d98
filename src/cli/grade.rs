//! `juror grade`: a stream of submissions, a line for each, and a line for each result.

mod loaded;
mod one;
mod sink;

use std::io::{self, BufReader, IsTerminal};
use std::path::{Display, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
use crate::executor::scheduler::Scheduler;
use crate::grade::graded::{LineFault, Tally};
use crate::grade::line::Settings;
use crate::grade::map::Map;
use crate::grade::reader::{LONGEST, Lines, RawLine};
use crate::grade::results::{Earlier, Known, digest};
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
    /// Repeat runs near the time limit, alone
    ///
    /// Otherwise their verdicts are marked `sensitive`; `juror help time` explains how.
    #[arg(long)]
    pub repeat: bool,
    /// Write results to FILE, which must be empty or new, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Go on after the results that FILE already has, and judge only the other lines
    ///
    /// FILE may be new: the same command starts and resumes. A FILE with anything but results is refused, and not
    /// changed.
    #[arg(long, requires = "output")]
    pub resume: bool,
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
    let (mut sink, earlier) = Sink::open(arguments.output.as_deref(), arguments.resume)?;
    if arguments.ordered && !earlier.is_ordered {
        let path = arguments.shown_output();
        let what = format!(
            "--output: the results in {path} are not in the order of the lines; leave out --ordered"
        );
        return Err(Stop::usage(what));
    }
    *tally = earlier.tally;
    let host = Host::start(&arguments.host, output)?;
    let fresh = Scheduler::new(Arc::clone(&host.executor)).fresh();
    let builder = host.builder_on(&fresh).keeping(PROGRAMS);
    let text = [&arguments.map, &arguments.defaults].map(|it| it.as_deref().unwrap_or_default());
    let grader = Grader {
        host: &host,
        builder: &builder,
        problems: LoadedProblems { host: &host, output, all: Recent::new(PACKAGES) },
        settings: &settings,
        repeats: arguments.repeat,
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
            match sink.write(&answer.text) {
                Err(error) if is_closed(&error) => {
                    is_unwanted = true;
                    return Err(Stop::Interrupted);
                }
                written => written.map_err(|error| arguments.lost(&error))?,
            }
            tally.count(answer.verdict, answer.fault);
            output.event(lock(&shown).done());
            Ok(())
        }),
    };
    let came = stream.run(at_once, |number, work| parallel::on_threads(number, work));
    let came = came.and_then(|()| {
        // Half a result of an earlier start goes, although no result followed.
        sink.write(b"").map_err(|error| arguments.lost(&error))
    });
    sink.finish().map_err(|error| arguments.lost(&error))?;
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

impl GradeArguments {
    /// The name of the file of results.
    fn shown_output(&self) -> Display<'_> {
        self.output.as_deref().unwrap_or("standard output".as_ref()).display()
    }

    /// The error that a result cannot be written.
    fn lost(&self, error: &io::Error) -> Stop {
        let error = JudgeError::new(format!("write results to {}", self.shown_output()), error);
        let help = "make room, then start the same command again with --resume";
        if self.output.is_some() { error.help(help).into() } else { error.into() }
    }
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
    /// The next line without a result.
    fn next(&mut self) -> Result<Option<Item>, Stop> {
        let earlier = &mut self.earlier;
        let path = self.arguments.shown_output();
        loop {
            let raw = match self.lines.next_line() {
                Err(error) if stdin::is_end(&error) => return Err(Stop::Interrupted),
                raw => raw.map_err(|error| unread(&error))?,
            };
            let Some(raw) = raw else {
                let ahead = earlier.ahead();
                if ahead == 0 {
                    return Ok(None);
                }
                return Err(Stop::usage(format!(
                    "--resume: {path} has {} that standard input has not; \
                     give the same input, or choose another file",
                    count(ahead, "result"),
                )));
            };
            let digest = digest(&self.grader.digest_of, &raw.text);
            match earlier.pass(raw.number, digest) {
                Known::Finished => {}
                Known::New if self.arguments.ordered && earlier.ahead() > 0 => {
                    return Err(Stop::usage(format!(
                        "--resume: {path} lacks line {}, and has later ones; leave out --ordered",
                        raw.number
                    )));
                }
                Known::New => return Ok(Some(Item { raw, digest })),
                Known::Changed => {
                    return Err(Stop::usage(format!(
                        "--resume: up to line {}, standard input, --map or --defaults differ from \
                         those that {path} was made with; choose another file",
                        raw.number
                    )));
                }
            }
        }
    }
}
