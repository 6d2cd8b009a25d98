//! What a program for batches reads, and what it writes for each input, as bytes.
//!
//! `crates/core/src/language/batch.c` is the other end. All numbers have 4 bytes in the machine's byte order.
//!
//! | it reads | |
//! |---|---|
//! | `INPUTS`, `WORDS` or `FACTS`, number of inputs, exit code of a program that ends well | |
//! | where the program reads, where it writes | two names, each ended by a zero byte; empty for stdin and stdout |
//! | where else it can leave files | a private directory of the run, ended by a zero byte; empty if there is none |
//! | each input | its length, its bytes |
//! | with `WORDS`, each of these has | the number of the program's last arguments, each ended by a zero byte; what it reads |
//!
//! | it writes, for each input | |
//! |---|---|
//! | `FRAME`, the input's number from 0 | |
//! | 1, the output's length, its bytes | the program ended well and has an output that is not too long |
//! | 3, the same, the number of edges, each edge | also, it is the first in the batch that reaches these edges |
//! | 3, the same, 4, CPU time and wall time in µs, peak memory in KiB, bytes of standard error | with `FACTS`, instead of 1 |
//! | 0, 0 | else |
//!
//! It may end early: then nothing is known about the other inputs.

use std::time::Duration;

use juror_core::isolation::Isolation;
use juror_core::job::Job;
use juror_core::outcome::{Ending, Outcome};
use juror_core::problem::{Problem, ProgramIo};
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_sandbox::executor::Executor;

const INPUTS: u32 = 0x316e_696a;
/// Begins inputs that have words for the program, too.
const WORDS: u32 = 0x3164_776a;

/// Begins inputs of which each run is described. Only Python has this.
const FACTS: u32 = 0x3166_636a;

const FRAME: u32 = 0x3174_756a;
/// A longer output is not passed on; without facts, even shorter ones are not. In bytes.
const LONGEST: usize = 8 << 20;

#[derive(Clone, Copy, Debug)]
pub struct BatchMode {
    /// A private directory of the run, besides its box and temporary directory.
    pub shared: &'static str,
}

impl BatchMode {
    /// `None` if programs use files but may not write any, and without isolation: a batch deletes what a program
    /// leaves, and programs could reach the whole machine.
    pub fn new(problem: &Problem, isolation: Isolation) -> Option<Self> {
        if problem.io != ProgramIo::Standard && !problem.allow_file_writing {
            return None;
        }
        Self::isolated(isolation)
    }

    /// For programs that use no files. `None` without isolation.
    pub fn isolated(isolation: Isolation) -> Option<Self> {
        match isolation {
            Isolation::Namespaces | Isolation::UserNamespaces => Some(Self { shared: "/dev/shm" }),
            // Programs cannot make files in that directory.
            Isolation::Landlock => Some(Self { shared: "" }),
            Isolation::Plain => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFrames;

/// What such a program reads. `well` is the exit code of a program that ends well; `shared` is a private directory of
/// the run, besides its box and temporary directory.
pub fn encode_inputs<'a>(
    io: &ProgramIo,
    well: u8,
    shared: &str,
    inputs: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let (input, output) = match io {
        ProgramIo::Standard => ("", ""),
        ProgramIo::Files { input, output } => (input.as_str(), output.as_str()),
    };
    encode(INPUTS, well, [input, output, shared], inputs)
}

/// What a program gets in one of many calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchCall {
    /// Its last arguments. None has a zero byte.
    pub words: Vec<String>,
    pub stdin: Vec<u8>,
}

/// As [`encode_inputs`], for a program that gets words, too.
fn encode_calls(well: u8, shared: &str, calls: &[BatchCall]) -> Vec<u8> {
    let texts = calls.iter().map(|BatchCall { words, stdin }| {
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        let words = words.iter().flat_map(|word| word.bytes().chain([0]));
        count.to_ne_bytes().into_iter().chain(words).chain(stdin.iter().copied()).collect()
    });
    let texts: Vec<Vec<u8>> = texts.collect();
    encode(WORDS, well, ["", "", shared], texts.iter().map(Vec::as_slice))
}

fn encode<'a>(
    kind: u32,
    well: u8,
    names: [&str; 3],
    inputs: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |bytes: &mut Vec<u8>, number: usize| {
        // No batch has so many or so long inputs.
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        bytes.extend(number.to_ne_bytes());
    };
    bytes.extend(kind.to_ne_bytes());
    word(&mut bytes, inputs.len());
    word(&mut bytes, well.into());
    for name in names {
        bytes.extend(name.as_bytes());
        bytes.push(0);
    }
    for input in inputs {
        word(&mut bytes, input.len());
        bytes.extend(input);
    }
    bytes
}

