//! How values are serialized if that differs from their types, such as seconds and texts.
//!
//! A field with `#[serde_as(as = "Seconds")]` is written, read, and described in the schema that way. Types that also
//! travel between programs use `IfIsHumanReadable<Seconds>`: binary formats keep the type's own form.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::{Duration, TryFromFloatSecsError};

use serde::{Deserialize, Serialize};
use serde_with::{FromIntoRef, TryFromIntoRef};

use crate::units::Bytes;

/// Reads seconds rounded to nanoseconds. `DurationSecondsWithFrac` would cut them off.
pub type Seconds = TryFromIntoRef<FloatSeconds>;
/// Lossy if the path is not UTF-8.
pub type Location = FromIntoRef<LossyPath>;
/// For paths that may not be UTF-8.
pub type PathBytes = FromIntoRef<RawPath>;
pub type Text = FromIntoRef<LossyText>;
/// `null` for 0, which means that it was not measured.
pub type NullIfZero = FromIntoRef<MeasuredBytes>;
pub type Base64 = TryFromIntoRef<Base64Text>;

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct FloatSeconds(f64);

impl From<&Duration> for FloatSeconds {
    fn from(time: &Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl TryFrom<FloatSeconds> for Duration {
    type Error = TryFromFloatSecsError;

    fn try_from(seconds: FloatSeconds) -> Result<Self, Self::Error> {
        Self::try_from_secs_f64(seconds.0)
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct LossyPath(String);

impl From<&PathBuf> for LossyPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

impl From<LossyPath> for PathBuf {
    fn from(path: LossyPath) -> Self {
        path.0.into()
    }
}

#[derive(Serialize, Deserialize)]
pub struct RawPath(Vec<u8>);

impl From<&PathBuf> for RawPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<RawPath> for PathBuf {
    fn from(path: RawPath) -> Self {
        OsString::from_vec(path.0).into()
    }
}

/// If `lossy`, some bytes were not UTF-8; U+FFFD replaces them.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Text"))]
pub struct LossyText {
    /// What was written.
    text: String,
    /// Whether bytes that are not UTF-8 were replaced by U+FFFD.
    lossy: bool,
}

impl From<&Vec<u8>> for LossyText {
    fn from(bytes: &Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self { lossy: matches!(text, Cow::Owned(_)), text: text.into_owned() }
    }
}

/// A replaced byte is read as a byte that is not UTF-8.
impl From<LossyText> for Vec<u8> {
    fn from(LossyText { text, lossy }: LossyText) -> Self {
        if !lossy {
            return text.into_bytes();
        }
        let pieces: Vec<&[u8]> = text.split('\u{fffd}').map(str::as_bytes).collect();
        pieces.join(&0xff)
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct MeasuredBytes(Option<Bytes>);

impl From<&Bytes> for MeasuredBytes {
    fn from(bytes: &Bytes) -> Self {
        Self(Some(*bytes).filter(|bytes| bytes.0 > 0))
    }
}

impl From<MeasuredBytes> for Bytes {
    fn from(bytes: MeasuredBytes) -> Self {
        bytes.0.unwrap_or_default()
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Base64Text(pub(crate) String);
