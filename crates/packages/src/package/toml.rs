//! TOML files as the same trees as YAML files.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::package::faults::ReportedFault;
use crate::package::text::{FILE_START, FileReporter, TextFile};
use crate::package::yaml::{MapEntry, RawValue, Scalar, Value};

pub(super) fn parse(page: FileReporter<'_>) -> Result<RawValue, ReportedFault> {
    let (table, errors) = DeTable::parse_recoverable(&page.file.text);
    let report = |error: &toml::de::Error| {
        let range = page.file.range(error.span().unwrap_or(0..0));
        page.error(range, format!("is not valid TOML: {}", error.message()), "")
    };
    match errors.iter().take_while(|_| !page.has_max_errors()).map(report).last() {
        Some(reported) => Err(reported),
        None => Ok(RawValue { value: map_value(table.get_ref(), page.file), range: FILE_START }),
    }
}

fn map_value(table: &DeTable<'_>, file: &TextFile) -> Value {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| MapEntry {
        key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
        key_range: file.range(key.span()),
        value: raw_value(value, file),
    };
    Value::Map(table.iter().map(entry).collect())
}

fn raw_value(value: &Spanned<DeValue<'_>>, file: &TextFile) -> RawValue {
    let scalar = |text: String, quoted| Value::Scalar(Scalar { text, quoted });
    let range = file.range(value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => scalar(text.to_string(), true),
        DeValue::Integer(number) => scalar(number.to_string(), false),
        DeValue::Float(number) => scalar(number.to_string(), false),
        DeValue::Boolean(value) => scalar(value.to_string(), false),
        DeValue::Datetime(time) => scalar(time.to_string(), false),
        DeValue::Array(items) => {
            Value::Sequence(items.iter().map(|item| raw_value(item, file)).collect())
        }
        DeValue::Table(table) => map_value(table, file),
    };
    RawValue { value, range }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::package::faults::Faults;

    fn check(key: &str, text: &str) {
        let table = toml::Table::from_iter([(key.to_owned(), text.into())]);
        let file = TextFile::new(Path::new("a.toml"), table.to_string());
        let faults = Faults::default();
        let read = parse(FileReporter { file: &file, faults: &faults }).expect(&file.text);
        let [entry] = read.entries() else { panic!("one entry: {}", file.text) };
        let value = entry.value.scalar().map(|scalar| scalar.text.as_str());
        assert_eq!((entry.key.as_str(), value), (key, Some(text)), "{}", file.text);
    }

    #[test]
    fn a_text_is_read_as_it_was_written() {
        for text in [
            "",
            "plain",
            "valeur\u{a0}: au plus 100",
            "cafe\u{301}",
            "मान 100 तक है",
            "a\"b\\c\\u00e9",
            "\u{0}\u{7f}\u{85}\t\r\n",
            "\u{feff}\u{2028}\u{200d}\u{1f600}",
        ] {
            check(text, text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was_written(key in any::<String>(), text in any::<String>()) {
            check(&key, &text);
        }
    }
}
