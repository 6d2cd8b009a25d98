//! The mistakes that are possible at a node: one file for each family of operators.

mod calls;
mod literals;
mod loops;
mod output;
mod statements;
mod tokens;
mod types;

use tree_sitter::Node;

use crate::faults::finder::Finder;
use crate::faults::operator::Operator;

pub(super) fn apply_all<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    tokens::tokens(finder, node);
    tokens::parity(finder, node);
    tokens::operands(finder, node);
    literals::integers(finder, node);
    literals::indices(finder, node);
    literals::sizes(finder, node);
    literals::initial(finder, node);
    literals::booleans(finder, node);
    loops::bounds(finder, node);
    loops::ranges(finder, node);
    loops::drop_resets(finder, node);
    calls::names(finder, node);
    calls::arguments(finder, node);
    calls::branches(finder, node);
    types::types(finder, node);
    types::casts(finder, node);
    types::comparisons(finder, node);
    statements::statements(finder, node);
    statements::conditions(finder, node);
    statements::memory(finder, node);
    output::output(finder, node);
}

/// Rules for nodes that no other rule visits.
pub(super) fn special_nodes<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if node.kind() == "decorator" && finder.text_of(node).contains("cache") {
        finder.replace(Operator::Memo, node, "");
    }
    if node.kind() == "preproc_def"
        && let Some(value) = finder.field(node, &["value"])
        && let Ok(size) = finder.text_of(value).trim().parse::<u64>()
        && size >= 16
    {
        for less in [size - 1, size / 2] {
            finder.replace(Operator::Arr, value, less.to_string());
        }
    }
}
