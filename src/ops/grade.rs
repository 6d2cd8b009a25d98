//! Judges a stream of submissions, a line for each, and writes a line for each result.

mod input;
mod loaded;
mod one;
mod sink;

use clap::Args;
use parking_lot::Mutex;
use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::mem;
use std::path::{Display, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rustix::io::Errno;

use crate::grade::fault::LineFault;
use crate::grade::graded::GradeTally;
use crate::grade::map::LineMap;
use crate::grade::rates::Rates;
use crate::grade::reader::{LONGEST_LINE, LineReader, RawLine};
use crate::grade::results::{EarlierResults, LineHistory, digest};
use crate::grade::settings::LineSettings;
use crate::grade::stream::{ResultOrder, Stream};
use crate::ops::context::Context;
use crate::ops::grade::input::{StreamText, read_error};
use crate::ops::grade::loaded::LoadedProblems;
use crate::ops::grade::one::{LineJudge, LineResult};
pub use crate::ops::grade::sink::StreamSummary;
use crate::ops::grade::sink::{ResultSink, StreamMeter, on_lost_reader};
use crate::ops::host::Host;
use crate::ops::options::HostOptions;
use crate::ops::stdin;
use crate::report::file::ReportFile;
use juror_core::judgement::JudgeError;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::text::count;
use juror_judging::build::recent::RecentValues;
use juror_sandbox::executor::parallel;
use juror_sandbox::executor::scheduler::Scheduler;

#[derive(Clone, Debug, Args)]
pub struct GradeOptions {
    /// Files of lines instead of standard input, as if they were joined; also compressed with gzip
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
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
    /// Write results in the order of the lines, instead of completion
    #[arg(long)]
    pub ordered: bool,
    /// Repeat runs near the time limit, one at a time
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
    /// Copy these keys of each line to its result
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    pub copy: Vec<String>,
    /// Write rates to FILE, as JSON: pass@k and the share of tests passed, for all problems and for each
    ///
    /// Lines say their problem in `problem`; otherwise, it is the package. Errors are left out.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// The numbers k of pass@k in --summary: how probably one of k samples for a problem passes
    #[arg(
        long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1", requires = "summary",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub k: Vec<u64>,
    #[command(flatten)]
    pub host: HostOptions,
}

const CACHED_PROGRAMS: usize = 32;
const CACHED_PACKAGES: usize = 64;
/// Lines that differ only in what does not matter get the result of the first.
const CACHED_RESULTS: usize = 1024;

/// `out` is standard output.
pub fn grade(
    options: &GradeOptions,
    out: Box<dyn Write + Send>,
    context: &Context,
) -> StreamSummary {
    let begun = Instant::now();
    let mut lines = GradeTally::default();
    let rates = match grade_lines(options, out, context, &mut lines) {
        Ok(rates) => rates,
        Err(stop) => {
            context.report_stop(stop);
            None
        }
    };
    StreamSummary { lines, elapsed: begun.elapsed(), rates }
}

fn grade_lines(
    options: &GradeOptions,
    out: Box<dyn Write + Send>,
    context: &Context,
    tally: &mut GradeTally,
) -> Result<Option<Rates>, Stop> {
    let settings = parse_settings(options)?;
    if options.files.is_empty() && io::stdin().is_terminal() {
        let what = "give the lines in files, or on standard input: juror grade < lines.jsonl";
        return Err(Stop::usage(what));
    }
    let summary = options.summary.as_ref().map(|path| {
        let opened = match &options.output {
            Some(output) if output == path => Err(io::Error::other("it has the results")),
            _ => ReportFile::replacing(path, "\"pass_at\""),
        };
        opened.map_err(|error| {
            Stop::usage(format!("--summary: cannot use {}: {error}", path.display()))
        })
    });
    let summary = summary.transpose()?;
    let (mut sink, mut earlier) =
        ResultSink::open(options.output.as_deref(), options.resume, &options.files, out)?;
    if options.ordered && !earlier.is_ordered {
        let path = options.output_name();
        let what = format!(
            "--output: the results in {path} are not in the order of the lines; leave out --ordered"
        );
        return Err(Stop::usage(what));
    }
    *tally = earlier.tally;
    let mut rates = mem::take(&mut earlier.rates);
    let host = Host::start(&options.host, context)?;
    let fresh = Scheduler::new(Arc::clone(&host.executor)).with_fresh_runs();
    let builder = host.builder_on(&fresh).keeping_recent(CACHED_PROGRAMS);
    let text = [&options.map, &options.defaults].map(|text| text.as_deref().unwrap_or_default());
    let grader = LineJudge {
        host: &host,
        builder: &builder,
        problems: LoadedProblems {
            host: &host,
            context,
            recent: RecentValues::new(CACHED_PACKAGES),
        },
        settings: &settings,
        repeats: options.repeat,
        digest_prefix: text.join("\0"),
        active_lines: AtomicUsize::new(0),
        recent_results: RecentValues::new(CACHED_RESULTS),
    };
    // The judge of a caller that died ends at once, not with its lines.
    let is_unread = Arc::new(AtomicBool::new(false));
    if options.output.is_none() {
        let (is_unread, stop_handle) = (Arc::clone(&is_unread), host.stop_handle.clone());
        let act = move || {
            is_unread.store(true, Ordering::Relaxed);
            stop_handle.stop();
        };
        on_lost_reader(act).map_err(|error| options.write_error(&error))?;
    }
    let StreamText { text, size } = StreamText::open(&options.files, &host)?;
    let shown = Mutex::new(StreamMeter::new(tally.lines(), size));
    let mut input = StreamReader {
        lines: LineReader::new(BufReader::with_capacity(64 << 10, text), LONGEST_LINE),
        earlier,
        options,
        grader: &grader,
    };
    let at_once = host.executor.slots() + 1;
    let stream = Stream {
        order: if options.ordered { ResultOrder::Input } else { ResultOrder::Completion },
        next_item: Box::new(|| {
            let next = input.next_pending()?;
            shown.lock().set_bytes_read(input.lines.bytes());
            Ok(next)
        }),
        work: &|item: PendingLine| grader.judge_line(item.raw, item.digest),
        deliver: Box::new(|answer: LineResult| {
            sink.write(&answer.text).map_err(|error| options.write_error(&error))?;
            let graded = &answer.graded;
            let fault = graded.error.as_ref().map(|fault| fault.kind);
            tally.count(graded.verdict, fault);
            if options.summary.is_some() {
                let tests = (graded.passed, graded.ran + graded.skipped);
                rates.count(graded.problem.as_ref(), (graded.verdict, fault), tests);
            }
            context.send_event(shown.lock().count_line(tally));
            Ok(())
        }),
    };
    let result = stream.run(at_once, |number, work| parallel::on_threads(number, work));
    let result = match result {
        Err(Stop::Interrupted) if is_unread.load(Ordering::Relaxed) => {
            Err(options.write_error(&Errno::PIPE.into()))
        }
        result => result,
    };
    let result = result.and_then(|()| {
        // Removes half a result of an earlier start, even if no result followed it.
        sink.write(b"").map_err(|error| options.write_error(&error))
    });
    sink.finish().map_err(|error| options.write_error(&error))?;
    result?;
    if tally.lines() == 0 {
        let what = "the input has no lines; `juror help streams` shows examples";
        return Err(Stop::Refused(RefusalSubject::Selection, vec![what.into()]));
    }
    let Some(file) = summary else { return Ok(None) };
    let rates = rates.rates(&options.k);
    let written = file.write(|to| Ok(serde_json::to_writer_pretty(to, &rates)?));
    written.map_err(|error| JudgeError::new("write the rates", error))?;
    Ok(Some(rates))
}

fn parse_settings(options: &GradeOptions) -> Result<LineSettings, Stop> {
    let wrong = |option: &str, LineFault { message, help, .. }: LineFault| {
        Stop::usage(Remark::Sentence { message, help }.about_option(option))
    };
    let map = options.map.as_deref().map(LineMap::parse).transpose();
    let defaults = options.defaults.as_deref().map(LineSettings::parse_defaults).transpose();
    Ok(LineSettings {
        copied_keys: options.copy.clone(),
        map: map.map_err(|fault| wrong("--map", fault))?,
        defaults: defaults.map_err(|fault| wrong("--defaults", fault))?.unwrap_or_default(),
    })
}

impl GradeOptions {
    fn output_name(&self) -> Display<'_> {
        self.output.as_deref().unwrap_or("standard output".as_ref()).display()
    }

    fn write_error(&self, error: &io::Error) -> Stop {
        let error = JudgeError::new(format!("write results to {}", self.output_name()), error);
        let help = "make room, then start the same command again with --resume";
        if self.output.is_some() { error.help(help).into() } else { error.into() }
    }
}

