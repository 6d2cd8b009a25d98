//! `constants` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Constants".

use crate::package::node::{Node, ParseResult};
use crate::package::text::excerpt;
use crate::package::yaml::ScalarMeaning;
use juror_core::program::Constant;

/// Upper bound on the constants of a problem, including variants.
const MAX_CONSTANTS: usize = 1000;

/// Upper bound in bytes on a constant's name or value, which are put into every file of the package.
const MAX_LENGTH: usize = 1000;

/// Reads all constants; `{{name}}` and `{{name.value}}` are both listed.
pub(super) fn read(node: &Node<'_>) -> ParseResult<Vec<Constant>> {
    let mut constants = Vec::new();
    for node in node.entries("a map of names to values")? {
        if constants.len() > MAX_CONSTANTS {
            let help = "write values that files do not share into the files";
            return Err(node
                .at_key()
                .error(format!("there are more than {MAX_CONSTANTS} constants"), help));
        }
        // A broken constant is reported, and the others are read.
        let _reported = read_one(&node, &mut constants);
    }
    Ok(constants)
}

fn read_one(node: &Node<'_>, constants: &mut Vec<Constant>) -> ParseResult<()> {
    check_name(node, "a constant")?;
    let name = node.key;
    let mut alone = node.clone();
    alone.key = "value";
    let variants: Vec<Node<'_>> =
        if node.is_map() { node.entries("a map of variants")?.collect() } else { vec![alone] };
    if !variants.iter().any(|variant| variant.key == "value") {
        let message = format!("constant `{name}` has no `value`");
        return Err(node.at_key().error(message, "add a line `value: ...` to it"));
    }
    for variant in &variants {
        // Its fault is already reported.
        let Ok(value) = check_name(variant, "a variant").and_then(|()| read_value(variant)) else {
            continue;
        };
        if variant.key == "value" {
            constants.push(Constant { key: name.to_owned(), value: value.clone() });
        }
        constants.push(Constant { key: format!("{name}.{}", variant.key), value });
    }
    Ok(())
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`
fn check_name(node: &Node<'_>, noun: &str) -> ParseResult<()> {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let mut bytes = node.key.bytes();
    if bytes.next().is_some_and(is_letter) && bytes.all(|b| is_letter(b) || b.is_ascii_digit()) {
        return Ok(());
    }
    let message = format!("`{}` is not a name for {noun}", excerpt(node.key));
    let help = "names are letters, digits and `_`, and do not begin with a digit";
    Err(node.at_key().error(message, help))
}

/// The text of an integer, float or string, as written.
fn read_value(node: &Node<'_>) -> ParseResult<String> {
    match node.meaning() {
        None | Some(ScalarMeaning::Null | ScalarMeaning::Boolean(_)) => {
            Err(node.must_be("a number or a text"))
        }
        Some(_) if node.word().len() > MAX_LENGTH => {
            Err(node.error(format!("`{}` has more than {MAX_LENGTH} bytes", node.path), ""))
        }
        Some(_) => Ok(node.word().to_owned()),
    }
}
