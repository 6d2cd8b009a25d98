//! The judge's side of a program's outputs: files without a name, read after all processes are gone.
//!
//! They are files because a program can always write to a file. To a pipe, some language runtimes write only when
//! somebody reads, and not at all if the program ends before.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::system;
use juror_core::blob::Blob;
use juror_core::limits::Limits;
use juror_core::outcome::{Outcome, StopReason};
use juror_core::units::Bytes;

/// In bytes: a longer file is copied to an unnamed file.
const IN_MEMORY_BYTES: u64 = 1 << 20;

/// Bytes kept of the start, and of the end, of standard error.
const STDERR_END_BYTES: u64 = 32 << 10;

pub(super) struct OutputFile {
    pub(super) judge_file: File,
    /// Only for writing.
    pub(super) program_end: OwnedFd,
}

pub(super) struct Outputs {
    /// `None` if standard output goes to somebody else.
    stdout: Option<File>,
    stderr: File,
}

pub(super) struct OutputEnds {
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OutputSizes {
    pub(super) stdout: Bytes,
    pub(super) stderr: Bytes,
}

impl Outputs {
    /// Standard output goes to `end` if there is one.
    pub(super) fn make(end: Option<OwnedFd>) -> Result<(Self, OutputEnds), Fault> {
        let make = || system::output_file().step("make a file for a program's output");
        let (ours, stdout) = match end {
            Some(end) => (None, end),
            None => {
                let file = make()?;
                (Some(file.judge_file), file.program_end)
            }
        };
        let error = make()?;
        let outputs = Self { stdout: ours, stderr: error.judge_file };
        Ok((outputs, OutputEnds { stdout, stderr: error.program_end }))
    }

    pub(super) fn written(&self) -> Result<OutputSizes, Fault> {
        let length = |file: &File| file.metadata().map(|found| Bytes(found.len()));
        let step = "measure a program's output";
        let stdout = self.stdout.as_ref().map_or(Ok(Bytes(0)), length).step(step)?;
        Ok(OutputSizes { stdout, stderr: length(&self.stderr).step(step)? })
    }

    /// Reads this many bytes; standard output only up to its limit. Returns it and standard error.
    pub(super) fn read(self, written: OutputSizes, limits: &Limits) -> Result<(Blob, Blob), Fault> {
        let most = limits.output.map_or(written.stdout, |limit| limit.min(written.stdout));
        let stdout = self.stdout.map_or(Ok(Blob::default()), |file| copy_file(file, most.0));
        let stdout = stdout.step("read standard output")?;
        let stderr = both_ends(self.stderr, written.stderr.0).step("read standard error")?;
        Ok((stdout, stderr))
    }
}

impl OutputSizes {
    pub(super) fn record_in(self, outcome: &mut Outcome, limits: &Limits) {
        (outcome.stdout_bytes, outcome.stderr_bytes) = (self.stdout, self.stderr);
        apply_output_limit(outcome, limits);
    }

