//! The keys of a JSON document.

use std::collections::BTreeSet;

use serde_json::Value;

/// Fails if a key occurs twice: readers lose one of them.
pub(super) fn document_keys(text: &str) -> BTreeSet<String> {
    let document: Value = serde_json::from_str(text).expect("a document is JSON");
    let read = serde_json::to_string_pretty(&document).expect("JSON");
    assert_eq!(read.lines().count(), text.lines().count(), "a key stands twice in {text}");
    document.as_object().expect("an object").keys().cloned().collect()
}
