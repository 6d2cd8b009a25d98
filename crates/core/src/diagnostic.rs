//! A message about a user's file: what, where, and what to do.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::serial::Location;
use crate::text::path_text;
use crate::words::words;

words! {
    /// How bad it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        /// Works as meant, but could be better. Shown to a person who asks for more.
        Remark = "remark",
        /// Works, but is probably not what was meant.
        Warning = "warning",
        /// Must be fixed before anything runs.
        Error = "error",
    }
}

/// What a diagnostic prevents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockedUse {
    /// All use of what it is about.
    #[default]
    Everything,
    /// Only publication: something is missing, but the rest can be used.
    Publishing,
    /// That right programs are accepted: a test case is at fault.
    Acceptance,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourcePlace {
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// The position in the file, if the place is a single spot.
    #[serde(rename = "position")]
    pub spot: Option<TextPosition>,
}

impl<P: Into<PathBuf>> From<P> for SourcePlace {
    fn from(path: P) -> Self {
        Self { path: path.into(), spot: None }
    }
}

impl From<&Self> for SourcePlace {
    fn from(place: &Self) -> Self {
        place.clone()
    }
}

/// The longest line that a message shows, in bytes.
pub const LONGEST_SHOWN_LINE: usize = 2000;

/// One spot in a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextPosition {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The whole line, without its line end; empty if it is longer than 2000 bytes.
    #[serde(rename = "line_text")]
    pub text: String,
    /// How many characters are marked, at least 1.
    pub width: u32,
}

/// One remark.
///
/// Messages are lower case without a final dot; `help` says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether the help is what a compiler wrote, line by line.
    pub quotes: bool,
    /// What it is in the way of.
    #[serde(rename = "hinders")]
    pub prevents: BlockedUse,
}

impl Diagnostic {
    pub fn error(place: impl Into<SourcePlace>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: place.into(),
            message: message.into(),
            help: None,
            quotes: false,
            prevents: BlockedUse::Everything,
        }
    }

    pub fn warning(place: impl Into<SourcePlace>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(place, message) }
    }

    pub fn remark(place: impl Into<SourcePlace>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Remark, ..Self::error(place, message) }
    }

    #[must_use]
    pub fn at_position(mut self, spot: TextPosition) -> Self {
        self.place.spot = Some(spot);
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn quote(self, messages: &[u8]) -> Self {
        match messages.trim_ascii_end() {
            [] => self,
            messages => Self { quotes: true, ..self.help(String::from_utf8_lossy(messages)) },
        }
    }

    /// Whether it must be fixed before anything can be judged.
    pub fn prevents_judging(&self) -> bool {
        self.is_error() && self.prevents == BlockedUse::Everything
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    /// One line, such as `problem.yaml:3:1: unknown key …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", path_text(&self.place.path))?;
        if let Some(spot) = &self.place.spot {
            write!(f, ":{}:{}", spot.line, spot.column)?;
        }
        write!(f, ": {}", self.message)
    }
}
