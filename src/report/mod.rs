//! Shows events: to people at a terminal, and to programs as JSON, CSV, JUnit and annotations. Knows no processes.
//!
//! A live reporter gets each event once, in order, with the [`Report`] so far; other reporters get the whole report at
//! the end. Neither counts for itself. An error of a writer is returned unchanged: a closed pipe
//! (`juror judge … | head`) is [`io::ErrorKind::BrokenPipe`], and the caller decides.

pub mod csv;
pub mod document;
pub mod feedback;
pub mod file;
pub mod github;
pub mod gradebook;
pub mod html;
pub mod json;
pub mod junit;
pub mod log;
pub mod notices;
pub mod progress;
pub mod result;
pub mod style;
pub mod terminal;

use std::io::{self, Write};

use crate::report::document::Report;
use crate::report::feedback::{Hidden, Place};
use crate::report::file::ReportFile;
use crate::report::html::PageContent;
use crate::report::result::{AnyResult, CommandResult};
use juror_core::event::{Event, StampedEvent};

pub enum Reporter<'a> {
    Live(Box<dyn LiveReporter + Send + 'a>),
    AtEnd(WriteReport, Box<dyn Write + Send + 'a>),
    /// Written at the end of the command, even if another writer failed.
    File(WriteReport, ReportFile),
    /// Writes each event at once as a line of JSON. `None` after an error, so that no incomplete file remains.
    Events(Option<ReportFile>),
    /// A page for each student.
    Feedback(Place, Hidden),
}

pub const EVENTS_SIGNATURE: &str = "\"event\":\"started\"";

/// Writes a report, and a page also what else it shows.
pub type WriteReport = fn(&Report, PageContent<'_>, &mut dyn Write) -> io::Result<()>;

pub trait LiveReporter {
    fn show_event(&mut self, event: &Event, report: &Report) -> io::Result<()>;

    /// Called before the last event.
    fn show_result(&mut self, _: &dyn AnyResult) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Default)]
pub struct Reporters<'a> {
    all: Vec<Reporter<'a>>,
    report: Report,
    first_error: Option<io::Error>,
}

impl<'a> Reporters<'a> {
    /// Each reporter gets every event, in this order.
    pub fn new(all: Vec<Reporter<'a>>) -> Self {
        Self { all, ..Self::default() }
    }

    /// After a writer has failed, only files get events.
    pub fn show_event(&mut self, stamped: &StampedEvent) {
        self.report.add_event(stamped);
        for reporter in &mut self.all {
            let shown = match reporter {
                Reporter::Live(live) if self.first_error.is_none() => {
                    live.show_event(&stamped.event, &self.report)
                }
                Reporter::Events(file) => write_event(stamped, file),
                _ => Ok(()),
            };
            self.first_error = self.first_error.take().or(shown.err());
        }
    }

    pub fn show_result(&mut self, result: &dyn AnyResult) {
        for reporter in &mut self.all {
            if let (Reporter::Live(live), None) = (reporter, &self.first_error) {
                self.first_error = live.show_result(result).err();
            }
        }
    }

    pub fn finish(&mut self, result: Option<&dyn AnyResult>) {
        let report = &self.report;
        let shown = result.and_then(AnyResult::shown);
        let content = shown.map_or(PageContent::Nothing, CommandResult::page_content);
        for reporter in self.all.drain(..) {
            let written = match reporter {
                Reporter::File(write, file) => file.write(|out| write(report, content, out)),
                Reporter::Events(Some(file)) => file.write(|_| Ok(())),
                Reporter::Feedback(place, hidden) if !report.classes.is_empty() => {
                    place.write(report, &hidden)
                }
                Reporter::AtEnd(write, mut out) if self.first_error.is_none() => {
                    write(report, content, &mut out).and_then(|()| out.flush())
                }
                _ => Ok(()),
            };
            self.first_error = self.first_error.take().or(written.err());
        }
    }

    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The first error of a writer.
    pub fn first_error(&self) -> Option<&io::Error> {
        self.first_error.as_ref()
    }
}

/// Drops the file if writing fails.
fn write_event(stamped: &StampedEvent, file: &mut Option<ReportFile>) -> io::Result<()> {
    let Some(out) = file else { return Ok(()) };
    let line = serde_json::to_vec(stamped).map_err(io::Error::from);
    let written = line.and_then(|line| out.write_part(&[line, b"\n".to_vec()].concat()));
    if written.is_err() {
        *file = None;
    }
    written
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;
    use juror_core::diagnostic::Diagnostic;
    use juror_core::event::CommandTask;
    use juror_core::judgement::{
        BrokenExpectation, CaseJudgement, CompilerReport, JudgeError, Judgement,
    };
    use juror_core::outcome::Outcome;
    use juror_core::outcome::quiet_outcome;
    use juror_core::progress::PackageReport;
    use juror_core::units::Bytes;
    use juror_core::verdict::Verdict;

    /// Four submissions (right, wrong, not built, skipped) and a fault of the package.
    pub(crate) fn report(task: CommandTask) -> Report {
        let outcome = Outcome {
            cpu_time: Duration::from_millis(500),
            wall_time: Duration::from_millis(600),
            peak_memory: Bytes(2048),
            ..quiet_outcome()
        };
        let case = |name: &str, verdict| CaseJudgement {
            cause: if verdict == Verdict::Accepted { "" } else { "token 1 differs" }.to_owned(),
            outcome: Some(outcome.clone()),
            ..CaseJudgement::new(name, verdict)
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
            warnings: Vec::new(),
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
            Event::Started {
                version: juror_core::event::EVENTS_VERSION,
                juror: String::new(),
                command: "test".to_owned(),
                command_line: String::new(),
                task,
            },
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
                warnings: Vec::new(),
                ..judged("c.c", Verdict::CompileError, Verdict::Accepted)
            })),
            Event::Failed { submission: Some("d.go".to_owned()), error: lacking },
            Event::Diagnosed(diagnostic),
        ];
        let mut report = Report::default();
        for event in events {
            let at = Duration::from_secs(2);
            report.add_event(&StampedEvent { at, package: Some("sum".into()), event });
        }
        report
    }
}
