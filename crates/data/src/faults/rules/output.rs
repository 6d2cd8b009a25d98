//! Output: not all of it, twice, or in another form.

use tree_sitter::Node;

use crate::faults::finder::Finder;
use crate::faults::operator::Operator::{Io, Swaparg};
use crate::faults::syntax::Role;

const WRITERS: &str =
    "print println printf fprintf puts putchar write writeln writelines append write_all write_str";

pub(super) fn output<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let Some(inner) = finder
        .named_children(node)
        .first()
        .copied()
        .filter(|_| finder.has_role(node, Role::Expression))
    else {
        return;
    };
    if finder.text_of(inner).contains("cerr") || finder.text_of(inner).contains("stderr") {
        return;
    }
    let stream = stream_operands(finder, inner);
    let name = finder.field_text(inner, &["macro"]);
    let name = name.unwrap_or_else(|| finder.called_name(inner));
    let is_call = finder.has_role(inner, Role::Call) || finder.has_role(inner, Role::Macro);
    if stream.is_empty() && !(is_call && WRITERS.split(' ').any(|writer| writer == name)) {
        return;
    }
    let text = finder.text_of(node);
    finder.replace(Io, node, finder.syntax.empty_statement);
    let end = if finder.syntax.is_indented { ";" } else { "" };
    finder.replace(Io, node, format!("{text}{end} {text}"));
    exchange_spaces(finder, node);
    for pair in values(finder, &stream).windows(2) {
        finder.exchange(Swaparg, pair[0], pair[1]);
    }
    if let [.., before, last] = stream.as_slice() {
        finder.replace_range(Io, before.end_byte()..last.end_byte(), "");
    }
    let arguments = finder.field(inner, &["arguments"]).map(|list| finder.named_children(list));
    if let Some([.., before, last]) = arguments.as_deref()
        && !matches!(name, "printf" | "fprintf")
    {
        finder.replace_range(Io, before.end_byte()..last.end_byte(), "");
    }
}

/// The operands of a chain of `<<`, in order. Empty if there is no chain.
fn stream_operands<'t>(finder: &Finder<'t>, chain: Node<'t>) -> Vec<Node<'t>> {
    let mut parts = Vec::new();
    let mut at = chain;
    while finder.has_role(at, Role::Binary)
        && let Some((left, "<<", right)) = finder.operands(at)
    {
        parts.push(right);
        at = left;
    }
    parts.reverse();
    parts
}

fn values<'t>(finder: &Finder<'t>, stream: &[Node<'t>]) -> Vec<Node<'t>> {
    let is_value = |operand: &&Node<'t>| {
        !finder.has_role(**operand, Role::Text) && !finder.text_of(**operand).ends_with("endl")
    };
    stream.iter().filter(is_value).copied().collect()
}

fn exchange_spaces<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    for text in finder.descendants(node, Role::Text) {
        finder.confuse(Io, text, ["\" \"", "\"\\n\""]);
        finder.confuse(Io, text, ["' '", "'\\n'"]);
    }
}