struct PendingLine {
    raw: RawLine,
    digest: u64,
}

struct StreamReader<'a> {
    lines: LineReader<BufReader<Box<dyn Read + Send>>>,
    earlier: EarlierResults,
    options: &'a GradeOptions,
    grader: &'a LineJudge<'a>,
}

impl StreamReader<'_> {
    fn next_pending(&mut self) -> Result<Option<PendingLine>, Stop> {
        let earlier = &mut self.earlier;
        let path = self.options.output_name();
        loop {
            let raw = match self.lines.next_line() {
                Err(error) if stdin::is_interruption(&error) => return Err(Stop::Interrupted),
                raw => raw.map_err(|error| read_error(&error))?,
            };
            let Some(raw) = raw else {
                let ahead = earlier.remaining();
                if ahead == 0 {
                    return Ok(None);
                }
                return Err(Stop::usage(format!(
                    "--resume: {path} has {} for which the input has no line; \
                     give the same input, or choose another file",
                    count(ahead, "result"),
                )));
            };
            let digest = digest(&self.grader.digest_prefix, &raw.text);
            match earlier.take_line(raw.number, digest) {
                LineHistory::Finished => {}
                LineHistory::New if self.options.ordered && earlier.remaining() > 0 => {
                    return Err(Stop::usage(format!(
                        "--resume: {path} lacks line {}, and has later ones; leave out --ordered",
                        raw.number
                    )));
                }
                LineHistory::New => return Ok(Some(PendingLine { raw, digest })),
                LineHistory::Changed => {
                    return Err(Stop::usage(format!(
                        "--resume: up to line {}, the lines, --map or --defaults differ from \
                         those that {path} was made with; choose another file",
                        raw.number
                    )));
                }
            }
        }
    }
}
