//! The destination of results, and the progress of a stream.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::grade::graded::GradeTally;
use crate::grade::rates::{Rate, Rates};
use crate::grade::results::{EarlierResults, ExistingContent, ResultsFault, ResultsFile};
use crate::report::result::CommandResult;
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::page::Page;
use juror_core::event::{Event, StreamProgress, WorkProgress};
use juror_core::exit_code::ExitCode;
use juror_core::serial::Seconds;
use juror_core::stop::{Remark, Stop};
use juror_core::text::{count, joined};
use juror_core::units::seconds;

pub(super) enum ResultSink {
    File(ResultsFile),
    Stream(Box<dyn Write + Send>),
}

impl ResultSink {
    /// `out` is standard output. Also returns the results that the file already has.
    pub(super) fn open(
        path: Option<&Path>,
        is_resumed: bool,
        inputs: &[PathBuf],
        out: Box<dyn Write + Send>,
    ) -> Result<(Self, EarlierResults), Stop> {
        let stream = |to: Box<dyn Write + Send>| Ok((Self::Stream(to), EarlierResults::default()));
        let Some(path) = path else { return stream(out) };
        let shown = path.display();
        let unusable = |fault: &dyn fmt::Display| {
            Stop::usage(format!("--output: cannot use {shown}: {fault}; choose another file"))
        };
        let found = fs::metadata(path);
        let stdin = io::stdin().as_fd().try_clone_to_owned();
        let stdin = stdin.and_then(|stdin| File::from(stdin).metadata());
        let mut inputs = inputs.iter().map(fs::metadata).chain([stdin]).flatten();
        if let Ok(found) = &found
            && found.is_file()
            && inputs.any(|input| (input.dev(), input.ino()) == (found.dev(), found.ino()))
        {
            return Err(unusable(&"the lines are read from it"));
        }
        let is_stream = found.is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_stream && !is_resumed {
            let opened = OpenOptions::new().write(true).open(path);
            return stream(Box::new(opened.map_err(|error| unusable(&error))?));
        }
        let content = if is_resumed { ExistingContent::Resume } else { ExistingContent::Refuse };
        match ResultsFile::open(path, content) {
            Ok((file, earlier)) => Ok((Self::File(file), earlier)),
            Err(ResultsFault::NotEmpty) => {
                let what = format!("--output: {shown} is not empty");
                let help = "add --resume to go on after its results, or choose another file";
                Err(Stop::usage(Remark::with_help(what, help)))
            }
            Err(fault) => Err(unusable(&fault)),
        }
    }

    /// `line` includes its line end. It is flushed at once.
    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => file.add(line),
            Self::Stream(to) => to.write_all(line).and_then(|()| to.flush()),
        }
    }

    /// Waits until all results are on disk.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Stream(_) => Ok(()),
        }
    }
}

/// Calls `act` when nobody can read standard output any more. Files have no reader to lose.
pub(super) fn on_lost_reader(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let out = io::stdout().as_fd().try_clone_to_owned()?;
    let wait = move || {
        let mut asked = [PollFd::new(&out, PollFlags::empty())];
        while poll(&mut asked, None) == Err(Errno::INTR) {}
        if asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            act();
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}

#[derive(Default)]
pub(super) struct StreamMeter {
    /// Lines that earlier starts judged.
    earlier_lines: u64,
    /// The arrival of the first line, and the bytes read until then.
    first_line: Option<(Instant, u64)>,
    bytes_read: u64,
    total_bytes: Option<u64>,
}

impl StreamMeter {
    pub(super) fn new(earlier_lines: u64, total_bytes: Option<u64>) -> Self {
        Self { earlier_lines, total_bytes, ..Self::default() }
    }

    pub(super) fn set_bytes_read(&mut self, bytes: u64) {
        self.first_line.get_or_insert_with(|| (Instant::now(), bytes));
        self.bytes_read = bytes;
    }

    /// After another line was counted.
    pub(super) fn progress(&self, tally: &GradeTally) -> Event {
        let lines = tally.lines();
        let (elapsed, before) = self
            .first_line
            .map_or((Duration::ZERO, 0), |(begun, before)| (begun.elapsed(), before));
        Event::Progress(WorkProgress::Lines(StreamProgress {
            lines,
            accepted: tally.accepted,
            errors: lines - tally.accepted - tally.rejected - tally.no_code,
            per_second: (lines - self.earlier_lines) as f64 / elapsed.as_secs_f64().max(0.001),
            left: self.total_bytes.and_then(|size| {
                let ahead = size.saturating_sub(self.bytes_read);
                estimate_time_left(elapsed, self.bytes_read - before, ahead)
            }),
        }))
    }
}

/// `None` until the estimate is reliable.
fn estimate_time_left(elapsed: Duration, read: u64, more: u64) -> Option<Duration> {
    const SURE_AFTER: Duration = Duration::from_secs(2);
    let is_sure = elapsed >= SURE_AFTER && read > 0;
    is_sure.then(|| elapsed.mul_f64(more as f64 / read as f64))
}

/// The result of `juror grade`.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StreamSummary {
    /// The number of lines with each result.
    pub lines: GradeTally,
    #[serde_as(as = "Seconds")]
    #[serde(rename = "elapsed_seconds")]
    pub elapsed: Duration,
    /// The rates, if they are asked for and all lines are judged.
    pub rates: Option<Rates>,
}

