//! Shows what happens: to a person at a terminal, and to programs as JSON, CSV, JUnit and annotations. Knows no process.
//!
//! What shows a command as it runs gets each event once, in order, with the [`Report`] so far; what writes
//! at the end gets the whole report. Neither counts for itself. An error of a writer is returned as it is: a
//! closed pipe (`juror judge … | head`) is [`io::ErrorKind::BrokenPipe`], and the caller decides.

pub mod csv;
pub mod file;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod manual;
pub mod notices;
pub mod progress;
pub mod style;
pub mod terminal;

use std::io::{self, Write};
use std::sync::mpsc::Sender;

use crate::model::event::{Event, Stamped};
use crate::model::report::Report;
use crate::report::file::ReportFile;

/// Something that shows what happens.
pub enum Reporter<'a> {
    /// As it happens.
    Live(Box<dyn Live + Send + 'a>),
    /// When the command is at its end.
    AtEnd(WriteReport, Box<dyn Write + Send + 'a>),
    /// When the command is at its end, into a file. It is written also if another writer failed.
    File(WriteReport, Option<ReportFile>),
    /// Not at all: events are handed on, to be looked at or shown elsewhere.
    Recorded(Recording),
}

/// Takes events as they happen.
pub type Recording = Sender<Stamped>;

/// Writes a report.
pub type WriteReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// Something that shows events as they happen.
pub trait Live {
    /// Shows one event.
    ///
    /// # Errors
    /// What the writer beneath says, a closed pipe included.
    fn event(&mut self, event: &Event, report: &Report) -> io::Result<()>;
}

/// Everything that shows a command, and what the command came to so far.
#[derive(Default)]
pub struct Reporters<'a> {
    all: Vec<Reporter<'a>>,
    report: Report,
    failed: Option<io::Error>,
}

impl<'a> Reporters<'a> {
    /// These, each of which gets every event, in this order.
    pub fn new(all: Vec<Reporter<'a>>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Shows an event, unless a writer has failed.
    pub fn event(&mut self, stamped: &Stamped) {
        self.report.see(stamped);
        let report = &self.report;
        let is_end = matches!(stamped.event, Event::Finished);
        for reporter in &mut self.all {
            let shown = match reporter {
                Reporter::File(write, file) if is_end => {
                    file.take().map_or(Ok(()), |file| file.write(*write, report))
                }
                _ if self.failed.is_some() => Ok(()),
                Reporter::Live(live) => live.event(&stamped.event, report),
                Reporter::AtEnd(write, out) if is_end => {
                    write(report, out).and_then(|()| out.flush())
                }
                Reporter::AtEnd(..) | Reporter::File(..) => Ok(()),
                Reporter::Recorded(recording) => {
                    // If nobody looks at them any more, they are not missed.
                    let _ = recording.send(stamped.clone());
                    Ok(())
                }
            };
            self.failed = self.failed.take().or(shown.err());
        }
    }

    /// What has happened so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The first error of a writer; only files were written after it.
    pub fn failed(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::diagnostic::Diagnostic;
    use crate::model::isolation::Isolation;
    use crate::model::judgement::{
        BrokenExpectation, CaseJudgement, CompilerReport, JudgeError, Judgement,
    };
    use crate::model::outcome::{Contention, Ending, Mechanism, Meter, Outcome};
    use crate::model::report::PackageReport;
    use crate::model::units::Bytes;
    use crate::model::verdict::Verdict;

    /// A report of four submissions: right, wrong, not built and skipped; and of a fault of the package.
    pub(crate) fn report(command: &'static str) -> Report {
        let outcome = Outcome {
            ending: Ending::Exited(0),
            stopped_by: None,
            cpu_time: Duration::from_millis(500),
            wall_time: Duration::from_millis(600),
            queued: Duration::ZERO,
            peak_memory: Bytes(2048),
            stdout_bytes: Bytes(0),
            stderr_bytes: Bytes(0),
            file_bytes: Bytes(0),
            refused_processes: 0,
            contention: Contention::default(),
            mechanism: Mechanism {
                cpu: Meter::Cgroup2,
                memory: Meter::Cgroup2,
                isolation: Isolation::Namespaces,
            },
            ran_at: None,
            worker: None,
        };
        let case = |name: &str, verdict| CaseJudgement {
            test_case: name.to_owned(),
            verdict,
            cause: if verdict == Verdict::Accepted { "" } else { "token 1 differs" }.to_owned(),
            message: String::new(),
            is_told: true,
            team_message: String::new(),
            score: None,
            with_margin: None,
            repeats: None,
            outcome: Some(outcome.clone()),
            difference: None,
            evidence: None,
        };
        let judged = |name: &str, verdict, last| Judgement {
            submission: name.to_owned(),
            path: format!("sum/{name}").into(),
            verdict,
            cases: vec![case("sample/1", Verdict::Accepted), case("secret/2", last)].into(),
            score: None,
            skipped: 0,
            spared: 0,
            compiler: None,
            broken: Vec::new(),
        };
        let broken = BrokenExpectation {
            rule: "accepted".to_owned(),
            reason: "required AC".to_owned(),
            test_case: None,
        };
        let refused = CompilerReport::refused("the compiler ends with exit code 1".to_owned());
        let lacking =
            JudgeError { lacks: Some("go".to_owned()), ..JudgeError::new("build", "go not found") };
        let diagnostic = Diagnostic::error("sum/problem.yaml", "has no name").help("add one");
        let package = PackageReport { name: "sum".to_owned(), ..PackageReport::default() };
        let events = [
            Event::Started { command, command_line: String::new() },
            Event::PackageRead(Box::new(package)),
            Event::SubmissionJudged(Box::new(judged(
                "a.cpp",
                Verdict::Accepted,
                Verdict::Accepted,
            ))),
            Event::SubmissionJudged(Box::new(Judgement {
                skipped: 1,
                broken: vec![broken],
                ..judged("odd, \"name\".py", Verdict::WrongAnswer, Verdict::WrongAnswer)
            })),
            Event::SubmissionJudged(Box::new(Judgement {
                skipped: 2,
                cases: Vec::new().into(),
                compiler: Some(refused),
                ..judged("c.c", Verdict::CompileError, Verdict::Accepted)
            })),
            Event::SubmissionFailed { submission: "d.go".to_owned(), error: lacking },
            Event::Diagnosed(diagnostic),
        ];
        let mut report = Report::default();
        for event in events {
            let at = Duration::from_secs(2);
            report.see(&Stamped { at, package: Some("sum".into()), event });
        }
        report
    }
}
