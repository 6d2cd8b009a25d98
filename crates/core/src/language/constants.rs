//! Named values of a package, put into its source files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memmem};
use thiserror::Error;

use crate::program::Constant;

/// The bytes that values may add to a text, or to all files of a program together.
pub const GROWTH_MAX: usize = 1 << 20;

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the values of constants add more than {} MiB to it", GROWTH_MAX >> 20)]
pub struct GrowthError;

pub const GROWTH_HELP: &str = "use shorter values, or fewer of them";

/// Replaces each `{{name}}` and `{{name.variant}}` with its value.
///
/// Undefined names stay as they are. So do files with a zero byte, which are not texts. Values are not expanded again.
/// Source: problem package format 2025-09, "Constants".
///
/// # Errors
/// If the text becomes too long.
pub fn replace_constants<'a>(
    text: &'a [u8],
    constants: &[Constant],
) -> Result<Cow<'a, [u8]>, GrowthError> {
    replace_with_budget(text, constants, &mut GROWTH_MAX.clone())
}

/// `room` is the number of bytes that values may still add; what they add is subtracted.
pub fn replace_with_budget<'a>(
    text: &'a [u8],
    constants: &[Constant],
    room: &mut usize,
) -> Result<Cow<'a, [u8]>, GrowthError> {
    if constants.is_empty() || memmem::find(text, b"{{").is_none() || memchr(0, text).is_some() {
        return Ok(Cow::Borrowed(text));
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut end = 0;
    for (at, value) in find_constants(text, constants) {
        *room = room.checked_sub(value.len().saturating_sub(at.len())).ok_or(GrowthError)?;
        replaced.extend_from_slice(&text[end..at.start]);
        replaced.extend_from_slice(value.as_bytes());
        end = at.end;
    }
    replaced.extend_from_slice(&text[end..]);
    Ok(Cow::Owned(replaced))
}

/// The ranges at which a text names constants, in order, and the values.
pub fn find_constants<'a>(
    text: &'a [u8],
    constants: &'a [Constant],
) -> impl Iterator<Item = (Range<usize>, &'a str)> {
    let mut values: HashMap<&[u8], &str> = HashMap::new();
    for constant in constants {
        values.entry(constant.key.as_bytes()).or_insert(&constant.value);
    }
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memmem::find(text.get(from..)?, b"{{")?;
            from = start + 1;
            let key = key_at(&text[start + 2..]);
            if let Some(value) = key.and_then(|key| values.get(key)) {
                from = start + key.map_or(0, <[u8]>::len) + 4;
                return Some((start..from, *value));
            }
        }
    })
}

fn key_at(text: &[u8]) -> Option<&[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = text.iter().position(|byte| !is_part(byte))?;
    text[length..].starts_with(b"}}").then(|| &text[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, replaced: &str) {
        let constant = |key: &str, value: &str| Constant { key: key.into(), value: value.into() };
        let constants =
            [constant("n", "100"), constant("n.tex", "10^2"), constant("name", "{{n}}")];
        let found = replace_constants(text.as_bytes(), &constants).expect(text);
        assert_eq!(String::from_utf8_lossy(&found), replaced, "{text:?}");
    }

    #[test]
    fn a_defined_name_is_replaced_everywhere() {
        check("int n = {{n}};", "int n = 100;");
        check("{{n}}{{n.tex}}", "10010^2");
        check("{{{n}}}", "{100}");
        check("x{{n}}y{{n}}", "x100y100");
    }

    #[test]
    fn an_undefined_name_stays() {
        check("{{m}} {{n.x}} {{ n }} {{n} {{", "{{m}} {{n.x}} {{ n }} {{n} {{");
        check("no braces", "no braces");
    }

    #[test]
    fn a_value_is_not_expanded_again() {
        check("{{name}}", "{{n}}");
    }

    #[test]
    fn a_binary_file_stays() {
        check("\0{{n}}", "\0{{n}}");
    }

    /// A small file with many uses of a long value would become larger than memory.
    #[test]
    fn growth_is_bounded_over_all_texts() {
        let constants = [Constant { key: "n".into(), value: "x".repeat(1005) }];
        let (mut room, text) = (5000, b"{{n}} {{n}}");
        let mut check = |expected: Result<usize, GrowthError>, remaining: usize| {
            let filled =
                replace_with_budget(text, &constants, &mut room).map(|filled| filled.len());
            assert_eq!((filled, room), (expected, remaining));
        };
        check(Ok(2011), 3000);
        check(Ok(2011), 1000);
        check(Err(GrowthError), 0);
        let many = "{{n}}".repeat(2000);
        assert_eq!(replace_constants(many.as_bytes(), &constants), Err(GrowthError));
    }

    /// Each byte is looked at a few times, however many constants there are.
    #[test]
    fn braces_without_names_cost_little() {
        let constants: Vec<Constant> = (0..20_000)
            .map(|number| Constant { key: format!("a{number}"), value: String::new() })
            .collect();
        for piece in ["{{", "{{a", "{{a}", "{{a1.", "{"] {
            let text = piece.repeat(1 << 18);
            let found = replace_constants(text.as_bytes(), &constants).expect("nothing is added");
            assert_eq!(found.len(), text.len(), "{piece}");
        }
    }
}
