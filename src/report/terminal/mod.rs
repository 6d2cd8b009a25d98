//! Shows events to people.

pub mod columns;
mod compiler;
mod created;
mod diagnostic;
pub mod difference;
mod doctor;
mod explanation;
pub mod interaction;
mod judgement;
pub mod listing;
pub mod page;
mod proposal;
mod repeats;
mod score;
mod search;
mod strength;
mod summary;
mod table;
mod tools;

use std::io::{self, Write};

use crate::report::LiveReporter;
use crate::report::document::{Report, SubmissionReport};
use crate::report::notices::urgent_message;
use crate::report::progress::Progress;
use crate::report::result::AnyResult;
use crate::report::style::{Style, TableListing, TextRole};
use crate::report::terminal::page::Page;
use crate::report::terminal::repeats::RepeatedDiagnostics;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::{CommandTask, Event, Note};
use juror_core::judgement::{JudgeError, Judgement};
use juror_core::outcome::Outcome;
use juror_core::progress::LimitsReport;
use juror_core::text::{exact_seconds, joined, printable};

/// Results go to `out`, diagnostics and remarks about the work to `err`.
pub struct Terminal<O, E> {
    out: O,
    err: E,
    style: Style,
    pub listing: TableListing,
    /// Hidden while something is written.
    pub progress: Progress,
    shown: ShownParts,
}

#[derive(Default)]
struct ShownParts {
    /// The number of shown submissions; later ones are for the next table.
    submissions: usize,
    /// The number of shown test cases; later ones are for the next list.
    generated: usize,
    /// Judge errors to show below the next table, each with its submissions.
    faults: Vec<(Vec<String>, JudgeError)>,
    repeats: RepeatedDiagnostics,
    /// Whether the next text needs an empty line before it.
    gap: bool,
}

impl<O: Write, E: Write> Terminal<O, E> {
    pub fn new(out: O, err: E, style: Style) -> Self {
        let (listing, progress) = (TableListing::default(), Progress::hidden());
        Self { out, err, style, listing, progress, shown: ShownParts::default() }
    }

    fn result(&mut self, text: &str) -> io::Result<()> {
        self.write(text, false)
    }

    /// On a terminal both writers share a screen, so a message also gets an empty line after the title.
    fn write_remark(&mut self, text: &str) -> io::Result<()> {
        self.write(text, true)
    }

    fn write(&mut self, text: &str, is_remark: bool) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let gap = if std::mem::take(&mut self.shown.gap) { "\n" } else { "" };
        let (out, err) = (&mut self.out, &mut self.err);
        self.progress.suspend(|| {
            out.write_all(gap.as_bytes())?;
            if is_remark {
                out.flush()?;
                err.write_all(text.as_bytes())?;
                return err.flush();
            }
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }

    fn has_table(&self, report: &Report) -> bool {
        !self.style.is_quiet() && has_several_submissions(report)
    }

    fn finish_package(&mut self, report: &Report) -> io::Result<()> {
        let rows = if self.has_table(report) {
            &report.submissions[self.shown.submissions..]
        } else {
            &[]
        };
        let mut text = table::submission_table(rows, report, self.listing, &self.style);
        let judged = rows.iter().filter_map(SubmissionReport::judgement);
        text.push_str(&judgement::broken_expectations(judged, &self.style));
        for (submissions, error) in std::mem::take(&mut self.shown.faults) {
            text.push_str(&judgement::judge_error(&submissions, &error, &self.style));
        }
        let generated = &report.generated[self.shown.generated..];
        text.push_str(&summary::generated_list(generated, report, &self.style));
        self.shown.submissions = report.submissions.len();
        self.shown.generated = report.generated.len();
        self.result(&text)
    }

    fn show_package(&mut self, package: &str, title: &str) -> io::Result<()> {
        if self.style.is_quiet() {
            return Ok(());
        }
        let (package, title) = (printable(package), printable(title));
        let mut text = self.style.paint(TextRole::Title, &package);
        if !title.is_empty() && title != package {
            text += &format!(": {title}");
        }
        self.result(&format!("{text}\n"))?;
        self.shown.gap = true;
        Ok(())
    }

    fn show_or_count_diagnostic(
        &mut self,
        diagnostic: &Diagnostic,
        report: &Report,
    ) -> io::Result<()> {
        if diagnostic.severity == Severity::Remark && !self.style.is_verbose() {
            return Ok(());
        }
        // The diagnostic may be about the next package. A table that has begun is not interrupted.
        if !self.has_table(report) || self.shown.submissions == report.submissions.len() {
            self.finish_package(report)?;
        }
        let is_all = self.style.is_quiet() || self.style.is_verbose();
        if is_all || self.shown.repeats.count_and_show(diagnostic) {
            self.show_diagnostic(diagnostic)
        } else {
            Ok(())
        }
    }

    fn show_diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        if self.style.is_quiet() && diagnostic.severity == Severity::Warning {
            return Ok(());
        }
        let text = diagnostic::block(diagnostic, &self.style);
        self.write_remark(&text)
    }

