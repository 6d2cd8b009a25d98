//! Runs commands on small packages and keeps what happened, to be shown by every reporter.
//!
//! Everything is real but what differs from run to run and from machine to machine: times, memory, where the
//! package lies, and what isolates. These are replaced, also where a cause tells them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use juror::cli::arguments::{Arguments, Command, OutputOptions};
use juror::cli::{self, exit_code::ExitCode};
use juror::executor::Around;
use juror::model::diagnostic::Diagnostic;
use juror::model::event::{Event, Stamped};
use juror::model::isolation::Isolation;
use juror::model::judgement::{CaseJudgement, Evidence, JudgeError};
use juror::model::outcome::{Mechanism, Meter, Outcome, StoppedBy};
use juror::model::units::Bytes;
use juror::report::Recording;

use crate::fixture::Fixture;
use crate::wire;

const MECHANISM: Mechanism =
    Mechanism { cpu: Meter::Cgroup2, memory: Meter::Cgroup2, isolation: Isolation::Namespaces };

/// Runs `juror` with these words, of which those that begin with `@` are in the fixture, and gives what
/// happened. It must end with this exit code. All jobs and replies travel as bytes.
pub(super) fn record(fixture: &Fixture, line: &str, code: ExitCode) -> Vec<Stamped> {
    record_around(Some(wire::around), fixture, line, code)
}

/// The same with something else around the executor.
pub(super) fn record_around(
    around: Option<Around>,
    fixture: &Fixture,
    line: &str,
    code: ExitCode,
) -> Vec<Stamped> {
    let root = fixture.root().display().to_string();
    let words = line.split_whitespace().map(|word| match word.strip_prefix('@') {
        Some(name) => format!("{root}/{name}"),
        None => word.to_owned(),
    });
    let words = ["juror".to_owned()].into_iter().chain(words);
    let mut arguments = Arguments::try_parse_from(words).expect("arguments as they are typed");
    let recording = Recording::default();
    let output = output_of(&mut arguments.command);
    output.recording = Some(recording.clone());
    output.around = around;
    assert_eq!(cli::dispatch(&arguments), code, "{line}");
    let events = recording.lock().expect("no thread panicked").clone();
    let mask = Mask { root: format!("{root}/"), line: line.replace('@', "") };
    let count = u32::try_from(events.len()).expect("few events");
    let masked = events.into_iter().zip(1..).map(|(stamped, index)| Stamped {
        // So that the whole takes 1.2 s.
        at: Duration::from_millis(1204) * index / count,
        package: stamped.package,
        event: mask.event(stamped.event),
    });
    masked.collect()
}

fn output_of(command: &mut Command) -> &mut OutputOptions {
    match command {
        Command::Judge(arguments) => &mut arguments.output,
        Command::Verify(arguments) => &mut arguments.output,
        Command::Generate(arguments) => &mut arguments.output,
        Command::Stress(arguments) => &mut arguments.output,
        Command::Compare(arguments) => &mut arguments.show,
        other => panic!("not recorded: {other:?}"),
    }
}

/// What is put in place of what differs.
struct Mask {
    /// Where the packages lie.
    root: String,
    /// The arguments.
    line: String,
}

