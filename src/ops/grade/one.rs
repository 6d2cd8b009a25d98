//! Judges one line of a stream, or reports why it cannot.

use std::borrow::Cow;
use std::mem;
use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::door::cases;
use crate::door::submissions::{named_submission, text_submission};
use crate::grade::call::LineCall;
use crate::grade::extract::{self, ExtractedProgram, Extraction};
use crate::grade::fault::{self, FaultyPart, LineFault};
use crate::grade::graded::GradedLine;
use crate::grade::kept_line::{KeptLine, KeptRuns};
use crate::grade::line::{
    InlineCase, LineComparison, LineEcho, LineLimits, ResultDetail, SourceParts, StreamLine,
};
use crate::grade::reader::RawLine;
use crate::grade::settings::{LineSettings, ParsedLine, ReadLine};
use crate::grade::source::{check_file_name, find_language, source_name};
use crate::ops::grade::loaded::{LineFailure, LoadedProblem, LoadedProblems, ProblemKey};
use crate::ops::grade::problems::ProblemFile;
use crate::ops::host::Host;
use juror_core::check::options::Options;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::judgement::{FaultKind, JudgeError, Judgement};
use juror_core::language::table::Language;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::recent::RecentValues;
use juror_core::stop::{Remark, Stop};
use juror_core::submission::Submission;
use juror_core::test_data::TestCase;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_judging::build::Builder;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{Detail, ReadyCase, Validators};
use juror_judging::judge::judging;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::run_log::{KeptRun, RunLog};
use juror_judging::judge::score::RunPolicy;
use juror_judging::judge::session::PreparedSubmission;
use juror_sandbox::executor::scheduler::Scheduler;
use serde_json::{Value, json};

pub(super) struct LineJudge<'a> {
    pub(super) host: &'a Host,
    /// Does not cache submissions on disk.
    pub(super) builder: &'a Builder<'a>,
    pub(super) problems: LoadedProblems<'a>,
    pub(super) settings: &'a LineSettings,
    pub(super) problem_file: Option<ProblemFile<'a>>,
    /// Whether a warning said that test cases are only public ones.
    pub(super) is_public_told: AtomicBool,
    /// Whether runs near the time limit are repeated.
    pub(super) repeats: bool,
    /// Whether an output is wrong if the checker breaks down on it.
    pub(super) rejects_on_breakdown: bool,
    /// Whether the test cases in a line may share one start of an interpreter.
    pub(super) batches: Option<BatchMode>,
    /// A line's digest depends on this and the line.
    pub(super) digest_prefix: String,
    /// Whether lines are judged again: they are records.
    pub(super) rejudges: bool,
    /// For these.
    pub(super) compare: Option<&'a str>,
    pub(super) active_lines: AtomicUsize,
    /// Each with the number of its line, by the digest of what decides it.
    pub(super) recent_results: RecentValues<u64, (u64, GradedLine)>,
}

/// A result, also as JSON.
pub(super) struct LineResult {
    pub(super) text: Vec<u8>,
    pub(super) graded: GradedLine,
    /// Set if outputs are kept.
    pub(super) kept: Option<KeptLine>,
}

pub(super) type Graded = Result<GradedLine, LineFailure>;

