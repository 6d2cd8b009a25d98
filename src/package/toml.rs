//! TOML files as the same trees as YAML files.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::package::faults::Reported;
use crate::package::text::{Page, START, TextFile};
use crate::package::yaml::{Entry, Raw, Scalar, Value};

/// Parses the file into the tree type of YAML files.
pub(super) fn parse(page: Page<'_>) -> Result<Raw, Reported> {
    let (table, errors) = DeTable::parse_recoverable(&page.file.text);
    let report = |error: &toml::de::Error| {
        let range = page.file.range(error.span().unwrap_or(0..0));
        page.error(range, format!("is not valid TOML: {}", error.message()), "")
    };
    match errors.iter().take_while(|_| !page.is_full()).map(report).last() {
        Some(reported) => Err(reported),
        None => Ok(Raw { value: map(table.get_ref(), page.file), range: START }),
    }
}

fn map(table: &DeTable<'_>, file: &TextFile) -> Value {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
        key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
        key_range: file.range(key.span()),
        value: raw(value, file),
    };
    Value::Map(table.iter().map(entry).collect())
}

fn raw(value: &Spanned<DeValue<'_>>, file: &TextFile) -> Raw {
    let scalar = |text: String, quoted| Value::Scalar(Scalar { text, quoted });
    let range = file.range(value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => scalar(text.to_string(), true),
        DeValue::Integer(number) => scalar(number.to_string(), false),
        DeValue::Float(number) => scalar(number.to_string(), false),
        DeValue::Boolean(value) => scalar(value.to_string(), false),
        DeValue::Datetime(time) => scalar(time.to_string(), false),
        DeValue::Array(items) => {
            Value::Sequence(items.iter().map(|item| raw(item, file)).collect())
        }
        DeValue::Table(table) => map(table, file),
    };
    Raw { value, range }
}
