//! Speed and memory of comparing outputs, next to `cmp`(1).
//!
//! `cargo bench --bench compare [-- MEGABYTES]` writes pairs of files of that size (default 500) and prints bytes of
//! one file per second. The two programs run in turns, and the best turn counts.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use juror_core::check::compare::compare;
use juror_core::check::options::Options;

const TURNS: usize = 5;

struct FilePair {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Writes the n-th line of the judge answer and of the output.
    line: LineFunction,
}

type LineFunction = fn(&mut dyn Write, u64, Side) -> std::io::Result<()>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Answer,
    Output,
}

const PAIRS: [FilePair; 6] = [
    FilePair {
        name: "equal files",
        arguments: &[],
        line: |file, n, _| writeln!(file, "{} {} {}", number(n), number(n + 1), number(n + 2)),
    },
    FilePair { name: "one equal token", arguments: &[], line: |file, n, _| write!(file, "{n}") },
    FilePair {
        name: "other line ends",
        arguments: &[],
        line: |file, n, side| {
            write!(file, "{}{}", number(n), if side == Side::Answer { "\n" } else { "\r\n" })
        },
    },
    FilePair {
        name: "other letter case",
        arguments: &[],
        line: |file, n, side| {
            writeln!(file, "{} {n}", if side == Side::Answer { "Yes" } else { "YES" })
        },
    },
    FilePair {
        name: "near numbers",
        arguments: &["float_tolerance", "1e-6"],
        line: |file, n, side| {
            let digits = if side == Side::Answer { 9 } else { 12 };
            writeln!(file, "{:.digits$}", number(n) as f64 / 7.0)
        },
    },
    FilePair {
        name: "all tokens differ",
        arguments: &[],
        line: |file, n, side| writeln!(file, "{}", number(n) * 2 + u64::from(side == Side::Answer)),
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes = std::env::args().filter_map(|argument| argument.parse().ok()).next();
    let size = megabytes.unwrap_or(500_u64) * 1_000_000;
    let directory = tempfile::tempdir()?;
    let answer = directory.path().join("answer");
    let output = directory.path().join("output");
    println!("{:18} {:>10} {:>10} {:>7}   peak memory, difference", "", "juror", "cmp", "ratio");
    for pair in PAIRS {
        let lines = write_file(&answer, pair.line, Side::Answer, FileLength::Bytes(size))?;
        write_file(&output, pair.line, Side::Output, FileLength::Lines(lines))?;
        measure(&pair, &answer, &output)?;
    }
    Ok(())
}

/// A number of 1 to 10 digits that looks random.
fn number(n: u64) -> u64 {
    let bits = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (bits >> 32) >> (bits % 30)
}

enum FileLength {
    Bytes(u64),
    Lines(u64),
}

/// Returns the number of lines.
fn write_file(
    path: &Path,
    line: LineFunction,
    side: Side,
    end: FileLength,
) -> std::io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut text = Vec::new();
    let mut bytes = 0;
    let mut lines = 0;
    while match end {
        FileLength::Bytes(size) => bytes < size,
        FileLength::Lines(count) => lines < count,
    } {
        text.clear();
        line(&mut text, lines, side)?;
        file.write_all(&text)?;
        bytes += text.len() as u64;
        lines += 1;
    }
    file.flush()?;
    Ok(lines)
}

fn measure(pair: &FilePair, answer: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        pair.arguments.iter().map(|&argument| argument.to_owned()).collect();
    let options = Options::parse(&arguments)?;
    let mut ours = Duration::MAX;
    let mut theirs = Duration::MAX;
    let mut found = None;
    let mut are_same_bytes = true;
    for _ in 0..TURNS {
        let start = Instant::now();
        found = compare(File::open(answer)?, File::open(output)?, &options)?;
        ours = ours.min(start.elapsed());

        let start = Instant::now();
        let mut cmp = Command::new("cmp");
        cmp.args([answer, output]).stdout(Stdio::null());
        are_same_bytes &= cmp.status()?.success();
        theirs = theirs.min(start.elapsed());
    }
    let bytes = fs::metadata(answer)?.len();
    let speed = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e9;
    let (ours, theirs) = (speed(ours), speed(theirs));
    let differing = found.map_or(0, |difference| difference.differing_tokens);
    // cmp stops at the first different byte, so only equal files can be compared with it.
    let beside = if are_same_bytes {
        format!("{theirs:>5.2} GB/s {:>7.2}", ours / theirs)
    } else {
        format!("{:>10} {:>7}", "-", "-")
    };
    let peak = peak_memory()?;
    println!("{:18} {ours:>5.2} GB/s {beside}   {peak}, {differing} tokens", pair.name);
    Ok(())
}

/// The peak memory of this process, in the kernel's words.
fn peak_memory() -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.ok_or("/proc/self/status has no VmHWM")?.trim().to_owned())
}
