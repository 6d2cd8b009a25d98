//! Judges one line of a stream, or reports why it cannot.

use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::door::cases;
use crate::door::submissions::named_submission;
use crate::grade::call::LineCall;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::fence;
use crate::grade::graded::GradedLine;
use crate::grade::line::{InlineCase, LineLimits, ResultDetail, SourceParts, StreamLine};
use crate::grade::map::suggestion;
use crate::grade::reader::{LONGEST_LINE, RawLine};
use crate::grade::settings::{BrokenLine, LineSettings};
use crate::ops::grade::loaded::{LineFailure, LoadedProblem, LoadedProblems, ProblemKey};
use crate::ops::host::Host;
use juror_core::check::options::Options;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::{FaultKind, JudgeError, Judgement};
use juror_core::language::table::Language;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::program::Program;
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::submission::Submission;
use juror_core::test_data::TestCase;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_judging::build::Builder;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{Detail, ReadyCase, Validators};
use juror_judging::judge::judging;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::score::RunPolicy;
use juror_judging::judge::session::PreparedSubmission;
use juror_sandbox::executor::scheduler::Scheduler;

pub(super) struct LineJudge<'a> {
    pub(super) host: &'a Host,
    /// Does not cache submissions on disk.
    pub(super) builder: &'a Builder<'a>,
    pub(super) problems: LoadedProblems<'a>,
    pub(super) settings: &'a LineSettings,
    /// Whether runs near the time limit are repeated.
    pub(super) repeats: bool,
    /// A line's digest depends on this and the line.
    pub(super) digest_prefix: String,
    pub(super) active_lines: AtomicUsize,
}

/// A result as JSON, with its verdict or fault.
pub(super) struct LineResult {
    pub(super) text: Vec<u8>,
    pub(super) verdict: Option<Verdict>,
    pub(super) fault: Option<FaultyPart>,
}

