//! Judges a stream of submissions, a line for each, and writes a line for each result.

mod input;
mod loaded;
mod one;
mod problems;
mod rejudge;
mod sink;
pub mod whole;

use clap::Args;
use clap::builder::PossibleValuesParser;
use parking_lot::Mutex;
use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::mem;
use std::path::{Display, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rustix::io::Errno;

use crate::door::cases::problem_without_package;
use crate::door::comparison::{ComparisonMode, missing_checker};
use crate::grade::data_sets;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::graded::GradeTally;
use crate::grade::kept::{KeptOutputs, KnownTexts};
use crate::grade::line::HostPaths;
use crate::grade::map::LineMap;
use crate::grade::rates::Rates;
use crate::grade::reader::{LONGEST_LINE, LineReader, RawLine};
use crate::grade::results::{EarlierResults, ExistingContent, LineHistory, digest};
use crate::grade::settings::LineSettings;
use crate::grade::stream::{ResultOrder, Stream};
use crate::ops::context::Context;
use crate::ops::grade::input::{StreamText, read_error};
pub use crate::ops::grade::loaded::LineFailure;
use crate::ops::grade::loaded::LoadedProblems;
use crate::ops::grade::one::{LineJudge, LineResult};
use crate::ops::grade::problems::ProblemFile;
pub use crate::ops::grade::sink::StreamSummary;
use crate::ops::grade::sink::{ResultSink, StreamMeter, on_lost_reader};
use crate::ops::grade::whole::{ProgramRequest, WholeRuns};
use crate::ops::host::Host;
use crate::ops::languages::LanguageListing;
use crate::ops::options::HostOptions;
use crate::ops::stdin;
use crate::report::file::ReportFile;
use juror_core::judgement::JudgeError;
use juror_core::recent::RecentValues;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::text::count;
use juror_judging::build::Builder;
use juror_judging::build::batch::BatchMode;
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
    /// Read lines of this data set, with the program in `completion`
    ///
    /// It is a --map and --defaults by name; keys of your own --map and --defaults come first. `juror help streams` has a
    /// command for each data set that writes such lines.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(data_sets::names()))]
    pub data_set: Option<String>,
    /// Read problems from FILE: lines name one in `problem` and have only the program
    ///
    /// FILE has a problem in each line, with its test cases and its name: in `problem`, or where the data set or --map has
    /// it. It may be compressed with gzip.
    #[arg(long, value_name = "FILE")]
    pub problems: Option<PathBuf>,
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
    /// The header testlib.h, for checkers in lines that include it
    #[arg(long, value_name = "FILE")]
    pub testlib: Option<PathBuf>,
    /// What a breakdown of a checker means: an error, or that the output is wrong
    #[arg(
        long, value_name = "error|wa", default_value = "error", value_parser = ["error", "wa"],
        hide_possible_values = true
    )]
    pub checker_fault: String,
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
    /// Keep outputs in FILE, to judge them again without running anything; implies `"all": true`
    ///
    /// FILE must be empty or new, or that of --resume. Equal lines run again.
    #[arg(long, value_name = "FILE", conflicts_with = "ordered")]
    pub keep_outputs: Option<PathBuf>,
    /// Judge the outputs in FILE again, which --keep-outputs wrote; no program but a checker starts
    #[arg(
        long, value_name = "FILE", conflicts_with_all = [
            "files", "map", "defaults", "data_set", "problems", "ordered", "repeat", "resume", "copy", "keep_outputs",
        ]
    )]
    pub rejudge: Option<PathBuf>,
    /// Compare the outputs of --rejudge by this name or checker, instead of as before
    #[arg(long, value_name = "NAME", requires = "rejudge")]
    pub compare: Option<String>,
    #[command(flatten)]
    pub host: HostOptions,
}