impl LineJudge<'_> {
    /// # Errors
    /// If it was interrupted, or if no worker is left for this line and all others. Every other failure is an answer.
    pub(super) fn judge_line(&self, raw: RawLine, digest: u64) -> Result<LineResult, Stop> {
        let (number, digest, known, parsed) = if self.rejudges {
            self.read_record(&raw)
        } else {
            (raw.number, format!("{digest:016x}"), None, self.parse_line(raw)?)
        };
        let ParsedLine { echo, request, line } = parsed;
        let keeps = self.settings.keeps_requests;
        if line.as_ref().is_ok_and(|line| line.is_public_only)
            && !self.is_public_told.swap(true, Ordering::Relaxed)
        {
            self.problems.context.send_event(Event::Diagnosed(public_only(number)));
        }
        let judged = match line {
            Err(fault) => Err(fault.into()),
            // A result with outputs is too large for memory.
            Ok(ReadLine { line, .. })
                if keeps
                    || known.is_some()
                    || matches!(line.detail, Some(ResultDetail::Outputs | ResultDetail::Run)) =>
            {
                self.judge_counted(line, known)
            }
            Ok(ReadLine { line, digest, .. }) => {
                let judge = || Ok((number, self.judge_counted(line, None)?));
                self.recent_results.get(digest, judge).map(|(first, graded)| GradedLine {
                    same_as: (first != number).then_some(first),
                    ..graded
                })
            }
        };
        let mut graded = match judged {
            Ok(graded) => graded,
            Err(LineFailure::Fault(fault)) => GradedLine::with_fault(fault),
            Err(LineFailure::Stop(Stop::Interrupted)) => return Err(Stop::Interrupted),
            Err(LineFailure::Stop(Stop::Fault(error))) if error.kind == FaultKind::NoWorker => {
                return Err(error.into());
            }
            Err(LineFailure::Stop(stop)) => GradedLine::with_fault(stop_fault(stop)),
        };
        let kept = keeps.then(|| KeptLine {
            line: number,
            digest: digest.clone(),
            echo: echo.clone(),
            error: graded.error.clone(),
            request,
            judged: graded.kept.take().and_then(Arc::into_inner),
        });
        let mut graded = graded.of_line(number, digest, echo);
        let mut text = serde_json::to_vec(&graded)
            .map_err(|error| JudgeError::new("write a result", error))?;
        text.push(b'\n');
        // Results may wait for an earlier line.
        (graded.test_cases, graded.runs, graded.compiler) = (None, None, None);
        Ok(LineResult { text, graded, kept })
    }

    fn parse_line(&self, raw: RawLine) -> Result<ParsedLine, Stop> {
        if raw.is_too_long {
            let fault = fault::too_long();
            let echo = LineEcho { id: self.settings.find_id(&raw.text), ..LineEcho::default() };
            return Ok(ParsedLine { echo, request: Value::Null, line: Err(fault) });
        }
        let mut stop = None;
        let parsed = self.settings.parse_line(&raw.text, |line| {
            let Some(file) = &self.problem_file else { return Ok(None) };
            match file.find(line) {
                Ok(found) => found.map(Some),
                Err(found) => {
                    stop = Some(found);
                    Ok(None)
                }
            }
        });
        stop.map_or(Ok(parsed), Err)
    }

    /// Uses one slot if other lines use the rest.
    fn judge_counted(&self, line: StreamLine, known: Option<KeptRuns>) -> Graded {
        let others = self.active_lines.fetch_add(1, Ordering::SeqCst);
        let slots = self.host.executor.slots() / (others + 1);
        let graded = self.judge_submission(line, known, slots.max(1));
        self.active_lines.fetch_sub(1, Ordering::SeqCst);
        graded
    }

    fn judge_submission(&self, line: StreamLine, known: Option<KeptRuns>, slots: usize) -> Graded {
        let which = ProblemKey { package: line.package.clone(), compare: line.compare.clone() };
        let loaded = self.problems.get(which)??;
        let limits = line.limits.clone().unwrap_or_default();
        let mut problem = apply_limits(&loaded, &limits);
        if line.call.is_some() {
            problem.to_mut().kind.submitted = SubmittedContent::Function;
        }
        if line.detail == Some(ResultDetail::Run) {
            if known.is_some() {
                let what = "has nothing to judge again: it asked for its runs";
                return Err(LineFault::new(FaultyPart::Skipped, what, None).into());
            }
            return self.run_line(line, limits.seconds(), &problem);
        }
        let is_own = line.cases.is_some();
        let own: Vec<TestCase>;
        let (cases, validators) = match line.cases {
            None => (cases::all_cases(&problem)?, Arc::clone(&loaded.validators)),
            Some(cases) => {
                own = cases::numbered_cases(cases.len());
                // What trials show on its test cases is not for other lines: it would depend on their order.
                let output = loaded.validators.output.clone();
                let validators = Validators { output, ..Validators::default() };
                let name = match &line.compare {
                    Some(LineComparison::Text(name)) => name,
                    _ => "words",
                };
                let by_name = || Options::of_name(name);
                // Both were checked before. A checker has no options.
                let options = match (&line.call, self.compare) {
                    (Some(call), None) => call.options(),
                    (Some(_), Some(compare)) => Options::of_name(compare),
                    (None, _) => by_name(),
                };
                (inline_cases(&own, cases, options.unwrap_or_default()), Arc::new(validators))
            }
        };
        let executor =
            Scheduler::new(Arc::clone(&self.host.executor)).with_fresh_runs().with_slots(slots);
        let builder = self.builder;
        let bench = Bench { problem: &problem, executor: &executor, builder, events: &|_| {} };
        let mut ready = ReadyProblem::new(bench, validators, cases);
        let returned = line.detail.unwrap_or_default();
        if returned == ResultDetail::Outputs {
            ready.rules.detail = Detail::Full;
        }
        ready.rules.rejects_on_breakdown = self.rejects_on_breakdown;
        ready.repeats = self.repeats;
        let keeps = self.settings.keeps_requests;
        // A batch keeps no standard error, and what is known needs no start.
        let is_batched = is_own && !keeps && known.is_none();
        ready.batches = self.batches.filter(|_| is_batched);
        let runs_all = line.all.unwrap_or_default() || keeps || known.is_some();
        let policy = if runs_all { RunPolicy::AllAllowed } else { RunPolicy::Counting };
        ready.given_time_limit = Some(match limits.seconds() {
            Some(time) => Duration::from_secs_f64(time),
            None => self.problems.time_limit(&loaded)?.limit,
        });
        let how = line.extract.unwrap_or_default();
        let (call, forgeable) = (line.call.as_ref(), line.is_forgeable);
        let run = LineRun { ready: &ready, policy, returned, call, forgeable, keeps };
        match known {
            None => run.judge_text(line.source.parts(), how),
            Some(known) => run.judge_known(known),
        }
    }
}

