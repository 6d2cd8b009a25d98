//! The text of a stream: standard input, or files as if they were joined.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::mem;
use std::path::{Path, PathBuf};

use crate::ops::host::Host;
use crate::ops::stdin::{InterruptibleStdin, interruption};
use crate::ops::stop_handle::StopHandle;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Remark, Stop};
use juror_packages::package::archive::decompressed;

pub(super) struct StreamText {
    pub(super) text: Box<dyn Read + Send>,
    /// In bytes, if that is known.
    pub(super) size: Option<u64>,
}

impl StreamText {
    pub(super) fn open(files: &[PathBuf], host: &Host) -> Result<Self, Stop> {
        let stop_handle = host.stop_handle.clone();
        if files.is_empty() {
            let stdin =
                InterruptibleStdin::open(stop_handle).map_err(|error| read_error(&error))?;
            return Ok(Self { size: stdin.size(), text: Box::new(stdin) });
        }
        let (mut all, mut size) = (Vec::new(), Some(0));
        for path in files {
            let (text, length) = open_file(path).map_err(|error| {
                let what = format!("cannot read {}: {error}", path.display());
                Stop::usage(Remark::with_help(what, "give files with one JSON object in each line"))
            })?;
            all.push((path.clone(), text));
            size = size.zip(length).map(|(size, length)| size + length);
        }
        let text = JoinedFiles { files: all.into(), is_at_line_start: true, stop_handle };
        Ok(Self { text: Box::new(text), size })
    }
}

pub(super) fn read_error(error: &io::Error) -> Stop {
    JudgeError::new("read the lines", error).into()
}

type OpenText = Box<dyn Read + Send>;

/// Also returns its size, if that is known.
fn open_file(path: &Path) -> io::Result<(OpenText, Option<u64>)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    let mut file = BufReader::new(file);
    if (found.is_file() || found.is_dir()) && file.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return Ok((Box::new(decompressed(file)), None));
    }
    Ok((Box::new(file), found.is_file().then_some(found.len())))
}

struct JoinedFiles {
    files: VecDeque<(PathBuf, OpenText)>,
    is_at_line_start: bool,
    stop_handle: StopHandle,
}

impl Read for JoinedFiles {
    /// Each file ends a line.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some((path, text)) = self.files.front_mut() {
            if self.stop_handle.is_stopped() {
                return Err(interruption());
            }
            let read = text.read(to).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            if read > 0 {
                self.is_at_line_start = to[read - 1] == b'\n';
                return Ok(read);
            }
            self.files.pop_front();
            if !mem::replace(&mut self.is_at_line_start, true) {
                to[0] = b'\n';
                return Ok(1);
            }
        }
        Ok(0)
    }
}
