//! The evidence of a rejection that people see: texts, shortened.

use std::io;

use crate::judge::case::{Pass, PassResult, ReadyCase, Rules};
use crate::judge::default_validator::{open_answer, output_of};
use crate::judge::transcript::beginning_and_end;
use crate::judge::visualizers::Visualizers;
use crate::output_validator::feedback_dir;
use juror_core::blob::Blob;
use juror_core::check::diff;
use juror_core::job::JobReply;
use juror_core::judgement::{Evidence, JudgeError};
use juror_core::root::FilePath;
use juror_core::verdict::Verdict;

const BEGINNING: u64 = 4 << 10;

/// Adds what a report shows of a run.
pub(super) fn add_run(
    evidence: &mut Evidence,
    rules: &Rules<'_>,
    case: &ReadyCase<'_>,
    judged: &PassResult,
    reply: &JobReply,
) -> Result<(), JudgeError> {
    const MOST: u64 = 64 << 10;
    evidence.stderr = beginning_of_stderr(reply, MOST)?;
    evidence.transcript.clone_from(&judged.transcript);
    let is_shown = judged.transcript.is_none() && reply.stdout.is_available();
    if is_shown && judged.classified.verdict != Verdict::WrongAnswer {
        let ends = beginning_and_end(&reply.stdout)
            .map_err(|error| JudgeError::new("read standard output", error))?;
        (evidence.stdout, evidence.stdout_bytes_left_out) = ends;
    }
    if let Ok(output) = output_of(&rules.problem.io, reply) {
        add_diff(evidence, case, judged, output)?;
    }
    Ok(())
}

/// For an accepted run; `None` if it wrote nothing there.
pub(super) fn stderr_alone(reply: &JobReply) -> Result<Option<Box<Evidence>>, JudgeError> {
    let stderr = beginning_of_stderr(reply, BEGINNING)?;
    let evidence = || Box::new(Evidence { stderr: stderr.clone(), ..Evidence::default() });
    Ok((!stderr.is_empty()).then(evidence))
}

fn beginning_of_stderr(reply: &JobReply, most: u64) -> Result<Vec<u8>, JudgeError> {
    reply.stderr.prefix(most).map_err(|error| JudgeError::new("read standard error", error))
}

/// Adds judge answer, output and diff of a wrong output.
pub(super) fn add_diff(
    evidence: &mut Evidence,
    case: &ReadyCase<'_>,
    judged: &PassResult,
    output: &Blob,
) -> Result<(), JudgeError> {
    if judged.classified.verdict != Verdict::WrongAnswer {
        return Ok(());
    }
    let read_error = |error| JudgeError::new("read the output for its diff", error);
    let answer = case.answer()?;
    if judged.transcript.is_none() {
        (evidence.answer, evidence.answer_bytes_left_out) =
            beginning(&answer).map_err(read_error)?;
        (evidence.output, evidence.output_bytes_left_out) =
            beginning(output).map_err(read_error)?;
    }
    if let Some(difference) = &judged.difference {
        let mut answer = open_answer(&answer)?;
        let mut output = output.open().map_err(read_error)?;
        let diff =
            diff::diff(&mut answer, &mut output, difference, &case.options).map_err(read_error)?;
        evidence.diff = diff.lines;
        evidence.diff_lines_left_out = diff.omitted_lines;
    }
    Ok(())
}

/// Adds the input of the submission, or of its validator.
pub(super) fn add_input(
    evidence: &mut Evidence,
    case: &ReadyCase<'_>,
    pass: &Pass,
    box_path: Option<&FilePath>,
) -> Result<(), JudgeError> {
    let read_error = |error| JudgeError::new("read the input", error);
    (evidence.input, evidence.input_bytes_left_out) = beginning(&pass.input).map_err(read_error)?;
    evidence.input_path = match (pass.number, case.input.path()) {
        (1, Some(path)) => Some(path.into()),
        _ => box_path.map(|box_path| box_path.with_added_extension("input").into()),
    };
    Ok(())
}

/// The beginning of a text, and how many bytes are left out.
fn beginning(text: &Blob) -> io::Result<(Vec<u8>, u64)> {
    Ok((text.prefix(BEGINNING)?, text.len()?.saturating_sub(BEGINNING)))
}

/// Adds the feedback of the package's validator, and images of the output.
pub(super) fn add_feedback(
    evidence: &mut Evidence,
    judged: &PassResult,
    visualizers: &Visualizers,
) {
    if let Some(feedback) = &judged.feedback {
        evidence.validator_stderr.clone_from(&feedback.stderr);
        evidence.images = feedback.images.iter().map(|image| image.name.clone()).collect();
        evidence.feedback = feedback.box_path.as_deref().map(feedback_dir);
        evidence.pictures.extend(visualizers.copies_for_page(&feedback.images));
    }
}
