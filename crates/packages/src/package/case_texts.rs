//! What a test case tells people: its description and its hint.

use crate::package::convert::old_settings::read_settings;
use juror_core::root::FilePath;

/// In bytes.
const MAX_REMARK_SIZE: u64 = 1 << 20;

/// The description and the hint of the test case with this input. They are keys of its `.yaml`, or in legacy packages
/// files next to it.
pub fn of_case(input: &FilePath) -> [Option<String>; 2] {
    let keys = read_settings(&input.with_extension("yaml"));
    [("description", "desc"), ("hint", "hint")].map(|(key, ending)| {
        let key = keys.as_ref().and_then(|keys| keys.get(key)?.scalar());
        let text = match key {
            Some(scalar) => scalar.text.clone(),
            None => input.with_extension(ending).read_text(MAX_REMARK_SIZE).ok()?,
        };
        Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
    })
}