fn public_only(number: u64) -> Diagnostic {
    let what =
        "all test cases are public ones, which the statement shows: programs pass too easily";
    let help = "give lines with the hidden test cases, too; this is said once";
    Diagnostic::warning(format!("line {number}"), what).help(help)
}

/// Judges sources by what one line says.
pub(super) struct LineRun<'a> {
    ready: &'a ReadyProblem<'a>,
    policy: RunPolicy,
    pub(super) returned: ResultDetail,
    call: Option<&'a LineCall>,
    pub(super) forgeable: bool,
    /// Whether its runs are kept.
    keeps: bool,
}

struct JudgedSource {
    judgement: Judgement,
    language: Option<String>,
    /// It does not build. In a language without a build, it is rejected.
    may_be_markdown: bool,
    kept: Option<KeptRuns>,
}

impl LineRun<'_> {
    /// Judges the source, or the part of it that is a program.
    fn judge_text(&self, source: SourceParts, how: Extraction) -> Result<GradedLine, LineFailure> {
        let language = source_language(&source)?;
        let Some(text) = source_text(&source, self.ready.bench.problem)? else {
            return Ok(self.graded(self.judge(&source)?, None));
        };
        let is_blank = text.trim().is_empty();
        let is_marked = extract::begins_like_completion(&text);
        if is_marked && how == Extraction::None {
            return Err(extract::markdown_fault().into());
        }
        let is_perhaps_code = how == Extraction::Auto && !is_marked && !is_blank;
        let mut whole = None;
        if how == Extraction::None || is_perhaps_code && language.is_some() {
            let judged = self.judge(&source)?;
            let code = judged.language.as_deref().unwrap_or_default();
            if !judged.may_be_markdown || !extract::has_marks_in_code(code, &text) {
                return Ok(self.graded(judged, None));
            }
            if how == Extraction::None {
                return Err(extract::markdown_fault().into());
            }
            whole = Some(judged);
        }
        if let Some(found) = extract::extract(&text, language, how) {
            let judged = self.judge(&source.clone().with_text(found.text, found.language))?;
            let language = judged.language.clone();
            let extracted = ExtractedProgram { language, line: found.line, how: found.part };
            return Ok(self.graded(judged, Some(extracted)));
        }
        match whole {
            Some(whole) => Ok(self.graded(whole, None)),
            // Its language is unknown, which is reported.
            None if is_perhaps_code => Ok(self.graded(self.judge(&source)?, None)),
            None => Err(extract::no_code_fault().into()),
        }
    }

    fn graded(&self, judged: JudgedSource, extracted: Option<ExtractedProgram>) -> GradedLine {
        let kept = judged.kept.map(|kept| {
            Arc::new(KeptRuns {
                language: judged.language,
                extracted: extracted.clone(),
                compiler: judged.judgement.compiler.clone(),
                ..kept
            })
        });
        let graded = GradedLine::with_judgement(judged.judgement, extracted, self.returned);
        GradedLine { forgeable: self.forgeable, kept, ..graded }
    }

    fn judge(&self, source: &SourceParts) -> Result<JudgedSource, LineFailure> {
        let Bench { problem, builder, .. } = self.ready.bench;
        let mut submission = line_submission(source, problem)?;
        if let (Some(prompt), Some(text)) = (&source.prompt, &mut submission.program.text) {
            text.insert_str(0, prompt);
        }
        if let Some(call) = self.call
            && let Some(text) = submission.program.text.take()
        {
            let help = "give it in `/source/language`";
            let language = source_language(source)?.ok_or_else(|| unknown_language(help))?;
            submission.program.text =
                Some(call.add_caller(&mut submission.program, language, &text)?);
        }
        let builder = builder.with_languages(problem.languages.as_deref());
        let prepared = builder.prepare(&submission.program);
        let mut found = Vec::new();
        let entries: Vec<PreparedSubmission<'_>> =
            judging::prepared_entry(&submission, prepared, &mut found)?.into_iter().collect();
        let Some(entry) = entries.first() else { return Err(source_fault(found).into()) };
        let log = self.keeps.then(|| Arc::new(RunLog::default()));
        let judgement = self.judge_entry(entry, log.clone())?;
        let plan = entry.prepared.as_ref().ok().map(|prepared| &prepared.plan);
        let has_build = plan.is_some_and(|plan| plan.build.is_some());
        let may_be_markdown = match judgement.verdict {
            Verdict::Accepted => false,
            verdict => !has_build || verdict == Verdict::CompileError,
        };
        let language = plan.and_then(|plan| plan.language.code()).map(str::to_owned);
        let kept = log.map(|log| self.kept_runs(mem::take(&mut *log.runs.lock()).into_values()));
        Ok(JudgedSource { judgement, language, may_be_markdown, kept })
    }

    pub(super) fn judge_entry(
        &self,
        entry: &PreparedSubmission<'_>,
        log: Option<Arc<RunLog>>,
    ) -> Result<Judgement, LineFailure> {
        let mut logged = None;
        if log.is_some() {
            logged.insert(self.ready.clone()).rules.run_log = log;
        }
        let ready = logged.as_ref().unwrap_or(self.ready);
        let finished = ready.judge(from_ref(entry), self.policy)?;
        match finished.results.into_iter().next() {
            Some(Ok(judgement)) => Ok(*judgement),
            Some(Err(error)) => Err(Stop::Fault(error).into()),
            None => {
                let error = JudgeError::new("judge", "the submission has no result");
                Err(Stop::from(error).into())
            }
        }
    }

    fn kept_runs(&self, runs: impl Iterator<Item = KeptRun>) -> KeptRuns {
        let runs: Vec<KeptRun> = runs.collect();
        let limits = runs.first().map(|run| run.limits.clone()).unwrap_or_default();
        let limits = json!({
            "time": self.ready.given_time_limit.map(|limit| limit.as_secs_f64()),
            "memory_bytes": limits.memory.map(|limit| limit.0),
            "output": limits.output.map(|limit| limit.0 as f64 / f64::from(1 << 20)),
        });
        KeptRuns { limits, runs, ..KeptRuns::default() }
    }
}

