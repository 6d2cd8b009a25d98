//! The settings of the package that is converted. They are read once more as text, since a problem keeps only what
//! judging needs.

use crate::package::faults::Faults;
use crate::package::node::SettingsFile;
use crate::package::yaml::{self, RawValue, ScalarMeaning, Value};
use juror_core::root::FilePath;

/// Reads a settings file whose faults are already reported.
pub(in crate::package) fn read_settings(path: &FilePath) -> Option<RawValue> {
    Some(SettingsFile::read(path, &Faults::default(), yaml::parse)?.raw)
}

/// A `problem.yaml` of any Kattis format; empty if the package has another.
pub(super) struct OldSettings(pub RawValue);

impl OldSettings {
    pub(super) fn value(&self, key: &str) -> Option<&RawValue> {
        self.0.get(key).filter(|value| match &value.value {
            Value::Scalar(scalar) => scalar.meaning() != ScalarMeaning::Null,
            Value::Broken => false,
            _ => true,
        })
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        let text = self.value(key)?.scalar()?.text.trim().to_owned();
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The texts of one or several items: texts, or maps with a name and perhaps an address.
pub(super) fn item_texts(value: &RawValue) -> Vec<String> {
    match &value.value {
        Value::Scalar(scalar) => vec![scalar.text.clone()],
        Value::Sequence(inner) => inner.iter().flat_map(item_texts).collect(),
        _ => {
            let text = |key: &str| Some(value.get(key)?.scalar()?.text.as_str());
            let email = text("email").map_or_else(String::new, |email| format!(" <{email}>"));
            text("name").map(|name| format!("{name}{email}")).into_iter().collect()
        }
    }
}
