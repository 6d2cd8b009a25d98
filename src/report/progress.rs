//! The work in progress, on standard error: two lines that are redrawn in place, or a line from time to time.

use parking_lot::Mutex;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::report::LiveReporter;
use crate::report::document::Report;
use crate::report::style::shorten;
use juror_core::event::{Event, StreamProgress, WorkProgress};
use juror_core::progress::ProgressStep;
use juror_core::progress::SearchProgress;
use juror_core::text::{count, joined, printable};

/// CI systems keep each line, and some stop a job that writes none for ten minutes.
const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// Separates the two lines, and aligns the second one with the text after the time.
const LINE_GAP: &str = "\n          ";

pub struct Progress {
    view: ProgressView,
    state: ProgressState,
}

enum ProgressView {
    Hidden,
    Bar(ProgressBar),
    /// A new line each minute; `next` is the time of the next one.
    Lines {
        next: Duration,
        err: Box<dyn Write + Send>,
    },
}

#[derive(Default)]
struct ProgressState {
    search_runs: usize,
    stream: Option<StreamProgress>,
    activity: String,
    last: Option<JudgedRun>,
    /// A repeated run may have to wait until it runs alone.
    repeated: Option<JudgedRun>,
    /// The time when the first submission of the package began.
    started: Option<Duration>,
}

struct JudgedRun {
    submission: String,
    test_case: String,
    /// The verdict, or why it is repeated.
    result: String,
}

impl Progress {
    pub fn hidden() -> Self {
        Self { view: ProgressView::Hidden, state: ProgressState::default() }
    }

    /// Standard error must be a terminal that can redraw lines.
    pub fn on_stderr() -> Self {
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(StderrTerminal::default()), 20);
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4}  {msg}") {
            bar.set_style(style);
        }
        // Updates the time while a long run sends no events.
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { view: ProgressView::Bar(bar), state: ProgressState::default() }
    }

    /// Writes a line each minute; for files, pipes and terminals that cannot redraw.
    pub fn by_lines(err: Box<dyn Write + Send>) -> Self {
        Self {
            view: ProgressView::Lines { next: BETWEEN_LINES, err },
            state: ProgressState::default(),
        }
    }

    /// Hides the live lines during `write`.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.view {
            ProgressView::Bar(bar) => bar.suspend(write),
            ProgressView::Hidden | ProgressView::Lines { .. } => write(),
        }
    }
}

impl LiveReporter for Progress {
    fn show_event(&mut self, event: &Event, report: &Report) -> io::Result<()> {
        self.state.update(event, report);
        match (&mut self.view, event) {
            (ProgressView::Bar(bar), Event::Finished { .. }) => bar.finish_and_clear(),
            (ProgressView::Bar(bar), _) => {
                let room =
                    usize::from(StderrTerminal::default().width()).saturating_sub(LINE_GAP.len());
                let [first, second] =
                    self.state.lines(report).map(|line| shorten(&line, room, "..."));
                let gap = if second.is_empty() { "" } else { LINE_GAP };
                bar.set_message(format!("{first}{gap}{second}"));
            }
            (ProgressView::Lines { next, err }, _) => {
                if let Some(line) = self.state.next_line(next, report) {
                    // Progress may be lost.
                    let _ = writeln!(err, "{line}");
                }
            }
            (ProgressView::Hidden, _) => {}
        }
        Ok(())
    }
}

/// Standard error as a terminal that reports a slightly smaller width.
///
/// Lines are padded to the width. The `^C` that a terminal echoes must fit after the line; otherwise the cursor would
/// be on the next line, and the line could not be removed.
///
/// Output is written in one piece at the flush, to avoid flicker.
#[derive(Debug, Default)]
struct StderrTerminal {
    pending: Mutex<String>,
}

impl StderrTerminal {
    fn write(&self, text: &str) -> io::Result<()> {
        self.pending.lock().push_str(text);
        Ok(())
    }

    /// Moves the cursor by this many cells in a direction, named as in ECMA-48.
    fn move_cursor(&self, cells: usize, direction: char) -> io::Result<()> {
        match cells {
            0 => Ok(()),
            _ => self.write(&format!("\x1b[{cells}{direction}")),
        }
    }
}

impl TermLike for StderrTerminal {
    fn width(&self) -> u16 {
        const ECHO: u16 = 4;
        const LEAST: u16 = 20;
        let size = rustix::termios::tcgetwinsize(io::stderr());
        let width = size.map_or(80, |size| size.ws_col);
        width.saturating_sub(ECHO).max(LEAST)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'D')
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
        let pending = std::mem::take(&mut *self.pending.lock());
        io::stderr().write_all(pending.as_bytes())
    }
}

impl JudgedRun {
    fn new(submission: &str, test_case: &str, result: String) -> Self {
        Self { submission: submission.to_owned(), test_case: test_case.to_owned(), result }
    }
}

