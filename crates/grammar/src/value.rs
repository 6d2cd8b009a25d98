//! The values that a grammar computes with: integers, fractions, text.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use num_rational::BigRational;

use crate::number::{Int, compare_ratios, show_ratio};
use juror_core::text::visible;

/// A value. Floats are exact fractions: nothing is rounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Int(Int),
    Float(Box<BigRational>),
    /// Bytes; the language has no characters.
    Text(Arc<Vec<u8>>),
}

/// Equal numbers have the same key, whatever their type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueKey(Value);

impl Value {
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Text(Arc::new(bytes.into()))
    }

    /// The type, with an article.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
        }
    }

    /// `None` for text.
    pub fn to_ratio(&self) -> Option<BigRational> {
        match self {
            Self::Int(value) => Some(value.to_ratio()),
            Self::Float(value) => Some((**value).clone()),
            Self::Text(_) => None,
        }
    }

    /// The number of bits of a big number; 0 for a small one. For a float, the bits of its longer part.
    pub(super) fn bits_if_big(&self) -> u64 {
        match self {
            Self::Int(value) => value.bits_if_big(),
            Self::Float(value) => value.numer().bits().max(value.denom().bits()),
            Self::Text(_) => 0,
        }
    }

    /// The bytes of a big number. Text does not count: values share it.
    pub(super) fn bytes_if_big(&self) -> u64 {
        let bits = match self {
            Self::Int(value) => value.bits_if_big(),
            Self::Float(value) => value.numer().bits() + value.denom().bits(),
            Self::Text(_) => 0,
        };
        bits / 8
    }

    /// `None` for a number and a text.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => Some(compare_ratios(&self.to_ratio()?, &other.to_ratio()?)),
        }
    }

    pub(super) fn key(&self) -> ValueKey {
        ValueKey(match self {
            Self::Float(value) if value.is_integer() => Self::Int(value.to_integer().into()),
            other => other.clone(),
        })
    }
}

impl fmt::Display for Value {
    /// Text is in quotes, and shortened if it is long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 60;
        match self {
            Self::Int(value) => f.write_str(&value.short_text()),
            Self::Float(value) => f.write_str(&show_ratio(value)),
            Self::Text(value) => {
                let (start, cut) = if value.len() > LONGEST {
                    (&value[..LONGEST], "…")
                } else {
                    (&value[..], "")
                };
                write!(f, "\"{}{cut}\"", visible(start))
            }
        }
    }
}

impl From<Int> for Value {
    fn from(value: Int) -> Self {
        Self::Int(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(Int::Small(value))
    }
}
