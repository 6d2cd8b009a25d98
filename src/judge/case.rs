//! One submission on one test case: the job, its verdict, and what a person is shown.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::build::Runnable;
use crate::check::compare::compare;
use crate::check::diff;
use crate::check::options::Options;
use crate::check::show::cause;
use crate::executor::{Executor, RunError};
use crate::judge::classify::{Classified, classify};
use crate::model::difference::Difference;
use crate::model::job::{BoxContent, BoxFile, Captured, Collected, Input, Job, Reply};
use crate::model::judgement::{CaseJudgement, Evidence, JudgeError};
use crate::model::limits::Limits;
use crate::model::outcome::Outcome;
use crate::model::problem::ProgramIo;
use crate::model::test_data::TestCase;
use crate::model::text::shell_word;
use crate::model::units::Bytes;
use crate::model::verdict::Verdict;

/// What is the same for all runs of a session.
pub struct Rules<'a> {
    /// Where programs read and write.
    pub io: &'a ProgramIo,
    /// Whether submissions may write in their working directory.
    pub allow_file_writing: bool,
    /// What a submission may use; verdicts are by these.
    pub limits: Limits,
    /// Where a run is stopped that should be too slow: beyond the limits, to see by how much.
    pub stop_slow_at: Limits,
    /// How much a person wants to see.
    pub detail: Detail,
}

/// How much is gathered about a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, its cause and the first difference.
    Brief,
    /// The diff, the standard error and the line that repeats the run as well.
    Full {
        /// The command line that repeats a run, with [`SUBMISSION`] and [`CASE`] in their places.
        command_line: String,
        /// Where boxes are kept, if they are.
        keep: Option<PathBuf>,
    },
}

/// Stands for the submission in [`Detail::Full`].
pub const SUBMISSION: &str = "{submission}";
/// Stands for the test case in [`Detail::Full`].
pub const CASE: &str = "{case}";

/// A test case, ready to be judged.
pub struct ReadyCase<'a> {
    /// The case.
    pub test_case: &'a TestCase,
    /// How its output is compared.
    pub options: Options,
}

/// A submission, ready to be run.
pub struct Entry<'a> {
    /// Its name.
    pub submission: &'a str,
    /// The program.
    pub runnable: &'a Runnable,
    /// What its author says about its speed.
    pub pace: Pace,
}

/// What a submission's author says about its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Nothing that needs a longer look.
    Any,
    /// It is too slow on some case.
    TooSlow,
}

/// Runs a submission on a test case and judges what it did.
///
/// # Errors
/// When the judge failed or was interrupted.
pub fn judge_case(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &Entry<'_>,
    case: &ReadyCase<'_>,
) -> Result<CaseJudgement, RunError> {
    let job = job(rules, entry, case.test_case);
    let kept = job.keep.clone();
    if let Some(parent) = kept.as_deref().and_then(Path::parent) {
        let making = format!("make the directory {}", parent.display());
        fs::create_dir_all(parent).map_err(|error| fault(&making, error))?;
    }
    let mut reply = executor.run(&job)?;
    let judged = match classify(&reply.outcome, &rules.limits) {
        Some(classified) => Judged {
            classified,
            difference: None,
        },
        None => judge_output(rules, case, &mut reply)?,
    };
    let evidence = match &rules.detail {
        Detail::Full { command_line, .. } if judged.classified.verdict != Verdict::Accepted => {
            let mut evidence = evidence(rules, case, &judged, &mut reply)?;
            evidence.repeat = command_line
                .replace(SUBMISSION, &shell_word(entry.submission.as_bytes()))
                .replace(CASE, &case.test_case.name);
            evidence.kept = kept;
            Some(Box::new(evidence))
        }
        _ => None,
    };
    Ok(case_judgement(
        case.test_case,
        judged,
        evidence,
        reply.outcome,
    ))
}

struct Judged {
    classified: Classified,
    difference: Option<Box<Difference>>,
}

fn case_judgement(
    test_case: &TestCase,
    judged: Judged,
    evidence: Option<Box<Evidence>>,
    outcome: Outcome,
) -> CaseJudgement {
    let Classified { verdict, cause } = judged.classified;
    CaseJudgement {
        test_case: test_case.name.clone(),
        verdict,
        message: cause.clone(),
        cause,
        difference: judged.difference,
        evidence,
        outcome,
    }
}

fn job(rules: &Rules<'_>, entry: &Entry<'_>, test_case: &TestCase) -> Job {
    let runnable = entry.runnable;
    let mut command = runnable.command.clone();
    command.argv.extend(test_case.args.iter().cloned());
    let mut files = runnable.files.clone();
    let mut place = |name: PathBuf, path: &Path| {
        files.retain(|file| file.name != name);
        files.push(BoxFile {
            name,
            content: BoxContent::Copy(path.to_owned()),
        });
    };
    for file in &test_case.files {
        place(file.name.clone(), &file.path);
    }
    let (stdin, collect) = match rules.io {
        ProgramIo::Standard => (Input::File(test_case.input.clone()), Vec::new()),
        ProgramIo::Files { input, output } => {
            place(PathBuf::from(input), &test_case.input);
            (Input::Empty, vec![output.clone()])
        }
    };
    let mut limits = match entry.pace {
        Pace::Any => rules.limits.clone(),
        Pace::TooSlow => rules.stop_slow_at.clone(),
    };
    limits.processes = limits.processes.max(Some(runnable.processes));
    Job {
        command,
        stdin,
        files,
        writable: rules.allow_file_writing,
        box_size: BOX_SIZE.saturating_add(limits.output.unwrap_or_default()),
        limits,
        collect,
        keep: match &rules.detail {
            Detail::Full {
                keep: Some(dir), ..
            } => Some(box_dir(dir, entry.submission, &test_case.name)),
            _ => None,
        },
    }
}