impl ProgressState {
    fn update(&mut self, event: &Event, report: &Report) {
        match event {
            Event::PackageRead(_) => *self = Self::default(),
            Event::Progress(progress) => self.update_work(progress),
            Event::SubmissionStarted { submission, .. } => {
                self.activity = printable(submission);
                self.started.get_or_insert(report.session.elapsed);
            }
            Event::CaseJudged { submission, test_case, verdict, .. } => {
                self.activity.clear();
                self.repeated
                    .take_if(|last| last.submission == *submission && last.test_case == *test_case);
                self.last = Some(JudgedRun::new(submission, test_case, verdict.to_string()));
            }
            Event::Failed { submission: Some(submission), .. } => {
                self.repeated.take_if(|repeated| repeated.submission == *submission);
            }
            Event::CaseGenerated { test_case, .. } => self.activity = printable(test_case),
            _ => {}
        }
    }

    fn update_work(&mut self, progress: &WorkProgress) {
        match progress {
            WorkProgress::Build(program) => {
                self.activity = format!("building {}", printable(program))
            }
            WorkProgress::Repetition { submission, test_case, reason } => {
                self.repeated = Some(JudgedRun::new(submission, test_case, reason.clone()));
            }
            WorkProgress::Step(ProgressStep { what, done, total }) => {
                self.activity = format!("{}: {done} of {total}", printable(what));
            }
            WorkProgress::Lines(progress) => self.stream = Some(*progress),
            WorkProgress::Waiting => {}
            WorkProgress::Search(progress) => {
                self.search_runs = usize::try_from(progress.runs).unwrap_or(usize::MAX);
                self.activity = search_activity(progress);
            }
        }
    }

    /// The two lines, such as `stairs, 2 of 5 submissions, 37 runs, about 8 s left` and
    /// `greedy.cpp, 14 of 62: AC on secret/02`.
    fn lines(&self, report: &Report) -> [String; 2] {
        let mut parts = Vec::new();
        if let Some(package) = report.session.packages.last() {
            parts.push(printable(&package.name));
            if package.submissions > 1 {
                let (done, all) = (report.submissions_done(), package.submissions);
                parts.push(format!("{done} of {all} submissions"));
            }
        }
        let runs = report.summary.runs - report.work.runs_before;
        if let Some(runs) = Some(runs.max(self.search_runs)).filter(|&runs| runs > 0) {
            parts.push(count(runs, "run"));
        }
        if let Some(StreamProgress { lines, accepted, errors, per_second, .. }) = self.stream {
            parts.push(format!("{}, {accepted} accepted", count(lines, "line")));
            parts.extend((errors > 0).then(|| count(errors, "error")));
            parts.push(format!("{per_second:.1} a second"));
        }
        let time_left =
            self.stream.map_or_else(|| self.estimate_time_left(report), |stream| stream.left);
        parts.extend(time_left.map(|time_left| format!("about {} left", rounded_span(time_left))));
        [parts.join(", "), self.activity_line(report)]
    }

    fn activity_line(&self, report: &Report) -> String {
        if let Some(JudgedRun { submission, test_case, result }) = &self.repeated {
            let (submission, test_case) = (printable(submission), printable(test_case));
            return format!("{submission}: {test_case} again, alone: {result}");
        }
        let Some(last) = self.last.as_ref().filter(|_| self.activity.is_empty()) else {
            return self.activity.clone();
        };
        let JudgedRun { submission, test_case, result } = last;
        let work = report.work.submissions.iter().find(|work| work.submission == *submission);
        let so_far =
            work.map_or(String::new(), |work| format!(", {} of {}", work.judged, work.test_cases));
        format!("{}{so_far}: {result} on {}", printable(submission), printable(test_case))
    }

    /// `None` until the estimate is reliable.
    fn estimate_time_left(&self, report: &Report) -> Option<Duration> {
        const SURE_AFTER: Duration = Duration::from_secs(2);
        let spent = report.session.elapsed.checked_sub(self.started?)?;
        let begun = report.work.submissions.iter();
        let under_way: f64 =
            begun.map(|work| work.judged as f64 / work.test_cases.max(1) as f64).sum();
        let all = report.session.packages.last()?.submissions as f64;
        let part = (report.submissions_done() as f64 + under_way) / all;
        let is_sure = spent >= SURE_AFTER && (0.02..1.0).contains(&part);
        is_sure.then(|| spent.mul_f64((1.0 - part) / part))
    }

    /// Returns a line if it is time for one.
    fn next_line(&self, next: &mut Duration, report: &Report) -> Option<String> {
        let elapsed = report.session.elapsed;
        if elapsed < *next {
            return None;
        }
        *next = elapsed + BETWEEN_LINES;
        let lines = self.lines(report).into_iter().filter(|line| !line.is_empty());
        let text = joined(lines, "; ");
        (!text.is_empty()).then(|| format!("after {}: {text}", rounded_span(elapsed)))
    }
}

