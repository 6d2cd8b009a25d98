//! Runs commands on small packages and records their events for the reporters.
//!
//! Values that differ between runs and machines are replaced, also inside of messages: times, memory, paths, and the
//! isolation. Everything else is real.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Parser;
use juror::cli::arguments::Arguments;
use juror::cli::output;
use juror::ops::compare::ComparisonReport;
use juror::ops::context::Context;
use juror::ops::convert::Conversion;
use juror::report::document::Report;
use juror::report::json::write_schema;
use juror::report::result::{AnyResult, CommandResult, Document};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{CommandTask, Event, Note, StampedEvent, WorkProgress};
use juror_core::exit_code::ExitCode;
use juror_core::isolation::Isolation;
use juror_core::joint::Transcript;
use juror_core::judgement::{CaseJudgement, CompilerReport, Evidence, JudgeError};
use juror_core::outcome::{Mechanism, Meter, Outcome, StopReason};
use juror_core::progress::SearchPlan;
use juror_core::repeats::{Repeats, TimedRun};
use juror_core::units::Bytes;
use juror_data::search::result::{Search, StressResult};
use juror_sandbox::executor::ExecutorWrapper;
use schemars::JsonSchema;
use serde::Serialize;

use crate::fixture::Fixture;
use crate::wire;

const MECHANISM: Mechanism =
    Mechanism { cpu: Meter::Cgroup2, memory: Meter::Cgroup2, isolation: Isolation::Namespaces };

/// The events of a command, and its result.
#[derive(Clone)]
pub(super) struct Recording<T> {
    pub(super) events: Vec<StampedEvent>,
    pub(super) result: T,
}

/// The input of reporters.
pub(super) trait EventSource {
    fn events(&self) -> &[StampedEvent];

    fn result(&self) -> Option<&dyn AnyResult>;

    fn write_schema(&self, out: &mut Vec<u8>);
}

/// The events have the results of judging.
impl EventSource for Vec<StampedEvent> {
    fn events(&self) -> &[StampedEvent] {
        self
    }

    fn result(&self) -> Option<&dyn AnyResult> {
        None
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        write_schema::<Report>(out).expect("writing to memory cannot fail");
    }
}

impl<T: CommandResult + Any + Send + Serialize + JsonSchema> EventSource for Recording<T> {
    fn events(&self) -> &[StampedEvent] {
        &self.events
    }

    fn result(&self) -> Option<&dyn AnyResult> {
        Some(&self.result)
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        write_schema::<Document<'_, T>>(out).expect("writing to memory cannot fail");
    }
}

/// Runs `juror` with these words, where `@` stands for the fixture's directory. Checks the exit code. All jobs and
/// replies travel as bytes.
pub(super) fn record(fixture: &Fixture, line: &str, code: ExitCode) -> Vec<StampedEvent> {
    record_with_wrapper(Some(wire::wrap_in_wire), fixture, line, code)
}

/// With another wrapper of the executor.
pub(super) fn record_with_wrapper(
    wrapper: Option<ExecutorWrapper>,
    fixture: &Fixture,
    line: &str,
    code: ExitCode,
) -> Vec<StampedEvent> {
    run(wrapper, fixture, line, code).0
}

/// For a command with a result.
pub(super) fn record_result<T: Any + Maskable>(
    fixture: &Fixture,
    line: &str,
    code: ExitCode,
) -> Recording<T> {
    record_result_with_wrapper(wire::wrap_in_wire, fixture, line, code)
}

/// With another wrapper of the executor.
pub(super) fn record_result_with_wrapper<T: Any + Maskable>(
    wrapper: ExecutorWrapper,
    fixture: &Fixture,
    line: &str,
    code: ExitCode,
) -> Recording<T> {
    let (events, result) = run(Some(wrapper), fixture, line, code);
    let result: Box<dyn Any> = result.expect("a result");
    let result = *result.downcast::<T>().expect("a result of this type");
    Recording { events, result: result.masked(&Mask::for_fixture(fixture, line)) }
}