/// In bytes. That of 2024 has 200 KB.
const LONGEST_HEADER: u64 = 4 << 20;
const CACHED_PROGRAMS: usize = 32;
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
    options.check_comparison()?;
    let files = options.rejudge.as_ref().map_or(&*options.files, from_ref);
    if files.is_empty() && io::stdin().is_terminal() {
        let what = "give the lines in files, or on standard input: juror grade < lines.jsonl";
        return Err(Stop::usage(what));
    }
    let problem_file = options.problems.as_ref();
    let problem_file = problem_file.map(|path| ProblemFile::open(path, &settings)).transpose()?;
    let testlib = options.testlib.as_ref().map(|path| {
        FilePath::root(path).read_text(LONGEST_HEADER).map_err(|error| {
            Stop::usage(format!("--testlib: cannot read {}: {error}", path.display()))
        })
    });
    let testlib = testlib.transpose()?;
    let summary = options.summary.as_ref().map(|path| {
        let opened = match &options.output {
            Some(output) if output == path => Err(io::Error::other("it has the results")),
            _ if options.keep_outputs.as_ref() == Some(path) => {
                Err(io::Error::other("it has the outputs"))
            }
            _ => ReportFile::replacing(path, "\"pass_at\""),
        };
        opened.map_err(|error| {
            Stop::usage(format!("--summary: cannot use {}: {error}", path.display()))
        })
    });
    let summary = summary.transpose()?;
    let (mut sink, mut earlier) =
        ResultSink::open(options.output.as_deref(), options.resume, files, out)?;
    if options.ordered && earlier.is_unordered {
        let path = options.output_name();
        let what = format!(
            "--output: the results in {path} are not in the order of the lines; leave out --ordered"
        );
        return Err(Stop::usage(what));
    }
    let mut kept_outputs = options.open_kept_outputs(&earlier)?;
    *tally = earlier.tally;
    let mut rates = mem::take(&mut earlier.rates);
    let host = Host::start(&options.host, context)?;
    let fresh = Scheduler::new(Arc::clone(&host.executor)).with_fresh_runs();
    let builder = host.builder_on(&fresh).keeping_recent(CACHED_PROGRAMS);
    let rejects_on_breakdown = options.checker_fault == "wa";
    let text = [&options.map, &options.defaults].map(|text| text.as_deref().unwrap_or_default());
    let more = [
        options.data_set.clone(),
        testlib.as_ref().map(|text| format!("testlib {:016x}", digest("", text.as_bytes()))),
        rejects_on_breakdown.then(|| "checker-fault".to_owned()),
    ];
    let more = more.iter().flatten().map(|text| format!("\0{text}"));
    let grader = LineJudge {
        problems: LoadedProblems::new(&host, context, testlib),
        repeats: options.repeat,
        problem_file,
        is_public_told: AtomicBool::new(false),
        digest_prefix: text.join("\0") + &more.collect::<String>(),
        rejects_on_breakdown,
        rejudges: options.rejudge.is_some(),
        compare: options.compare.as_deref(),
        recent_results: RecentValues::new(CACHED_RESULTS),
        ..line_judge(&options.host, &host, &builder, &settings, context)
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
    let StreamText { text, size } = StreamText::open(files, &host)?;
    let shown = Mutex::new(StreamMeter::new(tally.lines(), size));
    let mut input = StreamReader {
        lines: LineReader::new(BufReader::with_capacity(64 << 10, text), LONGEST_LINE),
        kept_texts: options.rejudge.as_ref().map(|_| KnownTexts::default()),
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
        work: &|(raw, digest): (RawLine, u64)| grader.judge_line(raw, digest),
        deliver: Box::new(|answer: LineResult| {
            if let (Some(file), Some(kept)) = (&mut kept_outputs, &answer.kept) {
                file.add(kept).map_err(outputs_error)?;
            }
            sink.write(&answer.text).map_err(|error| options.write_error(&error))?;
            let graded = &answer.graded;
            let fault = graded.error.as_ref().map(|fault| fault.kind);
            tally.count(graded.verdict, fault);
            if options.summary.is_some() {
                let tests = (graded.passed, graded.ran + graded.skipped);
                let cpu_time = graded.total_cpu_time.unwrap_or_default();
                rates.count(graded.problem.as_ref(), (graded.verdict, fault), tests, cpu_time);
            }
            context.send_event(shown.lock().progress(tally));
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
    let kept = kept_outputs.map_or(Ok(()), KeptOutputs::finish);
    kept.map_err(outputs_error)?;
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

fn outputs_error(error: io::Error) -> JudgeError {
    JudgeError::new("write the outputs", error)
        .help("make room, then start the same command again with --resume")
}

/// Keeps no results.
fn line_judge<'a>(
    options: &HostOptions,
    host: &'a Host,
    builder: &'a Builder<'a>,
    settings: &'a LineSettings,
    context: &'a Context,
) -> LineJudge<'a> {
    LineJudge {
        host,
        builder,
        problems: LoadedProblems::new(host, context, None),
        settings,
        repeats: false,
        rejects_on_breakdown: false,
        batches: BatchMode::isolated(host.isolation).filter(|_| !options.fresh),
        digest_prefix: String::new(),
        rejudges: false,
        compare: None,
        problem_file: None,
        is_public_told: AtomicBool::new(false),
        active_lines: AtomicUsize::new(0),
        recent_results: RecentValues::new(0),
    }
}

/// Judges lines and runs programs, for any number of threads.
pub struct Grader<'a>(LineJudge<'a>);

/// Calls `work` with a grader that has no stream.
///
/// # Errors
/// If nothing can be run here, or `work` fails.
pub fn with_grader<T>(
    options: &HostOptions,
    settings: &LineSettings,
    context: &Context,
    work: impl FnOnce(&Grader<'_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let host = Host::start(options, context)?;
    let fresh = Scheduler::new(Arc::clone(&host.executor)).with_fresh_runs();
    let builder = host.builder_on(&fresh).keeping_recent(CACHED_PROGRAMS);
    work(&Grader(line_judge(options, &host, &builder, settings, context)))
}

impl Grader<'_> {
    /// How many programs run at the same time.
    pub fn slots(&self) -> usize {
        self.0.host.executor.slots()
    }

    /// The result of a line and, if it has no verdict, whose fault that is.
    ///
    /// # Errors
    /// If no worker is left for this line and all others.
    pub fn grade(&self, number: u64, text: &[u8]) -> Result<(Vec<u8>, Option<FaultyPart>), Stop> {
        let is_too_long = text.len() > LONGEST_LINE;
        let raw = RawLine { number, text: text.to_vec(), is_too_long };
        let result = self.0.judge_line(raw, digest("", text))?;
        Ok((result.text, result.graded.error.map(|fault| fault.kind)))
    }

    /// # Errors
    /// If the program cannot be run as it is asked for.
    pub fn run(&self, request: &ProgramRequest) -> Result<WholeRuns, LineFailure> {
        self.0.run_program(request, &problem_without_package())
    }

    /// Languages and the versions of their tools, where programs run.
    pub fn languages(&self) -> LanguageListing {
        LanguageListing::of(self.0.host.toolchains())
    }
}

fn parse_settings(options: &GradeOptions) -> Result<LineSettings, Stop> {
    let wrong = |option: &str, LineFault { message, help, .. }: LineFault| {
        Stop::usage(Remark::Sentence { message, help }.about_option(option))
    };
    let map = options.map.as_deref().map(LineMap::parse).transpose();
    let defaults = options.defaults.as_deref().map(LineSettings::parse_defaults).transpose();
    let settings = LineSettings {
        copied_keys: options.copy.clone(),
        keeps_requests: options.keep_outputs.is_some(),
        map: map.map_err(|fault| wrong("--map", fault))?,
        defaults: defaults.map_err(|fault| wrong("--defaults", fault))?.unwrap_or_default(),
        host_paths: HostPaths::All,
    };
    let data_set = options.data_set.as_deref().and_then(data_sets::find);
    let settings = data_set.map_or(Ok(settings.clone()), |set| settings.with_data_set(set));
    settings.map_err(|fault| wrong("--data-set", fault))
}

impl GradeOptions {
    fn output_name(&self) -> Display<'_> {
        self.output.as_deref().unwrap_or("standard output".as_ref()).display()
    }

    fn check_comparison(&self) -> Result<(), Stop> {
        let Some(compare) = &self.compare else { return Ok(()) };
        let wrong = |remark: Remark| Stop::usage(remark.about_option("--compare"));
        match ComparisonMode::parse(compare).map_err(|what| wrong(what.into()))? {
            ComparisonMode::Checker(path) if !path.exists() => Err(wrong(missing_checker(&path))),
            _ => Ok(()),
        }
    }

    fn open_kept_outputs(&self, earlier: &EarlierResults) -> Result<Option<KeptOutputs>, Stop> {
        let Some(path) = &self.keep_outputs else { return Ok(None) };
        let content = if self.resume { ExistingContent::Resume } else { ExistingContent::Refuse };
        let opened = match &self.output {
            Some(output) if output == path => Err(io::Error::other("it has the results").into()),
            _ => KeptOutputs::open(path, content, earlier),
        };
        opened.map(Some).map_err(|fault| {
            let what = format!("--keep-outputs: cannot use {}: {fault}", path.display());
            Stop::usage(Remark::with_help(what, "choose another file"))
        })
    }

    fn write_error(&self, error: &io::Error) -> Stop {
        let error = JudgeError::new(format!("write results to {}", self.output_name()), error);
        let help = "make room, then start the same command again with --resume";
        if self.output.is_some() { error.help(help).into() } else { error.into() }
    }
}

