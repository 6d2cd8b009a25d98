//! Compares an output with the judge answer, as the default output validator does, or by name.

use crate::judge::case::{CaseJudge, Pass, PassResult};
use crate::judge::classify::VerdictWithCause;
use crate::judge::judged_outputs::is_judge_answer;
use crate::judge::run_log::not_kept;
use juror_core::blob::{Blob, BlobReader};
use juror_core::check::compare::{CompareError, accepted_remark, compare};
use juror_core::check::show::describe;
use juror_core::job::{CollectedEntry, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::problem::{ProgramIo, SubmittedContent};
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use std::io::{BufRead, BufReader};

impl CaseJudge<'_> {
    /// For a run within its limits that ended with exit code 0.
    pub(super) fn judge_output(&self, pass: &Pass, reply: &JobReply) -> Result<PassResult, Stop> {
        let output = match output_of(&self.rules.problem.io, reply) {
            Ok(output) => output,
            Err(missing) => return Ok(wrong_answer(missing)),
        };
        if self.rules.is_replayed() && !output.is_available() {
            let name = &self.case.test_case.name;
            return Err(not_kept(format!("its output on {name} was too long to keep")).into());
        }
        if self.rules.problem.kind.submitted == SubmittedContent::Function
            && let Some(fault) = returned_value_fault(output)?
        {
            return Ok(with_verdict(Verdict::RunTimeError, fault));
        }
        let judged = self.judge_text(pass, output)?;
        Ok(match (&judged.difference, &self.rules.problem.io) {
            (Some(difference), ProgramIo::Files { output, .. })
                if difference.output.length == 0 =>
            {
                wrong_answer(format!(
                    "`{output}` is empty{}",
                    ignored_stdout_note(reply.outcome.stdout_bytes)
                ))
            }
            _ => judged,
        })
    }

    pub(super) fn judge_text(&self, pass: &Pass, output: &Blob) -> Result<PassResult, Stop> {
        let options = &self.case.options;
        if !options.compares() {
            return Ok(accepted("the output is not compared"));
        }
        if !self.rules.validators.output.is_empty() {
            return self.ask_validators(pass, output);
        }
        let answer = self.case.answer()?;
        let read_error = |error| JudgeError::new("read the output", error);
        let has_same_bytes = has_same_bytes(&answer, output)
            && options.accepts_equal_texts(&output.prefix(4).map_err(read_error)?);
        let mut remark = None;
        let mut difference = None;
        if !has_same_bytes {
            let fault = |error| {
                let step = format!("compare with the judge answer {answer}");
                match error {
                    CompareError::Read(error) => JudgeError::new(step, error),
                    CompareError::RefusedAnswer(why) => JudgeError::new(step, why)
                        .help("correct the file, or choose another comparison"),
                }
            };
            let open_output = || output.open().map_err(read_error);
            difference = compare(open_answer(&answer)?, open_output()?, options).map_err(fault)?;
            if difference.is_none() {
                let text = accepted_remark(open_answer(&answer)?, open_output()?, options);
                remark = text.map(str::to_owned);
            }
        }
        let judged = match difference {
            None => PassResult { remark, ..accepted("the output is right") },
            Some(difference) => {
                self.remember(|outputs, name| {
                    if let Ok(digest) = output.digest() {
                        let of_case = &mut outputs.lock().rejected;
                        let of_case = of_case.entry(name).or_default();
                        of_case.insert(self.entry.submission.to_owned(), digest);
                    }
                });
                PassResult {
                    difference: Some(Box::new(difference.clone())),
                    ..wrong_answer(describe(&difference))
                }
            }
        };
        self.with_output_images(pass, output, judged)
    }
}

/// Up to this size, a digest costs less than opening a file.
const SMALL_OUTPUT: u64 = 64 << 10;

/// Whether an output equals the judge answer byte by byte, as far as digests tell: the answer's digest is computed
/// only once. The comparison reports an unreadable answer.
fn has_same_bytes(answer: &Blob, output: &Blob) -> bool {
    let is_small = || output.bytes().is_some_and(|bytes| bytes.len() as u64 <= SMALL_OUTPUT);
    answer == output || (is_small() && is_judge_answer(answer, output))
}

/// The output of a program, or why there is none.
pub(super) fn output_of<'r>(io: &ProgramIo, reply: &'r JobReply) -> Result<&'r Blob, String> {
    let stdout = reply.outcome.stdout_bytes;
    match (io, reply.collected.first()) {
        (ProgramIo::Standard, _) => Ok(&reply.stdout),
        (ProgramIo::Files { output, .. }, None | Some(CollectedEntry::Missing)) => {
            Err(format!("`{output}` is missing{}", ignored_stdout_note(stdout)))
        }
        (ProgramIo::Files { output, .. }, Some(CollectedEntry::NotAFile(what))) => {
            Err(format!("`{output}` is {what}, not a file"))
        }
        (ProgramIo::Files { .. }, Some(CollectedEntry::File(blob))) => Ok(blob),
    }
}

/// Why the output is not the one line with which a call of a function ends.
fn returned_value_fault(output: &Blob) -> Result<Option<&'static str>, JudgeError> {
    let read_error = |error| JudgeError::new("read the output", error);
    let mut first = Vec::new();
    let mut text = BufReader::new(output.open().map_err(read_error)?);
    text.read_until(b'\n', &mut first).map_err(read_error)?;
    Ok(match output.len().map_err(read_error)? {
        0 => Some("the program ended before the function returned"),
        _ if !first.ends_with(b"\n") => {
            Some("the program ended while it wrote what the function returned")
        }
        length if length > first.len() as u64 => {
            Some("the program wrote more than what the function returned")
        }
        _ => None,
    })
}

fn accepted(cause: &str) -> PassResult {
    with_verdict(Verdict::Accepted, cause)
}

pub(super) fn wrong_answer(cause: String) -> PassResult {
    with_verdict(Verdict::WrongAnswer, cause)
}

fn with_verdict(verdict: Verdict, cause: impl Into<String>) -> PassResult {
    PassResult::from(VerdictWithCause { verdict, cause: cause.into() })
}

fn ignored_stdout_note(stdout: Bytes) -> String {
    if stdout.0 == 0 {
        String::new()
    } else {
        format!("; {stdout} on standard output, which is ignored")
    }
}

pub(super) fn open_answer(answer: &Blob) -> Result<BlobReader<'_>, JudgeError> {
    answer.open().map_err(|error| JudgeError::new(format!("open {answer}"), error))
}
