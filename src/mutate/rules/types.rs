//! Numbers in narrower types.

use tree_sitter::Node;

use crate::mutate::finder::{Finder, slot};
use crate::mutate::operator::Operator::Type;
use crate::mutate::syntax::Role;

pub(super) fn types<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let is_part = node.parent().is_some_and(|it| finder.is(it, Role::Type));
    if !finder.is(node, Role::Type) || is_part {
        return;
    }
    let is_of_main = slot(node) == Some("type")
        && node
            .parent()
            .is_some_and(|it| finder.is(it, Role::Function) && finder.src(it).contains("main("));
    let text: Vec<&str> = finder.src(node).split_whitespace().collect();
    let text = text.join(" ");
    let narrower = finder.syntax.types.iter().find(|(wide, _)| *wide == text && !is_of_main);
    for narrow in narrower.into_iter().flat_map(|(_, narrower)| *narrower) {
        finder.put(Type, node, *narrow);
    }
}

/// Compares numbers as floats of 32 bits, which have about seven digits; printed numbers stay exact. Comparisons in
/// loops are not changed: their numbers are too small.
pub(super) fn comparisons<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let (Some(rounded), Some((left, sign, right))) = (finder.syntax.rounded, finder.operands(node))
    else {
        return;
    };
    if !finder.is(node, Role::Binary) || !["<", "<=", ">", ">="].contains(&sign) {
        return;
    }
    let is_inside = |it: &Node<'t>| {
        finder.is(*it, Role::Binary)
            || it.kind().contains("paren")
            || it.kind() == "condition_clause"
    };
    let holder = finder.around(node).find(|it| !is_inside(it));
    let has_literal = [left, right].into_iter().any(|it| finder.is(it, Role::Integer));
    if has_literal || holder.is_some_and(|it| finder.is(it, Role::Loop)) {
        return;
    }
    let [left, right] = [left, right].map(|it| rounded.replace("{}", finder.src(it)));
    finder.put(Type, node, format!("{left} {sign} {right}"));
}

/// Narrows a value before it is stored, in languages in which changing one type is not enough.
pub(super) fn casts<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let is_assignment = finder.is(node, Role::Assign) || finder.is(node, Role::Augment);
    let Some((left, sign, right)) = finder.operands(node) else { return };
    if !is_assignment || finder.syntax.casts.is_empty() {
        return;
    }
    let (name, value) = (finder.src(left), finder.src(right));
    let is_calculated = !finder.below(right, Role::Binary).is_empty() && !value.starts_with('[');
    let narrowed = match sign {
        "=" if is_calculated => value.to_owned(),
        "+=" | "-=" | "*=" => format!("{name} {} ({value})", &sign[..1]),
        _ => return,
    };
    // If the program has no wider types, its values are `int` already.
    let lower = finder.text.to_lowercase();
    let is_int = !["long", "double", "float"].iter().any(|wide| lower.contains(wide));
    for cast in finder.syntax.casts.iter().filter(|cast| !(is_int && cast.starts_with("(int) ({")))
    {
        let cast = cast.replace("{}", &narrowed);
        let whole = left.start_byte()..right.end_byte();
        finder.edit(Type, whole, format!("{name} = {cast}"));
    }
}
