//! What the dialects share: files and languages of a program, and how its run ended.

use std::path::PathBuf;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use juror::grade::fault::{FaultyPart, LineFault};
use juror::grade::graded::WholeRun;
use juror::grade::line::{FromObject, SourceParts};
use juror::ops::grade::whole::{ProgramRequest, WholeRuns};
use juror::ops::grade::{Grader, LineFailure};
use juror::ops::languages::{LanguageListing, ListedLanguage};
use juror_core::file_name::{duplicate_name, name_fault};
use juror_core::job::CollectedEntry;
use juror_core::judgement::{CompilerReport, FaultKind};
use juror_core::limits::{Limits, MOST_PROCESSES, OUTPUT_WITHOUT_LIMIT, PROGRAM_MEMORY};
use juror_core::stop::Stop;
use juror_core::tree::{Node, TreeEntry};
use juror_core::units::Bytes;
use serde::de::DeserializeOwned;

use crate::answer::Answer;

/// The most bytes of standard output, and of standard error, in an answer.
pub const MOST_OUTPUT: usize = 1 << 20;
/// The most bytes of all files that an answer has.
const MOST_FETCHED: usize = 8 << 20;
/// The longest time that a client may ask for.
pub const LONGEST_TIME: Duration = Duration::from_secs(3600);

/// The end of work on a request.
pub enum TaskFailure {
    Answer(Answer),
    /// No worker is left.
    NoWorker(String),
}

impl From<Answer> for TaskFailure {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<Stop> for TaskFailure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fault(error) if error.kind == FaultKind::NoWorker => {
                Self::NoWorker(error.to_string())
            }
            stop => Answer::refused(503, stop.to_string()).into(),
        }
    }
}

/// A request of a dialect: one object of JSON.
///
/// # Errors
/// If it is none, or its keys or their values are wrong; the status is the dialect's.
pub fn parse<T: DeserializeOwned>(body: &[u8], status: u16) -> Result<T, Answer> {
    serde_json::from_slice(body)
        .map(|FromObject(request)| request)
        .map_err(|error| Answer::refused(status, format!("the request is wrong: {error}")))
}

/// A file, by its path in the working directory.
///
/// # Errors
/// If it would be elsewhere.
pub fn file(name: &str, bytes: Vec<u8>) -> Result<TreeEntry, Answer> {
    Ok(TreeEntry::new(checked_name(name)?, Node::plain(bytes)))
}

/// # Errors
/// If it leads out of the working directory.
pub fn checked_name(name: &str) -> Result<PathBuf, Answer> {
    let plain = name.strip_prefix("./").unwrap_or(name);
    let fault = name_fault(plain).or((plain.len() > 1000).then_some("is too long"));
    match fault {
        None => Ok(plain.into()),
        Some(fault) => {
            let message =
                format!("the file name {name:?} {fault}: give a path below the working directory");
            Err(Answer::refused(422, message))
        }
    }
}

pub fn check_different(files: &[TreeEntry]) -> Result<(), Answer> {
    let names: Vec<&str> = files.iter().filter_map(|file| file.name.to_str()).collect();
    duplicate_name(names).map_or(Ok(()), |name| {
        Err(Answer::refused(
            422,
            format!("the file name `{name}` comes twice, or is also a directory"),
        ))
    })
}

pub fn decode_base64(name: &str, text: &str) -> Result<Vec<u8>, Answer> {
    let text: String = text.split_ascii_whitespace().collect();
    BASE64_STANDARD.decode(text).map_err(|error| {
        Answer::refused(422, format!("the content of the file {name:?} is not base64: {error}"))
    })
}