impl CommandResult for StreamSummary {
    fn render(&self, page: &mut Page<'_>) {
        if page.style.is_quiet() || self.lines.lines() == 0 {
            return;
        }
        let kinds = self.lines.kinds().into_iter().filter(|(lines, ..)| *lines > 0);
        let kinds = joined(kinds.map(|(lines, kind, _)| format!("{lines} {kind}")), ", ");
        let lines = count(self.lines.lines(), "line");
        page.line(0, &format!("{lines}: {kinds}; {}", seconds(self.elapsed)));
        let Some(rates) = &self.rates else { return };
        let pass_at = rates.pass_at.iter().map(|(k, rate)| (format!("pass@{k}"), rate));
        let all = pass_at.chain([("tests passed".to_owned(), &rates.tests_passed)]);
        let time = ["CPU time".to_owned(), seconds(rates.cpu_time), String::new(), String::new()];
        let rows = all.map(|(name, rate)| rate_cells(name, rate));
        page.columns(0, rows.chain([time.map(TableCell::left).into()]));
    }

    fn exit_code(&self) -> ExitCode {
        let kinds = self.lines.kinds().into_iter().filter(|(lines, ..)| *lines > 0);
        kinds.fold(ExitCode::Success, |gravest, (_, _, code)| gravest.graver_of(code))
    }
}

fn rate_cells(name: String, rate: &Rate) -> Vec<TableCell> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mean = rate.mean.map_or("-".to_owned(), percent);
    let interval =
        rate.interval.map(|[low, high]| format!("{} to {}", percent(low), percent(high)));
    let problems = count(rate.problems, "problem");
    [name, mean, interval.unwrap_or_default(), problems].map(TableCell::left).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::{Style, Verbosity};

    #[test]
    fn the_summary_omits_kinds_without_lines() {
        let check = |tally: GradeTally, expected: &str| {
            let elapsed = Duration::from_secs(2);
            let summary = StreamSummary { lines: tally, elapsed, rates: None };
            let verbosity = Verbosity::Normal;
            let style = Style { color: false, unicode: true, width: 80, verbosity };
            let mut page = Page::new(&style);
            summary.render(&mut page);
            assert_eq!(page.into_text().trim_end(), expected);
        };
        let none = GradeTally::default();
        check(GradeTally { accepted: 1, ..none }, "1 line: 1 accepted; 2.00 s");
        check(
            GradeTally { rejected: 2, broken: 1, failed: 3, ..none },
            "6 lines: 2 rejected, 1 broken, 3 with judge errors; 2.00 s",
        );
    }

    #[test]
    fn the_time_left_is_estimated_from_the_bytes_read() {
        let check = |elapsed: u64, read: u64, more: u64, expected: Option<u64>| {
            let estimate = estimate_time_left(Duration::from_secs(elapsed), read, more);
            assert_eq!(estimate, expected.map(Duration::from_secs));
        };
        check(10, 100, 300, Some(30));
        check(10, 100, 0, Some(0));
        check(1, 100, 300, None);
        check(10, 0, 300, None);
    }
}
