//! Why a line cannot be judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a line has no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineFault {
    /// Whose fault it is.
    pub kind: FaultyPart,
    /// What is wrong.
    pub message: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
}

/// Whose fault it is that there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultyPart {
    /// The line is invalid.
    Line,
    /// Its source cannot be read, is in no known language, or is Markdown.
    Source,
    /// The package cannot be used.
    Package,
    /// This machine lacks the compiler.
    Skipped,
    /// The judge failed.
    Judge,
}

impl LineFault {
    /// A long message is cut.
    pub fn new(kind: FaultyPart, message: impl Into<String>, help: Option<String>) -> Self {
        const LONGEST: usize = 1000;
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(LONGEST) {
            message.truncate(end);
            message.push('…');
        }
        Self { kind, message, help }
    }

    pub fn of_line(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(FaultyPart::Line, message, Some(help.into()))
    }
}

pub(super) fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A byte-order mark at the start is ignored.
///
/// Source: RFC 8259, section 8.1.
pub(super) fn parse_json(text: &[u8]) -> Result<Value, LineFault> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    serde_json::from_slice(text).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        let message = format!("is not JSON at column {}: {what}", error.column());
        LineFault::of_line(message, "write one JSON object in each line")
    })
}