struct StreamReader<'a> {
    lines: LineReader<BufReader<Box<dyn Read + Send>>>,
    /// Set if the lines are records.
    kept_texts: Option<KnownTexts>,
    earlier: EarlierResults,
    options: &'a GradeOptions,
    grader: &'a LineJudge<'a>,
}

impl StreamReader<'_> {
    /// The next line to judge, and its digest.
    fn next_pending(&mut self) -> Result<Option<(RawLine, u64)>, Stop> {
        let earlier = &mut self.earlier;
        let path = self.options.output_name();
        loop {
            let raw = match self.lines.next_line() {
                Err(error) if stdin::is_interruption(&error) => return Err(Stop::Interrupted),
                raw => raw.map_err(|error| read_error(&error))?,
            };
            let Some(mut raw) = raw else {
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
            if let Some(texts) = &mut self.kept_texts {
                raw.text = texts.restore_line(&raw.text).unwrap_or_default();
            }
            let LineJudge { digest_prefix, problem_file, .. } = self.grader;
            let problem = problem_file.as_ref().and_then(|file| file.digest(&raw.text));
            let prefix = problem.map(|problem| format!("{digest_prefix}\0{problem:016x}"));
            let digest = digest(prefix.as_ref().unwrap_or(digest_prefix), &raw.text);
            match earlier.take_line(raw.number, digest) {
                LineHistory::Finished => {}
                LineHistory::New if self.options.ordered && earlier.remaining() > 0 => {
                    return Err(Stop::usage(format!(
                        "--resume: {path} lacks line {}, and has later ones; leave out --ordered",
                        raw.number
                    )));
                }
                LineHistory::New => return Ok(Some((raw, digest))),
                LineHistory::Changed => {
                    return Err(Stop::usage(format!(
                        "--resume: up to line {}, the lines, their problems, --data-set, --map, --defaults, \
                         --testlib or --checker-fault differ from those that {path} was made with; \
                         choose another file",
                        raw.number
                    )));
                }
            }
        }
    }
}
