//! The threads of a pipe: one reads frames, one writes bytes. The rest of the program is asynchronous.

use std::io::{Read, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde::de::DeserializeOwned;

use juror_core::judgement::JudgeError;
use juror_remote::frame::{FrameReader, Peer, read_some};

/// Reads frames in a thread until the input ends or `take` returns false. `end` gets the reason if a frame was invalid.
///
/// # Errors
/// If the thread cannot be started.
pub fn read_frames<M: DeserializeOwned + 'static>(
    mut input: impl Read + Send + 'static,
    of: Peer,
    take: impl Fn(M, Vec<u8>) -> bool + Send + 'static,
    end: impl FnOnce(Result<(), String>) + Send + 'static,
) -> Result<(), JudgeError> {
    let mut read = move || {
        let mut frames = FrameReader::new(of);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match read_some(&mut input, &mut buffer).map_err(|error| error.to_string())? {
                0 => return Ok(()),
                length => frames.push(&buffer[..length]),
            }
            while let Some((head, rest)) = frames.next_frame().map_err(|fault| fault.0)? {
                if !take(head, rest) {
                    return Ok(());
                }
            }
        }
    };
    start(move || end(read()))
}

/// Writes what is sent. A reader that is gone is noticed by the thread that reads.
///
/// # Errors
/// If the thread cannot be started.
pub fn write_bytes(mut output: impl Write + Send + 'static) -> Result<Sender<Vec<u8>>, JudgeError> {
    let (sender, receiver) = channel::<Vec<u8>>();
    start(move || {
        for bytes in receiver {
            if output.write_all(&bytes).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

fn start(work: impl FnOnce() + Send + 'static) -> Result<(), JudgeError> {
    let started = thread::Builder::new().spawn(work);
    started.map(|_| ()).map_err(|error| JudgeError::new("start a thread of a pipe", error))
}
