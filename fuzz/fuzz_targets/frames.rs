//! What comes through the pipe to a worker, and back: read alike in whatever pieces it comes.
#![no_main]

use juror_remote::fuzz::{take_as_judge, take_as_worker};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else { return };
    let size = usize::from(first >> 1) + 1;
    let take = if first & 1 == 0 { take_as_worker } else { take_as_judge };
    assert_eq!(take(bytes, size), take(bytes, usize::MAX));
});
