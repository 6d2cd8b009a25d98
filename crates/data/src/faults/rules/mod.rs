//! Walks through a source and applies the rules at each node: one file for each family of operators.

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
use crate::faults::syntax::Role;

/// Upper bound on the depth of nodes. A chain of a hundred `else if` is three hundred nodes deep.
const DEPTH_MAX: usize = 500;

/// Applies every rule to a node and to all nodes below it.
pub(super) fn visit<'t>(finder: &mut Finder<'t>, node: Node<'t>, depth: usize) {
    apply_special(finder, node);
    if finder.has_role(node, Role::Skip) || !node.is_named() || depth > DEPTH_MAX {
        return;
    }
    apply_all(finder, node);
    if finder.has_role(node, Role::Text) {
        return;
    }
    let mut is_of_tests = false;
    for child in finder.compiled_children(node) {
        // The submission's own tests do not run.
        let was_of_tests = std::mem::take(&mut is_of_tests);
        match child.kind() {
            "attribute_item" => {
                is_of_tests = was_of_tests || finder.text_of(child).contains("test")
            }
            _ if was_of_tests => {}
            _ => visit(finder, child, depth + 1),
        }
    }
}

fn apply_all<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
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
fn apply_special<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
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
