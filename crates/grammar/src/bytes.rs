//! What may come next in an input: a set of bytes, and its end.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ByteSet {
    words: [u64; 4],
    /// Whether the end of the input is in it.
    end: bool,
}

impl ByteSet {
    pub const NONE: Self = Self { words: [0; 4], end: false };

    pub const ALL: Self = Self { words: [u64::MAX; 4], end: true };

    pub const END: Self = Self { end: true, ..Self::NONE };

    pub fn of(bytes: &[u8]) -> Self {
        let mut set = Self::NONE;
        for byte in bytes {
            set.insert(*byte);
        }
        set
    }

    pub fn insert(&mut self, byte: u8) {
        self.words[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.words[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub fn contains_end(&self) -> bool {
        self.end
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let words = std::array::from_fn(|at| self.words[at] & other.words[at]);
        Self { words, end: self.end & other.end }
    }

    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let words = std::array::from_fn(|at| self.words[at] | other.words[at]);
        Self { words, end: self.end | other.end }
    }

    #[must_use]
    pub fn not(&self) -> Self {
        Self { words: self.words.map(|word| !word), end: !self.end }
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = (0..=u8::MAX).filter(|byte| self.contains(*byte)).collect();
        write!(f, "{:?}", String::from_utf8_lossy(&bytes))?;
        if self.end { f.write_str(" or the end") } else { Ok(()) }
    }
}
