//! The destination of results, and the progress that people see meanwhile.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cli::streams;
use crate::grade::graded::Tally;
use crate::model::event::{Event, GradingProgress};
use crate::model::stop::Stop;
use crate::model::text::{count, joined};
use crate::model::units::seconds;
use crate::report::log::LogFormat;

/// The destination of results.
pub(super) struct Sink {
    to: Box<dyn Write + Send>,
}

impl Sink {
    /// Opens a file, or standard output.
    ///
    /// # Errors
    /// If the file cannot be written, or is the journal or standard input.
    pub(super) fn open(path: Option<&Path>, journal: Option<&Path>) -> Result<Self, Stop> {
        let Some(path) = path else {
            return Ok(Self { to: Box::new(streams::out(LogFormat::Json)) });
        };
        let shown = path.display();
        let is_same = |other: io::Result<Metadata>| match (fs::metadata(path), other) {
            (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
            _ => false,
        };
        if journal.is_some_and(|journal| is_same(fs::metadata(journal))) {
            let what = format!(
                "--output: {shown} is the journal, which already has the results; leave out --output"
            );
            return Err(Stop::usage(what));
        }
        let stdin = io::stdin().as_fd().try_clone_to_owned();
        if is_same(stdin.and_then(|stdin| File::from(stdin).metadata())) {
            let what = format!("--output: {shown} is standard input; choose another file");
            return Err(Stop::usage(what));
        }
        let to = File::create(path).map_err(|error| {
            Stop::usage(format!("--output: cannot write {shown}: {error}; choose another file"))
        })?;
        Ok(Self { to: Box::new(to) })
    }

    /// Writes a result with its line end, immediately.
    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.to.write_all(line)?;
        self.to.flush()
    }
}

/// Whether the error means that the reader has closed the pipe.
pub(super) fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// The progress of the stream.
pub(super) struct Shown {
    /// The number of lines done by earlier starts.
    earlier: u64,
    /// The number of lines done by this start.
    lines: u64,
    /// When the first line arrived, and how many bytes were read by then.
    begun: Option<(Instant, u64)>,
    /// How many bytes were read.
    read: u64,
    /// The total number of bytes, if known.
    size: Option<u64>,
}

impl Shown {
    /// Starts with the lines of earlier starts and the total number of bytes.
    pub(super) fn new(earlier: u64, size: Option<u64>) -> Self {
        Self { earlier, lines: 0, begun: None, read: 0, size }
    }

    /// Updates how many bytes were read.
    pub(super) fn read(&mut self, bytes: u64) {
        self.begun.get_or_insert_with(|| (Instant::now(), bytes));
        self.read = bytes;
    }

    /// Counts a line that is done.
    pub(super) fn done(&mut self) -> Event {
        self.lines += 1;
        let (elapsed, before) =
            self.begun.map_or((Duration::ZERO, 0), |(begun, before)| (begun.elapsed(), before));
        Event::Grading(GradingProgress {
            lines: self.earlier + self.lines,
            per_second: self.lines as f64 / elapsed.as_secs_f64().max(0.001),
            left: self.size.and_then(|size| left(elapsed, self.read - before, size - self.read)),
        })
    }
}

/// The estimated time for the remaining bytes, if it is known well enough.
fn left(elapsed: Duration, read: u64, more: u64) -> Option<Duration> {
    const SURE_AFTER: Duration = Duration::from_secs(2);
    let is_sure = elapsed >= SURE_AFTER && read > 0;
    is_sure.then(|| elapsed.mul_f64(more as f64 / read as f64))
}

/// A one-line summary of a stream.
pub(super) fn summary(tally: &Tally, elapsed: Duration) -> String {
    let Tally { accepted, rejected, broken, without_package, skipped, failed } = *tally;
    let kinds = [
        (accepted, "accepted"),
        (rejected, "rejected"),
        (broken, "broken"),
        (without_package, "without a usable package"),
        (skipped, "skipped"),
        (failed, "with judge errors"),
    ];
    let kinds = kinds.iter().filter(|(lines, _)| *lines > 0);
    let kinds = joined(kinds.map(|(lines, kind)| format!("{lines} {kind}")), ", ");
    format!("{}: {kinds}; {}", count(tally.lines(), "line"), seconds(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_there_is() {
        let check = |tally: Tally, expected: &str| {
            assert_eq!(summary(&tally, Duration::from_secs(2)), expected);
        };
        let none = Tally::default();
        check(Tally { accepted: 1, ..none }, "1 line: 1 accepted; 2.00 s");
        check(
            Tally { rejected: 2, broken: 1, failed: 3, ..none },
            "6 lines: 2 rejected, 1 broken, 3 with judge errors; 2.00 s",
        );
    }

    #[test]
    fn the_time_left_follows_from_what_was_read() {
        let check = |elapsed: u64, read: u64, more: u64, expected: Option<u64>| {
            let left = left(Duration::from_secs(elapsed), read, more);
            assert_eq!(left, expected.map(Duration::from_secs));
        };
        check(10, 100, 300, Some(30));
        check(10, 100, 0, Some(0));
        check(1, 100, 300, None);
        check(10, 0, 300, None);
    }
}
