//! Reads texts that data sets write as lists of lines.

use std::fmt;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of its lines")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    /// Adds the line ends that are missing.
    fn visit_seq<S: SeqAccess<'de>>(self, mut lines: S) -> Result<String, S::Error> {
        let mut text = String::new();
        while let Some(line) = lines.next_element::<String>()? {
            text.push_str(&line);
            if !line.ends_with('\n') {
                text.push('\n');
            }
        }
        Ok(text)
    }
}

pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    from.deserialize_any(TextVisitor)
}

pub(super) fn optional_text<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    struct Text(#[serde(deserialize_with = "text")] String);
    Ok(Option::<Text>::deserialize(from)?.map(|text| text.0))
}

pub(super) fn text_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
}
