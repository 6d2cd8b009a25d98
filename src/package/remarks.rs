//! What a test case tells people: its description and its hint.

use std::path::Path;

use crate::package::convert::settings::read;

/// The description and the hint of the test case with this input. They are keys of its `.yaml`, or in legacy packages
/// files beside it.
pub fn of_case(input: &Path) -> [Option<String>; 2] {
    let keys = read(&input.with_extension("yaml"));
    [("description", "desc"), ("hint", "hint")].map(|(key, ending)| {
        let key = keys.as_ref().and_then(|keys| keys.get(key)?.scalar());
        let text = match key {
            Some(scalar) => scalar.text.clone(),
            None => std::fs::read_to_string(input.with_extension(ending)).ok()?,
        };
        Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
    })
}
