//! Problems in a file of their own. A problem is read when a line names it: only its offset is kept in memory.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::grade::fault::{self, LineFault};
use crate::grade::reader::{LONGEST_LINE, LineReader};
use crate::grade::results::digest;
use crate::grade::settings::{LineSettings, NamedProblem, ReadProblem};
use juror_core::judgement::JudgeError;
use juror_core::recent::RecentValues;
use juror_core::stop::{Remark, Stop, check_interrupted};
use juror_packages::package::archive::decompressed;

/// How many problems stay in memory.
const KEPT_PROBLEMS: usize = 4;

pub(super) struct ProblemFile<'a> {
    path: PathBuf,
    file: File,
    settings: &'a LineSettings,
    problems: HashMap<String, IndexedProblem>,
    recent: RecentValues<String, Result<Arc<ReadProblem>, LineFault>>,
}

struct IndexedProblem {
    line: u64,
    start: u64,
    length: usize,
    digest: u64,
}

impl<'a> ProblemFile<'a> {
    pub(super) fn open(path: &Path, settings: &'a LineSettings) -> Result<Self, Stop> {
        let refused = |what: String, help: &str| {
            let what = format!("--problems: {}: {what}", path.display());
            Stop::usage(Remark::with_help(what, help))
        };
        let unreadable = |error: io::Error| {
            refused(error.to_string(), "give a file with one problem in each line")
        };
        let (key, mut problems) = (settings.problem_pointer(), HashMap::new());
        let mut file = open_file(path).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let mut lines = LineReader::new(BufReader::with_capacity(1 << 20, &file), LONGEST_LINE);
        loop {
            check_interrupted()?;
            let start = lines.bytes();
            let Some(raw) = lines.next_raw_line().map_err(unreadable)? else { break };
            let (line, text) = (raw.number, &raw.text);
            if text.trim_ascii().is_empty() {
                continue;
            }
            let found = if raw.is_too_long {
                Err(fault::too_long())
            } else {
                settings.name_of_problem(text).and_then(|name| {
                    name.as_ref().and_then(name_text).ok_or_else(|| {
                        let what = format!("has no text or whole number at `{key}`");
                        LineFault::of_line(what, "give each problem a name of its own")
                    })
                })
            };
            let name = found.map_err(|LineFault { message, help, .. }| {
                refused(format!("line {line} {message}"), &help.unwrap_or_default())
            })?;
            let digest = digest("", text);
            let problem = IndexedProblem { line, start, length: text.len(), digest };
            if let Some(IndexedProblem { line: first, .. }) = problems.insert(name.clone(), problem)
            {
                let what = format!("lines {first} and {line} are both the problem `{name}`");
                return Err(refused(what, "leave out one of them"));
            }
        }
        let recent = RecentValues::new(KEPT_PROBLEMS);
        Ok(Self { path: path.to_owned(), file, settings, problems, recent })
    }

    /// The digest of the problem that a line names.
    pub(super) fn digest(&self, line: &[u8]) -> Option<u64> {
        let line = serde_json::from_slice(line).ok()?;
        Some(self.problems.get(&name_text(self.settings.name_of_line(&line)?)?)?.digest)
    }

    /// The problem that a line names.
    ///
    /// # Errors
    /// If the file has changed.
    pub(super) fn find(&self, line: &Value) -> Result<Result<NamedProblem, LineFault>, Stop> {
        let (key, path) = (self.settings.problem_pointer(), self.path.display());
        let value = self.settings.name_of_line(line);
        let Some((value, name)) =
            value.and_then(|value| name_text(value).map(|name| (value, name)))
        else {
            let help = format!("give the `{key}` of a problem in {path}, a text or a whole number");
            return Ok(Err(LineFault::of_line("has no `/problem`", help)));
        };
        let Some(problem) = self.problems.get(&name) else {
            let what = format!("`/problem`: {path} has no problem `{name}`");
            return Ok(Err(LineFault::of_line(
                what,
                format!("give the `{key}` of a problem there"),
            )));
        };
        let found = self.recent.get(name, || self.read(problem))?;
        Ok(found.map(|problem| (value.clone(), problem)))
    }

    fn read(&self, problem: &IndexedProblem) -> Result<Result<Arc<ReadProblem>, LineFault>, Stop> {
        let mut text = vec![0; problem.length];
        let read = self.file.read_exact_at(&mut text, problem.start);
        let path = self.path.display();
        if read.is_err() || digest("", &text) != problem.digest {
            let what = format!("line {} of {path} has changed since the start", problem.line);
            let error = JudgeError::new("read the problems", what);
            return Err(error.help("start the same command again").into());
        }
        Ok(self.settings.parse_problem(&text, problem.digest).map(Arc::new).map_err(|fault| {
            let message = format!("line {} of {path}: {}", problem.line, fault.message);
            LineFault::new(fault.kind, message, fault.help)
        }))
    }
}

/// The same file, or a temporary one with what it has, if an offset in it means nothing.
fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let is_regular = file.metadata()?.is_file();
    let mut text = BufReader::new(&file);
    let is_compressed = text.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    if is_regular && !is_compressed {
        return Ok(file);
    }
    let mut unpacked = tempfile::tempfile()?;
    if is_compressed {
        io::copy(&mut decompressed(text), &mut unpacked)?;
    } else {
        io::copy(&mut text, &mut unpacked)?;
    }
    Ok(unpacked)
}

/// A number names the same problem as its text.
fn name_text(name: &Value) -> Option<String> {
    match name {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}