impl Mask {
    fn event(&self, event: Event) -> Event {
        match event {
            Event::Started { command, .. } => {
                Event::Started { command, command_line: format!("juror {}", self.line) }
            }
            Event::HostReady { .. } => Event::HostReady {
                isolation: Isolation::Namespaces,
                shortfall: None,
                most_at_once: None,
            },
            Event::PackageRead {
                package,
                path,
                title,
                format,
                format_reason,
                submissions,
                test_cases,
            } => Event::PackageRead {
                package,
                path: self.path(&path),
                title,
                format,
                format_reason,
                submissions,
                test_cases,
            },
            Event::Diagnosed(Diagnostic { severity, mut place, message, help }) => {
                place.path = self.path(&place.path);
                let (message, help) = (self.text(&message), help.map(|help| self.text(&help)));
                Event::Diagnosed(Diagnostic { severity, place, message, help })
            }
            Event::Complained { message } => Event::Complained { message: self.text(&message) },
            Event::LimitsSet { time, limits, .. } => {
                Event::LimitsSet { time, limits, mechanism: MECHANISM.to_string() }
            }
            Event::CaseJudged { submission, test_case, verdict, .. } => Event::CaseJudged {
                submission: self.text(&submission),
                test_case,
                verdict,
                cpu_time: Duration::from_millis(2),
            },
            Event::BuildStarted { program } => Event::BuildStarted { program: self.text(&program) },
            Event::SubmissionStarted { submission, test_cases } => {
                Event::SubmissionStarted { submission: self.text(&submission), test_cases }
            }
            Event::Compared { output, difference, evidence } => {
                Event::Compared { output: self.text(&output), difference, evidence }
            }
            Event::SubmissionJudged(mut judgement) => {
                judgement.submission = self.text(&judgement.submission);
                (0..).zip(&mut judgement.cases).for_each(|(index, case)| self.case(case, index));
                Event::SubmissionJudged(judgement)
            }
            Event::SubmissionFailed { submission, error } => Event::SubmissionFailed {
                submission: self.text(&submission),
                error: self.error(error),
            },
            Event::Failed(error) => Event::Failed(self.error(error)),
            other => other,
        }
    }

    fn case(&self, case: &mut CaseJudgement, index: u64) {
        let stopped_by = case.outcome.as_ref().and_then(|outcome| outcome.stopped_by);
        // What was measured stands first in a cause.
        let measured =
            case.cause.split_once(" s ").filter(|(number, _)| number.parse::<f64>().is_ok());
        if let Some((_, rest)) = measured {
            let number = match stopped_by {
                Some(StoppedBy::WallTime) => "5.00",
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
        case.message = match stopped_by {
            Some(_) => case.cause.clone(),
            None => self.text(&case.message),
        };
        case.outcome = case.outcome.as_ref().map(|real| outcome(real, index));
        if let Some(evidence) = &mut case.evidence {
            self.evidence(evidence);
        }
    }

    fn evidence(&self, evidence: &mut Evidence) {
        evidence.repeat = self.text(&evidence.repeat);
        let transcript = evidence.transcript.iter_mut();
        let said = transcript.flat_map(|it| it.first.iter_mut().chain(&mut it.last));
        (1..).zip(said).for_each(|(index, said)| said.at = Duration::from_millis(index));
    }

    fn error(&self, mut error: JudgeError) -> JudgeError {
        error.step = self.text(&error.step);
        error.reason = self.text(&error.reason);
        error.help = error.help.map(|help| self.text(&help));
        if let Some(program) = &mut error.program {
            program.repeat = self.text(&program.repeat);
        }
        error
    }

    fn text(&self, text: &str) -> String {
        text.replace(&self.root, "")
    }

    fn path(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

/// A run with the times and the memory of the script.
fn outcome(real: &Outcome, index: u64) -> Outcome {
    let (cpu_millis, wall_millis) = match real.stopped_by {
        Some(StoppedBy::CpuTime) => (1501, 1503),
        Some(StoppedBy::WallTime) => (2, 5001),
        _ => (2 + index, 3 + index),
    };
    Outcome {
        cpu_time: Duration::from_millis(cpu_millis),
        wall_time: Duration::from_millis(wall_millis),
        peak_memory: match real.stopped_by {
            Some(StoppedBy::Memory) => Bytes::mib(64),
            _ => Bytes::kib(1100 + 64 * index),
        },
        // A program is stopped a little sooner or later.
        stdout_bytes: match real.stopped_by {
            Some(_) => Bytes(0),
            None => real.stdout_bytes,
        },
        mechanism: MECHANISM,
        ..real.clone()
    }
}
