//! Tests of the grammar as a whole; each file has one subject and one `check`.

mod faults;
mod generation;
mod shrinking;
mod validity;
mod work;

use std::path::Path;

use crate::compile::parse_grammar;
use crate::program::Grammar;

pub(super) fn grammar(text: &str) -> Grammar {
    let reading = parse_grammar(Path::new("g.ctd"), text.as_bytes());
    let Some(grammar) = reading.grammar else {
        panic!("{text}: {:?}", reading.diagnostics);
    };
    grammar
}
