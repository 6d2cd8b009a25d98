//! What may come next in an input: a set of bytes, and its end.

use std::fmt;

/// A set of bytes, possibly with the end of the input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ByteSet {
    words: [u64; 4],
    /// Whether the end of the input is in it.
    end: bool,
}

impl ByteSet {
    /// The empty set.
    pub const NONE: Self = Self { words: [0; 4], end: false };

    /// Every byte, and the end.
    pub const ALL: Self = Self { words: [u64::MAX; 4], end: true };

    /// The end of the input only.
    pub const END: Self = Self { end: true, ..Self::NONE };

    /// These bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut set = Self::NONE;
        for byte in bytes {
            set.insert(*byte);
        }
        set
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.words[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Whether a byte is in it.
    pub fn contains(&self, byte: u8) -> bool {
        self.words[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Whether the end of the input is in it.
    pub fn contains_end(&self) -> bool {
        self.end
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The intersection.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let words = std::array::from_fn(|at| self.words[at] & other.words[at]);
        Self { words, end: self.end & other.end }
    }

    /// The union.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let words = std::array::from_fn(|at| self.words[at] | other.words[at]);
        Self { words, end: self.end | other.end }
    }

    /// The complement.
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
