//! Writes a tree as YAML: block style, keys in order, unquoted if that is unambiguous.

use crate::package::yaml::{RawValue, Scalar, ScalarMeaning, Value};

/// The tree as a YAML document that ends with a line end.
pub(super) fn write(node: &RawValue) -> String {
    let mut text = String::new();
    write_block(node, 0, &mut text);
    text
}

/// Writes a value that starts on its own line.
fn write_block(node: &RawValue, depth: usize, text: &mut String) {
    let lines: Vec<(String, &RawValue)> = match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            let key = |key: &String| scalar_text(&Scalar { text: key.clone(), quoted: true }) + ":";
            entries.iter().map(|entry| (key(&entry.key), &entry.value)).collect()
        }
        Value::Sequence(items) if !items.is_empty() => {
            items.iter().map(|item| ("-".to_owned(), item)).collect()
        }
        _ => {
            *text += &format!("{}{}\n", "  ".repeat(depth), inline_value(node));
            return;
        }
    };
    for (start, value) in lines {
        *text += &format!("{}{start}", "  ".repeat(depth));
        // A sequence has the same indentation as its key.
        let inner = match &value.value {
            Value::Map(entries) if !entries.is_empty() => depth + 1,
            Value::Sequence(items) if !items.is_empty() => depth + usize::from(start == "-"),
            _ => {
                *text += &format!(" {}\n", inline_value(value));
                continue;
            }
        };
        text.push('\n');
        write_block(value, inner, text);
    }
}

fn inline_value(node: &RawValue) -> String {
    match &node.value {
        Value::Map(_) => "{}".to_owned(),
        Value::Sequence(_) => "[]".to_owned(),
        Value::Broken => "null".to_owned(),
        Value::Scalar(value) => scalar_text(value),
    }
}

/// A scalar with its meaning kept: plain if no reader can misread it, else quoted.
fn scalar_text(value: &Scalar) -> String {
    let plain = Scalar { text: value.text.clone(), quoted: false };
    if value.meaning() != ScalarMeaning::Text
        || (plain.meaning() == ScalarMeaning::Text && is_plain(&value.text))
    {
        return match value.text.as_str() {
            "" => "null".to_owned(),
            text => text.to_owned(),
        };
    }
    // JSON, with more escapes.
    let mut quoted = String::new();
    for character in serde_json::Value::from(value.text.as_str()).to_string().chars() {
        match character {
            c if is_visible(c) => quoted.push(c),
            c => quoted += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    quoted
}

/// Whether every YAML reader takes a text without quotes as this text.
fn is_plain(text: &str) -> bool {
    const RESERVED: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let lower = text.to_lowercase();
    let first = text.chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '/')
        && !RESERVED.contains(&lower.as_str())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(is_visible)
}

/// Whether a character stands for itself: YAML 1.1 ends lines at some others, and a mark may get lost.
fn is_visible(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::faults::Faults;
    use crate::package::text::{FileReporter, TextFile};
    use crate::package::yaml::parse;
    use proptest::prelude::*;
    use std::path::Path;

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was_written(text in any::<String>()) {
            let range = crate::package::text::FILE_START;
            let value = Value::Scalar(Scalar { text: text.clone(), quoted: true });
            let file = TextFile::new(Path::new("f.yaml"), write(&RawValue { value, range }));
            let faults = Faults::default();
            let read = parse(FileReporter { file: &file, faults: &faults }).expect(&file.text);
            let scalar = read.scalar().expect(&file.text);
            prop_assert_eq!((&scalar.text, scalar.meaning()), (&text, ScalarMeaning::Text), "{}", file.text);
        }
    }

    fn check(source: &str, expected: &str) {
        let file = TextFile::new(Path::new("f.yaml"), source.to_owned());
        let faults = Faults::default();
        let root = parse(FileReporter { file: &file, faults: &faults }).expect("a document");
        assert_eq!(write(&root), expected);
    }

    #[test]
    fn a_tree_is_written_in_block_style() {
        check("{description: small, args: [a, b]}", "description: small\nargs:\n- a\n- b\n");
        check("{a: {b: {c: 1}}}", "a:\n  b:\n    c: 1\n");
        check("{a: [], b: {}, c: }", "a: []\nb: {}\nc: ~\n");
    }

    #[test]
    fn scalars_keep_their_meaning() {
        check("a: 'yes'", "a: \"yes\"\n");
        check("a: true", "a: true\n");
        check("a: 'true'", "a: \"true\"\n");
        check("a: '1'", "a: \"1\"\n");
        check("a: 1.5", "a: 1.5\n");
        check("a: 'x: y'", "a: \"x: y\"\n");
        check("a: 'x #y'", "a: \"x #y\"\n");
        check("a: \"1\\n2\\t\\\"\"", "a: \"1\\n2\\t\\\"\"\n");
        check("a: N = 2, the shortest", "a: N = 2, the shortest\n");
    }
}