/// `None` if the source is not a single text file.
fn source_text<'a>(
    source: &'a SourceParts,
    problem: &Problem,
) -> Result<Option<Cow<'a, str>>, LineFault> {
    const MAX_TEXT: u64 = 1 << 20;
    match &source.text {
        Some(text) => Ok(Some(text.into())),
        None => {
            let path = line_submission(source, problem)?.program.path;
            Ok(path.read_text(MAX_TEXT).ok().map(Cow::from))
        }
    }
}

/// `None` if the line does not say it.
fn source_language(source: &SourceParts) -> Result<Option<&'static Language>, LineFault> {
    let name = source.name.as_ref().or(source.file.as_ref());
    match &source.language {
        Some(word) => find_language(word).map(Some),
        None => Ok(name.and_then(|name| Language::of_file(Path::new(name)))),
    }
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
            let kind = match (&error.lacks, &error.program) {
                (Some(_), _) => FaultyPart::Skipped,
                (None, Some(_)) => FaultyPart::Checker,
                (None, None) => FaultyPart::Judge,
            };
            let message = format!("cannot {}: {}", error.step, error.explained_reason());
            LineFault::new(kind, message, error.help)
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
    let answer = |answer: Option<String>| answer.unwrap_or_default().into_bytes();
    let texts = cases.into_iter().map(|case| (case.input.into_bytes(), answer(case.answer)));
    cases::inline_cases(named, texts, options)
}

pub(super) fn line_submission(
    parts: &SourceParts,
    problem: &Problem,
) -> Result<Submission, LineFault> {
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
        (Some(name), _) => check_file_name("/source/name", name)?.to_owned(),
        (None, Some(language)) => source_name("main", language),
        (None, None) => {
            let help = "give it in `/source/language`, or the file name in `/source/name`";
            return Err(unknown_language(help));
        }
    };
    let mut submission = text_submission(&name, parts.text.clone(), problem);
    submission.program.language = language.map(|language| language.code.to_owned());
    Ok(submission)
}

fn unknown_language(help: &str) -> LineFault {
    LineFault::new(FaultyPart::Source, "the language is unknown", Some(help.to_owned()))
}
