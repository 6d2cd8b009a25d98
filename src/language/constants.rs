//! Named values of a package, put into its source files.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use crate::model::program::Constant;

/// Replaces each `{{name}}` and `{{name.variant}}` with its value.
///
/// Undefined names stay as they are. So do files with a zero byte, which are not texts. Values are not expanded again.
/// Source: problem package format 2025-09, "Constants".
pub fn replace_constants<'a>(text: &'a [u8], constants: &[Constant]) -> Cow<'a, [u8]> {
    if constants.is_empty() || memmem::find(text, b"{{").is_none() || memchr(0, text).is_some() {
        return Cow::Borrowed(text);
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut end = 0;
    for (at, value) in uses(text, constants) {
        replaced.extend_from_slice(&text[end..at.start]);
        replaced.extend_from_slice(value.as_bytes());
        end = at.end;
    }
    replaced.extend_from_slice(&text[end..]);
    Cow::Owned(replaced)
}

/// Where a text names constants, in order, and their values.
pub fn uses<'a>(
    text: &'a [u8],
    constants: &'a [Constant],
) -> impl Iterator<Item = (Range<usize>, &'a str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memmem::find(text.get(from..)?, b"{{")?;
            from = start + 1;
            if let Some(used) = constants.iter().find(|it| stands_at(text, start, &it.key)) {
                from = start + used.key.len() + 4;
                return Some((start..from, used.value.as_str()));
            }
        }
    })
}

/// Whether `{{key}}` is in the text at this offset.
fn stands_at(text: &[u8], start: usize, key: &str) -> bool {
    text[start + 2..].strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b"}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, replaced: &str) {
        let constant = |key: &str, value: &str| Constant { key: key.into(), value: value.into() };
        let constants =
            [constant("n", "100"), constant("n.tex", "10^2"), constant("name", "{{n}}")];
        let found = replace_constants(text.as_bytes(), &constants);
        assert_eq!(String::from_utf8_lossy(&found), replaced, "{text:?}");
    }

    #[test]
    fn a_defined_name_is_replaced_wherever_it_stands() {
        check("int n = {{n}};", "int n = 100;");
        check("{{n}}{{n.tex}}", "10010^2");
        check("{{{n}}}", "{100}");
        check("x{{n}}y{{n}}", "x100y100");
    }

    /// 2025-09, "Constants": a name that is not defined stays
    #[test]
    fn what_is_not_defined_stays() {
        check("{{m}} {{n.x}} {{ n }} {{n} {{", "{{m}} {{n.x}} {{ n }} {{n} {{");
        check("no braces", "no braces");
    }

    #[test]
    fn a_value_is_not_looked_into_again() {
        check("{{name}}", "{{n}}");
    }

    #[test]
    fn a_binary_file_stays() {
        check("\0{{n}}", "\0{{n}}");
    }
}