fn run(
    wrapper: Option<ExecutorWrapper>,
    fixture: &Fixture,
    line: &str,
    code: ExitCode,
) -> (Vec<StampedEvent>, Option<Box<dyn AnyResult>>) {
    let root = fixture.root().display().to_string();
    let words = line.split_whitespace().map(|word| word.replace('@', &format!("{root}/")));
    let words = ["juror".to_owned()].into_iter().chain(words);
    let arguments = Arguments::try_parse_from(words).expect("arguments as they are typed");
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&recorded);
    let context = Context::new(move |stamped| {
        sink.lock().expect("no thread panicked").push(stamped.clone());
    });
    let mut context = context.with_wrapper(wrapper);
    let result = arguments
        .command
        .with_command(|command| output::run(command, Ok(()), &mut context, |_| ()));
    let mut events: Vec<StampedEvent> =
        std::mem::take(&mut recorded.lock().expect("no thread panicked"));
    let shown = result.as_ref().and_then(|result| result.shown());
    let of_result = shown.map_or(ExitCode::Success, |result| result.exit_code());
    assert_eq!(exit_code(&events, &context).graver_of(of_result), code, "{line}");
    // The number of progress events of a search depends on the machine.
    events.retain(|stamped| !matches!(stamped.event, Event::Progress(WorkProgress::Search(_))));
    let mask = Mask::for_fixture(fixture, line);
    let count = u32::try_from(events.len()).expect("few events");
    let masked = events.into_iter().zip(1..).map(|(stamped, index)| StampedEvent {
        // The whole takes 1.2 s.
        at: Duration::from_millis(1204) * index / count,
        package: stamped.package,
        event: mask.mask_event(stamped.event),
    });
    (masked.collect(), result)
}

pub(super) fn exit_code(events: &[StampedEvent], context: &Context) -> ExitCode {
    let mut report = Report::default();
    events.iter().for_each(|event| report.add_event(event));
    report.exit_code().graver_of(context.exit_code())
}

/// Replaces values that differ between runs.
pub(super) trait Maskable {
    fn masked(self, mask: &Mask) -> Self;
}

impl Maskable for StressResult {
    fn masked(mut self, mask: &Mask) -> Self {
        for explained in &mut self.explanations {
            explained.submission = mask.mask_text(&explained.submission);
        }
        Self { search: mask.mask_search(self.search), ..self }
    }
}

impl Maskable for Conversion {
    fn masked(self, mask: &Mask) -> Self {
        Self { path: mask.mask_path(&self.path), ..self }
    }
}

impl Maskable for ComparisonReport {
    fn masked(self, mask: &Mask) -> Self {
        Self { output: mask.mask_text(&self.output), ..self }
    }
}

pub(super) struct Mask {
    /// The directory of the packages.
    root: String,
    line: String,
}

impl Mask {
    fn for_fixture(fixture: &Fixture, line: &str) -> Self {
        Self { root: format!("{}/", fixture.root().display()), line: line.replace('@', "") }
    }

    fn mask_event(&self, event: Event) -> Event {
        match event {
            Event::Started { version, juror, command, task, .. } => {
                let command_line = format!("juror {}", self.line);
                Event::Started { version, juror, command, command_line, task }
            }
            Event::HostReady { .. } => Event::HostReady {
                isolation: Isolation::Namespaces,
                shortfall: None,
                most_at_once: None,
            },
            Event::PackageRead(mut package) => {
                package.path = self.mask_path(&package.path);
                Event::PackageRead(package)
            }
            Event::Diagnosed(Diagnostic {
                mut place,
                severity,
                message,
                help,
                quotes,
                prevents,
            }) => {
                place.path = self.mask_path(&place.path);
                let (message, help) =
                    (self.mask_text(&message), help.map(|help| self.mask_text(&help)));
                Event::Diagnosed(Diagnostic { place, severity, message, help, quotes, prevents })
            }
            Event::Complained { message, help } => {
                let (message, help) =
                    (self.mask_text(&message), help.map(|help| self.mask_text(&help)));
                Event::Complained { message, help }
            }
            Event::LimitsSet { limits, .. } => {
                Event::LimitsSet { limits, mechanism: MECHANISM.to_string() }
            }
            Event::CaseJudged { submission, test_case, verdict, .. } => {
                Event::CaseJudged { submission: self.mask_text(&submission), test_case, verdict }
            }
            Event::Progress(WorkProgress::Build(program)) => {
                Event::Progress(WorkProgress::Build(self.mask_text(&program)))
            }
            Event::SubmissionStarted { submission, test_cases } => {
                Event::SubmissionStarted { submission: self.mask_text(&submission), test_cases }
            }
            Event::Noted(note) => Event::Noted(self.mask_note(note)),
            Event::SearchStarted(plan) => Event::SearchStarted(self.mask_plan(plan)),
            Event::SubmissionJudged(mut judgement) => {
                judgement.compiler = judgement.compiler.map(mask_compiler);
                judgement.submission = self.mask_text(&judgement.submission);
                judgement.path = self.mask_path(&judgement.path);
                (0..)
                    .zip(std::sync::Arc::make_mut(&mut judgement.cases))
                    .for_each(|(index, case)| self.mask_case(case, index));
                Event::SubmissionJudged(judgement)
            }
            Event::Failed { submission, error } => Event::Failed {
                submission: submission.map(|submission| self.mask_text(&submission)),
                error: self.mask_error(error),
            },
            other => other,
        }
    }

