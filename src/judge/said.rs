//! What was said in a pass of a program that talks with nobody: its input, then its output.

use std::fs::File;
use std::io::{self, Cursor, Read, SeekFrom};
use std::time::Duration;

use crate::judge::case::{Pass, ReadSeek, captured, fault, written};
use crate::model::job::{BoxContent, Reply};
use crate::model::joint::{Said, Side, Transcript};
use crate::model::judgement::JudgeError;
use crate::model::problem::ProgramIo;
use crate::model::units::Bytes;

/// How much of an exchange is kept, of its beginning and of its end each.
pub(super) const MOST: Bytes = Bytes::kib(16);

/// The beginning of the input, which the output validator made where it is not that of the test case, and the end
/// of the output.
pub(super) fn said(
    io: &ProgramIo,
    pass: &Pass,
    reply: &mut Reply,
) -> Result<Transcript, JudgeError> {
    let reading = |error| fault("read what was said in a pass", error);
    let mut input: Box<dyn ReadSeek + '_> = match &pass.input {
        BoxContent::Bytes(bytes) => Box::new(Cursor::new(&**bytes)),
        BoxContent::Copy(path) => Box::new(File::open(path).map_err(reading)?),
        BoxContent::Link(_) | BoxContent::Directory => Box::new(io::empty()),
    };
    let ended = reply.outcome.wall_time;
    let length = |text: &mut dyn ReadSeek| text.seek(SeekFrom::End(0)).map_err(reading);
    let read = length(&mut *input)?;
    let first = pieces(&mut *input, 0, Duration::ZERO, Side::Partner).map_err(reading)?;
    let mut left_out = read.saturating_sub(MOST.0);
    let last = match written(io, reply) {
        Err(_) => Vec::new(),
        Ok(output) => {
            let mut output = captured(output).map_err(reading)?;
            let skipped = length(&mut *output)?.saturating_sub(MOST.0);
            left_out += skipped;
            pieces(&mut *output, skipped, ended, Side::Program).map_err(reading)?
        }
    };
    Ok(Transcript {
        first,
        left_out: Bytes(left_out),
        last,
    })
}

/// The lines of a text from a place on, as far as there is room for them.
fn pieces(text: &mut dyn ReadSeek, from: u64, at: Duration, by: Side) -> io::Result<Vec<Said>> {
    text.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    text.take(MOST.0).read_to_end(&mut bytes)?;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let said = lines.map(|line| Said {
        at,
        by,
        text: line.to_vec(),
    });
    Ok(said.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::scripted::quiet_outcome;
    use crate::model::job::Captured;

    fn check(input: &str, output: &str, left_out: u64, notation: &str) {
        let pass = Pass {
            number: 2,
            input: BoxContent::Bytes(input.as_bytes().into()),
            earlier: Vec::new(),
            _dir: None,
        };
        let mut reply = Reply {
            outcome: quiet_outcome(),
            stdout: Captured::Memory(output.as_bytes().to_vec()),
            stderr: Captured::default(),
            collected: Vec::new(),
        };
        let transcript = said(&ProgramIo::Standard, &pass, &mut reply).unwrap();
        assert_eq!(transcript.left_out, Bytes(left_out));
        let said = String::from_utf8(transcript.notation()).unwrap();
        let said = said.lines().filter(|line| line.len() < 40);
        assert_eq!(said.collect::<Vec<_>>().join("|"), notation);
    }

    #[test]
    fn input_and_output_of_a_pass_are_told_in_order() {
        check("", "", 0, "");
        check("2 1\n", "3\nx", 0, "<2 1|>3|>x");
        let long = "7".repeat(20_000);
        let most = MOST.0;
        // What is left out is the end of the input, and the beginning of the output.
        let (input, output) = (format!("2\n{long}"), format!("{long}\n3\n"));
        let left_out = 2 * (20_002 - most) + 1;
        check(
            &input,
            &output,
            left_out,
            &format!("<2|[{left_out} bytes left out]|>3"),
        );
    }
}
