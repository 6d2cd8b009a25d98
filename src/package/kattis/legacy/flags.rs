//! The flags of the default output validator as legacy judges read them: in order, so that the last of several
//! tolerances counts.
//!
//! Source: problemtools `default_validator`.

use crate::check::options::Options;
use crate::package::kattis::legacy::words;
use crate::package::node::{Node, Parse};

/// The same flags in the form of 2025-09, which forbids a repeated tolerance. Unknown flags stay.
pub(super) fn settled(flags: Vec<String>) -> Vec<String> {
    if Options::parse(&flags).is_ok() {
        return flags;
    }
    let [mut absolute, mut relative] = [None, None];
    let mut others: Vec<String> = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let [of_absolute, of_relative] = match flag.as_str() {
            "float_tolerance" => [true, true],
            "float_absolute_tolerance" => [true, false],
            "float_relative_tolerance" => [false, true],
            _ => {
                others.push(flag.clone());
                continue;
            }
        };
        let Some(value) = rest.next() else { return flags };
        if of_absolute {
            absolute = Some(value);
        }
        if of_relative {
            relative = Some(value);
        }
    }
    let tolerances = match [absolute, relative] {
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
pub(super) fn of_default(node: &Node<'_>) -> Parse<Vec<String>> {
    let flags = settled(words(node)?);
    match Options::parse(&flags) {
        Ok(_) => Ok(flags),
        Err(error) => Err(node.error(error.to_string(), "")),
    }
}