/// Makes the calls with one start of a program, which was built for batches; the job is one without calls. Returns the
/// output of each call that ended with the exit code `well`. Of the others, nothing is known.
pub fn run_calls(
    executor: &dyn Executor,
    mut job: Job,
    (mode, well): (BatchMode, u8),
    calls: &[BatchCall],
) -> Result<Vec<Option<Vec<u8>>>, Stop> {
    job.stdin = encode_calls(well, mode.shared, calls).into();
    // One process waits for the others.
    job.limits.processes = job.limits.processes.map(|processes| processes + 1);
    let reply = executor.run_job(&job)?;
    let is_whole = reply.outcome.stopped_by.is_none() && reply.outcome.ending == Ending::Exited(0);
    let bytes = reply.stdout.read().unwrap_or_default();
    let outputs = decode_outputs(&bytes, calls.len()).ok().filter(|_| is_whole);
    let outputs = outputs.unwrap_or_else(|| vec![None; calls.len()]);
    Ok(outputs.into_iter().map(|output| output.map(<[u8]>::to_vec)).collect())
}

/// What one run of a batch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedRun {
    pub output: Vec<u8>,
    pub cpu_time: Duration,
    pub wall_time: Duration,
    /// The most that one of its processes held.
    pub peak_memory: Bytes,
    pub stderr_bytes: Bytes,
}

/// Runs a program on all inputs, as far as the limits of the job allow. The program was built for batches, and its
/// language tells the facts. Returns the runs that ended well before the batch ended, and what the whole batch did.
pub fn run_with_facts(
    executor: &dyn Executor,
    mut job: Job,
    mode: BatchMode,
    inputs: &[Vec<u8>],
) -> Result<(Vec<Option<BatchedRun>>, Outcome), Stop> {
    let texts = inputs.iter().map(Vec::as_slice);
    job.stdin = encode(FACTS, 0, ["", "", mode.shared], texts).into();
    // One process waits for the others.
    job.limits.processes = job.limits.processes.map(|processes| processes + 1);
    let reply = executor.run_job(&job)?;
    let bytes = reply.stdout.read().unwrap_or_default();
    Ok((decode_runs(&bytes, inputs.len()), reply.outcome))
}

/// A frame that is not whole is the last one.
fn decode_runs(mut bytes: &[u8], count: usize) -> Vec<Option<BatchedRun>> {
    let mut runs = Vec::new();
    let mut facts = Vec::new();
    while runs.len() < count
        && let Ok(output) = take_frame(&mut bytes, runs.len(), &mut |_, fact| facts.push(fact))
    {
        runs.push(match (output, &facts[..]) {
            (Some(output), &[cpu, wall, memory, stderr]) => Some(BatchedRun {
                output: output.to_vec(),
                cpu_time: Duration::from_micros(cpu.into()),
                wall_time: Duration::from_micros(wall.into()),
                peak_memory: Bytes(u64::from(memory) << 10),
                stderr_bytes: Bytes(stderr.into()),
            }),
            _ => None,
        });
        facts.clear();
    }
    runs.resize(count, None);
    runs
}

/// The output for each of `count` inputs, if it has one.
///
/// Fails if the bytes are not frames in the order of the inputs.
pub fn decode_outputs(bytes: &[u8], count: usize) -> Result<Vec<Option<&[u8]>>, InvalidFrames> {
    let mut outputs = decode_first_outputs(bytes, count)?;
    outputs.resize(count, None);
    Ok(outputs)
}

/// Like `decode_outputs`, but ends at the input at which the program ended.
pub fn decode_first_outputs(
    bytes: &[u8],
    count: usize,
) -> Result<Vec<Option<&[u8]>>, InvalidFrames> {
    decode_with_edges(bytes, count, &mut |_, _| {})
}

/// As [`decode_first_outputs`]. Also calls `see` for each edge that an input is the first in the batch to reach, with
/// the input's index. A build with coverage tells these.
pub fn decode_with_edges<'b>(
    mut bytes: &'b [u8],
    count: usize,
    see: &mut dyn FnMut(usize, u32),
) -> Result<Vec<Option<&'b [u8]>>, InvalidFrames> {
    let mut outputs = Vec::with_capacity(count);
    while !bytes.is_empty() {
        if outputs.len() == count {
            return Err(InvalidFrames);
        }
        outputs.push(take_frame(&mut bytes, outputs.len(), see)?);
    }
    Ok(outputs)
}