    fn mask_note(&self, mut note: Note) -> Note {
        match &mut note {
            Note::Kept(dir) => *dir = self.mask_path(dir),
            Note::Class(class) => {
                class.folder = self.mask_text(&class.folder);
                let students = class.students.iter_mut();
                let names = students.flat_map(|student| &mut student.submissions);
                names.for_each(|name| *name = self.mask_text(name));
            }
            Note::Duplicates(found) => {
                let names = found.iter_mut().flat_map(|group| &mut group.submissions);
                names.for_each(|name| *name = self.mask_text(name));
            }
            Note::Explanation(explained) => {
                explained.submission = self.mask_text(&explained.submission)
            }
            Note::Proposal(proposal) => proposal.grammar = self.mask_path(&proposal.grammar),
            Note::NextSteps(_) | Note::Remark(_) | Note::Call { .. } => {}
        }
        note
    }

    fn mask_case(&self, case: &mut CaseJudgement, index: u64) {
        let stopped_by = case.outcome.as_ref().and_then(|outcome| outcome.stopped_by);
        // A cause begins with the measured value.
        let cause = case.cause.strip_prefix("over ").unwrap_or(&case.cause);
        let measured = cause.split_once(" s ").filter(|(number, _)| number.parse::<f64>().is_ok());
        if let Some((_, rest)) = measured {
            let number = match stopped_by {
                Some(StopReason::WallTime) => "5.00",
                _ => "1.50",
            };
            case.cause = format!("{number} s {rest}");
        }
        if let Some((before, _)) = case.cause.split_once("; held ") {
            case.cause = format!("{before}; held 64.5 MiB");
        }
        if let Some((before, rest)) = case.cause.split_once(", with ") {
            let rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
            case.cause = format!("{before}, with 0.002 {rest}");
        }
        // These are the messages of the default output validator.
        case.message = if case.cause_includes_message && stopped_by.is_some() {
            case.cause.clone()
        } else {
            self.mask_text(&case.message)
        };
        case.outcome = case.outcome.as_ref().map(|real| mask_outcome(real, index));
        // How busy the machine was differs between runs.
        let is_large = stopped_by == Some(StopReason::Memory);
        case.repeats = case.outcome.as_ref().filter(|_| is_large).map(sensitive_run);
        if let Some(evidence) = &mut case.evidence {
            self.mask_evidence(evidence);
        }
    }

    fn mask_evidence(&self, evidence: &mut Evidence) {
        evidence.repeat = self.mask_text(&evidence.repeat);
        let paths = [&mut evidence.kept, &mut evidence.feedback, &mut evidence.input_path];
        for path in paths.into_iter().flatten() {
            *path = self.mask_path(path);
        }
        evidence.transcript.iter_mut().for_each(mask_transcript_times);
    }

    fn mask_plan(&self, plan: SearchPlan) -> SearchPlan {
        let chosen = plan.chosen.rsplit_once(": ").map(|(before, _)| format!("{before}: 0.001 s"));
        SearchPlan {
            submission: self.mask_text(&plan.submission),
            reference: self.mask_text(&plan.reference),
            chosen: chosen.unwrap_or(plan.chosen),
            sources: plan.sources.iter().map(|source| self.mask_text(source)).collect(),
            seed: plan.seed,
            time: plan.time,
            shrink_time: plan.shrink_time,
        }
    }

