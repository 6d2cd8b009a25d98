//! The memory that a program's file requests from the kernel before its first instruction: large static arrays.
//!
//! If the kernel refuses that much, SIGSEGV kills the program before it begins. Without this count, a program that
//! requests more than its limit would look like one that crashed.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// In bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramImage {
    pub(super) writable: u64,
    /// The largest segment that is not in the file: zeros.
    pub(super) zeros: u64,
}

/// In bytes: longer than the table of any linker.
const HEADER_BYTES: usize = 8 << 10;

impl ProgramImage {
    /// Only 64-bit little-endian ELF programs; `None` for all other files.
    pub(super) fn read(file: &File) -> Option<Self> {
        let mut start = vec![0; HEADER_BYTES];
        let length = file.read_at(&mut start, 0).ok()?;
        Self::parse(start.get(..length)?)
    }

    /// Source: the manual page `elf(5)`.
    fn parse(start: &[u8]) -> Option<Self> {
        /// The magic number, 64 bits, little-endian.
        const KIND: &[u8] = b"\x7fELF\x02\x01";
        const LOAD: u64 = 1;
        const WRITE: u64 = 2;
        if !start.starts_with(KIND) {
            return None;
        }
        let number = |at: usize, length: usize| -> Option<u64> {
            let bytes = start.get(at..at.checked_add(length)?)?;
            let digits = bytes.iter().rev();
            Some(digits.fold(0, |number, byte| number << 8 | u64::from(*byte)))
        };
        let table = usize::try_from(number(32, 8)?).ok()?;
        let size = usize::try_from(number(54, 2)?).ok()?;
        let count = usize::try_from(number(56, 2)?).ok()?;
        let mut image = Self::default();
        for index in 0..count {
            let entry = table.checked_add(index.checked_mul(size)?)?;
            let field = |offset: usize, length| number(entry.checked_add(offset)?, length);
            let is_written = field(4, 4)? & WRITE != 0;
            if field(0, 4)? == LOAD && is_written {
                let (in_file, in_memory) = (field(32, 8)?, field(40, 8)?);
                image.writable = image.writable.saturating_add(in_memory);
                image.zeros = image.zeros.max(in_memory.saturating_sub(in_file));
            }
        }
        Some(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each entry: kind, rights, length in the file, length in memory.
    fn file(entries: &[[u64; 4]]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        file[32] = 64;
        file[54] = 56;
        file[56] = u8::try_from(entries.len()).unwrap();
        for [kind, rights, in_file, in_memory] in entries {
            let mut entry = [0; 56];
            entry[..4].copy_from_slice(&kind.to_le_bytes()[..4]);
            entry[4..8].copy_from_slice(&rights.to_le_bytes()[..4]);
            entry[32..40].copy_from_slice(&in_file.to_le_bytes());
            entry[40..48].copy_from_slice(&in_memory.to_le_bytes());
            file.extend(entry);
        }
        file
    }

    #[test]
    fn writable_segments_are_counted() {
        let check = |file: &[u8], expected: Option<[u64; 2]>| {
            let found = ProgramImage::parse(file).map(|image| [image.writable, image.zeros]);
            assert_eq!(found, expected);
        };
        const GIANT: u64 = 60 << 30;
        let code = [1, 5, 4000, 4000];
        let note = [4, 6, 100, GIANT];
        check(&file(&[code]), Some([0, 0]));
        check(&file(&[code, [1, 6, 100, 900], note]), Some([900, 800]));
        check(&file(&[[1, 6, 10, 10], [1, 6, 0, GIANT]]), Some([GIANT + 10, GIANT]));
        check(&file(&[[1, 6, u64::MAX, 5]]), Some([5, 0]));
    }

    #[test]
    fn other_files_request_no_memory() {
        let whole = file(&[[1, 6, 100, 900]]);
        const LAST_FIELD: usize = 64 + 48;
        for length in 0..LAST_FIELD {
            assert_eq!(ProgramImage::parse(&whole[..length]), None, "{length}");
        }
        let mut of_32_bits = whole.clone();
        of_32_bits[4] = 1;
        assert_eq!(ProgramImage::parse(&of_32_bits), None);
        assert_eq!(ProgramImage::parse(b"#!/bin/sh\n"), None);
        let mut far = whole;
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(ProgramImage::parse(&far), None);
    }
}