    fn write_below_title(&mut self, lines: &[(&str, &str)]) -> io::Result<()> {
        let mut page = Page::new(&self.style);
        for (label, text) in lines {
            page.labelled(0, label, &printable(text));
        }
        self.shown.gap = false;
        self.result(&page.into_text())?;
        self.shown.gap = true;
        Ok(())
    }

    fn show_submission(&mut self, done: &SubmissionReport, report: &Report) -> io::Result<()> {
        let has_table = self.has_table(report);
        let name = if self.style.is_quiet() { full_name(done, report) } else { done.name.clone() };
        match &done.result {
            Err(fault) => self.show_fault(Some(&name), &fault.error, report)?,
            Ok(judged) => {
                let is_listed = table::is_listed(done, self.listing);
                let name = has_several_submissions(report).then_some(name.as_str());
                let origin = if is_recalled_on_bare_tests(judged, report) {
                    " (from the cache; --fresh runs again)"
                } else {
                    ""
                };
                let text = match () {
                    () if !is_listed => String::new(),
                    () if self.style.is_quiet() => {
                        judgement::verdict_line(name, judged, &self.style)
                    }
                    () if has_table && !self.style.is_verbose() => String::new(),
                    () if has_table => judgement::block(judged, origin, &self.style),
                    () => {
                        judgement::block(judged, origin, &self.style)
                            + &judgement::broken_expectations([&**judged], &self.style)
                    }
                };
                self.result(&text)?;
            }
        }

        if has_table && report.submissions_done() >= report.announced_submissions() {
            self.finish_package(report)
        } else {
            Ok(())
        }
    }

    /// Shows a judge error at once, or below the table.
    fn show_fault(
        &mut self,
        submission: Option<&str>,
        error: &JudgeError,
        report: &Report,
    ) -> io::Result<()> {
        let submissions: Vec<String> = submission.map(str::to_owned).into_iter().collect();
        if !self.has_table(report) {
            return self.result(&judgement::judge_error(&submissions, error, &self.style));
        }
        // A row of the table shows which submission was skipped.
        if submission.is_some() && error.lacks.is_some() {
            return Ok(());
        }
        let mut known = self.shown.faults.iter_mut();
        match known.find(|(names, known)| !names.is_empty() && is_same_fault(known, error)) {
            Some((names, _)) if submission.is_some() => names.extend(submissions),
            _ => self.shown.faults.push((submissions, error.clone())),
        }
        Ok(())
    }

    fn show_note(&mut self, note: &Note) -> io::Result<()> {
        match note {
            Note::Proposal(proposal) if !self.style.is_quiet() => {
                self.write_remark(&proposal::proposal_block(proposal, &self.style))
            }
            Note::Explanation(explained) => {
                self.result(&explanation::block(explained, &self.style))
            }
            Note::Call { kind, call } if self.style.is_verbose() => {
                self.write_below_title(&[(&format!("{kind}: "), call)])
            }
            Note::Kept(dir) => self.write_remark(&format!(
                "working directories are saved in {}\n",
                printable(&dir.display().to_string())
            )),
            Note::Remark(text) => self.write_remark(&format!("{}\n", printable(text))),
            // These are shown at the end, or by a table.
            _ => Ok(()),
        }
    }

    fn show_end(&mut self, report: &Report) -> io::Result<()> {
        self.finish_package(report)?;
        let mut page = Page::new(&self.style);
        if report.session.interrupted {
            let label = page::Label::new(TextRole::Bad, "interrupted: ");
            page.labelled(0, label, &summary::unfinished_work(report));
        }
        let in_short = summary::last_line(report, &self.style);
        if let Some(mut text) = in_short.filter(|_| !self.style.is_quiet()) {
            let is_cut = report.session.task == CommandTask::Judge && self.has_table(report);
            if is_cut && report.summary.rejected > 0 && !self.style.is_verbose() {
                text.push_str("; -v shows failures in full");
            }
            page.wrapped(0, &text);
        }
        self.result(&page.into_text())?;
        if self.style.is_quiet() {
            Ok(())
        } else {
            self.write_remark(&created::next_steps(&report.next, &self.style))
        }
    }
}

impl<O: Write, E: Write> LiveReporter for Terminal<O, E> {
    fn show_result(&mut self, result: &dyn AnyResult) -> io::Result<()> {
        let Some(result) = result.shown() else { return Ok(()) };
        let style = self.style;
        let mut page = Page::new(&style);
        result.render(&mut page);
        let text = page.into_text();
        let Some(raw) = result.raw() else { return self.result(&text) };
        let out = &mut self.out;
        self.progress.suspend(|| out.write_all(raw).and_then(|()| out.flush()))?;
        if style.is_quiet() { Ok(()) } else { self.write_remark(&text) }
    }

