//! `constants` of `problem.yaml`, and putting them in place of `{{name}}`.
//!
//! Source: problem package format 2025-09, "Constants".

use crate::model::program::Constant;
use crate::package::keys::{self};
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Meaning, Node, Value};

/// Reads all constants; `{{name}}` and `{{name.value}}` are both listed.
pub(super) fn read(node: &Node, remarks: &mut Remarks<'_>) -> Vec<Constant> {
    let mut constants = Vec::new();
    let Value::Map(entries) = &node.value else {
        keys::wrong_type("`constants`", "a map of names to values", node, remarks);
        return constants;
    };
    for entry in entries {
        let name = entry.key.as_str();
        if !is_name(name) {
            let message = format!("`{}` is no name for a constant", shown(name));
            let help = "names are letters, digits and `_`, and do not begin with a digit";
            remarks.error(entry.key_range, message, Some(help));
        } else if let Value::Map(variants) = &entry.value.value {
            let Some(value) = variants.iter().find(|variant| variant.key == "value") else {
                let message = format!("constant `{name}` has no `value`");
                remarks.error(entry.key_range, message, Some("add a line `value: ...` to it"));
                continue;
            };
            let value = scalar(&format!("{name}.value"), &value.value, remarks);
            constants.extend(value.iter().map(|value| constant(name.to_owned(), value)));
            for variant in variants {
                let key = format!("{name}.{}", variant.key);
                if !is_name(&variant.key) {
                    let message = format!("`{}` is no name for a variant", shown(&variant.key));
                    remarks.error(
                        variant.key_range,
                        message,
                        Some("names are letters, digits and `_`"),
                    );
                } else if let Some(text) = scalar(&key, &variant.value, remarks) {
                    if value.as_ref().is_some_and(|value| differ(value, &text)) {
                        let message = format!(
                            "variant `{key}` seems to be another value than `{name}.value`"
                        );
                        remarks.warning(variant.value.range, message, None);
                    }
                    constants.push(constant(key, &text));
                }
            }
        } else if let Some(value) = scalar(name, &entry.value, remarks) {
            constants.push(constant(name.to_owned(), &value));
            constants.push(constant(format!("{name}.value"), &value));
        }
    }
    constants
}

fn constant(key: String, value: &str) -> Constant {
    Constant { key, value: value.to_owned() }
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`
fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    name.bytes().next().is_some_and(letter)
        && name.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
}

/// The text of an integer, float or string, as it is written.
fn scalar(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<String> {
    match &node.value {
        Value::Scalar(scalar)
            if !matches!(scalar.meaning(), Meaning::Null | Meaning::Boolean(_)) =>
        {
            Some(scalar.text.clone())
        }
        _ => {
            keys::wrong_type(&format!("constant `{what}`"), "a number or a text", node, remarks);
            None
        }
    }
}

/// Whether both are plainly numbers, perhaps with separators, and not the same.
fn differ(value: &str, variant: &str) -> bool {
    let number = |text: &str| {
        let digits: String = text
            .chars()
            .filter(|c| !matches!(c, ',' | '_' | ' ' | '\'' | '\\' | '{' | '}' | '$' | '~'))
            .collect();
        digits.parse::<f64>().ok()
    };
    match (value.parse::<f64>().ok(), number(variant)) {
        (Some(value), Some(variant)) => value != variant,
        _ => false,
    }
}

/// The text with all constants in their places; unknown names stay as they are.
pub(super) fn substitute(text: &str, constants: &[Constant]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, from) = rest.split_at(start);
        result.push_str(before);
        let key = from[2..].split("}}").next().unwrap_or_default();
        let constant = constants.iter().find(|constant| constant.key == key);
        match constant.filter(|_| from[2 + key.len()..].starts_with("}}")) {
            Some(constant) => {
                result.push_str(&constant.value);
                rest = &from[key.len() + 4..];
            }
            None => {
                result.push('{');
                rest = &from[1..];
            }
        }
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_in_double_braces_are_replaced() {
        let constants = [constant("n".to_owned(), "5"), constant("n.tex".to_owned(), "{5}")];
        let check = |text: &str, expected: &str| assert_eq!(substitute(text, &constants), expected);
        check("", "");
        check("a {{n}} b {{n.tex}}", "a 5 b {5}");
        check("{{m}} {{ n }} {{n", "{{m}} {{ n }} {{n");
        check("{{{n}}}", "{5}");
        check("{{n}}{{n}}", "55");
        check("{{{{n}}", "{{5");
    }

    #[test]
    fn a_variant_of_another_value_is_noticed() {
        let check = |value: &str, variant: &str, expected: bool| {
            assert_eq!(differ(value, variant), expected)
        };
        check("5000000", "5,000,000", false);
        check("5000000", "500,000", true);
        check("5000000", "5e6", false);
        check("5000000", r"5 \cdot 10^6", false);
        check("abc", "5", false);
    }
}
