//! A live line on standard error: what is under way, counts and time. Only for a person who looks.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::model::event::Event;
use crate::model::report::{ProgressStep, Report};
use crate::model::stress::SearchProgress;
use crate::model::text::{count, printable};
use crate::report::Live;

/// A line that is redrawn in place, and gone at the end.
pub struct Progress {
    bar: ProgressBar,
    state: State,
}

/// What is under way just now.
#[derive(Default)]
struct State {
    /// Comparisons of a search.
    comparisons: usize,
    now: String,
}

impl Progress {
    /// A line that is never shown.
    pub fn hidden() -> Self {
        Self::on(ProgressDrawTarget::hidden())
    }

    /// A line on standard error, shown only on a terminal that can redraw, and not if `CI` is set.
    pub fn on_stderr() -> Self {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        if in_ci || is_dumb || !io::stderr().is_terminal() {
            return Self::hidden();
        }
        Self::on(ProgressDrawTarget::term_like_with_hz(Box::new(Screen::default()), 20))
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4}  {wide_msg}") {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            // So that the time goes on while a long run says nothing.
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, state: State::default() }
    }

    /// Takes the line away while something else is written.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Live for Progress {
    fn event(&mut self, event: &Event, report: &Report) -> io::Result<()> {
        self.state.see(event);
        match event {
            Event::Finished => self.bar.finish_and_clear(),
            _ if self.bar.is_hidden() => {}
            _ => self.bar.set_message(self.state.line(report)),
        }
        Ok(())
    }
}

/// Standard error as a terminal that seems a little narrower than it is.
///
/// The line is filled with blanks up to the width. What a terminal echoes for Ctrl-C, `^C`, then still
/// fits behind it; else the cursor would be on the next line, and the line could not be taken away.
///
/// What is written leaves in one piece at the flush, so that nothing flickers.
#[derive(Debug, Default)]
struct Screen {
    pending: Mutex<String>,
}

impl Screen {
    fn write(&self, text: &str) -> io::Result<()> {
        self.pending().push_str(text);
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, String> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the cursor so many cells in a direction, as ECMA-48 names it.
    fn go(&self, cells: usize, direction: char) -> io::Result<()> {
        match cells {
            0 => Ok(()),
            _ => self.write(&format!("\x1b[{cells}{direction}")),
        }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        const ECHO: u16 = 4;
        const LEAST: u16 = 20;
        let size = rustix::termios::tcgetwinsize(io::stderr());
        let width = size.map_or(80, |size| size.ws_col);
        width.saturating_sub(ECHO).max(LEAST)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.go(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.go(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.go(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.go(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.write(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let pending = std::mem::take(&mut *self.pending());
        io::stderr().write_all(pending.as_bytes())
    }
}

impl State {
    /// Learns from an event.
    fn see(&mut self, event: &Event) {
        match event {
            Event::PackageRead(_) => *self = Self::default(),
            Event::BuildStarted { program } => {
                self.now = format!("building {}", printable(program))
            }
            Event::SubmissionStarted { submission, .. } => self.now = printable(submission),
            Event::CaseJudged { submission, test_case, verdict, .. } => {
                self.now =
                    format!("{}: {verdict} on {}", printable(submission), printable(test_case));
            }
            Event::Progress(ProgressStep { what, done, total }) => {
                self.now = format!("{}: {done} of {total}", printable(what));
            }
            Event::CaseGenerated { test_case, .. } => self.now = printable(test_case),
            Event::Searching(progress) => {
                self.comparisons = usize::try_from(progress.runs).unwrap_or(usize::MAX);
                self.now = searching(progress);
            }
            _ => {}
        }
    }

    /// Such as `stairs, 2 of 5 submissions, 37 runs, greedy.cpp: AC on secret/02`.
    fn line(&self, report: &Report) -> String {
        let mut parts = Vec::new();
        if let Some(package) = report.packages.last() {
            parts.push(printable(&package.name));
            if package.submissions > 1 {
                let (done, all) = (report.submissions_done(), package.submissions);
                parts.push(format!("{done} of {all} submissions"));
            }
        }
        let runs = report.summary.runs - report.work.runs_before;
        if let Some(runs) = Some(runs.max(self.comparisons)).filter(|&runs| runs > 0) {
            parts.push(count(runs, "run"));
        }
        if !self.now.is_empty() {
            parts.push(self.now.clone());
        }
        parts.join(", ")
    }
}

/// Such as `2140 a second, making it smaller: 12 bytes`.
fn searching(progress: &SearchProgress) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    let speed = if seconds > 0.0 { progress.runs as f64 / seconds } else { 0.0 };
    let smallest = match progress.smallest {
        None => String::new(),
        Some(bytes) => format!(": {}", count(bytes, "byte")),
    };
    format!("{speed:.0} a second, {}{smallest}", progress.doing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::Stamped;
    use crate::model::report::PackageReport;
    use crate::model::verdict::Verdict;

    #[test]
    fn the_line_leaves_room_for_what_ctrl_c_echoes() {
        // No terminal: 80 cells are assumed, or it has a width of its own.
        let cells = rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col);
        let width = Screen::default().width();
        assert!(width + 2 < cells.max(24), "{width} of {cells}");
    }

    #[test]
    fn the_line_says_what_is_under_way_and_how_much_is_done() {
        let (mut state, mut report) = (State::default(), Report::default());
        let mut check = |event: Event, line: &str| {
            state.see(&event);
            report.see(&Stamped { at: Duration::ZERO, package: None, event });
            assert_eq!(state.line(&report), line);
        };
        let read = |package: &str| {
            Event::PackageRead(Box::new(PackageReport {
                name: package.to_owned(),
                submissions: 2,
                test_cases: 3,
                ..PackageReport::default()
            }))
        };
        check(read("sum"), "sum, 0 of 2 submissions");
        check(
            Event::Progress(ProgressStep {
                what: "input validators".to_owned(),
                done: 3,
                total: 10,
            }),
            "sum, 0 of 2 submissions, input validators: 3 of 10",
        );
        check(
            Event::BuildStarted { program: "a\u{1b}.cpp".to_owned() },
            "sum, 0 of 2 submissions, building a\\x1b.cpp",
        );
        check(
            Event::SubmissionStarted { submission: "a.cpp".to_owned(), test_cases: 3 },
            "sum, 0 of 2 submissions, a.cpp",
        );
        check(
            Event::CaseJudged {
                submission: "a.cpp".to_owned(),
                test_case: "sample/1".to_owned(),
                verdict: Verdict::Accepted,
                cpu_time: Duration::from_millis(3),
            },
            "sum, 0 of 2 submissions, 1 run, a.cpp: AC on sample/1",
        );
        check(read("stairs"), "stairs, 0 of 2 submissions");
    }
}