    fn show_event(&mut self, event: &Event, report: &Report) -> io::Result<()> {
        self.progress.show_event(event, report)?;
        let is_under_way = matches!(
            event,
            Event::Diagnosed(_)
                | Event::Progress(_)
                | Event::SubmissionStarted { .. }
                | Event::CaseJudged { .. }
                | Event::CaseGenerated { .. }
        );
        if !is_under_way {
            let rest = self.shown.repeats.take_hidden();
            rest.iter().try_for_each(|diagnostic| self.show_diagnostic(diagnostic))?;
        }
        let is_quiet = self.style.is_quiet();
        match event {
            Event::HostReady { .. } => {
                let text = urgent_message(event, &self.style).unwrap_or_default();
                let err = &mut self.err;
                self.progress.suspend(|| err.write_all(text.as_bytes()))
            }
            Event::PackageRead(package) => {
                self.finish_package(report)?;
                self.show_package(&package.name, &package.title)?;
                let is_wanted = self.style.is_verbose() || (package.format_is_guessed && !is_quiet);
                if !is_wanted || package.format.is_empty() {
                    return Ok(());
                }
                let format = format!("{}: {}", package.format, package.format_reason);
                self.write_below_title(&[("format:  ", &format)])
            }
            Event::Diagnosed(diagnostic) => self.show_or_count_diagnostic(diagnostic, report),
            Event::LimitsSet { limits, mechanism } if !is_quiet => {
                let limits = limits_in_words(limits, &self.style);
                let lines = [("limits:  ", limits.as_str()), ("sandbox: ", mechanism)];
                self.write_below_title(if self.style.is_verbose() { &lines } else { &lines[..1] })
            }
            Event::SubmissionJudged(_) | Event::Failed { submission: Some(_), .. } => {
                match report.submissions.last() {
                    Some(done) => self.show_submission(done, report),
                    None => Ok(()),
                }
            }
            Event::Failed { submission: None, error } => self.show_fault(None, error, report),
            Event::SearchStarted(plan) if !is_quiet => {
                self.write_remark(&search::plan_lines(plan, &self.style))
            }
            Event::Noted(note) => self.show_note(note),
            Event::Complained { .. } => {
                self.write_remark(&urgent_message(event, &self.style).unwrap_or_default())
            }
            Event::Finished { .. } => self.show_end(report),
            // Other values are shown with later events, or by the live line.
            _ => Ok(()),
        }
    }
}

/// Who judges on own tests may expect a new run.
fn is_recalled_on_bare_tests(judgement: &Judgement, report: &Report) -> bool {
    let is_bare = report.session.packages.last().is_some_and(|package| package.format_is_guessed);
    let mut runs = judgement.cases.iter().map(|case| case.outcome.as_ref());
    let is_recalled = |run: Option<&Outcome>| run.is_some_and(|run| run.ran_at.is_some());
    is_bare && !judgement.cases.is_empty() && runs.all(is_recalled)
}

/// Whether two submissions suffer from the same fault. The lines that repeat the runs differ.
fn is_same_fault(one: &JudgeError, other: &JudgeError) -> bool {
    let texts = |error: &JudgeError| {
        let stderr = error.program.as_ref().map(|program| program.stderr.clone());
        (error.step.clone(), error.reason.clone(), error.help.clone(), stderr)
    };
    texts(one) == texts(other)
}

/// If so, each submission is named, and all are in a table.
fn has_several_submissions(report: &Report) -> bool {
    match report.session.task {
        CommandTask::Verify => true,
        CommandTask::Judge => report.announced_submissions() > 1,
        CommandTask::Generate | CommandTask::Other => false,
    }
}

/// With the package if no title names it.
fn full_name(submission: &SubmissionReport, report: &Report) -> String {
    match (report.session.task, &submission.package) {
        (CommandTask::Verify, Some(package)) => {
            format!("{}: {}", printable(package), submission.name)
        }
        _ => submission.name.clone(),
    }
}

/// The limits, such as `CPU time 1 s (problem.yaml), clock 3 s, memory 2 GiB, output 8 MiB`.
fn limits_in_words(limits: &LimitsReport, style: &Style) -> String {
    let (time, origin) = (exact_seconds(limits.cpu_time()), printable(&limits.cpu_origin));
    let limits = &limits.run;
    let processes = limits.processes.filter(|_| style.is_verbose());
    let parts = [
        Some(format!("CPU time {time} ({origin})")),
        limits.wall_time.map(|wall| format!("clock {}", exact_seconds(wall))),
        Some(limits.memory.map_or("memory not limited".to_owned(), |max| format!("memory {max}"))),
        limits.output.map(|output| format!("output {output}")),
        processes.map(|processes| format!("processes {processes}")),
    ];
    joined(parts.into_iter().flatten(), ", ")
}
