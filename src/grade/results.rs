//! The file of results. A later start continues after the last result.
//!
//! A result is written by one call and is on disk within a second. Killing the process loses no written result. A full
//! disk or a power cut may leave half a result at the end; the next start replaces it.
//!
//! The lock (`fcntl`) belongs to this process alone: sandboxes are forks without exec, and a lock of the open file
//! (`flock`) would live as long as any of them. It is lost if this process closes another descriptor of the file, so
//! the file is opened once.

use parking_lot::{Condvar, Mutex};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::Value;
use serde_with::serde_as;
use sha2::{Digest as _, Sha256};

use crate::grade::fault::LineFault;
use crate::grade::graded::{FORMAT_VERSION, GradeTally};
use crate::grade::rates::RateTally;
use juror_core::serial::Seconds;
use juror_core::verdict::Verdict;

/// Another process may hold the lock so long: a killed one needs a moment to end on a busy machine.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);
const LOCK_RETRY: Duration = Duration::from_millis(20);
/// A result may be written and not yet on disk for so long, besides the time that the disk takes.
const SYNC_DELAY: Duration = Duration::from_millis(500);
/// In bytes. A longer line must begin like a result before the rest of it is read.
const LONG_LINE: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingContent {
    Refuse,
    /// The content must be results; more are added.
    Resume,
}

