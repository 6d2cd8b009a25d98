//! The transcript of a pass that is not interactive: the input, then the output.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Duration;

use crate::judge::case::Pass;
use crate::judge::default_validator::output_of;
use juror_core::blob::{Blob, BlobReader};
use juror_core::job::JobReply;
use juror_core::joint::{TalkSide, Transcript, TranscriptPiece};
use juror_core::judgement::JudgeError;
use juror_core::problem::ProgramIo;
use juror_core::units::Bytes;

/// The most bytes of a transcript from its beginning, and as many from its end.
pub(super) const TRANSCRIPT_END: Bytes = Bytes::kib(16);

/// The beginning of the input and the end of the output. In later passes, the output validator made the input.
pub(super) fn pass_transcript(
    io: &ProgramIo,
    pass: &Pass,
    reply: &JobReply,
) -> Result<Transcript, JudgeError> {
    let read_error = |error| JudgeError::new("read the transcript of a pass", error);
    let mut input = pass.input.open().map_err(read_error)?;
    let ended = reply.outcome.wall_time;
    let read = pass.input.len().map_err(read_error)?;
    let first =
        transcript_pieces(&mut input, 0, Duration::ZERO, TalkSide::Partner).map_err(read_error)?;
    let mut left_out = read.saturating_sub(TRANSCRIPT_END.0);
    let last = match output_of(io, reply) {
        Err(_) => Vec::new(),
        Ok(output) => {
            let skipped = output.len().map_err(read_error)?.saturating_sub(TRANSCRIPT_END.0);
            left_out += skipped;
            let mut output = output.open().map_err(read_error)?;
            transcript_pieces(&mut output, skipped, ended, TalkSide::Program).map_err(read_error)?
        }
    };
    Ok(Transcript { first, left_out: Bytes(left_out), last })
}

/// A text, or beginning and end of a long one, and how many bytes between them are left out.
pub(super) fn beginning_and_end(text: &Blob) -> io::Result<(Vec<u8>, u64)> {
    const PART: u64 = 4 << 10;
    let length = text.len()?;
    let mut shown = text.prefix(2 * PART)?;
    let left_out = length.saturating_sub(2 * PART);
    if left_out > 0 {
        shown.truncate(PART as usize);
        let mut text = text.open()?;
        text.seek(SeekFrom::Start(length - PART))?;
        text.take(PART).read_to_end(&mut shown)?;
    }
    Ok((shown, left_out))
}

/// The lines of a text from a position on, as many as fit.
fn transcript_pieces(
    text: &mut BlobReader<'_>,
    from: u64,
    at: Duration,
    by: TalkSide,
) -> io::Result<Vec<TranscriptPiece>> {
    text.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    text.take(TRANSCRIPT_END.0).read_to_end(&mut bytes)?;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let pieces = lines.map(|line| TranscriptPiece { at, by, text: line.to_vec() });
    Ok(pieces.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;

    fn check(input: &str, output: &str, left_out: u64, notation: &str) {
        let pass = Pass { number: 2, ..Pass::first(input.as_bytes().into()) };
        let reply = JobReply {
            outcome: quiet_outcome(),
            stdout: output.as_bytes().into(),
            stderr: Blob::default(),
            collected: Vec::new(),
            kept: None,
        };
        let transcript = pass_transcript(&ProgramIo::Standard, &pass, &reply).unwrap();
        assert_eq!(transcript.left_out, Bytes(left_out));
        let text = String::from_utf8(transcript.to_interaction_text()).unwrap();
        let text = text.lines().filter(|line| line.len() < 40);
        assert_eq!(text.collect::<Vec<_>>().join("|"), notation);
    }

    #[test]
    fn a_transcript_has_the_input_before_the_output() {
        check("", "", 0, "");
        check("2 1\n", "3\nx", 0, "<2 1|>3|>x");
        let long = "7".repeat(20_000);
        let most = TRANSCRIPT_END.0;
        // The end of the input and the beginning of the output are left out.
        let (input, output) = (format!("2\n{long}"), format!("{long}\n3\n"));
        let left_out = 2 * (20_002 - most) + 1;
        check(&input, &output, left_out, &format!("<2|[{left_out} bytes left out]|>3"));
    }
}
