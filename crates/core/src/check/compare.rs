//! Compares an output with the judge answer.
//!
//! # Theory of operation
//!
//! Equal texts are most common, so both are first read side by side through small windows. If they differ, both are
//! read again, through large windows that hold most texts whole.

use std::io::{self, Read, Seek, SeekFrom};

use crate::check::bytes::common_prefix;
use crate::check::named::RefusedAnswer;
use crate::check::options::Options;
use crate::check::windows::{answer_error, compare_windows, output_error};
use crate::difference::Difference;
use crate::units::Bytes;

/// In bytes, while the texts are equal. It is so large that system calls cost little, and so small that both windows
/// stay in the processor's cache. In tests, it is smaller than short texts.
const SMALL_WINDOW: usize = if cfg!(test) { 4 << 10 } else { 256 << 10 };

const FIRST_WINDOW: usize = if cfg!(test) { 1 << 10 } else { 16 << 10 };

/// In bytes, while the texts are compared token by token.
const LARGE_WINDOW: usize = 32 << 20;

/// The most of each text that a comparison by name reads. It needs up to sixteen times as much: the places of all words.
const LARGEST_TEXT: Bytes = Bytes::mib(256);

/// Compares an output with the judge answer; `None` if it is accepted.
///
/// Takes half a mebibyte of memory for equal texts, and at most 64 MiB for others. If a text has more than 32 MiB, the
/// excerpts and [`Difference::only`] may have less detail; all else is the same.
///
/// A comparison by name holds both texts in memory if they differ, or if it may refuse the answer. So each may have at
/// most 256 MiB.
///
/// Source: problem package format 2025-09, "Default output validator specification".
///
/// # Errors
///
/// If reading fails, or there is too little memory; the message names the text. If the comparison has a name, and cannot
/// read the judge answer.
pub fn compare(
    mut answer: impl Read + Seek,
    mut output: impl Read + Seek,
    options: &Options,
) -> Result<Option<Difference>, CompareError> {
    if !options.compares() {
        return Ok(None);
    }
    if are_equal(&mut answer, &mut output)? {
        answer.rewind().map_err(answer_error)?;
        let mut beginning = [0; 4];
        let beginning = fill_window(&mut answer, &mut beginning).map_err(answer_error)?;
        if options.accepts_equal_texts(beginning) {
            return Ok(None);
        }
    }
    if let Some(named) = options.named.filter(|named| !named.is_validator()) {
        let [answer, output] = read_both(&mut answer, &mut output)?;
        return Ok(named.compare(&answer, &output)??);
    }
    // One byte more than the text, so that its end is noticed at once.
    let window = |length: u64| LARGE_WINDOW.min(length as usize + 1);
    let windows = [
        rewind_and_measure(&mut answer).map(window).map_err(answer_error)?,
        rewind_and_measure(&mut output).map(window).map_err(output_error)?,
    ];
    let mut difference = compare_windows(&mut answer, &mut output, options, windows)?;
    if let (Some(difference), Some(named)) = (&mut difference, options.named)
        && let Ok([answer, output]) = read_both(&mut answer, &mut output)
    {
        named.add_hints(difference, &answer, &output);
    }
    Ok(difference)
}

/// What is to be said about an output that was accepted: if words are compared, that lines differ. Nothing if a text is
/// too large.
pub fn accepted_remark(
    mut answer: impl Read + Seek,
    mut output: impl Read + Seek,
    options: &Options,
) -> Option<&'static str> {
    let named = options.named.filter(|named| named.is_by_words())?;
    let [answer, output] = read_both(&mut answer, &mut output).ok()?;
    named.accepted_remark(&answer, &output)
}

/// Why two texts could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A fault of the package: the comparison by name cannot read the judge answer.
    #[error(transparent)]
    RefusedAnswer(#[from] RefusedAnswer),
}

fn read_both(
    answer: &mut (impl Read + Seek),
    output: &mut (impl Read + Seek),
) -> io::Result<[Vec<u8>; 2]> {
    Ok([read_text(answer).map_err(answer_error)?, read_text(output).map_err(output_error)?])
}

fn read_text(text: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let length = rewind_and_measure(text)?;
    let mut bytes = Vec::new();
    if length <= LARGEST_TEXT.0 {
        // One byte more than the text, so that its end is noticed at once.
        bytes.try_reserve_exact(length as usize + 1)?;
        text.take(LARGEST_TEXT.0 + 1).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) > LARGEST_TEXT.0 {
        let message = format!(
            "it has more than {LARGEST_TEXT}, and this comparison needs all of it in memory; `tokens` and `exact` do not"
        );
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

fn are_equal(answer: &mut impl Read, output: &mut impl Read) -> io::Result<bool> {
    // Most texts are far smaller than a large window, whose memory is not free.
    let mut size = FIRST_WINDOW;
    let (mut answer_block, mut output_block) = (Vec::new(), Vec::new());
    loop {
        let answer_block =
            fill_window(answer, aligned_slice(&mut answer_block, size)).map_err(answer_error)?;
        let output_block =
            fill_window(output, aligned_slice(&mut output_block, size)).map_err(output_error)?;
        if answer_block.len() != output_block.len()
            || common_prefix(answer_block, output_block) < answer_block.len()
        {
            return Ok(false);
        }
        if answer_block.len() < size {
            return Ok(true);
        }
        size = SMALL_WINDOW;
    }
}

/// Allocators put large buffers a few bytes after a multiple of 4096. To copy to such an address is several times
/// slower on many processors.
fn aligned_slice(buffer: &mut Vec<u8>, size: usize) -> &mut [u8] {
    const LINE: usize = 64;
    buffer.resize(size + LINE, 0);
    let start = buffer.as_ptr().align_offset(LINE).min(LINE);
    &mut buffer[start..start + size]
}

/// Reads until the window is full or the text ends; returns the filled part.
fn fill_window<'w>(text: &mut impl Read, window: &'w mut [u8]) -> io::Result<&'w [u8]> {
    let mut length = 0;
    while length < window.len() {
        match text.read(&mut window[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(&window[..length])
}

fn rewind_and_measure(text: &mut impl Seek) -> io::Result<u64> {
    let length = text.seek(SeekFrom::End(0))?;
    text.rewind()?;
    Ok(length)
}
