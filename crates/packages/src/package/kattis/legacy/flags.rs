//! The flags of the default output validator as legacy judges read them: in order, so that the last of several
//! tolerances counts.
//!
//! Source: problemtools `default_validator`.

use crate::package::kattis::legacy::words;
use crate::package::node::{Node, ParseResult};
use juror_core::check::options::Options;

/// The same flags in the form of 2025-09, which forbids a repeated tolerance. Unknown flags stay.
pub(super) fn normalize(flags: Vec<String>) -> Vec<String> {
    if Options::parse(&flags).is_ok() {
        return flags;
    }
    let mut tolerances = [None, None];
    let mut others: Vec<String> = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let indices: &[usize] = match flag.as_str() {
            "float_tolerance" => &[0, 1],
            "float_absolute_tolerance" => &[0],
            "float_relative_tolerance" => &[1],
            _ => {
                others.push(flag.clone());
                continue;
            }
        };
        let Some(value) = rest.next() else { return flags };
        indices.iter().for_each(|index| tolerances[*index] = Some(value));
    }
    let tolerances = match tolerances {
        [Some(one), Some(other)] if one == other => [Some(("float_tolerance", one)), None],
        [absolute, relative] => [
            absolute.map(|value| ("float_absolute_tolerance", value)),
            relative.map(|value| ("float_relative_tolerance", value)),
        ],
    };
    for (flag, value) in tolerances.into_iter().flatten() {
        others.extend([flag.to_owned(), value.clone()]);
    }
    match Options::parse(&others) {
        Ok(_) => others,
        Err(_) => flags,
    }
}

/// The flags in a file; all must be flags of the default output validator.
pub(super) fn default_validator_flags(node: &Node<'_>) -> ParseResult<Vec<String>> {
    let flags = normalize(words(node)?);
    match Options::parse(&flags) {
        Ok(_) => Ok(flags),
        Err(error) => Err(node.error(error.to_string(), "")),
    }
}
