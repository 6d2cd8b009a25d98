//! The record of a stream: each result is written to a file before it is passed on, so that a later start can
//! continue.
//!
//! A result is written by one call and is on disk at most a second later. Killing the process loses no written result.
//! A power cut may lose the last second, which is then judged again. A last line without line end is incomplete, and
//! is removed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::grade::done::Done;
use crate::grade::graded::{FaultyPart, Tally, VERSION};
use crate::model::verdict::Verdict;

/// How long another process may hold a journal: one that was killed does until its sandboxes have noticed.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait before the next look.
const PAUSE: Duration = Duration::from_millis(20);

/// The file of a stream.
pub struct Journal {
    file: File,
    synced: Instant,
}

/// The results of an earlier start.
#[derive(Debug, Default)]
pub struct Earlier {
    /// The lines that are done.
    pub done: Done,
    /// How many results there are of each kind.
    pub tally: Tally,
    /// Whether the results are in the order of their lines.
    pub is_ordered: bool,
    /// The length of the journal.
    length: u64,
}

/// Why a file cannot be used as the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalFault {
    /// Another process uses it.
    #[error("another juror is writing it")]
    InUse,
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not a result.
    #[error("line {0} is not a result of `juror grade`: {1}")]
    Strange(u64, String),
    /// A line of the stream has two results.
    #[error("line {0} is a second result of the same line")]
    Twice(u64),
    /// It is a device, a pipe or something else that does not keep what is written.
    #[error("it is not a file")]
    NoFile,
}

/// The parts of a result that are needed here.
#[derive(Deserialize)]
struct Recorded {
    version: u32,
    line: u64,
    digest: String,
    verdict: Option<Verdict>,
    error: Option<Error>,
}

#[derive(Deserialize)]
struct Error {
    kind: FaultyPart,
}

/// The interval at which written results are flushed to disk.
const SYNC: Duration = Duration::from_secs(1);

impl Journal {
    /// Opens or creates the file, and reads the results of an earlier start.
    ///
    /// # Errors
    /// If it is in use, or not a journal.
    pub fn open(path: &Path) -> Result<(Self, Earlier), JournalFault> {
        Self::open_within(path, PATIENCE)
    }

    fn open_within(path: &Path, patience: Duration) -> Result<(Self, Earlier), JournalFault> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(JournalFault::NoFile);
        }
        let end = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(JournalFault::InUse),
                // Some file systems do not support locks.
                Ok(()) | Err(TryLockError::Error(_)) => break,
            }
        }
        let mut earlier = Earlier { is_ordered: true, ..Earlier::default() };
        let mut last = 0;
        let mut number = 0;
        each_line(&mut BufReader::new(&file), |line| {
            number += 1;
            let strange = |what: String| JournalFault::Strange(number, what);
            let result: Recorded =
                serde_json::from_slice(line).map_err(|error| strange(error.to_string()))?;
            if result.version != VERSION {
                return Err(strange(format!("it has version {}", result.version)));
            }
            let digest = u64::from_str_radix(&result.digest, 16)
                .map_err(|_| strange("it has no digest".to_owned()))?;
            if !earlier.done.insert(result.line, digest) {
                return Err(JournalFault::Twice(number));
            }
            earlier.tally.count(result.verdict, result.error.map(|error| error.kind));
            earlier.is_ordered &= result.line > last;
            last = result.line;
            earlier.length += line.len() as u64 + 1;
            Ok(())
        })?;
        file.set_len(earlier.length)?;
        file.seek(SeekFrom::End(0))?;
        Ok((Self { file, synced: Instant::now() }, earlier))
    }

    /// Passes all results to `tell`.
    ///
    /// # Errors
    /// If they cannot be read, or `tell` fails.
    pub fn replay(
        path: &Path,
        earlier: &Earlier,
        mut tell: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), JournalFault> {
        let from = io::Read::take(File::open(path)?, earlier.length);
        each_line(&mut BufReader::new(from), |line| Ok(tell(line)?))
    }

    /// Adds a result with its line end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.write_all(line)?;
        match self.synced.elapsed() >= SYNC {
            true => self.sync(),
            false => Ok(()),
        }
    }

    /// Waits until all results are on disk.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        self.synced = Instant::now();
        Ok(())
    }
}