/// Takes the frame of this input from the front. The output, if it has one.
fn take_frame<'b>(
    bytes: &mut &'b [u8],
    input: usize,
    see: &mut dyn FnMut(usize, u32),
) -> Result<Option<&'b [u8]>, InvalidFrames> {
    let [first, number, kind, length] = [(); 4].map(|()| word(bytes));
    let length = length? as usize;
    if first? != FRAME || number? as usize != input || length > LONGEST {
        return Err(InvalidFrames);
    }
    let (output, rest) = bytes.split_at_checked(length).ok_or(InvalidFrames)?;
    *bytes = rest;
    let kind = kind?;
    if kind == 3 {
        for _ in 0..word(bytes)? {
            see(input, word(bytes)?);
        }
    }
    match (kind, length) {
        (1 | 3, _) => Ok(Some(output)),
        (0, 0) => Ok(None),
        _ => Err(InvalidFrames),
    }
}

fn word(bytes: &mut &[u8]) -> Result<u32, InvalidFrames> {
    let (word, rest) = bytes.split_first_chunk().ok_or(InvalidFrames)?;
    *bytes = rest;
    Ok(u32::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frame of these four words and this text.
    fn frame(words: [u32; 4], text: &str) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_ne_bytes());
        words.chain(text.bytes()).collect()
    }

    fn good(number: u32, text: &str) -> Vec<u8> {
        frame([FRAME, number, 1, text.len() as u32], text)
    }

    fn bad(number: u32) -> Vec<u8> {
        frame([FRAME, number, 0, 0], "")
    }

    /// `expected` has a word for each input: its output, or `-`.
    fn check(pieces: &[Vec<u8>], count: usize, expected: Result<&str, InvalidFrames>) {
        let bytes = pieces.concat();
        let got = decode_outputs(&bytes, count).map(|outputs| {
            let shown = outputs.iter().map(|output| match output {
                None => "-".to_owned(),
                Some(text) => String::from_utf8_lossy(text).into_owned(),
            });
            shown.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(got.as_deref(), expected.as_deref(), "{bytes:?}");
    }

    #[test]
    fn each_input_has_its_output() {
        check(&[], 0, Ok(""));
        check(&[good(0, "a"), good(1, "bc")], 2, Ok("a bc"));
        check(&[bad(0), good(1, ""), good(2, "x")], 3, Ok("-  x"));
        check(&[good(0, "a")], 3, Ok("a - -"));
        check(&[], 2, Ok("- -"));
    }

    #[test]
    fn edges_belong_to_the_inputs_that_reach_them() {
        let edges = |edges: &[u32]| edges.iter().flat_map(|edge| edge.to_ne_bytes()).collect();
        let pieces: [Vec<u8>; 5] = [
            frame([FRAME, 0, 3, 2], "ab"),
            edges(&[2, 7, 9]),
            good(1, "c"),
            frame([FRAME, 2, 3, 0], ""),
            edges(&[1, 8]),
        ];
        let (bytes, mut seen) = (pieces.concat(), Vec::new());
        let outputs = decode_with_edges(&bytes, 3, &mut |input, edge| seen.push((input, edge)));
        assert_eq!(outputs, Ok(vec![Some(&b"ab"[..]), Some(b"c"), Some(b"")]));
        assert_eq!(seen, [(0, 7), (0, 9), (2, 8)]);
    }

    #[test]
    fn invalid_frames_give_no_outputs() {
        let cut = |mut bytes: Vec<u8>, length: usize| {
            bytes.truncate(length);
            bytes
        };
        for pieces in [
            vec![b"hello".to_vec()],
            vec![b"hello".to_vec(), good(0, "a")],
            vec![good(0, "a"), b"\n".to_vec()],
            vec![good(1, "a")],
            vec![good(0, "a"), good(0, "a")],
            vec![good(0, "a"), good(1, "b"), good(2, "c")],
            vec![frame([FRAME ^ 1, 0, 1, 1], "a")],
            vec![frame([FRAME, 0, 2, 1], "a")],
            vec![frame([FRAME, 0, 3, 1], "a")],
            vec![frame([FRAME, 0, 3, 1], "a\u{2}\0\0\0abcd")],
            vec![frame([FRAME, 0, 0, 1], "a")],
            vec![frame([FRAME, 0, 1, 5], "a")],
            vec![frame([FRAME, 0, 1, u32::MAX], "a")],
            vec![cut(good(0, "abc"), 18)],
            vec![cut(good(0, "abc"), 15)],
        ] {
            check(&pieces, 2, Err(InvalidFrames));
        }
        let long = "x".repeat(LONGEST + 1);
        check(&[good(0, &long)], 1, Err(InvalidFrames));
    }

    #[test]
    fn a_run_has_its_facts_if_its_frame_is_whole() {
        let facts = |words: [u32; 5]| words.map(u32::to_ne_bytes).concat();
        let whole =
            [frame([FRAME, 0, 3, 2], "ab"), facts([4, 1_500_000, 2_000_000, 9, 7])].concat();
        let run = BatchedRun {
            output: b"ab".to_vec(),
            cpu_time: Duration::from_millis(1500),
            wall_time: Duration::from_secs(2),
            peak_memory: Bytes(9 << 10),
            stderr_bytes: Bytes(7),
        };
        let check = |pieces: &[&[u8]], expected: &str| {
            let runs = decode_runs(&pieces.concat(), 3);
            let shown: String =
                runs.iter().map(|it| if it.is_some() { '+' } else { '-' }).collect();
            assert_eq!(shown, expected, "{pieces:?}");
            assert!(runs.into_iter().flatten().all(|found| found == run), "{pieces:?}");
        };
        check(&[], "---");
        check(&[&whole], "+--");
        check(&[&whole, &bad(1)], "+--");
        check(&[&whole, &whole], "+--");
        check(&[&whole[..whole.len() - 1]], "---");
        check(&[&frame([FRAME, 0, 3, 2], "ab"), &facts([3, 1, 2, 3, 4])[..16]], "---");
        check(&[&good(0, "ab")], "---");
        check(&[&bad(0), &bad(1), &bad(2), &whole], "---");
    }

    #[test]
    fn inputs_are_written_as_they_are_read() {
        let check = |io: &ProgramIo, texts: &[&[u8]], expected: &[u8]| {
            let mut all = encode_inputs(io, 42, "/s", texts.iter().copied());
            let rest = all.split_off(12);
            assert_eq!(all, [INPUTS, texts.len() as u32, 42].map(u32::to_ne_bytes).concat());
            assert_eq!(rest, expected);
        };
        let files = ProgramIo::Files { input: "a.in".to_owned(), output: "b".to_owned() };
        let [one, two] = [1u32, 2].map(u32::to_ne_bytes);
        check(&ProgramIo::Standard, &[], b"\0\0/s\0");
        check(
            &ProgramIo::Standard,
            &[b"x", b"\0\n"],
            &[b"\0\0/s\0", &one[..], b"x", &two[..], b"\0\n"].concat(),
        );
        check(&files, &[b"x"], &[b"a.in\0b\0/s\0", &one[..], b"x"].concat());
    }

    #[test]
    fn calls_are_written_as_they_are_read() {
        let call = |words: &[&str], stdin: &str| BatchCall {
            words: words.iter().map(|it| (*it).to_owned()).collect(),
            stdin: stdin.into(),
        };
        let mut all = encode_calls(42, "/s", &[call(&["a b", ""], "x\0y"), call(&[], "")]);
        let rest = all.split_off(12);
        assert_eq!(all, [WORDS, 2, 42].map(u32::to_ne_bytes).concat());
        let [none, two, four, twelve] = [0u32, 2, 4, 12].map(u32::to_ne_bytes);
        let calls = [&b"\0\0/s\0"[..], &twelve, &two, b"a b\0\0x\0y", &four, &none];
        assert_eq!(rest, calls.concat());
    }

    /// Whole frames, broken ones and other bytes.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            any::<Vec<u8>>(),
            (0..4u32, "[ -~]{0,9}").prop_map(|(number, text)| good(number, &text)),
            (0..4u32).prop_map(bad),
            (any::<[u32; 3]>(), "[ -~]{0,9}").prop_map(|([number, kind, length], text)| frame(
                [FRAME, number, kind, length],
                &text
            )),
        ]
    }

    proptest! {
        #[test]
        fn any_bytes_are_frames_or_an_error(
            pieces in proptest::collection::vec(pieces(), 0..6),
            count in 0..6usize,
        ) {
            let bytes = pieces.concat();
            if let Ok(outputs) = decode_outputs(&bytes, count) {
                prop_assert_eq!(outputs.len(), count);
                // Parsed frames are the original bytes when they are written again.
                let total = bytes.len();
                let mut again = Vec::new();
                for (number, output) in outputs.iter().enumerate() {
                    if again.len() == total {
                        prop_assert!(output.is_none());
                        break;
                    }
                    match output {
                        Some(text) => {
                            again.extend(frame([FRAME, number as u32, 1, text.len() as u32], ""));
                            again.extend(*text);
                        }
                        None => again.extend(bad(number as u32)),
                    }
                }
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
