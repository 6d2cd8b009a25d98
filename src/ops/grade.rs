//! Judges a stream of submissions, a line for each, and writes a line for each result.

mod loaded;
mod one;
mod sink;

use parking_lot::Mutex;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::{Display, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use crate::build::recent::Recent;
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
use crate::ops::context::Context;
use crate::ops::grade::loaded::LoadedProblems;
use crate::ops::grade::one::{Answer, Grader};
pub use crate::ops::grade::sink::StreamSummary;
use crate::ops::grade::sink::{Shown, Sink, is_closed};
use crate::ops::host::Host;
use crate::ops::options::HostOptions;
use crate::ops::stdin::{self, Patient};

#[derive(Clone, Debug, Default)]
pub struct GradeOptions {
    /// JSON pointers to the values in lines of another form.
    pub map: Option<String>,
    pub defaults: Option<String>,
    /// Whether results follow the order of the lines, instead of completion.
    pub ordered: bool,
    /// Whether runs near the time limit are repeated.
    pub repeat: bool,
    /// Instead of standard output.
    pub output: Option<PathBuf>,
    /// Whether to continue after the results in the file.
    pub resume: bool,
    pub host: HostOptions,
}

const PROGRAMS: usize = 32;
const PACKAGES: usize = 64;

/// `out` is standard output.
pub fn grade(
    options: &GradeOptions,
    out: Box<dyn Write + Send>,
    context: &Context,
) -> StreamSummary {
    let begun = Instant::now();
    let mut lines = Tally::default();
    if let Err(stop) = grade_lines(options, out, context, &mut lines) {
        context.stopped(stop);
    }
    StreamSummary { lines, elapsed: begun.elapsed() }
}

fn grade_lines(
    options: &GradeOptions,
    out: Box<dyn Write + Send>,
    context: &Context,
    tally: &mut Tally,
) -> Result<(), Stop> {
    let settings = settings(options)?;
    if io::stdin().is_terminal() {
        let what = "give the lines on standard input: juror grade < lines.jsonl";
        return Err(Stop::usage(what));
    }
    let (mut sink, earlier) = Sink::open(options.output.as_deref(), options.resume, out)?;
    if options.ordered && !earlier.is_ordered {
        let path = options.shown_output();
        let what = format!(
            "--output: the results in {path} are not in the order of the lines; leave out --ordered"
        );
        return Err(Stop::usage(what));
    }
    *tally = earlier.tally;
    let host = Host::start(&options.host, context)?;
    let fresh = Scheduler::new(Arc::clone(&host.executor)).fresh();
    let builder = host.builder_on(&fresh).keeping(PROGRAMS);
    let text = [&options.map, &options.defaults].map(|it| it.as_deref().unwrap_or_default());
    let grader = Grader {
        host: &host,
        builder: &builder,
        problems: LoadedProblems { host: &host, context, all: Recent::new(PACKAGES) },
        settings: &settings,
        repeats: options.repeat,
        digest_of: text.join("\0"),
        under_way: AtomicUsize::new(0),
    };
    let stdin = Patient::stdin(host.stop_handle.clone()).map_err(|error| unread(&error))?;
    let shown = Mutex::new(Shown::new(tally.lines(), stdin.size()));
    let mut input = Input {
        lines: Lines::new(BufReader::with_capacity(64 << 10, stdin), LONGEST),
        earlier,
        options,
        grader: &grader,
    };
    let at_once = host.executor.slots() + 1;
    let mut is_unwanted = false;
    let stream = Stream {
        order: if options.ordered { ResultOrder::Input } else { ResultOrder::Completion },
        next: Box::new(|| {
            let next = input.next()?;
            shown.lock().read(input.lines.bytes());
            Ok(next)
        }),
        work: &|item: Item| grader.grade(item.raw, item.digest),
        put: Box::new(|answer: Answer| {
            match sink.write(&answer.text) {
                Err(error) if is_closed(&error) => {
                    is_unwanted = true;
                    return Err(Stop::Interrupted);
                }
                written => written.map_err(|error| options.lost(&error))?,
            }
            tally.count(answer.verdict, answer.fault);
            context.event(shown.lock().done());
            Ok(())
        }),
    };
    let came = stream.run(at_once, |number, work| parallel::on_threads(number, work));
    let came = came.and_then(|()| {
        // Removes half a result of an earlier start, even if no result followed it.
        sink.write(b"").map_err(|error| options.lost(&error))
    });
    sink.finish().map_err(|error| options.lost(&error))?;
    match came {
        Err(Stop::Interrupted) if is_unwanted => Ok(()),
        Ok(()) if tally.lines() == 0 => {
            let what = "standard input has no lines; `juror help streams` shows examples";
            Err(Stop::Refused(Mend::Selection, vec![what.into()]))
        }
        came => came,
    }
}

fn settings(options: &GradeOptions) -> Result<Settings, Stop> {
    let wrong = |option: &str, LineFault { message, help, .. }: LineFault| {
        Stop::usage(Remark::Sentence { message, help }.about(option))
    };
    let map = options.map.as_deref().map(Map::parse).transpose();
    let defaults = options.defaults.as_deref().map(Settings::defaults).transpose();
    Ok(Settings {
        map: map.map_err(|fault| wrong("--map", fault))?,
        defaults: defaults.map_err(|fault| wrong("--defaults", fault))?.unwrap_or_default(),
    })
}

impl GradeOptions {
    fn shown_output(&self) -> Display<'_> {
        self.output.as_deref().unwrap_or("standard output".as_ref()).display()
    }

    fn lost(&self, error: &io::Error) -> Stop {
        let error = JudgeError::new(format!("write results to {}", self.shown_output()), error);
        let help = "make room, then start the same command again with --resume";
        if self.output.is_some() { error.help(help).into() } else { error.into() }
    }
}

fn unread(error: &io::Error) -> Stop {
    JudgeError::new("read standard input", error).into()
}

struct Item {
    raw: RawLine,
    digest: u64,
}

struct Input<'a> {
    lines: Lines<BufReader<Patient>>,
    earlier: Earlier,
    options: &'a GradeOptions,
    grader: &'a Grader<'a>,
}

impl Input<'_> {
    fn next(&mut self) -> Result<Option<Item>, Stop> {
        let earlier = &mut self.earlier;
        let path = self.options.shown_output();
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
                Known::New if self.options.ordered && earlier.ahead() > 0 => {
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