/// Room for what lies in the box before the program starts.
const BOX_SIZE: Bytes = Bytes::mib(64);

fn box_dir(dir: &Path, submission: &str, test_case: &str) -> PathBuf {
    dir.join(box_name(submission)).join(box_name(test_case))
}

/// The name of a submission or a test case as that of one directory, never of one above.
#[must_use]
pub fn box_name(name: &str) -> String {
    /// File systems allow 255 bytes.
    const LONGEST: usize = 200;
    let name = name.replace('/', "-");
    // The end tells more of a long path than its beginning.
    let start = (name.len().saturating_sub(LONGEST)..name.len())
        .find(|at| name.is_char_boundary(*at))
        .unwrap_or(0);
    match &name[start..] {
        "" | "." | ".." => "-".to_owned(),
        name => name.to_owned(),
    }
}

/// Judges the output of a run that stayed within its limits and ended with exit code 0.
fn judge_output(
    rules: &Rules<'_>,
    case: &ReadyCase<'_>,
    reply: &mut Reply,
) -> Result<Judged, RunError> {
    let stdout_bytes = reply.outcome.stdout_bytes;
    let wrong = |cause: String| {
        Ok(Judged {
            classified: Classified {
                verdict: Verdict::WrongAnswer,
                cause,
            },
            difference: None,
        })
    };
    let output = match (rules.io, reply.collected.first_mut()) {
        (ProgramIo::Standard, _) => &mut reply.stdout,
        (ProgramIo::Files { output, .. }, None | Some(Collected::Missing)) => {
            return wrong(format!("`{output}` is missing{}", instead(stdout_bytes)));
        }
        (ProgramIo::Files { output, .. }, Some(Collected::NotAFile(what))) => {
            return wrong(format!("`{output}` is {what}, not a file"));
        }
        (ProgramIo::Files { .. }, Some(Collected::File(captured))) => captured,
    };
    let reading = |error| fault("read the output", error);
    let answer = open_answer(case.test_case)?;
    let difference =
        compare(answer, captured(output).map_err(reading)?, &case.options).map_err(reading)?;
    match (difference, rules.io) {
        (None, _) => Ok(Judged {
            classified: Classified {
                verdict: Verdict::Accepted,
                cause: "the output is right".to_owned(),
            },
            difference: None,
        }),
        (Some(difference), ProgramIo::Files { output, .. }) if difference.output.length == 0 => {
            wrong(format!("`{output}` is empty{}", instead(stdout_bytes)))
        }
        (Some(difference), _) => Ok(Judged {
            classified: Classified {
                verdict: Verdict::WrongAnswer,
                cause: cause(&difference),
            },
            difference: Some(Box::new(difference)),
        }),
    }
}

fn instead(stdout: Bytes) -> String {
    if stdout.0 == 0 {
        String::new()
    } else {
        format!("; {stdout} on standard output, which is not looked at")
    }
}

/// Gathers what a person is shown about a rejection.
fn evidence(
    rules: &Rules<'_>,
    case: &ReadyCase<'_>,
    judged: &Judged,
    reply: &mut Reply,
) -> Result<Evidence, RunError> {
    let mut evidence = Evidence {
        stderr: head(&mut reply.stderr).map_err(|error| fault("read standard error", error))?,
        ..Evidence::default()
    };
    let output = match (rules.io, reply.collected.first_mut()) {
        (ProgramIo::Standard, _) => &mut reply.stdout,
        (ProgramIo::Files { .. }, Some(Collected::File(captured))) => captured,
        (ProgramIo::Files { .. }, _) => return Ok(evidence),
    };
    if let Some(difference) = &judged.difference {
        let reading = |error| fault("read the output for its diff", error);
        let mut answer = open_answer(case.test_case)?;
        let mut output = captured(output).map_err(reading)?;
        let diff =
            diff::diff(&mut answer, &mut output, difference, &case.options).map_err(reading)?;
        evidence.diff = diff.lines;
        evidence.diff_lines_left_out = diff.left_out;
    }
    Ok(evidence)
}

fn open_answer(test_case: &TestCase) -> Result<File, RunError> {
    let path = test_case.answer.as_deref().ok_or_else(|| {
        JudgeError::new(
            "open the judge answer",
            format!("{} has none", test_case.name),
        )
    })?;
    Ok(File::open(path).map_err(|error| fault(&format!("open {}", path.display()), error))?)
}

/// At most the first 64 KiB.
fn head(stderr: &mut Captured) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    captured(stderr)?.take(64 << 10).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn fault(step: &str, error: io::Error) -> JudgeError {
    JudgeError::new(step, error)
}

/// A reader that starts at the first byte.
fn captured(captured: &mut Captured) -> io::Result<Box<dyn ReadSeek + '_>> {
    Ok(match captured {
        Captured::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
        Captured::File(file) => {
            file.seek(SeekFrom::Start(0))?;
            Box::new(BufReader::new(file))
        }
    })
}

trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_box_never_leads_out() {
        let check = |name: &str, expected: &str| assert_eq!(box_name(name), expected);
        check("a.cpp", "a.cpp");
        check("secret/edges/1", "secret-edges-1");
        check("../a.cpp", "..-a.cpp");
        check("..", "-");
        check(".", "-");
        check("/", "-");
        check("", "-");
        check(&"ä".repeat(300), &"ä".repeat(100));
    }
}
