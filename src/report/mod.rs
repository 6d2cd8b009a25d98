//! Shows events: to people at a terminal, and to programs as JSON, CSV, JUnit and annotations. Knows no processes.
//!
//! A live reporter gets each event once, in order, with the [`Report`] so far; other reporters get the whole report at
//! the end. Neither counts for itself. An error of a writer is returned unchanged: a closed pipe
//! (`juror judge … | head`) is [`io::ErrorKind::BrokenPipe`], and the caller decides.

pub mod csv;
pub mod file;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod log;
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

/// A way to show events.
pub enum Reporter<'a> {
    /// As they happen.
    Live(Box<dyn Live + Send + 'a>),
    /// At the end of the command.
    AtEnd(WriteReport, Box<dyn Write + Send + 'a>),
    /// At the end of the command, in a file. It is written even if another writer failed.
    File(WriteReport, Option<ReportFile>),
    /// Not at all: events are passed on, to be inspected or shown elsewhere.
    Recorded(Recording),
}

/// A channel for events as they happen.
pub type Recording = Sender<Stamped>;

/// Writes a report.
pub type WriteReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// A reporter that shows events as they happen.
pub trait Live {
    /// Shows an event.
    ///
    /// # Errors
    /// Errors of the writer, including a closed pipe.
    fn event(&mut self, event: &Event, report: &Report) -> io::Result<()>;
}

/// All reporters of a command, and its report so far.
#[derive(Default)]
pub struct Reporters<'a> {
    all: Vec<Reporter<'a>>,
    report: Report,
    failed: Option<io::Error>,
}

impl<'a> Reporters<'a> {
    /// These reporters, each of which gets every event, in this order.
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
                    file.take().map_or(Ok(()), |file| file.write(|out| write(report, out)))
                }
                _ if self.failed.is_some() => Ok(()),
                Reporter::Live(live) => live.event(&stamped.event, report),
                Reporter::AtEnd(write, out) if is_end => {
                    write(report, out).and_then(|()| out.flush())
                }
                Reporter::AtEnd(..) | Reporter::File(..) => Ok(()),
                Reporter::Recorded(recording) => {
                    // If nobody receives them any more, they are not needed.
                    let _ = recording.send(stamped.clone());
                    Ok(())
                }
            };
            self.failed = self.failed.take().or(shown.err());
        }
    }

    /// The report so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The first error of a writer; after it only files were written.
    pub fn failed(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::diagnostic::Diagnostic;
    use crate::model::judgement::{
        BrokenExpectation, CaseJudgement, CompilerReport, JudgeError, Judgement,
    };
    use crate::model::outcome::Outcome;
    use crate::model::outcome::quiet_outcome;
    use crate::model::report::PackageReport;
    use crate::model::units::Bytes;
    use crate::model::verdict::Verdict;

    /// A report on four submissions (right, wrong, not built, skipped) and a fault of the package.
    pub(crate) fn report(command: &'static str) -> Report {
        let outcome = Outcome {
            cpu_time: Duration::from_millis(500),
            wall_time: Duration::from_millis(600),
            peak_memory: Bytes(2048),
            ..quiet_outcome()
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
