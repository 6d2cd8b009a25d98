//! `constants` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Constants".

use crate::model::program::Constant;
use crate::package::node::{Node, Parse};
use crate::package::text::shown;
use crate::package::yaml::Meaning;

/// So many constants, variants among them, a problem may have.
const MOST: usize = 1000;

/// So many bytes a constant's name or value may have; they are put into every file of the package.
const LONGEST: usize = 1000;

/// Reads all constants; `{{name}}` and `{{name.value}}` are both listed.
pub(super) fn read(node: &Node<'_>) -> Parse<Vec<Constant>> {
    let mut constants = Vec::new();
    for node in node.entries("a map of names to values")? {
        if constants.len() > MOST {
            let help = "what the package's files do not need to share can stand in them";
            return Err(node.key_error(format!("there are more than {MOST} constants"), help));
        }
        // One that is broken is reported, and the others are read.
        let _reported = read_one(&node, &mut constants);
    }
    Ok(constants)
}

fn read_one(node: &Node<'_>, constants: &mut Vec<Constant>) -> Parse<()> {
    let name = node.key;
    if !is_name(name) {
        let message = format!("`{}` is not a name for a constant", shown(name));
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
            let message = format!("`{}` is not a name for a variant", shown(variant.key));
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
        Some(_) if node.word().len() > LONGEST => {
            Err(node.error(format!("`{}` has more than {LONGEST} bytes", node.path), ""))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
