//! For a person: results to one writer, diagnostics and a live line to another.

mod diagnostic;
mod difference;
mod exchange;
mod grammar;
mod hunt;
mod judgement;
mod page;
mod proposal;
mod score;
mod state;
mod table;

use std::io::{self, Write};
use std::path::Path;

use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::{Event, Summary};
use crate::model::judgement::{JudgeError, Judgement, TimeLimit};
use crate::model::limits::Limits;
use crate::model::text::{given_seconds, printable};
use crate::report::Reporter;
use crate::report::progress::Progress;
use crate::report::style::{Look, Style};
use crate::report::terminal::page::Page;
use crate::report::terminal::state::{Generated, State, Step, UnderWay};
use crate::report::terminal::table::Row;

/// Shows events to a person.
///
/// Results go to `out`, diagnostics and remarks about the work to `err`.
pub struct Terminal<O, E> {
    out: O,
    err: E,
    style: Style,
    progress: Progress,
    state: State,
}

impl<O: Write, E: Write> Terminal<O, E> {
    /// A reporter without a live line.
    pub fn new(out: O, err: E, style: Style) -> Self {
        Self {
            out,
            err,
            style,
            progress: Progress::hidden(),
            state: State::default(),
        }
    }

    /// The same with a live line, which steps aside whenever something is written.
    #[must_use]
    pub fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Writes a result.
    fn result(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let gap = if std::mem::take(&mut self.state.gap) {
            "\n"
        } else {
            ""
        };
        let out = &mut self.out;
        self.progress.suspend(|| {
            out.write_all(gap.as_bytes())?;
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }

    /// Writes a remark. On a terminal both writers show in one place, so it too keeps off the title.
    fn remark(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let gap = if std::mem::take(&mut self.state.gap) {
            "\n"
        } else {
            ""
        };
        let (out, err) = (&mut self.out, &mut self.err);
        self.progress.suspend(|| {
            out.write_all(gap.as_bytes())?;
            out.flush()?;
            err.write_all(text.as_bytes())?;
            err.flush()
        })
    }

    /// Whether all submissions of a package are shown in one table.
    fn has_table(&self) -> bool {
        self.state.command == "verify" && !self.style.is_quiet()
    }

    /// Writes what is still to be shown of a package: table, broken expectations, faults, test cases.
    fn rest_of_package(&mut self) -> io::Result<()> {
        let package = &mut self.state.package;
        let rows = std::mem::take(&mut package.rows);
        let mut text = table::table(&rows, &self.style);
        for row in &rows {
            if let Row::Judged(judgement) = row {
                text.push_str(&judgement::broken(judgement, &self.style));
            }
        }
        text.push_str(&std::mem::take(&mut package.faults).concat());
        text.push_str(&package.generated_list(&self.style));
        package.generated.clear();
        self.result(&text)
    }

    fn package_read(&mut self, package: &str, title: &str) -> io::Result<()> {
        if self.style.is_quiet() {
            return Ok(());
        }
        let (package, title) = (printable(package), printable(title));
        let text = if title.is_empty() || title == package {
            self.style.paint(Look::Title, &package)
        } else {
            format!("{}: {title}", self.style.paint(Look::Title, &package))
        };
        self.result(&format!("{text}\n"))?;
        self.state.gap = true;
        Ok(())
    }

    fn diagnosed(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        // It may be about the next package already. A table that has begun is not torn apart.
        if self.state.package.rows.is_empty() {
            self.rest_of_package()?;
        }
        if self.style.is_quiet() && diagnostic.severity == Severity::Warning {
            return Ok(());
        }
        let text = diagnostic::block(diagnostic, &self.style);
        self.remark(&text)
    }

    fn complained(&mut self, message: &str) -> io::Result<()> {
        let label = self.style.paint(Look::Bad, "error:");
        self.remark(&format!("{label} {}\n", printable(message)))
    }

    /// A valid input has a line; what is wrong with the others is said already.
    fn input_checked(&mut self, input: &Path, valid: bool) -> io::Result<()> {
        if self.style.is_quiet() || !valid {
            return Ok(());
        }
        let label = self.style.paint(Look::Good, "valid");
        let input = printable(&input.display().to_string());
        self.result(&format!("{label} {input}\n"))
    }

    fn limits_set(&mut self, time: &TimeLimit, limits: &Limits, mechanism: &str) -> io::Result<()> {
        if self.style.is_quiet() {
            return Ok(());
        }
        let mut page = Page::new(&self.style);
        let label = page::Label::plain("limits:  ");
        page.labelled(0, label, &limits_in_words(time, limits, &self.style));
        let label = page::Label::plain("sandbox: ");
        page.labelled(0, label, &printable(mechanism));
        let text = page.into_text();
        // They belong to the title.
        self.state.gap = false;
        self.result(&text)?;
        self.state.gap = true;
        Ok(())
    }

    fn submission_judged(&mut self, judgement: &Judgement) -> io::Result<()> {
        self.state.submission_done(&judgement.submission);
        let text = match () {
            () if self.style.is_quiet() => {
                judgement::line(&self.in_full(&judgement.submission), judgement, &self.style)
            }
            () if self.has_table() && !self.style.is_verbose() => String::new(),
            () if self.has_table() => judgement::block(judgement, &self.style),
            () => {
                judgement::block(judgement, &self.style)
                    + &judgement::broken(judgement, &self.style)
            }
        };
        self.result(&text)?;
        self.row(Row::Judged(Box::new(judgement.clone())))
    }

    fn submission_failed(&mut self, submission: &str, error: &JudgeError) -> io::Result<()> {
        self.state.submission_done(submission);
        self.state.failed += 1;
        self.fault(Some(submission), error)?;
        self.row(Row::Failed {
            submission: submission.to_owned(),
        })
    }

    /// Adds a row to the table; the last one completes it.
    fn row(&mut self, row: Row) -> io::Result<()> {
        if !self.has_table() {
            return Ok(());
        }
        let package = &mut self.state.package;
        package.rows.push(row);
        if package.done < package.submissions {
            return Ok(());
        }
        self.rest_of_package()
    }

    /// Shows a fault of the judge: at once, or under the table.
    fn fault(&mut self, submission: Option<&str>, error: &JudgeError) -> io::Result<()> {
        let name = submission.map(|name| match self.style.is_quiet() {
            true => self.in_full(name),
            false => name.to_owned(),
        });
        let text = judgement::judge_error(name.as_deref(), error, &self.style);
        if self.has_table() {
            self.state.package.faults.push(text);
            return Ok(());
        }
        self.result(&text)
    }

    /// A submission's name where no title says which package it belongs to.
    fn in_full(&self, submission: &str) -> String {
        match self.state.command {
            "verify" => format!("{}: {submission}", self.state.package.name),
            _ => submission.to_owned(),
        }
    }

    fn finished(&mut self, summary: &Summary) -> io::Result<()> {
        self.state.interrupted |= summary.interrupted;
        self.rest_of_package()?;
        let mut page = Page::new(&self.style);
        if self.state.interrupted {
            let label = page::Label::new(Look::Bad, "interrupted: ");
            page.labelled(0, label, &self.state.left_undone());
        }
        let in_short = self.state.in_short(summary);
        if let Some(text) = in_short.filter(|_| !self.style.is_quiet()) {
            page.wrapped(0, &text);
        }
        let text = page.into_text();
        self.result(&text)
    }
}

impl<O: Write, E: Write> Reporter for Terminal<O, E> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.progress.event(event)?;
        match event {
            Event::Started { command, .. } => {
                self.state.command = command;
                Ok(())
            }
            // A shortfall is said on standard error before anything else, whatever the reporter.
            Event::HostReady { .. } => Ok(()),
            Event::PackageRead {
                package,
                title,
                submissions,
                ..
            } => {
                self.rest_of_package()?;
                self.state.package_read(package, *submissions);
                self.package_read(package, title)
            }
            Event::Diagnosed(diagnostic) => self.diagnosed(diagnostic),
            Event::LimitsSet {
                time,
                limits,
                mechanism,
            } => self.limits_set(time, limits, mechanism),
            Event::SubmissionStarted {
                submission,
                test_cases,
            } => {
                self.state.package.under_way.push(UnderWay {
                    submission: submission.clone(),
                    test_cases: *test_cases,
                    judged: 0,
                });
                Ok(())
            }
            Event::CaseJudged { submission, .. } => {
                self.state.case_judged(submission);
                Ok(())
            }
            Event::SubmissionJudged(judgement) => self.submission_judged(judgement),
            Event::SubmissionFailed { submission, error } => {
                self.submission_failed(submission, error)
            }
            Event::Failed(error) => self.fault(None, error),
            Event::Progress { what, done, total } => {
                self.state.package.step = Some(Step {
                    what: printable(what),
                    done: *done,
                    total: *total,
                });
                Ok(())
            }
            Event::CaseGenerated { test_case, state } => {
                self.state.made.push(*state);
                self.state.package.generated.push(Generated {
                    test_case: test_case.clone(),
                    state: *state,
                });
                Ok(())
            }
            Event::Proposed(proposal) => match self.style.is_quiet() {
                true => Ok(()),
                false => self.remark(&proposal::page(proposal, &self.style)),
            },
            Event::Compared {
                output,
                difference,
                evidence,
            } => {
                let compared = difference::Compared {
                    output,
                    difference: difference.as_deref(),
                    evidence: evidence.as_deref(),
                };
                self.result(&compared.block(&self.style))
            }
            Event::HuntStarted(plan) => match self.style.is_quiet() {
                true => Ok(()),
                false => self.remark(&hunt::plan(plan, &self.style)),
            },
            Event::Hunting(_) => Ok(()),
            Event::Hunted(hunt) => self.result(&hunt::block(hunt, &self.style)),
            Event::InputChecked { input, valid } => self.input_checked(input, *valid),
            Event::BoundsListed(bounds) => self.result(&grammar::bounds(bounds)),
            Event::PackageRefused => {
                self.state.refused += 1;
                Ok(())
            }
            Event::BoxesKept { dir } => self.remark(&format!(
                "boxes are kept in {}\n",
                printable(&dir.display().to_string())
            )),
            Event::Complained { message } => self.complained(message),
            Event::Interrupted => {
                self.state.interrupted = true;
                Ok(())
            }
            Event::Finished(summary) => self.finished(summary),
            Event::BuildStarted { .. } | Event::BuildFinished { .. } => Ok(()),
        }
    }
}

/// Such as `CPU time 1 s (problem.yaml), clock 3 s, memory 2 GiB, output 8 MiB`.
fn limits_in_words(time: &TimeLimit, limits: &Limits, style: &Style) -> String {
    let mut parts = vec![format!(
        "CPU time {} ({})",
        given_seconds(time.limit),
        printable(&time.origin)
    )];
    if let Some(wall) = limits.wall_time {
        parts.push(format!("clock {}", given_seconds(wall)));
    }
    if let Some(memory) = limits.memory {
        parts.push(format!("memory {memory}"));
    }
    if let Some(output) = limits.output {
        parts.push(format!("output {output}"));
    }
    if let Some(processes) = limits.processes.filter(|_| style.is_verbose()) {
        parts.push(format!("processes {processes}"));
    }
    parts.join(", ")
}
