//! `constants` of `problem.yaml`, and putting them in place of `{{name}}`.
//!
//! Source: problem package format 2025-09, "Constants".

use crate::model::program::Constant;
use crate::package::node::{Node, Parse};
use crate::package::text::shown;
use crate::package::yaml::Meaning;

/// Reads all constants; `{{name}}` and `{{name.value}}` are both listed.
pub(super) fn read(node: &Node<'_>) -> Parse<Vec<Constant>> {
    let mut constants = Vec::new();
    for node in node.entries("a map of names to values")? {
        // One that is broken is reported, and the others are read.
        let _reported = read_one(&node, &mut constants);
    }
    Ok(constants)
}

fn read_one(node: &Node<'_>, constants: &mut Vec<Constant>) -> Parse<()> {
    let name = node.key;
    if !is_name(name) {
        let message = format!("`{}` is no name for a constant", shown(name));
        let help = "names are letters, digits and `_`, and do not begin with a digit";
        return Err(node.key_error(message, help));
    }
    if !node.is_map() {
        let value = scalar(node)?;
        constants.push(constant(name.to_owned(), &value));
        constants.push(constant(format!("{name}.value"), &value));
        return Ok(());
    }
    let variants: Vec<Node<'_>> = node.entries("a map of variants")?.collect();
    let Some(main) = variants.iter().find(|variant| variant.key == "value") else {
        let message = format!("constant `{name}` has no `value`");
        return Err(node.key_error(message, "add a line `value: ...` to it"));
    };
    let main = scalar(main).ok();
    constants.extend(main.iter().map(|value| constant(name.to_owned(), value)));
    for variant in &variants {
        if !is_name(variant.key) {
            let message = format!("`{}` is no name for a variant", shown(variant.key));
            variant.key_error(message, "names are letters, digits and `_`");
        } else if variant.key == "value" {
            constants.extend(main.iter().map(|value| constant(format!("{name}.value"), value)));
        } else if let Ok(text) = scalar(variant) {
            let key = format!("{name}.{}", variant.key);
            if main.as_ref().is_some_and(|value| differ(value, &text)) {
                let message =
                    format!("variant `{key}` seems to be another value than `{name}.value`");
                variant.warning(message, "");
            }
            constants.push(constant(key, &text));
        }
    }
    Ok(())
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
fn scalar(node: &Node<'_>) -> Parse<String> {
    match node.meaning() {
        None | Some(Meaning::Null | Meaning::Boolean(_)) => Err(node.must_be("a number or a text")),
        Some(_) => Ok(node.word().to_owned()),
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