    fn mask_search(&self, search: Search) -> Search {
        let mut found = search.found;
        found
            .iter_mut()
            .filter_map(|found| found.transcript.as_mut())
            .for_each(mask_transcript_times);
        let mut tried = search.tried;
        for source in &mut tried {
            source.time = Duration::from_millis(source.inputs);
            source.slowest = Duration::from_millis(1);
        }
        Search {
            plan: self.mask_plan(search.plan),
            found,
            tried,
            searching: Duration::from_millis(940),
            elapsed: Duration::from_millis(990),
            repeat: self.mask_text(&search.repeat),
            ..search
        }
    }

    fn mask_error(&self, mut error: JudgeError) -> JudgeError {
        error.step = self.mask_text(&error.step);
        error.reason = self.mask_text(&error.reason);
        error.help = error.help.map(|help| self.mask_text(&help));
        if let Some(program) = &mut error.program {
            program.repeat = self.mask_text(&program.repeat);
            program.kept = program.kept.as_deref().map(|kept| self.mask_path(kept));
        }
        error
    }

    fn mask_text(&self, text: &str) -> String {
        text.replace(&self.root, "")
    }

    fn mask_path(&self, path: &Path) -> PathBuf {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        // Names of boxes contain paths.
        path.to_string_lossy().replace(&self.root.replace('/', "~-"), "").into()
    }
}

/// A millisecond for each piece.
fn mask_transcript_times(transcript: &mut Transcript) {
    let pieces = transcript.first.iter_mut().chain(&mut transcript.last);
    (1..).zip(pieces).for_each(|(index, piece)| piece.at = Duration::from_millis(index));
}

/// Without source lines, which compiler versions show differently.
fn mask_compiler(report: CompilerReport) -> CompilerReport {
    let lines = report.messages.split_inclusive(|byte| *byte == b'\n');
    let messages = lines.filter(|line| !line.starts_with(b" ")).collect::<Vec<_>>().concat();
    let outcome = report.outcome.map(|real| Outcome {
        stderr_bytes: Bytes(messages.len() as u64),
        file_bytes: Bytes(0),
        ..mask_outcome(&real, 0)
    });
    CompilerReport { messages, outcome, ..report }
}

/// The events as if Ctrl-C had been pressed before the last `before` events.
pub(super) fn interrupted_events(
    mut events: Vec<StampedEvent>,
    before: usize,
) -> Vec<StampedEvent> {
    let end = events.pop().expect("an end");
    events.truncate(events.len() + 1 - before);
    events.push(StampedEvent { event: finished_event(ExitCode::Interrupted), ..end });
    events
}

pub(super) fn started_event(command: &str, arguments: &str) -> Event {
    Event::Started {
        version: juror_core::event::EVENTS_VERSION,
        juror: String::new(),
        command: command.to_owned(),
        command_line: format!("juror {command} {arguments}"),
        task: CommandTask::Other,
    }
}

pub(super) fn finished_event(ended: ExitCode) -> Event {
    Event::Finished { ended, recalled: None, workers: Vec::new() }
}

/// All events have the same time.
pub(super) fn with_end(mut events: Vec<Event>, elapsed_millis: u64) -> Vec<StampedEvent> {
    events.push(finished_event(ExitCode::Success));
    let at = Duration::from_millis(elapsed_millis);
    events.into_iter().map(|event| StampedEvent { at, package: None, event }).collect()
}

/// A run near the time limit that was not repeated.
fn sensitive_run(only: &Outcome) -> Box<Repeats> {
    let runs = vec![TimedRun::new(only, Duration::ZERO)];
    Box::new(Repeats { is_sensitive: true, runs })
}

/// Replaces times and memory.
fn mask_outcome(real: &Outcome, index: u64) -> Outcome {
    let (cpu_millis, wall_millis) = match real.stopped_by {
        Some(StopReason::CpuTime) => (1501, 1503),
        Some(StopReason::WallTime) => (2, 5001),
        _ => (2 + index, 3 + index),
    };
    Outcome {
        cpu_time: Duration::from_millis(cpu_millis),
        wall_time: Duration::from_millis(wall_millis),
        queued: Duration::ZERO,
        peak_memory: match real.stopped_by {
            Some(StopReason::Memory) => Bytes::mib(64),
            _ => Bytes::kib(1100 + 64 * index),
        },
        // The time of a stop varies.
        stdout_bytes: match real.stopped_by {
            Some(_) => Bytes(0),
            None => real.stdout_bytes,
        },
        mechanism: MECHANISM,
        ..real.clone()
    }
}