impl LineJudge<'_> {
    /// # Errors
    /// If it was interrupted, or if no worker is left for this line and all others. Every other failure is an answer.
    pub(super) fn judge_line(&self, raw: RawLine, digest: u64) -> Result<LineResult, Stop> {
        let number = raw.number;
        let graded = match self.parse_line(raw) {
            Err(BrokenLine { id, fault }) => GradedLine::with_fault(number, id, digest, fault),
            Ok(line) => {
                let forgeable = line.is_forgeable;
                let (id, returned) = (line.id.clone(), line.detail.unwrap_or_default());
                let others = self.active_lines.fetch_add(1, Ordering::SeqCst);
                let slots = self.host.executor.slots() / (others + 1);
                let judged = self.judge_submission(line, slots.max(1));
                self.active_lines.fetch_sub(1, Ordering::SeqCst);
                match judged {
                    Ok(report) => GradedLine {
                        forgeable,
                        ..GradedLine::with_judgement(number, id, digest, report, returned)
                    },
                    Err(LineFailure::Fault(fault)) => {
                        GradedLine::with_fault(number, id, digest, fault)
                    }
                    Err(LineFailure::Stop(Stop::Interrupted)) => return Err(Stop::Interrupted),
                    Err(LineFailure::Stop(Stop::Fault(error)))
                        if error.kind == FaultKind::NoWorker =>
                    {
                        return Err(error.into());
                    }
                    Err(LineFailure::Stop(stop)) => {
                        GradedLine::with_fault(number, id, digest, stop_fault(stop))
                    }
                }
            }
        };
        let mut text = serde_json::to_vec(&graded)
            .map_err(|error| JudgeError::new("write a result", error))?;
        text.push(b'\n');
        let fault = graded.error.map(|fault| fault.kind);
        Ok(LineResult { text, verdict: graded.verdict, fault })
    }

    fn parse_line(&self, raw: RawLine) -> Result<StreamLine, BrokenLine> {
        if raw.is_too_long {
            let what = format!("has more than {}", Bytes(LONGEST_LINE as u64));
            let fault =
                LineFault::of_line(what, "give a package, or files, in place of long texts");
            return Err(BrokenLine { id: None, fault });
        }
        self.settings.parse_line(&raw.text)
    }

    /// Uses one slot if other lines use the rest.
    fn judge_submission(&self, line: StreamLine, slots: usize) -> Result<Judgement, LineFailure> {
        let which = ProblemKey { package: line.package, compare: line.compare.clone() };
        let loaded = self.problems.get(which)??;
        let limits = line.limits.unwrap_or_default();
        let mut problem = apply_limits(&loaded, &limits);
        let source = line.source.parts();
        let mut submission = line_submission(&source, &problem)?;
        let mut own_text = None;
        if let Some(call) = &line.call {
            problem.to_mut().kind.submitted = SubmittedContent::Function;
            let language = text_language(&submission)?;
            let text = source.text.as_deref().unwrap_or_default();
            own_text = Some(call.add_caller(&mut submission.program, language, text)?);
        }
        let builder = self.builder.with_languages(problem.languages.as_deref());
        let prepared = match own_text.as_ref().or(source.text.as_ref()) {
            Some(text) => builder.prepare_text(&submission.program, text),
            None => builder.prepare(&submission.program),
        };
        let mut found = Vec::new();
        let entries: Vec<PreparedSubmission<'_>> =
            judging::prepared_entry(&submission, prepared, &mut found)?.into_iter().collect();
        let Some(entry) = entries.first() else { return Err(source_fault(found).into()) };
        let text = source_text(&source, &submission);
        if let Some(fault) = text.as_deref().and_then(fence::leading_fence) {
            return Err(fault.into());
        }
        let own: Vec<TestCase>;
        let (cases, validators) = match line.cases {
            None => (cases::all_cases(&problem)?, Arc::clone(&loaded.validators)),
            Some(cases) => {
                own = cases::numbered_cases(cases.len());
                // What trials show on its test cases is not for other lines: it would depend on their order.
                let output = loaded.validators.output.clone();
                let validators = Validators { output, ..Validators::default() };
                let by_name = || Options::of_name(line.compare.as_deref().unwrap_or("words"));
                // Both were checked before. A checker has no options.
                let options = line.call.as_ref().map_or_else(by_name, LineCall::options);
                (inline_cases(&own, cases, options.unwrap_or_default()), Arc::new(validators))
            }
        };
        let time_limit = match limits.time {
            Some(time) => Duration::from_secs_f64(time),
            None => self.problems.time_limit(&loaded)?.limit,
        };
        let executor =
            Scheduler::new(Arc::clone(&self.host.executor)).with_fresh_runs().with_slots(slots);
        let returned = line.detail.unwrap_or_default();
        let builder = self.builder;
        let bench = Bench { problem: &problem, executor: &executor, builder, events: &|_| {} };
        let mut ready = ReadyProblem::new(bench, validators, cases);
        if returned == ResultDetail::Outputs {
            ready.rules.detail = Detail::Full { keep: None };
        }
        ready.given_time_limit = Some(time_limit);
        ready.repeats = self.repeats;
        let runs_all = line.all.unwrap_or_default();
        let policy = if runs_all { RunPolicy::AllAllowed } else { RunPolicy::Counting };
        let finished = ready.judge(&entries, policy)?;
        match finished.results.into_iter().next() {
            Some(Ok(judgement)) => {
                let text = text.filter(|_| may_be_markdown(entry, judgement.verdict));
                let language =
                    entry.prepared.as_ref().ok().and_then(|prepared| prepared.plan.language.code());
                match text
                    .and_then(|text| fence::fence_in_code(language.unwrap_or_default(), &text))
                {
                    Some(fault) => Err(fault.into()),
                    None => Ok(*judgement),
                }
            }
            Some(Err(error)) => Err(Stop::Fault(error).into()),
            None => {
                Err(Stop::from(JudgeError::new("judge", "the submission has no result")).into())
            }
        }
    }
}

/// `None` if the source is not a single file.
fn source_text<'a>(source: &'a SourceParts, submission: &Submission) -> Option<Cow<'a, str>> {
    const MAX_TEXT: u64 = 1 << 20;
    match &source.text {
        Some(text) => Some(text.into()),
        // An error of reading the file was reported before.
        None => submission.program.path.read_text(MAX_TEXT).ok().map(Cow::from),
    }
}

/// A source that does not build may be Markdown. In a language without a build, any rejected source may be.
fn may_be_markdown(entry: &PreparedSubmission<'_>, verdict: Verdict) -> bool {
    let has_build = entry.prepared.as_ref().is_ok_and(|prepared| prepared.plan.build.is_some());
    if has_build { verdict == Verdict::CompileError } else { verdict != Verdict::Accepted }
}

fn source_fault(found: Vec<Diagnostic>) -> LineFault {
    let why = found.into_iter().find(Diagnostic::is_error);
    let (message, help) = why.map_or_else(Default::default, |fault| {
        (format!("{}: {}", fault.place.path.display(), fault.message), fault.help)
    });
    LineFault::new(FaultyPart::Source, message, help)
}

