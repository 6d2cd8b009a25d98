//! Compares an output with the judge answer, as the default output validator does.

use crate::check::compare::compare;
use crate::check::show::cause;
use crate::judge::case::{Judged, Pass, Trial};
use crate::judge::classify::Classified;
use crate::model::blob::{Blob, Reader};
use crate::model::job::{Collected, Reply};
use crate::model::judgement::JudgeError;
use crate::model::problem::ProgramIo;
use crate::model::stop::Stop;
use crate::model::units::Bytes;
use crate::model::verdict::Verdict;

impl Trial<'_> {
    /// For a run within its limits that ended with exit code 0.
    pub(super) fn judge_output(&self, pass: &Pass, reply: &Reply) -> Result<Judged, Stop> {
        let output = match written(&self.rules.problem.io, reply) {
            Ok(output) => output,
            Err(missing) => return Ok(wrong(missing)),
        };
        let judged = self.judge_written(pass, output)?;
        Ok(match (&judged.difference, &self.rules.problem.io) {
            (Some(difference), ProgramIo::Files { output, .. })
                if difference.output.length == 0 =>
            {
                wrong(format!("`{output}` is empty{}", instead(reply.outcome.stdout_bytes)))
            }
            _ => judged,
        })
    }

    pub(super) fn judge_written(&self, pass: &Pass, output: &Blob) -> Result<Judged, Stop> {
        if !self.rules.validators.output.is_empty() {
            return self.ask(pass, output);
        }
        let answer = self.case.answer()?;
        let difference = if is_same(&answer, output) {
            None
        } else {
            let reading = |error| JudgeError::new("read the output", error);
            let output = output.open().map_err(reading)?;
            compare(open(&answer)?, output, &self.case.options).map_err(reading)?
        };
        let judged = match difference {
            None => Judged::from(Classified {
                verdict: Verdict::Accepted,
                cause: "the output is right".to_owned(),
            }),
            Some(difference) => Judged {
                difference: Some(Box::new(difference.clone())),
                ..wrong(cause(&difference))
            },
        };
        self.with_images(pass, output, judged)
    }
}

/// Up to this size, a digest costs less than opening a file.
const SMALL: u64 = 64 << 10;

/// Whether an output equals the judge answer byte by byte, as far as digests tell: the answer's digest is computed
/// only once. The comparison reports an unreadable answer.
fn is_same(answer: &Blob, output: &Blob) -> bool {
    let is_small = || output.bytes().is_some_and(|bytes| bytes.len() as u64 <= SMALL);
    let same_size = || answer.len().ok() == output.len().ok();
    answer == output || is_small() && same_size() && answer.digest().ok() == output.digest().ok()
}

/// The output of a program, or why there is none.
pub(super) fn written<'r>(io: &ProgramIo, reply: &'r Reply) -> Result<&'r Blob, String> {
    let stdout = reply.outcome.stdout_bytes;
    match (io, reply.collected.first()) {
        (ProgramIo::Standard, _) => Ok(&reply.stdout),
        (ProgramIo::Files { output, .. }, None | Some(Collected::Missing)) => {
            Err(format!("`{output}` is missing{}", instead(stdout)))
        }
        (ProgramIo::Files { output, .. }, Some(Collected::NotAFile(what))) => {
            Err(format!("`{output}` is {what}, not a file"))
        }
        (ProgramIo::Files { .. }, Some(Collected::File(blob))) => Ok(blob),
    }
}

pub(super) fn wrong(cause: String) -> Judged {
    Judged::from(Classified { verdict: Verdict::WrongAnswer, cause })
}

fn instead(stdout: Bytes) -> String {
    if stdout.0 == 0 {
        String::new()
    } else {
        format!("; {stdout} on standard output, which is ignored")
    }
}

pub(super) fn open(answer: &Blob) -> Result<Reader<'_>, JudgeError> {
    answer.open().map_err(|error| JudgeError::new(format!("open {answer}"), error))
}
