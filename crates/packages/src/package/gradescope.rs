//! Who handed in what, by the file that Gradescope adds to the submissions of a class.

use std::collections::BTreeMap;

use crate::package::faults::Faults;
use crate::package::node::SettingsFile;
use crate::package::yaml::{self, RawValue, Value};
use juror_core::root::FilePath;
use juror_core::text::joined;

/// The file, beside the directories of the submissions.
pub const METADATA: &str = "submission_metadata.yml";

/// The names of the directories, each with the names and the numbers of who handed it in, joined. Empty if the file
/// cannot be read.
pub fn submitters(metadata: &FilePath) -> BTreeMap<String, [String; 2]> {
    let faults = Faults::default();
    let Some(file) = SettingsFile::read(metadata, &faults, yaml::parse) else {
        return BTreeMap::new();
    };
    let people = file.raw.entries().iter().map(|entry| {
        let people = match entry.value.get(":submitters").map(|list| &list.value) {
            Some(Value::Sequence(people)) => &people[..],
            _ => &[],
        };
        let texts = |key: &str| {
            let values = people.iter().filter_map(|person: &RawValue| person.get(key)?.scalar());
            joined(values.map(|scalar| &scalar.text), ", ")
        };
        (entry.key.clone(), [texts(":name"), texts(":sid")])
    });
    people.collect()
}
