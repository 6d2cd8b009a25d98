//! Lets a person at the terminal talk with a program in the sandbox.

use std::io::{self, IsTerminal, PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::thread;

use crate::cli::streams;
use crate::executor::Hand;
use crate::model::judgement::JudgeError;
use crate::model::text::visible;
use crate::model::units::Bytes;
use crate::ops::stdin::UntilBell;
use crate::report::log::LogFormat;

/// Connects standard input and output of this process with a program, which `run` starts. Also returns how many bytes
/// the program wrote; reading stops after `most` bytes. On a terminal, each line begins with `mark`.
pub(super) fn talk<R, E: From<JudgeError>>(
    mark: &str,
    most: Option<Bytes>,
    run: impl FnOnce(Hand) -> Result<R, E>,
) -> Result<(R, Bytes), E> {
    let fault = |error| JudgeError::new("connect the program with the terminal", error);
    let (reads, mut to) = io::pipe().map_err(fault)?;
    let (from, writes) = io::pipe().map_err(fault)?;
    let (over, bell) = io::pipe().map_err(fault)?;
    let mut typed = UntilBell::stdin(over).map_err(fault)?;
    let hand = Hand { reads: OwnedFd::from(reads), writes: OwnedFd::from(writes) };

    thread::scope(|scope| {
        // It copies until the program or the person ends.
        scope.spawn(move || io::copy(&mut typed, &mut to));
        let shown = scope.spawn(|| show(from, mark, most.map_or(u64::MAX, |most| most.0)));
        let done = run(hand);
        // This ends the first thread; the second one ends when no writer is left.
        drop(bell);
        let written = shown.join().unwrap_or_default();
        Ok((done?, Bytes(written)))
    })
}

/// Returns the number of bytes.
fn show(mut from: PipeReader, mark: &str, most: u64) -> u64 {
    let mut out = streams::out(LogFormat::Text);
    let is_terminal = io::stdout().is_terminal();
    let mut is_at_start = true;
    let mut written = 0;
    let mut buffer = [0; 4096];
    while let Ok(length) = from.read(&mut buffer) {
        let bytes = &buffer[..length];
        written += length as u64;
        if length == 0 || written > most {
            break;
        }
        let shown = if is_terminal {
            out.write_all(marked(bytes, mark, &mut is_at_start).as_bytes())
        } else {
            out.write_all(bytes)
        };
        if shown.and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    written
}

/// Control characters are escaped, so that a program cannot control the terminal.
fn marked(bytes: &[u8], mark: &str, is_at_start: &mut bool) -> String {
    let mut text = String::new();
    for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
        if *is_at_start {
            text.push_str(mark);
        }
        let line = piece.strip_suffix(b"\n");
        text.push_str(&visible(line.unwrap_or(piece)));
        *is_at_start = line.is_some();
        if *is_at_start {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_a_program_writes() {
        let check = |pieces: &[&[u8]], expected: &str| {
            let mut is_at_start = true;
            let shown: String =
                pieces.iter().map(|piece| marked(piece, "> ", &mut is_at_start)).collect();
            assert_eq!(shown, expected);
        };
        check(&[b"5\n", b"7\n"], "> 5\n> 7\n");
        check(&[b"a", b"b\nc"], "> ab\n> c");
        check(&[b"\x1b[31m\n\n"], "> \\x1b[31m\n> \n");
    }
}