/// # Errors
/// If it is not a number of seconds that a program may have.
pub fn time(name: &str, seconds: f64) -> Result<Duration, Answer> {
    if seconds >= 0.001 && seconds <= LONGEST_TIME.as_secs_f64() {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let most = LONGEST_TIME.as_secs();
    Err(Answer::refused(422, format!("`{name}` must be more than 0, and at most {most} s")))
}

/// Limits of a run, or of a compiler. Both times are those of the clock.
pub fn limits(wall_time: Duration, memory: Option<Bytes>) -> Limits {
    Limits {
        cpu_time: None,
        wall_time: Some(wall_time),
        deadline: None,
        memory: Some(memory.unwrap_or(PROGRAM_MEMORY)),
        output: Some(OUTPUT_WITHOUT_LIMIT),
        processes: Some(MOST_PROCESSES),
    }
}

pub fn source(text: String, code: &str) -> SourceParts {
    SourceParts { text: Some(text), language: Some(code.to_owned()), ..SourceParts::default() }
}

/// Whether this machine has all of its tools.
pub fn is_installed(language: &ListedLanguage) -> bool {
    language.tools.iter().all(|tool| tool.version.is_some())
}

pub fn find_installed<'l>(
    languages: &'l LanguageListing,
    code: &str,
) -> Option<&'l ListedLanguage> {
    let mut all = languages.languages.iter();
    all.find(|language| language.code == code && is_installed(language))
}

/// A program that is refused before its compiler starts has a report as if the compiler refused it.
pub fn run(grader: &Grader<'_>, request: &ProgramRequest) -> Result<WholeRuns, TaskFailure> {
    let refused = |message: String| {
        let messages = message.clone().into_bytes();
        let report = CompilerReport { messages, ..CompilerReport::refused(message) };
        Ok(WholeRuns { has_build: true, compiler: Some(report), ..WholeRuns::default() })
    };
    match grader.run(request) {
        Ok(runs) => Ok(runs),
        Err(LineFailure::Fault(LineFault { kind, message, help })) => {
            let message = help.map_or(message.clone(), |help| format!("{message}; {help}"));
            match kind {
                FaultyPart::Judge => Err(Answer::refused(503, message).into()),
                FaultyPart::Source => refused(message),
                _ => Err(Answer::refused(422, message).into()),
            }
        }
        Err(LineFailure::Stop(Stop::Diagnosed(all))) => refused(Stop::Diagnosed(all).to_string()),
        Err(LineFailure::Stop(Stop::Fault(error))) if error.lacks.is_some() => {
            Err(Answer::refused(422, Stop::Fault(error).to_string()).into())
        }
        Err(LineFailure::Stop(stop)) => Err(stop.into()),
    }
}

/// Bytes as a text, up to the bound. What is no UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_OUTPUT)]).into_owned()
}

pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The requested files that the run left, as base64.
///
/// # Errors
/// If they are too large for an answer.
pub fn fetched(names: &[String], run: &WholeRun) -> Result<Vec<(String, String)>, Answer> {
    let mut all = Vec::new();
    let mut room = MOST_FETCHED;
    for (name, entry) in names.iter().zip(&run.collected) {
        let CollectedEntry::File(blob) = entry else { continue };
        let bytes = blob.prefix(room as u64 + 1);
        let bytes =
            bytes.map_err(|error| Answer::refused(503, format!("cannot read {name}: {error}")))?;
        let Some(left) = room.checked_sub(bytes.len()) else {
            let most = Bytes(MOST_FETCHED as u64);
            return Err(Answer::refused(
                422,
                format!("the files of `fetch_files` have more than {most}"),
            ));
        };
        room = left;
        all.push((name.clone(), BASE64_STANDARD.encode(bytes)));
    }
    Ok(all)
}

/// The report of the compiler, if it refused the program.
pub fn refusal(runs: &WholeRuns) -> Option<&CompilerReport> {
    runs.compiler.as_ref().filter(|report| report.refusal.is_some())
}

/// What the compiler wrote, and why it refused the program if it wrote nothing.
pub fn compiler_text(report: &CompilerReport) -> String {
    let messages = text(&report.messages);
    if messages.is_empty() { report.refusal.clone().unwrap_or_default() } else { messages }
}