pub struct ResultsFile {
    file: Arc<SyncedFile>,
    sync_thread: Option<JoinHandle<()>>,
    length: u64,
    /// What follows the results, before the first one of this start.
    tail: FileTail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileTail {
    Empty,
    /// A whole result without its line end.
    Result,
    Half,
}

#[derive(Debug, Default)]
pub struct EarlierResults {
    /// Number and digest of each finished line that the stream has not reached yet, the first line last.
    lines: Vec<(u64, u64)>,
    pub tally: GradeTally,
    pub rates: RateTally,
    /// Whether some are not in the order of their lines.
    pub is_unordered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHistory {
    New,
    Finished,
    /// This line, or one before it, had other content.
    Changed,
}

#[derive(Debug, thiserror::Error)]
pub enum ResultsFault {
    #[error("it is not empty")]
    NotEmpty,
    #[error("another juror is writing it")]
    InUse,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {0} is not a result of `juror grade`: {1}")]
    NotAResult(u64, String),
    #[error("record {0} is not what `juror grade --keep-outputs` writes: {1}")]
    NotKept(u64, String),
    #[error("it has the outputs of other results than --output")]
    OtherResults,
    #[error("it has two results of line {0}")]
    Duplicate(u64),
    /// Such as a device or a pipe, which does not keep what is written.
    #[error("it is not a regular file")]
    NotAFile,
}

/// Only the keys that are needed here.
#[serde_as]
#[derive(Deserialize)]
struct RecordedResult {
    version: u32,
    line: u64,
    digest: String,
    verdict: Option<Verdict>,
    error: Option<LineFault>,
    problem: Option<Value>,
    #[serde_as(as = "Option<Seconds>")]
    #[serde(default, rename = "total_cpu_seconds")]
    cpu_time: Option<Duration>,
    #[serde(default)]
    passed: usize,
    #[serde(default)]
    ran: usize,
    #[serde(default)]
    skipped: usize,
}

/// Identifies a line together with the settings by which it is read.
pub fn digest(settings: &str, text: &[u8]) -> u64 {
    let mut hash = Sha256::new();
    hash.update((settings.len() as u64).to_le_bytes());
    hash.update(settings);
    hash.update(text);
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

impl EarlierResults {
    /// Must be called for each line of the stream, in order.
    pub fn take_line(&mut self, line: u64, digest: u64) -> LineHistory {
        match self.lines.last() {
            Some((number, known)) if *number == line => {
                let is_same = *known == digest;
                self.lines.pop();
                if is_same { LineHistory::Finished } else { LineHistory::Changed }
            }
            Some((number, _)) if *number < line => LineHistory::Changed,
            _ => LineHistory::New,
        }
    }

    /// Whether this line is finished, and the stream has not reached it yet.
    pub fn contains(&self, line: u64) -> bool {
        self.lines.binary_search_by(|(known, _)| line.cmp(known)).is_ok()
    }

    /// The finished lines that the stream has not reached yet.
    pub fn remaining(&self) -> u64 {
        self.lines.len() as u64
    }

    fn add(&mut self, text: &[u8]) -> Result<(), String> {
        let result: RecordedResult =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if result.version != FORMAT_VERSION {
            let known = FORMAT_VERSION;
            return Err(format!("it has version {}, this juror writes {known}", result.version));
        }
        let is_digest = |digits: &&String| {
            digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        let digits = Some(&result.digest).filter(is_digest);
        let digest = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let digest = digest.ok_or("it has no digest")?;
        if result.verdict.is_none() && result.error.is_none() {
            return Err("it has neither a verdict nor an error".to_owned());
        }
        self.is_unordered |= self.lines.last().is_some_and(|(last, _)| *last >= result.line);
        self.lines.push((result.line, digest));
        let fault = result.error.map(|error| error.kind);
        self.tally.count(result.verdict, fault);
        let tests = (result.passed, result.ran + result.skipped);
        let cpu_time = result.cpu_time.unwrap_or_default();
        self.rates.count(result.problem.as_ref(), (result.verdict, fault), tests, cpu_time);
        Ok(())
    }
}

impl ResultsFile {
    /// Opens or creates the file, and reads its results. Changes none of its bytes.
    ///
    /// # Errors
    /// If it has other content, or is in use.
    pub fn open(
        path: &Path,
        content: ExistingContent,
    ) -> Result<(Self, EarlierResults), ResultsFault> {
        let mut earlier = EarlierResults::default();
        let file = Self::open_with(path, content, |from| read_results(from, &mut earlier))?;
        earlier.lines.sort_unstable_by(|one, other| other.cmp(one));
        match earlier.lines.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(ResultsFault::Duplicate(pair[0].0)),
            None => Ok((file, earlier)),
        }
    }

    /// `read` reads all of the file. It returns the length of what is whole, and what follows.
    pub(super) fn open_with(
        path: &Path,
        content: ExistingContent,
        read: impl FnOnce(&mut BufReader<&File>) -> Result<(u64, FileTail), ResultsFault>,
    ) -> Result<Self, ResultsFault> {
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(ResultsFault::NotAFile);
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        lock(&file)?;
        if content == ExistingContent::Refuse && file.metadata()?.len() > 0 {
            return Err(ResultsFault::NotEmpty);
        }
        let (length, tail) = read(&mut BufReader::new(&file))?;
        let disk =
            Arc::new(SyncedFile { file, state: Mutex::default(), state_changed: Condvar::new() });
        let syncing = {
            let disk = Arc::clone(&disk);
            thread::Builder::new().name("juror-sync".to_owned()).spawn(move || disk.sync_loop())?
        };
        Ok(Self { file: disk, sync_thread: Some(syncing), length, tail })
    }

    /// Adds a result with its line end. If that fails, only whole results stay in the file.
    ///
    /// # Errors
    /// If it cannot be written, or an earlier one not be stored.
    pub fn add(&mut self, line: &[u8]) -> io::Result<()> {
        if let Some(fault) = self.file.state.lock().fault.take() {
            return Err(fault);
        }
        let mut file = &self.file.file;
        let text = match self.tail {
            FileTail::Empty => line.to_vec(),
            FileTail::Result => [b"\n", line].concat(),
            FileTail::Half => {
                file.set_len(self.length)?;
                line.to_vec()
            }
        };
        file.write_all(&text).inspect_err(|_| {
            // If this fails too, the next start finds half a result.
            let _ = file.set_len(self.length);
        })?;
        self.tail = FileTail::Empty;
        self.length += text.len() as u64;
        self.file.state.lock().is_dirty = true;
        self.file.state_changed.notify_all();
        Ok(())
    }

    /// Waits until all results are on disk.
    ///
    /// # Errors
    /// If they cannot be stored.
    pub fn finish(mut self) -> io::Result<()> {
        self.stop_sync_thread();
        match self.file.state.lock().fault.take() {
            Some(fault) => Err(fault),
            None => self.file.sync(),
        }
    }

    fn stop_sync_thread(&mut self) {
        self.file.state.lock().is_over = true;
        self.file.state_changed.notify_all();
        // It does not panic.
        let _ = self.sync_thread.take().map(JoinHandle::join);
    }
}

impl Drop for ResultsFile {
    fn drop(&mut self) {
        self.stop_sync_thread();
    }
}

/// Two threads share it: one writes results, and one syncs them to the disk.
struct SyncedFile {
    file: File,
    state: Mutex<SyncState>,
    state_changed: Condvar,
}

#[derive(Default)]
struct SyncState {
    is_dirty: bool,
    is_over: bool,
    fault: Option<io::Error>,
}

impl SyncedFile {
    /// Syncs some time after a result was written, also if none follows.
    fn sync_loop(&self) {
        loop {
            let is_idle = |state: &mut SyncState| !state.is_dirty && !state.is_over;
            let mut state = self.state.lock();
            self.state_changed.wait_while(&mut state, is_idle);
            let is_going_on = |state: &mut SyncState| !state.is_over;
            self.state_changed.wait_while_for(&mut state, is_going_on, SYNC_DELAY);
            if state.is_over {
                return;
            }
            state.is_dirty = false;
            self.state_changed.notify_all();
            drop(state);
            if let Err(fault) = self.sync() {
                self.state.lock().fault.get_or_insert(fault);
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.file.sync_data() {
            // Some file systems cannot.
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            synced => synced,
        }
    }
}

fn lock(file: &File) -> Result<(), ResultsFault> {
    let end = Instant::now() + LOCK_TIMEOUT;
    loop {
        match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::AGAIN | Errno::ACCESS) if Instant::now() < end => thread::sleep(LOCK_RETRY),
            Err(Errno::AGAIN | Errno::ACCESS) => return Err(ResultsFault::InUse),
            // Some file systems do not support locks.
            Ok(()) | Err(_) => return Ok(()),
        }
    }
}

/// Returns the length of the whole results, and what follows them.
fn read_results(
    from: &mut impl BufRead,
    earlier: &mut EarlierResults,
) -> Result<(u64, FileTail), ResultsFault> {
    let mut line = Vec::new();
    let (mut length, mut number) = (0, 0);
    loop {
        line.clear();
        number += 1;
        let no_result = |what: String| ResultsFault::NotAResult(number, what);
        let read = from.by_ref().take(LONG_LINE).read_until(b'\n', &mut line)?;
        if read as u64 == LONG_LINE && !line.ends_with(b"\n") {
            if !begins_like_result(&line) {
                return Err(no_result("it does not begin like one".to_owned()));
            }
            from.read_until(b'\n', &mut line)?;
        }
        if let Some(text) = line.strip_suffix(b"\n") {
            earlier.add(text).map_err(no_result)?;
            length += line.len() as u64;
            continue;
        }
        if line.is_empty() {
            return Ok((length, FileTail::Empty));
        }
        if serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok() {
            earlier.add(&line).map_err(no_result)?;
            return Ok((length + line.len() as u64, FileTail::Result));
        }
        // A shorter text may be the beginning of another file.
        let is_ours = number > 1 || line.len() > result_prefix().len();
        return if is_ours && begins_like_result(&line) {
            Ok((length, FileTail::Half))
        } else {
            Err(no_result("it does not begin like one, and has no line end".to_owned()))
        };
    }
}

/// Each result begins with this text, before the number of the line.
fn result_prefix() -> String {
    format!(r#"{{"version":{FORMAT_VERSION},"line":"#)
}

fn begins_like_result(text: &[u8]) -> bool {
    const AFTER_NUMBER: &[u8] = br#","id":"#;
    let before = result_prefix();
    let Some(rest) = text.strip_prefix(before.as_bytes()) else {
        return before.as_bytes().starts_with(text);
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = &rest[digits..];
    match digits {
        0 => after.is_empty(),
        _ => after.starts_with(AFTER_NUMBER) || AFTER_NUMBER.starts_with(after),
    }
}

#[cfg(test)]
mod tests;
