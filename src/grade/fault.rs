//! Why a line cannot be judged.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grade::reader::LONGEST_LINE;
use juror_core::units::Bytes;

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
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FaultyPart {
    /// The line is invalid.
    Line,
    /// Its source cannot be read, is in no known language, or is Markdown.
    Source,
    /// The completion has no code.
    NoCode,
    /// The package cannot be used.
    Package,
    /// The checker, or another program that judges, breaks down or does not build.
    Checker,
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

/// For a longer line than can be read.
pub fn too_long() -> LineFault {
    let what = format!("has more than {}", Bytes(LONGEST_LINE as u64));
    LineFault::of_line(what, "give a package, or files, in place of long texts")
}

pub(super) fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A byte-order mark at the start is ignored. No object may have a key twice: one of the values would be lost.
///
/// Source: RFC 8259, section 8.1.
pub(super) fn parse_json(text: &[u8]) -> Result<Value, LineFault> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    serde_json::from_slice(text).map(|UniqueKeys(value)| value).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        let column = error.column();
        if error.is_data() {
            let help = "leave out one of them";
            return LineFault::of_line(format!("{what}, at column {column}"), help);
        }
        let message = format!("is not JSON at column {column}: {what}");
        LineFault::of_line(message, "write one JSON object in each line")
    })
}

/// The value of a key of the outermost object, if it is before the first fault of the text.
pub(super) fn find_top_value(text: &[u8], key: &str) -> Option<Value> {
    struct Search<'a>(&'a str, &'a mut Option<Value>);
    impl<'de> Visitor<'de> for Search<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(key) = map.next_key::<String>()? {
                if key == self.0 {
                    *self.1 = map.next_value()?;
                    break;
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut found = None;
    // The fault of the text was reported before.
    let _ = serde_json::Deserializer::from_slice(text).deserialize_map(Search(key, &mut found));
    found
}

struct UniqueKeys(Value);

macro_rules! scalars {
    ($($visit:ident: $type:ty),*) => {$(
        fn $visit<E>(self, value: $type) -> Result<UniqueKeys, E> {
            Ok(UniqueKeys(value.into()))
        }
    )*};
}

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = UniqueKeys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
            scalars!(visit_str: &str, visit_string: String);

            fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
                Ok(UniqueKeys(Value::Null))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<UniqueKeys, S::Error> {
                let mut all = Vec::new();
                while let Some(UniqueKeys(item)) = items.next_element()? {
                    all.push(item);
                }
                Ok(UniqueKeys(all.into()))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<UniqueKeys, M::Error> {
                let mut all = serde_json::Map::new();
                while let Some(key) = map.next_key::<String>()? {
                    if all.contains_key(&key) {
                        let what = format!("an object has the key `{key}` twice");
                        return Err(serde::de::Error::custom(what));
                    }
                    let UniqueKeys(value) = map.next_value()?;
                    all.insert(key, value);
                }
                Ok(UniqueKeys(all.into()))
            }
        }
        from.deserialize_any(ValueVisitor)
    }
}