    pub(super) fn exceeds_limit(self, limits: &Limits) -> bool {
        limits.output.is_some_and(|limit| self.stdout.saturating_add(self.stderr) > limit)
    }
}

/// Adds all outputs to the decision: the program may have ended before anybody saw that it had written too much.
pub(super) fn apply_output_limit(outcome: &mut Outcome, limits: &Limits) {
    let written = OutputSizes { stdout: outcome.stdout_bytes, stderr: outcome.stderr_bytes };
    if outcome.stopped_by.is_none() && written.exceeds_limit(limits) {
        outcome.stopped_by = Some(StopReason::Output);
    }
}

pub(super) fn copy_file(file: impl Into<File>, most: u64) -> io::Result<Blob> {
    let file: File = file.into();
    let expected = file.metadata()?.len().min(most);
    spool(file.take(most), expected)
}

/// Reads all: into memory if it is little, else into a file without a name.
///
/// # Errors
/// If it cannot be read or written.
pub fn spool(mut from: impl Read, expected: u64) -> io::Result<Blob> {
    let expected = expected.min(IN_MEMORY_BYTES) + 1;
    let mut start = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    from.by_ref().take(IN_MEMORY_BYTES + 1).read_to_end(&mut start)?;
    if start.len() as u64 <= IN_MEMORY_BYTES {
        return Ok(start.into());
    }
    let mut to = tempfile::tempfile()?;
    to.write_all(&start)?;
    io::copy(&mut from, &mut to)?;
    Ok(Blob::open_file(to))
}

fn both_ends(mut file: File, length: u64) -> io::Result<Blob> {
    let left_out = length.saturating_sub(2 * STDERR_END_BYTES);
    let mut bytes = Vec::new();
    if left_out > 0 {
        (&mut file).take(STDERR_END_BYTES).read_to_end(&mut bytes)?;
        bytes.extend(format!("\n[{left_out} bytes left out]\n").as_bytes());
        file.seek(SeekFrom::Start(STDERR_END_BYTES + left_out))?;
    }
    file.take(2 * STDERR_END_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured_outputs(bytes: &[u8], limit: Option<Bytes>) -> (Blob, Blob) {
        let (outputs, ends) = Outputs::make(None).unwrap();
        for end in [ends.stdout, ends.stderr] {
            File::from(end).write_all(bytes).unwrap();
        }
        let limits = Limits { output: limit, ..Limits::default() };
        let written = outputs.written().unwrap();
        assert_eq!(written.stdout, Bytes(bytes.len() as u64));
        assert_eq!(written.stderr, written.stdout);
        outputs.read(written, &limits).unwrap()
    }

    #[test]
    fn both_ends_of_standard_error_are_kept() {
        let end = STDERR_END_BYTES as usize;
        let check = |bytes: &[u8], expected: &[u8]| {
            assert_eq!(
                captured_outputs(bytes, None).1.bytes(),
                Some(expected),
                "{} bytes",
                bytes.len()
            );
        };
        check(b"", b"");
        let short: Vec<u8> = (0..2 * end).map(|n| n as u8).collect();
        check(&short, &short);
        for more in [1, 7, end] {
            let long: Vec<u8> = (0..2 * end + more).map(|n| (n / 7) as u8).collect();
            let mut expected = long[..end].to_vec();
            expected.extend(format!("\n[{more} bytes left out]\n").as_bytes());
            expected.extend(&long[end + more..]);
            check(&long, &expected);
        }
    }

    #[test]
    fn output_is_kept_whole_up_to_its_limit_and_much_of_it_in_a_file() {
        let check = |length: u64, limit: Option<u64>, expected: u64| {
            let bytes: Vec<u8> = (0..length).map(|n| (n / 3) as u8).collect();
            let (stdout, _) = captured_outputs(&bytes, limit.map(Bytes));
            assert_eq!(stdout.bytes().is_some(), expected <= IN_MEMORY_BYTES, "{length} {limit:?}");
            let all = stdout.prefix(u64::MAX).unwrap();
            assert!(all == bytes[..expected as usize], "{length} {limit:?}");
        };
        check(0, None, 0);
        check(7, Some(5), 5);
        check(7, Some(7), 7);
        check(IN_MEMORY_BYTES, None, IN_MEMORY_BYTES);
        check(IN_MEMORY_BYTES + 1, None, IN_MEMORY_BYTES + 1);
        check(IN_MEMORY_BYTES + 1, Some(IN_MEMORY_BYTES), IN_MEMORY_BYTES);
        check(3 * IN_MEMORY_BYTES + 5, Some(3 * IN_MEMORY_BYTES), 3 * IN_MEMORY_BYTES);
    }

    #[test]
    fn the_end_of_an_output_is_only_for_writing() {
        let (_, ends) = Outputs::make(None).unwrap();
        for end in [ends.stdout, ends.stderr] {
            assert!(File::from(end).read(&mut [0]).is_err());
        }
    }
}
