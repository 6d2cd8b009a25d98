//! Calls and branches: another function, other arguments, exchanged branches.

use tree_sitter::Node;

use crate::faults::finder::{Finder, children};
use crate::faults::operator::Operator::{self, Init, Io, Minmax, Off1, Swaparg, Tie};
use crate::faults::syntax::Role;

/// Names that are confused with each other.
const PAIRS: &[(Operator, &str, &str)] = &[
    (Minmax, "max", "min"),
    (Minmax, "Max", "Min"),
    (Minmax, "fmax", "fmin"),
    (Minmax, "max_element", "min_element"),
    (Minmax, "max_by", "min_by"),
    (Minmax, "max_by_key", "min_by_key"),
    (Init, "INT_MAX", "INT_MIN"),
    (Init, "LLONG_MAX", "LLONG_MIN"),
    (Init, "MAX", "MIN"),
    (Init, "MAX_VALUE", "MIN_VALUE"),
    (Tie, "lower_bound", "upper_bound"),
    (Tie, "bisect_left", "bisect_right"),
    (Tie, "greater", "less"),
    (Off1, "next_permutation", "prev_permutation"),
    (Swaparg, "front", "back"),
    (Swaparg, "first", "last"),
    (Swaparg, "push_front", "push_back"),
    (Swaparg, "pop_front", "pop_back"),
    (Swaparg, "appendleft", "append"),
    (Swaparg, "popleft", "pop"),
    (Swaparg, "all", "any"),
];

/// Names that are confused in one direction only.
const CONFUSED: &[(Operator, &str, &str)] = &[(Io, "read", "readline"), (Io, "println", "print")];

pub(super) fn names<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.has_role(node, Role::Call)
        && let Some(callee) = finder.callee(node)
    {
        let name = finder.text_of(callee);
        for (operator, one, other) in PAIRS {
            finder.confuse(*operator, callee, [one, other]);
        }
        for (operator, right, wrong) in CONFUSED {
            if name == *right && (*right != "read" || finder.syntax.is_indented) {
                finder.replace(*operator, callee, *wrong);
            }
        }
    } else if finder.has_role(node, Role::Name) && finder.text_of(node).len() > 2 {
        for (operator, one, other) in PAIRS.iter().filter(|(operator, ..)| *operator == Init) {
            finder.confuse(*operator, node, [one, other]);
        }
    }
}

const SYMMETRIC: [&str; 9] = ["max", "min", "gcd", "lcm", "swap", "__gcd", "fmax", "fmin", "hypot"];

pub(super) fn arguments<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let is_call = finder.has_role(node, Role::Argument)
        && node.parent().is_some_and(|parent| {
            finder.has_role(parent, Role::Call) && !SYMMETRIC.contains(&finder.called_name(parent))
        });
    let arguments = if is_call || finder.has_role(node, Role::Element) {
        finder.named_children(node)
    } else if finder.has_role(node, Role::Tokens) {
        return tokens(finder, node);
    } else {
        return;
    };
    if arguments.len() > 6 {
        return;
    }
    for pair in arguments.windows(2).take(3) {
        let [one, two] = pair else { continue };
        let is_format = finder.has_role(*one, Role::Text) || finder.has_role(*two, Role::Text);
        let is_fixed = |argument: &Node<'_>| {
            ["keyword_argument", "list_splat", "dictionary_splat"].contains(&argument.kind())
        };
        // `[element; count]` in Rust.
        let is_repeated = finder.text[one.end_byte()..two.start_byte()].contains(';');
        if !is_format && !is_repeated && ![one, two].into_iter().any(is_fixed) {
            finder.exchange(Swaparg, *one, *two);
        }
    }
}

/// Exchanges the arguments of a macro that writes, which are only tokens.
fn tokens<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let name = node.parent().and_then(|parent| finder.field_text(parent, &["macro"]));
    if !matches!(name, Some("print" | "println" | "write" | "writeln" | "format")) {
        return;
    }
    let parts = children(node);
    let inner = &parts[1..parts.len().saturating_sub(1).max(1)];
    let arguments: Vec<&[Node<'t>]> = inner.split(|token| token.kind() == ",").collect();
    for pair in arguments.windows(2) {
        // The first and last tokens of both.
        let (Some(first), Some(last)) = (pair[0].first(), pair[0].last()) else { continue };
        let (Some(next), Some(end)) = (pair[1].first(), pair[1].last()) else { continue };
        if finder.has_role(*first, Role::Text) {
            continue;
        }
        let (one, two) = (first.start_byte()..last.end_byte(), next.start_byte()..end.end_byte());
        let between = &finder.text[one.end..two.start];
        let after = format!("{}{between}{}", &finder.text[two.clone()], &finder.text[one.clone()]);
        finder.replace_range(Swaparg, one.start..two.end, after);
    }
}

/// Exchanges the two branches of a conditional expression or statement.
pub(super) fn branches<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.has_role(node, Role::Ternary) {
        let by_name = (finder.field(node, &["consequence"]), finder.field(node, &["alternative"]));
        let parts = finder.named_children(node);
        // Python's `a if condition else b` has no names for its parts.
        match (by_name, parts.as_slice()) {
            ((Some(one), Some(two)), _) | ((None, None), &[one, _, two]) => {
                finder.exchange(Swaparg, one, two);
            }
            _ => {}
        }
    }
    if finder.has_role(node, Role::If)
        && let (Some(one), Some(mut two)) =
            (finder.field(node, &["consequence"]), finder.field(node, &["alternative"]))
    {
        // The branch may be in a node with the word `else`.
        if two.kind() == "else_clause" {
            let Some(inner) = finder.named_children(two).last().copied() else { return };
            two = inner;
        }
        // A chain of conditions stays. A block and a single statement may not fit in each other's place.
        let is_block = |branch: Node<'t>| finder.has_role(branch, Role::Block);
        if is_block(one) == is_block(two)
            && !finder.has_role(two, Role::If)
            && two.kind() != "elif_clause"
        {
            finder.exchange(Swaparg, one, two);
        }
    }
}
