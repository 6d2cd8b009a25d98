//! Lets a person at the terminal talk with a program in the sandbox, or see its output as it comes.
//!
//! A read of the terminal may wait for ever, so a third pipe ends it when the program ends.

use std::io::{self, IsTerminal, PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::cli::streams;
use crate::ops::stdin::StoppableStdin;
use crate::report::log::LogFormat;
use juror_core::judgement::JudgeError;
use juror_core::text::visible;
use juror_core::units::Bytes;
use juror_sandbox::executor::ManualPipes;

/// Connects standard output of this process with a program, which `run` starts, and standard input, too, if lines have
/// a `mark`. Also returns how many bytes the program wrote; reading stops after `most` bytes. On a terminal, each line
/// begins with `mark`.
pub(super) fn connect_terminal<R, E: From<JudgeError>>(
    mark: Option<&str>,
    most: Option<Bytes>,
    run: impl FnOnce(ManualPipes) -> Result<R, E>,
) -> Result<(R, Bytes), E> {
    let fault = |error| JudgeError::new("connect the program with the terminal", error);
    let (reads, mut to) = io::pipe().map_err(fault)?;
    let (from, writes) = io::pipe().map_err(fault)?;
    let (over, bell) = io::pipe().map_err(fault)?;
    let mut typed = StoppableStdin::open(over).map_err(fault)?;
    let input = mark.is_some().then(|| OwnedFd::from(reads));
    let pipes = ManualPipes { input, output: OwnedFd::from(writes) };

    thread::scope(|scope| {
        if mark.is_some() {
            // It copies until the program or the person ends.
            scope.spawn(move || io::copy(&mut typed, &mut to));
        }
        let shown = scope.spawn(|| show_output(from, mark, most.map_or(u64::MAX, |most| most.0)));
        let result = run(pipes);
        // This ends the first thread; the second one ends when no writer is left.
        drop(bell);
        let written = shown.join().unwrap_or_default();
        Ok((result?, Bytes(written)))
    })
}

/// How many pieces of output wait for a slow reader. The program waits if there are more: together they may have 64 MiB.
const PIECES: usize = 1 << 14;

/// Returns the number of bytes. A slow reader, such as `| less`, does not slow the program down, unless there is much
/// output. If nobody reads any more, the program ends only if it talks with a person.
fn show_output(mut from: PipeReader, mark: Option<&str>, most: u64) -> u64 {
    let (pieces, arrived) = mpsc::sync_channel(PIECES);
    thread::scope(|scope| {
        scope.spawn(|| write_output(arrived, mark));
        let mut written = 0;
        let mut buffer = [0; 4096];
        while let Ok(length) = from.read(&mut buffer) {
            let allowed = usize::try_from(most - written).unwrap_or(length).min(length);
            let is_read = pieces.send(buffer[..allowed].to_vec()).is_ok();
            written += length as u64;
            if length == 0 || written > most || !is_read && mark.is_some() {
                break;
            }
        }
        drop(pieces);
        written
    })
}

/// Ends when nobody reads any more.
fn write_output(pieces: Receiver<Vec<u8>>, mark: Option<&str>) -> io::Result<()> {
    let mut out = streams::out(LogFormat::Text);
    let is_terminal = io::stdout().is_terminal();
    let mut is_at_start = true;
    for bytes in pieces {
        if is_terminal {
            let lines = mark_lines(&bytes, mark.unwrap_or_default(), &mut is_at_start);
            out.write_all(lines.as_bytes())?;
        } else {
            out.write_all(&bytes)?;
        }
        out.flush()?;
    }
    // The report begins a line of its own.
    if is_terminal && !is_at_start && mark.is_none() { out.write_all(b"\n") } else { Ok(()) }
}

/// Control characters are escaped, so that a program cannot control the terminal.
fn mark_lines(bytes: &[u8], mark: &str, is_at_start: &mut bool) -> String {
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
    fn a_program_cannot_control_the_terminal() {
        let check = |pieces: &[&[u8]], expected: &str| {
            let mut is_at_start = true;
            let shown: String =
                pieces.iter().map(|piece| mark_lines(piece, "> ", &mut is_at_start)).collect();
            assert_eq!(shown, expected);
        };
        check(&[b"5\n", b"7\n"], "> 5\n> 7\n");
        check(&[b"a", b"b\nc"], "> ab\n> c");
        check(&[b"\x1b[31m\n\n"], "> \\x1b[31m\n> \n");
    }
}