/// A time span in one unit: `8 s`, `3 min`, `2 h`.
fn rounded_span(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        5400.0.. => format!("{:.0} h", seconds / 3600.0),
        90.0.. => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} s", seconds.max(1.0)),
    }
}

/// The state of a search, such as `2140 a second, making it smaller: 12 bytes`.
fn search_activity(progress: &SearchProgress) -> String {
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
    use juror_core::event::StampedEvent;
    use juror_core::progress::PackageReport;
    use juror_core::verdict::Verdict;

    #[test]
    fn the_line_leaves_room_for_the_echo_of_ctrl_c() {
        // Without a terminal, a width of 80 cells is assumed.
        let cells = rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col);
        let width = StderrTerminal::default().width();
        assert!(width + 2 < cells.max(24), "{width} of {cells}");
    }

    #[test]
    fn a_stream_shows_lines_rate_and_time_left() {
        let (mut state, report) = (ProgressState::default(), Report::default());
        let mut check = |errors: u64, left: Option<u64>, expected: &str| {
            let left = left.map(Duration::from_secs);
            let (lines, accepted, per_second) = (1200, 700, 52.04);
            let progress = StreamProgress { lines, accepted, errors, per_second, left };
            state.update(&Event::Progress(WorkProgress::Lines(progress)), &report);
            assert_eq!(state.lines(&report), [expected, ""]);
        };
        check(0, None, "1200 lines, 700 accepted, 52.0 a second");
        check(1, None, "1200 lines, 700 accepted, 1 error, 52.0 a second");
        check(0, Some(300), "1200 lines, 700 accepted, 52.0 a second, about 5 min left");
    }

    #[test]
    fn the_lines_show_activity_progress_and_time_left() {
        let (mut state, mut report) = (ProgressState::default(), Report::default());
        let mut next = Duration::from_secs(9);
        let mut check = |at: u64, event: Event, first: &str, second: &str, alone: &str| {
            let at = Duration::from_secs(at);
            report.add_event(&StampedEvent { at, package: None, event: event.clone() });
            state.update(&event, &report);
            assert_eq!(state.lines(&report), [first, second]);
            assert_eq!(state.next_line(&mut next, &report).unwrap_or_default(), alone);
        };
        let read = |package: &str, submissions| {
            Event::PackageRead(Box::new(PackageReport {
                name: package.to_owned(),
                submissions,
                test_cases: 4,
                ..PackageReport::default()
            }))
        };
        let step = |done| {
            let what = "input validators".to_owned();
            Event::Progress(WorkProgress::Step(ProgressStep { what, done, total: 10 }))
        };
        let started = || Event::SubmissionStarted { submission: "a.cpp".to_owned(), test_cases: 4 };
        let judged = |test_case: &str| Event::CaseJudged {
            submission: "a.cpp".to_owned(),
            test_case: test_case.to_owned(),
            verdict: Verdict::Accepted,
        };
        let repeated = |test_case: &str| {
            Event::Progress(WorkProgress::Repetition {
                submission: "a.cpp".to_owned(),
                test_case: test_case.to_owned(),
                reason: "near the limit".to_owned(),
            })
        };
        let (none, sum) = ("", "sum, 0 of 2 submissions");
        check(0, read("sum", 2), sum, none, none);
        check(1, step(3), sum, "input validators: 3 of 10", none);
        let building = Event::Progress(WorkProgress::Build("a\u{1b}.cpp".to_owned()));
        check(1, building, sum, "building a\\x1b.cpp", none);
        check(1, started(), sum, "a.cpp", none);
        let first = "sum, 0 of 2 submissions, 1 run";
        check(2, judged("sample/1"), first, "a.cpp, 1 of 4: AC on sample/1", none);
        // An eighth of the work takes two seconds, and a quarter nine.
        let first = "sum, 0 of 2 submissions, 1 run, about 14 s left";
        check(3, step(4), first, "input validators: 4 of 10", none);
        check(3, repeated("s/2\n"), first, "a.cpp: s/2\\n again, alone: near the limit", none);
        let first = "sum, 0 of 2 submissions, 2 runs, about 27 s left";
        let second = "a.cpp, 2 of 4: AC on s/2\\n";
        let alone = format!("after 10 s: {first}; {second}");
        check(10, judged("s/2\n"), first, second, &alone);
        check(11, read("stairs", 1), "stairs", none, none);
    }

    #[test]
    fn a_span_of_time_is_rounded() {
        let check = |seconds: u64, text: &str| {
            assert_eq!(rounded_span(Duration::from_secs(seconds)), text);
        };
        check(0, "1 s");
        check(89, "89 s");
        check(90, "2 min");
        check(5399, "90 min");
        check(7200, "2 h");
    }
}
