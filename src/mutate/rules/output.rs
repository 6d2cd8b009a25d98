//! Output: not all of it, twice, or in another form.

use tree_sitter::Node;

use crate::mutate::finder::Finder;
use crate::mutate::operator::Operator::{Io, Swaparg};
use crate::mutate::syntax::Role;

const WRITERS: &str =
    "print println printf fprintf puts putchar write writeln writelines append write_all write_str";

pub(super) fn output<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let Some(inner) =
        finder.named(node).first().copied().filter(|_| finder.is(node, Role::Expression))
    else {
        return;
    };
    if finder.src(inner).contains("cerr") || finder.src(inner).contains("stderr") {
        return;
    }
    let stream = streamed(finder, inner);
    let name = match finder.field(inner, &["macro"]) {
        Some(name) => finder.src(name),
        None => finder.called(inner),
    };
    let is_call = finder.is(inner, Role::Call) || finder.is(inner, Role::Macro);
    if stream.is_empty() && !(is_call && WRITERS.split(' ').any(|it| it == name)) {
        return;
    }
    let text = finder.src(node);
    finder.put(Io, node, finder.syntax.nothing);
    let end = if finder.syntax.is_by_indent { ";" } else { "" };
    finder.put(Io, node, format!("{text}{end} {text}"));
    spaces(finder, node);
    for pair in values(finder, &stream).windows(2) {
        finder.exchange(Swaparg, pair[0], pair[1]);
    }
    if let [.., before, last] = stream.as_slice() {
        finder.edit(Io, before.end_byte()..last.end_byte(), "");
    }
    let arguments = finder.field(inner, &["arguments"]).map(|it| finder.named(it));
    if let Some([.., before, last]) = arguments.as_deref()
        && !matches!(name, "printf" | "fprintf")
    {
        finder.edit(Io, before.end_byte()..last.end_byte(), "");
    }
}

/// The operands of a chain of `<<`, in order. Empty if there is no chain.
fn streamed<'t>(finder: &Finder<'t>, chain: Node<'t>) -> Vec<Node<'t>> {
    let mut parts = Vec::new();
    let mut at = chain;
    while finder.is(at, Role::Binary)
        && let Some((left, "<<", right)) = finder.operands(at)
    {
        parts.push(right);
        at = left;
    }
    parts.reverse();
    parts
}

fn values<'t>(finder: &Finder<'t>, stream: &[Node<'t>]) -> Vec<Node<'t>> {
    let is_value =
        |it: &&Node<'t>| !finder.is(**it, Role::Text) && !finder.src(**it).ends_with("endl");
    stream.iter().filter(is_value).copied().collect()
}

fn spaces<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    for text in finder.below(node, Role::Text) {
        finder.confuse(Io, text, ["\" \"", "\"\\n\""]);
        finder.confuse(Io, text, ["' '", "'\\n'"]);
    }
}