/// Calls a function with each complete line, without its line end.
fn each_line(
    from: &mut impl BufRead,
    mut with: impl FnMut(&[u8]) -> Result<(), JournalFault>,
) -> Result<(), JournalFault> {
    let mut line = Vec::new();
    loop {
        line.clear();
        from.read_until(b'\n', &mut line)?;
        let Some(line) = line.strip_suffix(b"\n") else { return Ok(()) };
        with(line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn result(line: u64, verdict: &str) -> String {
        let rest = r#""digest":"000000000000000a","error":null"#;
        format!(r#"{{"version":1,"line":{line},"verdict":"{verdict}",{rest}}}"#)
    }

    #[test]
    fn what_was_written_is_known_again_and_a_torn_line_is_taken_away() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("journal");
        let check = |text: &str, expected: Result<(u64, bool, &str), &str>| {
            fs::write(&path, text).expect("a file");
            let opened = Journal::open(&path);
            match (opened, expected) {
                (Err(fault), Err(expected)) => {
                    let said = fault.to_string();
                    assert!(said.starts_with(expected), "{said}");
                    assert_eq!(fs::read_to_string(&path).expect("a text"), text, "it stays");
                }
                (Ok((mut journal, earlier)), Ok((lines, is_ordered, kept))) => {
                    assert_eq!((earlier.tally.lines(), earlier.is_ordered), (lines, is_ordered));
                    let again = Journal::open_within(&path, Duration::ZERO)
                        .err()
                        .map(|fault| fault.to_string());
                    assert_eq!(again.as_deref(), Some("another juror is writing it"));
                    journal.add(b"x\n").expect("a write");
                    let mut told = Vec::new();
                    let tell = |line: &[u8]| {
                        told.extend_from_slice(line);
                        told.push(b'\n');
                        Ok(())
                    };
                    Journal::replay(&path, &earlier, tell).expect("a journal");
                    assert_eq!(String::from_utf8_lossy(&told), kept);
                    let whole = fs::read_to_string(&path).expect("a text");
                    assert_eq!(whole, format!("{kept}x\n"));
                }
                (opened, _) => panic!("{text}: {:?}", opened.map(|(_, earlier)| earlier)),
            }
        };
        let (one, two) = (format!("{}\n", result(1, "AC")), format!("{}\n", result(2, "WA")));
        check("", Ok((0, true, "")));
        check(&one, Ok((1, true, &one)));
        check(&format!("{one}{two}"), Ok((2, true, &format!("{one}{two}"))));
        check(&format!("{two}{one}"), Ok((2, false, &format!("{two}{one}"))));
        for cut in 1..two.len() {
            check(&format!("{one}{}", &two[..cut]), Ok((1, true, &one)));
        }
        check(&format!("{one}{one}"), Err("line 2 is a second result of the same line"));
        check(&format!("{one}\n{two}"), Err("line 2 is not a result"));
        check("{}\n", Err("line 1 is not a result of `juror grade`: missing field `version`"));
        check(&one.replace("\"version\":1", "\"version\":9"), Err("line 1 is not a result"));
        check(&one.replace("000a", "zzzz"), Err("line 1 is not a result"));
    }

    #[test]
    fn a_journal_that_is_let_go_in_a_moment_is_waited_for() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let other = File::open(file.path()).expect("the file");
        other.lock().expect("a lock");
        thread::scope(|scope| {
            let opened =
                scope.spawn(|| Journal::open_within(file.path(), Duration::from_secs(600)));
            thread::sleep(3 * PAUSE);
            assert!(!opened.is_finished(), "it waits");
            drop(other);
            assert!(opened.join().expect("a thread").is_ok());
        });
    }
}