fn stop_fault(stop: Stop) -> LineFault {
    let of_package = |first: Option<Remark>| {
        let (message, help) = first.map(Remark::into_parts).unwrap_or_default();
        LineFault::new(FaultyPart::Package, message, help)
    };
    match stop {
        Stop::Fault(error) => {
            let kind = match error.lacks {
                Some(_) => FaultyPart::Skipped,
                None => FaultyPart::Judge,
            };
            LineFault::new(kind, format!("cannot {error}"), error.help)
        }
        Stop::Diagnosed(all) => of_package(all.into_iter().next().map(Remark::from)),
        Stop::Refused(_, remarks) => of_package(remarks.into_iter().next()),
        Stop::Interrupted => LineFault::new(FaultyPart::Judge, "interrupted", None),
    }
}

fn apply_limits<'a>(problem: &'a LoadedProblem, limits: &LineLimits) -> Cow<'a, Problem> {
    let of_mib = |mib: f64| Bytes((mib * f64::from(1 << 20)) as u64);
    let memory =
        limits.memory.map(of_mib).or(limits.memory_bytes.map(|bytes| Bytes(bytes.round() as u64)));
    let output = limits.output.map(of_mib);
    let mut problem = Cow::Borrowed(&problem.problem);
    if memory.is_some() || output.is_some() {
        let limits = &mut problem.to_mut().limits;
        limits.memory = memory.or(limits.memory);
        limits.output = output.or(limits.output);
    }
    problem
}

fn inline_cases<'a>(
    named: &'a [TestCase],
    cases: Vec<InlineCase>,
    options: Options,
) -> Vec<ReadyCase<'a>> {
    let texts = cases.into_iter().map(|case| (case.input.into_bytes(), case.answer.into_bytes()));
    cases::inline_cases(named, texts, options)
}

fn line_submission(parts: &SourceParts, problem: &Problem) -> Result<Submission, LineFault> {
    let language = parts.language.as_deref().map(find_language).transpose()?;
    if let Some(file) = &parts.file {
        if parts.name.is_some() {
            let help = "leave out the name; the file has one";
            return Err(LineFault::of_line("has both `/source/file` and `/source/name`", help));
        }
        let mut submission = named_submission(Path::new(file), problem).map_err(|remark| {
            let (message, help) = remark.into_parts();
            LineFault::new(FaultyPart::Source, message, help)
        })?;
        let code = language.map(|language| language.code.to_owned());
        submission.program.language = code.or(submission.program.language);
        return Ok(submission);
    }
    let name = match (&parts.name, language) {
        (Some(name), _) => check_file_name(name)?.to_owned(),
        (None, Some(language)) => {
            let ending = language.extensions.split_whitespace().next().unwrap_or_default();
            format!("main{ending}")
        }
        (None, None) => {
            let help = "give it in `/source/language`, or the file name in `/source/name`";
            let what = "the language is unknown";
            return Err(LineFault::new(FaultyPart::Source, what, Some(help.to_owned())));
        }
    };
    let program = Program {
        name: name.clone(),
        path: FilePath::root(&name),
        language: language.map(|language| language.code.to_owned()),
        include: problem.include.clone(),
        defines: problem.defines.clone(),
        ..Program::default()
    };
    Ok(Submission { name, program, expectations: Vec::new() })
}

/// The language of a text, by its code or its file name.
fn text_language(submission: &Submission) -> Result<&'static Language, LineFault> {
    let program = &submission.program;
    let named = program.language.as_deref().and_then(Language::by_code);
    named.or_else(|| Language::of_file(Path::new(&program.name))).ok_or_else(|| {
        let help = "give it in `/source/language`";
        LineFault::new(FaultyPart::Source, "the language is unknown", Some(help.to_owned()))
    })
}

fn find_language(word: &str) -> Result<&'static Language, LineFault> {
    Language::by_name(word).ok_or_else(|| {
        let codes: Vec<&str> = Language::supported().map(|language| language.code).collect();
        let what = format!("unknown language `{word}`");
        LineFault::new(FaultyPart::Source, what, Some(suggestion(&word.to_lowercase(), &codes)))
    })
}

fn check_file_name(name: &str) -> Result<&str, LineFault> {
    let mut parts = Path::new(name).components();
    let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    let is_short = name.len() <= 255;
    if is_one && is_short && !name.starts_with(['.', '-']) && !name.contains(['/', '\0']) {
        Ok(name)
    } else {
        let help = "give the name of a file without a directory, such as `main.cpp`";
        Err(LineFault::of_line(format!("`/source/name`: `{name}` is not a plain file name"), help))
    }
}
